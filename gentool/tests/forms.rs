//! Which form of a simulator descriptions of instructions in flight take: what tests hold equal is
//! of both forms.

mod cases;

use std::collections::BTreeMap;
use std::path::PathBuf;

use cases::model;
use gentool::emit::{Shape, emit_modules, find_timed_obstacles};
use gentool::lower::lower_model;
use isac_ir::Model;
use isac_parser::diagnostic::Diagnostics;
use isac_parser::load_model;
use isac_parser::source::{InMemory, SourceMap};

#[test]
fn pipelines_without_obstacles_run_in_turns() {
    for path in [
        "models/rv32im5/rv32im5.isac",
        "tests/time/gate.isac",
        "tests/time/cancel.isac",
        "tests/time/units.isac",
        "tests/time/early.isac",
        "tests/time/cells.isac",
    ] {
        let model = model(path);
        assert_eq!(find_timed_obstacles(&model), [""; 0], "{path}");
        assert_eq!(Shape::of(&model), Shape::Timed, "{path}");
    }
}

#[test]
fn others_run_on_the_wheel() {
    for path in ["tests/time/five.isac", "tests/time/dcache.isac", "models/timing-demo/timing-demo.isac"] {
        assert_eq!(Shape::of(&model(path)), Shape::Stepwise, "{path}");
    }
}

fn described(text: &str) -> Model {
    let file = PathBuf::from("model.isac");
    let loader = InMemory::new([(file.clone(), text.to_string())]);
    let (mut sources, mut findings) = (SourceMap::new(), Diagnostics::new());
    let checked = load_model(&file, &loader, &BTreeMap::new(), &mut sources, &mut findings);
    lower_model(&checked.unwrap_or_else(|| panic!("{findings:?}")), &sources, "model")
}

#[test]
fn what_a_turn_has_activated_is_not_known_to_it() {
    let text = "RESOURCE { PC REGISTER bit[8] pc; REGISTER bit[8] ir, ir_pc, done, seen; RAM bit[8] ram { SIZE (0x80); };
        MEMORY_MAP defaultmap { RANGE (0, 0x7f) -> ram; };
        PIPELINE pipe { FE { ir, ir_pc }; DC { }; EX { }; }; PIPELINE other { S0 { }; }; };
        OPERATION main { ACTIVATION { fetch; }; };
        OPERATION fetch IN pipe.FE { BEHAVIOR { ir_pc = pc; ir = defaultmap.fetch8[pc]; pc = pc + 1; }; ACTIVATION { decode; }; };
        OPERATION decode IN pipe.DC { INSTANCE instr ALIAS { i }; CODINGROOT { i (ir AT ir_pc); }; };
        GROUP instr = pair, stop;
        OPERATION pair { INSTANCE one ALIAS { a }; INSTANCE two ALIAS { b }; CODING { 0b0000 a b }; };
        GROUP one = launch, skip;
        OPERATION launch { CODING { 0b01 }; ACTIVATION { unit; }; };
        OPERATION skip { CODING { 0b00 }; };
        GROUP two = ask, none;
        OPERATION ask { CODING { 0b01 }; BEHAVIOR { seen = other.busy(S0); }; };
        OPERATION none { CODING { 0b00 }; };
        OPERATION unit IN other.S0 { BEHAVIOR { done = done + 1; }; };
        OPERATION stop IN pipe.EX { CODING { 0b11111111 }; BEHAVIOR { halt(seen); }; };";
    let found = find_timed_obstacles(&described(text));
    assert_eq!(found, ["model.isac:13: `busy` behind an ACTIVATION of the same turn"]);
}

/// How often the emitted code of a behavior asks for a branch, in a pipeline and without one.
fn kept_branches(behavior: &str) -> [usize; 2] {
    let pipeline = "PIPELINE pipe { FE { ir, ir_pc }; DC { }; EX { }; };";
    let in_flight = "OPERATION main { ACTIVATION { fetch; }; };
        OPERATION fetch IN pipe.FE { BEHAVIOR { ir_pc = pc; ir = defaultmap.fetch8[pc]; pc = pc + 1; }; ACTIVATION { decode; }; };
        OPERATION decode IN pipe.DC { INSTANCE instr ALIAS { i }; CODINGROOT { i (ir AT ir_pc); }; };";
    let alone = "OPERATION main { INSTANCE instr ALIAS { i }; CODINGROOT { i (ir AT ir_pc); };
        BEHAVIOR { ir_pc = pc; ir = defaultmap.fetch8[pc]; pc = pc + 1; i; }; };";
    [(pipeline, in_flight, "IN pipe.EX"), ("", alone, "")].map(|(pipeline, main, stage)| {
        let model = described(&format!(
            "RESOURCE {{ PC REGISTER bit[8] pc; REGISTER bit[8] ir, ir_pc, held, value, got; REGISTER bit[8] r[16];
                RAM bit[8] ram {{ SIZE (0x80); }}; MEMORY_MAP defaultmap {{ RANGE (0, 0x7f) -> ram; }}; {pipeline} }};
            FUNCTION bit[8] near(bit[4] n) {{ if (n == held) return value; return r[n]; }}
            {main}
            GROUP instr = work, stop;
            OPERATION work {stage} {{ CODING {{ 0b0001 n=0bx[4] }}; BEHAVIOR {{ {behavior} }}; }};
            OPERATION stop {stage} {{ CODING {{ 0b11111111 }}; BEHAVIOR {{ halt(0); }}; }};"
        ));
        emit_modules(&model).iter().map(|module| module.text.matches("keep_branch();").count()).sum()
    })
}

#[test]
fn a_choice_of_where_a_value_comes_from_stays_a_branch_in_a_pipeline() {
    for behavior in [
        "got = near(n);",
        "got = n == held ? value : r[n];",
        "bit[8] a = value; if (n == held) a = r[n]; got = a;",
    ] {
        assert_eq!(kept_branches(behavior), [1, 0], "{behavior}");
    }
    for behavior in [
        "got = n == held ? value : held;",
        "got = n == held ? r[3] : held;",
        "if (n == held) r[n] = value; else r[n] = held;",
        "got = n == held && value != 3;",
    ] {
        assert_eq!(kept_branches(behavior), [0, 0], "{behavior}");
    }
}

#[test]
fn the_first_label_of_a_long_switch_is_tested_by_itself_in_a_pipeline() {
    let switch = |labels: u32| {
        let cases: String = (1..labels).map(|label| format!("case {label}: got = n; break;")).collect();
        format!("switch (held) {{ case 0: return; {cases} }}")
    };
    assert_eq!(kept_branches(&switch(4)), [1, 0]);
    assert_eq!(kept_branches(&switch(9)), [1, 0]);
    assert_eq!(kept_branches(&switch(3)), [0, 0]);
}
