//! EXPRESSIONs: read, written, and as places in steps where a mention needs them.

use std::collections::BTreeSet;

use isac_ir::behavior::{Body, Expr as IrExpr, Stmt};
use isac_ir::operand::{Binding, Expression, MentionKind, Place};
use isac_ir::operation::{Operation, Referred, Target};
use isac_parser::model::{Expr, ExprKind, Operation as Source, Place as SourcePlace, PlaceKind, Type};

use super::Lowering;
use super::body::BodyBuilder;
use super::place::{Place as FoundPlace, Purpose};

impl Lowering<'_> {
    pub(super) fn lower_expression(&self, operation: &Source, value: &Expr) -> Expression {
        let Some(ty) = value.ty else { panic!("the EXPRESSION of {} has no type", operation.name) };
        let mut read = BodyBuilder::new(self, Some(operation), value.span);
        let result = read.new_local("value", ty.width_bits);
        read.visit_expression(value.span);
        let lowered = read.lower_value(value);
        read.push(Stmt::Set { local: result, value: lowered });
        let place = match &value.kind {
            ExprKind::Read(place) if can_be_written(operation, place) => Some(&**place),
            _ => None,
        };
        Expression {
            width: ty.width_bits,
            signed: ty.signed,
            read: read.finish(),
            write: place.map(|place| self.lower_write(operation, place, ty)),
            place: place.map(|place| self.lower_steps(operation, place, ty)),
        }
    }

    fn lower_write(&self, operation: &Source, place: &SourcePlace, ty: Type) -> Body {
        let mut write = BodyBuilder::new(self, Some(operation), place.span);
        let value = write.new_local("value", ty.width_bits);
        write.visit_expression(place.span);
        let place = write.prepare_place(place, Purpose::Write);
        write.write_place(&place, IrExpr::local(ty.width_bits, value));
        write.finish()
    }

    fn lower_steps(&self, operation: &Source, source: &SourcePlace, ty: Type) -> Place {
        let mut bind = BodyBuilder::new(self, Some(operation), source.span);
        let value = bind.new_local("value", ty.width_bits);
        bind.visit_expression(source.span);
        let place = bind.prepare_place(source, Purpose::Update);
        let bind = bind.finish();
        let after = |lower: &dyn Fn(&mut BodyBuilder<'_>, &FoundPlace)| {
            let mut builder = BodyBuilder::new(self, Some(operation), source.span);
            builder.body.locals.clone_from(&bind.locals);
            builder.body.bindings.clone_from(&bind.bindings);
            lower(&mut builder, &place);
            builder.finish()
        };
        let parts = place.locals();
        let read = after(&|builder, place| {
            let read = builder.read_place(place);
            builder.push(Stmt::Set { local: value, value: read });
        });
        let keep = after(&|builder, place| {
            let kept = builder.read_kept(place);
            builder.push(Stmt::Set { local: value, value: kept });
        });
        let write = after(&|builder, place| builder.write_place(place, IrExpr::local(ty.width_bits, value)));
        Place { parts: parts.into_iter().collect(), bind, read, keep, write }
    }

    /// Drops the steps of those places that no mention needs.
    pub(super) fn keep_mentioned_places(&self, operations: &mut [Operation]) {
        let mut needed = BTreeSet::new();
        for operation in &*operations {
            for body in operation.counted_bodies() {
                let is_step = operation.expression.as_ref().and_then(|expression| expression.kind_of(body));
                if !is_step.is_some_and(|kind| kind == MentionKind::Bind || kind.is_bound()) {
                    self.add_found(operations, operation, body, &mut needed);
                }
            }
        }
        for (index, operation) in (0u32..).zip(operations) {
            if let Some(expression) = &mut operation.expression
                && !needed.contains(&index)
            {
                expression.place = None;
            }
        }
    }

    /// Adds the operations whose places a body finds, and what those find in turn.
    fn add_found(
        &self,
        operations: &[Operation],
        operation: &Operation,
        body: &Body,
        needed: &mut BTreeSet<u32>,
    ) {
        for binding in &body.bindings {
            let mut targets = Vec::new();
            match binding {
                Binding::Instance(instance) => {
                    targets.push(operation.instances[*instance as usize].target);
                }
                Binding::Reference(reference) => {
                    add_referred(operations, operation, *reference, &mut BTreeSet::new(), &mut targets);
                }
            }
            for leaf in targets.into_iter().flat_map(|target| self.leaves(target)) {
                let inner = &operations[leaf as usize];
                let place = inner.expression.as_ref().and_then(|expression| expression.place.as_ref());
                if let (true, Some(place)) = (needed.insert(leaf), place) {
                    self.add_found(operations, inner, &place.bind, needed);
                }
            }
        }
    }

    /// The operations that a target may be.
    fn leaves(&self, target: Target) -> Vec<u32> {
        match target {
            Target::Operation(operation) => vec![operation],
            Target::Group(group) => {
                let members = self.model.groups[group as usize].members.iter();
                members.flat_map(|member| self.leaves(super::operation::lower_target(*member))).collect()
            }
            Target::Label(_) => Vec::new(),
        }
    }
}

/// Adds the aliases that a reference may stand for.
fn add_referred(
    operations: &[Operation],
    operation: &Operation,
    reference: u32,
    seen: &mut BTreeSet<(u32, u32)>,
    targets: &mut Vec<Target>,
) {
    for binding in &operation.references[reference as usize].bindings {
        let parent = &operations[binding.parent as usize];
        match binding.what {
            Referred::Instance(instance) => targets.push(parent.instances[instance as usize].target),
            Referred::Reference(outer) if seen.insert((binding.parent, outer)) => {
                add_referred(operations, parent, outer, seen, targets);
            }
            Referred::Reference(_) | Referred::Field(_) | Referred::Variable(_) => {}
        }
    }
}

/// True unless the place is, or has as a part, an operand that is none.
fn can_be_written(operation: &Source, place: &SourcePlace) -> bool {
    match &place.kind {
        PlaceKind::Operand(instance) => operation.instances[instance.index()].is_place,
        PlaceKind::Reference(reference) => operation.references[reference.index()].is_place,
        PlaceKind::Slice { base, .. } | PlaceKind::Bit { base, .. } => can_be_written(operation, base),
        PlaceKind::Concat(parts) => parts.iter().all(|part| can_be_written(operation, part)),
        PlaceKind::Conditional(_, then, otherwise) => {
            can_be_written(operation, then) && can_be_written(operation, otherwise)
        }
        PlaceKind::Local(_)
        | PlaceKind::Variable(_)
        | PlaceKind::Register { .. }
        | PlaceKind::Memory { .. }
        | PlaceKind::Written { .. } => true,
    }
}
