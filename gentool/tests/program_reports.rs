//! Functions, lines, branches and calls of compiled programs, against what other tools say of the same
//! sources: gcov and callgrind, which count while the program runs on this machine.
//!
//! Where a compiler or a tool is missing, a test says so and leaves out what needs it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use sim_profile::{Calls, read_profile};

const PROGRAMS: [&str; 4] = ["loops", "machine", "sort", "tree"];

/// A folder for one program, and what is in it.
struct Bench {
    folder: tempfile::TempDir,
    source: PathBuf,
    name: &'static str,
}

fn has(tools: &[&str]) -> bool {
    let missing: Vec<&&str> =
        tools.iter().filter(|tool| Command::new(tool).arg("--version").output().is_err()).collect();
    if !missing.is_empty() {
        eprintln!("left out: {missing:?} cannot be run");
    }
    missing.is_empty()
}

fn run(command: &mut Command) -> Output {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code().is_some_and(|status| status < 124), "{command:?}: {text}");
    output
}

impl Bench {
    fn new(name: &'static str) -> Bench {
        let folder = tempfile::tempdir().expect("a folder");
        let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/program");
        // Tools name a source as it was given to the compiler.
        let source = folder.path().join(format!("{name}.c"));
        fs::copy(sources.join(format!("{name}.c")), &source).expect("the source is there");
        fs::copy(sources.join("start.S"), folder.path().join("start.S")).expect("the source is there");
        Bench { folder, source, name }
    }

    fn command(&self, program: &str, arguments: &str) -> Output {
        let mut command = Command::new(program);
        run(command.args(arguments.split_whitespace()).current_dir(self.folder.path()))
    }

    /// The program for the simulated processor, run with its calls followed.
    fn simulate(&self) {
        let flags = "-march=rv32im -mabi=ilp32 -g -O0 -fno-builtin -ffreestanding -nostdlib -nostartfiles";
        let name = self.name;
        self.command(
            "riscv64-unknown-elf-gcc",
            &format!(
                "{flags} -Wl,-z,max-page-size=4096 -Wl,-Ttext=0x11000 start.S {name}.c -lgcc -o guest.elf"
            ),
        );
        let model = Path::new(env!("CARGO_MANIFEST_DIR")).join("../models/rv32im/rv32im.isac");
        self.gentool(&format!(
            "run {} guest.elf --engine reference --calls --profile guest.profile",
            model.display()
        ));
    }

    fn gentool(&self, arguments: &str) -> String {
        let output = self.command(env!("CARGO_BIN_EXE_gentool"), arguments);
        String::from_utf8(output.stdout).expect("a report is a text")
    }

    fn report(&self, format: &str) -> String {
        self.gentool(&format!("report guest.profile --image guest.elf --format {format}"))
    }

    fn calls(&self) -> Calls {
        let file = fs::read(self.folder.path().join("guest.profile")).expect("the profile");
        let profile = read_profile(&file[..]).expect("a profile");
        profile.calls.expect("calls were followed")
    }
}

/// Counts of lines, and of the sides of branches, by line.
#[derive(Default)]
struct Coverage {
    lines: BTreeMap<u64, u64>,
    branches: BTreeMap<u64, Vec<u64>>,
}

/// What a tracefile says of the program's own source.
fn coverage_of(info: &str, source: &Path) -> Coverage {
    let name = format!("SF:{}", source.display());
    let own = info.split("end_of_record\n").find(|record| record.contains(&name)).expect("the source");
    let mut coverage = Coverage::default();
    let numbers =
        |text: &str| -> Vec<u64> { text.split(',').map(|part| part.parse().unwrap_or(0)).collect() };
    for line in own.lines() {
        if let Some(found) = line.strip_prefix("DA:") {
            let found = numbers(found);
            coverage.lines.insert(found[0], found[1]);
        } else if let Some(found) = line.strip_prefix("BRDA:") {
            let found = numbers(found);
            coverage.branches.entry(found[0]).or_default().push(found[3]);
        }
    }
    coverage
}

/// What gcov says of it.
fn gcov(bench: &Bench) -> Coverage {
    let name = bench.name;
    bench.command("gcc", &format!("-g -O0 -fno-builtin --coverage {name}.c -o native"));
    run(Command::new(bench.folder.path().join("native")).current_dir(bench.folder.path()));
    let output = bench.command("gcov", &format!("-b -j -t native-{name}.gcda"));
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("gcov prints JSON");
    let mut coverage = Coverage::default();
    let lines = report["files"][0]["lines"].as_array().expect("lines");
    for line in lines {
        let number = line["line_number"].as_u64().expect("a number");
        coverage.lines.insert(number, line["count"].as_u64().expect("a count"));
        let branches = line["branches"].as_array().into_iter().flatten();
        let counts: Vec<u64> = branches.filter_map(|branch| branch["count"].as_u64()).collect();
        if !counts.is_empty() {
            coverage.branches.insert(number, counts);
        }
    }
    coverage
}

/// Both sides of each two-way branch, whichever comes first.
fn sides(counts: &[u64]) -> Vec<(u64, u64)> {
    counts.chunks(2).map(|pair| (pair[0].min(pair[1]), pair[0].max(pair[1]))).collect()
}

#[test]
fn lines_and_branches_count_as_an_instrumenting_compiler_counts_them() {
    if !has(&["riscv64-unknown-elf-gcc", "gcc", "gcov"]) {
        return;
    }
    for name in PROGRAMS {
        let bench = Bench::new(name);
        bench.simulate();
        let ours = coverage_of(&bench.report("lcov"), &bench.source);
        let theirs = gcov(&bench);
        let text = fs::read_to_string(&bench.source).expect("a text");
        let mut compared = 0;
        for (line, count) in &ours.lines {
            if let Some(expected) = theirs.lines.get(line) {
                assert_eq!(count, expected, "{name}.c:{line}: executions");
                compared += 1;
            }
        }
        assert!(compared > 25, "{name}: {compared} lines");
        // Lines that one of them alone has: a closing brace has code of its own here, a label has none.
        let (own, other): (BTreeSet<_>, BTreeSet<_>) =
            (ours.lines.keys().collect(), theirs.lines.keys().collect());
        for line in own.symmetric_difference(&other) {
            let text = text.lines().nth(**line as usize - 1).expect("a line").trim();
            let is_explained = text == "}" || text.ends_with(':') || text.ends_with('}');
            assert!(is_explained, "{name}.c:{line}: `{text}` is a line for one of the two alone");
        }
        let mut branches = 0;
        for (line, expected) in &theirs.branches {
            let text = text.lines().nth(*line as usize - 1).expect("a line");
            // A choice of many is a chain of comparisons here: its cases are compared as lines.
            if !text.contains("switch") {
                let found = ours.branches.get(line).map_or(&[][..], Vec::as_slice);
                assert_eq!(sides(found), sides(expected), "{name}.c:{line}: `{}`", text.trim());
                branches += expected.len() / 2;
            }
        }
        assert!(branches > 3, "{name}: {branches} branches");
    }
}

/// Calls of each function, from a profile in callgrind's format.
fn called(profile: &str) -> BTreeMap<String, u64> {
    let mut calls: BTreeMap<String, u64> = BTreeMap::new();
    let mut callee = String::new();
    for line in profile.lines() {
        if let Some(name) = line.strip_prefix("cfn=") {
            // A recursive call has its depth behind the name.
            callee = name.split('\'').next().unwrap_or(name).to_owned();
        } else if let Some(found) = line.strip_prefix("calls=") {
            let count: u64 = found.split(' ').next().and_then(|n| n.parse().ok()).expect("a count");
            *calls.entry(callee.clone()).or_default() += count;
        }
    }
    calls
}

#[test]
fn functions_are_called_as_often_as_callgrind_counts() {
    if !has(&["riscv64-unknown-elf-gcc", "gcc", "valgrind", "callgrind_annotate"]) {
        return;
    }
    for name in PROGRAMS {
        let bench = Bench::new(name);
        bench.simulate();
        let report = bench.report("callgrind");
        let ours = called(&report);
        bench.command("gcc", &format!("-g -O0 -fno-builtin {name}.c -o native"));
        bench.command(
            "valgrind",
            "--tool=callgrind --callgrind-out-file=native.out --compress-strings=no ./native",
        );
        let native = fs::read_to_string(bench.folder.path().join("native.out")).expect("a profile");
        let theirs = called(&native);
        let mut compared = 0;
        for (function, calls) in ours.iter().filter(|(function, _)| !function.starts_with("__")) {
            assert_eq!(Some(calls), theirs.get(function), "{name}: calls of {function}");
            compared += 1;
        }
        assert!(compared > 2, "{name}: {compared} functions");
        fs::write(bench.folder.path().join("guest.out"), &report).expect("written");
        let printed = bench.command("callgrind_annotate", "guest.out");
        let printed = String::from_utf8_lossy(&printed.stdout).into_owned();
        assert!(printed.contains("main") && printed.contains("PROGRAM TOTALS"), "{printed}");
    }
}

#[test]
fn what_is_inclusive_is_what_a_function_costs_and_what_it_calls() {
    if !has(&["riscv64-unknown-elf-gcc"]) {
        return;
    }
    for name in PROGRAMS {
        let bench = Bench::new(name);
        bench.simulate();
        let calls = bench.calls();
        let mut functions = 0;
        for group in calls.cycles() {
            let is_inside = |function: &u64| group.contains(function);
            let leaving =
                calls.arcs.iter().filter(|(key, _)| is_inside(&key.caller) && !is_inside(&key.callee));
            let own = group.iter().map(|function| calls.functions[function].own.cycles);
            let cost = own.sum::<u64>() + leaving.map(|(_, arc)| arc.inclusive.cycles).sum::<u64>();
            let mut entering: Vec<_> = calls
                .arcs
                .iter()
                .filter(|(key, _)| !is_inside(&key.caller) && is_inside(&key.callee))
                .collect();
            if let [function] = group[..] {
                assert_eq!(calls.functions[&function].inclusive.cycles, cost, "{name}: {function:#x}");
                functions += 1;
            }
            if !entering.is_empty() {
                let from_outside: u64 = entering.drain(..).map(|(_, arc)| arc.inclusive.cycles).sum();
                assert_eq!(from_outside, cost, "{name}: {group:x?}");
            }
        }
        assert!(functions > 2, "{name}");
        let own: u64 = calls.functions.values().map(|function| function.own.cycles).sum();
        let stacks: u64 = calls.contexts.iter().map(|context| context.own.cycles).sum();
        assert_eq!(own, stacks, "{name}");
    }
}

#[test]
fn every_form_of_report_can_be_made() {
    if !has(&["riscv64-unknown-elf-gcc"]) {
        return;
    }
    let bench = Bench::new("tree");
    bench.simulate();
    for (format, expected) in [
        ("disassembly", "insert:"),
        ("dot", "label=\"gcd"),
        ("folded", "_start;main;insert "),
        ("gprof", "insert [3]"),
        ("oprofile", "guest.elf"),
        ("source", "static int gcd(int a, int b) {"),
        ("top", "memory accesses"),
    ] {
        let report = bench.report(format);
        assert!(report.contains(expected), "{format}: {report}");
    }
    let output =
        bench.command(env!("CARGO_BIN_EXE_gentool"), "report guest.profile --image guest.elf --format pprof");
    assert!(output.stdout.windows(3).any(|bytes| bytes == b"gcd"));
}
