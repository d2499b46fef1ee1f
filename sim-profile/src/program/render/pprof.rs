//! The format of pprof (`proto/profile.proto` of github.com/google/pprof), not compressed.
//!
//! The messages are few and flat, so they are written by hand: a field is its number and kind, then a
//! varint, or a length and bytes (Protocol Buffers, "Encoding").

use std::collections::{BTreeMap, HashMap};

use super::function_names::FunctionNames;
use super::stacks::{LEFT_OUT, Stacks};
use crate::program::{NO_INSTRUCTION, ProgramProfile};

/// Stacks of calls with the instructions and cycles of their innermost function; without calls, the
/// addresses with the functions that were inlined there. What is left out of deep stacks, if anything is, is
/// told by the text that is given back.
pub fn render_pprof(profile: &ProgramProfile<'_>) -> (Vec<u8>, Option<String>) {
    let mut note = None;
    let mut tables = Tables::of(profile);
    tables.string("");
    let mut samples = Message::default();
    match profile.calls {
        Some(calls) => {
            let stacks = Stacks::of(calls);
            let mut locations = Vec::new();
            for stack in stacks.iter() {
                locations.clear();
                locations.extend(stack.functions().map(|function| tables.function_location(function)));
                samples.sample(&locations, [stack.own.instructions, stack.own.cycles]);
            }
            note = stacks.note();
        }
        None => {
            for (address, cost) in profile.cost_by_address() {
                let location = match address {
                    Some(address) => tables.address_location(address),
                    None => tables.no_instruction_location(),
                };
                samples.sample(&[location], [cost.executed, cost.cycles]);
            }
        }
    }
    (tables.finish(samples), note)
}

/// Everything that samples refer to by number.
struct Tables<'a> {
    profile: &'a ProgramProfile<'a>,
    names: FunctionNames<'a>,
    strings: BTreeMap<String, u64>,
    string_order: Vec<String>,
    functions: BTreeMap<[u64; 3], u64>,
    locations: HashMap<Place, u64>,
    written: Message,
}

/// What a location stands for.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Place {
    /// A function as a whole, by its beginning.
    Function(u64),
    Address(u64),
    /// Functions that are left out of a stack.
    LeftOut,
    /// Cycles of no instruction, which are nowhere.
    NoInstruction,
}

/// A function at a place, and its line there.
struct Line {
    name: String,
    /// As linkers know it.
    symbol: String,
    source: String,
    line: u32,
}

impl Line {
    /// Of a function of which nothing but the name is known.
    fn of(name: &str) -> Line {
        Line { name: name.to_owned(), symbol: name.to_owned(), source: String::new(), line: 0 }
    }
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
            locations: HashMap::new(),
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

    fn function(&mut self, Line { name, symbol, source, .. }: &Line) -> u64 {
        let (name, symbol, source) = (self.string(name), self.string(symbol), self.string(source));
        let next = self.functions.len() as u64 + 1;
        let number = *self.functions.entry([name, symbol, source]).or_insert(next);
        if number == next {
            let mut message = Message::default();
            message.number(1, number);
            message.number(2, name);
            message.number(3, symbol);
            message.number(4, source);
            self.written.bytes(FUNCTION, &message.0);
        }
        number
    }

    /// A function as a whole; none stands for those that are left out.
    fn function_location(&mut self, function: Option<u64>) -> u64 {
        let place = function.map_or(Place::LeftOut, Place::Function);
        if let Some(number) = self.locations.get(&place) {
            return *number;
        }
        let Some(start) = function else {
            return self.location(place, 0, &[Line::of(LEFT_OUT)]);
        };
        let name = self.names.at(start);
        let profile = self.profile;
        let row = profile.program.row_at(start);
        let source = row.map_or("", |row| profile.program.source(row.source)).to_owned();
        let line = row.map_or(0, |row| row.line);
        let function = profile.program.function(profile.program.function_at(start));
        let has_symbol = function.has_symbol && function.start == start;
        let symbol = if has_symbol { function.symbol.clone() } else { name.clone() };
        self.location(place, start, &[Line { name, symbol, source, line }])
    }

    /// An address, with all functions that were inlined there.
    fn address_location(&mut self, address: u64) -> u64 {
        if let Some(number) = self.locations.get(&Place::Address(address)) {
            return *number;
        }
        let program = self.profile.program;
        let frames = program.frames(address).into_iter();
        let mut lines: Vec<Line> = frames
            .map(|frame| Line {
                source: frame.source.unwrap_or_default(),
                line: frame.line.unwrap_or(0),
                ..Line::of(&frame.function)
            })
            .collect();
        if let Some(outermost) = lines.last_mut() {
            outermost.symbol.clone_from(&program.function(program.function_at(address)).symbol);
        }
        self.location(Place::Address(address), address, &lines)
    }

    /// What stands for cycles that have no address.
    fn no_instruction_location(&mut self) -> u64 {
        if let Some(number) = self.locations.get(&Place::NoInstruction) {
            return *number;
        }
        let name = self.profile.program.function(NO_INSTRUCTION).name.clone();
        self.location(Place::NoInstruction, 0, &[Line::of(&name)])
    }

    /// Of a place that has none yet.
    fn location(&mut self, place: Place, address: u64, lines: &[Line]) -> u64 {
        let number = self.locations.len() as u64 + 1;
        self.locations.insert(place, number);
        let mut message = Message::default();
        message.number(1, number);
        message.number(3, address);
        for line in lines {
            let mut entry = Message::default();
            entry.number(1, self.function(line));
            entry.number(2, u64::from(line.line));
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
