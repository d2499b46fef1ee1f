//! PSEUDO: only the assembler reads it; here its names are bound to what exists.

mod words;

use super::collect::Definitions;
use super::expression_names::visit_names;
use super::format::Formats;
use super::names::{Constant, Global, Table, double, undefined};
use super::typing::extend;
use crate::ast::{Expr, Name, Pseudo, PseudoItem, Text};
use crate::diagnostic::Diagnostics;
use crate::model::{self, Group, Operation, PatternItem, PseudoPiece};
use crate::print_expr;
use crate::source::Span;

/// What an expression may ask for beside operands and CONSTANTs.
const OF_THE_INSTRUCTION: [&str; 2] = ["instruction_address", "instruction_size"];

/// Binds PSEUDOs; reports operands of undefined groups and formats, operands named twice, and names
/// that are no operand. One with choices of words becomes one for each of them.
pub(crate) fn resolve_pseudos(
    definitions: &Definitions<'_>,
    table: &Table,
    (groups, operations): (&[Group], &[Operation]),
    diagnostics: &mut Diagnostics,
) -> Vec<model::Pseudo> {
    let mut resolved = Vec::new();
    let known = words::Known { table, groups, operations };
    let written_out: Vec<words::WrittenOut> =
        definitions.pseudos.iter().flat_map(|pseudo| words::write_out(pseudo, &known, diagnostics)).collect();
    for words::WrittenOut { pseudo, named } in &written_out {
        let (operands, pattern) = resolve_operands(pseudo, table, diagnostics);
        check_names(pseudo, &operands, table, diagnostics);
        let names: Vec<&str> = operands.iter().map(|operand| operand.text.as_str()).collect();
        let pieces = Pieces { names, table };
        let results: Vec<Vec<(PseudoPiece, Span)>> =
            pseudo.results.iter().map(|result| pieces.of_result(result)).collect();
        resolved.push(model::Pseudo {
            span: pseudo.span,
            pattern,
            condition: pseudo.condition.as_ref().map(|condition| pieces.of_expr(condition)),
            condition_span: pseudo.condition.as_ref().map(|condition| condition.span),
            results: results
                .iter()
                .map(|pieces| pieces.iter().map(|(piece, _)| piece.clone()).collect())
                .collect(),
            result_spans: results
                .iter()
                .map(|pieces| pieces.iter().map(|(_, span)| *span).collect())
                .collect(),
            named_for_words: named.clone(),
        });
    }
    resolved
}

/// The names of the operands, and the pattern.
fn resolve_operands<'a>(
    pseudo: &'a Pseudo,
    table: &Table,
    diagnostics: &mut Diagnostics,
) -> (Vec<&'a Name>, Vec<PatternItem>) {
    let mut operands: Vec<&Name> = Vec::new();
    let mut pattern = Vec::new();
    for item in &pseudo.pattern {
        let name = match item {
            PseudoItem::Operand { name, target } => {
                let target = table.names.operation(target, diagnostics);
                pattern.extend(target.map(PatternItem::Operand));
                name
            }
            PseudoItem::Value { name, format } => {
                let format = Formats { scope: None, table, diagnostics }.format(format);
                pattern.extend(format.map(PatternItem::Value));
                name
            }
            PseudoItem::Text(text) => {
                pattern.push(PatternItem::Text(text.value.clone()));
                continue;
            }
            PseudoItem::Name(_) | PseudoItem::Expr(_) | PseudoItem::Words { .. } | PseudoItem::Join(_) => {
                continue;
            }
        };
        match operands.iter().find(|other| other.text == name.text) {
            Some(first) => diagnostics.push(double(name, first.span)),
            None => operands.push(name),
        }
    }
    (operands, pattern)
}

/// Makes texts of results: their expressions become those of assembler text.
struct Pieces<'a> {
    /// The operands' names, in their order.
    names: Vec<&'a str>,
    table: &'a Table,
}

impl Pieces<'_> {
    /// The pieces of a result, each with the place of the item that it comes from.
    fn of_result(&self, items: &[PseudoItem]) -> Vec<(PseudoPiece, Span)> {
        let mut pieces = Vec::new();
        for item in items {
            let (own, span) = match item {
                PseudoItem::Text(text) => (vec![PseudoPiece::Text(text.value.clone())], between_quotes(text)),
                PseudoItem::Name(name) => (self.operand(&name.text).into_iter().collect(), name.span),
                PseudoItem::Expr(expr) => (self.of_expr(expr), expr.span),
                PseudoItem::Operand { .. }
                | PseudoItem::Value { .. }
                | PseudoItem::Words { .. }
                | PseudoItem::Join(_) => continue,
            };
            pieces.extend(own.into_iter().map(|piece| (piece, span)));
        }
        pieces
    }

    fn operand(&self, name: &str) -> Option<PseudoPiece> {
        let index = self.names.iter().position(|operand| *operand == name)?;
        Some(PseudoPiece::Operand(index as u32))
    }

    /// An expression in parentheses, as the assembler reads it.
    fn of_expr(&self, expr: &Expr) -> Vec<PseudoPiece> {
        let printed = print_expr(expr);
        let mut pieces = vec![PseudoPiece::Text("(".to_owned())];
        let is_word = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
        let mut rest = printed.as_str();
        while !rest.is_empty() {
            let words = rest.starts_with(is_word);
            let end = match character_length(rest) {
                0 => {
                    let ends = |letter: char| is_word(letter) != words || letter == '\'';
                    let mut letters = rest.char_indices().skip(1);
                    letters.find(|(_, letter)| ends(*letter)).map_or(rest.len(), |(at, _)| at)
                }
                length => length,
            };
            let (part, behind) = rest.split_at(end);
            pieces.extend(if words { self.word(part) } else { vec![PseudoPiece::Text(part.to_owned())] });
            rest = behind;
        }
        pieces.push(PseudoPiece::Text(")".to_owned()));
        pieces
    }

    /// A name or a number of an expression.
    fn word(&self, word: &str) -> Vec<PseudoPiece> {
        let text = |text: &str| PseudoPiece::Text(text.to_owned());
        if let Some(operand) = self.operand(word) {
            return vec![text("("), operand, text(")")];
        }
        if word == "instruction_address" {
            return vec![text(".")];
        }
        let global = self.table.names.globals.get(word).map(|definition| definition.what);
        match global {
            Some(Global::Constant(index)) => {
                let value = self.table.constants.get(index).and_then(Option::as_ref);
                vec![value.map_or_else(|| text(word), |value| text(&signed(value).to_string()))]
            }
            Some(Global::Function(_)) => vec![text(&format!("%{word}"))],
            _ if word.starts_with(|digit: char| digit.is_ascii_digit()) => {
                vec![text(without_suffix(word))]
            }
            _ => vec![text(word)],
        }
    }
}

/// Where the letters of a string stand; all of it where one is written otherwise than it reads.
fn between_quotes(text: &Text) -> Span {
    let Span { file, start, end } = text.span;
    match text.value.len() + 2 == (end - start) as usize && !text.value.is_empty() {
        true => Span { file, start: start + 1, end: end - 1 },
        false => text.span,
    }
}

/// The value of a CONSTANT, with its sign.
fn signed(constant: &Constant) -> i128 {
    extend(constant.value, constant.ty) as i128
}

/// How many bytes a character such as `'a'` has that an expression goes on with; 0 if it is none.
fn character_length(text: &str) -> usize {
    let Some(inner) = text.strip_prefix('\'') else { return 0 };
    let escaped = usize::from(inner.starts_with('\\'));
    let letters = inner.char_indices().skip(1 + escaped);
    letters.into_iter().find(|(_, letter)| *letter == '\'').map_or(0, |(at, _)| at + 2)
}

/// A number without C's suffixes.
fn without_suffix(number: &str) -> &str {
    number.trim_end_matches(['u', 'U', 'l', 'L'])
}

/// Results name operands; WHEN and expressions may name CONSTANTs, too.
fn check_names(pseudo: &Pseudo, operands: &[&Name], table: &Table, diagnostics: &mut Diagnostics) {
    let known = || operands.iter().map(|operand| operand.text.as_str());
    // Each PSEUDO has operands of its own.
    let undefined = |name: &Name| {
        undefined("operand", name, known()).cause(format!("{} of {:?}", name.text, pseudo.span))
    };
    let mut expressions: Vec<_> = pseudo.condition.iter().collect();
    for item in pseudo.results.iter().flatten() {
        match item {
            PseudoItem::Name(name) if known().all(|operand| operand != name.text) => {
                diagnostics.push(undefined(name));
            }
            PseudoItem::Expr(expr) => expressions.push(expr),
            _ => {}
        }
    }
    for expr in expressions {
        visit_names(expr, &mut |name| {
            let is_known = known().chain(OF_THE_INSTRUCTION).any(|other| other == name.text);
            if !is_known && !table.names.globals.contains_key(&name.text) {
                diagnostics.push(undefined(name));
            }
        });
    }
}
