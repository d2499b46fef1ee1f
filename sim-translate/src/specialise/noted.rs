//! Statements that tell which values an instruction reads and writes.

use isac_ir::behavior::UNCOUNTED;
use isac_ir::operation::Target;
use sim_profile::{ValuePlace, Word};
use sim_runtime::memory::CellStore;

use super::Specialiser;
use super::body::Frame;
use crate::residual::{Kind, Op, Value};

impl<'m, S: CellStore> Specialiser<'m, S> {
    /// A value has been read.
    pub(super) fn note_read(
        &mut self,
        frame: &Frame<'m>,
        access: u32,
        resource: u32,
        value: Value,
        ops: &mut Vec<Op>,
    ) -> Value {
        if let Some(place) = self.noted_place(frame, access, (resource, false)) {
            ops.push(Op::Note(place, value.clone()));
        }
        value
    }

    /// What is written is to be told once nothing stands in the way any more: the value to write, and the
    /// statement that comes behind the write, if it is told.
    pub(super) fn note_write(
        &mut self,
        frame: &Frame<'m>,
        access: u32,
        resource: u32,
        value: Value,
        ops: &mut Vec<Op>,
    ) -> (Value, Option<Op>) {
        let Some(place) = self.noted_place(frame, access, (resource, true)) else { return (value, None) };
        let value = match value.kind {
            Kind::Const(_) => value,
            // The write may change what it is made of.
            _ => self.held(value, ops),
        };
        let note = Op::Note(place, value.clone());
        (value, Some(note))
    }

    /// The resource that a map is.
    pub(super) fn map_resource(&self, map: u32) -> u32 {
        self.model.registers.len() as u32 + map
    }

    /// The number of a place whose values are told: accesses of the CODINGROOT itself, and those that are not
    /// counted, have none.
    fn noted_place(
        &mut self,
        frame: &Frame<'m>,
        access: u32,
        (resource, is_written): (u32, bool),
    ) -> Option<u32> {
        if self.noted.is_none() || access == UNCOUNTED {
            return None;
        }
        let node = frame.node.filter(|node| *node > 0)?;
        let decoding = self.decoding.as_ref()?;
        let Target::Operation(operation) = decoding.decoded.nodes.get(node as usize)?.target else {
            return None;
        };
        let word = Word::new(&decoding.bytes(self.model)).unwrap_or_default();
        let place = ValuePlace { address: self.place.address, word, node, operation, resource, is_written };
        let noted = self.noted.as_mut()?;
        let known = noted.iter().position(|known| *known == place);
        let number = known.unwrap_or_else(|| {
            noted.push(place);
            noted.len() - 1
        });
        Some(number as u32)
    }
}
