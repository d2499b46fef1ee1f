//! The format of pprof (`proto/profile.proto` of github.com/google/pprof), not compressed.
//!
//! The messages are few and flat, so they are written by hand: a field is its number and kind, then a
//! varint, or a length and bytes (Protocol Buffers, "Encoding").

use std::collections::BTreeMap;

use super::function_names::FunctionNames;
use crate::program::ProgramProfile;

/// Stacks of calls with the instructions and cycles of their innermost function; without calls, the
/// addresses with the functions that were inlined there.
pub fn render_pprof(profile: &ProgramProfile<'_>) -> Vec<u8> {
    let mut tables = Tables::of(profile);
    tables.string("");
    let mut samples = Message::default();
    match profile.calls {
        Some(calls) => {
            let mut stacks: Vec<Vec<u64>> = Vec::new();
            for context in &calls.contexts {
                let location = tables.function_location(context.function);
                let above = context.parent.and_then(|parent| stacks.get(parent as usize));
                let mut stack = vec![location];
                stack.extend(above.into_iter().flatten());
                if context.own != crate::Spending::default() {
                    samples.sample(&stack, [context.own.instructions, context.own.cycles]);
                }
                stacks.push(stack);
            }
        }
        None => {
            for (address, cost) in profile.cost_by_address() {
                let location = tables.address_location(address.unwrap_or(0));
                samples.sample(&[location], [cost.executed, cost.cycles]);
            }
        }
    }
    tables.finish(samples)
}

/// Everything that samples refer to by number.
struct Tables<'a> {
    profile: &'a ProgramProfile<'a>,
    names: FunctionNames<'a>,
    strings: BTreeMap<String, u64>,
    string_order: Vec<String>,
    functions: BTreeMap<(u64, u64), u64>,
    locations: BTreeMap<(bool, u64), u64>,
    written: Message,
}

const SAMPLE_TYPE: u64 = 1;
const SAMPLE: u64 = 2;
const LOCATION: u64 = 4;
const FUNCTION: u64 = 5;
const STRING: u64 = 6;

impl<'a> Tables<'a> {
    fn of(profile: &'a ProgramProfile<'a>) -> Tables<'a> {
        Tables {
            profile,
            names: FunctionNames::of(profile.program),
            strings: BTreeMap::new(),
            string_order: Vec::new(),
            functions: BTreeMap::new(),
            locations: BTreeMap::new(),
            written: Message::default(),
        }
    }

    fn string(&mut self, text: &str) -> u64 {
        let next = self.string_order.len() as u64;
        let number = *self.strings.entry(text.to_owned()).or_insert(next);
        if number == next {
            self.string_order.push(text.to_owned());
        }
        number
    }

    fn function(&mut self, name: &str, source: &str) -> u64 {
        let (name, source) = (self.string(name), self.string(source));
        let next = self.functions.len() as u64 + 1;
        let number = *self.functions.entry((name, source)).or_insert(next);
        if number == next {
            let mut message = Message::default();
            message.number(1, number);
            message.number(2, name);
            message.number(3, name);
            message.number(4, source);
            self.written.bytes(FUNCTION, &message.0);
        }
        number
    }

    /// A function as a whole.
    fn function_location(&mut self, start: u64) -> u64 {
        let name = self.names.at(start);
        let profile = self.profile;
        let row = profile.program.row_at(start);
        let source = row.map_or("", |row| profile.program.source(row.source)).to_owned();
        let line = row.map_or(0, |row| row.line);
        self.location((true, start), start, &[(name, source, line)])
    }

    /// An address, with all functions that were inlined there.
    fn address_location(&mut self, address: u64) -> u64 {
        let frames = self.profile.program.frames(address).into_iter();
        let lines: Vec<_> = frames
            .map(|frame| (frame.function, frame.source.unwrap_or_default(), frame.line.unwrap_or(0)))
            .collect();
        self.location((false, address), address, &lines)
    }

    fn location(&mut self, key: (bool, u64), address: u64, lines: &[(String, String, u32)]) -> u64 {
        if let Some(number) = self.locations.get(&key) {
            return *number;
        }
        let number = self.locations.len() as u64 + 1;
        self.locations.insert(key, number);
        let mut message = Message::default();
        message.number(1, number);
        message.number(3, address);
        for (name, source, line) in lines {
            let mut entry = Message::default();
            entry.number(1, self.function(name, source));
            entry.number(2, u64::from(*line));
            message.bytes(4, &entry.0);
        }
        self.written.bytes(LOCATION, &message.0);
        number
    }

    fn finish(mut self, samples: Message) -> Vec<u8> {
        let mut out = Message::default();
        for (kind, unit) in [("instructions", "count"), ("cycles", "count")] {
            let (kind, unit) = (self.string(kind), self.string(unit));
            let mut message = Message::default();
            message.number(1, kind);
            message.number(2, unit);
            out.bytes(SAMPLE_TYPE, &message.0);
        }
        out.0.extend(samples.0);
        out.0.extend(self.written.0);
        self.string_order.iter().for_each(|text| out.bytes(STRING, text.as_bytes()));
        out.0
    }
}

/// A message on its way.
#[derive(Default)]
struct Message(Vec<u8>);

impl Message {
    fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.0.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
    }

    fn number(&mut self, field: u64, value: u64) {
        self.varint(field << 3);
        self.varint(value);
    }

    fn bytes(&mut self, field: u64, bytes: &[u8]) {
        self.varint(field << 3 | 2);
        self.varint(bytes.len() as u64);
        self.0.extend(bytes);
    }

    fn packed(&mut self, field: u64, values: &[u64]) {
        let mut list = Message::default();
        values.iter().for_each(|value| list.varint(*value));
        self.bytes(field, &list.0);
    }

    fn sample(&mut self, stack: &[u64], values: [u64; 2]) {
        let mut message = Message::default();
        message.packed(1, stack);
        message.packed(2, &values);
        self.bytes(SAMPLE, &message.0);
    }
}
