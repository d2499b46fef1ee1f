//! The courses that cycles take.

use isac_ir::automaton::{Event, Fate, Happening};
use isac_ir::schedule::PlaceKind;

use super::core::TimedCore;
use super::flight::{Ends, Flight, PLACES, Table, UNKNOWN};
use crate::kernel::Profiling;

impl<C: TimedCore, P: Profiling> Flight<C, P> {
    /// Something happens in the turn at a position: the cycle takes another course.
    #[inline(never)]
    pub(super) fn tell(&mut self, position: u32, event: Event) {
        let place = Some(self.place_at(position));
        self.course = self.further(Happening { place, event });
        let table = &self.tables[self.course as usize];
        (self.live, self.ranks) = (table.live, table.ranks);
    }

    /// The course of this cycle if something more happens.
    ///
    /// # Panics
    /// If a place has two turns in it: the generator does not take this kernel for such models.
    pub(super) fn further(&mut self, happening: Happening) -> u32 {
        let known = self.automaton.courses()[self.course as usize].further();
        if let Some((_, course)) = known.iter().find(|(known, _)| *known == happening) {
            return *course;
        }
        let course = self.automaton.further(self.course, happening);
        self.add_tables();
        course.expect("a place has one turn in a cycle")
    }

    /// The course of the cycle behind a state, as long as nothing happens.
    ///
    /// # Panics
    /// As [`Flight::further`].
    pub(super) fn first_course(&mut self, state: u32) -> u32 {
        let course = self.automaton.first(state);
        self.add_tables();
        course.expect("a place has one turn in a cycle")
    }

    #[cold]
    #[inline(never)]
    pub(super) fn find_next(&mut self) -> u32 {
        let course = self.course as usize;
        let next = self.first_course(self.automaton.courses()[course].next);
        self.tables[course].next = next;
        next
    }

    /// Makes the tables of courses that are new.
    fn add_tables(&mut self) {
        for number in self.tables.len()..self.automaton.courses().len() {
            let course = &self.automaton.courses()[number];
            let state = &self.automaton.states()[course.state as usize];
            let mut table = Table {
                live: 0,
                begins: course.begins,
                ends: Ends::Others,
                over: Vec::new(),
                left: state.instructions() + u32::from(course.begins) - course.ends.len() as u32,
                next: UNKNOWN,
                times: 0,
                ranks: [0; PLACES / 16],
                busy: [0; PLACES],
            };
            let mut position = 0;
            for (index, turn) in course.turns.iter().enumerate() {
                position += usize::from(index > 0);
                position += C::POSITIONS[position..]
                    .iter()
                    .position(|place| *place == turn.place)
                    .expect("the places stand in an order in which every cycle has its turns");
                let runs = match self.automaton.schedule().places[turn.place as usize].kind {
                    PlaceKind::Walk { is_last } => is_last,
                    PlaceKind::Before { .. } | PlaceKind::Decoded { .. } => true,
                };
                table.live |= u64::from(runs) << position;
                table.ranks[position / 16] |= u64::from(turn.rank) << (4 * (position % 16));
                table.busy[position] = turn.busy;
            }
            table.ends = match &course.ends[..] {
                [] => Ends::Nothing,
                [end] if end.rank == 0 && end.fate == Fate::Executed => Ends::Oldest,
                _ => Ends::Others,
            };
            table.over = course.ends.iter().map(|end| (end.rank, end.fate)).collect();
            self.tables.push(table);
        }
    }
}
