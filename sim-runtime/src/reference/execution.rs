//! Executions: whose LOCALs a body sees, and what brought it about.
//!
//! Every time an operation is executed it has LOCALs of its own, which begin at 0 and live with
//! the instruction. An operand belongs to one execution of the operation that it is part of: its
//! EXPRESSION sees what its BEHAVIOR assigned just before.
//!
//! What was decoded belongs to an execution of the operation that decoded it, also where an
//! operation further up schedules it. It may run first then: the execution that it belongs to has
//! begun with that, and goes on when the operation that decoded it has its turn.

use std::collections::BTreeMap;

use isac_ir::operation::{Referred, Role, Target};

use super::step::{Due, Step};

/// How an execution has begun.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Begun {
    /// The operation has had its turn.
    Run,
    /// Its operand was mentioned.
    Mentioned,
    /// What it decoded has run; if it has something to run itself, this is where it goes on.
    Awaited,
}

/// One execution of an operation within an instruction.
#[derive(Clone)]
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
    begun: Begun,
    /// As [`Step::is_beside`](super::step::Step::is_beside).
    is_beside: bool,
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
        let known = above.and_then(|(parent, instance)| self.known(parent, instance));
        match known {
            Some(known) if self.instruction.executions[known as usize].begun == Begun::Awaited => {
                self.go_on(known);
                known
            }
            _ => self.add_execution(operation, node, above, Begun::Run),
        }
    }

    /// Goes on with an execution that something below has begun: its operands' LOCALs are what
    /// mentions have left.
    fn go_on(&mut self, execution: u32) {
        let here = &mut self.instruction.executions[execution as usize];
        here.begun = Begun::Run;
        let instances = &self.state.model.operation(here.operation).instances;
        let called = here.decoded.iter().filter(|(instance, _)| !instances[**instance as usize].scheduled);
        let called: Vec<u32> = called.map(|(_, child)| *child).collect();
        for child in called {
            let child = &mut self.instruction.executions[child as usize];
            if child.begun == Begun::Mentioned {
                child.begun = Begun::Awaited;
            }
        }
    }

    fn add_execution(
        &mut self,
        operation: u32,
        node: Option<u32>,
        above: Option<(u32, u32)>,
        begun: Begun,
    ) -> u32 {
        let variables = vec![0; self.state.model.operation(operation).variables.len()];
        let execution = self.instruction.executions.len() as u32;
        let parent = above.map(|(parent, _)| parent);
        let decoded = BTreeMap::new();
        let has_root = |operation: u32| self.state.model.operation(operation).root.is_some();
        let above_it = parent.map(|parent| &self.instruction.executions[parent as usize]);
        let is_led_to = above_it.is_none_or(|above| above.is_beside || has_root(above.operation));
        let is_beside = node.is_none() && !has_root(operation) && is_led_to;
        let execution_of = Execution { operation, parent, node, variables, decoded, begun, is_beside };
        self.instruction.executions.push(execution_of);
        if let Some((parent, instance)) = above {
            self.instruction.executions[parent as usize].decoded.insert(instance, execution);
        }
        execution
    }

    /// The latest execution of an instance.
    fn known(&self, parent: u32, instance: u32) -> Option<u32> {
        self.instruction.executions[parent as usize].decoded.get(&instance).copied()
    }

    /// True if an execution is of no instruction, but of what runs beside each, as what takes interrupts does: it
    /// stands outside of the decoding tree, and so does all that has led to it but for what decodes.
    pub(super) fn is_beside(&self, execution: u32) -> bool {
        self.instruction.executions[execution as usize].is_beside
    }

    /// The execution that decoded what is due, else the one that activated it, and its instance.
    pub(super) fn execution_above(&mut self, due: Due) -> Option<(u32, u32)> {
        let (scheduler, instance) = due.above?;
        let taker = &self.instruction.executions[scheduler as usize];
        let role = self.state.model.operation(taker.operation).instances[instance as usize].role;
        match (role, taker.node, due.node) {
            (Role::Below, Some(top), Some(node)) => self.decoding_execution((top, scheduler), node),
            _ => Some((scheduler, instance)),
        }
    }

    /// The execution that decoded a node below another whose execution is known.
    fn decoding_execution(&mut self, top: (u32, u32), node: u32) -> Option<(u32, u32)> {
        let tree = self.tree()?;
        let (mut child, mut above) = (node, tree.owner(node)?);
        while let Target::Group(_) = tree.nodes[above as usize].target {
            (child, above) = (above, tree.owner(above)?);
        }
        let instance = tree.nodes[child as usize].instance?;
        if above == top.0 {
            return Some((top.1, instance));
        }
        let (parent, outer) = self.decoding_execution(top, above)?;
        let (_, execution) = self.find_or_begin(parent, outer, Begun::Awaited)?;
        Some((execution, instance))
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
        self.find_or_begin(parent, instance, Begun::Mentioned)
    }

    /// What an instance chose, and its latest execution. What has nothing to run, or has not had
    /// its turn, is executed by being mentioned.
    fn find_or_begin(&mut self, parent: u32, instance: u32, begun: Begun) -> Option<(u32, u32)> {
        let (node, operation) = self.chosen(parent, instance)?;
        let Some(known) = self.known(parent, instance) else {
            return Some((
                operation,
                self.add_execution(operation, Some(node), Some((parent, instance)), begun),
            ));
        };
        let found = &mut self.instruction.executions[known as usize];
        if found.begun == Begun::Mentioned {
            found.begun = begun;
        }
        Some((operation, known))
    }
}
