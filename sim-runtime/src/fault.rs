//! What can be wrong with a simulated program, and how a run can end.

/// How memory was touched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AccessKind {
    /// A data read; needs flag R.
    Read,
    /// A data write; needs flag W.
    Write,
    /// An instruction fetch; needs flag X.
    Fetch,
}

impl AccessKind {
    /// The number by which a model knows it: 0 a read, 1 a write, 2 a fetch.
    pub fn number(self) -> u8 {
        match self {
            AccessKind::Read => 0,
            AccessKind::Write => 1,
            AccessKind::Fetch => 2,
        }
    }
}

/// Why an instruction was abandoned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FaultKind {
    /// No operation has this coding, or the model called `illegal()`.
    IllegalInstruction,
    /// An access outside every RANGE, across the end of one, or without its flag.
    Memory {
        /// What was tried.
        access: AccessKind,
        /// The first address touched, in cells of the map.
        address: u64,
    },
    /// Division or remainder by zero.
    DivisionByZero,
    /// An element of a register file that does not exist.
    RegisterIndex {
        /// The file: index into the model's registers.
        register: u32,
        /// The index.
        index: u64,
    },
}

/// A fault of the simulated program: the instruction is abandoned, the simulation stops.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fault {
    /// What was wrong.
    pub kind: FaultKind,
    /// Address of the faulting instruction.
    pub instruction_address: u64,
    /// The cycle in which it struck, counted from 0: cycles begun before it, extra cycles included.
    pub cycle: u64,
}

/// Why [`crate::Engine::run`] came back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// As many instructions as allowed have ended; the run can go on.
    Budget,
    /// The run can go on: it is at an address of [`crate::Engine::pause_at`], or the engine rather comes
    /// back here than at the end of what is allowed. Where instructions overlap, as many of them as allowed
    /// have ended, or as many cycles have begun.
    Paused {
        /// How many instructions have ended or were cancelled.
        taken: u64,
        /// The run has come to an address of [`crate::Engine::pause_at`].
        is_at_address: bool,
    },
    /// The guest ended itself with this status.
    Halted(i32),
    /// The guest is at fault.
    Fault(Fault),
    /// The run is to end, and a loop of the description was going on: in an instruction, which
    /// counts as unfinished, in `memory_fault` or in `reset`. The engine does not go on.
    Interrupted,
}

/// After so many turns of loops an engine asks whether the run is to end, or whether it is to come back.
pub(crate) const TURNS_UNASKED: u32 = 1 << 10;
