//! The texts of a model, found by how they begin.
//!
//! Every operation or group that a text can name has a table of the texts that may be meant, by
//! their first word: among hundreds of instructions few begin alike. The first word of a line may
//! be longer than that of a literal (another is joined to it), so all its beginnings are looked up that
//! are no longer than the longest literal's.

use std::collections::{BTreeSet, HashMap};

use isac_ir::Model;
use isac_ir::operation::Target;
use isac_ir::syntax::{Entry, PatternItem, Text, TextItem, entries};

use super::reader::is_word;

/// A text of an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Variant {
    /// Its place in GROUP order.
    pub(super) rank: u32,
    /// The operation's index.
    pub(super) operation: u32,
    /// Which of its texts.
    pub(super) text: u32,
}

/// The texts of one target.
#[derive(Debug, Default)]
struct TargetTable {
    by_word: HashMap<String, Vec<Variant>>,
    /// Bytes of the longest of these words.
    longest: usize,
    /// Those that may begin with anything.
    any: Vec<Variant>,
}

/// The texts of a model.
#[derive(Debug)]
pub(super) struct Table<'m> {
    pub(super) model: &'m Model,
    pub(super) entries: Vec<Entry>,
    targets: HashMap<Target, TargetTable>,
}

/// How texts may begin.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Beginnings {
    words: BTreeSet<String>,
    any: bool,
    /// The text may be empty.
    empty: bool,
}

impl<'m> Table<'m> {
    /// `None` if every CODINGROOT decodes several elements.
    pub(super) fn new(model: &'m Model) -> Option<Table<'m>> {
        let entries = entries(model);
        let mut table = Table { model, entries, targets: HashMap::new() };
        let mut known: HashMap<Target, Beginnings> = HashMap::new();
        let mut waiting: Vec<Target> = Vec::new();
        waiting.extend(table.entries.iter().map(|entry| model.decoders[entry.decoder as usize].target));
        for item in model.pseudos.iter().flat_map(|pseudo| &pseudo.pattern) {
            if let PatternItem::Operand(target) = item {
                waiting.push(*target);
            }
        }
        while let Some(target) = waiting.pop() {
            if table.targets.contains_key(&target) {
                continue;
            }
            let mut texts = TargetTable::default();
            let mut rank = 0;
            for operation in model.leaf_operations(target) {
                for (text, items) in (0..).zip(&model.operation(operation).texts) {
                    let variant = Variant { rank, operation, text };
                    rank += 1;
                    let begins = beginnings(model, operation, items, &mut known);
                    if begins.any || begins.empty {
                        texts.any.push(variant);
                    } else {
                        begins.words.iter().for_each(|word| {
                            texts.longest = texts.longest.max(word.len());
                            texts.by_word.entry(word.clone()).or_default().push(variant);
                        });
                    }
                    let named = items.iter().filter_map(|item| match item {
                        TextItem::Instance(instance) => Some(*instance),
                        _ => None,
                    });
                    let instances = &model.operation(operation).instances;
                    waiting.extend(named.map(|instance| instances[instance as usize].target));
                }
            }
            table.targets.insert(target, texts);
        }
        (!table.entries.is_empty()).then_some(table)
    }

    /// The texts of a target that may begin like this, in GROUP order.
    pub(super) fn variants(&self, target: Target, begin: &str) -> Vec<Variant> {
        let Some(table) = self.targets.get(&target) else { return Vec::new() };
        let mut found = table.any.clone();
        if !table.by_word.is_empty() {
            let word = first_word(begin_of(begin, table.longest));
            for end in (1..=word.len()).filter(|end| word.is_char_boundary(*end)) {
                found.extend(table.by_word.get(&word[..end]).into_iter().flatten());
            }
            found.sort_unstable();
            found.dedup();
        }
        found
    }

    /// The words that texts of a target begin with, in order, if they are at most so many.
    pub(super) fn words(&self, target: Target, most: usize) -> Vec<&str> {
        let table = self.targets.get(&target).filter(|table| table.by_word.len() <= most);
        let mut words: Vec<&str> =
            table.into_iter().flat_map(|table| table.by_word.keys().map(String::as_str)).collect();
        words.sort_unstable();
        words
    }

    /// All words that instructions begin with.
    pub(super) fn mnemonics(&self) -> BTreeSet<&str> {
        let targets = self.entries.iter().map(|entry| self.model.decoders[entry.decoder as usize].target);
        let tables = targets.filter_map(|target| self.targets.get(&target));
        tables.flat_map(|table| table.by_word.keys().map(String::as_str)).collect()
    }

    /// True if an instruction may begin with something that is no fixed word.
    pub(super) fn begins_with_anything(&self) -> bool {
        let targets = self.entries.iter().map(|entry| self.model.decoders[entry.decoder as usize].target);
        targets.filter_map(|target| self.targets.get(&target)).any(|table| !table.any.is_empty())
    }
}

/// What a text begins with, at most so many bytes: of a longer word no more is looked up.
pub(super) fn begin_of(text: &str, most_bytes: usize) -> &str {
    &text[..text.floor_char_boundary(most_bytes)]
}

/// The word that a text begins with, in lower case; the first character where that is none.
pub(super) fn first_word(text: &str) -> String {
    let end = text.find(|letter: char| !is_word(letter)).unwrap_or(text.len());
    match end {
        0 => text.chars().next().map(String::from).unwrap_or_default(),
        end => text[..end].to_ascii_lowercase(),
    }
}

fn beginnings(
    model: &Model,
    operation: u32,
    text: &Text,
    known: &mut HashMap<Target, Beginnings>,
) -> Beginnings {
    let mut all = Beginnings::default();
    for item in text {
        match item {
            TextItem::Join => {}
            TextItem::Literal(literal) if literal.trim().is_empty() => {}
            TextItem::Literal(literal) => {
                all.words.insert(first_word(literal.trim_start()));
                return all;
            }
            TextItem::Field { .. } => {
                all.any = true;
                return all;
            }
            TextItem::Instance(instance) => {
                let target = model.operation(operation).instances[*instance as usize].target;
                let inner = beginnings_of_target(model, target, known);
                all.words.extend(inner.words.iter().cloned());
                all.any |= inner.any;
                if !inner.empty {
                    return all;
                }
            }
        }
    }
    all.empty = true;
    all
}

fn beginnings_of_target(
    model: &Model,
    target: Target,
    known: &mut HashMap<Target, Beginnings>,
) -> Beginnings {
    if let Some(found) = known.get(&target) {
        return found.clone();
    }
    let mut all = Beginnings::default();
    for operation in model.leaf_operations(target) {
        for text in &model.operation(operation).texts {
            let one = beginnings(model, operation, text, known);
            all.words.extend(one.words);
            all.any |= one.any;
            all.empty |= one.empty;
        }
    }
    known.insert(target, all.clone());
    all
}
