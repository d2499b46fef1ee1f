//! Expressions: what each form means, by dispatch to the file of its kind.

use super::conversion::{INT, MAX_COMPUTED_BITS, Value, bits, signed};
use super::operator::choice;
use super::{Mode, Typer, code, error};
use crate::ast;
use crate::model::{Expr, ExprKind, Place, PlaceKind, Type};
use crate::resolve::report::count;
use crate::source::Span;

/// What an expression denotes before it is known how it is used.
#[derive(Debug, Clone)]
pub(super) enum Operand {
    /// Something that can be read, and assigned where [`Typer::place`] allows it.
    Place(Place),
    /// A value, or the nothing of a `void` call.
    Value(Expr),
}

impl Operand {
    /// Its width in bits, if it is a value.
    pub(super) fn width_bits(&self) -> Option<u32> {
        match self {
            Operand::Place(place) => Some(place.ty.width_bits),
            Operand::Value(expr) => expr.ty.map(|ty| ty.width_bits),
        }
    }
}

impl Typer<'_> {
    /// An expression whose value is needed.
    pub(super) fn value(&mut self, expr: &ast::Expr) -> Option<Value> {
        let operand = self.operand(expr)?;
        self.value_in(operand)
    }

    /// The value of an operand; reports the nothing of a `void` call.
    pub(super) fn value_in(&mut self, operand: Operand) -> Option<Value> {
        match operand {
            Operand::Place(Place {
                kind: PlaceKind::Conditional(condition, then, otherwise), span, ..
            }) => {
                let condition = *condition;
                Some(choice(condition, Value::read(*then), Value::read(*otherwise), span))
            }
            Operand::Place(place) => Some(Value::read(place)),
            Operand::Value(expr) => match expr.ty {
                Some(ty) => Some(Value { expr, ty }),
                None => {
                    let message = "a value is needed, but this call returns none";
                    let mut diagnostic = error(code::VOID_VALUE, expr.span, message, "is void");
                    if let ExprKind::Call { function, .. } = &expr.kind {
                        if let Some(Some(signature)) = self.table.functions.get(function.index()) {
                            diagnostic = diagnostic.secondary(signature.span, "declared `void` here");
                        }
                    } else {
                        diagnostic = diagnostic.help("call it as a statement of its own");
                    }
                    self.diagnostics.push(diagnostic);
                    None
                }
            },
        }
    }

    /// An expression that may also be the call of a `void` function.
    pub(super) fn effect(&mut self, expr: &ast::Expr) -> Option<Expr> {
        match self.operand(expr)? {
            Operand::Place(place) => Some(Value::read(place).expr),
            Operand::Value(expr) => Some(expr),
        }
    }

    /// An expression of any kind.
    pub(super) fn operand(&mut self, expr: &ast::Expr) -> Option<Operand> {
        let operand = self.operand_of_any_width(expr)?;
        if operand.width_bits().is_some_and(|width| width > MAX_COMPUTED_BITS) {
            self.too_wide(&operand, expr.span);
            return None;
        }
        Some(operand)
    }

    /// Reports a value that is wider than what is computed with.
    pub(super) fn too_wide(&mut self, operand: &Operand, span: Span) {
        let width = count(operand.width_bits().unwrap_or(0), "bit");
        let message = format!("a value of {width} is only sliced and copied");
        let diagnostic = error(code::WIDE_VALUE, span, message, format!("has {width}"))
            .help("take slices of at most 128 bits, as `v[127..0]`, or assign it to a place of its width");
        self.diagnostics.push(diagnostic);
    }

    /// An expression that may be a place of more than 128 bits.
    pub(super) fn operand_of_any_width(&mut self, expr: &ast::Expr) -> Option<Operand> {
        let span = expr.span;
        match &expr.kind {
            ast::ExprKind::Number(number) => Some(Operand::Value(number_value(number, span).expr)),
            ast::ExprKind::Text(text) => {
                let message = "a text stands where a value is needed";
                let diagnostic = error(code::MISPLACED_TEXT, text.span, message, "a text")
                    .help("texts are arguments of `printf` and `event` alone");
                self.diagnostics.push(diagnostic);
                None
            }
            ast::ExprKind::Name(name) => self.name(name),
            ast::ExprKind::Member { base, member } => self.member(base, member),
            ast::ExprKind::Index { base, index } => self.index(base, index, span),
            ast::ExprKind::Slice { base, high, low } => self.slice(base, high, low, span),
            ast::ExprKind::Concat(parts) => self.concat(parts, span),
            ast::ExprKind::Call { callee, arguments } => self.call(callee, arguments, span),
            ast::ExprKind::Cast { ty, operand } => {
                let ty = self.type_name(ty);
                let mut value = self.value(operand)?.convert(ty?);
                value.expr.span = span;
                Some(Operand::Value(value.expr))
            }
            ast::ExprKind::Unary { operator, operand } => self.unary(*operator, operand, span),
            ast::ExprKind::Binary { operator, left, right } => self.binary(*operator, left, right, span),
            ast::ExprKind::Conditional { condition, then, otherwise } => {
                self.conditional(condition, then, otherwise, span)
            }
            ast::ExprKind::Step { increment, prefix, place } => self.step(*increment, *prefix, place, span),
            ast::ExprKind::Assign { operator, place, value } => self.assign(*operator, place, value, span),
            ast::ExprKind::Comma { left, right } => {
                let left = self.effect(left);
                let right = self.value(right)?;
                let kind = ExprKind::Comma(Box::new(left?), Box::new(right.expr));
                Some(valued(kind, right.ty, span))
            }
            ast::ExprKind::Paren(inner) => self.operand_of_any_width(inner),
        }
    }

    /// Refuses what changes or reads the processor's state where a constant is needed.
    pub(super) fn only_when_running(&mut self, span: Span, what: &str) -> Option<()> {
        if self.mode == Mode::Run {
            return Some(());
        }
        let message = format!("a constant is needed here, but this is {what}");
        self.diagnostics.push(error(code::NOT_CONSTANT, span, message, "not constant"));
        None
    }
}

/// An operand that is a value of a type.
pub(super) fn valued(kind: ExprKind, ty: Type, span: Span) -> Operand {
    Operand::Value(Expr { kind, ty: Some(ty), span })
}

/// A number of the type that C gives it: the first that holds it of `int`, `long` and the type
/// of 128 bits, with the unsigned ones in between for every base but ten, and from the width
/// and sign on that a suffix asks for.
pub(super) fn number_value(number: &ast::Number, span: Span) -> Value {
    let ty = number_type(number.value, &number.spelling);
    Value { expr: Expr { kind: ExprKind::Const(number.value), ty: Some(ty), span }, ty }
}

fn number_type(value: u128, spelling: &str) -> Type {
    if spelling.starts_with('\'') {
        return INT;
    }
    let based = ["0x", "0X", "0b", "0B", "0o", "0O"].iter().any(|prefix| spelling.starts_with(prefix));
    let suffix = spelling.trim_start_matches(|c: char| c.is_ascii_hexdigit() || "xXoO_".contains(c));
    let unsigned = suffix.contains(['u', 'U']);
    let least = if suffix.contains(['l', 'L']) { 64 } else { 32 };
    let used = u128::BITS - value.leading_zeros();
    for width in [32, 64, 128] {
        if width < least {
            continue;
        }
        if !unsigned && used < width {
            return signed(width);
        }
        if (unsigned || based) && used <= width {
            return bits(width);
        }
    }
    bits(128)
}

/// The number of bits that a number's digits spell out; `None` in base ten.
pub(super) fn written_width(number: &ast::Number) -> Option<u32> {
    let digits = |text: &str, per_digit: u32| {
        let count = text.chars().filter(char::is_ascii_hexdigit).count();
        u32::try_from(count).ok().and_then(|count| count.checked_mul(per_digit))
    };
    let spelling = number.spelling.as_str();
    if let Some(rest) = spelling.strip_prefix("0b").or(spelling.strip_prefix("0B")) {
        digits(rest, 1)
    } else if let Some(rest) = spelling.strip_prefix("0x").or(spelling.strip_prefix("0X")) {
        digits(rest, 4)
    } else if let Some(rest) = spelling.strip_prefix("0o").or(spelling.strip_prefix("0O")) {
        digits(rest, 3)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_has_the_type_that_c_gives_it() {
        assert_eq!(number_type(1, "1"), INT);
        assert_eq!(number_type(0x8000_0000, "0x80000000"), bits(32));
        assert_eq!(number_type(0x8000_0000, "0o20000000000"), bits(32));
        assert_eq!(number_type(1, "0o1ul"), bits(64));
        assert_eq!(number_type(0x8000_0000, "2147483648"), signed(64));
        assert_eq!(number_type(1, "1u"), bits(32));
        assert_eq!(number_type(1, "1UL"), bits(64));
        assert_eq!(number_type(1, "0x1fL"), signed(64));
        assert_eq!(number_type(0xff, "0b1111_1111"), INT);
        assert_eq!(number_type(1 << 64, "0x1_0000000000000000"), signed(128));
        assert_eq!(number_type(u128::MAX, "1"), bits(128));
        assert_eq!(number_type(65, "'A'"), INT);
    }
}
