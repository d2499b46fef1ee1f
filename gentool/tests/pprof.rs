//! The profile for pprof, read by pprof itself: what each function cost by itself and with its calls.
//!
//! Where Go is missing, a test says so and compares nothing; `ISAC_REQUIRE_TOOLS` names what may not be.

#[path = "../../tests/support/installed.rs"]
mod installed;
#[path = "../../tests/support/thorough.rs"]
mod thorough;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use sim_profile::program::{ImageFile, Program};
use sim_profile::{Profile, read_profile};

use installed::can_compare;
use thorough::all_or;

const GUEST: &str = "models/rv32im/programs/csv.elf";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn gentool(line: &str, folder: &Path) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gentool"));
    let folder = format!("{}/", folder.display());
    command.args(line.split_whitespace().map(|word| word.replace('@', &folder)));
    let status = command.current_dir(root()).stdout(Stdio::null()).status().expect("gentool runs");
    assert!(status.success(), "{line}: {status}");
}

/// Runs the guest, as many rounds as it does by itself or by default one, and writes its profile for pprof.
fn write_profile(options: &str, folder: &Path) {
    let (model, rounds) = ("models/rv32im/rv32im.isac", all_or("", "-- 1"));
    let run = format!("run {model} {GUEST} --engine reference {options} --profile @csv.profile {rounds}");
    gentool(&run, folder);
    gentool(&format!("report @csv.profile --image {GUEST} --format pprof -o @csv.pb"), folder);
}

/// Instructions of each function by itself, and with all that it called, as pprof adds them up.
fn read_by_pprof(folder: &Path) -> Option<BTreeMap<String, (u64, u64)>> {
    let mut command = Command::new("go");
    command.args([
        "tool",
        "pprof",
        "-sample_index=instructions",
        "-top",
        "-nodefraction=0",
        "-nodecount=10000",
    ]);
    // It keeps settings in the user's folder.
    command.arg("csv.pb").current_dir(folder).env("HOME", folder);
    let output = command.output();
    if !can_compare("go", output.is_ok(), "no profile is read by pprof") {
        return None;
    }
    let output = output.ok()?;
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).expect("a table is a text");
    let rows = text.lines().skip_while(|line| !line.contains("flat%")).skip(1);
    Some(rows.map(function_of_row).collect())
}

/// `flat flat% sum% cum cum% name`
fn function_of_row(row: &str) -> (String, (u64, u64)) {
    let words: Vec<&str> = row.split_whitespace().collect();
    let number = |index: usize| words[index].parse().expect("a number");
    // It says which functions were inlined.
    let name = words[5..].join(" ");
    (name.trim_end_matches(" (inline)").to_owned(), (number(0), number(3)))
}

fn stored(folder: &Path) -> (Profile, Program) {
    let profile = fs::read(folder.join("csv.profile")).expect("the profile");
    let profile = read_profile(&profile[..]).expect("a profile");
    let bytes = fs::read(root().join(GUEST)).expect("the program");
    let files = [ImageFile { name: "csv.elf", bytes: &bytes, base: None }];
    let program = Program::read(&files, profile.measurement.tables.code);
    (profile, program)
}

#[test]
fn pprof_adds_stacks_up_to_what_functions_cost_with_their_calls() {
    let folder = tempfile::tempdir().expect("a folder");
    write_profile("--calls", folder.path());
    let Some(theirs) = read_by_pprof(folder.path()) else { return };
    let (profile, program) = stored(folder.path());
    let calls = profile.calls.expect("calls were followed");
    let ours = calls.functions.iter().map(|(start, count)| {
        let name = program.function(program.function_at(*start)).name.clone();
        (name, (count.own.instructions, count.inclusive.instructions))
    });
    assert_eq!(theirs, ours.collect());
    assert!(theirs.len() > 8, "{theirs:?}");
}

#[test]
fn pprof_adds_addresses_up_to_what_functions_cost() {
    let folder = tempfile::tempdir().expect("a folder");
    write_profile("", folder.path());
    let Some(theirs) = read_by_pprof(folder.path()) else { return };
    let (profile, program) = stored(folder.path());
    let mut ours: BTreeMap<String, (u64, u64)> = BTreeMap::new();
    for (key, record) in &profile.measurement.instructions {
        let name = program.frames(key.address).first().expect("a function").function.clone();
        ours.entry(name).or_default().0 += record.executed;
    }
    let flat = |all: BTreeMap<String, (u64, u64)>| -> BTreeMap<String, u64> {
        all.into_iter().map(|(name, (own, _))| (name, own)).filter(|(_, own)| *own > 0).collect()
    };
    assert_eq!(flat(theirs), flat(ours));
}
