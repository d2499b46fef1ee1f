//! What stands in the way of turns in a fixed order.

use isac_ir::Model;
use isac_ir::account::{PARTS, Part};
use isac_ir::behavior::{Body, ExprKind, Stmt, walk_expressions, walk_statements};
use isac_ir::schedule::PlaceKind;

use super::Timing;
use crate::emit::execution::find_obstacles;
use crate::emit::obstacle::{find_instance_obstacles, find_operand_obstacles};
use crate::emit::{Emitter, Shape};

/// Most counters of an instruction.
const MOST_COUNTERS: u32 = 128;
/// Most places, and most stages.
const MOST_PLACES: usize = 64;

/// Why the turns of this model's instructions cannot have an order that is known when the
/// simulator is generated, each reason with its place; empty if they can.
pub fn find_timed_obstacles(model: &Model) -> Vec<String> {
    let mut found = find_obstacles(model);
    if !model.overlaps() {
        found.push("instructions are not in flight".to_string());
        return found;
    }
    find_instance_obstacles(model, &mut found);
    for operation in model.operations.iter().filter(|operation| !operation.references.is_empty()) {
        found.push(format!("{}: REFERENCE is not emitted yet", operation.location));
    }
    for operation in model.operations.iter().filter(|operation| !operation.variables.is_empty()) {
        found.push(format!("{}: LOCAL is not emitted yet", operation.location));
    }
    find_operand_obstacles(model, &mut found);
    find_decoder_obstacles(model, &mut found);
    find_body_obstacles(model, &mut found);
    if let Some(body) = &model.memory_fault {
        found.push(format!("{}: `memory_fault` where instructions are in flight", body.location));
    }
    match Timing::of(model) {
        Ok(timing) => {
            find_size_obstacles(model, &timing, &mut found);
            find_busy_obstacles(model, &timing, &mut found);
        }
        Err(obstacle) => found.push(obstacle),
    }
    found.sort();
    found.dedup();
    found
}

fn find_decoder_obstacles(model: &Model, found: &mut Vec<String>) {
    for operation in model.operations.iter().filter(|operation| !operation.tail.is_empty()) {
        found.push(format!("{}: a TAIL", operation.location));
    }
    for decoder in &model.decoders {
        let name = model.target_name(decoder.target);
        if decoder.is_open {
            found.push(format!("{name}: a choice with too many sets of words"));
        }
        if decoder.first_bits < decoder.width_bits {
            found.push(format!("{name}: words of different widths"));
        }
        if decoder.width_bits > 64 {
            found.push(format!("{name}: words above 64 bits"));
        }
    }
}

/// What a turn does not know in the middle of its cycle.
fn find_body_obstacles(model: &Model, found: &mut Vec<String>) {
    for operation in &model.operations {
        for body in operation.counted_bodies() {
            if asks(body, |kind| matches!(kind, ExprKind::Instructions)) {
                found.push(format!("{}: `instructions()` where they are in flight", body.location));
            }
        }
        let activation = operation.activation.iter();
        for body in activation.filter(|body| asks(body, |kind| matches!(kind, ExprKind::Busy(_)))) {
            found.push(format!("{}: `busy` in an ACTIVATION", body.location));
        }
    }
    let reset = model.reset.map(|reset| model.operation(reset));
    for body in reset.iter().flat_map(|reset| PARTS.iter().filter_map(|part| reset.body(*part))) {
        let mut flushes = asks(body, |kind| matches!(kind, ExprKind::Busy(_)));
        walk_statements(&body.statements, &mut |statement| {
            flushes |= matches!(statement, Stmt::Flush(_) | Stmt::Stall { .. });
        });
        if flushes {
            found.push(format!("{}: a pipeline in `reset`", body.location));
        }
    }
}

/// What a turn has activated already is not known to it.
fn find_busy_obstacles(model: &Model, timing: &Timing, found: &mut Vec<String>) {
    let schedule = &timing.schedule;
    let before = schedule.places.iter().filter_map(|place| match &place.kind {
        PlaceKind::Before { sections, .. } => Some(sections),
        PlaceKind::Decoded { .. } | PlaceKind::Walk { .. } => None,
    });
    for sections in before.chain(schedule.forms.iter().flat_map(|form| &form.turns)) {
        let activates = sections.iter().position(|section| section.part == Part::Activation);
        for section in sections.iter().skip(activates.unwrap_or(sections.len())) {
            if let Some(body) = model.operation(section.operation).body(section.part)
                && asks(body, |kind| matches!(kind, ExprKind::Busy(_)))
            {
                found.push(format!("{}: `busy` behind an ACTIVATION of the same turn", body.location));
            }
        }
    }
}

fn asks(body: &Body, what: fn(&ExprKind) -> bool) -> bool {
    let mut asks = false;
    walk_expressions(&body.statements, &mut |expr| asks |= what(&expr.kind));
    asks
}

fn find_size_obstacles(model: &Model, timing: &Timing, found: &mut Vec<String>) {
    let schedule = &timing.schedule;
    let counters = Emitter::new(model, Shape::Timed).most_counters();
    if counters > MOST_COUNTERS {
        found.push(format!("{counters} counters of an instruction, more than {MOST_COUNTERS}"));
    }
    let caches = model.caches.len();
    if caches > MOST_COUNTERS as usize {
        found.push(format!("{caches} caches, more than {MOST_COUNTERS}"));
    }
    let stages: u32 = schedule.pipelines.iter().map(|(stages, _)| stages).sum();
    if timing.order.len() > MOST_PLACES || stages as usize > MOST_PLACES {
        let places = timing.order.len();
        found.push(format!("{places} places and {stages} stages, more than {MOST_PLACES}"));
    }
}
