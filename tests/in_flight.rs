//! Models whose instructions overlap: random programs end in the same state, after the same cycles
//! and with the same report on every engine.

mod support;

use isac_ir::Model;
use sim_profile::summary::Summary;
use sim_profile::symbols::FunctionCells;
use sim_profile::{Calls, render_xml};
use sim_runtime::host::{Host, Streams};
use sim_runtime::record::FunctionMap;
use sim_runtime::{Engine, Stop};
use support::law::{EventFile, check_time};
use support::paid::check_paid;
use support::program::registers_text;
use support::random::Random;
use support::random_word::{random_word, root_decoder};
use support::thorough::{all_or, quarter};
use support::values::check_values;
use support::{EngineKind, Simulator, difference, simulator};

/// Words of a random program.
const LENGTH: u64 = 24;
/// Cycles after which a run is left.
const CYCLES: u64 = 200;

/// How a run went: state, report and calls.
struct Outcome {
    stop: Stop,
    state: String,
    report: Option<String>,
    calls: Option<Calls>,
}

/// Functions of some instructions where programs lie, every other one with a gap behind it.
fn small_functions() -> FunctionMap {
    let cells = |number: u64| {
        let start = number * 16;
        FunctionCells { start, end: start + 12 + number % 2 * 4, function: start }
    };
    FunctionMap::new((0..40).map(cells).collect())
}

/// Random words where the processor begins; one in eight is any number, which may be illegal.
fn random_program(model: &Model, seed: u64) -> Vec<u8> {
    let mut random = Random::new(seed);
    let decoder = root_decoder(model);
    let width = model.decoders[decoder as usize].width_bits;
    let mut bytes = Vec::new();
    for _ in 0..LENGTH {
        let word = random_word(model, decoder, &mut random);
        let mut word = match random.below_u64(8) {
            0 => random.next().to_be_bytes()[..(width / 8) as usize].to_vec(),
            _ => word.to_be_bytes(width),
        };
        if !model.target.big_endian {
            word.reverse();
        }
        bytes.extend(word);
    }
    bytes
}

/// Runs a program in pieces of so many cycles.
fn run(engine: &mut dyn Engine, model: &Model, program: &[u8], piece: u64) -> Outcome {
    let map = model.target.host_map.unwrap_or(0) as usize;
    engine.machine().write_bytes(map, 0, program).expect("the program lies in memory");
    let (streams, ..) = Streams::captured(b"");
    let mut host = Host::new(streams);
    let mut stop = Stop::Budget;
    let follows = engine.record_calls(small_functions());
    for _ in 0..CYCLES / piece {
        stop = engine.run(&mut host, piece);
        if !matches!(stop, Stop::Paused { .. }) {
            break;
        }
        let _ = (engine.measurement(), engine.calls());
    }
    let mut bytes = vec![0; 64];
    engine.machine().read_bytes(map, 0, &mut bytes).expect("there is memory");
    let counts = format!("instructions {}, cycles {}", engine.instructions(), engine.cycles());
    let caches = engine.caches();
    let state = format!("{stop:?}\n{counts}\n{caches:?}\n{}\n{bytes:02x?}", registers_text(engine, model));
    let measurement = engine.measurement();
    let calls = engine.calls();
    assert_eq!(follows, calls.is_some(), "who can follow calls does");
    if let Some((calls, measurement)) = calls.as_ref().zip(measurement.as_ref()) {
        check_calls(engine, calls);
        check_paid(calls, measurement, &small_functions());
    }
    let report = measurement.map(|measurement| render_xml(&measurement));
    Outcome { stop, state, report, calls }
}

/// Functions have spent what the run has.
fn check_calls(engine: &dyn Engine, calls: &Calls) {
    let own = calls.functions.values().map(|function| function.own);
    let own = own.fold((0, 0), |sum, own| (sum.0 + own.instructions, sum.1 + own.cycles));
    assert_eq!(own, (engine.instructions(), engine.cycles()), "of all functions");
}

/// Every cycle is one that an instruction began, or one in which none did.
fn check_sums(engine: &mut dyn Engine) -> Summary {
    let measurement = engine.measurement().expect("the engine profiles");
    measurement.validate().expect("the measurement is sound");
    let summary = Summary::of(&measurement);
    check_time(&measurement);
    assert_eq!(summary.total_cycles, engine.cycles(), "cycles of the engine");
    assert!(summary.executed <= engine.instructions(), "more executed than have ended");
    summary
}

/// What happened in all programs of a model.
#[derive(Debug, Default)]
struct Total {
    executed: u64,
    cancelled: u64,
    faulted: u64,
    idle_cycles: u64,
    /// Programs that halted.
    halted: u64,
    hits: u64,
    misses: u64,
    write_backs: u64,
}

impl Total {
    fn times(self, factor: u64) -> Total {
        let Total { executed, cancelled, faulted, idle_cycles, halted, hits, misses, write_backs } = self;
        let all = [executed, cancelled, faulted, idle_cycles, halted, hits, misses, write_backs];
        let [executed, cancelled, faulted, idle_cycles, halted, hits, misses, write_backs] =
            all.map(|sum| sum * factor);
        Total { executed, cancelled, faulted, idle_cycles, halted, hits, misses, write_backs }
    }
}

/// Runs random programs on every engine. Where it is less than all of them, the total is as if there were more.
fn check(simulator: Simulator, programs: u64) -> Total {
    let model = (simulator.model)();
    let (mut total, mut places) = (Total::default(), 0);
    for seed in 0..quarter(programs) {
        let program = random_program(model, seed);
        let context = |what: &str| format!("{}, seed {seed}: {what}", simulator.name);
        let mut engine = simulator.engine(EngineKind::Reference);
        let reference = run(engine.as_mut(), model, &program, 1);
        let summary = check_sums(engine.as_mut());
        total.executed += summary.executed;
        total.cancelled += summary.cancelled;
        total.faulted += summary.faulted;
        total.idle_cycles += summary.idle_cycles;
        for cache in engine.caches() {
            total.hits += cache.lines.hits;
            total.misses += cache.lines.misses;
            total.write_backs += cache.lines.write_backs;
        }
        total.halted += u64::from(matches!(reference.stop, Stop::Halted(_)));
        let report = reference.report.unwrap_or_default();
        for kind in [
            EngineKind::Emitted,
            EngineKind::Unprofiled,
            EngineKind::Stepwise,
            EngineKind::StepwiseUnprofiled,
        ] {
            let mut engine = simulator.engine(kind);
            let outcome = run(engine.as_mut(), model, &program, 1);
            let found = difference(&reference.state, &outcome.state);
            assert_eq!(found, None, "{}", context(&format!("state, {kind:?}")));
            if let Some(found) = &outcome.report {
                assert_eq!(difference(&report, found), None, "{}", context("report"));
                assert_eq!(reference.calls, outcome.calls, "{}", context(&format!("calls, {kind:?}")));
            }
        }
        let [whole, emitted] = [EngineKind::Reference, EngineKind::Emitted].map(|kind| {
            let outcome = run(simulator.engine(kind).as_mut(), model, &program, CYCLES);
            outcome.state + &outcome.report.unwrap_or_default()
        });
        assert_eq!(difference(&whole, &emitted), None, "{}", context("in one go"));
        let events = EventFile::new(&simulator);
        let mut engine = simulator.telling_engine(Box::new(events.clone()));
        run(engine.as_mut(), model, &program, 1);
        drop(engine);
        assert_eq!(difference(&report, &events.report()), None, "{}", context("replayed from its events"));
        if seed % 4 == 0 {
            places += check_values(&simulator, (8, 40), &|engine| {
                run(engine, model, &program, 1);
            });
        }
    }
    assert!(places > 20, "{}: values at {places} places", simulator.name);
    total.times(programs / quarter(programs))
}

#[test]
fn five_stages_with_interlocks_and_flushes_run_the_same_on_every_engine() {
    let total = check(simulator!(five, five_stepwise), 400);
    assert!(total.executed > 5_000 && total.cancelled > all_or(300, 250), "{total:?}");
    assert!(total.faulted > 200 && total.idle_cycles > 200 && total.halted > all_or(40, 30), "{total:?}");
}

#[test]
fn an_instruction_cache_is_the_same_on_every_engine() {
    let total = check(simulator!(icache, icache_stepwise), 300);
    assert!(total.executed > 2_000 && total.cancelled > 100, "{total:?}");
    assert!(total.hits > 1_000 && total.misses > 500, "{total:?}");
}

#[test]
fn a_data_cache_that_writes_back_is_the_same_on_every_engine() {
    let total = check(simulator!(dcache, dcache_stepwise), 400);
    assert!(total.executed > 4_000 && total.cancelled > 200, "{total:?}");
    assert!(total.hits > 300 && total.misses > 100 && total.write_backs > 0, "{total:?}");
}

#[test]
fn stages_that_several_turns_hold_at_once_run_the_same_on_every_engine() {
    let total = check(simulator!(holds, holds_stepwise), 600);
    assert!(total.executed > 5_000 && total.halted > 200, "{total:?}");
    assert!(total.faulted > 200 && total.idle_cycles > 7_000, "{total:?}");
}

#[test]
fn operands_that_try_again_and_stalls_for_several_reasons_run_the_same_on_every_engine() {
    let total = check(simulator!(waits, waits_stepwise), 600);
    assert!(total.executed > 5_000 && total.halted > 100 && total.misses > 400, "{total:?}");
    assert!(total.faulted > 100 && total.idle_cycles > 1_500, "{total:?}");
}

#[test]
fn a_retry_in_the_first_stage_runs_the_same_on_every_engine() {
    let total = check(simulator!(gate, gate_stepwise), 200);
    assert!(total.executed > 200 && total.idle_cycles > 100, "{total:?}");
}

#[test]
fn an_instruction_that_cancels_itself_runs_the_same_on_every_engine() {
    let total = check(simulator!(cancel, cancel_stepwise), 200);
    assert!(total.executed > 200 && total.cancelled > 200, "{total:?}");
}

#[test]
fn two_pipelines_beside_each_other_run_the_same_on_every_engine() {
    let total = check(simulator!(units, units_stepwise), 300);
    assert!(total.executed > 10_000 && total.cancelled > 400, "{total:?}");
    assert!(total.faulted > 25 && total.idle_cycles > 3_000 && total.halted > 100, "{total:?}");
}

#[test]
fn operations_in_the_decoding_stage_run_the_same_on_every_engine() {
    let total = check(simulator!(early, early_stepwise), 400);
    assert!(total.executed > all_or(1_500, 1_000) && total.cancelled > 40, "{total:?}");
    assert!(total.faulted > 10 && total.halted > 200 && total.misses > 400, "{total:?}");
}

#[test]
fn words_of_wide_cells_from_a_second_map_run_the_same_on_every_engine() {
    let total = check(simulator!(cells, cells_stepwise), 300);
    assert!(total.executed > 1_000 && total.faulted > 100, "{total:?}");
    assert!(total.idle_cycles > 1_000 && total.halted > 50, "{total:?}");
}

#[test]
fn activations_that_go_round_in_a_circle_run_the_same_on_every_engine() {
    let total = check(simulator!(circle, circle_stepwise), 120);
    assert!(total.executed > 600 && total.halted > 20, "{total:?}");
}

#[test]
fn delays_without_a_pipeline_run_the_same_on_every_engine() {
    let total = check(simulator!(timing_demo, timing_demo_stepwise), 200);
    assert!(total.executed > 200 && total.halted > 100, "{total:?}");
}
