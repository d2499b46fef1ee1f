//! Names of decoded instructions: the whole walk through the decoding tree, balanced.

mod support;

use sim_runtime::host::Host;
use support::{EngineKind, Simulator, TINY8, simulator};

/// The engines that give a profile.
const PROFILING: [EngineKind; 3] = [EngineKind::Reference, EngineKind::Emitted, EngineKind::Stepwise];

/// Runs one instruction at address 0 and gives the name that it is counted under.
fn name_of(simulator: Simulator, bytes: &[u8], registers: &[(&str, u128)], kind: EngineKind) -> String {
    let model = (simulator.model)();
    let mut engine = simulator.engine(kind);
    let machine = engine.machine();
    machine.write_bytes(0, 0, bytes).expect("program memory begins at 0");
    for (name, value) in registers {
        let register = model.registers.iter().position(|register| register.name == *name);
        machine.write_register(register.expect("a register"), 0, *value);
    }
    machine.write_place(&model.pc, 0);
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
    for kind in PROFILING {
        let name = name_of(TINY8, &[word], &[("ptr", 0x80)], kind);
        assert_eq!(name, expected, "{word:#010b} on {kind:?}");
    }
}

fn check_root(bytes: &[u8], mode: u128, expected: &str) {
    for kind in PROFILING {
        let name = name_of(simulator!(root, root_stepwise), bytes, &[("mode", mode)], kind);
        assert_eq!(name, expected, "{bytes:02x?} in mode {mode} on {kind:?}");
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

#[test]
fn a_switch_is_named_with_its_selector_and_the_case_taken() {
    check_root(&[0xf9], 0, "decode(switch_0(op1(stop())cases()))");
    check_root(&[0x01], 0, "decode(switch_0(op1(alu(g_alu(add())))cases(alu())))");
    check_root(&[0x19, 0x3a], 4, "decode(switch_0(op1(alu(g_alu(g_shift(shr()))))cases(alu(op2(near())))))");
    check_root(&[0x83, 5, 10], 0, "decode(switch_0(op1(g_jump(jump()))cases(g_jump(slot()slot()))))");
}

#[test]
fn switches_nest_and_what_follows_stands_beside() {
    let (near, far, third) = ([0x42, 0x3a, 0x44], [0x47, 0xd0, 7, 0x0b], "cases(far(slot()))");
    check_root(&near, 0, "decode(switch_0(op1(pair())cases(pair(switch_1(op2(near())cases())))))");
    check_root(&far, 0, &format!("decode(switch_0(op1(pair())cases(pair(switch_1(op2(far()){third})))))"));
    check_root(&near, 1, "decode(switch_0(op1(pair())cases(pair(switch_1(op2(near())cases()))))trailer())");
    check_root(&[0x02, 0, 0x44], 2, "decode(switch_0(op1(alu(g_alu(add())))cases(alu()))extra(even()))");
}

#[test]
fn elements_of_one_coding_root_stand_side_by_side() {
    let values = simulator!(root_values, root_values_stepwise);
    for kind in PROFILING {
        let name = name_of(values, &[], &[("how", 3), ("ir", 0x140), ("low", 0)], kind);
        assert_eq!(name, "queued(op8(put())op8(put())nibble())", "on {kind:?}");
    }
}
