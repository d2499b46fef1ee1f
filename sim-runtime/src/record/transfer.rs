//! Transfers of control, as recorders of calls tell them apart, and the functions between which they go.

use std::collections::BTreeSet;

use isac_ir::control::Control;
use sim_profile::CheckPlaces;
use sim_profile::symbols::{FunctionCells, KnownFunctions};

/// What an instruction that transfers control is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Step {
    /// It keeps this address and jumps.
    Call {
        /// The address behind it, or behind its delay slot.
        return_address: u64,
    },
    /// It jumps to where it always jumps, or goes on behind itself.
    Direct,
    /// It jumps to where the run sends it.
    Computed,
    /// It could not have gone there.
    Unforeseen {
        /// Where it would have gone on.
        next: u64,
    },
}

/// Which function each address belongs to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FunctionMap {
    cells: Vec<FunctionCells>,
    /// What tells the functions of files apart.
    digests: BTreeSet<String>,
}

impl FunctionMap {
    /// A map of the cells of functions, which ascend.
    pub fn new(cells: Vec<FunctionCells>) -> FunctionMap {
        FunctionMap { cells, digests: BTreeSet::new() }
    }

    /// A map of the functions of files.
    pub fn of(KnownFunctions { cells, digests }: KnownFunctions) -> FunctionMap {
        FunctionMap { cells, digests }
    }

    /// What tells the functions of its files apart from those of others.
    pub fn digests(&self) -> &BTreeSet<String> {
        &self.digests
    }

    /// The beginning of the function at an address; none in code without symbols.
    pub fn function_at(&self, address: u64) -> Option<u64> {
        let behind = self.cells.partition_point(|cells| cells.start <= address);
        let cells = &self.cells[behind.checked_sub(1)?];
        (address < cells.end).then_some(cells.function)
    }

    /// Whether another function begins, or goes on, at an address than just before it.
    pub fn is_boundary(&self, address: u64) -> bool {
        let before = address.checked_sub(1);
        before.is_some_and(|before| self.function_at(before) != self.function_at(address))
    }

    /// Whether a transfer is a jump within a function: it need not be told.
    pub fn is_plain(&self, step: Step, from: u64, to: u64) -> bool {
        step == Step::Direct && self.function_at(from) == self.function_at(to)
    }
}

/// What a transfer to an address is, from an instruction with this control; where it does not lead there by
/// itself, that of the branch before it counts, in whose delay slot it may stand: who comes to a delay slot
/// straight, and leaves it by a branch of its own, calls nothing that way.
pub fn step_of(control: &Control, before: Option<&Control>, successor: u64, to: u64) -> Step {
    if to == successor && control.falls_through {
        return Step::Direct;
    }
    let keeps = |control: &Control| control.keeps == Some(successor);
    let explain = |targets: &[u64], is_computed: bool, is_call: bool| {
        let is_direct = targets.binary_search(&to).is_ok();
        match (is_call, is_direct, is_computed) {
            (_, false, false) => None,
            (true, ..) => Some(Step::Call { return_address: successor }),
            (false, true, _) => Some(Step::Direct),
            (false, false, true) => Some(Step::Computed),
        }
    };
    let by_the_branch = || {
        let delayed = before?.delayed.as_ref()?;
        explain(&delayed.targets, delayed.computed, keeps(control) || before.is_some_and(keeps))
    };
    let by_itself = explain(&control.targets, control.jumps, keeps(control));
    by_itself.or_else(by_the_branch).unwrap_or(Step::Unforeseen { next: successor })
}

/// Whether each transfer of such an instruction to anywhere but behind itself is [`Step::Computed`], and may
/// be a return.
pub fn only_returns(control: &Control, before: Option<&Control>, successor: u64) -> bool {
    let delayed = before.and_then(|before| before.delayed.as_ref());
    let is_computed = control.jumps || delayed.is_some_and(|delayed| delayed.computed);
    let leads = !control.targets.is_empty() || delayed.is_some_and(|delayed| !delayed.targets.is_empty());
    let keeps = |control: &Control| control.keeps == Some(successor);
    is_computed && !leads && !keeps(control) && !before.is_some_and(keeps)
}

/// Whether a transfer from an instruction to an address is a check, where a run that is sampled may begin
/// to be counted or cease to be: one to an address that is not above its own, or a call, as far as these
/// places have checks. `keeps` tells the address that the instruction keeps; it is asked of the others alone.
pub fn is_check(
    places: CheckPlaces,
    (from, to, successor): (u64, u64, u64),
    keeps: impl FnOnce() -> Option<u64>,
) -> bool {
    let goes_back = || places.includes_back_edges() && to <= from;
    to != successor && (goes_back() || places.includes_calls() && keeps() == Some(successor))
}
