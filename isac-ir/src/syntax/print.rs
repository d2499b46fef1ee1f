//! From a tree to its text, in normal form.
//!
//! One space stands behind the mnemonic, behind commas, and where two words would run together;
//! register names are the first of their synonyms; `#U`, `#S` and fields without a format are
//! decimal, `#X`, `#ABS` and `#REL` hexadecimal. Of several texts of an operation the first is
//! taken that says all there is: one that leaves out a field which is not 0 is passed over.

use std::ops::Range;

use super::encode::encode_word;
use super::evaluate::Surroundings;
use super::number::hexadecimal;
use super::solve::fields_of;
use super::{Format, TextItem, Tree};
use crate::Model;
use crate::behavior::FieldId;
use crate::bits::{mask, sign_extend};
use crate::decode::Decoded;

/// Where an instruction stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Site {
    /// Its address, in cells.
    pub address: u64,
    /// Its size, in cells.
    pub size_cells: u32,
}

/// A text with the addresses that it names.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Printed {
    /// The text.
    pub text: String,
    /// What fields `#ABS` and `#REL` mean, in the order of the text.
    pub targets: Vec<PrintedTarget>,
}

/// An address in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PrintedTarget {
    /// The bytes of the text that it is.
    pub range: Range<usize>,
    /// The address, in cells.
    pub address: u64,
}

/// The text of an instruction; `None` if an operation has none that says all there is.
pub fn print(model: &Model, tree: &Tree, site: Site) -> Option<Printed> {
    print_choice(model, tree, site, &mut 0)
}

/// The text of an operand, as it stands in that of an instruction: nothing in it is a mnemonic.
pub fn print_operand(model: &Model, tree: &Tree, site: Site) -> Option<Printed> {
    let mut printer = Printer { model, site, choice: &mut 0, pieces: Vec::new() };
    printer.operation(tree, false)?;
    Some(join(&printer.pieces))
}

/// The text of what a CODINGROOT has decoded, which is node 0; `None` if that are several words, or if
/// they have no text.
pub fn print_decoded(model: &Model, decoded: &Decoded, site: Site) -> Option<String> {
    let words: Vec<u32> = decoded.children(0).collect();
    let [word] = words[..] else { return None };
    print(model, &Tree::of(decoded, word)?, site).map(|printed| printed.text)
}

/// All texts of an instruction that say all there is, at most `most` of them, the one that is to
/// be preferred first.
pub fn print_all(model: &Model, tree: &Tree, site: Site, most: usize) -> Vec<Printed> {
    let mut found: Vec<Printed> = Vec::new();
    for choice in 0..most {
        let mut left = choice;
        match print_choice(model, tree, site, &mut left) {
            // What is left of the number of a choice says that there are not so many.
            Some(printed) if left == 0 => {
                if !found.contains(&printed) {
                    found.push(printed);
                }
            }
            _ => break,
        }
    }
    found
}

/// The text by number: each operation with several texts takes its part of the number.
fn print_choice(model: &Model, tree: &Tree, site: Site, choice: &mut usize) -> Option<Printed> {
    let mut printer = Printer { model, site, choice, pieces: Vec::new() };
    printer.operation(tree, true)?;
    Some(join(&printer.pieces))
}

/// Something that stands in a text by itself.
struct Piece {
    text: String,
    /// No space before it.
    joined: bool,
    /// It is part of the mnemonic.
    mnemonic: bool,
    /// The address that it is.
    target: Option<u64>,
}

/// True for what needs a space between itself and another such character.
pub fn is_word(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || letter == '_'
}

/// The pieces with the spaces between them.
fn join(pieces: &[Piece]) -> Printed {
    let Printed { mut text, mut targets } = Printed::default();
    let mut in_mnemonic = false;
    // Pieces that print nothing are between others all the same.
    let mut joined = true;
    for piece in pieces {
        joined &= piece.joined;
        if piece.text.is_empty() {
            continue;
        }
        let words = text.ends_with(is_word) && piece.text.starts_with(is_word);
        let behind_mnemonic = in_mnemonic && !piece.mnemonic;
        if !text.is_empty() && !joined && (behind_mnemonic || text.ends_with(',') || words) {
            text.push(' ');
        }
        let begin = text.len();
        text.push_str(&piece.text);
        targets.extend(piece.target.map(|address| PrintedTarget { range: begin..text.len(), address }));
        in_mnemonic = piece.mnemonic;
        joined = true;
    }
    Printed { text, targets }
}

struct Printer<'a, 'c> {
    model: &'a Model,
    site: Site,
    choice: &'c mut usize,
    pieces: Vec<Piece>,
}

impl Printer<'_, '_> {
    fn operation(&mut self, tree: &Tree, mnemonic: bool) -> Option<()> {
        let operation = self.model.operation(tree.operation);
        let fitting: Vec<&Vec<TextItem>> =
            operation.texts.iter().filter(|text| self.says_all(tree, text)).collect();
        let choice = *self.choice % fitting.len().max(1);
        *self.choice /= fitting.len().max(1);
        let text = *fitting.get(choice)?;
        let begin = self.pieces.len();
        let mut joined = false;
        let mut in_mnemonic = mnemonic;
        for (index, item) in text.iter().enumerate() {
            in_mnemonic &= index == 0 || joined || matches!(item, TextItem::Join);
            let first = self.pieces.len();
            match item {
                TextItem::Join => {
                    joined = true;
                    continue;
                }
                TextItem::Literal(literal) => self.piece((literal.clone(), None), in_mnemonic),
                TextItem::Instance(instance) => self.operation(tree.child(*instance)?, in_mnemonic)?,
                TextItem::Field { field, format } => {
                    let value = self.field(tree, *field, format)?;
                    self.piece(value, in_mnemonic);
                }
            }
            if let Some(piece) = self.pieces.get_mut(first)
                && first > begin
            {
                piece.joined |= joined;
            }
            joined = false;
        }
        Some(())
    }

    fn piece(&mut self, (text, target): (String, Option<u64>), mnemonic: bool) {
        self.pieces.push(Piece { text, joined: false, mnemonic, target });
    }

    /// True if what a text does not mention is 0 in the word.
    fn says_all(&self, tree: &Tree, text: &[TextItem]) -> bool {
        let mentioned = |id: FieldId| {
            text.iter().any(|item| match item {
                TextItem::Field { field, format } => *field == id || fields_of(format).contains(&id),
                _ => false,
            })
        };
        let chosen =
            |id: u32| text.iter().any(|item| matches!(item, TextItem::Instance(instance) if *instance == id));
        let fields = &self.model.operation(tree.operation).fields;
        let is_copy = |id: FieldId| fields[id as usize].copy_of.is_some_and(chosen);
        (0..).zip(&tree.fields).all(|(id, value)| *value == 0 || mentioned(id) || is_copy(id))
            && tree.children.iter().all(|(instance, child)| {
                chosen(*instance) || encode_word(self.model, child).0.count_ones() == 0
            })
    }

    /// A field's text, and the address that it is.
    fn field(&self, tree: &Tree, field: FieldId, format: &Format) -> Option<(String, Option<u64>)> {
        let model = self.model;
        let width = model.operation(tree.operation).fields[field as usize].width_bits;
        let value = tree.fields[field as usize];
        let signed = sign_extend(value, width, 128) as i128;
        let around = Surroundings {
            fields: &tree.fields,
            instruction_address: self.site.address,
            instruction_size: self.site.size_cells,
        };
        let (format, value, signed) = match format {
            Format::Computed { format, value } => {
                let computed = value.value(&[], around)?;
                let is_signed = matches!(**format, Format::Signed | Format::Relative { .. });
                let value = match **format {
                    Format::Absolute => computed as u128 & mask(model.address_bits()),
                    // Nobody would read it back.
                    _ if computed < 0 && !is_signed => return None,
                    _ => computed as u128,
                };
                (&**format, value, computed)
            }
            format => (format, value, signed),
        };
        let text = match format {
            Format::Plain | Format::Unsigned => value.to_string(),
            Format::Signed => signed.to_string(),
            Format::Hexadecimal | Format::UnsignedHexadecimal => hexadecimal(value),
            Format::Absolute => return Some((hexadecimal(value), u64::try_from(value).ok())),
            Format::Computed { .. } => return None,
            Format::List { register } => {
                let listed = (0..u128::from(width)).filter(|element| value >> element & 1 == 1);
                let names = listed.map(|element| model.element_names(*register, element).into_iter().next());
                names.collect::<Option<Vec<String>>>()?.join(", ")
            }
            Format::Name { register, element } => {
                let element = match element {
                    Some(element) => u128::try_from(element.value(&[], around)?).ok()?,
                    None => value,
                };
                model.element_names(*register, element).into_iter().next()?
            }
            Format::Relative { offset } => {
                let offset = offset.as_ref().map_or(Some(0), |offset| offset.value(&[], around))?;
                let begin = i128::from(self.site.address).wrapping_add(offset);
                let target = begin.wrapping_add(signed) as u128 & mask(model.address_bits());
                return Some((hexadecimal(target), Some(target as u64)));
            }
        };
        Some((text, None))
    }
}
