//! The pipeline in some cycles, as elements.

use serde::Serialize;

use crate::text::sanitize;
use crate::{ModelTables, PipelineRow, PipelineView};

#[derive(Serialize)]
pub(super) struct Pipeline {
    #[serde(rename = "@first")]
    first: u64,
    #[serde(rename = "@cycles")]
    cycles: u64,
    row: Vec<Row>,
}

#[derive(Serialize)]
struct Row {
    #[serde(rename = "@id")]
    id: u64,
    #[serde(rename = "@address")]
    address: String,
    #[serde(rename = "@text")]
    text: String,
    #[serde(rename = "@end", skip_serializing_if = "Option::is_none")]
    end: Option<&'static str>,
    #[serde(rename = "@end_cycle", skip_serializing_if = "Option::is_none")]
    end_cycle: Option<u64>,
    stay: Vec<Stay>,
}

#[derive(Serialize)]
struct Stay {
    #[serde(rename = "@stage", skip_serializing_if = "Option::is_none")]
    stage: Option<String>,
    #[serde(rename = "@from")]
    from: u64,
    #[serde(rename = "@cycles")]
    cycles: u64,
    #[serde(rename = "@waits")]
    waits: bool,
}

pub(super) fn pipeline_of(view: &PipelineView, tables: &ModelTables) -> Pipeline {
    let row = view.rows.iter().map(|row| row_of(row, tables)).collect();
    Pipeline { first: view.first, cycles: view.cycles, row }
}

fn row_of(row: &PipelineRow, tables: &ModelTables) -> Row {
    let stays = row.stays.iter().map(|stay| Stay {
        stage: stay.stage.map(|stage| sanitize(&tables.stage_name(stage))),
        from: stay.from,
        cycles: stay.cycles,
        waits: stay.waits,
    });
    Row {
        id: row.id,
        address: tables.format_address(row.address),
        text: sanitize(&row.text),
        end: row.end.map(|end| if end.faulted { "faulted" } else { "cancelled" }),
        end_cycle: row.end.map(|end| end.cycle),
        stay: stays.collect(),
    }
}
