//! Operations and groups.

use isac_parser::model::{
    Activation, AssemblerItem, CheckedModel, Format, Group, InstanceRole, Operation, RootElement, RootSource,
    StageId,
};
use serde_json::{Value, json};

use super::{coding, hexadecimal, list, named, object, resource};

pub(super) fn group(model: &CheckedModel, group: &Group) -> Value {
    let members = list(&group.members, |member| {
        let (name, kind) = named(model, *member);
        object([("name", name), ("kind", kind)])
    });
    object([("name", json!(group.name)), ("width", json!(group.width_bits)), ("members", members)])
}

/// `place` is the file, as it is called from the root file's folder, and the line.
pub(super) fn operation(model: &CheckedModel, place: &str, operation: &Operation) -> Value {
    let (file, line) = place.rsplit_once(':').unwrap_or((place, ""));
    let fields = list(&operation.fields, |field| {
        object([
            ("name", json!(field.name)),
            ("width", json!(field.width_bits)),
            ("signed", json!(field.signed)),
        ])
    });
    let references = operation.references.iter().filter(|reference| reference.span.is_some());
    let coding = operation.coding.as_deref();
    object([
        ("name", json!(operation.name)),
        ("file", json!(file)),
        ("line", json!(line.parse::<u64>().unwrap_or(0))),
        ("stage", json!(operation.stage.map(|(stage, _)| stage_name(model, stage)))),
        ("width", json!(coding.map(<[_]>::len))),
        ("expression", json!(operation.expression.is_some())),
        ("behavior", json!(operation.behavior.is_some())),
        ("fields", fields),
        ("instances", instances(model, operation)),
        ("references", list(references, |reference| object([("name", json!(reference.name))]))),
        ("locals", list(&operation.variables, resource::local)),
        ("coding", coding::bits(operation, coding.unwrap_or_default())),
        (
            "when",
            operation.when.as_ref().map_or(Value::Null, |when| coding::condition(operation, &when.condition)),
        ),
        ("tail", list(&operation.tail, |item| coding::tail(operation, item))),
        ("texts", list(&operation.assembler, |items| text(model, operation, items))),
        ("activation", list(&operation.activation, |step| activation(operation, step))),
        ("root", list(&operation.coding_root, |one| element(model, operation, one))),
    ])
}

fn stage_name(model: &CheckedModel, stage: StageId) -> String {
    let pipeline = &model.pipelines[stage.pipeline.index()];
    format!("{}.{}", pipeline.name, pipeline.stages[stage.stage as usize].name)
}

fn instances(model: &CheckedModel, operation: &Operation) -> Value {
    list(&operation.instances, |instance| {
        let (target, kind) = named(model, instance.target);
        let role = match instance.role {
            InstanceRole::Coded => "coded",
            InstanceRole::Root => "root",
            InstanceRole::Below => "below",
            InstanceRole::Activated => "activated",
            InstanceRole::Unused => "unused",
        };
        object([
            ("alias", json!(instance.alias)),
            ("target", target),
            ("kind", kind),
            ("role", json!(role)),
            ("width", json!(instance.width_bits)),
        ])
    })
}

fn text(model: &CheckedModel, operation: &Operation, items: &[AssemblerItem]) -> Value {
    let items = list(items, |item| match item {
        AssemblerItem::Text(text) => object([("kind", json!("literal")), ("text", json!(text))]),
        AssemblerItem::Join => object([("kind", json!("join"))]),
        AssemblerItem::Instance(id) => {
            object([("kind", json!("alias")), ("name", json!(operation.instances[id.index()].alias))])
        }
        AssemblerItem::Field { field, format } => {
            let (format, register, computed) = format_of(model, format);
            object([
                ("kind", json!("field")),
                ("name", json!(operation.fields[field.index()].name)),
                ("format", json!(format)),
                ("register", json!(register)),
                ("computed", json!(computed)),
            ])
        }
    });
    object([("items", items)])
}

fn format_of<'a>(model: &'a CheckedModel, format: &Format) -> (&'static str, Option<&'a str>, Option<bool>) {
    match format {
        Format::Plain => ("", None, None),
        Format::Unsigned => ("#U", None, None),
        Format::Signed => ("#S", None, None),
        Format::Hexadecimal => ("#X", None, None),
        Format::UnsignedHexadecimal => ("#UX", None, None),
        Format::Name { register, index } => {
            ("#NAME", Some(&model.registers[register.index()].name), Some(index.is_some()))
        }
        Format::Absolute => ("#ABS", None, None),
        Format::Relative { offset } => ("#REL", None, Some(offset.is_some())),
        Format::List { register } => ("#LIST", Some(&model.registers[register.index()].name), None),
        Format::Computed { format, .. } => (format_of(model, format).0, None, Some(true)),
    }
}

fn activation(operation: &Operation, step: &Activation) -> Value {
    let steps = |steps: &[Activation]| list(steps, |step| activation(operation, step));
    match step {
        Activation::Activate { instance, delay_cycles, .. } => object([
            ("kind", json!("activate")),
            ("alias", json!(operation.instances[instance.index()].alias)),
            ("delay", json!(delay_cycles)),
        ]),
        Activation::If { then, otherwise, .. } => {
            object([("kind", json!("if")), ("then", steps(then)), ("otherwise", steps(otherwise))])
        }
        Activation::Switch { cases, default, .. } => {
            let cases = list(cases, |(value, taken)| {
                object([("value", hexadecimal(*value)), ("steps", steps(taken))])
            });
            object([("kind", json!("switch")), ("otherwise", steps(default)), ("cases", cases)])
        }
    }
}

fn element(model: &CheckedModel, operation: &Operation, of: &RootElement) -> Value {
    let elements = |elements: &[RootElement]| list(elements, |one| element(model, operation, one));
    let alias =
        |decode: &isac_parser::model::RootDecode| json!(operation.instances[decode.instance.index()].alias);
    let map = |decode: &isac_parser::model::RootDecode| match &decode.source {
        RootSource::Map { map, .. } => json!(model.maps[map.index()].name),
        RootSource::Value { .. } => Value::Null,
    };
    match of {
        RootElement::Decode(decode) => {
            object([("kind", json!("decode")), ("alias", alias(decode)), ("map", map(decode))])
        }
        RootElement::Switch { selector, cases } => {
            let cases = list(cases, |case| {
                object([("member", json!(case.name)), ("elements", elements(&case.elements))])
            });
            object([
                ("kind", json!("switch")),
                ("alias", alias(selector)),
                ("map", map(selector)),
                ("cases", cases),
            ])
        }
        RootElement::If { then, otherwise, .. } => {
            object([("kind", json!("if")), ("then", elements(then)), ("otherwise", elements(otherwise))])
        }
    }
}
