//! Everything that can happen: all states and courses, within limits.

use std::collections::BTreeSet;

use super::cycle::strikes;
use super::{Automaton, Event, Fate, Happening, Turn, Twice};
use crate::time::StageId;

/// How far an exploration goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Most states.
    pub states: usize,
    /// Most courses.
    pub courses: usize,
    /// Most instructions in flight.
    pub instructions: u32,
    /// Most conditions of one turn.
    pub conditions: u32,
}

/// Instructions in flight at most that an emitted simulator's kernel takes.
pub const MOST_IN_FLIGHT: u32 = 16;

impl Default for Limits {
    /// What an emitted simulator's kernel takes.
    fn default() -> Limits {
        Limits { states: 4096, courses: 1 << 16, instructions: MOST_IN_FLIGHT, conditions: 4 }
    }
}

/// Why an exploration has stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TooLarge {
    /// More states than the limit.
    States(usize),
    /// More courses than the limit.
    Courses(usize),
    /// More instructions in flight than the limit.
    Instructions(u32),
    /// A turn with more conditions than the limit.
    Conditions {
        /// The limit.
        limit: u32,
        /// The place.
        place: u32,
    },
    /// Two turns at one place in one cycle.
    Twice(Twice),
}

impl From<Twice> for TooLarge {
    fn from(twice: Twice) -> TooLarge {
        TooLarge::Twice(twice)
    }
}

impl Automaton {
    /// Finds every state and course.
    ///
    /// # Errors
    /// What has gone beyond the limits; what was found until then is there.
    pub fn explore(&mut self, limits: Limits) -> Result<(), TooLarge> {
        let mut state = 0;
        while state < self.states.len() {
            if self.states.len() > limits.states {
                return Err(TooLarge::States(limits.states));
            }
            if self.states[state].instructions() >= limits.instructions {
                return Err(TooLarge::Instructions(limits.instructions));
            }
            let first = self.first(state as u32)?;
            for stands in self.ways_to_stand() {
                let mut course = first;
                for stage in stands {
                    course = self.further(course, Happening { place: None, event: Event::Stands(stage) })?;
                }
                self.explore_course(course, 0, limits)?;
            }
            state += 1;
        }
        Ok(())
    }

    /// What may stand at a cycle's beginning: of each pipeline nothing, or a stage that is stalled.
    fn ways_to_stand(&self) -> Vec<Vec<StageId>> {
        let mut ways = vec![Vec::new()];
        for pipeline in 0..self.schedule.pipelines.len() as u32 {
            let stages: Vec<StageId> =
                self.schedule.stalled.iter().copied().filter(|stage| stage.pipeline == pipeline).collect();
            let before = ways.clone();
            for stage in stages {
                ways.extend(before.iter().map(|way| [way.clone(), vec![stage]].concat()));
            }
        }
        ways
    }

    /// Goes through what the turns of a course may bring about, from one turn on.
    fn explore_course(&mut self, course: u32, from: usize, limits: Limits) -> Result<(), TooLarge> {
        if self.courses.len() > limits.courses {
            return Err(TooLarge::Courses(limits.courses));
        }
        let turns = self.courses[course as usize].turns.clone();
        for (number, turn) in turns.iter().enumerate().skip(from) {
            if strikes(&self.schedule, turn.place) {
                // The run ends.
                return Ok(());
            }
            for events in self.ways_of_turn(turn, limits)? {
                let mut further = course;
                for event in events {
                    further = self.further(further, Happening { place: Some(turn.place), event })?;
                }
                self.explore_course(further, number + 1, limits)?;
            }
        }
        Ok(())
    }

    /// What a turn may tell, but nothing.
    fn ways_of_turn(&self, turn: &Turn, limits: Limits) -> Result<Vec<Vec<Event>>, TooLarge> {
        let place = &self.schedule.places[turn.place as usize];
        let effects = &place.effects;
        let mut ways: Vec<Vec<Event>> = vec![Vec::new()];
        for stage in &effects.flushes {
            let flushed: Vec<_> =
                ways.iter().map(|way| [way.clone(), vec![Event::Flush(*stage)]].concat()).collect();
            ways.extend(flushed);
        }
        let mut ends: Vec<Vec<Event>> = Vec::new();
        let classes = match turn.place == self.schedule.decoding.place {
            true => self.schedule.classes.len() as u32,
            false => 1,
        };
        for class in 0..classes {
            let children = self.schedule.children(turn.place, class).iter();
            let conditions: BTreeSet<u32> = children.filter_map(|child| child.condition).collect();
            let most = conditions.last().map_or(0, |last| last + 1);
            if most > limits.conditions {
                return Err(TooLarge::Conditions { limit: limits.conditions, place: turn.place });
            }
            for taken in 0..1u64 << most {
                let class = (class > 0).then_some(Event::Class(class));
                let taken = (taken > 0).then_some(Event::Taken(taken));
                ends.push(class.into_iter().chain(taken).collect());
            }
        }
        ends.extend(effects.retries.then(|| vec![Event::Retry]));
        ends.extend(effects.cancels.then(|| vec![Event::Over(Fate::Cancelled)]));
        ends.extend(effects.dooms.then(|| vec![Event::Doomed]));
        let mut all = Vec::new();
        for way in &ways {
            all.extend(ends.iter().map(|end| [way.clone(), end.clone()].concat()));
        }
        all.retain(|way| !way.is_empty());
        Ok(all)
    }

    /// Places in an order in which every known course finds its turns, some of them perhaps
    /// several times.
    pub fn order(&self) -> Vec<u32> {
        let mut order = self.usual_order();
        for course in &self.courses {
            let mut next = 0;
            for turn in &course.turns {
                next = match order[next..].iter().position(|place| *place == turn.place) {
                    Some(further) => next + further + 1,
                    None => {
                        order.push(turn.place);
                        order.len()
                    }
                };
            }
        }
        order
    }

    /// Every place once: behind those that run before it, as far as that is always the same.
    fn usual_order(&self) -> Vec<u32> {
        let places = self.schedule.places.len();
        let mut before: Vec<BTreeSet<u32>> = vec![BTreeSet::new(); places];
        for course in &self.courses {
            for pair in course.turns.windows(2) {
                before[pair[1].place as usize].insert(pair[0].place);
            }
        }
        let mut order: Vec<u32> = Vec::new();
        let mut left: BTreeSet<u32> = (0..places as u32).collect();
        while let Some(first) = left.first().copied() {
            let is_next = |place: &&u32| before[**place as usize].iter().all(|other| !left.contains(other));
            let next = left.iter().find(is_next).copied().unwrap_or(first);
            left.remove(&next);
            order.push(next);
        }
        order
    }
}
