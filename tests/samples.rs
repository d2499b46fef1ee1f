//! Samples: every engine takes the same; all of them are the exact profile; intervals are honest.

#[path = "engines/random_program.rs"]
mod random_program;
mod support;

use std::collections::BTreeMap;

use proptest::prelude::*;
use random_program::{rv32im_program, tiny8_program, tree_program};
use sim_profile::{CheckPlaces, Counted, Estimate, Measurement, Sampling};
use sim_runtime::Engine;
use support::launch::{Guest, at_most};
use support::program::Program;
use support::samples::{check_samples, sample};
use support::stretches::{Step, SteppedEngine};
use support::thorough::{all_or, cases, first_of};
use support::values::check_values;
use support::{
    ARMV6M, AVR, EngineKind, MIPS32, PDP11, RV32IM, RV32IM5, RV32IMC, RV64IMAC, Simulator, TINY8, TREE,
};

/// The exact measurement of a run.
fn exact(simulator: &Simulator, run: &dyn Fn(&mut dyn Engine)) -> (Measurement, u64, u64) {
    let mut engine = simulator.engine(EngineKind::Reference);
    run(engine.as_mut());
    let (instructions, cycles) = (engine.instructions(), engine.cycles());
    (engine.measurement().expect("the engine measures"), instructions, cycles)
}

/// No count of samples is above that of the whole run; all stretches together are the whole run.
fn check_against_exact(simulator: &Simulator, run: &dyn Fn(&mut dyn Engine)) {
    let (exact, instructions, cycles) = exact(simulator, run);
    let ways = [
        (5, 5, None, CheckPlaces::Calls),
        (9, 4, Some(5), CheckPlaces::Both),
        (7, 1, None, CheckPlaces::Both),
        (9, 4, Some(8), CheckPlaces::BackEdges),
        (1, 1, None, CheckPlaces::Both),
        (1, 1, Some(3), CheckPlaces::Both),
        (7, 1, Some(3), CheckPlaces::Both),
        (9, 4, None, CheckPlaces::Both),
        (4, 2, Some(2), CheckPlaces::Calls),
    ];
    for (interval, burst, seed, places) in first_of(4, ways) {
        let sampling = Sampling { burst, seed, places, ..Sampling::every(interval) };
        let (sampled, samples) = check_samples(simulator, sampling, run);
        assert_eq!((samples.instructions, samples.cycles), (instructions, cycles), "of the whole run");
        if interval == burst {
            assert_eq!(sampled, exact, "{interval}");
            continue;
        }
        for (key, record) in &sampled.instructions {
            assert!(record.executed <= exact.instructions[key].executed, "{key:?}");
        }
        for (between, times) in &sampled.transfers {
            assert!(times <= &exact.transfers[between], "{between:?}");
        }
    }
}

fn guest(program: &'static str) -> Guest {
    Guest { options: at_most("30K", "4K"), ..Guest::new(program) }
}

#[test]
fn samples_of_guests_are_the_same_on_every_engine() {
    let guests: [(&Simulator, &'static str); 5] = [
        (&RV32IM, "models/rv32im/programs/csv.elf"),
        (&MIPS32, "models/mips32/programs/csv.elf"),
        (&PDP11, "models/pdp11/programs/primes.s19"),
        (&RV32IM, "models/rv32im/programs/sorting.elf"),
        (&RV32IMC, "models/rv32imc/programs/crc32.elf"),
    ];
    for (simulator, program) in first_of(3, guests) {
        let guest = guest(program);
        check_against_exact(simulator, &|engine| {
            guest.run(simulator, engine);
        });
    }
}

/// Further models; instructions of `avr` take extra cycles, which are charged to whom they belong.
#[test]
fn samples_of_guests_of_further_models_are_the_same_on_every_engine() {
    for (simulator, program) in [
        (&RV64IMAC, "models/rv64imac/programs/sorting.elf"),
        (&ARMV6M, "models/armv6m/programs/csv.elf"),
        (&AVR, "models/avr/programs/csv.elf"),
    ] {
        let guest = Guest { options: &["--limit-instructions", "3K"], ..Guest::new(program) };
        let sampling = Sampling { seed: Some(4), ..Sampling::every(9) };
        check_samples(simulator, sampling, &|engine| {
            guest.run(simulator, engine);
        });
    }
}

#[test]
fn values_of_guests_are_the_same_on_every_engine() {
    let options = at_most("10K", "2K");
    let guests: [(&Simulator, &'static str); 8] = [
        (&RV32IM, "models/rv32im/programs/csv.elf"),
        (&ARMV6M, "models/armv6m/programs/csv.elf"),
        (&RV32IM5, "models/rv32im/programs/csv.elf"),
        (&PDP11, "models/pdp11/programs/primes.s19"),
        (&RV32IMC, "models/rv32imc/programs/crc32.elf"),
        (&RV64IMAC, "models/rv64imac/programs/bytecode.elf"),
        (&MIPS32, "models/mips32/programs/sorting.elf"),
        (&AVR, "models/avr/programs/sorting.elf"),
    ];
    for (simulator, program) in first_of(3, guests) {
        let guest = Guest { options, ..Guest::new(program) };
        let mut engine = simulator.engine(EngineKind::Reference);
        guest.run(simulator, engine.as_mut());
        let ran = engine.measurement().expect("the engine measures").instructions;
        let addresses: Vec<u64> = ran.keys().map(|key| key.address).collect();
        let middle = (addresses[addresses.len() / 3], addresses[addresses.len() / 2]);
        let places = check_values(simulator, middle, &|engine| {
            guest.run(simulator, engine);
        });
        assert!(places > all_or(100, 50), "{program}: {places} places");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases(12)))]

    #[test]
    fn samples_of_any_program_are_the_same_on_every_engine(program in rv32im_program()) {
        check_program(&RV32IM, &program);
    }

    #[test]
    fn samples_of_deep_trees_are_the_same_on_every_engine(program in tree_program()) {
        check_program(&TREE, &program);
    }

    #[test]
    fn samples_where_code_changes_are_the_same_on_every_engine(program in tiny8_program()) {
        check_program(&TINY8, &program);
    }
}

fn check_program(simulator: &Simulator, program: &Program) {
    let run = |engine: &mut dyn Engine| {
        program.run(engine, (simulator.model)());
    };
    check_against_exact(simulator, &run);
    check_values(simulator, (program.pc, program.pc + 20), &run);
}

/// How often each address ran.
fn executed(measurement: &Measurement) -> BTreeMap<u64, u64> {
    let mut sums = BTreeMap::new();
    for (key, record) in &measurement.instructions {
        *sums.entry(key.address).or_default() += record.executed;
    }
    sums
}

/// How often steps begin at each address.
fn by_address(steps: &BTreeMap<Step, u64>) -> BTreeMap<u64, u64> {
    let mut sums = BTreeMap::new();
    for ((from, _), times) in steps {
        *sums.entry(*from).or_default() += times;
    }
    sums
}

/// How often an interval held the figure of the whole run, and how often one was asked for.
#[derive(Default)]
struct Coverage {
    held: u64,
    figures: u64,
}

impl Coverage {
    fn add(&mut self, sampling: Sampling, counted: &Counted, truth: u64) {
        let Estimate { low, high, .. } = sampling.estimate(counted);
        self.held += u64::from((low..=high).contains(&(truth as f64)));
        self.figures += 1;
    }

    fn share(&self) -> f64 {
        self.held as f64 / self.figures as f64
    }
}

/// The interval that holds in 95 % of all runs does so: counted over the addresses and transfers that
/// samples come by a hundred times or more. Of a figure that adds up addresses it holds at least as often, and
/// so it does of rare ones where samples tell of them at all.
///
/// The run is recorded once, from check to check, and samples are taken of the record. That they are
/// those that an engine takes is looked at first.
#[test]
fn intervals_hold_as_often_as_they_say() {
    const SEEDS: u64 = 1000;
    const INTERVAL: u64 = 10;
    let guest = Guest {
        options: &["--limit-instructions", "100K"],
        ..Guest::new("models/rv32im/programs/crc32.elf")
    };
    let run = |engine: &mut dyn Engine| {
        guest.run(&RV32IM, engine);
    };
    let at_random = |seed| Sampling { seed: Some(seed), ..Sampling::every(INTERVAL) };

    let mut stepped = SteppedEngine::new(RV32IM.engine(EngineKind::Reference));
    let (exact, _) = sample(&mut stepped, Sampling::every(1), &run);
    let stretches = stepped.stretches();
    let transfers_of = |steps: &BTreeMap<Step, u64>| -> BTreeMap<Step, u64> {
        steps
            .iter()
            .filter(|(step, _)| exact.transfers.contains_key(step))
            .map(|(step, n)| (*step, *n))
            .collect()
    };
    let whole = stretches.all();
    assert_eq!((by_address(&whole), transfers_of(&whole)), (executed(&exact), exact.transfers.clone()));
    for seed in [0, 1, SEEDS - 1] {
        let (expected, _) = sample(RV32IM.engine(EngineKind::Emitted).as_mut(), at_random(seed), &run);
        let found = stretches.sample(at_random(seed));
        assert_eq!(
            (by_address(&found), transfers_of(&found)),
            (executed(&expected), expected.transfers),
            "{seed}"
        );
    }

    let often = |count: &u64| *count >= 100 * INTERVAL;
    let addresses: BTreeMap<u64, u64> = executed(&exact).into_iter().filter(|(_, n)| often(n)).collect();
    let transfers: Vec<_> = exact.transfers.iter().filter(|(_, n)| often(n)).collect();
    assert!(addresses.len() >= 5 && !transfers.is_empty(), "{} {}", addresses.len(), transfers.len());
    let rare: BTreeMap<u64, u64> = executed(&exact).into_iter().filter(|(_, n)| !often(n)).collect();
    assert!(rare.values().filter(|n| **n < 5).count() >= 5, "{rare:?}");
    let (mut single, mut sums, mut told) = (Coverage::default(), Coverage::default(), Coverage::default());
    for sampling in (0..SEEDS).map(at_random) {
        let steps = stretches.sample(sampling);
        let counts = by_address(&steps);
        let of_addresses = addresses.iter().map(|(address, n)| (counts.get(address).copied(), *n));
        let of_transfers = transfers.iter().map(|(way, n)| (steps.get(way).copied(), **n));
        for (count, truth) in of_addresses.chain(of_transfers) {
            let mut counted = Counted::default();
            counted.add(count.unwrap_or(0), 1);
            single.add(sampling, &counted, truth);
        }
        for (address, truth) in &rare {
            if let Some(count) = counts.get(address) {
                let mut counted = Counted::default();
                counted.add(*count, 1);
                told.add(sampling, &counted, *truth);
            }
        }
        let mut all = Counted::default();
        counts.values().for_each(|count| all.add(*count, 1));
        sums.add(sampling, &all, whole.values().sum());
    }
    assert!((0.93..=0.97).contains(&single.share()), "{} of {}", single.held, single.figures);
    assert!(sums.share() >= 0.95, "{} of {}", sums.held, sums.figures);
    assert!(told.share() >= 0.95, "{} of {}", told.held, told.figures);
}
