//! The flow of control as elements of the report.

use super::each::Each;
use super::element::{FlowBlock, FlowBlocks, FlowEdge, FlowEdges, FlowElement};
use crate::flow::{Block, EdgeKind, ProgramFlow};
use crate::{ControlTable, Measurement};

/// Blocks and edges of what ran. Of what an instruction could have done besides, a report says nothing.
pub(super) fn flow_of(measurement: &Measurement) -> FlowElement<'_> {
    let tables = &measurement.tables;
    let ProgramFlow { blocks, graph, kinds, counts } = ProgramFlow::of(measurement, &ControlTable::new());
    let addresses: Vec<u64> = blocks.iter().map(|block| block.first).collect();
    let first = move |block: u32| Some(tables.format_address(*addresses.get(usize::try_from(block).ok()?)?));
    let block_of = |block: Block| FlowBlock {
        first: tables.format_address(block.first),
        last: tables.format_address(block.last),
        instructions: block.instructions,
        entered: block.entered,
        executed: block.executed,
    };
    let edges = 0..counts.len();
    let edge_of = move |number: usize| {
        let edge = graph.edges()[number];
        let (kind, count) = (kind_name(kinds[number]), counts[number]);
        FlowEdge { kind, from: first(edge.from), to: first(edge.to), count }
    };
    FlowElement {
        blocks: FlowBlocks { block: Each::of(blocks.into_iter().map(block_of)) },
        edges: FlowEdges { edge: Each::of(edges.map(edge_of)) },
    }
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
