//! Ranges of a memory map lie within what is behind them and their map's addresses, and are disjoint.

use crate::diagnostic::Diagnostics;
use crate::model::{Map, Model, RamId, Range, RangeTarget};
use crate::resolve::code;
use crate::resolve::report::{count, error};
use crate::source::Span;

/// Checks all ranges of all maps.
pub(super) fn check_ranges(model: &Model, diagnostics: &mut Diagnostics) {
    for map in &model.maps {
        check_bounds(model, map, diagnostics);
        check_overlap(map, diagnostics);
    }
}

fn check_bounds(model: &Model, map: &Map, diagnostics: &mut Diagnostics) {
    for range in &map.ranges {
        let last = u64::MAX >> (64 - map.address_bits.clamp(1, 64));
        if range.high > last {
            let message = format!("the range ends at {:#x}, beyond the map's addresses", range.high);
            let bits = count(map.address_bits, "bit");
            let diagnostic = error(code::RANGE_BOUNDS, range.span, message, "out of bounds")
                .secondary(map.span, format!("addresses have {bits}: the last one is {last:#x}"));
            diagnostics.push(diagnostic);
            continue;
        }
        check_size(model, range, diagnostics);
    }
}

/// Every address of a range has a cell behind it.
fn check_size(model: &Model, range: &Range, diagnostics: &mut Diagnostics) {
    let (name, declared, size, noun) = match range.target {
        RangeTarget::Ram(id) => ram(model, id),
        RangeTarget::Cache(id) => ram(model, model.caches[id.index()].over),
        RangeTarget::Register(id) => {
            let register = &model.registers[id.index()];
            let size = u128::from(register.count.unwrap_or(1));
            (&register.name, register.span, size, "element")
        }
        RangeTarget::Device(_) | RangeTarget::Functions { .. } => return,
    };
    let cells = u128::from(range.high) - u128::from(range.low) + 1;
    if cells > size {
        let message = format!("the range has {cells:#x} cells, but `{name}` has fewer");
        let end = u128::from(range.low) + size.saturating_sub(1);
        let has = if noun == "cell" { format!("{size:#x} cells") } else { count(size, noun) };
        let diagnostic = error(code::RANGE_BOUNDS, range.span, message, "out of bounds")
            .secondary(declared, format!("has {has}"))
            .help(format!("end the range at {end:#x}, or enlarge what is behind it"));
        diagnostics.push(diagnostic);
    }
}

fn ram(model: &Model, id: RamId) -> (&String, Span, u128, &'static str) {
    let ram = &model.rams[id.index()];
    (&ram.name, ram.span, u128::from(ram.size_cells), "cell")
}

fn check_overlap(map: &Map, diagnostics: &mut Diagnostics) {
    let Some((first, rest)) = map.ranges.split_first() else {
        return;
    };
    // The range that reaches furthest of those that begin before: by ascending low bound, a
    // range overlaps an earlier one exactly if it overlaps this one.
    let mut furthest = first;
    for range in rest {
        if range.low <= furthest.high {
            let from = range.low;
            let message = format!("two ranges of `{}` share the address {from:#x}", map.name);
            let (later, earlier) =
                if range.span > furthest.span { (range, furthest) } else { (furthest, range) };
            let diagnostic = error(code::RANGE_OVERLAP, later.span, message, "overlaps")
                .secondary(earlier.span, "with this range");
            diagnostics.push(diagnostic);
        }
        if range.high > furthest.high {
            furthest = range;
        }
    }
}
