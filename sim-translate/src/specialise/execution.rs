//! Executions: whose LOCALs a body sees, and what its REFERENCEs lead to.
//!
//! The reference engine's rules, followed once for the step: which execution is meant is known, what
//! its LOCALs hold may not be. LOCALs are locals of the step. An operand's LOCALs are there from the
//! beginning of the execution that it belongs to, so that no arm and no loop begins them.

use std::collections::BTreeMap;

use isac_ir::Model;
use isac_ir::operation::{Operation, Referred};
use sim_runtime::memory::CellStore;

use super::Specialiser;
use crate::residual::{Op, Value};

/// Executions by the one above and its instance there.
pub(super) type Begun = BTreeMap<(u32, u32), u32>;

/// One execution of an operation within the instruction.
#[derive(Debug, Clone)]
pub(super) struct Execution {
    /// The operation.
    pub(super) operation: u32,
    /// The execution that decoded or activated it; `None` for one that is begun by itself.
    above: Option<u32>,
    /// Its node in the decoding tree.
    pub(super) node: Option<u32>,
    /// The step's local for each of its LOCALs.
    variables: Vec<u32>,
}

impl<'m, S: CellStore> Specialiser<'m, S> {
    /// Begins an execution: as an instance of an operation that is being executed, or by itself.
    pub(super) fn begin(&mut self, operation: u32, node: Option<u32>, above: Option<(u32, u32)>) -> u32 {
        let execution = self.add_execution(operation, node, above.map(|(above, _)| above));
        if let Some(above) = above {
            self.begun.insert(above, execution);
        }
        execution
    }

    /// True if an execution is of no instruction, but of what runs beside each, as what takes interrupts does: it
    /// stands outside of the decoding tree, and so does all that has led to it but for what decodes.
    pub(super) fn runs_beside(&self, execution: u32) -> bool {
        let Execution { operation, above, node, .. } = &self.executions[execution as usize];
        let has_root = |operation: u32| self.model.operation(operation).root.is_some();
        let is_above =
            |above: u32| has_root(self.executions[above as usize].operation) || self.runs_beside(above);
        node.is_none() && !has_root(*operation) && above.is_none_or(is_above)
    }

    fn add_execution(&mut self, operation: u32, node: Option<u32>, above: Option<u32>) -> u32 {
        let mut variables = Vec::new();
        for variable in &self.model.operation(operation).variables {
            let local = self.new_local(variable.width);
            self.environment.set(local, Some(0));
            variables.push(local);
        }
        self.executions.push(Execution { operation, above, node, variables });
        self.executions.len() as u32 - 1
    }

    /// Gives operands their LOCALs: those that a BEHAVIOR has not begun belong to the execution around.
    pub(super) fn begin_operands(&mut self, execution: u32) {
        if !self.has_operand_variables {
            return;
        }
        let table = self.model.operation(self.executions[execution as usize].operation);
        for instance in 0..table.instances.len() as u32 {
            if let Some(operand) = self.mentioned(execution, instance) {
                self.begin_operands(operand);
            }
        }
    }

    /// The execution of an operand that no turn has begun.
    fn mentioned(&mut self, above: u32, instance: u32) -> Option<u32> {
        let (node, operation) = self.chosen(self.executions[above as usize].node, instance)?;
        self.model.operation(operation).expression.as_ref()?;
        if let Some(known) = self.mentioned.get(&(above, instance)) {
            return Some(*known);
        }
        let execution = self.add_execution(operation, Some(node), Some(above));
        self.mentioned.insert((above, instance), execution);
        Some(execution)
    }

    /// The operation that an operand's alias chose, and its execution: the latest.
    pub(super) fn operand(&mut self, above: u32, instance: u32) -> Option<(u32, u32)> {
        let (_, operation) = self.chosen(self.executions[above as usize].node, instance)?;
        let execution = match self.begun.get(&(above, instance)) {
            Some(known) => *known,
            None => self.mentioned(above, instance)?,
        };
        Some((operation, execution))
    }

    /// Walks up to what a reference stands for: the execution that has it, and what it is there.
    ///
    /// # Panics
    /// If what is above lacks it, which the checks exclude.
    pub(super) fn referred(&self, execution: u32, reference: u32) -> (u32, Referred) {
        let here = &self.executions[execution as usize];
        let table = self.model.operation(here.operation);
        let found = here.above.and_then(|above| {
            let operation = self.executions[above as usize].operation;
            Some((above, table.referred(reference, operation)?))
        });
        match found {
            Some((above, Referred::Reference(outer))) => self.referred(above, outer),
            Some(found) => found,
            None => panic!("{} refers to what nothing above has", table.name),
        }
    }

    /// What a LOCAL of an execution holds.
    pub(super) fn read_variable(&self, execution: u32, variable: u32) -> Value {
        let local = self.executions[execution as usize].variables[variable as usize];
        self.read_local(local)
    }

    /// Assigns to it.
    pub(super) fn write_variable(&mut self, execution: u32, variable: u32, value: Value, ops: &mut Vec<Op>) {
        let local = self.executions[execution as usize].variables[variable as usize];
        let value = super::value::fit(value, self.locals[local as usize]);
        self.assign(local, value, ops);
    }

    /// The value of what a reference stands for.
    pub(super) fn read_reference(&mut self, execution: u32, reference: u32, ops: &mut Vec<Op>) -> Value {
        match self.referred(execution, reference) {
            (above, Referred::Field(field)) => {
                let node = self.executions[above as usize].node;
                let tree = self.tree().zip(node);
                let value = tree.map_or(0, |(tree, node)| tree.field(self.model, node, field));
                Value::constant(128, value)
            }
            (above, Referred::Instance(instance)) => self.read_operand(above, instance, true, ops),
            (above, Referred::Variable(variable)) => self.read_variable(above, variable),
            (_, Referred::Reference(_)) => Value::constant(1, 0),
        }
    }

    /// The coded bits of what a reference leads to.
    pub(super) fn coded_reference(&self, execution: u32, reference: u32) -> u128 {
        match self.referred(execution, reference) {
            (above, Referred::Instance(instance)) => {
                self.coded(self.executions[above as usize].node, instance)
            }
            _ => 0,
        }
    }

    /// A field of the operation that the instance chose which a reference leads to.
    pub(super) fn member_field_reference(
        &self,
        execution: u32,
        reference: u32,
        fields: &[(u32, u32)],
    ) -> u128 {
        match self.referred(execution, reference) {
            (above, Referred::Instance(instance)) => {
                self.member_field(self.executions[above as usize].node, instance, fields)
            }
            _ => 0,
        }
    }
}

/// True if some operand has LOCALs.
pub(super) fn has_operand_variables(model: &Model) -> bool {
    let is_one = |operation: &Operation| operation.expression.is_some() && !operation.variables.is_empty();
    model.operations.iter().any(is_one)
}
