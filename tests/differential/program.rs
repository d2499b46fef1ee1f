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

use super::encoder::{Encoder, FIRST_SHORT, Instruction, Kind, Word};
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
    pub(crate) words: Vec<Word>,
    /// Which of the words are units.
    pub(crate) body: Range<usize>,
    /// What the data at [`Program::DATA`] is in the beginning.
    pub(crate) data: Vec<u8>,
}

/// A row of units, laid out one behind the other.
#[derive(Default)]
struct Row {
    units: Vec<Vec<Word>>,
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
    pub(crate) const fn registers(register_bytes: u32) -> u32 {
        Self::DATA_BYTES - 32 * register_bytes
    }

    /// The program of a seed with its first `units` units, for registers of so many bytes.
    pub(crate) fn random(encoder: &Encoder<'_>, register_bytes: u32, seed: u64, units: usize) -> Program {
        let mut random = Random::new(seed);
        // Compressed loads and stores reach what the stack pointer or one of eight points to.
        let base = match random.below(4) {
            0 => 2,
            1 => FIRST_SHORT + random.below(8) as u32,
            _ => 1 + random.below(31) as u32,
        };
        let counter = 1 + (base + random.below(30) as u32) % 31;
        let reserved = Reserved { base, counter };
        let mut writer = Writer { encoder, reserved, register_bytes, words: Vec::new() };
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
    register_bytes: u32,
    words: Vec<Word>,
}

impl Writer<'_, '_> {
    /// Points the base into the data and loads all other registers from there.
    fn prologue(&mut self) {
        let middle = Program::DATA + Program::DATA_BYTES / 2;
        let base = self.reserved.base;
        self.load_constant(base, middle);
        for register in (1..32).filter(|register| *register != base) {
            let offset = register * self.register_bytes;
            self.push(self.load(), &[("rd", register), ("rs1", base), ("offset", offset)]);
        }
    }

    /// Stores all registers, writes the data out and exits.
    fn epilogue(&mut self) {
        let first = Program::registers(self.register_bytes) - Program::DATA_BYTES / 2;
        for register in 0..32 {
            let offset = first + register * self.register_bytes;
            self.push(self.store(), &[("rs2", register), ("rs1", self.reserved.base), ("offset", offset)]);
        }
        for (register, value) in [(10, 1), (11, Program::DATA), (12, Program::DATA_BYTES), (17, WRITE)] {
            self.load_constant(register, value);
        }
        self.push("ecall", &[]);
        self.load_constant(10, 0);
        self.load_constant(17, EXIT);
        self.push("ecall", &[]);
    }

    fn load(&self) -> &'static str {
        if self.register_bytes == 8 { "ld" } else { "lw" }
    }

    fn store(&self) -> &'static str {
        if self.register_bytes == 8 { "sd" } else { "sw" }
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
    fn row(&self, units: usize, loops: bool, random_of: impl Fn(usize) -> Random) -> Vec<Word> {
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
    fn repeat(&self, random: &mut Random) -> Vec<Word> {
        let counter = self.reserved.counter;
        let rounds = 1 + random.below(24) as u32;
        let seed = random.next();
        let units = 1 + random.below(12);
        let mut words = vec![self.encoder.encode("addi", &[("rd", counter), ("rs1", 0), ("imm", rounds)])];
        let body = self.row(units, false, |index| Random::of_part(seed, index));
        let back = body.iter().map(|word| word.bytes).sum::<u32>() + 4;
        words.extend(body);
        words.push(self.encoder.encode("addi", &[("rd", counter), ("rs1", counter), ("imm", 0xfff)]));
        let operands = [("rs1", counter), ("rs2", 0), ("offset", back.wrapping_neg())];
        words.push(self.encoder.encode("bne", &operands));
        words
    }

    /// A unit of one random instruction; jumps are noted in the row.
    fn instruction(&self, row: &mut Row, random: &mut Random) -> Vec<Word> {
        let instruction = self.choose(random);
        let word = self.word(instruction, random);
        let unit = row.units.len();
        let target = unit + 1 + random.below(6);
        let name = instruction.name.clone();
        match instruction.kind {
            Kind::Plain => vec![word],
            Kind::Memory => vec![self.address(instruction, word, random)],
            Kind::Atomic => self.atomic(instruction, word, random),
            Kind::Jump => {
                row.jumps.push(Forward { unit, word: 0, target, name, odd: 0 });
                vec![word]
            }
            Kind::IndirectJump => {
                let register = self.writable(random);
                let odd = random.below(2) as u32;
                let here = self.encoder.encode("auipc", &[("rd", register), ("imm", 0)]);
                let jump = self.encoder.set(instruction, word, "rs1", register);
                row.jumps.push(Forward { unit, word: 1, target, name, odd });
                match instruction.has("offset") {
                    true => vec![here, jump],
                    // One without an offset has it added before.
                    false => vec![here, self.add(register, register, 0), jump],
                }
            }
        }
    }

    /// An instruction that leaves the harness its registers.
    fn choose(&self, random: &mut Random) -> &Instruction {
        let Reserved { base, counter } = self.reserved;
        loop {
            let instruction = *random.choose(&self.encoder.random_instructions());
            let is_taken = instruction.implied.is_some_and(|register| [base, counter].contains(&register));
            let reaches = match instruction.kind {
                Kind::Memory if instruction.is_on_stack() => base == 2,
                Kind::Memory if instruction.is_short("rs1") => (FIRST_SHORT..FIRST_SHORT + 8).contains(&base),
                _ => true,
            };
            if !is_taken && reaches {
                return instruction;
            }
        }
    }

    fn add(&self, to: u32, from: u32, value: u32) -> Word {
        self.encoder.encode("addi", &[("rd", to), ("rs1", from), ("imm", value & 0xfff)])
    }

    /// The instruction with random operands that leave the harness its registers.
    fn word(&self, instruction: &Instruction, random: &mut Random) -> Word {
        let mut word = self.encoder.random_word(instruction, random);
        for (place, width) in [("imm", 12), ("imm", 20), ("shamt", 5), ("shamt", 6), ("imm", 6)] {
            if instruction.has(place) && random.once_in(2) {
                let value = random.value(width);
                word = self.encoder.try_set(instruction, word, place, value).unwrap_or(word);
            }
        }
        // Few registers make instructions depend on each other.
        for place in ["rs1", "rs2"] {
            if instruction.has(place) && random.once_in(2) {
                let register = random.below(8) as u32;
                word = self.encoder.try_set(instruction, word, place, register).unwrap_or(word);
            }
        }
        while instruction.has("rd") {
            let destination = match random.once_in(10) {
                true if !instruction.is_short("rd") => 0,
                _ => self.writable(random),
            };
            let coded = match instruction.is_short("rd") {
                true if !(FIRST_SHORT..FIRST_SHORT + 8).contains(&destination) => continue,
                true => destination - FIRST_SHORT,
                false => destination,
            };
            if let Some(set) = self.encoder.try_set(instruction, word, "rd", coded) {
                return set;
            }
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
    fn address(&self, instruction: &Instruction, word: Word, random: &mut Random) -> Word {
        let base = self.reserved.base;
        let word = match instruction.is_short("rs1") {
            true => self.encoder.set(instruction, word, "rs1", base - FIRST_SHORT),
            false if instruction.has("rs1") => self.encoder.set(instruction, word, "rs1", base),
            false => word,
        };
        // Compressed ones have offsets without sign that all stay in the data.
        if instruction.bytes == 2 {
            let highest = self.encoder.highest(instruction, "offset");
            let any = random.next() as u32;
            let offset = *random.choose(&[0, highest, any]);
            return self.encoder.set(instruction, word, "offset", offset);
        }
        let lowest = -(Program::DATA_BYTES as i32 / 2);
        let middle = Program::DATA_BYTES as i32 / 2;
        let last = Program::registers(self.register_bytes) as i32 - middle - self.register_bytes as i32;
        let any = lowest + random.below((last - lowest + 1) as usize) as i32;
        let near = *random.choose(&[lowest, -4, -1, 0, 1, 2, 3, 4, last]);
        let offset = if random.once_in(2) { near } else { any };
        self.encoder.set(instruction, word, "offset", offset as u32)
    }

    /// An atomic instruction on one of a few doublewords. A conditional store stands behind a load
    /// that reserves the same place or another one, since what comes between them otherwise is for
    /// each machine to judge.
    fn atomic(&self, instruction: &Instruction, word: Word, random: &mut Random) -> Vec<Word> {
        let register = self.writable(random);
        let places = [0, 8, 16, 0xff8];
        let place = *random.choose(&places);
        let mut words = vec![self.add(register, self.reserved.base, place)];
        if let Some(width) = instruction.name.strip_prefix("sc_") {
            let load = self.encoder.instruction(&format!("lr_{width}"));
            let mut reserving = self.encoder.random_word(load, random);
            let loaded = self.writable(random);
            reserving = self.encoder.set(load, reserving, "rs1", register);
            words.push(self.encoder.set(load, reserving, "rd", loaded));
            words.push(self.add(register, self.reserved.base, *random.choose(&[place, place, places[0]])));
        }
        words.push(self.encoder.set(instruction, word, "rs1", register));
        words
    }

    /// Puts the units one behind the other and gives jumps their offsets.
    fn lay_out(&self, mut row: Row) -> Vec<Word> {
        let mut starts = vec![0];
        for unit in &row.units {
            starts.push(starts[starts.len() - 1] + unit.iter().map(|word| word.bytes).sum::<u32>());
        }
        for jump in &row.jumps {
            let instruction = self.encoder.instruction(&jump.name);
            // An indirect jump counts from its unit's first instruction, which loads the address.
            let indirect = instruction.kind == Kind::IndirectJump;
            let from = starts[jump.unit];
            let (patched, highest) = match instruction.has("offset") {
                true => (instruction, self.encoder.highest(instruction, "offset")),
                false => (self.encoder.instruction("addi"), 0xfff),
            };
            // A signed offset, so that half of it is what reaches forward.
            let reach = highest / 2;
            let mut unit = jump.target.min(row.units.len());
            while starts[unit] - from > reach {
                unit -= 1;
            }
            let offset = (starts[unit] - from) | if indirect { jump.odd } else { 0 };
            let word = &mut row.units[jump.unit][jump.word];
            let place = if instruction.has("offset") { "offset" } else { "imm" };
            *word = self.encoder.set(patched, *word, place, offset);
        }
        row.units.concat()
    }
}
