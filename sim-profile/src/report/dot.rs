//! The flow graph of a function in the language of Graphviz.

use std::fmt::Write as _;

use crate::ModelTables;
use crate::coverage::format_percent;
use crate::flow::{OUTSIDE, ProgramFlow, RoutineEdge, RoutineFlow};

use crate::text::sanitize;

/// The graph with its counts: blocks by their addresses with how often they were executed, edges with
/// how often they were taken and, where a block has several, in how many of 100 cases. The colour of a
/// block is the deeper the more of the function's instructions ran there; what never ran is dashed.
pub fn render_flow_dot(
    flow: &ProgramFlow,
    routine: &RoutineFlow,
    name: &str,
    tables: &ModelTables,
) -> String {
    let mut out = format!("digraph \"{}\" {{\n", quote(name));
    out += "  node [shape=box, style=filled, fillcolor=white, fontname=monospace];\n";
    out += "  edge [fontname=monospace];\n";
    out += "  outside [shape=circle, label=\"\"];\n";
    let all: u128 = routine.blocks.iter().map(|&block| cost_of(flow, block)).sum();
    for (number, &block) in routine.blocks.iter().enumerate() {
        let found = &flow.blocks[block as usize];
        let places = match found.instructions {
            0 | 1 => tables.format_address(found.first),
            _ => format!("{} .. {}", tables.format_address(found.first), tables.format_address(found.last)),
        };
        let style = if found.entered == 0 { "filled,dashed" } else { "filled" };
        let shade = (cost_of(flow, block) * 9).checked_div(all).unwrap_or(0) + 1;
        let colour = if found.executed == 0 { "white".to_owned() } else { format!("/reds9/{shade}") };
        write(
            &mut out,
            format_args!(
                "  b{number} [label=\"{places}\\l{} instructions, executed {}\\l\", style=\"{style}\", \
                 fillcolor=\"{colour}\"];\n",
                found.instructions, found.executed
            ),
        );
    }
    write_edges(&mut out, routine);
    out + "}\n"
}

fn cost_of(flow: &ProgramFlow, block: u32) -> u128 {
    let block = &flow.blocks[block as usize];
    u128::from(block.instructions) * u128::from(block.executed)
}

fn write_edges(out: &mut String, routine: &RoutineFlow) {
    let node = |block: u32| match block {
        OUTSIDE => "outside".to_owned(),
        block => format!("b{block}"),
    };
    let mut leaving = vec![(0_u64, 0_u32); routine.blocks.len()];
    for (edge, &count) in routine.graph.edges().iter().zip(&routine.counts) {
        if let Some(sum) = leaving.get_mut(edge.from as usize) {
            *sum = (sum.0.saturating_add(count), sum.1 + 1);
        }
    }
    for ((edge, kind), &count) in routine.graph.edges().iter().zip(&routine.kinds).zip(&routine.counts) {
        let share = match leaving.get(edge.from as usize) {
            Some(&(all, 2..)) if all > 0 => format!("\\n{} %", format_percent(count, all)),
            _ => String::new(),
        };
        let (what, style) = match kind {
            RoutineEdge::Fall => ("", "solid"),
            RoutineEdge::Jump => ("", "bold"),
            RoutineEdge::Call => ("call, ", "solid"),
            RoutineEdge::Entry | RoutineEdge::Exit => ("", "solid"),
            RoutineEdge::Abort => ("ends, ", "dotted"),
        };
        let style = if count == 0 { "dashed" } else { style };
        let (from, to) = (node(edge.from), node(edge.to));
        write(out, format_args!("  {from} -> {to} [label=\"{what}{count}{share}\", style={style}];\n"));
    }
}

fn write(out: &mut String, text: std::fmt::Arguments<'_>) {
    // A `String` takes every write.
    let _ = out.write_fmt(text);
}

/// As a string between quotes holds it.
fn quote(text: &str) -> String {
    sanitize(text).replace('\\', "\\\\").replace('"', "\\\"")
}
