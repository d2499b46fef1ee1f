//! What is known of instructions, once for each address and word.

use super::core::TimedCore;
use super::flight::Flight;
use super::note::NoteKind;
use super::record::{Record, RecordKind};
use crate::kernel::Profiling;

impl<C: TimedCore, P: Profiling> Flight<C, P> {
    /// The record of an instruction that begins at an address.
    pub(super) fn begun(&mut self, address: u64) -> u32 {
        self.find_record((address, RecordKind::Begun, 0), |_| Some(Record::new(address, RecordKind::Begun)))
            .unwrap_or_default()
    }

    /// The turn at a position decodes something else than its scene says; the record is that of a
    /// word which cannot be decoded, if it cannot.
    #[inline(never)]
    pub(super) fn decode_elsewhere(
        &mut self,
        (position, former): (u32, u32),
        address: u64,
        word: u64,
    ) -> u32 {
        self.closer = u64::MAX;
        let decoded = self.find_record((address, RecordKind::Decoded, word), |flight| {
            let decoded = C::decode::<P>(word)?;
            Some(Record {
                address,
                word,
                kind: RecordKind::Decoded,
                class: flight.schedule().forms[decoded.variant as usize].class,
                size_cells: flight.size_cells,
                turns: decoded.turns,
                args: decoded.args,
                variant: decoded.variant,
            })
        });
        let number = decoded.or_else(|| {
            self.find_record((address, RecordKind::Undecoded, 0), |_| {
                Some(Record::new(address, RecordKind::Undecoded))
            })
        });
        let number = number.unwrap_or_default();
        self.decoded_now = number;
        if former != number && self.records[former as usize].is_decoded() && !self.notes.is_empty() {
            self.forget_counts(position);
        }
        number
    }

    #[inline(always)]
    pub(super) fn is_decoded(&self, record: u32) -> bool {
        self.records.get(record as usize).is_some_and(Record::is_decoded)
    }

    fn find_record(
        &mut self,
        key: (u64, RecordKind, u64),
        make: impl FnOnce(&Self) -> Option<Record<C, P>>,
    ) -> Option<u32> {
        if let Some(number) = self.known.get(&key) {
            return Some(*number);
        }
        let record = make(self)?;
        let number = self.records.len() as u32;
        self.records.push(record);
        self.known.insert(key, number);
        Some(number)
    }

    /// What the instruction did as another one before, below its CODINGROOT, does not count.
    fn forget_counts(&mut self, position: u32) {
        let (rank, before) = (self.rank_at(position), self.schedule().counters_before);
        self.notes.retain(|note| match note.kind {
            NoteKind::Again(counter, _) => note.rank != rank || counter < before,
            _ => true,
        });
    }
}
