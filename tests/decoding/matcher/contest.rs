//! Which of several paths wins a word: each claims words, and of two claims that share some the
//! smaller one wins.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use isac_parser::model::OperationOrGroup;

use super::{Matcher, Path};
use crate::decoding::words::Words;

/// A claim of a path to words.
#[derive(Debug, Clone)]
pub(super) struct Claim {
    pub(super) path: usize,
    pub(super) words: Words,
}

/// A choice whose words were counted.
pub(super) struct Counted {
    pub(super) paths: Vec<Path>,
    pub(super) claims: Vec<Claim>,
    /// Words, or unions of words, that have no winner.
    pub(super) disputed: Vec<Words>,
    /// By how much is there: what longer members begin with.
    pub(super) beginnings: RefCell<BTreeMap<u32, Rc<BTreeSet<u128>>>>,
}

impl Matcher<'_> {
    /// Counts the words of a choice, and lets its paths and members claim them.
    pub(super) fn count(&self, target: OperationOrGroup) -> Rc<Counted> {
        if let Some(known) = self.counted.borrow().get(&target) {
            return known.clone();
        }
        let widest = self.width(target);
        let paths = self.paths(target);
        let words_of = |path: &Path| {
            Words::of(widest, |word| self.leads(&path.steps, self.own_bits(word, widest, path.width)))
        };
        let claims = paths.iter().map(words_of).enumerate().map(|(path, words)| Claim { path, words });
        let mut counted =
            Counted { claims: claims.collect(), paths, disputed: Vec::new(), beginnings: RefCell::default() };
        self.admit_members(&mut counted, widest);
        let counted = Rc::new(counted);
        self.counted.borrow_mut().insert(target, counted.clone());
        counted
    }

    /// A member of an operand claims its own words as soon as they are a proper part of those of a
    /// claim that would win them from its path.
    fn admit_members(&self, counted: &mut Counted, widest: u32) {
        let wholes = counted.claims.clone();
        for (index, one) in wholes.iter().enumerate() {
            for other in &wholes[..index] {
                dispute(&one.words, &other.words, &mut counted.disputed);
            }
        }
        if !counted.disputed.is_empty() {
            return;
        }
        loop {
            let mut added = Vec::new();
            for (path, whole) in wholes.iter().enumerate() {
                for winner in counted.claims.iter().filter(|claim| claim.path != path) {
                    let wins = |claim: &Claim| claim.path == path && winner.words.is_part(&claim.words);
                    if counted.claims.iter().any(wins) {
                        let position = Position { path: &counted.paths[path], widest };
                        let route = Vec::new();
                        self.members_within(
                            position,
                            &whole.words,
                            winner,
                            &route,
                            path,
                            &mut added,
                            &mut counted.disputed,
                        );
                    }
                }
            }
            added.retain(|claim: &Claim| {
                !counted.claims.iter().any(|known| known.path == claim.path && known.words == claim.words)
            });
            let Some(claim) = added.pop() else { return };
            for other in counted.claims.iter().filter(|other| other.path != claim.path) {
                dispute(&claim.words, &other.words, &mut counted.disputed);
            }
            counted.claims.push(claim);
            if !counted.disputed.is_empty() {
                return;
            }
        }
    }

    /// `route` leads to the alias beside which members are looked at: index of an alias, member.
    #[expect(clippy::too_many_arguments, reason = "the state of one search")]
    fn members_within(
        &self,
        position: Position<'_>,
        around: &Words,
        winner: &Claim,
        route: &[(usize, Path)],
        path: usize,
        added: &mut Vec<Claim>,
        disputed: &mut Vec<Words>,
    ) {
        let inner = route.last().map_or(position.path, |(_, path)| path);
        for index in 0..self.beside(inner, 0).len() {
            let target = self.beside(inner, 0)[index].0;
            let members = self.paths(target);
            let bits_of = |word: u128| self.bits_at(position, route, index, word);
            let own: Vec<Words> = members
                .iter()
                .map(|member| Words::of(self.width(target), |bits| self.leads(&member.steps, bits)))
                .collect();
            for (number, member) in members.iter().enumerate() {
                let words =
                    Words::of(position.widest, |word| around.has(word) && own[number].has(bits_of(word)));
                if words.and(&winner.words).is_empty() {
                    continue;
                }
                if words.is_part(&winner.words) {
                    added.push(Claim { path, words });
                    continue;
                }
                if !winner.words.is_part(&words) {
                    let whole = Words::of(position.widest, |word| {
                        winner.words.has(word)
                            && self.leads(
                                &position.path.steps,
                                self.own_bits(word, position.widest, position.path.width),
                            )
                    });
                    let taken: BTreeSet<u128> = whole.iter().map(bits_of).collect();
                    let taken = Words::of(self.width(target), |bits| taken.contains(&bits));
                    let nested = own[number].is_part(&taken) || taken.is_part(&own[number]);
                    let shared = own[number].and(&taken);
                    let rival =
                        |(other, words): (usize, &Words)| other != number && !words.and(&shared).is_empty();
                    if !nested && own.iter().enumerate().any(rival) {
                        disputed.push(words.and(&winner.words));
                    }
                }
                let mut route = route.to_vec();
                route.push((index, member.clone()));
                self.members_within(position, &words, winner, &route, path, added, disputed);
            }
        }
    }

    /// The bits of an alias that a route leads to.
    fn bits_at(&self, position: Position<'_>, route: &[(usize, Path)], index: usize, word: u128) -> u128 {
        let mut bits = self.own_bits(word, position.widest, position.path.width);
        let mut path = position.path;
        for (at, next) in route {
            bits = self.beside(path, bits)[*at].1;
            path = next;
        }
        self.beside(path, bits)[index].1
    }

    /// The first bits of all words of members that are longer than these.
    pub(super) fn beginnings(&self, counted: &Counted, widest: u32, there: u32) -> Rc<BTreeSet<u128>> {
        let mut known = counted.beginnings.borrow_mut();
        let found = known.entry(there).or_insert_with(|| {
            let longer = counted.claims.iter().filter(|claim| counted.paths[claim.path].width > there);
            Rc::new(
                longer
                    .flat_map(|claim| claim.words.iter())
                    .map(|word| self.own_bits(word, widest, there))
                    .collect(),
            )
        });
        found.clone()
    }
}

#[derive(Clone, Copy)]
struct Position<'p> {
    path: &'p Path,
    widest: u32,
}

/// Two claims that share words, of which neither is a proper part of the other.
fn dispute(one: &Words, other: &Words, disputed: &mut Vec<Words>) {
    let shared = one.and(other);
    if !shared.is_empty() && !one.is_part(other) && !other.is_part(one) {
        disputed.push(shared);
    }
}
