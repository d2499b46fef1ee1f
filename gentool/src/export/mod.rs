//! The resolved model in a form that other tools read: XML or JSON, one content.
//!
//! What there is to be said of each thing stands in [`shape`]; both schemas, the order of what is
//! written and the test of every value follow from it. So the two forms cannot drift apart.

mod coding;
mod operation;
mod resource;
pub mod schema;
pub mod shape;
mod time;
mod xml;

use isac_parser::model::{CheckedModel, OperationOrGroup};
use serde_json::{Map, Value, json};

pub use xml::print_xml;

/// The content of a model: an object of the shape [`shape::MODEL`].
///
/// `lowered` is the same model; from it come the time graph and the places of operations.
pub fn export_model(checked: &CheckedModel, lowered: &isac_ir::Model) -> Value {
    let name_of = |id: isac_parser::model::OperationId| checked.operations[id.index()].name.clone();
    object([
        ("format", json!("isac-model")),
        ("version", json!(shape::VERSION)),
        ("name", json!(lowered.name)),
        ("accuracy", json!(if lowered.time.is_instruction_accurate() { "instruction" } else { "cycle" })),
        ("main", json!(name_of(checked.main))),
        ("reset", json!(checked.reset.map(name_of))),
        ("target", resource::target(checked)),
        ("pc", resource::place(checked, &checked.pc)),
        ("registers", list(&checked.registers, resource::register)),
        ("aliases", list(&checked.aliases, |alias| resource::place(checked, alias))),
        ("memories", list(&checked.rams, resource::memory)),
        ("caches", list(&checked.caches, |cache| resource::cache(checked, cache))),
        ("devices", list(&checked.devices, resource::device)),
        ("maps", list(&checked.maps, |map| resource::map(checked, map))),
        ("pipelines", list(&checked.pipelines, |pipeline| resource::pipeline(checked, pipeline))),
        ("functions", list(&checked.functions, resource::function)),
        ("groups", list(&checked.groups, |group| operation::group(checked, group))),
        (
            "operations",
            list(
                checked.operations.iter().zip(&lowered.operations).collect::<Vec<_>>().iter(),
                |(one, low)| operation::operation(checked, &low.location.to_string(), one),
            ),
        ),
        ("decodings", coding::decodings(checked)),
        ("time", time::nodes(lowered)),
    ])
}

/// The content as JSON, each member on a line of its own.
pub fn print_json(content: &Value) -> String {
    serde_json::to_string_pretty(content).expect("a value is printed") + "\n"
}

/// An object of the members that are there.
fn object<const N: usize>(members: [(&str, Value); N]) -> Value {
    let there = members.into_iter().filter(|(_, value)| !value.is_null());
    Value::Object(there.map(|(name, value)| (name.to_owned(), value)).collect::<Map<String, Value>>())
}

fn list<'a, T: 'a>(items: impl IntoIterator<Item = &'a T>, value: impl FnMut(&'a T) -> Value) -> Value {
    Value::Array(items.into_iter().map(value).collect())
}

/// A number of up to 128 bits, in hexadecimal.
fn hexadecimal(value: u128) -> Value {
    json!(format!("{value:#x}"))
}

/// The name of an operation or group, and which of the two it is.
fn named(model: &CheckedModel, target: OperationOrGroup) -> (Value, Value) {
    match target {
        OperationOrGroup::Operation(id) => (json!(model.operations[id.index()].name), json!("operation")),
        OperationOrGroup::Group(id) => (json!(model.groups[id.index()].name), json!("group")),
    }
}
