//! Tells the values that instructions read and write.

use isac_ir::behavior::UNCOUNTED;
use sim_profile::{ValueKind, ValuePlace};

use super::instruction::Instruction;
use super::step::{Frame, Step};

impl Step<'_, '_> {
    /// A value was read, or is about to be written, by what was decoded, or activated by that: accesses that
    /// are not counted have none.
    pub(super) fn note_value(
        &mut self,
        frame: &Frame<'_>,
        access: u32,
        (resource, kind): (u32, ValueKind),
        value: u128,
    ) {
        if self.values.is_none() || access == UNCOUNTED {
            return;
        }
        let Instruction { address, word, .. } = self.instruction;
        let node = frame.node.unwrap_or(0);
        let running = self.running_operation(frame);
        let Some(values) = &mut self.values else { return };
        let Some(decoded) = self.instruction.tree() else { return };
        let Some(operation) = values.operation_at(decoded, node, running) else { return };
        let place = ValuePlace { address, word, node, operation, resource, kind };
        if self.instruction.fetching.is_some() {
            values.add_early(place, value);
        } else if values.choice().includes(address, decoded) {
            values.add(place, value);
        }
    }

    /// The operation whose statements are carried out; `memory_fault` is of none.
    fn running_operation(&self, frame: &Frame<'_>) -> Option<u32> {
        let number = self.operation_of(frame);
        (number != self.state.model.memory_fault_number()).then_some(number)
    }
}
