//! Verification: what every lowered model promises, checked after each pass over it.
//!
//! A violation is a bug of ours, never the user's; the text says what promise is broken where. A
//! model is plain data and may come from a file: nothing here relies on what it has not checked.

mod body;
mod call;
mod expression;
mod table;
mod time;

use crate::Model;
use crate::account::PARTS;
use crate::decoder::{Decoder, State};
use crate::operand::Expression;
use crate::operation::Operation;

/// Checks a whole model.
///
/// # Errors
/// The promises that are broken, each with its place.
pub fn verify_model(model: &Model) -> Result<(), Vec<String>> {
    let mut errors = Vec::new();
    table::verify_tables(model, &mut errors);
    // Everything else walks from table to table.
    if errors.is_empty() {
        for decoder in &model.decoders {
            verify_decoder(model, decoder, &mut errors);
        }
        for operation in &model.operations {
            verify_operation(model, operation, &mut errors);
        }
        if let Some(handler) = &model.memory_fault {
            // The function stands in no operation; `main` is asked for fields that it cannot mention.
            let found = body::verify_body(model, model.operation(model.main), handler);
            errors.extend(found.into_iter().map(|text| format!("memory_fault: {text}")));
        }
        time::verify_time(model, &mut errors);
    }
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

fn verify_operation(model: &Model, operation: &Operation, errors: &mut Vec<String>) {
    let bodies =
        PARTS.iter().filter_map(|part| operation.body(*part).map(|body| (format!("{part:?}"), body)));
    let expression = operation.expression.iter().flat_map(Expression::bodies);
    let expression = expression.map(|body| ("Expression".to_string(), body));
    for (part, body) in bodies.chain(expression) {
        let found = body::verify_body(model, operation, body);
        errors.extend(found.into_iter().map(|text| format!("operation {} {part}: {text}", operation.name)));
    }
}

fn verify_decoder(model: &Model, decoder: &Decoder, errors: &mut Vec<String>) {
    let name = model.target_name(decoder.target);
    let mut fail = |text: String| errors.push(format!("decoder {name}: {text}"));
    if decoder.start as usize >= decoder.states.len() {
        fail("it starts in a state that does not exist".to_string());
    }
    for (index, state) in decoder.states.iter().enumerate() {
        match state {
            State::Reject => {}
            State::Accept(variant) if (*variant as usize) < decoder.variants.len() => {}
            State::Accept(variant) => {
                fail(format!("state {index} accepts variant {variant}, which does not exist"))
            }
            State::Fetch { width_bits, next } => {
                if *width_bits > decoder.width_bits {
                    fail(format!("state {index} fetches more than a word"));
                }
                if *next as usize >= index {
                    fail(format!("state {index} has an edge to a state that is not before it"));
                }
            }
            State::Test { low, width, edges, otherwise } => {
                if *width == 0 || *width > 16 || low.saturating_add(*width) > decoder.width_bits {
                    fail(format!("state {index} looks at bits outside the word"));
                }
                let targets = edges.iter().map(|(_, next)| next).chain([otherwise]);
                if targets.into_iter().any(|next| *next as usize >= index) {
                    fail(format!("state {index} has an edge to a state that is not before it"));
                }
                if !edges.is_sorted_by(|a, b| a.0 < b.0) {
                    fail(format!("state {index} has edges out of order"));
                }
            }
        }
    }
}
