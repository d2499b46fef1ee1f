//! What the decoded instruction gives to an operation: fields, coded words, operands.

use isac_ir::behavior::{Body, UNCOUNTED};
use isac_ir::operation::{Referred, Target};
use sim_profile::{AccessEvent, Event};

use super::place::extended;
use super::step::{Frame, Leaving, Step};

impl<'m> Step<'m, '_> {
    /// The value of what an alias chose, in that operation's own width; a signed one extended.
    pub(super) fn read_operand(&mut self, parent: u32, instance: u32) -> Result<u128, Leaving> {
        let Some((operation, execution)) = self.operand(parent, instance) else { return Ok(0) };
        let Some(expression) = &self.state.model.operation(operation).expression else {
            // A member without EXPRESSION means its coded bits.
            return Ok(self.coded(parent, instance));
        };
        let value = self.run_expression(&expression.read, execution, 0)?;
        Ok(extended(expression, value))
    }

    /// The value of what a reference stands for.
    pub(super) fn read_reference(&mut self, execution: u32, reference: u32) -> Result<u128, Leaving> {
        match self.referred(execution, reference) {
            (parent, Referred::Field(field)) => Ok(self.field(parent, field)),
            (parent, Referred::Instance(instance)) => self.read_operand(parent, instance),
            (parent, Referred::Variable(variable)) => {
                Ok(self.instruction.executions[parent as usize].variables[variable as usize])
            }
            (_, Referred::Reference(_)) => Ok(0),
        }
    }

    /// Assigns to what a reference stands for.
    pub(super) fn write_reference(
        &mut self,
        execution: u32,
        reference: u32,
        value: u128,
    ) -> Result<(), Leaving> {
        match self.referred(execution, reference) {
            (parent, Referred::Instance(instance)) => self.write_operand(parent, instance, value),
            (parent, Referred::Variable(variable)) => {
                self.instruction.executions[parent as usize].variables[variable as usize] = value;
                Ok(())
            }
            (_, Referred::Field(_) | Referred::Reference(_)) => Ok(()),
        }
    }

    pub(super) fn write_operand(&mut self, parent: u32, instance: u32, value: u128) -> Result<(), Leaving> {
        let Some((operation, execution)) = self.operand(parent, instance) else { return Ok(()) };
        let Some(expression) = &self.state.model.operation(operation).expression else { return Ok(()) };
        let Some(write) = &expression.write else { return Ok(()) };
        let value = value & isac_ir::bits::mask(expression.width);
        self.run_expression(write, execution, value).map(|_| ())
    }

    /// Runs an EXPRESSION's body; local 0 carries the value in or out.
    fn run_expression(&mut self, body: &'m Body, execution: u32, value: u128) -> Result<u128, Leaving> {
        let node = self.instruction.executions[execution as usize].node;
        let mut frame = Frame::new(body, node, execution);
        frame.locals[0] = value;
        self.run_mentioned(&mut frame, &body.statements)?;
        Ok(frame.locals[0])
    }

    pub(super) fn field(&self, execution: u32, field: u32) -> u128 {
        match (self.tree(), self.instruction.executions[execution as usize].node) {
            (Some(decoded), Some(node)) => decoded.field(self.state.model, node, field),
            _ => 0,
        }
    }

    /// True if what an instance chose is a member.
    pub(super) fn has_chosen(&self, execution: u32, instance: u32, member: Target) -> bool {
        match (self.tree(), self.instruction.executions[execution as usize].node) {
            (Some(decoded), Some(node)) => decoded.has_chosen(node, instance, member),
            _ => false,
        }
    }

    /// A field of the operation that an instance chose.
    pub(super) fn member_field(&self, execution: u32, instance: u32, fields: &[(u32, u32)]) -> u128 {
        let Some((node, operation)) = self.chosen(execution, instance) else { return 0 };
        let field = fields.iter().find(|(member, _)| *member == operation);
        match (self.tree(), field) {
            (Some(decoded), Some((_, field))) => decoded.field(self.state.model, node, *field),
            _ => 0,
        }
    }

    pub(super) fn coded(&self, execution: u32, instance: u32) -> u128 {
        let node = self.child(self.instruction.executions[execution as usize].node, instance);
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
