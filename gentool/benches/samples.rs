//! What samples cost, and how near they come to the whole run.
//!
//! `cargo bench -p gentool --bench samples [-- --quick] [GUEST...]` prints tables for
//! `docs/performance.md`, for the guests that are named or for all. How near samples come is exact and
//! the same on every machine. What they cost is too little for a clock: it is counted by valgrind in
//! instructions of the host, as the difference between two runs of different length, so that what a run
//! costs once is left out; without valgrind that table is left out. `--quick` runs a hundredth.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use sim_profile::{Accesses, Profile, control_table, read_profile};

const GUESTS: [&str; 6] = ["bytecode", "crc32", "csv", "matrix", "sha256", "sorting"];
const INTERVALS: [u64; 6] = [1, 10, 100, 1_000, 10_000, 100_000];

/// So rarely that no run comes to a sample: the checks alone.
const NEVER: u64 = 1 << 50;

/// Instructions of a run whose samples are compared with all of it: a hundred million checks.
const COMPARED: u64 = 1_500_000_000;

/// Instructions of the two runs whose difference is taken.
const COUNTED: [u64; 2] = [10_000_000, 30_000_000];

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
    count(&guests, length, scratch.path());
}

/// A run of a guest on the emitted engine, which has enough to do for any limit.
fn run(guest: &str, instructions: u64, options: &[String]) -> Vec<String> {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let file = |path: String| repository.join(path).to_string_lossy().into_owned();
    let mut line = vec!["run".to_owned(), file("models/rv32im/rv32im.isac".to_owned())];
    line.push(file(format!("models/rv32im/programs/{guest}.elf")));
    line.extend(["--engine".to_owned(), "emitted".to_owned()]);
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

/// How near samples come to the whole run.
fn compare(guests: &[&str], Length { divisor }: Length, scratch: &Path) {
    println!(
        "Percent of the calls, and of the accesses to memory, in which samples agree with the whole run:\n"
    );
    println!("| guest | interval | samples | calls | at random | accesses | at random |");
    println!("|---|---:|---:|---:|---:|---:|---:|");
    let path = scratch.join("profile");
    let mut sums: BTreeMap<u64, Vec<[f64; 4]>> = BTreeMap::new();
    for guest in guests {
        let whole = figures(&measure(guest, COMPARED / divisor, &options_of(&path, None, None), &path));
        for interval in INTERVALS {
            let of = |seed| {
                let options = options_of(&path, Some(interval), seed);
                let profile = measure(guest, COMPARED / divisor, &options, &path);
                let sampled = figures(&profile);
                let samples = profile.samples.expect("the run was sampled").samples;
                (samples, [0, 1].map(|figure| overlap(&whole[figure], &sampled[figure])))
            };
            let ((samples, fixed), (_, random)) = (of(None), of(Some(1)));
            let row = [fixed[0], random[0], fixed[1], random[1]];
            print_row(&format!("{guest} | {interval} | {samples}"), &row);
            sums.entry(interval).or_default().push(row);
        }
    }
    for (interval, rows) in sums {
        let mean =
            [0, 1, 2, 3].map(|column| rows.iter().map(|row| row[column]).sum::<f64>() / rows.len() as f64);
        print_row(&format!("mean | {interval} | "), &mean);
    }
    println!();
}

fn print_row(name: &str, figures: &[f64]) {
    let cells: Vec<String> = figures.iter().map(|figure| format!("{figure:.2}")).collect();
    println!("| {name} | {} |", cells.join(" | "));
}

/// What a run costs, in instructions of the host for one of the guest.
fn cost(guest: &str, Length { divisor }: Length, options: &[String], scratch: &Path) -> Option<f64> {
    let [short, long] = COUNTED.map(|instructions| {
        let out: PathBuf = scratch.join("callgrind.out");
        let mut line = ["--tool=callgrind", "--trace-children=yes"].map(str::to_owned).to_vec();
        line.push(format!("--callgrind-out-file={}", out.display()));
        line.push(env!("CARGO_BIN_EXE_gentool").to_owned());
        line.extend(run(guest, instructions / divisor, options));
        let output = quiet("valgrind", &line).output().ok()?;
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        let collected = told.lines().filter_map(|line| line.split_once("Collected :")).next_back()?.1;
        collected.trim().parse::<f64>().ok()
    });
    Some((long? - short?) / ((COUNTED[1] - COUNTED[0]) / divisor) as f64)
}

/// What samples cost.
fn count(guests: &[&str], length: Length, scratch: &Path) {
    println!(
        "Instructions of the host for one of the guest; how many percent more than without profile, and"
    );
    println!("with samples, how many more than the checks alone:\n");
    println!(
        "| guest | without | whole profile | checks | every 10th | 100th | 1,000th | 10,000th | 100,000th |"
    );
    println!("|---|---:|---:|---:|---:|---:|---:|---:|---:|");
    let path = scratch.join("profile");
    for guest in guests {
        let of = |options: Vec<String>| cost(guest, length, &options, scratch);
        let sampled = |interval| of(options_of(&path, Some(interval), None));
        let Some(without) = of(Vec::new()) else { return println!("no valgrind") };
        let (Some(whole), Some(checks)) = (of(options_of(&path, None, None)), sampled(NEVER)) else { return };
        let more = |cost: f64, than: f64| 100.0 * (cost / than - 1.0);
        let mut row = vec![without, more(whole, without), more(checks, without)];
        row.extend(INTERVALS.iter().skip(1).filter_map(|interval| Some(more(sampled(*interval)?, checks))));
        print_row(guest, &row);
    }
}
