//! Executions: whose LOCALs a body sees, and what brought it about.
//!
//! Every time an operation is executed it has LOCALs of its own, which begin at 0 and live with
//! the instruction. An operand belongs to one execution of the operation that it is part of: its
//! EXPRESSION sees what its BEHAVIOR assigned just before.

use std::collections::BTreeMap;

use isac_ir::operation::Referred;

use super::step::Step;

/// One execution of an operation within an instruction.
pub(super) struct Execution {
    /// The operation.
    pub operation: u32,
    /// The execution that decoded or activated it; `None` for one that is begun by itself.
    pub parent: Option<u32>,
    /// Its node in the decoding tree.
    pub node: Option<u32>,
    /// Its LOCALs.
    pub variables: Vec<u128>,
    /// The latest execution of each decoded instance.
    decoded: BTreeMap<u32, u32>,
}

/// Keeps the executions given, those above them and what those decoded; gives the new number of
/// each that stays by its old one.
pub(super) fn keep_executions(
    executions: &mut Vec<Execution>,
    needed: impl Iterator<Item = u32>,
) -> BTreeMap<u32, u32> {
    let mut kept = BTreeMap::new();
    let mut next: Vec<u32> = needed.collect();
    while let Some(index) = next.pop() {
        if kept.insert(index, 0).is_none() {
            let execution = &executions[index as usize];
            next.extend(execution.parent);
            next.extend(execution.decoded.values());
        }
    }
    for (new, number) in (0u32..).zip(kept.values_mut()) {
        *number = new;
    }
    let all = std::mem::take(executions);
    executions.extend((0u32..).zip(all).filter(|(old, _)| kept.contains_key(old)).map(
        |(_, mut execution)| {
            execution.parent = execution.parent.map(|parent| kept[&parent]);
            execution.decoded.values_mut().for_each(|child| *child = kept[child]);
            execution
        },
    ));
    kept
}

impl Step<'_, '_> {
    /// Begins an execution: as an instance of an operation that is being executed, or by itself.
    pub(super) fn begin(&mut self, operation: u32, node: Option<u32>, above: Option<(u32, u32)>) -> u32 {
        let variables = vec![0; self.state.model.operation(operation).variables.len()];
        let execution = self.instruction.executions.len() as u32;
        let parent = above.map(|(parent, _)| parent);
        let decoded = BTreeMap::new();
        self.instruction.executions.push(Execution { operation, parent, node, variables, decoded });
        if let Some((parent, instance)) = above {
            self.instruction.executions[parent as usize].decoded.insert(instance, execution);
        }
        execution
    }

    /// Walks up to what a reference stands for: the execution that has it, and what it is there.
    ///
    /// # Panics
    /// If a parent lacks it, which the checks exclude.
    pub(super) fn referred(&self, execution: u32, reference: u32) -> (u32, Referred) {
        let here = &self.instruction.executions[execution as usize];
        let model = self.state.model;
        let found = here.parent.and_then(|parent| {
            let operation = self.instruction.executions[parent as usize].operation;
            Some((parent, model.operation(here.operation).referred(reference, operation)?))
        });
        match found {
            Some((parent, Referred::Reference(outer))) => self.referred(parent, outer),
            Some(found) => found,
            None => panic!("{} refers to what nothing above has", model.operation(here.operation).name),
        }
    }

    /// The node and the operation that an instance chose.
    pub(super) fn chosen(&self, execution: u32, instance: u32) -> Option<(u32, u32)> {
        let decoded = self.tree()?;
        let node = self.instruction.executions[execution as usize].node?;
        decoded.operation_at(decoded.instance(node, instance)?)
    }

    /// The operation that an operand's alias chose, and its execution.
    pub(super) fn operand(&mut self, parent: u32, instance: u32) -> Option<(u32, u32)> {
        let (node, operation) = self.chosen(parent, instance)?;
        let known = self.instruction.executions[parent as usize].decoded.get(&instance).copied();
        // An operand without anything to run is executed by being mentioned.
        let execution = known.unwrap_or_else(|| self.begin(operation, Some(node), Some((parent, instance))));
        Some((operation, execution))
    }
}
