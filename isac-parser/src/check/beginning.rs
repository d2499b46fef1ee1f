//! What instructions begin with is no directive and no label.

use std::collections::BTreeSet;

use super::ambiguity::root_choices;
use crate::diagnostic::Diagnostics;
use crate::model::{AssemblerItem, Model, OperationOrGroup, PatternItem};
use crate::resolve::code;
use crate::resolve::report::warning;
use crate::source::Span;
use crate::words::DIRECTIVES;

/// Directives that write a word as it is.
const DATA_DIRECTIVES: &[&str] = &[".byte", ".half", ".word", ".quad", ".cell"];

/// Warns of instructions and PSEUDOs that begin as lines which are read otherwise.
pub(super) fn check_beginnings(model: &Model, diagnostics: &mut Diagnostics) {
    let of_pseudos = model.pseudos.iter().filter_map(|pseudo| {
        let begins = match pseudo.pattern.first()? {
            PatternItem::Text(text) => Beginning { text: text.clone(), is_joined: false },
            PatternItem::Operand(_) | PatternItem::Value(_) => return None,
        };
        Some((begins, pseudo.span))
    });
    let of_instructions = of_instructions(model).into_iter().filter(|(begins, _)| !begins.is_of_data());
    for (begins, span) in of_instructions.chain(of_pseudos) {
        let Some(why) = begins.read_otherwise() else { continue };
        let shown = begins.text.escape_debug();
        let message = format!("no program can write `{shown}` where a line begins: {why}");
        let diagnostic = warning(code::UNWRITABLE_TEXT, span, message, "cannot be assembled")
            .help("let the text begin with another word");
        diagnostics.push(diagnostic);
    }
}

/// The literal that the text of an instruction begins with.
struct Beginning {
    text: String,
    /// True if what follows stands close, so that the last word may go on.
    is_joined: bool,
}

impl Beginning {
    fn of(items: &[AssemblerItem]) -> Self {
        let mut begins = Self { text: String::new(), is_joined: false };
        for (index, item) in items.iter().enumerate() {
            match item {
                AssemblerItem::Text(text) if index == 0 || begins.is_joined => {
                    begins.text.push_str(text);
                    begins.is_joined = false;
                }
                AssemblerItem::Join => begins.is_joined = true,
                _ => break,
            }
        }
        begins
    }

    /// True if it begins as data do: so words without meaning are written, and come back as data.
    fn is_of_data(&self) -> bool {
        let word = self.text.split_whitespace().next().unwrap_or("");
        DATA_DIRECTIVES.iter().any(|directive| word.eq_ignore_ascii_case(directive))
    }

    /// As what the assembler reads a line that begins so; `None` if as an instruction.
    fn read_otherwise(&self) -> Option<String> {
        let text = self.text.trim_start();
        let continues = |letter: char| letter.is_ascii_alphanumeric() || "_.$".contains(letter);
        let end = text.find(|letter| !continues(letter)).unwrap_or(text.len());
        let word = &text[..end];
        let is_number = word.bytes().all(|letter| letter.is_ascii_digit());
        let is_name = is_number || !word.starts_with(|letter: char| letter.is_ascii_digit() || letter == '$');
        if !word.is_empty() && is_name && text[end..].starts_with(':') {
            return Some(format!("`{word}:` is a label"));
        }
        let is_whole = end < text.len() || !self.is_joined;
        let directive = DIRECTIVES.iter().find(|directive| word.eq_ignore_ascii_case(directive))?;
        is_whole.then(|| format!("`{directive}` is a directive"))
    }
}

/// What the texts of all instructions begin with, each with the place of its text.
fn of_instructions(model: &Model) -> Vec<(Beginning, Span)> {
    let mut waiting: Vec<OperationOrGroup> =
        root_choices(model).into_iter().map(|(target, _)| target).collect();
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    while let Some(target) = waiting.pop() {
        if !seen.insert(target) {
            continue;
        }
        match target {
            OperationOrGroup::Group(group) => waiting.extend(&model.groups[group.index()].members),
            OperationOrGroup::Operation(id) => {
                let operation = &model.operations[id.index()];
                let texts = operation.assembler.iter().zip(&operation.assembler_spans);
                found.extend(texts.map(|(items, span)| (Beginning::of(items), *span)));
                waiting.extend(operation.assembler.iter().filter_map(|items| match items.first()? {
                    AssemblerItem::Instance(instance) => Some(operation.instances[instance.index()].target),
                    _ => None,
                }));
            }
        }
    }
    found
}
