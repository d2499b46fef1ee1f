//! The lines: labels, instructions, data, and the remarks behind them.

use std::fmt::Write as _;
use std::ops::Range;

use isac_ir::Model;
use isac_ir::bits::Bits;
use isac_ir::syntax::print::Printed;

use super::label::{Labels, is_of_name};
use super::{Item, Piece, Style};
use crate::assembler::{SectionKind, hexadecimal, is_of_section_name, section_kind};

/// Where remarks begin.
const REMARK_COLUMN: usize = 40;

/// The text so far.
pub(super) struct Lines<'m> {
    pub(super) text: String,
    /// Of each item the bytes that its line is.
    pub(super) ranges: Vec<Range<usize>>,
    model: &'m Model,
    cell_bits: u32,
    style: Style,
}

impl<'m> Lines<'m> {
    pub(super) fn new(model: &'m Model, cell_bits: u32, style: Style) -> Lines<'m> {
        Lines { text: String::new(), ranges: Vec::new(), model, cell_bits, style }
    }

    /// What begins a remark.
    fn comment(&self) -> &str {
        self.model.target.comment.as_deref().unwrap_or("//")
    }

    /// Begins a piece: its section and its address.
    pub(super) fn begin(&mut self, piece: &Piece) {
        if !self.text.is_empty() {
            self.text.push('\n');
        }
        if let Some(section) = &piece.section {
            let directive = match section_name(section) {
                name if [".text", ".data"].contains(&name.as_str()) => name,
                name => format!(".section {name}"),
            };
            let _ = writeln!(self.text, "        {directive}");
        }
        let _ = writeln!(self.text, "        .org {:#x}", piece.address);
    }

    /// A line with the labels before it.
    pub(super) fn item(&mut self, item: &Item<'_>, labels: &Labels<'_>) {
        self.label(item.address, labels);
        let (mut text, mut remarks) = (None, Vec::new());
        if let Some(instruction) = &item.instruction {
            let printed = instruction.printed.as_ref();
            let meant = printed.iter().flat_map(|printed| &printed.targets);
            let meant: Vec<String> = meant.filter_map(|target| labels.meant(target.address)).collect();
            match printed {
                Some(printed) if instruction.exact => text = Some(with_labels(printed, labels)),
                Some(printed) => remarks.push(printed.text.clone()),
                None => {}
            }
            remarks.extend(meant);
        }
        let text = text.unwrap_or_else(|| self.directive(item.cells));
        let begin = self.text.len();
        self.line(&text, item, &remarks);
        self.ranges.push(begin..self.text.len());
        let end = item.address.saturating_add(item.cells.len() as u64);
        let first = item.address.saturating_add(1);
        for (address, name) in labels.inside(first..end.max(first)) {
            let _ = writeln!(self.text, "        .equ {name}, {address:#x}");
        }
    }

    /// The label of an address; other symbols at it are remarks.
    fn label(&mut self, address: u64, labels: &Labels<'_>) {
        let label = labels.label_at(address);
        if let Some(label) = label {
            let _ = writeln!(self.text, "{label}:");
        }
        if self.style.remarks {
            let others = labels.symbols_at(address).iter().filter(|name| Some(**name) != label);
            let comment = self.comment().to_owned();
            for name in others {
                let shown: String = name.chars().filter(|letter| !letter.is_control()).collect();
                let _ = writeln!(self.text, "{comment} {shown}");
            }
        }
    }

    fn line(&mut self, text: &str, item: &Item<'_>, remarks: &[String]) {
        if !self.style.remarks {
            let _ = writeln!(self.text, "        {text}");
            return;
        }
        let digits = self.cell_bits.div_ceil(4) as usize;
        let cells = item.cells.iter().map(|cell| hexadecimal(*cell, self.cell_bits, digits));
        let shown = cells.collect::<Vec<_>>().join(" ");
        let addresses = self.model.address_bits().div_ceil(4) as usize;
        let further: String = remarks.iter().map(|remark| format!("  {remark}")).collect();
        let comment = self.comment().to_owned();
        let address = item.address;
        let _ = writeln!(
            self.text,
            "        {text:REMARK_COLUMN$} {comment} {address:0addresses$x}: {shown}{further}"
        );
    }

    /// A directive for cells: one of a width that is known, else cell by cell.
    fn directive(&self, cells: &[Bits]) -> String {
        let width = cells.len() as u32 * self.cell_bits;
        let name = match width {
            8 => ".byte",
            16 => ".half",
            32 => ".word",
            64 => ".quad",
            _ => {
                let digits = self.cell_bits.div_ceil(4) as usize;
                let name = if self.cell_bits == 8 { ".byte" } else { ".cell" };
                let cells: Vec<String> = cells
                    .iter()
                    .map(|cell| format!("0x{}", hexadecimal(*cell, self.cell_bits, digits)))
                    .collect();
                return format!("{name} {}", cells.join(", "));
            }
        };
        let count = cells.len() as u32;
        let big = self.model.target.big_endian;
        let place = |index: u32| if big { count - 1 - index } else { index };
        let joined = (0..)
            .zip(cells)
            .fold(Bits::ZERO, |word, (index, cell)| word | cell.shifted(place(index) * self.cell_bits));
        format!("{name} 0x{}", hexadecimal(joined, width, width.div_ceil(4) as usize))
    }
}

/// A text whose addresses are labels where there are some, and where a name does not run into what is
/// joined to it.
fn with_labels(printed: &Printed, labels: &Labels<'_>) -> String {
    let mut text = String::new();
    let mut done = 0;
    for target in &printed.targets {
        let is_alone = !printed.text[..target.range.start].ends_with(is_of_name)
            && !printed.text[target.range.end..].starts_with(is_of_name);
        if let Some(place) = labels.place_of(target.address).filter(|_| is_alone) {
            text.push_str(&printed.text[done..target.range.start]);
            text.push_str(&place);
            done = target.range.end;
        }
    }
    text.push_str(&printed.text[done..]);
    text
}

/// The name of a section that has contents, as the assembler takes it.
fn section_name(name: &str) -> String {
    let taken = |letter| if is_of_section_name(letter) { letter } else { '_' };
    let name: String = name.chars().map(taken).collect();
    match section_kind(&name) {
        _ if name.is_empty() => ".text".to_owned(),
        // The assembler puts nothing into what is zero at first.
        SectionKind::Zero => format!(".data{name}"),
        _ => name,
    }
}
