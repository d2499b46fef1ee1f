//! Decoding an instruction again from what a profile has of it.
//!
//! [`RootDecoding::bytes`] tells neither how wide the words are nor where the next one begins, but
//! decoding does: widths are tried one word after the other, as far as the decoders ask for cells,
//! and what gives the same bytes again is what was decoded.

use std::collections::BTreeSet;

use super::{Elements, NoElement, RootDecoding, depends_on_registers, number_bytes, replay, root_elements};
use crate::Model;
use crate::behavior::InstanceId;
use crate::bits::Bits;
use crate::decode::{CellSource, DecodedElement, decode_element};
use crate::operation::TailItem;

/// Decodes again what a profile has of instructions.
pub struct RecordedDecoder<'m> {
    model: &'m Model,
    widths: Vec<u32>,
}

impl<'m> RecordedDecoder<'m> {
    /// For the instructions of a model.
    pub fn new(model: &'m Model) -> RecordedDecoder<'m> {
        RecordedDecoder { model, widths: word_widths(model) }
    }

    /// The instruction that an operation has decoded and whose [`RootDecoding::bytes`] these are; `None`
    /// if its CODINGROOT decodes none such.
    pub fn decode(&self, operation: u32, bytes: &[u8]) -> Option<RootDecoding> {
        let RecordedDecoder { model, widths } = self;
        let search = Search { model, operation, bytes, widths };
        if !depends_on_registers(model, operation) {
            return search.find(bytes, None, &mut Vec::new());
        }
        let elements = root_elements(model, operation).len();
        let size = number_bytes(elements);
        (0..=elements).find_map(|count| {
            let (words, numbers) = bytes.split_at_checked(bytes.len().checked_sub(count * size)?)?;
            let number = |bytes: &[u8]| bytes.iter().fold(0, |number, byte| number << 8 | u32::from(*byte));
            let numbers: Vec<u32> = numbers.chunks(size).map(number).collect();
            search.find(words, Some(&numbers), &mut Vec::new())
        })
    }
}

/// The widths that words of the model's instructions have, in bits, the widest first.
fn word_widths(model: &Model) -> Vec<u32> {
    let variants = model.decoders.iter().flat_map(|decoder| &decoder.variants);
    let tails = model.operations.iter().flat_map(|operation| &operation.tail);
    let tails = tails.filter_map(|item| match item {
        TailItem::Word { width_bits, .. } => Some(*width_bits),
        TailItem::Instance(_) | TailItem::Decode { .. } => None,
    });
    let widths: BTreeSet<u32> = variants.map(|variant| variant.width_bits).chain(tails).collect();
    widths.into_iter().rev().filter(|width| *width > 0).collect()
}

struct Search<'a> {
    model: &'a Model,
    operation: u32,
    /// What the instruction has to give.
    bytes: &'a [u8],
    widths: &'a [u32],
}

impl Search<'_> {
    /// Tries widths of words behind those that are tried already.
    fn find(&self, words: &[u8], numbers: Option<&[u32]>, tried: &mut Vec<u32>) -> Option<RootDecoding> {
        let mut attempt =
            Attempt { search: self, words, numbers, widths: tried, done: 0, is_too_short: false };
        let found = replay(self.model, self.operation, &mut attempt);
        let (done, is_too_short) = (attempt.done, attempt.is_too_short);
        if !is_too_short {
            return found.filter(|found| done == tried.len() && found.bytes(self.model) == self.bytes);
        }
        let taken: usize = tried.iter().map(|width| width.div_ceil(8) as usize).sum();
        for width in self.widths {
            if taken + width.div_ceil(8) as usize <= words.len() {
                tried.push(*width);
                let found = self.find(words, numbers, tried);
                tried.pop();
                if found.is_some() {
                    return found;
                }
            }
        }
        None
    }
}

/// Decoding with some widths.
struct Attempt<'a> {
    search: &'a Search<'a>,
    words: &'a [u8],
    /// The elements that were decoded and are still to come, where the words do not tell.
    numbers: Option<&'a [u32]>,
    /// Of the words in turn.
    widths: &'a [u32],
    /// How many of them are decoded.
    done: usize,
    /// Cells were asked for behind the last width.
    is_too_short: bool,
}

impl Elements for Attempt<'_> {
    fn next_number(&self) -> Option<u32> {
        self.numbers?.first().copied()
    }

    fn decode(&mut self, instance: InstanceId, number: u32) -> Result<Option<DecodedElement>, NoElement> {
        match self.numbers {
            Some([next, rest @ ..]) if *next == number => self.numbers = Some(rest),
            Some(_) => return Ok(None),
            None => {}
        }
        let Search { model, operation, .. } = *self.search;
        let target = model.operation(operation).instances[instance as usize].target;
        let decoder = model.decoder_of(target).ok_or(NoElement)?;
        let decoded = decode_element(model, decoder, self).map_err(|_| NoElement)?;
        let widths = decoded.words.iter().map(|(_, width)| width);
        let rest = &self.widths[self.done..];
        if decoded.words.len() > rest.len() || !widths.eq(&rest[..decoded.words.len()]) {
            return Err(NoElement);
        }
        self.done += decoded.words.len();
        Ok(Some(decoded))
    }
}

/// The widths are wrong.
struct WrongWidths;

impl CellSource for Attempt<'_> {
    type Fault = WrongWidths;

    fn fetch(&mut self, first_bit: u32, width_bits: u32) -> Result<Bits, WrongWidths> {
        let mut byte: usize = self.widths[..self.done].iter().map(|width| width.div_ceil(8) as usize).sum();
        let mut begin = 0;
        for width in &self.widths[self.done..] {
            let end = begin + width;
            let size = width.div_ceil(8) as usize;
            if first_bit < end {
                let behind = end.checked_sub(first_bit + width_bits).ok_or(WrongWidths)?;
                let word = Bits::from_be_bytes(self.words.get(byte..byte + size).ok_or(WrongWidths)?);
                let low = if self.search.model.target.big_endian { behind } else { first_bit - begin };
                return Ok(word.shifted_down(low) & Bits::ones(width_bits));
            }
            (begin, byte) = (end, byte + size);
        }
        self.is_too_short = true;
        Err(WrongWidths)
    }
}
