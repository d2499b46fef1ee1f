//! Expressions, with the parentheses they need beyond those they have.

use super::Printer;
use crate::ast::{Expr, ExprKind, TypeName, TypeNameKind};

/// How strongly prefixes, then what follows an operand, bind; see `BinaryOperator::precedence`.
const CONCAT: u8 = 13;
const PREFIX: u8 = 14;
const POSTFIX: u8 = 15;

impl Printer {
    /// An expression where only operators of at least this precedence need no parentheses.
    /// 0 takes all, 1 all but the comma.
    pub(super) fn expr(&mut self, expr: &Expr, least: u8) {
        if precedence(&expr.kind) < least {
            self.put("(");
            self.kind(&expr.kind);
            self.put(")");
        } else {
            self.kind(&expr.kind);
        }
    }

    pub(super) fn exprs(&mut self, exprs: &[Expr]) {
        self.separated(exprs, ", ", |printer, expr| printer.expr(expr, 1));
    }

    fn kind(&mut self, kind: &ExprKind) {
        match kind {
            ExprKind::Number(number) => self.put(&number.spelling),
            ExprKind::Text(text) => self.text(text),
            ExprKind::Name(name) => self.name(name),
            ExprKind::Paren(inner) => {
                self.put("(");
                self.expr(inner, 0);
                self.put(")");
            }
            ExprKind::Member { .. }
            | ExprKind::Index { .. }
            | ExprKind::Slice { .. }
            | ExprKind::Call { .. } => {
                self.postfix(kind);
            }
            ExprKind::Cast { ty, operand } => {
                self.put("(");
                self.type_name(ty);
                self.put(")");
                self.expr(operand, PREFIX);
            }
            ExprKind::Unary { operator, operand } => self.prefix(operator.spelling(), operand),
            ExprKind::Step { increment, prefix: true, place } => self.prefix(step(*increment), place),
            ExprKind::Step { increment, prefix: false, place } => {
                self.expr(place, POSTFIX);
                self.put(step(*increment));
            }
            _ => self.infix(kind),
        }
    }

    /// A prefix operator; two that would run together into a third are kept apart.
    fn prefix(&mut self, operator: &str, operand: &Expr) {
        self.put(operator);
        let end = self.out.len();
        self.expr(operand, PREFIX);
        let first = self.out[end..].chars().next();
        if matches!(first, Some('+' | '-')) && operator.ends_with(first.unwrap_or_default()) {
            self.out.insert(end, ' ');
        }
    }

    fn postfix(&mut self, kind: &ExprKind) {
        match kind {
            ExprKind::Member { base, member } => {
                self.expr(base, POSTFIX);
                self.put(".");
                self.name(member);
            }
            ExprKind::Index { base, index } => {
                self.expr(base, POSTFIX);
                self.put("[");
                self.expr(index, 0);
                self.put("]");
            }
            ExprKind::Slice { base, high, low } => {
                self.expr(base, POSTFIX);
                self.put("[");
                self.expr(high, 0);
                self.put("..");
                self.expr(low, 1);
                self.put("]");
            }
            ExprKind::Call { callee, arguments } => {
                self.expr(callee, POSTFIX);
                self.put("(");
                self.exprs(arguments);
                self.put(")");
            }
            _ => {}
        }
    }

    fn infix(&mut self, kind: &ExprKind) {
        match kind {
            ExprKind::Binary { operator, left, right } => {
                self.expr(left, operator.precedence());
                self.put(" ");
                self.put(operator.spelling());
                self.put(" ");
                self.expr(right, operator.precedence() + 1);
            }
            ExprKind::Concat(parts) => {
                self.separated(parts, " :: ", |printer, part| printer.expr(part, CONCAT + 1));
            }
            ExprKind::Conditional { condition, then, otherwise } => {
                self.expr(condition, 3);
                self.put(" ? ");
                self.expr(then, 0);
                self.put(" : ");
                self.expr(otherwise, 2);
            }
            ExprKind::Assign { operator, place, value } => {
                self.expr(place, 2);
                self.put(" ");
                self.put(operator.map_or("", |operator| operator.spelling()));
                self.put("= ");
                self.expr(value, 1);
            }
            ExprKind::Comma { left, right } => {
                self.expr(left, 0);
                self.put(", ");
                self.expr(right, 1);
            }
            _ => {}
        }
    }

    pub(super) fn type_name(&mut self, ty: &TypeName) {
        match &ty.kind {
            TypeNameKind::Bit { signed, width } => {
                self.put(if *signed { "signed " } else { "" });
                self.width(width);
            }
            TypeNameKind::C(words) => self.put(words),
        }
    }

    pub(super) fn width(&mut self, width: &Expr) {
        self.put("bit[");
        self.expr(width, 1);
        self.put("]");
    }
}

fn step(increment: bool) -> &'static str {
    if increment { "++" } else { "--" }
}

/// How strongly the outermost operator binds.
fn precedence(kind: &ExprKind) -> u8 {
    match kind {
        ExprKind::Comma { .. } => 0,
        ExprKind::Assign { .. } => 1,
        ExprKind::Conditional { .. } => 2,
        ExprKind::Binary { operator, .. } => operator.precedence(),
        ExprKind::Concat(_) => CONCAT,
        ExprKind::Cast { .. } | ExprKind::Unary { .. } | ExprKind::Step { prefix: true, .. } => PREFIX,
        _ => POSTFIX,
    }
}
