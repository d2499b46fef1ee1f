//! Behaviour: typed statements over values of explicit width.
//!
//! A value is a bit pattern of 1 to 128 bits; signs stand in the operators. Expressions have no
//! effect but the reads they name; everything else is a statement, in the order in which the
//! language demands it. Every access to a resource has an [`AccessId`] and lies in a region: a
//! region is a set of statements that run equally often. Region 0 runs once for each execution of
//! the body; every other begins at its [`Stmt::Count`], which is the only thing an engine has to
//! count.

use serde::{Deserialize, Serialize};

use crate::operand::{Binding, MentionKind};
use crate::operation::Target;
use crate::root::WordSource;
use crate::time::StageId;

/// Index into [`Body::accesses`].
pub type AccessId = u32;
/// The access of a read that only keeps the bits beside a partial write: writing a slice is one
/// write and no read.
pub const UNCOUNTED: AccessId = u32::MAX;
/// Index into [`Body::locals`].
pub type LocalId = u32;
/// Index into [`Body::bindings`].
pub type BindingId = u32;
/// Index into the operation's instances.
pub type InstanceId = u32;
/// Index into the operation's variables.
pub type VariableId = u32;
/// Index into the operation's references.
pub type ReferenceId = u32;
/// Index into the operation's fields.
pub type FieldId = u32;
/// A register's index, or the number of registers plus a map's index.
pub type ResourceId = u32;
/// Number of a region of a body.
pub type RegionId = u32;

/// Statements with their variables, accesses and mentions of operands.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Body {
    /// Where the section stands, as `file:line`.
    pub location: String,
    /// Variables, those of expanded functions and temporaries among them.
    pub locals: Vec<Local>,
    /// The statements.
    pub statements: Vec<Stmt>,
    /// Every access, by id.
    pub accesses: Vec<Access>,
    /// Every mention of an operand, by id.
    pub mentions: Vec<Mention>,
    /// What is found once, then read and written, by id.
    pub bindings: Vec<Binding>,
    /// Number of regions, at least 1.
    pub regions: u32,
}

/// A variable.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Local {
    /// Its name in the description, or `t` for a temporary.
    pub name: String,
    /// Width in bits.
    pub width: u32,
}

/// One mention of a resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Access {
    /// The resource.
    pub resource: ResourceId,
    /// What is done.
    pub kind: AccessKind,
    /// How often: as its region runs.
    pub region: RegionId,
}

/// What an access does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum AccessKind {
    /// Reads data.
    Read,
    /// Writes.
    Write,
    /// Reads an instruction.
    Execute,
}

/// One mention of an operand, or one step of a mention in several: its EXPRESSION is evaluated
/// there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mention {
    /// The operand.
    pub instance: InstanceId,
    /// What is done with it.
    pub kind: MentionKind,
    /// How often: as its region runs.
    pub region: RegionId,
}

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
        /// The access; kind [`AccessKind::Execute`] needs flag X.
        access: AccessId,
    },
    /// The value of an operand.
    Operand {
        /// The operand.
        instance: InstanceId,
        /// Index into [`Body::mentions`].
        mention: u32,
    },
    /// The value of a place that has been found.
    Bound {
        /// Index into [`Body::bindings`].
        binding: BindingId,
        /// True for a read that only keeps the bits beside a partial write.
        keeps: bool,
        /// Index into [`Body::mentions`]; `None` for what a reference stands for, whose accesses
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

/// The statements.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Stmt {
    /// Assigns a variable of the body.
    Set {
        /// The variable.
        local: LocalId,
        /// Its new value.
        value: Expr,
    },
    /// Assigns a LOCAL of the operation.
    SetVariable {
        /// The LOCAL.
        variable: VariableId,
        /// Its new value.
        value: Expr,
    },
    /// Writes a register; elements that are HARDWIRED keep their value.
    SetRegister {
        /// Its index.
        register: u32,
        /// The element of a file.
        index: Option<Expr>,
        /// First bit written; the value's width tells how many.
        low: u32,
        /// The new bits.
        value: Expr,
        /// The access.
        access: AccessId,
    },
    /// Writes cells of a map.
    SetMemory {
        /// The map's index.
        map: u32,
        /// Number of cells.
        cells: u32,
        /// Address in cells.
        address: Expr,
        /// The new value, `cells` cells wide.
        value: Expr,
        /// The access.
        access: AccessId,
    },
    /// Writes bits of one cell of more than 128 bits.
    SetCellPart {
        /// The map's index.
        map: u32,
        /// Address in cells.
        address: Expr,
        /// First bit written; the value's width tells how many.
        low: u32,
        /// The new bits.
        value: Expr,
        /// The access; of several parts of one access, the first has it.
        access: AccessId,
    },
    /// Assigns to an operand.
    SetOperand {
        /// The operand.
        instance: InstanceId,
        /// Index into [`Body::mentions`].
        mention: u32,
        /// The new value, of the operand's width.
        value: Expr,
    },
    /// An access that does nothing but count: to a map, in whose place registers or functions
    /// stand.
    Touch(AccessId),
    /// Assigns to what a reference stands for: a LOCAL or an operand.
    SetReference {
        /// The reference.
        reference: ReferenceId,
        /// The new value, of the reference's width.
        value: Expr,
    },
    /// Finds a place: its indexes and addresses are evaluated, here and nowhere else.
    Bind {
        /// Index into [`Body::bindings`].
        binding: BindingId,
        /// Index into [`Body::mentions`]; `None` for what a reference stands for.
        mention: Option<u32>,
    },
    /// Assigns to a place that has been found.
    SetBound {
        /// Index into [`Body::bindings`].
        binding: BindingId,
        /// Index into [`Body::mentions`]; `None` for what a reference stands for.
        mention: Option<u32>,
        /// The new value, of the place's width.
        value: Expr,
    },
    /// A region begins: it runs once more.
    Count(RegionId),
    /// Runs one of two lists.
    If {
        /// 1 bit.
        condition: Expr,
        /// Run if it is 1.
        then: Vec<Stmt>,
        /// Run if it is 0.
        otherwise: Vec<Stmt>,
    },
    /// Runs its statements until left by [`Stmt::Leave`].
    Loop {
        /// Its label, unique in the body.
        label: u32,
        /// The statements.
        body: Vec<Stmt>,
    },
    /// Runs its statements once; can be left by [`Stmt::Leave`].
    Block {
        /// Its label, unique in the body.
        label: u32,
        /// The statements.
        body: Vec<Stmt>,
    },
    /// Goes on after the loop or block with this label.
    Leave(u32),
    /// Ends the run after this instruction, with this status (32 bits).
    Halt(Expr),
    /// The instruction is abandoned: illegal instruction.
    Illegal,
    /// The instruction is abandoned: division by zero.
    DivisionByZero,
    /// Nothing more of this instruction runs; it is reported cancelled.
    Cancel,
    /// From the next cycle on, a stage and those before it stand still.
    Stall {
        /// The stage.
        stage: StageId,
        /// For how many cycles (64 bits).
        cycles: Expr,
    },
    /// What the instruction runs in this stage of a pipeline runs again in the next cycle.
    Retry {
        /// Index of the pipeline.
        pipeline: u32,
    },
    /// Cancels every other instruction in a stage or in one before it.
    Flush(StageId),
    /// Cycles that count but nothing happens in them (64 bits).
    ExtraCycles(Expr),
    /// A Linux system call; an exit call ends the run after this instruction.
    LinuxCall {
        /// Receives the result, 64 bits.
        result: LocalId,
        /// Number and six arguments, 64 bits each.
        arguments: Vec<Expr>,
    },
    /// A semihosting call of Arm's specification; an exit call ends the run after this
    /// instruction.
    Semihost {
        /// Receives the result, 64 bits.
        result: LocalId,
        /// Operation and argument, 64 bits each.
        arguments: Vec<Expr>,
    },
    /// Text for the standard output.
    Print(Vec<PrintPart>),
    /// The model's own event.
    Event(String),
    /// Decodes an instance (CODINGROOT only).
    Decode {
        /// What is decoded.
        instance: InstanceId,
        /// Its number among the elements of the CODINGROOT, in the order of the text.
        element: u32,
        /// Where its word comes from.
        source: WordSource,
    },
    /// A node of the decoding tree that is a part of a SWITCH begins (CODINGROOT only): what is
    /// decoded until its [`Stmt::CloseNode`] lies below it.
    OpenNode {
        /// Index into [`crate::Model::labels`].
        label: u32,
    },
    /// The innermost open node ends.
    CloseNode,
    /// Schedules an instance (ACTIVATION only).
    Activate {
        /// The instance.
        instance: InstanceId,
        /// Its DELAY in cycles, without the distance in stages.
        delay: u32,
    },
}

/// A piece of a printed text.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum PrintPart {
    /// Literal text.
    Text(String),
    /// A value.
    Value {
        /// The value.
        value: Expr,
        /// How it is written.
        format: PrintFormat,
    },
}

/// How `printf` writes a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct PrintFormat {
    /// The conversion.
    pub conversion: Conversion,
    /// Minimum width.
    pub width: u32,
    /// Least number of digits; zeros then fill nothing else.
    pub precision: Option<u32>,
    /// Filled with zeros instead of spaces.
    pub zero: bool,
    /// Text stands left.
    pub left: bool,
    /// A `+` before what is not negative.
    pub plus: bool,
    /// A space before what is not negative, where there is no `+`.
    pub space: bool,
    /// A prefix `0x` or `0`.
    pub alternate: bool,
}

/// The conversions of `printf`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Conversion {
    /// `%d`, `%i`
    Signed,
    /// `%u`
    Unsigned,
    /// `%x`
    Hexadecimal,
    /// `%X`
    HexadecimalUpper,
    /// `%o`
    Octal,
    /// `%c`: one byte
    Character,
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

impl Stmt {
    /// The expressions that stand directly in this statement, in the order of their evaluation.
    pub fn expressions(&self) -> Vec<&Expr> {
        match self {
            Stmt::Set { value, .. }
            | Stmt::SetVariable { value, .. }
            | Stmt::SetOperand { value, .. }
            | Stmt::SetReference { value, .. }
            | Stmt::SetBound { value, .. }
            | Stmt::Halt(value)
            | Stmt::ExtraCycles(value)
            | Stmt::Stall { cycles: value, .. }
            | Stmt::If { condition: value, .. } => vec![value],
            Stmt::Decode { source, .. } => source.expressions(),
            Stmt::SetRegister { index, value, .. } => std::iter::once(value).chain(index.as_ref()).collect(),
            Stmt::SetMemory { address, value, .. } | Stmt::SetCellPart { address, value, .. } => {
                vec![value, address]
            }
            Stmt::LinuxCall { arguments, .. } | Stmt::Semihost { arguments, .. } => {
                arguments.iter().collect()
            }
            Stmt::Print(parts) => parts
                .iter()
                .filter_map(|part| match part {
                    PrintPart::Value { value, .. } => Some(value),
                    PrintPart::Text(_) => None,
                })
                .collect(),
            Stmt::Count(_)
            | Stmt::Touch(_)
            | Stmt::Bind { .. }
            | Stmt::Loop { .. }
            | Stmt::Block { .. }
            | Stmt::Leave(_)
            | Stmt::Illegal
            | Stmt::DivisionByZero
            | Stmt::Cancel
            | Stmt::Retry { .. }
            | Stmt::Flush(_)
            | Stmt::Event(_)
            | Stmt::OpenNode { .. }
            | Stmt::CloseNode
            | Stmt::Activate { .. } => Vec::new(),
        }
    }

    /// The lists of statements below this one.
    pub fn children(&self) -> Vec<&[Stmt]> {
        match self {
            Stmt::If { then, otherwise, .. } => vec![then, otherwise],
            Stmt::Loop { body, .. } | Stmt::Block { body, .. } => vec![body],
            _ => Vec::new(),
        }
    }
}

/// Calls `visit` for every statement, outer ones first, in order.
pub fn walk_statements<'a>(statements: &'a [Stmt], visit: &mut dyn FnMut(&'a Stmt)) {
    for statement in statements {
        visit(statement);
        for child in statement.children() {
            walk_statements(child, visit);
        }
    }
}

/// Calls `visit` for every expression of the statements, nested ones included.
pub fn walk_expressions(statements: &[Stmt], visit: &mut dyn FnMut(&Expr)) {
    walk_statements(statements, &mut |statement| {
        for expression in statement.expressions() {
            expression.walk(visit);
        }
    });
}
