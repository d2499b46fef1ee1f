//! What texts are made of can be written in a program.

use crate::diagnostic::Diagnostics;
use crate::model::{AssemblerItem, Model, PatternItem};
use crate::resolve::code;
use crate::resolve::report::warning;
use crate::source::Span;

/// Warns of literals and names of registers that hold what begins a comment or a string.
pub(super) fn check_literals(model: &Model, diagnostics: &mut Diagnostics) {
    for (literal, span) in literals(model) {
        let Some(why) = unwritable(literal, model.target.comment.as_deref()) else { continue };
        let shown = literal.escape_debug();
        let message = format!("no program can write `{shown}`: {why}");
        let diagnostic = warning(code::UNWRITABLE_TEXT, span, message, "cannot be assembled")
            .help("write it otherwise, or let TARGET's COMMENT be something that no text holds");
        diagnostics.push(diagnostic);
    }
}

/// Warns of names of registers that are longer than the assembler reads them.
pub(super) fn check_register_names(model: &Model, diagnostics: &mut Diagnostics) {
    for register in &model.registers {
        let long = register.element_names.iter().flatten().find(|name| name.len() > MOST_LETTERS);
        let Some(long) = long else { continue };
        let begin: String = long.chars().take(MOST_LETTERS).collect();
        let message = format!("no program can write `{begin}...`: it has more than {MOST_LETTERS} letters");
        let diagnostic = warning(code::UNWRITABLE_TEXT, register.span, message, "cannot be assembled")
            .help("give the element a shorter name");
        diagnostics.push(diagnostic);
    }
}

/// Most letters of the name of a register's element.
const MOST_LETTERS: usize = 64;

/// The fixed parts of all texts, in the order of the description, each with the place to tell.
fn literals(model: &Model) -> impl Iterator<Item = (&str, Span)> {
    let of_operations = model.operations.iter().flat_map(|operation| {
        let texts = operation.assembler.iter().zip(&operation.assembler_spans);
        texts.flat_map(|(items, span)| {
            items.iter().filter_map(|item| match item {
                AssemblerItem::Text(text) => Some((text.as_str(), *span)),
                _ => None,
            })
        })
    });
    let of_pseudos = model.pseudos.iter().flat_map(|pseudo| {
        pseudo.pattern.iter().filter_map(|item| match item {
            PatternItem::Text(text) => Some((text.as_str(), pseudo.span)),
            _ => None,
        })
    });
    let of_registers = model.registers.iter().flat_map(|register| {
        let names = register.element_names.iter().flatten();
        names.map(|name| (name.as_str(), register.span))
    });
    of_operations.chain(of_pseudos).chain(of_registers)
}

/// Why a program cannot hold a literal; `None` if it can.
fn unwritable(literal: &str, comment: Option<&str>) -> Option<String> {
    let comments = [Some("//"), Some("/*"), comment];
    if let Some(comment) = comments.into_iter().flatten().find(|comment| literal.contains(*comment)) {
        return Some(format!("`{comment}` begins a comment"));
    }
    let control = |letter: char| letter.is_control() && letter != '\t';
    match literal {
        _ if literal.contains('"') => Some("`\"` begins a string".to_owned()),
        _ if literal.contains(control) => Some("a line ends there".to_owned()),
        _ => None,
    }
}
