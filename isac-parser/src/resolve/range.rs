//! What a RANGE of a memory map stands for, and how wide its cells are.

use super::code;
use super::names::{Global, ResultType, Signature, Table, undefined, wrong_kind};
use super::report::{count, error};
use super::suggestion::unless_unread;
use super::typing;
use crate::ast::{Expr, Name, RangeDeclaration, RangeTarget as Written};
use crate::diagnostic::Diagnostics;
use crate::model::{FunctionId, Range, RangeTarget};

/// A range with the width of its cells; `None` for a device, which takes that of its map.
pub(super) struct Resolved {
    pub(super) range: Range,
    pub(super) cell_bits: Option<u32>,
}

/// What a range stands for: bits of each cell from `low_bit` on.
struct Target {
    what: RangeTarget,
    low_bit: u32,
    cell_bits: Option<u32>,
}

/// Resolves one RANGE.
pub(super) fn resolve_range(
    range: &RangeDeclaration,
    table: &Table,
    diagnostics: &mut Diagnostics,
) -> Option<Resolved> {
    let limits = 0..=u128::from(u64::MAX);
    let low = typing::number_within(table, &range.low, "an address", limits.clone(), diagnostics);
    let high = typing::number_within(table, &range.high, "an address", limits, diagnostics);
    let target = match &range.target {
        Written::Resource { name, slice } => resource(name, slice.as_ref(), table, diagnostics),
        Written::Functions { read, write } => functions(read, write, table, diagnostics),
    };
    let (low, high) = (u64::try_from(low?).ok()?, u64::try_from(high?).ok()?);
    if low > high {
        let message = format!("the range ends at {high:#x}, before it begins at {low:#x}");
        let bounds = range.low.span.to(range.high.span);
        diagnostics.push(error(code::RANGE_BOUNDS, bounds, message, "no addresses"));
        return None;
    }
    let Target { what, low_bit, cell_bits } = target?;
    Some(Resolved { range: Range { low, high, target: what, low_bit, span: range.span }, cell_bits })
}

fn resource(
    name: &Name,
    slice: Option<&(Expr, Expr)>,
    table: &Table,
    diagnostics: &mut Diagnostics,
) -> Option<Target> {
    let found = table.names.global(name, "memory", diagnostics)?;
    let (what, width_bits) = match found.what {
        Global::Ram(id) => (RangeTarget::Ram(id), table.ram(id)?.cell_bits),
        Global::Register(id) => (RangeTarget::Register(id), table.register(id)?.width_bits),
        Global::Cache(id) => {
            (RangeTarget::Cache(id), table.ram(table.caches.get(id.index())?.as_ref()?.over)?.cell_bits)
        }
        Global::Device(id) => {
            if let Some((high, low)) = slice {
                let message = format!("a slice of the DEVICE `{}`", name.text);
                let span = high.span.to(low.span);
                let diagnostic = error(code::BAD_OPTION, span, message, "a device has no cells of its own")
                    .help("leave the slice out; the device takes the width of the map's cells");
                diagnostics.push(diagnostic);
                return None;
            }
            table.devices.get(id.index())?.as_ref()?;
            return Some(Target { what: RangeTarget::Device(id), low_bit: 0, cell_bits: None });
        }
        _ => {
            diagnostics.push(wrong_kind(name, &found, "a RAM, CACHE, DEVICE or register"));
            return None;
        }
    };
    let Some((high, low)) = slice else {
        return Some(Target { what, low_bit: 0, cell_bits: Some(width_bits) });
    };
    let bounds = high.span.to(low.span);
    let high = typing::number(table, high, diagnostics);
    let low = typing::number(table, low, diagnostics);
    let (high, low) = (high?, low?);
    if high >= u128::from(width_bits) || low > high {
        let cell = count(width_bits, "bit");
        let message = format!("bits {high}..{low} of a cell of {cell}");
        let diagnostic = error(code::OUT_OF_BOUNDS, bounds, message, "out of bounds")
            .secondary(found.span, format!("cells of {cell}"));
        diagnostics.push(diagnostic);
        return None;
    }
    let (high, low_bit) = (u32::try_from(high).ok()?, u32::try_from(low).ok()?);
    Some(Target { what, low_bit, cell_bits: Some(high - low_bit + 1) })
}

/// `(read, write)`: `bit[n] read(address)` and `void write(address, bit[n] value)`.
fn functions(read: &Name, write: &Name, table: &Table, diagnostics: &mut Diagnostics) -> Option<Target> {
    let reader = function(read, table, diagnostics);
    let writer = function(write, table, diagnostics);
    let (read_id, reader) = reader?;
    let (write_id, writer) = writer?;
    let cell = match (reader.parameters.as_slice(), reader.result) {
        ([_], ResultType::Value(ty)) => Some(ty.width_bits),
        (_, ResultType::Broken) => return None,
        _ => {
            let message = format!("`{}` cannot read the cells of a range", read.text);
            let diagnostic = error(code::RANGE_FUNCTION, read.span, message, "has another signature")
                .secondary(reader.span, "defined here")
                .help("it takes the address and returns the cell, as `bit[8] read(bit[32] address)`");
            diagnostics.push(diagnostic);
            None
        }
    };
    let value = match (writer.parameters.as_slice(), writer.result) {
        ([_, value], ResultType::Void) => Some((*value)?.width_bits),
        (_, ResultType::Broken) => return None,
        _ => {
            let message = format!("`{}` cannot write the cells of a range", write.text);
            let help =
                "it takes address and cell and returns nothing, as `void write(bit[32] a, bit[8] cell)`";
            let diagnostic = error(code::RANGE_FUNCTION, write.span, message, "has another signature")
                .secondary(writer.span, "defined here");
            diagnostics.push(diagnostic.help(help));
            None
        }
    };
    let (cell, value) = (cell?, value?);
    if cell != value {
        let cells = count(cell, "bit");
        let message = format!("cells of {cells} are read, and cells of {} written", count(value, "bit"));
        let diagnostic = error(code::CELL_WIDTH, read.span.to(write.span), message, "two widths of cell")
            .secondary(reader.span, format!("returns {cells}"))
            .secondary(writer.span, format!("takes {}", count(value, "bit")));
        diagnostics.push(diagnostic);
        return None;
    }
    let what = RangeTarget::Functions { read: read_id, write: write_id };
    Some(Target { what, low_bit: 0, cell_bits: Some(cell) })
}

fn function<'t>(
    name: &Name,
    table: &'t Table,
    diagnostics: &mut Diagnostics,
) -> Option<(FunctionId, &'t Signature)> {
    let Some(found) = table.names.globals.get(&name.text) else {
        let functions = table.names.globals.iter();
        let functions = functions.filter(|(_, found)| matches!(found.what, Global::Function(_)));
        let known = unless_unread(functions.map(|(name, _)| name.as_str()), diagnostics);
        diagnostics.push(undefined("function", name, known));
        return None;
    };
    match found.what {
        Global::Function(id) => Some((id, table.functions.get(id.index())?.as_ref()?)),
        _ => {
            diagnostics.push(wrong_kind(name, found, "a FUNCTION"));
            None
        }
    }
}
