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

/// Cells that the program has read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReadCells {
    /// Index of the map.
    pub map: u32,
    /// Address of the first cell.
    pub address: u64,
    /// How many.
    pub cells: u32,
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
