//! What it costs a run that gdb is attached and nothing is to stop it: nothing, up to a hundredth.
//!
//! `cargo bench -p gentool --bench debugged [-- --quick]` prints tables for `docs/performance.md`. For the
//! reference engine, the instructions of the host are counted by valgrind, as the difference between two
//! runs of different length, so that what a run costs once is left out and what else the computer does
//! makes no difference. When the translated engine translates what is not the same in any two runs, and
//! with it such counts; so its processor time is measured, in pairs of runs one after the other, and the
//! quartiles of what the second takes beside the first are told. A greater share than [`MOST_PERCENT`], of
//! the translated engine by the lower quartile, makes the status 1; so does a run that ends before its
//! limit. `--quick` runs a tenth. Without valgrind there is no table, and the status is 1.

#[allow(dead_code, reason = "memory is not looked at here")]
#[path = "../../benches/speed/process.rs"]
mod process;

use std::io::{self, BufRead as _, BufReader, Read};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};

use process::{run, run_heard};

/// What may be lost.
const MOST_PERCENT: f64 = 1.0;

/// More rounds than any of the runs gets through, for programs that ask how many.
const ROUNDS: &[&str] = &["--", "1000000"];

/// A run of the reference engine: model, program, its arguments, and instructions of the two runs whose
/// difference is taken.
type Counted = (&'static str, &'static str, &'static [&'static str], [u64; 2]);

const COUNTED: [Counted; 3] = [
    ("rv32im", "rv32im/programs/csv.elf", ROUNDS, [200_000, 600_000]),
    ("rv32im5", "rv32im/programs/crc32.elf", ROUNDS, [50_000, 150_000]),
    // An AVR's programs take no arguments.
    ("avr", "avr/programs/sorting.elf", &[], [100_000, 300_000]),
];

/// The same of the translated engine: how long each run is.
const TIMED: [(&str, &str, u64); 2] = [
    ("rv32im", "rv32im/programs/csv.elf", 5_000_000_000),
    ("rv32im", "rv32im/programs/sorting.elf", 5_000_000_000),
];

/// Pairs of runs that are timed.
const PAIRS: usize = 15;

fn main() -> ExitCode {
    let divisor = if std::env::args().any(|argument| argument == "--quick") { 10 } else { 1 };
    match compare_counts(divisor).and_then(|counts| Ok(counts & compare_times(divisor)?)) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(wrong) => {
            println!("{wrong}");
            ExitCode::FAILURE
        }
    }
}

/// Whether the reference engine loses no more than it may.
fn compare_counts(divisor: u64) -> Result<bool, String> {
    println!("Instructions of the host for one of the guest, reference engine with profile:\n");
    println!("| model | program | plain | gdb attached | percent more |");
    println!("|---|---|---:|---:|---:|");
    let mut holds = true;
    for (model, program, arguments, lengths) in COUNTED {
        let cost = |is_attached: bool| -> Result<f64, String> {
            let count = |length: u64| collected((model, program, arguments), length / divisor, is_attached);
            Ok((count(lengths[1])? - count(lengths[0])?) / ((lengths[1] - lengths[0]) / divisor) as f64)
        };
        let (plain, attached) = (cost(false)?, cost(true)?);
        let more = 100.0 * (attached / plain - 1.0);
        println!("| `{model}` | `{}` | {plain:.0} | {attached:.0} | {more:+.2} |", name_of(program));
        holds &= more <= MOST_PERCENT;
    }
    Ok(holds)
}

/// Whether the translated engine does.
fn compare_times(divisor: u64) -> Result<bool, String> {
    println!(
        "\nProcessor seconds of whole runs, translated engine with profile, medians of {PAIRS} pairs:\n"
    );
    println!("| model | program | plain | gdb attached | percent more | quartiles of it |");
    println!("|---|---|---:|---:|---:|---|");
    let mut holds = true;
    for (model, program, length) in TIMED {
        let (mut plain, mut attached, mut more) = (Vec::new(), Vec::new(), Vec::new());
        for pair in 0..PAIRS {
            let second = |is_attached| seconds((model, program, ROUNDS), length / divisor, is_attached);
            let first_attached = if pair % 2 == 0 { None } else { Some(second(true)?) };
            plain.push(second(false)?);
            attached.push(first_attached.map_or_else(|| second(true), Ok)?);
            more.push(100.0 * (attached[pair] / plain[pair] - 1.0));
        }
        let [plain, attached] = [plain, attached].map(|times| quartiles(times)[1]);
        let [lower, median, upper] = quartiles(more);
        println!(
            "| `{model}` | `{}` | {plain:.3} | {attached:.3} | {median:+.2} | {lower:+.2} to {upper:+.2} |",
            name_of(program)
        );
        holds &= lower <= MOST_PERCENT;
    }
    Ok(holds)
}

/// Lower quartile, median, upper quartile: of an odd number of values, values of them.
fn quartiles(mut values: Vec<f64>) -> [f64; 3] {
    values.sort_by(f64::total_cmp);
    [1, 2, 3].map(|quarter| values[quarter * (values.len() - 1) / 4])
}

fn name_of(program: &str) -> &str {
    program.rsplit('/').next().unwrap_or(program).trim_end_matches(".elf")
}

/// What `gentool run` is given for so many instructions.
fn arguments(
    (model, program, arguments): (&str, &str, &[&str]),
    engine: &str,
    (instructions, is_attached): (u64, bool),
    profile: &Path,
) -> Vec<String> {
    let mut all = vec!["run".to_owned(), format!("models/{model}/{model}.isac"), format!("models/{program}")];
    all.extend(["--engine".to_owned(), engine.to_owned()]);
    all.extend(["--limit-instructions".to_owned(), instructions.to_string()]);
    all.extend(["--profile".to_owned(), profile.display().to_string()]);
    all.extend(is_attached.then(|| ["--gdb".to_owned(), "0".to_owned()]).into_iter().flatten());
    all.extend(arguments.iter().map(|argument| (*argument).to_owned()));
    all
}

/// Connects to who waits for gdb, as it says, and has the program run.
fn attach(messages: &mut impl Read) -> io::Result<TcpStream> {
    use std::io::Write as _;

    let (mut messages, mut told) = (BufReader::new(messages), String::new());
    while !told.contains("waiting for gdb at ") {
        if messages.read_line(&mut told)? == 0 {
            return Err(io::Error::other(told));
        }
    }
    let address = told.split_once("127.0.0.1:").map_or("", |(_, rest)| rest);
    let port = address.split(|byte: char| !byte.is_ascii_digit()).next().and_then(|port| port.parse().ok());
    let mut stream = TcpStream::connect(("127.0.0.1", port.unwrap_or(0)))?;
    stream.write_all(b"$vCont;c#a8")?;
    Ok(stream)
}

/// Instructions of the host of a run by the reference engine, all of it.
fn collected(what: (&str, &str, &[&str]), instructions: u64, is_attached: bool) -> Result<f64, String> {
    let scratch = tempfile::tempdir().expect("a folder for temporary files");
    let mut command = Command::new("valgrind");
    command.current_dir(repository()).args(["--tool=callgrind", "--smc-check=all-non-file"]);
    command.arg(format!("--callgrind-out-file={}", scratch.path().join("callgrind.out").display()));
    command.arg(env!("CARGO_BIN_EXE_gentool"));
    command.args(arguments(what, "reference", (instructions, is_attached), &scratch.path().join("profile")));
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    let missing = |error: io::Error| format!("valgrind gave no figure: {error}");
    let mut child = command.spawn().map_err(missing)?;
    let mut messages = child.stderr.take().expect("it is a pipe");
    // Whoever debugs hears nothing more before the run is over.
    let stream = is_attached.then(|| attach(&mut messages)).transpose().map_err(missing)?;
    let mut told = String::new();
    messages.read_to_string(&mut told).map_err(missing)?;
    child.wait().map_err(missing)?;
    drop(stream);
    check_limit(&told)?;
    let collected = told.lines().filter_map(|line| line.split_once("Collected :")).next_back();
    let collected = collected.and_then(|(_, number)| number.trim().parse().ok());
    collected.ok_or_else(|| format!("valgrind gave no figure:\n{told}"))
}

/// Processor seconds of a run by the translated engine.
fn seconds(what: (&str, &str, &[&str]), instructions: u64, is_attached: bool) -> Result<f64, String> {
    let scratch = tempfile::tempdir().expect("a folder for temporary files");
    let mut command = Command::new(env!("CARGO_BIN_EXE_gentool"));
    command.current_dir(repository());
    command.args(arguments(what, "translated", (instructions, is_attached), &scratch.path().join("profile")));
    let usage = match is_attached {
        true => run_heard(&mut command, attach)?,
        false => run(&mut command)?,
    };
    check_limit(&usage.errors)?;
    Ok(usage.seconds)
}

/// A run that ended by itself measures something else.
fn check_limit(told: &str) -> Result<(), String> {
    match told.contains("limit reached: ") {
        true => Ok(()),
        false => Err(format!("a run ended before its limit:\n{told}")),
    }
}

fn repository() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}
