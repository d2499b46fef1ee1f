//! The instruction set as a list of test cases, for programs that show those.

use serde::Serialize;

use crate::Measurement;
use crate::coverage::Exclusions;
use crate::spent::spent_by_instruction;
use crate::text::sanitize;

#[derive(Serialize)]
struct Suites {
    testsuite: Suite,
}

#[derive(Serialize)]
struct Suite {
    #[serde(rename = "@name")]
    name: String,
    #[serde(rename = "@tests")]
    tests: usize,
    #[serde(rename = "@failures")]
    failures: usize,
    #[serde(rename = "@skipped")]
    skipped: usize,
    testcase: Vec<Case>,
}

#[derive(Serialize)]
struct Case {
    #[serde(rename = "@classname")]
    classname: String,
    #[serde(rename = "@name")]
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    failure: Option<Outcome>,
    #[serde(skip_serializing_if = "Option::is_none")]
    skipped: Option<Outcome>,
}

#[derive(Serialize)]
struct Outcome {
    #[serde(rename = "@message")]
    message: String,
}

/// A case for each instruction of the set, in the model's order: one that was never executed has
/// failed, and one of these that is excluded, for a reason, is skipped.
pub fn render_junit(measurement: &Measurement, excluded: &Exclusions) -> String {
    let spent = spent_by_instruction(measurement);
    let case_of = |name: &String| {
        let was_executed = spent.get(name).is_some_and(|spent| spent.executed > 0);
        let outcome = |message: &str| Some(Outcome { message: sanitize(message) });
        let (failure, skipped) = match (was_executed, excluded.get(name)) {
            (true, _) => (None, None),
            (false, Some(reason)) => (None, outcome(reason)),
            (false, None) => (outcome("never executed"), None),
        };
        let names: Vec<&str> = name.split(['(', ')']).filter(|name| !name.is_empty()).collect();
        let (last, around) = names.split_last().unwrap_or((&"", &[]));
        Case { classname: sanitize(&around.join(".")), name: sanitize(last), failure, skipped }
    };
    let cases: Vec<Case> = measurement.tables.instructions.iter().map(case_of).collect();
    let suite = Suite {
        name: sanitize(&measurement.tables.model),
        tests: cases.len(),
        failures: cases.iter().filter(|case| case.failure.is_some()).count(),
        skipped: cases.iter().filter(|case| case.skipped.is_some()).count(),
        testcase: cases,
    };
    super::render_element("testsuites", &Suites { testsuite: suite })
}
