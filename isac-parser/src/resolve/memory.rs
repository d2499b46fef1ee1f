//! Memories and memory maps.

use super::code;
use super::collect::Definitions;
use super::names::{Definition, Global, Table, wrong_kind};
use super::option::{Once, OptionReader};
use super::report::{count, error, not_yet};
use super::typing;
use crate::ast::{MemoryMapDeclaration, RamDeclaration, RangeDeclaration, RangeTarget};
use crate::diagnostic::Diagnostics;
use crate::model::{Map, Ram, RamId, Range};

/// Most cells of a RAM: what a simulator can hold of 64-bit cells in 32 GiB.
const MOST_CELLS: u128 = 1 << 32;

const RAM_OPTIONS: [&str; 3] = ["SIZE", "FLAGS", "LATENCY"];

/// Resolves the memories into [`Table::rams`] and the maps into [`Table::maps`].
pub(crate) fn resolve_memories(
    definitions: &Definitions<'_>,
    table: &mut Table,
    diagnostics: &mut Diagnostics,
) {
    for ram in &definitions.rams {
        let ram = resolve_ram(ram, table, diagnostics);
        table.rams.push(ram);
    }
    for map in &definitions.maps {
        let map = resolve_map(map, table, diagnostics);
        table.maps.push(map);
    }
}

fn resolve_ram(declaration: &RamDeclaration, table: &Table, diagnostics: &mut Diagnostics) -> Option<Ram> {
    let mut ram = Ram {
        name: declaration.name.text.clone(),
        span: declaration.name.span,
        cell_bits: 0,
        size_cells: 0,
        readable: true,
        writable: true,
        executable: true,
        latency: 1,
    };
    let (mut once, mut size) = (Once::default(), None);
    for option in &declaration.options {
        let (name, arguments, span) = (&option.name, option.arguments.as_slice(), option.span);
        let reader = OptionReader { name, arguments, span, table };
        once.note(name, diagnostics);
        match name.text.as_str() {
            "SIZE" => size = Some(reader.number(1..=MOST_CELLS, diagnostics)),
            "LATENCY" => {
                if let Some(cycles) = reader.number(0..=u128::from(u32::MAX), diagnostics) {
                    ram.latency = u32::try_from(cycles).ok()?;
                }
            }
            "FLAGS" => {
                (ram.readable, ram.writable, ram.executable) = (false, false, false);
                for flag in arguments {
                    match reader.word(flag, &["R", "W", "X"], diagnostics) {
                        Some("R") => ram.readable = true,
                        Some("W") => ram.writable = true,
                        Some(_) => ram.executable = true,
                        None => {}
                    }
                }
            }
            _ => reader.unknown("a RAM", &RAM_OPTIONS, diagnostics),
        }
    }
    let what = "the width of a cell";
    let cell_bits = typing::number_within(table, &declaration.width, what, 1..=256, diagnostics);
    if size.is_none() {
        let message = format!("the RAM `{}` has no SIZE", ram.name);
        let diagnostic = error(code::BAD_OPTION, ram.span, message, "how many cells?")
            .help("say how many cells it has, as `SIZE (0x1000);`");
        diagnostics.push(diagnostic);
    }
    let cell_bits = u32::try_from(cell_bits?).ok()?;
    if cell_bits > 64 {
        let what = "a cell of more than 64 bits is";
        diagnostics.push(not_yet(code::LATER_WIDTH, declaration.width.span, what));
        return None;
    }
    ram.cell_bits = cell_bits;
    ram.size_cells = u64::try_from(size??).ok()?;
    Some(ram)
}

fn resolve_map(
    declaration: &MemoryMapDeclaration,
    table: &Table,
    diagnostics: &mut Diagnostics,
) -> Option<Map> {
    let address_bits = match &declaration.address_width {
        None => Some(u128::from(table.pc_bits().min(64))),
        Some(width) => typing::number_within(table, width, "the width of an address", 1..=64, diagnostics),
    };
    let mut ranges = Vec::new();
    for range in &declaration.ranges {
        ranges.extend(resolve_range(range, table, diagnostics));
    }
    if declaration.ranges.is_empty() {
        let message = format!("the memory map `{}` has no RANGE", declaration.name.text);
        let diagnostic = error(code::BAD_OPTION, declaration.name.span, message, "maps nothing")
            .help("add one, as `RANGE (0, 0xff) -> ram;`");
        diagnostics.push(diagnostic);
        return None;
    }
    let cell_bits = shared_cell(&ranges, table, diagnostics);
    ranges.sort_by_key(|range: &Range| (range.low, range.high));
    Some(Map {
        name: declaration.name.text.clone(),
        span: declaration.name.span,
        address_bits: u32::try_from(address_bits?).ok()?,
        cell_bits: cell_bits?,
        ranges,
    })
}

/// The width of a cell that all ranges share; reports the first that differs.
fn shared_cell(ranges: &[Range], table: &Table, diagnostics: &mut Diagnostics) -> Option<u32> {
    let (first, rest) = ranges.split_first()?;
    let cell_bits = table.ram(first.ram)?.cell_bits;
    for range in rest {
        let ram = table.ram(range.ram)?;
        if ram.cell_bits != cell_bits {
            let message = format!(
                "a range with cells of {} in a map with cells of {}",
                count(ram.cell_bits, "bit"),
                count(cell_bits, "bit"),
            );
            let diagnostic = error(code::CELL_WIDTH, range.span, message, "another cell")
                .secondary(first.span, format!("cells of {}", count(cell_bits, "bit")))
                .help("all ranges of a map share one width of cell");
            diagnostics.push(diagnostic);
            return None;
        }
    }
    Some(cell_bits)
}

fn resolve_range(range: &RangeDeclaration, table: &Table, diagnostics: &mut Diagnostics) -> Option<Range> {
    let limits = 0..=u128::from(u64::MAX);
    let low = typing::number_within(table, &range.low, "an address", limits.clone(), diagnostics);
    let high = typing::number_within(table, &range.high, "an address", limits, diagnostics);
    let ram = range_target(range, table, diagnostics);
    let (low, high) = (u64::try_from(low?).ok()?, u64::try_from(high?).ok()?);
    if low > high {
        let message = format!("the range ends at {high:#x}, before it begins at {low:#x}");
        let bounds = range.low.span.to(range.high.span);
        diagnostics.push(error(code::RANGE_BOUNDS, bounds, message, "no addresses"));
        return None;
    }
    Some(Range { low, high, ram: ram?, span: range.span })
}

fn range_target(range: &RangeDeclaration, table: &Table, diagnostics: &mut Diagnostics) -> Option<RamId> {
    let (name, slice) = match &range.target {
        RangeTarget::Resource { name, slice } => (name, slice),
        RangeTarget::Functions { .. } => {
            diagnostics.push(not_yet(code::LATER_FORM, range.span, "a range onto FUNCTIONs is"));
            return None;
        }
    };
    let found = table.names.global(name, "memory", diagnostics)?;
    let Definition { what: Global::Ram(id), .. } = found else {
        match found.what {
            Global::Unsupported(_) => {}
            Global::Register(_) => {
                let what = "a range onto a register is";
                diagnostics.push(not_yet(code::LATER_FORM, range.span, what));
            }
            _ => diagnostics.push(wrong_kind(name, &found, "a RAM")),
        }
        return None;
    };
    let ram = table.ram(id)?;
    if let Some((high, low)) = slice {
        let high_bit = typing::number(table, high, diagnostics);
        let low_bit = typing::number(table, low, diagnostics);
        let whole = (u128::from(ram.cell_bits) - 1, 0);
        let bounds = high.span.to(low.span);
        let (high_bit, low_bit) = (high_bit?, low_bit?);
        if high_bit > whole.0 || low_bit > high_bit {
            let cell = count(ram.cell_bits, "bit");
            let message = format!("bits {high_bit}..{low_bit} of a cell of {cell}");
            let diagnostic = error(code::OUT_OF_BOUNDS, bounds, message, "out of bounds")
                .secondary(ram.span, format!("cells of {cell}"));
            diagnostics.push(diagnostic);
            return None;
        }
        if (high_bit, low_bit) != whole {
            let what = "a range onto a part of each cell is";
            diagnostics.push(not_yet(code::LATER_FORM, bounds, what));
            return None;
        }
    }
    Some(id)
}
