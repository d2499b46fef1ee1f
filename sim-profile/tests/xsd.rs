//! Reports against `docs/report.xsd`: with xmllint where there is one, and everywhere with a
//! small reader of the schema that knows the parts of XML Schema that ours uses.

#![cfg(feature = "reports")]

mod schema;
mod support;

use std::path::PathBuf;

use schema::{Element, Schema, check_by_xmllint};
#[cfg(feature = "program")]
use sim_profile::description::{DescriptionCoverage, DescriptionPoint, DescriptionPoints, PointKind};
use sim_profile::{
    InstructionKey, InstructionRecord, Measurement, Profile, ProgramImage, Provenance, StaticFacts, Word,
    render_profile_xml, render_xml,
};
#[cfg(feature = "program")]
use sim_profile::{PipelineEnd, PipelineRow, PipelineStay, PipelineView, ReportParts};

fn schema_path() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../docs/report.xsd")
}

/// A measurement whose names are as bad as names can be; it breaks rules that reading checks.
fn hostile() -> Measurement {
    let mut measurement = support::measurement();
    measurement.tables.model = "<&\">\u{1}\n\u{fffe}".to_owned();
    measurement.tables.address_bits = 0;
    let deepest = "a(".repeat(128) + &")".repeat(128);
    measurement.events.insert("]]>\0".to_owned(), u64::MAX);
    for (address, name) in (0..).zip(["", ")(", "no\u{7}path", "deep((", "a(b()c(d()))", &deepest]) {
        let key = InstructionKey { address, word: Word::new(&[0xff; 32]).unwrap() };
        let accesses = [((u32::MAX, u32::MAX), Default::default())].into();
        let executed = u64::MAX;
        let name = name.to_owned();
        let record = InstructionRecord { name, executed, accesses, ..Default::default() };
        measurement.instructions.insert(key, record);
    }
    measurement
}

fn reports() -> [String; 5] {
    let [one, two, three] =
        [hostile(), support::measurement(), Measurement::default()].map(|m| render_xml(&m));
    [one, two, three, render_profile_xml(&with_texts()), render_profile_xml(&of_several_programs())]
}

/// Runs of two programs, added up; what stands by address is gone.
fn of_several_programs() -> Profile {
    let measurement = support::measurement();
    let with = |digest: &str| {
        let image = ProgramImage { name: "<a>".to_owned(), digest: digest.to_owned(), ..Default::default() };
        let provenance = Provenance { images: vec![image], runs: 1, ..Provenance::default() };
        Profile { measurement: measurement.clone(), provenance, ..Profile::default() }
    };
    let mut profile = with("1");
    profile.merge(&with("2")).unwrap();
    profile
}

#[test]
fn a_report_of_several_programs_has_them_and_no_addresses() {
    let report = render_profile_xml(&of_several_programs());
    assert_eq!(report.matches("<program name=\"&lt;a&gt;\" runs=\"1\"").count(), 2, "{report}");
    for empty in ["<executions/>", "<transfers/>", "<instructions/>", "<undecoded_faults/>", "<addresses/>"] {
        assert!(report.contains(empty), "{empty}");
    }
    assert!(!report.contains("<address>") && !report.contains("<first>"), "{report}");
}

/// A profile whose texts are as bad as texts can be.
fn with_texts() -> Profile {
    let measurement = hostile();
    let texts = measurement.instructions.keys().zip(["", "<", "]]>\0", "a\u{fffe}\n", "&amp;"]);
    let facts = |text: &str| StaticFacts { text: Some(text.to_owned()), ..StaticFacts::default() };
    let statics = texts.map(|(key, text)| (*key, facts(text))).collect();
    Profile { measurement, statics, ..Profile::default() }
}

/// A report of a real program, of which somebody measured anything.
#[cfg(feature = "program")]
fn program_report() -> String {
    use sim_profile::program::{ImageFile, Program, ProgramProfile};
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../models/rv32im/programs/crc32.elf");
    let bytes = std::fs::read(path).unwrap();
    let file = ImageFile { name: "crc32.elf", bytes: &bytes, base: None };
    let program = Program::read(&[file], Default::default());
    let mut measurement = support::measurement();
    measurement.instructions = measurement
        .instructions
        .into_iter()
        .map(|(key, record)| (InstructionKey { address: key.address + 0x10000, ..key }, record))
        .collect();
    let key = sim_profile::CallKey {
        caller: 0x10010,
        site: 0x10014,
        callee: 0x10010,
        kind: sim_profile::CallKind::Call,
    };
    let mut calls = sim_profile::Calls::default();
    calls.arcs.insert(key, sim_profile::CallCount::default());
    calls.functions.insert(0x10010, sim_profile::FunctionCount::default());
    let profile = ProgramProfile {
        measurement: &measurement,
        program: &program,
        statics: &Default::default(),
        control: &Default::default(),
        calls: Some(&calls),
        texts: &Default::default(),
        code: &Default::default(),
        folder: None,
    };
    let mut report = Vec::new();
    let whole =
        Profile { measurement: measurement.clone(), pipeline: Some(pipeline()), ..Profile::default() };
    let used = description();
    let unused = sim_profile::coverage::Coverage::of(&measurement).unused;
    let exclusions = unused.into_iter().map(|name| (name, "<\"why\" \u{1}>".to_owned())).collect();
    let parts = ReportParts {
        program: Some(&profile),
        description: Some(&used),
        exclusions: Some(&exclusions),
        ..ReportParts::default()
    };
    sim_profile::write_full_xml(&whole, parts, &mut report).expect("memory takes every write");
    String::from_utf8(report).expect("a report is a text")
}

/// Two instructions of which the second is cancelled.
#[cfg(feature = "program")]
fn pipeline() -> PipelineView {
    let stay = |stage, from, waits| PipelineStay { stage, from, cycles: 1, waits };
    let first = PipelineRow {
        id: 1,
        address: 0x10,
        text: "inc <ax>".to_owned(),
        stays: vec![stay(Some(0), 7, false), stay(Some(1), 8, true)],
        end: None,
    };
    let end = Some(PipelineEnd { cycle: 8, faulted: false });
    let second = PipelineRow { id: 2, stays: vec![stay(None, 8, false)], end, ..PipelineRow::default() };
    PipelineView { first: 7, cycles: 2, rows: vec![first, second] }
}

/// A line with a decision in a section.
#[cfg(feature = "program")]
fn description() -> DescriptionCoverage {
    let point = |kind| DescriptionPoint { file: 0, line: 4, kind };
    let kinds = [
        PointKind::Section("inc.BEHAVIOR".to_owned()),
        PointKind::Statement,
        PointKind::Side { decision: 0, side: 0 },
        PointKind::Side { decision: 0, side: 1 },
    ];
    let points = DescriptionPoints { files: vec!["a.isac".to_owned()], points: kinds.map(point).into() };
    DescriptionCoverage::of(&points, &[3, 3, 1, 2]).expect("as many counts as points")
}

#[test]
#[cfg(feature = "program")]
fn a_report_of_a_program_is_valid() {
    let report = program_report();
    check_by_xmllint(&report, &schema_path());
    let root = Element::read(&report);
    Schema::read(&std::fs::read_to_string(schema_path()).unwrap()).check(&root, "profiler");
    let rows: Vec<_> = root.children_named("pipeline").next().unwrap().children_named("row").collect();
    assert_eq!(rows.len(), 2);
    let file = root.children_named("description").next().unwrap().children_named("file").next().unwrap();
    for name in ["section", "line", "decision"] {
        assert!(file.children_named(name).next().is_some(), "{name}");
    }
    for name in ["function", "call", "line"] {
        let program = root.children_named("program").next().unwrap();
        assert!(program.children_named(name).next().is_some(), "{name}");
    }
}

#[test]
fn reports_are_valid_by_xmllint() {
    reports().iter().for_each(|report| check_by_xmllint(report, &schema_path()));
}

#[test]
fn reports_have_the_schema_s_structure() {
    let schema = Schema::read(&std::fs::read_to_string(schema_path()).unwrap());
    for report in reports() {
        let root = Element::read(&report);
        assert_eq!(root.name, "profiler");
        schema.check(&root, "profiler");
    }
}
