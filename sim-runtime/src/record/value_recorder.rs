//! Counts the values that instructions read and write.

use std::collections::BTreeSet;

use isac_ir::Model;
use isac_ir::control::operations_around;
use isac_ir::decode::Decoded;
use isac_ir::operation::Target;
use sim_profile::{ValuePlace, ValueTable, Values, Word};

/// As [`ValueRecorder::operation_at`], where `is_around` tells the operations that are of no instruction.
pub fn told_operation(
    decoded: &Decoded,
    node: u32,
    running: Option<u32>,
    is_around: impl Fn(u32) -> bool,
) -> Option<u32> {
    if node == 0 {
        return running.filter(|running| !is_around(*running));
    }
    match decoded.nodes.get(node as usize)?.target {
        Target::Operation(operation) => Some(operation),
        Target::Group(_) | Target::Label(_) => None,
    }
}

/// The instructions whose values are counted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ValueChoice {
    /// Those at addresses from first to last of each pair; at all if there is none.
    pub addresses: Vec<(u64, u64)>,
    /// Those that one of these operations has part in, by number; all if there is none.
    pub operations: BTreeSet<u32>,
}

impl ValueChoice {
    /// Whether instructions at an address may be among them.
    pub fn has_address(&self, address: u64) -> bool {
        let mut ranges = self.addresses.iter();
        self.addresses.is_empty() || ranges.any(|(first, last)| (*first..=*last).contains(&address))
    }

    /// Whether an instruction of such operations is among them, wherever it stands.
    pub fn has_operations(&self, mut operations: impl Iterator<Item = u32>) -> bool {
        self.operations.is_empty() || operations.any(|operation| self.operations.contains(&operation))
    }

    /// Whether the instruction at an address is one of them.
    pub fn includes(&self, address: u64, decoded: &Decoded) -> bool {
        self.has_address(address) && self.has_operations(decoded_operations(decoded))
    }
}

/// The operations of a decoding tree, by number.
pub fn decoded_operations(decoded: &Decoded) -> impl Iterator<Item = u32> {
    decoded.nodes.iter().filter_map(|node| match node.target {
        Target::Operation(operation) => Some(operation),
        Target::Group(_) | Target::Label(_) => None,
    })
}

/// Counts values of chosen instructions.
#[derive(Debug, Clone)]
pub struct ValueRecorder {
    choice: ValueChoice,
    /// Operations that are of no instruction.
    around: BTreeSet<u32>,
    table: ValueTable,
    /// What was read while a CODINGROOT decodes: at places that lack address and word.
    early: Vec<(ValuePlace, u128)>,
}

impl ValueRecorder {
    /// Nothing counted yet of a model.
    pub fn new(model: &Model, choice: ValueChoice) -> ValueRecorder {
        ValueRecorder {
            choice,
            around: operations_around(model),
            table: ValueTable::new(),
            early: Vec::new(),
        }
    }

    /// What was counted so far.
    pub fn table(&self) -> &ValueTable {
        &self.table
    }

    /// The operation that values at a node of a decoding tree belong to: that of the node, or of those that were
    /// activated and not decoded, whose values are at the first node, the one that runs. `None` for what is of no
    /// instruction, by number.
    pub fn operation_at(&self, decoded: &Decoded, node: u32, running: Option<u32>) -> Option<u32> {
        told_operation(decoded, node, running, |running| self.around.contains(&running))
    }

    /// The instructions whose values are counted.
    pub fn choice(&self) -> &ValueChoice {
        &self.choice
    }

    /// A value was read by what is decoded of an instruction that is not as a whole yet: it belongs to
    /// whatever that will be, if it will be anything.
    pub(crate) fn add_early(&mut self, place: ValuePlace, value: u128) {
        self.early.push((place, value));
    }

    /// Another instruction is to be decoded.
    pub(crate) fn begin_decoding(&mut self) {
        self.early.clear();
    }

    /// The instruction at hand is decoded.
    pub(crate) fn finish_decoding(&mut self, address: u64, word: Word, decoded: &Decoded) {
        if self.early.is_empty() {
            return;
        }
        let is_chosen = self.choice.includes(address, decoded);
        for (place, value) in std::mem::take(&mut self.early).into_iter().filter(|_| is_chosen) {
            self.add(ValuePlace { address, word, ..place }, value);
        }
    }

    /// A value was read, or is about to be written.
    pub fn add(&mut self, place: ValuePlace, value: u128) {
        match self.table.get_mut(&place) {
            Some(values) => values.add(value),
            None => {
                self.table.insert(place, Values::new(value));
            }
        }
    }
}
