//! Lines of code that the linker has dropped, and that seem to stand at address 0.
//!
//! A linker that drops the sections of functions that nobody calls leaves their lines in the file, and moves
//! them to 0. Where a program has no code there they are told by that. Where it has, a sequence of lines that
//! begins at 0 may be of what stands there, or dropped: it is dropped where others have its addresses, or
//! where the symbols there are of functions that its unit does not have.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::{Bytes, Row, Unit};
use crate::symbols::{Code, Placement, Rank};

/// A sequence of lines that begins at byte 0 of the file.
pub(super) struct Suspect {
    /// Where the program has code.
    pub(super) rows: Vec<Row>,
    /// The functions of its unit.
    pub(super) functions: Rc<Functions>,
}

/// Names of a unit's functions by the cells at which they begin; none where it is not told there.
pub(super) type Functions = BTreeMap<u64, Option<Vec<String>>>;

/// The functions of a unit, as far as it can be read.
pub(super) fn functions_of(dwarf: &gimli::Dwarf<Bytes>, unit: &Unit, placement: Placement) -> Functions {
    let mut functions = Functions::new();
    let mut entries = unit.entries();
    while let Ok(Some(entry)) = entries.next_dfs() {
        if entry.tag() != gimli::DW_TAG_subprogram {
            continue;
        }
        let text = |name| {
            let text = dwarf.attr_string(unit, entry.attr_value(name)?).ok()?;
            Some(String::from_utf8_lossy(text.bytes()).into_owned())
        };
        let names: Vec<String> =
            [gimli::DW_AT_linkage_name, gimli::DW_AT_name].into_iter().filter_map(text).collect();
        let Ok(mut ranges) = dwarf.die_ranges(unit, entry) else { continue };
        while let Ok(Some(range)) = ranges.next() {
            let Some(start) = placement.cell(range.begin) else { continue };
            let known = functions.entry(start).or_insert_with(|| Some(Vec::new()));
            match (names.is_empty(), known) {
                (true, known) => *known = None,
                (false, Some(known)) => known.extend(names.iter().cloned()),
                (false, None) => {}
            }
        }
    }
    functions
}

/// Takes out the suspects that were dropped; how far they went, if there are any.
pub(super) fn take_dropped(suspects: &mut Vec<Suspect>, rows: &[Row], code: &Code) -> Option<u64> {
    let start = suspects.iter().filter_map(|suspect| suspect.rows.iter().map(|row| row.start).min()).min()?;
    let first_of_others = rows.iter().filter(|row| row.end > start).map(|row| row.start).min();
    let mut names: BTreeMap<u64, Vec<&str>> = BTreeMap::new();
    for symbol in &code.symbols {
        // A label within a function is none; at its beginning it may be all that names it.
        if symbol.rank > Rank::Label || symbol.rank == Rank::Label && symbol.start == start {
            names.entry(symbol.start).or_default().push(&symbol.name);
        }
    }
    let mut dropped_end = None;
    suspects.retain(|Suspect { rows, functions }| {
        let Some(end) = rows.iter().map(|row| row.end).max() else { return false };
        let is_beneath_others = first_of_others.is_some_and(|first| first < end);
        let is_other = |(start, names): (&u64, &Vec<&str>)| !has_function(functions, *start, names);
        // An assembler may tell no functions at all.
        let is_of_others = !functions.is_empty() && names.range(start..end.max(start)).any(is_other);
        let is_dropped = is_beneath_others || is_of_others;
        if is_dropped {
            dropped_end = dropped_end.max(Some(end));
        }
        !is_dropped
    });
    dropped_end
}

/// Whether a function that begins at an address has one of the names there.
fn has_function(functions: &Functions, start: u64, names: &[&str]) -> bool {
    // Compilers mark copies of a function behind a dot.
    let is_same = |own: &String, name: &str| own == name || name.split('.').next() == Some(own);
    match functions.get(&start) {
        None => false,
        Some(None) => true,
        Some(Some(own)) => names.iter().any(|name| own.iter().any(|own| is_same(own, name))),
    }
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use super::{Functions, Row, Suspect, take_dropped};
    use crate::symbols::{Area, Code, CodeSymbol, Rank};

    fn rows(start: u64, end: u64) -> Vec<Row> {
        vec![Row { start, end, source: 0, line: 1, column: 0, is_statement: true }]
    }

    fn symbol(name: &str, start: u64, rank: Rank) -> CodeSymbol {
        CodeSymbol { name: name.to_owned(), start, size: 4, rank }
    }

    /// Which of the suspects, by where they end, remain beside lines from 8 on.
    fn remaining(suspects: &[(u64, &[(u64, &str)])], symbols: Vec<CodeSymbol>) -> (Vec<u64>, Option<u64>) {
        let functions = |all: &[(u64, &str)]| -> Rc<Functions> {
            let all = all.iter().map(|(start, name)| (*start, Some(vec![(*name).to_owned()])));
            Rc::new(all.collect())
        };
        let suspects = suspects.iter();
        let mut suspects: Vec<Suspect> =
            suspects.map(|(end, all)| Suspect { rows: rows(0, *end), functions: functions(all) }).collect();
        let code = Code { areas: vec![Area { start: 0, end: 64 }], symbols };
        let dropped_end = take_dropped(&mut suspects, &rows(8, 64), &code);
        (suspects.iter().map(|suspect| suspect.rows[0].end).collect(), dropped_end)
    }

    #[test]
    fn what_lies_beneath_other_lines_was_dropped() {
        let of_c: &[(u64, &str)] = &[(0, "unused"), (8, "main")];
        assert_eq!(remaining(&[(40, of_c), (6, &[])], Vec::new()), (vec![6], Some(40)));
    }

    #[test]
    fn what_stands_at_0_has_the_functions_that_are_there() {
        let vectors = || vec![symbol("vectors", 0, Rank::Label), symbol("reset", 4, Rank::Function)];
        let own: &[(u64, &str)] = &[(0, "vectors"), (4, "reset")];
        assert_eq!(remaining(&[(8, own)], vectors()), (vec![8], None));
        assert_eq!(remaining(&[(6, &[(0, "unused")]), (8, own)], vectors()), (vec![8], Some(6)));
        assert_eq!(remaining(&[(4, &[])], vectors()), (vec![4], None), "an assembler's lines");
        let copy = vec![symbol("unused.part.0", 0, Rank::LocalFunction)];
        assert_eq!(remaining(&[(4, &[(0, "unused")])], copy), (vec![4], None));
    }
}
