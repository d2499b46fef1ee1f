//! What interrupts come between counts as if they had not come.

#![cfg(feature = "program")]

use std::collections::BTreeMap;

use sim_profile::program::line::{Branch, Steps, branches};
use sim_profile::program::{ImageFile, Program, ProgramProfile};
use sim_profile::{
    CodeCells, Control, ControlTable, InstructionKey, InstructionRecord, Measurement, ModelTables, Word,
};

/// A loop from 0 to 0xc that is left at 4 and calls the environment at 8, and a handler at 0x100 that returns
/// at 0x104; any instruction may be interrupted. The loop is run ten times, the last one to 4 alone.
fn run(transfers: &[((u64, u64), u64)]) -> (Measurement, ControlTable) {
    let mut measurement = Measurement::new(ModelTables { address_bits: 32, ..ModelTables::default() });
    let from_main: u64 = transfers.iter().filter(|((_, to), _)| *to == 0x100).map(|(_, times)| times).sum();
    let executed = [(0, 10), (4, 10), (8, 9), (0xc, 9), (0x10, 1), (0x100, from_main), (0x104, from_main)];
    for (address, executed) in executed {
        let key = InstructionKey { address, word: Word::new(&[1]).expect("a word") };
        let record = InstructionRecord { size_cells: 4, executed, ..InstructionRecord::default() };
        measurement.instructions.insert(key, record);
    }
    measurement.transfers = transfers.iter().copied().collect();
    let control = |falls_through, targets: &[u64]| Control {
        falls_through,
        targets: targets.to_vec(),
        computed: true,
        keeps: None,
    };
    let control = [
        (0, control(true, &[])),
        (4, control(true, &[0x10])),
        (8, control(false, &[])),
        (0xc, control(false, &[0])),
        (0x10, control(true, &[])),
        (0x100, control(true, &[])),
        (0x104, control(false, &[])),
    ];
    (measurement, control.into())
}

#[test]
fn steps_and_branches_are_those_of_the_program_whenever_it_was_interrupted() {
    let files = [("main.bin", 0), ("handler.bin", 0x100)];
    let files = files.map(|(name, base)| ImageFile { name, bytes: &[0; 0x14], base: Some(base) });
    let program = Program::read(&files, CodeCells::default());
    let [main, handler] = [0, 0x100].map(|address| program.function_at(address));
    let calls = [((8, 0x100), 9), ((0x104, 0xc), 9)];
    let alone = [((4, 0x10), 1), ((0xc, 0), 9)];
    let interrupted = [
        // Behind the first instruction, the branch whichever way it went, and the jump to the first one.
        ((0, 0x100), 2),
        ((0x104, 4), 2),
        ((4, 0x100), 4),
        ((0x104, 8), 3),
        ((0x104, 0x10), 1),
        ((0xc, 0x100), 4),
        ((0xc, 0), 5),
        ((0x104, 0), 4),
    ];
    for (transfers, times) in [(&alone[..], 9), (&interrupted[..], 19)] {
        let (measurement, control) = run(&[transfers, &calls[..]].concat());
        let profile = ProgramProfile {
            measurement: &measurement,
            program: &program,
            statics: &BTreeMap::new(),
            control: &control,
            calls: None,
            texts: &BTreeMap::new(),
            code: &BTreeMap::new(),
            folder: None,
        };
        let steps = Steps::of(&profile);
        let expected = [
            ((0, 4), 10),
            ((4, 8), 9),
            ((4, 0x10), 1),
            ((8, 0xc), 9),
            ((0xc, 0), 9),
            ((0x100, 0x104), times),
        ];
        assert_eq!(steps.steps, expected.into());
        assert_eq!(steps.entries, [(0, 1), (0x100, times)].into());
        assert_eq!(steps.function_entries(&program), [(main, 1), (handler, times)].into());
        assert_eq!(branches(&profile), [Branch { address: 4, sides: vec![(8, 9), (0x10, 1)] }]);
    }
}
