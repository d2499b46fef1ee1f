//! Compiled code is run, and whatever it has come back for is done.

use std::sync::Arc;

use sim_profile::Spending;
use sim_runtime::{FaultKind, Stop};

use super::{FEW, PATIENCE, TranslatedEngine};
use crate::code::{Connected, Next, Teller, Told, Version};
use crate::codegen::{Exit, Site, SiteKind};
use crate::core::Ending;
use crate::interpret::Outcome;
use crate::layout;
use crate::mode::Mode;
use crate::native::Entry;
use crate::residual::Trap;
use crate::specialise::{Place, Step};

/// After so many times an instruction is compiled so that it need not be left to the interpreter.
const OFTEN: u32 = 64;
/// Most times that all code is made anew for further places that a jump leads to.
const MOST_WIDENED: u32 = 24;

/// How compiled code came to a place that is not connected.
#[derive(Debug, Clone, Copy)]
pub(super) enum Way {
    Link(Connected),
    /// From a site.
    Jump(u64),
    /// From a site where a frame has been taken off.
    Return(u64),
    /// By a way that whoever follows calls is told of each time.
    Told(Told),
}

/// Which transfer compiled code has come back for, if that is why.
pub(super) fn teller(exit: u64, number: u64, pc: u64) -> Option<Teller> {
    match exit {
        _ if exit == Exit::Link as u64 => Some(Teller::Link(number)),
        _ if exit == Exit::Jump as u64 => Some(Teller::Jump(number, pc)),
        _ => None,
    }
}

impl TranslatedEngine<'_> {
    /// Enters compiled code; gives how much of the budget it takes.
    pub(super) fn run_compiled(
        &mut self,
        (version, place): (Version, Place),
        entry: Entry,
        allowed: u64,
    ) -> (u64, Option<Stop>) {
        let Some(code) = &mut self.code else { return (0, None) };
        code.set_pending(&self.core, &mut self.steps, place.pending);
        let is_same = std::mem::replace(&mut self.version, version) == version;
        match self.came_by.take().filter(|_| is_same) {
            // A timer whose time comes between the two is not what the link stands for.
            Some(Way::Link(link)) if link.target.pending == place.pending => {
                code.connect(&self.core, link, entry);
            }
            Some(Way::Jump(site)) => {
                let target = (place.address, entry);
                code.connect_jump(&self.core, &mut self.steps, (version, site, false), target);
            }
            Some(Way::Return(site)) => {
                let target = (place.address, entry);
                code.connect_jump(&self.core, &mut self.steps, (version, site, true), target);
            }
            Some(Way::Told(told)) if told.pending == place.pending => code.follow(&self.core, told, entry),
            Some(Way::Link(_) | Way::Told(_)) | None => {}
        }
        self.core.state.arena.set_word(layout::FUEL as u64, allowed);
        self.core.state.arena.set_word(layout::LOOP_TURNS as u64, 0);
        self.core.allowed = allowed;
        let (mut entry, mut told) = (entry, None);
        let (fuel, exit, number, told_pc) = loop {
            code.run(&mut self.core, self.calls.as_mut(), entry);
            let arena = &self.core.state.arena;
            let fuel = arena.word(layout::FUEL as u64) as i64;
            let (exit, number) = (arena.word(layout::EXIT as u64), arena.word(layout::SITE as u64));
            let told_pc = arena.word(layout::VALUE as u64 + 8);
            let calls = self.calls.as_mut().filter(|_| self.sampled.is_none());
            if let Some((calls, teller)) = calls.zip(teller(exit, number, told_pc)) {
                let taken = allowed.wrapping_sub(fuel as u64);
                let instructions = self.core.instructions + taken;
                let now = Spending { instructions, cycles: self.core.cycles(taken) };
                match code.tell(&self.core, calls, teller, now) {
                    Next::Settle => {}
                    Next::Look(way) => told = Some(way),
                    Next::GoOn(next) => {
                        entry = next;
                        continue;
                    }
                }
            }
            break (fuel, exit, number, told_pc);
        };
        self.arrived = true;
        if exit == Exit::Link as u64 {
            let link = code.link(number);
            let Place { address, mode, pending } = link.target;
            let ended = self.ended(allowed, fuel, address);
            let told =
                told.or_else(|| self.follow_step(link.step, address, Teller::Link(number), (mode, pending)));
            self.came_by = Some(told.map_or(Way::Link(link), Way::Told));
            return (ended, None);
        }
        let site = self.core.sites[number as usize];
        let pc = site.pc.unwrap_or(told_pc);
        if exit == Exit::Jump as u64 {
            let (mode, pending) = (code.jump_mode(number), code.pending(site.region));
            if told.is_none() {
                self.learn_target(site.step, pc);
            }
            let ended = self.ended(allowed, fuel, pc);
            let told =
                told.or_else(|| self.follow_step(site.step, pc, Teller::Jump(number, pc), (mode, pending)));
            self.came_by = Some(told.map_or(Way::Jump(number), Way::Told));
            return (ended, None);
        }
        if exit == Exit::Return as u64 {
            let ended = self.ended(allowed, fuel, pc);
            self.count_transfer(site.step, pc);
            self.came_by = Some(Way::Return(number));
            return (ended, None);
        }
        self.core.sites[number as usize].times += 1;
        if let Some(sum) = site.taken {
            let arena = &mut self.core.state.arena;
            let taken = arena.word(sum.into()).wrapping_sub(fuel as u64);
            arena.set_word(sum.into(), taken);
        }
        let ended = self.ended(allowed, fuel - site.begun, pc);
        self.settle_check(site);
        match site.kind {
            SiteKind::Budget => {
                self.slow = self.slow_behind(version, allowed, ended);
                (ended, None)
            }
            SiteKind::Interpreted => self.redo(ended),
            SiteKind::Redo => {
                let times = self.redone.entry(pc).or_default();
                *times += 1;
                if times.is_multiple_of(OFTEN) {
                    // It may do as it is where less is taken for code.
                    let is_tried = std::mem::take(&mut self.core.state.claims_less);
                    let reached = self.reached.get(&pc).copied();
                    let is_elsewhere = reached.is_some() && reached != self.expected.get(&pc).copied();
                    match *times / OFTEN {
                        _ if is_tried => *times = 0,
                        _ if is_elsewhere && self.turned.insert(pc) => {
                            self.expected.extend(reached.map(|ram| (pc, ram)));
                            *times = 0;
                        }
                        1 => _ = self.near.insert(pc),
                        _ => _ = self.precise.insert(pc),
                    }
                    self.is_stale = *times <= 2 * OFTEN;
                }
                self.redo(ended)
            }
            SiteKind::Written => {
                self.count_transfer(site.step, pc);
                self.pass_transfer(site.step, pc);
                let step = Arc::clone(self.steps.step(site.step));
                self.follow(&step, pc);
                (ended, self.core.devices.exit_status().map(Stop::Halted))
            }
            _ => self.trap(site, pc, ended),
        }
    }

    /// A version of compiled code has come to where its budget may not reach to where it is asked next, so many
    /// instructions having ended: how many are interpreted.
    fn slow_behind(&mut self, version: Version, allowed: u64, ended: u64) -> u64 {
        if version == Version::Long && self.approach() {
            self.patience = 0;
            return 0;
        }
        let Some(sampled) = &self.sampled else { return allowed - ended };
        if version == Version::Long {
            self.patience = if sampled.is_turn_near() { 0 } else { PATIENCE };
        }
        // Another place may come along that needs less.
        if ended > 0 { 0 } else { FEW }
    }

    /// Nothing has happened that stands of the last instruction that began: the interpreter takes it.
    pub(super) fn redo(&mut self, begun: u64) -> (u64, Option<Stop>) {
        self.core.instructions -= 1;
        self.is_left = true;
        self.slow = 1;
        (begun - 1, None)
    }

    /// An instruction in compiled code has not ended as instructions do.
    pub(super) fn trap(&mut self, site: Site, pc: u64, begun: u64) -> (u64, Option<Stop>) {
        let index = self.core.state.arena.word(layout::VALUE as u64);
        self.core.instructions -= 1;
        let ending = match (site.kind, self.core.told.take()) {
            (SiteKind::Trap(Trap::Cancel), _) => Ending::Cancelled,
            (SiteKind::Trap(Trap::DivisionByZero), _) => Ending::Fault(FaultKind::DivisionByZero),
            (SiteKind::RegisterIndex(register), _) => {
                Ending::Fault(FaultKind::RegisterIndex { register, index })
            }
            (SiteKind::Told, Some(ending)) => ending,
            _ => Ending::Fault(FaultKind::IllegalInstruction),
        };
        let step = Arc::clone(self.steps.step(site.step));
        // What it has counted stands in its counters, or not at all.
        self.core.counters.clear();
        let outcome = Outcome { pc, ending: Some(ending), is_decoded: true, unreached: None };
        let (taken, stop) = self.count(site.step, &step, outcome);
        (begun - 1 + taken, stop)
    }

    /// Compiled code has left so much of the budget; gives how many instructions have begun.
    pub(super) fn ended(&mut self, allowed: u64, fuel: i64, pc: u64) -> u64 {
        let ended = self.spend(allowed.wrapping_sub(fuel as u64));
        self.core.instructions += ended;
        self.core.state.set_pc(pc);
        ended
    }

    /// A computed jump has led where it was not known to lead. What goes by a table is made anew when
    /// twice as many places are known.
    pub(super) fn learn_target(&mut self, step: u32, pc: u64) {
        let from = self.steps.step(step).address;
        let known = self.steps.table_of(from).len();
        self.count_transfer(step, pc);
        let places = self.steps.table_of(from).len();
        if places > known && places.is_power_of_two() && self.widened < MOST_WIDENED {
            self.widened += 1;
            self.is_stale = true;
        }
    }

    /// A step has gone on at an address, which compiled code tells; the transfer if whoever follows calls has
    /// to be told the next time, too.
    pub(super) fn follow_step(
        &mut self,
        step: u32,
        pc: u64,
        by: Teller,
        behind: (Mode, u64),
    ) -> Option<Told> {
        let step = Arc::clone(self.steps.step(step));
        Some(Told::new(by, self.follow(&step, pc)?, behind))
    }

    /// A step has gone on at an address; the number of the way if whoever follows calls has to be told the
    /// next time, too.
    pub(super) fn follow(&mut self, step: &Step, pc: u64) -> Option<u32> {
        let struck = self.core.take_struck();
        let now = Spending { instructions: self.core.instructions, cycles: self.core.cycles(0) };
        let calls = self.calls.as_mut()?;
        calls.learn(step);
        let Some(next) = struck else { return calls.follow(self.core.model(), step, pc, now) };
        calls.follow(self.core.model(), step, next, now);
        calls.recorder().strike(next, pc, now);
        None
    }

    /// A cycle that had no instruction is over, and the run goes on at an address.
    pub(super) fn follow_nothing(&mut self, pc: u64) {
        let struck = self.core.take_struck();
        let now = Spending { instructions: self.core.instructions, cycles: self.core.cycles(0) };
        if let Some((next, calls)) = struck.zip(self.calls.as_mut()) {
            calls.recorder().strike(next, pc, now);
        }
    }

    pub(super) fn count_transfer(&mut self, step: u32, pc: u64) {
        let from = Arc::clone(self.steps.step(step));
        if pc != self.core.model().successor(from.address, from.size_cells) {
            self.note_transfer(step, pc);
        }
    }
}
