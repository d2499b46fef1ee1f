//! What the model says of the instructions of a measurement: their texts, and where they go on.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use isac_ir::Model;
use isac_ir::bits::Bits;
use isac_ir::control::{
    Control as ModelControl, ControlCache, Delayed as ModelDelayed, MOST_SLOTS, control_of,
};
use isac_ir::decode::Element;
use isac_ir::root::{RecordedDecoder, RootDecoding, RootElement, decode_root, root_elements};
use isac_ir::syntax::Tree;
use isac_ir::syntax::print::{Site, print};
use sim_profile::{Control, DelayedControl, InstructionKey, Measurement, StaticFacts, StaticTable, Word};

/// Facts of all instructions of a measurement of this model; those of which there is nothing to say
/// are left out, and so are instructions of several elements of a CODINGROOT.
pub fn static_table(model: &Model, measurement: &Measurement) -> StaticTable {
    let decoder = KeyDecoder::new(model);
    let cache = ControlCache::default();
    let entries = measurement.instructions.iter().filter_map(|(key, record)| {
        let root = decoder.decode(key, &record.name).filter(|root| root.decoded_elements() == 1)?;
        let facts = facts((model, &cache), &root, key.address, record.size_cells);
        (facts != StaticFacts::default()).then_some((*key, facts))
    });
    let mut table = entries.collect();
    if model.overlaps() {
        place_slots(measurement, &mut table);
    }
    table
}

/// Decodes instructions of measurements again.
pub struct KeyDecoder<'m> {
    model: &'m Model,
    /// The operations with a CODINGROOT.
    roots: Vec<u32>,
    words: RecordedDecoder<'m>,
}

impl<'m> KeyDecoder<'m> {
    /// For measurements of a model.
    pub fn new(model: &'m Model) -> KeyDecoder<'m> {
        let operations = (0..).zip(&model.operations);
        let roots = operations.filter(|(_, operation)| operation.root.is_some()).map(|(index, _)| index);
        KeyDecoder { model, roots: roots.collect(), words: RecordedDecoder::new(model) }
    }

    /// The instruction of this name; `None` if the model has none such.
    pub fn decode(&self, key: &InstructionKey, name: &str) -> Option<RootDecoding> {
        let outermost = name.split('(').next()?;
        let operation = self.roots.iter().find(|root| self.model.operation(**root).name == outermost)?;
        let found = self.words.decode(*operation, key.word.bytes())?;
        (found.decoded.name(self.model) == name).then_some(found)
    }

    /// What the model calls an instruction; `None` if it is none.
    pub fn name_of(&self, key: &InstructionKey) -> Option<String> {
        let found = self.roots.iter().find_map(|root| self.words.decode(*root, key.word.bytes()))?;
        Some(found.decoded.name(self.model))
    }
}

/// Says of single instructions of a model what they may do.
pub struct StaticReader<'m> {
    model: &'m Model,
    cache: ControlCache,
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
    /// `None` if the model's CODINGROOT has several elements: the cells alone do not tell which of them
    /// are decoded.
    pub fn of(model: &'m Model) -> Option<StaticReader<'m>> {
        let operation = model.operations.iter().position(|operation| operation.root.is_some())? as u32;
        let [element] = root_elements(model, operation)[..] else { return None };
        Some(StaticReader { model, cache: ControlCache::default(), operation, element })
    }

    /// The instruction at an address whose cells are `word`, joined in the target's byte order, of this
    /// width in bits; `None` if it is none.
    pub fn read(&self, address: u64, word: Bits, width_bits: u32) -> Option<StaticCode> {
        let root = self.decode(word, width_bits)?;
        let key = InstructionKey { address, word: Word::new(&root.bytes(self.model)).ok()? };
        let size_cells = root.size_cells(self.model);
        Some(StaticCode {
            key,
            size_cells,
            facts: facts((self.model, &self.cache), &root, address, size_cells),
        })
    }

    fn decode(&self, word: Bits, width_bits: u32) -> Option<RootDecoding> {
        let RootElement { instance, element, .. } = self.element;
        let target = self.model.operation(self.operation).instances[instance as usize].target;
        let decoder = self.model.decoder_of(target)?;
        decode_root(self.model, self.operation, &[Element { instance, element, decoder, word, width_bits }])
    }
}

fn facts(
    (model, cache): (&Model, &ControlCache),
    root: &RootDecoding,
    address: u64,
    size_cells: u32,
) -> StaticFacts {
    let control = control_of((model, cache), &root.decoded, address, size_cells);
    let child = root.decoded.children(0).next();
    let tree = child.and_then(|child| Tree::of(&root.decoded, child));
    let text = tree.and_then(|tree| print(model, &tree, Site { address, size_cells }));
    let slot = model.successor(address, size_cells);
    let delayed = control.delayed.clone().map(|ModelDelayed { falls_through, targets, computed }| {
        DelayedControl { slot, falls_through, targets, computed }
    });
    let control = Some(control).filter(|control| !control.is_plain()).map(control_facts);
    StaticFacts { text: text.map(|printed| printed.text), control, delayed }
}

/// In a pipeline that flushes nothing behind a branch, as many instructions are in its delay slots as were fetched by
/// the time. No description says how many; but what was transferred from where does: for each branch the place is
/// taken from which most of its kind have led somewhere, and for kinds that never have, that of all. Where most
/// branches have no slots none has.
fn place_slots(measurement: &Measurement, table: &mut StaticTable) {
    let sizes: BTreeMap<u64, u32> =
        measurement.instructions.iter().map(|(key, record)| (key.address, record.size_cells)).collect();
    let behind = |address: &u64| {
        let successor = measurement.tables.successor(*address, *sizes.get(address)?);
        sizes.contains_key(&successor).then_some(successor)
    };
    // An address, and those behind it.
    let places = |address: u64| std::iter::successors(Some(address), behind).take(MOST_SLOTS as usize + 1);
    let leads = |control: &Control, place: u64| {
        let mut transfers = measurement.transfers.range((place, 0)..=(place, u64::MAX));
        transfers.any(|((_, to), _)| control.computed || control.targets.binary_search(to).is_ok())
    };
    let branches = table.iter().filter_map(|(key, facts)| {
        let control = facts.control.as_ref().filter(|control| is_branch(control))?;
        Some((*key, control.clone(), &measurement.instructions.get(key)?.name))
    });
    let branches: Vec<(InstructionKey, Control, &String)> = branches.collect();
    let mut votes: BTreeMap<Option<&str>, BTreeMap<usize, u64>> = BTreeMap::new();
    for (key, control, name) in &branches {
        if let Some(slots) = places(key.address).position(|place| leads(control, place)) {
            for kind in [None, Some(name.as_str())] {
                *votes.entry(kind).or_default().entry(slots).or_default() += 1;
            }
        }
    }
    // Of as many, the fewest slots.
    let most = |votes: &BTreeMap<usize, u64>| {
        votes.iter().max_by_key(|(slots, votes)| (**votes, Reverse(**slots))).map_or(0, |(slots, _)| *slots)
    };
    if votes.get(&None).is_none_or(|votes| most(votes) == 0) {
        return;
    }
    for (key, control, name) in branches {
        let slots = votes.get(&Some(name.as_str())).or_else(|| votes.get(&None)).map_or(0, most);
        let (Some(slot), Some(facts)) = (places(key.address).nth(slots), table.get_mut(&key)) else {
            continue;
        };
        if slots > 0 {
            let Control { falls_through, targets, computed, keeps } = control;
            facts.delayed = Some(DelayedControl { slot, falls_through, targets, computed });
            facts.control =
                keeps.map(|_| Control { falls_through: true, targets: Vec::new(), computed: false, keeps });
        }
    }
}

/// Whether it may be an instruction's own matter that the run goes elsewhere.
fn is_branch(control: &Control) -> bool {
    !control.targets.is_empty() || (control.computed && !control.falls_through)
}

fn control_facts(control: ModelControl) -> Control {
    let ModelControl { falls_through, targets, computed, keeps, .. } = control;
    Control { falls_through, targets, computed, keeps }
}
