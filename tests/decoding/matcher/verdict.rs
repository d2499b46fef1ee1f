//! Whether decoding is unambiguous for every word that a choice is ever asked about.

use std::collections::{BTreeMap, BTreeSet};

use isac_parser::model::OperationOrGroup;

use super::Matcher;

/// What a model's decoding is.
#[derive(Debug)]
pub(crate) enum Verdict {
    Sound,
    /// The words, in base two, that are ambiguous in some choice.
    Ambiguous(BTreeSet<String>),
}

impl Matcher<'_> {
    /// The verdict on a CODINGROOT's target and all choices below.
    pub(crate) fn judge(&self, root: OperationOrGroup) -> Verdict {
        let mut arising: BTreeMap<OperationOrGroup, BTreeSet<u128>> = BTreeMap::new();
        for word in 0..1u128 << self.width(root) {
            self.arise(root, word, &mut arising);
        }
        let mut ambiguous = BTreeSet::new();
        for (target, words) in arising {
            let counted = self.count(target);
            let width = self.width(target) as usize;
            for disputed in &counted.disputed {
                let shared: Vec<u128> = disputed.iter().collect();
                if shared.iter().any(|word| words.contains(word)) {
                    ambiguous.extend(shared.iter().map(|word| format!("{word:0width$b}")));
                }
            }
        }
        if ambiguous.is_empty() { Verdict::Sound } else { Verdict::Ambiguous(ambiguous) }
    }

    /// Notes which words every choice is asked about, whoever wins above.
    fn arise(
        &self,
        choice: OperationOrGroup,
        word: u128,
        arising: &mut BTreeMap<OperationOrGroup, BTreeSet<u128>>,
    ) {
        let is_new = arising.entry(choice).or_default().insert(word);
        if !is_new {
            return;
        }
        let widest = self.width(choice);
        for path in self.paths(choice) {
            let own = self.own_bits(word, widest, path.width);
            if self.leads(&path.steps, own) {
                for (target, bits) in self.beside(&path, own) {
                    self.arise(target, bits, arising);
                }
            }
        }
    }
}
