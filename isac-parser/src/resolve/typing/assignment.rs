//! What can be assigned, and the operators that assign.

use super::conversion::{promote, usual};
use super::expression::{Operand, valued};
use super::operator::is_shift;
use super::{Typer, code, error};
use crate::ast::{self, BinaryOperator};
use crate::model::{ExprKind, Place, PlaceKind};
use crate::resolve::operation::AliasValue;
use crate::source::Span;

impl Typer<'_> {
    /// An expression that is assigned to.
    fn place(&mut self, expr: &ast::Expr) -> Option<Place> {
        match self.operand(expr)? {
            Operand::Place(place) => {
                self.check_assignable(&place)?;
                Some(place)
            }
            Operand::Value(value) => {
                let what = match value.kind {
                    ExprKind::Field(_) => "a field is part of the instruction's word",
                    ExprKind::Coded(_) | ExprKind::CodedReference(_) => {
                        "coded bits are part of the instruction's word"
                    }
                    ExprKind::Const(_) => "this is a constant",
                    ExprKind::InstructionAddress | ExprKind::InstructionSize => {
                        "this is fixed when an instruction is decoded"
                    }
                    _ => "this is a computed value",
                };
                self.not_a_place(expr.span, what);
                None
            }
        }
    }

    fn not_a_place(&mut self, span: Span, label: &str) {
        let message = "this cannot be assigned to";
        let diagnostic = error(code::NOT_A_PLACE, span, message, label)
            .help("assign to a variable, a register, memory, or an alias whose EXPRESSION is one");
        self.diagnostics.push(diagnostic);
    }

    fn check_assignable(&mut self, place: &Place) -> Option<()> {
        match &place.kind {
            PlaceKind::Local(_) | PlaceKind::Variable(_) | PlaceKind::Register { .. } => Some(()),
            PlaceKind::Memory { fetch: false, .. } => Some(()),
            PlaceKind::Memory { fetch: true, .. } => {
                self.not_a_place(place.span, "an instruction fetch only reads");
                None
            }
            PlaceKind::Operand(instance) => {
                let value = self.operation?.value(*instance);
                if let AliasValue::Operand { is_place: true, .. } = value {
                    return Some(());
                }
                self.not_a_place(place.span, "not every EXPRESSION of this alias is a place");
                None
            }
            PlaceKind::Reference(id) => {
                let value = (*self.operation?.references.get(id.index())?)?;
                if value.is_place {
                    return Some(());
                }
                self.not_a_place(place.span, "not a place in every operation that has it");
                None
            }
            PlaceKind::Slice { base, .. } | PlaceKind::Bit { base, .. } => self.check_assignable(base),
            PlaceKind::Concat(parts) => {
                let parts: Vec<_> = parts.iter().map(|part| self.check_assignable(part)).collect();
                parts.into_iter().collect()
            }
            PlaceKind::Conditional(_, then, otherwise) => {
                let then = self.check_assignable(then);
                then.and(self.check_assignable(otherwise))
            }
        }
    }

    /// `place = value` and `place op= value`
    pub(super) fn assign(
        &mut self,
        operator: Option<BinaryOperator>,
        place: &ast::Expr,
        value: &ast::Expr,
        span: Span,
    ) -> Option<Operand> {
        self.only_when_running(span, "an assignment")?;
        let (value, place) = (self.value(value), self.place(place));
        let (value, place) = (value?, place?);
        let ty = place.ty;
        let kind = match operator {
            None => {
                let value = Box::new(self.fit(value, ty).expr);
                ExprKind::Assign { place: Box::new(place), value }
            }
            Some(operator) => {
                let (compute, value) = if is_shift(operator) {
                    (promote(ty), value.promoted())
                } else {
                    let compute = usual(ty, value.ty);
                    (compute, value.convert(compute))
                };
                let (place, value) = (Box::new(place), Box::new(value.expr));
                ExprKind::AssignWith { place, operator, compute, value }
            }
        };
        Some(valued(kind, ty, span))
    }

    /// `++place`, `place--`
    pub(super) fn step(
        &mut self,
        increment: bool,
        prefix: bool,
        place: &ast::Expr,
        span: Span,
    ) -> Option<Operand> {
        self.only_when_running(span, "an assignment")?;
        let place = self.place(place)?;
        let ty = place.ty;
        Some(valued(ExprKind::Step { place: Box::new(place), increment, prefix }, ty, span))
    }
}
