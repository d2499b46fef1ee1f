//! Calls, followed in cycles that go as predicted.
//!
//! What a scene leads to says which instructions are over and for whom its cycle is lost, by rank. Ranks are
//! numbers of the moment, so that cycles can be alike; here the instructions get their IDs back. Everything
//! else is as in the other engines.

use isac_ir::automaton::Fate;
use sim_profile::{Calls, Word};

use super::core::TimedCore;
use super::flight::Flight;
use super::record::RecordKind;
use super::scene::{Effect, Ended, Whose};
use crate::kernel::Profiling;
use crate::record::{CallsInFlight, CostPlace, Executed, Followed, FunctionMap, Strike};

/// Who follows calls, and the IDs of what the kernel knows by rank.
pub(super) struct CallTrail {
    calls: CallsInFlight,
    /// Of the instructions in flight, by rank.
    ids: Vec<u64>,
    begun: u64,
    /// Of what is over since the last instruction began, with whose cycles it pays for: more may be lost for
    /// it.
    ended: Vec<(u64, Whose)>,
    /// What was fetched in the cycle at hand: rank, address.
    fetched: Vec<(u32, u64)>,
    /// How the cycle at hand has sent the run elsewhere beside the instructions.
    strikes: Vec<NotedStrike>,
    /// By record, what is known of instructions that ran to their end.
    followed: Vec<Option<Followed>>,
}

/// A turn has sent the run elsewhere beside the instructions.
#[derive(Clone, Copy)]
struct NotedStrike {
    /// The turn's position.
    position: u32,
    /// The rank of its instruction, if that was not decoded.
    rank: Option<u32>,
    strike: Strike,
}

impl CallTrail {
    /// Of a run that begins at an address.
    pub(super) fn new(map: FunctionMap, address: u64) -> CallTrail {
        CallTrail {
            calls: CallsInFlight::new(map, address),
            ids: Vec::new(),
            begun: 0,
            ended: Vec::new(),
            fetched: Vec::new(),
            strikes: Vec::new(),
            followed: Vec::new(),
        }
    }

    /// An instruction begins, with this value of the program counter.
    pub(super) fn begin(&mut self, address: u64) {
        self.begun += 1;
        self.ids.push(self.begun);
        self.ended.clear();
        self.calls.begin(address);
    }

    /// Extra cycles of an instruction in flight, by rank; without one, of operation `reset`.
    pub(super) fn charge_extra(&mut self, rank: Option<u32>, cycles: u64) {
        let id = rank.and_then(|rank| self.ids.get(rank as usize)).copied();
        self.calls.charge(id, cycles);
    }

    /// Cycles are lost for somebody.
    pub(super) fn charge_lost(&mut self, whose: Whose, cycles: u64) {
        let id = match whose {
            Whose::InFlight(rank) => self.ids.get(rank as usize).copied(),
            whose => self.ended.iter().rev().find(|(_, ended)| *ended == whose).map(|(id, _)| *id),
        };
        self.calls.charge(id, cycles);
    }
}

impl<C: TimedCore, P: Profiling> Flight<C, P> {
    /// The cycle at hand has begun as its scene says.
    #[inline(never)]
    pub(super) fn follow_beginning(&mut self, core: &C, begins: bool) {
        if let Some(trail) = self.trail.as_mut().filter(|_| begins) {
            trail.begin(core.pc());
        }
    }

    /// The instruction that has the turn at a position is fetched.
    #[inline(never)]
    pub(super) fn note_fetch(&mut self, position: u32, address: u64) {
        let rank = self.rank_at(position);
        if let Some(trail) = &mut self.trail {
            trail.fetched.push((rank, address));
        }
    }

    /// The turn at a position, of the instruction with a record, has sent the run elsewhere beside the instructions.
    #[cold]
    #[inline(never)]
    pub(super) fn note_strike(&mut self, position: u32, record: u32, (next, to): (u64, u64)) {
        let rank = (!self.is_decoded(record)).then(|| self.rank_at(position));
        let strike = Strike { next, to, by: None };
        if let Some(trail) = &mut self.trail {
            trail.strikes.push(NotedStrike { position, rank, strike });
        }
    }

    /// The cycle at hand has ended as its scene says, which is complete.
    #[inline(never)]
    pub(super) fn follow_scene(&mut self, core: &C) {
        let plot = &self.plots[self.scene as usize];
        let (course, effect, nothing) = (plot.course, plot.effect.clone(), Effect::default());
        self.follow_effect(core, course, effect.as_deref().unwrap_or(&nothing));
    }

    /// What a cycle has led to, by its course.
    pub(super) fn follow_effect(&mut self, core: &C, course: u32, effect: &Effect) {
        let Some(mut trail) = self.trail.take() else { return };
        for (rank, address) in std::mem::take(&mut trail.fetched) {
            if let Some(id) = trail.ids.get(rank as usize) {
                trail.calls.fetch(*id, address);
            }
        }
        for NotedStrike { position, rank, strike } in std::mem::take(&mut trail.strikes) {
            let at = self.turn_number(course, self.place_at(position));
            let id_of = |rank: u32| trail.ids.get(rank as usize).copied();
            let over = effect.ends.iter().filter(|ended| ended.turn < at);
            let over: Vec<u64> = over.filter_map(|ended| id_of(ended.rank)).collect();
            let by = rank.and_then(id_of);
            trail.calls.strike(Strike { by, ..strike }, &over);
        }
        if let Some(whose) = effect.payer {
            trail.charge_lost(whose, 1);
        }
        for Ended { rank, actor, fate, .. } in &effect.ends {
            let Some(id) = trail.ids.get(*rank as usize).copied() else { continue };
            match fate {
                Fate::Executed => {
                    let followed = self.followed(core, &mut trail, actor.record);
                    trail.calls.execute(id, followed);
                }
                Fate::Cancelled | Fate::Flushed | Fate::Faulted => {
                    trail.calls.place(id, self.cost_place(actor.record, *fate == Fate::Faulted));
                    match fate {
                        Fate::Flushed => trail.calls.flush(id),
                        _ => trail.calls.abandon(id),
                    }
                }
            }
            trail.ended.push((id, self.whose(actor.record, *fate)));
        }
        let mut rank = 0;
        trail.ids.retain(|_| {
            rank += 1;
            !effect.ends.iter().any(|ended| ended.rank + 1 == rank)
        });
        self.trail = Some(trail);
    }

    /// The calls so far.
    pub(super) fn calls(&self) -> Option<Calls> {
        let trail = self.trail.as_ref()?;
        let mut calls = trail.calls.clone();
        for (id, actor) in trail.ids.iter().zip(&self.in_flight().actors) {
            calls.place(*id, self.cost_place(actor.record, false));
        }
        Some(calls.calls())
    }

    /// What is known of a record's instruction; `None` of one that was not decoded.
    fn followed(&self, core: &C, trail: &mut CallTrail, number: u32) -> Option<Followed> {
        let index = number as usize;
        if let Some(known) = trail.followed.get(index).and_then(Option::as_ref) {
            return Some(known.clone());
        }
        let record = &self.records[index];
        let (decoded, bytes) = self.decode_again(core.model(), record)?;
        let word = Word::new(&bytes).unwrap_or_default();
        let (address, size_cells) = (record.address, record.size_cells);
        let executed = Executed { address, size_cells, word, decoded: &decoded };
        let followed = trail.calls.learn(core.model(), &executed);
        if trail.followed.len() <= index {
            trail.followed.resize(index + 1, None);
        }
        trail.followed[index] = Some(followed.clone());
        Some(followed)
    }

    fn cost_place(&self, record: u32, is_at_fault: bool) -> CostPlace {
        let record = &self.records[record as usize];
        let known = |is_known: bool| is_known.then_some(record.address);
        CostPlace {
            begun: known(record.is_decoded() || is_at_fault),
            charged: known(record.kind != RecordKind::Begun || is_at_fault),
        }
    }
}
