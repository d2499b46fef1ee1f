//! What is defined where: before any mention is looked at, since definitions have no order.

use std::collections::{BTreeMap, BTreeSet};

use isac_parser::ast::{
    Activation, CodingItem, File, Item, Name, Operation, ResourceDeclaration, RootElement, Section,
};
use isac_parser::source::{FileId, Span};

use super::{Index, Kind, Symbol, SymbolId};

pub(super) fn collect(files: &[(FileId, File)], index: &mut Index) {
    let items = || files.iter().flat_map(|(_, file)| &file.items);
    for item in items() {
        define_item(item, index);
    }
    for item in items() {
        if let Item::Operation(operation) = item {
            define_inner(operation, index);
        }
    }
    find_parents(index);
    let references: Vec<(String, String, SymbolId)> = index
        .inner
        .iter()
        .flat_map(|(operation, names)| names.iter().map(move |(name, symbol)| (operation, name, *symbol)))
        .filter(|(_, _, symbol)| index.symbols[*symbol].kind == Kind::Reference)
        .map(|(operation, name, symbol)| (operation.clone(), name.clone(), symbol))
        .collect();
    for (operation, name, symbol) in references {
        let mut found = Vec::new();
        find_above(index, &operation, &name, &mut BTreeSet::new(), &mut found);
        found.into_iter().for_each(|above| index.unite(symbol, above));
    }
}

fn define_item(item: &Item, index: &mut Index) {
    match item {
        Item::Operation(operation) => define_unit(&operation.name, Kind::Operation, operation.span, index),
        Item::Group(group) => {
            define_unit(&group.name, Kind::Group, group.span, index);
            let members = group.members.iter().map(|member| member.text.clone()).collect();
            index.members.entry(group.name.text.clone()).or_insert(members);
        }
        Item::Constant(constant) => define_global(&constant.name, Kind::Constant, constant.span, index),
        Item::Function(function) => define_global(&function.name, Kind::Function, function.span, index),
        Item::Resource(section) => {
            section.declarations.iter().for_each(|declaration| define_resource(declaration, index));
        }
        Item::Include(_) | Item::Target(_) | Item::Pseudo(_) => {}
    }
}

fn define_resource(declaration: &ResourceDeclaration, index: &mut Index) {
    match declaration {
        ResourceDeclaration::Register(register) => {
            for declarator in &register.declarators {
                define_global(&declarator.name, Kind::Register, register.span, index);
            }
        }
        ResourceDeclaration::Alias(alias) => {
            define_global(&alias.name, Kind::RegisterAlias, alias.span, index)
        }
        ResourceDeclaration::Ram(ram) => define_global(&ram.name, Kind::Ram, ram.span, index),
        ResourceDeclaration::Cache(cache) => define_global(&cache.name, Kind::Cache, cache.span, index),
        ResourceDeclaration::Device(device) => define_global(&device.name, Kind::Device, device.span, index),
        ResourceDeclaration::MemoryMap(map) => define_global(&map.name, Kind::Map, map.span, index),
        ResourceDeclaration::Pipeline(pipeline) => {
            define_global(&pipeline.name, Kind::Pipeline, pipeline.span, index);
            for stage in &pipeline.stages {
                let owner = pipeline.name.text.clone();
                let known = index.stages.get(&owner).and_then(|stages| stages.get(&stage.name.text)).copied();
                let symbol = define(&stage.name, Kind::Stage, Some(&owner), pipeline.span, known, index);
                index.stages.entry(owner).or_default().insert(stage.name.text.clone(), symbol);
            }
        }
    }
}

/// Adds a symbol or, of a name that is there already, another place that defines it.
fn define(
    name: &Name,
    kind: Kind,
    owner: Option<&str>,
    declaration: Span,
    known: Option<SymbolId>,
    index: &mut Index,
) -> SymbolId {
    match known {
        Some(known) => {
            index.mention(name, known);
            known
        }
        None => index.add(Symbol {
            name: name.text.clone(),
            kind,
            owner: owner.map(str::to_owned),
            span: name.span,
            declaration,
            scope: None,
        }),
    }
}

fn define_unit(name: &Name, kind: Kind, declaration: Span, index: &mut Index) {
    let known = index.units.get(&name.text).copied();
    let symbol = define(name, kind, None, declaration, known, index);
    index.units.insert(name.text.clone(), symbol);
}

fn define_global(name: &Name, kind: Kind, declaration: Span, index: &mut Index) {
    let known = index.globals.get(&name.text).copied();
    let symbol = define(name, kind, None, declaration, known, index);
    index.globals.insert(name.text.clone(), symbol);
}

/// What an operation has of its own.
fn define_inner(operation: &Operation, index: &mut Index) {
    let owner = operation.name.text.as_str();
    let mut names: BTreeMap<String, SymbolId> = index.inner.remove(owner).unwrap_or_default();
    let mut enter = |name: &Name, kind: Kind, declaration: Span, index: &mut Index| {
        let known = names.get(&name.text).copied();
        let symbol = define(name, kind, Some(owner), declaration, known, index);
        names.insert(name.text.clone(), symbol);
    };
    for section in &operation.sections {
        match section {
            Section::Instance(section) => {
                for alias in &section.aliases {
                    enter(alias, Kind::Instance, section.span, index);
                    add_target(index, owner, &alias.text, &section.target.text);
                }
            }
            Section::Reference(section) => {
                section.names.iter().for_each(|name| enter(name, Kind::Reference, section.span, index));
            }
            Section::Local(section) => {
                for name in section.variables.iter().flat_map(|(_, names)| names) {
                    enter(name, Kind::Variable, section.span, index);
                }
            }
            _ => {}
        }
    }
    for section in &operation.sections {
        if let Section::Coding(section) | Section::Tail(section) = section {
            for item in &section.items {
                match item {
                    CodingItem::Field { name, .. } | CodingItem::Name { name, .. } => {
                        enter(name, Kind::Field, section.span, index);
                    }
                    CodingItem::Bits(_) => {}
                }
            }
        }
    }
    for name in direct_names(operation) {
        if let (false, Some(&unit)) = (names.contains_key(&name.text), index.units.get(&name.text)) {
            names.insert(name.text.clone(), unit);
            add_target(index, owner, &name.text, &name.text);
        }
    }
    index.inner.insert(owner.to_owned(), names);
}

fn add_target(index: &mut Index, operation: &str, alias: &str, target: &str) {
    let key = (operation.to_owned(), alias.to_owned());
    index.targets.entry(key).or_default().insert(target.to_owned());
}

/// What CODINGROOTs and ACTIVATIONs name.
fn direct_names(operation: &Operation) -> Vec<&Name> {
    let mut names = Vec::new();
    for section in &operation.sections {
        match section {
            Section::Activation(section) => activated(&section.items, &mut names),
            Section::CodingRoot(section) => decoded(&section.elements, &mut names),
            _ => {}
        }
    }
    names
}

fn activated<'a>(items: &'a [Activation], names: &mut Vec<&'a Name>) {
    for item in items {
        match item {
            Activation::Activate { target, .. } => names.push(target),
            Activation::If { then, otherwise, .. } => {
                activated(then, names);
                activated(otherwise, names);
            }
            Activation::Switch { cases, default, .. } => {
                cases.iter().for_each(|(_, items)| activated(items, names));
                default.iter().for_each(|items| activated(items, names));
            }
        }
    }
}

fn decoded<'a>(elements: &'a [RootElement], names: &mut Vec<&'a Name>) {
    for element in elements {
        match element {
            RootElement::Decode(decode) => names.push(&decode.root),
            RootElement::Switch { selector, cases, .. } => {
                names.push(&selector.root);
                cases.iter().for_each(|(_, elements)| decoded(elements, names));
            }
            RootElement::If { then, otherwise, .. } => {
                decoded(then, names);
                decoded(otherwise, names);
            }
        }
    }
}

fn find_parents(index: &mut Index) {
    let mut parents: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for ((operation, _), targets) in &index.targets {
        for child in targets.iter().flat_map(|target| index.operations_of(target)) {
            parents.entry(child.to_owned()).or_default().insert(operation.clone());
        }
    }
    index.parents = parents;
}

/// What a REFERENCE of an operation names in those above it, searched outwards.
fn find_above(
    index: &Index,
    operation: &str,
    name: &str,
    seen: &mut BTreeSet<String>,
    found: &mut Vec<SymbolId>,
) {
    for parent in index.parents.get(operation).into_iter().flatten() {
        if !seen.insert(parent.clone()) {
            continue;
        }
        match index.inner.get(parent).and_then(|names| names.get(name)) {
            Some(symbol) => found.push(*symbol),
            None => find_above(index, parent, name, seen, found),
        }
    }
}
