//! Reports of a program: of counts as large as they can be, and of cycles that are nowhere.

#![cfg(all(feature = "program", feature = "reports"))]

mod support;

use sim_profile::coverage::Exclusions;
use sim_profile::flow::{Finding, ProgramFlow, routine_flows, verify, verify_calls};
use sim_profile::html::{HtmlReport, render_html};
use sim_profile::program::render::{
    render_annotated_source, render_callgrind, render_disassembly, render_dot, render_gprof, render_lcov,
    render_most_expensive, render_oprofile, render_pprof, render_sampled, write_folded,
};
use sim_profile::program::{ImageFile, Program, ProgramProfile};
use sim_profile::{
    Accesses, CallContext, CallCount, CallKey, CallKind, Calls, CodeCells, CodeSizes, Control, ControlTable,
    Difference, FunctionCount, Measurement, Places, Profile, ReportParts, Samples, Sampling, Spending,
    StaticFacts, control_table, render_cobertura, render_difference, render_estimates, render_flow_dot,
    write_full_xml,
};

/// The guest, with its code at 0: there stands a line.
fn program_at_0() -> Program {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../models/rv32im/programs/crc32.elf");
    let bytes = std::fs::read(path).expect("the guest is there");
    let read =
        |base| Program::read(&[ImageFile { name: "crc32.elf", bytes: &bytes, base }], CodeCells::default());
    let first = read(None).rows()[0].start;
    read(Some(0_u64.wrapping_sub(first)))
}

/// A run, with its program.
struct Run {
    profile: Profile,
    program: Program,
}

impl Run {
    fn of(measurement: Measurement) -> Run {
        Run { profile: Profile { measurement, ..Profile::default() }, program: program_at_0() }
    }

    fn render<T>(&self, render: impl FnOnce(&ProgramProfile<'_>) -> T) -> T {
        render(&ProgramProfile {
            statics: &self.profile.statics,
            calls: self.profile.calls.as_ref(),
            ..ProgramProfile::of(
                &self.profile.measurement,
                &self.program,
                &control_table(&self.profile.statics),
            )
        })
    }
}

/// Everything that is counted came to the end of what can be counted.
fn largest() -> Profile {
    const MOST: u64 = u64::MAX;
    let mut measurement = support::measurement();
    for record in measurement.instructions.values_mut() {
        for count in
            [&mut record.executed, &mut record.cancelled, &mut record.faulted, &mut record.unfinished]
        {
            *count = MOST;
        }
        let most = Accesses { reads: MOST, writes: MOST, executes: MOST };
        record.accesses.values_mut().for_each(|accesses| *accesses = most);
    }
    let everywhere = (0x10..0x18).flat_map(|from| [0x10, 0x12, 0x14, 0x40].map(|to| ((from, to), MOST)));
    measurement.transfers = everywhere.collect();
    (measurement.cycles, measurement.undecoded) = (MOST, MOST);
    measurement.undecoded_faults.values_mut().for_each(|count| *count = MOST);
    let most = Spending { instructions: MOST, cycles: MOST };
    let arc = |caller, site, callee, kind| {
        (CallKey { caller, site, callee, kind }, CallCount { calls: MOST, inclusive: most })
    };
    let calls = Calls {
        arcs: [
            arc(0x10, 0x11, 0x12, CallKind::Call),
            arc(0x10, 0x12, 0x14, CallKind::Tail),
            arc(0x14, 0x14, 0x10, CallKind::Interrupt),
        ]
        .into(),
        functions: [0x10, 0x12, 0x14].map(|at| (at, FunctionCount { own: most, inclusive: most })).into(),
        contexts: vec![
            CallContext { parent: None, function: 0x10, own: most },
            CallContext { parent: Some(0), function: 0x12, own: most },
            CallContext { parent: Some(1), function: 0x14, own: most },
        ],
        forgotten: MOST,
        in_vain: [((Some(0x10), 0x12), MOST), ((None, 0x14), MOST)].into(),
        known_functions: None,
    };
    let keys = measurement.instructions.keys();
    let statics = keys.map(|key| {
        let control = Control { falls_through: true, targets: vec![0x10, 0x14], computed: true, keeps: None };
        (*key, StaticFacts { control: Some(control), ..StaticFacts::default() })
    });
    let statics = statics.collect();
    Profile { measurement, statics, calls: Some(calls), ..Profile::default() }
}

/// An interrupt that strikes behind a call takes nothing from it, as far as the call can lead to one place alone.
#[test]
fn a_call_that_is_struck_is_one_of_what_was_called() {
    let program = program_at_0();
    let mut starts: Vec<u64> =
        (0..0x1000).map(|at| program.function(program.function_at(at)).start).collect();
    starts.retain(|start| *start > 0x10);
    starts.dedup();
    let [called, handler] = [starts[0], starts[1]];
    let calls_of = |targets: Vec<u64>| {
        let mut profile = largest();
        profile.measurement.transfers = [((0x10, called), 58), ((0x10, handler), 2)].into();
        // Where there are interrupts anything can go anywhere.
        let control = Some(Control { falls_through: false, targets, computed: true, keeps: Some(0x12) });
        let facts = StaticFacts { control, ..StaticFacts::default() };
        profile.statics = profile.measurement.instructions.keys().map(|key| (*key, facts.clone())).collect();
        let samples = Samples { instructions: 1000, cycles: 1000, checks: 60, samples: 61 };
        let run = Run { profile, program: program_at_0() };
        let report = run.render(|joined| render_sampled(joined, Sampling::every(1), samples, None));
        let table = report.split("\n\n").find(|table| table.contains("caller -> called")).expect("a table");
        let rows = table.lines().filter(|line| line.starts_with('~'));
        rows.map(|row| row[1..15].trim().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(calls_of(vec![called]), ["60"]);
    assert_eq!(calls_of(Vec::new()), ["58", "2"], "where it can lead anywhere nobody knows");
}

/// The largest count.
const MOST: &str = "18446744073709551615";

fn has_most(report: &str) {
    assert!(report.contains(MOST), "{report}");
}

#[test]
fn counts_that_cannot_be_larger_are_in_every_report() {
    let run = Run { profile: largest(), program: program_at_0() };
    let Run { profile, program } = &run;
    for render in [
        render_annotated_source,
        render_callgrind,
        render_cobertura,
        render_disassembly,
        render_dot,
        render_gprof,
        render_lcov,
        render_most_expensive,
        render_oprofile,
    ] {
        has_most(&run.render(render));
    }
    run.render(|joined| {
        let (pprof, note) = render_pprof(joined);
        // A varint of 64 ones.
        assert!(
            pprof.windows(10).any(|bytes| bytes == [[0xff; 9].as_slice(), &[1]].concat()) && note.is_none()
        );
        let samples =
            Samples { instructions: u64::MAX, cycles: u64::MAX, checks: u64::MAX, samples: u64::MAX };
        has_most(&render_sampled(joined, Sampling::every(u64::MAX), samples, None));
        let mut folded = Vec::new();
        write_folded(joined, &mut folded).expect("memory takes every write");
        has_most(&String::from_utf8(folded).expect("text"));
        let parts = ReportParts { program: Some(joined), ..ReportParts::default() };
        let mut xml = Vec::new();
        write_full_xml(profile, parts, &mut xml).expect("memory takes every write");
        has_most(&String::from_utf8(xml).expect("text"));
        let exclusions = Exclusions::new();
        has_most(&render_html(&HtmlReport {
            profile,
            program: joined,
            description: None,
            exclusions: &exclusions,
        }));
    });
    let control: ControlTable = control_table(&profile.statics);
    let flow = ProgramFlow::of(&profile.measurement, &control);
    let part_of = |address| program.function_at(address);
    let routines = routine_flows(&flow, &profile.measurement, &control, &CodeSizes::new(), part_of);
    // Sums that have come to their end say nothing.
    let found = verify(&profile.measurement, (u64::MAX, None), &flow, &routines);
    assert!(!found.iter().any(|finding| matches!(finding, Finding::Sum { .. })), "{found:?}");
    assert_eq!(verify_calls(profile, &|one, other| one == other), []);
    let name_of = |part: u32| program.function(part).name.clone();
    has_most(&render_estimates(&flow, &routines, &profile.measurement.tables, name_of));
    let places = || Places {
        function_of: Box::new(|at| at.to_string()),
        line_of: Box::new(|at| Some(at.to_string())),
    };
    let empty = Profile::default();
    for profiles in [[profile, &empty], [&empty, profile], [profile, profile]] {
        let told = render_difference(&Difference::between(profiles, [&places(), &places()]), profiles);
        assert_eq!(told.contains(MOST), !std::ptr::eq(profiles[0], profiles[1]), "{told}");
    }
    for routine in &routines {
        has_most(&render_flow_dot(&flow, routine, "largest", &profile.measurement.tables));
    }
}

/// A comparison does not say that all is equal where something differs that it does not compare.
#[test]
fn counts_that_are_not_compared_are_not_said_to_be_equal() {
    let places = || Places { function_of: Box::new(|at| at.to_string()), line_of: Box::new(|_| None) };
    let profile = Profile { measurement: support::measurement(), ..Profile::default() };
    let mut other = profile.clone();
    let said = |profiles: [&Profile; 2]| {
        render_difference(&Difference::between(profiles, [&places(), &places()]), profiles)
    };
    assert_eq!(said([&profile, &profile.clone()]), "all counts are equal\n");
    *other.measurement.transfers.entry((0, 4)).or_default() += 1;
    let told = said([&profile, &other]);
    assert!(told.starts_with("all executed instructions and cycles are equal; "), "{told}");
}

/// Code at 0 did not run; cycles in which nothing did are not its.
#[test]
fn cycles_of_no_instruction_are_not_those_of_the_code_at_0() {
    let run = Run::of(support::measurement());
    assert!(run.program.row_at(0).is_some(), "a line stands at 0");
    let callgrind = run.render(render_callgrind);
    assert!(callgrind.contains("\nob=???\nfl=???\nfn=[no instruction]\n0x0 0 0 "), "{callgrind}");
    let (pprof, _) = run.render(render_pprof);
    let has = |text: &str| pprof.windows(text.len()).any(|bytes| bytes == text.as_bytes());
    assert!(has("[no instruction]"));
}
