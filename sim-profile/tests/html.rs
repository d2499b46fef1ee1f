//! The page: its figures are those of the measurement, and nothing in a name gets out of the data.

#![cfg(all(feature = "program", feature = "reports"))]

mod support;

use std::collections::BTreeMap;

use proptest::prelude::*;
use serde_json::Value;
use sim_profile::coverage::Exclusions;
use sim_profile::html::{
    Description, EncodingMap, EncodingRow, HtmlReport, OperandPlace, OperandSpace, OperandValue,
};
use sim_profile::html::{render_html, render_html_data};
use sim_profile::program::{ImageFile, Program, ProgramProfile, SourceTexts};
use sim_profile::summary::Summary;
use sim_profile::{
    AccessEvent, Accesses, CodeCells, CodeSizes, InstructionKey, InstructionRecord, LostCause, LostReason,
    Measurement, Overhead, Profile, Word, control_table,
};

/// Page, and the data that stands in it.
fn page_of(profile: &Profile, program: &Program, description: Option<&Description>) -> (String, Value) {
    let control = control_table(&profile.statics);
    let texts = SourceTexts::new();
    let joined = ProgramProfile {
        measurement: &profile.measurement,
        program,
        statics: &profile.statics,
        control: &control,
        calls: profile.calls.as_ref(),
        texts: &texts,
        code: &CodeSizes::new(),
        folder: None,
    };
    let exclusions = Exclusions::new();
    let report = HtmlReport { profile, program: &joined, description, exclusions: &exclusions };
    let (page, data) = (render_html(&report), render_html_data(&report));
    assert!(page.contains(&data), "the data stands in the page");
    (page, serde_json::from_str(&data).expect("the data is JSON"))
}

fn no_program() -> Program {
    Program::read(&[], CodeCells::default())
}

fn profile_of(measurement: Measurement) -> Profile {
    Profile { measurement, ..Profile::default() }
}

fn sum(column: &Value) -> u64 {
    column.as_array().expect("a column").iter().map(count).fold(0, u64::saturating_add)
}

/// A count: a number, or a text where that would be rounded.
fn count(value: &Value) -> u64 {
    value.as_u64().unwrap_or_else(|| value.as_str().expect("digits").parse().expect("a count"))
}

fn figure(data: &Value, name: &str) -> u64 {
    let figures = data["summary"].as_array().expect("figures");
    count(&figures.iter().find(|figure| figure["name"] == name).expect("it is there")["value"])
}

/// The sum of column `of` of those rows that have `key` in column `by`.
fn sum_where(rows: &Value, by: usize, key: u64, of: usize) -> u64 {
    let rows = rows.as_array().expect("rows").iter();
    rows.filter(|row| row[by].as_u64() == Some(key)).map(|row| count(&row[of])).sum()
}

/// Everything that is said in several ways is said alike.
fn check_sums(measurement: &Measurement, data: &Value) {
    let summary = Summary::of(measurement);
    let (executed, total) = (figure(data, "executed"), figure(data, "total_cycles"));
    assert_eq!((executed, total), (summary.executed, summary.total_cycles));
    assert_eq!(sum(&data["code"]["executed"]), executed);
    assert_eq!(sum(&data["instructions"]["executed"]), executed);
    assert_eq!(
        data["tree"].as_array().unwrap().iter().map(|root| count(&root["executed"])).sum::<u64>(),
        executed
    );
    assert_eq!(sum(&data["functions"]["cycles"]), total);
    assert_eq!(sum(&data["functions"]["executed"]), executed);
    assert_eq!(sum(&data["instructions"]["cycles"]), sum(&data["code"]["cycles"]));
    for (number, executed) in data["instructions"]["executed"].as_array().unwrap().iter().enumerate() {
        let by_function = sum_where(&data["instructions"]["by_function"], 0, number as u64, 2);
        assert_eq!(by_function, count(executed), "instruction {number}");
    }
    for (number, resource) in data["resources"]["resources"].as_array().unwrap().iter().enumerate() {
        for column in 2..=4 {
            let by_instruction = sum_where(&data["resources"]["by_instruction"], 1, number as u64, column);
            assert_eq!(by_instruction, count(&resource[column]), "{resource}");
        }
    }
    let totals =
        data["resources"]["resources"].as_array().unwrap().iter().map(|row| count(&row[2])).sum::<u64>();
    assert_eq!(totals, figure(data, "reads"));
    let coverage = &data["coverage"];
    assert_eq!(count(&coverage["used"]) + count(&coverage["unused"]), count(&coverage["total"]));
    data["tree"].as_array().unwrap().iter().for_each(check_node);
}

/// No child was passed more often than its parent; own accesses sum up to those of the whole.
fn check_node(node: &Value) {
    let children = node["children"].as_array().cloned().unwrap_or_default();
    for child in &children {
        assert!(count(&child["executed"]) <= count(&node["executed"]), "{child}");
        check_node(child);
    }
}

#[test]
fn the_figures_of_a_run_are_those_of_its_measurement() {
    let measurement = support::measurement();
    let (_, data) = page_of(&profile_of(measurement.clone()), &no_program(), None);
    check_sums(&measurement, &data);
    let lost: u64 = data["time"]["lost"].as_array().unwrap().iter().map(|row| count(&row[4])).sum();
    assert_eq!(lost, figure(&data, "idle_cycles"));
    assert_eq!(data["time"]["stages"].as_array().unwrap().len(), measurement.tables.stages.len());
    let names = data["instructions"]["name"].as_array().unwrap();
    assert_eq!(names.len(), measurement.tables.instructions.len(), "all of the set, executed or not");
    let halt = names.iter().position(|name| name == "decode(halt())").unwrap();
    assert_eq!(count(&data["instructions"]["executed"][halt]), 0);
    let shown = data["tree"][0]["children"].as_array().unwrap();
    let order: Vec<&str> = shown.iter().map(|node| node["name"].as_str().unwrap()).collect();
    assert_eq!(order, ["sub", "inc", "add", "halt"], "what never ran stands where the model has it");
}

#[test]
fn what_is_missing_is_said_with_how_to_get_it() {
    let profile = profile_of(support::measurement());
    let texts = |data: &Value| data["gaps"].to_string();
    let (_, data) = page_of(&profile, &no_program(), None);
    for option in ["--image", "--calls", "--profile", "--model"] {
        assert!(texts(&data).contains(option), "{option}: {}", texts(&data));
    }
    let (_, data) = page_of(&profile, &no_program(), Some(&Description::default()));
    assert!(!texts(&data).contains("not at hand"));
}

fn hostile() -> Vec<String> {
    [
        "</script><script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "\u{2028}\u{2029}\"'\\&",
        "<!--",
        "\0\u{7f}",
    ]
    .map(str::to_owned)
    .into()
}

#[test]
fn no_name_becomes_markup() {
    let mut measurement = support::measurement();
    let plain = page_of(&profile_of(measurement.clone()), &no_program(), None).0;
    measurement.tables.model = hostile().concat();
    measurement.tables.resources = hostile();
    measurement.events = hostile().into_iter().map(|name| (name, 1)).collect();
    let mut profile = profile_of(measurement);
    profile.provenance.images =
        vec![sim_profile::ProgramImage { name: hostile().concat(), ..Default::default() }];
    let mut program = no_program();
    program.add_note(&hostile()[0], hostile()[1].clone());
    let (page, data) = page_of(&profile, &program, None);
    for mark in ["<script", "</script", "<img", "<!--"] {
        assert_eq!(page.matches(mark).count(), plain.matches(mark).count(), "{mark}");
    }
    assert_eq!(data["model"], hostile().concat());
    assert_eq!(data["resources"]["resources"][0][0], hostile()[0]);
    assert!(data["gaps"].to_string().contains("onerror"), "it is said, as text");
}

#[test]
fn functions_and_lines_of_a_program_are_joined_by_address() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../models/rv32im/programs/crc32.elf");
    let bytes = std::fs::read(path).expect("the guest is there");
    let program =
        Program::read(&[ImageFile { name: "crc32.elf", bytes: &bytes, base: None }], CodeCells::default());
    let main = program.functions().iter().find(|function| function.name == "main").expect("main").start;
    let mut measurement = Measurement::new(support::tables());
    measurement.tables.address_bits = 32;
    add_record(&mut measurement, main, 0, 7, 0);
    measurement.cycles = 7;
    let (_, data) = page_of(&profile_of(measurement.clone()), &program, None);
    check_sums(&measurement, &data);
    let function = data["code"]["function"][0].as_u64().unwrap() as usize;
    assert_eq!(data["functions"]["name"][function], "main");
    let line = data["code"]["line"][0].as_u64().unwrap() as usize;
    let row = program.row_at(main).unwrap();
    assert_eq!(data["lines"]["number"][line].as_u64(), Some(row.line.into()));
    let source = data["lines"]["source"][line].as_u64().unwrap() as usize;
    assert_eq!(data["sources"][source]["name"], program.source(row.source));
    assert_eq!(data["sources"][source]["text"], Value::Null, "nobody has read it");
    assert_eq!(count(&data["lines"]["executed"][line]), 7);
}

#[test]
fn operands_and_encodings_are_counted_once_for_each_execution() {
    let measurement = support::measurement();
    let (inc, add) = ("decode(inc())".to_owned(), "decode(add())".to_owned());
    let place =
        |name: &str| OperandPlace { name: name.to_owned(), values: vec!["ax".to_owned(), "bx".to_owned()] };
    let mut facts = Description::default();
    let space = |places: Vec<OperandPlace>| OperandSpace { places, impossible: Vec::new() };
    facts.operands.insert(inc.clone(), space(vec![place("target")]));
    facts.operands.insert(add.clone(), space(vec![place("target"), place("source")]));
    for (key, record) in &measurement.instructions {
        let named = |register: &str| OperandValue::Listed(usize::from(register == "bx"));
        let registers: Vec<OperandValue> =
            record.name.match_indices("reg(").map(|(at, _)| named(&record.name[at + 4..at + 6])).collect();
        let name = if record.name.contains("inc") { &inc } else { &add };
        if record.name.contains("inc") {
            facts.opcodes.insert(*key, vec![(0, 1)]);
        }
        if !record.name.contains("sub") {
            facts.chosen.insert(*key, vec![(name.clone(), registers)]);
        }
    }
    let path = ["inc"].map(str::to_owned).into();
    let row = EncodingRow { path, opcodes: vec![0, 1], ..EncodingRow::default() };
    let opcodes = ["0", "1"].map(|digit| (digit.to_owned(), "50.0000 %".to_owned())).into();
    facts.encodings.push(EncodingMap { rows: vec![row], opcodes, ..EncodingMap::default() });
    let (_, data) = page_of(&profile_of(measurement), &no_program(), Some(&facts));
    let view = &data["description"];
    for (number, executed) in [(1, 3), (2, 3)] {
        assert_eq!(count(&data["instructions"]["executed"][number]), executed);
        let operands = &view["operands"][number.to_string()];
        for place in operands["places"].as_array().unwrap() {
            assert_eq!(sum(&place["executed"]), executed, "{place}");
        }
        for pair in operands["pairs"].as_array().unwrap() {
            assert_eq!(pair[2].as_array().unwrap().iter().map(|cell| count(&cell[2])).sum::<u64>(), executed);
        }
    }
    // Of two values at each of three places all occurred, of four pairs three.
    assert_eq!(view["operand_values"], serde_json::json!([6, 6, "100.00"]));
    assert_eq!(view["operand_pairs"], serde_json::json!([3, 4, "75.00"]));
    assert_eq!(view["encodings"][0]["rows"][0][0], 1, "the row of an instruction leads to it");
    assert_eq!(count(&view["encodings"][0]["rows"][0][5]), 3);
    assert_eq!(count(&view["encodings"][0]["opcodes"][1][2]), 3, "the words have this opcode alone");
    assert_eq!(count(&view["encodings"][0]["opcodes"][0][2]), 0);
}

#[test]
fn a_program_of_a_hundred_thousand_instructions_is_a_page_of_some_megabytes() {
    let mut measurement = Measurement::new(support::tables());
    measurement.tables.address_bits = 32;
    for number in 0..100_000 {
        add_record(&mut measurement, 0x8000_0000 + number, number as usize, number, 0);
    }
    measurement.cycles = measurement.instructions.values().map(|record| record.executed).sum();
    let (page, data) = page_of(&profile_of(measurement.clone()), &no_program(), None);
    check_sums(&measurement, &data);
    assert!(page.len() < 8_000_000, "{} bytes", page.len());
}

const NAMES: [&str; 4] = [support::INC_AX, support::INC_BX, "decode(halt())", "decode(other(reg(ax())))"];

fn add_record(measurement: &mut Measurement, address: u64, name: usize, executed: u64, lost: u64) {
    let name = NAMES[name % NAMES.len()];
    let key = InstructionKey { address, word: Word::new(&[name.len() as u8]).unwrap() };
    let mut overhead = Overhead::default();
    overhead.add_lost(LostCause { reason: LostReason::Stall, operation: 1, stage: 1 }, lost);
    let record =
        InstructionRecord { name: name.to_owned(), size_cells: 1, executed, overhead, ..Default::default() };
    measurement.instructions.insert(key, record);
}

fn measurements() -> impl Strategy<Value = Measurement> {
    let access = prop_oneof![Just(AccessEvent::Read), Just(AccessEvent::Write), Just(AccessEvent::Execute)];
    let accesses = prop::collection::vec((0..2_u32, 0..3_u32, access), 0..4);
    let row = (0..40_u64, 0..NAMES.len(), 0..1_000_000_u64, 0..50_u64, accesses);
    prop::collection::vec(row, 0..24).prop_map(|rows| {
        let mut measurement = Measurement::new(support::tables());
        for (address, name, executed, lost, touched) in rows {
            add_record(&mut measurement, address, name, executed, lost);
            let key = InstructionKey { address, word: Word::new(&[NAMES[name].len() as u8]).unwrap() };
            let record = measurement.instructions.get_mut(&key).expect("it was added");
            let mut accesses: BTreeMap<(u32, u32), Accesses> = BTreeMap::new();
            for (node, resource, kind) in touched.into_iter().filter(|_| executed > 0) {
                accesses.entry((node, resource)).or_default().add_one(kind);
            }
            record.accesses = accesses;
        }
        let cost = |record: &InstructionRecord| record.executed + record.overhead.lost_cycles();
        measurement.cycles = measurement.instructions.values().map(cost).sum();
        measurement
    })
}

proptest! {
    #[test]
    fn all_sums_agree(measurement in measurements()) {
        measurement.validate().expect("it is a measurement");
        let profile = profile_of(measurement.clone());
        let (page, data) = page_of(&profile, &no_program(), None);
        check_sums(&measurement, &data);
        let lost: u64 = data["time"]["lost"].as_array().unwrap().iter().map(|row| count(&row[4])).sum();
        prop_assert_eq!(lost, sum(&data["code"]["lost"]));
        prop_assert_eq!(page_of(&profile, &no_program(), None).0, page, "the same to the byte");
    }
}
