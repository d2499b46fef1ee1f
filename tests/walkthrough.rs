//! The steps of `docs/pipelines.md` run its program in the cycles that it says.

mod support;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use gentool::lower::lower_model;
use isac_ir::Model;
use isac_parser::diagnostic::{Diagnostics, Style};
use isac_parser::load_model;
use isac_parser::source::{InMemory, SourceMap};
use sim_runtime::host::Host;
use sim_runtime::reference::ReferenceEngine;
use sim_runtime::{Engine, Stop};

fn lower(text: &str) -> Model {
    let loader = InMemory::new([("step.isac", text)]);
    let (mut sources, mut findings) = (SourceMap::new(), Diagnostics::new());
    let checked = load_model(Path::new("step.isac"), &loader, &BTreeMap::new(), &mut sources, &mut findings);
    assert!(findings.is_empty(), "{}", findings.render(&sources, Style::Plain));
    lower_model(&checked.expect("the description is sound"), &sources, "step")
}

/// The cells of the rows of a document's tables.
fn rows(document: &str) -> impl Iterator<Item = Vec<&str>> {
    let rows = document.lines().filter_map(|line| line.strip_prefix("| ")?.strip_suffix(" |"));
    rows.map(|row| row.split(" | ").collect())
}

/// The program's words, in the order of their addresses.
fn program(document: &str) -> Vec<u8> {
    let words = rows(document).filter_map(|cells| {
        let word = cells.get(2)?.strip_prefix("`0x")?.strip_suffix('`')?;
        Some(u16::from_str_radix(word, 16).expect("a word of the table"))
    });
    words.flat_map(u16::to_le_bytes).collect()
}

#[test]
fn every_step_takes_the_cycles_that_it_is_said_to_take() {
    let document = fs::read_to_string(support::path("docs/pipelines.md")).expect("the document is there");
    let program = program(&document);
    assert_eq!(program.len(), 14, "the program is found");
    let steps = document.split("```isac\n").skip(1);
    let steps = steps.map(|rest| rest.split("```").next().expect("a block ends"));
    let mut cycles = Vec::new();
    for step in steps {
        let model = lower(step);
        let mut engine = ReferenceEngine::new(&model);
        engine.machine().write_bytes(0, 0, &program).expect("the program lies in memory");
        assert_eq!(engine.run(&mut Host::default(), 1000), Stop::Halted(20));
        assert_eq!(engine.instructions(), 19);
        cycles.push(engine.cycles().to_string());
    }
    let claimed = rows(&document).filter(|cells| cells.len() == 3 && !cells[2].contains('`'));
    let claimed = claimed.filter(|cells| cells[0].parse::<u32>().is_ok());
    let claimed: Vec<String> = claimed.map(|cells| cells[1].to_owned()).collect();
    assert_eq!(cycles, claimed);
    assert_eq!(cycles.len(), 5, "all steps are there");
}
