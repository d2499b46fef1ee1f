//! Which form of a simulator descriptions of instructions in flight take: what tests hold equal is
//! of both forms.

mod cases;

use std::collections::BTreeMap;
use std::path::PathBuf;

use cases::model;
use gentool::emit::{Shape, find_timed_obstacles};
use gentool::lower::lower_model;
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
    let file = PathBuf::from("model.isac");
    let loader = InMemory::new([(file.clone(), text.to_string())]);
    let (mut sources, mut findings) = (SourceMap::new(), Diagnostics::new());
    let checked = load_model(&file, &loader, &BTreeMap::new(), &mut sources, &mut findings);
    let model = lower_model(&checked.expect("the model is sound"), &sources, "model");
    let found = find_timed_obstacles(&model);
    assert_eq!(found, ["model.isac:13: `busy` behind an ACTIVATION of the same turn"]);
}
