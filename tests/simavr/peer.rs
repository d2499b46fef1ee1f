//! simavr's ATmega1284P, in one process for each program.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use super::machine::State;
use super::program::Program;

const SIMAVR: &str = "simavr";

/// Bytes of a record of Intel HEX.
const RECORD: usize = 32;

/// True if simavr is installed and knows the processor.
pub(crate) fn has_simavr() -> bool {
    let listed = Command::new(SIMAVR).arg("--list-cores").stdin(Stdio::null()).output();
    listed.is_ok_and(|listed| {
        String::from_utf8_lossy(&[listed.stdout, listed.stderr].concat()).contains("atmega1284p")
    })
}

/// Runs a program to its end, and reads what it sends.
pub(crate) fn run_simavr(folder: &Path, program: &Program) -> State {
    let file = folder.join("random.hex");
    fs::write(&file, intel_hex(program)).expect("the folder is there");
    let mut simavr = Command::new(SIMAVR);
    simavr.args(["-m", "atmega1284p", "-f", "16000000"]).arg(&file).stdin(Stdio::null());
    let output = simavr.output().expect("simavr starts");
    let said = [output.stdout, output.stderr].concat();
    read_answer(&String::from_utf8_lossy(&said))
}

/// Each line stands in a colour, with a dot for its end.
fn read_answer(said: &str) -> State {
    let lines = said.split("\u{1b}[32m").skip(1).filter_map(|line| line.split_once(".\n"));
    let digits: String = lines.map(|(line, _)| line).collect();
    let digits = digits.as_bytes().chunks(2).filter_map(|pair| std::str::from_utf8(pair).ok());
    State(digits.filter_map(|pair| u8::from_str_radix(pair, 16).ok()).collect())
}

fn intel_hex(program: &Program) -> String {
    let mut text = String::new();
    // Without a gap: simavr takes one piece of program memory.
    for (bytes, address) in program.flash.chunks(RECORD).zip((0..).step_by(RECORD)) {
        if address % 0x1_0000 == 0 {
            write_record(&mut text, 4, 0, &((address >> 16) as u16).to_be_bytes());
        }
        write_record(&mut text, 0, address as u16, bytes);
    }
    write_record(&mut text, 1, 0, &[]);
    text
}

fn write_record(text: &mut String, kind: u8, address: u16, bytes: &[u8]) {
    let [high, low] = address.to_be_bytes();
    let mut record = vec![bytes.len() as u8, high, low, kind];
    record.extend(bytes);
    let sum = record.iter().fold(0_u8, |sum, byte| sum.wrapping_sub(*byte));
    record.push(sum);
    text.push(':');
    for byte in record {
        let _ = write!(text, "{byte:02X}");
    }
    text.push('\n');
}
