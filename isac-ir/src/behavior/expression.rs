//! Expressions: values of a known width, with no effect but the reads that they name.

use serde::{Deserialize, Serialize};

use super::{AccessId, BindingId, FieldId, InstanceId, LocalId, ReferenceId, VariableId};
use crate::operation::Target;
use crate::time::StageId;

/// An expression of a known width.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Expr {
    /// Width of its value in bits.
    pub width: u32,
    /// What it is.
    pub kind: ExprKind,
}

/// The expressions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum ExprKind {
    /// A constant.
    Const(u128),
    /// A variable of the body.
    Local(LocalId),
    /// A LOCAL of the operation, in the execution that the body belongs to.
    Variable(VariableId),
    /// A field of the operation.
    Field(FieldId),
    /// The coded bits of an instance, 0 if it was not decoded.
    Coded(InstanceId),
    /// 1 if what an instance chose is this member or lies in this group, and 0 if it does not or
    /// the instance was not decoded.
    Chosen {
        /// The instance.
        instance: InstanceId,
        /// An operation, or a group on the way to it.
        member: Target,
    },
    /// A field of the operation that an instance chose, 0 if it was not decoded.
    MemberField {
        /// The instance.
        instance: InstanceId,
        /// The field by operation, ascending; all have the same width.
        fields: Vec<(u32, FieldId)>,
    },
    /// What a reference stands for, evaluated here. The accesses of an operand are its own node's:
    /// none is listed in this body.
    Reference(ReferenceId),
    /// The coded bits of the instance that a reference stands for.
    CodedReference(ReferenceId),
    /// A field of the operation that the instance chose that a reference stands for, 0 if it was
    /// not decoded.
    MemberFieldReference {
        /// The reference.
        reference: ReferenceId,
        /// The field by operation, ascending; all have the same width.
        fields: Vec<(u32, FieldId)>,
    },
    /// Address of the instruction, in cells.
    InstructionAddress,
    /// Size of the instruction, in cells.
    InstructionSize,
    /// Cycles begun before this one.
    Cycles,
    /// Instructions ended and not cancelled.
    Instructions,
    /// The first address that a memory fault touched (`memory_fault` only; 64 bits).
    FaultAddress,
    /// What was tried: 0 a read, 1 a write, 2 a fetch (`memory_fault` only; 2 bits).
    FaultAccess,
    /// 1 if the time of a timer, by its index among the devices, has come (1 bit).
    Pending(u32),
    /// 1 if an instruction is in a stage in this cycle (1 bit).
    Busy(StageId),
    /// What the last access to a map cost, in cycles (32 bits).
    Latency(u32),
    /// A register or an element of a file.
    Register {
        /// Its index.
        register: u32,
        /// The element of a file.
        index: Option<Box<Expr>>,
        /// The access.
        access: AccessId,
    },
    /// Bits of a register of more than 128 bits, as many as the width.
    RegisterPart {
        /// Its index.
        register: u32,
        /// The element of a file.
        index: Option<Box<Expr>>,
        /// Least significant bit taken.
        low: u32,
        /// The access; of several parts of one access, the first has it.
        access: AccessId,
    },
    /// Bits of one cell of more than 128 bits, as many as the width.
    CellPart {
        /// The map's index.
        map: u32,
        /// Address in cells, of the map's address width.
        address: Box<Expr>,
        /// Least significant bit taken.
        low: u32,
        /// The access; of several parts of one access, the first has it.
        access: AccessId,
    },
    /// Cells of a map, joined in byte order.
    Memory {
        /// The map's index.
        map: u32,
        /// Number of cells.
        cells: u32,
        /// Address in cells, of the map's address width.
        address: Box<Expr>,
        /// The access; kind [`Execute`](super::AccessKind::Execute) needs flag X.
        access: AccessId,
    },
    /// The value of an operand.
    Operand {
        /// The operand.
        instance: InstanceId,
        /// Index into [`mentions`](super::Body::mentions).
        mention: u32,
    },
    /// The value of a place that has been found.
    Bound {
        /// Index into [`bindings`](super::Body::bindings).
        binding: BindingId,
        /// True for a read that only keeps the bits beside a partial write.
        keeps: bool,
        /// Index into [`mentions`](super::Body::mentions); `None` for what a reference stands for, whose accesses
        /// are its own node's.
        mention: Option<u32>,
    },
    /// One operand.
    Unary(UnaryOp, Box<Expr>),
    /// Two operands of equal width (a shift's amount may have any).
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// Upper bits 0.
    ZeroExtend(Box<Expr>),
    /// Upper bits copies of the sign.
    SignExtend(Box<Expr>),
    /// Bits from `low` on, as many as the width.
    Slice {
        /// The value.
        base: Box<Expr>,
        /// Least significant bit taken.
        low: u32,
    },
    /// One bit at a computed index, 0 beyond the width.
    Bit {
        /// The value.
        base: Box<Expr>,
        /// The index, unsigned.
        index: Box<Expr>,
    },
    /// Parts from most to least significant.
    Concat(Vec<Expr>),
    /// The second if the first (1 bit) is 1, else the third; neither has accesses.
    Select(Box<Expr>, Box<Expr>, Box<Expr>),
}

/// Operators with one operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum UnaryOp {
    /// Two's complement negation.
    Negate,
    /// All bits inverted.
    Not,
    /// Number of ones, in the operand's width.
    PopCount,
    /// Number of zeros above the topmost one, the width for 0.
    CountLeadingZeros,
    /// Number of zeros below the lowest one, the width for 0.
    CountTrailingZeros,
}

/// Operators with two operands; comparisons give 1 bit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum BinaryOp {
    /// Sum, wrapping.
    Add,
    /// Difference, wrapping.
    Subtract,
    /// Product, wrapping.
    Multiply,
    /// Unsigned quotient; the divisor is not 0.
    DivideUnsigned,
    /// Signed quotient, towards zero, wrapping; the divisor is not 0.
    DivideSigned,
    /// Unsigned remainder; the divisor is not 0.
    RemainderUnsigned,
    /// Signed remainder, sign of the dividend; the divisor is not 0.
    RemainderSigned,
    /// Bitwise and.
    And,
    /// Bitwise or.
    Or,
    /// Bitwise exclusive or.
    Xor,
    /// Left shift by an unsigned amount; 0 from the width on.
    ShiftLeft,
    /// Right shift by an unsigned amount; 0 from the width on.
    ShiftRightUnsigned,
    /// Right shift by an unsigned amount; copies of the sign from the width on.
    ShiftRightSigned,
    /// Equal.
    Equal,
    /// Not equal.
    NotEqual,
    /// Unsigned less.
    LessUnsigned,
    /// Unsigned less or equal.
    LessEqualUnsigned,
    /// Signed less.
    LessSigned,
    /// Signed less or equal.
    LessEqualSigned,
}

impl Expr {
    /// A constant of a width.
    pub fn constant(width: u32, value: u128) -> Expr {
        Expr { width, kind: ExprKind::Const(value & crate::bits::mask(width)) }
    }

    /// A variable's value.
    pub fn local(width: u32, local: LocalId) -> Expr {
        Expr { width, kind: ExprKind::Local(local) }
    }

    /// Calls `visit` for this expression and all below it, outermost first.
    pub fn walk(&self, visit: &mut dyn FnMut(&Expr)) {
        visit(self);
        match &self.kind {
            ExprKind::Const(_)
            | ExprKind::Local(_)
            | ExprKind::Variable(_)
            | ExprKind::Field(_)
            | ExprKind::Coded(_)
            | ExprKind::Chosen { .. }
            | ExprKind::MemberField { .. }
            | ExprKind::Reference(_)
            | ExprKind::CodedReference(_)
            | ExprKind::MemberFieldReference { .. }
            | ExprKind::InstructionAddress
            | ExprKind::InstructionSize
            | ExprKind::Cycles
            | ExprKind::Instructions
            | ExprKind::Pending(_)
            | ExprKind::Busy(_)
            | ExprKind::Latency(_)
            | ExprKind::FaultAddress
            | ExprKind::FaultAccess
            | ExprKind::Operand { .. }
            | ExprKind::Bound { .. } => {}
            ExprKind::Register { index, .. } | ExprKind::RegisterPart { index, .. } => {
                if let Some(index) = index {
                    index.walk(visit);
                }
            }
            ExprKind::Memory { address, .. } | ExprKind::CellPart { address, .. } => address.walk(visit),
            ExprKind::Unary(_, a) | ExprKind::ZeroExtend(a) | ExprKind::SignExtend(a) => a.walk(visit),
            ExprKind::Slice { base, .. } => base.walk(visit),
            ExprKind::Binary(_, a, b) | ExprKind::Bit { base: a, index: b } => {
                a.walk(visit);
                b.walk(visit);
            }
            ExprKind::Concat(parts) => parts.iter().for_each(|part| part.walk(visit)),
            ExprKind::Select(c, a, b) => {
                c.walk(visit);
                a.walk(visit);
                b.walk(visit);
            }
        }
    }
}
