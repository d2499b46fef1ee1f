//! Runs an engine to the guest's end or to a limit, in slices short enough to be interrupted.

use std::time::{Duration, Instant};

use isac_ir::resource::RegisterPlace;

use crate::engine::Engine;
use crate::fault::{Fault, Stop};
use crate::host::Host;
use crate::launcher::interrupt::{Interrupt, Reason};
use crate::launcher::message::Messages;
use crate::launcher::options::RunOptions;
use crate::launcher::parts::Parts;
use crate::launcher::progress::Progress;
use crate::launcher::slice::{Recall, Slice};
use crate::launcher::snapshot::Snapshots;

/// How long a slice shall take: what a user who presses Ctrl-C does not notice.
const SLICE_TIME: Duration = Duration::from_millis(50);

/// With a limit of cycles, slices must not depend on the host's speed, or the end would too.
const CYCLE_LIMITED_SLICE: u64 = 1 << 16;
/// An instruction is expected to take fewer cycles on average.
const CYCLES_PER_INSTRUCTION: u64 = 64;

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    Exited(i32),
    Fault(Fault),
    InstructionLimit(u64),
    CycleLimit(u64),
    Interrupted(Reason),
    /// The same, in a loop of the description.
    InterruptedWithin(Reason),
}

/// What ends a run that does not end by itself.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Limits {
    instructions: Option<u64>,
    cycles: Option<u64>,
}

impl Limits {
    pub(super) fn of(options: &RunOptions) -> Self {
        Self { instructions: options.limit_instructions, cycles: options.limit_cycles }
    }

    /// `taken` instructions have ended or were cancelled so far.
    fn reached(self, engine: &dyn Engine, taken: u64) -> Option<End> {
        match self {
            Self { instructions: Some(limit), .. } if taken >= limit => Some(End::InstructionLimit(limit)),
            Self { cycles: Some(limit), .. } if engine.cycles() >= limit => Some(End::CycleLimit(limit)),
            _ => None,
        }
    }

    /// How many instructions may run before the next look; at least 1.
    ///
    /// Towards a limit of cycles the steps become shorter and in the end single instructions,
    /// so that the run ends with the first one that reaches it.
    fn budget(self, engine: &dyn Engine, taken: u64, slice: u64) -> u64 {
        let by_instructions = match self.instructions {
            Some(limit) => limit.saturating_sub(taken),
            None => u64::MAX,
        };
        let by_cycles = match self.cycles {
            Some(limit) => {
                let rest = limit.saturating_sub(engine.cycles());
                (rest / CYCLES_PER_INSTRUCTION).min(CYCLE_LIMITED_SLICE)
            }
            None => slice,
        };
        by_instructions.min(by_cycles).max(1)
    }
}

/// What looks at a run between its slices.
pub(super) struct Watch<'a> {
    pub(super) interrupt: &'a Interrupt,
    /// What the host asks.
    pub(super) recall: &'a Recall,
    pub(super) progress: &'a mut Progress,
    pub(super) snapshots: &'a mut Snapshots,
    pub(super) parts: &'a mut Parts,
    pub(super) messages: &'a mut Messages,
    /// The program counter.
    pub(super) pc: &'a RegisterPlace,
}

/// Runs until something ends it.
pub(super) fn run(engine: &mut dyn Engine, host: &mut Host, limits: Limits, watch: Watch<'_>) -> End {
    let Watch { interrupt, recall, progress, snapshots, parts, messages, pc } = watch;
    let mut slice = Slice::new(snapshots.slice_time(SLICE_TIME));
    let mut taken = 0;
    let mut shown = Instant::now();
    loop {
        if let Some(end) = limits.reached(engine, taken) {
            return end;
        }
        if let Some(reason) = interrupt.reason() {
            return End::Interrupted(reason);
        }
        let budget = limits.budget(engine, taken, slice.instructions()).min(snapshots.budget(taken));
        let (cycles, start) = (engine.cycles(), Instant::now());
        recall.after(slice, start);
        let stop = engine.run(host, budget);
        // What is stored below takes no time of the slice's.
        let end = Instant::now();
        let (more, is_at_address) = match stop {
            Stop::Budget => (budget, false),
            Stop::Paused { taken, is_at_address } => (taken, is_at_address),
            Stop::Halted(status) => {
                return match interrupt.reason() {
                    Some(reason) if interrupt.has_cut_input() => End::Interrupted(reason),
                    _ => End::Exited(status),
                };
            }
            Stop::Fault(fault) => return End::Fault(fault),
            Stop::Interrupted => {
                return End::InterruptedWithin(interrupt.reason().unwrap_or(Reason::Signal));
            }
        };
        taken += more;
        slice = slice.adapted(more.max(engine.cycles().saturating_sub(cycles)), end - start);
        if is_at_address {
            let address = engine.machine().read_place(pc) as u64;
            snapshots.arrive(engine, parts, address);
        }
        snapshots.look(engine, parts, taken);
        if let Some(error) = snapshots.failures.take_first() {
            progress.clear();
            messages.error(&error);
        }
        if let Some(note) = snapshots.take_note() {
            progress.clear();
            messages.line(&format!("note: {note}"));
        }
        if end - shown >= SLICE_TIME {
            shown = end;
            // What cannot be written is told at the end.
            let _ = host.flush();
            progress.update(engine);
        }
    }
}
