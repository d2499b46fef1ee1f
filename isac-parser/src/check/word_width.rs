//! What a CODINGROOT decodes has a CODING, as wide as a whole number of cells.

use std::collections::BTreeSet;

use super::member::operations_of;
use crate::diagnostic::Diagnostics;
use crate::model::{
    Expr, Model, Operation, OperationOrGroup, RootDecode, RootElement, RootSource, root_decodes,
};
use crate::resolve::code;
use crate::resolve::report::{count, error, not_yet};

/// Most bytes that the words of one instruction may have together.
const MAX_BYTES: usize = 32;

/// Checks the words of all CODINGROOTs.
pub(super) fn check_word_widths(model: &Model, diagnostics: &mut Diagnostics) {
    for operation in &model.operations {
        for decode in root_decodes(&operation.coding_root) {
            let target = operation.instances[decode.instance.index()].target;
            check_supported_widths(model, decode, target, diagnostics);
            check_codings(model, decode, target, diagnostics);
            if let RootSource::Value { value, .. } = &decode.source {
                check_value(model, target, value, diagnostics);
            }
        }
        check_length(model, operation, diagnostics);
    }
}

/// Everything that may be decoded has a CODING, from a map one of whole cells.
fn check_codings(
    model: &Model,
    decode: &RootDecode,
    target: OperationOrGroup,
    diagnostics: &mut Diagnostics,
) {
    let map = match &decode.source {
        RootSource::Map { map, .. } => Some(&model.maps[map.index()]),
        RootSource::Value { .. } => None,
    };
    let mut reported = BTreeSet::new();
    for id in operations_of(model, target) {
        let member = &model.operations[id.index()];
        let cells = match (&member.coding, member.coding_span) {
            (Some(bits), _) => {
                let width = u32::try_from(bits.len()).unwrap_or(u32::MAX);
                match map {
                    Some(map) if map.cell_bits > 0 && !width.is_multiple_of(map.cell_bits) => {
                        Some((map, width))
                    }
                    _ => continue,
                }
            }
            // Its CODING was reported.
            (None, Some(_)) => continue,
            (None, None) => None,
        };
        if !reported.insert(id) {
            continue;
        }
        diagnostics.push(match cells {
            Some((map, width)) => {
                let message = format!("a word of `{}` is no whole number of cells", member.name);
                let span = member.coding_span.unwrap_or(member.span);
                error(code::WORD_WIDTH, span, message, format!("has {}", count(width, "bit")))
                    .secondary(map.span, format!("cells have {}", count(map.cell_bits, "bit")))
                    .secondary(decode.span, "decoded here")
            }
            None => {
                let message = format!("`{}` has no CODING to decode", member.name);
                error(code::NO_CODING, member.span, message, "without CODING")
                    .secondary(decode.span, "decoded here")
            }
        });
    }
}

/// A value is as wide as the widest word that is decoded from it.
fn check_value(model: &Model, target: OperationOrGroup, value: &Expr, diagnostics: &mut Diagnostics) {
    let members = operations_of(model, target).into_iter().map(|id| &model.operations[id.index()]);
    let widest = members.filter_map(|member| Some((member.coding.as_ref()?.len(), member)));
    let Some((width, member)) = widest.reduce(|a, b| if b.0 > a.0 { b } else { a }) else { return };
    let found = value.ty.map_or(0, |ty| ty.width_bits as usize);
    if found != width {
        let message = format!("a word of {} from a source of {found}", count(width as u128, "bit"));
        let label = format!("has {}", count(found as u128, "bit"));
        let place = member.coding_span.unwrap_or(member.span);
        let diagnostic = error(code::BAD_SOURCE, value.span, message, label)
            .secondary(place, format!("has {}", count(width as u128, "bit")))
            .help("the source is as wide as the word; take a slice of it, or join it with `::`");
        diagnostics.push(diagnostic);
    }
}

/// The words of one instruction are kept together, and must not be too long for that.
fn check_length(model: &Model, operation: &Operation, diagnostics: &mut Diagnostics) {
    let bytes = longest(model, operation, &operation.coding_root);
    let decodes = root_decodes(&operation.coding_root);
    if bytes > MAX_BYTES
        && decodes.len() > 1
        && let Some(last) = decodes.last()
    {
        let message =
            format!("the words of one instruction have up to {} together", count(bytes as u128, "byte"));
        let label = format!("has to end within {MAX_BYTES} bytes");
        diagnostics.push(error(code::CODING_WIDTH, last.span, message, label));
    }
}

/// Most bytes that the elements have on one way, the number of an element that a register chose
/// included.
fn longest(model: &Model, operation: &Operation, elements: &[RootElement]) -> usize {
    let one = |decode: &RootDecode| {
        let target = operation.instances[decode.instance.index()].target;
        let members = operations_of(model, target).into_iter();
        let widths = members.filter_map(|id| Some(model.operations[id.index()].coding.as_ref()?.len()));
        widths.max().unwrap_or(0).div_ceil(8)
    };
    let lengths = elements.iter().map(|element| match element {
        RootElement::Decode(decode) => one(decode),
        RootElement::Switch { selector, cases } => {
            let cases = cases.iter().map(|case| longest(model, operation, &case.elements));
            one(selector) + cases.max().unwrap_or(0)
        }
        RootElement::If { then, otherwise, .. } => {
            1 + longest(model, operation, then).max(longest(model, operation, otherwise))
        }
    });
    lengths.sum()
}

/// Widest word that engines decode so far, in bits.
const WIDEST_BITS: usize = 128;

/// Words of one width, and not too wide: the rest of the language's words is not supported yet.
fn check_supported_widths(
    model: &Model,
    decode: &RootDecode,
    target: OperationOrGroup,
    diagnostics: &mut Diagnostics,
) {
    let members = operations_of(model, target).into_iter();
    let coded = members.filter_map(|id| {
        let member = &model.operations[id.index()];
        Some((member, member.coding.as_ref()?.len()))
    });
    let coded: Vec<_> = coded.collect();
    let Some((first, width)) = coded.first() else { return };
    if let Some((wide, bits)) = coded.iter().find(|(_, bits)| *bits > WIDEST_BITS) {
        let what = format!("decoding a word of {bits} bits is");
        let span = wide.coding_span.unwrap_or(wide.span);
        diagnostics.push(not_yet(code::LATER_WIDTH, span, &what).secondary(decode.span, "decoded here"));
    }
    if let Some((other, bits)) = coded.iter().find(|(_, bits)| bits != width) {
        let span = other.coding_span.unwrap_or(other.span);
        let diagnostic = not_yet(code::LATER_WIDTH, span, "decoding words of different widths is")
            .secondary(first.coding_span.unwrap_or(first.span), format!("{width} bits here, {bits} there"))
            .secondary(decode.span, "decoded here");
        diagnostics.push(diagnostic);
    }
}
