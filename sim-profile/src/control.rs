//! What instructions may do to the flow of control: known from their description, whatever they did.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use serde::{Deserialize, Serialize};

use crate::{InstructionKey, Measurement};

/// Where an instruction may go on.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct Control {
    /// Whether it may go on with its successor in memory.
    pub falls_through: bool,
    /// Addresses, ascending, to which it may jump and which it always computes in the same way.
    pub targets: Vec<u64>,
    /// Whether it may jump to an address that depends on the run.
    pub computed: bool,
    /// The address that it keeps for a way back: that behind itself, or behind the instructions in
    /// its delay slots.
    pub keeps: Option<u64>,
}

/// What is known of an instruction whatever it did.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct StaticFacts {
    /// Its text, as a disassembler prints it; none if the description has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Where it may go on; none if it does nothing but go on with its successor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub control: Option<Control>,
    /// Where the instruction in its delay slot goes on, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delayed: Option<DelayedControl>,
}

/// Where an instruction in a delay slot goes on.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct DelayedControl {
    /// Its address.
    pub slot: u64,
    /// Whether it may go on with its successor in memory.
    pub falls_through: bool,
    /// Addresses, ascending, to which it may jump and which are always computed in the same way.
    pub targets: Vec<u64>,
    /// Whether it may jump to an address that depends on the run.
    pub computed: bool,
}

/// The facts of the instructions of a measurement.
pub type StaticTable = BTreeMap<InstructionKey, StaticFacts>;

/// The control of all instructions, by address: of several that stood at one, what any may do. An
/// instruction in a delay slot goes on where the branch before it says.
pub fn control_table(statics: &StaticTable) -> ControlTable {
    let mut table = ControlTable::new();
    let mut slots: Vec<(u64, Control)> = Vec::new();
    for (key, facts) in statics {
        let mut control = facts.control.clone();
        if let Some(DelayedControl { slot, falls_through, targets, computed }) = facts.delayed.clone() {
            // It is the instruction in the slot that a call is made by.
            let keeps = control.as_mut().and_then(|control| control.keeps.take());
            slots.push((slot, Control { falls_through, targets, computed, keeps }));
        }
        if let Some(control) = control {
            add_control(&mut table, key.address, control);
        }
    }
    for (slot, _) in &slots {
        // What is known of every instruction, that it may stand in a slot, says nothing here.
        if let Some(control) = table.get_mut(slot).filter(|control| !is_telling(control)) {
            (control.falls_through, control.computed) = (false, false);
        }
    }
    for (slot, control) in slots {
        add_control(&mut table, slot, control);
    }
    table
}

/// Whether it says anything of a single instruction: where the description keeps the next address in a
/// register, any instruction may go on anywhere, as far as can be known.
pub(crate) fn is_telling(control: &Control) -> bool {
    let Control { falls_through, targets, computed, keeps } = control;
    !(*falls_through && *computed && targets.is_empty() && keeps.is_none())
}

/// Whether an instruction jumps to one place and does nothing else.
#[cfg(feature = "program")]
pub(crate) fn is_mere_jump(control: &Control) -> bool {
    !control.falls_through && !control.computed && control.targets.len() == 1 && control.keeps.is_none()
}

/// The branches by the instructions in their delay slots.
pub fn delay_slots(statics: &StaticTable) -> BTreeMap<u64, u64> {
    let slots = statics.iter().filter_map(|(key, facts)| Some((facts.delayed.as_ref()?.slot, key.address)));
    slots.collect()
}

fn add_control(table: &mut ControlTable, address: u64, control: Control) {
    match table.entry(address) {
        Entry::Occupied(mut known) => known.get_mut().add(&control),
        Entry::Vacant(entry) => {
            entry.insert(control);
        }
    }
}

impl Control {
    fn add(&mut self, other: &Control) {
        self.falls_through |= other.falls_through;
        self.computed |= other.computed;
        self.keeps = self.keeps.or(other.keeps);
        self.targets.extend(&other.targets);
        self.targets.sort_unstable();
        self.targets.dedup();
    }
}

/// The control of instructions by address; one that does nothing but go on with its successor has
/// no entry.
pub type ControlTable = BTreeMap<u64, Control>;

/// Instructions that could have run and did not, by address, with their sizes in cells: what somebody has
/// decoded who knows the description.
pub type CodeSizes = BTreeMap<u64, u32>;

/// What a transfer of control is to the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Transfer {
    /// To where it comes back from.
    Call,
    /// Back to behind a call.
    Return,
    /// Neither.
    Jump,
}

/// Tells calls and returns from jumps.
///
/// A call comes from an instruction that keeps the address behind it, or from the last of its delay
/// slots. A return goes to such an address and is no call, nor does it have a target of its own.
pub struct Transfers<'a> {
    measurement: &'a Measurement,
    table: &'a ControlTable,
    /// Where calls come back to, with the address of the instruction that transferred control.
    returns: BTreeMap<u64, u64>,
    /// What is behind each instruction that was decoded.
    successors: BTreeMap<u64, u64>,
}

impl<'a> Transfers<'a> {
    /// Looks through the transfers of a run.
    pub fn of(measurement: &'a Measurement, table: &'a ControlTable) -> Transfers<'a> {
        Transfers::with_code(measurement, table, &CodeSizes::new())
    }

    /// As [`Transfers::of`], with instructions that did not run.
    pub fn with_code(
        measurement: &'a Measurement,
        table: &'a ControlTable,
        code: &CodeSizes,
    ) -> Transfers<'a> {
        let tables = &measurement.tables;
        let decoded = measurement.instructions.iter().map(|(key, record)| (key.address, record.size_cells));
        let sizes = code.iter().map(|(&address, &size_cells)| (address, size_cells)).chain(decoded);
        let successors: BTreeMap<u64, u64> =
            sizes.map(|(address, size_cells)| (address, tables.successor(address, size_cells))).collect();
        let mut transfers = Transfers { measurement, table, returns: BTreeMap::new(), successors };
        let calls = measurement.transfers.keys().filter(|(from, _)| transfers.is_call(*from));
        transfers.returns = calls.filter_map(|&(from, _)| Some((transfers.successor(from)?, from))).collect();
        transfers
    }

    /// The address behind an instruction that was decoded.
    pub fn successor(&self, address: u64) -> Option<u64> {
        self.successors.get(&address).copied()
    }

    /// The instruction whose call comes back to an address.
    pub fn call_before(&self, address: u64) -> Option<u64> {
        self.returns.get(&address).copied()
    }

    /// What a transfer is.
    pub fn kind(&self, from: u64, to: u64) -> Transfer {
        if self.is_call(from) {
            return Transfer::Call;
        }
        let own = self.table.get(&from).is_some_and(|control| control.targets.binary_search(&to).is_ok());
        match self.returns.contains_key(&to) && !own && self.leaves(from) {
            true => Transfer::Return,
            false => Transfer::Jump,
        }
    }

    /// All transfers with what they are and how often they were made.
    pub fn iter(&self) -> impl Iterator<Item = ((u64, u64), Transfer, u64)> {
        let transfers = self.measurement.transfers.iter();
        transfers.map(|(&(from, to), &count)| ((from, to), self.kind(from, to), count))
    }

    /// Whether an instruction jumps to where the run sends it, or it is not known.
    fn leaves(&self, from: u64) -> bool {
        self.table.get(&from).is_none_or(|control| control.computed)
    }

    fn is_call(&self, from: u64) -> bool {
        let Some(successor) = self.successor(from) else { return false };
        let keeps = |address: &u64| self.table.get(address).and_then(|control| control.keeps);
        if keeps(&from) == Some(successor) {
            return true;
        }
        // In a delay slot: the one before keeps the address behind this one.
        let before = self.successors.range(..from).next_back();
        before.is_some_and(|(address, behind)| *behind == from && keeps(address) == Some(successor))
    }
}

#[cfg(test)]
mod tests {
    use super::{Control, ControlTable, Transfer, Transfers};
    use crate::{InstructionKey, InstructionRecord, Measurement, ModelTables, Word};

    /// Instructions of four cells, with the transfers given.
    fn measurement(transfers: &[(u64, u64)]) -> Measurement {
        let mut measurement = Measurement::new(ModelTables { address_bits: 32, ..ModelTables::default() });
        for address in (0..64).step_by(4) {
            let key = InstructionKey { address, word: Word::new(&[1]).unwrap() };
            let record = InstructionRecord { size_cells: 4, executed: 1, ..InstructionRecord::default() };
            measurement.instructions.insert(key, record);
        }
        measurement.transfers = transfers.iter().map(|transfer| (*transfer, 1)).collect();
        measurement
    }

    fn call(target: u64, keeps: u64) -> Control {
        Control { falls_through: false, targets: vec![target], computed: false, keeps: Some(keeps) }
    }

    fn computed() -> Control {
        Control { falls_through: false, targets: Vec::new(), computed: true, keeps: None }
    }

    #[test]
    fn a_jump_to_behind_a_call_is_a_return() {
        let measurement = measurement(&[(8, 32), (36, 12), (20, 12), (40, 16)]);
        let mut table = ControlTable::new();
        table.insert(8, call(32, 12));
        table.insert(36, computed());
        table.insert(20, Control { targets: vec![12], computed: false, ..computed() });
        table.insert(40, computed());
        let transfers = Transfers::of(&measurement, &table);
        let kinds: Vec<_> = transfers.iter().map(|(transfer, kind, _)| (transfer, kind)).collect();
        let expected = [
            ((8, 32), Transfer::Call),
            ((20, 12), Transfer::Jump),
            ((36, 12), Transfer::Return),
            ((40, 16), Transfer::Jump),
        ];
        assert_eq!(kinds, expected);
        assert_eq!(transfers.call_before(12), Some(8));
    }

    #[test]
    fn a_call_with_a_delay_slot_is_made_by_the_slot() {
        let measurement = measurement(&[(8, 32), (36, 12)]);
        let mut table = ControlTable::new();
        table.insert(4, call(32, 12));
        table.insert(36, computed());
        let transfers = Transfers::of(&measurement, &table);
        assert_eq!(transfers.kind(8, 32), Transfer::Call);
        assert_eq!(transfers.kind(36, 12), Transfer::Return);
    }
}
