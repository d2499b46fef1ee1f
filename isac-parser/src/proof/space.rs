//! The words of a choice by what wins them, where they are too many to be split into cubes.
//!
//! What a decoding says of each path becomes a circuit again. Whether a circuit has a word is asked
//! of the solver; how many it has is seen from its diagram, which every word passes from the top:
//! half of what reaches a question goes either way.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use super::circuit::{Circuit, Edge};
use super::diagram::{Diagram, diagram_of};
use super::{MAX_EFFORT, Undecided, solver};
use crate::amount::Amount;
use crate::cube::Cube;
use crate::model::{Decoding, DecodingEntry};
use crate::word::{MAX_BITS, Word};

/// The words of a decoding as circuits.
#[derive(Debug)]
pub(crate) struct WordSpace {
    circuit: Circuit,
    width_bits: u32,
    /// By path: the words that it wins.
    won: Vec<Edge>,
    /// The words that something wins.
    used: Edge,
    effort: u64,
}

/// Some of the cubes that words are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Listed {
    /// The largest first.
    pub(crate) cubes: Vec<Cube>,
    /// How many there are beside these.
    pub(crate) hidden: u128,
}

impl WordSpace {
    /// What each path wins, and what nothing wins.
    pub(crate) fn of(decoding: &Decoding) -> Result<WordSpace, Undecided> {
        let mut circuit = Circuit::new();
        let mut won = vec![Edge::NEVER; decoding.paths.len()];
        let mut used = Edge::NEVER;
        let mut before: Vec<(usize, Cube, Edge)> = Vec::new();
        for entry in &decoding.entries {
            let Some(hull) = entry.patterns.iter().copied().reduce(Cube::join) else { continue };
            let words = words_of(&mut circuit, decoding, entry)?;
            let mut own = words;
            for (path, other, words) in &before {
                if *path != entry.path && other.intersect(hull).is_some() {
                    own = circuit.and(own, words.negated())?;
                }
            }
            won[entry.path] = circuit.or(won[entry.path], own)?;
            used = circuit.or(used, words)?;
            before.push((entry.path, hull, words));
        }
        Ok(WordSpace { circuit, width_bits: decoding.width_bits, won, used, effort: MAX_EFFORT })
    }

    /// A word that nothing wins; `None` if there is none.
    pub(crate) fn free_word(&mut self) -> Result<Option<Word>, Undecided> {
        solver::find_word(&self.circuit, self.used.negated(), &mut self.effort)
    }

    /// A word that the second path wins, with bits like those of a word that the first one wins; `None`
    /// if there is none. Both are 0 where `zeros` are; `alike` has pairs of bits, `None` for a 0.
    pub(crate) fn alike_words(
        &mut self,
        paths: [usize; 2],
        zeros: [Cube; 2],
        alike: &[(Option<u32>, Option<u32>)],
    ) -> Result<Option<Word>, Undecided> {
        let circuit = &mut self.circuit;
        // The first word stands behind the second.
        let moved = |bit: u32| bit + MAX_BITS;
        let first =
            circuit.with_bits(self.won[paths[0]], |circuit, bit| circuit.bit(moved(bit), true).map(Some))?;
        let mut all = circuit.and(first, self.won[paths[1]])?;
        for (bit, set) in zeros[0].fixed().map(|(bit, set)| (moved(bit), set)).chain(zeros[1].fixed()) {
            let bit = circuit.bit(bit, set)?;
            all = circuit.and(all, bit)?;
        }
        for (one, other) in alike {
            let [one, other] = [one.map(moved), *other].map(|bit| match bit {
                Some(bit) => circuit.bit(bit, true),
                None => Ok(Edge::NEVER),
            });
            let same = circuit.same(one?, other?)?;
            all = circuit.and(all, same)?;
        }
        solver::find_word(circuit, all, &mut self.effort)
    }

    /// How many words a path wins.
    pub(crate) fn count_won(&self, path: usize) -> Result<Amount, Undecided> {
        Ok(diagram_of(&self.circuit, self.won[path])?.count(self.width_bits))
    }

    /// How many words nothing wins.
    pub(crate) fn count_free(&self) -> Result<Amount, Undecided> {
        Ok(diagram_of(&self.circuit, self.used.negated())?.count(self.width_bits))
    }

    /// How many words with these bits something wins.
    pub(crate) fn count_used(&mut self, bits: &BTreeMap<u32, bool>) -> Result<Amount, Undecided> {
        let used = self.circuit.with_bits(self.used, |circuit, bit| match bits.get(&bit) {
            Some(true) => Ok(Some(Edge::ALWAYS)),
            Some(false) => Ok(Some(Edge::NEVER)),
            None => circuit.bit(bit, true).map(Some),
        })?;
        Ok(diagram_of(&self.circuit, used)?.count(self.width_bits - bits.len() as u32))
    }

    /// The words that nothing wins, as cubes apart from each other, at most `most` of them.
    pub(crate) fn list_free(&self, most: usize) -> Result<Listed, Undecided> {
        Ok(diagram_of(&self.circuit, self.used.negated())?.list(most))
    }
}

/// The words of an entry.
fn words_of(circuit: &mut Circuit, decoding: &Decoding, entry: &DecodingEntry) -> Result<Edge, Undecided> {
    let mut any = Edge::NEVER;
    for pattern in &entry.patterns {
        let mut all = Edge::ALWAYS;
        for (bit, set) in pattern.fixed() {
            let bit = circuit.bit(bit, set)?;
            all = circuit.and(all, bit)?;
        }
        any = circuit.or(any, all)?;
    }
    for diagram in entry.diagram.iter().chain(&decoding.paths[entry.path].words) {
        let holds = edge_of(circuit, diagram)?;
        any = circuit.and(any, holds)?;
    }
    Ok(any)
}

/// A diagram as a circuit.
fn edge_of(circuit: &mut Circuit, diagram: &Diagram) -> Result<Edge, Undecided> {
    let mut edges = vec![Edge::NEVER, Edge::ALWAYS];
    for node in &diagram.nodes {
        let (one, zero) = (circuit.bit(node.bit, true)?, circuit.bit(node.bit, false)?);
        let (one, zero) = (circuit.and(one, edges[node.one])?, circuit.and(zero, edges[node.zero])?);
        edges.push(circuit.or(one, zero)?);
    }
    Ok(edges[diagram.start])
}

impl Diagram {
    /// How many words of some bits it says yes to; it asks for no others.
    pub(crate) fn count(&self, width_bits: u32) -> Amount {
        let mut reaching = vec![Amount::default(); self.nodes.len() + 2];
        reaching[self.start] = Amount::power_of_two(width_bits);
        for (index, node) in self.nodes.iter().enumerate().rev() {
            let half = reaching[index + 2].half();
            reaching[node.zero] += half;
            reaching[node.one] += half;
        }
        reaching[1]
    }

    /// The ways to "yes" as cubes, those with the fewest questions first.
    fn list(&self, most: usize) -> Listed {
        // From each question: the fewest that lead to "yes", and the number of all ways.
        let (mut shortest, mut ways) = (vec![u32::MAX, 0], vec![0u128, 1]);
        for node in &self.nodes {
            shortest.push(shortest[node.zero].min(shortest[node.one]).saturating_add(1));
            ways.push(ways[node.zero].saturating_add(ways[node.one]));
        }
        let mut cubes = Vec::new();
        let mut waiting =
            BinaryHeap::from([(Reverse(shortest[self.start]), 0u32, self.start, Cube::default())]);
        while let Some((Reverse(length), asked, at, cube)) = waiting.pop() {
            if length == u32::MAX || cubes.len() == most {
                break;
            }
            let Some(index) = at.checked_sub(2) else {
                cubes.push(cube);
                continue;
            };
            let node = self.nodes[index];
            for (set, next) in [(false, node.zero), (true, node.one)] {
                let length = shortest[next].saturating_add(asked + 1);
                if shortest[next] != u32::MAX {
                    waiting.push((Reverse(length), asked + 1, next, cube.with_bit(node.bit, set)));
                }
            }
        }
        let hidden = ways[self.start].saturating_sub(cubes.len() as u128);
        Listed { cubes, hidden }
    }
}

#[cfg(test)]
mod tests {
    use super::WordSpace;
    use crate::amount::Amount;
    use crate::cube::Cube;
    use crate::model::{Decoding, DecodingEntry, DecodingPath};
    use crate::proof::{Circuit, Edge, diagram::diagram_of};

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

    fn amount(number: usize) -> Amount {
        let mut sum = Amount::default();
        (0..number).for_each(|_| sum += Amount::power_of_two(0));
        sum
    }

    /// Entries of paths by turns, every third of them with a diagram: bits `n` and `n + 1` are equal.
    fn decoding(seed: u32) -> Decoding {
        let paths = 1 + seed % 4;
        let entries = (0..1 + seed % 7).map(|n| {
            let number = seed.wrapping_mul(2_654_435_761).wrapping_add(n * 40_503) >> 7;
            let diagram = (seed + n).is_multiple_of(3).then(|| {
                let mut circuit = Circuit::new();
                let bits = [n % 5, n % 5 + 1].map(|bit| circuit.bit(bit, true).unwrap());
                let same: Edge = circuit.same(bits[0], bits[1]).unwrap();
                diagram_of(&circuit, same).unwrap()
            });
            let path = (n % paths) as usize;
            DecodingEntry { path, patterns: vec![cube(number % 3u32.pow(WIDTH))], diagram }
        });
        let path = DecodingPath { steps: Vec::new(), width_bits: WIDTH, words: None };
        let (entries, paths) = (entries.collect(), vec![path; paths as usize]);
        Decoding { width_bits: WIDTH, paths, entries, is_exact: true, is_known: true }
    }

    fn winner(decoding: &Decoding, number: u32) -> Option<usize> {
        let holds = |entry: &&DecodingEntry| {
            entry.patterns.iter().any(|cube| word(number).is_within(*cube))
                && entry.diagram.as_ref().is_none_or(|diagram| diagram.holds(|bit| number >> bit & 1 == 1))
        };
        decoding.entries.iter().find(holds).map(|entry| entry.path)
    }

    #[test]
    fn what_is_counted_is_what_a_count_of_all_words_gives() {
        let mut free_somewhere = 0;
        for seed in 0..2000 {
            let decoding = decoding(seed);
            let mut space = WordSpace::of(&decoding).unwrap();
            let winners: Vec<Option<usize>> =
                (0..1 << WIDTH).map(|number| winner(&decoding, number)).collect();
            let count = |wanted: Option<usize>| winners.iter().filter(|winner| **winner == wanted).count();
            for path in 0..decoding.paths.len() {
                assert_eq!(space.count_won(path).unwrap(), amount(count(Some(path))), "{seed}");
            }
            assert_eq!(space.count_free().unwrap(), amount(count(None)), "{seed}");
            free_somewhere += usize::from(count(None) > 0);
            let example = space.free_word().unwrap();
            assert_eq!(example.is_some(), count(None) > 0, "{seed}");
            let listed = space.list_free(usize::MAX).unwrap();
            assert_eq!(listed.hidden, 0);
            for number in 0..1 << WIDTH {
                let cubes = listed.cubes.iter().filter(|cube| word(number).is_within(**cube)).count();
                assert_eq!(cubes, usize::from(winners[number as usize].is_none()), "{seed} {number}");
            }
            let sizes = listed.cubes.iter().map(|cube| cube.fixed_bits());
            assert!(sizes.is_sorted());
            let some = space.list_free(2).unwrap();
            assert_eq!(some.hidden as usize, listed.cubes.len().saturating_sub(2));
            let with = |number: &u32| number & 0b1001 == 0b1000 && winners[*number as usize].is_some();
            let used = (0..1 << WIDTH).filter(with).count();
            assert_eq!(space.count_used(&[(0, false), (3, true)].into()).unwrap(), amount(used), "{seed}");
        }
        assert!(free_somewhere > 1000, "{free_somewhere}");
    }
}
