//! What interrupts come between counts as if they had not come.

#![cfg(feature = "program")]

use sim_profile::program::line::{Branch, Steps, branches};
use sim_profile::program::{ImageFile, Program, ProgramProfile};
use sim_profile::{
    CodeCells, Control, ControlTable, InstructionKey, InstructionRecord, Measurement, ModelTables, Word,
};

/// From, to, how often.
type Counts<'a> = &'a [((u64, u64), u64)];

/// What ran: instructions of four cells, by address.
struct Run<'a> {
    /// How often each was executed, and cancelled.
    executed: &'a [(u64, [u64; 2])],
    transfers: Counts<'a>,
    /// Where the instructions lead by themselves, if they are no plain ones: behind themselves, or elsewhere.
    /// Any of them may be interrupted.
    control: &'a [(u64, bool, &'a [u64])],
}

/// A handler at 0x100 returns at 0x104.
fn check(run: &Run<'_>, steps: Counts<'_>, entries: &[(u64, u64)], sides: &[(u64, &[(u64, u64)])]) {
    let mut measurement = Measurement::new(ModelTables { address_bits: 32, ..ModelTables::default() });
    let mut control = ControlTable::new();
    let anywhere = |falls_through, targets: &[u64]| Control {
        falls_through,
        targets: targets.to_vec(),
        computed: true,
        keeps: None,
    };
    for &(address, [executed, cancelled]) in run.executed {
        let key = InstructionKey { address, word: Word::new(&[1]).expect("a word") };
        let record = InstructionRecord { size_cells: 4, executed, cancelled, ..Default::default() };
        measurement.instructions.insert(key, record);
        control.insert(address, anywhere(true, &[]));
    }
    measurement.transfers = run.transfers.iter().copied().collect();
    control.extend(run.control.iter().map(|(address, falls, targets)| (*address, anywhere(*falls, targets))));
    control.insert(0x104, anywhere(false, &[]));
    let files = [("main.bin", 0), ("handler.bin", 0x100)];
    let files = files.map(|(name, base)| ImageFile { name, bytes: &[0; 0x14], base: Some(base) });
    let program = Program::read(&files, CodeCells::default());
    let profile = ProgramProfile::of(&measurement, &program, &control);
    let found = Steps::of(&profile);
    assert_eq!(found.steps, steps.iter().copied().collect());
    assert_eq!(found.entries, entries.iter().copied().collect());
    let by_function = entries.iter().map(|(address, times)| (program.function_at(*address), *times));
    assert_eq!(found.function_entries(&program), by_function.collect());
    let sides = sides.iter().map(|(address, sides)| Branch { address: *address, sides: sides.to_vec() });
    assert_eq!(branches(&profile), sides.collect::<Vec<_>>());
}

/// A loop from 0 to 0xc that is left at 4 and calls the environment at 8. It is run ten times, the last one to
/// 4 alone.
#[test]
fn steps_and_branches_are_those_of_the_program_whenever_it_was_interrupted() {
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
        let executed = [(0, 10), (4, 10), (8, 9), (0xc, 9), (0x10, 1), (0x100, times), (0x104, times)];
        let run = Run {
            executed: &executed.map(|(address, executed)| (address, [executed, 0])),
            transfers: &[transfers, &[((8, 0x100), 9), ((0x104, 0xc), 9)]].concat(),
            control: &[(4, true, &[0x10]), (8, false, &[]), (0xc, false, &[0])],
        };
        let steps = [
            ((0, 4), 10),
            ((4, 8), 9),
            ((4, 0x10), 1),
            ((8, 0xc), 9),
            ((0xc, 0), 9),
            ((0x100, 0x104), times),
        ];
        check(&run, &steps, &[(0, 1), (0x100, times)], &[(4, &[(8, 9), (0x10, 1)])]);
    }
}

/// The same where 4 jumps over the call, which is cancelled, and 0xc ends the loop: behind the call goes on who
/// made it, and who was interrupted on the way there.
#[test]
fn an_instruction_that_traps_goes_on_behind_itself() {
    let run = Run {
        executed: &[
            (0, [10, 0]),
            (4, [10, 0]),
            (8, [0, 2]),
            (0xc, [10, 0]),
            (0x10, [1, 0]),
            (0x100, [6, 0]),
            (0x104, [6, 0]),
        ],
        transfers: &[((4, 0xc), 5), ((4, 0x100), 4), ((0x104, 8), 1), ((0x104, 0xc), 3 + 2), ((0xc, 0), 9)],
        control: &[(4, true, &[0xc]), (8, true, &[]), (0xc, true, &[0])],
    };
    let steps = [
        ((0, 4), 10),
        ((4, 8), 2),
        ((4, 0xc), 8),
        ((8, 0xc), 2),
        ((0xc, 0), 9),
        ((0xc, 0x10), 1),
        ((0x100, 0x104), 6),
    ];
    let sides: [(u64, &[_]); 2] = [(4, &[(8, 2), (0xc, 8)]), (0xc, &[(0x10, 1), (0, 9)])];
    check(&run, &steps, &[(0, 1), (0x100, 6)], &sides);
}
