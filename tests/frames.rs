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
use support::{ENGINES, Simulator, path, simulator};

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
fn a_coding_root_decodes_as_words_and_registers_say() {
    check_cases(simulator!(root, root_stepwise), 17);
}

#[test]
fn a_coding_root_decodes_what_values_hold() {
    check_cases(simulator!(root_values, root_values_stepwise), 16);
}
