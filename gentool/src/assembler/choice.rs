//! Which of several ways of reading a line is meant.

use isac_ir::Model;

use super::candidate::{Candidate, Misfit, Spot, Words, is_unknown};
use super::expression::Environment;
use super::matching::{OperandValue, Written};

/// What is known of a line before any address is.
pub(super) enum Foreseen {
    /// It has this code, wherever it stands.
    Fixed(Words, u32),
    /// It has none, wherever it stands, and why.
    Never(Misfit),
    /// Addresses tell.
    Open,
}

/// Leaves out the ways that take a parenthesis for one of an expression which others, with more literal
/// characters, have as a literal: whether `(0x100),y` is an address in memory may not depend on its value.
/// True if there were some.
pub(super) fn keep_literal_parentheses(text: &str, candidates: &mut Vec<Candidate>) -> bool {
    if candidates.len() < 2 || !text.contains('(') {
        return false;
    }
    let places: Vec<Operands> = candidates.iter().map(|candidate| Operands::of(&candidate.written)).collect();
    let is_kept: Vec<bool> = candidates
        .iter()
        .zip(&places)
        .map(|(candidate, own)| {
            let begins = own.expressions.iter().copied();
            let mut open = begins.filter(|(begin, _)| text[*begin as usize..].starts_with('('));
            !open.any(|(begin, _)| {
                let others = candidates.iter().zip(&places);
                let mut more =
                    others.filter(|(other, _)| other.written.literals > candidate.written.literals);
                more.any(|(_, other)| other.all.iter().all(|(from, to)| begin < *from || *to <= begin))
            })
        })
        .collect();
    let mut kept = is_kept.iter();
    candidates.retain(|_| kept.next().is_none_or(|is_kept| *is_kept));
    is_kept.contains(&false)
}

/// Where the operands of a way of reading stand, by first byte and the byte behind.
#[derive(Default)]
struct Operands {
    expressions: Vec<(u32, u32)>,
    all: Vec<(u32, u32)>,
}

impl Operands {
    fn of(written: &Written) -> Operands {
        let mut found = Operands::default();
        found.note(written);
        found
    }

    fn note(&mut self, written: &Written) {
        for (_, operand) in &written.fields {
            self.all.push(operand.range);
            if matches!(operand.value, OperandValue::Expr(_)) {
                self.expressions.push(operand.range);
            }
        }
        written.children.iter().for_each(|(_, child)| self.note(child));
    }
}

/// What the choice among ways of reading will be, as far as no address has a part in it.
pub(super) fn foresee(model: &Model, candidates: &[Candidate], known: &dyn Environment) -> Foreseen {
    let spot = Spot { address: None, around: known, is_told: false };
    let mut best: Option<(&Candidate, Words)> = None;
    let mut reason: Option<Misfit> = None;
    for candidate in candidates {
        match best.as_ref().map_or(Rank::Tried, |(best, _)| rank(candidate, best)) {
            Rank::Tried => {}
            Rank::Passed => continue,
            Rank::Last => break,
        }
        match candidate.words(model, &spot) {
            Ok(words) => best = Some((candidate, words)),
            Err(misfit) if is_unknown(&misfit) => return Foreseen::Open,
            Err(misfit) => {
                if tells_more(&misfit, reason.as_ref()) {
                    reason = Some(misfit);
                }
            }
        }
    }
    match (best, reason) {
        (Some((candidate, words)), _) => Foreseen::Fixed(words, candidate.size_cells),
        (None, Some(reason)) => Foreseen::Never(reason),
        (None, None) => Foreseen::Open,
    }
}

/// What is to be done with a way of reading if one before it has code.
enum Rank {
    /// It would be better.
    Tried,
    /// It is no better.
    Passed,
    /// Neither it nor any behind it is.
    Last,
}

fn rank(candidate: &Candidate, chosen: &Candidate) -> Rank {
    if candidate.written.literals < chosen.written.literals {
        Rank::Last
    } else if candidate.size_cells >= chosen.size_cells {
        Rank::Passed
    } else {
        Rank::Tried
    }
}

/// Of the ways that have code the one with most literal characters, then the shortest, then the
/// first in GROUP order; a way whose values are not known counts as one that fits. With a size,
/// only ways of that size are asked.
///
/// # Errors
/// If no way has code: why the first of those with most literal characters has none.
pub(super) fn choose<'c>(
    model: &Model,
    candidates: &'c [Candidate],
    spot: &Spot<'_>,
    size_cells: Option<u32>,
) -> Result<(&'c Candidate, Option<Words>), Misfit> {
    let mut best: Option<(&Candidate, Option<Words>)> = None;
    let mut reason: Option<Misfit> = None;
    for candidate in candidates {
        if size_cells.is_some_and(|size| size != candidate.size_cells) {
            continue;
        }
        match best.as_ref().map_or(Rank::Tried, |(best, _)| rank(candidate, best)) {
            Rank::Tried => {}
            Rank::Passed => continue,
            Rank::Last => break,
        }
        match candidate.words(model, spot) {
            Ok(words) => best = Some((candidate, Some(words))),
            Err(misfit) if is_unknown(&misfit) && size_cells.is_none() => best = Some((candidate, None)),
            Err(misfit) => {
                if tells_more(&misfit, reason.as_ref()) {
                    reason = Some(misfit);
                }
            }
        }
    }
    match (best, reason) {
        (Some(best), _) => Ok(best),
        (None, Some(reason)) => Err(reason),
        (None, None) => Err(Misfit::Otherwise(None)),
    }
}

/// True if why a way has no code says more than why the ways before it had none: a value that is out
/// of range says more than a word that is another's, and the widest of several ranges says what is
/// possible at all.
pub(super) fn tells_more(misfit: &Misfit, before: Option<&Misfit>) -> bool {
    match (before, misfit) {
        (None, _) => true,
        (Some(Misfit::Otherwise(_)), misfit) => !matches!(misfit, Misfit::Otherwise(_)),
        (
            Some(Misfit::Range { range, low, high, .. }),
            Misfit::Range { range: other, low: lower, high: higher, .. },
        ) => range == other && higher.saturating_sub(*lower) > high.saturating_sub(*low),
        _ => false,
    }
}
