//! Which words of a description mean the same thing.
//!
//! The model has ids where the text has names; an editor asks the other way round. So the syntax trees
//! are walked once more, by the rules of scopes alone, and every name is given its *symbol*. Symbols that
//! can only be renamed together are one *class*: what a REFERENCE names and what it stands for, and a
//! field that several members of a group have under one name because `alias.field` asks all of them.

mod collect;
mod expression;
#[cfg(test)]
pub(crate) mod tests;
mod walk;

use std::collections::{BTreeMap, BTreeSet};

use isac_parser::ast;
use isac_parser::source::{FileId, Span};

/// What a name stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    Operation,
    Group,
    Constant,
    Register,
    RegisterAlias,
    Ram,
    Cache,
    Device,
    Map,
    Pipeline,
    Function,
    Stage,
    Instance,
    Field,
    Variable,
    Reference,
    Parameter,
    Local,
    PseudoOperand,
}

impl Kind {
    /// The kind in the user's words.
    pub(crate) fn words(self) -> &'static str {
        match self {
            Kind::Operation => "OPERATION",
            Kind::Group => "GROUP",
            Kind::Constant => "CONSTANT",
            Kind::Register => "REGISTER",
            Kind::RegisterAlias => "ALIAS",
            Kind::Ram => "RAM",
            Kind::Cache => "CACHE",
            Kind::Device => "DEVICE",
            Kind::Map => "MEMORY_MAP",
            Kind::Pipeline => "PIPELINE",
            Kind::Function => "FUNCTION",
            Kind::Stage => "stage",
            Kind::Instance => "alias",
            Kind::Field => "field",
            Kind::Variable => "LOCAL",
            Kind::Reference => "REFERENCE",
            Kind::Parameter => "parameter",
            Kind::Local => "variable",
            Kind::PseudoOperand => "operand of a PSEUDO",
        }
    }
}

/// Index of a symbol.
pub(crate) type SymbolId = usize;

/// Something that has a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Symbol {
    /// Its name.
    pub(crate) name: String,
    /// What it is.
    pub(crate) kind: Kind,
    /// The operation, function or pipeline that it is in.
    pub(crate) owner: Option<String>,
    /// Where its name is defined.
    pub(crate) span: Span,
    /// The text that declares it: a definition, a declaration, a section.
    pub(crate) declaration: Span,
    /// Where it is visible, if not everywhere or in all of its owner.
    pub(crate) scope: Option<Span>,
}

/// A name where it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Occurrence {
    /// The name's letters.
    pub(crate) span: Span,
    /// What it means.
    pub(crate) symbol: SymbolId,
    /// True where it is defined.
    pub(crate) defines: bool,
}

/// The symbols of a description.
#[derive(Debug, Clone, Default)]
pub(crate) struct Index {
    /// In the order in which they were found.
    pub(crate) symbols: Vec<Symbol>,
    /// By file and place.
    pub(crate) occurrences: Vec<Occurrence>,
    /// By symbol: the least symbol of its class.
    classes: Vec<SymbolId>,
    /// Operations and groups.
    pub(crate) units: BTreeMap<String, SymbolId>,
    /// All other names that are visible everywhere.
    pub(crate) globals: BTreeMap<String, SymbolId>,
    /// By operation: its aliases, fields, LOCALs, REFERENCEs, and what it names directly.
    pub(crate) inner: BTreeMap<String, BTreeMap<String, SymbolId>>,
    /// By pipeline.
    pub(crate) stages: BTreeMap<String, BTreeMap<String, SymbolId>>,
    /// By group.
    members: BTreeMap<String, Vec<String>>,
    /// By operation and alias: operations and groups that it is an instance of.
    targets: BTreeMap<(String, String), BTreeSet<String>>,
    /// By operation: those that decode or activate it.
    pub(crate) parents: BTreeMap<String, BTreeSet<String>>,
}

impl Index {
    /// The symbols of a description's files.
    pub(crate) fn of(files: &[(FileId, ast::File)]) -> Index {
        let mut index = Index::default();
        collect::collect(files, &mut index);
        walk::walk(files, &mut index);
        index.occurrences.sort_unstable();
        index.occurrences.dedup_by_key(|occurrence| occurrence.span);
        index
    }

    /// The name that stands at a byte of a file, or ends there.
    pub(crate) fn at(&self, file: FileId, offset: usize) -> Option<Occurrence> {
        let offset = u32::try_from(offset).ok()?;
        let touches = |found: &&Occurrence| {
            found.span.file == file && found.span.start <= offset && offset <= found.span.end
        };
        self.occurrences.iter().rfind(touches).copied()
    }

    /// The symbols that are renamed together with one, itself included.
    pub(crate) fn class(&self, symbol: SymbolId) -> Vec<SymbolId> {
        let class = self.class_of(symbol);
        (0..self.symbols.len()).filter(|other| self.class_of(*other) == class).collect()
    }

    /// The least symbol of a symbol's class.
    pub(crate) fn class_of(&self, mut symbol: SymbolId) -> SymbolId {
        while self.classes[symbol] != symbol {
            symbol = self.classes[symbol];
        }
        symbol
    }

    /// Where the symbols of a class are named.
    pub(crate) fn occurrences_of(&self, symbol: SymbolId) -> impl Iterator<Item = &Occurrence> {
        let class = self.class_of(symbol);
        self.occurrences.iter().filter(move |occurrence| self.class_of(occurrence.symbol) == class)
    }

    /// The operations that a unit stands for: itself, or the members of a group, and of those in it.
    pub(crate) fn operations_of(&self, unit: &str) -> BTreeSet<&str> {
        let mut seen = BTreeSet::new();
        let mut found = BTreeSet::new();
        let mut open: Vec<&str> =
            self.units.get_key_value(unit).map(|(name, _)| name.as_str()).into_iter().collect();
        while let Some(name) = open.pop() {
            if !seen.insert(name) {
                continue;
            }
            match self.members.get(name) {
                Some(members) => open.extend(members.iter().map(String::as_str)),
                None if self.units.contains_key(name) => {
                    found.insert(name);
                }
                None => {}
            }
        }
        found
    }

    /// The operations that an operation's alias may choose, be it an alias by REFERENCE.
    pub(crate) fn choices(&self, operation: &str, alias: &str) -> BTreeSet<&str> {
        let mut seen = BTreeSet::new();
        let mut found = BTreeSet::new();
        self.collect_choices(operation, alias, &mut seen, &mut found);
        found
    }

    fn collect_choices<'a>(
        &'a self,
        operation: &str,
        alias: &str,
        seen: &mut BTreeSet<String>,
        found: &mut BTreeSet<&'a str>,
    ) {
        if !seen.insert(operation.to_owned()) {
            return;
        }
        match self.targets.get(&(operation.to_owned(), alias.to_owned())) {
            Some(targets) => found.extend(targets.iter().flat_map(|target| self.operations_of(target))),
            None => {
                for parent in self.parents.get(operation).into_iter().flatten() {
                    self.collect_choices(parent, alias, seen, found);
                }
            }
        }
    }

    fn add(&mut self, symbol: Symbol) -> SymbolId {
        self.occurrences.push(Occurrence { span: symbol.span, symbol: self.symbols.len(), defines: true });
        self.symbols.push(symbol);
        self.classes.push(self.classes.len());
        self.classes.len() - 1
    }

    fn mention(&mut self, name: &ast::Name, symbol: SymbolId) {
        self.occurrences.push(Occurrence { span: name.span, symbol, defines: false });
    }

    fn unite(&mut self, first: SymbolId, second: SymbolId) {
        let (first, second) = (self.class_of(first), self.class_of(second));
        self.classes[first.max(second)] = first.min(second);
    }
}
