//! What a generated core is to the kernel, and what the kernel keeps in it.

use std::collections::BTreeMap;
use std::marker::PhantomData;

use isac_ir::Model;

use super::block::Decoded;
use crate::cache::Cache;
use crate::device::{DeviceCells, Devices};
use crate::engine::Machine;
use crate::fault::{AccessKind, FaultKind, Stop, TURNS_UNASKED};
use crate::host::Host;
use crate::memory::CellStore;
use crate::record::PassedCycles;

/// Whether the exact profile is recorded: a type, so that without it nothing of it remains.
pub trait Profiling: 'static {
    /// True if counters are kept.
    const ON: bool;

    /// True if caches and latencies are simulated in a model whose instructions do not overlap; in
    /// all others they always are.
    const COSTS: bool = false;

    /// The same without a profile: what runs between samples.
    type Silent: Profiling;

    /// What is kept of a value: with a profile the value, else nothing.
    type Kept<T: Copy + Default>: Copy;

    /// Keeps a value.
    fn keep<T: Copy + Default>(value: T) -> Self::Kept<T>;

    /// The value, or its default where none is kept.
    fn kept<T: Copy + Default>(kept: Self::Kept<T>) -> T;
}

/// The exact profile is recorded.
#[derive(Debug, Clone, Copy)]
pub struct Profiled;

/// Nothing is recorded.
#[derive(Debug, Clone, Copy)]
pub struct Unprofiled;

impl Profiling for Profiled {
    const ON: bool = true;
    type Silent = Unprofiled;
    type Kept<T: Copy + Default> = T;

    #[inline(always)]
    fn keep<T: Copy + Default>(value: T) -> T {
        value
    }

    #[inline(always)]
    fn kept<T: Copy + Default>(kept: T) -> T {
        kept
    }
}

impl Profiling for Unprofiled {
    const ON: bool = false;
    type Silent = Unprofiled;
    type Kept<T: Copy + Default> = ();

    #[inline(always)]
    fn keep<T: Copy + Default>(_: T) {}

    #[inline(always)]
    fn kept<T: Copy + Default>((): ()) -> T {
        T::default()
    }
}

/// The same with caches and latencies, where a run has to ask for them.
#[derive(Debug, Clone, Copy)]
pub struct WithCosts<P>(PhantomData<P>);

impl<P: Profiling> Profiling for WithCosts<P> {
    const ON: bool = P::ON;
    const COSTS: bool = true;
    type Silent = WithCosts<P::Silent>;
    type Kept<T: Copy + Default> = P::Kept<T>;

    #[inline(always)]
    fn keep<T: Copy + Default>(value: T) -> Self::Kept<T> {
        P::keep(value)
    }

    #[inline(always)]
    fn kept<T: Copy + Default>(kept: Self::Kept<T>) -> T {
        P::kept(kept)
    }
}

/// A generated processor's state.
pub trait Core: Machine + CellStore + Sized + 'static {
    /// The description that it was generated from, as isac-ir.
    fn model(&self) -> &'static isac_ir::Model;

    /// What the kernel keeps.
    fn kernel(&mut self) -> &mut Kernel;

    /// The same, to look at.
    fn kernel_ref(&self) -> &Kernel;

    /// The program counter.
    fn pc(&self) -> u64;

    /// Sets the program counter.
    fn set_pc(&mut self, pc: u64);

    /// Remembers that cells of a memory hold code: a write to them must be noticed.
    fn mark_cells(&mut self, ram: usize, cell: u64, cells: u64);

    /// Forgets all code.
    fn unmark_code(&mut self);

    /// True if a write since the last call has hit cells that hold code.
    fn take_code_written(&mut self) -> bool;

    /// The model's caches, if accesses touch any.
    fn caches(&self) -> &[Cache] {
        &[]
    }

    /// The same, to take what accesses have touched.
    fn caches_mut(&mut self) -> &mut [Cache] {
        &mut []
    }

    /// The cache that the last access to a map went through, if a line of that cache's last access was
    /// absent; known with a profile alone.
    fn missed_cache(&self, _map: u32) -> Option<u32> {
        None
    }

    /// Empties the caches; the seed decides what REPLACEMENT (RANDOM) replaces.
    fn empty_caches(&mut self, _seed: u64) {}

    /// Has a fetch of an instruction's cells by its CODINGROOT touch caches and cost what it does: at
    /// least one cell, from an address on, all of them there. Wherever its cells come from, each
    /// fetch is one.
    fn pay_fetch<P: Profiling>(&mut self, _map: u32, _address: u64, _cells: u32) {}
}

/// A generated processor that is decoded ahead, in blocks: decoder and steps.
pub trait BlockCore: Core {
    /// Packed operands of an instruction.
    type Args: Copy + Default + std::fmt::Debug;

    /// Runs operation `reset`, if the model has one.
    ///
    /// # Errors
    /// The trap that ended it.
    fn reset(&mut self) -> Result<(), Trap>;

    /// Runs what an instruction runs before it is decoded: for one that cannot be.
    ///
    /// # Errors
    /// The trap that ended it before.
    fn before_decoding(&mut self) -> Result<(), Trap>;

    /// Calls `memory_fault` for the memory fault of an instruction, which [`Kernel::trap_value`] and
    /// [`Kernel::fault_access`] tell of: what it ends with; `None` where the model has no such function.
    fn memory_fault(&mut self, _address: u64) -> Option<Result<(), Trap>> {
        None
    }

    /// Decodes the instruction at an address; the state stays as it is.
    ///
    /// # Errors
    /// The fault that executing it would be, when it cannot be fetched or nothing matches it.
    fn decode<P: Profiling>(&self, address: u64) -> Result<Decoded<Self, P>, FaultKind>;

    /// Remembers that cells hold code: a write to them must be noticed.
    fn mark_code(&mut self, address: u64, cells: u64);
}

/// Why the steps came back to the dispatcher.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Leave {
    /// The records at hand are executed and the budget does not allow more.
    #[default]
    RanOut,
    /// The site leads to where it has no link yet, or further than the budget.
    Transfer,
    /// The site's instruction did not end as instructions do.
    Trap(Trap),
    /// The site's instruction has ended and may have written code.
    CodeWritten,
    /// The last check before the sampler's turn was passed; the transfer is counted.
    Check,
}

/// Ways in which a BEHAVIOR ends an instruction. What belongs to it is in [`Kernel::trap_value`]:
/// a trap itself is one byte, so that the way out costs the way on nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trap {
    /// The instruction is abandoned: it is illegal.
    Illegal,
    /// `memory_fault` leaves the fault alone that it was called for.
    Unhandled,
    /// The instruction is abandoned: it divides by zero.
    DivisionByZero,
    /// The instruction is abandoned: a data read of the address in the value.
    Read,
    /// The instruction is abandoned: a data write to the address in the value.
    Write,
    /// The instruction is abandoned: an instruction fetch from the address in the value.
    Fetch,
    /// The instruction is abandoned: it names the register in the value.
    RegisterIndex,
    /// The run ends after this instruction, with the status in the value.
    Halt,
    /// The instruction is cancelled.
    Cancel,
    /// What the instruction ran in this stage runs again in the next cycle.
    Retry,
    /// The run ends in the middle of the instruction, which stays unfinished.
    Interrupt,
}

impl Trap {
    /// The fault that it is, if it is one.
    pub fn fault(self, kernel: &Kernel) -> Option<FaultKind> {
        let value = kernel.trap_value;
        let memory = |access| Some(FaultKind::Memory { access, address: value });
        match self {
            Trap::Illegal => Some(FaultKind::IllegalInstruction),
            Trap::DivisionByZero => Some(FaultKind::DivisionByZero),
            Trap::Read => memory(AccessKind::Read),
            Trap::Write => memory(AccessKind::Write),
            Trap::Fetch => memory(AccessKind::Fetch),
            Trap::RegisterIndex => {
                Some(FaultKind::RegisterIndex { register: kernel.trap_register, index: value })
            }
            Trap::Halt | Trap::Cancel | Trap::Retry | Trap::Interrupt | Trap::Unhandled => None,
        }
    }
}

/// The kernel's part of a core.
#[derive(Default)]
pub struct Kernel {
    /// Why the steps came back.
    pub leave: Leave,
    /// The site that they came back from.
    pub site: u32,
    /// Address of the instruction that trapped.
    pub address: u64,
    /// What belongs to the last trap.
    pub trap_value: u64,
    /// The register file that a [`Trap::RegisterIndex`] was beyond: index into the model's
    /// registers.
    pub trap_register: u32,
    /// What of the budget was left then.
    pub remaining: u64,
    /// What the budget was when the steps were entered.
    pub budget: u64,
    /// Instructions ended before the steps were entered.
    pub instructions: u64,
    /// Instructions cancelled so far, and the cycle that a `halt` ended before anything was decoded.
    pub cancelled: u64,
    /// Instructions abandoned by a fault so far.
    pub faulted: u64,
    /// 1 if the run was interrupted within an instruction.
    pub unfinished: u64,
    /// Extra cycles so far.
    pub extra_cycles: u64,
    /// Of these, those that no instruction has been charged with.
    pub loose_extra_cycles: u64,
    /// Where instructions overlap: cycles begun so far, extra cycles left out; 0 everywhere else.
    pub begun_cycles: u64,
    /// Turns of loops, modulo 2^32.
    pub turns: u32,
    /// Where the instruction that has just run would have gone on, where something beside it, as what takes
    /// interrupts, has sent the run elsewhere.
    pub struck: Option<u64>,
    /// Set by a write that may have hit cells that hold code.
    pub code_written: bool,
    /// What the memory fault at hand tried, as [`crate::AccessKind::number`]; its address is the
    /// trap's value.
    pub fault_access: u8,
    /// Devices.
    pub devices: Devices,
    /// Host services.
    pub host: Host,
    /// The model's own events.
    pub events: BTreeMap<String, u64>,
}

impl Kernel {
    /// The model's `extra_cycles(n)`.
    #[inline]
    pub fn add_extra_cycles(&mut self, cycles: u64) {
        self.extra_cycles = self.extra_cycles.saturating_add(cycles);
        self.loose_extra_cycles = self.loose_extra_cycles.saturating_add(cycles);
    }

    /// What runs beside the instructions has changed the program counter, which held this.
    #[cold]
    pub fn strike(&mut self, next: u64) {
        self.struck.get_or_insert(next);
    }

    /// The extra cycles of whatever has just run.
    #[inline]
    pub fn take_extra_cycles(&mut self) -> u64 {
        std::mem::take(&mut self.loose_extra_cycles)
    }

    /// Instructions ended before the one at hand, `left` being the budget with it included.
    #[inline]
    pub fn instructions_at(&self, left: u64) -> u64 {
        self.instructions + (self.budget - left)
    }

    /// Cycles begun so far, between two instructions.
    pub fn cycles(&self) -> u64 {
        self.cycles_at(self.budget)
    }

    /// Cycles begun before this one.
    #[inline]
    pub fn cycles_at(&self, left: u64) -> u64 {
        if let Some(before) = self.begun_cycles.checked_sub(1) {
            return before.saturating_add(self.extra_cycles);
        }
        let other = self.other_instructions().saturating_add(self.extra_cycles);
        self.instructions_at(left).saturating_add(other)
    }

    /// Cycles begun so far, between two instructions, extra cycles left out.
    pub fn plain_cycles(&self) -> u64 {
        let ended = self.instructions_at(self.budget);
        ended.saturating_add(self.other_instructions())
    }

    /// The same, and extra cycles.
    pub(crate) fn passed_cycles(&self) -> PassedCycles {
        PassedCycles { plain: self.plain_cycles(), extra: self.extra_cycles }
    }

    /// Instructions begun that have not ended as instructions do.
    fn other_instructions(&self) -> u64 {
        self.cancelled + self.faulted + self.unfinished
    }

    /// A turn of a loop begins: now and then somebody is asked whether the run is to end.
    ///
    /// # Errors
    /// The trap that ends it.
    #[inline(always)]
    pub fn turn(&mut self) -> Result<(), Trap> {
        self.turns = self.turns.wrapping_add(1);
        match self.turns % TURNS_UNASKED {
            0 => self.ask(),
            _ => Ok(()),
        }
    }

    #[cold]
    #[inline(never)]
    fn ask(&self) -> Result<(), Trap> {
        if self.host.is_interrupted() { Err(Trap::Interrupt) } else { Ok(()) }
    }

    /// Reads cells of a device, `left` being the budget with this instruction included.
    pub fn read_device(&mut self, model: &Model, left: u64, cells: DeviceCells) -> u128 {
        let cycles = self.cycles_at(left);
        self.devices.read(model, &mut self.host, cycles, cells)
    }

    /// The same as part of a write to other bits of the cells.
    pub fn keep_device(&mut self, model: &Model, left: u64, cells: DeviceCells) -> u128 {
        self.devices.keep(model, self.cycles_at(left), cells)
    }

    /// Writes cells of a device. What ends the run is treated as written code: the engine takes
    /// over behind this instruction.
    pub fn write_device(&mut self, model: &Model, cells: DeviceCells, value: u128) {
        self.devices.write(model, &mut self.host, cells, value);
        self.code_written |= self.devices.exit_status().is_some();
    }

    /// True if a timer's time has come.
    pub fn is_pending(&self, device: usize, left: u64) -> bool {
        self.devices.is_pending(device, self.cycles_at(left))
    }

    /// The end of the run that a device was told of.
    pub fn exit(&self) -> Option<Stop> {
        self.devices.exit_status().map(Stop::Halted)
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

#[cfg(test)]
mod tests {
    use super::Kernel;

    #[test]
    fn extra_cycles_without_end_leave_the_cycles_begun_as_they_are() {
        let kernel = Kernel {
            instructions: 3,
            cancelled: 2,
            faulted: 1,
            extra_cycles: u64::MAX - 1,
            ..Kernel::default()
        };
        assert_eq!((kernel.plain_cycles(), kernel.cycles()), (6, u64::MAX));
    }
}
