//! The processor's state: registers and memory in the piece that compiled code reaches.

use isac_ir::Model;
use isac_ir::bits::{Bits, mask};
use isac_ir::resource::Range;
use sim_runtime::Machine;
use sim_runtime::memory::{CellStore, read_map_bytes, write_map_bytes};

use crate::arena::Arena;
use crate::layout::{GRANULE_SHIFT, Layout, MARKED_BEFORE};
use crate::mode::{Mode, ModeItems};

/// Least number of cells by which a claim for code grows.
const LEAST_CLAIM: u64 = 512;

/// A part of a range that holds no code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Clean {
    /// Its first cell, counted from the range's beginning.
    pub(crate) first: u64,
    /// How many there are from there on.
    pub(crate) cells: u64,
}

impl Clean {
    /// At how many cells from the first on a stretch of so many cells may begin.
    pub(crate) fn places(self, stretch: u32) -> u64 {
        (self.cells + 1).saturating_sub(stretch.into())
    }
}

/// Most cells with code that are remembered when they are written.
pub(crate) const MOST_WRITTEN: usize = 64;

/// Registers, memory, and which cells hold code.
pub(crate) struct State<'m> {
    pub(crate) model: &'m Model,
    /// The register and the element that is the program counter, if one is as a whole.
    pc_element: Option<(u32, u32)>,
    pub(crate) layout: Layout,
    /// What decides in every cycle what happens.
    pub(crate) items: ModeItems,
    pub(crate) arena: Arena,
    /// Bits of cells that hold decoded instructions, by memory.
    code: Vec<Vec<u64>>,
    /// From the first to the last cell that a write may not reach unseen, by memory: compiled code
    /// looks no closer.
    claims: Vec<Option<(u64, u64)>>,
    /// The cell behind the last that is marked, by memory.
    marked: Vec<u64>,
    /// The first cell behind those that has been written, by memory: data begins there.
    data: Vec<Option<u64>>,
    /// Somebody has written to what is claimed, or close to it.
    pub(crate) written_near: bool,
    /// They have grown: what was compiled before may not be run any more.
    pub(crate) claims_more: bool,
    /// They have shrunk: what was compiled before looks closer than it needs to.
    pub(crate) claims_less: bool,
    /// Somebody has written to a cell that holds code.
    pub(crate) code_written: bool,
    /// Which: memory and cell, the first [`MOST_WRITTEN`] of them.
    pub(crate) written: Vec<(usize, u64)>,
}

impl<'m> State<'m> {
    /// Registers at their RESET values, memory as before a program is loaded; `None` if the model is
    /// too large.
    pub(crate) fn new(model: &'m Model, items: ModeItems) -> Option<State<'m>> {
        let layout = Layout::new(model)?;
        let arena = Arena::new(layout.bytes);
        let (code, claims) = (vec![Vec::new(); model.rams.len()], vec![None; model.rams.len()]);
        let mut state = State {
            model,
            pc_element: model.pc_element(),
            layout,
            items,
            arena,
            code,
            claims,
            marked: vec![0; model.rams.len()],
            data: vec![None; model.rams.len()],
            code_written: false,
            written: Vec::new(),
            written_near: false,
            claims_more: false,
            claims_less: false,
        };
        for (index, ram) in model.rams.iter().enumerate().filter(|(_, ram)| ram.fill != 0) {
            let place = state.layout.rams[index];
            let bytes = ram.fill.to_le_bytes();
            let of_cell = bytes.get(..place.cell_bytes as usize);
            match of_cell.filter(|of_cell| of_cell.iter().all(|byte| *byte == bytes[0])) {
                Some(_) => {
                    let length = place.cells * u64::from(place.cell_bytes);
                    state.arena.fill(place.offset.into(), length, bytes[0]);
                }
                None => {
                    let fill = Bits::from_u128(ram.fill);
                    (0..ram.size_cells).for_each(|cell| state.put_cell(index, cell, fill));
                }
            }
        }
        for (index, register) in model.registers.iter().enumerate() {
            for element in 0..register.elements() {
                let value = Bits::from_u128(register.reset_value(element));
                state.put_register(index, element as usize, value);
            }
        }
        Some(state)
    }

    fn register_offset(&self, register: usize, element: usize) -> (u64, u32) {
        let place = self.layout.registers[register];
        (u64::from(place.offset) + element as u64 * u64::from(place.stride), place.stride)
    }

    fn put_register(&self, register: usize, element: usize, value: Bits) {
        let (offset, stride) = self.register_offset(register, element);
        for part in 0..stride / 8 {
            let word = value.extract(part * 64, 64) as u64;
            self.arena.set_word(offset + u64::from(part) * 8, word);
        }
    }

    /// All bits of an element.
    pub(crate) fn get_register(&self, register: usize, element: usize) -> Bits {
        let (offset, stride) = self.register_offset(register, element);
        if stride == 8 {
            return Bits::from_u128(self.arena.word(offset).into());
        }
        (0..stride / 8).fold(Bits::ZERO, |bits, part| {
            bits.with(part * 64, 64, self.arena.word(offset + u64::from(part) * 8).into())
        })
    }

    /// Bits `low..low + width` of an element, at most 128.
    pub(crate) fn read_element(&self, (register, element): (u32, u32), low: u32, width: u32) -> u128 {
        let (offset, stride) = self.register_offset(register as usize, element as usize);
        match stride {
            8 => u128::from(self.arena.word(offset) >> low) & mask(width),
            _ => self.get_register(register as usize, element as usize).extract(low, width),
        }
    }

    /// Writes bits `low..low + width` of an element that is not HARDWIRED.
    pub(crate) fn write_element(&self, (register, element): (u32, u32), low: u32, width: u32, value: u128) {
        let (offset, stride) = self.register_offset(register as usize, element as usize);
        let whole = self.model.registers[register as usize].width_bits;
        let width = width.min(whole - low);
        let new = match stride {
            8 => {
                let ones = (mask(width) as u64) << low;
                let new = self.arena.word(offset) & !ones | (value as u64) << low & ones;
                return self.arena.set_word(offset, new);
            }
            _ => self.get_register(register as usize, element as usize).with(low, width, value),
        };
        self.put_register(register as usize, element as usize, new);
    }

    /// Writes bits `low..low + width` of an element, unless it is HARDWIRED.
    pub(crate) fn write_bits(&self, register: usize, element: usize, low: u32, width: u32, value: u128) {
        if self.model.registers[register].hardwired_value(element as u32).is_none() {
            self.write_element((register as u32, element as u32), low, width, value);
        }
    }

    /// The program counter.
    pub(crate) fn pc(&self) -> u64 {
        if let Some((register, element)) = self.pc_element {
            return self.read_element((register, element), 0, 64) as u64;
        }
        let element = |register: u32, element: u32| self.get_register(register as usize, element as usize);
        self.model.pc.read(element).to_u128() as u64
    }

    /// The mode at an address.
    pub(crate) fn mode(&self, pc: u64) -> Mode {
        self.items
            .read(pc, |item| self.read_element((item.register, item.element), item.low, item.width) as u64)
    }

    /// Sets the program counter.
    pub(crate) fn set_pc(&self, pc: u64) {
        if let Some((register, element)) = self.pc_element {
            self.put_register(register as usize, element as usize, Bits::from_u128(pc.into()));
        }
    }

    fn cell_offset(&self, ram: usize, cell: u64) -> Option<(u64, u32)> {
        let place = self.layout.rams[ram];
        let bytes = place.cell_bytes;
        (cell < place.cells).then(|| (u64::from(place.offset) + cell * u64::from(bytes), bytes))
    }

    /// Sets a cell of up to 128 bits, or its low 128 bits.
    fn put_cell(&mut self, ram: usize, cell: u64, value: Bits) {
        if let Some((offset, bytes)) = self.cell_offset(ram, cell) {
            match bytes {
                ..=16 => self.arena.set_number(offset, bytes, value.extract(0, 128)),
                _ => {
                    self.arena.set_number(offset, 16, value.extract(0, 128));
                    self.arena.set_number(offset + 16, 16, value.extract(128, 128));
                }
            }
            self.tell_write(ram, cell, 1);
        }
    }

    /// Writes bits of a cell.
    pub(crate) fn store_part(&mut self, ram: usize, cell: u64, low: u32, width: u32, value: u128) {
        let width = width.min(self.model.rams[ram].cell_bits.saturating_sub(low));
        let new = self.get_wide_cell(ram, cell).with(low, width, value);
        self.put_cell(ram, cell, new);
    }

    /// Remembers that cells hold code. A write is looked for by its first cell alone, so what lies
    /// before them is marked, too, as far as a write may reach.
    pub(crate) fn mark_code(&mut self, ram: usize, cell: u64, cells: u64) {
        let end = (cell + cells).min(self.layout.rams[ram].cells);
        for cell in cell..end {
            let (word, bit) = ((cell / 64) as usize, cell % 64);
            if self.code[ram].len() <= word {
                self.code[ram].resize(word + 1, 0);
            }
            self.code[ram][word] |= 1 << bit;
        }
        let first = cell.saturating_sub(MARKED_BEFORE.into()) >> GRANULE_SHIFT;
        let last = end.saturating_sub(1) >> GRANULE_SHIFT;
        for granule in first..=last {
            self.arena.put(u64::from(self.layout.rams[ram].granules) + granule, [1]);
        }
        let behind = (last + 1) << GRANULE_SHIFT;
        self.marked[ram] = self.marked[ram].max(behind);
        self.claim(ram, first << GRANULE_SHIFT, behind - 1);
    }

    /// Claims cells for code. More of it is expected where there was some, mostly behind it: what was
    /// compiled is made anew when the claim grows, so it grows by half its size, but not to where data
    /// has been seen.
    fn claim(&mut self, ram: usize, first: u64, last: u64) {
        let claimed = match self.claims[ram] {
            Some((low, high)) if low <= first && last <= high => return,
            Some((low, high)) => (low.min(first), high.max(last)),
            None => (first, last),
        };
        let size = (claimed.1 - claimed.0).div_ceil(2).max(LEAST_CLAIM);
        let low = if self.claims[ram].is_some_and(|(low, _)| first < low) { size } else { 0 };
        let last = match self.data[ram] {
            Some(data) if data > claimed.1 => {
                claimed.1.max(data.saturating_sub(1 + u64::from(MARKED_BEFORE)))
            }
            _ => u64::MAX,
        };
        self.claims[ram] = Some((claimed.0.saturating_sub(low), claimed.1.saturating_add(size).min(last)));
        self.claims_more = true;
    }

    /// Which part of each range holds no code, by map and range: the larger one beside what is claimed.
    pub(crate) fn clean(&self) -> Vec<Vec<Clean>> {
        let clean = |range: &Range| {
            let last = range.high - range.low;
            let (first, behind) = match self.claims[range.ram as usize] {
                None => (0, last.saturating_add(1)),
                Some((low, high)) if last.saturating_sub(high) > low => (high + 1, last.saturating_add(1)),
                Some((low, _)) => (0, low.min(last)),
            };
            Clean { first, cells: behind.saturating_sub(first).min(i64::MAX as u64) }
        };
        self.model.maps.iter().map(|map| map.ranges.iter().map(clean).collect()).collect()
    }

    /// Forgets all code.
    pub(crate) fn unmark_code(&mut self) {
        for (ram, bits) in self.code.iter_mut().enumerate() {
            let end = (bits.len() as u64 * 64).min(self.layout.rams[ram].cells) >> GRANULE_SHIFT;
            self.arena.clear(self.layout.rams[ram].granules.into(), end + 1);
            bits.clear();
        }
        self.claims.fill(None);
        self.marked.fill(0);
        self.data.fill(None);
    }

    /// Forgets the code in cells. Writes to what lies close to it are looked at as before.
    pub(crate) fn unmark_cells(&mut self, cells: &[(usize, u64)]) {
        for (ram, cell) in cells {
            if let Some(word) = self.code[*ram].get_mut((cell / 64) as usize) {
                *word &= !(1 << (cell % 64));
            }
        }
    }

    /// A cell is written: where it lies behind all code, nothing from there on is claimed.
    fn tell_data(&mut self, ram: usize, cell: u64) {
        let Some(last) = cell.checked_sub(1 + u64::from(MARKED_BEFORE)) else { return };
        if let Some((_, claimed)) = &mut self.claims[ram]
            && *claimed > last
            && last + 1 >= self.marked[ram]
        {
            *claimed = last;
            self.data[ram] = Some(cell);
            self.claims_less = true;
        }
    }

    /// Notes that cells were written; true if one of them holds code.
    pub(crate) fn tell_write(&mut self, ram: usize, cell: u64, cells: u64) -> bool {
        let bits = &self.code[ram];
        let is_code =
            |cell: u64| bits.get((cell / 64) as usize).is_some_and(|word| word >> (cell % 64) & 1 == 1);
        let mut hit = false;
        if !bits.is_empty() {
            for cell in (cell..cell + cells).filter(|cell| is_code(*cell)) {
                hit = true;
                if self.written.len() < MOST_WRITTEN {
                    self.written.push((ram, cell));
                }
            }
        }
        self.code_written |= hit;
        self.tell_data(ram, cell);
        let reached = (cell, cell + cells - 1 + u64::from(MARKED_BEFORE));
        self.written_near |=
            self.claims[ram].is_some_and(|(low, high)| reached.1 >= low && reached.0 <= high);
        hit
    }
}

impl CellStore for State<'_> {
    fn get_cell(&self, ram: usize, cell: u64) -> u64 {
        self.cell_offset(ram, cell)
            .map_or(0, |(offset, bytes)| self.arena.number(offset, bytes.min(8)) as u64)
    }

    fn get_bytes(&self, ram: usize, cell: u64, bytes: &mut [u8]) {
        let place = self.layout.rams[ram];
        debug_assert_eq!(place.cell_bytes, 1, "cells have at most 8 bits");
        let known = place.cells.saturating_sub(cell).min(bytes.len() as u64);
        let (known, beyond) = bytes.split_at_mut(known as usize);
        if !known.is_empty() {
            self.arena.read(u64::from(place.offset) + cell, known);
        }
        beyond.fill(0);
    }

    fn set_cell(&mut self, ram: usize, cell: u64, value: u64) {
        let bits = self.model.rams[ram].cell_bits;
        self.put_cell(ram, cell, Bits::from_u128(u128::from(value) & mask(bits)));
    }

    fn get_wide_cell(&self, ram: usize, cell: u64) -> Bits {
        match self.cell_offset(ram, cell) {
            None => Bits::ZERO,
            Some((offset, bytes @ ..=16)) => Bits::from_u128(self.arena.number(offset, bytes)),
            Some((offset, _)) => {
                let high = self.arena.number(offset + 16, 16);
                Bits::from_u128(self.arena.number(offset, 16)).with(128, 128, high)
            }
        }
    }

    fn set_cell_byte(&mut self, ram: usize, cell: u64, low: u32, byte: u8) {
        self.store_part(ram, cell, low, 8, byte.into());
    }
}

impl Machine for State<'_> {
    fn read_register(&self, register: usize, element: usize) -> u128 {
        self.get_register(register, element).to_u128()
    }

    fn read_register_bits(&self, register: usize, element: usize) -> Bits {
        self.get_register(register, element)
    }

    fn write_register_bits(&mut self, register: usize, element: usize, value: Bits) {
        let width = self.model.registers[register].width_bits;
        for low in (0..width).step_by(128) {
            let part = (width - low).min(128);
            self.write_bits(register, element, low, part, value.extract(low, part));
        }
    }

    fn write_register(&mut self, register: usize, element: usize, value: u128) {
        let width = self.model.registers[register].width_bits;
        self.write_register_bits(register, element, Bits::from_u128(value & mask(width)));
    }

    fn read_bytes(&self, map: usize, address: u64, bytes: &mut [u8]) -> Result<(), u64> {
        read_map_bytes(self.model, self, map, address, bytes)
    }

    fn write_bytes(&mut self, map: usize, address: u64, bytes: &[u8]) -> Result<(), u64> {
        let model = self.model;
        write_map_bytes(model, self, map, address, bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::Clean;

    #[test]
    fn a_stretch_may_begin_as_far_as_it_ends_within() {
        let clean = Clean { first: 100, cells: 10 };
        assert_eq!((clean.places(1), clean.places(4), clean.places(10), clean.places(11)), (10, 7, 1, 0));
        assert_eq!(Clean { first: 0, cells: 0 }.places(1), 0);
    }
}
