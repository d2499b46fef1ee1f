//! Operands: the EXPRESSION of what an alias chose, read, assigned, or found once for both.

use isac_ir::behavior::Body;
use isac_ir::operand::{Binding, Expression, MentionKind};
use sim_runtime::memory::CellStore;

use super::Specialiser;
use super::body::{Flow, Frame};
use super::value::fit;
use crate::residual::{Op, Value};

/// A place that a body has found.
#[derive(Debug, Clone)]
pub(super) struct Found<'m> {
    expression: &'m Expression,
    /// Node of the operation whose EXPRESSION it is.
    node: u32,
    /// The step's local for each of those that the bodies of the place share.
    locals: Vec<u32>,
    /// What it found in turn.
    found: Vec<Option<Found<'m>>>,
}

impl<'m, S: CellStore> Specialiser<'m, S> {
    /// The value of what an alias chose; one of a signed type is extended.
    pub(super) fn read_operand(&mut self, frame: &Frame<'m>, instance: u32, ops: &mut Vec<Op>) -> Value {
        let Some((node, operation)) = self.chosen(frame.node, instance) else {
            return Value::constant(1, 0);
        };
        let Some(expression) = &self.model.operation(operation).expression else {
            // A member without EXPRESSION means its coded bits.
            return Value::constant(128, self.coded(frame.node, instance));
        };
        let local = self.run_expression(&expression.read, node, None, ops);
        self.extended(expression, local)
    }

    /// Assigns to what an alias chose.
    pub(super) fn write_operand(
        &mut self,
        frame: &Frame<'m>,
        instance: u32,
        value: Value,
        ops: &mut Vec<Op>,
    ) -> Flow {
        let Some((node, operation)) = self.chosen(frame.node, instance) else { return Flow::On };
        let Some(expression) = &self.model.operation(operation).expression else { return Flow::On };
        let Some(write) = &expression.write else { return Flow::On };
        let value = fit(value, expression.width);
        let mut inner = self.frame(write, Some(node), None);
        self.assign(inner.locals[0], value, ops);
        inner.counted = None;
        self.run_body(&inner, ops)
    }

    /// Runs an EXPRESSION's body; gives the local that carries the value.
    fn run_expression(&mut self, body: &'m Body, node: u32, value: Option<Value>, ops: &mut Vec<Op>) -> u32 {
        let frame = self.frame(body, Some(node), None);
        if let Some(value) = value {
            self.assign(frame.locals[0], value, ops);
        }
        self.run_body(&frame, ops);
        frame.locals[0]
    }

    /// What a local of an EXPRESSION holds, extended if the operand is signed.
    fn extended(&self, expression: &Expression, local: u32) -> Value {
        let width = self.locals[local as usize];
        let value = match self.environment.get(local) {
            Some(known) => Value::constant(width, known),
            None => Value::local(width, local),
        };
        let value = fit(value, expression.width);
        if expression.signed { Value::sign_extend(128, value) } else { value }
    }

    /// Finds a place: evaluates what it needs.
    pub(super) fn bind(&mut self, frame: &mut Frame<'m>, binding: u32, ops: &mut Vec<Op>) {
        let found = match frame.body.bindings[binding as usize] {
            Binding::Instance(instance) => self.find_operand(frame.node, instance, ops),
            Binding::Reference(_) => panic!("{} holds what is not translated", frame.body.location),
        };
        frame.found[binding as usize] = found;
    }

    fn find_operand(&mut self, above: Option<u32>, instance: u32, ops: &mut Vec<Op>) -> Option<Found<'m>> {
        let (node, operation) = self.chosen(above, instance)?;
        let expression = self.model.operation(operation).expression.as_ref()?;
        let body = expression.body(MentionKind::Bind)?;
        let mut frame = self.frame(body, Some(node), None);
        let mut labels = super::body::Labels::default();
        self.run_statements(&mut frame, &mut labels, ops);
        Some(Found { expression, node, locals: frame.locals, found: frame.found })
    }

    /// The value of a place that was found.
    pub(super) fn read_found(
        &mut self,
        frame: &Frame<'m>,
        binding: u32,
        kind: MentionKind,
        ops: &mut Vec<Op>,
    ) -> Value {
        let Some(place) = frame.found[binding as usize].clone() else { return Value::constant(1, 0) };
        let Some(inner) = self.found_frame(&place, kind) else { return Value::constant(1, 0) };
        self.run_body(&inner, ops);
        self.extended(place.expression, inner.locals[0])
    }

    /// Assigns to a place that was found.
    pub(super) fn run_found(
        &mut self,
        frame: &Frame<'m>,
        binding: u32,
        kind: MentionKind,
        value: Option<Value>,
        ops: &mut Vec<Op>,
    ) -> Flow {
        let Some(place) = frame.found[binding as usize].clone() else { return Flow::On };
        let Some(inner) = self.found_frame(&place, kind) else { return Flow::On };
        if let Some(value) = value {
            let value = fit(value, place.expression.width);
            self.assign(inner.locals[0], value, ops);
        }
        self.run_body(&inner, ops)
    }

    /// What a body of a place that was found runs with: it begins with what finding it has left.
    fn found_frame(&mut self, place: &Found<'m>, kind: MentionKind) -> Option<Frame<'m>> {
        let body = place.expression.body(kind)?;
        let mut frame = self.frame(body, Some(place.node), None);
        for (own, left) in frame.locals.iter_mut().zip(&place.locals).skip(1) {
            *own = *left;
        }
        frame.found.clone_from(&place.found);
        Some(frame)
    }
}
