//! Ranges of a memory map lie within their memory and their map's addresses, and are disjoint.

use crate::diagnostic::Diagnostics;
use crate::model::{Map, Model};
use crate::resolve::code;
use crate::resolve::report::{count, error};

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
        let Some(ram) = model.rams.get(range.ram.index()) else {
            continue;
        };
        let cells = u128::from(range.high) - u128::from(range.low) + 1;
        if cells > u128::from(ram.size_cells) {
            let message = format!("the range has {cells:#x} cells, but `{}` has fewer", ram.name);
            let end = range.low.saturating_add(ram.size_cells - 1);
            let diagnostic = error(code::RANGE_BOUNDS, range.span, message, "out of bounds")
                .secondary(ram.span, format!("has {:#x} cells", ram.size_cells))
                .help(format!("end the range at {end:#x}, or enlarge the memory"));
            diagnostics.push(diagnostic);
        }
    }
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
