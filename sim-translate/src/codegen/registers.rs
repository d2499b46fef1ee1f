//! The guest's registers as variables of the function: which of them are, where they are loaded, and where
//! what may have changed is stored.

use std::collections::BTreeSet;

use cranelift_codegen::ir::{self, InstBuilder, MemFlagsData, Type};
use cranelift_frontend::Variable;
use rustc_hash::FxHashMap as HashMap;

use super::{Codegen, type_of};

/// Most registers that live in variables: each way out of a region stores those that may have
/// changed.
const MOST_VARIABLES: usize = 64;

impl Codegen<'_, '_> {
    /// Which registers live in variables; gives the files of which elements are written by computed indexes.
    pub(super) fn find_registers(&mut self) -> BTreeSet<u32> {
        let mut whole: HashMap<(u32, u32), u32> = HashMap::default();
        let (mut computed, mut indexed) = (BTreeSet::<u32>::new(), BTreeSet::new());
        for step in self.region.blocks.iter().flat_map(|block| &block.steps) {
            let uses = step.step.register_uses(self.around.model);
            for element in &uses.elements {
                *whole.entry(element.key).or_default() += element.times;
            }
            indexed.extend(&uses.indexed);
            // What is always reached by computed indexes stays in memory.
            computed.extend(&uses.computed);
        }
        whole.retain(|(register, _), _| !computed.contains(register));
        let mut by_use: Vec<((u32, u32), u32)> = whole.into_iter().collect();
        by_use.sort_unstable_by_key(|(key, uses)| (std::cmp::Reverse(*uses), *key));
        by_use.truncate(MOST_VARIABLES);
        for ((register, element), _) in by_use {
            let width = self.around.model.registers[register as usize].width_bits;
            let variable = self.b.declare_var(type_of(width));
            self.registers.insert((register, element), variable);
        }
        indexed
    }

    /// What nobody reads before it is written is not loaded: the load goes with its value.
    pub(super) fn enter_registers(&mut self) -> Vec<ir::Value> {
        let registers: Vec<((u32, u32), Variable)> =
            self.registers.iter().map(|(key, variable)| (*key, *variable)).collect();
        let mut entered = Vec::new();
        for ((register, element), variable) in registers {
            let (ty, offset) = self.register_place(register, element);
            let value = self.b.ins().load(ty, MemFlagsData::trusted(), self.ctx, offset);
            self.b.def_var(variable, value);
            entered.push(value);
        }
        entered
    }

    /// Type and offset of an element.
    pub(super) fn register_place(&self, register: u32, element: u32) -> (Type, i32) {
        let place = self.around.layout.registers[register as usize];
        let width = self.around.model.registers[register as usize].width_bits;
        // A type of one byte is stored as such: the bytes above it stay 0.
        (type_of(width), (place.offset + element * place.stride) as i32)
    }

    /// Stores what may have changed, and the budget.
    pub(super) fn store_dirty(&mut self) {
        self.store_dirty_of(|_| true);
        self.store_fuel();
    }

    /// Stores what may have changed of some register files.
    fn store_dirty_of(&mut self, is_stored: impl Fn(u32) -> bool) {
        let dirty: Vec<_> = self.dirty.iter().copied().filter(|(register, _)| is_stored(*register)).collect();
        dirty.into_iter().for_each(|key| self.store_variable(key));
    }

    /// Stores what may have changed and is not taken over by a block; the one at hand goes on with it.
    pub(super) fn store_before(&mut self, block: usize) {
        let taken_over = self.taken_over[block];
        let others = self.registers.keys().enumerate().filter(|(number, _)| taken_over >> number & 1 == 0);
        let stored: Vec<_> = others.map(|(_, key)| *key).filter(|key| self.dirty.contains(key)).collect();
        stored.into_iter().for_each(|key| self.store_variable(key));
    }

    pub(super) fn store_variable(&mut self, key: (u32, u32)) {
        let value = self.b.use_var(self.registers[&key]);
        self.store_held((key, value));
    }

    /// Stores what may have changed of a register file, for an access by a computed index.
    pub(super) fn store_file(&mut self, register: u32) {
        self.store_dirty_of(|file| file == register);
    }

    /// Loads what an access by a computed index may have changed of a register file.
    pub(super) fn load_file(&mut self, register: u32) {
        let elements = self.registers.range((register, 0)..=(register, u32::MAX));
        for ((_, element), variable) in elements.map(|(key, variable)| (*key, *variable)).collect::<Vec<_>>()
        {
            let (ty, offset) = self.register_place(register, element);
            let value = self.b.ins().load(ty, MemFlagsData::trusted(), self.ctx, offset);
            self.b.def_var(variable, value);
        }
    }
}
