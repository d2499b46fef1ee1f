//! Places that are found once and then read and written: what their EXPRESSIONs evaluated is kept
//! as it was, with everything that it is needed for.

use isac_ir::operand::{Binding, Expression, MentionKind};
use isac_ir::operation::Referred;

use super::step::{Frame, Leaving, Step};

/// A place that a body has found.
#[derive(Debug, Clone, Default)]
pub(super) enum FoundPlace {
    /// None: what was not decoded has none.
    #[default]
    Nothing,
    /// A LOCAL of an execution.
    Variable {
        /// The execution.
        execution: u32,
        /// The LOCAL.
        variable: u32,
    },
    /// An operand's.
    Operand {
        /// The operation whose EXPRESSION it is.
        operation: u32,
        /// The execution that it belongs to.
        execution: u32,
        /// The locals of the EXPRESSION, as finding it has left them.
        locals: Vec<u128>,
        /// What it found in turn.
        found: Vec<FoundPlace>,
    },
}

impl<'m> Step<'m, '_> {
    /// Finds a place: evaluates what it needs.
    pub(super) fn bind(&mut self, frame: &mut Frame<'m>, binding: u32) -> Result<(), Leaving> {
        let found = match frame.body.bindings[binding as usize] {
            Binding::Instance(instance) => self.find_operand(frame.execution, instance)?,
            Binding::Reference(reference) => match self.referred(frame.execution, reference) {
                (parent, Referred::Instance(instance)) => self.find_operand(parent, instance)?,
                (execution, Referred::Variable(variable)) => FoundPlace::Variable { execution, variable },
                (_, Referred::Field(_) | Referred::Reference(_)) => FoundPlace::Nothing,
            },
        };
        frame.found[binding as usize] = found;
        Ok(())
    }

    fn find_operand(&mut self, parent: u32, instance: u32) -> Result<FoundPlace, Leaving> {
        let Some((operation, execution)) = self.operand(parent, instance) else {
            return Ok(FoundPlace::Nothing);
        };
        let Some(body) = self.expression(operation).body(MentionKind::Bind) else {
            panic!("{} is found and has no place", self.state.model.operation(operation).name);
        };
        let mut frame = Frame::new(body, self.instruction.executions[execution as usize].node, execution);
        self.run_mentioned(&mut frame, &body.statements)?;
        let Frame { locals, found, .. } = frame;
        Ok(FoundPlace::Operand { operation, execution, locals, found })
    }

    /// Reads a place that was found.
    pub(super) fn read_bound(
        &mut self,
        frame: &Frame<'_>,
        binding: u32,
        keeps: bool,
    ) -> Result<u128, Leaving> {
        let kind = if keeps { MentionKind::KeepBound } else { MentionKind::ReadBound };
        match &frame.found[binding as usize] {
            FoundPlace::Nothing => Ok(0),
            FoundPlace::Variable { execution, variable } => {
                Ok(self.instruction.executions[*execution as usize].variables[*variable as usize])
            }
            FoundPlace::Operand { operation, .. } => {
                let expression = self.expression(*operation);
                let value = self.run_found(&frame.found[binding as usize], kind, 0)?;
                Ok(extended(expression, value))
            }
        }
    }

    /// Assigns to a place that was found.
    pub(super) fn write_bound(
        &mut self,
        frame: &Frame<'_>,
        binding: u32,
        value: u128,
    ) -> Result<(), Leaving> {
        match &frame.found[binding as usize] {
            FoundPlace::Nothing => Ok(()),
            FoundPlace::Variable { execution, variable } => {
                self.instruction.executions[*execution as usize].variables[*variable as usize] = value;
                Ok(())
            }
            FoundPlace::Operand { operation, .. } => {
                let value = value & isac_ir::bits::mask(self.expression(*operation).width);
                self.run_found(&frame.found[binding as usize], MentionKind::WriteBound, value).map(|_| ())
            }
        }
    }

    /// Runs a body of an operand whose place was found; local 0 carries the value in or out.
    fn run_found(&mut self, place: &FoundPlace, kind: MentionKind, value: u128) -> Result<u128, Leaving> {
        let FoundPlace::Operand { operation, execution, locals, found } = place else { return Ok(0) };
        let Some(body) = self.expression(*operation).body(kind) else { return Ok(0) };
        let node = self.instruction.executions[*execution as usize].node;
        let mut frame = Frame::new(body, node, *execution);
        frame.locals[..locals.len()].copy_from_slice(locals);
        frame.locals[0] = value;
        frame.found.clone_from(found);
        self.run_mentioned(&mut frame, &body.statements)?;
        Ok(frame.locals[0])
    }

    /// The EXPRESSION of an operation that has one.
    fn expression(&self, operation: u32) -> &'m Expression {
        let operation = self.state.model.operation(operation);
        let Some(expression) = &operation.expression else {
            panic!("{} is a place without EXPRESSION", operation.name);
        };
        expression
    }
}

/// An operand's value; a signed one extended to all bits.
pub(super) fn extended(expression: &Expression, value: u128) -> u128 {
    match expression.signed {
        true => isac_ir::bits::sign_extend(value, expression.width, 128),
        false => value,
    }
}
