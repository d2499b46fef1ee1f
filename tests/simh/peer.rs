//! The PDP-11 of simh, in one process for many cases.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use super::case::{Base, Case};
use super::machine::{MEMORY_BYTES, Outcome, Run};

const SIMH: &str = "pdp11";

/// Devices beside the console and the line clock, which cannot be taken away.
const DEVICES: [&str; 13] =
    ["RHA", "PTR", "PTP", "LPT", "DZ", "RK", "RL", "HK", "RX", "RP", "RQ", "TM", "TQ"];

const REGISTERS: [&str; 8] = ["R0", "R1", "R2", "R3", "R4", "R5", "SP", "PC"];

/// Places whose values one command shows.
const SHOWN_AT_ONCE: usize = 16;

/// What simh says about a list of cases.
pub(crate) struct Answer {
    /// The registers, the status, and the words that the engine changed.
    pub(crate) outcomes: Vec<Outcome>,
    /// Words that changed although no case of the engine changed them, by address.
    pub(crate) stray: BTreeMap<u16, u16>,
}

/// True if simh's PDP-11 is installed.
pub(crate) fn has_simh(folder: &Path) -> bool {
    let script = folder.join("quit.ini");
    fs::write(&script, "quit\n").expect("the folder is there");
    let started = Command::new(SIMH).arg(&script).stdin(Stdio::null()).output();
    started.is_ok_and(|output| String::from_utf8_lossy(&output.stdout).contains("PDP-11 simulator"))
}

/// Runs cases, each from the same memory and as far as the engine ran it.
pub(crate) fn run_simh(folder: &Path, base: &Base, cases: &[(Case, Run)]) -> Answer {
    let mut text = String::from("set cpu 11/20\n");
    for device in DEVICES {
        let _ = writeln!(text, "set {device} disable");
    }
    for (index, word) in base.0.iter().enumerate() {
        let _ = writeln!(text, "deposit {:o} {word:o}", 2 * index);
    }
    for (case, run) in cases {
        write_case(&mut text, base, case, run);
    }
    let _ = writeln!(text, "echo END\nexamine 0-{:o}\nquit", MEMORY_BYTES - 2);
    let script = folder.join("cases.ini");
    fs::write(&script, text).expect("the folder is there");
    let output = Command::new(SIMH).arg(&script).stdin(Stdio::null()).output().expect("simh starts");
    read_answer(&String::from_utf8_lossy(&output.stdout), base, cases)
}

/// Sets a case up, runs it, shows what it left, and takes its changes of memory back.
fn write_case(text: &mut String, base: &Base, case: &Case, run: &Run) {
    let start = case.registers[7];
    let code = (start..).step_by(2).zip(&case.code);
    for (name, value) in REGISTERS.iter().zip(case.registers) {
        let _ = writeln!(text, "deposit {name} {value:o}");
    }
    let _ = writeln!(text, "deposit PSW {:o}\ndeposit TRAPS 0\ndeposit WAIT 0", case.status);
    for (address, word) in code.clone() {
        let _ = writeln!(text, "deposit {address:o} {word:o}");
    }
    let _ = writeln!(text, "step {}\necho CASE", run.instructions);
    let _ = writeln!(text, "examine {},PSW", REGISTERS.join(","));
    let changed: Vec<String> = run.outcome.changed.keys().map(|address| format!("{address:o}")).collect();
    for some in changed.chunks(SHOWN_AT_ONCE) {
        let _ = writeln!(text, "examine {}", some.join(","));
    }
    for address in code.map(|(address, _)| address).chain(run.outcome.changed.keys().copied()) {
        let word = base.0.get(usize::from(address) / 2).copied().unwrap_or(0);
        let _ = writeln!(text, "deposit {address:o} {word:o}");
    }
}

fn read_answer(output: &str, base: &Base, cases: &[(Case, Run)]) -> Answer {
    let (shown, memory) = output.split_once("\nEND\n").expect("simh came to the end of its script");
    let pieces: Vec<&str> = shown.split("\nCASE\n").skip(1).collect();
    assert_eq!(pieces.len(), cases.len(), "simh answers every case");
    let mut stray = values(memory);
    stray.retain(|address, word| base.0.get(usize::from(*address) / 2).copied().unwrap_or(0) != *word);
    let outcomes = pieces.iter().zip(cases);
    Answer { outcomes: outcomes.map(|(piece, (case, _))| read_outcome(piece, base, case)).collect(), stray }
}

fn read_outcome(piece: &str, base: &Base, case: &Case) -> Outcome {
    let register = |name: &str| {
        let value = piece.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(":\t"));
        let value = value.unwrap_or_else(|| panic!("simh does not show {name}: {piece}"));
        u16::from_str_radix(value, 8).expect("simh shows octal numbers")
    };
    let mut changed = values(piece);
    changed.retain(|address, word| {
        let place = usize::from(address.wrapping_sub(case.registers[7])) / 2;
        let before = case.code.get(place).or(base.0.get(usize::from(*address) / 2));
        before.copied().unwrap_or(0) != *word
    });
    Outcome { registers: REGISTERS.map(register), status: register("PSW") as u8, changed }
}

/// The lines that show words of memory.
fn values(text: &str) -> BTreeMap<u16, u16> {
    let pairs = text.lines().filter_map(|line| line.split_once(":\t"));
    let octal = |digits: &str| u16::from_str_radix(digits, 8).ok();
    pairs.filter_map(|(address, word)| Some((octal(address)?, octal(word)?))).collect()
}
