//! Steps that an interrupt came between.
//!
//! Where an instruction is interrupted, it leads to the handler, and the handler's last instruction to where
//! it would have led itself. To the program that is one step, from the instruction to the one behind it or to
//! where it jumps: it is neither a branch of the instruction, nor does control come anew to where it goes on.

use std::collections::BTreeMap;

use crate::control::Control;
use crate::measurement::count;
use crate::program::ProgramProfile;
use crate::{Transfer, Transfers};

/// Steps that were interrupted, as far as they are known.
#[derive(Debug, Default)]
pub(super) struct Interrupts {
    /// From, to, how often: what the transfers of a handler and back to there are together.
    pub(super) steps: BTreeMap<(u64, u64), u64>,
    /// What is left of transfers back, as entries: how often an instruction was come to by these steps.
    pub(super) arrivals: BTreeMap<u64, u64>,
}

/// An instruction that was interrupted.
struct Interrupted {
    address: u64,
    times: u64,
    /// Where it may go on.
    ways: Vec<u64>,
    cause: Cause,
}

/// What led to the handler, in the order in which it is known where it went on.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Cause {
    /// No instruction.
    Interrupt,
    /// The instruction, which can go anywhere.
    Jump,
    /// The instruction, which was cancelled.
    Trap,
}

impl Interrupts {
    /// Finds them among the transfers of a run.
    pub(super) fn of(profile: &ProgramProfile<'_>, transfers: &Transfers<'_>) -> Interrupts {
        let mut interrupted = interrupted(profile, transfers);
        let mut back = ways_back(profile, transfers);
        // Who can go on in one place alone has gone there; the others share what is left.
        interrupted.sort_by_key(|it| (it.ways.len(), it.cause));
        let mut found = Interrupts::default();
        for Interrupted { address, mut times, ways, cause } in interrupted {
            for to in ways {
                // Behind the last instruction of a function there may be one that somebody else has called.
                let is_called = cause != Cause::Interrupt && is_beginning(profile, to);
                let Some(left) = back.get_mut(&to).filter(|_| !is_called) else { continue };
                let taken = times.min(*left);
                *left -= taken;
                times -= taken;
                if taken > 0 {
                    count(found.steps.entry((address, to)).or_default(), taken);
                    count(found.arrivals.entry(to).or_default(), taken);
                }
            }
        }
        found
    }

    /// How often an instruction went on to a place and was interrupted on the way.
    pub(super) fn step(&self, from: u64, to: u64) -> u64 {
        self.steps.get(&(from, to)).copied().unwrap_or(0)
    }
}

/// Instructions that led to other functions as they cannot by themselves, or that go anywhere or were cancelled,
/// as one that calls the environment.
fn interrupted(profile: &ProgramProfile<'_>, transfers: &Transfers<'_>) -> Vec<Interrupted> {
    let mut found: BTreeMap<u64, Interrupted> = BTreeMap::new();
    for ((from, to), kind, times) in transfers.iter() {
        let Some(control) = profile.control.get(&from).filter(|_| kind == Transfer::Jump) else { continue };
        if control.targets.binary_search(&to).is_ok() || !leaves_function(profile, from, to) {
            continue;
        }
        let interrupted = found.entry(from).or_insert_with(|| {
            let cause = if is_computed(control) { Cause::Jump } else { Cause::Interrupt };
            let goes_on = control.falls_through || cause == Cause::Jump;
            let next = transfers.successor(from).filter(|_| goes_on);
            let ways = control.targets.iter().copied().chain(next).collect();
            Interrupted { address: from, times: 0, ways, cause }
        });
        count(&mut interrupted.times, times);
    }
    found.into_values().chain(trapped(profile, transfers)).collect()
}

/// Instructions that were cancelled. Where instructions overlap those are others, that a jump has flushed.
fn trapped(profile: &ProgramProfile<'_>, transfers: &Transfers<'_>) -> Vec<Interrupted> {
    if !profile.measurement.tables.stages.is_empty() {
        return Vec::new();
    }
    let instructions = profile.measurement.instructions.iter();
    let cancelled = instructions.filter(|(_, record)| record.cancelled > 0);
    let trapped = cancelled.map(|(key, record)| Interrupted {
        address: key.address,
        times: record.cancelled,
        ways: transfers.successor(key.address).into_iter().collect(),
        cause: Cause::Trap,
    });
    trapped.collect()
}

/// How often each instruction was come to from the middle of another function by a jump to anywhere.
fn ways_back(profile: &ProgramProfile<'_>, transfers: &Transfers<'_>) -> BTreeMap<u64, u64> {
    let mut back: BTreeMap<u64, u64> = BTreeMap::new();
    for ((from, to), kind, times) in transfers.iter() {
        let is_computed = profile.control.get(&from).is_some_and(is_computed);
        if kind == Transfer::Jump && is_computed && leaves_function(profile, from, to) {
            count(back.entry(to).or_default(), times);
        }
    }
    back
}

/// Whether an instruction goes to where the run sends it, and nowhere else. Where the description keeps the next
/// address in a register, any instruction may go anywhere, besides where it goes by itself.
fn is_computed(control: &Control) -> bool {
    control.computed && !control.falls_through && control.targets.is_empty()
}

fn leaves_function(profile: &ProgramProfile<'_>, from: u64, to: u64) -> bool {
    profile.program.function_at(from) != profile.program.function_at(to)
}

fn is_beginning(profile: &ProgramProfile<'_>, address: u64) -> bool {
    let program = profile.program;
    program.function(program.function_at(address)).start == address
}
