//! Operators, in types that may be wider than their values: the bits above a width are 0.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Type, Value as Ir, types};
use isac_ir::behavior::{BinaryOp, UnaryOp};

use super::{Codegen, type_of};
use crate::residual::{Kind, Value};

/// True for quotients and remainders.
pub(crate) fn divides(operator: BinaryOp) -> bool {
    matches!(
        operator,
        BinaryOp::DivideUnsigned
            | BinaryOp::DivideSigned
            | BinaryOp::RemainderUnsigned
            | BinaryOp::RemainderSigned
    )
}

/// The largest that a value can be.
pub(super) fn largest(value: &Value) -> u128 {
    let all = isac_ir::bits::mask(value.width);
    match &value.kind {
        Kind::Const(known) => *known,
        Kind::ZeroExtend(inner) => largest(inner),
        Kind::Binary(BinaryOp::And, left, right) => largest(left).min(largest(right)),
        Kind::Slice { base, low } => (largest(base) >> low).min(all),
        Kind::Select(_, then, otherwise) => largest(then).max(largest(otherwise)),
        _ => all,
    }
}

impl Codegen<'_, '_> {
    pub(super) fn unary(&mut self, operator: UnaryOp, operand: &Value) -> Ir {
        let (width, ty) = (operand.width, type_of(operand.width));
        let above = ty.bits() - width;
        let value = self.value(operand);
        match operator {
            UnaryOp::Negate => {
                let negated = self.b.ins().ineg(value);
                self.cut(negated, ty, width)
            }
            UnaryOp::Not => {
                let inverted = self.b.ins().bnot(value);
                self.cut(inverted, ty, width)
            }
            UnaryOp::PopCount => self.b.ins().popcnt(value),
            UnaryOp::CountLeadingZeros => {
                let zeros = self.b.ins().clz(value);
                if above > 0 { self.b.ins().iadd_imm_s(zeros, -i64::from(above)) } else { zeros }
            }
            UnaryOp::CountTrailingZeros if above > 0 => {
                let stop = self.constant(ty, 1 << width);
                let stopped = self.b.ins().bor(value, stop);
                self.b.ins().ctz(stopped)
            }
            UnaryOp::CountTrailingZeros => self.b.ins().ctz(value),
        }
    }

    pub(super) fn binary(&mut self, operator: BinaryOp, left: &Value, right: &Value) -> Ir {
        use BinaryOp as B;
        let (width, ty) = (left.width, type_of(left.width));
        match operator {
            B::ShiftLeft | B::ShiftRightUnsigned | B::ShiftRightSigned => {
                return self.shift(operator, left, right);
            }
            B::DivideUnsigned | B::DivideSigned | B::RemainderUnsigned | B::RemainderSigned => {
                return self.divide(operator, left, right);
            }
            _ => {}
        }
        let a = self.value(left);
        let b = self.value(right);
        let compare = |this: &mut Self, condition| this.b.ins().icmp(condition, a, b);
        match operator {
            B::And => self.b.ins().band(a, b),
            B::Or => self.b.ins().bor(a, b),
            B::Xor => self.b.ins().bxor(a, b),
            B::Equal => compare(self, IntCC::Equal),
            B::NotEqual => compare(self, IntCC::NotEqual),
            B::LessUnsigned => compare(self, IntCC::UnsignedLessThan),
            B::LessEqualUnsigned => compare(self, IntCC::UnsignedLessThanOrEqual),
            B::LessSigned | B::LessEqualSigned => {
                let (a, b) = (self.with_sign(a, ty, width), self.with_sign(b, ty, width));
                let condition = match operator {
                    B::LessSigned => IntCC::SignedLessThan,
                    _ => IntCC::SignedLessThanOrEqual,
                };
                self.b.ins().icmp(condition, a, b)
            }
            B::Subtract => {
                let value = self.b.ins().isub(a, b);
                self.cut(value, ty, width)
            }
            B::Multiply => {
                let value = self.b.ins().imul(a, b);
                self.cut(value, ty, width)
            }
            _ => {
                let value = self.b.ins().iadd(a, b);
                self.cut(value, ty, width)
            }
        }
    }

    fn shift(&mut self, operator: BinaryOp, left: &Value, right: &Value) -> Ir {
        let (width, ty) = (left.width, type_of(left.width));
        let signed = operator == BinaryOp::ShiftRightSigned;
        let a = self.value(left);
        let a = if signed { self.with_sign(a, ty, width) } else { a };
        let most = largest(right);
        if let Some(known) = right.known() {
            let amount = u32::try_from(known).ok().filter(|amount| *amount < width);
            let shifted = match (operator, amount) {
                (BinaryOp::ShiftRightSigned, amount) => {
                    let amount = i64::from(amount.unwrap_or(width - 1));
                    self.b.ins().sshr_imm_u(a, amount)
                }
                (_, None) => self.zero(ty),
                (BinaryOp::ShiftLeft, Some(amount)) => self.b.ins().ishl_imm_u(a, i64::from(amount)),
                (_, Some(amount)) => self.b.ins().ushr_imm_u(a, i64::from(amount)),
            };
            return self.cut(shifted, ty, width);
        }
        let amount = self.value(right);
        // The host takes the amount modulo the type's bits; the low 32 bits of it are enough.
        let low = match type_of(right.width) {
            types::I128 | types::I64 => self.b.ins().ireduce(types::I32, amount),
            types::I8 => self.b.ins().uextend(types::I32, amount),
            _ => amount,
        };
        let shift = |this: &mut Self, amount| match operator {
            BinaryOp::ShiftLeft => this.b.ins().ishl(a, amount),
            BinaryOp::ShiftRightSigned => this.b.ins().sshr(a, amount),
            _ => this.b.ins().ushr(a, amount),
        };
        if most < width.into() {
            let shifted = shift(self, low);
            return self.cut(shifted, ty, width);
        }
        let is_within = self.less_than(amount, type_of(right.width), width);
        let shifted = if signed {
            let last = self.b.ins().iconst(types::I32, i64::from(width - 1));
            let amount = self.b.ins().select(is_within, low, last);
            shift(self, amount)
        } else {
            let shifted = shift(self, low);
            let zero = self.zero(ty);
            self.b.ins().select(is_within, shifted, zero)
        };
        self.cut(shifted, ty, width)
    }

    fn less_than(&mut self, value: Ir, ty: Type, limit: u32) -> Ir {
        if ty == types::I128 {
            let (low, high) = self.b.ins().isplit(value);
            let is_low = self.b.ins().icmp_imm_u(IntCC::UnsignedLessThan, low, i64::from(limit));
            let is_zero = self.b.ins().icmp_imm_u(IntCC::Equal, high, 0);
            return self.b.ins().band(is_low, is_zero);
        }
        self.b.ins().icmp_imm_u(IntCC::UnsignedLessThan, value, i64::from(limit))
    }

    /// A quotient or remainder of at most 64 bits; of 0 it is 0, and nothing overflows.
    fn divide(&mut self, operator: BinaryOp, left: &Value, right: &Value) -> Ir {
        use BinaryOp as B;
        let (width, ty) = (left.width, type_of(left.width));
        let signed = matches!(operator, B::DivideSigned | B::RemainderSigned);
        let (a, b) = (self.value(left), self.value(right));
        let is_nonzero = self.nonzero.contains(&self.b.func.dfg.resolve_aliases(b));
        let wide = types::I64;
        let (a, b) = if signed {
            let (a, b) = (self.with_sign(a, ty, width), self.with_sign(b, ty, width));
            (self.widen_signed(a, ty), self.widen_signed(b, ty))
        } else if ty == types::I8 {
            (self.widen(a, types::I32), self.widen(b, types::I32))
        } else {
            (a, b)
        };
        let host = if signed {
            wide
        } else if ty == types::I8 {
            types::I32
        } else {
            ty
        };
        let (zero, one) = (self.b.ins().iconst(host, 0), self.b.ins().iconst(host, 1));
        let is_zero = (!is_nonzero).then(|| self.b.ins().icmp(IntCC::Equal, b, zero));
        let mut divisor = is_zero.map_or(b, |is_zero| self.b.ins().select(is_zero, one, b));
        // Only where all 64 bits are the value's can a quotient overflow: by -1 it is a negation.
        let by_minus_one = (signed && width == 64).then(|| {
            let is_it = self.b.ins().icmp_imm_s(IntCC::Equal, b, -1);
            divisor = self.b.ins().select(is_it, one, divisor);
            is_it
        });
        let value = match operator {
            B::DivideUnsigned => self.b.ins().udiv(a, divisor),
            B::RemainderUnsigned => self.b.ins().urem(a, divisor),
            B::DivideSigned => {
                let quotient = self.b.ins().sdiv(a, divisor);
                match by_minus_one {
                    Some(is_it) => {
                        let negated = self.b.ins().ineg(a);
                        self.b.ins().select(is_it, negated, quotient)
                    }
                    None => quotient,
                }
            }
            _ => self.b.ins().srem(a, divisor),
        };
        let value = is_zero.map_or(value, |is_zero| self.b.ins().select(is_zero, zero, value));
        let value = if host == ty { value } else { self.narrow(value, ty) };
        self.cut(value, ty, width)
    }
}
