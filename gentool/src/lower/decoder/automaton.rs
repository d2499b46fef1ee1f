//! The automaton of a decoder: a decision tree over patterns, of which the first that matches
//! wins, made small by sharing equal states.
//!
//! Trees can grow with every pattern by as much as they have already. After a bounded amount of
//! work what is left of the patterns is tested one by one, which takes a state for each row of
//! bits that a pattern fixes: slower to run, never large.

use std::collections::BTreeMap;

use isac_ir::bits::Bits;
use isac_ir::decoder::State;
use isac_parser::model::Diagram;

use super::candidate::Pattern;

/// Most bits that one state looks at.
const MAX_TEST_BITS: u32 = 12;

/// After so many patterns have been looked at, again and again, the rest is tested one by one.
const MAX_WORK: usize = 4_000_000;

/// A pattern with the variant that it means.
#[derive(Debug, Clone, Copy)]
pub(super) struct Row {
    pub(super) pattern: Pattern,
    /// What else a word has to satisfy: an index among the conditions.
    pub(super) condition: Option<usize>,
    pub(super) variant: u32,
    /// Width of the variant's word.
    pub(super) width_bits: u32,
}

/// How the word of a decoder lies, and how it is fetched.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shape {
    pub(super) width_bits: u32,
    pub(super) first_bits: u32,
    /// Cells are fetched as they are needed.
    pub(super) cell_bits: u32,
    pub(super) big_endian: bool,
}

/// Whether states that are equal are one; the other is what that is held against.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sharing {
    Equal,
    #[cfg(test)]
    Nothing,
}

/// The states of an automaton and where it starts. Of a condition all diagrams have to say yes.
pub(super) fn build_automaton(
    rows: &[Row],
    conditions: &[Vec<Diagram>],
    shape: Shape,
    sharing: Sharing,
) -> (Vec<State>, u32) {
    let mut automaton = Automaton {
        shape,
        sharing,
        conditions,
        states: Vec::new(),
        index: BTreeMap::new(),
        reject: 0,
        work: 0,
        max_work: MAX_WORK,
    };
    automaton.reject = automaton.state(State::Reject);
    let start = automaton.build(rows, Bits::ZERO, shape.first_bits);
    (automaton.states, start)
}

/// States by content, so that equal ones are one.
struct Automaton<'a> {
    shape: Shape,
    sharing: Sharing,
    conditions: &'a [Vec<Diagram>],
    states: Vec<State>,
    index: BTreeMap<State, u32>,
    reject: u32,
    work: usize,
    max_work: usize,
}

impl Automaton<'_> {
    fn state(&mut self, state: State) -> u32 {
        let shares = self.sharing == Sharing::Equal;
        if let State::Test { edges, otherwise, .. } = &state
            && shares
            && edges.iter().all(|(_, next)| next == otherwise)
        {
            return *otherwise;
        }
        if let Some(index) = self.index.get(&state).filter(|_| shares) {
            return *index;
        }
        let index = self.states.len() as u32;
        self.states.push(state.clone());
        if shares {
            self.index.insert(state, index);
        }
        index
    }

    /// The bits of a word of which `there` bits have been fetched.
    fn fetched(&self, there: u32) -> Bits {
        let low = if self.shape.big_endian { self.shape.width_bits - there } else { 0 };
        Bits::ones(there).shifted(low)
    }

    /// The state that decides between rows, of which the first that matches wins.
    fn build(&mut self, rows: &[Row], tested: Bits, there: u32) -> u32 {
        let Some(first) = rows.first() else { return self.reject };
        self.work += rows.len();
        if self.work > self.max_work {
            return self.build_in_turn(rows, tested, there);
        }
        let fetched = self.fetched(there);
        let left = first.pattern.mask & !tested & fetched;
        if left == Bits::ZERO {
            if let Some(condition) = first.condition
                && self.asked_bits(first) & !fetched == Bits::ZERO
            {
                let mut holding = rows.to_vec();
                holding[0].condition = None;
                let no = self.build(&rows[1..], tested, there);
                let yes = self.build(&holding, tested, there);
                return self.ask(condition, yes, no);
            }
            return match self.next_fetch(first, tested, there) {
                None => self.state(State::Accept(first.variant)),
                Some(width_bits) => {
                    let next = self.build(rows, tested, width_bits);
                    self.fetch(width_bits, next)
                }
            };
        }
        let common = rows.iter().fold(left, |common, row| common & row.pattern.mask);
        let (low, count) = match longest_run(common, self.shape.width_bits) {
            Some(run) => run,
            None => (most_tested_bit(rows, left, self.shape.width_bits), 1),
        };
        self.split(rows, tested, there, (low, count))
    }

    /// The state that looks at `count` bits from `low` on.
    fn split(&mut self, rows: &[Row], tested: Bits, there: u32, (low, count): (u32, u32)) -> u32 {
        let bits = Bits::ones(count).shifted(low);
        let value = |row: &Row| {
            let all = row.pattern.mask & bits == bits;
            all.then(|| row.pattern.value.extract(low, count) as u64)
        };
        let mut edges: BTreeMap<u64, Vec<Row>> = BTreeMap::new();
        for value in rows.iter().filter_map(value) {
            edges.entry(value).or_default();
        }
        let mut rest = Vec::new();
        for row in rows {
            match value(row) {
                Some(value) => edges.entry(value).or_default().push(*row),
                None => {
                    rest.push(*row);
                    edges.values_mut().for_each(|rows| rows.push(*row));
                }
            }
        }
        let otherwise = self.build(&rest, tested | bits, there);
        let mut targets = Vec::new();
        for (value, rows) in edges {
            let next = self.build(&rows, tested | bits, there);
            if next != otherwise {
                targets.push((value, next));
            }
        }
        self.state(State::Test { low, width: count, edges: targets, otherwise })
    }

    /// The cells that have to be there next if all that is there matches the row; `None` if the
    /// row is decided and all of its word is there.
    ///
    /// Its cells are fetched one by one as long as one of them may say that it is another word.
    fn next_fetch(&self, row: &Row, tested: Bits, there: u32) -> Option<u32> {
        if there >= row.width_bits {
            return None;
        }
        let open = (row.pattern.mask | self.asked_bits(row)) & !tested;
        let mut next = there;
        while next < row.width_bits {
            next = (next + self.shape.cell_bits).min(row.width_bits);
            if open & self.fetched(next) != Bits::ZERO {
                break;
            }
        }
        Some(next)
    }

    /// The bits that a row's condition asks for.
    fn asked_bits(&self, row: &Row) -> Bits {
        let diagrams = row.condition.map_or(&[][..], |condition| &self.conditions[condition]);
        let bits = diagrams.iter().flat_map(Diagram::bits);
        bits.fold(Bits::ZERO, |bits, bit| bits.with_bit(bit, true))
    }

    /// The state that asks a condition.
    fn ask(&mut self, condition: usize, yes: u32, no: u32) -> u32 {
        let conditions = self.conditions;
        conditions[condition].iter().rev().fold(yes, |yes, diagram| {
            self.work += diagram.nodes.len();
            let mut states = vec![no, yes];
            for node in &diagram.nodes {
                let edges = vec![(1, states[node.one])];
                let otherwise = states[node.zero];
                states.push(self.state(State::Test { low: node.bit, width: 1, edges, otherwise }));
            }
            states[diagram.start]
        })
    }

    fn fetch(&mut self, width_bits: u32, next: u32) -> u32 {
        self.state(State::Fetch { width_bits, next })
    }

    /// True at the first level at which all is there that a row's condition asks for.
    fn is_asked_at(&self, row: &Row, levels: &[u32], level: usize) -> bool {
        let asked = self.asked_bits(row);
        let is_there = |level: usize| asked & !self.fetched(levels[level]) == Bits::ZERO;
        is_there(level) && (level == 0 || !is_there(level - 1))
    }

    /// Tests row after row; what the rows have in common is tested again for each.
    fn build_in_turn(&mut self, rows: &[Row], tested: Bits, there: u32) -> u32 {
        // By how much has been fetched when a row's turn comes: the state that takes its turn.
        let levels = self.levels(there);
        let mut turns: Vec<u32> = vec![self.reject; levels.len()];
        for row in rows.iter().rev() {
            let mut taken = turns.clone();
            for (level, turn) in taken.iter_mut().enumerate() {
                *turn = self.test_row(row, tested, &levels, level, &turns);
            }
            turns = taken;
        }
        turns[0]
    }

    /// How much may have been fetched, from `there` on.
    fn levels(&self, there: u32) -> Vec<u32> {
        let mut levels = vec![there];
        let mut next = there;
        while next < self.shape.width_bits {
            next = (next + self.shape.cell_bits).min(self.shape.width_bits);
            levels.push(next);
        }
        levels
    }

    /// The states that test one row; `turns` take over where it does not match.
    fn test_row(&mut self, row: &Row, tested: Bits, levels: &[u32], level: usize, turns: &[u32]) -> u32 {
        let left = row.pattern.mask & !tested & self.fetched(levels[level]);
        let after = match levels.get(level + 1).filter(|_| levels[level] < row.width_bits) {
            None => self.state(State::Accept(row.variant)),
            Some(width_bits) => {
                let tested = tested | self.fetched(levels[level]);
                let next = self.test_row(row, tested, levels, level + 1, turns);
                self.fetch(*width_bits, next)
            }
        };
        let mut open = left;
        let mut next = after;
        if let Some(condition) = row.condition
            && self.is_asked_at(row, levels, level)
        {
            next = self.ask(condition, next, turns[level]);
        }
        while let Some((low, width)) = longest_run(open, self.shape.width_bits) {
            let value = row.pattern.value.extract(low, width) as u64;
            next =
                self.state(State::Test { low, width, edges: vec![(value, next)], otherwise: turns[level] });
            open = open & !Bits::ones(width).shifted(low);
        }
        next
    }
}

/// The longest run of ones, at most [`MAX_TEST_BITS`] of it: lowest bit and length.
fn longest_run(bits: Bits, width: u32) -> Option<(u32, u32)> {
    let mut best: Option<(u32, u32)> = None;
    let mut bit = 0;
    while bit < width {
        let length = (bit..width.min(bit + MAX_TEST_BITS)).take_while(|bit| bits.bit(*bit)).count() as u32;
        if length > best.map_or(0, |(_, length)| length) {
            best = Some((bit, length));
        }
        bit += length.max(1);
    }
    best
}

/// The bit of `among` that most rows fix, the lowest of several.
fn most_tested_bit(rows: &[Row], among: Bits, width: u32) -> u32 {
    let fixed = |bit: u32| rows.iter().filter(|row| row.pattern.mask.bit(bit)).count();
    let bits = (0..width).filter(|bit| among.bit(*bit));
    bits.max_by_key(|bit| (fixed(*bit), std::cmp::Reverse(*bit))).unwrap_or(0)
}
