//! Instructions that always run together and hand values on: candidates for one instruction.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use isac_ir::Model;
use isac_parser::CoverageMap;
use sim_profile::Measurement;
use sim_profile::coverage::format_percent;

use super::section::Align::{Left, Right};
use super::section::Section;
use super::step::{Step, Steps, Value};

/// Sequences of `length` instructions, those that cost most first.
///
/// Their instructions stand behind each other, were executed equally often, and no jump was made from
/// one that is not the last, or to one that is not the first. Each but the first reads, whenever it is
/// executed, a register that one before it always writes.
pub(super) fn sequences(
    model: &Model,
    measurement: &Measurement,
    steps: &Steps,
    maps: &[CoverageMap],
    length: usize,
) -> Section {
    if measurement.is_of_several_programs {
        return section(
            length,
            "These need the addresses of one program; name the profiles of one.".to_owned(),
            Vec::new(),
        );
    }
    let left: BTreeSet<u64> = measurement.transfers.keys().map(|(from, _)| *from).collect();
    let entered: BTreeSet<u64> = measurement.transfers.keys().map(|(_, to)| *to).collect();
    let mut found: BTreeMap<Vec<Part>, Found> = BTreeMap::new();
    for first in steps.by_address.values() {
        let mut sequence = vec![first];
        while sequence.len() < length {
            let last = sequence[sequence.len() - 1];
            let next = steps.by_address.get(&last.successor).filter(|next| {
                next.executed == first.executed
                    && next.address > last.address
                    && !left.contains(&last.address)
                    && !entered.contains(&next.address)
                    && is_fed(&sequence, next)
            });
            let Some(next) = next else { break };
            sequence.push(next);
        }
        if sequence.len() == length {
            let shape = shape_of(&sequence);
            found.entry(shape).or_default().add(&sequence);
        }
    }
    let mut found: Vec<(Vec<Part>, Found)> = found.into_iter().collect();
    found.sort_by_key(|(_, found)| Reverse(found.cycles));
    let digits = model.address_bits().min(64).div_ceil(4) as usize;
    let rows = found.iter().map(|(shape, found)| {
        let (text, bits) = found.describe(shape);
        vec![
            found.cycles.to_string(),
            format_percent(found.cycles, measurement.cycles.saturating_add(measurement.extra_cycles)),
            found.executed.to_string(),
            found.places.to_string(),
            text,
            format!("0x{:0digits$x}", found.first),
            bits.to_string(),
            free_encoding(maps, found.width_bits, bits),
        ]
    });
    let note = "Instructions behind each other that were executed equally often, with no jump between them, each \
               reading what one before it wrote. Letters are registers. Cycles are those of all of them; lists \
               may name the same instruction several times. Bits are what operands need in one instruction; \
               the encoding has room for them and is free."
        .to_owned()
        + &steps.remark();
    section(length, note, rows.collect())
}

fn section(length: usize, note: String, rows: Vec<Vec<String>>) -> Section {
    Section {
        title: if length == 2 { "Hot pairs" } else { "Hot triples" },
        note,
        columns: vec![
            ("cycles", Right),
            ("%", Right),
            ("executed", Right),
            ("places", Right),
            ("instructions", Left),
            ("first at", Left),
            ("bits", Right),
            ("free encoding", Left),
        ],
        rows,
    }
}

/// Whether an instruction always reads what one before it always writes.
fn is_fed(before: &[&Step], next: &Step) -> bool {
    let always_read = next.touches.iter().filter(|touch| touch.reads >= next.executed);
    let mut elements = always_read.map(|touch| touch.element);
    elements.any(|element| {
        before.iter().any(|step| {
            step.touches.iter().any(|touch| touch.element == element && touch.writes >= step.executed)
        })
    })
}

/// What sequences that are alike have in common: operations, and which operands are the same register.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Part {
    name: String,
    operands: Vec<(String, Slot)>,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Slot {
    /// A register, by the order in which they appear.
    Letter(usize),
    /// What always reads the same, or is neither register nor constant.
    Fixed(String),
    /// A constant.
    Constant,
}

fn shape_of(sequence: &[&Step]) -> Vec<Part> {
    let mut letters: Vec<(u32, u32)> = Vec::new();
    let mut slot = |value: &Value| match value {
        Value::Element(register, element) => {
            let element = (*register, *element);
            let known = letters.iter().position(|letter| *letter == element);
            Slot::Letter(known.unwrap_or_else(|| {
                letters.push(element);
                letters.len() - 1
            }))
        }
        Value::Hardwired(text) | Value::Other(text) => Slot::Fixed(text.clone()),
        Value::Immediate(_) => Slot::Constant,
    };
    let parts = sequence.iter().map(|step| Part {
        name: step.name.clone(),
        operands: step.operands.iter().map(|operand| (operand.name.clone(), slot(&operand.value))).collect(),
    });
    parts.collect()
}

/// Sequences of one shape.
#[derive(Default)]
struct Found {
    executed: u64,
    cycles: u64,
    places: u64,
    /// The lowest address of one.
    first: u64,
    /// The widest instruction among them.
    width_bits: u32,
    /// By operand of all instructions in turn: its bits, and the values that it has.
    operands: Vec<(u32, BTreeSet<Value>)>,
}

impl Found {
    fn add(&mut self, sequence: &[&Step]) {
        if self.places == 0 {
            self.first = sequence[0].address;
        }
        self.places += 1;
        self.executed = self.executed.saturating_add(sequence[0].executed);
        for step in sequence {
            self.cycles = self.cycles.saturating_add(step.cycles);
            self.width_bits = self.width_bits.max(step.width_bits);
        }
        let operands = || sequence.iter().flat_map(|step| &step.operands);
        self.operands.resize_with(operands().count(), Default::default);
        for ((bits, values), operand) in self.operands.iter_mut().zip(operands()) {
            *bits = (*bits).max(operand.width_bits);
            values.insert(operand.value.clone());
        }
    }

    /// The sequence as a text, and the bits that its operands need: each register once, and constants
    /// that are not always the same.
    fn describe(&self, shape: &[Part]) -> (String, u32) {
        let mut operands = self.operands.iter();
        let (mut bits, mut letters) = (0, BTreeSet::new());
        let mut texts = Vec::new();
        for part in shape {
            let mut written = Vec::new();
            for (name, slot) in &part.operands {
                let Some((width, values)) = operands.next() else { continue };
                let text = match slot {
                    Slot::Letter(letter) => {
                        bits += if letters.insert(*letter) { *width } else { 0 };
                        letter_text(*letter)
                    }
                    Slot::Fixed(text) => text.clone(),
                    Slot::Constant => match (values.len(), values.first()) {
                        (1, Some(Value::Immediate(value))) => value.clone(),
                        _ => {
                            bits += width;
                            "#".to_owned()
                        }
                    },
                };
                written.push(format!("{name}={text}"));
            }
            texts.push(format!("{}({})", part.name, written.join(", ")));
        }
        (texts.join(" "), bits)
    }
}

/// a to z, then r26 and so on.
fn letter_text(letter: usize) -> String {
    match u8::try_from(letter) {
        Ok(letter @ 0..26) => char::from(b'a' + letter).to_string(),
        _ => format!("r{letter}"),
    }
}

/// The pattern that wastes least of those that have room for so many bits.
fn free_encoding(maps: &[CoverageMap], width_bits: u32, bits: u32) -> String {
    let free = maps.iter().filter(|map| map.width_bits == width_bits).flat_map(|map| &map.free);
    let room = |pattern: &str| pattern.chars().filter(|digit| *digit == 'x').count() as u32;
    let fitting = free.filter(|free| room(&free.pattern) >= bits);
    fitting.min_by_key(|free| room(&free.pattern)).map_or("none".to_owned(), |free| free.pattern.clone())
}
