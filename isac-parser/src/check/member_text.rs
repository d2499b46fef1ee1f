//! Where a text is made of what an alias chose, every operation that it may choose has a text.

use std::collections::BTreeSet;

use super::member::operations_of;
use crate::diagnostic::Diagnostics;
use crate::model::{AssemblerItem, Model, OperationOrGroup, PatternItem};
use crate::resolve::code;
use crate::resolve::report::warning;
use crate::source::Span;

/// A text, and what it is made of.
struct Mention {
    of: OperationOrGroup,
    text: Span,
    /// Whose text it is, in words.
    owner: String,
}

/// Warns of operations without a text, each once, with the first text that asks for it.
///
/// An instruction that no text mentions may go without: a description need not have texts at all.
pub(super) fn check_member_texts(model: &Model, diagnostics: &mut Diagnostics) {
    let mut told = BTreeSet::new();
    for mention in mentions(model) {
        for id in operations_of(model, mention.of) {
            let operation = &model.operations[id.index()];
            if !operation.assembler.is_empty() || !told.insert(id.index()) {
                continue;
            }
            let message = format!("`{}` has no text, but {} is made of it", operation.name, mention.owner);
            let diagnostic = warning(code::NO_TEXT, operation.span, message, "has no ASSEMBLER")
                .secondary(mention.text, "needs its text")
                .help("give it an ASSEMBLER section; without one such an instruction cannot be written or printed");
            diagnostics.push(diagnostic);
        }
    }
}

/// What texts of operations and patterns of PSEUDOs are made of, in the order of the description.
fn mentions(model: &Model) -> impl Iterator<Item = Mention> {
    let of_operations = model.operations.iter().flat_map(|operation| {
        let texts = operation.assembler.iter().zip(&operation.assembler_spans);
        texts.flat_map(move |(items, span)| {
            items.iter().filter_map(move |item| match item {
                AssemblerItem::Instance(id) => Some(Mention {
                    of: operation.instances[id.index()].target,
                    text: *span,
                    owner: format!("that of `{}`", operation.name),
                }),
                _ => None,
            })
        })
    });
    let of_pseudos = model.pseudos.iter().flat_map(|pseudo| {
        pseudo.pattern.iter().filter_map(|item| match item {
            PatternItem::Operand(of) => {
                Some(Mention { of: *of, text: pseudo.span, owner: "a PSEUDO".to_owned() })
            }
            _ => None,
        })
    });
    of_operations.chain(of_pseudos)
}
