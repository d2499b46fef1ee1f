//! What words a decoder accepts, as patterns: one for each way through its automaton.

use std::collections::BTreeSet;

use isac_ir::bits::Bits;
use isac_ir::decoder::{Decoder, Run, State};

/// Most states looked at for one decoder, counted on all ways.
const MOST_LOOKS: usize = 200_000;

/// Words that agree in some bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub(super) struct Pattern {
    mask: Bits,
    /// 0 outside of the mask.
    value: Bits,
}

impl Pattern {
    /// Bit `index`, if it is fixed.
    pub(super) fn bit(self, index: u32) -> Option<bool> {
        self.mask.bit(index).then(|| self.value.bit(index))
    }

    fn with_bit(self, index: u32, value: bool) -> Pattern {
        Pattern { mask: self.mask.with_bit(index, true), value: self.value.with_bit(index, value) }
    }

    /// Those of the words that have a value in some bits, at most 64 of them.
    fn with(self, low: u32, width: u32, value: u64) -> Option<Pattern> {
        (0..width).try_fold(self, |pattern, bit| {
            let set = value >> bit & 1 == 1;
            match pattern.bit(low + bit) {
                Some(fixed) => (fixed == set).then_some(pattern),
                None => Some(pattern.with_bit(low + bit, set)),
            }
        })
    }

    /// What it says of bits that are copied out of the word.
    pub(super) fn gathered(self, runs: &[Run]) -> Pattern {
        let bits = runs.iter().flat_map(|run| (0..run.width).map(move |bit| (run.from + bit, run.to + bit)));
        bits.fold(Pattern::default(), |gathered, (from, to)| match self.bit(from) {
            Some(set) => gathered.with_bit(to, set),
            None => gathered,
        })
    }
}

/// The variants that words of a pattern may be, each with the patterns of those words, none twice.
///
/// Where there are too many ways, each variant stands with the pattern itself: what is said of its words
/// then may leave out what no word has, but nothing that one has.
pub(super) fn accepted(decoder: &Decoder, known: Pattern) -> BTreeSet<(u32, Pattern)> {
    let mut found = BTreeSet::new();
    let mut waiting = vec![(decoder.start, known)];
    let mut looks = 0;
    while let Some((state, pattern)) = waiting.pop() {
        looks += 1;
        if looks + waiting.len() > MOST_LOOKS {
            return (0..decoder.variants.len() as u32).map(|variant| (variant, known)).collect();
        }
        match &decoder.states[state as usize] {
            State::Reject => {}
            State::Accept(variant) => drop(found.insert((*variant, pattern))),
            State::Fetch { next, .. } => waiting.push((*next, pattern)),
            State::Test { low, width, edges, otherwise } => {
                let taken =
                    edges.iter().filter_map(|(value, to)| Some((*to, pattern.with(*low, *width, *value)?)));
                waiting.extend(taken);
                if !matches!(decoder.states[*otherwise as usize], State::Reject) {
                    let values: Vec<u64> = edges.iter().map(|(value, _)| *value).collect();
                    let mut others = Vec::new();
                    without(pattern, (*low, *width), &values, &mut others);
                    waiting.extend(others.into_iter().map(|other| (*otherwise, other)));
                }
            }
        }
    }
    found
}

/// The words of a pattern whose bits have none of some values, ascending: split at the highest bit until
/// a part has no such value.
fn without(pattern: Pattern, (low, width): (u32, u32), values: &[u64], parts: &mut Vec<Pattern>) {
    if values.is_empty() {
        parts.push(pattern);
        return;
    }
    let Some(bit) = width.checked_sub(1) else { return };
    let middle = values.partition_point(|value| value >> bit & 1 == 0);
    let (clear, set) = values.split_at(middle);
    for (is_set, values) in [(false, clear), (true, set)] {
        if pattern.bit(low + bit).is_none_or(|fixed| fixed == is_set) {
            without(pattern.with_bit(low + bit, is_set), (low, bit), values, parts);
        }
    }
}

#[cfg(test)]
mod tests {
    use isac_ir::bits::Bits;
    use isac_ir::decode::choose_variant;
    use isac_ir::decoder::{Decoder, State, Variant};
    use isac_ir::operation::Target;

    use super::{Pattern, accepted};

    const WIDTH: u32 = 8;

    /// An automaton over 8 bits made from a seed.
    fn decoder(seed: u64) -> Decoder {
        let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let mut below = |limit: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % limit
        };
        let mut states = vec![State::Reject, State::Accept(0), State::Accept(1)];
        for _ in 0..12 {
            let to = states.len() as u64;
            let width = 1 + below(3) as u32;
            let low = below(u64::from(WIDTH - width + 1)) as u32;
            let edges = (0..1 << width).filter(|_| below(2) == 0).map(|value| (value, 0)).collect::<Vec<_>>();
            let edges = edges.into_iter().map(|(value, _)| (value, below(to) as u32)).collect();
            states.push(State::Test { low, width, edges, otherwise: below(to) as u32 });
        }
        Decoder {
            target: Target::Group(0),
            width_bits: WIDTH,
            first_bits: WIDTH,
            start: states.len() as u32 - 1,
            states,
            variants: vec![Variant { width_bits: WIDTH, nodes: Vec::new() }; 2],
            is_open: false,
        }
    }

    #[test]
    fn patterns_are_the_words_that_are_chosen() {
        for seed in 0..500 {
            let decoder = decoder(seed);
            let known = Pattern::default().with(u32::from(seed % 2 == 0), 1, seed / 2 % 2).unwrap();
            let found = accepted(&decoder, known);
            for word in 0..1 << WIDTH {
                let is_in = |pattern: &Pattern| {
                    (0..WIDTH).all(|bit| pattern.bit(bit).is_none_or(|set| set == (word >> bit & 1 == 1)))
                };
                let chosen = choose_variant(&decoder, Bits::from_u128(word)).filter(|_| is_in(&known));
                for variant in 0..2 {
                    let has = found.iter().any(|(of, pattern)| *of == variant && is_in(pattern));
                    assert_eq!(has, chosen == Some(variant), "{seed}: {word:#b}");
                }
            }
        }
    }
}
