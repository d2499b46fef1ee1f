//! How instructions are written: their texts with the names of what stands in them.

use isac_ir::Model;
use isac_ir::operation::Target;
use isac_ir::syntax::{PatternItem, TextItem};

use super::pseudo::Pseudos;
use super::reader::is_word;
use super::table::{Table, first_word};

/// More forms than this help nobody.
const MOST_FORMS: usize = 4;

/// More endings of a mnemonic than this are not named one by one.
const MOST_ENDINGS: usize = 8;

/// The forms of the instructions and PSEUDOs that are called like the one that a text begins with, as
/// messages show them; none if there are too many.
pub(super) fn forms(table: &Table<'_>, pseudos: &Pseudos<'_>, text: &str) -> Vec<String> {
    let model = table.model;
    let word = first_word(text);
    let mut found: Vec<String> = Vec::new();
    let mut add = |form: String| {
        if !found.contains(&form) {
            found.push(form);
        }
    };
    for entry in &table.entries {
        let target = model.decoders[entry.decoder as usize].target;
        for variant in table.variants(target, text) {
            let items = &model.operation(variant.operation).texts[variant.text as usize];
            form_of_text(model, variant.operation, items, &word).into_iter().for_each(&mut add);
        }
    }
    for pseudo in pseudos.fitting(text) {
        form_of_pseudo(model, &pseudo.pattern, &word).into_iter().for_each(&mut add);
    }
    if found.len() > MOST_FORMS { Vec::new() } else { found }
}

/// A part of a form.
struct Part {
    text: String,
    /// It stands as it is.
    is_literal: bool,
    /// No space before it.
    is_joined: bool,
    /// It stands for nothing in front of the word at hand: a prefix that is left out.
    is_absent: bool,
}

fn form_of_text(model: &Model, operation: u32, items: &[TextItem], word: &str) -> Option<String> {
    let own = model.operation(operation);
    let mut parts = Vec::new();
    let mut is_joined = false;
    for item in items {
        let text = match item {
            TextItem::Join => {
                is_joined = true;
                continue;
            }
            TextItem::Literal(literal) => literal.clone(),
            TextItem::Instance(instance) => {
                let own = &own.instances[*instance as usize];
                let endings = is_joined.then(|| endings(model, own.target)).flatten();
                endings.unwrap_or_else(|| own.alias.clone())
            }
            TextItem::Field { field, .. } => own.fields[*field as usize].name.clone(),
        };
        let is_literal = matches!(item, TextItem::Literal(_));
        let is_absent = match item {
            TextItem::Instance(instance) => {
                may_be_nothing_before(model, own.instances[*instance as usize].target, word)
            }
            _ => false,
        };
        parts.push(Part { text, is_literal, is_joined: std::mem::take(&mut is_joined), is_absent });
    }
    written(parts, word)
}

/// Whether a target may be written as nothing, and never as this word.
fn may_be_nothing_before(model: &Model, target: Target, word: &str) -> bool {
    let operations = model.leaf_operations(target);
    let mut texts = operations.iter().filter_map(|operation| model.operation(*operation).texts.first());
    let opens = |text: &[TextItem]| match text.first() {
        Some(TextItem::Literal(literal)) => Some(first_word(literal.trim())),
        Some(TextItem::Join) | None => Some(String::new()),
        Some(TextItem::Instance(_) | TextItem::Field { .. }) => None,
    };
    let openings: Option<Vec<String>> = texts.try_fold(Vec::new(), |mut found, text| {
        found.push(opens(text)?);
        Some(found)
    });
    openings.is_some_and(|openings| {
        openings.iter().any(String::is_empty) && !openings.iter().any(|opening| opening == word)
    })
}

/// What may be joined to a mnemonic, if that are fixed texts: `{.w|.d}`, and `[.aq|.rl]` where nothing may, too.
fn endings(model: &Model, target: Target) -> Option<String> {
    let operations = model.leaf_operations(target);
    let texts = operations.into_iter().map(|operation| model.operation(operation).texts.first());
    let texts: Option<Vec<String>> = texts
        .map(|text| {
            let literal = |item: &TextItem| match item {
                TextItem::Literal(literal) => Some(literal.trim().to_owned()),
                TextItem::Join => Some(String::new()),
                TextItem::Instance(_) | TextItem::Field { .. } => None,
            };
            text?.iter().map(literal).collect()
        })
        .collect();
    let texts = texts.filter(|texts| texts.len() <= MOST_ENDINGS)?;
    let named: Vec<&str> = texts.iter().map(String::as_str).filter(|text| !text.is_empty()).collect();
    let named_all = named.len() == texts.len();
    let choice = named.join("|");
    Some(if named_all { format!("{{{choice}}}") } else { format!("[{choice}]") })
}

fn form_of_pseudo(model: &Model, pattern: &[PatternItem], word: &str) -> Option<String> {
    let part = |item: &PatternItem| {
        let text = match item {
            PatternItem::Literal(literal) => literal.clone(),
            PatternItem::Operand(target) => model.target_name(*target).to_owned(),
            PatternItem::Value(_) => "value".to_owned(),
        };
        Part { text, is_literal: matches!(item, PatternItem::Literal(_)), is_joined: false, is_absent: false }
    };
    written(pattern.iter().map(part).collect(), word)
}

/// The parts as one text, if their mnemonic may be this word: what an alias chooses or is joined may be any.
fn written(mut parts: Vec<Part>, word: &str) -> Option<String> {
    parts.retain(|part| !part.text.trim().is_empty());
    if word.starts_with(is_word) {
        let absent = parts.iter().take_while(|part| part.is_absent).count();
        parts.drain(..absent);
    }
    let first = parts.first()?;
    // What is no word is of a prefix, whose name says more.
    let is_prefix = !first.is_literal && !word.starts_with(is_word);
    let joined = parts[1..].iter().take_while(|part| part.is_joined).count();
    let mut text = if is_prefix { first.text.clone() } else { word.to_owned() };
    if first.is_literal && joined == 0 {
        let literal = first.text.trim();
        if first_word(literal) != word {
            return None;
        }
        text += literal.get(word.len()..)?.trim_end();
    }
    if first.is_literal && joined > 0 && first.text.trim().eq_ignore_ascii_case(word) {
        // The word lacks what is joined to it.
        text.extend(parts[1..=joined].iter().map(|part| part.text.trim()));
    }
    for (index, part) in parts[1 + joined..].iter().enumerate() {
        let own = part.text.trim();
        let is_between_words = text.ends_with(is_word) && own.starts_with(is_word);
        if !part.is_joined && (is_between_words || (index == 0 || text.ends_with(',')) && own != ",") {
            text.push(' ');
        }
        text += own;
    }
    Some(text)
}
