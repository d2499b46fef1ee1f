//! PSEUDO: lines that are written anew before they are assembled.

use std::collections::BTreeMap;

use isac_ir::Model;
use isac_ir::syntax::{PatternItem, Pseudo, PseudoPiece};

use super::table::{begin_of, first_word};

/// The PSEUDOs of a model, by their first words.
#[derive(Debug)]
pub(super) struct Pseudos<'m> {
    all: &'m [Pseudo],
    by_word: BTreeMap<String, Vec<usize>>,
    /// Bytes of the longest of these words.
    longest: usize,
    /// Those that do not begin with a literal.
    any: Vec<usize>,
}

impl<'m> Pseudos<'m> {
    pub(super) fn of(model: &'m Model) -> Pseudos<'m> {
        let all: &[Pseudo] = &model.pseudos;
        let mut found = Pseudos { all, by_word: BTreeMap::new(), longest: 0, any: Vec::new() };
        for (index, pseudo) in model.pseudos.iter().enumerate() {
            match pseudo.pattern.first() {
                Some(PatternItem::Literal(literal)) if !literal.trim().is_empty() => {
                    let word = first_word(literal.trim_start());
                    found.longest = found.longest.max(word.len());
                    found.by_word.entry(word).or_default().push(index);
                }
                _ => found.any.push(index),
            }
        }
        found
    }

    /// Those that a text may be, in file order.
    pub(super) fn fitting(&self, text: &str) -> Vec<&'m Pseudo> {
        let word = first_word(begin_of(text, self.longest));
        let mut found = self.any.clone();
        let ends = (1..=word.len()).filter(|end| word.is_char_boundary(*end));
        ends.for_each(|end| found.extend(self.by_word.get(&word[..end]).into_iter().flatten()));
        found.sort_unstable();
        found.into_iter().map(|index| &self.all[index]).collect()
    }

    /// The words that PSEUDOs begin with, in order.
    pub(super) fn words(&self) -> impl Iterator<Item = &str> {
        self.by_word.keys().map(String::as_str)
    }
}

/// What pieces become with operands in their places.
pub(super) fn filled(pieces: &[PseudoPiece], operands: &[&str]) -> String {
    let texts = pieces.iter().map(|piece| match piece {
        PseudoPiece::Text(text) => text.as_str(),
        PseudoPiece::Operand(operand) => operands.get(*operand as usize).copied().unwrap_or(""),
    });
    texts.collect::<Vec<_>>().join(" ")
}
