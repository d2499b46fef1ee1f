//! Values of computations: bodies that read no resource and change nothing.
//!
//! Unlike an engine this has no instruction in flight and no memory; what needs one has no value
//! here. Turns of loops are counted, so that no description can keep its reader waiting.

use std::cell::Cell;

use super::Computation;
use crate::behavior::{BinaryOp, Body, Expr, ExprKind, Stmt, UnaryOp, walk_expressions, walk_statements};
use crate::bits::{mask, sign_extend};

/// Most statements that one computation may run.
const MOST_STATEMENTS: u32 = 100_000;

/// What a computation may ask for beside its arguments.
#[derive(Debug, Clone, Copy, Default)]
pub struct Surroundings<'a> {
    /// The fields of the operation.
    pub fields: &'a [u128],
    /// Address of the instruction, in cells.
    pub instruction_address: u64,
    /// Size of the instruction, in cells.
    pub instruction_size: u32,
}

impl Computation {
    /// How many bits each of its arguments has.
    pub fn parameter_widths(&self) -> impl Iterator<Item = u32> {
        self.parameters.iter().map(|local| self.body.locals[*local as usize].width)
    }

    /// Its value, its sign continued; `None` if it divides by zero or takes too long.
    pub fn value(&self, arguments: &[u128], around: Surroundings<'_>) -> Option<i128> {
        self.value_within(arguments, around, &Cell::new(MOST_STATEMENTS))
    }

    /// The same where several values are computed, which may run so many statements together.
    pub fn value_within(
        &self,
        arguments: &[u128],
        around: Surroundings<'_>,
        budget: &Cell<u32>,
    ) -> Option<i128> {
        let body = &self.body;
        let mut locals = vec![0; body.locals.len()];
        for (local, value) in self.parameters.iter().zip(arguments) {
            locals[*local as usize] = value & mask(body.locals[*local as usize].width);
        }
        let most = MOST_STATEMENTS.min(budget.get());
        let mut evaluation = Evaluation { locals, around, left: most };
        let ended = evaluation.run(&body.statements);
        // The result is computed, too.
        budget.set(budget.get().saturating_sub(most - evaluation.left + 1));
        ended?;
        let value = evaluation.locals[self.result as usize];
        let width = body.locals[self.result as usize].width;
        Some(if self.signed { sign_extend(value, width, 128) } else { value } as i128)
    }

    /// True if its value may depend on the size of the instruction.
    pub fn asks_for_size(&self) -> bool {
        let mut asks = false;
        walk_expressions(&self.body.statements, &mut |expr| {
            asks |= matches!(expr.kind, ExprKind::InstructionSize);
        });
        asks
    }
}

/// True if a body reads no resource, changes nothing and asks for no operand: its value depends on
/// fields, address and size of the instruction and on its arguments alone.
pub fn is_computation(body: &Body) -> bool {
    let mut pure = body.accesses.is_empty() && body.mentions.is_empty() && body.bindings.is_empty();
    walk_statements(&body.statements, &mut |statement| {
        pure &= matches!(
            statement,
            Stmt::Set { .. }
                | Stmt::If { .. }
                | Stmt::Loop { .. }
                | Stmt::Block { .. }
                | Stmt::Call { .. }
                | Stmt::Leave(_)
                | Stmt::Count(_)
                | Stmt::DivisionByZero
        );
    });
    walk_expressions(&body.statements, &mut |expr| {
        pure &= matches!(
            expr.kind,
            ExprKind::Const(_)
                | ExprKind::Local(_)
                | ExprKind::Field(_)
                | ExprKind::InstructionAddress
                | ExprKind::InstructionSize
                | ExprKind::Unary(..)
                | ExprKind::Binary(..)
                | ExprKind::ZeroExtend(_)
                | ExprKind::SignExtend(_)
                | ExprKind::Slice { .. }
                | ExprKind::Bit { .. }
                | ExprKind::Concat(_)
                | ExprKind::Select(..)
        );
    });
    pure
}

struct Evaluation<'a> {
    locals: Vec<u128>,
    around: Surroundings<'a>,
    /// How many statements may still run.
    left: u32,
}

impl Evaluation<'_> {
    /// Runs statements; gives the label that they leave, if they do.
    fn run(&mut self, statements: &[Stmt]) -> Option<Option<u32>> {
        for statement in statements {
            self.left = self.left.checked_sub(1)?;
            if let Some(label) = self.run_statement(statement)? {
                return Some(Some(label));
            }
        }
        Some(None)
    }

    fn run_statement(&mut self, statement: &Stmt) -> Option<Option<u32>> {
        match statement {
            Stmt::Set { local, value } => self.locals[*local as usize] = self.evaluate(value)?,
            Stmt::If { condition, then, otherwise } => {
                let arm = if self.evaluate(condition)? != 0 { then } else { otherwise };
                return self.run(arm);
            }
            Stmt::Loop { label, body } => loop {
                self.left = self.left.checked_sub(1)?;
                match self.run(body)? {
                    Some(left) if left == *label => break,
                    None => {}
                    left => return Some(left),
                }
            },
            Stmt::Block { label, body } => {
                return self.run(body).map(|left| left.filter(|left| left != label));
            }
            Stmt::Call { body, .. } => return self.run(body),
            Stmt::Leave(label) => return Some(Some(*label)),
            Stmt::Count(_) => {}
            _ => return None,
        }
        Some(None)
    }

    fn evaluate(&self, expr: &Expr) -> Option<u128> {
        let value = match &expr.kind {
            ExprKind::Const(value) => *value,
            ExprKind::Local(local) => self.locals[*local as usize],
            ExprKind::Field(field) => *self.around.fields.get(*field as usize)?,
            ExprKind::InstructionAddress => self.around.instruction_address.into(),
            ExprKind::InstructionSize => self.around.instruction_size.into(),
            ExprKind::Unary(operator, operand) => unary(*operator, self.evaluate(operand)?, expr.width),
            ExprKind::Binary(operator, left, right) => {
                binary(*operator, self.evaluate(left)?, self.evaluate(right)?, left.width)
            }
            ExprKind::ZeroExtend(operand) => self.evaluate(operand)?,
            ExprKind::SignExtend(operand) => sign_extend(self.evaluate(operand)?, operand.width, expr.width),
            ExprKind::Slice { base, low } => self.evaluate(base)?.checked_shr(*low).unwrap_or(0),
            ExprKind::Bit { base, index } => {
                let (bits, base, index) = (base.width, self.evaluate(base)?, self.evaluate(index)?);
                if index < u128::from(bits) { base >> index & 1 } else { 0 }
            }
            ExprKind::Concat(parts) => {
                let mut value: u128 = 0;
                for part in parts {
                    value = value.checked_shl(part.width).unwrap_or(0) | self.evaluate(part)?;
                }
                value
            }
            ExprKind::Select(condition, then, otherwise) => match self.evaluate(condition)? {
                0 => self.evaluate(otherwise)?,
                _ => self.evaluate(then)?,
            },
            _ => return None,
        };
        Some(value & mask(expr.width))
    }
}

/// What an operator makes of a value of `width` bits; bits above the width mean nothing.
pub fn unary(operator: UnaryOp, operand: u128, width: u32) -> u128 {
    match operator {
        UnaryOp::Negate => operand.wrapping_neg(),
        UnaryOp::Not => !operand,
        UnaryOp::PopCount => u128::from(operand.count_ones()),
        UnaryOp::CountLeadingZeros => u128::from(operand.leading_zeros() - (128 - width)),
        UnaryOp::CountTrailingZeros => u128::from(operand.trailing_zeros().min(width)),
    }
}

/// What an operator makes of two values of `width` bits; bits above the width mean nothing.
pub fn binary(operator: BinaryOp, left: u128, right: u128, width: u32) -> u128 {
    let signed = |value: u128| sign_extend(value, width, 128) as i128;
    let amount = u32::try_from(right).ok().filter(|amount| *amount < width);
    match operator {
        BinaryOp::Add => left.wrapping_add(right),
        BinaryOp::Subtract => left.wrapping_sub(right),
        BinaryOp::Multiply => left.wrapping_mul(right),
        BinaryOp::DivideUnsigned => left.checked_div(right).unwrap_or(0),
        BinaryOp::RemainderUnsigned => left.checked_rem(right).unwrap_or(0),
        BinaryOp::DivideSigned if right == 0 => 0,
        BinaryOp::DivideSigned => signed(left).wrapping_div(signed(right)) as u128,
        BinaryOp::RemainderSigned if right == 0 => 0,
        BinaryOp::RemainderSigned => signed(left).wrapping_rem(signed(right)) as u128,
        BinaryOp::And => left & right,
        BinaryOp::Or => left | right,
        BinaryOp::Xor => left ^ right,
        BinaryOp::ShiftLeft => amount.map_or(0, |amount| left << amount),
        BinaryOp::ShiftRightUnsigned => amount.map_or(0, |amount| left >> amount),
        BinaryOp::ShiftRightSigned => (signed(left) >> amount.unwrap_or(width - 1)) as u128,
        BinaryOp::Equal => (left == right).into(),
        BinaryOp::NotEqual => (left != right).into(),
        BinaryOp::LessUnsigned => (left < right).into(),
        BinaryOp::LessEqualUnsigned => (left <= right).into(),
        BinaryOp::LessSigned => (signed(left) < signed(right)).into(),
        BinaryOp::LessEqualSigned => (signed(left) <= signed(right)).into(),
    }
}
