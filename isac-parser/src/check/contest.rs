//! The contest of a choice's paths for the words that they share.
//!
//! A path takes part with all its words. The members of its operands are merged in them; one takes
//! part with its own words as soon as these are a proper part of those that another path would
//! win: then it is the more specific one, although its operation is not. Only members that can
//! matter are looked at, so that the operands' combinations never multiply.

mod member;
mod pair;

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use self::pair::pairs_together;
use super::ambiguity::occurs;
use super::finding::{Choice, Claim};
use super::text::path_texts;
use super::word_set::{Path, WordSets};
use crate::cube::Cube;
use crate::diagnostic::Diagnostics;
use crate::model::{Decoding, DecodingEntry, DecodingPath, Endian, OperationId, OperationOrGroup};
use crate::proof::{Diagram, Undecided, Words};

/// After so many findings in one choice the rest is more of the same.
const MAX_FINDINGS: usize = 50;

/// Most pairs of one choice that share words of which it is asked whether they ever occur.
const MAX_OCCURRENCES: usize = 10_000;

/// Most questions of all diagrams of one choice.
pub(super) const MAX_QUESTIONS: usize = 20_000;

/// Words that a path claims.
struct Contestant {
    path: usize,
    /// The member of an operand whose words these are; `None` for all words of the path.
    member: Option<OperationId>,
    words: Rc<Words>,
    /// Contestants of other paths whose words are a proper part of these.
    smaller: Vec<usize>,
}

/// The paths of one choice and what they claim.
pub(super) struct Contest<'a, 's, 'm> {
    choice: Choice<'m>,
    roots: &'a BTreeSet<OperationOrGroup>,
    sets: &'s mut WordSets<'m>,
    paths: Rc<[Rc<Path>]>,
    width_bits: u32,
    /// By path: how far its bits are moved up in the widest word.
    shifts: Vec<u32>,
    contestants: Vec<Contestant>,
    /// By path: its exact words, where they were needed.
    exact: Vec<Option<Rc<Words>>>,
    /// By path: what decides its words where those that it claims are more.
    beside: Vec<Option<Diagram>>,
    findings: usize,
    /// How often it was asked whether words that two share ever occur.
    asked: usize,
}

impl<'a, 's, 'm> Contest<'a, 's, 'm> {
    /// All paths with all their words.
    pub(super) fn new(
        choice: Choice<'m>,
        roots: &'a BTreeSet<OperationOrGroup>,
        sets: &'s mut WordSets<'m>,
    ) -> Result<Self, Undecided> {
        let paths = sets.paths(choice.target)?;
        let width_bits = paths.iter().map(|path| path.width_bits).max().unwrap_or(0);
        let shift = |path: &Rc<Path>| match choice.model.target.endian {
            Endian::Little => 0,
            Endian::Big => width_bits - path.width_bits,
        };
        let shifts: Vec<u32> = paths.iter().map(shift).collect();
        let mut contestants = Vec::new();
        for (path, shift) in shifts.iter().enumerate() {
            let words = match shift {
                0 => paths[path].coarse.clone(),
                shift => sets.prover.shifted(&paths[path].coarse, *shift)?,
            };
            contestants.push(Contestant { path, member: None, words: Rc::new(words), smaller: Vec::new() });
        }
        let (exact, beside) = (vec![None; paths.len()], vec![None; paths.len()]);
        let mut contest = Contest {
            choice,
            roots,
            sets,
            paths,
            width_bits,
            shifts,
            contestants,
            exact,
            beside,
            findings: 0,
            asked: 0,
        };
        let differ = contest.paths.iter().any(|path| path.width_bits != width_bits);
        if differ {
            // Which cells are fetched depends on which words are matched.
            for path in 0..contest.paths.len() {
                contest.make_exact(path)?;
            }
        }
        Ok(contest)
    }

    /// Decides all words; reports those that cannot be.
    pub(super) fn decide(mut self, diagnostics: &mut Diagnostics) -> Result<Decoding, Undecided> {
        let mut waiting = Vec::new();
        let hulls: Vec<Option<Cube>> =
            self.contestants[..self.paths.len()].iter().map(|contestant| contestant.words.hull()).collect();
        for (earlier, later) in pairs_together(&hulls)? {
            let (one, other) = (&self.contestants[later].words, &self.contestants[earlier].words);
            if self.sets.prover.overlap(one, other)?.is_some() {
                self.make_exact(later)?;
                self.make_exact(earlier)?;
                waiting.extend(self.compare(earlier, later, diagnostics)?);
            }
        }
        while self.findings == 0
            && let Some((small, large)) = waiting.pop()
        {
            let path = self.contestants[large].path;
            for (member, words) in self.members_within(small, path, diagnostics)? {
                waiting.extend(self.add_member(path, member, words, diagnostics)?);
            }
        }
        if self.findings == 0 {
            self.warn_of_unreachable(diagnostics);
        }
        self.make_rest_exact();
        self.into_decoding()
    }

    /// Where a path's words are too many to be listed, what is beside it decides when it is decoded.
    fn make_rest_exact(&mut self) {
        let mut is_easy = true;
        for path in (0..self.paths.len()).filter(|path| self.exact[*path].is_none()).collect::<Vec<_>>() {
            let coarse = self.contestants[path].words.clone();
            let is_made = self.make_exact(path).is_ok();
            if is_made && self.contestants[path].words.cubes().is_none() && coarse.cubes().is_some() {
                let words = std::mem::replace(&mut self.contestants[path].words, coarse);
                self.exact[path] = None;
                if is_easy {
                    self.beside[path] = self.sets.prover.diagram(&words).unwrap_or(None);
                    is_easy = self.beside[path].is_some();
                }
            }
        }
    }

    /// From here on a path claims exactly its own words.
    fn make_exact(&mut self, path: usize) -> Result<(), Undecided> {
        if self.exact[path].is_none() {
            let words = self.sets.exact(&self.paths[path])?;
            let words = match self.shifts[path] {
                0 => words,
                shift => Rc::new(self.sets.prover.shifted(&words, shift)?),
            };
            self.contestants[path].words = words.clone();
            self.exact[path] = Some(words);
        }
        Ok(())
    }

    /// Compares two contestants of different paths; gives the smaller and the larger, if they
    /// share words and one is a proper part of the other.
    fn compare(
        &mut self,
        first: usize,
        second: usize,
        diagnostics: &mut Diagnostics,
    ) -> Result<Option<(usize, usize)>, Undecided> {
        let (one, other) = (self.contestants[first].words.clone(), self.contestants[second].words.clone());
        let prover = &mut self.sets.prover;
        let Some(both) = prover.overlap(&one, &other)? else { return Ok(None) };
        let within = prover.is_within(&other, &one)?;
        let around = prover.is_within(&one, &other)?;
        let (small, large) = match (within, around) {
            (true, false) => (second, first),
            (false, true) => (first, second),
            _ => {
                self.report(first, second, both, within, diagnostics)?;
                return Ok(None);
            }
        };
        self.contestants[large].smaller.push(small);
        Ok(Some((small, large)))
    }

    fn report(
        &mut self,
        first: usize,
        second: usize,
        both: Cube,
        equal: bool,
        diagnostics: &mut Diagnostics,
    ) -> Result<(), Undecided> {
        if self.findings >= MAX_FINDINGS {
            // Nothing more is shown.
            return Ok(());
        }
        self.asked += 1;
        if self.asked > MAX_OCCURRENCES {
            return Err(Undecided::Questions);
        }
        let (one, other) = (self.contestants[first].words.clone(), self.contestants[second].words.clone());
        let shared = self.sets.prover.intersect(&one, &other)?;
        if !occurs(self.sets, self.roots, self.choice.target, &shared)? {
            return Ok(());
        }
        self.findings += 1;
        let word = both.example().display(self.width_bits);
        let (one, other) = (self.claim(first, both), self.claim(second, both));
        diagnostics.push(self.choice.ambiguous(one, other, &word, equal));
        Ok(())
    }

    fn claim(&self, contestant: usize, word: Cube) -> Claim<'_> {
        let Contestant { path, member, .. } = &self.contestants[contestant];
        let Path { chain, steps, width_bits, .. } = self.paths[*path].as_ref();
        let shift = self.shifts[*path];
        let here: Vec<u32> = (shift..shift + width_bits).collect();
        let texts = path_texts(self.choice.model, steps, &here);
        // The bits that the word leaves open are 0 in the one that is shown.
        let zeros = (0..self.width_bits).filter(|bit| word.bit(*bit).is_none());
        let word = zeros.fold(word, |word, bit| word.with_bit(bit, false));
        let text = texts.first().map(|text| text.write_word(self.choice.model, word));
        Claim { chain, member: *member, text }
    }

    /// Warns of paths all of whose words are won by others; what is too hard to say is not said.
    fn warn_of_unreachable(&mut self, diagnostics: &mut Diagnostics) {
        let mut reached = vec![false; self.paths.len()];
        for contestant in &self.contestants {
            if reached[contestant.path] {
                continue;
            }
            let winners = contestant.smaller.iter().map(|winner| self.contestants[*winner].words.as_ref());
            let won = self.sets.prover.union(&winners.collect::<Vec<&Words>>());
            let all = won.and_then(|won| self.sets.prover.is_within(&contestant.words, &won));
            reached[contestant.path] = !all.unwrap_or(false);
        }
        for (path, _) in reached.iter().enumerate().filter(|(_, reached)| !**reached) {
            let mut winners: Vec<usize> = Vec::new();
            for winner in &self.contestants[path].smaller {
                let winner = self.contestants[*winner].path;
                if !winners.contains(&winner) {
                    winners.push(winner);
                }
            }
            let winners: Vec<&[OperationId]> =
                winners.into_iter().map(|winner| self.paths[winner].chain.as_slice()).collect();
            diagnostics.push(self.choice.unreachable(&self.paths[path].chain, &winners));
        }
    }

    /// The entries, smaller before larger; else in the paths' order.
    fn into_decoding(self) -> Result<Decoding, Undecided> {
        let mut larger: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        let mut blocked: Vec<usize> = vec![0; self.contestants.len()];
        for (index, contestant) in self.contestants.iter().enumerate() {
            blocked[index] = contestant.smaller.len();
            for small in &contestant.smaller {
                larger.entry(*small).or_default().push(index);
            }
        }
        let mut free: BTreeSet<usize> = (0..blocked.len()).filter(|index| blocked[*index] == 0).collect();
        let (mut entries, mut questions) = (Vec::new(), 0);
        while let Some(index) = free.pop_first() {
            let Contestant { path, words, .. } = &self.contestants[index];
            let diagram = self.sets.prover.diagram(words)?;
            questions += diagram.as_ref().map_or(0, |diagram| diagram.nodes.len());
            if questions > MAX_QUESTIONS {
                return Err(Undecided::Questions);
            }
            entries.push(DecodingEntry { path: *path, patterns: words.patterns(), diagram });
            for large in larger.get(&index).into_iter().flatten() {
                blocked[*large] -= 1;
                if blocked[*large] == 0 {
                    free.insert(*large);
                }
            }
        }
        let is_exact = self.exact.iter().all(Option::is_some);
        let is_known =
            self.exact.iter().zip(&self.beside).all(|(own, beside)| own.is_some() || beside.is_some());
        let paths = self.paths.iter().zip(self.beside);
        let paths = paths.map(|(path, words)| {
            let Path { steps, width_bits, .. } = path.as_ref();
            DecodingPath { steps: steps.clone(), width_bits: *width_bits, words }
        });
        Ok(Decoding { width_bits: self.width_bits, paths: paths.collect(), entries, is_exact, is_known })
    }
}
