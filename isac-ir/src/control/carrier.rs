//! Registers that carry an address and do not keep it.

use super::state::{Known, NextAddress, State};
use super::{Context, Walk};
use crate::behavior::{BinaryOp, Expr, ExprKind, Stmt, walk_statements};

/// What a walk has seen of a carrier that is looked into.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Copied {
    /// The carrier. Of conditions that are not known the side is taken that copies it to the program counter.
    followed: Option<u32>,
    /// The carrier whose copies are noted.
    register: Option<u32>,
    /// It was copied to the program counter.
    is_copied: bool,
    /// And written behind that.
    is_written: bool,
}

impl Walk<'_> {
    /// Finds the carriers: registers of stages that others follow, and those that the step of every
    /// instruction copies to the program counter.
    pub(super) fn find_carriers(&mut self) {
        self.carriers.clone_from(&self.handed_on);
        let mut copied = Vec::new();
        let bodies = self.steps.iter().filter_map(|step| self.model.operation(*step).behavior.as_ref());
        for body in bodies {
            walk_statements(&body.statements, &mut |statement| copied.extend(self.source_of(statement)));
        }
        self.carriers.extend(&copied);
        copied.sort_unstable();
        copied.dedup();
        for register in copied {
            if self.lasts(register) {
                self.lasting.insert(register);
            }
        }
    }

    /// The register that a statement copies to the program counter.
    fn source_of(&self, statement: &Stmt) -> Option<u32> {
        match statement {
            Stmt::SetRegister { register, value, .. } if *register == self.counter.register => {
                register_of(value)
            }
            _ => None,
        }
    }

    /// Whether a step that has taken the program counter from a register may do so again, nothing being done in
    /// between: what led there is still so.
    fn lasts(&mut self, register: u32) -> bool {
        let mut state = State::new(NextAddress::unknown());
        self.copied = Copied { followed: Some(register), register: Some(register), ..Copied::default() };
        self.run_steps(&mut state);
        let Copied { is_copied, is_written, .. } = self.copied;
        if !is_copied || is_written {
            self.copied = Copied::default();
            return false;
        }
        self.copied = Copied { register: Some(register), ..Copied::default() };
        state.variables.clear();
        state.next = NextAddress::unknown();
        state.is_gone = false;
        self.run_steps(&mut state);
        std::mem::take(&mut self.copied).is_copied
    }

    /// Runs what runs in every instruction, and nothing else.
    fn run_steps(&mut self, state: &mut State) {
        let model = self.model;
        for (number, operation) in self.steps.clone().into_iter().enumerate() {
            let node = (number > 0).then_some(0);
            self.contexts.push(Context { operation, node, parent: None });
            let operation = model.operation(operation);
            for body in [&operation.root, &operation.behavior].into_iter().flatten() {
                self.run_body(state, self.contexts.len() - 1, body);
            }
        }
        self.contexts.clear();
        self.begun.clear();
    }

    /// Whether a side of a condition copies the carrier that is followed.
    pub(super) fn is_followed(&self, statements: &[Stmt]) -> bool {
        let Some(followed) = self.copied.followed else { return false };
        let mut copies = false;
        walk_statements(statements, &mut |statement| copies |= self.source_of(statement) == Some(followed));
        copies
    }

    /// A condition holds, or does not, on the way that is followed: what that says of registers is known.
    pub(super) fn assume(&self, state: &mut State, condition: &Expr, holds: bool) {
        let whole = |value: &Expr| match &value.kind {
            ExprKind::ZeroExtend(narrow) => register_of(narrow),
            _ => register_of(value),
        };
        let register = |value: &Expr| whole(value).filter(|register| *register != self.counter.register);
        let mut set = |register: u32, bits: u128| state.registers.insert((register, 0), Known::number(bits));
        match &condition.kind {
            ExprKind::Register { .. } if condition.width == 1 => {
                register(condition).map(|register| set(register, holds.into()));
            }
            ExprKind::Binary(operator @ (BinaryOp::Equal | BinaryOp::NotEqual), left, right) => {
                let (value, other) = match left.kind {
                    ExprKind::Const(value) => (value, right),
                    _ => match right.kind {
                        ExprKind::Const(value) => (value, left),
                        _ => return,
                    },
                };
                let is_equal = (*operator == BinaryOp::Equal) == holds;
                match register(other) {
                    Some(register) if is_equal => _ = set(register, value),
                    Some(register) if other.width == 1 => _ = set(register, value ^ 1),
                    _ => {}
                }
            }
            ExprKind::Binary(BinaryOp::And, left, right) if holds && condition.width == 1 => {
                self.assume(state, left, true);
                self.assume(state, right, true);
            }
            ExprKind::Select(first, second, otherwise) if holds && otherwise.kind == ExprKind::Const(0) => {
                self.assume(state, first, true);
                self.assume(state, second, true);
            }
            _ => {}
        }
    }

    /// Notes a statement that writes a register, if it copies the carrier that is looked into or writes it.
    pub(super) fn note_copy(&mut self, written: u32, statement: &Stmt) {
        let Some(register) = self.copied.register else { return };
        if written == register {
            self.copied.is_written |= self.copied.is_copied;
        } else if self.source_of(statement) == Some(register) {
            self.copied.is_copied = true;
        }
    }
}

/// The register that a value is, if it is one of no file.
fn register_of(value: &Expr) -> Option<u32> {
    match value.kind {
        ExprKind::Register { register, index: None, .. } => Some(register),
        _ => None,
    }
}
