//! Tells the values that instructions read and write.

use isac_ir::behavior::UNCOUNTED;
use isac_ir::operation::Target;
use sim_profile::ValuePlace;

use super::instruction::Instruction;
use super::step::{Frame, Step};

impl Step<'_, '_> {
    /// A value was read, or is about to be written, by what was decoded: accesses of the CODINGROOT
    /// itself, and those that are not counted, have none.
    pub(super) fn note_value(
        &mut self,
        frame: &Frame<'_>,
        access: u32,
        (resource, is_written): (u32, bool),
        value: u128,
    ) {
        if self.values.is_none() || access == UNCOUNTED {
            return;
        }
        let Instruction { address, word, .. } = self.instruction;
        let Some(node) = frame.node.filter(|node| *node > 0) else { return };
        let target = self.tree().and_then(|tree| tree.nodes.get(node as usize)).map(|node| node.target);
        let (Some(Target::Operation(operation)), Some(values)) = (target, &mut self.values) else { return };
        let place = ValuePlace { address, word, node, operation, resource, is_written };
        if self.instruction.fetching.is_some() {
            values.add_early(place, value);
        } else if values.is_chosen(address) {
            values.add(place, value);
        }
    }
}
