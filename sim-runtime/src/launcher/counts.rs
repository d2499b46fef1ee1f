//! Counts of a run at a moment, and of a part of it: what stands between the moments at which parts begin and end.
//!
//! A part may be passed thousands of times, so what the model says of the instructions is looked up when somebody
//! wants to see it, and not before.

use isac_ir::Model;
use sim_profile::{Measurement, ModelTables, Profile, Provenance, StaticTable};

use crate::engine::Engine;
use crate::record::{Recording, static_table};

/// What an engine has counted.
#[derive(Debug, Clone)]
pub(super) struct Counts {
    /// Without statics, and without a measurement if there is a recording.
    profile: Profile,
    /// What the measurement will be made of, if the engine tells.
    recording: Option<Recording>,
}

impl Counts {
    /// Everything counted so far.
    ///
    /// # Errors
    /// The engine was made without profiling.
    pub(super) fn take(engine: &mut dyn Engine) -> Result<Counts, String> {
        let recording = engine.recording();
        let measurement = match recording {
            Some(_) => Measurement::new(ModelTables::default()),
            None => engine.measurement().ok_or(UNPROFILED)?,
        };
        let (calls, samples, visits) = (engine.calls(), engine.samples(), engine.visits());
        let (provenance, statics) = (Provenance::default(), StaticTable::default());
        let profile = Profile { measurement, provenance, statics, calls, samples, visits, pipeline: None };
        Ok(Counts { profile, recording })
    }

    /// What was counted since `earlier`.
    ///
    /// # Errors
    /// A sum has reached its largest value.
    pub(super) fn since(&self, earlier: &Counts) -> Result<Counts, String> {
        let recording = match (&self.recording, &earlier.recording) {
            (Some(ours), Some(theirs)) => Some(ours.since(theirs).ok_or(LOST)?),
            _ => None,
        };
        Ok(Counts { profile: self.profile.since(&earlier.profile).ok_or(LOST)?, recording })
    }

    /// Adds another part of the run.
    ///
    /// # Errors
    /// They are of different runs.
    pub(super) fn add(&mut self, part: &Counts) -> Result<(), String> {
        let merged = self.profile.merge(&part.profile);
        merged.map_err(|error| format!("the parts of the run do not add up: {error}"))?;
        if let (Some(sum), Some(part)) = (&mut self.recording, &part.recording) {
            sum.add(part);
        }
        Ok(())
    }

    /// The profile, with where it came from.
    pub(super) fn into_profile(self, engine: &dyn Engine, provenance: Provenance) -> Profile {
        let Counts { mut profile, recording } = self;
        if let Some((recording, model)) = recording.zip(engine.model()) {
            profile.measurement = recording.measure(model);
        }
        let look_up = |model: &Model| static_table(model, &profile.measurement);
        let statics = engine.model().map(look_up).unwrap_or_default();
        Profile { provenance, statics, pipeline: engine.pipeline(), ..profile }
    }
}

const UNPROFILED: &str =
    "this engine was made without profiling, so there is nothing to report; make it with profiling";

/// Why a part cannot be told from what ran before.
pub(super) const LOST: &str =
    "a counter has reached its largest value, so that a part of the run cannot be told from the rest";
