//! Registers that carry an address and do not keep it.

use super::state::{NextAddress, State};
use super::{Context, Walk};
use crate::behavior::{ExprKind, Stmt, walk_statements};

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
        let stages = self.model.pipelines.iter().flat_map(|pipeline| pipeline.stages.iter().rev().skip(1));
        self.carriers = stages.flat_map(|stage| stage.registers.iter().copied()).collect();
        self.carriers.retain(|register| self.model.registers[*register as usize].count.is_none());
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
                match value.kind {
                    ExprKind::Register { register: source, index: None, .. } => Some(source),
                    _ => None,
                }
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
