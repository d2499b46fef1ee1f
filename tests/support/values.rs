//! The values that instructions read and write are the same on every engine that tells them.

use sim_profile::{Measurement, Sampling, ValueTable};
use sim_runtime::Engine;

use super::split::SplitEngine;
use super::{EngineKind, Simulator};

/// What is measured of a run, and its values.
fn values(
    engine: &mut dyn Engine,
    (sampling, addresses): (Option<Sampling>, Vec<(u64, u64)>),
    run: &dyn Fn(&mut dyn Engine),
) -> (Measurement, ValueTable) {
    assert!(sampling.is_none_or(|sampling| engine.sample(sampling)), "the engine takes samples");
    assert!(engine.record_values(addresses), "the engine counts values");
    run(engine);
    let measurement = engine.measurement().expect("the engine measures");
    (measurement, engine.values().expect("they are counted").clone())
}

/// Holds the translated engine against the reference engine: with all values, with those of the instructions
/// at some addresses, and with those of samples. Gives how many places have values; `None` if the model is not
/// translated.
pub(crate) fn check_values(
    simulator: &Simulator,
    chosen: (u64, u64),
    run: &dyn Fn(&mut dyn Engine),
) -> Option<usize> {
    let mut places = None;
    let random = Sampling { burst: 2, seed: Some(5), ..Sampling::every(9) };
    for asked in [
        (None, Vec::new()),
        (None, vec![chosen]),
        (Some(Sampling::every(3)), Vec::new()),
        (Some(random), vec![chosen, (0, 0)]),
    ] {
        let translated = simulator.translated(true, 1)?;
        let mut reference = simulator.engine(EngineKind::Reference);
        let expected = values(reference.as_mut(), asked.clone(), run);
        places = places.or(Some(expected.1.len()));
        let whole = simulator.translated(true, 2)?;
        let split = Box::new(SplitEngine::new(translated, &[1, 7, 0, 1009, 13])) as Box<dyn Engine>;
        for (way, mut engine) in [("in one go", whole), ("split", split)] {
            let found = values(engine.as_mut(), asked.clone(), run);
            let name = simulator.name;
            assert_eq!(found.0, expected.0, "{name}, {way}, {asked:?}");
            assert!(found.1 == expected.1, "{name}, {way}, {asked:?}: {:#?}\n{:#?}", found.1, expected.1);
        }
    }
    places
}
