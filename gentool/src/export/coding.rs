//! Codings: bits of words, conditions on them, and how words are told apart.

use isac_parser::model::{
    CheckedModel, CodingBit, ComparedBit, Comparison, Condition, Cube, Decoding, GroupId, Operation,
    OperationId, OperationOrGroup, Relation, TailItem,
};
use serde_json::{Value, json};

use super::{list, named, object};

/// A bit, and what it is a bit of.
#[derive(Clone, Copy)]
struct Bit<'a> {
    /// The field or alias, with the number of the bit in it.
    part: Option<(&'static str, &'a str, u32)>,
    /// Its value, where that is fixed.
    fixed: Option<bool>,
}

fn coded<'a>(operation: &'a Operation, bit: &CodingBit) -> Bit<'a> {
    match bit {
        CodingBit::Fixed(set) => Bit { part: None, fixed: Some(*set) },
        CodingBit::Any => Bit { part: None, fixed: None },
        CodingBit::Field { field, bit, fixed } => {
            Bit { part: Some(("field", &operation.fields[field.index()].name, *bit)), fixed: *fixed }
        }
        CodingBit::Instance { instance, bit } => {
            Bit { part: Some(("alias", &operation.instances[instance.index()].alias, *bit)), fixed: None }
        }
    }
}

fn compared<'a>(operation: &'a Operation, bit: &ComparedBit) -> Bit<'a> {
    match bit {
        ComparedBit::Constant(set) => Bit { part: None, fixed: Some(*set) },
        ComparedBit::Field(field, bit) => {
            Bit { part: Some(("field", &operation.fields[field.index()].name, *bit)), fixed: None }
        }
        ComparedBit::Instance(instance, bit) => {
            Bit { part: Some(("alias", &operation.instances[instance.index()].alias, *bit)), fixed: None }
        }
    }
}

/// Bits, most significant first, in runs that are one thing each.
fn runs(bits: &[Bit<'_>]) -> Value {
    let goes_on = |one: &Bit<'_>, next: &Bit<'_>| {
        one.fixed.is_some() == next.fixed.is_some()
            && match (one.part, next.part) {
                (None, None) => true,
                (Some((kind, name, bit)), Some((next_kind, next_name, next_bit))) => {
                    (kind, name) == (next_kind, next_name) && bit == next_bit + 1
                }
                _ => false,
            }
    };
    list(&bits.chunk_by(goes_on).collect::<Vec<_>>(), |run| {
        let (first, last) = (run[0], run[run.len() - 1]);
        let kind = match (first.part, first.fixed) {
            (Some((kind, ..)), _) => kind,
            (None, Some(_)) => "fixed",
            (None, None) => "any",
        };
        let digits = run.iter().filter_map(|bit| bit.fixed).map(|set| if set { '1' } else { '0' });
        let digits: String = digits.collect();
        object([
            ("kind", json!(kind)),
            ("width", json!(run.len())),
            ("digits", if digits.is_empty() { Value::Null } else { json!(digits) }),
            ("name", json!(last.part.map(|(_, name, _)| name))),
            ("low", json!(last.part.map(|(_, _, bit)| bit))),
        ])
    })
}

pub(super) fn bits(operation: &Operation, bits: &[CodingBit]) -> Value {
    runs(&bits.iter().map(|bit| coded(operation, bit)).collect::<Vec<_>>())
}

pub(super) fn tail(operation: &Operation, item: &TailItem) -> Value {
    let alias = |id: &isac_parser::model::InstanceId| json!(operation.instances[id.index()].alias);
    let (kind, alias, word) = match item {
        TailItem::Word { bits: word, .. } => ("word", Value::Null, bits(operation, word)),
        TailItem::Instance { instance, .. } => ("tail", alias(instance), Value::Null),
        TailItem::Decode { instance, .. } => ("decoded", alias(instance), Value::Null),
    };
    object([("kind", json!(kind)), ("alias", alias), ("bits", word)])
}

pub(super) fn condition(operation: &Operation, of: &Condition) -> Value {
    let joined = |kind: &str, parts: &[&Condition]| {
        let parts = parts.iter().map(|part| condition(operation, part)).collect();
        object([("kind", json!(kind)), ("parts", Value::Array(parts))])
    };
    match of {
        Condition::And(left, right) => joined("and", &[left, right]),
        Condition::Or(left, right) => joined("or", &[left, right]),
        Condition::Not(inner) => joined("not", &[inner]),
        Condition::Constant(value) => object([("kind", json!("constant")), ("value", json!(value))]),
        Condition::Compare(comparison) => compare(operation, comparison),
    }
}

fn compare(operation: &Operation, comparison: &Comparison) -> Value {
    let side =
        |bits: &[ComparedBit]| runs(&bits.iter().map(|bit| compared(operation, bit)).collect::<Vec<_>>());
    let relation = match comparison.relation {
        Relation::Equal => "==",
        Relation::NotEqual => "!=",
        Relation::Less => "<",
        Relation::LessEqual => "<=",
        Relation::Greater => ">",
        Relation::GreaterEqual => ">=",
    };
    object([
        ("kind", json!("compare")),
        ("relation", json!(relation)),
        ("signed", json!(comparison.signed)),
        ("left", side(&comparison.left)),
        ("right", side(&comparison.right)),
    ])
}

/// The decodings of all choices: groups first, then operations, each in the order of the text.
pub(super) fn decodings(model: &CheckedModel) -> Value {
    let groups = (0..model.groups.len() as u32).map(|id| OperationOrGroup::Group(GroupId(id)));
    let operations =
        (0..model.operations.len() as u32).map(|id| OperationOrGroup::Operation(OperationId(id)));
    let found = groups.chain(operations).filter_map(|target| Some((target, model.decoding(target)?)));
    Value::Array(found.map(|(target, one)| decoding(model, target, one)).collect())
}

fn decoding(model: &CheckedModel, target: OperationOrGroup, decoding: &Decoding) -> Value {
    let (name, kind) = named(model, target);
    let paths = list(&decoding.paths, |path| {
        let operations = path.steps.iter().filter_map(|step| match step.target {
            OperationOrGroup::Operation(id) => {
                Some(object([("name", json!(model.operations[id.index()].name))]))
            }
            OperationOrGroup::Group(_) => None,
        });
        object([("width", json!(path.width_bits)), ("operations", Value::Array(operations.collect()))])
    });
    let entries = list(&decoding.entries, |entry| {
        let patterns =
            list(&entry.patterns, |cube| object([("bits", json!(digits(*cube, decoding.width_bits)))]));
        object([("path", json!(entry.path)), ("patterns", patterns)])
    });
    object([
        ("target", name),
        ("kind", kind),
        ("width", json!(decoding.width_bits)),
        ("exact", json!(decoding.is_listed())),
        ("paths", paths),
        ("entries", entries),
    ])
}

fn digits(cube: Cube, width: u32) -> String {
    let digit = |bit: u32| match cube.bit(bit) {
        Some(true) => '1',
        Some(false) => '0',
        None => 'x',
    };
    (0..width).rev().map(digit).collect()
}
