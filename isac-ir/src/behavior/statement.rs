//! Statements: everything that has an effect, in the order in which the language demands it.

use serde::{Deserialize, Serialize};

use super::expression::Expr;
use super::printf::PrintPart;
use super::{AccessId, BindingId, InstanceId, LocalId, PointId, ReferenceId, RegionId, VariableId};
use crate::root::WordSource;
use crate::time::StageId;

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
        /// Index into [`mentions`](super::Body::mentions).
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
        /// Index into [`bindings`](super::Body::bindings).
        binding: BindingId,
        /// Index into [`mentions`](super::Body::mentions); `None` for what a reference stands for.
        mention: Option<u32>,
    },
    /// Assigns to a place that has been found.
    SetBound {
        /// Index into [`bindings`](super::Body::bindings).
        binding: BindingId,
        /// Index into [`mentions`](super::Body::mentions); `None` for what a reference stands for.
        mention: Option<u32>,
        /// The new value, of the place's width.
        value: Expr,
    },
    /// A region begins: it runs once more.
    Count(RegionId),
    /// A point of the description is passed: it does nothing but count. Stands in models that were
    /// lowered for that alone, which the reference engine runs.
    Visit(PointId),
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
    /// A FUNCTION, expanded in place. Of the variables around it its statements use the arguments
    /// and the result alone, of an operation nothing; they leave no label around it.
    Call {
        /// Index into [`crate::Model::functions`].
        function: u32,
        /// The variables that hold its arguments.
        arguments: Vec<LocalId>,
        /// The variable that receives what it returns.
        result: Option<LocalId>,
        /// The statements.
        body: Vec<Stmt>,
    },
    /// Goes on after the loop or block with this label.
    Leave(u32),
    /// Ends the run after this instruction, with this status (32 bits).
    Halt(Expr),
    /// The instruction is abandoned: illegal instruction.
    Illegal,
    /// The memory fault at hand is to end the run (`memory_fault` only).
    Unhandled,
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
        /// The maps whose latency that number comes from, ascending.
        maps: Vec<u32>,
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
    /// Text for the user, on why the run is about to end.
    Explain {
        /// Where the instruction that ends it stands, 64 bits.
        address: Expr,
        /// The text.
        parts: Vec<PrintPart>,
    },
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
            Stmt::Print(parts) => printed_values(parts).collect(),
            Stmt::Explain { address, parts } => {
                std::iter::once(address).chain(printed_values(parts)).collect()
            }
            Stmt::Count(_)
            | Stmt::Visit(_)
            | Stmt::Touch(_)
            | Stmt::Bind { .. }
            | Stmt::Loop { .. }
            | Stmt::Block { .. }
            | Stmt::Call { .. }
            | Stmt::Leave(_)
            | Stmt::Illegal
            | Stmt::Unhandled
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
            Stmt::Loop { body, .. } | Stmt::Block { body, .. } | Stmt::Call { body, .. } => vec![body],
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

/// The values of a text, in order.
fn printed_values(parts: &[PrintPart]) -> impl Iterator<Item = &Expr> {
    parts.iter().filter_map(|part| match part {
        PrintPart::Value { value, .. } => Some(value),
        PrintPart::Text(_) => None,
    })
}
