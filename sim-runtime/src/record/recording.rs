//! What an engine counted, by static instruction.

use std::collections::BTreeMap;

use isac_ir::Model;
use isac_ir::account::{Times, account_instruction};
use isac_ir::behavior::AccessKind;
use isac_ir::bits::Bits;
use isac_ir::control::{Control, ControlCache, control_of};
use isac_ir::decode::{Decoded, Element};
use isac_ir::root::{RootDecoding, decode_root, root_elements};
use sim_profile::{AccessEvent, Accesses, InstructionKey, InstructionRecord, Measurement, Overhead, Word};

use super::model_tables;

/// A static instruction: where it stands and what was decoded there.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct StaticKey {
    /// Address in cells.
    pub address: u64,
    /// The words of the elements that were decoded, in that order.
    pub words: Vec<RecordedWord>,
}

/// The word of an element of a CODINGROOT.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct RecordedWord {
    /// Its number in the CODINGROOT.
    pub element: u32,
    /// All its cells, joined in the target's byte order.
    pub word: Bits,
    /// How many bits they are.
    pub width_bits: u32,
}

/// What became of a static instruction.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StaticInstruction {
    /// Executions that ended.
    pub executed: u64,
    /// Executions that were cancelled.
    pub cancelled: u64,
    /// Executions that were abandoned by a fault.
    pub faulted: u64,
    /// Extra cycles, whatever became of it.
    pub extra_cycles: u64,
    /// Executions in which the run ended.
    pub unfinished: u64,
    /// How often each conditional region ran in executions that ended, numbered as
    /// [`isac_ir::account`] does; shorter than that means zeros.
    pub counters: Vec<u64>,
    /// Nodes of its decoding tree that one of the executions has not come to: the one that ended the run.
    pub unreached: Vec<u32>,
}

/// What an engine counted: grows with the program's size, not with the run's length.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Recording {
    /// By address and words.
    pub instructions: BTreeMap<StaticKey, StaticInstruction>,
    /// Control transfers: from, to, how often.
    pub transfers: BTreeMap<(u64, u64), u64>,
    /// Cycles begun, extra cycles not included.
    pub cycles: u64,
    /// Extra cycles.
    pub extra_cycles: u64,
    /// Cycles in which nothing was decoded, but for those at fault.
    pub undecoded: u64,
    /// Faults before anything was decoded, by instruction address.
    pub undecoded_faults: BTreeMap<u64, u64>,
    /// Extra cycles before anything was decoded, by instruction address; `None` for operation
    /// `reset`.
    pub undecoded_extra_cycles: BTreeMap<Option<u64>, u64>,
    /// The model's own events.
    pub events: BTreeMap<String, u64>,
}

impl Recording {
    /// The entry of a static instruction.
    pub fn instruction(&mut self, address: u64, words: &[RecordedWord]) -> &mut StaticInstruction {
        self.instructions.entry(StaticKey { address, words: words.to_vec() }).or_default()
    }

    /// What an instruction was decoded as.
    pub(crate) fn decode(model: &Model, key: &StaticKey) -> Option<Decoded> {
        Some(RootShape::of(model)?.decode(model, key)?.decoded)
    }

    /// Multiplies out what is static.
    pub fn measure(&self, model: &Model) -> Measurement {
        let mut measurement = Measurement::new(model_tables(model));
        measurement.transfers = self.transfers.clone();
        measurement.cycles = self.cycles;
        measurement.extra_cycles = self.extra_cycles;
        measurement.undecoded = self.undecoded;
        measurement.undecoded_faults = self.undecoded_faults.clone();
        measurement.events = self.events.clone();
        for (&address, &extra_cycles) in &self.undecoded_extra_cycles {
            measurement.add_overhead(address, &Overhead { extra_cycles, ..Overhead::default() });
        }
        if let Some(root) = RootShape::of(model) {
            for (key, counted) in &self.instructions {
                let entry = root.measure_instruction(model, key, counted);
                measurement.instructions.extend(entry);
            }
        }
        measurement
    }
}

/// Where a static instruction of so many cells may go on; `None` if it is no instruction. The cache is of the same
/// model.
pub fn control_at(
    (model, cache): (&Model, &ControlCache),
    key: &StaticKey,
    size_cells: u32,
) -> Option<Control> {
    let decoded = Recording::decode(model, key)?;
    Some(control_of((model, cache), &decoded, key.address, size_cells))
}

/// The operation that holds the CODINGROOT, with the instance of each element.
struct RootShape {
    operation: u32,
    instances: Vec<u32>,
}

impl RootShape {
    fn of(model: &Model) -> Option<RootShape> {
        let operation = model.operations.iter().position(|operation| operation.root.is_some())? as u32;
        let elements = root_elements(model, operation).into_iter();
        Some(RootShape { operation, instances: elements.map(|element| element.instance).collect() })
    }

    fn decode(&self, model: &Model, key: &StaticKey) -> Option<RootDecoding> {
        let table = model.operation(self.operation);
        let elements = key.words.iter().map(|word| {
            let RecordedWord { element, word, width_bits } = *word;
            let instance = *self.instances.get(element as usize)?;
            let decoder = model.decoder_of(table.instances[instance as usize].target)?;
            Some(Element { instance, element, decoder, word, width_bits })
        });
        let elements = elements.collect::<Option<Vec<Element>>>()?;
        decode_root(model, self.operation, &elements)
    }

    fn measure_instruction(
        &self,
        model: &Model,
        key: &StaticKey,
        counted: &StaticInstruction,
    ) -> Option<(InstructionKey, InstructionRecord)> {
        let root = self.decode(model, key)?;
        let (decoded, bytes) = (&root.decoded, root.bytes(model));
        let mut record = InstructionRecord {
            name: decoded.name(model),
            size_cells: root.size_cells(model),
            executed: counted.executed,
            cancelled: counted.cancelled,
            faulted: counted.faulted,
            unfinished: counted.unfinished,
            overhead: Overhead { extra_cycles: counted.extra_cycles, ..Overhead::default() },
            ..InstructionRecord::default()
        };
        for access in account_instruction(model, decoded).accesses {
            let times = match access.times {
                Times::Executed if counted.unreached.contains(&access.node) => counted.executed - 1,
                Times::Executed => counted.executed,
                Times::Counter(counter) => counted.counters.get(counter as usize).copied().unwrap_or(0),
            };
            if times > 0 {
                let entry = record.accesses.entry((access.node, access.resource)).or_default();
                add_accesses(entry, access.kind, times);
            }
        }
        let word = Word::new(&bytes).unwrap_or_default();
        Some((InstructionKey { address: key.address, word }, record))
    }
}

/// Adds an access that happened some times.
pub(crate) fn add_accesses(accesses: &mut Accesses, kind: AccessKind, times: u64) {
    let mut one = Accesses::default();
    one.add_one(match kind {
        AccessKind::Read => AccessEvent::Read,
        AccessKind::Write => AccessEvent::Write,
        AccessKind::Execute => AccessEvent::Execute,
    });
    accesses.reads += one.reads * times;
    accesses.writes += one.writes * times;
    accesses.executes += one.executes * times;
}
