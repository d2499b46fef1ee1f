//! PSEUDOs whose operands are choices of words: each is written out, one PSEUDO for each word.
//!
//! A word is a part of the text, as that of an operation is: `"b" ~ c:condition ~ ".n"` stands for
//! `"beq.n"`, `"bne.n"` and so on. So nothing behind this has to know of words and of what is joined.

use std::collections::BTreeMap;

use crate::ast::{Expr, Name, Pseudo, PseudoItem, Text};
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::model::{AssemblerItem, Group, Operation, OperationOrGroup};
use crate::resolve::code;
use crate::resolve::expression_names::visit_names;
use crate::resolve::names::{Table, double};
use crate::resolve::report::error;
use crate::source::Span;

/// Most PSEUDOs that one stands for.
const MOST_WRITTEN_OUT: usize = 1_000;

/// What texts of operations are made of.
pub(super) struct Known<'a> {
    pub(super) table: &'a Table,
    pub(super) groups: &'a [Group],
    pub(super) operations: &'a [Operation],
}

/// A PSEUDO without choices of words and without `~`.
pub(super) struct WrittenOut {
    pub(super) pseudo: Pseudo,
    /// What its words are those of.
    pub(super) named: Vec<OperationOrGroup>,
}

/// The words that may stand for an operand.
struct Choice {
    name: Name,
    words: Vec<String>,
}

/// The PSEUDOs that one stands for; none if it was refused.
pub(super) fn write_out(
    pseudo: &Pseudo,
    known: &Known<'_>,
    diagnostics: &mut Diagnostics,
) -> Vec<WrittenOut> {
    let mut named = Vec::new();
    let Some(choices) = choices(pseudo, known, &mut named, diagnostics) else { return Vec::new() };
    if !are_words(pseudo, &choices, diagnostics) {
        return Vec::new();
    }
    let count = choices.iter().fold(1usize, |count, choice| count.saturating_mul(choice.words.len()));
    if count > MOST_WRITTEN_OUT {
        let message = format!("this PSEUDO stands for {count} of them, one for each choice of words");
        let help = format!("let one stand for at most {MOST_WRITTEN_OUT}");
        diagnostics.push(error(code::TEXTS_TOO_LARGE, pseudo.span, message, "too many").help(help));
        return Vec::new();
    }
    let mut all = Vec::new();
    for number in 0..count {
        let chosen = choose(&choices, number);
        let Some(pseudo) = with_words(pseudo, &chosen, diagnostics) else { return Vec::new() };
        all.push(WrittenOut { pseudo, named: named.clone() });
    }
    all
}

/// The operands that are choices of words: those that say so, and those that something is joined to.
fn choices(
    pseudo: &Pseudo,
    known: &Known<'_>,
    named: &mut Vec<OperationOrGroup>,
    diagnostics: &mut Diagnostics,
) -> Option<Vec<Choice>> {
    let lines = std::iter::once(&pseudo.pattern).chain(&pseudo.results);
    let joined: Vec<(&str, Span)> = lines.flat_map(|items| joined_names(items)).collect();
    let mut choices: Vec<Choice> = Vec::new();
    let mut is_sound = true;
    for item in &pseudo.pattern {
        let (name, words) = match item {
            PseudoItem::Words { name, words } => {
                is_sound &= are_different(words, diagnostics);
                (name, words.value.split('|').map(str::to_owned).collect())
            }
            PseudoItem::Operand { name, target } => {
                let Some((_, join)) = joined.iter().find(|(joined, _)| *joined == name.text) else {
                    continue;
                };
                let Some(what) = known.table.names.operation(target, diagnostics) else {
                    is_sound = false;
                    continue;
                };
                named.push(what);
                match known.words(what) {
                    Ok(words) => (name, words),
                    Err(text) => {
                        diagnostics.push(no_word(target, *join, text));
                        is_sound = false;
                        continue;
                    }
                }
            }
            _ => continue,
        };
        let others = pseudo.pattern.iter().filter_map(name_of);
        if let Some(other) =
            others.into_iter().find(|other| other.text == name.text && other.span != name.span)
        {
            let (first, second) = if other.span < name.span { (other, name) } else { (name, other) };
            diagnostics.push(double(second, first.span));
            is_sound = false;
        }
        choices.push(Choice { name: name.clone(), words });
    }
    is_sound.then_some(choices)
}

/// Refuses a choice of words with one that stands there twice; letters are those of either case.
fn are_different(words: &Text, diagnostics: &mut Diagnostics) -> bool {
    let places = places_of_words(words);
    for (number, (word, place)) in places.iter().enumerate() {
        let Some((_, first)) = places[..number].iter().find(|(other, _)| other.eq_ignore_ascii_case(word))
        else {
            continue;
        };
        let message = match word.is_empty() {
            true => "the word without letters stands twice in this choice".to_owned(),
            false => format!("`{word}` stands twice in this choice"),
        };
        let mut diagnostic = error(code::WORDS, *place, message, "never chosen");
        if first != place {
            diagnostic = diagnostic.secondary(*first, "chosen here");
        }
        diagnostics.push(diagnostic.help("leave one of the two out"));
        return false;
    }
    true
}

/// The words of a choice, each with its place; that of a string which is written otherwise than it reads, as
/// with an escape, is all of it, and so is that of a word without letters.
fn places_of_words(words: &Text) -> Vec<(&str, Span)> {
    let Span { file, start, end } = words.span;
    let is_as_written = words.value.len() + 2 == (end - start) as usize;
    let mut from = start + 1;
    let mut places = Vec::new();
    for word in words.value.split('|') {
        let end = from + word.len() as u32;
        let own = Span { file, start: from, end };
        places.push((word, if is_as_written && !word.is_empty() { own } else { words.span }));
        from = end + 1;
    }
    places
}

/// The name that an item of a pattern gives to an operand.
fn name_of(item: &PseudoItem) -> Option<&Name> {
    match item {
        PseudoItem::Operand { name, .. }
        | PseudoItem::Value { name, .. }
        | PseudoItem::Words { name, .. } => Some(name),
        PseudoItem::Text(_) | PseudoItem::Join(_) | PseudoItem::Name(_) | PseudoItem::Expr(_) => None,
    }
}

/// The operands that something is joined to, each with the `~`.
fn joined_names(items: &[PseudoItem]) -> Vec<(&str, Span)> {
    let mut found = Vec::new();
    for (at, item) in items.iter().enumerate() {
        let PseudoItem::Join(span) = item else { continue };
        let before = at.checked_sub(1).and_then(|before| items.get(before));
        for neighbour in [before, items.get(at + 1)].into_iter().flatten() {
            let name = match neighbour {
                PseudoItem::Name(name) => Some(name),
                other => name_of(other),
            };
            found.extend(name.map(|name| (name.text.as_str(), *span)));
        }
    }
    found
}

impl Known<'_> {
    /// The texts that a target may have, where all of them are words.
    ///
    /// # Errors
    /// Where a text stands that is none, or an operation without one.
    fn words(&self, target: OperationOrGroup) -> Result<Vec<String>, Span> {
        match target {
            OperationOrGroup::Group(id) => {
                let mut words = Vec::new();
                for member in &self.groups[id.index()].members {
                    words.extend(self.words(*member)?);
                    if words.len() > MOST_WRITTEN_OUT {
                        break;
                    }
                }
                Ok(words)
            }
            OperationOrGroup::Operation(id) => {
                let operation = &self.operations[id.index()];
                let texts = operation.assembler.iter().zip(&operation.assembler_spans);
                let words: Result<Vec<String>, Span> =
                    texts.map(|(text, span)| word(text).ok_or(*span)).collect();
                match words?.as_slice() {
                    [] => Err(operation.span),
                    words => Ok(words.to_vec()),
                }
            }
        }
    }
}

/// A text that is one literal, or several that are joined.
fn word(text: &[AssemblerItem]) -> Option<String> {
    let mut word = String::new();
    let mut is_joined = true;
    for item in text {
        match item {
            AssemblerItem::Text(text) if is_joined => {
                word.push_str(text);
                is_joined = false;
            }
            AssemblerItem::Join => is_joined = true,
            AssemblerItem::Text(_) | AssemblerItem::Instance(_) | AssemblerItem::Field { .. } => return None,
        }
    }
    Some(word)
}

fn no_word(target: &Name, join: Span, text: Span) -> Diagnostic {
    let message = format!("`{}` is joined to something, and has a text that is no word", target.text);
    error(code::JOINED_WORD, target.span, message, "more than words")
        .secondary(join, "joined here")
        .secondary(text, "written like this")
        .help("`~` joins strings, choices of words, and groups of operations whose texts are words")
}

/// Refuses values of words, in expressions and in WHEN.
fn are_words(pseudo: &Pseudo, choices: &[Choice], diagnostics: &mut Diagnostics) -> bool {
    let mut expressions: Vec<&Expr> = pseudo.condition.iter().collect();
    for item in pseudo.results.iter().flatten() {
        if let PseudoItem::Expr(expr) = item {
            expressions.push(expr);
        }
    }
    let mut are_words = true;
    for expr in expressions {
        visit_names(expr, &mut |name| {
            let Some(choice) = choices.iter().find(|choice| choice.name.text == name.text) else { return };
            let message = format!("`{}` is a word, and has no value", name.text);
            let diagnostic = error(code::WRONG_KIND, name.span, message, "a value is needed")
                .secondary(choice.name.span, "one of several words")
                .help("write it outside of parentheses, in the place of a word");
            diagnostics.push(diagnostic);
            are_words = false;
        });
    }
    are_words
}

/// The words of one PSEUDO; the last choice changes first.
fn choose(choices: &[Choice], mut number: usize) -> BTreeMap<&str, &str> {
    let mut chosen = BTreeMap::new();
    for choice in choices.iter().rev() {
        let count = choice.words.len().max(1);
        if let Some(word) = choice.words.get(number % count) {
            chosen.insert(choice.name.text.as_str(), word.as_str());
        }
        number /= count;
    }
    chosen
}

/// A PSEUDO with words in the place of operands, and what is joined in one piece.
fn with_words(
    pseudo: &Pseudo,
    chosen: &BTreeMap<&str, &str>,
    diagnostics: &mut Diagnostics,
) -> Option<Pseudo> {
    let pattern = joined(&pseudo.pattern, chosen, diagnostics);
    if let Some(PseudoItem::Text(first)) = pattern.as_ref().and_then(|pattern| pattern.first())
        && first.value.trim().is_empty()
    {
        let message = "this PSEUDO begins with a word without letters, and so has no mnemonic";
        let diagnostic = error(code::WORDS, first.span, message, "no letters")
            .help("begin with the mnemonic, or join it to this word by `~`");
        diagnostics.push(diagnostic);
        return None;
    }
    let results: Vec<Option<Vec<PseudoItem>>> =
        pseudo.results.iter().map(|result| joined(result, chosen, diagnostics)).collect();
    Some(Pseudo {
        pattern: pattern?,
        condition: pseudo.condition.clone(),
        results: results.into_iter().collect::<Option<_>>()?,
        span: pseudo.span,
    })
}

fn joined(
    items: &[PseudoItem],
    chosen: &BTreeMap<&str, &str>,
    diagnostics: &mut Diagnostics,
) -> Option<Vec<PseudoItem>> {
    let mut found: Vec<PseudoItem> = Vec::new();
    let mut join: Option<Span> = None;
    for item in items {
        if let PseudoItem::Join(span) = item {
            if join.is_some() || found.is_empty() {
                diagnostics.push(joins_nothing(*span, "before"));
                return None;
            }
            join = Some(*span);
            continue;
        }
        let item = with_word(item, chosen);
        match (join.take(), found.last_mut(), item) {
            (None, _, item) => found.push(item),
            (Some(_), Some(PseudoItem::Text(before)), PseudoItem::Text(text)) => {
                before.value.push_str(&text.value);
                before.span = before.span.to(text.span);
            }
            (Some(span), ..) => {
                let message = "`~` joins words in a PSEUDO, and a value or a register is none";
                let diagnostic = error(code::JOINED_WORD, span, message, "not two words")
                    .help("join strings, choices of words as `op:\"add|sub\"`, and groups of words");
                diagnostics.push(diagnostic);
                return None;
            }
        }
    }
    match join {
        Some(span) => {
            diagnostics.push(joins_nothing(span, "behind"));
            None
        }
        None => Some(found),
    }
}

fn joins_nothing(span: Span, side: &str) -> Diagnostic {
    let message = format!("`~` joins two items, and nothing stands {side} it");
    error(code::JOIN_ALONE, span, message, "joins nothing").help("put it between two words, or leave it out")
}

/// An item with a word in its place, if it stands for one.
fn with_word(item: &PseudoItem, chosen: &BTreeMap<&str, &str>) -> PseudoItem {
    let name = match item {
        PseudoItem::Name(name) => Some(name),
        other => name_of(other),
    };
    match name.and_then(|name| Some((name, chosen.get(name.text.as_str())?))) {
        Some((name, word)) => PseudoItem::Text(Text { value: (*word).to_owned(), span: name.span }),
        None => item.clone(),
    }
}
