//! Ranges onto caches, registers, FUNCTIONs and parts of cells.

use sim_runtime::Engine;
use sim_runtime::host::Host;
use sim_runtime::reference::ReferenceEngine;

use crate::{check_cases, engines, load_changed};

#[test]
fn a_range_is_what_stands_behind_it() {
    check_cases("ranges", 36);
}

#[test]
fn cells_of_registers_and_functions_are_joined_in_the_target_s_order() {
    let model = load_changed("ranges", "LITTLE", "BIG");
    let mut engine = ReferenceEngine::new(&model);
    let machine = engine.machine();
    // read4 from the file, then write4 to the functions.
    machine.write_bytes(0, 0x10, &[0x01, 0x90 | 0x08, 0x03]).expect("the program lies in memory");
    machine.write_register(1, 0, 0x2000);
    for (element, value) in [1, 2, 9, 4].into_iter().enumerate() {
        machine.write_register(3, element, value);
    }
    engine.run(&mut Host::default(), 1);
    assert_eq!(engine.machine().read_register(2, 0), 0x0102_0933);
    engine.machine().write_register(1, 0, 0x4000);
    engine.machine().write_bytes(0, 0x11, &[0x03]).expect("the program lies in memory");
    engine.run(&mut Host::default(), 1);
    assert_eq!(engine.machine().read_register(6, 0), 0x0102_0933, "the first cell is written first");
}

#[test]
fn a_map_may_be_a_part_of_each_cell() {
    for (kind, mut engine) in engines("parts").1 {
        let program = [0x01, 0x02, 0x03, 0x05, 0x04, 0x06, 0x05, 0x07];
        engine.machine().write_bytes(0, 0, &program).expect("the program lies in memory");
        let mut acc = |instructions| {
            engine.run(&mut Host::default(), instructions);
            engine.machine().read_register(1, 0)
        };
        assert_eq!(acc(3), 0x5a00, "{kind:?}: bits 27 to 20 of two cells");
        assert_eq!(acc(1), 0xf5af_ffff ^ 0xf12, "{kind:?}: all other bits stay");
        assert_eq!(acc(1), 0x0012_3400, "{kind:?}: the low bits of cells of 12");
        assert_eq!(acc(2), 0xf0af_ffff ^ 0xf12, "{kind:?}");
        let mut byte = [0];
        engine.machine().read_bytes(0, 0x20, &mut byte).expect("memory");
        assert_eq!(byte, [0x12], "{kind:?}: the loader sees the map's cells");
        engine.machine().write_bytes(0, 0x41, &[0xff]).expect("memory");
        let mut bytes = [0; 4];
        engine.machine().read_bytes(1, 4, &mut bytes).expect("memory");
        assert_eq!(bytes, [0xff, 0xff, 0xff, 0xff], "{kind:?}");
    }
}
