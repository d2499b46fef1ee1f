//! What samples cost, and how near they come to the whole run.
//!
//! `cargo bench -p gentool --bench samples [-- --quick] [GUEST...]` prints tables for
//! `docs/performance.md`, for the guests that are named or for all, on the translated engine. How near
//! samples come that are chosen by checks is exact and the same on every machine, and on every engine. What
//! they cost is the least processor time of some runs in turns, less that of runs which are shorter, so that
//! what a run costs once is left out, translation above all. `--quick` runs a hundredth.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::BufReader;
use std::path::Path;
use std::process::{Command, Stdio};

use sim_profile::{Accesses, Profile, control_table, read_profile};

const GUESTS: [&str; 6] = ["bytecode", "crc32", "csv", "matrix", "sha256", "sorting"];
const INTERVALS: [u64; 6] = [1, 10, 100, 1_000, 10_000, 100_000];

/// So rarely that no run comes to a sample: the checks alone.
const NEVER: u64 = 1 << 50;

/// Instructions of a run whose samples are compared with all of it: a hundred million checks.
const COMPARED: u64 = 1_500_000_000;

/// Instructions of the two runs whose difference is taken.
const TIMED: [u64; 2] = [100_000_000, 600_000_000];

/// Runs of which the fastest counts.
const REPEATED: usize = 3;

/// Microseconds between samples that a clock chooses.
const PERIODS: [u64; 2] = [100, 1_000];

/// The options by which each instrumented instruction is a check.
fn each(what: &str) -> Vec<String> {
    ["--sample-only", what, "--sample-code", "none"].map(str::to_owned).to_vec()
}

/// How long the runs are.
#[derive(Clone, Copy)]
struct Length {
    divisor: u64,
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let divisor = if arguments.iter().any(|argument| argument == "--quick") { 100 } else { 1 };
    let length = Length { divisor };
    let mut guests = GUESTS.to_vec();
    guests.retain(|guest| arguments.iter().any(|argument| argument == guest));
    if guests.is_empty() {
        guests = GUESTS.to_vec();
    }
    let scratch = tempfile::tempdir().expect("a folder for temporary files");
    compare(&guests, length, scratch.path());
    compare_timer(&guests, length, scratch.path());
    time(&guests, length, scratch.path());
}

/// A run of a guest on the translated engine, which has enough to do for any limit.
fn run(guest: &str, instructions: u64, options: &[String]) -> Vec<String> {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let file = |path: String| repository.join(path).to_string_lossy().into_owned();
    let mut line = vec!["run".to_owned(), file("models/rv32im/rv32im.isac".to_owned())];
    line.push(file(format!("models/rv32im/programs/{guest}.elf")));
    line.extend(["--engine".to_owned(), "translated".to_owned()]);
    line.extend(["--limit-instructions".to_owned(), instructions.to_string()]);
    line.extend(options.iter().cloned());
    line.extend(["--".to_owned(), "1000000000".to_owned()]);
    line
}

fn quiet(program: &str, arguments: &[String]) -> Command {
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    command
}

fn options_of(path: &Path, interval: Option<u64>, seed: Option<u64>) -> Vec<String> {
    let mut options = vec!["--profile".to_owned(), path.to_string_lossy().into_owned()];
    options.extend(interval.into_iter().flat_map(|interval| ["--sample".to_owned(), interval.to_string()]));
    options.extend(seed.into_iter().flat_map(|seed| ["--sample-random".to_owned(), seed.to_string()]));
    options
}

/// The profile of a run.
fn measure(guest: &str, instructions: u64, options: &[String], path: &Path) -> Profile {
    let output = quiet(env!("CARGO_BIN_EXE_gentool"), &run(guest, instructions, options)).output();
    let output = output.expect("gentool runs");
    assert_eq!(output.status.code(), Some(124), "{}", String::from_utf8_lossy(&output.stderr));
    read_profile(BufReader::new(File::open(path).expect("a profile"))).expect("a profile")
}

/// Shares of a whole, by where they are.
type Shares = BTreeMap<(u64, u64), f64>;

fn shares(counts: impl Iterator<Item = ((u64, u64), u64)>) -> Shares {
    let mut shares = Shares::new();
    for (place, count) in counts {
        *shares.entry(place).or_default() += count as f64;
    }
    let whole: f64 = shares.values().sum();
    shares.values_mut().for_each(|share| *share *= 100.0 / whole);
    shares
}

/// Calls by instruction and called address, and accesses to memory by instruction.
fn figures(profile: &Profile) -> [Shares; 2] {
    let control = control_table(&profile.statics);
    let is_call = |from: &u64| control.get(from).is_some_and(|control| control.keeps.is_some());
    let transfers = profile.measurement.transfers.iter().filter(|((from, _), _)| is_call(from));
    let calls = shares(transfers.map(|(way, count)| (*way, *count)));
    let tables = &profile.measurement.tables;
    let maps = tables.resources.len() as u64 - u64::from(tables.maps);
    let accesses = profile.measurement.instructions.iter().flat_map(|(key, record)| {
        let of_maps = record.accesses.iter().filter(move |((_, resource), _)| u64::from(*resource) >= maps);
        of_maps.map(|(_, Accesses { reads, writes, .. })| ((key.address, 0), reads + writes))
    });
    [calls, shares(accesses)]
}

/// How much of the one is in the other, in percent.
fn overlap(all: &Shares, sampled: &Shares) -> f64 {
    all.iter().map(|(place, share)| share.min(*sampled.get(place).unwrap_or(&0.0))).sum()
}

/// How near samples come to the whole run. Partial duplication counts the same calls and accesses as full
/// duplication does, and needs no columns.
fn compare(guests: &[&str], Length { divisor }: Length, scratch: &Path) {
    println!(
        "Percent of the calls, and of the accesses to memory, in which samples agree with the whole run; \
         *each* is without duplication:\n"
    );
    println!("| guest | interval | samples | calls | at random | each | accesses | at random | each |");
    println!("|---|---:|---:|---:|---:|---:|---:|---:|---:|");
    let path = scratch.join("profile");
    let mut sums: BTreeMap<u64, Vec<[f64; 6]>> = BTreeMap::new();
    for guest in guests {
        let whole = figures(&measure(guest, COMPARED / divisor, &options_of(&path, None, None), &path));
        for interval in INTERVALS {
            let of = |seed, more: Vec<String>| {
                let options = [options_of(&path, Some(interval), seed), more].concat();
                let profile = measure(guest, COMPARED / divisor, &options, &path);
                let sampled = figures(&profile);
                let samples = profile.samples.expect("the run was sampled").samples;
                (samples, [0, 1].map(|figure| overlap(&whole[figure], &sampled[figure])))
            };
            let ((samples, fixed), (_, random)) = (of(None, Vec::new()), of(Some(1), Vec::new()));
            let ((_, calls), (_, accesses)) = (of(None, each("calls")), of(None, each("accesses")));
            let row = [fixed[0], random[0], calls[0], fixed[1], random[1], accesses[1]];
            print_row(&format!("{guest} | {interval} | {samples}"), &row);
            sums.entry(interval).or_default().push(row);
        }
    }
    for (interval, rows) in sums {
        let mean = [0, 1, 2, 3, 4, 5]
            .map(|column| rows.iter().map(|row| row[column]).sum::<f64>() / rows.len() as f64);
        print_row(&format!("mean | {interval} | "), &mean);
    }
    println!();
}

/// The same where a clock chooses, beside as many samples that are chosen by checks.
fn compare_timer(guests: &[&str], Length { divisor }: Length, scratch: &Path) {
    println!(
        "Percent of the calls and of the accesses, samples chosen by the clock and as many by checks:\n"
    );
    println!("| guest | microseconds | samples | calls, clock | checks | accesses, clock | checks |");
    println!("|---|---:|---:|---:|---:|---:|---:|");
    let path = scratch.join("profile");
    for guest in guests {
        let run = |options: &[String]| measure(guest, COMPARED / divisor, options, &path);
        let whole = figures(&run(&options_of(&path, None, None)));
        for period in PERIODS {
            let mut options = options_of(&path, None, None);
            options.extend(["--sample-timer".to_owned(), period.to_string()]);
            let timed = run(&options);
            let samples = timed.samples.expect("the run was sampled");
            let interval = samples.checks / samples.samples.max(1);
            let counted = run(&options_of(&path, Some(interval.max(1)), None));
            let [timed, counted] = [figures(&timed), figures(&counted)];
            let near = |sampled: &[Shares; 2], figure: usize| overlap(&whole[figure], &sampled[figure]);
            let row = [near(&timed, 0), near(&counted, 0), near(&timed, 1), near(&counted, 1)];
            print_row(&format!("{guest} | {period} | {}", samples.samples), &row);
        }
    }
    println!();
}

fn print_row(name: &str, figures: &[f64]) {
    let cells: Vec<String> = figures.iter().map(|figure| format!("{figure:.2}")).collect();
    println!("| {name} | {} |", cells.join(" | "));
}

/// Processor seconds of a run of so many instructions.
fn seconds(guest: &str, instructions: u64, options: &[String]) -> f64 {
    let before = children_seconds();
    let output = quiet(env!("CARGO_BIN_EXE_gentool"), &run(guest, instructions, options)).output();
    assert_eq!(output.expect("gentool runs").status.code(), Some(124));
    children_seconds() - before
}

/// Seconds that the children of this process have spent, as the system says of it.
fn children_seconds() -> f64 {
    let told = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let behind_name = told.rsplit_once(") ").map_or("", |(_, rest)| rest);
    let fields: Vec<&str> = behind_name.split(' ').collect();
    fields.get(13).and_then(|ticks| ticks.parse::<f64>().ok()).unwrap_or(0.0) / 100.0
}

/// What samples cost: the ways in turns, the fastest run of each length, the difference of both lengths.
fn time(guests: &[&str], Length { divisor }: Length, scratch: &Path) {
    println!(
        "Nanoseconds of processor time for an instruction of the guest; how many percent more than without \
         profile, and with samples, how many more than the checks alone:\n"
    );
    println!(
        "| guest | without | whole profile | checks | calls, each | accesses, each | every 10th | 100th | 1,000th | 10,000th | 100,000th |"
    );
    println!("|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|");
    let path = scratch.join("profile");
    let never = || options_of(&path, Some(NEVER), None);
    let mut ways = vec![Vec::new(), options_of(&path, None, None), never()];
    ways.extend(["calls", "accesses"].map(|what| [never(), each(what)].concat()));
    ways.extend(INTERVALS.iter().skip(1).map(|interval| options_of(&path, Some(*interval), None)));
    for guest in guests {
        let mut least = vec![[f64::INFINITY; 2]; ways.len()];
        for _ in 0..REPEATED {
            for (least, way) in least.iter_mut().zip(&ways) {
                for (least, instructions) in least.iter_mut().zip(TIMED) {
                    *least = least.min(seconds(guest, instructions / divisor, way));
                }
            }
        }
        let instructions = (TIMED[1] - TIMED[0]) / divisor;
        let costs: Vec<f64> =
            least.iter().map(|[short, long]| 1e9 * (long - short) / instructions as f64).collect();
        let more = |cost: f64, than: f64| 100.0 * (cost / than - 1.0);
        let mut row = vec![costs[0]];
        row.extend(costs[1..5].iter().map(|cost| more(*cost, costs[0])));
        row.extend(costs[5..].iter().map(|cost| more(*cost, costs[2])));
        print_row(guest, &row);
    }
}
