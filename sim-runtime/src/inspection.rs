//! What an engine shows and keeps for a debugger, beside what every run needs.

use std::any::Any;
use std::fmt;
use std::rc::Rc;

use crate::trace::{InFlightTrace, Waiting};

/// What is in flight between two cycles.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Flying {
    /// Instructions that have begun and are not over, the oldest first.
    pub instructions: Vec<InFlightTrace>,
    /// What is scheduled, in running order; it is due in so many cycles, 1 being the next.
    pub pending: Vec<Waiting>,
    /// For each stage of all pipelines that stands, its number and for how many cycles to come.
    pub standing: Vec<(u32, u64)>,
}

/// Cells that the program has read or written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TouchedCells {
    /// Index of the map.
    pub map: u32,
    /// Address of the first cell.
    pub address: u64,
    /// How many.
    pub cells: u32,
    /// Whether they were written, be it with what they held.
    pub is_write: bool,
}

/// What an engine does with the statements of a description that a run passes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Follow {
    /// Nothing, as a plain run.
    #[default]
    Nothing,
    /// Lists them. A cycle that passes a million of them is left there, as if it was interrupted: it need
    /// not end.
    List,
    /// Runs up to before one of them and stands there, within a cycle.
    Until {
        /// How many are passed before it.
        index: usize,
        /// Whether operands are evaluated, which may change what else is seen.
        with_operands: bool,
    },
}

/// A statement that was passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PassedStatement {
    /// Its number in the model that is followed.
    pub statement: u32,
    /// The turn of an instruction that passed it.
    pub turn: u64,
    /// How many EXPRESSIONs were around it, each mentioned by the next.
    pub nesting: u32,
}

/// A run that stands within a cycle, before a statement.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Within {
    /// ID of the instruction.
    pub id: u64,
    /// Its address.
    pub address: u64,
    /// The bodies that are being run, the innermost first; each other one mentions an operand.
    pub bodies: Vec<RunningBody>,
}

/// A body that is being run, with all that it sees.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RunningBody {
    /// The statement at hand.
    pub statement: u32,
    /// Index of the operation that it is of; `None` outside of all.
    pub operation: Option<u32>,
    /// The body's locals, by number.
    pub locals: Vec<u128>,
    /// The operation's LOCALs, by number.
    pub variables: Vec<u128>,
    /// Its fields, by number; `None` before it is decoded.
    pub fields: Vec<Option<u128>>,
    /// What its instances chose, by number, where that has an EXPRESSION.
    pub operands: Vec<Option<Operand>>,
    /// What its REFERENCEs stand for, by number.
    pub references: Vec<Option<u128>>,
}

/// An operand that was chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Operand {
    /// Index of the operation.
    pub operation: u32,
    /// Its value; `None` if to read it is a fault.
    pub value: Option<u128>,
}

/// The whole state of an engine at some time of a run, its profile included. Two of one engine share
/// the memory that is the same.
#[derive(Clone)]
pub struct SavedEngine(Rc<dyn Any>);

impl SavedEngine {
    /// Keeps what an engine alone understands.
    pub fn new(state: impl Any) -> SavedEngine {
        SavedEngine(Rc::new(state))
    }

    /// What was kept, if it is of that kind.
    pub fn get<T: Any>(&self) -> Option<&T> {
        self.0.downcast_ref()
    }
}

impl fmt::Debug for SavedEngine {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("SavedEngine")
    }
}
