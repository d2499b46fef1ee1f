//! Every engine follows the same calls, in one go or in small pieces.

#[path = "engines/random_program.rs"]
mod random_program;
mod support;

use std::collections::BTreeMap;

use gentool::assembler::Assembled;
use isac_ir::Model;
use proptest::prelude::*;
use random_program::{rv32im_program, tiny8_program, tree_program};
use sim_profile::flow::verify_calls;
use sim_profile::program::ImageFile;
use sim_profile::symbols::FunctionCells;
use sim_profile::{CallKind, Calls, Measurement, Profile, delay_slots};
use sim_runtime::host::{Host, Streams};
use sim_runtime::record::{FunctionMap, function_map, static_table};
use sim_runtime::reference::ReferenceEngine;
use sim_runtime::{Engine, Stop};
use support::assembled::assemble;
use support::description::lower;
use support::launch::{Guest, at_most};
use support::law::{Way, ways};
use support::paid::check_paid;
use support::program::Program;
use support::thorough::{cases, first_of};
use support::{
    ARMV6M, AVR, EngineKind, MIPS32, PDP11, RV32IM, RV32IM5, RV32IMC, RV64IMAC, Simulator, TINY8, TREE, path,
    simulator,
};

const PIECES: [u64; 7] = [1, 97, 0, 1009, 3, 4099, 13];

/// What runs: the address that it begins at, unless what runs it puts the PC there, and how.
struct Followed<'a> {
    begins_at: Option<u64>,
    run: &'a dyn Fn(&mut dyn Engine),
}

/// Follows the calls of a run on one engine.
fn follow(engine: &mut dyn Engine, simulator: &Simulator, map: &FunctionMap, followed: &Followed) -> Calls {
    // Calls are followed from the function on that the PC is in.
    if let Some(address) = followed.begins_at {
        engine.machine().write_place(&(simulator.model)().pc, address.into());
    }
    assert!(engine.record_calls(map.clone()), "the engine follows calls");
    (followed.run)(engine);
    let calls = engine.calls().expect("the engine follows calls");
    let own: u64 = calls.functions.values().map(|function| function.own.instructions).sum();
    assert_eq!(own, engine.instructions(), "instructions of all functions");
    let own: u64 = calls.functions.values().map(|function| function.own.cycles).sum();
    assert_eq!(own, engine.cycles(), "cycles of all functions");
    let stacks: u64 = calls.contexts.iter().map(|context| context.own.cycles).sum();
    assert_eq!(own, stacks, "cycles of all stacks");
    if (simulator.model)().overlaps() {
        check_paid(&calls, &engine.measurement().expect("who profiles follows calls"), map);
    }
    calls
}

/// No run has done what no run can have done.
fn check_verified(model: &Model, measurement: Measurement, calls: &Calls, map: &FunctionMap) {
    let statics = static_table(model, &measurement);
    let profile = Profile { measurement, statics, calls: Some(calls.clone()), ..Profile::default() };
    let is_same = |address: u64, function: u64| match map.function_at(function) {
        Some(start) => map.function_at(address) == Some(start),
        None => address == function,
    };
    assert_eq!(verify_calls(&profile, &is_same), [], "what is verified");
}

/// Where a program file begins.
fn entry_of(bytes: &[u8]) -> u64 {
    use object::Object;
    object::File::parse(bytes).expect("the guest is an ELF file").entry()
}

/// What the reference engine follows; every other way to run does the same.
fn check(simulator: &Simulator, others: Vec<Way>, map: &FunctionMap, followed: &Followed) -> Calls {
    let mut reference = simulator.engine(EngineKind::Reference);
    let expected = follow(reference.as_mut(), simulator, map, followed);
    let measured = reference.measurement().expect("the engine profiles");
    check_verified((simulator.model)(), measured.clone(), &expected, map);
    // Where instructions overlap, who does not profile does not know whom cycles are lost for.
    let overlaps = (simulator.model)().overlaps();
    let follows = |way: &Way| !(overlaps && way.name.contains("unprofiled"));
    for Way { name, mut engine } in others.into_iter().filter(follows) {
        assert_eq!(follow(engine.as_mut(), simulator, map, followed), expected, "{name}");
        if let Some(measurement) = engine.measurement() {
            assert!(measurement == measured, "{name}: another measurement where calls are followed");
        }
    }
    expected
}

fn image_of(bytes: &[u8]) -> ImageFile<'_> {
    ImageFile { name: "guest.elf", bytes, base: None }
}

fn check_guest(simulator: &Simulator, guest: &Guest) -> Calls {
    let bytes = std::fs::read(path(guest.program)).expect("the guest is there");
    let map = function_map((simulator.model)(), &[image_of(&bytes)]);
    let run = |engine: &mut dyn Engine| {
        guest.run(simulator, engine);
    };
    let followed = Followed { begins_at: Some(entry_of(&bytes)), run: &run };
    let found = check(simulator, ways(simulator, &PIECES), &map, &followed);
    assert!(!found.arcs.is_empty(), "calls of {}", guest.program);
    found
}

#[test]
fn calls_of_guests_are_the_same_on_every_engine() {
    let options = at_most("100K", "5K");
    let limited = |program| Guest { options, ..Guest::new(program) };
    // With delay slots; with instructions of which any may be interrupted; with a program counter whose last bit is
    // masked; where calls have extra cycles; with a program counter of 64 bits.
    let guests: [(&Simulator, Guest); 10] = [
        (&RV32IM, limited("models/rv32im/programs/csv.elf")),
        (&MIPS32, limited("models/mips32/programs/csv.elf")),
        (&RV32IMC, limited("models/rv32imc/programs/csv.elf")),
        (&ARMV6M, limited("models/armv6m/programs/csv.elf")),
        (&AVR, limited("models/avr/programs/csv.elf")),
        (&RV64IMAC, limited("models/rv64imac/programs/csv.elf")),
        (&RV32IM, Guest::new("models/rv32im/programs/faults/syscalls.elf")),
        (&RV32IM, limited("models/rv32im/programs/bytecode.elf")),
        (&RV32IM, limited("models/rv32im/programs/sorting.elf")),
        (&MIPS32, limited("models/mips32/programs/sorting.elf")),
    ];
    for (simulator, guest) in first_of(6, guests) {
        check_guest(simulator, &guest);
    }
}

/// What was called from where, how often, and how many instructions that took; and those of functions.
type Counts = (Vec<(u64, u64, CallKind, u64, u64)>, Vec<(u64, u64, u64)>);

fn counts(calls: &Calls) -> Counts {
    let arcs = calls.arcs.iter();
    let arcs = arcs.map(|(key, arc)| (key.site, key.callee, key.kind, arc.calls, arc.inclusive.instructions));
    let functions = calls.functions.iter();
    let functions = functions.map(|(start, it)| (*start, it.own.instructions, it.inclusive.instructions));
    (arcs.collect(), functions.collect())
}

#[test]
fn a_pipeline_calls_what_the_same_instructions_call_without_one() {
    for program in first_of(1, ["models/rv32im/programs/crc32.elf", "models/rv32im/programs/sorting.elf"]) {
        let guest = Guest { arguments: &["1"], ..Guest::new(program) };
        let piped = check_guest(&RV32IM5, &guest);
        let bytes = std::fs::read(path(program)).expect("the guest is there");
        let map = function_map((RV32IM.model)(), &[image_of(&bytes)]);
        let run = |engine: &mut dyn Engine| {
            guest.run(&RV32IM, engine);
        };
        let mut engine = RV32IM.engine(EngineKind::Reference);
        let plain = follow(
            engine.as_mut(),
            &RV32IM,
            &map,
            &Followed { begins_at: Some(entry_of(&bytes)), run: &run },
        );
        assert_eq!(counts(&piped), counts(&plain), "{program}");
        assert!(piped.in_vain.values().sum::<u64>() > 0, "cycles that jumps have flushed");
    }
}

/// Functions of a few instructions from an address on, with gaps between them.
fn small_functions(first: u64) -> FunctionMap {
    let cells = |number: u64| {
        let start = first + number * 28;
        FunctionCells { start, end: start + 20 + (number % 2) * 8, function: start }
    };
    FunctionMap::new((0..64).map(cells).collect())
}

fn check_program(simulator: &Simulator, program: &Program, pieces: &[u64]) {
    let map = small_functions(program.pc);
    let run = |engine: &mut dyn Engine| {
        program.run(engine, (simulator.model)());
    };
    let followed = Followed { begins_at: Some(program.pc), run: &run };
    check(simulator, ways(simulator, pieces), &map, &followed);
}

fn pieces() -> impl Strategy<Value = Vec<u64>> {
    let pieces = prop::collection::vec(0..12u64, 1..8);
    pieces.prop_filter("the run must get on", |pieces| pieces.iter().any(|piece| *piece > 0))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(64), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn calls_of_random_programs_of_rv32im_are_the_same(program in rv32im_program(), pieces in pieces()) {
        check_program(&RV32IM, &program, &pieces);
    }

    #[test]
    fn calls_of_random_programs_of_tiny8_are_the_same(program in tiny8_program(), pieces in pieces()) {
        check_program(&TINY8, &program, &pieces);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(16), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn calls_of_random_programs_that_wrap_around_memory_are_the_same(
        program in tree_program(), pieces in pieces()
    ) {
        check_program(&TREE, &program, &pieces);
    }
}

/// Who comes straight to the delay slot of a call has called nothing: `beql` at 4 stands behind a `bltzall` that
/// is never taken, `jr` leads to it, and it skips its own slot.
#[test]
fn who_jumps_into_a_delay_slot_has_not_called() {
    const BASE: u64 = 0x40_0000;
    let words: [u32; 9] = [
        0x0412_000f, // 00 bltzall zero, 40
        0x512a_000e, // 04 beql    t1, t2, 40
        0x0100_0008, // 08 jr      t0
        0x0000_0000, // 0c nop
        0x2610_ffff, // 10 addiu   s0, s0, -1
        0x1600_fffc, // 14 bne     s0, zero, 08
        0x0000_0000, // 18 nop
        0x1000_ffff, // 1c b       1c
        0x0000_0000, // 20 nop
    ];
    let bytes = words.iter().flat_map(|word| word.to_be_bytes()).collect();
    let model = (MIPS32.model)();
    let registers =
        model.registers.iter().position(|register| register.count == Some(32)).expect("registers");
    let program = Program {
        memory: vec![(BASE, bytes)],
        registers: vec![
            (registers, 8, u128::from(BASE + 4)),
            (registers, 9, 1),
            (registers, 10, 2),
            (registers, 16, 2000),
        ],
        pc: BASE,
        watched: vec![],
        budget: 15_000,
    };
    let run = |engine: &mut dyn Engine| {
        program.run(engine, model);
    };
    let map = FunctionMap::new(vec![FunctionCells { start: BASE, end: BASE + 0x40, function: BASE }]);
    let calls = check(&MIPS32, ways(&MIPS32, &PIECES), &map, &Followed { begins_at: Some(BASE), run: &run });
    assert_eq!(calls.arcs, [].into());
}

/// A chain of functions that each jump to the next, in a direct way or by an address in a register, and the
/// first one of which is called again and again.
#[test]
fn a_long_chain_of_tail_calls_is_the_same_on_every_engine() {
    const BASE: u64 = 0x1_0000;
    const LINKS: u64 = 3_000;
    // lui and addi of the next address, jalr by it; every other one has a jump in their place.
    let link = |number: u64| -> [u32; 3] {
        let next = (BASE + (number + 1) * 12) as u32;
        let upper = next.wrapping_add(0x800) & 0xffff_f000;
        match number % 2 {
            _ if number + 1 == LINKS => [0x0000_8067, 0x13, 0x13],
            0 => [upper | 0x2b7, (next & 0xfff) << 20 | 0x2_8293, 0x0002_8067],
            _ => [0x00c0_006f, 0x13, 0x13],
        }
    };
    let start = BASE + LINKS * 12;
    // lui and jalr to the first, twice; then a jump to itself.
    let first = [(BASE as u32) | 0x337, 0x0003_00e7, 0x0003_00e7, 0x6f];
    let words = (0..LINKS).flat_map(link).chain(first);
    let bytes = words.flat_map(u32::to_le_bytes).collect();
    let program = Program {
        memory: vec![(BASE, bytes)],
        registers: vec![],
        pc: start,
        watched: vec![],
        budget: LINKS * 5,
    };
    let cells = |number: u64| {
        let start = BASE + number * 12;
        FunctionCells { start, end: start + 12, function: start }
    };
    let begins = FunctionCells { start, end: start + 16, function: start };
    let map = FunctionMap::new((0..LINKS).map(cells).chain([begins]).collect());
    let run = |engine: &mut dyn Engine| {
        program.run(engine, (RV32IM.model)());
    };
    let calls = check(&RV32IM, ways(&RV32IM, &PIECES), &map, &Followed { begins_at: Some(start), run: &run });
    let tails = calls.arcs.iter().filter(|(key, arc)| key.kind == CallKind::Tail && arc.calls == 2);
    assert_eq!(tails.count() as u64, LINKS - 1);
    assert_eq!(calls.contexts.len() as u64, LINKS + 1);
}

/// `jsr pc, routine` keeps the address behind it on the stack, `rts pc` takes it from there.
#[test]
fn a_call_that_keeps_its_address_in_memory_is_one() {
    let words: [u16; 8] = [0o004767, 0o000004, 0o000000, 0o000240, 0o005200, 0o000207, 0, 0];
    let bytes = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let program = Program {
        memory: vec![(0x1000, bytes)],
        registers: vec![(0, 6, 0x2000)],
        pc: 0x1000,
        watched: vec![],
        budget: 10,
    };
    let run = |engine: &mut dyn Engine| {
        program.run(engine, (PDP11.model)());
    };
    let cells = |start, end| FunctionCells { start, end, function: start };
    let map = FunctionMap::new(vec![cells(0x1000, 0x1008), cells(0x1008, 0x1010)]);
    let calls = check(&PDP11, ways(&PDP11, &PIECES), &map, &Followed { begins_at: Some(0x1000), run: &run });
    let arcs: Vec<_> =
        calls.arcs.iter().map(|(key, arc)| (key.site, key.callee, key.kind, arc.calls)).collect();
    assert_eq!(arcs, [(0x1000, 0x1008, CallKind::Call, 1)], "{arcs:x?}");
    assert_eq!(calls.functions[&0x1008].own.instructions, 2);
}

/// Functions by name, each from its label to the next.
fn labelled(program: &Assembled, names: &[&str]) -> Vec<(String, u64)> {
    let value = |name: &str| {
        let symbol = program.symbols.iter().find(|symbol| symbol.name == name).expect("a label");
        symbol.value as u64
    };
    names.iter().map(|name| ((*name).to_owned(), value(name))).collect()
}

/// The calls of a program of `rv32imc` with these functions, each of which ends where the next begins.
fn calls_of_program(program: &Assembled, functions: &[(String, u64)]) -> Calls {
    let ends = functions.iter().skip(1).map(|(_, start)| *start).chain([u64::from(u32::MAX)]);
    let cells = functions.iter().zip(ends);
    let cells = cells.map(|((_, start), end)| FunctionCells { start: *start, end, function: *start });
    let map = FunctionMap::new(cells.collect());
    let pieces = program.pieces.iter();
    let pieces: Vec<(u64, &[u8])> = pieces.map(|piece| (piece.address, &piece.bytes[..])).collect();
    let run = |engine: &mut dyn Engine| run_to_the_end(engine, &pieces);
    let followed = Followed { begins_at: Some(program.entry), run: &run };
    check(&RV32IMC, ways(&RV32IMC, &PIECES), &map, &followed)
}

/// A function returns from two places, to three places, in turns: what is remembered of one return is not counted for
/// another.
#[test]
fn a_function_returns_from_several_places() {
    const TURNS: u64 = 700;
    let program = assemble((RV32IMC.model)(), include_str!("calls/returns.s"));
    let functions = labelled(&program, &["_start", "either", "through"]);
    let calls = calls_of_program(&program, &functions);
    let arcs: Vec<_> = calls.arcs.iter().map(|(key, arc)| (key.callee, key.kind, arc.calls)).collect();
    let (either, through) = (functions[1].1, functions[2].1);
    let mut expected = vec![(either, CallKind::Call, TURNS); 2];
    expected.extend([(through, CallKind::Call, TURNS), (either, CallKind::Call, TURNS)]);
    assert_eq!(arcs, expected);
}

/// An interrupt that strikes at a call, a return or a jump hides nothing: the instruction has done what it does,
/// and then the handler is called.
#[test]
fn what_is_struck_by_an_interrupt_calls_and_returns_all_the_same() {
    const TURNS: u64 = 600;
    let program = assemble((RV32IMC.model)(), include_str!("calls/struck.s"));

    let names = ["_start", "first", "second", "third", "rearm", "trap"];
    let functions = labelled(&program, &names);
    let calls = calls_of_program(&program, &functions);

    let name =
        |address: u64| &functions.iter().find(|(_, start)| *start == address).expect("a function").0[..];
    let mut arcs = BTreeMap::new();
    let mut struck = BTreeMap::new();
    for (key, arc) in &calls.arcs {
        *arcs.entry((name(key.caller), name(key.callee), key.kind)).or_insert(0) += arc.calls;
        if key.kind == CallKind::Interrupt {
            *struck.entry(key.site).or_insert(0) += arc.calls;
        }
    }
    let interrupts: u64 = struck.values().sum();
    assert!(interrupts > 200, "{interrupts} interrupts");
    arcs.retain(|(_, _, kind), _| *kind != CallKind::Interrupt);
    let expected = [
        (("_start", "first", CallKind::Call), TURNS),
        (("_start", "rearm", CallKind::Call), 1),
        (("_start", "second", CallKind::Call), TURNS),
        (("_start", "third", CallKind::Call), TURNS),
        (("second", "first", CallKind::Call), TURNS),
        (("third", "first", CallKind::Tail), TURNS),
        (("trap", "rearm", CallKind::Call), interrupts),
    ];
    assert_eq!(arcs, expected.into());
    // What leads elsewhere was struck, too: where it had gone stands as the place that calls.
    let places =
        ["turn", "computed", "first", "second", "third", "behind_first", "behind_second", "behind_third"];
    let missed = labelled(&program, &places).into_iter().filter(|(_, site)| !struck.contains_key(site));
    assert_eq!(missed.collect::<Vec<_>>(), [], "{struck:x?}");
    let own: u64 = calls.functions[&functions[5].1].own.instructions;
    assert_eq!(own, interrupts * 5, "the handler's own instructions");
}

/// The same of a processor of a few instructions, in both forms of a simulator.
#[test]
fn what_is_struck_anywhere_calls_and_returns_all_the_same() {
    const STRIKES: Simulator = simulator!(strikes, strikes_stepwise);
    // load 30; call 20, call_there, again 11, stop; at 20 twice nothing, back; at 30 nothing, back; at 80 the handler.
    let pieces: [(u64, &[u8]); 4] =
        [(0x10, &[0xf0, 0xa0, 2, 0x51, 5]), (0x20, &[1, 1, 3]), (0x30, &[1, 3]), (0x80, &[1, 4])];
    let cells = |(start, end)| FunctionCells { start, end, function: start };
    let map = FunctionMap::new([(0x10, 0x20), (0x20, 0x30), (0x30, 0x40), (0x80, 0x90)].map(cells).to_vec());
    let run = |engine: &mut dyn Engine| run_to_the_end(engine, &pieces);
    let followed = Followed { begins_at: Some(0x10), run: &run };
    let calls = check(&STRIKES, ways(&STRIKES, &PIECES), &map, &followed);
    let times = |site: u64, callee: u64, kind: CallKind| {
        let arcs =
            calls.arcs.iter().filter(|(key, _)| (key.site, key.callee, key.kind) == (site, callee, kind));
        arcs.map(|(_, arc)| arc.calls).sum::<u64>()
    };
    assert_eq!(times(0x11, 0x20, CallKind::Call), 100);
    assert_eq!(times(0x12, 0x30, CallKind::Call), 100);
    let struck = calls.arcs.iter().filter(|(key, _)| key.kind == CallKind::Interrupt);
    let sites: Vec<u64> = struck.map(|(key, _)| key.site).collect();
    // Behind the calls, the branch and both returns.
    assert!([0x20, 0x30, 0x11, 0x12, 0x13].iter().all(|site| sites.contains(site)), "{sites:x?}");
    let others = calls.arcs.keys().filter(|key| key.kind == CallKind::Tail);
    assert_eq!(others.count(), 0, "{:?}", calls.arcs);
}

/// Runs bytes in memory until they halt.
fn run_to_the_end(engine: &mut dyn Engine, pieces: &[(u64, &[u8])]) {
    for (address, bytes) in pieces {
        engine.machine().write_bytes(0, *address, bytes).expect("it lies in memory");
    }
    let mut host = Host::new(Streams::captured(b"").0);
    loop {
        match engine.run(&mut host, 1_000_000) {
            Stop::Paused { .. } => {}
            stop => return assert_eq!(stop, Stop::Halted(0)),
        }
    }
}

/// Site, function, kind and number of the calls of a program of a processor of a few instructions, which begins at
/// 10; the functions begin at addresses and have 16 cells at most.
fn arcs_of(
    simulator: &Simulator,
    functions: &[u64],
    pieces: &[(u64, &[u8])],
) -> Vec<(u64, u64, CallKind, u64)> {
    let ends = functions.iter().skip(1).chain([&0x100]);
    let cells = functions.iter().zip(ends);
    let cells =
        cells.map(|(&start, &end)| FunctionCells { start, end: end.min(start + 0x10), function: start });
    let run = |engine: &mut dyn Engine| run_to_the_end(engine, pieces);
    let followed = Followed { begins_at: Some(0x10), run: &run };
    let calls = check(simulator, ways(simulator, &PIECES), &FunctionMap::new(cells.collect()), &followed);
    calls.arcs.iter().map(|(key, arc)| (key.site, key.callee, key.kind, arc.calls)).collect()
}

/// A prediction that an operation of its own makes sends the run where the instruction leads.
#[test]
fn what_is_predicted_beside_the_instructions_calls_and_returns() {
    const PREDICTS: Simulator = simulator!(predicts_beside, predicts_beside_stepwise);
    // As below, without a handler.
    let pieces: [(u64, &[u8]); 3] = [(0x10, &[0xf0, 0xa0, 2, 0x51, 5]), (0x20, &[1, 1, 3]), (0x30, &[1, 3])];
    let called = [(0x11, 0x20, CallKind::Call, 100), (0x12, 0x30, CallKind::Call, 100)];
    assert_eq!(arcs_of(&PREDICTS, &[0x10, 0x20, 0x30], &pieces), called);
}

/// What an interrupt strikes or cancels has not run; it does when the handler comes back, also where it is the first
/// instruction of a function.
#[test]
fn what_is_struck_by_an_interrupt_is_called_once() {
    const CANCELS: Simulator = simulator!(cancels, cancels_stepwise);
    const IN_FLIGHT: Simulator = simulator!(cancels_in_flight, cancels_in_flight_stepwise);
    const BESIDE: Simulator = simulator!(strikes_in_flight, strikes_in_flight_stepwise);
    const BEFORE: Simulator = simulator!(strikes_before_fetch, strikes_before_fetch_stepwise);
    // load 30; call 20, call_there, again 11, stop; at 20 twice nothing, back; at 30 nothing, back; at 80 the handler.
    let pieces: [(u64, &[u8]); 4] =
        [(0x10, &[0xf0, 0xa0, 2, 0x51, 5]), (0x20, &[1, 1, 3]), (0x30, &[1, 3]), (0x80, &[1, 4])];
    // Each is due eight instructions behind the one before, or nine.
    for (simulator, expected) in [(CANCELS, 160), (IN_FLIGHT, 160), (BESIDE, 115), (BEFORE, 115)] {
        let arcs = arcs_of(&simulator, &[0x10, 0x20, 0x30, 0x80], &pieces);
        let (struck, called): (Vec<_>, Vec<_>) =
            arcs.into_iter().partition(|(_, _, kind, _)| *kind == CallKind::Interrupt);
        assert_eq!(called, [(0x11, 0x20, CallKind::Call, 100), (0x12, 0x30, CallKind::Call, 100)]);
        let sites: Vec<u64> = struck.iter().map(|(site, ..)| *site).collect();
        assert!(struck.iter().all(|(_, handler, ..)| *handler == 0x80), "{struck:x?}");
        let times: u64 = struck.iter().map(|(.., calls)| calls).sum();
        assert_eq!(times, expected, "interrupts");
        // The first instructions of functions, too.
        assert!([0x20, 0x30].iter().all(|site| sites.contains(site)), "{sites:x?}");
    }
}

/// Loops in hardware go back by themselves, and neither call nor interrupt anything. A label within makes the way
/// into the last instruction a tail call.
#[test]
fn loops_in_hardware_call_nothing() {
    const REPEATS: Simulator = simulator!(repeats, repeats_stepwise);
    // The same instructions, which keep the program counter where it is, and look after loops beside themselves.
    const STAYS: Simulator = simulator!(stays, stays_stepwise);
    // A loop of four, five times more, with a call and a repeated instruction in it; repeat, and what that repeats
    // has a label; stop. The function at 20 repeats an instruction.
    let pieces: [(u64, &[u8]); 2] = [(0x10, &[0xec, 1, 0xa0, 0x43, 1, 0x45, 1, 3]), (0x20, &[0x47, 1, 1, 2])];
    let call = (0x12, 0x20, CallKind::Call, 6);
    for simulator in [REPEATS, STAYS] {
        let found = arcs_of(&simulator, &[0x10, 0x16, 0x20], &pieces);
        assert_eq!(found, [call, (0x15, 0x16, CallKind::Tail, 1)]);
        assert_eq!(arcs_of(&simulator, &[], &pieces), [call]);
    }
}

/// In a pipeline that flushes nothing the instructions fetched behind a branch run before it takes effect; the
/// last of them calls.
#[test]
fn branches_that_take_effect_later_call_and_return() {
    const AHEAD: Simulator = simulator!(ahead, ahead_stepwise);
    // Call 20; jump 18; at 18 call 30, again 18, stop. The function at 20 calls 30 by a jump; that returns.
    let pieces: [(u64, &[u8]); 4] = [
        (0x10, &[0xa0, 1, 1, 0xd8, 1, 1]),
        (0x18, &[0xb0, 1, 1, 0x58, 1, 1, 3, 1, 1]),
        (0x20, &[1, 0xf0, 1, 1]),
        (0x30, &[1, 2, 1, 1]),
    ];
    let tail = (0x23, 0x30, CallKind::Tail, 1);
    let calls = [(0x12, 0x20, CallKind::Call, 1), (0x1a, 0x30, CallKind::Call, 10)];
    assert_eq!(arcs_of(&AHEAD, &[0x10, 0x20, 0x30], &pieces), [calls[0], calls[1], tail]);
    assert_eq!(arcs_of(&AHEAD, &[], &pieces), calls);
    // What is transferred from where tells how many slots there are.
    let mut engine = AHEAD.engine(EngineKind::Reference);
    run_to_the_end(engine.as_mut(), &pieces);
    let measurement = engine.measurement().expect("the engine profiles");
    let slots = delay_slots(&static_table((AHEAD.model)(), &measurement));
    assert_eq!(slots, [0x10, 0x13, 0x18, 0x1b, 0x21, 0x31].map(|branch| (branch + 2, branch)).into());
}

/// A delay slot may be told by a count that steps use up.
#[test]
fn a_count_of_steps_makes_a_delay_slot() {
    const DELAYED: Simulator = simulator!(delayed, delayed_stepwise);
    // Call 20; jump 18; at 18 call 30, again 18, stop. The function at 20 calls 30 by a jump; that returns.
    let pieces: [(u64, &[u8]); 4] = [
        (0x10, &[0xa0, 1, 0xd8, 1]),
        (0x18, &[0xb0, 1, 0x58, 1, 3]),
        (0x20, &[1, 0xf0, 1]),
        (0x30, &[1, 2, 1]),
    ];
    let tail = (0x22, 0x30, CallKind::Tail, 1);
    let calls = [(0x11, 0x20, CallKind::Call, 1), (0x19, 0x30, CallKind::Call, 10)];
    assert_eq!(arcs_of(&DELAYED, &[0x10, 0x20, 0x30], &pieces), [calls[0], calls[1], tail]);
    assert_eq!(arcs_of(&DELAYED, &[], &pieces), calls);
}

/// Where the processor has gone on by itself to where a branch leads, that has called and returned all the same.
#[test]
fn branches_that_were_predicted_call_and_return() {
    const PREDICTED: Simulator = simulator!(predicted, predicted_stepwise);
    // Call 20; call 30; again 10; stop. The function at 20 calls 30 by a jump; that returns.
    let pieces: [(u64, &[u8]); 3] =
        [(0x10, &[0xa0, 1, 0xb0, 0x50, 3, 1, 1]), (0x20, &[1, 0xf0]), (0x30, &[1, 2])];
    let tail = (0x21, 0x30, CallKind::Tail, 10);
    let calls = [(0x10, 0x20, CallKind::Call, 10), (0x12, 0x30, CallKind::Call, 10)];
    assert_eq!(arcs_of(&PREDICTED, &[0x10, 0x20, 0x30], &pieces), [calls[0], calls[1], tail]);
    assert_eq!(arcs_of(&PREDICTED, &[], &pieces), calls);
}

/// Where `main` takes interrupts before it decodes, they strike behind the instruction before.
#[test]
fn what_is_struck_before_the_next_is_decoded_calls_and_returns_all_the_same() {
    let model = lower("tests/models/strikes_before.isac");
    // nothing, call 20, stop; at 20 three times nothing, back; at 80 the handler.
    let pieces: [(u64, &[u8]); 3] = [(0x10, &[1, 0xa0, 4]), (0x20, &[1, 1, 2]), (0x80, &[1, 3])];
    let mut engine = ReferenceEngine::new(&model);
    for (address, bytes) in pieces {
        engine.machine().write_bytes(0, address, bytes).expect("it lies in memory");
    }
    let cells = |(start, end)| FunctionCells { start, end, function: start };
    let map = FunctionMap::new([(0x10, 0x20), (0x20, 0x80), (0x80, 0x90)].map(cells).to_vec());
    assert!(engine.record_calls(map));
    assert_eq!(engine.run(&mut Host::new(Streams::captured(b"").0), 100), Stop::Halted(0));
    let calls = engine.calls().expect("calls are followed");
    let arcs: Vec<_> =
        calls.arcs.iter().map(|(key, arc)| (key.caller, key.site, key.callee, key.kind, arc.calls)).collect();
    let expected = [
        (0x10, 0x11, 0x20, CallKind::Call, 1),
        (0x10, 0x12, 0x80, CallKind::Interrupt, 1),
        (0x20, 0x20, 0x80, CallKind::Interrupt, 1),
    ];
    assert_eq!(arcs, expected);
    let own: Vec<u64> = calls.functions.values().map(|function| function.own.instructions).collect();
    assert_eq!(own, [3, 3, 4]);
}
