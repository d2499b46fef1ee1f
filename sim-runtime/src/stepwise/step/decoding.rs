//! A CODINGROOT decodes: its elements one by one, then the instruction that they are, which is kept.

use std::rc::Rc;

use isac_ir::Model;
use isac_ir::behavior::{Stmt, walk_statements};
use isac_ir::bits::{Bits, mask};
use isac_ir::decode::{CellSource, DecodeError, DecodedElement, WholeWord, decode_element};
use isac_ir::root::RootDecoding;
use sim_profile::Word;

use super::super::core::StepCore;
use super::super::instruction::{Described, Instruction};
use super::{NEAR, Near, Step};
use crate::fault::FaultKind;
use crate::kernel::{Profiling, Trap, trap};
use crate::memory::{fetch_cells, find_range};

impl<C: StepCore, P: Profiling> Step<C, P> {
    /// A CODINGROOT begins.
    pub fn begin_decoding(&mut self, core: &C, context: usize) {
        self.address = core.pc();
        self.size_cells = 0;
        self.root = RootDecoding::new(self.instruction.context(context).operation);
        self.opened.clear();
        self.found = None;
        self.former = self.is_decoded.then(|| Rc::clone(&self.instruction));
        self.begin_values();
    }

    /// An element of a CODINGROOT from a map.
    ///
    /// # Errors
    /// The trap of a fetch that is not allowed, or of a word that nothing matches.
    pub fn decode_map(
        &mut self,
        core: &mut C,
        context: usize,
        (instance, number): (u32, u32),
        (map, address): (u32, u64),
    ) -> Result<(), Trap> {
        if self.root.is_empty() {
            self.address = address;
        }
        self.forget_written(core);
        if self.is_single
            && let Some(near) = &self.near[address as usize % NEAR]
            && near.instruction.address == address
            && near.instruction.root_context() == context
        {
            self.size_cells = near.instruction.size_cells;
            self.found = Some(Rc::clone(&near.instruction));
            core.pay_fetch::<P>(map, address, near.seen_cells);
            return Ok(());
        }
        let model = core.model();
        let Some(decoder) = self.decoder_of(model, context, instance) else { return Ok(()) };
        let mut cells = MapCells { model, store: &*core, map, address, seen_bits: 0 };
        let outcome = decode_element(model, decoder, &mut cells);
        self.seen_cells = cells.seen_bits / model.maps[map as usize].cell_bits;
        if !matches!(outcome, Err(DecodeError::Fetch(_))) {
            core.pay_fetch::<P>(map, address, self.seen_cells);
        }
        match outcome {
            Ok(element) => {
                mark_code(core, map, address, self.seen_cells);
                self.add_element(core, context, (instance, number), element);
                Ok(())
            }
            Err(error) => {
                self.fail_decoding();
                match error {
                    DecodeError::Illegal => Err(Trap::Illegal),
                    DecodeError::Fetch(fault) => trap(core.kernel(), Trap::Fetch, fault),
                }
            }
        }
    }

    /// An element of a CODINGROOT from a value that holds it, `width_bits` wide.
    ///
    /// # Errors
    /// The trap of a word that nothing matches.
    pub fn decode_value(
        &mut self,
        core: &mut C,
        context: usize,
        (instance, number): (u32, u32),
        (word, width_bits): (Bits, u32),
        address: Option<u64>,
    ) -> Result<(), Trap> {
        if let Some(address) = address.filter(|_| self.root.is_empty()) {
            self.address = address;
        }
        let model = core.model();
        let Some(decoder) = self.decoder_of(model, context, instance) else { return Ok(()) };
        let big_endian = model.target.big_endian;
        let mut cells = WholeWord { word, width_bits, big_endian };
        match decode_element(model, decoder, &mut cells) {
            Ok(element) => {
                self.add_element(core, context, (instance, number), element);
                Ok(())
            }
            Err(_) => {
                self.fail_decoding();
                Err(Trap::Illegal)
            }
        }
    }

    /// The words at hand are no instruction, whatever they were before.
    fn fail_decoding(&mut self) {
        self.is_undecoded = true;
        self.is_decoded = false;
    }

    /// What decodes an instance of a context.
    fn decoder_of(&self, model: &Model, context: usize, instance: u32) -> Option<u32> {
        let table = model.operation(self.operation(context));
        model.decoder_of(table.instances[instance as usize].target)
    }

    /// A part of a SWITCH begins.
    pub fn open_node(&mut self, label: u32) {
        self.root.open(label);
        self.opened.push(label);
    }

    /// The innermost part of a SWITCH ends.
    pub fn close_node(&mut self) {
        self.root.close();
    }

    /// What is decoded is known to the rest of the CODINGROOT.
    fn add_element(
        &mut self,
        core: &C,
        context: usize,
        (instance, number): (u32, u32),
        element: DecodedElement,
    ) {
        self.root.add(instance, number, element);
        self.size_cells = self.root.size_cells(core.model());
        if !self.is_single {
            let instruction = self.find_instruction(core, context);
            self.set_instruction(instruction);
        }
    }

    /// A CODINGROOT ends: the instruction is known, or it is illegal.
    ///
    /// # Errors
    /// None: what could not be decoded has been found before.
    pub fn finish_decoding(&mut self, core: &mut C, context: usize) -> Result<(), Trap> {
        if let Some(found) = self.found.take() {
            self.finish_with(found);
            return Ok(());
        }
        let instruction = self.find_instruction(core, context);
        if self.is_single {
            let near = Near { instruction: Rc::clone(&instruction), seen_cells: self.seen_cells };
            self.near[self.address as usize % NEAR] = Some(near);
        }
        self.finish_with(instruction);
        Ok(())
    }

    /// The instruction is decoded. What it did as another one before, below its CODINGROOT, does
    /// not count.
    fn finish_with(&mut self, instruction: Rc<Instruction<C, P>>) {
        if self.former.take().is_some_and(|former| !Rc::ptr_eq(&former, &instruction)) {
            let common = self.before.counts.len() as u32;
            self.counted.retain(|region| *region < common);
            self.folded.retain(|region, _| *region < common);
        }
        self.set_instruction(instruction);
        self.is_decoded = true;
        self.finish_values();
    }

    /// The instruction that the elements are.
    fn find_instruction(&mut self, core: &C, context: usize) -> Rc<Instruction<C, P>> {
        let bytes = self.root.bytes(core.model());
        let key = (self.address, context, bytes.clone(), self.opened.clone());
        if let Some(known) = self.known.get(&key) {
            return Rc::clone(known);
        }
        let place = (self.address, self.size_cells, Word::new(&bytes).unwrap_or_default());
        let decoded = self.root.decoded.clone();
        let new = Rc::new(Instruction::decoded(
            Described { model: core.model(), striking: &self.striking, fetching: &self.fetching },
            &self.before,
            context,
            decoded,
            place,
        ));
        self.known.insert(key, Rc::clone(&new));
        new
    }

    /// Forgets which instruction stands where, if a write may have changed that.
    fn forget_written(&mut self, core: &mut C) {
        if std::mem::take(&mut core.kernel().code_written) && core.take_code_written() {
            self.near.fill_with(|| None);
            core.unmark_code();
        }
    }
}

/// The cells of a map from an address on.
struct MapCells<'a, C> {
    model: &'a Model,
    store: &'a C,
    map: u32,
    address: u64,
    /// The end of what was looked at so far.
    seen_bits: u32,
}

impl<C: StepCore> CellSource for MapCells<'_, C> {
    /// The address of a cell that cannot be fetched.
    type Fault = u64;

    fn fetch(&mut self, first_bit: u32, width_bits: u32) -> Result<Bits, u64> {
        self.seen_bits = self.seen_bits.max(first_bit + width_bits);
        let cells = fetch_cells(self.model, self.store, self.map, self.address, first_bit, width_bits);
        cells.map_err(|fault| match fault {
            FaultKind::Memory { address, .. } => address,
            _ => self.address,
        })
    }
}

/// Remembers that cells hold code.
fn mark_code<C: StepCore>(core: &mut C, map: u32, address: u64, cells: u32) {
    let table = &core.model().maps[map as usize];
    let last = mask(table.address_bits) as u64;
    for cell in 0..u64::from(cells) {
        if let Some(landing) = find_range(table, address.wrapping_add(cell) & last, 1) {
            core.mark_cells(landing.ram, landing.cell, 1);
        }
    }
}

/// True if each CODINGROOT is one element from a map, and asks for nothing of it.
pub(super) fn decodes_one_word(model: &Model) -> bool {
    let roots: Vec<_> = model.operations.iter().filter_map(|operation| operation.root.as_ref()).collect();
    let [root] = roots[..] else { return false };
    let (mut elements, mut asks) = (0, false);
    walk_statements(&root.statements, &mut |statement| {
        elements += u32::from(matches!(statement, Stmt::Decode { .. }));
        asks |= matches!(statement, Stmt::If { .. });
    });
    let first = root.statements.iter().any(|statement| matches!(statement, Stmt::Decode { .. }));
    elements == 1 && first && !asks
}
