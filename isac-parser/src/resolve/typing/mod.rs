//! Statements and expressions: every name bound, every type known, every conversion explicit.
//!
//! A function that returns `Option` has reported why where it returns `None`; its caller stays
//! silent, so that one mistake makes one message.

mod assigned_condition;
mod assignment;
mod call;
mod constant;
mod conversion;
mod dead_case;
mod dropped_value;
mod element;
mod expression;
mod fold;
mod jump;
mod latency;
mod meaning;
mod member;
mod missing_return;
mod name;
mod operator;
mod printf;
mod register_place;
mod service;
mod service_form;
mod slice;
mod statement;
mod switch;
mod truncated_constant;
mod type_name;

use std::collections::{BTreeMap, BTreeSet};

pub(crate) use call::BUILTINS;
pub(crate) use constant::{constant, constant_in, number, number_within, pattern};
pub(crate) use conversion::{MAX_COMPUTED_BITS, Value, bits, usual};
pub(crate) use dead_case::{Subject, warn_of_dead_case};
pub(crate) use element::MEMBERS_OF_MAPS;
pub(crate) use fold::{extend, fold, fold_with, reduce};
pub(crate) use name::RESERVED_VALUES;
pub(crate) use register_place::register_place;
pub(crate) use service::SERVICES;

use super::code;
use super::names::{ResultType, Table};
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
}

/// A type as it is written.
pub(crate) fn describe(ty: Type) -> String {
    let sign = if ty.signed { "signed " } else { "" };
    format!("{sign}bit[{}]", ty.width_bits)
}
