//! What the decoded instruction gives to an operation: fields, coded words, operands.

use std::collections::VecDeque;

use isac_ir::behavior::{Body, ExprKind, UNCOUNTED};
use isac_ir::operation::Target;
use sim_profile::{AccessEvent, Event};

use super::step::{Frame, Leaving, Step};

impl<'m> Step<'m, '_> {
    /// The operation that an operand's alias chose, with its node.
    fn operand(&self, frame: &Frame<'_>, instance: u32) -> Option<(u32, u32)> {
        let decoded = self.tree()?;
        decoded.operation_at(decoded.instance(frame.node?, instance)?)
    }

    pub(super) fn read_operand(
        &mut self,
        frame: &mut Frame<'_>,
        instance: u32,
        kind: &ExprKind,
    ) -> Result<u128, Leaving> {
        let uncounted = matches!(kind, ExprKind::Operand { mention: UNCOUNTED, .. });
        let Some((node, operation)) = self.operand(frame, instance) else { return Ok(0) };
        let Some(expression) = &self.state.model.operation(operation).expression else {
            // A member without EXPRESSION means its coded bits.
            return Ok(self.coded(frame, instance));
        };
        let value = self.run_expression(&expression.read, node, 0, uncounted)?;
        let read = isac_ir::bits::sign_extend(value, expression.width, 128);
        Ok(if expression.signed { read } else { value })
    }

    pub(super) fn write_operand(
        &mut self,
        frame: &mut Frame<'_>,
        instance: u32,
        value: u128,
    ) -> Result<(), Leaving> {
        let Some((node, operation)) = self.operand(frame, instance) else { return Ok(()) };
        let Some(expression) = &self.state.model.operation(operation).expression else { return Ok(()) };
        let Some(write) = &expression.write else { return Ok(()) };
        let value = value & isac_ir::bits::mask(expression.width);
        self.run_expression(write, node, value, false).map(|_| ())
    }

    /// Runs an EXPRESSION's body; local 0 carries the value in or out.
    fn run_expression(
        &mut self,
        body: &'m Body,
        node: u32,
        value: u128,
        uncounted: bool,
    ) -> Result<u128, Leaving> {
        let mut locals = vec![0; body.locals.len().max(1)];
        locals[0] = value;
        let mut frame = Frame { body, node: Some(node), locals };
        if uncounted {
            let decoded = self.tree().cloned();
            let mut silent = Step {
                state: &mut *self.state,
                counts: &mut *self.counts,
                host: &mut *self.host,
                sink: &mut (),
                address: self.address,
                size_cells: self.size_cells,
                decoded,
                fetching: None,
                is_undecoded: self.is_undecoded,
                due: VecDeque::new(),
            };
            silent.run_statements(&mut frame, &body.statements, 0)?;
        } else {
            self.run_statements(&mut frame, &body.statements, 0)?;
        }
        Ok(frame.locals[0])
    }

    pub(super) fn field(&self, frame: &Frame<'_>, field: u32) -> u128 {
        match (self.tree(), frame.node) {
            (Some(decoded), Some(node)) => decoded.field(self.state.model, node, field),
            _ => 0,
        }
    }

    /// True if what an instance chose is a member.
    pub(super) fn has_chosen(&self, frame: &Frame<'_>, instance: u32, member: Target) -> bool {
        match (self.tree(), frame.node) {
            (Some(decoded), Some(node)) => decoded.has_chosen(node, instance, member),
            _ => false,
        }
    }

    /// A field of the operation that an instance chose.
    pub(super) fn member_field(&self, frame: &Frame<'_>, instance: u32, fields: &[(u32, u32)]) -> u128 {
        let Some((node, operation)) = self.operand(frame, instance) else { return 0 };
        let field = fields.iter().find(|(member, _)| *member == operation);
        match (self.tree(), field) {
            (Some(decoded), Some((_, field))) => decoded.field(self.state.model, node, *field),
            _ => 0,
        }
    }

    pub(super) fn coded(&self, frame: &Frame<'_>, instance: u32) -> u128 {
        let node = self.child(frame.node, instance);
        match (self.tree(), node) {
            (Some(decoded), Some(node)) => decoded.nodes[node as usize].coded,
            _ => 0,
        }
    }

    /// Tells of an access, made by the operation of the frame.
    pub(super) fn access(&mut self, frame: &Frame<'_>, access: u32, resource: u32, kind: AccessEvent) {
        if access != UNCOUNTED {
            let node = frame.node.unwrap_or(0);
            self.sink.event(Event::Access { node, resource, kind });
        }
    }
}
