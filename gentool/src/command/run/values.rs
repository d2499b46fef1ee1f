//! The values that a run is asked for by `--values`.

use std::io;

use isac_ir::Model;
use sim_runtime::Engine;
use sim_runtime::launcher::OutputFile;

use super::super::value_report::render_values;
use super::Options;

/// Has an engine that makes a profile count them, if they are asked for; gives the file that they go to.
pub(super) fn record<'m>(
    model: &'m Model,
    engine: &mut dyn Engine,
    asked: &Options,
) -> Option<OutputFile<'m>> {
    let path = asked.values.clone()?;
    let records = engine.record_values(asked.values_at.clone());
    assert!(records, "an engine that makes a profile, and was chosen for values, counts them");
    Some(OutputFile {
        path,
        what: "values",
        render: Box::new(|results| {
            let values = results.values.ok_or_else(|| io::Error::other("none were counted"))?;
            Ok(render_values(model, results.profile, values).into_bytes())
        }),
    })
}
