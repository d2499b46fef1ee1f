//! Prefix and infix operators and the conditional, with C's conversions.

use super::Typer;
use super::conversion::{INT, Value, usual};
use super::expression::{Operand, valued};
use crate::ast::{self, BinaryOperator, UnaryOperator};
use crate::model::{Expr, ExprKind, Place, PlaceKind};
use crate::source::Span;

impl Typer<'_> {
    /// `-a`, `+a`, `~a`, `!a`
    pub(super) fn unary(
        &mut self,
        operator: UnaryOperator,
        operand: &ast::Expr,
        span: Span,
    ) -> Option<Operand> {
        let value = self.value(operand)?;
        if operator == UnaryOperator::Not {
            return Some(valued(ExprKind::Not(Box::new(value.expr)), INT, span));
        }
        let mut value = value.promoted();
        let ty = value.ty;
        value.expr.span = span;
        let kind = match operator {
            UnaryOperator::Negate => ExprKind::Negate(Box::new(value.expr)),
            UnaryOperator::BitNot => ExprKind::BitNot(Box::new(value.expr)),
            UnaryOperator::Plus | UnaryOperator::Not => return Some(Operand::Value(value.expr)),
        };
        Some(valued(kind, ty, span))
    }

    /// Infix operators other than assignments.
    pub(super) fn binary(
        &mut self,
        operator: BinaryOperator,
        left: &ast::Expr,
        right: &ast::Expr,
        span: Span,
    ) -> Option<Operand> {
        let (left, right) = (self.value(left), self.value(right));
        let (left, right) = (left?, right?);
        match operator {
            BinaryOperator::LogicalAnd => {
                let kind = ExprKind::LogicalAnd(Box::new(left.expr), Box::new(right.expr));
                return Some(valued(kind, INT, span));
            }
            BinaryOperator::LogicalOr => {
                let kind = ExprKind::LogicalOr(Box::new(left.expr), Box::new(right.expr));
                return Some(valued(kind, INT, span));
            }
            _ => {}
        }
        let (left, right) = if is_shift(operator) {
            (left.promoted(), right.promoted())
        } else {
            let common = usual(left.ty, right.ty);
            (left.convert(common), right.convert(common))
        };
        let ty = if is_comparison(operator) { INT } else { left.ty };
        let (left, right) = (Box::new(left.expr), Box::new(right.expr));
        Some(valued(ExprKind::Binary { operator, left, right }, ty, span))
    }

    /// `condition ? then : otherwise`: a place if both are, of the type they share, else of that of
    /// C's conversions.
    pub(super) fn conditional(
        &mut self,
        condition: &ast::Expr,
        then: &ast::Expr,
        otherwise: &ast::Expr,
        span: Span,
    ) -> Option<Operand> {
        let condition = self.value(condition);
        let (then, otherwise) = (self.operand(then), self.operand(otherwise));
        let (condition, then, otherwise) = (condition?, then?, otherwise?);
        match (then, otherwise) {
            (Operand::Place(then), Operand::Place(otherwise)) => {
                let ty = if then.ty == otherwise.ty { then.ty } else { usual(then.ty, otherwise.ty) };
                let condition = Box::new(condition.expr);
                let (then, otherwise) = (Box::new(then), Box::new(otherwise));
                let kind = PlaceKind::Conditional(condition, then, otherwise);
                Some(Operand::Place(Place { kind, ty, span }))
            }
            (Operand::Value(then), Operand::Value(otherwise))
                if then.ty.is_none() && otherwise.ty.is_none() =>
            {
                let kind =
                    ExprKind::Conditional(Box::new(condition.expr), Box::new(then), Box::new(otherwise));
                Some(Operand::Value(Expr { kind, ty: None, span }))
            }
            (then, otherwise) => {
                let (then, otherwise) = (self.value_in(then), self.value_in(otherwise));
                let value = choice(condition.expr, then?, otherwise?, span);
                Some(Operand::Value(value.expr))
            }
        }
    }
}

/// `condition ? then : otherwise` of two values, in their common type.
pub(super) fn choice(condition: Expr, then: Value, otherwise: Value, span: Span) -> Value {
    let common = usual(then.ty, otherwise.ty);
    let (then, otherwise) = (then.convert(common), otherwise.convert(common));
    let kind = ExprKind::Conditional(Box::new(condition), Box::new(then.expr), Box::new(otherwise.expr));
    Value { expr: Expr { kind, ty: Some(common), span }, ty: common }
}

/// True for `<<` and `>>`, whose operands do not share a type.
pub(super) fn is_shift(operator: BinaryOperator) -> bool {
    matches!(operator, BinaryOperator::ShiftLeft | BinaryOperator::ShiftRight)
}

fn is_comparison(operator: BinaryOperator) -> bool {
    use BinaryOperator as Op;
    matches!(operator, Op::Less | Op::LessEqual | Op::Greater | Op::GreaterEqual | Op::Equal | Op::NotEqual)
}
