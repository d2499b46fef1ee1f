//! What it costs a run that gdb is attached and nothing is to stop it: nothing, up to a hundredth.
//!
//! `cargo bench -p gentool --bench debugged [-- --quick]` prints a table for `docs/performance.md`. The
//! instructions of the host are counted by valgrind, as the difference between two runs of different
//! length, so that what a run costs once is left out and what else the computer does makes no
//! difference. A greater share than [`MOST_PERCENT`] makes the status 1. `--quick` runs a tenth. Without
//! valgrind there is no table, and the status is 1.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};

/// What may be lost.
const MOST_PERCENT: f64 = 1.0;

/// More rounds than any of the runs gets through, for programs that ask how many.
const ROUNDS: &str = "1000000";

/// Engine, model, program, and instructions of the two runs whose difference is taken.
const RUNS: [(&str, &str, &str, [u64; 2]); 4] = [
    ("reference", "rv32im", "rv32im/programs/csv.elf", [200_000, 600_000]),
    ("reference", "rv32im5", "rv32im/programs/crc32.elf", [50_000, 150_000]),
    ("reference", "avr", "avr/programs/sorting.elf", [200_000, 600_000]),
    ("translated", "rv32im", "rv32im/programs/csv.elf", [100_000_000, 2_500_000_000]),
];

fn main() -> ExitCode {
    let divisor = if std::env::args().any(|argument| argument == "--quick") { 10 } else { 1 };
    println!("Instructions of the host for one of the guest, with profile:\n");
    println!("| engine | model | plain | gdb attached | percent more |");
    println!("|---|---|---:|---:|---:|");
    let mut is_missed = false;
    for (engine, model, program, lengths) in RUNS {
        let cost = |is_attached: bool| {
            let [short, long] = lengths
                .map(|instructions| collected(engine, model, program, (instructions / divisor, is_attached)));
            Some((long? - short?) / ((lengths[1] - lengths[0]) / divisor) as f64)
        };
        let (Some(plain), Some(attached)) = (cost(false), cost(true)) else {
            println!("{engine}, {model}: valgrind is missing, or its run gave no figure");
            return ExitCode::FAILURE;
        };
        let more = 100.0 * (attached / plain - 1.0);
        println!("| {engine} | {model} | {plain:.2} | {attached:.2} | {more:+.2} |");
        is_missed |= more > MOST_PERCENT;
    }
    ExitCode::from(u8::from(is_missed))
}

/// Instructions of the host of a run, all of it; `None` without valgrind.
fn collected(
    engine: &str,
    model: &str,
    program: &str,
    (instructions, is_attached): (u64, bool),
) -> Option<f64> {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let scratch = tempfile::tempdir().expect("a folder for temporary files");
    let mut command = Command::new("valgrind");
    command.current_dir(&repository).args(["--tool=callgrind", "--smc-check=all-non-file"]);
    command.arg(format!("--callgrind-out-file={}", scratch.path().join("callgrind.out").display()));
    command.arg(env!("CARGO_BIN_EXE_gentool")).arg("run").arg(format!("models/{model}/{model}.isac"));
    command.arg(format!("models/{program}")).args(["--engine", engine]);
    command.args(["--limit-instructions", &instructions.to_string()]);
    command.arg("--profile").arg(scratch.path().join("profile"));
    if is_attached {
        command.args(["--gdb", "0"]);
    }
    command.args(["--", ROUNDS]);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = command.spawn().ok()?;
    let mut messages = BufReader::new(child.stderr.take()?);
    let mut told = String::new();
    if is_attached {
        while !told.contains("waiting for gdb at ") {
            if messages.read_line(&mut told).ok()? == 0 {
                break;
            }
        }
        let address = told.split_once("127.0.0.1:").map_or("", |(_, rest)| rest);
        let port =
            address.split(|byte: char| !byte.is_ascii_digit()).next().and_then(|port| port.parse().ok());
        let mut stream = TcpStream::connect(("127.0.0.1", port?)).ok()?;
        stream.write_all(b"$vCont;c#a8").ok()?;
        // It hears nothing more before the run is over.
        let _ = stream.read_to_end(&mut Vec::new());
    }
    messages.read_to_string(&mut told).ok()?;
    child.wait().ok()?;
    let collected = told.lines().filter_map(|line| line.split_once("Collected :")).next_back()?.1;
    collected.trim().parse().ok()
}
