//! The values that a run is asked for by `--values`.

use isac_ir::Model;
use sim_runtime::Engine;

use super::super::Failure;
use super::super::value_report::write_values;
use super::{Options, has_begun};

/// Has an engine that makes a profile count them, if they are asked for.
pub(super) fn record(engine: &mut dyn Engine, asked: &Options) {
    if asked.values.is_some() {
        let records = engine.record_values(asked.values_at.clone());
        assert!(records, "an engine that makes a profile, and was chosen for values, counts them");
    }
}

/// Writes them behind a run that has ended with a status.
pub(super) fn write(
    model: &Model,
    engine: &mut dyn Engine,
    asked: &Options,
    status: i32,
) -> Result<(), Failure> {
    let Some(path) = asked.values.as_ref().filter(|_| has_begun(engine, status)) else { return Ok(()) };
    let sampling = asked.run.sampling().map_err(Failure::other)?;
    write_values(model, engine, sampling, path)
}
