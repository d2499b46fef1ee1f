//! What turns may do to instructions, found in their statements.

use std::collections::BTreeSet;

use crate::Model;
use crate::behavior::{AccessKind, Body, Stmt, walk_statements};
use crate::operand::Expression;
use crate::operation::Operation;
use crate::time::StageId;

/// What a turn may do beside scheduling.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Effects {
    /// Its stage runs again.
    pub retries: bool,
    /// Everything in these stages and before is cancelled.
    pub flushes: BTreeSet<StageId>,
    /// A stage stands from the next cycle on.
    pub stalls: bool,
    /// The instruction cancels itself.
    pub cancels: bool,
    /// The run ends behind the instruction.
    pub halts: bool,
    /// The word cannot be fetched or decoded: a fault begins its way to the last stage.
    pub dooms: bool,
}

impl Effects {
    /// Of both.
    pub(super) fn add(&mut self, other: &Effects) {
        self.retries |= other.retries;
        self.flushes.extend(&other.flushes);
        self.stalls |= other.stalls;
        self.cancels |= other.cancels;
        self.halts |= other.halts;
        self.dooms |= other.dooms;
    }

    /// Of a section, with the operands that it mentions.
    pub fn of_section(model: &Model, operation: &Operation, body: &Body) -> Effects {
        let mut effects = Effects::of_body(body);
        for mention in &body.mentions {
            let target = operation.instances[mention.instance as usize].target;
            for leaf in model.leaf_operations(target) {
                let operand = model.operation(leaf);
                for body in operand.expression.iter().flat_map(Expression::bodies) {
                    effects.add(&Effects::of_section(model, operand, body));
                }
            }
        }
        effects
    }

    fn of_body(body: &Body) -> Effects {
        let dooms = body.accesses.iter().any(|access| access.kind == AccessKind::Execute);
        let mut effects = Effects { dooms, ..Effects::default() };
        walk_statements(&body.statements, &mut |statement| match statement {
            Stmt::Retry { .. } => effects.retries = true,
            Stmt::Flush(stage) => {
                effects.flushes.insert(*stage);
            }
            Stmt::Stall { .. } => effects.stalls = true,
            Stmt::Cancel => effects.cancels = true,
            Stmt::Halt(_) | Stmt::LinuxCall { .. } | Stmt::Semihost { .. } => effects.halts = true,
            Stmt::Decode { .. } => effects.dooms = true,
            _ => {}
        });
        effects
    }
}

/// The stages that anything in a model stalls.
pub(super) fn stalled_stages(model: &Model) -> Vec<StageId> {
    let mut stalled = BTreeSet::new();
    for body in model.operations.iter().flat_map(Operation::counted_bodies) {
        walk_statements(&body.statements, &mut |statement| {
            if let Stmt::Stall { stage, .. } = statement {
                stalled.insert(*stage);
            }
        });
    }
    stalled.into_iter().collect()
}
