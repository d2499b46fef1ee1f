//! Bits, slices and concatenations.

use super::conversion::{MAX_COMPUTED_BITS, Value, bits};
use super::expression::{Operand, valued, written_width};
use super::{Typer, code, count, error, extend};
use crate::ast;
use crate::model::{Expr, ExprKind, Place, PlaceKind, Type};
use crate::resolve::names::Global;
use crate::source::Span;

impl Typer<'_> {
    /// `base[index]` of something that is neither file nor map: one bit.
    pub(super) fn bit(&mut self, base: &ast::Expr, index: &ast::Expr, span: Span) -> Option<Operand> {
        let base_operand = self.operand_of_any_width(base);
        let index_value = self.value(index).map(as_index);
        let (base_operand, index_value) = (base_operand?, index_value?);
        if let Some(constant) = index_value.constant() {
            let width = base_operand.width_bits();
            if width.is_some_and(|width| constant >= u128::from(width)) {
                let shown = shown(constant, index_value.ty);
                self.out_of_bounds(&shown, index.span, base.span, width.unwrap_or(0));
                return None;
            }
            let bit = u32::try_from(constant).ok()?;
            return self.sliced(base_operand, bit, bit, span);
        }
        if base_operand.width_bits().is_some_and(|width| width > MAX_COMPUTED_BITS) {
            self.too_wide(&base_operand, base.span);
            return None;
        }
        let index = Box::new(index_value.expr);
        match base_operand {
            Operand::Place(base) => {
                let kind = PlaceKind::Bit { base: Box::new(base), index };
                Some(Operand::Place(Place { kind, ty: bits(1), span }))
            }
            value => {
                let base = Box::new(self.value_in(value)?.expr);
                Some(valued(ExprKind::Bit { base, index }, bits(1), span))
            }
        }
    }

    /// `base[high..low]`
    pub(super) fn slice(
        &mut self,
        base: &ast::Expr,
        high: &ast::Expr,
        low: &ast::Expr,
        span: Span,
    ) -> Option<Operand> {
        if let ast::ExprKind::Name(name) = &base.kind
            && let Some((Global::Map(_), declared)) = self.global(name)
        {
            let message = format!("`{}` is a memory map, which has cells and no bits", name.text);
            let help = format!("several cells are a view, as `{}.u32[address]`", name.text);
            let diagnostic = error(code::WRONG_KIND, span, message, "a slice of a map")
                .secondary(declared, "declared here");
            self.diagnostics.push(diagnostic.help(help));
            return None;
        }
        let whole = self.operand_of_any_width(base);
        let (high_value, low_value) = (self.number(high), self.number(low));
        let (whole, high_value, low_value) = (whole?, high_value?, low_value?);
        if low_value > high_value {
            let message = format!("the slice `{high_value}..{low_value}` runs upwards");
            let help = "write the most significant bit first";
            let bounds = high.span.to(low.span);
            let diagnostic = error(code::OUT_OF_BOUNDS, bounds, message, "no bits");
            self.diagnostics.push(diagnostic.help(help));
            return None;
        }
        if let Some(width) = whole.width_bits()
            && high_value >= u128::from(width)
        {
            self.out_of_bounds(&high_value.to_string(), high.span, base.span, width);
            return None;
        }
        let (high, low) = (u32::try_from(high_value).ok()?, u32::try_from(low_value).ok()?);
        self.sliced(whole, high, low, span)
    }

    /// Constant bits of an operand, within its width.
    fn sliced(&mut self, whole: Operand, high: u32, low: u32, span: Span) -> Option<Operand> {
        let ty = bits(high - low + 1);
        match whole {
            Operand::Place(base) => {
                let kind = PlaceKind::Slice { base: Box::new(base), high, low };
                Some(Operand::Place(Place { kind, ty, span }))
            }
            Operand::Value(Expr { kind: ExprKind::Concat(_), .. })
                if whole.width_bits().is_some_and(|width| width > MAX_COMPUTED_BITS) =>
            {
                self.too_wide_to_slice(&whole, span);
                None
            }
            value => {
                let base = Box::new(self.value_in(value)?.expr);
                Some(valued(ExprKind::Slice { base, high, low }, ty, span))
            }
        }
    }

    /// Reports a slice of a concatenation of more than 128 bits that is no place.
    fn too_wide_to_slice(&mut self, operand: &Operand, span: Span) {
        let width = count(operand.width_bits().unwrap_or(0), "bit");
        let message = format!("a slice of {width}, of which a part is no place");
        let diagnostic = error(code::WIDE_VALUE, span, message, format!("of {width}"))
            .help("slice the part that is wanted before it is joined, as `a :: b[7..0]`");
        self.diagnostics.push(diagnostic);
    }

    fn out_of_bounds(&mut self, bit: &str, at: Span, base: Span, width: u32) {
        let message = format!("bit {bit} of a value of {}", count(width, "bit"));
        let diagnostic = error(code::OUT_OF_BOUNDS, at, message, "out of bounds")
            .secondary(base, format!("has {}", count(width, "bit")));
        self.diagnostics.push(diagnostic);
    }

    /// `a :: b`
    pub(super) fn concat(&mut self, parts: &[ast::Expr], span: Span) -> Option<Operand> {
        let operands: Vec<Option<Operand>> = parts.iter().map(|part| self.part(part)).collect();
        let operands: Vec<Operand> = operands.into_iter().collect::<Option<_>>()?;
        self.only_places_are_wide(&operands, parts)?;
        let mut width_bits = 0u32;
        for operand in &operands {
            width_bits = width_bits.saturating_add(operand.width_bits().unwrap_or(0));
        }
        let mut places = Vec::new();
        for operand in &operands {
            if let Operand::Place(place) = operand {
                places.push(place.clone());
            }
        }
        if places.len() == operands.len() {
            let (kind, ty) = (PlaceKind::Concat(places), bits(width_bits));
            return Some(Operand::Place(Place { kind, ty, span }));
        }
        let mut values: Vec<Expr> = Vec::new();
        for operand in operands {
            values.push(match operand {
                // A choice between places is as wide as they are, not as what it converts to.
                Operand::Place(place) => Value::read(place).expr,
                value => self.value_in(value)?.expr,
            });
        }
        Some(valued(ExprKind::Concat(values), bits(width_bits), span))
    }

    /// A part of more than 128 bits is copied, which needs a place in each part.
    fn only_places_are_wide(&mut self, operands: &[Operand], parts: &[ast::Expr]) -> Option<()> {
        if operands.iter().all(|operand| matches!(operand, Operand::Place(_))) {
            return Some(());
        }
        let is_wide = |operand: &Operand| operand.width_bits().is_some_and(|width| width > MAX_COMPUTED_BITS);
        let mut outcome = Some(());
        for (operand, part) in operands.iter().zip(parts).filter(|(operand, _)| is_wide(operand)) {
            self.too_wide(operand, part.span);
            outcome = None;
        }
        outcome
    }

    /// A part of a concatenation: something whose width is declared or written; it may be a place
    /// of more than 128 bits.
    pub(super) fn part(&mut self, part: &ast::Expr) -> Option<Operand> {
        let mut inner = part;
        while let ast::ExprKind::Paren(next) = &inner.kind {
            inner = next;
        }
        let unwritten = match &inner.kind {
            ast::ExprKind::Number(number) => match written_width(number) {
                Some(width @ 1..) => {
                    return Some(valued(ExprKind::Const(number.value), bits(width), part.span));
                }
                _ => Some("a number in base ten"),
            },
            ast::ExprKind::Unary { .. } | ast::ExprKind::Binary { .. } | ast::ExprKind::Comma { .. } => {
                Some("a computed value")
            }
            ast::ExprKind::Name(name) if matches!(self.global(name), Some((Global::Constant(_), _))) => {
                Some("a CONSTANT")
            }
            _ => None,
        };
        let operand = self.operand_of_any_width(part)?;
        let unwritten = match (&inner.kind, &operand) {
            (ast::ExprKind::Conditional { .. }, Operand::Value(_)) => Some("a computed value"),
            (_, Operand::Place(Place { kind: PlaceKind::Conditional(_, then, otherwise), .. }))
                if then.ty != otherwise.ty =>
            {
                Some("a choice between two widths or signs")
            }
            _ => unwritten,
        };
        let operand = match operand {
            Operand::Value(expr) if expr.ty.is_none() => {
                Operand::Value(self.value_in(Operand::Value(expr))?.expr)
            }
            operand => operand,
        };
        let Some(what) = unwritten else {
            return Some(operand);
        };
        let message = format!("{what} has no written width");
        let diagnostic = error(code::UNKNOWN_WIDTH, part.span, message, "how many bits?")
            .help("cast it, as `(bit[8])(...)`, or write a number in base two, eight or sixteen");
        self.diagnostics.push(diagnostic);
        None
    }
}

/// An index as it is compared with bounds: a negative one is beyond all of them, however narrow
/// its type.
pub(super) fn as_index(index: Value) -> Value {
    if index.ty.signed { index.promoted() } else { index }
}

/// A constant as a number with its sign.
pub(super) fn shown(value: u128, ty: Type) -> String {
    match ty.signed {
        true => (extend(value, ty) as i128).to_string(),
        false => value.to_string(),
    }
}
