//! How a run goes on, which way, and why it stops.

use sim_runtime::Stop;

use crate::point::WatchKind;

/// How a run goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum How {
    /// To the next instruction.
    Step,
    /// To the next instruction outside of these addresses: first, and first behind.
    StepRange(u64, u64),
    /// To the next cycle.
    StepCycle,
    /// Until something stops it.
    Continue,
    /// Until so many instructions have ended, be that before or behind.
    GoTo(u64),
    /// To the next statement of the description, into FUNCTIONs and EXPRESSIONs.
    Statement,
    /// To the next statement that is no deeper.
    Over,
    /// To the next statement outside of the FUNCTION or EXPRESSION at hand, or of another section.
    Out,
}

/// Which way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// On.
    Forward,
    /// Back.
    Backward,
}

/// Why a run has stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stopped {
    /// The program is about to begin.
    AtStart,
    /// A step is done, or the number of instructions is reached.
    Stepped,
    /// A breakpoint is here.
    Breakpoint,
    /// An instruction is about to begin for which an [`Asker`](crate::Asker) says so.
    Instruction,
    /// A watched place was written or read: what it is known by, and what it is watched for.
    Watch(u64, WatchKind),
    /// The next statement of the description is reached.
    Statement,
    /// A statement that is stopped at is next.
    Line,
    /// A stage has begun to stand: its number among those of all pipelines.
    Stall(u32),
    /// Somebody has asked.
    Asked,
    /// The run cannot be taken back any further.
    AtBeginning,
    /// The program is over, or at fault.
    Ended(Stop),
}
