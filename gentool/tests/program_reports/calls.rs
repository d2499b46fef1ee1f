//! Calls and what they cost, against callgrind's, and ways to call that no call shows.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::process::Command;

use sim_profile::program::{ImageFile, Program};
use sim_profile::{CallKind, Calls, CodeCells};

use super::bench::{Bench, PROGRAMS, RV32IM, RV32IMC, has};

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

/// Functions of a source that did anything, from a profile in callgrind's format.
fn functions_of<'a>(profile: &'a str, source: &str) -> BTreeSet<&'a str> {
    let mut is_own = false;
    let mut functions = BTreeSet::new();
    for line in profile.lines() {
        if let Some(file) = line.strip_prefix("fl=") {
            is_own = file.rsplit('/').next() == Some(source);
        } else if let Some(name) = line.strip_prefix("fn=").filter(|_| is_own) {
            functions.insert(name.split('\'').next().unwrap_or(name));
        }
    }
    functions
}

/// Costs of a function in a profile in callgrind's format, in cycles: its own, those of its calls, and
/// those of the calls to it.
#[derive(Default)]
struct Inclusive {
    own: u64,
    calls: u64,
    called: u64,
}

/// The costs of each function's instructions and of its calls are those of the calls to it, for all
/// functions that are in no circle of several.
fn check_inclusive(program: &str, report: &str, calls: &Calls) {
    let mut functions: BTreeMap<String, Inclusive> = BTreeMap::new();
    let (mut function, mut callee, mut is_call) = (String::new(), String::new(), false);
    for line in report.lines() {
        if let Some(name) = line.strip_prefix("fn=") {
            name.clone_into(&mut function);
        } else if let Some(name) = line.strip_prefix("cfn=") {
            name.clone_into(&mut callee);
        } else if line.starts_with("calls=") {
            is_call = true;
        } else if line.starts_with("0x") {
            let cycles: u64 = line.split(' ').next_back().and_then(|n| n.parse().ok()).expect("cycles");
            let entry = functions.entry(function.clone()).or_default();
            match std::mem::take(&mut is_call) {
                false => entry.own += cycles,
                true => {
                    entry.calls += cycles;
                    functions.entry(callee.clone()).or_default().called += cycles;
                }
            }
        }
    }
    let in_circles: usize = calls.cycles().iter().filter(|group| group.len() > 1).map(Vec::len).sum();
    let is_exact = |it: &&Inclusive| it.own + it.calls == it.called;
    let exact = functions.values().filter(is_exact).count();
    // The one that the run begins in is called by nobody.
    assert!(exact + in_circles + 1 >= functions.len(), "{program}: {exact} of {} functions", functions.len());
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
        // Those of the compiler's library are not the same on both machines.
        let source = format!("{name}.c");
        let own = functions_of(&report, &source);
        assert_eq!(own, functions_of(&native, &source), "{name}: functions of its source");
        for function in &own {
            assert_eq!(ours.get(*function), theirs.get(*function), "{name}: calls of {function}");
        }
        let others = ours.keys().filter(|function| !own.contains(&***function));
        for function in others.filter(|function| !function.starts_with("__")) {
            assert_eq!(ours.get(function), theirs.get(function), "{name}: calls of {function}");
        }
        assert!(own.len() > 2, "{name}: {own:?}");
        check_inclusive(name, &report, &bench.calls());
        fs::write(bench.folder.path().join("guest.out"), &report).expect("written");
        let printed = bench.command("callgrind_annotate", "guest.out");
        let printed = String::from_utf8_lossy(&printed.stdout).into_owned();
        assert!(printed.contains("main") && printed.contains("PROGRAM TOTALS"), "{printed}");
        assert!(printed.contains("Profiled target:  guest.elf"), "{printed}");
    }
}

/// Of a stripped program there is one function by address, and one for each place that a call leads to.
#[test]
fn code_without_symbols_is_one_function_by_address_and_many_by_calls() {
    if !has(&["riscv64-unknown-elf-gcc", "riscv64-unknown-elf-strip", "callgrind_annotate"]) {
        return;
    }
    let bench = Bench::new("tree");
    bench.simulate();
    let named = bench.calls();
    bench.command("riscv64-unknown-elf-strip", "guest.elf");
    bench.run_guest(RV32IM);
    let report = bench.report("callgrind");
    assert_eq!(report.lines().filter(|line| line.starts_with("fn=")).count(), 1, "{report}");
    assert!(!report.contains("\ncalls="), "{report}");
    fs::write(bench.folder.path().join("guest.out"), &report).expect("written");
    let printed = bench.command("callgrind_annotate", "--inclusive=yes guest.out");
    let (printed, errors) =
        (String::from_utf8_lossy(&printed.stdout), String::from_utf8_lossy(&printed.stderr));
    assert!(printed.contains("[guest.elf 0x11000]") && !errors.contains("malformed"), "{printed}{errors}");
    let called: BTreeSet<u64> = bench.calls().functions.into_keys().collect();
    assert_eq!(called, named.functions.into_keys().collect());
}

/// A program without symbols is followed as one with them, if a file names its code, wherever that says it lies.
#[test]
fn files_that_name_code_of_a_run_tell_its_functions() {
    if !has(&["riscv64-unknown-elf-gcc", "riscv64-unknown-elf-strip", "riscv64-unknown-elf-objcopy"]) {
        return;
    }
    let bench = Bench::new("ways");
    bench.simulate();
    let named = bench.calls();
    let model = RV32IM.description();
    bench.command("riscv64-unknown-elf-objcopy", "--change-addresses=-0x1000 guest.elf moved.elf");
    bench.command("riscv64-unknown-elf-strip", "guest.elf -o stripped.elf");
    for image in ["guest.elf", "moved.elf@0x1000"] {
        let run = format!(
            "run {} stripped.elf --engine reference --calls --profile guest.profile --image {image}",
            model.display()
        );
        bench.gentool(&run);
        let found = bench.calls();
        assert_eq!((&found.arcs.len(), &found.functions.len()), (&named.arcs.len(), &named.functions.len()));
        assert!(found.arcs.keys().eq(named.arcs.keys()), "{image}");
        assert!(
            found.arcs.values().map(|arc| arc.calls).eq(named.arcs.values().map(|arc| arc.calls)),
            "{image}"
        );
    }
    let run = format!("run {} stripped.elf --calls --profile guest.profile", model.display());
    let mut command = Command::new(env!("CARGO_BIN_EXE_gentool"));
    command.args(run.split(' ')).args(["--image", "nowhere.elf"]).current_dir(bench.folder.path());
    let said = String::from_utf8_lossy(&command.output().expect("it runs").stderr).into_owned();
    assert!(said.contains("nowhere.elf of --image cannot be read"), "{said}");
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

/// Kind and calls of the arcs between two functions, by their names.
fn arcs_by_name(bench: &Bench, calls: &Calls) -> BTreeMap<(String, String), (CallKind, u64)> {
    let bytes = fs::read(bench.folder.path().join("guest.elf")).expect("the guest");
    let file = ImageFile { name: "guest.elf", bytes: &bytes, base: None };
    let program = Program::read(&[file], CodeCells::default());
    let name = |address| program.function(program.function_at(address)).name.clone();
    let mut arcs = BTreeMap::new();
    for (key, arc) in &calls.arcs {
        arcs.entry((name(key.caller), name(key.callee))).or_insert((key.kind, 0)).1 += arc.calls;
    }
    arcs
}

#[test]
fn tail_calls_recursion_and_long_jumps_are_followed() {
    if !has(&["riscv64-unknown-elf-gcc"]) {
        return;
    }
    let bench = Bench::new("ways");
    bench.simulate();
    let calls = bench.calls();
    let expected = [
        ("_start", "main", CallKind::Call, 1),
        ("add_one_and_leaf", "leaf", CallKind::Tail, 5),
        ("deep", "deep", CallKind::Call, 3),
        ("deep", "jump_back", CallKind::Call, 1),
        ("fib", "fib", CallKind::Call, 24),
        ("is_even", "is_odd", CallKind::Call, 4),
        ("is_odd", "is_even", CallKind::Call, 3),
        ("main", "add_one_and_leaf", CallKind::Call, 5),
        ("main", "deep", CallKind::Call, 1),
        ("main", "fib", CallKind::Call, 1),
        ("main", "is_even", CallKind::Call, 1),
        ("main", "keep", CallKind::Call, 1),
        ("main", "leaf", CallKind::Call, 1),
    ];
    let found = arcs_by_name(&bench, &calls);
    let found: Vec<_> =
        found.iter().map(|((from, to), (kind, times))| (from.as_str(), to.as_str(), *kind, *times)).collect();
    assert_eq!(found, expected);
    // Functions that call each other in a circle cost more than the stacks that name them.
    let verified = bench.gentool("verify guest.profile --image guest.elf");
    assert!(verified.ends_with("\nconsistent\n"), "{verified}");
    // The long jump ends `deep`: what comes behind it is main's again.
    let folded = bench.report("folded");
    assert!(folded.lines().any(|line| line.starts_with("_start;main;leaf ")), "{folded}");
    assert!(!folded.contains("deep;leaf") && !folded.contains("jump_back;"), "{folded}");
}

#[test]
fn interrupts_and_traps_are_calls_that_come_back() {
    if !has(&["riscv64-unknown-elf-gcc"]) {
        return;
    }
    let bench = Bench::new("interrupts");
    bench.simulate_on(RV32IMC);
    let calls = bench.calls();
    let arcs = arcs_by_name(&bench, &calls);
    let times = |from: &str, to: &str| arcs.get(&(from.to_owned(), to.to_owned())).copied();
    let interrupted = arcs.iter().filter(|((from, to), _)| from != "trap" && to == "trap");
    let (kinds, counts): (BTreeSet<_>, Vec<u64>) = interrupted.map(|(_, arc)| *arc).unzip();
    assert_eq!(kinds, [CallKind::Interrupt].into(), "{arcs:?}");
    // 20 calls of the environment, and the timer.
    assert!(counts.iter().sum::<u64>() > 25, "{arcs:?}");
    assert_eq!(times("main", "mix"), Some((CallKind::Call, 2000)), "{arcs:?}");
    assert_eq!(arcs.keys().filter(|(_, to)| to == "mix").count(), 1, "{arcs:?}");
    assert!(times("main", "handle").is_none() && times("mix", "handle").is_none(), "{arcs:?}");
    assert!(times("trap", "handle").is_some_and(|(kind, _)| kind == CallKind::Call));
    // What was interrupted goes on where it was: nothing stays on the stack.
    assert_eq!(calls.contexts.iter().filter(|context| context.parent.is_none()).count(), 1);
    let deepest = bench.report("folded").lines().map(|line| line.matches(';').count()).max();
    assert!(deepest <= Some(6), "{deepest:?}");
}
