//! What tells words apart and what follows them: cases computed by hand, on every engine.

mod ins {
    pub(crate) mod case;
    pub(crate) mod compare;
    pub(crate) mod place;
}
mod support;

use ins::case::read_case;
use ins::compare::compare;
use support::{ENGINES, Simulator, path, simulator};

/// Runs the cases of `tests/models/cases/NAME.ins` on every engine; `lines` is how many there are.
fn check_cases(simulator: &Simulator, lines: usize) {
    let name = simulator.name;
    let text = std::fs::read_to_string(path(&format!("tests/models/cases/{name}.ins"))).expect("cases");
    let model = (simulator.model)();
    let (mut wrong, mut count) = (Vec::new(), 0);
    for (line, number) in text.lines().zip(1..) {
        let case = read_case(line, model).unwrap_or_else(|error| panic!("{name}.ins:{number}: {error}"));
        let Some(case) = case else { continue };
        count += 1;
        for kind in ENGINES {
            let found = compare(&case, simulator.engine(kind).as_mut(), model);
            wrong.extend(found.into_iter().map(|found| format!("{name}.ins:{number}: {kind:?}: {found}")));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(count, lines, "cases of {name}");
}

#[test]
fn conditions_and_widths_decide_on_every_engine() {
    check_cases(&simulator!(decoding, decoding_stepwise), 20);
}

#[test]
fn words_behind_the_instruction_are_its_own_on_every_engine() {
    check_cases(&simulator!(tails, tails_stepwise), 13);
}
