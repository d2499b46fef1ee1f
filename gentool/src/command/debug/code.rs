//! Instructions as they stand in memory.

use gentool::disassembler::{Disassembler, Instruction};
use isac_ir::Model;
use isac_ir::bits::Bits;
use isac_ir::operation::Target;
use sim_debug::AddressSpace;
use sim_runtime::Machine;

/// Most bytes of an instruction.
const MOST_BYTES: u64 = 64;

/// Reads instructions from the memory of a run.
pub(super) struct Code<'m> {
    model: &'m Model,
    disassembler: Option<Disassembler<'m>>,
}

impl<'m> Code<'m> {
    pub(super) fn new(model: &'m Model) -> Code<'m> {
        Code { model, disassembler: Disassembler::new(model) }
    }

    /// True if all instructions are found in memory: there is one CODINGROOT, and one word that it decodes.
    pub(super) fn is_all_found(&self) -> bool {
        let roots = self.model.operations.iter().filter(|operation| operation.root.is_some());
        self.disassembler.is_some() && roots.count() == 1
    }

    /// The instruction at an address; `None` if there is none, or if the model's have no text.
    pub(super) fn instruction(
        &self,
        space: &AddressSpace,
        machine: &dyn Machine,
        address: u64,
    ) -> Option<Instruction> {
        self.disassembler.as_ref()?.instruction(&self.cells(space, machine, address), address)
    }

    /// True if the instruction at an address is decoded by way of an operation.
    pub(super) fn has_operation(
        &self,
        space: &AddressSpace,
        machine: &dyn Machine,
        address: u64,
        operation: u32,
    ) -> bool {
        let cells = || self.cells(space, machine, address);
        let found = self.disassembler.as_ref().and_then(|disassembler| disassembler.words(&cells()));
        found.is_some_and(|element| {
            element.nodes.iter().any(|node| node.target == Target::Operation(operation))
        })
    }

    /// Cells from an address on, as far as there is memory.
    fn cells(&self, space: &AddressSpace, machine: &dyn Machine, address: u64) -> Vec<Bits> {
        let size = space.code_cell_bytes();
        let first = space.of_code(address);
        let count = (MOST_BYTES / size).max(1);
        let cell = |index: u64| {
            let mut bytes = vec![0; size as usize];
            let place = first.checked_add(index * size)?;
            machine.read_bytes(space.code_map(), place, &mut bytes).ok()?;
            if !self.model.target.big_endian {
                bytes.reverse();
            }
            Some(Bits::from_be_bytes(&bytes))
        };
        (0..count).map_while(cell).collect()
    }
}
