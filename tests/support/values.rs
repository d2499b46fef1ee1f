//! The values that instructions read and write are the same on every engine that tells them.

use sim_profile::{Measurement, Sampling, ValueTable};
use sim_runtime::Engine;
use sim_runtime::record::ValueChoice;

use super::split::SplitEngine;
use super::thorough::is_thorough;
use super::{EngineKind, Simulator};

/// Models that are generated in blocks alone, which tell no values.
const IN_BLOCKS_ALONE: [&str; 4] = ["rv32imc", "rv64imac", "avr", "vliw4"];

/// What is measured of a run, and its values.
fn values(
    engine: &mut dyn Engine,
    (sampling, choice): (Option<Sampling>, ValueChoice),
    run: &dyn Fn(&mut dyn Engine),
) -> (Measurement, ValueTable) {
    assert!(sampling.is_none_or(|sampling| engine.sample(sampling)), "the engine takes samples");
    assert!(engine.record_values(choice), "the engine counts values");
    run(engine);
    let measurement = engine.measurement().expect("the engine measures");
    (measurement, engine.values().expect("they are counted").clone())
}

/// Holds every engine that tells values against the reference engine: with all values, with those of the
/// instructions at some addresses, with those that a third of the operations has part in, and, unless
/// instructions overlap, with those of samples. Gives how many
/// places have values.
pub(crate) fn check_values(
    simulator: &Simulator,
    chosen: (u64, u64),
    run: &dyn Fn(&mut dyn Engine),
) -> usize {
    let random = Sampling { burst: 2, seed: Some(5), ..Sampling::every(9) };
    let at = |addresses| ValueChoice { addresses, ..ValueChoice::default() };
    let some = (0..(simulator.model)().operations.len() as u32).step_by(3).collect();
    let of_some = ValueChoice { operations: some, ..ValueChoice::default() };
    let whole = [(None, at(Vec::new())), (None, at(vec![chosen])), (None, of_some.clone())];
    let both = ValueChoice { addresses: vec![chosen, (0, 0)], ..of_some };
    let sampled = [(Some(Sampling::every(3)), at(Vec::new())), (Some(random), both)];
    let overlaps = (simulator.model)().overlaps();
    let asked = whole.into_iter().chain(sampled.into_iter().filter(|_| !overlaps));
    let mut places = None;
    for asked in asked {
        let mut reference = simulator.engine(EngineKind::Reference);
        let expected = values(reference.as_mut(), asked.clone(), run);
        places = places.or(Some(expected.1.len()));
        let engines = telling_engines(simulator);
        assert!(!engines.is_empty(), "{}: an engine to hold against the reference engine", simulator.name);
        for (way, mut engine) in engines {
            let found = values(engine.as_mut(), asked.clone(), run);
            let name = simulator.name;
            assert_eq!(found.0, expected.0, "{name}, {way}, {asked:?}");
            assert!(found.1 == expected.1, "{name}, {way}, {asked:?}: {:#?}\n{:#?}", found.1, expected.1);
        }
    }
    places.unwrap_or_default()
}

/// The engines that tell values, but for the reference engine: the emitted one in its general form, where there
/// is that, and the translated one; both also asked for a few instructions at a time, unless instructions
/// overlap. By default the emitted one runs as it does, and the translated one a few instructions at a time.
fn telling_engines(simulator: &Simulator) -> Vec<(&'static str, Box<dyn Engine>)> {
    let split = |engine| Box::new(SplitEngine::new(engine, &[1, 7, 0, 1009, 13])) as Box<dyn Engine>;
    let emitted = || {
        let is_told = !IN_BLOCKS_ALONE.contains(&simulator.name);
        is_told.then(|| simulator.engine(EngineKind::Stepwise))
    };
    let overlaps = (simulator.model)().overlaps();
    let mut all =
        vec![("emitted", emitted()), ("translated, split", simulator.translated(true, 1).map(split))];
    if is_thorough() {
        all.extend([
            ("translated", simulator.translated(true, 2)),
            ("emitted, split", emitted().filter(|_| !overlaps).map(split)),
        ]);
    }
    all.into_iter().filter_map(|(way, engine)| Some((way, engine?))).collect()
}
