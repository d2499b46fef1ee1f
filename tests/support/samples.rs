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
    let split = |kind| Box::new(SplitEngine::new(simulator.engine(kind), &PIECES)) as Box<dyn Engine>;
    let others = [
        ("translated", simulator.engine(EngineKind::Translated)),
        ("emitted, split", split(EngineKind::Emitted)),
        ("stepwise", simulator.engine(EngineKind::Stepwise)),
        ("translated, split", split(EngineKind::Translated)),
        ("emitted", simulator.engine(EngineKind::Emitted)),
        ("stepwise, split", split(EngineKind::Stepwise)),
        ("reference, split", split(EngineKind::Reference)),
    ];
    for (name, mut engine) in first_of(4, others) {
        assert_eq!(sample(engine.as_mut(), sampling, run), expected, "{name}, {sampling:?}");
    }
    expected
}
