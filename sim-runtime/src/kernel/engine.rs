//! The engine for instruction-accurate models: a generated core with its code cache.

use std::cell::RefCell;
use std::collections::BTreeSet;

use sim_profile::{Calls, Measurement, Samples, Sampling, Spending};

use super::calls::CallTrail;
use super::code::Code;
use super::dispatch::{Dispatcher, Rest};
use super::machine::{BlockCore, Profiling, Trap};
use super::sampled::Sampled;
use crate::engine::{Engine, Machine};
use crate::fault::{Fault, Stop, TURNS_UNASKED};
use crate::host::Host;
use crate::pause::Pauses;
use crate::record::{FunctionMap, Recording};

/// A generated core with its code cache: the engine for instruction-accurate models.
pub struct EmittedEngine<C: BlockCore, P: Profiling> {
    core: C,
    code: Code<C, P>,
    rest: Rest,
    /// What else there is where samples are taken.
    sampled: Option<Box<Sampled<C, P>>>,
    pauses: Pauses,
    is_reset: bool,
    stopped: Option<Stop>,
}

impl<C: BlockCore, P: Profiling> EmittedEngine<C, P> {
    /// An engine around a core after reset.
    pub fn new(core: C) -> Self {
        EmittedEngine {
            core,
            code: Code::default(),
            rest: Rest::default(),
            sampled: None,
            pauses: Pauses::default(),
            is_reset: false,
            stopped: None,
        }
    }

    /// Runs the code that counts.
    fn counting(&mut self) -> Dispatcher<'_, C, P> {
        Dispatcher { core: &mut self.core, code: &mut self.code, rest: &mut self.rest }
    }

    /// Whether what runs now is counted, if anything is.
    fn is_recording(&self) -> bool {
        self.sampled.as_ref().is_none_or(|sampled| sampled.is_recording())
    }

    /// As [`Dispatcher::chain`], through the code whose turn it is.
    fn chain_sampled(&mut self, left: u64) -> (u64, Option<Stop>) {
        let EmittedEngine { core, code, rest, sampled, .. } = self;
        let Some(sampled) = sampled else { return (0, None) };
        sampled.look(code, core.kernel());
        match sampled.is_recording() {
            true => Dispatcher { core, code, rest }.chain(left),
            false => Dispatcher { core, code: &mut sampled.silent, rest }.chain(left),
        }
    }

    /// Counts the transfer that led to the current PC, if it was not counted yet.
    fn settle_arrival(&mut self) {
        let EmittedEngine { core, code, rest, sampled, .. } = self;
        match sampled {
            Some(sampled) if !sampled.is_recording() => {
                Dispatcher { core, code: &mut sampled.silent, rest }.settle_arrival();
            }
            _ => Dispatcher { core, code, rest }.settle_arrival(),
        }
        if let Some(sampled) = sampled {
            sampled.look(code, core.kernel());
        }
    }

    /// Code has changed.
    fn forget_code(&mut self) {
        self.settle_arrival();
        self.code.retire();
        if let Some(sampled) = &mut self.sampled {
            sampled.silent.retire();
        }
        self.core.unmark_code();
    }

    /// Runs operation `reset` once; it belongs to no instruction.
    fn reset(&mut self) -> Option<Stop> {
        if std::mem::replace(&mut self.is_reset, true) {
            return None;
        }
        let instruction_address = self.core.pc();
        let outcome = self.core.reset();
        match self.is_recording() {
            true => self.counting().charge_undecoded(None),
            false => _ = self.core.kernel().take_extra_cycles(),
        }
        let exit = self.core.kernel().exit();
        let Err(trap) = outcome else { return exit };
        let value = self.core.kernel().trap_value;
        match (trap.fault(self.core.kernel()), trap) {
            (Some(kind), _) => Some(Stop::Fault(Fault { kind, instruction_address, cycle: self.cycles() })),
            (None, Trap::Halt) => exit.or(Some(Stop::Halted(value as u32 as i32))),
            (None, Trap::Interrupt) => Some(Stop::Interrupted),
            (None, _) => exit,
        }
    }
}

impl<C: BlockCore, P: Profiling> Engine for EmittedEngine<C, P> {
    fn machine(&mut self) -> &mut dyn Machine {
        &mut self.core
    }

    fn run(&mut self, host: &mut Host, instructions: u64) -> Stop {
        if let Some(stop) = self.stopped {
            return stop;
        }
        std::mem::swap(&mut self.core.kernel().host, host);
        let (mut left, mut turns) = (instructions, 0_u32);
        // Whether anything has run since it was asked whether to pause.
        let mut has_run = true;
        let reset = self.reset();
        let stop = loop {
            if let Some(stop) = reset {
                self.stopped = Some(stop);
                break stop;
            }
            if self.core.kernel().code_written {
                self.core.kernel().code_written = false;
                if self.core.take_code_written() {
                    self.forget_code();
                }
            }
            if left == 0 {
                break Stop::Budget;
            }
            if has_run && self.pauses.is_at(|| self.core.pc()) {
                break Stop::Paused { taken: instructions - left, is_at_address: true };
            }
            let (ended, stop) = match &mut self.sampled {
                None => self.counting().chain(left),
                Some(_) => self.chain_sampled(left),
            };
            left -= ended.min(left);
            if let Some(stop) = stop {
                self.stopped = Some(stop);
                break stop;
            }
            has_run = ended > 0;
            turns = turns.wrapping_add(1);
            if left > 0
                && has_run
                && turns.is_multiple_of(TURNS_UNASKED)
                && self.core.kernel_ref().host.is_recalled()
            {
                break Stop::Paused { taken: instructions - left, is_at_address: false };
            }
        };
        std::mem::swap(&mut self.core.kernel().host, host);
        stop
    }

    fn pause_at(&mut self, addresses: &BTreeSet<u64>) -> bool {
        self.pauses = Pauses::new(addresses);
        self.code.pauses.clone_from(addresses);
        if let Some(sampled) = &mut self.sampled {
            sampled.silent.pauses.clone_from(addresses);
        }
        self.forget_code();
        true
    }

    fn model(&self) -> Option<&isac_ir::Model> {
        Some(self.core.model())
    }

    fn instructions(&self) -> u64 {
        self.core.kernel_ref().instructions
    }

    fn cycles(&self) -> u64 {
        self.core.kernel_ref().cycles()
    }

    fn record_calls(&mut self, map: FunctionMap) -> bool {
        self.code.calls = Some(RefCell::new(CallTrail::new(map, self.core.pc())));
        true
    }

    fn calls(&self) -> Option<Calls> {
        let now = Spending { instructions: self.instructions(), cycles: self.cycles() };
        self.code.calls.as_ref().map(|calls| calls.borrow().calls(now))
    }

    fn sample(&mut self, sampling: Sampling) -> bool {
        if !P::ON || P::COSTS || self.code.calls.is_some() || !sampling.is_plain() {
            return false;
        }
        self.sampled = Some(Box::new(Sampled::new(sampling, &mut self.code, self.core.kernel_ref())));
        true
    }

    fn samples(&self) -> Option<Samples> {
        let (checks, samples) = self.sampled.as_ref()?.passed(&self.code);
        Some(Samples { checks, samples, instructions: self.instructions(), cycles: self.cycles() })
    }

    fn recording(&mut self) -> Option<Recording> {
        if !P::ON {
            return None;
        }
        self.settle_arrival();
        let mut recording = self.code.recording();
        let kernel = self.core.kernel_ref();
        recording.extra_cycles = kernel.extra_cycles;
        recording.cycles = kernel.plain_cycles();
        recording.events = kernel.events.clone();
        recording.undecoded_faults = self.rest.undecoded_faults.clone();
        recording.undecoded_extra_cycles = self.rest.undecoded_extra_cycles.clone();
        if let Some(sampled) = &self.sampled {
            sampled.count(kernel, &mut recording);
        }
        Some(recording)
    }

    fn measurement(&mut self) -> Option<Measurement> {
        let recording = self.recording()?;
        Some(recording.measure(self.core.model()))
    }
}
