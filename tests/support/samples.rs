//! All engines take the same samples.

use sim_profile::{Measurement, Samples, Sampling};
use sim_runtime::Engine;

use super::split::SplitEngine;
use super::thorough::first_of;
use super::{EngineKind, Simulator};

const PIECES: [u64; 7] = [1, 97, 0, 1009, 3, 4099, 13];

/// What is measured of a run, and what is known of all of it.
pub(crate) fn sample(
    engine: &mut dyn Engine,
    sampling: Sampling,
    run: &dyn Fn(&mut dyn Engine),
) -> (Measurement, Samples) {
    assert!(engine.sample(sampling), "the engine takes samples");
    run(engine);
    let measurement = engine.measurement().expect("the engine measures");
    measurement.validate().expect("the measurement is sound");
    (measurement, engine.samples().expect("the engine takes samples"))
}

/// All engines take the same samples, in one go and in pieces; by default some of both.
pub(crate) fn check_samples(
    simulator: &Simulator,
    sampling: Sampling,
    run: &dyn Fn(&mut dyn Engine),
) -> (Measurement, Samples) {
    let expected = sample(simulator.engine(EngineKind::Reference).as_mut(), sampling, run);
    let others = [
        (EngineKind::Translated, false),
        (EngineKind::Emitted, true),
        (EngineKind::Stepwise, false),
        (EngineKind::Translated, true),
        (EngineKind::Emitted, false),
        (EngineKind::Stepwise, true),
        (EngineKind::Reference, true),
    ];
    for (kind, is_split) in first_of(4, others) {
        let mut engine = simulator.engine(kind);
        if is_split {
            engine = Box::new(SplitEngine::new(engine, &PIECES));
        }
        let found = sample(engine.as_mut(), sampling, run);
        assert_eq!(found, expected, "{kind:?}, in pieces: {is_split}, {sampling:?}");
    }
    expected
}
