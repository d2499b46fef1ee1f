//! `memory_fault`: what a model does about memory faults by itself.

use isac_ir::Model;
use sim_profile::summary::Summary;
use sim_runtime::host::Host;
use sim_runtime::reference::ReferenceEngine;
use sim_runtime::{AccessKind, Engine, FaultKind, Stop};

use crate::load;
use crate::support::law::check_sums;

/// An engine with a program at the reset address, and a handler at 0x80.
fn engine<'m>(model: &'m Model, program: &[u8], handler: &[u8]) -> ReferenceEngine<'m> {
    let mut engine = ReferenceEngine::new(model).with_profile();
    engine.machine().write_bytes(0, 0x10, program).expect("the program lies in memory");
    engine.machine().write_bytes(0, 0x80, handler).expect("the handler lies in memory");
    engine
}

/// Value of a single register.
fn register(engine: &mut ReferenceEngine<'_>, model: &Model, name: &str) -> u128 {
    let index = model.registers.iter().position(|register| register.name == name);
    engine.machine().read_register(index.expect("the register exists"), 0)
}

#[test]
fn a_handled_fault_abandons_the_instruction_and_the_run_goes_on() {
    let model = load("trap");
    for (opcode, a, address, cause) in [(1, 1, 0x300, 0), (2, 3, 0x205, 1), (3, 0, 0xfe, 0)] {
        let mut engine = engine(&model, &[opcode, 0x06], &[0x04]);
        assert_eq!(engine.run(&mut Host::default(), 100), Stop::Halted(a));
        let mut value = |name| register(&mut engine, &model, name);
        assert_eq!((value("address"), value("cause")), (address, cause));
        assert_eq!((value("seen"), value("epc"), value("count")), (0x10, 0x11, 1));
        // The instruction at fault took its cycle and does not count.
        assert_eq!((engine.instructions(), engine.cycles()), (2, 3));
        let measurement = engine.measurement().expect("the engine profiles");
        check_sums(&measurement, 2, 3);
        assert_eq!(Summary::of(&measurement).faulted, 1);
        let faulted: Vec<_> =
            measurement.instructions.iter().filter(|(_, found)| found.faulted > 0).collect();
        let [(key, record)] = faulted[..] else { panic!("one instruction was at fault") };
        assert_eq!((key.address, record.faulted, record.executed), (0x10, 1, 0));
        assert!(record.accesses.is_empty(), "what was abandoned is not counted");
    }
}

#[test]
fn a_fetch_that_fails_is_a_fault_of_its_address() {
    let model = load("trap");
    let mut engine = engine(&model, &[0x05], &[0x06]);
    assert_eq!(engine.run(&mut Host::default(), 100), Stop::Halted(0));
    assert_eq!(register(&mut engine, &model, "address"), 0x123);
    assert_eq!(register(&mut engine, &model, "cause"), 2);
    let measurement = engine.measurement().expect("the engine profiles");
    assert_eq!(measurement.undecoded_faults.into_iter().collect::<Vec<_>>(), [(0x123, 1)]);
}

#[test]
fn the_limit_ends_faults_without_end() {
    let model = load("trap");
    // The handler jumps to where nothing is mapped.
    let mut engine = engine(&model, &[0x05], &[0x05]);
    assert_eq!(engine.run(&mut Host::default(), 30), Stop::Budget);
    assert_eq!((engine.instructions(), engine.cycles()), (15, 30));
    check_sums(&engine.measurement().expect("the engine profiles"), 15, 30);
}

#[test]
fn the_handler_may_end_the_run_or_be_at_fault_itself() {
    let model = load("trap");
    let mut halts = engine(&model, &[0x80 | 99, 0x01], &[]);
    assert_eq!(halts.run(&mut Host::default(), 100), Stop::Halted(42));
    assert_eq!((halts.instructions(), halts.cycles()), (1, 2), "the instruction at fault is not complete");
    check_sums(&halts.measurement().expect("the engine profiles"), 1, 2);

    let mut faults = engine(&model, &[0x80 | 49, 0x03], &[]);
    let Stop::Fault(fault) = faults.run(&mut Host::default(), 100) else { panic!("the handler faults") };
    assert_eq!(fault.kind, FaultKind::Memory { access: AccessKind::Read, address: 0x300 });
    assert_eq!((fault.instruction_address, fault.cycle), (0x11, 1));

    // `cancel` ends the handler: the next instruction is the one behind.
    let mut cancels = engine(&model, &[0x80 | 39, 0x01, 0x06], &[]);
    assert_eq!(cancels.run(&mut Host::default(), 100), Stop::Halted(1));
    assert_eq!(Summary::of(&cancels.measurement().expect("the engine profiles")).cancelled, 0);
}
