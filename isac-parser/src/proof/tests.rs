//! Every answer against a count of all words, by cubes and by circuits.

use proptest::prelude::*;

use super::{Prover, Undecided, Words};
use crate::cube::Cube;
use crate::word::Word;

/// Words are of so many bits.
const WIDTH: u32 = 6;
const ALL: u32 = 1 << WIDTH;

fn word_of(number: u32) -> Word {
    let set = (0..WIDTH).filter(|bit| number >> bit & 1 == 1);
    set.fold(Word::default(), |word, bit| word | Word::of_bit(bit))
}

fn cube_of(mask: u32, value: u32) -> Cube {
    let fixed = (0..WIDTH).filter(|bit| mask >> bit & 1 == 1);
    fixed.fold(Cube::default(), |cube, bit| cube.with_bit(bit, value >> bit & 1 == 1))
}

/// Some cubes as masks and values, and the words that they have.
fn cubes() -> impl Strategy<Value = Vec<(u32, u32)>> {
    prop::collection::vec((0..ALL, 0..ALL), 0..5)
}

fn has(cubes: &[(u32, u32)], number: u32) -> bool {
    cubes.iter().any(|(mask, value)| (number ^ value) & mask == 0)
}

fn words(prover: &mut Prover, cubes: &[(u32, u32)]) -> Words {
    prover.union_of_cubes(cubes.iter().map(|(mask, value)| cube_of(*mask, *value)).collect()).unwrap()
}

/// A positions' list that puts bit i somewhere else.
fn positions() -> impl Strategy<Value = Vec<u32>> {
    Just((0..WIDTH).collect::<Vec<u32>>()).prop_shuffle()
}

fn placed(number: u32, positions: &[u32]) -> u32 {
    (0..).zip(positions).map(|(bit, to)| (number >> bit & 1) << to).sum()
}

/// A word of some numbers, as `diagram` or the cubes say.
fn listed(prover: &Prover, words: &Words) -> Vec<u32> {
    let diagram = prover.diagram(words).unwrap();
    let is_one = |number: &u32| {
        let word = cube_of(ALL - 1, *number);
        words.patterns().iter().any(|cube| word.is_within(*cube))
            && diagram.as_ref().is_none_or(|diagram| diagram.holds(|bit| number >> bit & 1 == 1))
    };
    (0..ALL).filter(is_one).collect()
}

fn check(mut prover: Prover, a: &[(u32, u32)], b: &[(u32, u32)], c: &[(u32, u32)], moved: &[u32]) {
    let prover = &mut prover;
    let [one, other, third] = [a, b, c].map(|cubes| words(prover, cubes));
    let numbers = |is_one: &dyn Fn(u32) -> bool| (0..ALL).filter(|n| is_one(*n)).collect::<Vec<u32>>();

    let both = prover.intersect(&one, &other).unwrap();
    assert_eq!(listed(prover, &both), numbers(&|n| has(a, n) && has(b, n)));
    let all = prover.intersect_all(&[one.clone(), other.clone(), third.clone()]).unwrap();
    assert_eq!(listed(prover, &all), numbers(&|n| has(a, n) && has(b, n) && has(c, n)));
    assert_eq!(prover.is_empty(&all), Ok(numbers(&|n| has(a, n) && has(b, n) && has(c, n)).is_empty()));
    let any = prover.union(&[&both, &third]).unwrap();
    assert_eq!(listed(prover, &any), numbers(&|n| has(a, n) && has(b, n) || has(c, n)));
    assert_eq!(prover.is_within(&one, &any), Ok((0..ALL).all(|n| !has(a, n) || has(b, n) || has(c, n))));

    let found = prover.overlap(&one, &other).unwrap();
    assert_eq!(found.is_some(), (0..ALL).any(|n| has(a, n) && has(b, n)));
    if let Some(cube) = found {
        let within = numbers(&|n| cube_of(ALL - 1, n).is_within(cube));
        assert!(!within.is_empty() && within.iter().all(|n| has(a, *n) && has(b, *n)), "{cube:?}");
        assert!((0..ALL).any(|n| word_of(n) == cube.example()));
    }

    let elsewhere = prover.placed(&one, moved).unwrap();
    let mut expected: Vec<u32> = (0..ALL).filter(|n| has(a, *n)).map(|n| placed(n, moved)).collect();
    expected.sort_unstable();
    assert_eq!(listed(prover, &elsewhere), expected);

    // What three bits are in the words of `other`.
    let bits = &moved[..3];
    let seen = |n: u32| (0..).zip(bits).map(|(to, bit)| (n >> bit & 1) << to).sum::<u32>();
    let of_three = |n: u32| (0..ALL).any(|m| has(b, m) && seen(m) == n);
    let low: Vec<(u32, u32)> = a.iter().map(|(mask, value)| (mask & 7, value & 7)).collect();
    let inner = words(prover, &low);
    assert_eq!(prover.is_within_bits(&inner, &other, bits), Ok((0..8).all(|n| !has(&low, n) || of_three(n))));
    assert_eq!(
        prover.are_bits_within(&other, bits, &inner),
        Ok((0..8).all(|n| !of_three(n) || has(&low, n)))
    );
}

proptest! {
    #[test]
    fn cubes_and_circuits_answer_as_a_count_of_all_words_does(
        a in cubes(), b in cubes(), c in cubes(), moved in positions()
    ) {
        check(Prover::new(), &a, &b, &c, &moved);
        check(Prover::of_circuits(), &a, &b, &c, &moved);
    }
}

#[test]
fn what_is_too_hard_is_said_and_bounded() {
    // Nine numbers below eight that all differ.
    let mut prover = Prover { effort: 2_000, ..Prover::of_circuits() };
    let circuit = prover.circuit();
    let mut all = super::Edge::ALWAYS;
    for one in 0..12 {
        for other in 0..one {
            let mut same = super::Edge::ALWAYS;
            for bit in 0..3 {
                let (a, b) =
                    (circuit.bit(3 * one + bit, true).unwrap(), circuit.bit(3 * other + bit, true).unwrap());
                let alike = circuit.same(a, b).unwrap();
                same = circuit.and(same, alike).unwrap();
            }
            all = circuit.and(all, same.negated()).unwrap();
        }
    }
    let words = Words::Circuit { edge: all, hull: Cube::default() };
    assert_eq!(prover.is_empty(&words), Err(Undecided::Work));
}
