//! What the model says of the instructions of a measurement: their texts, and where they go on.

use isac_ir::Model;
use isac_ir::bits::Bits;
use isac_ir::control::{Control as ModelControl, Delayed as ModelDelayed, control_of};
use isac_ir::decode::Element;
use isac_ir::root::{RootDecoding, RootElement, decode_root, root_elements};
use isac_ir::syntax::Tree;
use isac_ir::syntax::print::{Site, print};
use sim_profile::{
    Control, DelayedControl, InstructionKey, InstructionRecord, Measurement, StaticFacts, StaticTable,
};

/// Facts of all instructions of a measurement of this model; those of which there is nothing to say
/// are left out, and so are instructions of several elements of a CODINGROOT.
pub fn static_table(model: &Model, measurement: &Measurement) -> StaticTable {
    let root = model.operations.iter().position(|operation| operation.root.is_some());
    let Some(operation) = root.map(|root| root as u32) else { return StaticTable::new() };
    let elements = root_elements(model, operation);
    let [element] = elements[..] else { return StaticTable::new() };
    let entries = measurement.instructions.iter().filter_map(|(key, record)| {
        let facts = facts_of(model, operation, element, key, record)?;
        (facts != StaticFacts::default()).then_some((*key, facts))
    });
    entries.collect()
}

fn facts_of(
    model: &Model,
    operation: u32,
    element: RootElement<'_>,
    key: &InstructionKey,
    record: &InstructionRecord,
) -> Option<StaticFacts> {
    let root = decode_key(model, operation, element, key)?;
    let control = control_of(model, &root.decoded, key.address, record.size_cells);
    let site = Site { address: key.address, size_cells: record.size_cells };
    let child = root.decoded.children(0).next();
    let tree = child.and_then(|child| Tree::of(&root.decoded, child));
    let text = tree.and_then(|tree| print(model, &tree, site)).map(|printed| printed.text);
    let slot = model.successor(key.address, record.size_cells);
    let delayed = control.delayed.clone().map(|ModelDelayed { falls_through, targets, computed }| {
        DelayedControl { slot, falls_through, targets, computed }
    });
    let control = Some(control).filter(|control| !control.is_plain()).map(control_facts);
    Some(StaticFacts { text, control, delayed })
}

fn control_facts(control: ModelControl) -> Control {
    let ModelControl { falls_through, targets, computed, keeps, .. } = control;
    Control { falls_through, targets, computed, keeps }
}

/// Decodes the word of a record again.
///
/// The record has words one behind the other, but not how many: what gives the same words when it is
/// decoded is what was.
fn decode_key(
    model: &Model,
    operation: u32,
    element: RootElement<'_>,
    key: &InstructionKey,
) -> Option<RootDecoding> {
    let decoder = model.decoder_of(model.operation(operation).instances[element.instance as usize].target)?;
    let bytes = key.word.bytes();
    (1..=bytes.len()).rev().filter(|size| bytes.len().is_multiple_of(*size)).find_map(|size| {
        let word = join_words(bytes, size, model.target.big_endian);
        let width_bits = bytes.len() as u32 * 8;
        let element =
            Element { instance: element.instance, element: element.element, decoder, word, width_bits };
        let root = decode_root(model, operation, &[element])?;
        (root.bytes(model) == bytes).then_some(root)
    })
}

/// All cells of words of a size in bytes, joined in the target's byte order.
fn join_words(bytes: &[u8], size: usize, big_endian: bool) -> Bits {
    if big_endian {
        return Bits::from_be_bytes(bytes);
    }
    let reversed: Vec<u8> = bytes.chunks(size).rev().flatten().copied().collect();
    Bits::from_be_bytes(&reversed)
}
