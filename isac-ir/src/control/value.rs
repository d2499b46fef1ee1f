//! Values of expressions, as far as they are known.

use super::Walk;
use super::state::{Known, NextAddress, State};
use crate::behavior::{BinaryOp, Expr, ExprKind, FieldId};
use crate::bits::{mask, sign_extend};
use crate::operation::Referred;
use crate::syntax::evaluate::{binary, unary};

impl Walk<'_> {
    /// The value of an expression; none if it depends on the run.
    pub(super) fn evaluate(&mut self, state: &mut State, context: usize, expr: &Expr) -> Option<Known> {
        let value = match &expr.kind {
            ExprKind::Const(value) => Known::number(*value),
            ExprKind::Local(local) => state.locals.get(*local)?,
            ExprKind::Variable(variable) => *state.variables.get(&(context, *variable))?,
            ExprKind::Field(field) => self.field(context, *field)?,
            ExprKind::Coded(instance) => self.coded(context, *instance)?,
            ExprKind::Chosen { instance, member } => {
                let node = self.contexts[context].node?;
                Known::number(self.decoded.has_chosen(node, *instance, *member).into())
            }
            ExprKind::MemberField { instance, fields } => self.member_field(context, *instance, fields)?,
            ExprKind::InstructionAddress => {
                Known { bits: self.address.into(), address: Some(self.address.into()) }
            }
            ExprKind::InstructionSize => Known::number(self.size_cells.into()),
            ExprKind::Register { register, index, .. } => {
                let element = match index {
                    None => Some(0),
                    Some(index) => self.evaluate_index(state, context, index),
                };
                self.read_register(state, *register, element)?
            }
            ExprKind::Operand { instance, .. } => self.read_operand(state, context, *instance)?,
            ExprKind::Bound { binding, .. } => self.read_bound(state, context, *binding)?,
            ExprKind::Reference(_) | ExprKind::CodedReference(_) | ExprKind::MemberFieldReference { .. } => {
                self.evaluate_reference(state, context, expr)?
            }
            _ => self.evaluate_operator(state, context, expr)?,
        };
        self.depends_on_address |= value.address.is_some() && expr.width != self.counter.width_bits;
        Some(Known { bits: value.bits & mask(expr.width), ..value })
    }

    /// The element of a register that an index is.
    pub(super) fn evaluate_index(&mut self, state: &mut State, context: usize, index: &Expr) -> Option<u128> {
        let index = self.evaluate(state, context, index)?;
        self.depends_on_address |= index.address.is_some();
        Some(index.bits)
    }

    fn field(&self, context: usize, field: FieldId) -> Option<Known> {
        Some(Known::number(self.decoded.field(self.model, self.contexts[context].node?, field)))
    }

    fn member_field(&mut self, context: usize, instance: u32, fields: &[(u32, FieldId)]) -> Option<Known> {
        let chosen = self.operand(context, instance);
        let field = chosen.and_then(|chosen| {
            let operation = self.contexts[chosen].operation;
            let (_, field) = fields.iter().find(|(member, _)| *member == operation)?;
            self.field(chosen, *field)
        });
        Some(field.unwrap_or(Known::number(0)))
    }

    fn evaluate_reference(&mut self, state: &mut State, context: usize, expr: &Expr) -> Option<Known> {
        match &expr.kind {
            ExprKind::Reference(reference) => match self.referred(context, *reference)? {
                (parent, Referred::Field(field)) => self.field(parent, field),
                (parent, Referred::Variable(variable)) => state.variables.get(&(parent, variable)).copied(),
                (parent, Referred::Instance(instance)) => self.read_operand(state, parent, instance),
                (_, Referred::Reference(_)) => None,
            },
            ExprKind::CodedReference(reference) => match self.referred(context, *reference)? {
                (parent, Referred::Instance(instance)) => self.coded(parent, instance),
                _ => None,
            },
            ExprKind::MemberFieldReference { reference, fields } => {
                match self.referred(context, *reference)? {
                    (parent, Referred::Instance(instance)) => self.member_field(parent, instance, fields),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    fn evaluate_operator(&mut self, state: &mut State, context: usize, expr: &Expr) -> Option<Known> {
        match &expr.kind {
            ExprKind::Unary(operator, operand) => {
                let operand = self.evaluate(state, context, operand)?;
                self.depends_on_address |= operand.address.is_some();
                Some(Known::number(unary(*operator, operand.bits, expr.width)))
            }
            ExprKind::Binary(operator, left, right) => {
                let width = left.width;
                let left = self.evaluate(state, context, left);
                let right = self.evaluate(state, context, right);
                let (left, right) = (left?, right?);
                // Where the processor may have gone on elsewhere an address is the usual one, and no more.
                let is_usual =
                    state.aside != NextAddress::nowhere() && left.address.or(right.address).is_some();
                match is_usual && is_comparison(*operator) {
                    true => None,
                    false => {
                        self.depends_on_address |= !moves_along(*operator, left, right);
                        compute(*operator, left, right, width)
                    }
                }
            }
            ExprKind::ZeroExtend(operand) => self.evaluate(state, context, operand),
            ExprKind::SignExtend(operand) => {
                let from = operand.width;
                let operand = self.evaluate(state, context, operand)?;
                Some(Known { bits: sign_extend(operand.bits, from, expr.width), ..operand })
            }
            ExprKind::Slice { base, low } => {
                let base = self.evaluate(state, context, base)?;
                Some(Known { bits: base.bits.checked_shr(*low).unwrap_or(0), ..base })
            }
            ExprKind::Bit { base, index } => {
                let bits = base.width;
                let base = self.evaluate(state, context, base);
                let index = self.evaluate(state, context, index);
                let (base, index) = (base?, index?);
                self.depends_on_address |= base.address.or(index.address).is_some();
                let (base, index) = (base.bits, index.bits);
                Some(Known::number(if index < u128::from(bits) { base >> index & 1 } else { 0 }))
            }
            ExprKind::Concat(parts) => {
                let parts: Vec<_> =
                    parts.iter().map(|part| (part.width, self.evaluate(state, context, part))).collect();
                self.depends_on_address |=
                    parts.iter().any(|(_, part)| part.is_some_and(|part| part.address.is_some()));
                let joined = parts.into_iter().try_fold(0, |value: u128, (width, low)| {
                    Some(value.checked_shl(width).unwrap_or(0) | low?.bits)
                });
                joined.map(Known::number)
            }
            ExprKind::Select(condition, then, otherwise) => {
                let then = self.evaluate(state, context, then);
                let otherwise = self.evaluate(state, context, otherwise);
                let condition = self.evaluate(state, context, condition);
                self.depends_on_address |= condition.is_some_and(|condition| condition.address.is_some());
                match condition {
                    Some(Known { bits: 0, .. }) => otherwise,
                    Some(_) => then,
                    None => then.filter(|_| then == otherwise),
                }
            }
            _ => None,
        }
    }
}

fn is_comparison(operator: BinaryOp) -> bool {
    matches!(
        operator,
        BinaryOp::Equal
            | BinaryOp::NotEqual
            | BinaryOp::LessUnsigned
            | BinaryOp::LessEqualUnsigned
            | BinaryOp::LessSigned
            | BinaryOp::LessEqualSigned
    )
}

/// Whether what an operation gives goes along with the addresses in it, where the instruction stands elsewhere: an
/// address that is so far from one, or whether two are the same.
fn moves_along(operator: BinaryOp, left: Known, right: Known) -> bool {
    match (left.address.is_some(), right.address.is_some()) {
        (false, false) => true,
        (true, false) => matches!(operator, BinaryOp::Add | BinaryOp::Subtract),
        (false, true) => operator == BinaryOp::Add,
        (true, true) => matches!(operator, BinaryOp::Equal | BinaryOp::NotEqual),
    }
}

/// An address and a number make another address, a part of an address is of that address.
fn compute(operator: BinaryOp, left: Known, right: Known, width: u32) -> Option<Known> {
    let divides = matches!(
        operator,
        BinaryOp::DivideUnsigned
            | BinaryOp::DivideSigned
            | BinaryOp::RemainderUnsigned
            | BinaryOp::RemainderSigned
    );
    if divides && right.bits == 0 {
        return None;
    }
    let bits = binary(operator, left.bits, right.bits, width) & mask(width);
    let address = match (operator, left.address, right.address) {
        (BinaryOp::Add | BinaryOp::Or, Some(_), None) | (BinaryOp::Add | BinaryOp::Or, None, Some(_)) => {
            Some(bits)
        }
        (BinaryOp::Subtract, Some(_), None) => Some(bits),
        (BinaryOp::And | BinaryOp::ShiftRightUnsigned | BinaryOp::ShiftRightSigned, address, None) => address,
        (BinaryOp::And, None, address) => address,
        _ => None,
    };
    Some(Known { bits, address })
}
