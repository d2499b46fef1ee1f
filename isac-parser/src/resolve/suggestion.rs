//! Near misses: the known name that a misspelt one was probably meant to be.

use crate::diagnostic::Diagnostics;

/// The remedy "did you mean ...?" for the candidate nearest to `name`, if one is near enough.
///
/// Among equally near candidates the first wins.
pub fn did_you_mean<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let limit = limit(name);
    let mut best: Option<(usize, &str)> = None;
    for candidate in candidates {
        if let Some(distance) = distance(name, candidate, limit)
            && best.is_none_or(|(least, _)| distance < least)
        {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, candidate)| format!("did you mean `{candidate}`?"))
}

/// The candidates that are near enough to be meant by `name`, the nearest first, five at most.
pub fn near_names<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let limit = limit(name);
    let measured = candidates.into_iter().filter_map(|other| Some((distance(name, other, limit)?, other)));
    let mut near: Vec<(usize, &str)> = measured.collect();
    near.sort_by_key(|(distance, _)| *distance);
    near.into_iter().map(|(_, candidate)| candidate).take(5).collect()
}

/// How far a name may be that is still near. Every name of one letter is near every other.
fn limit(name: &str) -> usize {
    match name.chars().count() {
        0 | 1 => 0,
        length => (length / 3).max(1),
    }
}

/// How far a candidate is from a name, if it is another one within the limit.
fn distance(name: &str, candidate: &str, limit: usize) -> Option<usize> {
    if candidate == name || candidate.chars().count().abs_diff(name.chars().count()) > limit {
        return None;
    }
    let distance = if candidate.eq_ignore_ascii_case(name) { 0 } else { edit_distance(name, candidate) };
    (distance <= limit).then_some(distance)
}

/// Findings after which nobody reads the remedies of more.
const MOST_FINDINGS: usize = 200;

/// Most names that the first one is compared with, the second with half of them, and so on: of
/// thousands of names all 200 are compared with each, of a million only the first few.
const MOST_COMPARED: usize = 2_000_000;

/// True while somebody reads the remedies of what is found next.
pub(crate) fn is_read(diagnostics: &Diagnostics) -> bool {
    diagnostics.len() < MOST_FINDINGS
}

/// The candidates of a suggestion; none where a remedy more would go unread, for it costs a
/// comparison with every name there is.
pub(crate) fn unless_unread<'a, I: IntoIterator<Item = &'a str>>(
    candidates: I,
    diagnostics: &Diagnostics,
) -> impl Iterator<Item = &'a str> + use<'a, I> {
    let wanted = match diagnostics.len() {
        before if before < MOST_FINDINGS => MOST_COMPARED / (before + 1),
        _ => 0,
    };
    candidates.into_iter().take(wanted)
}

/// Insertions, deletions, replacements and swaps of neighbours that turn one text into the other.
///
/// The restricted Damerau-Levenshtein distance, row by row.
fn edit_distance(left: &str, right: &str) -> usize {
    let left: Vec<char> = left.chars().collect();
    let right: Vec<char> = right.chars().collect();
    let mut before: Vec<usize> = Vec::new();
    let mut above: Vec<usize> = (0..=right.len()).collect();
    for i in 1..=left.len() {
        let mut row = vec![i; right.len() + 1];
        for j in 1..=right.len() {
            let replaced = above[j - 1] + usize::from(left[i - 1] != right[j - 1]);
            row[j] = replaced.min(above[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && left[i - 1] == right[j - 2] && left[i - 2] == right[j - 1] {
                row[j] = row[j].min(before[j - 2] + 1);
            }
        }
        before = above;
        above = row;
    }
    above[right.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_near_name_is_suggested() {
        let known = ["offset", "target", "imm"];
        assert_eq!(did_you_mean("ofset", known).as_deref(), Some("did you mean `offset`?"));
        assert_eq!(did_you_mean("tagret", known).as_deref(), Some("did you mean `target`?"));
        assert_eq!(did_you_mean("IMM", known).as_deref(), Some("did you mean `imm`?"));
    }

    #[test]
    fn a_far_name_is_not_suggested() {
        assert_eq!(did_you_mean("rs1", ["target", "imm"]), None);
        assert_eq!(did_you_mean("a", []), None);
    }
}
