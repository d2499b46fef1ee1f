//! Indexes from one table of a model into another lie inside of it.

use crate::Model;
use crate::decoder::{Decoder, Node};
use crate::operation::{Operation, Reference, Referred, TailItem, Target};
use crate::time::StageId;

/// Adds what leads nowhere.
pub(super) fn verify_tables(model: &Model, errors: &mut Vec<String>) {
    for (what, operation) in [("main", Some(model.main)), ("reset", model.reset)] {
        if operation.is_some_and(|operation| operation as usize >= model.operations.len()) {
            errors.push(format!("{what} is an operation that does not exist"));
        }
    }
    for group in &model.groups {
        if !group.members.iter().all(|member| is_member(model, *member)) {
            errors.push(format!("group {}: a member does not exist", group.name));
        }
    }
    for (index, decoder) in model.decoders.iter().enumerate() {
        let mut nodes = decoder.variants.iter().flat_map(|variant| (0u32..).zip(&variant.nodes));
        if !has_target(model, decoder.target) || !nodes.all(|(at, node)| has_node(model, at, node)) {
            errors.push(format!("decoder {index}: a node leads to what does not exist"));
        }
    }
    for operation in &model.operations {
        let mut fail = |text: String| errors.push(format!("operation {}: {text}", operation.name));
        if operation.stage.is_some_and(|stage| !has_stage(model, stage)) {
            fail("its stage does not exist".to_string());
        }
        for instance in &operation.instances {
            if !is_member(model, instance.target) {
                fail(format!("{} is an instance of what does not exist", instance.alias));
            }
        }
        for reference in &operation.references {
            for (parent, binding) in fitting_parents(model, reference) {
                if !binding {
                    fail(format!("reference {} does not fit {parent}", reference.name));
                }
            }
        }
        if !operation.tail.iter().all(|item| has_tail(&model.decoders, operation, item)) {
            fail("its tail leads to what does not exist".to_string());
        }
    }
}

/// True for an operation or a group that exists.
fn is_member(model: &Model, target: Target) -> bool {
    !matches!(target, Target::Label(_)) && has_target(model, target)
}

/// True for an operation, a group or a part of a SWITCH that exists.
pub(super) fn has_target(model: &Model, target: Target) -> bool {
    match target {
        Target::Operation(operation) => (operation as usize) < model.operations.len(),
        Target::Group(group) => (group as usize) < model.groups.len(),
        Target::Label(label) => (label as usize) < model.labels.len(),
    }
}

/// True for a stage of a pipeline that exists.
pub(super) fn has_stage(model: &Model, stage: StageId) -> bool {
    let pipeline = model.pipelines.get(stage.pipeline as usize);
    pipeline.is_some_and(|pipeline| (stage.stage as usize) < pipeline.stages.len())
}

fn has_node(model: &Model, index: u32, node: &Node) -> bool {
    has_target(model, node.target)
        && node.parent.is_none_or(|parent| parent < index)
        && node.nested.is_none_or(|nested| (nested as usize) < model.decoders.len())
}

/// The parents that a reference has bindings for, by name, and whether each has something of its
/// width.
fn fitting_parents(model: &Model, reference: &Reference) -> Vec<(String, bool)> {
    let width = reference.width_bits;
    let fits = |parent: &Operation, what: Referred| match what {
        Referred::Field(field) => {
            parent.fields.get(field as usize).is_some_and(|field| field.width_bits == width)
        }
        Referred::Instance(instance) => (instance as usize) < parent.instances.len(),
        Referred::Variable(variable) => {
            parent.variables.get(variable as usize).is_some_and(|variable| variable.width == width)
        }
        Referred::Reference(outer) => {
            parent.references.get(outer as usize).is_some_and(|outer| outer.width_bits == width)
        }
    };
    let bindings = reference.bindings.iter().map(|binding| {
        let parent = model.operations.get(binding.parent as usize);
        match parent {
            Some(parent) => (parent.name.clone(), fits(parent, binding.what)),
            None => (format!("operation {}, which does not exist", binding.parent), false),
        }
    });
    bindings.collect()
}

fn has_tail(decoders: &[Decoder], operation: &Operation, item: &TailItem) -> bool {
    let has_instance = |instance: u32| (instance as usize) < operation.instances.len();
    match item {
        TailItem::Word { fields, .. } => {
            fields.iter().all(|(field, _)| (*field as usize) < operation.fields.len())
        }
        TailItem::Instance(instance) => has_instance(*instance),
        TailItem::Decode { instance, decoder } => {
            has_instance(*instance) && (*decoder as usize) < decoders.len()
        }
    }
}
