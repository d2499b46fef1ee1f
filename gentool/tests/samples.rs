//! Samples on the command line: the translated engine takes those that the reference engine takes, and
//! parts of them as the variations say.

mod cases;
#[path = "../../tests/support/thorough.rs"]
mod thorough;

use std::collections::BTreeMap;
use std::fs::File;
use std::io::BufReader;
use std::process::Command;

use sim_profile::{Profile, control_table, read_profile};
use thorough::first_of;

/// A description with a program, and what that is given.
type Run = (&'static str, &'static str, &'static str);

const CSV: Run = ("rv32im", "csv", "3");

/// The state in the end, and the profile.
fn run((model, program, argument): Run, options: &[&str]) -> (String, Profile) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (profile, state) = (path("profile"), path("state"));
    let description = format!("models/{model}/{model}.isac");
    let program = format!("models/{model}/programs/{program}");
    let program = if program.ends_with(".bin") { program } else { format!("{program}.elf") };
    let mut line = vec!["run", &description, &program, "--profile", &profile, "--dump-state", &state];
    line.extend(["--limit-instructions", "60K"]);
    line.extend(options);
    if !argument.is_empty() {
        line.extend(["--", argument]);
    }
    let mut command = Command::new(env!("CARGO_BIN_EXE_gentool"));
    let output = command.args(&line).current_dir(cases::root()).output().expect("gentool runs");
    assert!(output.status.code().is_some_and(|status| status <= 124), "{options:?}: {output:?}");
    let stored = read_profile(BufReader::new(File::open(&profile).expect("a profile"))).expect("a profile");
    (std::fs::read_to_string(&state).expect("a state"), stored)
}

fn check(program: Run, options: &[&str]) {
    let [reference, translated] = ["reference", "translated"]
        .map(|engine| run(program, &[&["--engine", engine][..], options].concat()));
    assert_eq!(reference.0, translated.0, "{program:?}, {options:?}");
    assert_eq!(reference.1.samples, translated.1.samples, "{program:?}, {options:?}");
    assert!(reference.1.measurement == translated.1.measurement, "{program:?}, {options:?}");
}

#[test]
fn samples_are_the_same_interpreted_and_compiled() {
    let programs: [Run; 6] = [
        CSV,
        ("rv32imc", "sorting", "2"),
        ("mips32", "crc32", "2"),
        ("armv6m", "bytecode", ""),
        ("avr", "crc32", ""),
        ("tiny8", "sum.bin", ""),
    ];
    let ways = [
        &["--sample", "3", "--sample-checks", "calls"][..],
        &["--sample", "20", "--sample-random", "5", "--sample-checks", "back-edges"],
        &["--sample", "1"],
        &["--sample", "7"],
        &["--sample", "100", "--sample-random", "5"],
        &["--sample", "40", "--sample-burst", "9"],
        &["--sample", "1G"],
    ];
    for program in programs {
        first_of(2, ways).for_each(|options| check(program, options));
    }
}

/// Calls by instruction and called address.
fn calls(profile: &Profile) -> BTreeMap<(u64, u64), u64> {
    let control = control_table(&profile.statics);
    let is_call = |from: &u64| control.get(from).is_some_and(|control| control.keeps.is_some());
    let transfers = &profile.measurement.transfers;
    transfers.iter().filter(|((from, _), _)| is_call(from)).map(|(way, times)| (*way, *times)).collect()
}

/// Reads and writes of memory by instruction; those that fetch are no part of it.
fn accesses(profile: &Profile) -> BTreeMap<u64, u64> {
    let tables = &profile.measurement.tables;
    let maps = tables.resources.len() as u32 - tables.maps;
    let mut sums = BTreeMap::new();
    for (key, record) in &profile.measurement.instructions {
        let of_maps = record.accesses.iter().filter(|((_, resource), _)| *resource >= maps);
        let sum = of_maps.map(|(_, accesses)| accesses.reads + accesses.writes).sum::<u64>();
        if sum > 0 {
            sums.insert(key.address, sum);
        }
    }
    sums
}

/// In `mips32` what stands in the delay slot makes the call, and is told to by what stands before it alone.
#[test]
fn partial_duplication_counts_of_the_same_samples_what_carries_instrumentation() {
    for (program, options) in [
        (CSV, &["--sample", "7"][..]),
        (CSV, &["--sample", "20", "--sample-random", "5"]),
        (("mips32", "csv", "3"), &["--sample", "7"]),
        // Its calls and its loads take extra cycles.
        (("avr", "csv", ""), &["--sample", "7"]),
    ] {
        let (state, full) = run(program, options);
        let only = |what| run(program, &[options, &["--sample-only", what]].concat());
        let (of_calls, of_accesses) = (only("calls"), only("accesses"));
        assert_eq!([&of_calls.0, &of_accesses.0], [&state, &state], "the run is the same");
        assert_eq!([of_calls.1.samples, of_accesses.1.samples], [full.samples, full.samples]);
        assert!(!calls(&full).is_empty(), "{program:?} calls");
        assert_eq!(calls(&of_calls.1), calls(&full), "{program:?}, {options:?}");
        assert_eq!(accesses(&of_accesses.1), accesses(&full), "{program:?}, {options:?}");
        for (_, counted) in [&of_calls, &of_accesses] {
            let mut records = counted.measurement.instructions.values();
            let is_charged = records
                .any(|record| record.executed + record.cancelled == 0 && record.overhead.extra_cycles > 0);
            assert!(!is_charged, "{program:?}: who is not counted takes no cycles");
        }
        assert!(of_calls.1.measurement.instructions.len() < full.measurement.instructions.len());
    }
}

/// With an interval of 1 all of them are counted; with another one, every so many of them.
#[test]
fn without_duplication_each_instrumented_instruction_is_a_check() {
    let (state, exact) = run(CSV, &[]);
    for (what, sum) in [
        ("calls", calls(&exact).values().sum::<u64>()),
        (
            "accesses",
            exact
                .measurement
                .instructions
                .iter()
                .filter(|(key, _)| accesses(&exact).contains_key(&key.address))
                .map(|(_, record)| record.executed)
                .sum(),
        ),
    ] {
        let none = |interval: &str| {
            let options = ["--sample", interval, "--sample-only", what, "--sample-code", "none"];
            run(CSV, &options)
        };
        let (found, all) = none("1");
        assert_eq!(found, state, "the run is the same");
        match what {
            "calls" => assert_eq!(calls(&all), calls(&exact)),
            _ => assert_eq!(accesses(&all), accesses(&exact)),
        }
        let (_, some) = none("10");
        assert_eq!(some.samples.expect("samples are taken").checks, sum, "{what}");
        let executed: u64 = some.measurement.instructions.values().map(|record| record.executed).sum();
        assert_eq!(executed, sum / 10, "{what}");
    }
}

/// What the clock chooses is not known, but of what it is.
#[test]
fn a_timer_may_begin_samples_and_the_profile_says_so() {
    let (state, _) = run(CSV, &[]);
    let (found, timed) = run(CSV, &["--sample-timer", "1"]);
    assert_eq!(found, state, "the run is the same");
    assert!(timed.provenance.mode.to_string().contains("every 1 microseconds"), "{}", timed.provenance.mode);
    let samples = timed.samples.expect("samples are taken");
    assert!(samples.samples >= 1 && samples.samples <= samples.checks / 64 + 1, "{samples:?}");
}

/// Calls and jumps back are all checks, and some jumps are both; calls from delay slots are such, too.
#[test]
fn checks_are_calls_and_jumps_back() {
    for program in first_of(2, [CSV, ("mips32", "sorting", "2"), ("mips32", "csv", "")]) {
        for engine in ["reference", "translated"] {
            check_checks(program, engine);
        }
    }
}

fn check_checks(program: Run, engine: &str) {
    let checks = |places| {
        let options = ["--sample", "1G", "--sample-checks", places, "--engine", engine];
        let (_, profile) = run(program, &options);
        let told = profile.provenance.mode.to_string();
        (profile.samples.expect("samples are taken").checks, told)
    };
    let (_, exact) = run(program, &["--engine", engine]);
    let control = control_table(&exact.statics);
    let is_call = |from: &u64| control.get(from).is_some_and(|control| control.keeps.is_some());
    let times = |wanted: &dyn Fn(u64, u64) -> bool| -> u64 {
        let transfers = exact.measurement.transfers.iter();
        transfers.filter(|((from, to), _)| wanted(*from, *to)).map(|(_, times)| times).sum()
    };
    let (calls, back) = (times(&|from, _| is_call(&from)), times(&|from, to| to <= from));
    let both = times(&|from, to| is_call(&from) || to <= from);
    assert_eq!(checks("calls"), (calls, "sampled: 1 of 1000000000 stretches between calls".to_owned()));
    let told = "sampled: 1 of 1000000000 stretches between jumps back";
    assert_eq!(checks("back-edges"), (back, told.to_owned()));
    assert_eq!(checks("both").0, both);
    assert!(calls > 0 && calls < both && back < both && both <= calls + back, "{calls} {back} {both}");
}

#[test]
fn variations_are_for_the_translated_engine() {
    let options: [&[&str]; 2] = [&["--sample", "5", "--sample-only", "calls"], &["--sample-timer", "9"]];
    for options in options {
        let mut command = Command::new(env!("CARGO_BIN_EXE_gentool"));
        let line = ["run", "models/rv32im/rv32im.isac", "models/rv32im/programs/csv.elf"];
        command.args(line).args(["--engine", "reference", "--profile", "/dev/null"]).args(options);
        let output = command.current_dir(cases::root()).output().expect("gentool runs");
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(125), "{told}");
        assert!(told.contains("needs the translated engine"), "{told}");
    }
}

/// Exit status and messages of a run.
fn told(line: &[&str]) -> (Option<i32>, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gentool"));
    let output = command.arg("run").args(line).current_dir(cases::root()).output().expect("gentool runs");
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

#[test]
fn a_run_that_is_refused_leaves_values_and_events_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("file");
    let path = file.display().to_string();
    for option in ["--values", "--events"] {
        std::fs::write(&file, "precious").expect("a file");
        let program =
            ["models/rv32im/rv32im.isac", "models/rv32im/programs/crc32.elf", "--engine", "reference"];
        let (status, messages) = told(&[&program[..], &[option, &path, "--snapshot-at", "nope"]].concat());
        assert_eq!(status, Some(125), "{messages}");
        assert_eq!(std::fs::read_to_string(&file).expect("it is there"), "precious", "{option}");
    }
}

/// Values are a result as all others are: over nothing that the run needs or leaves, found out before it, and
/// kept elsewhere if they cannot be written behind it.
#[test]
fn values_are_written_with_the_care_of_other_results() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    let program = cases::root().join("models/rv32im/programs/crc32.elf");
    std::fs::copy(&program, path("image.elf")).expect("a copy");
    let run = |options: &[&str]| {
        let program = ["models/rv32im/rv32im.isac", "models/rv32im/programs/crc32.elf"];
        told(&[&program[..], &["--limit-instructions", "20K"], options].concat())
    };
    let (image, profile) = (path("image.elf"), path("p"));
    for (options, message) in [
        (vec!["--image", &image, "--values", &image], "would be written over the file"),
        (
            vec!["--profile", &profile, "--snapshot-every", "5K", "--values", &path("p.1")],
            "is called as a snapshot is",
        ),
        (vec!["--values", &path("nowhere/values")], "the values cannot be written to"),
        (vec!["--values", &path("")], "the values cannot be written to"),
        (vec!["--profile", &profile, "--values", &profile], "are both to be written to"),
        (vec!["--values", &path("v"), "--calls"], "--calls is for the profile"),
    ] {
        let (status, messages) = run(&options);
        assert!(status == Some(125) && messages.contains(message), "{options:?}: {status:?}: {messages}");
        assert!(!messages.contains("limit reached"), "{options:?}: found out before the run: {messages}");
    }
    assert_eq!(std::fs::read(&image).expect("it is there"), std::fs::read(&program).expect("a program"));
}

/// What stood at an address at different times has values of its own.
#[test]
fn instructions_that_a_program_has_overwritten_have_their_own_values() {
    let folder = tempfile::tempdir().expect("a folder");
    let values = ["reference", "translated"].map(|engine| {
        let file = folder.path().join(engine);
        let program =
            ["models/rv32im/rv32im.isac", "models/rv32im/programs/faults/selfmodify.elf", "--engine", engine];
        told(&[&program[..], &["--values", &file.display().to_string()]].concat());
        std::fs::read_to_string(&file).expect("the values are written")
    });
    assert_eq!(values[0], values[1]);
    for text in ["\n0x1002c  addi s1, s1, 1\n", "\n0x1002c  addi s1, s1, 21\n"] {
        assert_eq!(values[0].matches(text).count(), 1, "{}", values[0]);
    }
}
