//! How scenes are made: what is known of a cycle is played to its end, and what is not known is predicted.

use std::rc::Rc;
use std::sync::Arc;

use isac_ir::automaton::{Event, Happening};
use isac_ir::schedule::PlaceKind;
use isac_ir::time::StageId;
use smallvec::SmallVec;

use super::core::TimedCore;
use super::flight::Flight;
use super::mask::Mask;
use super::outcomes::{AllTurned, Outcome, Turned, outcome_at, turned_before};
use super::prediction::{
    Deed, Others, Predicted, Scene, Scenes, Slot, Slots, UNPLAIN, number_among, uncounted,
};
use super::scene::{Act, Begin, End, Part, PutBack, UNKNOWN, flushes};
use super::turn::nothing;
use crate::kernel::Profiling;

/// The records of the instructions in flight, by rank.
type Records = SmallVec<[u32; 8]>;

impl<C: TimedCore, P: Profiling> Flight<C, P> {
    /// Finds what every cycle looks at in a scene, from all that is known of it. What is not known of its turns is
    /// predicted.
    pub(super) fn make(&mut self, scenes: &mut Scenes<C, P>, number: u32) {
        let plot = &mut self.plots[number as usize];
        let Some(begin) = plot.begin else { return };
        let mut turned = std::mem::take(&mut plot.turned);
        let configuration = Arc::clone(&self.configurations[plot.configuration as usize].configuration);
        let begun = begin.pc.map(|pc| self.begun(pc));
        let mut records: Records = configuration.actors.iter().map(|actor| actor.record).collect();
        records.extend(begun);
        let (course, put_back) = self.predict(configuration.state, begin, records.clone(), &mut turned);
        let scene = &mut scenes[number as usize];
        let times = scene.link.times.get();
        *scene = Scene { stands: begin.stands, begins: begun.is_some(), ..Scene::new() };
        scene.link.times.set(times);
        scene.pc = begin.pc.unwrap_or_default();
        if begin.stands == 0 {
            (scene.pc_bits, scene.pc_expected) = begin.pc.map_or((0, 0), |pc| (-1, pc));
        }
        let parts = self.parts_of(course);
        let known = |position| outcome_at(&turned, position).map(|outcome| self.outcomes.get(outcome));
        let known: SmallVec<[Option<&Outcome>; 8]> = parts.iter().map(|part| known(part.position)).collect();
        let (live, is_usual) = find_live::<C>(&parts, &known);
        match is_usual {
            true => scene.usual_live = live,
            false => scene.others = Some(Box::new(Others { live, slots: Vec::new() })),
        }
        for (part, outcome) in parts.iter().zip(known) {
            let record = &mut records[part.rank as usize];
            if live >> part.position & 1 == 1 {
                let counted = narrow::<C::Mask>(outcome.map_or(0, |outcome| outcome.counted));
                scene.add_turn(self.slot(part, *record, outcome), counted);
            }
            let Some(outcome) = outcome.filter(|outcome| outcome.decoded != UNKNOWN) else { continue };
            let former = std::mem::replace(record, outcome.decoded);
            let forgets = P::ON && former != outcome.decoded && self.is_decoded(former);
            if self.is_decoded(outcome.decoded) && !forgets {
                let record = &self.records[outcome.decoded as usize];
                (scene.decoded, scene.fetched) = (outcome.decoded, (record.address, record.word));
            }
        }
        let plot = &mut self.plots[number as usize];
        plot.begun = begun.unwrap_or_default();
        (plot.course, plot.put_back, plot.turned) = (course, put_back, turned);
    }

    /// The course of a cycle behind a configuration, and what the retries in it put back into the first stage. Behind
    /// the turns that are known, each is predicted to end as that of its record was just done last, up to the first of
    /// which nobody knows. `records` are those of the instructions by rank, as the cycle begins.
    fn predict(
        &mut self,
        state: u32,
        begin: Begin,
        mut records: Records,
        turned: &mut AllTurned,
    ) -> (u32, Vec<PutBack>) {
        let mut course = self.standing(state, begin.stands);
        let mut put_back = Vec::new();
        let (mut known, mut behind) = (0, 0);
        loop {
            let parts = self.parts_of(course);
            let next = parts.iter().find(|part| part.has_turn && part.position >= behind);
            let Some(Part { position, rank, .. }) = next.copied() else { break };
            let record = &mut records[rank as usize];
            if known == turned.len() {
                let Some(outcome) = self.records[*record as usize].last_at(position) else { break };
                turned.push(Turned { position, outcome });
            }
            let turn = turned[known];
            debug_assert_eq!(turn.position, position, "of the turns in front everything is known");
            let decoded = self.outcomes.get(turn.outcome).decoded;
            if decoded != UNKNOWN {
                *record = decoded;
            }
            let (further, back) = self.play(course, turn);
            put_back.extend(back);
            course = further;
            (known, behind) = (known + 1, position + 1);
        }
        (course, put_back)
    }

    /// The course in which a turn, after all that is known of the ones before, has ended so; and what it puts back into
    /// the first stage, if it runs again.
    fn play(&mut self, course: u32, turned: Turned) -> (u32, Option<PutBack>) {
        let Turned { position, outcome } = turned;
        let Outcome { end, due, decoded, .. } = *self.outcomes.get(outcome);
        let flushes: Vec<Event> = flushes(&self.outcomes.get(outcome).acts).collect();
        let course = self.course_of(course, position, flushes);
        let class = self.records.get(decoded as usize).map_or(0, |record| record.class);
        let class = (class > 0).then_some(Event::Class(class));
        let taken = (due > 0).then_some(Event::Taken(due));
        match end {
            End::Done => (self.course_of(course, position, class.into_iter().chain(taken)), None),
            End::Over(fate) => (self.course_of(course, position, [Event::Over(fate)]), None),
            End::Retried(_) => {
                let put_back = P::ON.then(|| (position, self.find_put_back(course, position)));
                (self.course_of(course, position, [Event::Retry]), put_back)
            }
            End::Doomed => (self.course_of(course, position, [Event::Doomed]), None),
        }
    }

    /// The course of the cycle behind a state in which these stages stand and nothing else is told.
    pub(super) fn standing(&mut self, state: u32, stands: u64) -> u32 {
        let mut course = self.automaton.first(state).expect(ONE_TURN);
        if stands == 0 {
            return course;
        }
        let pipelines = self.schedule().pipelines.clone();
        for (pipeline, (stages, first)) in (0u32..).zip(pipelines) {
            if let Some(stage) = (0..stages).find(|stage| stands >> (first + stage) & 1 == 1) {
                let event = Event::Stands(StageId { pipeline, stage });
                course = self.further(course, Happening { place: None, event });
            }
        }
        course
    }

    /// # Panics
    /// If a place has two turns in a cycle: the generator does not take this kernel for such models.
    fn further(&mut self, course: u32, happening: Happening) -> u32 {
        self.automaton.further(course, happening).expect(ONE_TURN)
    }

    /// The course in which a turn, after all that is known of the ones before, has done this to the
    /// pipeline.
    fn course_of(&mut self, course: u32, position: u32, events: impl IntoIterator<Item = Event>) -> u32 {
        let place = Some(self.place_at(position));
        events.into_iter().fold(course, |course, event| self.further(course, Happening { place, event }))
    }

    /// The turn of an instruction as it is predicted; `outcome` is what is known of it.
    fn slot(&self, part: &Part, record: u32, outcome: Option<&Outcome>) -> Slot<C, P> {
        let known = &self.records[record as usize];
        let function = match self.schedule().places[self.place_at(part.position) as usize].kind {
            PlaceKind::Decoded { turn, .. } => known.turns.get(turn as usize).copied(),
            PlaceKind::Before { .. } | PlaceKind::Walk { .. } => None,
        };
        let retried = match outcome.map(|outcome| outcome.end) {
            Some(End::Retried(operation)) => operation,
            _ => 0,
        };
        Slot {
            function: function.unwrap_or(nothing),
            args: known.args,
            address: known.address,
            busy: part.busy,
            due: outcome.map_or(0, |outcome| outcome.due),
            record,
            decoded: outcome.map_or(UNKNOWN, |outcome| outcome.decoded),
            deed: outcome.map_or(Deed::MORE, |outcome| Deed::of(&outcome.acts)),
            retried,
            size_cells: known.size_cells as u8,
            position: part.position as u8,
            end: outcome.map_or(Predicted::Unknown, Outcome::predicted),
        }
    }

    /// The turns of a course by their positions.
    pub(super) fn parts_of(&mut self, course: u32) -> Rc<[Part]> {
        let index = course as usize;
        if let Some(Some(parts)) = self.parts.get(index) {
            return Rc::clone(parts);
        }
        let mut next = 0;
        let turns = self.automaton.courses()[index].turns.iter();
        let parts = turns.map(|turn| {
            let further = C::POSITIONS[next..].iter().position(|place| *place == turn.place);
            let position =
                next + further.expect("the places stand in an order in which cycles have their turns");
            next = position + 1;
            let kind = &self.schedule().places[turn.place as usize].kind;
            let has_turn = *kind != PlaceKind::Walk { is_last: false };
            Part { position: position as u32, rank: turn.rank, busy: turn.busy, has_turn }
        });
        let parts: Rc<[Part]> = parts.collect();
        if self.parts.len() <= index {
            self.parts.resize(index + 1, None);
        }
        self.parts[index] = Some(Rc::clone(&parts));
        parts
    }

    /// The course of the cycle at hand with nothing told behind the turn at a position, and of that
    /// turn what it has done to the pipeline so far.
    pub(super) fn course_so_far(&mut self, position: u32) -> u32 {
        let plot = &self.plots[self.scene as usize];
        let state = self.configurations[plot.configuration as usize].configuration.state;
        let stands = plot.begin.map_or(0, |begin| begin.stands);
        let turned = AllTurned::from_slice(turned_before(&plot.turned, position));
        let course = self.standing(state, stands);
        let course = turned.iter().fold(course, |course, turned| self.play(course, *turned).0);
        let acts: Vec<Act> = self.acts.iter().copied().chain(self.deed.act()).collect();
        let flushes: Vec<Event> = flushes(&acts).collect();
        self.course_of(course, position, flushes)
    }

    /// True if an instruction is in a stage, as far as the cycle has gone.
    #[cold]
    #[inline(never)]
    pub(super) fn is_busy_so_far(&mut self, position: u32, stage: u32) -> bool {
        let course = self.course_so_far(position);
        let place = self.place_at(position);
        let turns = &self.automaton.courses()[course as usize].turns;
        turns.iter().find(|turn| turn.place == place).is_some_and(|turn| turn.busy >> stage & 1 == 1)
    }

    /// The number of a place's turn in a course.
    pub(super) fn turn_number(&self, course: u32, place: u32) -> u32 {
        let turns = &self.automaton.courses()[course as usize].turns;
        turns.iter().position(|turn| turn.place == place).unwrap_or_default() as u32
    }
}

impl<C: TimedCore, P: Profiling> Scene<C, P> {
    /// The next turn, as it is predicted, and counters that count in it.
    fn add_turn(&mut self, slot: Slot<C, P>, counted: C::Mask) {
        if let Some(others) = &mut self.others {
            return others.slots.push((slot, counted));
        }
        let position = slot.position;
        let number = number_among(C::USUAL, position.into());
        let is_plain = slot.end == Predicted::Done && slot.deed == Deed::NONE;
        self.plain |= u32::from(is_plain).checked_shl(number as u32).unwrap_or_default();
        if !is_plain && uncounted::<C, P>() >> position & 1 == 1 {
            self.usual_live |= UNPLAIN;
        }
        debug_assert!(slot.end != Predicted::Retried || C::RETRIES >> position & 1 == 1);
        self.counted.all_mut()[number] = P::keep(counted);
        self.usual.all_mut()[number] = slot;
        if P::ON && C::GROUPED >> position & 1 == 1 {
            let grouped = P::kept::<C::Mask>(self.grouped).either(self.expected_at(number));
            self.grouped = P::keep(grouped);
        }
    }
}

/// The positions whose turns are to run, a bit for each; true if they are usual ones, all of them predicted.
fn find_live<C: TimedCore>(parts: &[Part], outcomes: &[Option<&Outcome>]) -> (u64, bool) {
    let (mut live, mut is_usual) = (0, true);
    for (part, outcome) in parts.iter().zip(outcomes) {
        let predicted = outcome.map_or(Predicted::Unknown, Outcome::predicted);
        // What it counts is known, and there is nothing else to run.
        let is_still = C::STILL >> part.position & 1 == 1 && predicted == Predicted::Done;
        if part.has_turn && !is_still {
            live |= 1 << part.position;
            is_usual &= predicted != Predicted::Unknown && C::USUAL >> part.position & 1 == 1;
        }
    }
    (live, is_usual)
}

const ONE_TURN: &str = "a place has one turn in a cycle";

/// A set of counters in as many bits as the model needs.
fn narrow<M: Mask>(mut counters: u128) -> M {
    let mut mask = M::default();
    while counters != 0 {
        mask = mask.either(M::of(counters.trailing_zeros()));
        counters &= counters - 1;
    }
    mask
}
