//! From what the kernel counted to a measurement.

use std::collections::BTreeMap;

use isac_ir::Model;
use isac_ir::account::Times;
use isac_ir::bits::Bits;
use isac_ir::decode::{Decoded, Element};
use isac_ir::root::decode_root;
use sim_profile::{CacheLines, InstructionKey, InstructionRecord, Measurement, Word};

use super::core::TimedCore;
use super::flight::Flight;
use super::record::Record;
use super::turn::line_counter;
use crate::kernel::Profiling;
use crate::record::{add_accesses, model_tables};

impl<C: TimedCore, P: Profiling> Flight<C, P> {
    /// Everything measured so far.
    pub(super) fn measure(&self, core: &C) -> Measurement {
        let (model, kernel) = (core.model(), core.kernel_ref());
        let mut measurement = Measurement::new(model_tables(model));
        measurement.extra_cycles = kernel.extra_cycles;
        measurement.cycles = self.cycles;
        measurement.undecoded_faults = self.undecoded_faults.clone();
        measurement.undecoded = self.undecoded;
        measurement.events = kernel.events.clone();
        let mut keys: Vec<Option<InstructionKey>> = Vec::new();
        for (number, record) in self.records.iter().enumerate() {
            let known = (number > 0).then(|| self.measure_record(model, record)).flatten();
            keys.push(known.as_ref().map(|(key, _)| *key));
            let tally = &record.tally;
            let has_run = tally.executed() + tally.cancelled + tally.faulted > 0;
            measurement.instructions.extend(known.filter(|_| has_run));
        }
        self.add_transfers(&mut measurement);
        self.add_lines_to(&mut measurement);
        self.measure_cycles(&mut measurement);
        for slot in self.in_flight() {
            let key = keys.get(slot.record as usize).copied().flatten();
            let Some(key) = key else {
                measurement.add_overhead(self.undecoded_address(slot), &slot.overhead);
                measurement.undecoded += 1;
                continue;
            };
            let record = &self.records[slot.record as usize];
            let known = self.measure_record(model, record).map(|(_, known)| known).unwrap_or_default();
            let entry = measurement.instructions.entry(key).or_insert(known);
            entry.unfinished += 1;
            entry.overhead.add(&slot.overhead);
        }
        measurement
    }

    fn add_lines_to(&self, measurement: &mut Measurement) {
        for ((address, cache), lines) in &self.lines {
            measurement.add_lines(*address, *cache, *lines);
        }
        for record in &self.records {
            let address = Some(record.address);
            for (cache, lines) in &record.tally.lines {
                measurement.add_lines(address, *cache, *lines);
            }
            for (index, (_, cache)) in C::LINES.iter().enumerate() {
                let hits = record.tally.counted(line_counter(index));
                measurement.add_lines(address, *cache, CacheLines { hits, ..CacheLines::default() });
            }
        }
        for slot in self.in_flight() {
            let (address, lines) = self.lines_of(slot, false);
            for (cache, lines) in lines {
                measurement.add_lines(address, cache, lines);
            }
        }
    }

    fn add_transfers(&self, measurement: &mut Measurement) {
        let mut transfers: BTreeMap<(u64, u64), u64> = BTreeMap::new();
        let address = |number: u32| self.records[number as usize].address;
        for record in &self.records {
            for (from, times) in record.tally.jumps() {
                *transfers.entry((address(*from), record.address)).or_default() += times;
            }
        }
        for (from, to) in self.early_jumps() {
            *transfers.entry((address(from), address(to))).or_default() += 1;
        }
        measurement.transfers = transfers;
    }

    /// The key of a record's instruction and its figures; `None` for what is not decoded.
    fn measure_record(
        &self,
        model: &Model,
        record: &Record<C, P>,
    ) -> Option<(InstructionKey, InstructionRecord)> {
        let (decoded, bytes) = self.decode_again(model, record)?;
        let tally = &record.tally;
        let mut known = InstructionRecord {
            name: decoded.name(model),
            size_cells: record.size_cells,
            executed: tally.executed(),
            cancelled: tally.cancelled,
            faulted: tally.faulted,
            overhead: tally.overhead.clone(),
            ..InstructionRecord::default()
        };
        for access in self.schedule().account(model, record.variant, &decoded) {
            let times = match access.times {
                Times::Executed => known.executed,
                Times::Counter(counter) => tally.counted(counter),
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
    fn decode_again(&self, model: &Model, record: &Record<C, P>) -> Option<(Decoded, Vec<u8>)> {
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
