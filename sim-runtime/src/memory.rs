//! Memory of a simulated processor: cells behind the ranges of maps.

mod saved;

use isac_ir::Model;
use isac_ir::bits::{Bits, mask};
use isac_ir::decode::{CellSource, DecodeError, decode_element};
use isac_ir::resource::{Map, Ram};

use crate::device::DeviceCells;
use crate::fault::{AccessKind, FaultKind};
use saved::PAGE_BYTES;
pub use saved::SavedMemory;

/// The cells of one RAM, each in the fewest whole bytes that hold it (1 to 32, a power of two), in the
/// host-independent order of [`u64::to_le_bytes`].
#[derive(Debug, Clone)]
pub struct Cells {
    bytes: Vec<u8>,
    cell_bytes: usize,
    cell_bits: u32,
    /// By page, whether it was written since the memory was last saved or restored.
    written: Vec<bool>,
}

impl Cells {
    /// All cells as they are before a program is loaded.
    pub fn new(ram: &Ram) -> Cells {
        let cell_bytes = (ram.cell_bits.div_ceil(8) as usize).next_power_of_two();
        let size = ram.size_cells as usize * cell_bytes;
        let mut bytes = vec![0; size];
        if ram.fill != 0 {
            let fill = Bits::from_u128(ram.fill).to_be_bytes(cell_bytes as u32 * 8);
            let low_first = fill.into_iter().rev().cycle();
            bytes.iter_mut().zip(low_first).for_each(|(byte, fill)| *byte = fill);
        }
        let written = vec![false; bytes.len().div_ceil(PAGE_BYTES)];
        Cells { bytes, cell_bytes, cell_bits: ram.cell_bits, written }
    }

    /// Number of cells.
    pub fn len(&self) -> u64 {
        (self.bytes.len() / self.cell_bytes) as u64
    }

    /// True if there is no cell.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// All bits of a cell; 0 beyond the end.
    pub fn get_wide(&self, cell: u64) -> Bits {
        let start = cell as usize * self.cell_bytes;
        let mut bytes = self.bytes.get(start..start + self.cell_bytes).unwrap_or_default().to_vec();
        bytes.reverse();
        Bits::from_be_bytes(&bytes)
    }

    /// Sets bits `low..low + width` of a cell, at most 128; nothing happens beyond the end.
    pub fn set_part(&mut self, cell: u64, low: u32, width: u32, value: u128) {
        let width = width.min(self.cell_bits.saturating_sub(low));
        let new = self.get_wide(cell).with(low, width, value);
        let start = cell as usize * self.cell_bytes;
        if let Some(place) = self.bytes.get_mut(start..start + self.cell_bytes) {
            let bytes = new.to_be_bytes(place.len() as u32 * 8);
            place.iter_mut().zip(bytes.into_iter().rev()).for_each(|(place, byte)| *place = byte);
            // Cells have powers of two of bytes: none lies in two pages.
            self.written[start / PAGE_BYTES] = true;
        }
    }

    /// A cell's value, its low 64 bits if it is wider; 0 beyond the end.
    pub fn get(&self, cell: u64) -> u64 {
        let start = cell as usize * self.cell_bytes;
        let mut value = [0; 8];
        let size = self.cell_bytes.min(8);
        if let Some(bytes) = self.bytes.get(start..start + size) {
            value[..size].copy_from_slice(bytes);
        }
        u64::from_le_bytes(value)
    }

    /// The values of cells in a row that have at most 8 bits each; 0 beyond the end.
    fn get_bytes(&self, cell: u64, bytes: &mut [u8]) {
        let rest = self.bytes.get(cell as usize..).unwrap_or_default();
        let (known, beyond) = bytes.split_at_mut(rest.len().min(bytes.len()));
        known.copy_from_slice(&rest[..known.len()]);
        beyond.fill(0);
    }

    /// Sets a cell of at most 64 bits, upper bits dropped; nothing happens beyond the end.
    pub fn set(&mut self, cell: u64, value: u64) {
        let start = cell as usize * self.cell_bytes;
        let value = value & isac_ir::bits::mask(self.cell_bits) as u64;
        if let Some(bytes) = self.bytes.get_mut(start..start + self.cell_bytes) {
            let size = bytes.len().min(8);
            bytes[..size].copy_from_slice(&value.to_le_bytes()[..size]);
            self.written[start / PAGE_BYTES] = true;
        }
    }
}

/// Where an access lands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Landing {
    /// Index of the memory.
    pub ram: usize,
    /// Its first cell touched.
    pub cell: u64,
    /// Least significant bit of the map's cell in the memory's.
    pub low_bit: u32,
}

/// What an access reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reached {
    /// Cells of a memory.
    Memory(Landing),
    /// Cells of a device.
    Device(DeviceCells),
}

/// Finds the memory behind `cells` cells from `address` on; FLAGS are not asked.
pub fn find_range(map: &Map, address: u64, cells: u64) -> Option<Landing> {
    let last = address.checked_add(cells.checked_sub(1)?)?;
    let after = map.ranges.partition_point(|range| range.low <= address);
    let range = &map.ranges[after.checked_sub(1)?];
    (last <= range.high).then(|| Landing {
        ram: range.ram as usize,
        cell: address - range.low,
        low_bit: range.low_bit,
    })
}

/// Finds what an access by the program reaches, with FLAGS enforced; a device can be read and
/// written, and holds no instructions.
///
/// # Errors
/// As [`check_range`].
pub fn check_access(
    model: &Model,
    map: u32,
    address: u64,
    cells: u32,
    access: AccessKind,
) -> Result<Reached, FaultKind> {
    let memory = check_range(model, map, address, u64::from(cells), access);
    memory.map(Reached::Memory).or_else(|fault| match access {
        AccessKind::Fetch => Err(fault),
        AccessKind::Read | AccessKind::Write => {
            find_device(model, map, address, cells).map(Reached::Device).ok_or(fault)
        }
    })
}

/// Finds the device behind `cells` cells from `address` on.
pub fn find_device(model: &Model, map: u32, address: u64, cells: u32) -> Option<DeviceCells> {
    let last = address.checked_add(u64::from(cells.checked_sub(1)?))?;
    let ranges = &model.maps[map as usize].devices;
    let range = ranges.iter().find(|range| range.low <= address && last <= range.high)?;
    let (device, map) = (range.device as usize, map as usize);
    Some(DeviceCells { device, map, first: address - range.low, count: cells })
}

/// The same, with FLAGS enforced.
///
/// # Errors
/// A memory fault, if the access lies outside every range, across the end of one, or lacks its
/// flag.
pub fn check_range(
    model: &Model,
    map: u32,
    address: u64,
    cells: u64,
    access: AccessKind,
) -> Result<Landing, FaultKind> {
    let fault = FaultKind::Memory { access, address };
    let landing = find_range(&model.maps[map as usize], address, cells).ok_or(fault)?;
    let ram = &model.rams[landing.ram];
    let allowed = match access {
        AccessKind::Read => ram.readable,
        AccessKind::Write => ram.writable,
        AccessKind::Fetch => ram.executable,
    };
    if allowed { Ok(landing) } else { Err(fault) }
}

/// The memories of a model.
#[derive(Debug, Clone)]
pub struct Memory {
    rams: Vec<Cells>,
    /// What was saved or restored last: pages that were not written since are as they are there.
    saved: Option<SavedMemory>,
}

impl Memory {
    /// All cells as they are before a program is loaded.
    pub fn new(model: &Model) -> Memory {
        Memory { rams: model.rams.iter().map(Cells::new).collect(), saved: None }
    }

    /// Joins cells in the target's order: little-endian, the first is the least significant.
    pub fn load(&self, model: &Model, map: u32, landing: Landing, cells: u32) -> u128 {
        join_cells(model, map, self, landing, cells)
    }

    /// The opposite of [`Memory::load`].
    pub fn store(&mut self, model: &Model, map: u32, landing: Landing, cells: u32, value: u128) {
        let bits = model.maps[map as usize].cell_bits;
        for index in 0..cells {
            let new = value >> shift_of(model, bits, cells, index);
            let ram = &mut self.rams[landing.ram];
            ram.set_part(landing.cell + u64::from(index), landing.low_bit, bits.min(128), new);
        }
    }

    /// Bits of one cell of a map, at most 128, from bit `low` of it on.
    pub fn load_part(&self, landing: Landing, low: u32, width: u32) -> u128 {
        self.rams[landing.ram].get_wide(landing.cell).extract(landing.low_bit + low, width)
    }

    /// The opposite of [`Memory::load_part`].
    pub fn store_part(&mut self, landing: Landing, low: u32, width: u32, value: u128) {
        self.rams[landing.ram].set_part(landing.cell, landing.low_bit + low, width, value);
    }
}

/// Memories whose cells can be read and written one by one.
pub trait CellStore {
    /// A cell's value; 0 beyond the end.
    fn get_cell(&self, ram: usize, cell: u64) -> u64;

    /// Sets a cell; nothing happens beyond the end.
    fn set_cell(&mut self, ram: usize, cell: u64, value: u64);

    /// All bits of a cell that may have more than 64.
    fn get_wide_cell(&self, ram: usize, cell: u64) -> Bits {
        Bits::from_u128(self.get_cell(ram, cell).into())
    }

    /// The values of cells in a row that have at most 8 bits each.
    fn get_bytes(&self, ram: usize, cell: u64, bytes: &mut [u8]) {
        for (byte, cell) in bytes.iter_mut().zip(cell..) {
            *byte = self.get_cell(ram, cell) as u8;
        }
    }

    /// Sets a byte of a cell that has more than 64 bits, `low` being its least significant bit.
    fn set_cell_byte(&mut self, ram: usize, cell: u64, low: u32, byte: u8) {
        let others = !(0xff << low);
        self.set_cell(ram, cell, self.get_cell(ram, cell) & others | u64::from(byte) << low);
    }
}

impl CellStore for Memory {
    fn get_cell(&self, ram: usize, cell: u64) -> u64 {
        self.rams[ram].get(cell)
    }

    fn set_cell(&mut self, ram: usize, cell: u64, value: u64) {
        self.rams[ram].set(cell, value);
    }

    fn get_wide_cell(&self, ram: usize, cell: u64) -> Bits {
        self.rams[ram].get_wide(cell)
    }

    fn get_bytes(&self, ram: usize, cell: u64, bytes: &mut [u8]) {
        self.rams[ram].get_bytes(cell, bytes);
    }

    fn set_cell_byte(&mut self, ram: usize, cell: u64, low: u32, byte: u8) {
        self.rams[ram].set_part(cell, low, 8, byte.into());
    }
}

/// Fetches cells of an instruction: those that stand `first_bit` bits behind the one at `address`,
/// joined in the target's byte order. Addresses wrap at the map's address width, and what lies on
/// either side of that is fetched by itself.
///
/// # Errors
/// A memory fault, with the address of the first cell that is fetched together.
pub fn fetch_cells(
    model: &Model,
    store: &impl CellStore,
    map: u32,
    address: u64,
    first_bit: u32,
    width_bits: u32,
) -> Result<Bits, FaultKind> {
    let table = &model.maps[map as usize];
    let last = isac_ir::bits::mask(table.address_bits) as u64;
    let cells = width_bits / table.cell_bits;
    let mut next = address.wrapping_add(u64::from(first_bit / table.cell_bits)) & last;
    let (mut word, mut done) = (Bits::ZERO, 0);
    while done < cells {
        let before_wrap = (last - next).saturating_add(1).min(u64::from(cells - done)) as u32;
        let landing = check_range(model, map, next, u64::from(before_wrap), AccessKind::Fetch)?;
        for index in 0..before_wrap {
            let cell = store.get_wide_cell(landing.ram, landing.cell + u64::from(index));
            let low = shift_of(model, table.cell_bits, cells, done + index);
            for part in (0..table.cell_bits).step_by(128) {
                let width = (table.cell_bits - part).min(128);
                word = word.with(low + part, width, cell.extract(landing.low_bit + part, width));
            }
        }
        done += before_wrap;
        next = next.wrapping_add(u64::from(before_wrap)) & last;
    }
    Ok(word)
}

/// The word of an instruction as its decoder counts it, of the cells that decoding asks for; bits of
/// any others are 0. The decoder's variants have no TAIL.
///
/// # Errors
/// The fault that decoding it is.
pub fn fetch_asked(
    model: &Model,
    store: &impl CellStore,
    map: u32,
    decoder: u32,
    address: u64,
) -> Result<Bits, FaultKind> {
    let mut source = CellsFrom { model, store, map, address };
    let element = decode_element(model, decoder, &mut source).map_err(|error| match error {
        DecodeError::Illegal => FaultKind::IllegalInstruction,
        DecodeError::Fetch(fault) => fault,
    })?;
    let (word, width_bits) = element.words[0];
    let behind = model.decoders[decoder as usize].width_bits - width_bits;
    Ok(if model.target.big_endian { word.shifted(behind) } else { word })
}

/// The cells of a map from an address on.
#[derive(Debug)]
pub struct CellsFrom<'a, S> {
    /// Whose map it is.
    pub model: &'a Model,
    /// What stands behind the map.
    pub store: &'a S,
    /// Index of the map.
    pub map: u32,
    /// Address of the first cell.
    pub address: u64,
}

impl<S: CellStore> CellSource for CellsFrom<'_, S> {
    type Fault = FaultKind;

    fn fetch(&mut self, first_bit: u32, width_bits: u32) -> Result<Bits, FaultKind> {
        fetch_cells(self.model, self.store, self.map, self.address, first_bit, width_bits)
    }
}

/// Joins cells of a store in the target's order, as [`Memory::load`] does.
pub fn join_cells(model: &Model, map: u32, store: &impl CellStore, landing: Landing, cells: u32) -> u128 {
    let bits = model.maps[map as usize].cell_bits;
    (0..cells).fold(0, |value, index| {
        let cell = store.get_wide_cell(landing.ram, landing.cell + u64::from(index));
        let cell = cell.extract(landing.low_bit, bits.min(128));
        value | cell << shift_of(model, bits, cells, index)
    })
}

/// Reads bytes of a map, as [`crate::Machine::read_bytes`] does.
///
/// # Errors
/// The byte address that no range holds.
pub fn read_map_bytes(
    model: &Model,
    store: &impl CellStore,
    map: usize,
    address: u64,
    bytes: &mut [u8],
) -> Result<(), u64> {
    let mut done = 0;
    while done < bytes.len() {
        let place = byte_place(model, map, address.wrapping_add(done as u64))?;
        let rest = &mut bytes[done..];
        // Bytes that are cells of one range are read in a row: whole memories are read this way.
        let count = place.cells_in_row.min(rest.len() as u64) as usize;
        let ram = place.landing.ram;
        if model.rams[ram].cell_bits <= 8 && place.shift == 0 {
            store.get_bytes(ram, place.landing.cell, &mut rest[..count]);
            rest[..count].iter_mut().for_each(|byte| *byte &= place.mask as u8);
            done += count;
            continue;
        }
        for (byte, cell) in rest[..count].iter_mut().zip(place.landing.cell..) {
            *byte = match model.rams[ram].cell_bits {
                ..=64 => (store.get_cell(ram, cell) >> place.shift & place.mask) as u8,
                _ => store.get_wide_cell(ram, cell).extract(place.shift, 8) as u8 & place.mask as u8,
            };
        }
        done += count;
    }
    Ok(())
}

/// Writes bytes of a map, as [`crate::Machine::write_bytes`] does.
///
/// # Errors
/// The byte address that no range holds; nothing is written then.
pub fn write_map_bytes(
    model: &Model,
    store: &mut impl CellStore,
    map: usize,
    address: u64,
    bytes: &[u8],
) -> Result<(), u64> {
    for index in 0..bytes.len() {
        byte_place(model, map, address.wrapping_add(index as u64))?;
    }
    for (index, byte) in bytes.iter().enumerate() {
        let place = byte_place(model, map, address.wrapping_add(index as u64))?;
        let (ram, cell) = (place.landing.ram, place.landing.cell);
        if model.rams[ram].cell_bits > 64 {
            let kept = store.get_wide_cell(ram, cell).extract(place.shift, 8) as u8 & !place.mask as u8;
            store.set_cell_byte(ram, cell, place.shift, kept | byte & place.mask as u8);
            continue;
        }
        let old = store.get_cell(ram, cell) & !(place.mask << place.shift);
        store.set_cell(ram, cell, old | (u64::from(*byte) & place.mask) << place.shift);
    }
    Ok(())
}

/// Where cell `index` of several stands in their joined value.
fn shift_of(model: &Model, cell_bits: u32, cells: u32, index: u32) -> u32 {
    let rank = if model.target.big_endian { cells - 1 - index } else { index };
    rank * cell_bits
}

/// A byte of a map.
struct BytePlace {
    landing: Landing,
    shift: u32,
    /// The bits of the byte that the cell has.
    mask: u64,
    /// Number of cells from here on in which the bytes that follow lie, a byte in each.
    cells_in_row: u64,
}

/// Finds a byte: cells of several bytes are split in the target's byte order.
fn byte_place(model: &Model, map: usize, address: u64) -> Result<BytePlace, u64> {
    let table = &model.maps[map];
    let cell_bytes = u64::from(table.cell_bits.div_ceil(8));
    let last = mask(table.address_bits) as u64;
    let cell = address / cell_bytes;
    let landing = (cell & !last == 0).then(|| find_range(table, cell, 1)).flatten().ok_or(address)?;
    let byte = (address % cell_bytes) as u32;
    let rank = if model.target.big_endian { cell_bytes as u32 - 1 - byte } else { byte };
    let bits = 8.min(table.cell_bits - rank * 8);
    let cells_in_row = if cell_bytes == 1 { cells_to_range_end(table, cell) } else { 1 };
    Ok(BytePlace { landing, shift: landing.low_bit + rank * 8, mask: mask(bits) as u64, cells_in_row })
}

/// Number of cells from one that a range holds to the range's end, at least 1.
fn cells_to_range_end(map: &Map, cell: u64) -> u64 {
    let range = map.ranges.iter().find(|range| (range.low..=range.high).contains(&cell));
    range.map_or(1, |range| (range.high - cell).saturating_add(1))
}
