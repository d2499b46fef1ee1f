//! The time graph.

use isac_ir::Model;
use isac_ir::operation::Target;
use isac_ir::time::{Cause, TimeNode};
use serde_json::{Value, json};

use super::{list, object};

pub(super) fn nodes(model: &Model) -> Value {
    let nodes = model.time.nodes.iter().enumerate();
    Value::Array(nodes.map(|(number, one)| node(model, number, one)).collect())
}

fn node(model: &Model, number: usize, node: &TimeNode) -> Value {
    let (cause, written, conditional) = match node.cause {
        Cause::Start => ("start", None, None),
        Cause::Decoded => ("decoded", None, None),
        Cause::Bound { .. } => ("bound", None, None),
        Cause::Activated { written, conditional, .. } => ("activated", Some(written), Some(conditional)),
    };
    let stage = node.stage.map(|stage| {
        let pipeline = &model.pipelines[stage.pipeline as usize];
        format!("{}.{}", pipeline.name, pipeline.stages[stage.stage as usize].name)
    });
    let kind = match node.target {
        Target::Operation(_) => "operation",
        Target::Group(_) => "group",
        Target::Label(_) => "part",
    };
    object([
        ("number", json!(number)),
        ("name", json!(node.name)),
        ("target", json!(model.target_name(node.target))),
        ("kind", json!(kind)),
        ("cause", json!(cause)),
        ("parent", json!(node.parent)),
        ("delay", json!(node.cause.delay())),
        ("written_delay", json!(written)),
        ("conditional", json!(conditional)),
        ("stage", json!(stage)),
        ("children", list(&node.children, |child| object([("node", json!(child))]))),
    ])
}
