//! The engine around a generated cycle-accurate core.

use isac_ir::automaton::MOST_IN_FLIGHT;
use sim_profile::{Calls, Measurement};

use super::calls::CallTrail;
use super::core::TimedCore;
use super::flight::{Flight, NOBODY};
use super::prediction::{BEGINS_CLOSER, CLOSER, Scene, Scenes, Slot};
use super::scene::UNKNOWN;
use super::turn::Turn;
use crate::engine::{CacheStatistics, Engine, Machine};
use crate::fault::{Fault, Stop};
use crate::host::Host;
use crate::kernel::{Profiling, Trap};
use crate::record::FunctionMap;
use crate::stepwise::cache_statistics;

/// Cycles that are counted together at most: their instructions are below 2³².
const MOST_CYCLES: u64 = 1 << 27;

/// A generated cycle-accurate core in an engine.
pub struct TimedEngine<C: TimedCore, P: Profiling> {
    core: C,
    flight: Flight<C, P>,
    scenes: Scenes<C, P>,
    is_reset: bool,
}

impl<C: TimedCore, P: Profiling> TimedEngine<C, P> {
    /// An engine around a core after reset.
    pub fn new(core: C) -> Self {
        let (flight, scenes) = Flight::new(core.model());
        TimedEngine { core, flight, scenes, is_reset: false }
    }

    /// Runs operation `reset` once; it belongs to no instruction.
    fn reset(&mut self) {
        if std::mem::replace(&mut self.is_reset, true) {
            return;
        }
        let seed = self.core.kernel_ref().host.seed();
        self.core.empty_caches(seed);
        let instruction_address = self.core.pc();
        self.flight.records[NOBODY as usize].address = instruction_address;
        let (scene, slot) = (Scene::new(), Slot::of_nobody(instruction_address));
        let mut turn = Turn::new(&mut self.flight, &scene, &slot, 0);
        let outcome = self.core.reset(&mut turn);
        self.flight.notes.clear();
        // What reset does to the pipeline is no instruction's.
        self.flight.take_acts();
        // No cycle leads to the first.
        self.flight.scene = UNKNOWN;
        self.flight.take_lines_of_reset(&mut self.core);
        self.flight.take_extra_cycles_of_reset(&mut self.core);
        let kernel = self.core.kernel_ref();
        let stop = match outcome {
            Ok(()) | Err(Trap::Cancel | Trap::Retry) => None,
            Err(trap) => match trap.fault(kernel) {
                Some(kind) => Some(Stop::Fault(Fault { kind, instruction_address, cycle: kernel.cycles() })),
                None if trap == Trap::Interrupt => Some(Stop::Interrupted),
                None => Some(Stop::Halted(kernel.trap_value as u32 as i32)),
            },
        };
        self.flight.stopped = match stop {
            Some(Stop::Fault(_) | Stop::Interrupted) => stop,
            _ => kernel.exit().or(stop),
        };
    }
}

impl<C: TimedCore, P: Profiling> Engine for TimedEngine<C, P> {
    fn machine(&mut self) -> &mut dyn Machine {
        &mut self.core
    }

    fn run(&mut self, host: &mut Host, instructions: u64) -> Stop {
        if let Some(stop) = self.flight.stopped {
            return stop;
        }
        std::mem::swap(&mut self.core.kernel().host, host);
        let before = self.flight.taken;
        self.reset();
        let flight = &mut self.flight;
        let mut left = instructions;
        while left > 0 && flight.stopped.is_none() && flight.taken - before < instructions {
            // No cycle takes more instructions than can be in flight.
            let cycles = ((instructions - (flight.taken - before)) / u64::from(MOST_IN_FLIGHT))
                .clamp(1, left.min(MOST_CYCLES));
            left -= cycles;
            flight.spare_cycles = left;
            let (mut next, mut cycles) = (flight.next_or_closer(), cycles);
            while cycles > 0 && run_cycle(&mut self.core, flight, &mut self.scenes, &mut next) {
                cycles -= 1;
            }
            flight.next = next & !BEGINS_CLOSER;
            flight.settle_over();
            left = flight.spare_cycles;
        }
        std::mem::swap(&mut self.core.kernel().host, host);
        self.flight
            .stopped
            .unwrap_or(Stop::Paused { taken: self.flight.taken - before, is_at_address: false })
    }

    fn model(&self) -> Option<&isac_ir::Model> {
        Some(self.core.model())
    }

    fn instructions(&self) -> u64 {
        self.flight.instructions
    }

    fn cycles(&self) -> u64 {
        let kernel = self.core.kernel_ref();
        kernel.begun_cycles.saturating_add(kernel.extra_cycles)
    }

    fn caches(&self) -> Vec<CacheStatistics> {
        cache_statistics::<C, P>(&self.core, true)
    }

    fn record_calls(&mut self, map: FunctionMap) -> bool {
        // Whom cycles are lost for is known where they are counted.
        self.flight.trail = P::ON.then(|| Box::new(CallTrail::new(map, self.core.pc())));
        self.flight.closer = CLOSER | BEGINS_CLOSER;
        P::ON
    }

    fn calls(&self) -> Option<Calls> {
        self.flight.calls()
    }

    fn measurement(&mut self) -> Option<Measurement> {
        P::ON.then(|| self.flight.measure(&self.core, &self.scenes))
    }
}

/// Runs a cycle, by the number of its scene, which becomes that of the next one; false if the run ends with it, or has
/// left it.
#[inline(always)]
fn run_cycle<C: TimedCore, P: Profiling>(
    core: &mut C,
    flight: &mut Flight<C, P>,
    scenes: &mut Scenes<C, P>,
    next: &mut u32,
) -> bool {
    core.kernel().begun_cycles += 1;
    flight.before = flight.scene;
    flight.scene = *next;
    let mut scene = match scenes.get(*next as usize) {
        Some(scene) if scene.begins_at(core.pc()) => scene,
        _ => {
            flight.begin_closer(core, scenes);
            &scenes[flight.scene as usize]
        }
    };
    let mut counted = C::Mask::default();
    if core.turns(flight, scene, &mut counted) || P::ON && counted != P::kept(scene.grouped) {
        if flight.go_on(core, scenes, counted) {
            return false;
        }
        scene = &scenes[flight.scene as usize];
    }
    let further = flight.end_cycle(scene);
    if further & CLOSER != 0 {
        let goes_on = !flight.end_closer(core, scenes);
        *next = flight.next_or_closer();
        return goes_on;
    }
    *next = further;
    true
}
