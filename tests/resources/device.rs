//! Devices: console, timer, exit.

use sim_profile::render_xml;
use sim_profile::summary::Summary;
use sim_runtime::host::{Host, Streams};
use sim_runtime::reference::ReferenceEngine;
use sim_runtime::{Engine, Stop};

use crate::support::law::check_sums;
use crate::{check_cases, engines, load_changed};

#[test]
fn a_device_is_cells_of_a_map() {
    check_cases("devices", 12);
}

/// Runs a program from address 0; its end, its output and the accumulator, the same on every
/// engine.
fn run(endian: &str, program: &[u8], input: &[u8]) -> (Stop, String, u128) {
    if endian == "BIG" {
        let model = load_changed("devices", "LITTLE", endian);
        return run_on(&mut ReferenceEngine::new(&model).with_profile(), program, input);
    }
    let mut outcomes = engines("devices").1.into_iter().map(|(kind, mut engine)| {
        let outcome = run_on(engine.as_mut(), program, input);
        (kind, outcome, engine.measurement().map(|measurement| render_xml(&measurement)))
    });
    let (_, reference, report) = outcomes.next().expect("the reference is the first");
    for (kind, outcome, found) in outcomes {
        assert_eq!(outcome, reference, "{kind:?}");
        assert!(found.is_none() || found == report, "{kind:?}: the report is another");
    }
    reference
}

fn run_on(engine: &mut dyn Engine, program: &[u8], input: &[u8]) -> (Stop, String, u128) {
    engine.machine().write_bytes(0, 0, program).expect("the program lies in memory");
    let (streams, output, _) = Streams::captured(input);
    let mut host = Host::new(streams);
    let stop = engine.run(&mut host, 1000);
    host.flush().expect("a buffer takes everything");
    if let Some(measurement) = engine.measurement() {
        check_sums(&measurement, engine.instructions(), engine.cycles());
    }
    (stop, output.text(), engine.machine().read_register(1, 0))
}

#[test]
fn a_console_takes_and_gives_bytes() {
    // load 0; store 0; again: until all ones come; then exit with them.
    let echo = [0xc0, 0x80, 0xfd, 0xa0];
    assert_eq!(run("LITTLE", &echo, b"hello"), (Stop::Halted(255), "hello\u{fffd}".to_owned(), 255));
}

#[test]
fn a_wide_view_of_a_console_acts_on_each_cell() {
    // The value is 0x41424300: its first cell is the lowest in little-endian order.
    let program = [0x41, 0xe0, 0xa0];
    assert_eq!(run("LITTLE", &program, b"").1, "\0");
    assert_eq!(run("BIG", &program, b"").1, "\0");
    let part = [0x41, 0xfb, 0xa0];
    assert_eq!(run("LITTLE", &part, b"input stays").1, "A", "a partial write reads nothing");
}

#[test]
fn a_timer_counts_cycles_and_compares() {
    for endian in ["LITTLE", "BIG"] {
        // set 20; alarm, with two extra cycles; wait; load8 of the time; exit.
        let (stop, _, acc) = run(endian, &[20, 0xf9, 0xf8, 0xf2, 0xa0], b"");
        assert_eq!((stop, acc), (Stop::Halted(21), 21), "{endian}");
        // The compare value reads back.
        let (_, _, acc) = run(endian, &[20, 0xf9, 0xf3, 0xa0], b"");
        assert_eq!(acc, 20, "{endian}");
        // One cell of it is a byte of the value.
        let (_, _, acc) = run(endian, &[20, 0xf9, if endian == "BIG" { 0xdf } else { 0xd8 }, 0xa0], b"");
        assert_eq!(acc, 20, "{endian}");
    }
}

#[test]
fn an_exit_ends_the_run_after_its_instruction_even_if_that_is_cancelled() {
    for (kind, mut engine) in engines("devices").1 {
        engine.machine().write_bytes(0, 0, &[0x01, 0xfc, 0x02]).expect("the program lies in memory");
        let mut host = Host::default();
        assert_eq!(engine.run(&mut host, 1000), Stop::Halted(3), "{kind:?}");
        assert_eq!(engine.run(&mut host, 1000), Stop::Halted(3), "{kind:?}: it stays ended");
        assert_eq!((engine.instructions(), engine.cycles()), (1, 2), "{kind:?}");
        if let Some(measurement) = engine.measurement() {
            check_sums(&measurement, 1, 2);
            assert_eq!(Summary::of(&measurement).cancelled, 1, "{kind:?}");
        }
    }
}
