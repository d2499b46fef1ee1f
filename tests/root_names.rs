//! CODINGROOTs of several elements, with SWITCH and IF, from maps and from values: names, coverage,
//! state, on every engine that can run them.

use std::collections::BTreeMap;
use std::path::Path;

use gentool::lower::lower_model;
use isac_ir::Model;
use isac_ir::verify::verify_model;
use isac_parser::diagnostic::{Diagnostics, Style};
use isac_parser::load_model;
use isac_parser::source::{InMemory, SourceMap};
use sim_profile::coverage::Coverage;
use sim_profile::tree::InstructionTree;
use sim_profile::{InstructionRecord, Measurement};
use sim_runtime::Stop;
use sim_runtime::engine::Engine;
use sim_runtime::host::Host;
use sim_runtime::reference::ReferenceEngine;

/// Resources, and operations to decode: one byte each.
const FRAME: &str = "
RESOURCE {
    PC REGISTER bit[8] pc;
    REGISTER bit[8] a, ir, at, mode, log[4];
    RAM bit[8] ram { SIZE (256); };
    MEMORY_MAP m { RANGE (0, 255) -> ram; };
};
OPERATION main { ACTIVATION { decode; }; };
GROUP op1 = one, two, g_more;
GROUP g_more = three, stop;
OPERATION one   { CODING { 0b0001 n=0bx[4] }; BEHAVIOR { log[0] = log[0] + n; }; };
OPERATION two   { CODING { 0b0010 n=0bx[4] }; BEHAVIOR { log[0] = log[0] + 16; }; };
OPERATION three { CODING { 0b0011 n=0bx[4] }; };
OPERATION stop  { CODING { 0b1111 n=0bx[4] }; BEHAVIOR { halt(n); }; };
GROUP op2 = up, down;
OPERATION up   { CODING { 0b1 n=0bx[7] }; BEHAVIOR { log[1] = log[1] + n; }; };
OPERATION down { CODING { 0b0 n=0bx[7] }; BEHAVIOR { log[1] = log[1] - n; }; };
GROUP op3 = left, right;
OPERATION left  { CODING { 0b0 n=0bx[7] }; BEHAVIOR { log[2] = n; }; };
OPERATION right { CODING { 0b1 n=0bx[7] }; BEHAVIOR { log[3] = n; }; };
";

fn load(decode: &str) -> Model {
    let text = format!("{FRAME}{decode}");
    let loader = InMemory::new([("model.isac", text)]);
    let (mut sources, mut findings) = (SourceMap::new(), Diagnostics::new());
    let checked = load_model(Path::new("model.isac"), &loader, &BTreeMap::new(), &mut sources, &mut findings);
    let checked = checked.unwrap_or_else(|| panic!("{}", findings.render(&sources, Style::Plain)));
    let model = lower_model(&checked, &sources, "model");
    assert_eq!(verify_model(&model), Ok(()));
    model
}

/// What is left after some instructions.
struct Run {
    stop: Stop,
    registers: BTreeMap<String, u128>,
    measurement: Measurement,
}

fn run(model: &Model, bytes: &[u8], before: &[(&str, u128)], instructions: u64) -> Run {
    let mut engine = ReferenceEngine::new(model).with_profile();
    let index =
        |name: &str| model.registers.iter().position(|register| register.name == name).expect("a register");
    engine.machine().write_bytes(0, 0, bytes).expect("memory begins at 0");
    for (name, value) in before {
        engine.machine().write_register(index(name), 0, *value);
    }
    let stop = engine.run(&mut Host::default(), instructions);
    let mut registers = BTreeMap::new();
    for (register, table) in model.registers.iter().enumerate() {
        for element in 0..table.elements() as usize {
            let name = match table.count {
                Some(_) => format!("{}{element}", table.name),
                None => table.name.clone(),
            };
            registers.insert(name, engine.machine().read_register(register, element));
        }
    }
    Run { stop, registers, measurement: engine.measurement().expect("the engine profiles") }
}

/// Name, size in cells and number of executions, by address.
fn lines(run: &Run) -> Vec<String> {
    let line = |(key, record): (&sim_profile::InstructionKey, &InstructionRecord)| {
        format!("{:#x} {}: {} cells, {}x", key.address, record.name, record.size_cells, record.executed)
    };
    run.measurement.instructions.iter().map(line).collect()
}

fn coverage(run: &Run) -> (u64, u64, Vec<String>) {
    let Coverage { used, total, unused, .. } = Coverage::of(&run.measurement);
    (used, total, unused)
}

#[test]
fn elements_in_sequence_stand_side_by_side() {
    let model = load(
        "OPERATION decode {
            INSTANCE op2 ALIAS { second };
            CODINGROOT { op1 (m[pc]); second (m[pc + 1]); op3 (m[pc + 2]); };
            BEHAVIOR { pc = pc + instruction_size; a = second.n; at = instruction_address; };
        };",
    );
    let run = run(&model, &[0x13, 0x85, 0x07, 0x20, 0x01, 0x82], &[], 2);
    assert_eq!(
        lines(&run),
        [
            "0x0 decode(op1(one())op2(up())op3(left())): 3 cells, 1x",
            "0x3 decode(op1(two())op2(down())op3(right())): 3 cells, 1x",
        ]
    );
    let (used, total, unused) = coverage(&run);
    assert_eq!((used, total), (6, 8));
    assert_eq!(unused, ["decode(op1(g_more(three())))", "decode(op1(g_more(stop())))"]);
    let registers = ["pc", "a", "at", "log0", "log1", "log2", "log3"].map(|name| run.registers[name]);
    assert_eq!(registers, [6, 1, 3, 19, 4, 7, 2]);
    assert_eq!(run.stop, Stop::Budget);
}

const SWITCHES: &str = "OPERATION decode {
    INSTANCE op1 ALIAS { first };
    INSTANCE op2 ALIAS { second };
    INSTANCE op3 ALIAS { third };
    CODINGROOT {
        SWITCH (first (m[pc])) {
            CASE one: { SWITCH (second (m[pc + 1])) { CASE up: { third (m[pc + 2]); } } }
            CASE g_more: { third (m[pc + 1]); }
        }
    };
    BEHAVIOR { pc = pc + instruction_size; a = CODED(third); };
};";

#[test]
fn a_switch_names_its_selector_and_the_case_taken() {
    let model = load(SWITCHES);
    let program = [0x11, 0x81, 0x85, 0x12, 0x01, 0x20, 0x30, 0x09];
    let run = run(&model, &program, &[], 4);
    assert_eq!(
        lines(&run),
        [
            "0x0 decode(switch_0(op1(one())cases(one(switch_1(op2(up())cases(up(op3(right())))))))): 3 cells, 1x",
            "0x3 decode(switch_0(op1(one())cases(one(switch_1(op2(down())cases()))))): 2 cells, 1x",
            "0x5 decode(switch_0(op1(two())cases())): 1 cells, 1x",
            "0x6 decode(switch_0(op1(g_more(three()))cases(g_more(op3(left()))))): 2 cells, 1x",
        ]
    );
    assert_eq!(run.registers["a"], 9);
    assert_eq!(run.registers["pc"], 8);
    let (used, total, unused) = coverage(&run);
    assert_eq!((used, total), (7, 10));
    assert_eq!(
        unused,
        [
            "decode(switch_0(op1(g_more(stop()))))",
            "decode(switch_0(cases(one(switch_1(cases(up(op3(left()))))))))",
            "decode(switch_0(cases(g_more(op3(right())))))",
        ]
    );
    let tree = InstructionTree::of(&run.measurement);
    assert_eq!(tree.roots.len(), 1);
    assert_eq!((tree.roots[0].name.as_str(), tree.roots[0].executed), ("decode", 4));
    // Four, three, one and two fetches: each switch counts those that really happened.
    let executes: u64 = run
        .measurement
        .instructions
        .values()
        .flat_map(|record| record.accesses.values())
        .map(|accesses| accesses.executes)
        .sum();
    assert_eq!(executes, 3 + 2 + 1 + 2);
}

#[test]
fn registers_decide_what_is_decoded_and_tell_instructions_apart() {
    let model = load(
        "OPERATION decode {
            CODINGROOT { IF (mode == 1) { op2 (m[pc]); } ELSE { IF (mode == 2) { op3 (m[pc]); } ELSE { op1 (m[pc]); } } };
            BEHAVIOR { mode = mode + 1; };
        };",
    );
    let run = run(&model, &[0x12], &[], 4);
    assert_eq!(
        lines(&run),
        [
            "0x0 decode(op2(down())): 1 cells, 1x",
            "0x0 decode(op3(left())): 1 cells, 1x",
            "0x0 decode(op1(one())): 1 cells, 2x",
        ]
    );
}

#[test]
fn a_register_that_holds_the_word_is_decoded_where_at_says() {
    let model = load(
        "OPERATION decode {
            CODINGROOT { IF (mode == 0) { op1 (ir AT at); } ELSE { op1 (ir[3..0] :: ir[7..4]); } };
            BEHAVIOR { a = instruction_address; log[3] = instruction_size; mode = 1; };
        };",
    );
    let run = run(&model, &[], &[("ir", 0x12), ("at", 0x40), ("pc", 7)], 2);
    assert_eq!(lines(&run), ["0x7 decode(op1(two())): 1 cells, 1x", "0x40 decode(op1(one())): 1 cells, 1x"]);
    let registers = ["a", "log0", "log3"].map(|name| run.registers[name]);
    assert_eq!(registers, [7, 18, 1]);
}

#[test]
fn an_address_may_use_what_was_decoded_before() {
    let model = load(
        "OPERATION decode {
            CODINGROOT { op1 (m[pc]); op2 (m[pc + op1.n]); };
            BEHAVIOR { a = op2.n; };
        };",
    );
    let run = run(&model, &[0x13, 0, 0, 0x81], &[], 1);
    assert_eq!(lines(&run), ["0x0 decode(op1(one())op2(up())): 2 cells, 1x"]);
    assert_eq!(run.registers["a"], 1);
}

#[test]
fn an_activation_asks_for_members_and_values() {
    let model = load(
        "OPERATION decode {
            INSTANCE op1 ALIAS { first };
            INSTANCE op2 ALIAS { second };
            CODINGROOT { SWITCH (first (m[pc])) { CASE one: { second (m[pc + 1]); } } };
            BEHAVIOR { pc = pc + instruction_size; };
            ACTIVATION {
                first;
                SWITCH (first) {
                    CASE one: { second; IF (log[0] > 4) { big; } }
                    CASE three: { SWITCH (mode) { CASE 0: { zero; } CASE 5: { big; } DEFAULT: { other; } } }
                    DEFAULT: { other; }
                }
            };
        };
        OPERATION big { BEHAVIOR { a = a + 1; }; };
        OPERATION zero { BEHAVIOR { log[2] = log[2] + 1; mode = 5; }; };
        OPERATION other { BEHAVIOR { log[3] = log[3] + 1; }; };",
    );
    // The conditions hold at the time of the ACTIVATION: before `first` has run.
    let program = [0x19, 0x81, 0x11, 0x82, 0x20, 0x30, 0x30, 0xf3];
    let run = run(&model, &program, &[], 10);
    let registers = ["a", "log0", "log1", "log2", "log3", "pc"].map(|name| run.registers[name]);
    assert_eq!(registers, [2, 26, 3, 1, 1, 8]);
    assert_eq!(run.stop, Stop::Halted(3));
}

#[test]
fn what_an_operation_above_activates_runs_only_there() {
    let model = load(
        "OPERATION decode {
            CODINGROOT { op1 (m[pc]); };
            BEHAVIOR { pc = pc + instruction_size; };
            ACTIVATION { IF (mode == 0) { one; } };
        };",
    );
    // `one` is decoded two levels below; in mode 1 it does not run at all.
    let run0 = run(&model, &[0x13], &[], 1);
    assert_eq!(run0.registers["log0"], 3);
    let run1 = run(&model, &[0x13], &[("mode", 1)], 1);
    assert_eq!(run1.registers["log0"], 0);
    let run2 = run(&model, &[0x20], &[("mode", 1)], 1);
    assert_eq!(run2.registers["log0"], 16);
}
