//! What can be assigned, and the operators that assign.

use super::conversion::{MAX_COMPUTED_BITS, promote, usual};
use super::expression::{Operand, valued};
use super::operator::is_shift;
use super::{Typer, code, count, error};
use crate::ast::{self, BinaryOperator};
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::model::{Expr, ExprKind, InstanceId, Place, PlaceKind};
use crate::resolve::names::Global;
use crate::resolve::operation::AliasValue;
use crate::source::Span;

fn no_place(span: Span, label: &str) -> Diagnostic {
    error(code::NOT_A_PLACE, span, "this cannot be assigned to", label)
        .help("assign to a variable, a register, memory, or an alias whose EXPRESSION is one")
}

/// One choice that is no place is the cause wherever something is assigned to what may choose it.
fn because_of(choice: Span, finding: Diagnostic) -> Diagnostic {
    finding.secondary(choice, "this is none").cause(format!("no place: {choice:?}"))
}

impl Typer<'_> {
    /// An expression that is assigned to.
    fn place(&mut self, expr: &ast::Expr) -> Option<Place> {
        let operand = self.operand(expr)?;
        self.place_in(operand, expr)
    }

    fn place_in(&mut self, operand: Operand, expr: &ast::Expr) -> Option<Place> {
        match operand {
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
                let finding = no_place(expr.span, what);
                let finding = match value.kind {
                    ExprKind::Coded(instance) => self.without_expression(instance, finding),
                    _ => finding,
                };
                self.diagnostics.push(finding);
                None
            }
        }
    }

    /// Every alias of one target lacks the same EXPRESSION.
    fn without_expression(&self, instance: InstanceId, finding: Diagnostic) -> Diagnostic {
        let instances = self.operation.map(|operation| &operation.instances);
        let target = instances.and_then(|instances| instances.get(instance.index()));
        match target {
            Some(instance) => finding.cause(format!("{:?}", instance.target)),
            None => finding,
        }
    }

    fn not_a_place(&mut self, span: Span, label: &str) {
        self.diagnostics.push(no_place(span, label));
    }

    fn check_assignable(&mut self, place: &Place) -> Option<()> {
        match &place.kind {
            PlaceKind::Local(_) | PlaceKind::Variable(_) | PlaceKind::Register { .. } => Some(()),
            PlaceKind::Memory { fetch: false, .. } | PlaceKind::Written { .. } => Some(()),
            PlaceKind::Memory { fetch: true, .. } => {
                self.not_a_place(place.span, "an instruction fetch only reads");
                None
            }
            PlaceKind::Operand(instance) => {
                let value = self.operation?.value(*instance);
                let cause = match value {
                    AliasValue::Operand { is_place: true, .. } => return Some(()),
                    AliasValue::Operand { no_place, .. } => no_place,
                    _ => None,
                };
                let mut diagnostic = no_place(place.span, "not every EXPRESSION of this alias is a place");
                if let Some(cause) = cause {
                    diagnostic = because_of(cause, diagnostic);
                }
                let help = "what a FUNCTION writes is a place, too, as `EXPRESSION { value, write }`";
                self.diagnostics.push(diagnostic.help(help));
                None
            }
            PlaceKind::Reference(id) => {
                let value = (*self.operation?.references.get(id.index())?)?;
                if value.is_place {
                    return Some(());
                }
                let mut diagnostic = no_place(place.span, "not a place in every operation that has it");
                if let Some(cause) = value.no_place {
                    diagnostic = because_of(cause, diagnostic);
                }
                self.diagnostics.push(diagnostic);
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
        if operator.is_none()
            && !self.is_probe
            && let Some(copy) = self.copy(place, value, span)
        {
            return copy;
        }
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

    /// `place = place` of more than 128 bits; `None` if the place is narrower.
    fn copy(&mut self, place: &ast::Expr, value: &ast::Expr, span: Span) -> Option<Option<Operand>> {
        if !self.is_wide(place) {
            return None;
        }
        let to = self.operand_of_any_width(place).and_then(|operand| self.place_in(operand, place));
        let from = self.operand_of_any_width(value);
        let (Some(to), Some(from)) = (to, from) else { return Some(None) };
        let ty = to.ty;
        match from {
            Operand::Place(from) if from.ty.width_bits == ty.width_bits => {
                let (ty, from_span) = (Some(ty), from.span);
                let value = Expr { kind: ExprKind::Read(Box::new(from)), ty, span: from_span };
                let kind = ExprKind::Assign { place: Box::new(to), value: Box::new(value) };
                Some(Some(Operand::Value(Expr { kind, ty: None, span })))
            }
            other => {
                let widths = (count(ty.width_bits, "bit"), count(other.width_bits().unwrap_or(0), "bit"));
                let (message, label) = match widths.0 == widths.1 {
                    true => (format!("{} are copied from what is no place", widths.1), "a part is no place"),
                    false => (format!("{} are assigned to {}", widths.1, widths.0), "not the place's width"),
                };
                let diagnostic = error(code::WIDE_VALUE, value.span, message, label)
                    .secondary(place.span, format!("has {}", widths.0))
                    .help(
                        "a place of more than 128 bits takes a register or cell of its width, slices of \
                         them, or several of these joined",
                    );
                self.diagnostics.push(diagnostic);
                Some(None)
            }
        }
    }

    /// True unless a look at the name shows that a place has at most 128 bits.
    fn may_be_wide(&self, place: &ast::Expr) -> bool {
        match &place.kind {
            ast::ExprKind::Concat(_) => true,
            ast::ExprKind::Paren(inner)
            | ast::ExprKind::Index { base: inner, .. }
            | ast::ExprKind::Slice { base: inner, .. } => self.may_be_wide(inner),
            ast::ExprKind::Name(name) => {
                let width_bits = match self.global(name) {
                    Some((Global::Register(id), _)) => self.table.register(id).map(|found| found.width_bits),
                    Some((Global::Alias(id), _)) => self.table.alias(id).map(|found| found.names.width_bits),
                    Some((Global::Map(id), _)) => self.table.map(id).map(|found| found.cell_bits),
                    _ => None,
                };
                width_bits.is_some_and(|width| width > MAX_COMPUTED_BITS)
            }
            _ => false,
        }
    }

    /// True for a place of more than 128 bits; reports nothing.
    fn is_wide(&mut self, place: &ast::Expr) -> bool {
        if !self.may_be_wide(place) {
            return false;
        }
        let mut silent = Diagnostics::new();
        let mut typer = Typer {
            table: self.table,
            operation: self.operation,
            diagnostics: &mut silent,
            mode: self.mode,
            result: self.result,
            locals: self.locals.clone(),
            blocks: self.blocks.clone(),
            reported: self.reported.clone(),
            is_probe: true,
            loop_depth: self.loop_depth,
            switch_depth: self.switch_depth,
        };
        let operand = typer.operand_of_any_width(place);
        operand.and_then(|operand| operand.width_bits()).is_some_and(|width| width > MAX_COMPUTED_BITS)
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
