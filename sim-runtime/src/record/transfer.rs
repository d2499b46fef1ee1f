//! Transfers of control, as recorders of calls tell them apart, and the functions between which they go.

use std::borrow::Borrow;
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

/// What a transfer is that an instruction with this control makes by itself; `None` if it does not lead there.
pub fn own_step(control: &Control, successor: u64, to: u64) -> Option<Step> {
    if to == successor && control.falls_through {
        return Some(Step::Direct);
    }
    let return_address = (control.keeps == Some(successor)).then_some(successor);
    explain((&control.targets, control.jumps), return_address, to)
}

/// What a transfer is that leads to given targets, or anywhere, of an instruction that perhaps keeps an address.
fn explain((targets, is_computed): (&[u64], bool), return_address: Option<u64>, to: u64) -> Option<Step> {
    let is_direct = targets.binary_search(&to).is_ok();
    match (return_address, is_direct, is_computed) {
        (_, false, false) => None,
        (Some(return_address), ..) => Some(Step::Call { return_address }),
        (None, true, _) => Some(Step::Direct),
        (None, false, true) => Some(Step::Computed),
    }
}

/// What a transfer to an address is, from an instruction with this control; where it does not lead there by
/// itself, that of the branch before it counts, in whose delay slot it may stand: who comes to a delay slot
/// straight, and leaves it by a branch of its own, calls nothing that way.
///
/// What steps lead elsewhere without keeping where the run was is a jump as by an address in a register. Where
/// steps take interrupts, too, only what stays within a function is.
pub fn step_of(
    map: &FunctionMap,
    (control, before): (&Control, Option<&Control>),
    (from, successor, to): (u64, u64, u64),
) -> Step {
    let by_the_branch = || {
        let (before, delayed) = (before?, before?.delayed.as_ref()?);
        let keeps = |control: &Control| control.keeps == Some(successor);
        let return_address = (keeps(control) || keeps(before)).then_some(successor);
        explain((&delayed.targets, delayed.computed), return_address, to)
    };
    let explained = own_step(control, successor, to).or_else(by_the_branch);
    explained.unwrap_or_else(|| step_of_the_processor(map, control, (from, successor, to)))
}

/// What a transfer is that the instruction before it does not explain.
pub(super) fn step_of_the_processor(
    map: &FunctionMap,
    control: &Control,
    (from, successor, to): (u64, u64, u64),
) -> Step {
    let is_within = || map.function_at(from).is_some_and(|here| map.function_at(to) == Some(here));
    match control.is_led && (!control.may_be_struck || is_within()) {
        true => Step::Computed,
        false => Step::Unforeseen { next: successor },
    }
}

/// What a transfer is that a branch explains which ran before the instruction that it is made behind: as many
/// instructions as were fetched by then ran in between.
pub(super) fn late_step(branch: (u64, &Control), successor: u64, to: u64) -> Option<Step> {
    let (address, control) = branch;
    let behind = successor.wrapping_sub(address);
    let is_kept = |kept: &u64| (1..=behind).contains(&kept.wrapping_sub(address));
    explain((&control.targets, control.jumps), control.keeps.filter(is_kept), to)
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
/// places have checks. `calls` tells whether jumps from the instruction are calls, as [`calls`]; it is asked of
/// the others alone.
pub fn is_check(
    places: CheckPlaces,
    (from, to, successor): (u64, u64, u64),
    calls: impl FnOnce() -> bool,
) -> bool {
    let goes_back = || places.includes_back_edges() && to <= from;
    to != successor && (goes_back() || places.includes_calls() && calls())
}

/// Whether an instruction calls wherever it jumps: it keeps the address behind itself, or stands in the delay
/// slot of a branch that does, and jumps nowhere by itself. `before` is asked for what stands before it, as
/// long as itself.
pub fn calls<B: Borrow<Control>>(
    control: &Control,
    before: impl FnOnce() -> Option<B>,
    (address, successor): (u64, u64),
) -> bool {
    let keeps = |control: &Control| control.keeps == Some(successor);
    let is_led = || control.computed && control.targets.is_empty() && !control.jumps;
    let is_branch = |before: &Control| before.has_slot(address) && keeps(before);
    keeps(control) || is_led() && before().is_some_and(|before| is_branch(before.borrow()))
}
