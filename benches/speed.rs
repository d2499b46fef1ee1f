//! How fast the emitted simulators of rv32im and rv32im5 are, against their targets and QEMU's
//! user-mode emulation.
//!
//! `cargo bench --bench speed [-- PART...] [--quick] [--markdown]` runs every guest without profile,
//! with the exact profile and on `qemu-riscv32` in turns, so that what else the computer does falls on
//! all three alike. Times are processor times. What is missing is said and left out. A missed target
//! makes the exit status 1. Without the name of a part, all are measured: `plain`, `pipeline`, `tools`.

use std::process::{Command, ExitCode};

mod speed {
    pub(crate) mod guest;
    pub(crate) mod process;
    pub(crate) mod samples;
    pub(crate) mod table;
    pub(crate) mod workshop;
}

use speed::guest::{Guest, find_guests};
use speed::process::Usage;
use speed::samples::{Samples, geometric_mean};
use speed::table::Table;
use speed::workshop::Workshop;

/// A processor under measurement.
struct Subject {
    title: &'static str,
    model: &'static str,
    /// Without profile, at most so many times slower than QEMU.
    qemu_factor: f64,
    /// With profile, at most so many times slower than without.
    profile_factor: f64,
    /// What part of the instructions of a measurement its guests execute.
    part: u64,
    /// QEMU runs so many times as long, lest its start be most of what is measured.
    qemu_times: u64,
}

/// One instruction after the other.
const PLAIN: Subject = Subject {
    title: "One instruction after the other",
    model: "models/rv32im/rv32im.isac",
    qemu_factor: 7.0,
    profile_factor: 1.15,
    part: 1,
    qemu_times: 1,
};
/// Five stages, cycle by cycle.
const PIPELINE: Subject = Subject {
    title: "Cycle by cycle",
    model: "models/rv32im5/rv32im5.isac",
    qemu_factor: 40.0,
    profile_factor: 1.25,
    part: 10,
    qemu_times: 50,
};
const CHECK_SECONDS: f64 = 0.3;
const GENERATE_SECONDS: f64 = 1.0;
const BUILD_SECONDS: f64 = 15.0;
/// What a run a hundred times as long may take more: noise of the allocator.
const MEMORY_SLACK_KIB: u64 = 1024;

/// Exit status of a run that its limit ended.
const LIMIT_REACHED: i32 = sim_runtime::launcher::exit_status::LIMIT;

/// How much is measured.
struct Effort {
    instructions: u64,
    repetitions: usize,
    /// Instructions of a short run and of a long one, whose memory is compared.
    memory: [u64; 2],
}

const QUICK: Effort = Effort { instructions: 100_000_000, repetitions: 3, memory: [1_000_000, 100_000_000] };
const FULL: Effort =
    Effort { instructions: 500_000_000, repetitions: 5, memory: [10_000_000, 1_000_000_000] };

/// Whether all targets are reached; the greater of two holds for both.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Verdict {
    Reached,
    Missed,
}

/// What can be measured by itself.
const PARTS: [&str; 3] = ["plain", "pipeline", "tools"];

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let is_known = |word: &str| PARTS.contains(&word) || ["--quick", "--markdown", "--bench"].contains(&word);
    if let Some(unknown) = words.iter().find(|word| !is_known(word)) {
        eprintln!("error: no part `{unknown}`; there are {}", PARTS.join(", "));
        return ExitCode::FAILURE;
    }
    let has = |named: &str| words.iter().any(|word| word == named);
    let is_all = !PARTS.into_iter().any(has);
    let is_wanted = |part: &str| is_all || has(part);
    let effort = if has("--quick") { QUICK } else { FULL };
    let measured = std::env::set_current_dir(env!("CARGO_MANIFEST_DIR")).map_err(|error| error.to_string());
    match measured.and_then(|()| measure(&effort, has("--markdown"), &is_wanted)) {
        Ok(Verdict::Reached) => ExitCode::SUCCESS,
        Ok(Verdict::Missed) => {
            eprintln!("error: a target is missed");
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn measure(effort: &Effort, markdown: bool, is_wanted: &dyn Fn(&str) -> bool) -> Result<Verdict, String> {
    if markdown {
        print_machine();
    }
    let (mut verdict, mut says_so) = (Verdict::Reached, false);
    for (part, subject) in [("plain", &PLAIN), ("pipeline", &PIPELINE)] {
        if is_wanted(part) {
            let workshop = Workshop::open(subject.model)?;
            if !workshop.has_qemu && !std::mem::replace(&mut says_so, true) {
                println!("qemu-riscv32 is not installed: no comparison with it.\n");
            }
            let guests = find_guests(&workshop, effort.instructions / subject.part)?;
            println!("## {}: `{}`\n", subject.title, subject.model);
            verdict = verdict.max(measure_speed(&workshop, &guests, effort.repetitions, subject)?);
        }
    }
    if is_wanted("tools") {
        let workshop = Workshop::open(PLAIN.model)?;
        let guests = find_guests(&workshop, effort.instructions)?;
        println!("## Tools and memory\n");
        verdict = verdict.max(measure_tools(&workshop, effort.repetitions)?);
        verdict = verdict.max(measure_memory(&workshop, &guests, effort.memory)?);
    }
    Ok(verdict)
}

/// Each guest three ways, in turns.
fn measure_speed(
    workshop: &Workshop,
    guests: &[Guest],
    repetitions: usize,
    subject: &Subject,
) -> Result<Verdict, String> {
    let qemu_header = match subject.qemu_times {
        1 => "qemu: s (min-max)".to_owned(),
        times => format!("qemu, {times} times as long: s (min-max)"),
    };
    let header = [
        "guest",
        "instructions",
        "off: s (min-max)",
        "MIPS",
        "on: s (min-max)",
        "MIPS",
        qemu_header.as_str(),
        "MIPS",
        "off / qemu",
        "on / off",
    ];
    let mut table = Table::new(&header);
    let (mut speeds, mut ratios, mut overheads) = (Vec::new(), Vec::new(), Vec::new());
    for guest in guests {
        let prolonged = guest.prolonged(subject.qemu_times);
        let qemu_times = if prolonged.is_some() { subject.qemu_times as f64 } else { 1.0 };
        let on_qemu = prolonged.as_ref().unwrap_or(&guest.arguments);
        let [off, on, qemu] = measure_guest(workshop, guest, on_qemu, repetitions)?;
        let mips = |samples: &Samples| guest.instructions as f64 / samples.median() / 1e6;
        let ratio = off.median() * qemu_times / qemu.median();
        let overhead = on.median() / off.median();
        table.push(vec![
            guest.name.clone(),
            guest.instructions.to_string(),
            off.show(),
            format!("{:.0}", mips(&off)),
            on.show(),
            format!("{:.0}", mips(&on)),
            qemu.show(),
            format!("{:.0}", mips(&qemu) * qemu_times),
            format!("{ratio:.2}"),
            format!("{overhead:.3}"),
        ]);
        speeds.push([mips(&off), mips(&on), mips(&qemu) * qemu_times]);
        ratios.push(ratio);
        overheads.push(overhead);
    }
    let mean = |way: usize| {
        format!("{:.0}", geometric_mean(&speeds.iter().map(|speed| speed[way]).collect::<Vec<_>>()))
    };
    let (ratio, overhead) = (geometric_mean(&ratios), geometric_mean(&overheads));
    let empty = String::new;
    table.push(vec![
        "geometric mean".into(),
        empty(),
        empty(),
        mean(0),
        empty(),
        mean(1),
        empty(),
        mean(2),
        format!("{ratio:.2}"),
        format!("{overhead:.3}"),
    ]);
    table.print();
    let mut targets = Targets::new();
    if workshop.has_qemu {
        targets.push("times slower than qemu, profile off", ratio, subject.qemu_factor);
    }
    targets.push("profile on / off", overhead, subject.profile_factor);
    Ok(targets.print())
}

/// Seconds without profile, with profile, and on QEMU with arguments of its own (none without it).
fn measure_guest(
    workshop: &Workshop,
    guest: &Guest,
    on_qemu: &[String],
    repetitions: usize,
) -> Result<[Samples; 3], String> {
    let mut samples = [Samples::default(), Samples::default(), Samples::default()];
    for _ in 0..repetitions {
        for (way, samples) in samples.iter_mut().enumerate() {
            let usage = match way {
                2 if !workshop.has_qemu => continue,
                2 => workshop.emulate(&guest.file, on_qemu)?,
                _ => workshop.simulate(&guest.file, &guest.arguments, way == 1, None)?,
            };
            if usage.status != Some(0) {
                return Err(format!("{} ends with {:?}: {}", guest.name, usage.status, usage.errors));
            }
            samples.push(usage.seconds);
        }
    }
    Ok(samples)
}

/// The way from a description to a simulator, in seconds that a user waits.
fn measure_tools(workshop: &Workshop, repetitions: usize) -> Result<Verdict, String> {
    let mut targets = Targets::new();
    let mut push = |name: &str, limit: f64, tool: &dyn Fn() -> Result<f64, String>| {
        let mut samples = Samples::default();
        for _ in 0..repetitions {
            samples.push(tool()?);
        }
        targets.push(name, samples.median(), limit);
        Ok::<(), String>(())
    };
    push("check, seconds", CHECK_SECONDS, &|| workshop.check())?;
    push("generate, seconds", GENERATE_SECONDS, &|| workshop.generate())?;
    push("build of the emitted package, seconds", BUILD_SECONDS, &|| workshop.build())?;
    Ok(targets.print())
}

/// Memory must not grow with the length of a run, even with the profile.
fn measure_memory(workshop: &Workshop, guests: &[Guest], lengths: [u64; 2]) -> Result<Verdict, String> {
    let header = ["guest", "instructions", "peak KiB", "instructions", "peak KiB", "grows"];
    let mut table = Table::new(&header);
    let mut verdict = Verdict::Reached;
    for guest in guests {
        let forever = guest.arguments.iter().map(|_| u32::MAX.to_string()).collect::<Vec<_>>();
        let peak = |limit: u64| -> Result<Option<u64>, String> {
            let Usage { peak_kib, status, errors, .. } =
                workshop.simulate(&guest.file, &forever, true, Some(limit))?;
            match status {
                Some(LIMIT_REACHED) => Ok(peak_kib),
                status => {
                    Err(format!("{} ends with {status:?} before {limit} instructions: {errors}", guest.name))
                }
            }
        };
        let (Some(short), Some(long)) = (peak(lengths[0])?, peak(lengths[1])?) else {
            println!("This system does not tell how much memory a program used.\n");
            return Ok(Verdict::Reached);
        };
        let grows = long > short + MEMORY_SLACK_KIB;
        if grows {
            verdict = Verdict::Missed;
        }
        let [shorter, longer] = lengths.map(|length| length.to_string());
        table.push(vec![
            guest.name.clone(),
            shorter,
            short.to_string(),
            longer,
            long.to_string(),
            if grows { "YES" } else { "no" }.into(),
        ]);
    }
    table.print();
    Ok(verdict)
}

/// A table of what is measured beside what is wanted.
struct Targets {
    table: Table,
    verdict: Verdict,
}

impl Targets {
    fn new() -> Targets {
        let table = Table::new(&["target", "measured", "at most", ""]);
        Targets { table, verdict: Verdict::Reached }
    }

    /// A value that is not a number misses its target.
    fn push(&mut self, name: &str, value: f64, limit: f64) {
        let reached = value <= limit;
        if !reached {
            self.verdict = Verdict::Missed;
        }
        let word = if reached { "reached" } else { "MISSED" };
        self.table.push(vec![name.into(), format!("{value:.3}"), format!("{limit}"), word.into()]);
    }

    fn print(self) -> Verdict {
        self.table.print();
        self.verdict
    }
}

/// What the figures belong to.
fn print_machine() {
    let cpus = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = cpus.lines().find_map(|line| line.strip_prefix("model name")).unwrap_or("\t: unknown");
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    println!("- processor: {}, {cores} cores", model.trim_start_matches(['\t', ':', ' ']));
    println!("- commit: {}", first_line("git", &["describe", "--always", "--dirty"]));
    println!("- compiler: {}", first_line("rustc", &["--version"]));
    println!("- peer: {}\n", first_line("qemu-riscv32", &["--version"]));
}

/// The first line that a command prints; `unknown` if it cannot.
fn first_line(program: &str, arguments: &[&str]) -> String {
    let output =
        Command::new(program).args(arguments).output().map(|output| output.stdout).unwrap_or_default();
    String::from_utf8_lossy(&output).lines().next().unwrap_or("unknown").to_owned()
}
