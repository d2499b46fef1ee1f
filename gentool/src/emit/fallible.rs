//! Which bodies may end the instruction early: only their functions return what may be a trap.

use isac_ir::behavior::{Body, ExprKind, Stmt, walk_expressions, walk_statements};
use isac_ir::operand::{Binding, MentionKind};
use isac_ir::operation::Operation;

use super::Emitter;
use super::body::is_inside;
use super::mention::read_of;

impl Emitter<'_> {
    /// True if running a body may end the instruction early.
    pub(super) fn body_is_fallible(&self, operation: &Operation, body: &Body) -> bool {
        self.statements_are_fallible(operation, body, &body.statements)
    }

    /// True if running statements of a body may end the instruction early.
    pub(super) fn statements_are_fallible(
        &self,
        operation: &Operation,
        body: &Body,
        statements: &[Stmt],
    ) -> bool {
        let mut fallible = false;
        let mentions = |instance: u32, kind: MentionKind| {
            self.operand_is_fallible(operation.instances[instance as usize].target, kind)
        };
        // Where they do not travel, sections may always end the instruction.
        let refers = |reference: u32, kind: MentionKind| {
            let operand = self.carried_operand(operation, reference);
            operand.is_some_and(|target| self.operand_is_fallible(target, kind))
        };
        let finds = |binding: u32, kind: MentionKind| match body.bindings[binding as usize] {
            Binding::Instance(instance) => mentions(instance, kind),
            Binding::Reference(reference) => refers(reference, kind),
        };
        walk_expressions(statements, &mut |expr| {
            fallible |= match &expr.kind {
                ExprKind::Memory { .. } | ExprKind::CellPart { .. } => true,
                ExprKind::Register { register, index: Some(index), .. }
                | ExprKind::RegisterPart { register, index: Some(index), .. } => {
                    !is_inside(index, self.model.registers[*register as usize].elements())
                }
                ExprKind::Operand { instance, .. } => mentions(*instance, MentionKind::Read),
                ExprKind::Reference(reference) => refers(*reference, MentionKind::Read),
                ExprKind::Bound { binding, keeps, .. } => finds(*binding, read_of(*keeps)),
                _ => false,
            };
        });
        walk_statements(statements, &mut |statement| {
            fallible |= match statement {
                Stmt::SetMemory { .. }
                | Stmt::SetCellPart { .. }
                | Stmt::Halt(_)
                | Stmt::Illegal
                | Stmt::Unhandled
                | Stmt::DivisionByZero
                | Stmt::Cancel
                | Stmt::Loop { .. }
                | Stmt::Decode { .. }
                | Stmt::Retry { .. }
                | Stmt::LinuxCall { .. }
                | Stmt::Semihost { .. } => true,
                Stmt::SetRegister { register, index: Some(index), .. } => {
                    !is_inside(index, self.model.registers[*register as usize].elements())
                }
                Stmt::SetOperand { instance, .. } => mentions(*instance, MentionKind::Write),
                Stmt::SetReference { reference, .. } => refers(*reference, MentionKind::Write),
                Stmt::Bind { binding, .. } => finds(*binding, MentionKind::Bind),
                Stmt::SetBound { binding, .. } => finds(*binding, MentionKind::WriteBound),
                _ => false,
            };
        });
        fallible
    }
}
