//! Stops where a stage begins to stand.

use std::collections::BTreeSet;

use isac_ir::Model;

use crate::course::Stopped;
use crate::debugger::Debugger;

impl Debugger<'_> {
    /// Stops where one of these stages begins to stand, by their numbers among those of all pipelines,
    /// and for no others any more.
    pub fn stop_at_stalls(&mut self, stages: BTreeSet<u32>) {
        self.stalls = stages;
        self.new_stall = None;
    }

    /// Stages that stand now, where that is asked for.
    pub(crate) fn standing_before(&self) -> Vec<u32> {
        if self.stalls.is_empty() { Vec::new() } else { self.engine.stalled() }
    }

    /// Looks which stage has begun to stand.
    pub(crate) fn look_at_stages(&mut self, stood: &[u32]) {
        if self.stalls.is_empty() {
            return;
        }
        let now = self.engine.stalled();
        self.new_stall = now.into_iter().find(|stage| self.stalls.contains(stage) && !stood.contains(stage));
    }

    pub(crate) fn stalled_now(&self) -> Option<Stopped> {
        self.new_stall.map(Stopped::Stall)
    }
}

/// The stages that a name means, `pipe.EX` or `EX`, by their numbers among those of all pipelines; all of
/// them without a name.
///
/// # Errors
/// There is none of that name.
pub fn find_stages(model: &Model, wanted: Option<&str>) -> Result<BTreeSet<u32>, String> {
    let all = || {
        let pipelines = model.pipelines.iter();
        pipelines.flat_map(|pipeline| pipeline.stages.iter().map(|stage| (&*pipeline.name, &*stage.name)))
    };
    let is_wanted = |(pipeline, stage): (&str, &str)| {
        wanted.is_none_or(|wanted| match wanted.split_once('.') {
            Some(both) => both == (pipeline, stage),
            None => wanted == stage,
        })
    };
    let found: BTreeSet<u32> =
        (0..).zip(all()).filter(|(_, names)| is_wanted(*names)).map(|(number, _)| number).collect();
    match (found.is_empty(), all().next(), wanted) {
        (false, ..) => Ok(found),
        (true, None, _) => Err("the model has no PIPELINE, so that no stage can stand".to_owned()),
        (true, Some(_), wanted) => Err(format!(
            "there is no stage `{}`; the model has {}",
            wanted.unwrap_or_default(),
            all().map(|(pipeline, stage)| format!("{pipeline}.{stage}")).collect::<Vec<_>>().join(", ")
        )),
    }
}

/// The name of a stage by its number among those of all pipelines.
#[must_use]
pub fn stage_name(model: &Model, number: u32) -> &str {
    let mut stages = model.pipelines.iter().flat_map(|pipeline| &pipeline.stages);
    stages.nth(number as usize).map_or("-", |stage| &stage.name)
}
