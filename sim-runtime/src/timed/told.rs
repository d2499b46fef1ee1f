//! Where a cycle does not go as its scene says, and how scenes come about.

use std::sync::Arc;

use isac_ir::automaton::{Event, Happening};
use isac_ir::schedule::PlaceKind;
use isac_ir::time::StageId;

use super::core::TimedCore;
use super::flight::Flight;
use super::mask::Mask;
use super::prediction::{
    CLOSER, Deed, Others, Predicted, Scene, Scenes, Slot, Slots, UNPLAIN, UNUSUAL, number_among, uncounted,
};
use super::scene::{
    Act, Actor, Begin, Configuration, End, Known, Outcome, Part, Plot, PutBack, Told, UNKNOWN, flushes,
};
use super::turn::{Done, nothing, stall_counter};
use crate::kernel::Profiling;

impl<C: TimedCore, P: Profiling> Flight<C, P> {
    /// A scene of the cycle behind a configuration: the last one, or one of which nothing is known.
    pub(super) fn scene_of(&mut self, scenes: &mut Scenes<C, P>, configuration: Configuration) -> u32 {
        if let Some(number) = self.numbers.get(&configuration) {
            return self.configurations[*number as usize].latest;
        }
        let configuration = Arc::new(configuration);
        let number = self.configurations.len() as u32;
        self.numbers.insert(Arc::clone(&configuration), number);
        let settled = if P::ON { self.find_settled(&configuration) } else { 0 };
        self.configurations.push(Known { configuration, settled, scenes: Vec::new(), latest: 0 });
        let scene = self.add_scene(scenes, Plot::new(number));
        self.configurations[number as usize].latest = scene;
        scene
    }

    /// The instructions of which nothing is due any more that may decode them, by rank, a bit for each.
    fn find_settled(&self, configuration: &Configuration) -> u64 {
        let pending = &self.automaton.states()[configuration.state as usize].pending;
        let places = &self.schedule().places;
        let decides = |place: u32| matches!(places[place as usize].kind, PlaceKind::Before { .. });
        let is_settled = |(rank, actor): &(u32, &Actor)| {
            self.is_decoded(actor.record)
                && !pending.iter().any(|due| due.rank == *rank && decides(due.place))
        };
        let settled = (0..u64::BITS).zip(&configuration.actors).filter(is_settled);
        settled.fold(0, |settled, (rank, _)| settled | 1 << rank)
    }

    fn add_scene(&mut self, scenes: &mut Scenes<C, P>, plot: Plot) -> u32 {
        let number = scenes.len() as u32;
        self.configurations[plot.configuration as usize].scenes.push(number);
        scenes.push(Scene::new());
        self.plots.push(plot);
        number
    }

    /// The cycle does not begin as its scene says.
    pub(super) fn begin_elsewhere(&mut self, scenes: &mut Scenes<C, P>, stands: u64, pc: u64) {
        let plot = &self.plots[self.scene as usize];
        let is_it = |begin: &Begin| begin.stands == stands && begin.pc.is_none_or(|at| at == pc);
        let known =
            plot.further.iter().position(|(told, _)| matches!(told, Told::Begin(begin) if is_it(begin)));
        if let Some(index) = known {
            return self.go_on_further(index);
        }
        let state = self.configurations[plot.configuration as usize].configuration.state;
        let is_new = plot.begin.is_none();
        let course = self.standing(state, stands);
        let begins = self.automaton.courses()[course as usize].begins;
        let begin = Begin { stands, pc: begins.then_some(pc) };
        match is_new {
            true => {
                self.plots[self.scene as usize].begin = Some(begin);
                self.fill(scenes, self.scene);
            }
            false => self.go_on_elsewhere(scenes, Told::Begin(begin)),
        }
    }

    /// A turn has ended otherwise than the scene says, or as nobody knows, or has to be compared.
    pub(super) fn end_turn_elsewhere(
        &mut self,
        scenes: &mut Scenes<C, P>,
        position: u32,
        end: End,
        done: Done<C::Mask>,
    ) {
        let due = if end == End::Done { done.due } else { 0 };
        let (decoded, counted) = (done.decoded, done.counted.into());
        let (deed, acts) = (std::mem::take(&mut self.deed), std::mem::take(&mut self.acts));
        let is_it = |known: &Outcome| {
            (known.end, known.due, known.decoded, known.counted) == (end, due, decoded, counted)
                && known.has_done(deed, &acts)
        };
        debug_assert!(deed == Deed::MORE || acts.is_empty(), "one act is a deed");
        let plot = &self.plots[self.scene as usize];
        // In most cases it is a turn that was predicted, and ends in one of several ways that are known.
        let further = plot.further.iter().position(
            |(told, _)| matches!(told, Told::Turn(at, outcome) if *at == position && is_it(outcome)),
        );
        if let Some(index) = further {
            return self.go_on_further(index);
        }
        let known = plot.outcomes.iter().find(|(at, _)| *at == position);
        if known.is_some_and(|(_, known)| is_it(known)) {
            return;
        }
        let is_new = known.is_none();
        let outcome = Outcome { end, due, decoded, acts: deed.with(acts), counted };
        match is_new {
            true => {
                self.plots[self.scene as usize].outcomes.push((position, outcome));
                self.fill(scenes, self.scene);
            }
            false => self.go_on_elsewhere(scenes, Told::Turn(position, outcome)),
        }
    }

    /// The turns of a usual cycle, by its number, at grouped positions have counted this, as far as they are before
    /// one: if that is not what its scene says, the cycle goes on in one that does.
    pub(super) fn recount(
        &mut self,
        scenes: &mut Scenes<C, P>,
        (cycle, counted): (u64, C::Mask),
        before: u32,
    ) {
        let scene = &scenes[self.scene as usize];
        if scene.usual_live() == UNUSUAL {
            return;
        }
        let count = match before {
            u32::MAX => C::COUNTERS.len(),
            _ => number_among(C::USUAL, before),
        };
        let counters = C::COUNTERS[..count].iter().fold(0, |all, counters| all | counters);
        let (counted, expected): (u128, u128) = (counted.into(), P::kept::<C::Mask>(scene.grouped).into());
        if counted == expected & counters {
            return;
        }
        self.forget_stalls(cycle);
        let told = Told::Counted(before, counted, self.stalls_now.1.clone());
        let own_counters = C::COUNTERS[..count].iter().zip(scene.usual.all());
        let changed = own_counters.filter_map(|(counters, slot)| {
            let own = counted & counters;
            (own != expected & counters).then_some((u32::from(slot.position), own))
        });
        let plot = &self.plots[self.scene as usize];
        if let Some(index) = plot.further.iter().position(|(known, _)| *known == told) {
            return self.go_on_further(index);
        }
        let mut outcomes = plot.outcomes_before(before).to_vec();
        for (position, own) in changed.collect::<Vec<_>>() {
            let Some((_, outcome)) = outcomes.iter_mut().find(|(at, _)| *at == position) else { continue };
            if C::STALLS >> position & 1 == 1 {
                let stall: u128 = stall_counter::<C>(position).into();
                outcome.counted = own & !stall;
                outcome.acts = self.stalls_at(position);
            } else {
                outcome.counted = own;
            }
        }
        let known = (plot.configuration, plot.begin);
        let scene = self.find_scene(scenes, known, outcomes);
        self.add_further(told, scene);
    }

    /// The cycle goes on in another scene, which agrees with this one up to here, and was not asked
    /// for from this one before.
    fn go_on_elsewhere(&mut self, scenes: &mut Scenes<C, P>, told: Told) {
        let scene = self.find_elsewhere(scenes, &told);
        self.add_further(told, scene);
    }

    fn add_further(&mut self, told: Told, scene: u32) {
        let further = &mut self.plots[self.scene as usize].further;
        further.push((told, scene));
        let index = further.len() - 1;
        self.go_on_further(index);
    }

    /// The cycle goes on in another scene that is known; what was told last is asked for first.
    fn go_on_further(&mut self, index: usize) {
        let further = &mut self.plots[self.scene as usize].further;
        // What is told of a turn is long: exchanging it for itself costs more than all else here.
        if index > 0 {
            further.swap(0, index);
        }
        let scene = further[0].1;
        self.is_elsewhere = true;
        self.closer |= CLOSER;
        self.scene = scene;
    }

    /// A scene of the same configuration that agrees with this one up to here, and in what is told;
    /// a new one if there is none.
    fn find_elsewhere(&mut self, scenes: &mut Scenes<C, P>, told: &Told) -> u32 {
        let plot = &self.plots[self.scene as usize];
        let (begin, outcomes) = match told {
            Told::Begin(begin) => (Some(*begin), Vec::new()),
            Told::Turn(position, outcome) => {
                let mut outcomes = plot.outcomes_before(*position).to_vec();
                outcomes.push((*position, outcome.clone()));
                (plot.begin, outcomes)
            }
            Told::Counted(..) => (plot.begin, plot.outcomes.clone()),
        };
        self.find_scene(scenes, (plot.configuration, begin), outcomes)
    }

    /// A scene of a configuration that begins so, and in which the first turns have ended so; a new one if there is
    /// none.
    fn find_scene(
        &mut self,
        scenes: &mut Scenes<C, P>,
        (configuration, begin): (u32, Option<Begin>),
        outcomes: Vec<(u32, Outcome)>,
    ) -> u32 {
        let behind_it = &self.configurations[configuration as usize].scenes;
        let agrees = |scene: &&u32| {
            let other = &self.plots[**scene as usize];
            other.begin == begin && other.outcomes.starts_with(&outcomes)
        };
        if let Some(scene) = behind_it.iter().find(agrees) {
            return *scene;
        }
        let scene = self.add_scene(scenes, Plot { begin, outcomes, ..Plot::new(configuration) });
        self.fill(scenes, scene);
        scene
    }

    /// The course of the cycle behind a state in which these stages stand and nothing else is told.
    fn standing(&mut self, state: u32, stands: u64) -> u32 {
        let mut course = self.automaton.first(state).expect(ONE_TURN);
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

    /// The course of a cycle behind a configuration, and what the retries in it put back into the
    /// first stage.
    fn replay(&mut self, state: u32, begin: Begin, outcomes: &[(u32, Outcome)]) -> (u32, Vec<PutBack>) {
        let mut course = self.standing(state, begin.stands);
        let mut put_back = Vec::new();
        for (position, outcome) in outcomes {
            course = self.course_of(course, *position, flushes(&outcome.acts));
            let class = self.records.get(outcome.decoded as usize).map_or(0, |record| record.class);
            let class = (class > 0).then_some(Event::Class(class));
            let taken = (outcome.due > 0).then_some(Event::Taken(outcome.due));
            let events: Vec<Event> = match outcome.end {
                End::Done => class.into_iter().chain(taken).collect(),
                End::Over(fate) => vec![Event::Over(fate)],
                End::Retried(_) => {
                    if P::ON {
                        put_back.push((*position, self.find_put_back(course, *position)));
                    }
                    vec![Event::Retry]
                }
                End::Doomed => vec![Event::Doomed],
            };
            course = self.course_of(course, *position, events);
        }
        (course, put_back)
    }

    /// Finds what every cycle looks at in a scene, from all that is known of it.
    fn fill(&mut self, scenes: &mut Scenes<C, P>, number: u32) {
        let plot = &self.plots[number as usize];
        let Some(begin) = plot.begin else { return };
        let configuration = Arc::clone(&self.configurations[plot.configuration as usize].configuration);
        let outcomes = plot.outcomes.clone();
        let (course, put_back) = self.replay(configuration.state, begin, &outcomes);
        let begun = begin.pc.map(|pc| self.begun(pc));
        let mut records: Vec<u32> = configuration.actors.iter().map(|actor| actor.record).collect();
        records.extend(begun);
        let mut scene = Scene::<C, P> { stands: begin.stands, begins: begun.is_some(), ..Scene::new() };
        scene.pc = begin.pc.unwrap_or_default();
        if begin.stands == 0 {
            (scene.pc_bits, scene.pc_expected) = begin.pc.map_or((0, 0), |pc| (-1, pc));
        }
        let parts = self.parts_of(course);
        let (mut live, mut slots, mut is_usual) = (0, Vec::new(), true);
        for part in &parts {
            let (position, rank) = (part.position, part.rank);
            let place = &self.schedule().places[self.place_at(position) as usize];
            let has_turn = place.kind != (PlaceKind::Walk { is_last: false });
            let outcome = outcomes.iter().find(|(at, _)| *at == position).map(|(_, outcome)| outcome);
            let predicted = outcome.map_or(Predicted::Unknown, Outcome::predicted);
            // What it counts is known, and there is nothing else to run.
            let is_still = C::STILL >> position & 1 == 1 && predicted == Predicted::Done;
            if has_turn && !is_still {
                live |= 1 << position;
                is_usual &= predicted != Predicted::Unknown && C::USUAL >> position & 1 == 1;
                debug_assert!(predicted != Predicted::Retried || C::RETRIES >> position & 1 == 1);
                let counted = narrow::<C::Mask>(outcome.map_or(0, |outcome| outcome.counted));
                slots.push((self.slot(part, records[rank as usize], outcome), counted));
            }
            let Some(outcome) = outcome else { continue };
            if outcome.decoded != UNKNOWN {
                let former = std::mem::replace(&mut records[rank as usize], outcome.decoded);
                let forgets = P::ON && former != outcome.decoded && self.is_decoded(former);
                if self.is_decoded(outcome.decoded) && !forgets {
                    let record = &self.records[outcome.decoded as usize];
                    (scene.decoded, scene.fetched) = (outcome.decoded, (record.address, record.word));
                }
            }
        }
        if is_usual {
            scene.usual_live = live;
            for (slot, counted) in slots {
                let number = number_among(C::USUAL, slot.position.into());
                let is_plain = slot.end == Predicted::Done && slot.deed == Deed::NONE;
                scene.plain |= u32::from(is_plain).checked_shl(number as u32).unwrap_or_default();
                let position = slot.position;
                if !is_plain && uncounted::<C, P>() >> position & 1 == 1 {
                    scene.usual_live |= UNPLAIN;
                }
                scene.counted.all_mut()[number] = P::keep(counted);
                scene.usual.all_mut()[number] = slot;
                if P::ON && C::GROUPED >> position & 1 == 1 {
                    let grouped = P::kept::<C::Mask>(scene.grouped).either(scene.expected_at(number));
                    scene.grouped = P::keep(grouped);
                }
            }
        } else {
            scene.others = Some(Box::new(Others { live, slots }));
        }
        scene.link.times.set(scenes[number as usize].link.times.get());
        scenes[number as usize] = scene;
        let plot = &mut self.plots[number as usize];
        (plot.begun, plot.course, plot.parts, plot.put_back) =
            (begun.unwrap_or_default(), course, parts, put_back);
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
    pub(super) fn parts_of(&self, course: u32) -> Vec<Part> {
        let mut next = 0;
        let turns = self.automaton.courses()[course as usize].turns.iter();
        let parts = turns.map(|turn| {
            let further = C::POSITIONS[next..].iter().position(|place| *place == turn.place);
            let position =
                next + further.expect("the places stand in an order in which cycles have their turns");
            next = position + 1;
            Part { position: position as u32, rank: turn.rank, busy: turn.busy }
        });
        parts.collect()
    }

    /// The course of the cycle at hand with nothing told behind the turn at a position, and of that
    /// turn what it has done to the pipeline so far.
    pub(super) fn course_so_far(&mut self, position: u32) -> u32 {
        let plot = &self.plots[self.scene as usize];
        let state = self.configurations[plot.configuration as usize].configuration.state;
        let (begin, outcomes) = (plot.begin, plot.outcomes_before(position).to_vec());
        let begin = begin.unwrap_or(Begin { stands: 0, pc: None });
        let (course, _) = self.replay(state, begin, &outcomes);
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
