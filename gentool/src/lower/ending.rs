//! Operands whose EXPRESSION may end the instruction, by a FUNCTION that halts, cancels, retries or
//! asks the host: what stands behind a mention of one may run less often than what stands before it.

use std::collections::BTreeSet;

use isac_ir::behavior::{
    Body, Expr, ExprKind, InstanceId, ReferenceId, Stmt, walk_expressions, walk_statements,
};
use isac_ir::operand::{Binding, Expression};
use isac_parser::model::{Operation as Source, OperationOrGroup, Referred};

use super::Lowering;
use super::body::{BodyBuilder, Exits};

impl Lowering<'_> {
    /// The indices of the operations in whose EXPRESSION an instruction may end, faults excepted.
    pub(super) fn list_ending_operands(&self) -> BTreeSet<usize> {
        let operations = self.model.operations.iter().enumerate();
        let expressions: Vec<(usize, Expression)> = operations
            .filter_map(|(index, operation)| {
                Some((index, self.lower_expression(operation, operation.expression.as_ref()?)))
            })
            .collect();
        let own = expressions.iter().filter(|(_, expression)| expression.bodies().any(ends));
        let mut ending: BTreeSet<usize> = own.map(|(index, _)| *index).collect();
        let mut known = 0;
        while known < ending.len() {
            known = ending.len();
            for (index, expression) in &expressions {
                let operation = &self.model.operations[*index];
                let mentions = |body: &Body| self.mentions_ending(operation, body, &ending);
                if expression.bodies().any(mentions) {
                    ending.insert(*index);
                }
            }
        }
        ending
    }

    /// True if a body mentions an operand that may end the instruction.
    fn mentions_ending(&self, operation: &Source, body: &Body, ending: &BTreeSet<usize>) -> bool {
        let mut instances: BTreeSet<InstanceId> =
            body.mentions.iter().map(|mention| mention.instance).collect();
        let mut references: BTreeSet<ReferenceId> = BTreeSet::new();
        for binding in &body.bindings {
            match binding {
                Binding::Instance(instance) => instances.insert(*instance),
                Binding::Reference(reference) => references.insert(*reference),
            };
        }
        walk_expressions(&body.statements, &mut |expr: &Expr| {
            if let ExprKind::Reference(reference) = expr.kind {
                references.insert(reference);
            }
        });
        walk_statements(&body.statements, &mut |statement| {
            if let Stmt::SetReference { reference, .. } = statement {
                references.insert(*reference);
            }
        });
        let target = |instance: InstanceId| operation.instances[instance as usize].target;
        instances.into_iter().any(|instance| self.target_ends(target(instance), ending))
            || references.into_iter().any(|reference| self.reference_ends(operation, reference, ending))
    }

    fn target_ends(&self, target: OperationOrGroup, ending: &BTreeSet<usize>) -> bool {
        match target {
            OperationOrGroup::Operation(id) => ending.contains(&id.index()),
            OperationOrGroup::Group(id) => {
                let mut members = self.model.groups[id.index()].members.iter();
                members.any(|member| self.target_ends(*member, ending))
            }
        }
    }

    /// True if a reference may stand for such an operand.
    fn reference_ends(&self, operation: &Source, reference: ReferenceId, ending: &BTreeSet<usize>) -> bool {
        let mut seen = BTreeSet::new();
        let mut waiting = vec![(operation, reference as usize)];
        while let Some((operation, reference)) = waiting.pop() {
            for binding in &operation.references[reference].bindings {
                let parent = &self.model.operations[binding.parent.index()];
                match binding.what {
                    Referred::Instance(instance) => {
                        if self.target_ends(parent.instances[instance.index()].target, ending) {
                            return true;
                        }
                    }
                    Referred::Reference(outer) if seen.insert((binding.parent, outer)) => {
                        waiting.push((parent, outer.index()));
                    }
                    Referred::Reference(_) | Referred::Field(_) | Referred::Variable(_) => {}
                }
            }
        }
        false
    }
}

impl BodyBuilder<'_> {
    /// Statements have mentioned an operand, or what a reference stands for: where that may have ended
    /// the instruction, what follows is a frame of its own.
    pub(super) fn pass_mention(&mut self, mentioned: Binding) {
        if self.may_end(mentioned) {
            self.leave_maybe(Exits::end());
        }
    }

    /// The value of a mention; one that may end the instruction is evaluated here.
    pub(super) fn value_of_mention(&mut self, mentioned: Binding, value: Expr) -> Expr {
        if !self.may_end(mentioned) {
            return value;
        }
        let value = self.spill(value);
        self.leave_maybe(Exits::end());
        value
    }

    fn may_end(&self, mentioned: Binding) -> bool {
        let ending = &self.lowering.ending;
        let Some(operation) = self.operation.filter(|_| !ending.is_empty()) else { return false };
        match mentioned {
            Binding::Instance(instance) => {
                self.lowering.target_ends(operation.instances[instance as usize].target, ending)
            }
            Binding::Reference(reference) => self.lowering.reference_ends(operation, reference, ending),
        }
    }
}

/// True if the instruction may end in a body itself.
fn ends(body: &Body) -> bool {
    let mut ends = false;
    walk_statements(&body.statements, &mut |statement| {
        ends |= matches!(
            statement,
            Stmt::Halt(_)
                | Stmt::Cancel
                | Stmt::Retry { .. }
                | Stmt::LinuxCall { .. }
                | Stmt::Semihost { .. }
        );
    });
    ends
}
