//! What a CODINGROOT decodes has a CODING, as wide as a whole number of cells.

use std::collections::BTreeSet;

use super::member::operations_of;
use crate::diagnostic::Diagnostics;
use crate::model::{Model, OperationOrGroup, RootDecode, RootElement};
use crate::resolve::code;
use crate::resolve::report::{count, error, not_yet};

/// Checks the words of all CODINGROOTs.
pub(super) fn check_word_widths(model: &Model, diagnostics: &mut Diagnostics) {
    for operation in &model.operations {
        for RootElement::Decode(decode) in &operation.coding_root {
            let target = operation.instances[decode.instance.index()].target;
            let map = &model.maps[decode.map.index()];
            check_supported_widths(model, decode, target, diagnostics);
            let mut reported = BTreeSet::new();
            for id in operations_of(model, target) {
                let member = &model.operations[id.index()];
                let (label, note) = match (&member.coding, member.coding_span) {
                    (Some(bits), _) => {
                        let width = u32::try_from(bits.len()).unwrap_or(u32::MAX);
                        if map.cell_bits == 0 || width.is_multiple_of(map.cell_bits) {
                            continue;
                        }
                        let note = format!("cells have {}", count(map.cell_bits, "bit"));
                        (format!("has {}", count(width, "bit")), Some(note))
                    }
                    // Its CODING was reported.
                    (None, Some(_)) => continue,
                    (None, None) => ("without CODING".to_owned(), None),
                };
                if !reported.insert(id) {
                    continue;
                }
                diagnostics.push(match note {
                    Some(note) => {
                        let message = format!("a word of `{}` is no whole number of cells", member.name);
                        let span = member.coding_span.unwrap_or(member.span);
                        error(code::WORD_WIDTH, span, message, label)
                            .secondary(map.span, note)
                            .secondary(decode.span, "decoded here")
                    }
                    None => {
                        let message = format!("`{}` has no CODING to decode", member.name);
                        error(code::NO_CODING, member.span, message, label)
                            .secondary(decode.span, "decoded here")
                    }
                });
            }
        }
    }
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
