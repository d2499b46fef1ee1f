//! The words that nothing matches.
//!
//! The words that are matched are a union of cubes. Whether that is every word is asked of one bit
//! after the other, the one that most cubes fix first: its words with 0 and those with 1 are two
//! smaller questions (the *unate recursive paradigm* of R. K. Brayton et al., Logic Minimization
//! Algorithms for VLSI Synthesis, 1984, section 4.1). A question that no cube is left for is a row
//! of words that nothing matches; so they are counted without being listed. Where the words are too
//! many to be cubes, a solver answers.

use std::collections::BTreeSet;

use crate::cube::Cube;
use crate::diagnostic::Diagnostics;
use crate::model::{CheckedModel, Decoding, OperationOrGroup, root_decodes};
use crate::proof::{Undecided, WordSpace};
use crate::resolve::code;
use crate::resolve::report::{count, warning};
use crate::source::Span;

/// Bits of cubes looked at for one CODINGROOT's target; beyond that, the words are circuits.
const MAX_LOOKS: u64 = 50_000_000;

/// Up to this width of a word, words are counted; beyond, their share is given.
const MAX_COUNTED_BITS: u32 = 16;

/// Warns, in one line for each, of what a CODINGROOT decodes and some words do not match.
///
/// Nearly every processor has such words, and leaves them free on purpose; so this is asked for by
/// itself. Where that cannot be found out within bounds, it is said.
pub fn check_coverage(model: &CheckedModel, diagnostics: &mut Diagnostics) {
    let mut seen = BTreeSet::new();
    for operation in &model.operations {
        for decode in root_decodes(&operation.coding_root) {
            let target = operation.instances[decode.instance.index()].target;
            if seen.insert(target)
                && let Some(decoding) = model.decoding(target)
                && let Some(found) = free_words(decoding).transpose()
            {
                let (name, span) = named(model, target);
                let message = match found {
                    Ok(free) => format!("{} of `{name}`, for example {}", free.share(), free.example),
                    Err(_) => {
                        format!("whether something matches each word of `{name}` takes too long to find out")
                    }
                };
                diagnostics.push(warning(code::UNCOVERED, span, message, "").one_line());
            }
        }
    }
    diagnostics.sort();
}

fn named(model: &CheckedModel, target: OperationOrGroup) -> (&str, Span) {
    match target {
        OperationOrGroup::Operation(id) => {
            let operation = &model.operations[id.index()];
            (&operation.name, operation.span)
        }
        OperationOrGroup::Group(id) => {
            let group = &model.groups[id.index()];
            (&group.name, group.span)
        }
    }
}

/// Words that nothing matches.
struct Free {
    width_bits: u32,
    /// Of all words, from 0 to 1: a sum of powers of two. `None` if they are too many to be counted.
    share: Option<f64>,
    /// One of them.
    example: String,
}

impl Free {
    /// "nothing matches 3 of the 256 words"
    fn share(&self) -> String {
        let Some(share) = self.share else { return "nothing matches some of the words".to_owned() };
        if self.width_bits <= MAX_COUNTED_BITS {
            let all = 1u128 << self.width_bits;
            return format!("nothing matches {} of the {}", share * all as f64, count(all, "word"));
        }
        let percent = share * 100.0;
        let shown = match percent {
            ..1.0 => "less than 1".to_owned(),
            99.0.. => "more than 99".to_owned(),
            _ => format!("{percent:.0}"),
        };
        format!("nothing matches {shown} % of the words")
    }
}

/// The words of a choice that nothing matches; `None` if there are none.
fn free_words(decoding: &Decoding) -> Result<Option<Free>, Undecided> {
    let is_listed = decoding.entries.iter().all(|entry| entry.diagram.is_none())
        && decoding.paths.iter().all(|path| path.words.is_none());
    if is_listed && let Some(found) = Search::free_words(decoding) {
        return Ok(found);
    }
    let width_bits = decoding.width_bits;
    let mut space = WordSpace::of(decoding)?;
    let Some(word) = space.free_word()? else { return Ok(None) };
    let share = space.count_free().ok().map(|free| free.share(width_bits));
    Ok(Some(Free { width_bits, share, example: word.display(width_bits) }))
}

struct Search {
    looks: u64,
    share: f64,
    example: Option<Cube>,
}

impl Search {
    /// The words of a choice that nothing matches, or that there are none; `None` if that is too much
    /// to compare.
    fn free_words(decoding: &Decoding) -> Option<Option<Free>> {
        let cubes: Vec<Cube> = decoding.entries.iter().flat_map(|entry| &entry.patterns).copied().collect();
        let width_bits = decoding.width_bits;
        let mut search = Search { looks: MAX_LOOKS, share: 0.0, example: None };
        search.look(&cubes, Cube::default(), 1.0, width_bits)?;
        let free = search.example.map(|cube| {
            let example = cube.example().display(width_bits);
            Free { width_bits, share: Some(search.share), example }
        });
        Some(free)
    }

    /// Adds the words of `part` that no cube has; `None` if that takes too long.
    ///
    /// `share` is the part's share of all words.
    fn look(&mut self, cubes: &[Cube], part: Cube, share: f64, width_bits: u32) -> Option<()> {
        self.looks = self.looks.checked_sub((cubes.len() as u64 + 1) * u64::from(width_bits))?;
        if cubes.is_empty() {
            self.share += share;
            self.example = self.example.or(Some(part));
            return Some(());
        }
        if cubes.iter().any(|cube| part.is_within(*cube)) {
            return Some(());
        }
        let fixing = |bit: &u32| cubes.iter().filter(|cube| cube.bit(*bit).is_some()).count();
        let bit = (0..width_bits).filter(|bit| part.bit(*bit).is_none()).max_by_key(fixing)?;
        for set in [false, true] {
            let rest: Vec<Cube> = cubes.iter().filter(|cube| cube.bit(bit) != Some(!set)).copied().collect();
            self.look(&rest, part.with_bit(bit, set), share / 2.0, width_bits)?;
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::Search;
    use crate::cube::Cube;
    use crate::model::{Decoding, DecodingEntry, DecodingPath};

    const WIDTH: u32 = 6;

    /// A cube of the base-three digits of a number: a bit is 0, 1 or open.
    fn cube(number: u32) -> Cube {
        (0..WIDTH).fold(Cube::default(), |cube, bit| match number / 3u32.pow(bit) % 3 {
            2 => cube,
            digit => cube.with_bit(bit, digit == 1),
        })
    }

    fn word(number: u32) -> Cube {
        (0..WIDTH).fold(Cube::default(), |cube, bit| cube.with_bit(bit, number >> bit & 1 == 1))
    }

    #[test]
    fn free_words_are_those_of_no_cube() {
        let path = DecodingPath { steps: Vec::new(), width_bits: WIDTH, words: None };
        for seed in 0..3000u32 {
            let cubes = 1 + seed % 12;
            let numbers = (0..cubes).map(|n| seed.wrapping_mul(2_654_435_761).wrapping_add(n * 40_503) >> 7);
            let patterns: Vec<Cube> = numbers.map(|number| cube(number % 3u32.pow(WIDTH))).collect();
            let is_free = |number: &u32| !patterns.iter().any(|cube| word(*number).is_within(*cube));
            let free: Vec<u32> = (0..1 << WIDTH).filter(is_free).collect();
            let entries = vec![DecodingEntry { path: 0, patterns: patterns.clone(), diagram: None }];
            let paths = vec![path.clone()];
            let decoding = Decoding { width_bits: WIDTH, paths, entries, is_exact: true, is_known: true };
            match Search::free_words(&decoding).unwrap() {
                None => assert_eq!(free, [], "{patterns:?}"),
                Some(found) => {
                    let share = found.share.unwrap() * f64::from(1 << WIDTH);
                    assert_eq!(share, free.len() as f64, "{patterns:?}");
                    let example = u32::from_str_radix(&found.example[2..], 2).unwrap();
                    assert!(free.contains(&example), "{patterns:?}");
                }
            }
        }
    }
}
