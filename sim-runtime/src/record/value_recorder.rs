//! Counts the values that instructions read and write.

use sim_profile::{ValuePlace, ValueTable, Values};

/// Counts values of the instructions at chosen addresses.
#[derive(Debug, Clone)]
pub struct ValueRecorder {
    /// First and last of each range; all if there is none.
    addresses: Vec<(u64, u64)>,
    table: ValueTable,
}

impl ValueRecorder {
    /// Nothing counted yet, of the instructions at addresses from first to last of each pair; of all of them
    /// if there is no pair.
    pub fn new(addresses: Vec<(u64, u64)>) -> ValueRecorder {
        ValueRecorder { addresses, table: ValueTable::new() }
    }

    /// What was counted so far.
    pub fn table(&self) -> &ValueTable {
        &self.table
    }

    /// Whether the instruction at an address is one of those whose values are counted.
    pub fn is_chosen(&self, address: u64) -> bool {
        let mut ranges = self.addresses.iter();
        self.addresses.is_empty() || ranges.any(|(first, last)| (*first..=*last).contains(&address))
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
