//! From what the kernel counted to a measurement.

use std::collections::BTreeMap;

use isac_ir::Model;
use isac_ir::account::Times;
use isac_ir::bits::Bits;
use isac_ir::decode::{Decoded, Element};
use isac_ir::root::decode_root;
use sim_profile::{CacheLines, InstructionKey, InstructionRecord, Measurement, Overhead, Word};

use super::core::TimedCore;
use super::flight::Flight;
use super::note::NoteKind;
use super::prediction::Scenes;
use super::record::{Record, Tally};
use super::scene::Configuration;
use super::totals::Totals;
use super::turn::line_counter;
use crate::kernel::Profiling;
use crate::record::{add_accesses, model_tables};

impl<C: TimedCore, P: Profiling> Flight<C, P> {
    /// Everything measured so far.
    pub(super) fn measure(&self, core: &C, scenes: &Scenes<C, P>) -> Measurement {
        let (model, kernel) = (core.model(), core.kernel_ref());
        let mut totals = self.totals.clone();
        self.add_scenes(scenes, &mut totals);
        let mut measurement = Measurement::new(model_tables(model));
        measurement.extra_cycles = kernel.extra_cycles;
        measurement.cycles = kernel.begun_cycles;
        measurement.undecoded_faults = std::mem::take(&mut totals.undecoded_faults);
        measurement.undecoded = totals.undecoded;
        measurement.events = kernel.events.clone();
        for (number, record) in (0u32..).zip(&self.records) {
            let tally = std::mem::take(totals.tally(number));
            let known = self.measure_record(model, record, &tally);
            let is_charged = tally.overhead != Overhead::default();
            let has_run = tally.executed + tally.cancelled + tally.faulted > 0 || is_charged;
            measurement.instructions.extend(known.filter(|_| has_run));
            self.measure_lines(record, &tally, &mut measurement);
        }
        for ((address, cache), lines) in &totals.lines {
            measurement.add_lines(*address, *cache, *lines);
        }
        self.measure_cycles(&totals, &mut measurement);
        self.measure_in_flight(model, &mut measurement);
        self.measure_jumps(&totals, &mut measurement);
        measurement
    }

    /// What is in flight.
    pub(super) fn in_flight(&self) -> &Configuration {
        match &self.left {
            Some(configuration) => configuration,
            None => {
                let number = self.plots[self.next as usize].configuration;
                &self.configurations[number as usize].configuration
            }
        }
    }

    fn measure_lines(&self, record: &Record<C, P>, tally: &Tally, measurement: &mut Measurement) {
        let address = Some(record.address);
        for (cache, lines) in &tally.lines {
            measurement.add_lines(address, *cache, *lines);
        }
        for (index, (_, cache)) in C::LINES.iter().enumerate() {
            let hits = tally.counted(line_counter::<C>(index));
            measurement.add_lines(address, *cache, CacheLines { hits, ..CacheLines::default() });
        }
    }

    fn measure_in_flight(&self, model: &Model, measurement: &mut Measurement) {
        for (rank, actor) in (0u32..).zip(&self.in_flight().actors) {
            let address = self.address_of(actor.record, false);
            for (cache, hits) in self.hits_of(actor) {
                measurement.add_lines(address, cache, CacheLines { hits, ..CacheLines::default() });
            }
            let mut overhead = Overhead::default();
            actor.lost.iter().for_each(|cause| overhead.add_lost(self.causes[*cause as usize], 1));
            for note in self.notes.iter().filter(|note| note.rank == rank) {
                match note.kind {
                    NoteKind::Lost(cause, cycles) => overhead.add_lost(self.causes[cause as usize], cycles),
                    NoteKind::Extra(cycles) => overhead.extra_cycles += cycles,
                    NoteKind::Lines(cache, lines) => measurement.add_lines(address, cache, lines),
                    NoteKind::Again(counter, hits) => {
                        let lines = CacheLines { hits, ..CacheLines::default() };
                        let cache = self.cache_of_counter(counter);
                        cache.iter().for_each(|cache| measurement.add_lines(address, *cache, lines));
                    }
                    NoteKind::Doom(_) | NoteKind::Exiting => {}
                }
            }
            let record = &self.records[actor.record as usize];
            let Some((key, known)) = self.measure_record(model, record, &Tally::default()) else {
                measurement.add_overhead(address, &overhead);
                measurement.undecoded += 1;
                continue;
            };
            let entry = measurement.instructions.entry(key).or_insert(known);
            entry.unfinished += 1;
            entry.overhead.add(&overhead);
        }
    }

    fn measure_jumps(&self, totals: &Totals, measurement: &mut Measurement) {
        let mut transfers: BTreeMap<(u64, u64), u64> = BTreeMap::new();
        let address = |number: u32| self.records[number as usize].address;
        for ((from, to), times) in &totals.jumps {
            *transfers.entry((address(*from), address(*to))).or_default() += times;
        }
        for (from, to) in self.early_jumps(self.in_flight()) {
            *transfers.entry((address(from), address(to))).or_default() += 1;
        }
        measurement.transfers = transfers;
    }

    /// The key of a record's instruction and its figures by a tally; `None` for what is not decoded.
    fn measure_record(
        &self,
        model: &Model,
        record: &Record<C, P>,
        tally: &Tally,
    ) -> Option<(InstructionKey, InstructionRecord)> {
        let (decoded, bytes) = self.decode_again(model, record)?;
        let mut known = InstructionRecord {
            name: decoded.name(model),
            size_cells: record.size_cells,
            executed: tally.executed,
            cancelled: tally.cancelled,
            faulted: tally.faulted,
            overhead: tally.overhead.clone(),
            ..InstructionRecord::default()
        };
        let account = self.schedule().account(model, record.variant, &decoded);
        for access in &account.accesses {
            let times = match access.times {
                Times::Executed => known.executed,
                Times::Counter(counter) => account.times(counter, &|counter| tally.counted(counter)),
            };
            if times > 0 {
                let entry = known.accesses.entry((access.node, access.resource)).or_default();
                add_accesses(entry, access.kind, times);
            }
        }
        let word = Word::new(&bytes).unwrap_or_default();
        Some((InstructionKey { address: record.address, word }, known))
    }

    /// The decoding tree of a record's instruction, and the bytes of its word.
    pub(super) fn decode_again(&self, model: &Model, record: &Record<C, P>) -> Option<(Decoded, Vec<u8>)> {
        if !record.is_decoded() {
            return None;
        }
        let decoding = self.schedule().decoding;
        let element = Element {
            instance: decoding.instance,
            element: 0,
            decoder: decoding.decoder,
            word: Bits::from_u128(record.word.into()),
            width_bits: C::WORD_BITS,
        };
        let root = decode_root(model, decoding.operation, &[element])?;
        let bytes = root.bytes(model);
        Some((root.decoded, bytes))
    }
}
