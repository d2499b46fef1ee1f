//! A CODING as a picture: its fields in boxes, with the numbers of their bits.

use std::fmt::Write as _;

use isac_parser::model::{CodingBit, Operation};

/// Bits of one line of boxes; longer words are broken there.
const BITS_OF_LINE: usize = 32;

/// Consecutive bits of one thing.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Box {
    high: usize,
    low: usize,
    label: String,
}

/// The picture of an operation's CODING; `None` if it has none.
pub(crate) fn picture_of(operation: &Operation) -> Option<String> {
    let coding = operation.coding.as_ref().filter(|coding| !coding.is_empty())?;
    let mut picture = String::new();
    let mut top = coding.len();
    for bits in coding.chunks(BITS_OF_LINE) {
        let boxes = boxes_of(operation, bits, top);
        top -= bits.len();
        draw(&boxes, &mut picture);
    }
    Some(picture)
}

/// The boxes of some bits, the first of which is the bit below `top`.
fn boxes_of(operation: &Operation, bits: &[CodingBit], top: usize) -> Vec<Box> {
    let mut boxes = Vec::new();
    let mut at = 0;
    while at < bits.len() {
        let mut end = at + 1;
        while end < bits.len() && goes_on(bits[end - 1], bits[end]) {
            end += 1;
        }
        let label = label_of(operation, &bits[at..end]);
        boxes.push(Box { high: top - 1 - at, low: top - end, label });
        at = end;
    }
    boxes
}

fn goes_on(first: CodingBit, next: CodingBit) -> bool {
    match (first, next) {
        (CodingBit::Fixed(_), CodingBit::Fixed(_)) | (CodingBit::Any, CodingBit::Any) => true,
        (CodingBit::Field { field, bit, .. }, CodingBit::Field { field: other, bit: below, .. }) => {
            field == other && bit == below + 1
        }
        (CodingBit::Instance { instance, bit }, CodingBit::Instance { instance: other, bit: below }) => {
            instance == other && bit == below + 1
        }
        _ => false,
    }
}

fn label_of(operation: &Operation, bits: &[CodingBit]) -> String {
    let part =
        |name: &str, width: u32, high: u32, low: u32| match (high + 1 == width && low == 0, high == low) {
            (true, _) => name.to_owned(),
            (false, true) => format!("{name}[{high}]"),
            (false, false) => format!("{name}[{high}..{low}]"),
        };
    match (bits[0], bits[bits.len() - 1]) {
        (CodingBit::Field { field, bit: high, .. }, CodingBit::Field { bit: low, .. }) => {
            let field = &operation.fields[field.index()];
            part(&field.name, field.width_bits, high, low)
        }
        (CodingBit::Instance { instance, bit: high }, CodingBit::Instance { bit: low, .. }) => {
            let instance = &operation.instances[instance.index()];
            part(&instance.alias, instance.width_bits.unwrap_or(0), high, low)
        }
        _ => {
            let letter = |bit: &CodingBit| match bit {
                CodingBit::Fixed(true) => '1',
                CodingBit::Fixed(false) => '0',
                _ => 'x',
            };
            bits.iter().map(letter).collect()
        }
    }
}

fn draw(boxes: &[Box], picture: &mut String) {
    let mut rows = [String::new(), String::from("┌"), String::from("│"), String::from("└")];
    for (index, Box { high, low, label }) in boxes.iter().enumerate() {
        let (high_text, low_text) = (high.to_string(), low.to_string());
        let numbers = if high == low { high_text.len() } else { high_text.len() + 1 + low_text.len() };
        let width = (label.chars().count() + 2).max(numbers).max(3);
        let last = index + 1 == boxes.len();
        let gap = width - if high == low { high_text.len() } else { high_text.len() + low_text.len() };
        let low_text = if high == low { "" } else { &low_text };
        let _ = write!(rows[0], " {high_text}{:gap$}{low_text}", "");
        let _ = write!(rows[1], "{}{}", "─".repeat(width), if last { "┐" } else { "┬" });
        let _ = write!(rows[2], "{label:^width$}│");
        let _ = write!(rows[3], "{}{}", "─".repeat(width), if last { "┘" } else { "┴" });
    }
    for row in rows {
        picture.push_str(row.trim_end());
        picture.push('\n');
    }
}
