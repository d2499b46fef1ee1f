//! Words become instructions, once at each address.

use isac_ir::bits::mask;

use super::core::TimedCore;
use super::flight::{Flight, NEAR, SLOTS, UNDECODED};
use super::record::{Record, Tally};
use crate::kernel::{Profiling, Trap};

impl<C: TimedCore, P: Profiling> Flight<C, P> {
    /// Decodes the word of a slot's instruction; its class and size.
    #[inline(always)]
    pub(super) fn decode(&mut self, slot: u32, address: u64, word: u64) -> Result<(u32, u32), Trap> {
        let known = self.near.get(near::<C>(address)).copied().unwrap_or(UNDECODED);
        let number = match self.records.get(known as usize) {
            Some(record) if record.address == address && record.word == word => known,
            _ => self.find_record(slot, address, word)?,
        };
        let record = &self.records[number as usize];
        let (class, size_cells) = (record.class, record.size_cells);
        let (turns, args) = (record.turns, record.args);
        let entry = &mut self.slots[slot as usize & (SLOTS - 1)];
        if entry.record != UNDECODED && entry.record != number {
            self.forget_former(slot);
        }
        let slot = self.slot_mut(slot);
        (slot.turns, slot.args) = (turns, args);
        slot.record = number;
        slot.address = address;
        slot.size_cells = size_cells;
        slot.is_undecoded = false;
        Ok((class, size_cells))
    }

    #[cold]
    #[inline(never)]
    pub(super) fn find_record(&mut self, slot: u32, address: u64, word: u64) -> Result<u32, Trap> {
        let number = match self.known.get(&(address, word)) {
            Some(number) => *number,
            None => match C::decode::<P>(word) {
                Some(decoded) => {
                    let class = self.schedule().forms[decoded.variant as usize].class;
                    let number = self.records.len() as u32;
                    self.records.push(Record {
                        address,
                        word,
                        class,
                        size_cells: self.size_cells,
                        turns: decoded.turns,
                        args: decoded.args,
                        variant: decoded.variant,
                        tally: Tally::default(),
                    });
                    self.known.insert((address, word), number);
                    number
                }
                None => {
                    let slot = self.slot_mut(slot);
                    slot.address = address;
                    slot.is_undecoded = true;
                    return Err(Trap::Illegal);
                }
            },
        };
        self.near[near::<C>(address)] = number;
        Ok(number)
    }

    /// What the instruction did as another one before, below its CODINGROOT, does not count.
    #[cold]
    #[inline(never)]
    pub(super) fn forget_former(&mut self, slot: u32) {
        let before = self.schedule().counters_before;
        let slot = self.slot_mut(slot);
        slot.counted &= mask(before);
        slot.again.retain(|(counter, _)| *counter < before);
    }
}

/// Where the record of an address is looked for.
#[inline(always)]
fn near<C: TimedCore>(address: u64) -> usize {
    (address >> C::ADDRESS_SHIFT) as usize & (NEAR - 1)
}
