//! Members of operands that take part in a contest with words of their own.

use std::rc::Rc;

use super::{Contest, Contestant};
use crate::check::word_set::Path;
use crate::cube::MAX_CUBES;
use crate::diagnostic::Diagnostics;
use crate::model::{OperationId, OperationOrGroup};
use crate::proof::{Undecided, Words};

/// Most members that take part in one contest, each with its own words.
const MAX_MEMBERS: usize = MAX_CUBES;

/// Most members that are looked at to find those: where both members of each group hold the next
/// group, they double with each.
const MAX_LOOKED_AT: usize = 4 * MAX_MEMBERS;

/// What bits at some positions are in the words that a winner takes from a path.
struct Taken<'w> {
    shared: &'w Words,
    positions: &'w [u32],
}

impl Contest<'_, '_, '_> {
    /// The members of a path's operands whose words are a proper part of a contestant's that wins
    /// against the path.
    pub(super) fn members_within(
        &mut self,
        small: usize,
        path: usize,
        diagnostics: &mut Diagnostics,
    ) -> Result<Vec<(OperationId, Words)>, Undecided> {
        let winner = self.contestants[small].words.clone();
        let whole = self.contestants[path].words.clone();
        let shared = self.sets.prover.intersect(&whole, &winner)?;
        let (mut found, mut looked_at) = (Vec::new(), 0);
        let mut waiting: Vec<(OperationOrGroup, Vec<u32>, Words)> = Vec::new();
        let here: Vec<u32> = (0..self.width_bits).map(|bit| bit + self.shifts[path]).collect();
        let outer = self.paths[path].clone();
        self.push_beside(&outer, &here, &whole, &mut waiting);
        while let Some((target, positions, around)) = waiting.pop() {
            let members = self.sets.paths(target)?;
            looked_at += members.len();
            if looked_at > MAX_LOOKED_AT {
                return Err(Undecided::Patterns);
            }
            for member in members.iter() {
                let own = self.sets.exact(member)?;
                let prover = &mut self.sets.prover;
                let placed = prover.placed(&own, &positions)?;
                let words = prover.intersect(&around, &placed)?;
                if prover.overlap(&words, &winner)?.is_none() {
                    continue;
                }
                let within = prover.is_within(&words, &winner)?;
                let larger = prover.is_within(&winner, &words)?;
                let leaf = member.chain[member.chain.len() - 1];
                if within && !larger {
                    found.push((leaf, words));
                    continue;
                }
                if within == larger {
                    let taken = Taken { shared: &shared, positions: &positions };
                    if self.rivals(&members, member, &own, &taken)? {
                        self.report_member(small, path, leaf, &words, diagnostics)?;
                    }
                }
                self.push_beside(member, &positions, &words, &mut waiting);
            }
        }
        Ok(found)
    }

    fn push_beside(
        &mut self,
        path: &Path,
        here: &[u32],
        around: &Words,
        waiting: &mut Vec<(OperationOrGroup, Vec<u32>, Words)>,
    ) {
        for beside in self.sets.beside(path) {
            let positions = beside.positions.iter().filter_map(|bit| here.get(*bit as usize)).copied();
            waiting.push((beside.target, positions.collect(), around.clone()));
        }
    }

    /// True if a member has won words in its group that others also match, and a winner from
    /// outside takes some of these, others besides, and not all: both claim to be the special
    /// case.
    fn rivals(
        &mut self,
        members: &[Rc<Path>],
        member: &Rc<Path>,
        own: &Words,
        taken: &Taken<'_>,
    ) -> Result<bool, Undecided> {
        let Taken { shared, positions } = *taken;
        let within = self.sets.prover.is_within_bits(own, shared, positions)?;
        let around = self.sets.prover.are_bits_within(shared, positions, own)?;
        if within != around {
            return Ok(false);
        }
        let own = self.sets.prover.placed(own, positions)?;
        let disputed = self.sets.prover.intersect(shared, &own)?;
        for other in members.iter().filter(|other| !Rc::ptr_eq(other, member)) {
            let other = self.sets.exact(other)?;
            let other = self.sets.prover.placed(&other, positions)?;
            if self.sets.prover.overlap(&other, &disputed)?.is_some() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn report_member(
        &mut self,
        small: usize,
        path: usize,
        member: OperationId,
        words: &Words,
        diagnostics: &mut Diagnostics,
    ) -> Result<(), Undecided> {
        let member =
            Contestant { path, member: Some(member), words: Rc::new(words.clone()), smaller: Vec::new() };
        self.contestants.push(member);
        let index = self.contestants.len() - 1;
        let winner = self.contestants[small].words.clone();
        if let Some(both) = self.sets.prover.overlap(&winner, words)? {
            self.report(small, index, both, false, diagnostics)?;
        }
        self.contestants.pop();
        Ok(())
    }

    /// Lets a member take part; gives the pairs of which one is a proper part of the other.
    pub(super) fn add_member(
        &mut self,
        path: usize,
        member: OperationId,
        words: Words,
        diagnostics: &mut Diagnostics,
    ) -> Result<Vec<(usize, usize)>, Undecided> {
        let known = self
            .contestants
            .iter()
            .any(|other| other.path == path && other.member.is_some() && *other.words == words);
        if known {
            return Ok(Vec::new());
        }
        let index = self.contestants.len();
        if index - self.paths.len() >= MAX_MEMBERS {
            return Err(Undecided::Patterns);
        }
        let words = Rc::new(words);
        self.contestants.push(Contestant { path, member: Some(member), words, smaller: Vec::new() });
        let mut pairs = Vec::new();
        for other in 0..index {
            if self.contestants[other].path != path {
                if self.contestants[other].member.is_none() {
                    let (coarse, own) = (&self.contestants[other].words, &self.contestants[index].words);
                    if self.sets.prover.overlap(coarse, own)?.is_none() {
                        continue;
                    }
                    self.make_exact(other)?;
                }
                pairs.extend(self.compare(other, index, diagnostics)?);
            }
        }
        Ok(pairs)
    }
}
