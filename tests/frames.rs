//! LOCALs, REFERENCEs, operands that do something, CODINGROOTs of any form: cases computed by hand.

mod ins {
    pub(crate) mod case;
    pub(crate) mod compare;
    pub(crate) mod place;
}
mod support;

use std::collections::BTreeMap;
use std::fs;

use gentool::lower::lower_model;
use ins::case::read_case;
use ins::compare::compare;
use isac_ir::Model;
use isac_ir::verify::verify_model;
use isac_parser::diagnostic::{Diagnostics, Style};
use isac_parser::load_model;
use isac_parser::source::{FileSystem, SourceMap};
use sim_runtime::Stop;
use sim_runtime::host::Host;
use support::{ENGINES, EngineKind, Simulator, path, simulator};

/// Lowers a description of `tests/models`, which has to be sound and free of warnings.
fn lower(name: &str) -> Model {
    let description = path(&format!("tests/models/{name}.isac"));
    let (mut sources, mut findings) = (SourceMap::new(), Diagnostics::new());
    let checked = load_model(&description, &FileSystem, &BTreeMap::new(), &mut sources, &mut findings);
    assert!(findings.is_empty(), "{}", findings.render(&sources, Style::Plain));
    let model = lower_model(&checked.expect("the description is sound"), &sources, name);
    verify_model(&model).expect("lowering keeps its promises");
    model
}

/// Runs the cases of `tests/models/NAME.ins`; `lines` is how many there are.
fn check_cases(simulator: Simulator, lines: usize) {
    let name = simulator.name;
    let model = lower(name);
    let text =
        fs::read_to_string(path(&format!("tests/models/cases/{name}.ins"))).expect("the model has cases");
    let (mut wrong, mut count) = (Vec::new(), 0);
    for (line, number) in text.lines().zip(1..) {
        let case = match read_case(line, &model) {
            Ok(Some(case)) => case,
            Ok(None) => continue,
            Err(error) => panic!("{name}.ins:{number}: {error}"),
        };
        count += 1;
        for kind in ENGINES {
            let found = compare(&case, simulator.engine(kind).as_mut(), &model);
            wrong.extend(found.into_iter().map(|found| format!("{name}.ins:{number}: {kind:?}: {found}")));
        }
    }
    assert!(wrong.is_empty(), "{} mismatches:\n{}", wrong.len(), wrong.join("\n"));
    assert_eq!(count, lines, "cases of {name}");
}

#[test]
fn every_execution_has_its_own_locals() {
    check_cases(simulator!(locals, locals_stepwise), 15);
}

#[test]
fn references_lead_to_what_is_above() {
    check_cases(simulator!(modes, modes_stepwise), 14);
}

#[test]
fn what_one_mention_reads_and_writes_is_found_once() {
    check_cases(simulator!(places, places_stepwise), 24);
}

/// Reads and writes of a resource, by name.
type Counts = (&'static str, u64, u64);

#[test]
fn a_mention_is_one_read_and_one_write_at_most() {
    let model = lower("places");
    let names = model.resource_names();
    let cases: [(u16, &[Counts]); 6] = [
        // add +x1, x2: the FUNCTION once; the place read and written.
        (0x1242, &[("x", 2, 1), ("calls", 1, 1)]),
        // add (x1)+, x2: three reads of x and a write by `pop`.
        (0x1442, &[("x", 3, 1), ("defaultmap", 1, 1)]),
        // low half w1, x2, and low (x1)+, x2: a part is written and nothing is read.
        (0x2642, &[("x", 1, 0), ("w", 0, 1), ("calls", 1, 1)]),
        (0x2442, &[("x", 3, 1), ("defaultmap", 0, 1)]),
        // up +x1
        (0xb240, &[("x", 1, 1), ("calls", 1, 1), ("last", 0, 1)]),
        // twice +x1, x2: two mentions of the first.
        (0x8242, &[("x", 2, 1), ("calls", 2, 2)]),
    ];
    for (word, expected) in cases {
        let mut engine = simulator!(places, places_stepwise).engine(EngineKind::Reference);
        engine.machine().write_bytes(0, 0, &word.to_le_bytes()).expect("there is memory");
        assert_eq!(engine.run(&mut Host::default(), 1), Stop::Budget, "{word:#x}");
        let measurement = engine.measurement().expect("the engine profiles");
        let mut found: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
        for record in measurement.instructions.values() {
            for ((_, resource), accesses) in &record.accesses {
                let entry = found.entry(&names[*resource as usize]).or_default();
                *entry = (entry.0 + accesses.reads, entry.1 + accesses.writes);
            }
        }
        // The PC is read for the fetch, read and written for its step; a fetch is no read.
        let pc = [("pc", 2, 1)];
        let mut expected: BTreeMap<&str, (u64, u64)> =
            expected.iter().chain(&pc).map(|(name, reads, writes)| (*name, (*reads, *writes))).collect();
        expected.entry("defaultmap").or_default();
        assert_eq!(found, expected, "{word:#x}");
    }
}

#[test]
fn what_a_reference_stands_for_is_found_once() {
    check_cases(simulator!(shared, shared_stepwise), 15);
}

#[test]
fn a_coding_root_decodes_as_words_and_registers_say() {
    check_cases(simulator!(root, root_stepwise), 17);
}

#[test]
fn a_coding_root_decodes_what_values_hold() {
    check_cases(simulator!(root_values, root_values_stepwise), 17);
}

#[test]
fn what_is_taken_from_below_refers_to_what_decoded_it() {
    check_cases(simulator!(taken, taken_stepwise), 16);
}
