//! A run that is to end does so within a loop of the description, too, and every engine counts
//! alike what the loop has left behind.

mod support;

use isac_ir::Model;
use sim_profile::render_xml;
use sim_profile::summary::Summary;
use sim_runtime::host::Host;
use sim_runtime::{Engine, Stop};
use support::law::{EventFile, check_sums};
use support::program::registers_text;
use support::{ENGINES, Simulator, simulator};

const ENDLESS: Simulator = simulator!(endless, endless_stepwise);
const PIPELINED: Simulator = simulator!(endless_pipe, endless_pipe_stepwise);
const TRAP: Simulator = simulator!(trap, trap_stepwise);

/// What has a loop of that model not end: no random program comes to it.
const STUCK: [(&str, usize, u128); 1] = [("stuck", 0, 0x1234_5678)];

/// What a run left, without its report.
#[derive(Debug, PartialEq)]
struct Outcome {
    stop: Stop,
    instructions: u64,
    cycles: u64,
    registers: String,
}

fn run(engine: &mut dyn Engine, model: &Model, program: &[u8], host: &mut Host) -> Outcome {
    let start = engine.machine().read_place(&model.pc) as u64;
    engine.machine().write_bytes(0, start, program).expect("the program lies in memory");
    let mut stop = Stop::Budget;
    for _ in 0..20 {
        stop = engine.run(host, 5);
        if !matches!(stop, Stop::Budget | Stop::Paused { .. }) {
            break;
        }
    }
    let (instructions, cycles) = (engine.instructions(), engine.cycles());
    Outcome { stop, instructions, cycles, registers: registers_text(engine, model) }
}

/// Runs a program on every engine, with one end, state and report; how it ended and what it counted.
fn run_all(
    simulator: Simulator,
    program: &[u8],
    set: &[(&str, usize, u128)],
    host: fn() -> Host,
) -> (Outcome, Summary) {
    let model = (simulator.model)();
    let prepare = |engine: &mut dyn Engine| {
        for (name, element, value) in set {
            let register = model.registers.iter().position(|register| register.name == *name);
            engine.machine().write_register(register.expect("it exists"), *element, *value);
        }
    };
    let mut first: Option<(Outcome, Summary, String)> = None;
    for kind in ENGINES {
        let mut engine = simulator.engine(kind);
        prepare(engine.as_mut());
        let outcome = run(engine.as_mut(), model, program, &mut host());
        let measurement = engine.measurement();
        if let Some(measurement) = &measurement {
            check_sums(measurement, outcome.instructions, outcome.cycles);
        }
        let report = measurement.as_ref().map(render_xml);
        match &first {
            None => {
                let measurement = measurement.expect("the reference engine measures");
                first = Some((outcome, Summary::of(&measurement), report.unwrap_or_default()));
            }
            Some((expected, _, expected_report)) => {
                assert_eq!(outcome, *expected, "{kind:?}");
                assert!(report.is_none_or(|report| report == *expected_report), "{kind:?}: another report");
            }
        }
    }
    let (outcome, summary, report) = first.expect("there are engines");
    let file = EventFile::new(&simulator);
    let mut engine = simulator.telling_engine(Box::new(file.clone()));
    prepare(engine.as_mut());
    run(engine.as_mut(), model, program, &mut host());
    drop(engine);
    assert_eq!(file.report(), report, "the report from the events");
    (outcome, summary)
}

fn ending() -> Host {
    Host::default().with_interrupt(|| true)
}

#[test]
fn an_endless_loop_leaves_its_instruction_unfinished() {
    for (endless, cycles) in [(0x10, 3), (0x11, 5), (0x21, 3), (0xff, 3)] {
        let (outcome, summary) = run_all(ENDLESS, &[0x01, 0x02, endless], &[], ending);
        assert_eq!((outcome.stop, outcome.instructions, outcome.cycles), (Stop::Interrupted, 2, cycles));
        assert_eq!((summary.executed, summary.unfinished, summary.faulted), (2, 1, 0), "{endless:#x}");
    }
}

#[test]
fn a_loop_that_ends_goes_on_where_nobody_interrupts() {
    for host in [Host::default, || Host::default().with_interrupt(|| false)] {
        let (outcome, summary) = run_all(ENDLESS, &[0xff, 0x20, 0x7f], &[], host);
        assert_eq!((outcome.stop, outcome.instructions), (Stop::Halted(0), 3));
        assert!(outcome.registers.contains("turns[0] = 0x319c"), "{}", outcome.registers);
        assert_eq!((summary.executed, summary.unfinished), (3, 0));
    }
    // A loop of few turns is over before anybody asks.
    let (outcome, _) = run_all(ENDLESS, &[0x85, 0x7f], &[], ending);
    assert_eq!(outcome.stop, Stop::Halted(0));
}

#[test]
fn an_endless_loop_in_reset_belongs_to_no_instruction() {
    let (outcome, summary) = run_all(ENDLESS, &[0x01], &[("r", 2, 1)], ending);
    assert_eq!((outcome.stop, outcome.instructions, outcome.cycles), (Stop::Interrupted, 0, 0));
    assert_eq!((summary.executed, summary.unfinished, summary.undecoded), (0, 0, 0));
}

#[test]
fn an_endless_loop_before_decoding_leaves_an_undecoded_instruction() {
    let (outcome, summary) = run_all(TRAP, &[0x80 | 102, 0x01], &STUCK, ending);
    assert_eq!((outcome.stop, outcome.instructions, outcome.cycles), (Stop::Interrupted, 1, 2));
    assert_eq!((summary.executed, summary.unfinished, summary.undecoded), (1, 0, 1));
}

#[test]
fn an_instruction_is_at_fault_though_memory_fault_never_ends() {
    let (outcome, summary) = run_all(TRAP, &[0x80 | 59, 0x01], &STUCK, ending);
    assert_eq!((outcome.stop, outcome.instructions, outcome.cycles), (Stop::Interrupted, 1, 2));
    assert_eq!((summary.executed, summary.unfinished, summary.faulted), (1, 0, 1));
}

#[test]
fn all_in_flight_is_unfinished_when_a_loop_does_not_end() {
    // In EX, in WB, and, behind a jump, in FE.
    for (program, ended, unfinished, undecoded) in [
        (&[0x00, 0x04, 0x10, 0x08][..], 2, 1, 1),
        (&[0x00, 0x11, 0x04, 0x08][..], 1, 1, 2),
        (&[0x00, 0x50, 0x04][..], 2, 0, 1),
    ] {
        let (outcome, summary) = run_all(PIPELINED, program, &[], ending);
        assert_eq!((outcome.stop, outcome.instructions), (Stop::Interrupted, ended), "{program:x?}");
        assert_eq!((summary.unfinished, summary.undecoded), (unfinished, undecoded), "{program:x?}");
    }
    let (outcome, summary) = run_all(PIPELINED, &[0x00, 0x2f, 0x04], &[], ending);
    assert_eq!((outcome.stop, outcome.instructions, summary.faulted), (Stop::Interrupted, 1, 1));
    // Another fault is handled; the run goes on to the loop in FE.
    let (outcome, summary) = run_all(PIPELINED, &[0x00, 0x2e, 0x04], &[], ending);
    assert_eq!((outcome.stop, outcome.instructions, summary.faulted), (Stop::Interrupted, 17, 1));
}
