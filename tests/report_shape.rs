//! The XML report of runs that really took place: its elements, its sums, its schema.

#[path = "../sim-profile/tests/schema/mod.rs"]
mod schema;
mod support;

use std::fs;

use schema::{Element, Schema, check_by_xmllint};
use support::launch::Guest;
use support::{EngineKind, RV32IM, Simulator, TINY8, path};

/// A report, and the instructions that have ended.
fn run(simulator: &Simulator, guest: &Guest) -> (String, u64) {
    let mut engine = simulator.engine(EngineKind::Emitted);
    let left = guest.run(simulator, engine.as_mut());
    (left.report.expect("the engine profiles"), left.instructions)
}

/// The one element at the end of a path.
fn at<'a>(root: &'a Element, names: &'a str) -> &'a Element {
    names.split('/').fold(root, |element, name| {
        let mut found = element.children_named(name);
        let only = found.next().unwrap_or_else(|| panic!("{} has no {name}", element.name));
        assert!(found.next().is_none(), "{} has several {name}", element.name);
        only
    })
}

fn number(element: &Element, name: &str) -> u64 {
    at(element, name).text.parse().unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Elements and sums that hold in the report of any run.
fn check(simulator: &Simulator, guest: &Guest) {
    let (report, instructions) = run(simulator, guest);
    let root = Element::read(&report);
    assert_eq!((root.name.as_str(), root.attributes["model"].as_str()), ("profiler", simulator.name));

    let roots: Vec<&Element> = at(&root, "resource_usage/operations").children_named("operation").collect();
    assert!(!roots.is_empty(), "something was executed");
    assert_eq!(roots.iter().map(|node| number(node, "executed")).sum::<u64>(), instructions);
    let mut own = [0; 2];
    roots.iter().for_each(|node| check_operation(node, &mut own));
    let sum = |name| roots.iter().map(|node| number(node, name)).sum::<u64>();
    assert_eq!(own, [sum("reads"), sum("writes")], "own figures add up to the roots'");

    let coverage = at(&root, "coverage/instructionset");
    let (used, total) = (number(coverage, "used"), number(coverage, "total"));
    assert!(0 < used && used <= total);
    assert_eq!(total, (simulator.model)().instructions.len() as u64);
    assert_eq!(at(coverage, "percent").text, percent(used, total));

    let executions = at(&root, "executions").children_named("execution");
    let counts: Vec<u64> = executions
        .map(|execution| {
            assert!(at(execution, "address").text.starts_with("0x"));
            number(execution, "count")
        })
        .collect();
    assert_eq!(counts.iter().sum::<u64>(), instructions, "executions add up");
    assert_eq!(number(at(&root, "summary"), "executed"), instructions);
}

/// Percent with two decimals, rounded down.
fn percent(used: u64, total: u64) -> String {
    let hundredths = used * 10_000 / total;
    format!("{}.{:02}", hundredths / 100, hundredths % 100)
}

/// Every operation has all its parts; its resources add up to its figures.
fn check_operation(operation: &Element, own: &mut [u64; 2]) {
    let name = &at(operation, "name").text;
    let mut sums = [0; 2];
    for resource in at(operation, "resources").children_named("resource") {
        assert!(!at(resource, "name").text.is_empty());
        sums[0] += number(resource, "reads");
        sums[1] += number(resource, "writes");
        number(resource, "executes");
    }
    assert_eq!(sums, [number(operation, "reads"), number(operation, "writes")], "resources of {name}");
    assert!(number(operation, "executed") > 0, "{name}");
    for (sum, attribute) in own.iter_mut().zip(["own_reads", "own_writes"]) {
        *sum += operation.attributes[attribute].parse::<u64>().expect("a count");
    }
    operation.children_named("operation").for_each(|child| check_operation(child, own));
}

const SUM: Guest = Guest::new("models/tiny8/programs/sum.bin");
const FAULTING: Guest = Guest::new("models/rv32im/programs/faults/unmapped_read.elf");
const MODIFYING: Guest = Guest::new("models/rv32im/programs/faults/selfmodify.elf");
const LIMITED: Guest =
    Guest { options: &["--limit-instructions", "30K"], ..Guest::new("models/rv32im/programs/bytecode.elf") };

#[test]
fn a_report_has_the_elements_of_the_document_and_adds_up() {
    check(&TINY8, &SUM);
    check(&RV32IM, &FAULTING);
    check(&RV32IM, &MODIFYING);
    check(&RV32IM, &LIMITED);
}

#[test]
fn a_report_follows_the_schema() {
    let schema_path = path("docs/report.xsd");
    let schema = Schema::read(&fs::read_to_string(&schema_path).expect("the schema is there"));
    for (simulator, guest) in
        [(&TINY8, &SUM), (&RV32IM, &FAULTING), (&RV32IM, &MODIFYING), (&RV32IM, &LIMITED)]
    {
        let (report, _) = run(simulator, guest);
        schema.check(&Element::read(&report), "profiler");
        check_by_xmllint(&report, &schema_path);
    }
}

#[test]
fn a_fault_is_counted_as_a_fault_and_not_as_an_execution() {
    let (report, instructions) = run(&RV32IM, &FAULTING);
    let summary = Element::read(&report);
    let summary = at(&summary, "summary");
    assert_eq!((number(summary, "executed"), number(summary, "faulted")), (instructions, 1));
    assert_eq!(number(summary, "cycles"), instructions + 1);
}

#[test]
fn code_that_changed_is_reported_under_each_of_its_words() {
    let (report, _) = run(&RV32IM, &MODIFYING);
    let root = Element::read(&report);
    let mut words = std::collections::BTreeMap::<&str, u64>::new();
    for instruction in at(&root, "instructions").children_named("instruction") {
        *words.entry(&at(instruction, "address").text).or_default() += 1;
    }
    assert_eq!(words.values().filter(|count| **count == 2).count(), 1, "`behind` ran in two forms");
}

#[test]
fn the_whole_report_of_a_few_instructions() {
    let guest = Guest { options: &["--limit-instructions", "3"], ..SUM };
    for kind in [EngineKind::Reference, EngineKind::Emitted] {
        let mut engine = TINY8.engine(kind);
        let report = guest.run(&TINY8, engine.as_mut()).report.expect("the engine profiles");
        insta::with_settings!({ snapshot_path => "snapshots", prepend_module_to_snapshot => false, omit_expression => true }, {
            insta::assert_snapshot!("report_of_three_instructions", report);
        });
    }
}
