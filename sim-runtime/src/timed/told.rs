//! Where a cycle does not go as its scene says, and which other scene it goes on in.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use isac_ir::schedule::PlaceKind;
use rustc_hash::FxHasher;

use super::core::TimedCore;
use super::flight::Flight;
use super::outcomes::{AllTurned, Outcome, Turned, outcome_at, turned_before};
use super::prediction::{CLOSER, Deed, Scene, Scenes, Slots, UNUSUAL, number_among};
use super::scene::{Actor, Begin, Configuration, End, Known, Plot, Told, UNKNOWN};
use super::turn::{Done, stall_counter};
use crate::kernel::Profiling;

/// How many other scenes a scene keeps at hand; more are found by their hashes. Tests, which are not optimised, see that
/// often.
const MOST_KEPT: usize = if cfg!(debug_assertions) { 2 } else { 8 };

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
        self.configurations.push(Known { configuration, settled, latest: UNKNOWN });
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
        scenes.push(Scene::new());
        self.plots.push(plot);
        number
    }

    /// The cycle does not begin as its scene says.
    pub(super) fn begin_elsewhere(&mut self, scenes: &mut Scenes<C, P>, stands: u64, pc: u64) {
        let plot = &self.plots[self.scene as usize];
        let is_it = |begin: &Begin| begin.stands == stands && begin.pc.is_none_or(|at| at == pc);
        let known =
            plot.elsewhere.iter().position(|(told, _)| matches!(told, Told::Begin(begin) if is_it(begin)));
        if let Some(index) = known {
            return self.go_on_again(index);
        }
        let state = self.configurations[plot.configuration as usize].configuration.state;
        let is_new = plot.begin.is_none();
        let course = self.standing(state, stands);
        let begins = self.automaton.courses()[course as usize].begins;
        let begin = Begin { stands, pc: begins.then_some(pc) };
        match is_new {
            true => {
                self.plots[self.scene as usize].begin = Some(begin);
                self.make(scenes, self.scene);
            }
            false => {
                let known = (self.plots[self.scene as usize].configuration, Some(begin));
                let scene = self.find_scene(scenes, known, AllTurned::new());
                self.go_on_in(Told::Begin(begin), scene);
            }
        }
    }

    /// A turn has ended otherwise than the scene says, or as nobody knows, or has to be compared.
    pub(super) fn end_turn_elsewhere(
        &mut self,
        scenes: &mut Scenes<C, P>,
        (position, record): (u32, u32),
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
        let is_at = |turned: Turned| turned.position == position && is_it(self.outcomes.get(turned.outcome));
        // In most cases it is a turn that was predicted, and ends in one of several ways that are known.
        let again =
            plot.elsewhere.iter().position(|(told, _)| matches!(told, Told::Turn(turned) if is_at(*turned)));
        if let Some(index) = again {
            return self.go_on_again(index);
        }
        let known = outcome_at(&plot.turned, position);
        if known.is_some_and(|known| is_it(self.outcomes.get(known))) {
            return;
        }
        let outcome = self.outcomes.number(Outcome { end, due, decoded, acts: deed.with(acts), counted });
        let turned = Turned { position, outcome };
        if end == End::Done {
            self.records[record as usize].learn(turned);
        }
        match known {
            None => {
                self.plots[self.scene as usize].turned.push(turned);
                self.make(scenes, self.scene);
            }
            Some(_) => {
                let plot = &self.plots[self.scene as usize];
                let known = (plot.configuration, plot.begin);
                let mut all = AllTurned::from_slice(turned_before(&plot.turned, position));
                all.push(turned);
                let scene = self.find_scene(scenes, known, all);
                self.go_on_in(Told::Turn(turned), scene);
            }
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
            (own != expected & counters).then_some((u32::from(slot.position), slot.record, own))
        });
        let plot = &self.plots[self.scene as usize];
        if let Some(index) = plot.elsewhere.iter().position(|(known, _)| *known == told) {
            return self.go_on_again(index);
        }
        let mut turned = AllTurned::from_slice(turned_before(&plot.turned, before));
        for (position, record, own) in changed.collect::<Vec<_>>() {
            let Some(turned) = turned.iter_mut().find(|turned| turned.position == position) else { continue };
            let mut outcome = self.outcomes.get(turned.outcome).clone();
            if C::STALLS >> position & 1 == 1 {
                let stall: u128 = stall_counter::<C>(position).into();
                outcome.counted = own & !stall;
                outcome.acts = self.stalls_at(position);
            } else {
                outcome.counted = own;
            }
            let is_done = outcome.end == End::Done;
            turned.outcome = self.outcomes.number(outcome);
            if is_done {
                self.records[record as usize].learn(*turned);
            }
        }
        let plot = &self.plots[self.scene as usize];
        let known = (plot.configuration, plot.begin);
        let scene = self.find_scene(scenes, known, turned);
        self.go_on_in(told, scene);
    }

    /// The cycle goes on in a scene that was found for what is told.
    fn go_on_in(&mut self, told: Told, scene: u32) {
        let elsewhere = &mut self.plots[self.scene as usize].elsewhere;
        elsewhere.truncate(MOST_KEPT - 1);
        elsewhere.push((told, scene));
        let index = elsewhere.len() - 1;
        self.go_on_again(index);
    }

    /// The cycle goes on in another scene that is kept; what was told last is asked for first.
    fn go_on_again(&mut self, index: usize) {
        let elsewhere = &mut self.plots[self.scene as usize].elsewhere;
        // What is told of a turn is long: exchanging it for itself costs more than all else here.
        if index > 0 {
            elsewhere.swap(0, index);
        }
        let scene = elsewhere[0].1;
        self.is_elsewhere = true;
        self.closer |= CLOSER;
        self.scene = scene;
    }

    /// A scene of a configuration that begins so, and in which the first turns have ended so; a new one if there is
    /// none.
    fn find_scene(
        &mut self,
        scenes: &mut Scenes<C, P>,
        (configuration, begin): (u32, Option<Begin>),
        turned: AllTurned,
    ) -> u32 {
        let key = prefix_hashes((configuration, begin), &turned).last();
        if let Some(scene) = key.and_then(|key| self.agreeing.get(&key)) {
            let other = &self.plots[*scene as usize];
            if (other.configuration, other.begin) == (configuration, begin)
                && other.turned.starts_with(&turned)
            {
                return *scene;
            }
        }
        // A scene that has siblings is found by all of its first turns.
        self.note_agreeing(self.scene);
        let scene = self.add_scene(scenes, Plot { begin, turned, ..Plot::new(configuration) });
        self.make(scenes, scene);
        self.note_agreeing(scene);
        scene
    }

    fn note_agreeing(&mut self, scene: u32) {
        let plot = &self.plots[scene as usize];
        for key in prefix_hashes((plot.configuration, plot.begin), &plot.turned) {
            self.agreeing.entry(key).or_insert(scene);
        }
    }
}

/// Hashes of a configuration with a begin and none of the turns, the first one, the first two, ..., all of them.
pub(super) fn prefix_hashes(begun: (u32, Option<Begin>), turned: &[Turned]) -> impl Iterator<Item = u64> {
    let mut hasher = FxHasher::default();
    begun.hash(&mut hasher);
    let of_none = hasher.finish();
    let further = turned.iter().map(move |turn| {
        turn.hash(&mut hasher);
        hasher.finish()
    });
    std::iter::once(of_none).chain(further)
}
