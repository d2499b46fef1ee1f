//! What a cycle leads to: the next configuration, and what it adds to what is counted.

use std::rc::Rc;
use std::sync::Arc;

use isac_ir::automaton::{End, Fate};
use smallvec::SmallVec;

use super::core::TimedCore;
use super::flight::{Flight, NOBODY};
use super::outcomes::{Outcome, Turned};
use super::prediction::{Over, Scenes};
use super::scene::{self, Act, Actor, Configuration, Effect, Ended, Holder, Part, UNKNOWN, Whose};
use crate::kernel::Profiling;

/// A cycle that has gone as far as it goes.
pub(super) struct Played<'a> {
    pub course: u32,
    pub turned: &'a [Turned],
    /// The instructions that are over, in that order.
    pub ends: &'a [End],
}

/// Somebody in the order of the program.
#[derive(Debug, Clone, Copy)]
enum InOrder {
    /// In flight, by rank.
    InFlight(u32),
    /// Over already, by record.
    Ended(u32),
}

impl<C: TimedCore, P: Profiling> Flight<C, P> {
    /// The scene at hand is complete: where it leads.
    pub(super) fn complete(&mut self, scenes: &mut Scenes<C, P>) {
        let plot = &mut self.plots[self.scene as usize];
        let (number, turned) = (plot.course, std::mem::take(&mut plot.turned));
        let course = &self.automaton.courses()[number as usize];
        let ends: SmallVec<[End; 2]> = SmallVec::from_slice(&course.ends);
        let next = course.next;
        let played = Played { course: number, turned: &turned, ends: &ends };
        let (mut configuration, effect) = self.follow(&played);
        self.plots[self.scene as usize].turned = turned;
        let pending = &self.automaton.states()[next as usize].pending;
        configuration.held.retain(|(rank, place, _)| {
            pending.iter().any(|due| (due.delay, due.rank, due.place) == (0, *rank, *place))
        });
        configuration.state = next;
        let next = self.scene_of(scenes, configuration);
        let scene = &scenes[self.scene as usize];
        let is_same =
            self.plots[next as usize].configuration == self.plots[self.scene as usize].configuration;
        scene.is_idle.set(is_same && scene.live() == 0 && ends.is_empty());
        let link = &scene.link;
        let executed = ends.iter().filter(|end| end.fate == Fate::Executed).count();
        link.over.set(Over::new(ends.len() as u32, executed as u32));
        link.complete(next, !effect.again.is_empty() || effect.lost.is_some());
        self.plots[self.scene as usize].effect = (effect != Effect::default()).then(|| Rc::new(effect));
    }

    /// What is in flight behind the cycle at hand; its state is left open.
    pub(super) fn follow(&mut self, played: &Played<'_>) -> (Configuration, Effect) {
        let plot = &self.plots[self.scene as usize];
        let (begin, begun) = (plot.begin, plot.begun);
        let put_back = plot.put_back.clone();
        let number = plot.configuration;
        let before = Arc::clone(&self.configurations[number as usize].configuration);
        let mut actors = before.actors.clone();
        let begins = begin.is_some_and(|begin| begin.pc.is_some());
        actors.extend(begins.then(|| Actor::new(begun)));
        let mut effect = Effect::default();
        if P::ON && !begins {
            self.lose_cycle((number, &before), played.course, &mut actors, &mut effect);
        }
        let stands = begin.is_some_and(|begin| begin.stands != 0);
        let mut stalls = if stands { before.stalls.clone() } else { Vec::new() };
        let mut held = before.held.clone();
        let parts = self.parts_of(played.course);
        for Turned { position, outcome } in played.turned {
            let rank =
                parts.iter().find(|part| part.position == *position).map_or(0, |part: &Part| part.rank);
            let outcome = self.outcomes.get(*outcome);
            let actor = &mut actors[rank as usize];
            self.count_outcome(rank, actor, outcome, &mut effect);
            for act in &outcome.acts {
                if let Act::Stall(stage, cause) = *act {
                    stalls.retain(|(stalled, _)| *stalled != stage);
                    stalls.push((stage, Holder { whose: Whose::InFlight(rank), cause }));
                }
            }
            if let (true, scene::End::Retried(operation)) = (P::ON, outcome.end) {
                let back = put_back.iter().find(|(at, _)| at == position);
                let cause = self.cause_of_retry(*position, operation);
                for (place, waiting) in back.into_iter().flat_map(|(_, back)| back) {
                    held.retain(|(rank, known, _)| (rank, known) != (waiting, place));
                    held.push((*waiting, *place, Holder { whose: Whose::InFlight(rank), cause }));
                }
            }
        }
        let ended =
            |&End { rank, turn, fate }: &End| Ended { rank, turn, actor: actors[rank as usize], fate };
        effect.ends = played.ends.iter().map(ended).collect();
        let after = self.leave_ended(&before, &actors, &mut effect);
        let after = match P::ON {
            true => Configuration {
                stalls: stalls.into_iter().map(|(at, holder)| (at, self.held_by(holder, &effect))).collect(),
                held: self.still_held(held, &effect),
                ..after
            },
            false => after,
        };
        (after, effect)
    }

    /// What a turn tells is known of its instruction from now on.
    fn count_outcome(&self, rank: u32, actor: &mut Actor, outcome: &Outcome, effect: &mut Effect) {
        if outcome.decoded != UNKNOWN {
            let former = &self.records[actor.record as usize];
            if former.is_decoded() && actor.record != outcome.decoded {
                // What it did as another one does not count.
                let kept = self.kept_counters();
                (actor.counted, actor.again) = (actor.counted & kept, actor.again & kept);
            }
            actor.record = outcome.decoded;
        }
        let more = actor.count(outcome.counted);
        if more != 0 {
            effect.again.push((rank, more));
        }
    }

    /// Those that are over leave those that are not; with a profile, in the order of the program.
    fn leave_ended(&self, before: &Configuration, actors: &[Actor], effect: &mut Effect) -> Configuration {
        let over = |rank: u32| effect.ends.iter().find(|ended| ended.rank == rank);
        let mut after = Configuration::default();
        if !P::ON {
            after.actors = (0u32..)
                .zip(actors)
                .filter(|(rank, _)| over(*rank).is_none())
                .map(|(_, actor)| *actor)
                .collect();
            return after;
        }
        let mut order: Vec<InOrder> = Vec::new();
        for rank in 0..=actors.len() as u32 {
            let early = before.early.iter().filter(|(older, _)| *older == rank);
            order.extend(early.map(|(_, record)| InOrder::Ended(*record)));
            if (rank as usize) < actors.len() {
                match over(rank) {
                    None => order.push(InOrder::InFlight(rank)),
                    Some(Ended { actor, fate: Fate::Executed, .. })
                        if self.records[actor.record as usize].is_decoded() =>
                    {
                        order.push(InOrder::Ended(actor.record));
                    }
                    Some(_) => {}
                }
            }
        }
        let mut jumps = Vec::new();
        after.last = before.last;
        for next in order {
            match next {
                InOrder::Ended(record) if after.actors.is_empty() => {
                    if after.last != NOBODY && self.jumps(after.last, record) {
                        jumps.push((after.last, record));
                    }
                    after.last = record;
                }
                InOrder::Ended(record) => after.early.push((after.actors.len() as u32, record)),
                InOrder::InFlight(rank) => after.actors.push(actors[rank as usize]),
            }
        }
        effect.jumps = jumps;
        after
    }

    /// True if a record's instruction does not stand behind another's.
    fn jumps(&self, from: u32, to: u32) -> bool {
        let (from, to) = (&self.records[from as usize], &self.records[to as usize]);
        from.address.wrapping_add(u64::from(from.size_cells)) & self.pc_mask != to.address
    }

    /// Jumps among what has ended before something that is still in flight.
    pub(super) fn early_jumps(&self, configuration: &Configuration) -> Vec<(u32, u32)> {
        let pairs = configuration.early.windows(2).filter(|pair| pair[0].0 == pair[1].0);
        pairs.map(|pair| (pair[0].1, pair[1].1)).filter(|(from, to)| self.jumps(*from, *to)).collect()
    }
}
