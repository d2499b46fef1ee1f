//! What the launcher says about the end of a run.

use std::io::Write;

use sim_profile::Measurement;

use crate::engine::{Engine, Machine};
use crate::fault::{AccessKind, Fault, FaultKind};
use crate::host::Explanation;
use crate::launcher::interrupt::Reason;
use crate::launcher::launch_info::{LaunchInfo, LaunchRegister};
use crate::launcher::run::End;

/// The lines for an end that is not the guest's own; none if it is. `function` is where a fault was.
pub(super) fn describe_end(
    engine: &mut dyn Engine,
    info: &LaunchInfo,
    (end, function): (End, Option<&str>),
    timeout: Option<f64>,
) -> Vec<String> {
    let what = match end {
        End::Exited(_) => return Vec::new(),
        End::Fault(fault) => return describe_fault(engine.machine(), info, fault, function),
        End::InstructionLimit(limit) => {
            format!("limit reached: {limit} instructions (--limit-instructions)")
        }
        End::CycleLimit(limit) => format!("limit reached: {limit} cycles (--limit-cycles)"),
        End::Interrupted(Reason::Timeout) | End::InterruptedWithin(Reason::Timeout) => {
            let seconds = timeout.unwrap_or_default();
            let unit = if seconds == 1.0 { "second" } else { "seconds" };
            format!("limit reached: {seconds} {unit} (--timeout)")
        }
        End::Interrupted(Reason::ProcessorTime) | End::InterruptedWithin(Reason::ProcessorTime) => {
            "limit reached: the processor time of the process (ulimit -St)".to_owned()
        }
        End::Interrupted(Reason::Signal) | End::InterruptedWithin(Reason::Signal) => "interrupted".to_owned(),
    };
    let pc = engine.machine().read_place(&info.pc);
    let pc = info.format_address(u64::try_from(pc).unwrap_or(u64::MAX));
    let (instructions, cycles) = (engine.instructions(), engine.cycles());
    let others = match end {
        End::InstructionLimit(limit) if limit > instructions => {
            // Samples tell of themselves alone.
            let counted = engine.measurement().filter(|_| engine.samples().is_none());
            what_became_of(limit - instructions, counted.as_ref())
        }
        _ => String::new(),
    };
    let mut lines = vec![
        format!("error: {what}"),
        format!("note: {instructions} instructions in {cycles} cycles have ended{others}, pc is {pc}"),
    ];
    if let End::InterruptedWithin(_) = end {
        lines.push(
            "help: a loop of the description was going on, within one instruction, `reset` or \
             `memory_fault`; does it ever end?"
                .to_owned(),
        );
    }
    lines
}

/// What became of instructions that have not ended and count for a limit, by their names in the report;
/// without a profile nobody knows which it was.
fn what_became_of(others: u64, counted: Option<&Measurement>) -> String {
    let were = |count: u64| if count == 1 { "was" } else { "were" };
    let Some(counted) = counted else { return format!(", {others} {} cancelled or faulted", were(others)) };
    let records = counted.instructions.values().map(|record| record.faulted);
    let faulted: u64 = records.chain(counted.undecoded_faults.values().copied()).sum();
    // Many of those that were cancelled were never decoded, so that no record has them.
    let faulted = faulted.min(others);
    let cancelled = others - faulted;
    match (cancelled, faulted) {
        (_, 0) => format!(", {cancelled} {} cancelled", were(cancelled)),
        (0, _) => format!(", {faulted} faulted"),
        _ => format!(", {cancelled} {} cancelled, {faulted} faulted", were(cancelled)),
    }
}

/// The lines for a run that the description has ended for a reason: what happened, where, and what to do.
pub(super) fn describe_halt(
    info: &LaunchInfo,
    status: i32,
    explanation: &Explanation,
    function: Option<&str>,
) -> [String; 2] {
    let Explanation { address, text } = explanation;
    let at = info.format_address(*address);
    let of = of_function(function);
    let status = status & 0xff;
    [
        format!("error: the program was ended with status {status}: {text}, by the instruction at {at}{of}"),
        format!(
            "help: the description ends it here; `gentool debug` with `break {at}` and `continue` shows how it \
             comes there"
        ),
    ]
}

/// Whose an instruction is, if that is known.
fn of_function(function: Option<&str>) -> String {
    function.map(|function| format!(" of `{function}`")).unwrap_or_default()
}

/// What the guest did wrong, where, and where to look.
fn describe_fault(
    machine: &dyn Machine,
    info: &LaunchInfo,
    fault: Fault,
    function: Option<&str>,
) -> Vec<String> {
    let of = of_function(function);
    let at = info.format_address(fault.instruction_address);
    // People count cycles from 1, as the pictures of the pipeline do.
    let cycle = fault.cycle.saturating_add(1);
    let (what, help) = match fault.kind {
        FaultKind::IllegalInstruction => (
            "illegal instruction".to_owned(),
            format!(
                "{}the model knows no instruction with this coding, or forbids it; is the program \
                 compiled for this processor, and does the address hold code?",
                bytes_at(machine, info, fault.instruction_address)
            ),
        ),
        FaultKind::DivisionByZero => (
            "division by zero".to_owned(),
            "the description divides without asking for zero; a processor that defines the result \
             needs it in the BEHAVIOR"
                .to_owned(),
        ),
        FaultKind::RegisterIndex { register, index } => register_index(info, register, index),
        FaultKind::Memory { access, address } => (
            format!("{} address {}", access_name(access), info.format_address(address)),
            memory_help(machine, info, access, address),
        ),
    };
    vec![
        format!("error: guest fault: {what}, by the instruction at {at}{of} in cycle {cycle}"),
        format!("help: {help}"),
    ]
}

/// What memory holds where an instruction was to be; nothing where there are several maps, since
/// the fault does not say from which it was fetched.
fn bytes_at(machine: &dyn Machine, info: &LaunchInfo, address: u64) -> String {
    const SHOWN: usize = 8;
    let [_] = info.maps.as_slice() else { return String::new() };
    let first = address.saturating_mul(info.cell_bytes(0));
    let mut bytes = Vec::new();
    for place in first..first.saturating_add(SHOWN as u64) {
        let mut byte = [0];
        if machine.read_bytes(0, place, &mut byte).is_err() {
            break;
        }
        bytes.push(format!("{:02x}", byte[0]));
    }
    match bytes.is_empty() {
        true => String::new(),
        false => format!("the bytes from there on are {}; ", bytes.join(" ")),
    }
}

/// The file by its name, and how many elements it has.
fn register_index(info: &LaunchInfo, register: u32, index: u64) -> (String, String) {
    let help = "the description computes the index; let it exclude such words by WHEN, or check it";
    match info.registers.get(register as usize) {
        Some(LaunchRegister { name, count: Some(count), .. }) => {
            let elements = if *count == 1 { "element" } else { "elements" };
            (
                format!("register index {index} in `{name}`"),
                format!("`{name}` has {count} {elements}, counted from 0; {help}"),
            )
        }
        _ => (format!("register index {index}, which no register has"), help.to_owned()),
    }
}

fn access_name(access: AccessKind) -> &'static str {
    match access {
        AccessKind::Read => "read of",
        AccessKind::Write => "write to",
        AccessKind::Fetch => "fetch from",
    }
}

fn memory_help(machine: &dyn Machine, info: &LaunchInfo, access: AccessKind, address: u64) -> String {
    let is_empty = |number: usize| {
        let byte = address.saturating_mul(info.cell_bytes(number));
        machine.read_bytes(number, byte, &mut [0]).is_err()
    };
    let [map] = info.maps.as_slice() else {
        // The fault does not say which map it was.
        let empty = (0..).zip(&info.maps).filter(|(number, _)| is_empty(*number));
        let empty: Vec<&str> = empty.map(|(_, map)| map.name.as_str()).collect();
        return match empty.is_empty() {
            true => {
                "the memory there lacks the flag that the access needs, or the access runs across the end \
                     of its RANGE"
                    .to_owned()
            }
            false => format!(
                "there is no memory at this address in {}; a device that the model leaves out, a wild \
                 pointer, or a missing RANGE",
                empty.join(", ")
            ),
        };
    };
    if is_empty(0) {
        return format!(
            "map {} has no memory there; a wild pointer, a stack or heap that is too large, or a \
             missing RANGE",
            map.name
        );
    }
    let flag = match access {
        AccessKind::Read => "R",
        AccessKind::Write => "W",
        AccessKind::Fetch => "X",
    };
    format!(
        "the memory there lacks flag {flag}, or the access runs across the end of its RANGE of \
         map {}",
        map.name
    )
}

/// Where the launcher speaks.
pub(super) struct Messages(pub(super) Box<dyn Write + Send>);

impl Messages {
    pub(super) fn error(&mut self, text: &str) {
        self.line(&format!("error: {text}"));
    }

    pub(super) fn line(&mut self, text: &str) {
        // Nobody could be told that nobody listens.
        let _ = writeln!(self.0, "{text}");
    }
}

#[cfg(test)]
mod tests {
    use sim_profile::{InstructionKey, InstructionRecord, Measurement, Word};

    use super::what_became_of;

    #[test]
    fn what_has_not_ended_is_told_by_its_name_in_the_report() {
        let counted = |faulted: u64| {
            let mut found = Measurement::default();
            found.undecoded_faults.insert(0, faulted / 2);
            let record = InstructionRecord { faulted: faulted - faulted / 2, ..InstructionRecord::default() };
            found.instructions.insert(InstructionKey { address: 0, word: Word::default() }, record);
            found
        };
        assert_eq!(what_became_of(2, Some(&counted(2))), ", 2 faulted");
        assert_eq!(what_became_of(1, Some(&counted(0))), ", 1 was cancelled");
        assert_eq!(what_became_of(5, Some(&counted(2))), ", 3 were cancelled, 2 faulted");
        assert_eq!(what_became_of(5, None), ", 5 were cancelled or faulted");
    }
}
