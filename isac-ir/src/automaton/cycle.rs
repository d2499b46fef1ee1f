//! One cycle of instructions that are known by their places alone.

use std::collections::BTreeMap;

use super::{End, Event, Happening, Pending, State, Turn, Twice};
use crate::schedule::{PlaceKind, Schedule};
use crate::time::StageId;

/// What has become of an instruction that is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Fate {
    /// It has ended.
    Executed,
    /// It was cancelled by itself.
    Cancelled,
    /// It was flushed: cancelled by another.
    Flushed,
    /// A fault has ended it.
    Faulted,
}

/// How a cycle goes.
pub(super) struct Run {
    pub begins: bool,
    pub turns: Vec<Turn>,
    pub ends: Vec<End>,
    pub next: State,
    pub waiting: u64,
}

/// Runs the cycle behind a state in which this happens.
pub(super) fn run(schedule: &Schedule, state: &State, happenings: &[Happening]) -> Result<Run, Twice> {
    let mut cycle = Cycle::new(schedule, state, happenings);
    let begins = cycle.begins();
    if begins {
        let rank = state.instructions();
        cycle.turn(Entry { place: 0, rank, by: None });
    }
    let mut index = 0;
    while index < cycle.front.len() {
        if let Some(entry) = cycle.front[index].filter(|entry| !cycle.stands(entry.rank)) {
            cycle.front[index] = None;
            cycle.turn(entry);
        }
        index += 1;
    }
    cycle.check_places()?;
    let waiting = cycle.waiting();
    cycle.end();
    let next = cycle.state();
    Ok(Run { begins, turns: cycle.turns, ends: cycle.ends, next, waiting })
}

#[derive(Debug, Clone, Copy)]
struct Entry {
    place: u32,
    rank: u32,
    /// The turn that has scheduled it, if that was in this cycle.
    by: Option<u32>,
}

struct Cycle<'a> {
    schedule: &'a Schedule,
    happenings: &'a [Happening],
    /// By pipeline, the last stage that stands.
    standing: Vec<Option<u32>>,
    /// Due in this cycle; what has had its turn or was cancelled is gone.
    front: Vec<Option<Entry>>,
    /// By delay, above 0: due in so many cycles. A DELAY may be long, and little is due before it.
    later: BTreeMap<u32, Vec<Entry>>,
    turns: Vec<Turn>,
    /// Stages in which something was due until a retry put it back.
    put_back: u64,
    ends: Vec<End>,
    /// By rank.
    stood: Vec<bool>,
    over: Vec<bool>,
}

impl<'a> Cycle<'a> {
    fn new(schedule: &'a Schedule, state: &State, happenings: &'a [Happening]) -> Cycle<'a> {
        let instructions = state.instructions() as usize + 1;
        let mut cycle = Cycle {
            schedule,
            happenings,
            standing: vec![None; schedule.pipelines.len()],
            front: Vec::new(),
            later: BTreeMap::new(),
            turns: Vec::new(),
            put_back: 0,
            ends: Vec::new(),
            stood: vec![false; instructions],
            over: vec![false; instructions],
        };
        for happening in happenings {
            if let Event::Stands(stage) = happening.event {
                cycle.standing[stage.pipeline as usize] = Some(stage.stage);
            }
        }
        for pending in &state.pending {
            let entry = Entry { place: pending.place, rank: pending.rank, by: None };
            match pending.delay {
                0 => cycle.front.push(Some(entry)),
                delay => cycle.bucket(delay).push(entry),
            }
        }
        cycle.note_standing();
        cycle
    }

    fn stage(&self, place: u32) -> Option<StageId> {
        self.schedule.places[place as usize].stage
    }

    fn is_standing(&self, stage: StageId) -> bool {
        self.standing[stage.pipeline as usize].is_some_and(|last| stage.stage <= last)
    }

    fn stands(&self, rank: u32) -> bool {
        self.stood[rank as usize]
    }

    /// An instruction of which something is due in a stage that stands, stands as a whole.
    fn note_standing(&mut self) {
        for entry in self.front.iter().flatten() {
            if self.schedule.places[entry.place as usize].stage.is_some_and(|stage| self.is_standing(stage)) {
                self.stood[entry.rank as usize] = true;
            }
        }
    }

    fn begins(&self) -> bool {
        let Some(first) = self.schedule.first_stage else { return true };
        !self.is_standing(first)
            && !self.front.iter().flatten().any(|entry| self.stage(entry.place) == Some(first))
    }

    /// What is due so many cycles from now, at least one.
    fn bucket(&mut self, delay: u32) -> &mut Vec<Entry> {
        self.later.entry(delay).or_default()
    }

    fn schedule(&mut self, entry: Entry, delay: u32) {
        if delay > 0 {
            self.bucket(delay).push(entry);
            return;
        }
        self.front.push(Some(entry));
        if self.stage(entry.place).is_some_and(|stage| self.is_standing(stage)) {
            self.stood[entry.rank as usize] = true;
        }
    }

    fn turn(&mut self, entry: Entry) {
        let Entry { place, rank, .. } = entry;
        let number = self.turns.len() as u32;
        self.turns.push(Turn { place, rank, busy: 0, by: entry.by });
        let (mut class, mut taken, mut over, mut again, mut doomed) = (0, 0, None, false, false);
        let happenings = self.happenings;
        for happening in happenings.iter().filter(|happening| happening.place == Some(place)) {
            match happening.event {
                Event::Class(number) => class = number,
                Event::Taken(conditions) => taken = conditions,
                Event::Flush(stage) => self.flush(stage, rank),
                Event::Over(fate) => over = Some(fate),
                Event::Retry => again = true,
                Event::Doomed => doomed = true,
                Event::Stands(_) => {}
            }
        }
        self.turns[number as usize].busy = self.busy();
        if let Some(fate) = over {
            self.finish(rank, fate);
        } else if again {
            self.retry(rank, self.stage(place));
        } else if doomed {
            self.doom(place, rank, number);
        } else {
            let schedule = self.schedule;
            for child in schedule.children(place, class) {
                if child.condition.is_none_or(|condition| taken >> condition & 1 == 1) {
                    let entry = Entry { place: child.place, rank, by: Some(number) };
                    self.schedule(entry, child.delay);
                }
            }
            if !self.is_scheduled(rank) {
                self.finish(rank, Fate::Executed);
            }
        }
    }

    fn is_scheduled(&self, rank: u32) -> bool {
        let mut all = self.front.iter().flatten().chain(self.later.values().flatten());
        all.any(|entry| entry.rank == rank)
    }

    /// The instruction is over with the turn at hand.
    fn finish(&mut self, rank: u32, fate: Fate) {
        self.withdraw(|entry| entry.rank == rank);
        self.over[rank as usize] = true;
        self.ends.push(End { rank, turn: self.turns.len() as u32 - 1, fate });
    }

    fn withdraw(&mut self, is_withdrawn: impl Fn(&Entry) -> bool) {
        for place in &mut self.front {
            let _ = place.take_if(|entry| is_withdrawn(entry));
        }
        for bucket in self.later.values_mut() {
            bucket.retain(|entry| !is_withdrawn(entry));
        }
    }

    /// The fault goes on as an empty instruction; it strikes where it is, in the last stage.
    fn doom(&mut self, place: u32, rank: u32, number: u32) {
        self.withdraw(|entry| entry.rank == rank);
        let stage = self.stage(place).unwrap_or(StageId { pipeline: 0, stage: 0 });
        let next = match self.schedule.pipelines.is_empty() {
            true => None,
            false => self.schedule.next_stage(stage).and_then(|stage| self.schedule.walk(stage)),
        };
        match next {
            Some(place) => self.bucket(1).push(Entry { place, rank, by: Some(number) }),
            None => self.finish(rank, Fate::Faulted),
        }
    }

    /// The instructions of which something bound to certain stages ran, is due or stands.
    fn present(&self, is_here: impl Fn(StageId) -> bool) -> Vec<u32> {
        let ran = self.turns.iter().map(|turn| (turn.place, turn.rank));
        let due = self.front.iter().flatten().map(|entry| (entry.place, entry.rank));
        let here = ran.chain(due).filter(|(place, _)| self.stage(*place).is_some_and(&is_here));
        let mut ranks: Vec<u32> = here.map(|(_, rank)| rank).collect();
        ranks.sort_unstable();
        ranks.dedup();
        ranks
    }

    fn busy(&self) -> u64 {
        let ran = self.turns.iter().map(|turn| turn.place);
        let due = self.front.iter().flatten().map(|entry| entry.place);
        ran.chain(due).fold(0, |busy, place| busy | self.bit(place))
    }

    /// The stage of a place as a bit.
    fn bit(&self, place: u32) -> u64 {
        self.stage(place).map_or(0, |stage| 1 << self.schedule.stage_number(stage))
    }

    /// Stages of what is due and has not run, or was put back.
    fn waiting(&self) -> u64 {
        self.front.iter().flatten().fold(self.put_back, |stages, entry| stages | self.bit(entry.place))
    }

    fn flush(&mut self, stage: StageId, caller: u32) {
        let found = self.present(|bound| is_at_or_before(bound, stage));
        for rank in found {
            if rank != caller && !self.over[rank as usize] {
                self.finish(rank, Fate::Flushed);
            }
        }
    }

    /// What the instruction ran in a stage waits for the next cycle, and with it what has not run
    /// there and before; what it scheduled is withdrawn.
    fn retry(&mut self, rank: u32, stage: Option<StageId>) {
        let again: Vec<u32> = (0u32..)
            .zip(&self.turns)
            .filter(|(_, turn)| turn.rank == rank && self.stage(turn.place) == stage)
            .map(|(number, _)| number)
            .collect();
        let mut undone = again.clone();
        for (number, turn) in (0u32..).zip(&self.turns) {
            // What they scheduled for this very cycle may have run.
            if turn.by.is_some_and(|by| undone.contains(&by)) && !undone.contains(&number) {
                undone.push(number);
            }
        }
        self.withdraw(|entry| entry.by.is_some_and(|by| undone.contains(&by)));
        self.stood[rank as usize] = false;
        self.note_standing();
        let is_first =
            |number: &&u32| self.turns[**number as usize].by.is_none_or(|by| !undone.contains(&by));
        let entry = |number: &u32| {
            let turn = self.turns[*number as usize];
            Entry { place: turn.place, rank: turn.rank, by: turn.by }
        };
        let mut waiting: Vec<Entry> = again.iter().filter(is_first).map(entry).collect();
        for index in 0..self.front.len() {
            let waits = |entry: &Entry| {
                let bound = self.stage(entry.place).zip(stage);
                bound.is_some_and(|(bound, stage)| is_at_or_before(bound, stage)) && !self.stands(entry.rank)
            };
            if let Some(entry) = self.front[index].filter(waits) {
                self.front[index] = None;
                self.put_back |= self.bit(entry.place);
                waiting.push(entry);
            }
        }
        self.bucket(1).extend(waiting);
    }

    fn check_places(&self) -> Result<(), Twice> {
        let mut places: Vec<u32> = self.turns.iter().map(|turn| turn.place).collect();
        places.sort_unstable();
        match places.windows(2).find(|pair| pair[0] == pair[1]) {
            Some(pair) => Err(Twice { place: pair[0] }),
            None => Ok(()),
        }
    }

    /// What standing instructions have scheduled moves on by a cycle.
    fn end(&mut self) {
        if self.standing.iter().all(Option::is_none) {
            return;
        }
        let delays: Vec<u32> = self.later.keys().rev().copied().collect();
        for delay in delays {
            let bucket = std::mem::take(self.bucket(delay));
            let (held, kept): (Vec<Entry>, Vec<Entry>) =
                bucket.into_iter().partition(|entry| self.stands(entry.rank));
            *self.bucket(delay) = kept;
            if !held.is_empty() {
                self.bucket(delay + 1).extend(held);
            }
        }
        let held: Vec<Entry> = std::mem::take(&mut self.front).into_iter().flatten().collect();
        self.bucket(1).extend(held);
    }

    /// What is pending, by the ranks of those that are left.
    fn state(&self) -> State {
        // What is due in one cycle is due at once then.
        let entries = || {
            self.later.iter().flat_map(|(delay, bucket)| bucket.iter().map(move |entry| (delay - 1, entry)))
        };
        let mut ranks: Vec<u32> = entries().map(|(_, entry)| entry.rank).collect();
        ranks.sort_unstable();
        ranks.dedup();
        let rank = |entry: &Entry| ranks.binary_search(&entry.rank).unwrap_or_default() as u32;
        let pending =
            entries().map(|(delay, entry)| Pending { delay, place: entry.place, rank: rank(entry) });
        State { pending: pending.collect() }
    }
}

fn is_at_or_before(stage: StageId, last: StageId) -> bool {
    stage.pipeline == last.pipeline && stage.stage <= last.stage
}

/// True where a fault strikes.
pub(super) fn strikes(schedule: &Schedule, place: u32) -> bool {
    matches!(schedule.places[place as usize].kind, PlaceKind::Walk { is_last: true })
}
