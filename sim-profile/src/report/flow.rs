//! The flow of control as elements of the report.

use super::element::{FlowBlock, FlowBlocks, FlowEdge, FlowEdges, FlowElement};
use crate::flow::{EdgeKind, ProgramFlow};
use crate::{ControlTable, Measurement};

/// Blocks and edges of what ran. Of what an instruction could have done besides, a report says nothing.
pub(super) fn flow_of(measurement: &Measurement) -> FlowElement {
    let tables = &measurement.tables;
    let flow = ProgramFlow::of(measurement, &ControlTable::new());
    let first = |block: u32| {
        let block = flow.blocks.get(usize::try_from(block).ok()?)?;
        Some(tables.format_address(block.first))
    };
    let block = flow.blocks.iter().map(|block| FlowBlock {
        first: tables.format_address(block.first),
        last: tables.format_address(block.last),
        instructions: block.instructions,
        entered: block.entered,
        executed: block.executed,
    });
    let edges = flow.graph.edges().iter().zip(&flow.kinds).zip(&flow.counts);
    let edge = edges.map(|((edge, &kind), &count)| FlowEdge {
        kind: kind_name(kind),
        from: first(edge.from),
        to: first(edge.to),
        count,
    });
    FlowElement { blocks: FlowBlocks { block: block.collect() }, edges: FlowEdges { edge: edge.collect() } }
}

fn kind_name(kind: EdgeKind) -> &'static str {
    match kind {
        EdgeKind::Fall => "fall",
        EdgeKind::Jump => "jump",
        EdgeKind::Call => "call",
        EdgeKind::Return => "return",
        EdgeKind::Entry => "entry",
        EdgeKind::Fault => "fault",
        EdgeKind::Cancel => "cancel",
        EdgeKind::Unfinished => "unfinished",
        EdgeKind::End => "end",
    }
}
