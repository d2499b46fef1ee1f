//! What accesses cost and what they do to caches, where caches are simulated and where not.

mod support;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use gentool::lower::lower_model;
use isac_ir::Model;
use isac_parser::diagnostic::{Diagnostics, Style};
use isac_parser::load_model;
use isac_parser::source::{InMemory, SourceMap};
use sim_profile::summary::cache_totals;
use sim_profile::{CacheLines, Measurement, Sampling};
use sim_runtime::host::Host;
use sim_runtime::reference::ReferenceEngine;
use sim_runtime::{CacheStatistics, Engine, Stop};
use support::program::{Program, registers_text, reset_pc};
use support::random::Random;
use support::random_word::{random_word, root_decoder};
use support::samples::sample;
use support::{Simulator, difference, simulator};

/// `tests/models/cached.isac` with the first `from` in its text replaced by `to`.
fn load_changed(from: &str, to: &str) -> Model {
    let file = PathBuf::from("tests/models/cached.isac");
    let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(&file)).expect("the model");
    assert!(text.contains(from), "there is a {from}");
    let loader = InMemory::new([(file.clone(), text.replacen(from, to, 1))]);
    let (mut sources, mut findings) = (SourceMap::new(), Diagnostics::new());
    let checked = load_model(&file, &loader, &BTreeMap::new(), &mut sources, &mut findings);
    assert!(findings.is_empty(), "{}", findings.render(&sources, Style::Plain));
    lower_model(&checked.expect("the model is sound"), &sources, "cached")
}

const READ: u8 = 1;
const READ4: u8 = 2;
const WRITE: u8 = 3;
const WRITE4: u8 = 4;
const PART: u8 = 5;
const UPDATE: u8 = 6;
const FETCH: u8 = 7;
const DROPPED: u8 = 8;

/// Each with the cell that it accesses, what that costs and what fetching it has cost. A line of
/// either cache is four cells; of the data cache there are two, of a set each.
const ACCESSES: [(u8, u8, u128, u128); 17] = [
    (READ, 0x10, 12, 6),      // line 4 takes the place of what `reset` has read, line 16
    (READ, 0x13, 2, 1),       //
    (READ4, 0x12, 14, 6),     // the end of line 4, and line 5, which is absent
    (WRITE, 0x14, 2, 1),      // line 5 is to be written back from here on
    (PART, 0x20, 12, 6),      // one write, of line 8 for line 4
    (UPDATE, 0x24, 2, 1),     // a read of line 9, for which line 5 is written back, and a write
    (READ, 0x80, 7, 6),       // a memory without a cache
    (READ4, 0x84, 7, 1),      // four cells of it
    (READ, 0xa0, 1, 6),       // a device
    (WRITE, 0xb0, 1, 1),      // a register
    (READ, 0xb8, 1, 6),       // a FUNCTION
    (DROPPED, 0x20, 2, 1),    // it is cancelled, but line 8 was touched
    (FETCH, 0x23, 4, 6),      // the end of line 8 and the begin of line 9
    (READ, 0x30, 22, 1),      // line 12 for line 8, which is written back
    (WRITE4, 0x30, 2, 6),     //
    (READ, 0xc1, 2, 1),       // the third cache
    (WRITE, 0xc1, 0x1002, 6), // a fault: nothing is written, and nothing touched
];

/// The program of [`ACCESSES`], with `long` and `stop` behind it.
fn program() -> Vec<u8> {
    let accesses = ACCESSES.iter().flat_map(|(code, cell, ..)| [*code, *cell]);
    accesses.chain([9, 1, 2, 3, 10, 0]).collect()
}

/// All that simulate the caches of `tests/models/cached.isac`, the reference first.
fn costed_engines(model: &Model) -> [Box<dyn Engine + '_>; 3] {
    let emitted = isac::simulators::cached::engine_with_caches;
    [Box::new(ReferenceEngine::new(model).with_caches().with_profile()), emitted(true), emitted(false)]
}

fn load_program(engine: &mut dyn Engine) {
    engine.machine().write_bytes(0, 0, &program()).expect("the program lies in memory");
}

/// Registers `cost` and `fetch_cost`.
fn costs(engine: &mut dyn Engine) -> (u128, u128) {
    (engine.machine().read_register(1, 0), engine.machine().read_register(2, 0))
}

fn lines((hits, misses, write_backs): (u64, u64, u64)) -> CacheLines {
    CacheLines { hits, misses, write_backs }
}

/// The measured lines are all that the caches know of.
fn check_totals(engine: &dyn Engine, measurement: &Measurement) {
    let of_caches = engine.caches().into_iter().map(|cache| cache.lines);
    assert_eq!(cache_totals(measurement).into_values().collect::<Vec<_>>(), of_caches.collect::<Vec<_>>());
}

#[test]
fn every_access_costs_what_it_touches() {
    let model = load_changed("RESOURCE", "RESOURCE");
    for mut engine in costed_engines(&model) {
        check_every_access(engine.as_mut());
    }
}

fn check_every_access(engine: &mut dyn Engine) {
    let mut host = Host::default();
    load_program(engine);
    for (number, (_, cell, cost, fetch_cost)) in ACCESSES.iter().enumerate() {
        assert_eq!(engine.run(&mut host, 1), Stop::Budget);
        assert_eq!(costs(engine), (*cost, *fetch_cost), "access {number}, to {cell:#x}");
    }
    engine.run(&mut host, 1);
    assert_eq!(costs(engine), (0, 7), "a word in two lines, of which the first is there");
    assert_eq!(engine.run(&mut host, 1), Stop::Halted(0));

    let statistics = |name: &str, counts| CacheStatistics { name: name.to_owned(), lines: lines(counts) };
    let expected =
        [statistics("icache", (10, 10, 0)), statistics("dcache", (8, 6, 2)), statistics("fcache", (0, 1, 0))];
    assert_eq!(engine.caches(), expected);
    let Some(measurement) = engine.measurement() else { return };
    check_totals(engine, &measurement);
    let at = |address, cache| measurement.lines.get(&(address, cache)).copied().unwrap_or_default();
    assert_eq!(at(None, 1), lines((0, 1, 0)), "reset");
    assert_eq!(at(Some(0x0a), 1), lines((1, 1, 1)), "update");
    assert_eq!(at(Some(0x16), 1), lines((1, 0, 0)), "dropped");
    assert_eq!(at(Some(0x16), 0), lines((1, 0, 0)), "fetching it");
    assert_eq!(at(Some(0x20), 2), lines((0, 0, 0)), "a fault");
    assert_eq!(at(Some(0x22), 0), lines((1, 1, 0)), "two lines of one word");
}

#[test]
fn without_caches_every_latency_is_1() {
    let model = load_changed("RESOURCE", "RESOURCE");
    let reference = ReferenceEngine::new(&model).with_profile();
    let engines: [Box<dyn Engine + '_>; 2] = [Box::new(reference), isac::simulators::cached::engine(true)];
    for mut engine in engines {
        load_program(engine.as_mut());
        for (number, (_, cell, cost, _)) in ACCESSES.iter().enumerate() {
            engine.run(&mut Host::default(), 1);
            let expected = if *cost > 0x1000 { 0x1001 } else { 1 };
            assert_eq!(costs(engine.as_mut()), (expected, 1), "access {number}, to {cell:#x}");
        }
        assert_eq!(engine.caches(), []);
        assert!(engine.measurement().expect("it has a profile").lines.is_empty());
    }
}

/// Random words from the reset address on.
fn random_program(model: &Model, seed: u64) -> Program {
    let mut random = Random::new(seed);
    let decoder = root_decoder(model);
    let width = model.decoders[decoder as usize].width_bits;
    let mut bytes = Vec::new();
    for _ in 0..60 {
        let mut word = random_word(model, decoder, &mut random).to_be_bytes(width);
        word.reverse();
        bytes.extend(word);
    }
    let pc = reset_pc(model);
    Program { memory: vec![(pc, bytes)], pc, watched: vec![(0, 0x100)], budget: 200, ..Program::default() }
}

/// Runs random programs with caches on every engine; what its caches have met.
fn check_random(simulator: Simulator, with_caches: fn(bool) -> Box<dyn Engine>) -> Vec<CacheLines> {
    let model = (simulator.model)();
    let mut total = vec![CacheLines::default(); model.caches.len()];
    for seed in 0..1000 {
        let program = random_program(model, seed);
        let mut engine = ReferenceEngine::new(model).with_caches().with_profile();
        let expected = program.run(&mut engine, model);
        let lines = engine.caches();
        let measurement = engine.measurement().expect("it has a profile");
        check_totals(&engine, &measurement);
        total.iter_mut().zip(&lines).for_each(|(total, cache)| total.add(cache.lines));
        for profile in [true, false] {
            let mut engine = with_caches(profile);
            let found = program.run(engine.as_mut(), model);
            let place = format!("{}, seed {seed}", simulator.name);
            assert_eq!(difference(&expected.state, &found.state), None, "{place}: state");
            let registers = registers_text(engine.as_mut(), model);
            let simulated = engine.caches();
            assert!(simulated.iter().all(|cache| lines.contains(cache)), "{place}: {registers}");
            let report =
                found.report.map(|found| difference(expected.report.as_deref().unwrap_or_default(), &found));
            assert_eq!(report, profile.then_some(None), "{place}: report");
            assert!(!profile || simulated == lines, "{place}: {simulated:?}");
        }
    }
    total
}

#[test]
fn random_programs_meet_the_same_caches_on_every_engine() {
    use isac::simulators::{cached, lines};
    for (simulator, with_caches) in [
        (simulator!(cached, cached_stepwise), cached::engine_with_caches as fn(bool) -> Box<dyn Engine>),
        // Its runs without caches are in blocks.
        (simulator!(lines, lines_stepwise), lines::engine_with_caches),
    ] {
        for (number, CacheLines { hits, misses, write_backs }) in
            check_random(simulator, with_caches).into_iter().enumerate()
        {
            println!(
                "{}: cache {number}: {hits} hits, {misses} misses, {write_backs} written back",
                simulator.name
            );
            assert!(hits + misses > 20, "{}: cache {number}", simulator.name);
        }
    }
}

/// The stretches of a run with caches that are counted are the same on both engines, with what they did to the
/// caches; all of them together are the run, and what is not counted leaves state and caches as they are.
#[test]
fn samples_with_caches_are_the_same_on_every_engine() {
    let simulator = simulator!(lines, lines_stepwise);
    let model = (simulator.model)();
    let (mut sampled_lines, mut all_lines) = (0, 0);
    for seed in 0..300 {
        let program = random_program(model, seed);
        let reference = || Box::new(ReferenceEngine::new(model).with_caches().with_profile());
        let mut exact = reference();
        let expected = program.run(exact.as_mut(), model);
        let (exact_lines, exact) = (exact.caches(), exact.measurement().expect("it has a profile"));
        for (interval, burst) in [(1, 1), (3, 1), (5, 2)] {
            let sampling =
                Sampling { burst, seed: (burst == 2).then_some(seed), ..Sampling::every(interval) };
            let run = |engine: &mut dyn Engine| {
                let found = program.run(engine, model);
                assert_eq!(difference(&expected.state, &found.state), None, "seed {seed}: state");
                assert_eq!(engine.caches(), exact_lines, "seed {seed}");
            };
            let (counted, samples) = sample(reference().as_mut(), sampling, &run);
            let mut emitted = isac::simulators::lines::engine_with_caches(true);
            let found = sample(emitted.as_mut(), sampling, &run);
            assert_eq!(found, (counted.clone(), samples), "seed {seed}, {sampling:?}");
            if interval == 1 {
                assert_eq!(counted, exact, "seed {seed}");
                continue;
            }
            for (place, lines) in &counted.lines {
                let all = exact.lines[place];
                assert!(lines.hits <= all.hits && lines.misses <= all.misses, "seed {seed}, {place:?}");
            }
            let touched = |measurement: &Measurement| -> u64 {
                measurement.lines.values().map(|lines| lines.hits + lines.misses).sum()
            };
            sampled_lines += touched(&counted);
            all_lines += touched(&exact);
        }
    }
    assert!(1000 < sampled_lines && sampled_lines < all_lines / 2, "{sampled_lines} of {all_lines}");
}

/// Nobody but the profile can tell what happens to `scache`.
#[test]
fn a_cache_that_no_latency_depends_on_is_simulated_for_the_profile_alone() {
    let names =
        |engine: Box<dyn Engine>| engine.caches().into_iter().map(|cache| cache.name).collect::<Vec<_>>();
    let engine = isac::simulators::lines::engine_with_caches;
    assert_eq!(names(engine(true)), ["icache", "dcache", "scache"]);
    assert_eq!(names(engine(false)), ["icache", "dcache"]);
}

/// Lines touched by 500 accesses all over the data, and what the guest's random numbers are then.
fn touched_at_random(model: &Model, seed: u64) -> (Vec<CacheStatistics>, [u8; 16]) {
    let mut engine = ReferenceEngine::new(model).with_caches();
    let mut host = Host::default().with_seed(seed);
    for number in 0..500_u64 {
        let cell = number.wrapping_mul(number).wrapping_mul(7) as u8 & 0x7f;
        engine.machine().write_bytes(0, 0, &[READ, cell]).expect("the program lies in memory");
        engine.machine().write_register(0, 0, 0);
        engine.run(&mut host, 1);
    }
    (engine.caches(), host.random_bytes())
}

#[test]
fn what_is_replaced_at_random_depends_on_the_seed_and_takes_nothing_from_the_guest() {
    let model = load_changed("SIZE (8); LINE (4);", "SIZE (32); LINE (4); WAYS (8); REPLACEMENT (RANDOM);");
    let (lines, numbers) = touched_at_random(&model, 7);
    assert_eq!((lines.clone(), numbers), touched_at_random(&model, 7));
    assert_eq!(numbers, Host::default().with_seed(7).random_bytes());
    assert!((0..5).any(|seed| touched_at_random(&model, seed).0 != lines));
    for cache in lines.iter().take(2) {
        let of_reset = u64::from(cache.name == "dcache");
        assert_eq!(cache.lines.hits + cache.lines.misses, 500 + of_reset, "{}", cache.name);
    }
}
