//! In which stages instructions are in a cycle.

use std::collections::BTreeMap;

use isac_ir::time::StageId;

use super::{Act, Activation, CycleTrace};

/// Where an instruction is in a cycle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place {
    pub stage: StageId,
    /// It stands there, or what it has there was put back.
    pub waits: bool,
}

/// For each instruction in a stage, by ID and pipeline, the last stage that it is in: of that
/// something ran, was due, or stood. An instruction that is cancelled is where it was.
pub(super) fn places(trace: &CycleTrace) -> BTreeMap<u64, BTreeMap<u32, Place>> {
    let mut places = BTreeMap::new();
    for run in &trace.runs {
        add(&mut places, run.activation, run.acts.contains(&Act::Retry));
    }
    for waiting in trace.put_back.iter().chain(&trace.held).filter(|waiting| waiting.cycles == 0) {
        add(&mut places, waiting.activation, true);
    }
    for waiting in trace.pending.iter().chain(&trace.flushed).filter(|waiting| waiting.cycles == 0) {
        add(&mut places, waiting.activation, false);
    }
    places
}

fn add(places: &mut BTreeMap<u64, BTreeMap<u32, Place>>, activation: Activation, waits: bool) {
    let Some(stage) = activation.stage else { return };
    let here = places.entry(activation.id).or_default();
    let place = here.entry(stage.pipeline).or_insert(Place { stage, waits });
    if stage > place.stage {
        *place = Place { stage, waits };
    } else if stage == place.stage {
        place.waits |= waits;
    }
}
