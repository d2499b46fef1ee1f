//! What was counted, by what is over.

use std::collections::BTreeMap;

use sim_profile::{CacheLines, LostCause, Overhead};

use super::core::TimedCore;
use super::flight::Flight;
use super::prediction::Scenes;
use super::record::Tally;
use super::scene::{Actor, Effect, Ended, Whose};
use super::turn::line_counter;
use crate::kernel::Profiling;
use isac_ir::automaton::Fate;

/// What was counted.
#[derive(Debug, Clone, Default)]
pub(super) struct Totals {
    /// By record.
    tallies: Vec<Tally>,
    /// In how many cycles each course of the automaton was taken.
    pub courses: Vec<u64>,
    /// Jumps of the program, from record to record.
    pub jumps: BTreeMap<(u32, u32), u64>,
    /// Instructions that were never decoded and not at fault.
    pub undecoded: u64,
    /// Faults before anything was decoded, by instruction address.
    pub undecoded_faults: BTreeMap<u64, u64>,
    /// Lines of caches, by address and cache, that no tally tells.
    pub lines: BTreeMap<(Option<u64>, u32), CacheLines>,
    /// Lost and extra cycles of what was never decoded.
    pub overheads: BTreeMap<Option<u64>, Overhead>,
    /// The stages that instructions were in when a fault ended the run, and whether each stood.
    pub at_fault: Vec<(u32, bool)>,
}

impl Totals {
    /// What was counted of a record.
    pub(super) fn tally(&mut self, record: u32) -> &mut Tally {
        let index = record as usize;
        if self.tallies.len() <= index {
            self.tallies.resize_with(index + 1, Tally::default);
        }
        &mut self.tallies[index]
    }

    pub(super) fn add_course(&mut self, course: u32, times: u64) {
        let index = course as usize;
        if self.courses.len() <= index {
            self.courses.resize(index + 1, 0);
        }
        self.courses[index] += times;
    }

    pub(super) fn add_lines(&mut self, address: Option<u64>, cache: u32, lines: CacheLines) {
        if !lines.is_zero() {
            self.lines.entry((address, cache)).or_default().add(lines);
        }
    }

    /// What somebody pays for; nobody of whom it is not known yet who it is is asked here.
    fn overhead_of(&mut self, whose: Whose) -> Option<&mut Overhead> {
        match whose {
            Whose::Record(number) => Some(&mut self.tally(number).overhead),
            Whose::Undecoded(address) => Some(self.overheads.entry(address).or_default()),
            Whose::InFlight(_) => None,
        }
    }

    /// Somebody pays for extra cycles.
    pub(super) fn charge_extra(&mut self, whose: Whose, cycles: u64) {
        if cycles > 0
            && let Some(overhead) = self.overhead_of(whose)
        {
            overhead.extra_cycles += cycles;
        }
    }

    /// Somebody pays for lost cycles.
    pub(super) fn charge_lost(&mut self, whose: Whose, cause: LostCause, cycles: u64) {
        if cycles > 0
            && let Some(overhead) = self.overhead_of(whose)
        {
            overhead.add_lost(cause, cycles);
        }
    }
}

impl<C: TimedCore, P: Profiling> Flight<C, P> {
    /// Adds what the scenes have counted so far.
    pub(super) fn add_scenes(&self, scenes: &Scenes<C, P>, totals: &mut Totals) {
        let times = scenes.iter().map(|scene| scene.link.times.get());
        for (times, plot) in times.zip(&self.plots).filter(|(times, _)| *times > 0) {
            totals.add_course(plot.course, times);
            if let Some(effect) = &plot.effect {
                self.add_effect(totals, effect, times);
            }
        }
    }

    /// Adds what a cycle has led to, so many times.
    pub(super) fn add_effect(&self, totals: &mut Totals, effect: &Effect, times: u64) {
        for Ended { actor, fate, .. } in &effect.ends {
            self.add_end(totals, actor, *fate, times);
        }
        for jump in &effect.jumps {
            *totals.jumps.entry(*jump).or_default() += times;
        }
        for (whose, cause) in &effect.charges {
            totals.charge_lost(*whose, self.causes[*cause as usize], times);
        }
    }

    fn add_end(&self, totals: &mut Totals, actor: &Actor, fate: Fate, times: u64) {
        let record = &self.records[actor.record as usize];
        let whose = self.whose(actor.record, fate);
        if let Some(cause) = actor.lost {
            totals.charge_lost(whose, self.causes[cause as usize], times);
        }
        match (record.is_decoded(), fate) {
            (true, Fate::Executed) => {
                let tally = totals.tally(actor.record);
                tally.executed += times;
                tally.add_all(actor.counted, times);
                tally.add_all(actor.again, times);
                return;
            }
            (true, Fate::Cancelled | Fate::Flushed) => totals.tally(actor.record).cancelled += times,
            (true, Fate::Faulted) => totals.tally(actor.record).faulted += times,
            (false, Fate::Faulted) => {
                *totals.undecoded_faults.entry(record.address).or_default() += times;
            }
            (false, _) => totals.undecoded += times,
        }
        let address = self.address_of(actor.record, fate == Fate::Faulted);
        for (cache, hits) in self.hits_of(actor) {
            totals.add_lines(address, cache, CacheLines { hits: hits * times, ..CacheLines::default() });
        }
    }

    /// By cache, the lines that an instruction has hit as its counters tell.
    pub(super) fn hits_of(&self, actor: &Actor) -> impl Iterator<Item = (u32, u64)> {
        let (counted, again) = (actor.counted, actor.again);
        C::LINES.iter().enumerate().map(move |(index, (_, cache))| {
            let counter = line_counter::<C>(index);
            (*cache, (counted >> counter & 1) as u64 + (again >> counter & 1) as u64)
        })
    }

    /// Scenes are counted and forgotten: there are too many.
    #[cold]
    pub(super) fn forget_scenes(&mut self, scenes: &mut Scenes<C, P>) {
        let mut totals = std::mem::take(&mut self.totals);
        self.add_scenes(scenes, &mut totals);
        self.totals = totals;
        let here = self.plots[self.next as usize].configuration;
        let configuration = self.configurations[here as usize].configuration.as_ref().clone();
        scenes.clear();
        self.plots.clear();
        self.configurations.clear();
        self.numbers.clear();
        self.agreeing.clear();
        self.scene = super::scene::UNKNOWN;
        self.next = self.scene_of(scenes, configuration);
    }
}
