//! From a tree to the words of its instruction: the codings backwards.

use super::Tree;
use crate::Model;
use crate::bits::Bits;
use crate::decoder::Run;
use crate::operation::TailItem;

/// The words of an instruction and of its tails in address order, each with its width in bits.
///
/// Bits that may be either are 0, and so are the bits of an alias without a child.
pub fn encode(model: &Model, tree: &Tree) -> Vec<(Bits, u32)> {
    let mut words = vec![encode_word(model, tree)];
    encode_tail(model, tree, &mut words);
    words
}

/// The word of an operation's CODING with its width; of an operation without one, no bits.
pub fn encode_word(model: &Model, tree: &Tree) -> (Bits, u32) {
    let Some(coding) = &model.operation(tree.operation).coding else { return (Bits::ZERO, 0) };
    let mut word = coding.value;
    for (field, run) in &coding.fields {
        word = word | spread(Bits::from_u128(tree.fields[*field as usize]), *run);
    }
    for (instance, child) in &tree.children {
        let mut runs = coding.instances.iter().filter(|(coded, _)| coded == instance).peekable();
        if runs.peek().is_some() {
            let (below, _) = encode_word(model, child);
            word = runs.fold(word, |word, (_, run)| word | spread(below, *run));
        }
    }
    (word, coding.width_bits)
}

fn encode_tail(model: &Model, tree: &Tree, words: &mut Vec<(Bits, u32)>) {
    for item in &model.operation(tree.operation).tail {
        match item {
            TailItem::Word { width_bits, value, fields, .. } => {
                let bits = fields.iter().fold(*value, |word, (field, run)| {
                    word | spread(Bits::from_u128(tree.fields[*field as usize]), *run)
                });
                words.push((bits, *width_bits));
            }
            TailItem::Instance(instance) => {
                if let Some(child) = tree.child(*instance) {
                    encode_tail(model, child, words);
                }
            }
            TailItem::Decode { instance, .. } => {
                if let Some(child) = tree.child(*instance) {
                    words.push(encode_word(model, child));
                    encode_tail(model, child, words);
                }
            }
        }
    }
}

/// A run of a value's bits at its place in a word.
fn spread(value: Bits, run: Run) -> Bits {
    (value.shifted_down(run.to) & Bits::ones(run.width)).shifted(run.from)
}

/// The bits of a field that a word holds, from bit 0 to the highest one.
pub fn coded_bits(model: &Model, operation: u32, field: u32) -> Bits {
    let operation = model.operation(operation);
    let coded = operation.coding.iter().flat_map(|coding| &coding.fields);
    let words = operation.tail.iter().filter_map(|item| match item {
        TailItem::Word { fields, .. } => Some(fields),
        TailItem::Instance(_) | TailItem::Decode { .. } => None,
    });
    let runs = coded.chain(words.flatten()).filter(|(found, _)| *found == field);
    runs.fold(Bits::ZERO, |bits, (_, run)| bits | Bits::ones(run.width).shifted(run.to))
}

/// Words one behind the other as cells of memory, each of `cell_bits` bits, in address order.
pub fn cells_of_words(words: &[(Bits, u32)], cell_bits: u32, big_endian: bool) -> Vec<Bits> {
    let mut cells = Vec::new();
    for (word, width) in words {
        let count = width.div_ceil(cell_bits);
        let place = |index: u32| if big_endian { count - 1 - index } else { index };
        let cell = |index: u32| word.shifted_down(place(index) * cell_bits) & Bits::ones(cell_bits);
        cells.extend((0..count).map(cell));
    }
    cells
}
