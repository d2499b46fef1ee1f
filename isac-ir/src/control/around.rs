//! What runs around the instructions: fetches and decodes them, or takes interrupts between them.

use std::collections::BTreeSet;

use crate::Model;
use crate::operation::{Role, Target};

/// The operations that are of no instruction: those with a CODINGROOT, `main`, and what `main` activates beside
/// them. What one with a CODINGROOT activates is of the instruction that it has decoded.
pub fn operations_around(model: &Model) -> BTreeSet<u32> {
    let has_root = |operation: u32| model.operation(operation).root.is_some();
    let mut around: BTreeSet<u32> = (0..model.operations.len() as u32).filter(|op| has_root(*op)).collect();
    around.insert(model.main);
    let mut waiting = vec![model.main];
    while let Some(operation) = waiting.pop() {
        if has_root(operation) {
            continue;
        }
        for instance in &model.operation(operation).instances {
            if let (Role::Activated, Target::Operation(below)) = (instance.role, instance.target)
                && around.insert(below)
            {
                waiting.push(below);
            }
        }
    }
    around
}
