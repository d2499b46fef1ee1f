//! Memories and memory maps.

use super::code;
use super::collect::Definitions;
use super::names::Table;
use super::option::{Once, OptionReader};
use super::range::{Resolved, resolve_range};
use super::report::{count, error};
use super::typing::{self, MAX_COMPUTED_BITS};
use crate::ast::{MemoryMapDeclaration, RamDeclaration};
use crate::diagnostic::Diagnostics;
use crate::model::{Map, Ram, Range, RangeTarget};

/// Most cells of a RAM: what a simulator can hold of 64-bit cells in 32 GiB.
const MOST_CELLS: u128 = 1 << 32;

/// Width of a cell of a map with nothing but devices.
const DEVICE_CELL_BITS: u32 = 8;

pub(crate) const RAM_OPTIONS: [&str; 4] = ["SIZE", "FLAGS", "LATENCY", "FILL"];

/// Resolves the memories into [`Table::rams`].
pub(crate) fn resolve_rams(definitions: &Definitions<'_>, table: &mut Table, diagnostics: &mut Diagnostics) {
    for ram in &definitions.rams {
        let ram = resolve_ram(ram, table, diagnostics);
        table.rams.push(ram);
    }
}

/// Resolves the maps into [`Table::maps`]; needs all that a RANGE may name.
pub(crate) fn resolve_maps(definitions: &Definitions<'_>, table: &mut Table, diagnostics: &mut Diagnostics) {
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
        latency_span: None,
        fill: 0,
    };
    let (mut once, mut size, mut fill) = (Once::default(), None, None);
    for option in &declaration.options {
        let (name, arguments, span) = (&option.name, option.arguments.as_slice(), option.span);
        let reader = OptionReader { name, arguments, span, table };
        once.note(name, diagnostics);
        match name.text.as_str() {
            "SIZE" => size = Some(reader.number(1..=MOST_CELLS, diagnostics)),
            "LATENCY" => {
                if let Some(cycles) = reader.cycles(diagnostics) {
                    ram.latency = cycles;
                    ram.latency_span = Some(span);
                }
            }
            "FILL" => fill = reader.number(0..=u128::MAX, diagnostics).map(|value| (value, span)),
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
    // An option that does not exist may be this one.
    if size.is_none() && declaration.options.iter().all(|option| RAM_OPTIONS.contains(&&*option.name.text)) {
        let message = format!("the RAM `{}` has no SIZE", ram.name);
        let diagnostic = error(code::BAD_OPTION, ram.span, message, "how many cells?")
            .help("say how many cells it has, as `SIZE (0x1000);`");
        diagnostics.push(diagnostic);
    }
    let cell_bits = u32::try_from(cell_bits?).ok()?;
    ram.cell_bits = cell_bits;
    if let Some((value, span)) = fill {
        if cell_bits < u128::BITS && value >> cell_bits != 0 {
            let message = format!("FILL ({value:#x}) does not fit {}", count(u128::from(cell_bits), "bit"));
            let diagnostic = error(code::BAD_OPTION, span, message, "too wide for a cell")
                .secondary(declaration.width.span, "the width of a cell")
                .help("write what one cell holds, as `FILL (0xff)` for cells of 8 bits");
            diagnostics.push(diagnostic);
        }
        ram.fill = value;
    }
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
    let cell_bits = shared_cell(&ranges, diagnostics).filter(|bits| check_wide(&ranges, *bits, diagnostics));
    let mut ranges: Vec<Range> = ranges.into_iter().map(|resolved| resolved.range).collect();
    ranges.sort_by_key(|range: &Range| (range.low, range.high));
    Some(Map {
        name: declaration.name.text.clone(),
        span: declaration.name.span,
        address_bits: u32::try_from(address_bits?).ok()?,
        cell_bits: cell_bits?,
        ranges,
    })
}

/// Cells that are wider than a value lie in memory: only there they are reached in parts.
fn check_wide(ranges: &[Resolved], cell_bits: u32, diagnostics: &mut Diagnostics) -> bool {
    let is_memory = |range: &Range| matches!(range.target, RangeTarget::Ram(_) | RangeTarget::Cache(_));
    let other = ranges.iter().find(|resolved| !is_memory(&resolved.range));
    let Some(Resolved { range, .. }) = other.filter(|_| cell_bits > MAX_COMPUTED_BITS) else { return true };
    let message = format!("cells of {} outside a memory", count(cell_bits, "bit"));
    let diagnostic = error(code::CELL_WIDTH, range.span, message, "no RAM and no CACHE")
        .help("a map with cells of more than 128 bits has RAMs and CACHEs alone");
    diagnostics.push(diagnostic);
    false
}

/// The width of a cell that all ranges share, that of a byte if there are devices alone; reports
/// the first that differs.
fn shared_cell(ranges: &[Resolved], diagnostics: &mut Diagnostics) -> Option<u32> {
    let mut widths = ranges.iter().filter_map(|range| Some((range.cell_bits?, range.range.span)));
    let Some((cell_bits, first)) = widths.next() else {
        return (!ranges.is_empty()).then_some(DEVICE_CELL_BITS);
    };
    for (width, span) in widths {
        if width != cell_bits {
            let message = format!(
                "a range with cells of {} in a map with cells of {}",
                count(width, "bit"),
                count(cell_bits, "bit"),
            );
            let diagnostic = error(code::CELL_WIDTH, span, message, "another cell")
                .secondary(first, format!("cells of {}", count(cell_bits, "bit")))
                .help("all ranges of a map share one width of cell; a slice takes a part of a wider one");
            diagnostics.push(diagnostic);
            return None;
        }
    }
    Some(cell_bits)
}
