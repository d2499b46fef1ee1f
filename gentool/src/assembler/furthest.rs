//! How far the ways of reading a line have come, for what is said where none of them is one.

use std::collections::{BTreeMap, BTreeSet};

/// What was expected where the furthest way of reading ended.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Furthest {
    pub(super) at: usize,
    pub(super) expected: BTreeSet<String>,
    /// Ends of names that other letters follow, with their beginnings and what was expected there.
    pub(super) within: BTreeMap<usize, (usize, String)>,
}

impl Furthest {
    /// What is left in the middle of a word was not understood from its beginning.
    pub(super) fn settle(&mut self) {
        if let Some((begin, expected)) = self.within.remove(&self.at) {
            self.at = begin;
            self.expected = BTreeSet::from([expected]);
        }
    }

    /// Something was expected at a byte.
    pub(super) fn note(&mut self, at: usize, expected: impl FnOnce() -> String) {
        if at > self.at {
            self.at = at;
            self.expected.clear();
        }
        if at == self.at && self.expected.len() < 64 {
            self.expected.insert(expected());
        }
    }
}
