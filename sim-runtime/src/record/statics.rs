//! What the model says of the instructions of a measurement: their texts, and where they go on.

use isac_ir::Model;
use isac_ir::bits::Bits;
use isac_ir::control::{Control as ModelControl, Delayed as ModelDelayed, control_of};
use isac_ir::decode::Element;
use isac_ir::root::{RootDecoding, RootElement, decode_root, root_elements};
use isac_ir::syntax::Tree;
use isac_ir::syntax::print::{Site, print};
use sim_profile::{Control, DelayedControl, InstructionKey, Measurement, StaticFacts, StaticTable, Word};

/// Facts of all instructions of a measurement of this model; those of which there is nothing to say
/// are left out, and so are instructions of several elements of a CODINGROOT.
pub fn static_table(model: &Model, measurement: &Measurement) -> StaticTable {
    let Some(reader) = StaticReader::of(model) else { return StaticTable::new() };
    let entries = measurement.instructions.iter().filter_map(|(key, record)| {
        let root = reader.decode_key(key)?;
        let facts = reader.facts(&root, key.address, record.size_cells);
        (facts != StaticFacts::default()).then_some((*key, facts))
    });
    entries.collect()
}

/// Says of single instructions of a model what they may do.
pub struct StaticReader<'m> {
    model: &'m Model,
    operation: u32,
    element: RootElement<'m>,
}

/// An instruction that somebody has found in memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StaticCode {
    /// What a measurement would have it under.
    pub key: InstructionKey,
    /// Its size in cells.
    pub size_cells: u32,
    /// What the model says of it.
    pub facts: StaticFacts,
}

impl<'m> StaticReader<'m> {
    /// `None` if instructions of the model have several elements of a CODINGROOT.
    pub fn of(model: &'m Model) -> Option<StaticReader<'m>> {
        let operation = model.operations.iter().position(|operation| operation.root.is_some())? as u32;
        let [element] = root_elements(model, operation)[..] else { return None };
        Some(StaticReader { model, operation, element })
    }

    /// The instruction at an address whose cells are `word`, joined in the target's byte order, of this
    /// width in bits; `None` if it is none.
    pub fn read(&self, address: u64, word: Bits, width_bits: u32) -> Option<StaticCode> {
        let root = self.decode(word, width_bits)?;
        let key = InstructionKey { address, word: Word::new(&root.bytes(self.model)).ok()? };
        let size_cells = root.size_cells(self.model);
        Some(StaticCode { key, size_cells, facts: self.facts(&root, address, size_cells) })
    }

    fn facts(&self, root: &RootDecoding, address: u64, size_cells: u32) -> StaticFacts {
        let control = control_of(self.model, &root.decoded, address, size_cells);
        let child = root.decoded.children(0).next();
        let tree = child.and_then(|child| Tree::of(&root.decoded, child));
        let text = tree.and_then(|tree| print(self.model, &tree, Site { address, size_cells }));
        let slot = self.model.successor(address, size_cells);
        let delayed = control.delayed.clone().map(|ModelDelayed { falls_through, targets, computed }| {
            DelayedControl { slot, falls_through, targets, computed }
        });
        let control = Some(control).filter(|control| !control.is_plain()).map(control_facts);
        StaticFacts { text: text.map(|printed| printed.text), control, delayed }
    }

    /// Decodes the word of a key again.
    ///
    /// The key has words one behind the other, but not how many: what gives the same words when it is
    /// decoded is what was.
    /// The instruction of a measurement, decoded again; `None` if the model has none such.
    pub fn decode_key(&self, key: &InstructionKey) -> Option<RootDecoding> {
        let bytes = key.word.bytes();
        (1..=bytes.len()).rev().filter(|size| bytes.len().is_multiple_of(*size)).find_map(|size| {
            let word = join_words(bytes, size, self.model.target.big_endian);
            let root = self.decode(word, bytes.len() as u32 * 8)?;
            (root.bytes(self.model) == bytes).then_some(root)
        })
    }

    fn decode(&self, word: Bits, width_bits: u32) -> Option<RootDecoding> {
        let RootElement { instance, element, .. } = self.element;
        let target = self.model.operation(self.operation).instances[instance as usize].target;
        let decoder = self.model.decoder_of(target)?;
        decode_root(self.model, self.operation, &[Element { instance, element, decoder, word, width_bits }])
    }
}

fn control_facts(control: ModelControl) -> Control {
    let ModelControl { falls_through, targets, computed, keeps, .. } = control;
    Control { falls_through, targets, computed, keeps }
}

/// All cells of words of a size in bytes, joined in the target's byte order.
fn join_words(bytes: &[u8], size: usize, big_endian: bool) -> Bits {
    if big_endian {
        return Bits::from_be_bytes(bytes);
    }
    let reversed: Vec<u8> = bytes.chunks(size).rev().flatten().copied().collect();
    Bits::from_be_bytes(&reversed)
}
