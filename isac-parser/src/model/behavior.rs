//! Typed statements and expressions.
//!
//! All conversions are explicit ([`ExprKind::Convert`]): both operands of an arithmetic operator
//! have its type, an assigned value has its place's type, an argument its parameter's.

use super::{
    DeviceId, FieldId, FunctionId, InstanceId, MapId, OperationId, OperationOrGroup, PipelineId, ReferenceId,
    RegisterId, StageId, VariableId, id,
};
pub use crate::ast::BinaryOperator;
use crate::source::Span;

id!(
    /// Index into [`Body::locals`].
    LocalId
);

/// A width and a sign.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Type {
    /// Width in bits, 1 to 256.
    pub width_bits: u32,
    /// Two's complement if true.
    pub signed: bool,
}

/// Statements with the variables they declare.
#[derive(Debug, Clone, PartialEq)]
pub struct Body {
    /// Parameters first, then variables in the order of their declaration.
    pub locals: Vec<Local>,
    /// The statements.
    pub statements: Vec<Stmt>,
    /// The section or function body.
    pub span: Span,
}

/// A variable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Local {
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: Type,
    /// Where it is declared.
    pub span: Span,
}

/// A statement where it stands.
#[derive(Debug, Clone, PartialEq)]
pub struct Stmt {
    /// What it is.
    pub kind: StmtKind,
    /// Where it stands.
    pub span: Span,
}

/// The statements.
#[derive(Debug, Clone, PartialEq)]
pub enum StmtKind {
    /// A nested block.
    Block(Vec<Stmt>),
    /// A variable comes into being; without a value it is 0.
    Declare {
        /// The variable.
        local: LocalId,
        /// Its first value, of its type.
        value: Option<Expr>,
    },
    /// Evaluated for its effects.
    Expr(Expr),
    /// `if`
    If {
        /// Not zero is true.
        condition: Expr,
        /// Run if true.
        then: Vec<Stmt>,
        /// Run if false.
        otherwise: Vec<Stmt>,
    },
    /// `switch`; control falls through from one section to the next unless `break` ends it.
    Switch {
        /// The value, promoted.
        value: Expr,
        /// Labels (`None` is `default`) and statements.
        sections: Vec<(Vec<Option<u128>>, Vec<Stmt>)>,
    },
    /// `while`, `do` and `for`: `start` before, then turns of body and step.
    Loop {
        /// Tested before each turn (after the first for `do`); `None` is true.
        condition: Option<Expr>,
        /// True for `do`: the first turn is not tested.
        test_last: bool,
        /// The turn.
        body: Vec<Stmt>,
        /// Evaluated after each turn, also after `continue`.
        step: Option<Expr>,
    },
    /// Leaves the innermost loop or switch.
    Break,
    /// Goes on with the innermost loop's step.
    Continue,
    /// Leaves the FUNCTION or BEHAVIOR.
    Return(Option<Expr>),
}

/// An expression with its type; `ty` is `None` for a call of a `void` function or built-in.
#[derive(Debug, Clone, PartialEq)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Its type.
    pub ty: Option<Type>,
    /// Where it stands.
    pub span: Span,
}

impl Expr {
    /// The instance whose coded bits, fields or choice this expression is.
    pub fn used_instance(&self) -> Option<InstanceId> {
        match &self.kind {
            ExprKind::Coded(instance)
            | ExprKind::MemberField { instance, .. }
            | ExprKind::Chosen { instance, .. } => Some(*instance),
            _ => None,
        }
    }
}

/// The expressions.
#[derive(Debug, Clone, PartialEq)]
pub enum ExprKind {
    /// A constant, reduced to the type's width (two's complement pattern).
    Const(u128),
    /// The value of a place.
    Read(Box<Place>),
    /// A field of the operation.
    Field(FieldId),
    /// An instance's coded bits: `CODED(alias)`, or an alias whose members have no EXPRESSION.
    Coded(InstanceId),
    /// `CODED(name)` of an alias by REFERENCE.
    CodedReference(ReferenceId),
    /// A field of the operation that an instance chose; every operation that it may choose has
    /// it, in one type.
    MemberField {
        /// The instance.
        instance: InstanceId,
        /// The field by operation, ascending.
        fields: Vec<(OperationId, FieldId)>,
    },
    /// A field of the operation that an alias by REFERENCE chose, as of one of its own.
    MemberFieldReference {
        /// The reference.
        reference: ReferenceId,
        /// The field by operation, ascending.
        fields: Vec<(OperationId, FieldId)>,
    },
    /// 1 if what an instance chose is this operation, or lies in this group.
    Chosen {
        /// The instance.
        instance: InstanceId,
        /// The operation or group.
        member: OperationOrGroup,
    },
    /// `instruction_address`
    InstructionAddress,
    /// `instruction_size`
    InstructionSize,
    /// `map.latency`: cycles of the last access.
    Latency(MapId),
    /// `timer.pending`: 1 if the time has come.
    Pending(DeviceId),
    /// Value converted to `ty`: extended by the operand's own sign, or truncated.
    Convert(Box<Expr>),
    /// `-a`
    Negate(Box<Expr>),
    /// `~a`
    BitNot(Box<Expr>),
    /// `!a`: 1 if a is zero, else 0.
    Not(Box<Expr>),
    /// Arithmetic and comparison; shifts have an amount of its own type. Never `&&`, `||`.
    Binary {
        /// The operator.
        operator: BinaryOperator,
        /// Left operand.
        left: Box<Expr>,
        /// Right operand.
        right: Box<Expr>,
    },
    /// `a && b`: b is evaluated only if a is not zero; 0 or 1.
    LogicalAnd(Box<Expr>, Box<Expr>),
    /// `a || b`: b is evaluated only if a is zero; 0 or 1.
    LogicalOr(Box<Expr>, Box<Expr>),
    /// `c ? a : b`: only the chosen one is evaluated.
    Conditional(Box<Expr>, Box<Expr>, Box<Expr>),
    /// Constant bits `high..low` of a value.
    Slice {
        /// The value.
        base: Box<Expr>,
        /// Most significant bit.
        high: u32,
        /// Least significant bit.
        low: u32,
    },
    /// One bit at a computed index; 0 beyond the width.
    Bit {
        /// The value.
        base: Box<Expr>,
        /// The index.
        index: Box<Expr>,
    },
    /// Parts from most to least significant.
    Concat(Vec<Expr>),
    /// `place = value`; the value of the expression is the place's new value.
    Assign {
        /// Evaluated after the value.
        place: Box<Place>,
        /// Of the place's type.
        value: Box<Expr>,
    },
    /// `place op= value`: place read, converted to `compute`, combined with value, stored.
    AssignWith {
        /// The place, evaluated once.
        place: Box<Place>,
        /// The operator.
        operator: BinaryOperator,
        /// Type of the computation (for shifts, of the left operand).
        compute: Type,
        /// Of type `compute`; for shifts of its own type.
        value: Box<Expr>,
    },
    /// `++place` and the like.
    Step {
        /// The place.
        place: Box<Place>,
        /// True for `++`.
        increment: bool,
        /// True if the expression has the new value.
        prefix: bool,
    },
    /// `left, right`
    Comma(Box<Expr>, Box<Expr>),
    /// A FUNCTION, arguments of the parameters' types.
    Call {
        /// The function.
        function: FunctionId,
        /// The arguments.
        arguments: Vec<Expr>,
    },
    /// A built-in.
    Builtin {
        /// Which.
        builtin: Builtin,
        /// Its arguments, of the types stated there.
        arguments: Vec<Expr>,
    },
    /// `printf(format, arguments)`, arguments promoted as C does.
    Printf {
        /// The format, checked against the arguments.
        format: String,
        /// The arguments.
        arguments: Vec<Expr>,
    },
    /// What `halt(status, format, arguments)` tells the user, before it ends the run.
    Explain {
        /// The format, checked against the arguments.
        format: String,
        /// The arguments.
        arguments: Vec<Expr>,
    },
    /// `event("name")`
    Event(String),
    /// `pipe.stall(S, cycles)`: the stage and those before it stand still.
    Stall {
        /// The stage.
        stage: StageId,
        /// For how many cycles, of type `bit[64]`.
        cycles: Box<Expr>,
    },
    /// `pipe.retry()`: the instruction's operations of the stage run again; does not return.
    Retry(PipelineId),
    /// `pipe.flush(S)`: cancels what is in the stage or an earlier one.
    Flush(StageId),
    /// `pipe.busy(S)`: 1 if an instruction is in the stage.
    Busy(StageId),
}

/// The built-in functions, with argument and result types.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Builtin {
    /// `halt(int)`; what it tells of the end is an [`ExprKind::Explain`] before it
    Halt,
    /// `illegal()`
    Illegal,
    /// `cancel()`
    Cancel,
    /// `cycles()`: 64 bits
    Cycles,
    /// `instructions()`: 64 bits
    Instructions,
    /// `extra_cycles(bit[64])`
    ExtraCycles,
    /// `linux_call(nr, a0..a5)`: seven `signed bit[64]`, result `signed bit[64]`; arguments are
    /// extended by their own sign.
    LinuxCall,
    /// `semihost(op, arg)`: two `bit[64]`, result `signed bit[64]`
    Semihost,
    /// `sext(v, n)`: v's low n bits, sign-extended to v's width (n a constant); result signed
    Sext,
    /// `popcount(v)`: `int`
    Popcount,
    /// `clz(v)`: `int`, v's width for 0
    Clz,
    /// `ctz(v)`: `int`, v's width for 0
    Ctz,
    /// `coded_size(group, word)`: `int`, the cells of the word that begins with these bits
    CodedSize(OperationOrGroup),
}

/// Something that can be read and assigned.
#[derive(Debug, Clone, PartialEq)]
pub struct Place {
    /// What it is.
    pub kind: PlaceKind,
    /// Type of its value.
    pub ty: Type,
    /// Where it stands.
    pub span: Span,
}

/// The places.
#[derive(Debug, Clone, PartialEq)]
pub enum PlaceKind {
    /// A variable or parameter.
    Local(LocalId),
    /// A LOCAL of the operation.
    Variable(VariableId),
    /// A register, or an element of a file.
    Register {
        /// The register.
        register: RegisterId,
        /// The element.
        index: Option<Box<Expr>>,
    },
    /// Cells of a map.
    Memory {
        /// The map.
        map: MapId,
        /// Cells joined; 1 for `map[a]`.
        cells: u32,
        /// True for `.fetchN`.
        fetch: bool,
        /// The address in cells, of type `bit[address_bits]`.
        address: Box<Expr>,
    },
    /// The EXPRESSION of what an instance chose.
    Operand(InstanceId),
    /// What a REFERENCE names; a place only where the operation's reference says so.
    Reference(ReferenceId),
    /// Bits of a place.
    Slice {
        /// The place.
        base: Box<Place>,
        /// Most significant bit.
        high: u32,
        /// Least significant bit.
        low: u32,
    },
    /// One bit of a place at a computed index; a write beyond the width is ignored.
    Bit {
        /// The place.
        base: Box<Place>,
        /// The index.
        index: Box<Expr>,
    },
    /// Parts from most to least significant.
    Concat(Vec<Place>),
    /// `c ? p : q`
    Conditional(Box<Expr>, Box<Place>, Box<Place>),
    /// A value that a FUNCTION writes: all of an EXPRESSION, and nothing else.
    Written {
        /// What a read evaluates.
        value: Box<Expr>,
        /// What a write calls.
        writer: FunctionId,
        /// What it takes before the value that is written, of the parameters' types; evaluated where
        /// the place is found.
        arguments: Vec<Expr>,
    },
}
