//! Statements, run over what is known.

use super::state::{Known, Locals, State, no_locals};
use super::{Context, Walk};
use crate::behavior::{BinaryOp, Body, Expr, ExprKind, Stmt, walk_statements};
use crate::shared::Shared;

impl Walk<'_> {
    /// Runs a body of an operation.
    pub(super) fn run_body(&mut self, state: &mut State, context: usize, body: &Body) {
        self.run_inner(state, context, body, &[]);
    }

    /// Runs a body in the middle of another, some of its locals set; gives its locals.
    pub(super) fn run_inner(
        &mut self,
        state: &mut State,
        context: usize,
        body: &Body,
        set: &[(u32, Option<Known>)],
    ) -> Locals {
        let mut locals = no_locals();
        for (local, value) in set {
            locals.set(*local, *value);
        }
        let outer = std::mem::replace(&mut state.locals, locals);
        let labels = std::mem::take(&mut self.left);
        self.run(state, context, body, &body.statements);
        self.left = labels;
        std::mem::replace(&mut state.locals, outer)
    }

    fn run(&mut self, state: &mut State, context: usize, body: &Body, statements: &[Stmt]) {
        for statement in statements {
            if state.is_gone {
                return;
            }
            self.run_statement(state, context, body, statement);
        }
    }

    fn run_statement(&mut self, state: &mut State, context: usize, body: &Body, statement: &Stmt) {
        match statement {
            Stmt::Set { local, value } => {
                let value = self.evaluate(state, context, value);
                state.locals.set(*local, value);
            }
            Stmt::SetVariable { variable, value } => {
                match self.evaluate(state, context, value) {
                    Some(value) => state.variables.insert((context, *variable), value),
                    None => state.variables.remove(&(context, *variable)),
                };
            }
            Stmt::SetRegister { register, index, low, value, .. } => {
                let bits = (*low, value.width);
                let value = self.evaluate(state, context, value);
                let element = match index {
                    None => Some(0),
                    Some(index) => self.evaluate_index(state, context, index),
                };
                let is_fixed = value.is_some_and(|value| value.address.is_none());
                if self.delays(context, *register) {
                    self.depends_on_address |= is_fixed;
                    state.delay.set(value.map(|value| value.bits as u64));
                }
                let is_own = self.is_own(context);
                let is_known = value.is_some() && bits == (0, self.counter.width_bits);
                let is_counter = *register == self.counter.register
                    && element.is_none_or(|element| element == self.counter.element);
                self.depends_on_address |= is_counter && is_fixed;
                let leads = is_counter && !(is_known && element.is_some());
                state.jumps |= is_own && leads;
                // Who steps over the rest of the instruction, from within it, has gone nowhere yet.
                let is_within = state.next.value().is_some_and(|at| self.address < at && at < self.successor);
                let is_step =
                    is_within && value.is_some_and(|value| is_known && value.bits == self.successor.into());
                state.goes |= is_own && is_counter && !is_step;
                let is_usual = |next: u64| next == self.successor || state.next.value() == Some(next);
                match is_own {
                    true => {}
                    false if leads => state.leads.lead(),
                    false if is_counter && !value.is_some_and(|value| is_usual(value.bits as u64)) => {
                        state.leads.lead();
                        // A fixed address is that of a handler, wherever the way back is kept.
                        if value.is_some_and(|value| value.address.is_none()) {
                            state.leads.keep();
                        }
                    }
                    false if !is_counter && !self.carriers.contains(register) => keeps(state, value),
                    false => {}
                }
                self.note_copy(*register, statement);
                self.is_keeping = is_own;
                self.write_register(state, *register, element, bits, value);
            }
            Stmt::SetMemory { value, .. } | Stmt::SetCellPart { value, .. } => {
                let value = self.evaluate(state, context, value);
                self.is_keeping = self.is_own(context);
                if !self.is_keeping {
                    keeps(state, value);
                }
                self.keep(state, value);
            }
            Stmt::SetOperand { instance, value, .. } => {
                let value = self.evaluate(state, context, value);
                self.write_operand(state, context, *instance, value);
            }
            Stmt::SetReference { reference, value } => {
                let value = self.evaluate(state, context, value);
                self.write_reference(state, context, *reference, value);
            }
            Stmt::Bind { binding, .. } => self.bind(state, context, body, *binding),
            Stmt::SetBound { binding, value, .. } => {
                let value = self.evaluate(state, context, value);
                self.write_bound(state, context, body, *binding, value);
            }
            Stmt::LinuxCall { result, .. } | Stmt::Semihost { result, .. } => {
                state.locals.set(*result, None);
            }
            _ => self.run_control(state, context, body, statement),
        }
    }

    /// Whether an assignment decides where the next instruction goes on: to a register from which the
    /// step takes the program counter, by an instruction itself.
    fn delays(&self, context: usize, register: u32) -> bool {
        let is_slot = self.carriers.contains(&register) && !self.lasting.contains(&register);
        is_slot && self.is_own(context) && !self.model.overlaps()
    }

    /// Whether an operation is of the instruction, or activated by one that is, and not of what runs
    /// in every one.
    pub(super) fn is_own(&self, context: usize) -> bool {
        let mut above = Some(context);
        while let Some(Context { operation, node, parent }) = above.map(|above| self.contexts[above]) {
            if node.is_some() && !self.steps.contains(&operation) {
                return true;
            }
            above = parent;
        }
        false
    }

    /// Statements that decide which others run.
    fn run_control(&mut self, state: &mut State, context: usize, body: &Body, statement: &Stmt) {
        match statement {
            Stmt::If { condition, then, otherwise } => match self.evaluate(state, context, condition) {
                Some(Known { bits: 0, .. }) => self.run(state, context, body, otherwise),
                Some(_) => self.run(state, context, body, then),
                None if self.is_followed(then) => {
                    self.assume(state, condition, true);
                    self.run(state, context, body, then);
                }
                None if self.is_followed(otherwise) => {
                    self.assume(state, condition, false);
                    self.run(state, context, body, otherwise);
                }
                None => {
                    let mut other = state.clone();
                    let before = state.next.value();
                    self.run(state, context, body, then);
                    self.run(&mut other, context, body, otherwise);
                    if let Some(holds) = self.compares_fetched(condition).filter(|_| self.is_own(context)) {
                        match holds {
                            true => other.go_on_with(state),
                            false => state.go_on_with(&other),
                        }
                    }
                    self.join(state, (context, before), other);
                }
            },
            Stmt::Loop { label, body: turns } => {
                // What a turn assigns is not known in the next.
                forget_assigned(state, context, turns);
                let head = state.clone();
                self.run(state, context, body, turns);
                // Whoever leaves in a later turn has gone through this one.
                if !state.is_gone && state.next != head.next {
                    self.join(state, (context, None), head.clone());
                    state.next.computed = true;
                    state.jumps |= self.is_own(context);
                    self.run(state, context, body, turns);
                }
                state.is_gone = true;
                self.join_left(state, context, *label);
                if state.next != head.next {
                    state.next.computed = true;
                    state.jumps |= self.is_own(context);
                }
            }
            Stmt::Block { label, body: statements } => {
                self.run(state, context, body, statements);
                self.join_left(state, context, *label);
            }
            Stmt::Call { body: statements, .. } => self.run(state, context, body, statements),
            Stmt::Leave(label) => {
                self.left.entry(*label).or_default().push(state.clone());
                state.is_gone = true;
            }
            Stmt::Halt(_)
            | Stmt::Illegal
            | Stmt::Unhandled
            | Stmt::DivisionByZero
            | Stmt::Cancel
            | Stmt::Retry { .. } => {
                state.is_gone = true;
            }
            _ => {}
        }
    }

    /// In a pipeline, who compares an address with where fetching has gone on, and sends the run there only if that is
    /// another one, sends it there in any case. Whether a condition does, and whether it holds where they differ: one
    /// side is a register that stages hand on, as wide as the program counter, and the other no number.
    fn compares_fetched(&self, condition: &Expr) -> Option<bool> {
        let ExprKind::Binary(operator @ (BinaryOp::NotEqual | BinaryOp::Equal), left, right) =
            &condition.kind
        else {
            return None;
        };
        let is_fetched = |value: &Expr| {
            whole(value).width == self.counter.width_bits
                && matches!(whole(value).kind, ExprKind::Register { register, .. } if self.handed_on.contains(&register))
        };
        let is_number = |value: &Expr| matches!(whole(value).kind, ExprKind::Const(_));
        let is_it = |fetched: &Expr, other: &Expr| is_fetched(fetched) && !is_number(other);
        let found = (is_it(left, right) || is_it(right, left)) && self.model.overlaps();
        found.then_some(*operator == BinaryOp::NotEqual)
    }

    fn join_left(&mut self, state: &mut State, context: usize, label: u32) {
        for left in self.left.remove(&label).unwrap_or_default() {
            self.join(state, (context, None), left);
        }
    }

    /// Joins two ways through a body, before which the program counter held an address, if that is known.
    fn join(&self, state: &mut State, (context, before): (usize, Option<u64>), mut other: State) {
        match self.is_own(context) {
            true => {
                let is_branch = state.goes || other.goes;
                state.forget_where_it_goes(is_branch);
                other.forget_where_it_goes(is_branch);
                state.join(other);
            }
            // Where the instruction has gone elsewhere, steps behind it leave it there as a rule.
            false if state.goes || other.goes => state.join_step(other, before.as_slice()),
            false => state.join_step(other, &[self.successor, self.address]),
        }
    }
}

/// A value without what makes it narrower or wider.
fn whole(value: &Expr) -> &Expr {
    match &value.kind {
        ExprKind::ZeroExtend(inner) | ExprKind::Slice { base: inner, low: 0 } => whole(inner),
        _ => value,
    }
}

/// A step has written a value, which may be an address.
fn keeps(state: &mut State, value: Option<Known>) {
    if value.is_some_and(|value| value.address.is_some()) {
        state.leads.keep();
    }
}

/// Forgets what statements assign.
fn forget_assigned(state: &mut State, context: usize, statements: &[Stmt]) {
    walk_statements(statements, &mut |statement| match statement {
        Stmt::Set { local, .. } => state.locals.set(*local, None),
        Stmt::SetVariable { variable, .. } => {
            state.variables.remove(&(context, *variable));
        }
        Stmt::SetRegister { register, .. } => state.registers.retain(|(other, _), _| other != register),
        Stmt::SetOperand { .. } | Stmt::SetReference { .. } | Stmt::SetBound { .. } => {
            state.registers = Shared::default();
            state.variables = Shared::default();
        }
        Stmt::Bind { .. } => state.found = Shared::default(),
        _ => {}
    });
}
