//! What happened in each cycle: who ran, who waited, what is still to come.
//!
//! Events tell what a profile needs; a trace tells what somebody needs who looks at the pipeline.
//! An engine that traces tells of each cycle when it is over, in the words of the timing rules:
//! they, and not the engine, say what has to stand here.

mod diagram;
mod kanata;
mod label;
mod place;
mod view;
mod window;

use isac_ir::Model;
use isac_ir::operation::Target;
use isac_ir::time::{Cause, StageId};
use sim_profile::{PipelineView, Word};

pub use diagram::{Diagram, WIDEST_DIAGRAM};
pub use kanata::KanataWriter;
pub use view::ViewRecorder;
pub use window::{CycleWindow, parse_window};

use crate::fault::{Fault, FaultKind};

/// Whoever wants to know what happens in each cycle.
pub trait TraceSink {
    /// Takes the cycle that is over.
    fn cycle(&mut self, cycle: &CycleTrace);

    /// True if it wants to know of a cycle, by its number; of others it may be told nothing, which
    /// saves the engine much. Asked when the cycle begins.
    fn listens_to(&self, _cycle: u64) -> bool {
        true
    }

    /// What it keeps for the profile, if anything.
    fn view(&self) -> Option<PipelineView> {
        None
    }
}

/// All that happened in one cycle. Instructions go by their ID: they count from 1 on in the order
/// of beginning.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CycleTrace {
    /// Its number: cycles count from 1, extra cycles left out.
    pub number: u64,
    /// Where nobody has listened before: the instructions that were in flight when it began.
    pub in_flight: Option<Vec<InFlightTrace>>,
    /// Extra cycles that were asked for in it; for the first cycle those of `reset`, too.
    pub extra_cycles: u64,
    /// Whether `main` began an instruction.
    pub main: MainTrace,
    /// What ran, in order; the first is `main` where it began an instruction.
    pub runs: Vec<RunTrace>,
    /// Instructions that were decoded, in order.
    pub decoded: Vec<DecodedTrace>,
    /// What was due and has not run, for a retry put it back, in order.
    pub put_back: Vec<Waiting>,
    /// What was scheduled by instructions that others cancelled, when they did.
    pub flushed: Vec<Waiting>,
    /// What moved on by a cycle because its instruction stood, in running order; cycles are told
    /// as they were before.
    pub held: Vec<Waiting>,
    /// What is scheduled at the end of the cycle, in running order.
    pub pending: Vec<Waiting>,
    /// Instructions that ended, in order.
    pub ended: Vec<u64>,
    /// Instructions that were cancelled, in order.
    pub cancelled: Vec<u64>,
    /// Instructions whose fault struck, in order. The last one has ended the run, if this is its
    /// last cycle and there is no `halt`.
    pub faulted: Vec<(u64, Fault)>,
    /// The status with which this cycle ended the run.
    pub halt: Option<i32>,
}

/// Whether `main` began an instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MainTrace {
    /// It did not, for the run was over before.
    #[default]
    Over,
    /// It began the instruction with this ID.
    Began(u64),
    /// It did not, for the first stage stood.
    Stands(StageId),
    /// It did not, for this was due in the first stage.
    Waits(Activation),
}

/// What was or will be taken from a queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Activation {
    /// Its instruction.
    pub id: u64,
    /// The stage that it is bound to.
    pub stage: Option<StageId>,
    /// What it is.
    pub activity: Activity,
}

/// What an activation brings about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Activity {
    /// An instance is executed.
    Instance {
        /// Its node in the time graph.
        time_node: u32,
        /// The operation that was chosen by decoding, if it was decoded.
        chosen: Option<u32>,
    },
    /// Nothing is: a fault is on its way to the last stage.
    Fault(FaultKind),
}

/// Something that ran.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunTrace {
    /// What it was.
    pub activation: Activation,
    /// Address of its instruction, as far as it was known then: the program counter before it is
    /// decoded.
    pub address: u64,
    /// What it did to time, in order.
    pub acts: Vec<Act>,
}

/// What an operation did to time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Act {
    /// A stage stands from the next cycle on.
    Stall {
        /// The stage.
        stage: StageId,
        /// For how many cycles it was asked to; above 0.
        cycles: u64,
    },
    /// Instructions were cancelled.
    Flush {
        /// They were in this stage or before it.
        stage: StageId,
        /// Their IDs, ascending.
        cancelled: Vec<u64>,
    },
    /// It waits for the next cycle.
    Retry,
    /// It cancelled its own instruction.
    Cancel,
    /// It ended the run.
    Halt,
    /// A fault was found. If it did not strike at once, it is on its way.
    Fault,
}

/// Something scheduled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Waiting {
    /// What.
    pub activation: Activation,
    /// Cycles until it is due; 0 if that is the cycle that is told of.
    pub cycles: u64,
}

/// An instruction that was in flight.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InFlightTrace {
    /// Its ID.
    pub id: u64,
    /// Its address; before it is decoded, the program counter as it began.
    pub address: u64,
    /// What it was decoded as, if it was.
    pub decoded: Option<DecodedTrace>,
}

/// An instruction that was decoded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DecodedTrace {
    /// Its ID.
    pub id: u64,
    /// Address of its first cell.
    pub address: u64,
    /// All its words.
    pub word: Word,
    /// Its decode path.
    pub name: String,
    /// What it is written as, if that is one word with a text.
    pub text: Option<String>,
}

impl Activation {
    /// What people call it: the alias of what is scheduled; the operation that was chosen, where
    /// decoding schedules it; `fault`.
    pub fn name<'m>(&self, model: &'m Model) -> &'m str {
        let (time_node, chosen) = match self.activity {
            Activity::Instance { time_node, chosen } => (time_node, chosen),
            Activity::Fault(_) => return "fault",
        };
        let node = &model.time.nodes[time_node as usize];
        let parent = node.parent.map(|parent| model.time.nodes[parent as usize].target);
        match (node.cause, chosen, parent, node.instance) {
            (Cause::Bound { .. }, Some(operation), ..) => &model.operation(operation).name,
            (_, _, Some(Target::Operation(parent)), Some(instance)) => {
                &model.operation(parent).instances[instance as usize].alias
            }
            _ => model.target_name(node.target),
        }
    }
}
