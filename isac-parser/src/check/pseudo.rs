//! Each result of a PSEUDO is written as an instruction is, or as a PSEUDO that ends in instructions.
//!
//! What operands are worth is known where a PSEUDO is used; whether any text fits is known before.
//! Nothing is said where that is not certain: a value fits every field, an operand every text that
//! shares an operation with it, and what takes too long to compare fits.

mod expression;
mod line;
mod matching;
mod texts;

use std::collections::{BTreeMap, BTreeSet};

use self::expression::expression_ends;
use self::line::{Line, line_of, written_out};
use self::matching::{Furthest, Matching};
use self::texts::Texts;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::model::{AssemblerItem, Model, Operation, Pseudo, PseudoPiece};
use crate::resolve::code;
use crate::resolve::report::error;
use crate::resolve::suggestion::did_you_mean;
use crate::source::Span;

/// What a result may be read as.
struct Reading {
    /// An instruction.
    is_instruction: bool,
    /// These PSEUDOs.
    pseudos: BTreeSet<usize>,
    /// How far any text came.
    furthest: Furthest,
}

impl Reading {
    fn is_nothing(&self) -> bool {
        !self.is_instruction && self.pseudos.is_empty()
    }
}

/// Reports results that can never be assembled.
pub(super) fn check_pseudos(model: &Model, diagnostics: &mut Diagnostics) {
    let Some(texts) = Texts::of(model) else { return };
    for pseudo in &model.pseudos {
        diagnostics.extend(unknown_condition(&texts, pseudo));
    }
    let mut budget = matching::MOST_STEPS;
    let mut readings: Vec<Vec<Reading>> = Vec::new();
    for pseudo in &model.pseudos {
        let Some(all) = read_results(&texts, pseudo, &mut budget) else { return };
        readings.push(all);
    }
    let sound = assembled(&readings);
    let mut explained: BTreeSet<usize> = BTreeSet::new();
    let mut found: Vec<Diagnostic> = Vec::new();
    for (index, results) in readings.iter().enumerate() {
        for (number, reading) in results.iter().enumerate().filter(|(_, reading)| reading.is_nothing()) {
            explained.insert(index);
            found.push(unreadable(&texts, &model.pseudos[index], number, &reading.furthest));
        }
    }
    advise_by_cause(&mut found);
    diagnostics.extend(found);
    for index in (0..readings.len()).filter(|index| !sound.contains(index)) {
        if goes_round(index, &readings, &mut explained) {
            diagnostics.push(endless(model, index, &readings[index], &sound));
        }
    }
}

/// Where several results fail at the same place of one text, that text may be the wrong one.
fn advise_by_cause(findings: &mut [Diagnostic]) {
    let mut of_cause: BTreeMap<String, BTreeSet<Span>> = BTreeMap::new();
    for finding in findings.iter() {
        if let Some(cause) = finding.cause.as_ref().filter(|cause| cause.starts_with(LIKE)) {
            of_cause.entry(cause.clone()).or_default().insert(finding.primary.0);
        }
    }
    for finding in findings {
        let places = finding.cause.as_ref().and_then(|cause| of_cause.get(cause)).map_or(0, BTreeSet::len);
        if places > 1 {
            let help = format!("{places} results fail alike here: is the text that they are to have right?");
            finding.help.insert(0, help);
        }
    }
}

/// How causes begin that are a text.
const LIKE: &str = "like ";

/// A WHEN that is no expression of assembler text is never known, so that it never holds.
fn unknown_condition(texts: &Texts<'_>, pseudo: &Pseudo) -> Option<Diagnostic> {
    let (condition, span) = (pseudo.condition.as_ref()?, pseudo.condition_span?);
    let line = line_of(pseudo, condition);
    let mut ends = expression_ends(texts, &line, 0).into_iter();
    if ends.any(|end| line.skip_blanks(end) == line.units.len()) {
        return None;
    }
    let message = "the WHEN of this PSEUDO can never hold";
    let help = "it asks for numbers and operands that are values; it has no slice, cast or `::`";
    Some(error(code::PSEUDO_RESULT, span, message, "nothing that a program can know").help(help))
}

/// What each result may be; `None` if that takes too long to find out.
fn read_results(texts: &Texts<'_>, pseudo: &Pseudo, budget: &mut u64) -> Option<Vec<Reading>> {
    let results = pseudo.results.iter();
    results.map(|result| read_result(texts, &line_of(pseudo, result), budget)).collect()
}

fn read_result(texts: &Texts<'_>, line: &Line<'_>, budget: &mut u64) -> Option<Reading> {
    let mut reading = read_line(texts, line, budget)?;
    // What stands before the first operand is the same however operands are written.
    if reading.is_instruction || line.is_plain_before(reading.furthest.at) {
        return Some(reading);
    }
    let Some(lines) = written_out(texts.model, line) else {
        reading.is_instruction = true;
        return Some(reading);
    };
    for line in &lines {
        let further = read_line(texts, line, budget)?;
        reading.is_instruction |= further.is_instruction;
        reading.pseudos.extend(further.pseudos);
    }
    Some(reading)
}

fn read_line(texts: &Texts<'_>, line: &Line<'_>, budget: &mut u64) -> Option<Reading> {
    // Nobody writes such a line by hand, and looking through it takes its time.
    *budget = budget.checked_sub(line.units.len() as u64)?;
    let mut matching = Matching::new(texts, line, budget);
    let is_instruction = matching.is_instruction();
    let pseudos = matching.pseudos();
    let Matching { furthest, is_exhausted, .. } = matching;
    (!is_exhausted).then_some(Reading { is_instruction, pseudos, furthest })
}

/// The PSEUDOs that end in instructions, for some values at least.
fn assembled(readings: &[Vec<Reading>]) -> BTreeSet<usize> {
    // For each PSEUDO the results that may be written as it, by their PSEUDO and number.
    let mut users: Vec<Vec<(usize, usize)>> = vec![Vec::new(); readings.len()];
    let mut open: Vec<BTreeSet<usize>> = Vec::new();
    for (index, results) in readings.iter().enumerate() {
        let mut waiting = BTreeSet::new();
        for (number, reading) in results.iter().enumerate().filter(|(_, reading)| !reading.is_instruction) {
            waiting.insert(number);
            reading.pseudos.iter().for_each(|next| users[*next].push((index, number)));
        }
        open.push(waiting);
    }
    let mut ready: Vec<usize> = (0..open.len()).filter(|index| open[*index].is_empty()).collect();
    let mut sound = BTreeSet::new();
    while let Some(index) = ready.pop() {
        sound.insert(index);
        for (user, number) in &users[index] {
            if open[*user].remove(number) && open[*user].is_empty() {
                ready.push(*user);
            }
        }
    }
    sound
}

/// True if a PSEUDO leads round, and nowhere to one that is explained; what it leads to is then.
fn goes_round(index: usize, readings: &[Vec<Reading>], explained: &mut BTreeSet<usize>) -> bool {
    let mut waiting = vec![index];
    let mut is_new = true;
    let mut found = BTreeSet::new();
    while let Some(next) = waiting.pop() {
        if explained.contains(&next) {
            is_new = false;
        } else if found.insert(next) {
            waiting.extend(readings[next].iter().flat_map(|reading| &reading.pseudos));
        }
    }
    explained.extend(found);
    is_new
}

fn unreadable(texts: &Texts<'_>, pseudo: &Pseudo, number: usize, furthest: &Furthest) -> Diagnostic {
    let message = "a result of this PSEUDO can never be assembled";
    let (span, place) = failing_place(pseudo, number, furthest);
    if let Some(word) = &furthest.unknown_word {
        let label = format!("no instruction and no PSEUDO begins with `{word}`");
        if let Some(operation) = written_with(texts.model, word) {
            return error(code::PSEUDO_RESULT, span, message, label)
                .secondary(operation.span, format!("`{}` does, but nothing decodes it", operation.name))
                .help("make it a member of a GROUP that a CODINGROOT decodes")
                .cause("what nothing decodes");
        }
        let near = did_you_mean(word, texts.words.iter().map(String::as_str));
        let help = near.unwrap_or_else(|| "write each result as an instruction is written".to_owned());
        return error(code::PSEUDO_RESULT, span, message, label).help(help);
    }
    let found =
        error(code::PSEUDO_RESULT, span, message, format!("expected {} {place}", furthest.expected()));
    let found = match &furthest.nearest {
        Some((span, name)) => {
            let found = found.secondary(*span, format!("{name} is written like this"));
            match failing_letter(pseudo, number, furthest) {
                Some(letter) => found.cause(format!("{LIKE}{name} {span:?} {letter}")),
                None => found,
            }
        }
        None => found,
    };
    found.help(furthest.remedy())
}

/// An operation whose text begins with a word.
fn written_with<'m>(model: &'m Model, word: &str) -> Option<&'m Operation> {
    let begins = |text: &Vec<AssemblerItem>| match text.first() {
        Some(AssemblerItem::Text(text)) => {
            text.split_whitespace().next().is_some_and(|own| own.eq_ignore_ascii_case(word))
        }
        _ => false,
    };
    model.operations.iter().find(|operation| operation.assembler.iter().any(begins))
}

/// The place of a result from which on nothing fits, and how it stands to what was expected.
fn failing_place(pseudo: &Pseudo, number: usize, furthest: &Furthest) -> (Span, &'static str) {
    let spans = &pseudo.result_spans[number];
    let Some(span) = spans.get(furthest.piece).copied() else {
        return (spans.last().copied().unwrap_or(pseudo.span), "behind this");
    };
    // Of a string that reads as it is written, the rest.
    match &pseudo.results[number][furthest.piece] {
        PseudoPiece::Text(text) if text.is_ascii() && text.len() == (span.end - span.start) as usize => {
            (Span { start: span.start + furthest.letter as u32, ..span }, "here")
        }
        _ => (span, "here"),
    }
}

/// The letter that stands where nothing fits, if it is one.
fn failing_letter(pseudo: &Pseudo, number: usize, furthest: &Furthest) -> Option<char> {
    match pseudo.results[number].get(furthest.piece)? {
        PseudoPiece::Text(text) => text.chars().nth(furthest.letter),
        PseudoPiece::Operand(_) => None,
    }
}

fn endless(model: &Model, index: usize, readings: &[Reading], sound: &BTreeSet<usize>) -> Diagnostic {
    let pseudo = &model.pseudos[index];
    let goes_on = |reading: &Reading| {
        !reading.is_instruction && reading.pseudos.iter().all(|next| !sound.contains(next))
    };
    let number = readings.iter().position(goes_on).unwrap_or(0);
    let spans = &pseudo.result_spans[number];
    let span = spans.iter().copied().reduce(Span::to).unwrap_or(pseudo.span);
    let message = "this PSEUDO stands for itself without end";
    let found = error(code::PSEUDO_RESULT, span, message, "no instruction is written like this");
    let next = readings[number].pseudos.iter().find(|next| **next != index);
    let found = match next {
        Some(next) => found.secondary(model.pseudos[*next].span, "it is this PSEUDO, which leads back"),
        None => found,
    };
    found.help("let one of them end in an instruction")
}
