//! Random programs that end.
//!
//! A program is a row of *units*: one instruction, an indirect jump with the instruction that
//! loads its address, or a loop around further units. Control never enters a unit but at its
//! beginning, jumps lead forward to a unit of the same row, and a loop counts down a register
//! that nothing else writes. One more register always points into the data, for loads and stores.
//! Which two registers these are is random too, so that every register is used as any other.
//!
//! In front of the units all registers are loaded from the data; behind them they are stored
//! there, the data is written to standard output, and the program exits.

use std::ops::Range;

use super::encoder::{Encoder, Instruction, Kind};
use super::random::Random;

/// Registers of the harness: where the data is, and what counts the loops.
#[derive(Debug, Clone, Copy)]
struct Reserved {
    base: u32,
    counter: u32,
}

/// A program in memory.
#[derive(Debug, Clone)]
pub(crate) struct Program {
    /// The code from [`Program::CODE`] on, where it begins.
    pub(crate) words: Vec<u32>,
    /// Which of the words are units.
    pub(crate) body: Range<usize>,
    /// What the data at [`Program::DATA`] is in the beginning.
    pub(crate) data: Vec<u8>,
}

/// A row of units, laid out one behind the other.
#[derive(Default)]
struct Row {
    units: Vec<Vec<u32>>,
    jumps: Vec<Forward>,
}

/// A jump of a row whose offset is not known yet.
struct Forward {
    unit: usize,
    /// Its word in the unit.
    word: usize,
    /// The unit that it leads to; the row's end if there are fewer.
    target: usize,
    name: String,
    /// What the target's least significant bit is; an indirect jump ignores it.
    odd: u32,
}

const WRITE: u32 = 64;
const EXIT: u32 = 93;

impl Program {
    pub(crate) const CODE: u32 = 0x10000;
    pub(crate) const DATA: u32 = 0x0040_0000;
    /// The data: as far as a signed 12-bit offset reaches from its middle.
    pub(crate) const DATA_BYTES: u32 = 4096;
    /// The part of the data, at its end, where the registers are stored when all is done.
    pub(crate) const REGISTERS: u32 = Self::DATA_BYTES - 32 * 4;
    /// Highest offset from the middle at which a load or store leaves the registers alone.
    const LAST_OFFSET: i32 = (Self::REGISTERS - Self::DATA_BYTES / 2) as i32 - 4;

    /// The program of a seed with its first `units` units.
    pub(crate) fn random(encoder: &Encoder<'_>, seed: u64, units: usize) -> Program {
        let mut random = Random::new(seed);
        let base = 1 + random.below(31) as u32;
        let counter = 1 + (base + random.below(30) as u32) % 31;
        let mut writer = Writer { encoder, reserved: Reserved { base, counter }, words: Vec::new() };
        writer.prologue();
        let row = writer.row(units, true, |index| Random::of_part(seed, index));
        let body = writer.words.len()..writer.words.len() + row.len();
        writer.words.extend(row);
        writer.epilogue();
        let words = writer.words;
        let data = (0..Self::DATA_BYTES / 4).flat_map(|_| random.value(32).to_le_bytes()).collect();
        Program { words, body, data }
    }
}

/// Where a program is written.
struct Writer<'e, 'm> {
    encoder: &'e Encoder<'m>,
    reserved: Reserved,
    words: Vec<u32>,
}

impl Writer<'_, '_> {
    /// Points the base into the data and loads all other registers from there.
    fn prologue(&mut self) {
        let middle = Program::DATA + Program::DATA_BYTES / 2;
        let base = self.reserved.base;
        self.load_constant(base, middle);
        for register in (1..32).filter(|register| *register != base) {
            self.push("lw", &[("rd", register), ("rs1", base), ("offset", register * 4)]);
        }
    }

    /// Stores all registers, writes the data out and exits.
    fn epilogue(&mut self) {
        let first = Program::REGISTERS - Program::DATA_BYTES / 2;
        for register in 0..32 {
            let offset = first + register * 4;
            self.push("sw", &[("rs2", register), ("rs1", self.reserved.base), ("offset", offset)]);
        }
        for (register, value) in [(10, 1), (11, Program::DATA), (12, Program::DATA_BYTES), (17, WRITE)] {
            self.load_constant(register, value);
        }
        self.push("ecall", &[]);
        self.load_constant(10, 0);
        self.load_constant(17, EXIT);
        self.push("ecall", &[]);
    }

    fn push(&mut self, name: &str, values: &[(&str, u32)]) {
        self.words.push(self.encoder.encode(name, values));
    }

    fn load_constant(&mut self, register: u32, value: u32) {
        // ADDI extends its sign, which LUI makes up for.
        let high = value.wrapping_add(0x800) >> 12;
        self.push("lui", &[("rd", register), ("imm", high)]);
        self.push("addi", &[("rd", register), ("rs1", register), ("imm", value & 0xfff)]);
    }

    /// Makes a row; unit `index` depends on its own random numbers alone.
    fn row(&self, units: usize, loops: bool, random_of: impl Fn(usize) -> Random) -> Vec<u32> {
        let mut row = Row::default();
        for index in 0..units {
            let mut random = random_of(index);
            let unit = match loops && random.once_in(12) {
                true => self.repeat(&mut random),
                false => self.instruction(&mut row, &mut random),
            };
            row.units.push(unit);
        }
        self.lay_out(row)
    }

    /// A loop of a few rounds around a row.
    fn repeat(&self, random: &mut Random) -> Vec<u32> {
        let counter = self.reserved.counter;
        let rounds = 1 + random.below(24) as u32;
        let seed = random.next();
        let units = 1 + random.below(12);
        let mut words = vec![self.encoder.encode("addi", &[("rd", counter), ("rs1", 0), ("imm", rounds)])];
        let body = self.row(units, false, |index| Random::of_part(seed, index));
        let back = (body.len() as u32 + 1) * 4;
        words.extend(body);
        words.push(self.encoder.encode("addi", &[("rd", counter), ("rs1", counter), ("imm", 0xfff)]));
        let operands = [("rs1", counter), ("rs2", 0), ("offset", back.wrapping_neg())];
        words.push(self.encoder.encode("bne", &operands));
        words
    }

    /// A unit of one random instruction; jumps are noted in the row.
    fn instruction(&self, row: &mut Row, random: &mut Random) -> Vec<u32> {
        let instruction = *random.choose(&self.encoder.random_instructions());
        let word = self.word(instruction, random);
        let unit = row.units.len();
        let target = unit + 1 + random.below(6);
        let name = instruction.name.clone();
        match instruction.kind {
            Kind::Plain => vec![word],
            Kind::Memory => vec![self.address(instruction, word, random)],
            Kind::Jump => {
                row.jumps.push(Forward { unit, word: 0, target, name, odd: 0 });
                vec![word]
            }
            Kind::IndirectJump => {
                let register = self.writable(random);
                let odd = random.below(2) as u32;
                row.jumps.push(Forward { unit, word: 1, target, name, odd });
                let here = self.encoder.encode("auipc", &[("rd", register), ("imm", 0)]);
                vec![here, self.encoder.set(instruction, word, "rs1", register)]
            }
        }
    }

    /// The instruction with random operands that leave the harness its registers.
    fn word(&self, instruction: &Instruction, random: &mut Random) -> u32 {
        let mut word = self.encoder.random_word(instruction, random);
        for (place, width) in [("imm", 12), ("imm", 20), ("shamt", 5)] {
            if instruction.has(place) && random.once_in(2) {
                word = self.encoder.set(instruction, word, place, random.value(width));
            }
        }
        // Few registers make instructions depend on each other.
        for place in ["rs1", "rs2"] {
            if instruction.has(place) && random.once_in(2) {
                word = self.encoder.set(instruction, word, place, random.below(8) as u32);
            }
        }
        if instruction.has("rd") {
            let destination = match random.once_in(10) {
                true => 0,
                false => self.writable(random),
            };
            word = self.encoder.set(instruction, word, "rd", destination);
        }
        word
    }

    /// A register but x0 that is not the harness's, a low one in half of the cases.
    fn writable(&self, random: &mut Random) -> u32 {
        loop {
            let limit = *random.choose(&[8, 32]);
            let register = random.below(limit) as u32;
            if ![0, self.reserved.base, self.reserved.counter].contains(&register) {
                return register;
            }
        }
    }

    /// A load or store somewhere in the data, aligned or not.
    fn address(&self, instruction: &Instruction, word: u32, random: &mut Random) -> u32 {
        let lowest = -(Program::DATA_BYTES as i32 / 2);
        let span = (Program::LAST_OFFSET - lowest + 1) as usize;
        let any = lowest + random.below(span) as i32;
        let near = *random.choose(&[lowest, -4, -1, 0, 1, 2, 3, 4, Program::LAST_OFFSET]);
        let offset = if random.once_in(2) { near } else { any };
        let word = self.encoder.set(instruction, word, "rs1", self.reserved.base);
        self.encoder.set(instruction, word, "offset", offset as u32)
    }

    /// Puts the units one behind the other and gives jumps their offsets.
    fn lay_out(&self, mut row: Row) -> Vec<u32> {
        let mut starts = vec![0];
        for unit in &row.units {
            starts.push(starts[starts.len() - 1] + unit.len());
        }
        for jump in &row.jumps {
            let target = starts[jump.target.min(row.units.len())];
            let instruction = self.encoder.instruction(&jump.name);
            // An indirect jump counts from the instruction before it, which loads the address.
            let from = match instruction.kind {
                Kind::IndirectJump => starts[jump.unit],
                _ => starts[jump.unit] + jump.word,
            };
            let offset = ((target - from) * 4) as u32 | jump.odd;
            let word = &mut row.units[jump.unit][jump.word];
            *word = self.encoder.set(instruction, *word, "offset", offset);
        }
        row.units.concat()
    }
}
