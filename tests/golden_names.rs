//! Names of decoded instructions: the whole walk through the decoding tree, balanced.

mod support;

use sim_runtime::host::Host;
use support::{EngineKind, TINY8};

/// Runs one word on tiny8 and gives the name that it is counted under.
fn name_of(word: u8, kind: EngineKind) -> String {
    let model = (TINY8.model)();
    let mut engine = TINY8.engine(kind);
    let machine = engine.machine();
    machine.write_bytes(0, 0, &[word]).expect("program memory begins at 0");
    let pointer = model.registers.iter().position(|register| register.name == "ptr").expect("ptr");
    machine.write_register(pointer, 0, 0x80);
    engine.run(&mut Host::default(), 1);
    let measurement = engine.measurement().expect("the engine profiles");
    let names: Vec<String> = measurement
        .instructions
        .into_values()
        .filter(|record| record.executed == 1)
        .map(|record| record.name)
        .collect();
    let [name] = &names[..] else { panic!("one instruction has one name, found {names:?}") };
    name.clone()
}

fn check(word: u8, expected: &str) {
    for kind in [EngineKind::Reference, EngineKind::Emitted] {
        assert_eq!(name_of(word, kind), expected, "{word:#010b} on {kind:?}");
    }
}

#[test]
fn a_name_walks_through_every_group_and_operation_and_closes_what_it_opens() {
    check(0b0000_0011, "decode(instr_set(op_alu(g_alu(add(g_reg(ax())g_reg(bx()))))))");
    check(0b0011_1100, "decode(instr_set(op_alu(g_alu(sub(g_reg(bx())g_reg(ax()))))))");
    check(0b1100_1111, "decode(instr_set(op_mem(g_mem(store(g_reg(bx()))))))");
    check(0b1100_0000, "decode(instr_set(op_mem(g_mem(load(g_reg(ax()))))))");
}

#[test]
fn a_field_is_no_part_of_a_name() {
    check(0b0111_0101, "decode(instr_set(nib(g_reg(bx()))))");
    check(0b1000_0001, "decode(instr_set(op_ctl(g_ctl(jmp()))))");
}
