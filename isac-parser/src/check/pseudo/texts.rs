//! What can be written at all: the texts of a model, and how things are named in them.

use std::collections::{BTreeMap, BTreeSet};

use super::line::texts_of;
use crate::check::member::operations_of;
use crate::model::{
    AssemblerItem, Format, Model, OperationId, OperationOrGroup, PatternItem, RegisterId, RootElement,
    root_decodes,
};

/// What lines are compared with.
pub(super) struct Texts<'a> {
    pub(super) model: &'a Model,
    /// What is decoded by a CODINGROOT.
    pub(super) roots: Vec<OperationOrGroup>,
    /// The operations that each target may be.
    operations: BTreeMap<OperationOrGroup, BTreeSet<OperationId>>,
    /// The elements that texts name, in lower case, with all files that have one of this name.
    pub(super) elements: BTreeMap<String, BTreeSet<RegisterId>>,
    /// Texts of operands that are one word.
    operand_words: BTreeSet<String>,
    pub(super) functions: BTreeSet<&'a str>,
    /// What numbers begin with beside digits.
    pub(super) prefixes: Vec<&'a str>,
    /// The words that lines begin with.
    pub(super) words: BTreeSet<String>,
    /// The PSEUDOs whose patterns begin with a word, in lower case.
    pseudos: BTreeMap<String, Vec<usize>>,
    /// Those that may begin with anything.
    open_pseudos: Vec<usize>,
}

/// Letters of a line by which PSEUDOs are found.
const MOST_LETTERS: usize = 64;

impl<'a> Texts<'a> {
    /// `None` if nothing can be assembled: there is no PSEUDO, no text, or each CODINGROOT decodes
    /// several elements.
    pub(super) fn of(model: &'a Model) -> Option<Texts<'a>> {
        let single = model.operations.iter().filter(|operation| most_decoded(&operation.coding_root) == 1);
        let roots: Vec<OperationOrGroup> = single
            .flat_map(|operation| {
                let decodes = root_decodes(&operation.coding_root).into_iter();
                decodes.map(|decode| operation.instances[decode.instance.index()].target)
            })
            .collect();
        if model.pseudos.is_empty() || roots.is_empty() {
            return None;
        }
        let given = [&model.target.hex, &model.target.binary];
        let prefixes = given.into_iter().flatten().map(String::as_str).filter(|prefix| !prefix.is_empty());
        let mut texts = Texts {
            model,
            operations: BTreeMap::new(),
            elements: named_elements(model),
            operand_words: operand_words(model),
            functions: model.functions.iter().map(|function| function.name.as_str()).collect(),
            prefixes: prefixes.collect(),
            words: first_words(model, &roots),
            pseudos: BTreeMap::new(),
            open_pseudos: Vec::new(),
            roots,
        };
        texts.index_pseudos();
        let instances = model.operations.iter().flat_map(|operation| &operation.instances);
        let patterns = model.pseudos.iter().flat_map(|pseudo| &pseudo.pattern);
        let named = patterns.filter_map(|item| match item {
            PatternItem::Operand(target) => Some(*target),
            _ => None,
        });
        for target in instances.map(|instance| instance.target).chain(named).chain(texts.roots.clone()) {
            let found = || operations_of(model, target).into_iter().collect();
            texts.operations.entry(target).or_insert_with(found);
        }
        Some(texts)
    }

    fn index_pseudos(&mut self) {
        for (index, pseudo) in self.model.pseudos.iter().enumerate() {
            match pattern_word(&pseudo.pattern) {
                Some(word) if word.len() <= MOST_LETTERS => {
                    self.pseudos.entry(word.to_ascii_lowercase()).or_default().push(index);
                }
                _ => self.open_pseudos.push(index),
            }
        }
    }

    /// The PSEUDOs that a line may be which begins with these letters, in the order of the text.
    pub(super) fn pseudos(&self, letters: impl Iterator<Item = char>) -> Vec<usize> {
        let mut found = self.open_pseudos.clone();
        let mut word = String::new();
        for letter in letters.take(MOST_LETTERS) {
            word.push(letter.to_ascii_lowercase());
            found.extend(self.pseudos.get(&word).into_iter().flatten());
        }
        found.sort_unstable();
        found
    }

    pub(super) fn is_register(&self, word: &str) -> bool {
        let word = word.to_ascii_lowercase();
        self.elements.contains_key(&word) || self.operand_words.contains(&word)
    }

    /// True if a target may be written as something that a number is written as, too.
    pub(super) fn may_be_value(&self, target: OperationOrGroup) -> bool {
        texts_of(self.model, target).any(|(_, items)| {
            !matches!(items.first(), Some(AssemblerItem::Field { format: Format::Name { .. }, .. }))
        })
    }

    pub(super) fn may_be_element(&self, target: OperationOrGroup, file: RegisterId) -> bool {
        texts_of(self.model, target).any(|(_, items)| match items {
            [AssemblerItem::Field { format: Format::Name { register, .. }, .. }] => *register == file,
            _ => false,
        })
    }

    pub(super) fn share_operations(&self, one: OperationOrGroup, other: OperationOrGroup) -> bool {
        match (self.operations.get(&one), self.operations.get(&other)) {
            (Some(one), Some(other)) => !one.is_disjoint(other),
            _ => true,
        }
    }
}

/// How many elements one way through a CODINGROOT decodes at most.
fn most_decoded(elements: &[RootElement]) -> usize {
    let of = |element: &RootElement| match element {
        RootElement::Decode(_) => 1,
        RootElement::Switch { cases, .. } => {
            1 + cases.iter().map(|case| most_decoded(&case.elements)).max().unwrap_or(0)
        }
        RootElement::If { then, otherwise, .. } => most_decoded(then).max(most_decoded(otherwise)),
    };
    elements.iter().map(of).sum()
}

fn named_elements(model: &Model) -> BTreeMap<String, BTreeSet<RegisterId>> {
    let mut found: BTreeMap<String, BTreeSet<RegisterId>> = BTreeMap::new();
    let items = model.operations.iter().flat_map(|operation| operation.assembler.iter().flatten());
    let formats = items.filter_map(|item| match item {
        AssemblerItem::Field { format, .. } => Some(format),
        _ => None,
    });
    let files: BTreeSet<RegisterId> = formats
        .filter_map(|format| match format {
            Format::Name { register, .. } | Format::List { register } => Some(*register),
            _ => None,
        })
        .collect();
    for file in files {
        for name in model.registers[file.index()].element_names.iter().flatten() {
            found.entry(name.to_ascii_lowercase()).or_default().insert(file);
        }
    }
    found
}

fn operand_words(model: &Model) -> BTreeSet<String> {
    let operands = model.operations.iter().filter(|operation| operation.is_operand);
    let texts = operands.flat_map(|operation| &operation.assembler);
    let words = texts.filter_map(|items| match items.as_slice() {
        [AssemblerItem::Text(word)] => Some(word.to_ascii_lowercase()),
        _ => None,
    });
    words.collect()
}

fn first_words<'a>(model: &'a Model, roots: &[OperationOrGroup]) -> BTreeSet<String> {
    let instructions = roots.iter().flat_map(|root| texts_of(model, *root));
    let first = |items: &'a [AssemblerItem]| match items.first() {
        Some(AssemblerItem::Text(text)) => text.split_whitespace().next(),
        _ => None,
    };
    let literals = instructions.flat_map(|(operation, items)| match items.first() {
        Some(AssemblerItem::Instance(instance)) => {
            let target = operation.instances[instance.index()].target;
            texts_of(model, target).filter_map(|(_, items)| first(items)).collect()
        }
        _ => Vec::from_iter(first(items)),
    });
    let pseudos = model.pseudos.iter().filter_map(|pseudo| pattern_word(&pseudo.pattern));
    literals.chain(pseudos).map(str::to_owned).collect()
}

/// The word that a pattern begins with.
pub(super) fn pattern_word(pattern: &[PatternItem]) -> Option<&str> {
    match pattern.first() {
        Some(PatternItem::Text(text)) => text.split_whitespace().next(),
        _ => None,
    }
}
