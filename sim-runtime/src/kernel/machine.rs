//! What a generated core is to the kernel, and what the kernel keeps in it.

use std::collections::BTreeMap;

use super::block::Decoded;
use crate::engine::Machine;
use crate::fault::FaultKind;
use crate::host::Host;

/// Whether the exact profile is recorded: a type, so that without it nothing of it remains.
pub trait Profiling: 'static {
    /// True if counters are kept.
    const ON: bool;
}

/// The exact profile is recorded.
#[derive(Debug, Clone, Copy)]
pub struct Profiled;

/// Nothing is recorded.
#[derive(Debug, Clone, Copy)]
pub struct Unprofiled;

impl Profiling for Profiled {
    const ON: bool = true;
}

impl Profiling for Unprofiled {
    const ON: bool = false;
}

/// A generated processor: state, decoder, steps.
pub trait Core: Machine + Sized + 'static {
    /// Packed operands of an instruction.
    type Args: Copy + Default + std::fmt::Debug;

    /// The description that it was generated from, as isac-ir.
    fn model(&self) -> &'static isac_ir::Model;

    /// What the kernel keeps.
    fn kernel(&mut self) -> &mut Kernel;

    /// The same, to look at.
    fn kernel_ref(&self) -> &Kernel;

    /// Decodes the instruction at an address; the state stays as it is.
    ///
    /// # Errors
    /// The fault that executing it would be, when it cannot be fetched or nothing matches it.
    fn decode<P: Profiling>(&self, address: u64) -> Result<Decoded<Self, P>, FaultKind>;

    /// The program counter.
    fn pc(&self) -> u64;

    /// Sets the program counter.
    fn set_pc(&mut self, pc: u64);

    /// Remembers that cells hold code: a write to them must be noticed.
    fn mark_code(&mut self, address: u64, cells: u64);

    /// Forgets all code.
    fn unmark_code(&mut self);
}

/// Why the steps came back to the dispatcher.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Leave {
    /// The records at hand are executed and the budget does not allow more.
    #[default]
    RanOut,
    /// A site leads to where it has no link yet, or further than the budget.
    Transfer {
        /// The site.
        site: u32,
    },
    /// The instruction of this site did not end as instructions do.
    Trap {
        /// The site.
        site: u32,
        /// Its address.
        address: u64,
        /// What happened.
        trap: Trap,
    },
    /// The instruction of this site has ended and has written code.
    CodeWritten {
        /// The site.
        site: u32,
    },
}

/// Ways in which a BEHAVIOR ends an instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trap {
    /// The instruction is abandoned.
    Fault(FaultKind),
    /// The run ends after this instruction.
    Halt(i32),
    /// The instruction is cancelled.
    Cancel,
}

/// The kernel's part of a core.
#[derive(Default)]
pub struct Kernel {
    /// Why the steps came back.
    pub leave: Leave,
    /// What of the budget was left then.
    pub remaining: u64,
    /// What the budget was when the steps were entered.
    pub budget: u64,
    /// Instructions ended before the steps were entered.
    pub instructions: u64,
    /// Instructions cancelled so far.
    pub cancelled: u64,
    /// Extra cycles so far.
    pub extra_cycles: u64,
    /// Set by a write to cells that hold code.
    pub code_written: bool,
    /// Host services.
    pub host: Host,
    /// The model's own events.
    pub events: BTreeMap<String, u64>,
}

impl Kernel {
    /// Instructions ended before the one at hand, `left` being the budget with it included.
    #[inline]
    pub fn instructions_at(&self, left: u64) -> u64 {
        self.instructions + (self.budget - left)
    }

    /// Cycles begun before this one.
    #[inline]
    pub fn cycles_at(&self, left: u64) -> u64 {
        let extra = self.cancelled.wrapping_add(self.extra_cycles);
        self.instructions_at(left).wrapping_add(extra)
    }

    /// Counts one of the model's own events.
    pub fn event(&mut self, name: &str) {
        match self.events.get_mut(name) {
            Some(count) => *count += 1,
            None => {
                self.events.insert(name.to_string(), 1);
            }
        }
    }
}
