//! Which instruction was in which stage, in the cycles that were chosen.

use serde::Serialize;

use super::number::{Count, hexadecimal};
use crate::{PipelineRow, Profile};

/// The view.
#[derive(Serialize)]
pub(super) struct Pipeline {
    first: Count,
    cycles: u64,
    rows: Vec<Row>,
}

/// Number, address as digits, text; how it ended (`x`, `!` or nothing) and in which cycle, counted from the
/// first; where it was.
type Row = (Count, String, String, &'static str, u64, Vec<Stay>);

/// Number of the stage or -1, first cycle counted from that of the view, cycles, whether it waits (1).
type Stay = (i64, u64, u64, u8);

/// That of a profile, if it has one.
pub(super) fn pipeline_of(profile: &Profile) -> Option<Pipeline> {
    let view = profile.pipeline.as_ref()?;
    let rows = view.rows.iter().map(|row| row_of(row, view.first)).collect();
    Some(Pipeline { first: Count(view.first), cycles: view.cycles, rows })
}

fn row_of(row: &PipelineRow, first: u64) -> Row {
    let (mark, cycle) = match row.end {
        Some(end) if end.faulted => ("!", end.cycle - first),
        Some(end) => ("x", end.cycle - first),
        None => ("", 0),
    };
    let stays = row.stays.iter().map(|stay| {
        let stage = stay.stage.map_or(-1, i64::from);
        (stage, stay.from - first, stay.cycles, u8::from(stay.waits))
    });
    (Count(row.id), hexadecimal(row.address), row.text.clone(), mark, cycle, stays.collect())
}
