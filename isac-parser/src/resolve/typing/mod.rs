//! Statements and expressions: every name bound, every type known, every conversion explicit.
//!
//! A function that returns `Option` has reported why where it returns `None`; its caller stays
//! silent, so that one mistake makes one message.

mod assigned_condition;
mod assignment;
mod call;
mod conversion;
mod dead_case;
mod dropped_value;
mod element;
mod expression;
mod fold;
mod member;
mod missing_return;
mod name;
mod operator;
mod printf;
mod register_place;
mod service;
mod slice;
mod statement;
mod truncated_constant;
mod type_name;

use std::collections::{BTreeMap, BTreeSet};

pub(crate) use call::BUILTINS;
pub(crate) use conversion::{MAX_COMPUTED_BITS, Value, bits, usual};
pub(crate) use dead_case::{Subject, warn_of_dead_case};
pub(crate) use fold::{extend, fold, fold_with, reduce};
pub(crate) use register_place::register_place;

use super::code;
use super::names::{Constant, ResultType, Table};
use super::operation::OperationScope;
use super::report::{count, error, warning};
use crate::ast;
use crate::diagnostic::Diagnostics;
use crate::model::{Expr, Local, LocalId, Place, PlaceKind, Type};
use crate::source::Span;

/// What an expression may mention.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Everything: it is evaluated when the operation or function runs.
    Run,
    /// CONSTANTs alone.
    Constant,
    /// CONSTANTs, fields and `instruction_size`: the argument of an assembler format.
    Format,
    /// The same with `instruction_address` and calls: what a format writes for fields.
    Written,
}

/// Gives statements and expressions of one section or function their types.
pub(crate) struct Typer<'a> {
    table: &'a Table,
    /// The operation whose fields and aliases are visible.
    operation: Option<&'a OperationScope>,
    diagnostics: &'a mut Diagnostics,
    mode: Mode,
    result: ResultType,
    locals: Vec<Local>,
    /// Visible variables, innermost block last; `None` for one whose type was reported.
    blocks: Vec<BTreeMap<String, (Option<LocalId>, Span)>>,
    /// Names that were reported: one message each is enough.
    reported: BTreeSet<String>,
    /// It only looks how wide a place is; what is assigned inside of it is looked at once.
    is_probe: bool,
    loop_depth: usize,
    switch_depth: usize,
}

impl<'a> Typer<'a> {
    /// A typer of expressions that are evaluated when an operation runs.
    pub(crate) fn new(
        table: &'a Table,
        operation: Option<&'a OperationScope>,
        diagnostics: &'a mut Diagnostics,
    ) -> Self {
        Typer {
            table,
            operation,
            diagnostics,
            mode: Mode::Run,
            result: ResultType::Void,
            locals: Vec::new(),
            blocks: Vec::new(),
            reported: BTreeSet::new(),
            is_probe: false,
            loop_depth: 0,
            switch_depth: 0,
        }
    }

    /// The same with other limits on what may be mentioned.
    pub(crate) fn with_mode(mut self, mode: Mode) -> Self {
        self.mode = mode;
        self
    }

    /// A value of any type.
    pub(crate) fn value_of(mut self, expr: &ast::Expr) -> Option<Expr> {
        Some(self.value(expr)?.expr)
    }

    /// A value whose width is declared or written: a word to decode. Of more than 128 bits it is
    /// a place.
    pub(crate) fn source_of(mut self, expr: &ast::Expr) -> Option<Expr> {
        let operand = self.part(expr)?;
        let is_whole = |place: &Place| !matches!(place.kind, PlaceKind::Conditional(..));
        let is_copied = matches!(&operand, expression::Operand::Place(place) if is_whole(place));
        if !is_copied && operand.width_bits().is_some_and(|width| width > MAX_COMPUTED_BITS) {
            self.too_wide(&operand, expr.span);
            return None;
        }
        match operand {
            // A choice between places is as wide as they are, not as what it converts to.
            expression::Operand::Place(place) => Some(Value::read(place).expr),
            value => Some(self.value_in(value)?.expr),
        }
    }

    /// A value in the type in which it is computed with, and its own type.
    pub(crate) fn promoted_value(mut self, expr: &ast::Expr) -> Option<(Expr, Type)> {
        let value = self.value(expr)?;
        let ty = value.ty;
        Some((value.promoted().expr, ty))
    }

    /// A value converted to a type.
    pub(crate) fn value_as(mut self, expr: &ast::Expr, ty: Type) -> Option<Expr> {
        let value = self.value(expr)?;
        Some(self.fit(value, ty).expr)
    }

    /// The type that is written, without `void`.
    pub(crate) fn type_of(mut self, name: &ast::TypeName) -> Option<Type> {
        self.type_name(name)
    }

    /// Evaluates an expression that has to be constant.
    fn constant(&mut self, expr: &ast::Expr) -> Option<Constant> {
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
    fn number(&mut self, expr: &ast::Expr) -> Option<u128> {
        let constant = self.constant(expr)?;
        let value = extend(constant.value, constant.ty);
        if constant.ty.signed && (value as i128) < 0 {
            let message = format!("a negative number, {}, where a size or position is needed", value as i128);
            self.diagnostics.push(error(code::OUT_OF_BOUNDS, expr.span, message, "negative"));
            return None;
        }
        Some(value)
    }
}

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
    let value = number(table, expr, diagnostics)?;
    if limits.contains(&value) {
        return Some(value);
    }
    let (low, high) = (limits.start(), limits.end());
    let is_hexadecimal = match &expr.kind {
        ast::ExprKind::Number(number) => number.spelling.starts_with("0x"),
        _ => false,
    };
    let message = match is_hexadecimal || *high > u128::from(u32::MAX) {
        true => format!("{what} is {value:#x}, but has to be from {low:#x} to {high:#x}"),
        false => format!("{what} is {value}, but has to be from {low} to {high}"),
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
fn fits(constant: Constant, width: u32) -> bool {
    let value = extend(constant.value, constant.ty);
    if width >= u128::BITS || value >> width == 0 {
        return true;
    }
    let negative = constant.ty.signed && (value as i128) < 0;
    negative && (value as i128) >= -(1i128 << (width - 1))
}

/// A constant as a message shows it.
fn written(constant: Constant) -> String {
    let value = extend(constant.value, constant.ty);
    match constant.ty.signed && (value as i128) < 0 {
        true => (value as i128).to_string(),
        false => format!("{value:#x}"),
    }
}

/// A type as it is written.
pub(crate) fn describe(ty: Type) -> String {
    let sign = if ty.signed { "signed " } else { "" };
    format!("{sign}bit[{}]", ty.width_bits)
}
