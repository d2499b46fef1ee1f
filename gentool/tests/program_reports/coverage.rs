//! Counts of lines and of the sides of branches, against gcov's.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::Command;

use super::bench::{Bench, MIPS32, PROGRAMS, RV32IM, RV32IMC, has, run};

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

/// How often each case of a choice was taken, those left out that never were: where a table leads that
/// was not followed is not known.
fn taken(counts: &[u64]) -> Vec<u64> {
    let mut taken: Vec<u64> = counts.iter().copied().filter(|count| *count > 0).collect();
    taken.sort_unstable();
    taken
}

#[test]
fn lines_and_branches_count_as_an_instrumenting_compiler_counts_them() {
    if !has(&["gcc", "gcov"]) {
        return;
    }
    let machines = [RV32IM, MIPS32].into_iter().filter(|machine| has(&[machine.compiler]));
    for (machine, name) in machines.flat_map(|machine| PROGRAMS.map(|name| (machine, name))) {
        let bench = Bench::new(name);
        bench.simulate_on(machine);
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
        // Lines that one of them alone has: a closing brace has code of its own here, a label has none, and the
        // entry of a function is at its name or at the brace behind it.
        let (own, other): (BTreeSet<_>, BTreeSet<_>) =
            (ours.lines.keys().collect(), theirs.lines.keys().collect());
        for line in own.symmetric_difference(&other) {
            let mut lines = text.lines().skip(**line as usize - 1).map(str::trim);
            let (text, next) = (lines.next().expect("a line"), lines.next());
            let is_entry = text == "{" || (text.ends_with(')') && next == Some("{"));
            let is_explained = is_entry || text.ends_with(':') || text.ends_with('}');
            assert!(is_explained, "{name}.c:{line}: `{text}` is a line for one of the two alone");
        }
        let (mut branches, mut cases) = (0, 0);
        for (line, expected) in &theirs.branches {
            let text = text.lines().nth(*line as usize - 1).expect("a line");
            let found = ours.branches.get(line).map_or(&[][..], Vec::as_slice);
            if text.contains("switch") {
                assert_eq!(taken(found), taken(expected), "{name}.c:{line}: `{}`", text.trim());
                cases += taken(found).len();
            } else {
                assert_eq!(sides(found), sides(expected), "{name}.c:{line}: `{}`", text.trim());
                branches += expected.len() / 2;
            }
        }
        assert!(branches > 3, "{name}: {branches} branches");
        assert!(cases > 4 || !text.contains("switch"), "{name}: {cases} cases");
    }
}

/// Chains of comparisons: every side of each, also those that were never taken, of code that never ran, too.
#[test]
fn choices_and_conditions_have_the_sides_that_an_instrumenting_compiler_counts() {
    if !has(&["gcc", "gcov"]) {
        return;
    }
    let machines = [RV32IM, RV32IMC, MIPS32].into_iter().filter(|machine| has(&[machine.compiler]));
    for machine in machines {
        let bench = Bench::new("choices");
        bench.simulate_on(machine);
        let ours = coverage_of(&bench.report_with_model("lcov", machine), &bench.source);
        let theirs = gcov(&bench);
        let text = fs::read_to_string(&bench.source).expect("a text");
        let sorted = |counts: &[u64]| {
            let mut counts = counts.to_vec();
            counts.sort_unstable();
            counts
        };
        assert_eq!(ours.branches.keys().collect::<Vec<_>>(), theirs.branches.keys().collect::<Vec<_>>());
        for (line, expected) in &theirs.branches {
            let (found, model) = (&ours.branches[line], machine.model);
            let text = text.lines().nth(*line as usize - 1).expect("a line").trim();
            assert_eq!(sorted(found), sorted(expected), "{model}, choices.c:{line}: `{text}`");
        }
        assert!(theirs.branches.len() > 9, "{:?}", theirs.branches.keys());
    }
}

/// A line that was interrupted counts once, and no instruction branches to the handler.
#[test]
fn interrupts_change_no_count_of_a_line_or_branch() {
    if !has(&[RV32IMC.compiler]) {
        return;
    }
    let bench = Bench::new("interrupts");
    bench.simulate_on(RV32IMC);
    let report = bench.report("lcov");
    let ours = coverage_of(&report, &bench.source);
    let text = fs::read_to_string(&bench.source).expect("a text");
    for (line, count, branches) in [
        ("    return n * 2654435761u ^ n >> 7;", 2000, &[][..]),
        ("    for (unsigned n = 0; n < 2000; n++) {", 2001, &[(1, 2000)]),
        ("        work += mix(n);", 2000, &[]),
        ("        if (n % 100 == 0)", 2000, &[(20, 1980)]),
        ("    if (cause >> 31) {", calls_of(&report, "handle"), &[(20, calls_of(&report, "handle") - 20)]),
    ] {
        let number = text.lines().position(|found| found == line).expect("a line") as u64 + 1;
        assert_eq!(ours.lines[&number], count, "`{line}`");
        let found = ours.branches.get(&number).map_or(Vec::new(), |counts| sides(counts));
        assert_eq!(found, branches, "`{line}`");
    }
    assert_eq!([calls_of(&report, "main"), calls_of(&report, "mix")], [1, 2000]);
}

/// How often a function was called, by a tracefile.
fn calls_of(report: &str, function: &str) -> u64 {
    let calls = report.lines().filter_map(|line| line.strip_prefix("FNDA:")?.split_once(','));
    let mut own = calls.filter(|(_, name)| *name == function).map(|(calls, _)| calls.parse());
    own.next().expect("the function").expect("a count")
}
