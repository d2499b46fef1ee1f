//! What is known of instructions, once for each address and word.

use isac_ir::bits::mask;

use super::core::TimedCore;
use super::flight::{Flight, TurnAt};
use super::note::NoteKind;
use super::record::{Record, RecordKind};
use super::turn::line_counter;
use crate::kernel::Profiling;

impl<C: TimedCore, P: Profiling> Flight<C, P> {
    /// The record of an instruction that begins at an address.
    pub(super) fn begun(&mut self, address: u64) -> u32 {
        self.record((address, RecordKind::Begun, 0), |_| Record::new(address, RecordKind::Begun))
    }

    /// A turn decodes something else than its scene says; the record is that of a word which cannot be
    /// decoded, if it cannot.
    #[inline(never)]
    pub(super) fn decode_elsewhere(&mut self, at: TurnAt, address: u64, word: u64) -> u32 {
        let key = (address, RecordKind::Decoded, word);
        if let Some(number) = self.known.get(&key) {
            return self.decode_as(at, *number);
        }
        let Some(decoded) = C::decode::<P>(word) else { return self.undecoded(at, address) };
        let number = self.record(key, |flight| Record {
            word,
            class: flight.schedule().forms[decoded.variant as usize].class,
            size_cells: flight.size_cells,
            turns: decoded.turns,
            args: decoded.args,
            variant: decoded.variant,
            ..Record::new(address, RecordKind::Decoded)
        });
        self.decode_as(at, number)
    }

    /// A turn cannot fetch or decode the word at an address.
    #[cold]
    #[inline(never)]
    pub(super) fn undecoded(&mut self, at: TurnAt, address: u64) -> u32 {
        let key = (address, RecordKind::Undecoded, 0);
        let number = self.record(key, |_| Record::new(address, RecordKind::Undecoded));
        self.decode_as(at, number)
    }

    /// The instruction of a turn is that of a record, which its scene does not say.
    fn decode_as(&mut self, at: TurnAt, number: u32) -> u32 {
        self.forget_counts(at, number);
        number
    }

    #[inline(always)]
    pub(super) fn is_decoded(&self, record: u32) -> bool {
        self.records.get(record as usize).is_some_and(Record::is_decoded)
    }

    /// The record of a key: address, kind and word.
    fn record(&mut self, key: (u64, RecordKind, u64), make: impl FnOnce(&Self) -> Record<C, P>) -> u32 {
        if let Some(number) = self.known.get(&key) {
            return *number;
        }
        let record = make(self);
        let number = self.records.len() as u32;
        self.records.push(record);
        self.known.insert(key, number);
        number
    }

    /// What the instruction of a turn did as another one before, below its CODINGROOT,
    /// does not count.
    pub(super) fn forget_counts(&mut self, at: TurnAt, number: u32) {
        let TurnAt { position, record: former } = at;
        if former == number || !self.is_decoded(former) || self.notes.is_empty() {
            return;
        }
        let (rank, kept) = (self.rank_at(position), self.kept_counters());
        self.notes.retain(|note| match note.kind {
            NoteKind::Again(counter, _) => note.rank != rank || kept >> counter & 1 == 1,
            _ => true,
        });
    }

    /// The counters that go on counting when another word is decoded: of what runs before, and of lines
    /// of caches.
    pub(super) fn kept_counters(&self) -> u128 {
        let lines = (0..C::LINES.len()).fold(0, |lines, index| lines | 1 << line_counter::<C>(index));
        mask(self.schedule().counters_before) | lines
    }
}
