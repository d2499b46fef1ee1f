//! Section BEHAVIOR against a C compiler: random statements, once as a description and once as C.
//!
//! The same trees are printed in both languages, so that the host's `cc` says what they mean: its
//! own types, conversions, promotions of bit-fields and `printf`. What C leaves open is spelled
//! out in the C text as the manual defines it. Engines and compiler have to end every operation in
//! the same state, with the same output. Without `cc` a line says so and the engines are held
//! against each other alone.
//!
//! An everyday run takes the reference engine and, for a few statements, the simulators that
//! `build.rs` generates. `ISAC_DIFFERENTIAL_C_CASES` is another number of cases. With
//! `ISAC_DIFFERENTIAL_C_EMIT` a simulator is generated and built for each batch, in one form or
//! the other, and takes part as well:
//!
//! ```text
//! ISAC_DIFFERENTIAL_C_CASES=100000 ISAC_DIFFERENTIAL_C_EMIT=1 cargo test --test differential_c
//! ```
//!
//! `ISAC_DIFFERENTIAL_C_SEED` is the first batch's seed. A failure prints its seed and the
//! statements that are needed for it.

mod differential_c {
    pub(crate) mod batch;
    pub(crate) mod c_text;
    pub(crate) mod description_text;
    pub(crate) mod generate;
    pub(crate) mod peer;
    pub(crate) mod runner;
    pub(crate) mod tree;
}
mod support;

use std::path::Path;

use differential_c::batch::{Batch, CASES};
use differential_c::peer::{has_c_compiler, model, run_c, run_emitted, run_reference};
use differential_c::runner;
use gentool::emit::Shape;
use isac::simulators::{statements, statements_stepwise};
use isac_ir::Model;
use sim_runtime::Engine;
use support::setting::setting;

/// Cases of an everyday run.
const EVERYDAY: usize = 4_000;
/// Operations in a batch.
const OPERATIONS: usize = 125;

/// The first operation whose state differs, with what both say.
fn first_difference(expected: &str, found: &str) -> Option<(usize, String)> {
    if expected == found {
        return None;
    }
    let mut operation = 0;
    for (left, right) in expected.lines().zip(found.lines()) {
        if let Some(number) = left.strip_prefix('c').and_then(|rest| rest.parse().ok()) {
            operation = number;
        }
        if left != right {
            return Some((operation, format!("- {left}\n+ {right}")));
        }
    }
    Some((operation, "one of them ends early".to_owned()))
}

/// Two lines, shortened to the words that differ.
fn differing_words(lines: &str) -> String {
    let Some((left, right)) = lines.split_once('\n') else { return lines.to_owned() };
    let words = left.split(' ').zip(right.split(' ')).enumerate().filter(|(_, (left, right))| left != right);
    words.skip(1).map(|(index, (left, right))| format!("word {index}: {left} {right}\n")).collect()
}

/// Where compiler and reference engine differ.
fn compare(batch: &Batch, folder: &Path) -> Result<Option<(usize, String)>, String> {
    let expected = run_c(batch, folder)?;
    let found = run_reference(&model(batch, folder)?, batch);
    Ok(first_difference(&expected, &found))
}

/// Where a simulator that is generated for the batch and the reference engine differ.
fn compare_emitted(batch: &Batch, seed: usize, folder: &Path) -> Result<Option<(usize, String)>, String> {
    let model = model(batch, folder)?;
    let shape = if seed.is_multiple_of(2) { Shape::Blocks } else { Shape::Stepwise };
    let found = run_emitted(&model, batch, shape, folder)?;
    Ok(first_difference(&run_reference(&model, batch), &found))
}

/// Drops statements as long as a difference remains, and tells what is left.
fn explain(batch: &Batch, operation: usize, folder: &Path) -> String {
    let mut without = Vec::new();
    let mut difference = String::from("differs only behind the other operations");
    for index in (0..batch.operations()[operation].body.len()).rev() {
        without.push(index);
        match compare(&batch.shortened(operation, &without), folder) {
            Ok(Some((_, found))) => difference = found,
            _ => drop(without.pop()),
        }
    }
    let text = batch.shortened(operation, &without).description();
    let body = &text[text.find("OPERATION c0").unwrap_or(0)..];
    let functions = text.split("FUNCTION").filter(|function| {
        let name = function.split(['(', ' ']).find(|word| word.starts_with("fn"));
        name.is_some_and(|name| text.matches(&format!("{name}(")).count() > 1)
    });
    let functions: String = functions.map(|function| format!("FUNCTION{function}")).collect();
    let functions = functions.split("OPERATION c0").next().unwrap_or_default();
    format!("{functions}{body}\n(- is C)\n{}", differing_words(&difference))
}

#[test]
fn random_statements_mean_what_they_mean_in_c() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let has_compiler = has_c_compiler(folder.path());
    if !has_compiler {
        println!("note: there is no `cc` with 128-bit integers; nothing is compared with C");
    }
    let emits = std::env::var_os("ISAC_DIFFERENTIAL_C_EMIT").is_some();
    let cases = setting("ISAC_DIFFERENTIAL_C_CASES", EVERYDAY);
    let first = setting("ISAC_DIFFERENTIAL_C_SEED", 1);
    for seed in first..first + cases.div_ceil(OPERATIONS * CASES) {
        let batch = Batch::new(seed as u64, OPERATIONS);
        let outcome = if has_compiler { compare(&batch, folder.path()) } else { Ok(None) };
        if let Some((operation, difference)) = outcome.unwrap_or_else(|message| panic!("{message}")) {
            let explained = explain(&batch, operation, folder.path());
            panic!("seed {seed}, operation c{operation}:\n{difference}\n{explained}");
        }
        let outcome = if emits { compare_emitted(&batch, seed, folder.path()) } else { Ok(None) };
        if let Some((operation, difference)) = outcome.unwrap_or_else(|message| panic!("{message}")) {
            let alone = batch.shortened(operation, &[]).description();
            let alone = &alone[alone.find("FUNCTION").unwrap_or(0)..];
            panic!("seed {seed}, operation c{operation} of the simulator (+):\n{difference}\n{alone}");
        }
    }
}

#[test]
fn generated_simulators_run_random_statements_as_the_reference_does() {
    type Simulator = (u64, fn() -> &'static Model, fn(bool) -> Box<dyn Engine>);
    let simulators: [Simulator; 2] = [
        (1_000_001, statements::model, statements::engine),
        (1_000_002, statements_stepwise::model, statements_stepwise::engine),
    ];
    for (seed, model, engine) in simulators {
        let batch = Batch::new(seed, model().groups[0].members.len());
        let expected = run_reference(model(), &batch);
        for profiles in [true, false] {
            let found = runner::run(&|| engine(profiles), model(), &batch.words());
            assert_eq!(first_difference(&expected, &found), None, "seed {seed}");
        }
    }
}
