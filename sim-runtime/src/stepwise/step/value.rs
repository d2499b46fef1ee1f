//! The values that sections read and write.

use sim_profile::{ValueKind, ValuePlace, ValueTable};

use super::super::core::StepCore;
use super::super::instruction::{Context, Instruction};
use super::Step;
use crate::kernel::Profiling;
use crate::record::ValueRecorder;

impl<C: StepCore, P: Profiling> Step<C, P> {
    /// A context has read a value of a resource; gives it.
    #[inline]
    pub fn note_read<T: Copy + Into<u128>>(&mut self, context: usize, resource: u32, value: T) -> T {
        if self.notes_values {
            self.note_value(context, (resource, ValueKind::Read), value.into());
        }
        value
    }

    /// A context has read from an address.
    #[inline]
    pub fn note_read_address(&mut self, context: usize, resource: u32, address: u64) {
        if self.notes_values {
            self.note_value(context, (resource, ValueKind::ReadAddress), address.into());
        }
    }

    /// A context has written to an address.
    #[inline]
    pub fn note_written_address(&mut self, context: usize, resource: u32, address: u64) {
        if self.notes_values {
            self.note_value(context, (resource, ValueKind::WrittenAddress), address.into());
        }
    }

    /// A context has written a value to a resource, or is about to.
    #[inline]
    pub fn note_write(&mut self, context: usize, resource: u32, value: impl Into<u128>) {
        if self.notes_values {
            self.note_value(context, (resource, ValueKind::Written), value.into());
        }
    }

    /// Accesses of what is of no instruction have no values.
    #[cold]
    fn note_value(&mut self, context: usize, (resource, kind): (u32, ValueKind), value: u128) {
        let Instruction { address, word, ref decoded, .. } = *self.instruction;
        let &Context { node, operation, .. } = self.instruction.context(context);
        let (Some(values), Some(decoded)) = (&mut self.values, decoded) else { return };
        let Some(operation) = values.operation_at(decoded, node, Some(operation)) else { return };
        let place = ValuePlace { address, word, node, operation, resource, kind };
        if self.is_decoding {
            values.add_early(place, value);
        } else if values.choice().includes(address, decoded) {
            values.add(place, value);
        }
    }

    /// A CODINGROOT begins.
    pub(super) fn begin_values(&mut self) {
        if self.notes_values {
            self.is_decoding = true;
            self.values.iter_mut().for_each(ValueRecorder::begin_decoding);
        }
    }

    /// The instruction at hand is decoded.
    pub(super) fn finish_values(&mut self) {
        let Instruction { address, word, ref decoded, .. } = *self.instruction;
        if self.notes_values
            && let (Some(values), Some(decoded)) = (&mut self.values, decoded)
        {
            values.finish_decoding(address, word, decoded);
        }
    }

    /// From now on values are counted, as long as the run is.
    pub(crate) fn record_values(&mut self, values: ValueRecorder, is_recording: bool) {
        self.values = Some(values);
        self.set_recording(is_recording);
    }

    /// What runs from now on is counted, or not.
    pub(crate) fn set_recording(&mut self, is_recording: bool) {
        self.notes_values = is_recording && self.values.is_some();
    }

    /// The values so far; `None` if they are not counted.
    pub(crate) fn values(&self) -> Option<&ValueTable> {
        self.values.as_ref().map(ValueRecorder::table)
    }
}
