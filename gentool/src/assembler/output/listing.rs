//! The listing: each line of the text with what it has become.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use isac_ir::Model;
use isac_ir::syntax::entries;
use isac_parser::source::{FileId, SourceMap};

use crate::assembler::{Assembled, Line};

/// Cells of one line of a listing.
const CELLS: usize = 8;

/// The sources with addresses and bytes before their lines, then the symbols.
///
/// What is included stands behind the file that includes it. A file that is included several
/// times is listed once, with all that it has become.
pub fn write_listing(model: &Model, program: &Assembled, sources: &SourceMap) -> String {
    let mut by_line: BTreeMap<(FileId, usize), Vec<&Line>> = BTreeMap::new();
    for line in program.lines.iter().filter(|line| line.size_cells > 0) {
        let (number, _) = sources.line_column(line.span);
        by_line.entry((line.span.file, number)).or_default().push(line);
    }
    let digits = model.address_bits().div_ceil(4) as usize;
    let cell_bits = entries(model).first().map_or(8, |entry| entry.cell_bits);
    let form = Form {
        address_digits: digits,
        cell_digits: cell_bits.div_ceil(4) as usize,
        big_endian: model.target.big_endian,
    };
    let width = CELLS * (form.cell_digits + 1);
    let mut text = String::new();
    for file in sources.files() {
        let _ = writeln!(text, "{}", sources.path(file).display());
        for (number, source) in (1..).zip(sources.text(file).lines()) {
            let lines = by_line.get(&(file, number)).map_or(&[][..], Vec::as_slice);
            let mut rows = lines.iter().flat_map(|line| rows(&form, program, line));
            let first = rows.next().unwrap_or_default();
            let row = format!("{number:6}  {first:<whole$}  {source}", whole = digits + 2 + width);
            let _ = writeln!(text, "{}", row.trim_end());
            for row in rows {
                let _ = writeln!(text, "        {row}");
            }
        }
        text.push('\n');
    }
    let _ = writeln!(text, "symbols");
    let mut symbols: Vec<_> = program.symbols.iter().collect();
    symbols.sort_by_key(|symbol| (symbol.value, &symbol.name));
    for symbol in symbols {
        let kind = match (symbol.piece, symbol.is_global) {
            (None, _) => "number",
            (Some(_), true) => "global",
            (Some(_), false) => "local",
        };
        let value = match u64::try_from(symbol.value) {
            Ok(value) => format!("{value:0digits$x}"),
            Err(_) => symbol.value.to_string(),
        };
        let _ = writeln!(text, "        {value}  {kind:6}  {}", symbol.name);
    }
    text
}

/// How addresses and cells are written.
struct Form {
    address_digits: usize,
    cell_digits: usize,
    big_endian: bool,
}

impl Form {
    /// A cell as a number, the most significant digit first, as the disassembler shows it.
    fn cell(&self, bytes: &[u8]) -> String {
        let mut bytes = bytes.to_vec();
        if !self.big_endian {
            bytes.reverse();
        }
        let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        digits[digits.len().saturating_sub(self.cell_digits)..].to_owned()
    }
}

/// Address and cells of a line, some cells a row; of many equal rows the first alone.
fn rows(form: &Form, program: &Assembled, line: &Line) -> Vec<String> {
    let digits = form.address_digits;
    let size = program.cell_bytes as usize;
    let bytes = program.bytes_of(line);
    if bytes.is_empty() {
        return vec![format!("{:0digits$x}: {} cells", line.address, line.size_cells)];
    }
    let mut rows = Vec::new();
    let mut last: Option<&[u8]> = None;
    let mut skipped = false;
    for (index, chunk) in bytes.chunks(CELLS * size).enumerate() {
        if last == Some(chunk) {
            skipped = true;
            continue;
        }
        if std::mem::take(&mut skipped) {
            rows.push("*".to_owned());
        }
        let cells: Vec<String> = chunk.chunks(size).map(|cell| form.cell(cell)).collect();
        let address = line.address + (index * CELLS) as u64;
        rows.push(format!("{address:0digits$x}: {}", cells.join(" ")));
        last = Some(chunk);
    }
    if skipped {
        rows.push("*".to_owned());
    }
    rows
}
