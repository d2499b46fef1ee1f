//! One instruction by itself: without labels, at an address.

use isac_ir::bits::Bits;

use super::Assembler;
use super::candidate::{Candidate, Spot};
use super::choice::{choose, keep_literal_parentheses};
use super::matching::Matcher;
use super::symbol::{Known, LineScope, Symbols};

impl Assembler<'_> {
    /// The words of an instruction whose operands are numbers and registers, each with its width in
    /// bits; `None` if the text is none. PSEUDOs are not asked.
    pub fn instruction(&self, text: &str, address: u64) -> Option<Vec<(Bits, u32)>> {
        let model = self.table.model;
        let mut symbols = Symbols::default();
        let mut scope = LineScope { symbols: &mut symbols, unit: 0, item: 0, is_made: false };
        let ways = Matcher::new(&self.table, &self.surface, text, &mut scope).instructions();
        let mut candidates: Vec<Candidate> = ways
            .into_iter()
            .map(|(entry, written)| Candidate::new(model, self.table.entries[entry], written))
            .collect();
        candidates.sort_by_key(|candidate| std::cmp::Reverse(candidate.written.literals));
        keep_literal_parentheses(text, &mut candidates);
        let known = Known { symbols: &symbols, model };
        let spot = Spot { address: Some(address), around: &known, is_told: false };
        let (_, words) = choose(model, &candidates, &spot, None).ok()?;
        words.map(|words| words.to_vec())
    }
}
