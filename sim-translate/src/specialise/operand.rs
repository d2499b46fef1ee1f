//! Operands: the EXPRESSION of what an alias chose, or a REFERENCE leads to, read, assigned, or found
//! once for both.

use isac_ir::operand::{Binding, Expression, MentionKind};
use isac_ir::operation::Referred;
use sim_runtime::memory::CellStore;

use super::Specialiser;
use super::body::{Flow, Frame};
use super::value::fit;
use crate::residual::{Op, Value};

/// A place that a body has found.
#[derive(Debug, Clone)]
pub(super) enum Found<'m> {
    /// A LOCAL of an execution.
    Variable {
        /// The execution.
        execution: u32,
        /// The LOCAL.
        variable: u32,
    },
    /// An operand's.
    Operand {
        expression: &'m Expression,
        /// The execution that it belongs to.
        execution: u32,
        /// A REFERENCE has led to it.
        is_referred: bool,
        /// The step's local for each of those that the bodies of the place share.
        locals: Vec<u32>,
        /// What it found in turn.
        found: Vec<Option<Found<'m>>>,
    },
}

impl<'m, S: CellStore> Specialiser<'m, S> {
    /// The value of what an alias chose; one of a signed type is extended.
    pub(super) fn read_operand(
        &mut self,
        above: u32,
        instance: u32,
        is_referred: bool,
        ops: &mut Vec<Op>,
    ) -> Value {
        let Some((expression, execution)) = self.operand_expression(above, instance) else {
            // A member without EXPRESSION means its coded bits.
            let node = self.executions[above as usize].node;
            return Value::constant(128, self.coded(node, instance));
        };
        let Some(frame) = self.operand_frame(expression, execution, MentionKind::Read, is_referred, ops)
        else {
            return Value::constant(1, 0);
        };
        self.run_body(&frame, ops);
        self.extended(expression, frame.locals[0])
    }

    /// Assigns to what an alias chose.
    pub(super) fn write_operand(
        &mut self,
        above: u32,
        instance: u32,
        value: Value,
        is_referred: bool,
        ops: &mut Vec<Op>,
    ) -> Flow {
        let Some((expression, execution)) = self.operand_expression(above, instance) else { return Flow::On };
        let kind = MentionKind::Write;
        let Some(frame) = self.operand_frame(expression, execution, kind, is_referred, ops) else {
            return Flow::On;
        };
        let value = fit(value, expression.width);
        self.assign(frame.locals[0], value, ops);
        self.run_body(&frame, ops)
    }

    /// Assigns to what a reference stands for.
    pub(super) fn write_reference(
        &mut self,
        frame: &Frame<'m>,
        reference: u32,
        value: Value,
        ops: &mut Vec<Op>,
    ) -> Flow {
        match self.referred(frame.execution, reference) {
            (above, Referred::Instance(instance)) => self.write_operand(above, instance, value, true, ops),
            (above, Referred::Variable(variable)) => {
                self.write_variable(above, variable, value, ops);
                Flow::On
            }
            (_, Referred::Field(_) | Referred::Reference(_)) => Flow::On,
        }
    }

    /// The EXPRESSION of what an instance chose, and the execution that it sees.
    fn operand_expression(&mut self, above: u32, instance: u32) -> Option<(&'m Expression, u32)> {
        let (operation, execution) = self.operand(above, instance)?;
        Some((self.model.operation(operation).expression.as_ref()?, execution))
    }

    /// What a body of an EXPRESSION runs with; one that a REFERENCE has led to is counted.
    fn operand_frame(
        &mut self,
        expression: &'m Expression,
        execution: u32,
        kind: MentionKind,
        is_referred: bool,
        ops: &mut Vec<Op>,
    ) -> Option<Frame<'m>> {
        let body = expression.body(kind)?;
        let mut frame = self.frame(body, execution, None);
        let base = frame.node.and_then(|node| self.operands.base(node, kind));
        frame.counted = base.map(|base| (base, true));
        ops.extend(base.filter(|_| is_referred).map(Op::Count));
        Some(frame)
    }

    /// What a local of an EXPRESSION holds, extended if the operand is signed.
    fn extended(&self, expression: &Expression, local: u32) -> Value {
        let value = fit(self.read_local(local), expression.width);
        if expression.signed { Value::sign_extend(128, value) } else { value }
    }

    /// Finds a place: evaluates what it needs.
    pub(super) fn bind(&mut self, frame: &mut Frame<'m>, binding: u32, ops: &mut Vec<Op>) {
        let found = match frame.body.bindings[binding as usize] {
            Binding::Instance(instance) => self.find_operand(frame.execution, instance, false, ops),
            Binding::Reference(reference) => match self.referred(frame.execution, reference) {
                (above, Referred::Instance(instance)) => self.find_operand(above, instance, true, ops),
                (execution, Referred::Variable(variable)) => Some(Found::Variable { execution, variable }),
                (_, Referred::Field(_) | Referred::Reference(_)) => None,
            },
        };
        frame.found[binding as usize] = found;
    }

    fn find_operand(
        &mut self,
        above: u32,
        instance: u32,
        is_referred: bool,
        ops: &mut Vec<Op>,
    ) -> Option<Found<'m>> {
        let (expression, execution) = self.operand_expression(above, instance)?;
        let mut frame = self.operand_frame(expression, execution, MentionKind::Bind, is_referred, ops)?;
        let mut labels = super::body::Labels::default();
        self.run_statements(&mut frame, &mut labels, ops);
        let Frame { locals, found, .. } = frame;
        Some(Found::Operand { expression, execution, is_referred, locals, found })
    }

    /// The value of a place that was found.
    pub(super) fn read_found(
        &mut self,
        frame: &Frame<'m>,
        binding: u32,
        kind: MentionKind,
        ops: &mut Vec<Op>,
    ) -> Value {
        match frame.found[binding as usize].clone() {
            Some(Found::Variable { execution, variable }) => self.read_variable(execution, variable),
            Some(place @ Found::Operand { expression, .. }) => match self.found_frame(place, kind, ops) {
                Some(inner) => {
                    self.run_body(&inner, ops);
                    self.extended(expression, inner.locals[0])
                }
                None => Value::constant(1, 0),
            },
            None => Value::constant(1, 0),
        }
    }

    /// Assigns to a place that was found.
    pub(super) fn write_found(
        &mut self,
        frame: &Frame<'m>,
        binding: u32,
        value: Value,
        ops: &mut Vec<Op>,
    ) -> Flow {
        match frame.found[binding as usize].clone() {
            Some(Found::Variable { execution, variable }) => {
                self.write_variable(execution, variable, value, ops);
                Flow::On
            }
            Some(place @ Found::Operand { expression, .. }) => {
                let Some(inner) = self.found_frame(place, MentionKind::WriteBound, ops) else {
                    return Flow::On;
                };
                let value = fit(value, expression.width);
                self.assign(inner.locals[0], value, ops);
                self.run_body(&inner, ops)
            }
            None => Flow::On,
        }
    }

    /// What a body of a place that was found runs with: it begins with what finding it has left.
    fn found_frame(&mut self, place: Found<'m>, kind: MentionKind, ops: &mut Vec<Op>) -> Option<Frame<'m>> {
        let Found::Operand { expression, execution, is_referred, locals, found } = place else { return None };
        let mut frame = self.operand_frame(expression, execution, kind, is_referred, ops)?;
        for (own, left) in frame.locals.iter_mut().zip(&locals).skip(1) {
            *own = *left;
        }
        frame.found = found;
        Some(frame)
    }
}
