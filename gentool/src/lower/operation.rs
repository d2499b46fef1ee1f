//! Operations and groups: their tables, and one body for each section.

use isac_ir::behavior::{BinaryOp, Body, Expr as IrExpr, ExprKind as IrExprKind, Local, Stmt};
use isac_ir::operation::{Binding, Field, Group, Instance, Operation, Reference, Referred, Role, Target};
use isac_parser::model::{
    Activation, InstanceId, InstanceRole, Operation as Source, OperationOrGroup,
    Reference as SourceReference, Referred as SourceReferred,
};
use isac_parser::source::Span;

use super::Lowering;
use super::body::BodyBuilder;
use super::expression::binary;
use super::point::Decision;

impl Lowering<'_> {
    pub(super) fn lower_groups(&self) -> Vec<Group> {
        let groups = self.model.groups.iter();
        groups
            .map(|group| Group {
                name: group.name.clone(),
                location: self.location(group.span),
                members: group.members.iter().map(|member| lower_target(*member)).collect(),
            })
            .collect()
    }

    /// A call of FUNCTION `memory_fault` with what is known of the fault.
    pub(super) fn lower_memory_fault(&self) -> Option<Body> {
        let id = self.model.memory_fault?;
        let function = &self.model.functions[id.index()];
        let mut builder = BodyBuilder::new(self, None, function.body.span);
        let address = IrExpr { width: 64, kind: IrExprKind::FaultAddress };
        let access = IrExpr { width: 2, kind: IrExprKind::FaultAccess };
        if let Some(handled) = builder.expand_call(id, vec![address, access]) {
            builder.push(Stmt::If {
                condition: binary(BinaryOp::Equal, 1, handled, IrExpr::constant(1, 0)),
                then: vec![Stmt::Unhandled],
                otherwise: Vec::new(),
            });
        }
        Some(builder.finish())
    }

    pub(super) fn lower_operations(&self) -> Vec<Operation> {
        let operations = self.model.operations.iter().enumerate();
        let lower = |(index, operation)| {
            let is_for_texts = self.of_pseudos.contains(&index);
            self.for_texts(is_for_texts, || self.lower_operation(index, operation))
        };
        let mut operations: Vec<Operation> = operations.map(lower).collect();
        self.keep_mentioned_places(&mut operations);
        operations
    }

    fn lower_operation(&self, index: usize, operation: &Source) -> Operation {
        Operation {
            name: operation.name.clone(),
            location: self.location(operation.span),
            stage: operation.stage.map(|(stage, _)| super::service::lower_stage(stage)),
            fields: operation
                .fields
                .iter()
                .map(|field| Field {
                    name: field.name.clone(),
                    width_bits: field.width_bits,
                    signed: field.signed,
                    copy_of: field.copy_of.map(|instance| instance.0),
                })
                .collect(),
            instances: self.lower_instances(index, operation),
            variables: operation
                .variables
                .iter()
                .map(|variable| Local { name: variable.name.clone(), width: variable.ty.width_bits })
                .collect(),
            references: operation.references.iter().map(lower_reference).collect(),
            tail: Vec::new(),
            coding: operation.coding.as_deref().map(super::syntax::lower_coding),
            texts: self.for_texts(true, || self.lower_texts(operation)),
            expression: operation.expression.as_ref().map(|value| self.lower_expression(operation, value)),
            root: self.lower_root(operation),
            behavior: operation.behavior.as_ref().map(|body| {
                let mut builder = BodyBuilder::new(self, Some(operation), body.span);
                builder.visit_section("BEHAVIOR", body.span);
                builder.lower_source_body(body);
                builder.finish()
            }),
            activation: self.lower_activation(operation),
        }
    }

    fn lower_instances(&self, index: usize, operation: &Source) -> Vec<Instance> {
        let mut scheduled = vec![None; operation.instances.len()];
        mark_scheduled(&operation.activation, false, &mut scheduled);
        let in_mnemonic = |id: u32| self.mnemonics.contains(&(index, InstanceId(id)));
        let instances = (0u32..).zip(operation.instances.iter().zip(scheduled));
        instances
            .map(|(id, (instance, scheduled))| Instance {
                alias: instance.alias.clone(),
                target: lower_target(instance.target),
                role: match instance.role {
                    InstanceRole::Coded => Role::Coded,
                    InstanceRole::Root => Role::Root,
                    InstanceRole::Below => Role::Below,
                    InstanceRole::Activated => Role::Activated,
                    InstanceRole::Unused => Role::Unused,
                },
                operand: self.is_operand(instance.target) && !in_mnemonic(id),
                mnemonic: in_mnemonic(id),
                width_bits: instance.width_bits.unwrap_or(0),
                scheduled: scheduled.is_some(),
                conditional: scheduled == Some(true),
            })
            .collect()
    }

    /// True if every operation that the target may be has an EXPRESSION.
    fn is_operand(&self, target: OperationOrGroup) -> bool {
        match target {
            OperationOrGroup::Operation(id) => self.model.operations[id.index()].expression.is_some(),
            OperationOrGroup::Group(id) => {
                let members = &self.model.groups[id.index()].members;
                !members.is_empty() && members.iter().all(|member| self.is_operand(*member))
            }
        }
    }

    fn lower_activation(&self, operation: &Source) -> Option<Body> {
        if operation.activation.is_empty() {
            return None;
        }
        let mut builder = BodyBuilder::new(self, Some(operation), operation.span);
        let first = operation.activation.first().map_or(operation.span, begin_of);
        builder.visit_section("ACTIVATION", first);
        lower_activations(&mut builder, &operation.activation);
        Some(builder.finish())
    }
}

fn lower_reference(reference: &SourceReference) -> Reference {
    let bindings = reference.bindings.iter().map(|binding| Binding {
        parent: binding.parent.0,
        what: match binding.what {
            SourceReferred::Field(field) => Referred::Field(field.0),
            SourceReferred::Instance(instance) => Referred::Instance(instance.0),
            SourceReferred::Variable(variable) => Referred::Variable(variable.0),
            SourceReferred::Reference(reference) => Referred::Reference(reference.0),
        },
    });
    Reference {
        name: reference.name.clone(),
        // Without a type it is in an operation that nothing decodes or activates.
        width_bits: reference.ty.map_or(0, |ty| ty.width_bits),
        signed: reference.ty.is_some_and(|ty| ty.signed),
        bindings: bindings.collect(),
    }
}

/// Where an activation stands, or what it depends on.
fn begin_of(item: &Activation) -> Span {
    match item {
        Activation::Activate { span, .. } => *span,
        Activation::If { condition, .. } => condition.span,
        Activation::Switch { value, .. } => value.span,
    }
}

fn lower_activations(builder: &mut BodyBuilder<'_>, items: &[Activation]) {
    for item in items {
        let span = begin_of(item);
        builder.visit_statement(span);
        match item {
            Activation::Activate { instance, delay_cycles, .. } => {
                builder.push(Stmt::Activate { instance: instance.0, delay: *delay_cycles });
            }
            Activation::If { condition, then, otherwise } => {
                let test = builder.lower_condition(condition);
                let [then, otherwise] = [(0, then), (1, otherwise)].map(|(side, items)| {
                    builder.arm(|builder| {
                        builder.visit_arm(span, condition, Decision::Condition, side);
                        lower_activations(builder, items);
                    })
                });
                builder.push_if(test, then, otherwise);
            }
            Activation::Switch { value, cases, default } => {
                let value = builder.lower_value(value);
                let value = builder.spill(value);
                lower_cases(builder, (span, 0), &value, cases, default);
            }
        }
    }
}

/// A SWITCH on a value: one IF in the other.
fn lower_cases(
    builder: &mut BodyBuilder<'_>,
    (span, side): (Span, u32),
    value: &IrExpr,
    cases: &[(u128, Vec<Activation>)],
    default: &[Activation],
) {
    let Some(((pattern, items), others)) = cases.split_first() else {
        builder.visit_side(span, Decision::Choice, side);
        lower_activations(builder, default);
        return;
    };
    let constant = IrExpr::constant(value.width, *pattern);
    let condition = binary(BinaryOp::Equal, 1, value.clone(), constant);
    let then = builder.arm(|builder| {
        builder.visit_side(span, Decision::Choice, side);
        lower_activations(builder, items);
    });
    let otherwise = builder.arm(|builder| lower_cases(builder, (span, side + 1), value, others, default));
    builder.push_if(condition, then, otherwise);
}

/// Marks the instances that are scheduled: `Some(true)` if on a condition.
fn mark_scheduled(items: &[Activation], conditional: bool, scheduled: &mut [Option<bool>]) {
    for item in items {
        match item {
            Activation::Activate { instance, .. } => {
                let entry = &mut scheduled[instance.index()];
                // What is scheduled in two places runs as often as it is.
                *entry = Some(conditional || entry.is_some());
            }
            Activation::If { then, otherwise, .. } => {
                mark_scheduled(then, true, scheduled);
                mark_scheduled(otherwise, true, scheduled);
            }
            Activation::Switch { cases, default, .. } => {
                cases.iter().for_each(|(_, items)| mark_scheduled(items, true, scheduled));
                mark_scheduled(default, true, scheduled);
            }
        }
    }
}

pub(super) fn lower_target(target: OperationOrGroup) -> Target {
    match target {
        OperationOrGroup::Operation(id) => Target::Operation(id.0),
        OperationOrGroup::Group(id) => Target::Group(id.0),
    }
}
