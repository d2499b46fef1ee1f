//! `memory_fault`: what a model does about memory faults by itself.

use isac_ir::Model;
use sim_profile::render_xml;
use sim_profile::summary::Summary;
use sim_runtime::host::Host;
use sim_runtime::{AccessKind, Engine, FaultKind, Stop};

use crate::engines;
use crate::support::law::check_sums;

/// What a run left: its end, instructions, cycles.
type Outcome = (Stop, u64, u64);

/// Runs a program at the reset address with a handler at 0x80 on every engine, which all end alike
/// with one report, and lets each be looked at.
fn run(program: &[u8], handler: &[u8], budget: u64, look: impl Fn(&mut dyn Engine, &Model)) -> Outcome {
    let (model, engines) = engines("trap");
    let mut reference: Option<(Outcome, Option<String>)> = None;
    for (kind, mut engine) in engines {
        engine.machine().write_bytes(0, 0x10, program).expect("the program lies in memory");
        engine.machine().write_bytes(0, 0x80, handler).expect("the handler lies in memory");
        let stop = engine.run(&mut Host::default(), budget);
        let outcome = (stop, engine.instructions(), engine.cycles());
        let measurement = engine.measurement();
        if let Some(measurement) = &measurement {
            check_sums(measurement, outcome.1, outcome.2);
        }
        let report = measurement.map(|measurement| render_xml(&measurement));
        match &reference {
            None => reference = Some((outcome, report)),
            Some((expected, expected_report)) => {
                assert_eq!(outcome, *expected, "{kind:?}");
                assert!(report.is_none() || report == *expected_report, "{kind:?}: another report");
            }
        }
        look(engine.as_mut(), model);
    }
    reference.expect("there are engines").0
}

/// Value of a single register.
fn register(engine: &mut dyn Engine, model: &Model, name: &str) -> u128 {
    let index = model.registers.iter().position(|register| register.name == name);
    engine.machine().read_register(index.expect("the register exists"), 0)
}

#[test]
fn a_handled_fault_abandons_the_instruction_and_the_run_goes_on() {
    for (opcode, a, address, cause) in [(1, 1, 0x300, 0), (2, 3, 0x205, 1), (3, 0, 0xfe, 0)] {
        let outcome = run(&[opcode, 0x06], &[0x04], 100, |engine, model| {
            let mut value = |name| register(engine, model, name);
            assert_eq!((value("address"), value("cause")), (address, cause));
            assert_eq!((value("seen"), value("epc"), value("count")), (0x10, 0x11, 1));
            let Some(measurement) = engine.measurement() else { return };
            assert_eq!(Summary::of(&measurement).faulted, 1);
            let faulted: Vec<_> =
                measurement.instructions.iter().filter(|(_, found)| found.faulted > 0).collect();
            let [(key, record)] = faulted[..] else { panic!("one instruction was at fault") };
            assert_eq!((key.address, record.faulted, record.executed), (0x10, 1, 0));
            assert!(record.accesses.is_empty(), "what was abandoned is not counted");
        });
        // The instruction at fault took its cycle and does not count.
        assert_eq!(outcome, (Stop::Halted(a), 2, 3));
    }
}

#[test]
fn a_fetch_that_fails_is_a_fault_of_its_address() {
    let outcome = run(&[0x05], &[0x06], 100, |engine, model| {
        assert_eq!(register(engine, model, "address"), 0x123);
        assert_eq!(register(engine, model, "cause"), 2);
        if let Some(measurement) = engine.measurement() {
            assert_eq!(measurement.undecoded_faults.into_iter().collect::<Vec<_>>(), [(0x123, 1)]);
        }
    });
    assert_eq!(outcome, (Stop::Halted(0), 2, 3));
}

#[test]
fn the_limit_ends_faults_without_end() {
    // The handler jumps to where nothing is mapped.
    assert_eq!(run(&[0x05], &[0x05], 30, |_, _| {}), (Stop::Budget, 15, 30));
}

#[test]
fn the_handler_may_end_the_run_or_be_at_fault_itself() {
    // The instruction at fault is not complete.
    assert_eq!(run(&[0x80 | 99, 0x01], &[], 100, |_, _| {}), (Stop::Halted(42), 1, 2));

    let (Stop::Fault(fault), ..) = run(&[0x80 | 49, 0x03], &[], 100, |_, _| {}) else {
        panic!("the handler faults")
    };
    assert_eq!(fault.kind, FaultKind::Memory { access: AccessKind::Read, address: 0x300 });
    assert_eq!((fault.instruction_address, fault.cycle), (0x11, 1));

    // `cancel` ends the handler: the next instruction is the one behind.
    let outcome = run(&[0x80 | 39, 0x01, 0x06], &[], 100, |engine, _| {
        if let Some(measurement) = engine.measurement() {
            assert_eq!(Summary::of(&measurement).cancelled, 0);
        }
    });
    assert_eq!(outcome.0, Stop::Halted(1));
}

#[test]
fn a_fault_that_the_function_leaves_alone_ends_the_run() {
    for (opcode, pc, kind) in [
        (0x01, 0x12, FaultKind::Memory { access: AccessKind::Read, address: 0x300 }),
        (0x02, 0x12, FaultKind::Memory { access: AccessKind::Write, address: 0x205 }),
        (0x03, 0x12, FaultKind::Memory { access: AccessKind::Read, address: 0xfe }),
        (0x05, 0x123, FaultKind::Memory { access: AccessKind::Fetch, address: 0x123 }),
    ] {
        let (stop, ..) = run(&[0x80 | 90, opcode], &[0x06], 100, |engine, model| {
            assert_eq!((register(engine, model, "pc"), register(engine, model, "a")), (pc, 9));
            assert_eq!(register(engine, model, "count"), 90);
        });
        let Stop::Fault(fault) = stop else { panic!("{stop:?}") };
        assert_eq!(fault.kind, kind);
    }
}

#[test]
fn a_halt_before_decoding_ends_the_run_after_its_cycle() {
    assert_eq!(run(&[0x80 | 101], &[], 100, |_, _| {}), (Stop::Halted(7), 2, 2));
}
