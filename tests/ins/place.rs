//! A register, an element of a register file, or cells of a map.

use isac_ir::Model;
use isac_ir::bits::mask;
use sim_runtime::Machine;

/// Where a value is put or looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    Register {
        register: usize,
        element: usize,
    },
    /// An ALIAS or the program counter, by its index among the model's ALIASes.
    Alias(usize),
    /// `cells` cells from a cell address on.
    Memory {
        map: usize,
        address: u64,
        cells: u64,
    },
}

impl Place {
    /// Reads `pc`, `a0`, `x[10]`, `defaultmap[0x80]`, `defaultmap.u32[0x80]`.
    pub(crate) fn parse(text: &str, model: &Model) -> Option<Place> {
        if let Some((name, index)) = text.strip_suffix(']').and_then(|text| text.split_once('[')) {
            let index = parse_number(index)?;
            return indexed_register(name, index, model).or_else(|| cells(name, index, model));
        }
        if let Some(alias) = model.aliases.iter().position(|alias| alias.name == text) {
            return Some(Place::Alias(alias));
        }
        for (register, table) in model.registers.iter().enumerate() {
            if table.count.is_none() && table.name == text {
                return Some(Place::Register { register, element: 0 });
            }
            let has = |names: &Vec<String>| names.iter().any(|name| name == text);
            if let Some(element) = table.element_names.iter().position(has) {
                return Some(Place::Register { register, element });
            }
        }
        None
    }

    /// A number as the place holds it: modulo two to the width.
    pub(crate) fn truncate(self, value: i128, model: &Model) -> u128 {
        let width = match self {
            Place::Register { register, .. } => model.registers[register].width_bits,
            Place::Alias(alias) => model.aliases[alias].width_bits,
            Place::Memory { map, cells, .. } => model.maps[map].cell_bits * cells as u32,
        };
        value as u128 & mask(width)
    }

    /// Sets the place.
    pub(crate) fn write(self, value: u128, machine: &mut dyn Machine, model: &Model) -> Result<(), String> {
        match self {
            Place::Register { register, element } => machine.write_register(register, element, value),
            Place::Alias(alias) => machine.write_place(&model.aliases[alias], value),
            Place::Memory { map, address, .. } => {
                let bytes = self.bytes(value, model);
                let outside = |address| format!("there is no memory at {address:#x}");
                let first = address.wrapping_mul(cell_bytes(model, map));
                machine.write_bytes(map, first, &bytes).map_err(outside)?;
            }
        }
        Ok(())
    }

    /// A value as the bytes of the place, in the target's order; none for a register.
    pub(crate) fn bytes(self, value: u128, model: &Model) -> Vec<u8> {
        let Place::Memory { map, cells, .. } = self else { return Vec::new() };
        let size = (cells * cell_bytes(model, map)) as usize;
        let mut bytes = value.to_le_bytes()[..size].to_vec();
        if model.target.big_endian {
            bytes.reverse();
        }
        bytes
    }
}

/// The bytes of a cell of a map.
pub(crate) fn cell_bytes(model: &Model, map: usize) -> u64 {
    u64::from(model.maps[map].cell_bits.div_ceil(8))
}

fn indexed_register(name: &str, index: i128, model: &Model) -> Option<Place> {
    let register = model.registers.iter().position(|table| table.name == name)?;
    let element = usize::try_from(index).ok()?;
    let exists = model.registers[register].count.is_some_and(|count| element < count as usize);
    exists.then_some(Place::Register { register, element })
}

fn cells(name: &str, address: i128, model: &Model) -> Option<Place> {
    let (name, view_bits) = match name.split_once('.') {
        None => (name, None),
        Some((name, "u8")) => (name, Some(8)),
        Some((name, "u16")) => (name, Some(16)),
        Some((name, "u32")) => (name, Some(32)),
        Some((name, "u64")) => (name, Some(64)),
        Some(_) => return None,
    };
    let map = model.maps.iter().position(|table| table.name == name)?;
    let cell_bits = model.maps[map].cell_bits;
    let cells = u64::from(view_bits.unwrap_or(cell_bits) / cell_bits);
    Some(Place::Memory { map, address: u64::try_from(address).ok()?, cells })
}

/// Reads `-1`, `12`, `0x1f`.
pub(crate) fn parse_number(text: &str) -> Option<i128> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text),
    };
    let value = match digits.strip_prefix("0x") {
        Some(digits) if !negative => i128::from_str_radix(digits, 16).ok()?,
        Some(_) => return None,
        None => digits.parse().ok()?,
    };
    Some(if negative { -value } else { value })
}
