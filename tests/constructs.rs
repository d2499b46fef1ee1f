//! Models that use every construct in unusual ways: random programs end in the same state with
//! the same report on every engine.

mod support;

use isac_ir::Model;
use isac_ir::behavior::{Stmt, walk_statements};
use isac_ir::bits::Bits;
use isac_ir::decode::choose_variant;
use isac_ir::operation::Target;
use sim_profile::Sampling;
use sim_profile::symbols::FunctionCells;
use sim_runtime::record::FunctionMap;
use sim_runtime::{Engine, Stop};
use support::law::{EventFile, Way, check_sums, ways};
use support::program::Program;
use support::random::Random;
use support::random_word::{random_word, root_decoder};
use support::samples::check_samples;
use support::thorough::{all_or, cases};
use support::values::check_values;
use support::{EngineKind, Simulator, difference, simulator};

/// Instructions in a random program.
const LENGTH: usize = 40;

/// Random words from the decoder's own automaton, from the reset address on.
fn random_program(model: &Model, seed: u64) -> Program {
    let mut random = Random::new(seed);
    let pc = support::program::reset_pc(model);
    let map = &model.maps[0];
    let decoder = root_decoder(model);
    let width = model.decoders[decoder as usize].width_bits;
    let cell_bytes = u64::from(map.cell_bits.div_ceil(8));
    let mut bytes = Vec::new();
    for _ in 0..LENGTH {
        let mut word = random_word(model, decoder, &mut random);
        while ends_the_run(model, decoder, word) && random.below_u64(16) != 0 {
            word = random_word(model, decoder, &mut random);
        }
        let mut word = word.to_be_bytes(width);
        if !model.target.big_endian {
            word.reverse();
        }
        bytes.extend(word);
    }
    let registers = (0..model.registers.len())
        .filter(|register| model.pc.parts.iter().all(|part| part.register as usize != *register))
        .map(|register| (register, 0, random.next().into()));
    let watched = map.ranges.iter().map(|range| {
        let bytes = (range.high - range.low + 1) * cell_bytes;
        (range.low * cell_bytes, bytes.min(64) as usize)
    });
    Program {
        memory: vec![(pc * cell_bytes, bytes)],
        registers: registers.collect(),
        pc,
        watched: watched.collect(),
        budget: 300,
    }
}

/// True for instructions that halt, divide or fault by themselves.
fn ends_the_run(model: &Model, decoder: u32, word: Bits) -> bool {
    let automaton = &model.decoders[decoder as usize];
    let Some(variant) = choose_variant(automaton, word) else { return true };
    let nodes = &automaton.variants[variant as usize].nodes;
    let behaviors = nodes.iter().filter_map(|node| match node.target {
        Target::Operation(operation) => model.operation(operation).behavior.as_ref(),
        Target::Group(_) | Target::Label(_) => None,
    });
    let mut ends = false;
    for behavior in behaviors {
        walk_statements(&behavior.statements, &mut |statement| {
            ends |= matches!(statement, Stmt::Halt(_) | Stmt::DivisionByZero | Stmt::Illegal);
        });
    }
    ends
}

/// Functions of a few cells where a program lies, every other one with a gap behind it.
fn small_functions(pc: u64) -> FunctionMap {
    let cells = |number: u64| {
        let start = pc + number * 6;
        FunctionCells { start, end: start + 4 + number % 2 * 2, function: start }
    };
    FunctionMap::new((0..30).map(cells).collect())
}

/// Runs random programs every way, and follows the calls of every other one. Of so many, more than some have to end
/// by themselves, after more than some instructions of all: `more_than` says of how many.
fn check(simulator: Simulator, programs: u32, more_than: (u64, u64)) {
    let model = (simulator.model)();
    let (mut ended, mut instructions) = (0, 0);
    let taken = u64::from(cases(programs));
    for seed in 0..taken {
        let program = random_program(model, seed);
        let follow =
            |engine: &mut dyn Engine| seed % 2 == 1 && engine.record_calls(small_functions(program.pc));
        let mut engine = simulator.engine(EngineKind::Reference);
        follow(engine.as_mut());
        let reference = program.run(engine.as_mut(), model);
        let calls = engine.calls();
        let measurement = engine.measurement().expect("the engine profiles");
        check_sums(&measurement, engine.instructions(), engine.cycles());
        ended += u64::from(reference.stop != Stop::Budget);
        instructions += engine.instructions();
        let report = reference.report.unwrap_or_default();
        for mut way in ways(&simulator, &[1, 7, 0, 13]) {
            let follows = follow(way.engine.as_mut());
            let outcome = program.run(way.engine.as_mut(), model);
            let context = format!("{}, seed {seed}, {}", simulator.name, way.name);
            if follows {
                assert_eq!(calls, way.engine.calls(), "{context}: calls");
            }
            assert_eq!(difference(&reference.state, &outcome.state), None, "{context}: state");
            if let Some(found) = &outcome.report {
                assert_eq!(difference(&report, found), None, "{context}: report");
            }
        }
        let events = EventFile::new(&simulator);
        let mut engine = simulator.telling_engine(Box::new(events.clone()));
        program.run(engine.as_mut(), model);
        drop(engine);
        assert_eq!(difference(&report, &events.report()), None, "seed {seed}: replayed from its events");
        if seed % 4 == 0 {
            let run = |engine: &mut dyn Engine| {
                program.run(engine, model);
            };
            let random = Sampling { burst: 2, seed: Some(seed), ..Sampling::every(7) };
            check_samples(&simulator, if seed % 8 == 0 { random } else { Sampling::every(3) }, &run);
            check_values(&simulator, (program.pc, program.pc + LENGTH as u64 / 2), &run);
        }
    }
    // The same share of fewer programs.
    let is_more = |found: u64, least: u64| found * u64::from(programs) > least * taken;
    let (least_ended, least_instructions) = more_than;
    assert!(
        is_more(ended, least_ended) && is_more(instructions, least_instructions),
        "{ended} of {taken} programs ended, {instructions} instructions"
    );
}

#[test]
fn activation_and_operands_inside_operands_run_the_same_on_every_engine() {
    check(simulator!(queue, queue_stepwise), 200, (50, 500));
}

#[test]
fn odd_widths_and_cancelled_instructions_run_the_same_on_every_engine() {
    check(simulator!(cells12, cells12_stepwise), 200, (50, 400));
}

#[test]
fn activation_by_decoded_operations_runs_the_same_on_every_engine() {
    check(simulator!(classic, classic_stepwise), 50, (25, 50));
}

#[test]
fn wide_arithmetic_runs_the_same_on_every_engine() {
    check(simulator!(wide, wide_stepwise), 200, (50, 2_000));
}

#[test]
fn names_of_the_generated_code_and_slices_of_expressions_run_the_same_on_every_engine() {
    check(simulator!(names, names_stepwise), 200, (50, 2_000));
}

#[test]
fn ranges_onto_registers_and_functions_run_the_same_on_every_engine() {
    check(simulator!(ranges, ranges_stepwise), 200, (50, 500));
}

#[test]
fn words_of_several_widths_run_the_same_on_every_engine() {
    check(simulator!(decoding, decoding_stepwise), 100, (20, 100));
}

#[test]
fn words_behind_the_instruction_run_the_same_on_every_engine() {
    check(simulator!(tails, tails_stepwise), 100, (20, 100));
}

#[test]
fn locals_and_references_run_the_same_on_every_engine() {
    check(simulator!(locals, locals_stepwise), 200, (0, 500));
}

#[test]
fn addressing_modes_with_side_effects_run_the_same_on_every_engine() {
    check(simulator!(modes, modes_stepwise), 200, (0, 500));
}

#[test]
fn places_that_are_found_once_run_the_same_on_every_engine() {
    check(simulator!(places, places_stepwise), 200, (all_or(30, 20), 2_000));
}

#[test]
fn operands_that_may_end_their_instruction_run_the_same_on_every_engine() {
    check(simulator!(leaves, leaves_stepwise), 400, (100, 2_000));
}

#[test]
fn referred_places_that_are_found_once_run_the_same_on_every_engine() {
    check(simulator!(shared, shared_stepwise), 200, (50, 500));
}

#[test]
fn opcodes_below_their_formats_run_the_same_on_every_engine() {
    check(simulator!(formats, formats_stepwise), 400, (100, 4_000));
}

#[test]
fn the_model_alias_runs_the_same_on_every_engine() {
    check(simulator!(alias, alias_stepwise), 200, (0, 500));
}

#[test]
fn cycles_without_an_instruction_are_the_same_on_every_engine() {
    check(simulator!(idle, idle_stepwise), 200, (40, 10_000));
}

#[test]
fn the_model_devices_runs_the_same_on_every_engine() {
    check(simulator!(devices, devices_stepwise), 200, (0, 500));
}

#[test]
fn counts_of_the_run_are_the_same_on_every_engine() {
    check(simulator!(counts, counts_stepwise), 200, (100, 1_000));
}

/// Runs a program of the model `counts` from address 0 every way: how it ends, and its registers.
fn count(program: &[u8], turns: u128) -> (Stop, Vec<u128>) {
    let simulator = simulator!(counts, counts_stepwise);
    let model = (simulator.model)();
    let file = model.registers.iter().position(|register| register.name == "r").expect("it has a file");
    let memory = vec![(0, program.to_vec())];
    let program = Program { memory, registers: vec![(file, 0, turns)], budget: 300, ..Program::default() };
    let mut outcomes = Vec::new();
    let whole = Way { name: "reference", engine: simulator.engine(EngineKind::Reference) };
    for mut way in std::iter::once(whole).chain(ways(&simulator, &[1, 2, 3])) {
        let stop = program.run(way.engine.as_mut(), model).stop;
        let machine = way.engine.machine();
        let values = (0..8).map(|element| machine.read_register(file, element));
        outcomes.push((way.name, (stop, values.collect::<Vec<u128>>())));
    }
    let (_, first) = outcomes[0].clone();
    for (name, outcome) in outcomes {
        assert_eq!(outcome, first, "{name}");
    }
    first
}

/// `time`, `ended` and `wait` of the model `counts`.
const TIME: u8 = 0;
const ENDED: u8 = 8;
const WAIT: u8 = 16;
const DROP: u8 = 0x40;
const OFF: u8 = 0x41;

#[test]
fn cycles_and_instructions_are_told_in_the_middle_of_blocks() {
    // The first cycle is number 0; `wait` counts its own extra cycles, and what was cancelled is a
    // cycle, but no instruction that has ended.
    let program = [ENDED + 1, TIME + 2, WAIT + 5, TIME + 3, DROP, ENDED + 4, TIME + 5, OFF];
    assert_eq!(count(&program, 0), (Stop::Halted(15), vec![0, 0, 1, 8, 4, 14, 6, 7]));
    // Three turns more, each a block that was entered before.
    let program = [ENDED + 1, WAIT + 1, TIME + 2, 0x80, OFF];
    assert_eq!(count(&program, 3), (Stop::Halted(20), vec![0, 12, 18, 0, 0, 0, 16, 17]));
}

#[test]
fn a_fault_behind_a_write_to_an_exit_device_is_what_ends_the_run() {
    let (stop, values) = count(&[TIME + 1, 0x42], 0);
    assert!(matches!(stop, Stop::Fault(_)), "{stop:?}");
    assert_eq!(values, [0; 8]);
}

#[test]
fn sext_of_one_bit_and_of_all() {
    let sext = |operation: u8, value| count(&[operation << 3, OFF], value).1[0];
    let minus_one = u128::from(u64::MAX);
    assert_eq!((sext(3, 2), sext(3, 3)), (0, minus_one));
    assert_eq!((sext(4, 0x17f), sext(4, 0x180)), (0x7f, minus_one << 7 & minus_one));
    assert_eq!((sext(5, minus_one), sext(5, 1 << 62)), (minus_one, 1 << 61));
}

#[test]
fn the_model_parts_runs_the_same_on_every_engine() {
    check(simulator!(parts, parts_stepwise), 200, (0, 500));
}

#[test]
fn the_model_trap_runs_the_same_on_every_engine() {
    check(simulator!(trap, trap_stepwise), 200, (0, 500));
}

#[test]
fn the_model_vectors_runs_the_same_on_every_engine() {
    check(simulator!(vectors, vectors_stepwise), 200, (100, 600));
}

#[test]
fn bundles_in_wide_registers_run_the_same_on_every_engine() {
    check(simulator!(bundle, bundle_stepwise), 100, (50, 300));
}

#[test]
fn bundles_in_wide_cells_run_the_same_on_every_engine() {
    check(simulator!(fetched, fetched_stepwise), 100, (50, 300));
}

#[test]
fn several_words_and_what_was_chosen_run_the_same_on_every_engine() {
    check(simulator!(root, root_stepwise), 100, (5, 10_000));
}

#[test]
fn an_element_that_its_coding_root_asks_runs_the_same_on_every_engine() {
    check(simulator!(asked, asked_stepwise), 80, (20, 300));
}

#[test]
fn words_that_registers_hold_run_the_same_on_every_engine() {
    check(simulator!(root_values, root_values_stepwise), 200, (50, 1_000));
}

#[test]
fn opcodes_taken_from_below_their_formats_run_the_same_on_every_engine() {
    check(simulator!(taken, taken_stepwise), 200, (0, 500));
}

#[test]
fn what_several_operations_above_take_is_scheduled_by_each_of_them() {
    check(simulator!(retaken, retaken_stepwise), 200, (0, 500));
}
