//! The whole text assembled again: what does not come back among the other lines becomes data.
//!
//! Each instruction's text brings back its words by itself. Together they may not: where the length of
//! one depends on the distance to another, the assembler may settle on other lengths than the program
//! has, and a literal may be what a comment begins with.

use std::path::PathBuf;

use isac_ir::bits::Bits;
use isac_parser::diagnostic::{Diagnostics, Severity};
use isac_parser::source::{InMemory, SourceMap};

use super::label::Labels;
use super::line::Lines;
use super::{Disassembler, Item, Program, Style, write};
use crate::assembler::{Assembled, Bases, Line};

/// Rounds after which all is data that has not come back.
const MOST_ROUNDS: usize = 32;

/// Makes data of what does not come back from the text of all.
///
/// A text that is larger than a file of the assembler may be stays as it is: it is assembled in parts.
pub(super) fn settle(
    disassembler: &Disassembler<'_>,
    program: &Program,
    named: &Labels<'_>,
    pieces: &mut [Vec<Item<'_>>],
) {
    for round in 0..=MOST_ROUNDS {
        let written = write(disassembler, program, named, pieces, Style { remarks: false });
        let mut items: Vec<&mut Item<'_>> = pieces.iter_mut().flatten().collect();
        let mut lost = lost_items(disassembler, &written, &items);
        if let (MOST_ROUNDS, Some(first)) = (round, lost.first().copied()) {
            lost = (first..items.len()).collect();
        }
        let mut is_changed = false;
        for index in lost {
            if let Some(instruction) = &mut items[index].instruction {
                is_changed |= std::mem::replace(&mut instruction.exact, false);
            }
        }
        if !is_changed {
            return;
        }
    }
}

/// The items that a text does not bring back, as far as they do not only follow from others.
fn lost_items(disassembler: &Disassembler<'_>, written: &Lines<'_>, items: &[&mut Item<'_>]) -> Vec<usize> {
    let item_at = |byte: usize| {
        let index = written.ranges.partition_point(|range| range.end <= byte);
        written.ranges.get(index).is_some_and(|range| range.contains(&byte)).then_some(index)
    };
    let path = PathBuf::from("program.s");
    let loader = InMemory::new([(path.clone(), written.text.as_str())]);
    let (mut sources, mut findings) = (SourceMap::default(), Diagnostics::new());
    let assembled =
        disassembler.assembler.assemble(&[path], Bases::default(), &loader, &mut sources, &mut findings);
    let Ok(Some(assembled)) = assembled else {
        let errors = findings.iter().filter(|finding| finding.severity == Severity::Error);
        let mut lost: Vec<usize> =
            errors.filter_map(|error| item_at(error.primary.0.start as usize)).collect();
        lost.sort_unstable();
        return lost;
    };
    let mut lines: Vec<Option<&Line>> = vec![None; items.len()];
    for line in &assembled.lines {
        if let Some(index) = item_at(line.span.start as usize) {
            lines[index] = Some(line);
        }
    }
    let is_other = |index: &usize, differs: &dyn Fn(&Line, &Item<'_>) -> bool| {
        lines[*index].is_none_or(|line| differs(line, items[*index]))
    };
    let has_other_length = |line: &Line, item: &Item<'_>| line.size_cells != item.cells.len() as u64;
    let lost: Vec<usize> = (0..items.len()).filter(|index| is_other(index, &has_other_length)).collect();
    if !lost.is_empty() {
        return lost;
    }
    // Where the lengths are right, so are the addresses.
    let big_endian = disassembler.model().target.big_endian;
    let ones = Bits::ones(disassembler.cell_bits());
    let has_other_cells = |line: &Line, item: &Item<'_>| {
        let expected = item.cells.iter().map(|cell| *cell & ones);
        !cells_of(&assembled, line, big_endian).into_iter().eq(expected)
    };
    (0..items.len()).filter(|index| is_other(index, &has_other_cells)).collect()
}

/// The cells of an assembled line.
fn cells_of(assembled: &Assembled, line: &Line, big_endian: bool) -> Vec<Bits> {
    let cell = |bytes: &[u8]| match big_endian {
        true => Bits::from_be_bytes(bytes),
        false => Bits::from_be_bytes(&bytes.iter().rev().copied().collect::<Vec<u8>>()),
    };
    assembled.bytes_of(line).chunks(assembled.cell_bytes as usize).map(cell).collect()
}
