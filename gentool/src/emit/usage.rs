//! Which fields, operands and coded words of an operation its sections use: only these travel.

use std::collections::BTreeSet;

use isac_ir::Model;
use isac_ir::account::PARTS;
use isac_ir::behavior::{Body, Expr, ExprKind, Stmt, walk_expressions, walk_statements};
use isac_ir::operand::{Binding, Expression, MentionKind};
use isac_ir::operation::Operation;

use super::mention::read_of;

/// What one or more bodies use of their operation.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Usage {
    pub fields: BTreeSet<u32>,
    pub operands: BTreeSet<u32>,
    pub coded: BTreeSet<u32>,
    /// LOCALs of the operation.
    pub variables: BTreeSet<u32>,
    /// REFERENCEs, and what is done with what they stand for.
    pub referred: BTreeSet<(u32, MentionKind)>,
    /// REFERENCEs of whose instance the coded bits are used.
    pub referred_coded: BTreeSet<u32>,
}

impl Usage {
    /// Of one body.
    pub(super) fn of_body(body: &Body) -> Usage {
        let mut usage = Usage::default();
        walk_expressions(&body.statements, &mut |expr| match &expr.kind {
            ExprKind::Field(field) => {
                usage.fields.insert(*field);
            }
            ExprKind::Operand { instance, .. } => {
                usage.operands.insert(*instance);
            }
            ExprKind::Coded(instance) => {
                usage.coded.insert(*instance);
            }
            ExprKind::Variable(variable) => {
                usage.variables.insert(*variable);
            }
            ExprKind::Reference(reference) => {
                usage.referred.insert((*reference, MentionKind::Read));
            }
            ExprKind::CodedReference(reference) => {
                usage.referred_coded.insert(*reference);
            }
            ExprKind::Bound { binding, keeps, .. } => usage.find(body, *binding, read_of(*keeps)),
            _ => {}
        });
        usage.operands.extend(body.bindings.iter().filter_map(|binding| match binding {
            Binding::Instance(instance) => Some(*instance),
            Binding::Reference(_) => None,
        }));
        walk_statements(&body.statements, &mut |statement| match statement {
            Stmt::SetOperand { instance, .. } => {
                usage.operands.insert(*instance);
            }
            Stmt::SetVariable { variable, .. } => {
                usage.variables.insert(*variable);
            }
            Stmt::SetReference { reference, .. } => {
                usage.referred.insert((*reference, MentionKind::Write));
            }
            Stmt::Bind { binding, .. } => usage.find(body, *binding, MentionKind::Bind),
            Stmt::SetBound { binding, .. } => usage.find(body, *binding, MentionKind::WriteBound),
            _ => {}
        });
        usage
    }

    fn find(&mut self, body: &Body, binding: u32, kind: MentionKind) {
        if let Binding::Reference(reference) = body.bindings[binding as usize] {
            self.referred.insert((reference, kind));
        }
    }

    /// Of all bodies of an operation but its EXPRESSION.
    pub(super) fn of_operation(operation: &Operation) -> Usage {
        let bodies = PARTS.iter().filter_map(|part| operation.body(*part));
        bodies.map(Usage::of_body).fold(Usage::default(), Usage::joined)
    }

    /// Of an operand: its EXPRESSION, read or written.
    pub(super) fn of_expression(model: &Model, operation: u32) -> Usage {
        let expression = model.operation(operation).expression.as_ref();
        let bodies = expression.into_iter().flat_map(Expression::bodies);
        bodies.map(Usage::of_body).fold(Usage::default(), Usage::joined)
    }

    /// The REFERENCEs among all of this.
    pub(super) fn references(&self) -> BTreeSet<u32> {
        let referred = self.referred.iter().map(|(reference, _)| *reference);
        referred.chain(self.referred_coded.iter().copied()).collect()
    }

    fn joined(mut self, other: Usage) -> Usage {
        self.fields.extend(other.fields);
        self.operands.extend(other.operands);
        self.coded.extend(other.coded);
        self.variables.extend(other.variables);
        self.referred.extend(other.referred);
        self.referred_coded.extend(other.referred_coded);
        self
    }
}

/// The width to which every use of a field extends its sign, if there is only one such width:
/// the field then travels extended.
pub(super) fn extended_width(operation: &Operation, field: u32) -> Option<u32> {
    let expression = operation.expression.iter();
    let expressions = expression.flat_map(Expression::bodies);
    let bodies = PARTS.iter().filter_map(|part| operation.body(*part)).chain(expressions);
    let (mut uses, mut widths) = (0, Vec::new());
    for body in bodies {
        walk_expressions(&body.statements, &mut |expr: &Expr| match &expr.kind {
            ExprKind::Field(used) if *used == field => uses += 1,
            ExprKind::SignExtend(inner) if inner.kind == ExprKind::Field(field) => widths.push(expr.width),
            _ => {}
        });
    }
    let first = *widths.first()?;
    (uses == widths.len() && widths.iter().all(|width| *width == first)).then_some(first)
}
