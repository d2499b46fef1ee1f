//! What `gdbstub` has to know of a processor beforehand: as good as nothing.

use std::num::NonZeroUsize;

use gdbstub::arch::{Arch, RegId, Registers};

/// Whatever the model is.
pub(super) enum AnyArch {}

impl Arch for AnyArch {
    type Usize = u64;
    type Registers = AllRegisters;
    type BreakpointKind = usize;
    type RegId = RegisterNumber;
}

/// The bytes of all registers in gdb's order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct AllRegisters(pub(super) Vec<u8>);

impl Registers for AllRegisters {
    type ProgramCounter = u64;

    fn pc(&self) -> u64 {
        0
    }

    fn gdb_serialize(&self, mut write_byte: impl FnMut(Option<u8>)) {
        self.0.iter().for_each(|byte| write_byte(Some(*byte)));
    }

    fn gdb_deserialize(&mut self, bytes: &[u8]) -> Result<(), ()> {
        self.0 = bytes.to_vec();
        Ok(())
    }
}

/// gdb's number of a register.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RegisterNumber(pub(super) usize);

impl RegId for RegisterNumber {
    fn from_raw_id(id: usize) -> Option<(Self, Option<NonZeroUsize>)> {
        Some((RegisterNumber(id), None))
    }
}
