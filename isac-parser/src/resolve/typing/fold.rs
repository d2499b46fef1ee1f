//! The value of a constant expression, computed exactly as the simulation would.

use crate::ast::BinaryOperator;
use crate::model::{Expr, ExprKind, FieldId, Type};

/// The low `width` bits of a pattern.
pub(crate) fn reduce(value: u128, width: u32) -> u128 {
    if width >= u128::BITS { value } else { value & ((1 << width) - 1) }
}

/// A pattern of a type continued to 128 bits by the type's sign.
pub(crate) fn extend(value: u128, ty: Type) -> u128 {
    if !ty.signed || ty.width_bits >= u128::BITS || ty.width_bits == 0 {
        return value;
    }
    let unused = u128::BITS - ty.width_bits;
    (((value << unused) as i128) >> unused) as u128
}

/// The pattern of an expression that reads nothing and changes nothing; `None` for every other.
///
/// Division by zero has no value.
pub(crate) fn fold(expr: &Expr) -> Option<u128> {
    fold_with(expr, &|_| None)
}

/// The same where fields have values.
pub(crate) fn fold_with(expr: &Expr, field: &dyn Fn(FieldId) -> Option<u128>) -> Option<u128> {
    let fold = |expr: &Expr| fold_with(expr, field);
    let ty = expr.ty?;
    let value = match &expr.kind {
        ExprKind::Const(value) => *value,
        ExprKind::Field(id) => field(*id)?,
        ExprKind::Convert(inner) => extend(fold(inner)?, inner.ty?),
        ExprKind::Negate(inner) => fold(inner)?.wrapping_neg(),
        ExprKind::BitNot(inner) => !fold(inner)?,
        ExprKind::Not(inner) => u128::from(fold(inner)? == 0),
        ExprKind::Binary { operator, left, right } => {
            fold_binary(*operator, left.ty?, fold(left)?, right.ty?, fold(right)?)?
        }
        ExprKind::LogicalAnd(left, right) => u128::from(fold(left)? != 0 && fold(right)? != 0),
        ExprKind::LogicalOr(left, right) => u128::from(fold(left)? != 0 || fold(right)? != 0),
        ExprKind::Conditional(condition, then, otherwise) => {
            if fold(condition)? != 0 {
                fold(then)?
            } else {
                fold(otherwise)?
            }
        }
        ExprKind::Slice { base, low, .. } => fold(base)?.checked_shr(*low).unwrap_or(0),
        ExprKind::Bit { base, index } => {
            let index = u32::try_from(fold(index)?).unwrap_or(u32::MAX);
            fold(base)?.checked_shr(index).unwrap_or(0) & 1
        }
        ExprKind::Concat(parts) => {
            let mut joined = 0u128;
            for part in parts {
                let width = part.ty?.width_bits;
                joined = joined.checked_shl(width).unwrap_or(0) | fold(part)?;
            }
            joined
        }
        ExprKind::Comma(left, right) => {
            fold(left)?;
            fold(right)?
        }
        _ => return None,
    };
    (ty.width_bits <= u128::BITS).then(|| reduce(value, ty.width_bits))
}

/// An operator on two patterns; the result is not yet reduced to its type's width.
fn fold_binary(operator: BinaryOperator, ty: Type, left: u128, right_ty: Type, right: u128) -> Option<u128> {
    use BinaryOperator as Op;
    let (l, r) = (extend(left, ty), extend(right, right_ty));
    let less = if ty.signed { (l as i128) < (r as i128) } else { l < r };
    Some(match operator {
        Op::Multiply => l.wrapping_mul(r),
        Op::Divide | Op::Remainder if r == 0 => return None,
        Op::Divide if ty.signed => (l as i128).wrapping_div(r as i128) as u128,
        Op::Divide => l / r,
        Op::Remainder if ty.signed => (l as i128).wrapping_rem(r as i128) as u128,
        Op::Remainder => l % r,
        Op::Add => l.wrapping_add(r),
        Op::Subtract => l.wrapping_sub(r),
        Op::ShiftLeft | Op::ShiftRight => {
            // A negative amount is a huge one: as every amount of the width or more, it gives 0
            // or the sign.
            let amount = u32::try_from(r).unwrap_or(u32::MAX).min(ty.width_bits);
            match operator {
                Op::ShiftLeft => l.checked_shl(amount).unwrap_or(0),
                _ if ty.signed => ((l as i128) >> amount.min(u128::BITS - 1)) as u128,
                _ => l.checked_shr(amount).unwrap_or(0),
            }
        }
        Op::Less => u128::from(less),
        Op::LessEqual => u128::from(less || l == r),
        Op::Greater => u128::from(!less && l != r),
        Op::GreaterEqual => u128::from(!less),
        Op::Equal => u128::from(l == r),
        Op::NotEqual => u128::from(l != r),
        Op::BitAnd => l & r,
        Op::BitXor => l ^ r,
        Op::BitOr => l | r,
        Op::LogicalAnd => u128::from(l != 0 && r != 0),
        Op::LogicalOr => u128::from(l != 0 || r != 0),
    })
}
