//! The translated engine beside QEMU: how fast it is without and with the exact profile, what counting
//! and translating cost.
//!
//! `cargo bench -p gentool --bench translated [-- --quick]` prints the tables of `docs/performance.md`.
//! Each guest of `rv32im` is repeated until QEMU takes five seconds; one guest of every other model that
//! is translated runs for a second. The fastest of three runs counts, QEMU's and ours by turns. Times are
//! processor times of the thread that runs the program, reading the description included; another makes machine
//! code beside it, and what one thread takes that does both is told, too.
//! Then each guest of every model runs for a million instructions: how
//! long the slowest takes to start. A missed target makes the exit status 1; without QEMU (Debian:
//! `qemu-user`) its columns are empty. `--quick` takes a tenth of the repeats; `-- start` takes the starts alone.

#[path = "../../benches/speed/process.rs"]
mod process;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use process::Usage;

/// Guests of `rv32im`.
const GUESTS: [&str; 6] = ["bytecode", "crc32", "csv", "matrix", "sha256", "sorting"];
/// Other models, with QEMU's program for them; where there is none, programs get no arguments, and the
/// guest runs as it is.
const OTHERS: [(&str, Option<&str>); 5] = [
    ("rv32imc", Some("qemu-riscv32")),
    ("rv64imac", Some("qemu-riscv64")),
    ("mips32", Some("qemu-mips")),
    ("armv6m", Some("qemu-arm")),
    ("avr", None),
];
/// The guest that every model runs.
const COMMON: &str = "crc32";
/// Everything is measured so often, a guest's ways by turns; of each the fastest run is taken.
const ROUNDS: usize = 3;
/// How long the slowest start may take, in seconds.
const START_SECONDS: f64 = 0.5;
/// Status of a run that has come to a limit.
const LIMIT_STATUS: i32 = 124;
/// Repeats from which a guest's length is first guessed.
const PROBE: u64 = 9;

/// How a run counts.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    /// No profile, no limit.
    Plain,
    /// The same in one thread.
    Alone,
    /// The exact profile, and limits that are not reached.
    Profile,
    /// The same with a counter on every edge.
    EveryCounter,
}

/// One guest of one model.
struct Guest {
    model: PathBuf,
    program: PathBuf,
    repeats: Option<u64>,
}

/// A run, and what it says of itself.
struct Run {
    seconds: f64,
    instructions: u64,
    peak_kib: u64,
    /// Of the translation: bytes, seconds, edges, counters.
    told: [f64; 4],
}

fn repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path)
}

/// The number before a word in a line.
fn number_before(line: &str, word: &str) -> Option<f64> {
    let words: Vec<&str> = line.split([' ', ',']).filter(|word| !word.is_empty()).collect();
    let at = words.iter().position(|other| *other == word)?;
    words.get(at.checked_sub(1)?)?.parse().ok()
}

impl Guest {
    fn of(model: &str, guest: &str) -> Guest {
        let program = repository(&format!("models/{model}/programs/{guest}.elf"));
        Guest { model: repository(&format!("models/{model}/{model}.isac")), program, repeats: None }
    }

    fn run(&self, way: Way, scratch: &Path) -> Result<Run, String> {
        let usage = self.simulate(0, |command| {
            command.arg("--stats");
            if way == Way::Alone {
                command.args(["--compile-threads", "0"]);
            } else if way != Way::Plain {
                command.arg("--report").arg(scratch.join("report.xml"));
                command.args(["--limit-instructions", "1000000000000", "--timeout", "3600"]);
            }
            if way == Way::EveryCounter {
                command.args(["--counters", "every"]);
            }
        })?;
        let line = |word: &str| {
            let found = usage.errors.lines().find(|line| line.contains(word));
            found.ok_or_else(|| format!("{}: no {word} in {}", self.program.display(), usage.errors))
        };
        let (stats, told) = (line("MIPS")?, line("translated:")?);
        let figures = ["bytes", "seconds", "edges", "counters"].map(|word| number_before(told, word));
        Ok(Run {
            seconds: usage.seconds,
            peak_kib: usage.peak_kib.unwrap_or_default(),
            instructions: number_before(stats, "instructions").unwrap_or(0.0) as u64,
            told: figures.map(Option::unwrap_or_default),
        })
    }

    /// Seconds for the first million instructions, the least of three runs.
    fn start(&self, way: Way, scratch: &Path) -> Result<f64, String> {
        let mut least = f64::INFINITY;
        for _ in 0..ROUNDS {
            let usage = self.simulate(LIMIT_STATUS, |command| {
                command.args(["--limit-instructions", "1M"]);
                match way {
                    Way::Plain => command,
                    Way::Alone => command.args(["--compile-threads", "0"]),
                    Way::Profile | Way::EveryCounter => {
                        command.arg("--report").arg(scratch.join("report.xml"))
                    }
                };
            })?;
            least = least.min(usage.seconds);
        }
        Ok(least)
    }

    /// A run with further options, which is to end with a status.
    fn simulate(&self, status: i32, add_options: impl Fn(&mut Command)) -> Result<Usage, String> {
        let mut command = Command::new(env!("CARGO_BIN_EXE_gentool"));
        command.arg("run").args([&self.model, &self.program]).args(["--engine", "translated"]);
        add_options(&mut command);
        if let Some(repeats) = self.repeats {
            command.arg("--").arg(repeats.to_string());
        }
        let usage = process::run(&mut command)?;
        if usage.status != Some(status) {
            return Err(format!("{} ends with {:?}: {}", self.program.display(), usage.status, usage.errors));
        }
        Ok(usage)
    }

    fn qemu(&self, qemu: &str) -> Option<Usage> {
        let mut command = Command::new(qemu);
        process::run(command.arg(&self.program).args(self.repeats.map(|repeats| repeats.to_string()))).ok()
    }

    /// Chooses repeats so that QEMU takes `seconds`, if it is there.
    fn lengthen(&mut self, qemu: &str, seconds: f64) {
        let mut repeats = PROBE;
        // Starting takes its time as well: longer runs tell better what a repeat takes.
        let taken = loop {
            self.repeats = Some(repeats);
            match self.qemu(qemu) {
                Some(usage) if usage.seconds > seconds / 10.0 => break usage.seconds,
                Some(_) => repeats *= 4,
                None => return,
            }
        };
        self.repeats = Some((repeats as f64 * seconds / taken).ceil().max(1.0) as u64);
    }
}

/// A row of the table; gives how many times as fast as QEMU without and with the profile, and without in one thread.
fn row(name: &str, guest: &Guest, qemu: Option<&str>, scratch: &Path) -> Result<Option<[f64; 3]>, String> {
    let ways = [Way::Plain, Way::Alone, Way::Profile, Way::EveryCounter];
    let mut least: [Option<Run>; 4] = [const { None }; 4];
    let mut qemu_seconds: Option<f64> = None;
    for _ in 0..ROUNDS {
        for (least, way) in least.iter_mut().zip(ways) {
            let run = guest.run(way, scratch)?;
            if least.as_ref().is_none_or(|least| run.seconds < least.seconds) {
                *least = Some(run);
            }
        }
        let seconds = qemu.and_then(|qemu| Some(guest.qemu(qemu)?.seconds));
        qemu_seconds = qemu_seconds.into_iter().chain(seconds).reduce(f64::min);
    }
    let [plain, alone, profile, every] = least.map(|run| run.expect("there are rounds"));
    let mips = |seconds: f64| format!("{:.0}", plain.instructions as f64 / seconds / 1e6);
    let ratio = |run: &Run| qemu_seconds.map(|seconds| seconds / run.seconds);
    let shown = |ratio: Option<f64>| ratio.map_or_else(String::new, |ratio| format!("{ratio:.2}"));
    let overhead = |run: &Run| format!("{:.1}", 100.0 * (run.seconds / plain.seconds - 1.0));
    let share = |run: &Run| format!("{:.1}", 100.0 * run.told[3] / run.told[2].max(1.0));
    println!(
        "| {name} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {:.3} | {:.0} | {:.0} |",
        qemu_seconds.map_or_else(String::new, mips),
        mips(plain.seconds),
        shown(ratio(&plain)),
        shown(ratio(&alone)),
        mips(profile.seconds),
        shown(ratio(&profile)),
        share(&every),
        share(&profile),
        overhead(&every),
        overhead(&profile),
        profile.told[1],
        profile.told[0] / 1024.0,
        profile.peak_kib as f64 / 1024.0
    );
    let ratios = [ratio(&plain), ratio(&profile), ratio(&alone)];
    Ok(ratios.iter().all(Option::is_some).then(|| ratios.map(Option::unwrap_or_default)))
}

fn geometric_mean(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = values.len() as f64;
    (values.map(f64::ln).sum::<f64>() / count).exp()
}

fn measure(scratch: &Path, seconds: f64) -> Result<bool, String> {
    println!(
        "| guest | qemu: MIPS | off: MIPS | off / qemu | in one thread | on: MIPS | on / qemu | counters an edge: every, % | \
         fewest, % | overhead: every, % | fewest, % | translating: s | code: KiB | memory: MiB |"
    );
    println!("|---|{}", "---:|".repeat(13));
    let mut ratios = Vec::new();
    for name in GUESTS {
        let mut guest = Guest::of("rv32im", name);
        guest.lengthen("qemu-riscv32", seconds);
        ratios.extend(row(name, &guest, Some("qemu-riscv32"), scratch)?);
    }
    for (model, qemu) in OTHERS {
        let mut guest = Guest::of(model, COMMON);
        if let Some(qemu) = qemu {
            guest.lengthen(qemu, seconds / 5.0);
        }
        row(&format!("{model}: {COMMON}"), &guest, qemu, scratch)?;
    }
    if ratios.is_empty() {
        return Ok(false);
    }
    let [off, on, alone] = [0, 1, 2].map(|which| geometric_mean(ratios.iter().map(|ratio| ratio[which])));
    println!("\nIn one thread, without profile: {alone:.2} times as fast as qemu.");
    let slowest = ratios.iter().flatten().copied().fold(f64::INFINITY, f64::min);
    println!("\n| target | measured | at least | |\n|---|---:|---:|---|");
    let mut is_missed = false;
    for (name, measured, least) in [
        ("times as fast as qemu, profile off", off, 2.0),
        ("times as fast as qemu, limits and exact profile on", on, 1.75),
        ("times as fast as qemu, slowest guest", slowest, 1.0),
    ] {
        let word = if measured >= least { "reached" } else { "MISSED" };
        is_missed |= measured < least;
        println!("| {name} | {measured:.2} | {least} | {word} |");
    }
    Ok(is_missed)
}

/// How long a million instructions take from the description on; true if that is too long.
fn measure_starts(scratch: &Path) -> Result<bool, String> {
    println!("\n| model | slowest guest | start: s | with profile: s | in one thread: s |");
    println!("|---|---|---:|---:|---:|");
    let mut slowest = 0.0_f64;
    let others = OTHERS.iter().map(|(model, qemu)| (*model, qemu.is_some()));
    for (model, takes_repeats) in [("rv32im", true)].into_iter().chain(others) {
        let mut found = [("", 0.0_f64); 3];
        for name in GUESTS {
            let guest = Guest { repeats: takes_repeats.then_some(1000), ..Guest::of(model, name) };
            for (most, way) in found.iter_mut().zip([Way::Plain, Way::Profile, Way::Alone]) {
                let seconds = guest.start(way, scratch)?;
                if seconds > most.1 {
                    *most = (name, seconds);
                }
            }
        }
        let [(name, plain), (other, profile), (_, alone)] = found;
        let names = if name == other { name.to_owned() } else { format!("{name}, {other}") };
        println!("| {model} | {names} | {plain:.2} | {profile:.2} | {alone:.2} |");
        slowest = slowest.max(plain).max(profile);
    }
    let word = if slowest < START_SECONDS { "reached" } else { "MISSED" };
    println!("\n| target | measured | below | |\n|---|---:|---:|---|");
    println!(
        "| seconds for a million instructions, the description read, slowest | {slowest:.2} | {START_SECONDS} | {word} |"
    );
    Ok(slowest >= START_SECONDS)
}

fn main() -> ExitCode {
    let is_asked = |word: &str| std::env::args().any(|argument| argument == word);
    let scratch = tempfile::tempdir().expect("a folder for temporary files");
    let seconds = if is_asked("--quick") { 0.5 } else { 5.0 };
    let speed = if is_asked("start") { Ok(false) } else { measure(scratch.path(), seconds) };
    let missed = speed.and_then(|slow| Ok(measure_starts(scratch.path())? || slow));
    match missed {
        Ok(false) => ExitCode::SUCCESS,
        Ok(true) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
