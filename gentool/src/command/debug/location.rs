//! What people write for places, values and conditions.

use gentool::disassembler::Symbol;
use isac_ir::Model;
use isac_ir::bits::Bits;
use isac_ir::resource::RegisterPlace;
use sim_debug::{AddressSpace, find_place};
use sim_runtime::Machine;
use sim_runtime::launcher::{LaunchInfo, parse_number, parse_wide};

use crate::command::program::Extent;

/// So many cells behind a symbol nothing belongs to it any more.
const FAR_BEHIND: u64 = 1 << 24;

/// An address in cells: a number, a symbol, or `SYMBOL+NUMBER`.
pub(super) fn parse_address(symbols: &[Symbol], text: &str) -> Result<u64, String> {
    let (name, offset) = match text.split_once('+') {
        Some((name, offset)) => (name.trim(), parse_number(offset.trim())?),
        None => (text, 0),
    };
    let named = symbols.iter().find(|symbol| symbol.name == name).map(|symbol| symbol.address);
    let address = match (named, name.starts_with(|letter: char| letter.is_ascii_digit())) {
        (Some(address), _) => address,
        (None, true) => parse_number(name)?,
        (None, false) => return Err(format!("the program has no symbol `{name}`; write one, or a number")),
    };
    address.checked_add(offset).ok_or_else(|| format!("`{text}` is no address: it has more than 64 bits"))
}

/// Cells of a map.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Located {
    /// Index of the map.
    pub(super) map: usize,
    /// The first cell.
    pub(super) address: u64,
    /// How many a symbol has, if one is named that tells.
    pub(super) cells: Option<u64>,
}

/// Where data is: a number counts cells of a map, TARGET's HOST if none is named; a symbol tells its map.
pub(super) fn locate_data(
    (symbols, extents): (&[Symbol], &[Extent]),
    (space, info): (&AddressSpace, &LaunchInfo),
    text: &str,
    map: Option<usize>,
) -> Result<Located, String> {
    let address = parse_address(symbols, text)?;
    let (name, offset) = match text.split_once('+') {
        Some((name, offset)) => (name.trim(), parse_number(offset.trim())?),
        None => (text, 0),
    };
    let named = extents.iter().filter(|extent| extent.name == name).map(|extent| {
        let (found, byte) = space.locate(extent.address);
        let cell_bytes = info.cell_bytes(found).max(1);
        let cells = extent.size_bytes.div_ceil(cell_bytes);
        let cells = Some(cells).filter(|cells| *cells > 0 && offset == 0);
        Located { map: found, address: (byte / cell_bytes).saturating_add(offset), cells }
    });
    let mut named = named.filter(|located| map.is_none_or(|map| map == located.map));
    Ok(named.next().unwrap_or(Located { map: map.unwrap_or(info.host_map), address, cells: None }))
}

/// The nearest symbol at or before an address, as `name` or `name+3`; nothing if there is none near.
pub(super) fn describe_address(symbols: &[Symbol], address: u64) -> String {
    let before = symbols.partition_point(|symbol| symbol.address <= address);
    match before.checked_sub(1).map(|index| &symbols[index]) {
        None => String::new(),
        Some(symbol) if symbol.address == address => symbol.name.clone(),
        Some(symbol) if address - symbol.address >= FAR_BEHIND => String::new(),
        Some(symbol) => format!("{}+{}", symbol.name, address - symbol.address),
    }
}

/// A register by its name.
pub(super) fn parse_register(model: &Model, name: &str) -> Result<RegisterPlace, String> {
    find_place(model, name).ok_or_else(|| {
        match model.registers.iter().find(|register| register.name == name && register.count.is_some()) {
            Some(file) => format!(
                "`{name}` is a register file of {}; name an element, as `{name}[0]`; `registers {name}` shows all",
                file.elements()
            ),
            None => format!("the model has no register `{name}`; `registers` lists all"),
        }
    })
}

/// What makes a breakpoint count.
#[derive(Debug, Clone)]
pub(super) struct Condition {
    place: RegisterPlace,
    comparison: Comparison,
    value: u128,
    pub(super) text: String,
}

#[derive(Debug, Clone, Copy)]
enum Comparison {
    Equal,
    Unequal,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

impl Condition {
    /// `REGISTER OPERATOR VALUE`, the value without a sign.
    pub(super) fn parse(model: &Model, words: &[&str]) -> Result<Condition, String> {
        let [name, operator, value] = words else {
            return Err("a condition is REGISTER OPERATOR VALUE, as in if a0 == 5".to_owned());
        };
        let comparison = match *operator {
            "==" => Comparison::Equal,
            "!=" => Comparison::Unequal,
            "<" => Comparison::Less,
            "<=" => Comparison::LessOrEqual,
            ">" => Comparison::Greater,
            ">=" => Comparison::GreaterOrEqual,
            other => return Err(format!("`{other}` is no comparison; write ==, !=, <, <=, > or >=")),
        };
        let place = parse_register(model, name)?;
        let value = parse_wide(value)?;
        if place.width_bits < 128 && value >> place.width_bits != 0 {
            return Err(format!("`{name}` has {} bits, and the value more", place.width_bits));
        }
        Ok(Condition { place, comparison, value, text: words.join(" ") })
    }

    pub(super) fn holds(&self, machine: &dyn Machine) -> bool {
        let held = machine.read_place(&self.place);
        match self.comparison {
            Comparison::Equal => held == self.value,
            Comparison::Unequal => held != self.value,
            Comparison::Less => held < self.value,
            Comparison::LessOrEqual => held <= self.value,
            Comparison::Greater => held > self.value,
            Comparison::GreaterOrEqual => held >= self.value,
        }
    }
}

/// A value as hexadecimal digits, as many as its width needs.
pub(super) fn format_bits(value: Bits, width_bits: u32) -> String {
    let digits = width_bits.div_ceil(4) as usize;
    let bytes = value.to_be_bytes(width_bits.div_ceil(8) * 8);
    let text: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("0x{}", &text[text.len().saturating_sub(digits)..])
}
