//! What mentioning an operand may do, found once for each kind of mention: operands mention
//! operands, and those that are shared can be reached in more ways than anybody can walk.

use std::cell::RefCell;
use std::collections::BTreeMap;

use isac_ir::behavior::{Body, Stmt, walk_statements};
use isac_ir::operand::MentionKind;
use isac_ir::operation::{Operation, Target};

use super::Emitter;
use super::mention::body_of;
use super::usage::Usage;

/// What a mention may do, whatever the operand turns out to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Effect {
    /// It may end the instruction early.
    pub is_fallible: bool,
    /// It may set the PC or write memory.
    pub touches: bool,
    /// It may call `extra_cycles`.
    pub adds_cycles: bool,
}

impl Effect {
    fn or(self, other: Effect) -> Effect {
        Effect {
            is_fallible: self.is_fallible || other.is_fallible,
            touches: self.touches || other.touches,
            adds_cycles: self.adds_cycles || other.adds_cycles,
        }
    }
}

/// What was found so far, by what is mentioned.
pub(super) type Effects = RefCell<BTreeMap<(Target, MentionKind), Effect>>;

impl Emitter<'_> {
    /// What mentioning an operand may do.
    pub(super) fn mention_effect(&self, target: Target, kind: MentionKind) -> Effect {
        let known = self.effects.borrow().get(&(target, kind)).copied();
        known.unwrap_or_else(|| {
            let effect = match target {
                Target::Operation(operation) => self.effect_of_operation(operation, kind),
                Target::Group(_) | Target::Label(_) => {
                    let leaves = self.model.leaf_operations(target).into_iter().map(Target::Operation);
                    let effects = leaves.map(|leaf| self.mention_effect(leaf, kind));
                    effects.fold(Effect::default(), Effect::or)
                }
            };
            self.effects.borrow_mut().insert((target, kind), effect);
            effect
        })
    }

    fn effect_of_operation(&self, index: u32, kind: MentionKind) -> Effect {
        let operation = self.model.operation(index);
        let Some(body) = body_of(operation, kind) else { return Effect::default() };
        let own = Effect {
            is_fallible: self.body_is_fallible(operation, body),
            touches: self.touches(body),
            adds_cycles: adds_cycles(body),
        };
        own.or(Effect { is_fallible: false, ..self.effect_of_mentions(operation, body) })
    }

    /// What a body's mentions of operands may do.
    pub(super) fn effect_of_mentions(&self, operation: &Operation, body: &Body) -> Effect {
        let effects = body.mentions.iter().map(|mention| {
            self.mention_effect(operation.instances[mention.instance as usize].target, mention.kind)
        });
        let referred = Usage::of_body(body).referred;
        let referred = referred.into_iter().filter_map(|(reference, kind)| {
            Some(self.mention_effect(self.carried_operand(operation, reference)?, kind))
        });
        effects.chain(referred).fold(Effect::default(), Effect::or)
    }

    /// True if a body may set the PC or write memory.
    fn touches(&self, body: &Body) -> bool {
        let mut touches = false;
        walk_statements(&body.statements, &mut |statement| {
            touches |= match statement {
                Stmt::SetRegister { register, .. } => self.model.pc_register() == Some(*register),
                Stmt::SetMemory { .. }
                | Stmt::SetCellPart { .. }
                | Stmt::LinuxCall { .. }
                | Stmt::Semihost { .. } => true,
                _ => false,
            };
        });
        touches
    }
}

/// True if a body may call `extra_cycles`.
pub(super) fn adds_cycles(body: &Body) -> bool {
    let mut adds = false;
    walk_statements(&body.statements, &mut |statement| adds |= matches!(statement, Stmt::ExtraCycles(_)));
    adds
}
