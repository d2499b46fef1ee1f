//! Statements that tell which values an instruction reads and writes.

use isac_ir::behavior::UNCOUNTED;
use isac_ir::control::operations_around;
use sim_profile::{ValueKind, ValuePlace, Word};
use sim_runtime::memory::CellStore;
use sim_runtime::record::told_operation;

use super::Specialiser;
use super::body::Frame;
use crate::residual::{Kind, Op, Value};

impl<'m, S: CellStore> Specialiser<'m, S> {
    /// A value has been read, or the address that it was read from.
    pub(super) fn note(
        &mut self,
        frame: &Frame<'m>,
        access: u32,
        what: (u32, ValueKind),
        value: &Value,
        ops: &mut Vec<Op>,
    ) {
        if let Some(place) = self.noted_place(frame, access, what) {
            ops.push(Op::Note(place, value.clone()));
        }
    }

    /// What is written, or where to, is to be told once nothing stands in the way any more: the value for the
    /// write, and the statement that comes behind the write, if it is told.
    pub(super) fn note_later(
        &mut self,
        frame: &Frame<'m>,
        access: u32,
        what: (u32, ValueKind),
        value: Value,
        ops: &mut Vec<Op>,
    ) -> (Value, Option<Op>) {
        let Some(place) = self.noted_place(frame, access, what) else { return (value, None) };
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

    /// The number of a place whose values are told: accesses of what is of no instruction, and those that are
    /// not counted, have none.
    fn noted_place(
        &mut self,
        frame: &Frame<'m>,
        access: u32,
        (resource, kind): (u32, ValueKind),
    ) -> Option<u32> {
        if self.noted.is_none() || access == UNCOUNTED {
            return None;
        }
        let decoding = self.decoding.as_ref()?;
        let node = frame.node.unwrap_or(0);
        let running = self.executions.get(frame.execution as usize).map(|execution| execution.operation);
        let is_around = |operation| operations_around(self.model).contains(&operation);
        let operation = told_operation(&decoding.decoded, node, running, is_around)?;
        let word = Word::new(&decoding.bytes(self.model)).unwrap_or_default();
        let place = ValuePlace { address: self.place.address, word, node, operation, resource, kind };
        let noted = self.noted.as_mut()?;
        let known = noted.iter().position(|known| *known == place);
        let number = known.unwrap_or_else(|| {
            noted.push(place);
            noted.len() - 1
        });
        Some(number as u32)
    }
}
