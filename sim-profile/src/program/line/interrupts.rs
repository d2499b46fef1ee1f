//! Steps that an interrupt came between.
//!
//! Where an instruction is interrupted, it leads to the handler, and the handler's last instruction to where
//! it would have led itself. To the program that is one step, from the instruction to the one behind it or to
//! where it jumps: it is neither a branch of the instruction, nor does control come anew to where it goes on.

use std::collections::{BTreeMap, BTreeSet};

use super::handlers::cancelled_by_handlers;
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
    /// How often each instruction was cancelled by a handler that has come back to it.
    pub(super) cancelled: BTreeMap<u64, u64>,
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
    /// None either, where a call or a return was struck: the way back is what comes to what was called, or to behind
    /// the call.
    Call,
    /// The instruction, which can go anywhere.
    Jump,
    /// The instruction, which was cancelled.
    Trap,
}

impl Interrupts {
    /// Finds them among the transfers of a run.
    pub(super) fn of(profile: &ProgramProfile<'_>, transfers: &Transfers<'_>) -> Interrupts {
        let cancelled = cancelled_by_handlers(profile, transfers);
        let vectors = vectors(profile, transfers);
        let handlers: BTreeSet<u32> = vectors.iter().map(|to| profile.program.function_at(*to)).collect();
        let mut interrupted = interrupted(profile, transfers, &cancelled, (&vectors, &handlers));
        let mut back = ways_back(profile, transfers, (&vectors, &handlers));
        for it in &mut interrupted {
            // Behind the last instruction of a function there may be one that somebody else has called.
            let is_its_own = matches!(it.cause, Cause::Interrupt | Cause::Call);
            let is_called = |to: u64| !is_its_own && is_beginning(profile, to);
            it.ways.retain(|to| back.contains_key(to) && !is_called(*to));
        }
        // Who can go on in one place alone has gone there, and where one alone can have gone on, it has; the others
        // share what is left.
        interrupted.sort_by_key(|it| (it.ways.len(), it.cause));
        let mut found = Interrupts { cancelled, ..Interrupts::default() };
        while found.go_on_to_one(&mut interrupted, &mut back)
            || found.go_on_alone(&mut interrupted, &mut back)
        {}
        for it in &mut interrupted {
            found.go_on(it, &mut back, None);
        }
        found
    }

    /// Who can go on in one place alone has gone there; whether any has.
    fn go_on_to_one(&mut self, interrupted: &mut [Interrupted], back: &mut BTreeMap<u64, u64>) -> bool {
        let mut has_gone_on = false;
        for it in interrupted.iter_mut().filter(|it| it.times > 0) {
            let mut open = it.ways.iter().filter(|to| back.get(to).is_some_and(|left| *left > 0));
            if let (Some(&to), None) = (open.next(), open.next()) {
                has_gone_on |= self.go_on(it, back, Some(to));
            }
        }
        has_gone_on
    }

    /// Places to which one instruction alone can have led are come to by it; whether any was.
    fn go_on_alone(&mut self, interrupted: &mut [Interrupted], back: &mut BTreeMap<u64, u64>) -> bool {
        let mut leading: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
        for (index, it) in interrupted.iter().enumerate().filter(|(_, it)| it.times > 0) {
            let open = it.ways.iter().filter(|to| back.get(to).is_some_and(|left| *left > 0));
            open.for_each(|to| leading.entry(*to).or_default().push(index));
        }
        let mut has_gone_on = false;
        for (to, leading) in leading {
            if let [index] = leading[..] {
                has_gone_on |= self.go_on(&mut interrupted[index], back, Some(to));
            }
        }
        has_gone_on
    }

    /// An instruction went on where it may, or in the one place given, as often as is left of both; whether it did.
    fn go_on(&mut self, it: &mut Interrupted, back: &mut BTreeMap<u64, u64>, place: Option<u64>) -> bool {
        let mut has_gone_on = false;
        for to in it.ways.iter().copied().filter(|to| place.is_none_or(|place| place == *to)) {
            let Some(left) = back.get_mut(&to) else { continue };
            let taken = it.times.min(*left);
            *left -= taken;
            it.times -= taken;
            has_gone_on |= taken > 0;
            if taken > 0 && it.cause != Cause::Call {
                count(self.steps.entry((it.address, to)).or_default(), taken);
                count(self.arrivals.entry(to).or_default(), taken);
            }
        }
        has_gone_on
    }

    /// How often an instruction went on to a place and was interrupted on the way.
    pub(super) fn step(&self, from: u64, to: u64) -> u64 {
        self.steps.get(&(from, to)).copied().unwrap_or(0)
    }
}

/// Where instructions have led in other functions that go nowhere else but on with the next one: handlers begin there.
fn vectors(profile: &ProgramProfile<'_>, transfers: &Transfers<'_>) -> BTreeSet<u64> {
    let is_plain = |from: u64| {
        let control = profile.control.get(&from).unwrap_or(&PLAIN);
        control.falls_through && control.targets.is_empty() && control.keeps.is_none()
    };
    let all = transfers.iter().filter(|((from, _), kind, _)| *kind == Transfer::Jump && is_plain(*from));
    all.map(|((from, to), ..)| (from, to))
        .filter(|(from, to)| leaves_function(profile, *from, *to) && transfers.successor(*from) != Some(*to))
        .map(|(_, to)| to)
        .collect()
}

/// Of an instruction that goes on with the next one.
static PLAIN: Control = Control { falls_through: true, targets: Vec::new(), computed: false, keeps: None };

/// Instructions that led to other functions as they cannot by themselves, or that go anywhere or were cancelled,
/// as one that calls the environment.
fn interrupted(
    profile: &ProgramProfile<'_>,
    transfers: &Transfers<'_>,
    cancelled: &BTreeMap<u64, u64>,
    (vectors, handlers): (&BTreeSet<u64>, &BTreeSet<u32>),
) -> Vec<Interrupted> {
    let mut found: BTreeMap<u64, Interrupted> = BTreeMap::new();
    let mut returns: BTreeMap<u64, Vec<u64>> = BTreeMap::new();
    // Within its function, as a table of cases leads.
    let mut sides: BTreeMap<u64, Vec<u64>> = BTreeMap::new();
    for ((from, to), kind, _) in transfers.iter() {
        match kind {
            Transfer::Return => returns.entry(from).or_default().push(to),
            Transfer::Jump if !leaves_function(profile, from, to) => sides.entry(from).or_default().push(to),
            Transfer::Jump | Transfer::Call => {}
        }
    }
    for ((from, to), kind, times) in transfers.iter() {
        // Of what goes on with the next instruction alone nothing is told.
        let control = profile.control.get(&from).unwrap_or(&PLAIN);
        let is_struck_call = kind == Transfer::Call && !control.targets.is_empty();
        if !(kind == Transfer::Jump || is_struck_call)
            || profile.control.is_empty()
            || control.targets.binary_search(&to).is_ok()
            || !leaves_function(profile, from, to)
        {
            continue;
        }
        // A handler that comes back is not interrupted.
        let comes_back = control.computed && !control.falls_through;
        let is_handlers = handlers.contains(&profile.program.function_at(from));
        if comes_back && is_handlers && !vectors.contains(&to) {
            continue;
        }
        let interrupted = found.entry(from).or_insert_with(|| {
            let cause = match is_computed(control) {
                true => Cause::Jump,
                false if is_struck_call => Cause::Call,
                false => Cause::Interrupt,
            };
            let goes_on = control.falls_through || cause == Cause::Jump;
            let next = transfers.successor(from).filter(|_| goes_on);
            // What returns goes on there, and not to what is behind it.
            let (cause, ways) = match returns.get(&from).filter(|_| cause == Cause::Jump) {
                Some(returns) => (Cause::Call, returns.clone()),
                None => {
                    let sides = sides.get(&from).filter(|_| cause == Cause::Jump).into_iter().flatten();
                    (cause, control.targets.iter().chain(sides).copied().chain(next).collect())
                }
            };
            Interrupted { address: from, times: 0, ways, cause }
        });
        count(&mut interrupted.times, times);
    }
    found.into_values().chain(trapped(profile, transfers, cancelled)).collect()
}

/// Instructions that were cancelled otherwise than by a handler that has come back to them. Where instructions
/// overlap those are others, that a jump has flushed.
fn trapped(
    profile: &ProgramProfile<'_>,
    transfers: &Transfers<'_>,
    by_handlers: &BTreeMap<u64, u64>,
) -> Vec<Interrupted> {
    if !profile.measurement.tables.stages.is_empty() {
        return Vec::new();
    }
    let instructions = profile.measurement.instructions.iter();
    let cancelled = instructions.filter(|(_, record)| record.cancelled > 0);
    let trapped = cancelled.map(|(key, record)| Interrupted {
        address: key.address,
        times: record.cancelled.saturating_sub(by_handlers.get(&key.address).copied().unwrap_or(0)),
        ways: transfers.successor(key.address).into_iter().collect(),
        cause: Cause::Trap,
    });
    trapped.collect()
}

/// How often each instruction was come to from the middle of another function by a jump to anywhere.
fn ways_back(
    profile: &ProgramProfile<'_>,
    transfers: &Transfers<'_>,
    (vectors, handlers): (&BTreeSet<u64>, &BTreeSet<u32>),
) -> BTreeMap<u64, u64> {
    let mut back: BTreeMap<u64, u64> = BTreeMap::new();
    for ((from, to), kind, times) in transfers.iter() {
        // It may lead to handlers itself, as one does that takes the next interrupt without coming back between.
        let is_computed = profile.control.get(&from).is_some_and(|control| {
            control.computed && !control.falls_through && control.targets.binary_search(&to).is_err()
        });
        // To behind a call, too.
        let is_jump = kind == Transfer::Jump
            || (kind == Transfer::Return && handlers.contains(&profile.program.function_at(from)));
        let is_back = is_jump && is_computed && !vectors.contains(&to);
        if is_back && leaves_function(profile, from, to) {
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
