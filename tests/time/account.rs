//! What became of every cycle.

use std::collections::BTreeSet;
use std::fmt;

use sim_runtime::trace::{CycleTrace, MainTrace};

/// The counts of a run, each taken from the trace by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Account {
    pub(crate) cycles: u64,
    pub(crate) ended: u64,
    pub(crate) cancelled: u64,
    pub(crate) faulted: u64,
    /// Instructions in flight at the end.
    pub(crate) flying: u64,
    /// Cycles in which `main` did not run.
    pub(crate) idle: u64,
    pub(crate) extra: u64,
}

impl Account {
    pub(crate) fn of(cycles: &[CycleTrace]) -> Account {
        let pending = cycles.last().into_iter().flat_map(|last| &last.pending);
        let flying: BTreeSet<u64> = pending.map(|waiting| waiting.activation.id).collect();
        let is_idle = |cycle: &&CycleTrace| !matches!(cycle.main, MainTrace::Began(_));
        let extra = cycles.iter().map(|cycle| cycle.extra_cycles).sum();
        Account {
            cycles: cycles.len() as u64 + extra,
            ended: cycles.iter().map(|cycle| cycle.ended.len() as u64).sum(),
            cancelled: cycles.iter().map(|cycle| cycle.cancelled.len() as u64).sum(),
            faulted: cycles.iter().map(|cycle| cycle.faulted.len() as u64).sum(),
            flying: flying.len() as u64,
            idle: cycles.iter().filter(is_idle).count() as u64,
            extra,
        }
    }

    /// Every cycle that `main` begins makes one instruction.
    pub(crate) fn adds_up(&self) -> bool {
        let Account { cycles, ended, cancelled, faulted, flying, idle, extra } = *self;
        cycles == ended + cancelled + faulted + flying + idle + extra
    }
}

impl fmt::Display for Account {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Account { cycles, ended, cancelled, faulted, flying, idle, extra } = self;
        write!(
            f,
            "account cycles {cycles} ended {ended} cancelled {cancelled} faulted {faulted} \
             flying {flying} idle {idle} extra {extra}"
        )
    }
}
