//! The timing automaton: every sequence of pending activations that can come about, and what leads
//! from one to the next.
//!
//! A *state* is what is pending between two cycles: each activation with its place, the cycles that
//! it still waits and the rank of its instruction, the oldest having rank 0. A *course* is one way
//! in which the cycle behind a state can go: the turns that run if nothing but the events told so
//! far happens. A further event leads to another course of the same cycle, the cycle's end to the
//! first course of the next state. States and courses come into being when they are first asked
//! for: an engine builds what its program needs, [`explore`](Automaton::explore) everything.

mod cycle;
mod explore;
mod print;

use std::collections::BTreeMap;

use crate::schedule::Schedule;
use crate::time::StageId;

pub use cycle::Fate;
pub use explore::{Limits, MOST_IN_FLIGHT, TooLarge};
pub use print::{describe_bound, print_automaton};

/// Something that is scheduled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Pending {
    /// In how many cycles, 0 being the next.
    pub delay: u32,
    /// Index into [`Schedule::places`].
    pub place: u32,
    /// How many older instructions are in flight.
    pub rank: u32,
}

/// What is pending between two cycles, in the order in which it runs.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct State {
    /// By delay, then first scheduled first.
    pub pending: Vec<Pending>,
}

impl State {
    /// Number of instructions in flight.
    pub fn instructions(&self) -> u32 {
        self.pending.iter().map(|pending| pending.rank + 1).max().unwrap_or(0)
    }
}

/// What the course of a cycle depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Event {
    /// A stage and those before it stand in this cycle; told before anything else.
    Stands(StageId),
    /// The turn that decodes has decoded an instruction of this class; class 0 is not told.
    Class(u32),
    /// These conditions of a turn hold, a bit for each by number; none is not told.
    Taken(u64),
    /// A turn runs again in the next cycle.
    Retry,
    /// A turn cancels the instructions in a stage and before it.
    Flush(StageId),
    /// The instruction is over with this turn.
    Over(Fate),
    /// The word cannot be fetched or decoded: the fault begins its way to the last stage.
    Doomed,
}

/// An event, and the place whose turn it comes from; no place for what stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Happening {
    /// Index into [`Schedule::places`].
    pub place: Option<u32>,
    /// What happens.
    pub event: Event,
}

/// A turn of a cycle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Turn {
    /// Index into [`Schedule::places`].
    pub place: u32,
    /// The rank of its instruction; that of a new one is the number of those in flight.
    pub rank: u32,
    /// Stages with an instruction in them while it runs, a bit for each by
    /// [`Schedule::stage_number`].
    pub busy: u64,
    /// The turn that has scheduled it, if that was in this cycle.
    pub by: Option<u32>,
}

/// An instruction that is over within a cycle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct End {
    /// Its rank.
    pub rank: u32,
    /// Index of the turn behind which it is over.
    pub turn: u32,
    /// What has become of it.
    pub fate: Fate,
}

/// One way in which the cycle behind a state can go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Course {
    /// The state at the cycle's beginning.
    pub state: u32,
    /// What has happened, in order.
    pub happenings: Vec<Happening>,
    /// True if `main` begins an instruction.
    pub begins: bool,
    /// The turns that have run or are to run, in order.
    pub turns: Vec<Turn>,
    /// The instructions that end, in that order.
    pub ends: Vec<End>,
    /// The state at the cycle's end.
    pub next: u32,
    /// Stages with something in them that is due and does not run, because it stands or was put
    /// back; a bit for each.
    pub waiting: u64,
    /// Where further events lead that have been asked for.
    further: Vec<(Happening, u32)>,
}

impl Course {
    /// The last stage of a pipeline that stands.
    pub fn standing(&self, pipeline: u32) -> Option<u32> {
        self.happenings.iter().find_map(|happening| match happening.event {
            Event::Stands(stage) if stage.pipeline == pipeline => Some(stage.stage),
            _ => None,
        })
    }

    /// The further events that have been asked for, and the courses that they lead to.
    pub fn further(&self) -> &[(Happening, u32)] {
        &self.further
    }
}

/// Two turns at one place in one cycle: what runs cannot be told by the place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Twice {
    /// The place.
    pub place: u32,
}

/// The automaton of a schedule, as far as it was needed.
#[derive(Debug, Clone)]
pub struct Automaton {
    schedule: Schedule,
    states: Vec<State>,
    numbers: BTreeMap<State, u32>,
    /// By state, its first course: that in which nothing is told.
    firsts: Vec<Option<u32>>,
    courses: Vec<Course>,
}

impl Automaton {
    /// Only the state in which nothing is pending, number 0.
    pub fn new(schedule: Schedule) -> Automaton {
        let (states, numbers) = (vec![State::default()], BTreeMap::from([(State::default(), 0)]));
        Automaton { schedule, states, numbers, firsts: vec![None], courses: Vec::new() }
    }

    /// What it is of.
    pub fn schedule(&self) -> &Schedule {
        &self.schedule
    }

    /// The states that have been reached, by number.
    pub fn states(&self) -> &[State] {
        &self.states
    }

    /// The courses that have been asked for, by number.
    pub fn courses(&self) -> &[Course] {
        &self.courses
    }

    /// The course of the cycle behind a state, as long as nothing is told.
    ///
    /// # Errors
    /// If one place has two turns in it.
    pub fn first(&mut self, state: u32) -> Result<u32, Twice> {
        if let Some(course) = self.firsts[state as usize] {
            return Ok(course);
        }
        let course = self.add_course(state, Vec::new())?;
        self.firsts[state as usize] = Some(course);
        Ok(course)
    }

    /// The course of the same cycle if something more happens.
    ///
    /// # Errors
    /// If one place has two turns in it.
    pub fn further(&mut self, course: u32, happening: Happening) -> Result<u32, Twice> {
        let here = &self.courses[course as usize];
        let known = here.further.iter().find(|(known, _)| *known == happening);
        if let Some((_, course)) = known {
            return Ok(*course);
        }
        let mut happenings = here.happenings.clone();
        happenings.push(happening);
        let next = self.add_course(here.state, happenings)?;
        self.courses[course as usize].further.push((happening, next));
        Ok(next)
    }

    fn add_course(&mut self, state: u32, happenings: Vec<Happening>) -> Result<u32, Twice> {
        let run = cycle::run(&self.schedule, &self.states[state as usize], &happenings)?;
        let next = self.number(run.next);
        self.courses.push(Course {
            state,
            happenings,
            begins: run.begins,
            turns: run.turns,
            ends: run.ends,
            next,
            waiting: run.waiting,
            further: Vec::new(),
        });
        Ok(self.courses.len() as u32 - 1)
    }

    fn number(&mut self, state: State) -> u32 {
        if let Some(number) = self.numbers.get(&state) {
            return *number;
        }
        let number = self.states.len() as u32;
        self.states.push(state.clone());
        self.firsts.push(None);
        self.numbers.insert(state, number);
        number
    }
}
