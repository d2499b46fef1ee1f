//! Functions, lines, branches and calls of compiled programs, against what other tools say of the same
//! sources: gcov and callgrind, which count while the program runs on this machine.
//!
//! Where a compiler or a tool is missing, a test says so and leaves out what needs it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use sim_profile::program::{ImageFile, Program};
use sim_profile::{CallKind, Calls, CodeCells, read_profile};

const PROGRAMS: [&str; 4] = ["loops", "machine", "sort", "tree"];
const FLAGS: &str = "-g -fno-builtin -ffreestanding -nostdlib -nostartfiles -Wl,-z,max-page-size=4096";

/// A processor that programs are compiled for.
#[derive(Clone, Copy)]
struct Machine {
    model: &'static str,
    compiler: &'static str,
    flags: &'static str,
    start: &'static str,
}

const RV32IM: Machine = Machine {
    model: "rv32im",
    compiler: "riscv64-unknown-elf-gcc",
    flags: "-march=rv32im -mabi=ilp32 -Wl,-Ttext=0x11000",
    start: "start.S",
};

/// Its branches have delay slots.
const MIPS32: Machine = Machine {
    model: "mips32",
    compiler: "mips-linux-gnu-gcc",
    flags: "-EB -march=mips32r2 -mabi=32 -msoft-float -mno-abicalls -fno-pic -G0 -static -Wl,-Ttext=0x411000",
    start: "start_mips.S",
};

/// Any of its instructions may be interrupted.
const RV32IMC: Machine = Machine {
    model: "rv32imc",
    compiler: "riscv64-unknown-elf-gcc",
    flags: "-march=rv32imc_zicsr -mabi=ilp32 -Wl,-Ttext=0x11000",
    start: "start.S",
};

impl Machine {
    fn description(&self) -> PathBuf {
        let name = self.model;
        Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../models/{name}/{name}.isac"))
    }
}

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
        Bench::of(name, "c")
    }

    fn of(name: &'static str, language: &str) -> Bench {
        let folder = tempfile::tempdir().expect("a folder");
        let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/program");
        // Tools name a source as it was given to the compiler.
        let source = folder.path().join(format!("{name}.{language}"));
        fs::copy(sources.join(format!("{name}.{language}")), &source).expect("the source is there");
        for start in [RV32IM.start, MIPS32.start] {
            fs::copy(sources.join(start), folder.path().join(start)).expect("the source is there");
        }
        Bench { folder, source, name }
    }

    fn command(&self, program: &str, arguments: &str) -> Output {
        let mut command = Command::new(program);
        run(command.args(arguments.split_whitespace()).current_dir(self.folder.path()))
    }

    /// The program for the simulated processor, run with its calls followed.
    fn simulate(&self) {
        self.simulate_on(RV32IM);
    }

    fn simulate_on(&self, machine: Machine) {
        let (name, start, flags) = (self.name, machine.start, machine.flags);
        let library = if machine.model == "mips32" { "" } else { "-lgcc" };
        let arguments = format!("{FLAGS} {flags} -O0 {start} {name}.c {library} -o guest.elf");
        self.command(machine.compiler, &arguments);
        self.run_guest(machine);
    }

    fn run_guest(&self, machine: Machine) {
        self.gentool(&format!(
            "run {} guest.elf --engine reference --calls --profile guest.profile",
            machine.description().display()
        ));
    }

    fn gentool(&self, arguments: &str) -> String {
        let output = self.command(env!("CARGO_BIN_EXE_gentool"), arguments);
        String::from_utf8(output.stdout).expect("a report is a text")
    }

    fn report(&self, format: &str) -> String {
        self.gentool(&format!("report guest.profile --image guest.elf --format {format}"))
    }

    /// The same, where the description tells what could have run.
    fn report_with_model(&self, format: &str, machine: Machine) -> String {
        let model = machine.description();
        let model = model.display();
        self.gentool(&format!("report guest.profile --image guest.elf --model {model} --format {format}"))
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
        // Lines that one of them alone has: a closing brace has code of its own here, a label has none.
        let (own, other): (BTreeSet<_>, BTreeSet<_>) =
            (ours.lines.keys().collect(), theirs.lines.keys().collect());
        for line in own.symmetric_difference(&other) {
            let text = text.lines().nth(**line as usize - 1).expect("a line").trim();
            let is_explained = text == "}" || text.ends_with(':') || text.ends_with('}');
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

/// A source below the folder that `--sources` names is found from it.
#[test]
fn names_for_cobertura_begin_at_the_folder_of_the_sources() {
    if !has(&[RV32IM.compiler]) {
        return;
    }
    let bench = Bench::new("loops");
    bench.simulate();
    let folder = bench.folder.path().display().to_string();
    let with = bench.report(&format!(
        "cobertura --sources {folder}/../{}",
        bench.folder.path().file_name().unwrap().display()
    ));
    assert!(with.contains(&format!("<source>{folder}</source>")), "{with}");
    assert!(
        with.contains("filename=\"loops.c\"") && !with.contains(&format!("filename=\"{folder}")),
        "{with}"
    );
    let without = bench.report("cobertura");
    assert!(without.contains(&format!("filename=\"{folder}/loops.c\"")), "{without}");
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
        let mut compared = 0;
        for (function, calls) in ours.iter().filter(|(function, _)| !function.starts_with("__")) {
            assert_eq!(Some(calls), theirs.get(function), "{name}: calls of {function}");
            compared += 1;
        }
        assert!(compared > 2, "{name}: {compared} functions");
        check_inclusive(name, &report, &bench.calls());
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
    // Where the call itself was interrupted, the handler goes on with what was called.
    let mixed = arcs.iter().filter(|((_, to), _)| to == "mix").map(|(_, (_, times))| times);
    assert_eq!(mixed.sum::<u64>(), 2000);
    assert!(times("main", "mix").is_some_and(|(_, times)| times > 1900), "{arcs:?}");
    assert!(times("main", "handle").is_none() && times("mix", "handle").is_none(), "{arcs:?}");
    assert!(times("trap", "handle").is_some_and(|(kind, _)| kind == CallKind::Call));
    // What was interrupted goes on where it was: nothing stays on the stack.
    assert_eq!(calls.contexts.iter().filter(|context| context.parent.is_none()).count(), 1);
    let deepest = bench.report("folded").lines().map(|line| line.matches(';').count()).max();
    assert!(deepest <= Some(6), "{deepest:?}");
}

#[test]
fn names_of_other_languages_are_those_of_their_sources() {
    if !has(&["riscv64-unknown-elf-g++"]) {
        return;
    }
    let bench = Bench::of("shapes", "cpp");
    bench.command(
        "riscv64-unknown-elf-g++",
        &format!(
            "{FLAGS} {} -O2 -fno-exceptions -fno-rtti start.S shapes.cpp -lgcc -o guest.elf",
            RV32IM.flags
        ),
    );
    bench.run_guest(RV32IM);
    let report = bench.report("gprof");
    for name in ["shapes::both(int, int)", "int shapes::doubled<shapes::Square>(shapes::Square const&)"] {
        assert!(report.contains(name), "{name}: {report}");
    }
    let bytes = fs::read(bench.folder.path().join("guest.elf")).expect("the guest");
    let file = ImageFile { name: "guest.elf", bytes: &bytes, base: None };
    let program = Program::read(&[file], CodeCells::default());
    let inlined = |names: [&str; 2]| {
        program.rows().iter().any(|row| {
            let frames = program.frames(row.start);
            frames.len() == 2 && frames.iter().zip(names).all(|(frame, name)| frame.function.contains(name))
        })
    };
    assert!(inlined(["shapes::Square::area() const", "shapes::doubled<shapes::Square>"]));
    assert!(inlined(["shapes::halved(int)", "shapes::both(int, int)"]));
}

#[test]
fn names_of_rust_are_those_of_its_source() {
    if !has(&["rustc"]) {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let source = "mod shapes { #[inline(always)] pub fn area(side: u32) -> u32 { side.wrapping_mul(side) }\n\
                  #[inline(never)] pub fn doubled(side: u32) -> u32 { area(side).rotate_left(1) } }\n\
                  fn main() { std::process::exit(shapes::doubled(std::env::args().count() as u32) as i32) }\n";
    fs::write(folder.path().join("shapes.rs"), source).expect("written");
    let mut command = Command::new("rustc");
    run(command.args(["-g", "-Copt-level=2", "shapes.rs", "-o", "image.elf"]).current_dir(folder.path()));
    let bytes = fs::read(folder.path().join("image.elf")).expect("the image");
    let program =
        Program::read(&[ImageFile { name: "image.elf", bytes: &bytes, base: None }], CodeCells::default());
    let function = program.functions().iter().find(|function| function.name == "shapes::shapes::doubled");
    let start = function.expect("a function by its name in the source").start;
    let rows = program.rows().iter().filter(|row| (start..start + 16).contains(&row.start));
    let deepest = rows.map(|row| program.frames(row.start)).max_by_key(Vec::len).expect("lines");
    assert!(deepest.len() >= 2, "{deepest:?}");
    assert_eq!(deepest.last().map(|frame| frame.function.as_str()), Some("shapes::shapes::doubled"));
}

#[test]
fn genhtml_reads_the_tracefile() {
    if !has(&["riscv64-unknown-elf-gcc", "genhtml"]) {
        return;
    }
    for name in PROGRAMS {
        let bench = Bench::new(name);
        bench.simulate();
        let info = bench.report("lcov");
        fs::write(bench.folder.path().join("guest.info"), info).expect("written");
        let output = bench.command("genhtml", "--branch-coverage guest.info -o html");
        let printed = String::from_utf8_lossy(&output.stdout);
        for kind in ["lines......: ", "functions..: ", "branches...: "] {
            let share = printed.split_once(kind).expect("a rate").1;
            let percent: f64 = share.split('%').next().and_then(|n| n.parse().ok()).expect("a percentage");
            assert!(percent > 40.0, "{name}: {printed}");
        }
        assert!(output.status.success(), "{printed}");
    }
}

#[test]
fn a_program_that_was_changed_is_compared_by_function_and_line() {
    if !has(&["riscv64-unknown-elf-gcc"]) {
        return;
    }
    let bench = Bench::new("ways");
    bench.simulate();
    for file in ["guest.elf", "guest.profile"] {
        fs::rename(bench.folder.path().join(file), bench.folder.path().join(format!("old-{file}")))
            .expect("renamed");
    }
    let source = fs::read_to_string(&bench.source).expect("a text");
    fs::write(&bench.source, source.replace("is_even(7)", "is_even(9)")).expect("written");
    bench.simulate();
    let compared =
        bench.gentool("diff old-guest.profile guest.profile --image old-guest.elf --image-after guest.elf");
    let has_row = |name: &str| compared.lines().any(|line| line.ends_with(&format!("  {name}")));
    assert!(has_row("is_even") && has_row("is_odd"), "{compared}");
    assert!(!has_row("fib") && !has_row("deep"), "{compared}");
}

/// What the verifier says of a profile in which one jump was made once more.
#[test]
fn a_finding_names_function_and_line() {
    if !has(&["riscv64-unknown-elf-gcc"]) {
        return;
    }
    let bench = Bench::new("loops");
    bench.simulate();
    let verify = |file: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_gentool"));
        command.args(["verify", file, "--image", "guest.elf"]).current_dir(bench.folder.path());
        let output = command.output().expect("gentool runs");
        (output.status.code(), String::from_utf8(output.stdout).expect("a text"))
    };
    let (status, sound) = verify("guest.profile");
    assert_eq!(status, Some(0), "{sound}");
    assert!(sound.contains("  main: consistent"), "{sound}");
    let path = bench.folder.path().join("guest.profile");
    let mut profile = read_profile(&fs::read(&path).expect("the profile")[..]).expect("a profile");
    let bytes = fs::read(bench.folder.path().join("guest.elf")).expect("the guest");
    let program =
        Program::read(&[ImageFile { name: "guest.elf", bytes: &bytes, base: None }], CodeCells::default());
    let in_main = |address: u64| program.function(program.function_at(address)).name == "main";
    let transfers = &mut profile.measurement.transfers;
    let jump = transfers.iter_mut().find(|((from, to), _)| in_main(*from) && in_main(*to));
    *jump.expect("main has a jump").1 += 1000;
    let mut changed = Vec::new();
    sim_profile::write_profile(&mut changed, &profile).expect("written");
    fs::write(bench.folder.path().join("changed.profile"), changed).expect("written");
    let (status, found) = verify("changed.profile");
    assert_eq!(status, Some(125), "{found}");
    let word = found.split("  main: ").nth(1).expect("a word on main");
    assert!(word.starts_with("inconsistent\n"), "{found}");
    let told = word.lines().nth(1).expect("a finding");
    assert!(told.trim_start().contains("loops.c:") && told.contains("control came to the block"), "{found}");
}

/// With the description, the graph of a function has the blocks that never ran.
#[test]
fn code_that_never_ran_is_in_the_flow_graph() {
    if !has(&["riscv64-unknown-elf-gcc"]) {
        return;
    }
    let bench = Bench::new("machine");
    bench.simulate();
    let model = Path::new(env!("CARGO_MANIFEST_DIR")).join("../models/rv32im/rv32im.isac");
    let estimates = |more: &str| {
        let report =
            bench.gentool(&format!("report guest.profile --image guest.elf --format estimates {more}"));
        let all = report.lines().find(|line| line.ends_with("  all")).expect("a sum").to_owned();
        let numbers: Vec<u64> = all.split_whitespace().filter_map(|word| word.parse().ok()).collect();
        (numbers[0], numbers[1])
    };
    let ((blocks, edges), (all_blocks, all_edges)) =
        (estimates(""), estimates(&format!("--model {}", model.display())));
    assert!(all_blocks >= blocks && all_edges > edges, "{blocks} {edges} {all_blocks} {all_edges}");
    let verified =
        bench.gentool(&format!("verify guest.profile --image guest.elf --model {}", model.display()));
    assert!(verified.ends_with("\nconsistent\n"), "{verified}");
}
