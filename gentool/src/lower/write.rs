//! Writing places: whole, in part, or in the parts that they have.

use isac_ir::behavior::{AccessKind, BinaryOp, Expr, ExprKind, Stmt, UNCOUNTED, UnaryOp};
use isac_ir::operand::{Binding, MentionKind};

use super::body::BodyBuilder;
use super::expression::{binary, convert};
use super::place::{Kind, Place};
use super::wide::MOST_BITS;

impl BodyBuilder<'_> {
    /// Writes a prepared place; each access is counted.
    pub(super) fn write_place(&mut self, place: &Place, value: Expr) {
        match &place.kind {
            Kind::Local(local) => self.push(Stmt::Set { local: *local, value }),
            Kind::Variable(variable) => self.push(Stmt::SetVariable { variable: variable.0, value }),
            Kind::Register { register, index } => {
                let access = self.register_access(*register, AccessKind::Write);
                let index = index.clone();
                self.push(Stmt::SetRegister { register: register.0, index, low: 0, value, access });
            }
            Kind::Memory { view, .. } => self.write_view(view, value),
            Kind::Operand(instance) => {
                let mention = self.mention(*instance, MentionKind::Write);
                self.push(Stmt::SetOperand { instance: instance.0, mention, value });
                self.pass_mention(Binding::Instance(instance.0));
            }
            Kind::Reference(reference) => {
                self.push(Stmt::SetReference { reference: reference.0, value });
                self.pass_mention(Binding::Reference(reference.0));
            }
            Kind::Bound(place) => self.write_bound(*place, value),
            Kind::Slice { base, low } => self.write_slice(base, *low, value),
            Kind::Bit { base, index } => self.write_bit(base, index, value),
            Kind::Concat(parts) => {
                let value = self.spill(value);
                let mut low = value.width;
                for part in parts {
                    low -= part.width;
                    let base = Box::new(value.clone());
                    let kind = ExprKind::Slice { base, low };
                    self.write_place(part, Expr { width: part.width, kind });
                }
            }
            Kind::Conditional { condition, then, otherwise } => {
                let value = self.spill(value);
                let arm = |builder: &mut Self, place: &Place| {
                    let value = convert(value.clone(), false, place.width);
                    builder.arm(|builder| builder.write_place(place, value))
                };
                let then = arm(self, &then.place);
                let otherwise = arm(self, &otherwise.place);
                self.push_if(condition.clone(), then, otherwise);
            }
            Kind::Written { writer, arguments, .. } => {
                let values = arguments.iter().cloned().chain([value]).collect();
                self.expand_call(*writer, values);
            }
        }
    }

    /// Writes bits from `low` on: one write, no read that counts.
    pub(super) fn write_slice(&mut self, base: &Place, low: u32, value: Expr) {
        if base.width > MOST_BITS {
            return self.write_wide_slice(base, low, value);
        }
        if let Kind::Register { register, index } = &base.kind {
            let access = self.register_access(*register, AccessKind::Write);
            let index = index.clone();
            self.push(Stmt::SetRegister { register: register.0, index, low, value, access });
            return;
        }
        if let Kind::Concat(parts) = &base.kind {
            self.write_parts(parts, base.width, low, value);
            return;
        }
        let value = self.spill(value);
        let old = self.read_kept(base);
        let old = self.spill(old);
        let high = low + value.width;
        let part =
            |low: u32, width: u32| Expr { width, kind: ExprKind::Slice { base: Box::new(old.clone()), low } };
        let mut parts = Vec::new();
        if high < base.width {
            parts.push(part(high, base.width - high));
        }
        parts.push(value);
        if low > 0 {
            parts.push(part(0, low));
        }
        self.write_place(base, Expr { width: base.width, kind: ExprKind::Concat(parts) });
    }

    /// Writes bits from `low` on of a concatenation: parts without any of them are not touched.
    fn write_parts(&mut self, parts: &[Place], total: u32, low: u32, value: Expr) {
        let value = self.spill(value);
        let high = low + value.width;
        let mut end = total;
        for part in parts {
            let begin = end - part.width;
            let (first, last) = (low.max(begin), high.min(end));
            if first < last {
                let width = last - first;
                let kind = ExprKind::Slice { base: Box::new(value.clone()), low: first - low };
                let bits = Expr { width, kind };
                match width == part.width {
                    true => self.write_place(part, bits),
                    false => self.write_slice(part, first - begin, bits),
                }
            }
            end = begin;
        }
    }

    /// Writes one bit at a computed index; beyond the width nothing changes.
    fn write_bit(&mut self, base: &Place, index: &Expr, value: Expr) {
        let width = base.width;
        let value = self.spill(convert(value, false, width));
        let old = self.read_kept(base);
        let one = Expr::constant(width, 1);
        let hole = binary(BinaryOp::ShiftLeft, width, one, index.clone());
        let keep = Expr { width, kind: ExprKind::Unary(UnaryOp::Not, Box::new(hole)) };
        let kept = binary(BinaryOp::And, width, old, keep);
        let bit = binary(BinaryOp::ShiftLeft, width, value, index.clone());
        let new = binary(BinaryOp::Or, width, kept, bit);
        self.write_place(base, new);
    }

    /// Reads what a partial write keeps.
    pub(super) fn read_kept(&mut self, place: &Place) -> Expr {
        let width = place.width;
        let kind = match &place.kind {
            Kind::Local(local) => ExprKind::Local(*local),
            Kind::Variable(variable) => ExprKind::Variable(variable.0),
            Kind::Register { register, index } => ExprKind::Register {
                register: register.0,
                index: index.clone().map(Box::new),
                access: UNCOUNTED,
            },
            Kind::Memory { view, .. } => return self.keep_view(view),
            Kind::Bound(place) => return self.read_bound(*place, MentionKind::KeepBound, width),
            Kind::Operand(_) | Kind::Reference(_) => {
                unreachable!("what is written in part is prepared for it")
            }
            Kind::Slice { base, low } => ExprKind::Slice { base: Box::new(self.read_kept(base)), low: *low },
            Kind::Bit { base, index } => {
                let base = Box::new(self.read_kept(base));
                ExprKind::Bit { base, index: Box::new(index.clone()) }
            }
            Kind::Concat(parts) => ExprKind::Concat(self.in_order(parts, Self::read_kept)),
            Kind::Conditional { condition, then, otherwise } => {
                let read = |builder: &mut Self, place: &Place| builder.read_kept(place);
                return self.read_choice(width, condition, [then, otherwise], read);
            }
            Kind::Written { value, .. } => return self.lower_value(value),
        };
        Expr { width, kind }
    }
}
