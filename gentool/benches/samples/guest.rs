//! Runs of guests, their profiles, and how much of two profiles is the same.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::BufReader;
use std::path::Path;
use std::process::{Command, Stdio};

use sim_profile::{Accesses, Profile, control_table, read_profile};

/// The exit status of a run that has come to its limit.
pub(crate) const LIMIT_REACHED: i32 = 124;

/// The command line of a run of so many instructions, of a guest that has enough to do for any number.
pub(crate) fn line(engine: &str, guest: &str, instructions: u64, options: &[String]) -> Vec<String> {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let file = |path: String| repository.join(path).to_string_lossy().into_owned();
    let mut line = vec!["run".to_owned(), file("models/rv32im/rv32im.isac".to_owned())];
    line.push(file(format!("models/rv32im/programs/{guest}.elf")));
    line.extend(["--engine".to_owned(), engine.to_owned()]);
    line.extend(["--limit-instructions".to_owned(), instructions.to_string()]);
    line.extend(options.iter().cloned());
    line.extend(["--".to_owned(), "1000000000".to_owned()]);
    line
}

/// A command of which nothing is heard but its errors.
pub(crate) fn quiet(program: &str, arguments: &[String]) -> Command {
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    command
}

/// Options as they are in a command line.
pub(crate) fn options(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

/// The options that store a profile.
pub(crate) fn stored(path: &Path) -> Vec<String> {
    vec!["--profile".to_owned(), path.to_string_lossy().into_owned()]
}

/// The options that store one of samples.
pub(crate) fn sampled(path: &Path, interval: u64, seed: Option<u64>) -> Vec<String> {
    let mut options = [stored(path), vec!["--sample".to_owned(), interval.to_string()]].concat();
    options.extend(seed.into_iter().flat_map(|seed| ["--sample-random".to_owned(), seed.to_string()]));
    options
}

/// The options by which each instrumented instruction is a check.
pub(crate) fn each(what: &str) -> Vec<String> {
    options(&["--sample-only", what, "--sample-code", "none"])
}

/// The profile that a run stores.
pub(crate) fn profile(
    engine: &str,
    (guest, instructions): (&str, u64),
    options: &[String],
    path: &Path,
) -> Profile {
    let arguments = line(engine, guest, instructions, options);
    let output = quiet(env!("CARGO_BIN_EXE_gentool"), &arguments).output().expect("gentool runs");
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(LIMIT_REACHED), "{told}");
    read_profile(BufReader::new(File::open(path).expect("a profile"))).expect("a profile")
}

/// Shares of a whole in percent, by where they are.
pub(crate) type Shares = BTreeMap<(u64, u64), f64>;

/// What samples are judged by.
pub(crate) struct Figures {
    /// By instruction and called address.
    pub calls: Shares,
    /// By instruction, its fetch left out.
    pub accesses: Shares,
    /// How many calls there were.
    pub passed_calls: u64,
}

impl Figures {
    pub(crate) fn of(profile: &Profile) -> Figures {
        let control = control_table(&profile.statics);
        let is_call = |from: &u64| control.get(from).is_some_and(|control| control.keeps.is_some());
        let transfers = profile.measurement.transfers.iter().filter(|((from, _), _)| is_call(from));
        let passed_calls = transfers.clone().map(|(_, count)| count).sum();
        let calls = shares(transfers.map(|(way, count)| (*way, *count)));
        let tables = &profile.measurement.tables;
        let maps = tables.resources.len() as u64 - u64::from(tables.maps);
        let accesses = profile.measurement.instructions.iter().flat_map(|(key, record)| {
            let of_maps =
                record.accesses.iter().filter(move |((_, resource), _)| u64::from(*resource) >= maps);
            of_maps.map(|(_, Accesses { reads, writes, .. })| ((key.address, 0), reads + writes))
        });
        Figures { calls, accesses: shares(accesses), passed_calls }
    }
}

fn shares(counts: impl Iterator<Item = ((u64, u64), u64)>) -> Shares {
    let mut shares = Shares::new();
    // What is fetched and nothing else has no accesses.
    for (place, count) in counts.filter(|(_, count)| *count > 0) {
        *shares.entry(place).or_default() += count as f64;
    }
    let whole: f64 = shares.values().sum();
    shares.values_mut().for_each(|share| *share *= 100.0 / whole);
    shares
}

/// How much of the one is in the other, in percent: what both have of each place, added up.
pub(crate) fn overlap(all: &Shares, sampled: &Shares) -> f64 {
    all.iter().map(|(place, share)| share.min(*sampled.get(place).unwrap_or(&0.0))).sum()
}
