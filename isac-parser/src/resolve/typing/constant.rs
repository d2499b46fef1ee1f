//! Constant expressions, and the limits of what they are for.

use super::fold::{extend, reduce};
use super::{Mode, Typer, code};
use crate::ast;
use crate::diagnostic::Diagnostics;
use crate::resolve::names::{Constant, Table};
use crate::resolve::operation::OperationScope;
use crate::resolve::report::{count, error};
use crate::source::Span;

impl Typer<'_> {
    /// Evaluates an expression that has to be constant.
    pub(super) fn constant(&mut self, expr: &ast::Expr) -> Option<Constant> {
        let outer = std::mem::replace(&mut self.mode, Mode::Constant);
        let value = self.value(expr);
        self.mode = outer;
        let value = value?;
        if value.ty.width_bits > u128::BITS {
            return None;
        }
        match value.constant() {
            Some(pattern) => Some(Constant { value: pattern, ty: value.ty }),
            None => {
                // Whatever else is no constant was refused by the mode.
                let message = "this constant has no value";
                let label = "divides by zero or has an effect";
                self.diagnostics.push(error(code::CONSTANT_DIVISION, expr.span, message, label));
                None
            }
        }
    }

    /// Evaluates a constant that must not be negative.
    pub(super) fn number(&mut self, expr: &ast::Expr) -> Option<u128> {
        let constant = self.constant(expr)?;
        let value = extend(constant.value, constant.ty);
        if constant.ty.signed && (value as i128) < 0 {
            let message = format!("a negative number, {}, where a size or position is needed", value as i128);
            self.diagnostics
                .push(error(code::OUT_OF_BOUNDS, expr.span, message, "negative").help(NOT_BELOW_ZERO));
            return None;
        }
        Some(value)
    }
}

const NOT_BELOW_ZERO: &str = "sizes, widths, counts, cycles, positions and addresses are 0 or more";

/// Evaluates a constant expression.
pub(crate) fn constant(table: &Table, expr: &ast::Expr, diagnostics: &mut Diagnostics) -> Option<Constant> {
    Typer::new(table, None, diagnostics).constant(expr)
}

/// Evaluates a constant expression where the names of an operation are visible, so that one of
/// them is said to be no constant.
pub(crate) fn constant_in(
    table: &Table,
    operation: &OperationScope,
    expr: &ast::Expr,
    diagnostics: &mut Diagnostics,
) -> Option<Constant> {
    Typer::new(table, Some(operation), diagnostics).constant(expr)
}

/// Evaluates a constant expression that must not be negative.
pub(crate) fn number(table: &Table, expr: &ast::Expr, diagnostics: &mut Diagnostics) -> Option<u128> {
    Typer::new(table, None, diagnostics).number(expr)
}

/// Evaluates a constant expression within limits; `what` names it in the message.
pub(crate) fn number_within(
    table: &Table,
    expr: &ast::Expr,
    what: &str,
    limits: std::ops::RangeInclusive<u128>,
    diagnostics: &mut Diagnostics,
) -> Option<u128> {
    let constant = constant(table, expr, diagnostics)?;
    let value = extend(constant.value, constant.ty);
    let (low, high) = (limits.start(), limits.end());
    let is_hexadecimal = match &expr.kind {
        ast::ExprKind::Number(number) => number.spelling.starts_with("0x"),
        _ => false,
    };
    let limited = match is_hexadecimal || *high > u128::from(u32::MAX) {
        true => format!("but has to be from {low:#x} to {high:#x}"),
        false => format!("but has to be from {low} to {high}"),
    };
    if constant.ty.signed && (value as i128) < 0 {
        let message = format!("{what} is {}, {limited}", value as i128);
        diagnostics.push(error(code::OUT_OF_BOUNDS, expr.span, message, "negative").help(NOT_BELOW_ZERO));
        return None;
    }
    if limits.contains(&value) {
        return Some(value);
    }
    let message = match is_hexadecimal || *high > u128::from(u32::MAX) {
        true => format!("{what} is {value:#x}, {limited}"),
        false => format!("{what} is {value}, {limited}"),
    };
    diagnostics.push(error(code::RESOURCE_WIDTH, expr.span, message, "out of range"));
    None
}

/// Evaluates the constant that a place of `width` bits begins with or keeps, as a signed or an
/// unsigned number; `what` names it in the message.
pub(crate) fn pattern(
    table: &Table,
    expr: &ast::Expr,
    what: &str,
    (width, place): (u32, Span),
    diagnostics: &mut Diagnostics,
) -> Option<u128> {
    let constant = constant(table, expr, diagnostics)?;
    let value = extend(constant.value, constant.ty);
    let written = written(constant);
    let (message, help) = if !fits(constant, width) {
        let help = format!("expected a number of at most {}", count(width, "bit"));
        (format!("{what} is {written}, which does not fit {}", count(width, "bit")), help)
    } else if width > u128::BITS && written.starts_with('-') {
        let help = "numbers have at most 128 bits; operation `reset` can set the bits above";
        (format!("{what} is {written}, a negative number for more than 128 bits"), help.to_owned())
    } else {
        return Some(reduce(value, width));
    };
    let diagnostic = error(code::VALUE_TOO_LARGE, expr.span, message, "out of range")
        .secondary(place, format!("has {}", count(width, "bit")))
        .help(help);
    diagnostics.push(diagnostic);
    None
}

/// True for a constant that fits as a signed or as an unsigned number.
pub(super) fn fits(constant: Constant, width: u32) -> bool {
    let value = extend(constant.value, constant.ty);
    if width >= u128::BITS || value >> width == 0 {
        return true;
    }
    let negative = constant.ty.signed && (value as i128) < 0;
    negative && (value as i128) >= -(1i128 << (width - 1))
}

/// A constant as a message shows it.
pub(super) fn written(constant: Constant) -> String {
    let value = extend(constant.value, constant.ty);
    match constant.ty.signed && (value as i128) < 0 {
        true => (value as i128).to_string(),
        false => format!("{value:#x}"),
    }
}
