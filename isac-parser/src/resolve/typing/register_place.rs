//! Places that consist of registers alone: what an ALIAS, the PC and the stack pointer may be.

use super::{Typer, code, error, fold::fold};
use crate::ast;
use crate::diagnostic::Diagnostics;
use crate::model::{Place, PlaceKind, RegisterPart};
use crate::resolve::names::Table;
use crate::resolve::typing::expression::Operand;
use crate::source::Span;

/// The place that an expression names, with its parts from most to least significant; reports
/// anything but registers, constant elements, constant slices and concatenations of them.
///
/// `what` says what the place is for, as "an ALIAS".
pub(crate) fn register_place(
    table: &Table,
    expr: &ast::Expr,
    what: &str,
    diagnostics: &mut Diagnostics,
) -> Option<(Place, Vec<RegisterPart>)> {
    let operand = Typer::new(table, None, diagnostics).operand_of_any_width(expr)?;
    let found = match &operand {
        Operand::Place(place) => parts_of(table, place),
        Operand::Value(value) => Err(value.span),
    };
    match (operand, found) {
        (Operand::Place(place), Ok(parts)) => Some((place, parts)),
        (_, Err(span)) => {
            let message = format!("{what} stands for registers, and this is none");
            let diagnostic = error(code::NOT_REGISTERS, span, message, "no place in a register")
                .help("name registers, elements and slices with constant bounds, joined by `::`");
            diagnostics.push(diagnostic);
            None
        }
        (Operand::Value(_), Ok(_)) => None,
    }
}

/// The parts of a place; the span of what is no part of a register.
fn parts_of(table: &Table, place: &Place) -> Result<Vec<RegisterPart>, Span> {
    let width_bits = place.ty.width_bits;
    match &place.kind {
        PlaceKind::Register { register, index } => {
            let element = match index {
                None => 0,
                Some(index) => fold(index).and_then(|index| u32::try_from(index).ok()).ok_or(index.span)?,
            };
            debug_assert!(table.register(*register).is_some());
            Ok(vec![RegisterPart { register: *register, element, low: 0, width_bits }])
        }
        PlaceKind::Slice { base, low, .. } => Ok(slice_parts(&parts_of(table, base)?, *low, width_bits)),
        PlaceKind::Concat(parts) => {
            let parts: Result<Vec<_>, Span> = parts.iter().map(|part| parts_of(table, part)).collect();
            Ok(parts?.concat())
        }
        PlaceKind::Bit { index, .. } => Err(index.span),
        PlaceKind::Local(_)
        | PlaceKind::Variable(_)
        | PlaceKind::Reference(_)
        | PlaceKind::Memory { .. }
        | PlaceKind::Operand(_)
        | PlaceKind::Conditional(..)
        | PlaceKind::Written { .. } => Err(place.span),
    }
}

/// Bits `low..low + width` of parts that stand from most to least significant.
fn slice_parts(parts: &[RegisterPart], low: u32, width: u32) -> Vec<RegisterPart> {
    let (mut taken, mut begin) = (Vec::new(), 0);
    for part in parts.iter().rev() {
        let end = begin + part.width_bits;
        let (first, last) = (begin.max(low), end.min(low + width));
        if first < last {
            taken.push(RegisterPart { low: part.low + first - begin, width_bits: last - first, ..*part });
        }
        begin = end;
    }
    taken.reverse();
    taken
}
