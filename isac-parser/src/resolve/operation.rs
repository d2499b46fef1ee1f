//! An operation while it is being resolved: what its names mean and what its aliases are worth.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::choice::Choices;
use super::code;
use super::names::{Names, Table, double};
use super::reference::ReferenceValue;
use super::report::error;
use super::section::Sections;
use super::typing::Typer;
use crate::ast::{self, Activation, RootElement};
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::model::{
    CodingBit, Expr, Field, FieldId, Instance, InstanceId, InstanceRole, Local, OperationOrGroup,
    ReferenceId, TailItem, Type, VariableId, When,
};
use crate::source::Span;

/// What a name of the operation stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Meaning {
    /// A field of its CODING.
    Field(FieldId),
    /// One of its aliases.
    Instance(InstanceId),
    /// One of its LOCALs.
    Variable(VariableId),
    /// Something that its REFERENCE names.
    Reference(ReferenceId),
    /// Something that was reported.
    Broken,
}

/// What an alias is worth in EXPRESSION and BEHAVIOR.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AliasValue {
    /// Its coded bits.
    Coded(Type),
    /// The EXPRESSION of what it chose.
    Operand {
        /// Type of its value.
        ty: Type,
        /// True if every possible choice is a place.
        is_place: bool,
        /// The choice because of which it is none, if that is known.
        no_place: Option<Span>,
    },
    /// It is decoded by the operation's CODINGROOT.
    Decoded,
    /// Nothing: it is not part of the CODING.
    NotCoded,
    /// Unknown, for a reason that was reported.
    Broken,
}

/// The names of one operation.
#[derive(Debug, Default)]
pub(crate) struct OperationScope {
    /// The operation's index.
    pub(crate) index: usize,
    /// Aliases, fields, LOCALs and references with the places of their names.
    pub(crate) names: BTreeMap<String, (Meaning, Span)>,
    /// By [`FieldId`].
    pub(crate) fields: Vec<Field>,
    /// By [`InstanceId`].
    pub(crate) instances: Vec<Instance>,
    /// By [`InstanceId`].
    pub(crate) values: Vec<AliasValue>,
    /// By [`VariableId`].
    pub(crate) variables: Vec<Local>,
    /// By [`ReferenceId`]; `None` for one that is reported elsewhere.
    pub(crate) references: Vec<Option<ReferenceValue>>,
    /// What the aliases that a reference stands for may choose, by [`ReferenceId`].
    pub(crate) referred_choices: Vec<ReferredChoices>,
    /// The operations that aliases may choose; nothing as long as codings are being resolved.
    pub(crate) choices: Rc<Choices>,
}

/// What a reference stands for may choose.
#[derive(Debug, Clone, Default)]
pub(crate) struct ReferredChoices {
    /// Any operation that one of these may turn out to be.
    pub(crate) targets: Vec<OperationOrGroup>,
    /// An operation in which the name is no decoded alias, and the place of the name there.
    pub(crate) no_alias: Option<(String, Span)>,
}

impl OperationScope {
    /// What an alias is worth.
    pub(crate) fn value(&self, instance: InstanceId) -> AliasValue {
        self.values.get(instance.index()).copied().unwrap_or(AliasValue::Broken)
    }

    /// Width of an alias's coded bits, if it is part of the CODING or of the CODINGROOT.
    pub(crate) fn coded_width(&self, instance: InstanceId) -> Option<u32> {
        let instance = self.instances.get(instance.index())?;
        match instance.role {
            InstanceRole::Coded | InstanceRole::Root => instance.width_bits,
            _ => None,
        }
    }

    /// The instance that an alias names, if the name is one.
    pub(crate) fn alias(&self, name: &str) -> Option<InstanceId> {
        match self.names.get(name) {
            Some((Meaning::Instance(id), _)) => Some(*id),
            _ => None,
        }
    }

    /// Where an alias is declared; `None` if the name is none.
    pub(crate) fn alias_span(&self, name: &str) -> Option<Span> {
        Some(self.instances[self.alias(name)?.index()].span)
    }
}

/// An operation between the syntax tree and the model.
pub(crate) struct Draft<'a> {
    pub(crate) ast: &'a ast::Operation,
    pub(crate) sections: Sections<'a>,
    pub(crate) scope: OperationScope,
    /// The instances that CODINGROOT and ACTIVATION made by naming a target directly.
    pub(crate) own_aliases: BTreeMap<String, InstanceId>,
    /// The names that its REFERENCE sections declare, by [`ReferenceId`].
    pub(crate) reference_names: Vec<&'a ast::Name>,
    /// The bits of its CODING; `None` without a sound one.
    pub(crate) coding: Option<Vec<CodingBit>>,
    /// False if an error was found in what tells its words apart.
    pub(crate) is_exact: bool,
    /// What follows the word because of it.
    pub(crate) tail: Vec<TailItem>,
    pub(crate) when: Option<When>,
    pub(crate) expression: Option<Expr>,
}

impl<'a> Draft<'a> {
    /// Declares the operation's instances; reports targets that do not exist.
    pub(crate) fn new(
        ast: &'a ast::Operation,
        sections: Sections<'a>,
        table: &Table,
        diagnostics: &mut Diagnostics,
    ) -> Self {
        let names = &table.names;
        let mut draft = Draft {
            ast,
            sections,
            scope: OperationScope::default(),
            own_aliases: BTreeMap::new(),
            reference_names: Vec::new(),
            coding: None,
            is_exact: true,
            tail: Vec::new(),
            when: None,
            expression: None,
        };
        draft.declare_aliases(names, diagnostics);
        draft.declare_variables(table, diagnostics);
        draft.declare_references(diagnostics);
        draft.declare_own_aliases(names, diagnostics);
        for name in std::mem::take(&mut draft.sections.unsupported_names) {
            let broken = (Meaning::Broken, name.span);
            draft.scope.names.entry(name.text.clone()).or_insert(broken);
        }
        draft
    }

    fn declare_aliases(&mut self, names: &Names, diagnostics: &mut Diagnostics) {
        for section in self.sections.instances.clone() {
            let target = names.operation(&section.target, diagnostics);
            for alias in &section.aliases {
                let first = self.scope.names.get(&alias.text).map(|(_, span)| *span);
                if let Some(first) = first {
                    diagnostics.push(double(alias, first));
                    // Nobody knows which of the two is meant.
                    self.scope.names.insert(alias.text.clone(), (Meaning::Broken, first));
                    continue;
                }
                let meaning = match target {
                    Some(target) => Meaning::Instance(self.add_instance(alias, target)),
                    None => Meaning::Broken,
                };
                self.scope.names.insert(alias.text.clone(), (meaning, alias.span));
            }
        }
    }

    /// Declares the operation's LOCALs.
    fn declare_variables(&mut self, table: &Table, diagnostics: &mut Diagnostics) {
        for section in self.sections.locals.clone() {
            for (ty, names) in &section.variables {
                let ty = Typer::new(table, None, diagnostics).type_of(ty);
                for name in names {
                    let first = self.scope.names.get(&name.text).map(|(_, span)| *span);
                    if let Some(first) = first {
                        diagnostics.push(double(name, first));
                        continue;
                    }
                    let meaning = match ty {
                        Some(ty) => Meaning::Variable(self.add_variable(name, ty)),
                        None => Meaning::Broken,
                    };
                    self.scope.names.insert(name.text.clone(), (meaning, name.span));
                }
            }
        }
    }

    /// Declares the names of the operation's REFERENCE sections.
    fn declare_references(&mut self, diagnostics: &mut Diagnostics) {
        for name in self.sections.references.clone().into_iter().flat_map(|section| &section.names) {
            if let Some((_, first)) = self.scope.names.get(&name.text) {
                diagnostics.push(double(name, *first));
                continue;
            }
            let id = ReferenceId(u32::try_from(self.reference_names.len()).unwrap_or(u32::MAX));
            self.reference_names.push(name);
            self.scope.names.insert(name.text.clone(), (Meaning::Reference(id), name.span));
        }
    }

    fn add_variable(&mut self, name: &ast::Name, ty: Type) -> VariableId {
        let id = VariableId(u32::try_from(self.scope.variables.len()).unwrap_or(u32::MAX));
        self.scope.variables.push(Local { name: name.text.clone(), ty, span: name.span });
        id
    }

    /// Declares what CODINGROOT and ACTIVATION name directly, and notes who decodes and activates.
    fn declare_own_aliases(&mut self, names: &Names, diagnostics: &mut Diagnostics) {
        let mut mentions = Vec::new();
        if let Some(section) = self.sections.coding_root {
            roots(&section.elements, &mut mentions);
        }
        let decoded = mentions.len();
        if let Some(section) = self.sections.activation {
            activated(&section.items, &mut mentions);
        }
        for (index, name) in mentions.into_iter().enumerate() {
            let role = if index < decoded { InstanceRole::Root } else { InstanceRole::Activated };
            let Some(id) = self.instance_or_own(name, names, diagnostics) else {
                continue;
            };
            // What is decoded under its own name is an alias like any other, unless the name
            // stands for something else where values are meant.
            if role == InstanceRole::Root && !names.globals.contains_key(&name.text) {
                let meaning = (Meaning::Instance(id), name.span);
                self.scope.names.entry(name.text.clone()).or_insert(meaning);
            }
            let instance = &mut self.scope.instances[id.index()];
            if instance.role == InstanceRole::Unused {
                instance.role = role;
            }
        }
    }

    fn instance_or_own(
        &mut self,
        name: &ast::Name,
        names: &Names,
        diagnostics: &mut Diagnostics,
    ) -> Option<InstanceId> {
        match self.scope.names.get(&name.text) {
            Some((Meaning::Instance(id), _)) => return Some(*id),
            Some((Meaning::Variable(_), declared)) => {
                let declared = *declared;
                diagnostics.push(no_alias(name, "a LOCAL", declared));
                return None;
            }
            Some((Meaning::Reference(_), declared)) => {
                let declared = *declared;
                diagnostics.push(no_alias(name, "a REFERENCE", declared));
                return None;
            }
            Some((Meaning::Field(_) | Meaning::Broken, _)) => return None,
            None => {}
        }
        if let Some(id) = self.own_aliases.get(&name.text) {
            return Some(*id);
        }
        let Some(definition) = names.operations.get(&name.text) else {
            names.operation(name, diagnostics);
            self.scope.names.insert(name.text.clone(), (Meaning::Broken, name.span));
            return None;
        };
        let id = self.add_instance(name, definition.what);
        self.own_aliases.insert(name.text.clone(), id);
        Some(id)
    }

    fn add_instance(&mut self, alias: &ast::Name, target: OperationOrGroup) -> InstanceId {
        let id = InstanceId(u32::try_from(self.scope.instances.len()).unwrap_or(u32::MAX));
        self.scope.instances.push(Instance {
            alias: alias.text.clone(),
            span: alias.span,
            target,
            role: InstanceRole::Unused,
            width_bits: None,
            value_type: None,
            is_place: false,
        });
        self.scope.values.push(AliasValue::NotCoded);
        id
    }

    /// The instance that a CODINGROOT or ACTIVATION names.
    pub(crate) fn mentioned(&self, name: &ast::Name) -> Option<InstanceId> {
        self.scope.alias(&name.text).or_else(|| self.own_aliases.get(&name.text).copied())
    }
}

/// The message for a LOCAL or REFERENCE where an alias is needed.
pub(super) fn no_alias(name: &ast::Name, kind: &str, declared: Span) -> Diagnostic {
    let message = format!("`{}` is {kind}, but an alias is needed here", name.text);
    error(code::WRONG_KIND, name.span, message, "no alias")
        .secondary(declared, "declared here")
        .help("INSTANCE an operation or group, and name its alias")
}

/// The names that a CODINGROOT decodes, those of unsupported elements included.
pub(crate) fn roots<'a>(elements: &'a [RootElement], found: &mut Vec<&'a ast::Name>) {
    for element in elements {
        match element {
            RootElement::Decode(decode) => found.push(&decode.root),
            RootElement::Switch { selector, cases, .. } => {
                found.push(&selector.root);
                for (_, elements) in cases {
                    roots(elements, found);
                }
            }
            RootElement::If { then, otherwise, .. } => {
                roots(then, found);
                roots(otherwise, found);
            }
        }
    }
}

/// The names that an ACTIVATION activates, those of unsupported entries included.
fn activated<'a>(items: &'a [Activation], found: &mut Vec<&'a ast::Name>) {
    for item in items {
        match item {
            Activation::Activate { target, .. } => found.push(target),
            Activation::If { then, otherwise, .. } => {
                activated(then, found);
                activated(otherwise, found);
            }
            Activation::Switch { cases, default, .. } => {
                for (_, items) in cases {
                    activated(items, found);
                }
                activated(default.as_deref().unwrap_or_default(), found);
            }
        }
    }
}
