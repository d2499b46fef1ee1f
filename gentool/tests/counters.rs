//! Counters of regions against the exact profile of the same run, for the programs of this repository.

#[path = "../../tests/support/thorough.rs"]
mod thorough;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use sim_profile::counters::{CountedEvent, Descent, ExactCounters, MetricGraph, Region};
use sim_profile::program::render::FunctionNames;
use sim_profile::program::{ImageFile, NO_INSTRUCTION, OUTSIDE, Program, ProgramProfile};
use sim_profile::{Accesses, Calls, Profile, control_table, read_profile, spending_of};
use thorough::{all_or, first_of};

const GUESTS: [&str; 6] = ["csv", "sorting", "bytecode", "crc32", "matrix", "sha256"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// A run, and the program that ran.
struct Run {
    profile: Profile,
    program: Program,
}

impl Run {
    /// Of a guest, followed by its calls where instructions do not overlap.
    fn of(model: &str, guest: &str, options: &str) -> Run {
        let folder = tempfile::tempdir().expect("a folder");
        let stored = folder.path().join("profile");
        let program = format!("models/rv32im/programs/{guest}.elf");
        let mut command = Command::new(env!("CARGO_BIN_EXE_gentool"));
        command.args(["run", &format!("models/{model}/{model}.isac"), &program, "--engine", "reference"]);
        command.args(options.split_whitespace()).arg("--profile").arg(&stored);
        let output = command.current_dir(root()).stdout(Stdio::null()).output().expect("gentool runs");
        assert!(matches!(output.status.code(), Some(0 | 124)), "{guest}: {output:?}");
        let profile = read_profile(&fs::read(stored).expect("the profile")[..]).expect("a profile");
        let bytes = fs::read(root().join(&program)).expect("the program");
        let files = [ImageFile { name: guest, bytes: &bytes, base: None }];
        let program = Program::read(&files, profile.measurement.tables.code);
        Run { profile, program }
    }

    fn check(&self, look: impl FnOnce(&ProgramProfile<'_>)) {
        let control = control_table(&self.profile.statics);
        look(&ProgramProfile {
            statics: &self.profile.statics,
            calls: self.profile.calls.as_ref(),
            ..ProgramProfile::of(&self.profile.measurement, &self.program, &control)
        });
    }

    fn calls(&self) -> &Calls {
        self.profile.calls.as_ref().expect("calls were followed")
    }
}

fn events(names: &str) -> Vec<CountedEvent> {
    names.split(' ').map(|name| name.parse().expect("an event")).collect()
}

/// What the whole run counts, added up by other means than counters do.
fn totals(profile: &Profile) -> BTreeMap<&'static str, u64> {
    let measurement = &profile.measurement;
    let mut accesses = Accesses::default();
    let records = measurement.instructions.values();
    let all = records.clone().flat_map(|record| &record.accesses);
    all.filter(|((_, resource), _)| measurement.tables.reaches_memory(*resource))
        .for_each(|(_, of)| accesses.add(*of));
    let spent = spending_of(measurement);
    let lines = sim_profile::summary::cache_totals(measurement);
    [
        ("instructions", spent.instructions),
        ("cycles", spent.cycles),
        ("loads", accesses.reads),
        ("stores", accesses.writes),
        ("fetches", accesses.executes),
        ("taken", measurement.transfers.values().sum()),
        ("cancelled", records.map(|record| record.cancelled).sum()),
        ("stalls", measurement.lost().values().sum()),
        ("misses", lines.values().map(|lines| lines.misses).sum()),
        ("hits", lines.values().map(|lines| lines.hits).sum()),
    ]
    .into()
}

/// Functions without what they call, and what is in none, are together the run; and a function is what
/// its addresses are.
fn check_regions(run: &Run) {
    let expected = totals(&run.profile);
    run.check(|profile| {
        let (exact, names) = (ExactCounters::new(profile), FunctionNames::of(&run.program));
        for (name, total) in &expected {
            let event: CountedEvent = name.parse().expect("an event");
            let count = |region: &Region| exact.count(region, &event).expect("known");
            assert_eq!(count(&Region::Run), *total, "{name} of the run");
            let mut sum = 0;
            for number in profile.cost_by_function().into_keys() {
                if number == OUTSIDE || number == NO_INSTRUCTION {
                    continue;
                }
                let own = count(&Region::Own(names.number(number)));
                let cells = run.program.boundaries();
                let pieces = cells.windows(2).filter(|ends| run.program.function_at(ends[0]) == number);
                let by_address =
                    pieces.map(|ends| count(&Region::Addresses { first: ends[0], last: ends[1] - 1 }));
                assert_eq!(own, by_address.sum::<u64>(), "{name} of {}", names.number(number));
                sum += own;
            }
            let without = profile.cost_by_address().into_keys().any(|address| address.is_none());
            assert!(sum == *total || without && sum < *total, "{name}: {sum} of {total}");
        }
    });
}

#[test]
fn regions_are_together_the_run() {
    for guest in first_of(2, GUESTS) {
        check_regions(&Run::of("rv32im", guest, "--calls --limit-instructions 300K"));
    }
    let pipelined = Run::of("rv32im5", "csv", "--limit-instructions 50K");
    assert!(totals(&pipelined.profile)["stalls"] > 0 && totals(&pipelined.profile)["misses"] > 0);
    check_regions(&pipelined);
}

/// In a pipeline, what a jump flushes is paid for by the function that jumps: by counters as by all reports.
#[test]
fn functions_pay_for_what_they_began_in_vain() {
    let run = Run::of("rv32im5", "csv", "--calls --limit-instructions 50K");
    check_regions(&run);
    run.check(|profile| {
        let (exact, names) = (ExactCounters::new(profile), FunctionNames::of(&run.program));
        let mut moved = 0;
        for (number, cost) in profile.cost_by_function() {
            if number == OUTSIDE || number == NO_INSTRUCTION {
                continue;
            }
            let count = |event: &str| {
                exact.count(&Region::Own(names.number(number)), &event.parse().expect("an event"))
            };
            assert_eq!(count("cycles"), Ok(cost.cycles), "{}", names.number(number));
            assert_eq!(count("stalls"), Ok(cost.lost), "{}", names.number(number));
        }
        for (address, begun) in profile.cost_by_address() {
            let region = Region::Addresses { first: address.unwrap_or(0), last: address.unwrap_or(0) };
            let paid = exact.count(&region, &CountedEvent::Cycles).expect("known");
            moved += u64::from(address.is_some() && paid > begun.cycles);
        }
        assert!(moved > 10, "{moved}");
        for (start, count) in &run.calls().functions {
            if !run.calls().arcs.keys().any(|key| key.caller == *start) {
                let own = exact.count(&Region::Own(names.at(*start)), &CountedEvent::Cycles);
                assert_eq!(own, Ok(count.inclusive.cycles), "{}", names.at(*start));
            }
        }
    });
}

/// A map that leads to registers is not memory, and can be asked for by its name.
#[test]
fn registers_behind_a_map_are_no_memory() {
    let count = |run: &Run, event: &str| {
        let mut counted = Ok(0);
        let event: CountedEvent = event.parse().expect("an event");
        run.check(|profile| counted = ExactCounters::new(profile).count(&Region::Run, &event));
        counted.map_err(|error| error.to_string())
    };
    let pipelined = Run::of("rv32im5", "crc32", "--limit-cycles 20K");
    let ended = count(&pipelined, "instructions").expect("known");
    let plain = Run::of("rv32im", "crc32", &format!("--limit-instructions {ended}"));
    for event in ["loads", "stores"] {
        assert_eq!(count(&pipelined, event), count(&plain, event), "{event}");
        assert_eq!(count(&pipelined, event), count(&pipelined, &format!("{event}.defaultmap")), "{event}");
    }
    assert!(count(&pipelined, "loads.operands") > count(&pipelined, "loads"));
    assert_eq!(
        count(&pipelined, "stores.nomap"),
        Err("the model has no memory map `nomap`; it has codemap, defaultmap, operands".to_owned())
    );
}

/// What is known of functions with what they call: for events that were followed, what was followed;
/// and for all others the same as for those, wherever anything is said at all.
#[test]
fn functions_with_what_they_call_are_as_they_were_followed() {
    let (mut known, mut shared) = (0, 0);
    for guest in first_of(2, GUESTS) {
        let run = Run::of("rv32im", guest, "--calls --limit-instructions 300K");
        run.check(|profile| {
            let (exact, names) = (ExactCounters::new(profile), FunctionNames::of(&run.program));
            for (start, count) in &run.calls().functions {
                let region = Region::Inclusive(names.at(*start));
                let counts: Vec<_> = events("instructions cycles fetches")
                    .iter()
                    .map(|event| exact.count(&region, event))
                    .collect();
                assert_eq!(counts[0], Ok(count.inclusive.instructions), "{guest}: {region}");
                assert_eq!(counts[1], Ok(count.inclusive.cycles), "{guest}: {region}");
                match &counts[2] {
                    // Each instruction of this model is fetched once.
                    Ok(fetches) => assert_eq!(*fetches, count.inclusive.instructions, "{guest}: {region}"),
                    Err(_) => shared += 1,
                }
                known += u32::from(counts[2].is_ok());
            }
        });
    }
    let (least_known, least_shared) = all_or((30, 3), (10, 0));
    assert!(known > least_known && shared > least_shared, "{known} known, {shared} shared");
}

#[test]
fn a_descent_finds_what_is_found_if_all_are_measured() {
    for guest in first_of(2, GUESTS) {
        let run = Run::of("rv32im", guest, "--calls --limit-instructions 300K");
        let functions = &run.calls().functions;
        let total = spending_of(&run.profile.measurement).cycles;
        for (counters, percent) in [1, 2, 4, 8].into_iter().flat_map(|n| [(n, 1), (n, 5), (n, 20)]) {
            let threshold = total * percent / 100;
            let measure = |function: u64| functions[&function].inclusive.cycles;
            let descent = Descent::of(run.calls(), counters, threshold, measure);
            let found: BTreeMap<u64, u64> = descent.found().collect();
            let spent = functions.iter().map(|(function, count)| (*function, count.inclusive.cycles));
            let expected = spent.filter(|(_, spent)| *spent >= threshold).collect();
            assert_eq!(found, expected, "{guest}, {counters} counters, {percent} %");
            assert_eq!(descent.measured() + descent.left_out.len(), functions.len(), "{guest}");
            for (function, bound) in &descent.left_out {
                assert!(functions[function].inclusive.cycles <= *bound, "{guest}: {function:#x}");
            }
        }
    }
}

/// Names in the first column of a table of the manual, behind a heading.
fn first_column(manual: &str, heading: &str) -> Vec<String> {
    let (_, rest) = manual.split_once(heading).expect("the heading is there");
    let rows = rest.lines().skip_while(|line| !line.starts_with('|')).skip(2);
    let cells =
        rows.take_while(|line| line.starts_with('|')).map(|line| line.split('|').nth(1).unwrap_or(""));
    let words = cells.flat_map(|cell| cell.split(',').map(|word| word.trim().trim_matches('`').to_owned()));
    words.collect()
}

#[test]
fn a_metric_that_counts_nothing_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let gentool = |line: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_gentool"));
        command.args(line.split_whitespace()).current_dir(root());
        let output = command.output().expect("gentool runs");
        (output.status.code(), String::from_utf8(output.stderr).expect("text"))
    };
    let profile = folder.path().join("p");
    let profile = profile.display();
    let run = "run models/tiny8/tiny8.isac models/tiny8/programs/sum.bin --engine reference";
    assert_eq!(gentool(&format!("{run} --profile {profile}")).0, Some(55));
    let (status, said) = gentool(&format!("counters {profile} --metric third=1/3"));
    assert_eq!(status, Some(125), "{said}");
    assert!(said.contains("the metric `third` is the same wherever it is counted; name an event"), "{said}");
    assert_eq!(gentool(&format!("counters {profile} --metric third=cycles/3")).0, Some(0));
}

/// Whatever is typed, its error fits on a screen.
#[test]
fn an_error_repeats_no_more_than_can_be_read() {
    let long = "x".repeat(100_000);
    let sum = format!("a=1{}", "+1".repeat(50_000));
    let gentool = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_gentool"));
        let output = command.args(arguments).current_dir(root()).output().expect("gentool runs");
        assert_eq!(output.status.code(), Some(125), "{arguments:?}");
        String::from_utf8(output.stderr).expect("text")
    };
    let folder = tempfile::tempdir().expect("a folder");
    let profile = folder.path().join("p").display().to_string();
    let profile = &profile[..];
    let mut run = Command::new(env!("CARGO_BIN_EXE_gentool"));
    run.args(["run", "models/tiny8/tiny8.isac", "models/tiny8/programs/sum.bin", "--engine", "reference"]);
    run.args(["--profile", profile]).current_dir(root());
    assert_eq!(run.output().expect("gentool runs").status.code(), Some(55));
    for arguments in [
        &["counters", profile, "--metric", &format!("a={long}")][..],
        &["counters", profile, "--metric", &format!("a=({}", "-".repeat(100_000))],
        &["counters", profile, "--metric", &format!("a={}", "cycles ".repeat(10_000))],
        &["counters", profile, "--event", &long],
        &["counters", profile, "--region", &long],
        &["report", profile, "--format", &long],
        &["report", &long],
        &[&long],
    ] {
        let said = gentool(arguments);
        assert!(said.starts_with("error: ") && said.len() < 1000, "{said}");
    }
    let said = gentool(&["counters", profile, "--metric", &sum]);
    assert!(said.contains("from letter 2001 on; expected the end: 1000 numbers and names"), "{said}");
}

#[test]
fn the_manual_has_every_event_and_metric() {
    let manual = fs::read_to_string(root().join("docs/counters.md")).expect("the manual is there");
    let told = "nothing".parse::<CountedEvent>().expect_err("no event").to_string();
    let (_, told) = told.split_once("expected ").expect("names");
    let told: Vec<&str> =
        told.split(", one of").next().into_iter().flat_map(|names| names.split(", ")).collect();
    let mut listed = first_column(&manual, "## Events");
    assert_eq!(listed.pop().as_deref(), Some("event.NAME"));
    assert_eq!(listed, told);
    let graph = MetricGraph::new(&BTreeMap::new()).expect("built-in metrics make sense");
    let mut metrics = first_column(&manual, "## Metrics");
    metrics.sort();
    assert_eq!(metrics, graph.names().collect::<Vec<_>>());
}

#[test]
fn an_event_that_never_happened_is_told_of() {
    let folder = tempfile::tempdir().expect("a folder");
    let stored = folder.path().join("profile");
    let gentool = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_gentool"));
        let output = command.args(arguments).current_dir(root()).output().expect("gentool runs");
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
        (output.status.code(), text(output.stdout), text(output.stderr))
    };
    let stored = stored.to_str().expect("UTF-8");
    let program = "models/rv32im/programs/crc32.elf";
    let (status, ..) = gentool(&[
        "run",
        "models/rv32im/rv32im.isac",
        program,
        "--limit-instructions",
        "100",
        "--profile",
        stored,
    ]);
    assert_eq!(status, Some(124));
    let (status, counts, said) = gentool(&["counters", stored, "--event", "event.slwo", "--format", "raw"]);
    assert_eq!((status, counts.as_str()), (Some(0), "run\tevent.slwo\t0\n"));
    assert_eq!(said, "note: no event `slwo` has happened, and no other of the model\n");
}
