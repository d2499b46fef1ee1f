//! The dispatcher: enters blocks, links them, and answers what steps cannot.

use std::collections::BTreeMap;

use sim_profile::Spending;

use super::block::{Arrival, Static};
use super::code::Code;
use super::machine::{BlockCore, Kernel, Leave, Profiling, Trap};
use crate::fault::{Fault, FaultKind, Stop};

/// Most instructions from one entry to the return; bounds the stack where calls in tail position
/// are not jumps.
const MAX_CHAIN: u64 = if cfg!(debug_assertions) { 512 } else { 8192 };

/// Runs a core through a code cache.
pub(super) struct Dispatcher<'e, C: BlockCore, P: Profiling> {
    pub core: &'e mut C,
    pub code: &'e mut Code<C, P>,
    pub rest: &'e mut Rest,
}

/// What is left to do between two chains, and what belongs to no block.
#[derive(Default)]
pub(super) struct Rest {
    /// The site that led to the current PC, not yet counted.
    pub arrived_from: Option<u32>,
    pub undecoded_faults: BTreeMap<u64, u64>,
    /// As [`crate::record::Recording::undecoded_extra_cycles`].
    pub undecoded_extra_cycles: BTreeMap<Option<u64>, u64>,
    /// What whoever comes from there again has to tell, where calls are followed.
    arrival: Arrival,
}

impl<C: BlockCore, P: Profiling> Dispatcher<'_, C, P> {
    /// Runs at most `budget` instructions from the current PC; gives how many have ended.
    pub(super) fn chain(&mut self, budget: u64) -> (u64, Option<Stop>) {
        let pc = self.core.pc();
        if self.code.pauses.contains(&pc) {
            self.settle_arrival();
            if self.code.checks_left() == Some(0) {
                return (0, None);
            }
        }
        let block = match self.code.block_at(self.core, pc) {
            Ok(block) => block,
            Err(kind) => {
                self.settle_arrival();
                if self.code.checks_left() == Some(0) {
                    return (0, None);
                }
                let stop = self.undecoded(pc, kind);
                return (u64::from(stop.is_none()), stop);
            }
        };
        match self.rest.arrived_from.take() {
            Some(site) => {
                let is_check = self.code.connect(self.core, (site, pc), block, self.rest.arrival);
                if is_check && self.code.pass_check() {
                    self.code.stop_block(block, 0);
                    return (0, None);
                }
            }
            None if P::ON => {
                let starts = &self.code.blocks[block as usize].starts;
                starts.set(starts.get() + 1);
            }
            None => {}
        }
        let records = &self.code.records[block as usize];
        let length = records.len() as u64;
        let chain = budget.min(MAX_CHAIN.max(length));
        let kernel = self.core.kernel();
        kernel.budget = chain;
        kernel.leave = Leave::RanOut;
        let (records, fuel) = match chain.checked_sub(length) {
            Some(fuel) => (&records[..], fuel),
            None => (&records[..chain as usize], 0),
        };
        if let Some(first) = records.first() {
            (first.run)(self.core, self.code, records, pc, fuel);
        }
        self.after_chain(block, chain)
    }

    fn after_chain(&mut self, block: u32, chain: u64) -> (u64, Option<Stop>) {
        let kernel = self.core.kernel();
        let (leave, site, remaining) = (kernel.leave, kernel.site, kernel.remaining);
        let struck = kernel.struck.take();
        let ended = chain - remaining;
        kernel.instructions += ended;
        match leave {
            Leave::RanOut => {
                if let Some(last) = (chain as u32).checked_sub(1) {
                    self.follow_calls(None, |code| code.source_at(block, last));
                }
                self.code.stop_block(block, chain as u32);
                (ended, None)
            }
            Leave::Check => (ended, None),
            Leave::Transfer => {
                let arrival = self.follow_known(site);
                self.rest.arrival =
                    arrival.unwrap_or_else(|| self.follow_calls(None, |code| code.source_of(site)));
                self.rest.arrived_from = Some(site);
                (ended, None)
            }
            Leave::CodeWritten => {
                self.follow_calls(struck, |code| code.source_of(site));
                self.code.stop(site, true);
                self.note_transfer(site);
                (ended, self.core.kernel().exit())
            }
            Leave::Trap(trap) => self.after_trap(site, trap, ended),
        }
    }

    /// A step was left by a way that it has gone before, since the turn is over; what whoever goes there
    /// again has to tell, if that is known.
    fn follow_known(&mut self, site: u32) -> Option<Arrival> {
        let calls = self.code.calls.as_ref()?;
        let arrival = self.code.arrival(site, self.core.pc())?;
        if let Arrival::Way(way) = arrival {
            let kernel = self.core.kernel();
            let now = Spending { instructions: kernel.instructions, cycles: kernel.cycles() };
            calls.borrow_mut().take(way, now);
        }
        Some(arrival)
    }

    /// An instruction has gone on at the PC, or where it was struck; what whoever goes there again has to tell.
    fn follow_calls(
        &mut self,
        struck: Option<u64>,
        source: impl FnOnce(&Code<C, P>) -> Option<&Static>,
    ) -> Arrival {
        let (Some(calls), Some(source)) = (&self.code.calls, source(self.code)) else {
            return Arrival::Untold;
        };
        let mut calls = calls.borrow_mut();
        let way = calls.follow::<C, P>(self.core, source, struck);
        let newly_awaited = calls.take_newly_awaited();
        drop(calls);
        newly_awaited.into_iter().for_each(|address| self.code.disconnect(address));
        match way {
            Some(way) => Arrival::Way(way),
            None => Arrival::Untold,
        }
    }

    /// A step was left without a link: its transfer is counted here.
    fn note_transfer(&mut self, site: u32) {
        let (pc, model) = (self.core.pc(), self.core.model());
        let Some(entry) = self.code.static_of(site) else { return };
        let address = entry.address;
        if pc == model.successor(address, entry.size_cells) {
            return;
        }
        if P::ON {
            *self.code.retired.transfers.entry((address, pc)).or_default() += 1;
        }
        if self.code.is_check(self.core, site, pc) {
            self.code.pass_check();
        }
    }

    fn after_trap(&mut self, site: u32, trap: Trap, ended: u64) -> (u64, Option<Stop>) {
        let Kernel { address, trap_value: value, .. } = *self.core.kernel();
        if let Some(kind) = trap.fault(self.core.kernel()) {
            self.code.stop(site, false);
            if let Some(entry) = self.code.static_of(site) {
                entry.faulted.set(entry.faulted.get() + 1);
            }
            let stop = self.fault(kind, address, Some(site));
            let cycles = self.core.kernel().take_extra_cycles();
            self.code.charge_extra_cycles(site, cycles);
            // One that was handled takes its place in the budget, as a cancelled one does.
            return (ended + u64::from(stop.is_none()), stop);
        }
        let cycles = self.core.kernel().take_extra_cycles();
        self.code.charge_extra_cycles(site, cycles);
        if trap == Trap::Halt {
            self.code.stop(site, true);
            self.core.kernel().instructions += 1;
            let exit = self.core.kernel().exit();
            return (ended + 1, exit.or(Some(Stop::Halted(value as u32 as i32))));
        }
        self.code.stop(site, false);
        if trap == Trap::Interrupt {
            if let Some(entry) = self.code.static_of(site) {
                entry.unfinished.set(entry.unfinished.get() + 1);
            }
            self.core.kernel().unfinished += 1;
            return (ended, Some(Stop::Interrupted));
        }
        if let Some(entry) = self.code.static_of(site) {
            entry.cancelled.set(entry.cancelled.get() + 1);
        }
        self.core.kernel().cancelled += 1;
        self.follow_cancelled(site);
        // A cancelled instruction takes its place in the budget, so that a guest of nothing else
        // comes to an end all the same.
        (ended + 1, self.core.kernel().exit())
    }

    fn undecoded(&mut self, pc: u64, kind: FaultKind) -> Option<Stop> {
        self.core.kernel().budget = 1;
        let trap = self.core.before_decoding().err();
        let kind = trap.and_then(|trap| trap.fault(self.core.kernel())).unwrap_or(kind);
        if P::ON {
            *self.rest.undecoded_faults.entry(pc).or_default() += 1;
        }
        let stop = self.fault(kind, pc, None);
        self.charge_undecoded(Some(pc));
        stop
    }

    /// Extra cycles that belong to no instruction that was decoded.
    pub(super) fn charge_undecoded(&mut self, address: Option<u64>) {
        let cycles = self.core.kernel().take_extra_cycles();
        if P::ON && cycles > 0 {
            let sum = self.rest.undecoded_extra_cycles.entry(address).or_default();
            *sum = sum.saturating_add(cycles);
        }
    }

    /// Counts the transfer that led to the current PC apart from the links: the block there is
    /// not entered now, or not known.
    pub(super) fn settle_arrival(&mut self) {
        if let Some(site) = self.rest.arrived_from.take() {
            self.code.stop(site, true);
            self.note_transfer(site);
        }
    }

    /// An instruction was abandoned and the run goes on at the PC.
    fn follow_cancelled(&mut self, site: u32) {
        let (Some(calls), Some(source)) = (&self.code.calls, self.code.source_of(site)) else { return };
        let mut calls = calls.borrow_mut();
        calls.follow_cancelled(self.core, source);
        let newly_awaited = calls.take_newly_awaited();
        drop(calls);
        newly_awaited.into_iter().for_each(|address| self.code.disconnect(address));
    }

    /// An instruction is at fault, which has a site if it was decoded; `None` if `memory_fault` has seen to
    /// it and the run goes on.
    fn fault(&mut self, kind: FaultKind, instruction_address: u64, site: Option<u32>) -> Option<Stop> {
        let cycle = self.core.kernel_ref().cycles();
        let stop = |kind| Some(Stop::Fault(Fault { kind, instruction_address, cycle }));
        let handled = match kind {
            FaultKind::Memory { access, address } => {
                let kernel = self.core.kernel();
                (kernel.trap_value, kernel.fault_access) = (address, access.number());
                self.core.memory_fault(instruction_address)
            }
            _ => None,
        };
        let kernel = self.core.kernel();
        kernel.faulted += 1;
        match handled {
            None | Some(Err(Trap::Unhandled)) => stop(kind),
            Some(Ok(()) | Err(Trap::Cancel | Trap::Retry)) => {
                let exit = kernel.exit();
                site.into_iter().for_each(|site| self.follow_cancelled(site));
                exit
            }
            Some(Err(Trap::Halt)) => kernel.exit().or(Some(Stop::Halted(kernel.trap_value as u32 as i32))),
            Some(Err(Trap::Interrupt)) => Some(Stop::Interrupted),
            Some(Err(trap)) => stop(trap.fault(kernel).unwrap_or(kind)),
        }
    }
}
