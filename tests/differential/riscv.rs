//! Random programs for RISC-V.

use super::encoder::{Encoder, Instruction, Word};
use super::program::{Forward, Jump, Layout, Row, Way, Writer};
use crate::support::random::Random;

/// What ends the run or leaves to the host: the harness alone uses it.
const NOT_RANDOM: [&str; 3] = ["ecall", "ebreak", "c_ebreak"];

/// What belongs to machine mode, which user-mode emulation has none of.
const OF_MACHINE: [&str; 3] = ["control", "privileged", "undefined"];

/// Those that jump to where a register points.
const INDIRECT: [&str; 3] = ["jalr", "c_jr", "c_jalr"];

/// Those that link in a register that they do not name, the return address.
const LINKING: [&str; 2] = ["c_jal", "c_jalr"];

/// Those that work on the stack pointer without naming it.
const ON_STACK: [&str; 4] = ["c_lwsp", "c_swsp", "c_ldsp", "c_sdsp"];

/// The registers that three bits name begin with this one.
pub(crate) const FIRST_SHORT: u32 = 8;

const NAMES: [&str; 32] = [
    "x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13", "x14", "x15",
    "x16", "x17", "x18", "x19", "x20", "x21", "x22", "x23", "x24", "x25", "x26", "x27", "x28", "x29", "x30",
    "x31",
];
pub(crate) const RV32: Layout =
    Layout { code: 0x10000, data: 0x00c0_0000, register_bytes: 4, registers: &NAMES, big_endian: false };
pub(crate) const RV64: Layout = Layout { register_bytes: 8, ..RV32 };

const WRITE: u32 = 64;
const EXIT: u32 = 93;

/// What a random program must know of an instruction to stay alive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Goes on with the next instruction, whatever its operands are.
    Plain,
    /// Touches memory at a register and an offset.
    Memory,
    /// May set the PC to its own address and an offset.
    Jump,
    /// Sets the PC to a register and an offset.
    IndirectJump,
    /// Reads and writes memory at a register alone, which has to be aligned.
    Atomic,
}

fn kind(instruction: &Instruction) -> Kind {
    match instruction {
        one if INDIRECT.contains(&one.name.as_str()) => Kind::IndirectJump,
        one if one.is_in("atomic") => Kind::Atomic,
        one if one.sets_pc => Kind::Jump,
        one if one.touches_memory => Kind::Memory,
        _ => Kind::Plain,
    }
}

/// A register that an instruction writes or works on without naming it.
fn implied(instruction: &Instruction) -> Option<u32> {
    match instruction.name.as_str() {
        name if LINKING.contains(&name) => Some(1),
        "c_addi16sp" => Some(2),
        _ => None,
    }
}

/// True if a place names one of the registers that three bits can name.
pub(crate) fn is_short(instruction: &Instruction, place: &str) -> bool {
    instruction.width(place) == 3
}

pub(crate) fn is_on_stack(instruction: &Instruction) -> bool {
    ON_STACK.contains(&instruction.name.as_str())
}

/// What random programs may hold.
pub(crate) fn random_instructions<'e>(encoder: &'e Encoder<'_>) -> Vec<&'e Instruction> {
    let is_of_machine = |one: &Instruction| OF_MACHINE.iter().any(|group| one.is_in(group));
    let is_random = |one: &&Instruction| !is_of_machine(one) && !NOT_RANDOM.contains(&one.name.as_str());
    encoder.instructions().iter().filter(is_random).collect()
}

/// A program's writer, with the registers of the harness: where the data is, and what counts the
/// loops.
pub(crate) struct RiscV<'e, 'm> {
    pub(crate) encoder: &'e Encoder<'m>,
    pub(crate) layout: Layout,
    pub(crate) base: u32,
    pub(crate) counter: u32,
}

/// The writer of a seed's program.
pub(crate) fn writer<'e>(encoder: &'e Encoder<'_>, layout: &Layout, seed: u64) -> Box<dyn Writer + 'e> {
    Box::new(riscv(encoder, layout, seed))
}

pub(crate) fn riscv<'e, 'm>(encoder: &'e Encoder<'m>, layout: &Layout, seed: u64) -> RiscV<'e, 'm> {
    let mut random = Random::new(seed);
    // Compressed loads and stores reach what the stack pointer or one of eight points to.
    let base = match random.below(4) {
        0 => 2,
        1 => FIRST_SHORT + random.below(8) as u32,
        _ => 1 + random.below(31) as u32,
    };
    let counter = 1 + (base + random.below(30) as u32) % 31;
    RiscV { encoder, layout: *layout, base, counter }
}

impl Writer for RiscV<'_, '_> {
    fn prologue(&self) -> Vec<Word> {
        let base = self.base;
        let mut words = self.constant(base, self.layout.middle());
        for register in (1..32).filter(|register| *register != base) {
            words.push(self.loaded(register, register * self.layout.register_bytes));
        }
        words
    }

    fn epilogue(&self) -> Vec<Word> {
        let mut words = self.stored_registers();
        for (register, value) in [(10, 1), (11, self.layout.data), (12, Layout::DATA_BYTES), (17, WRITE)] {
            words.extend(self.constant(register, value));
        }
        words.push(self.encode("ecall", &[]));
        words.extend(self.constant(10, 0));
        words.extend(self.constant(17, EXIT));
        words.push(self.encode("ecall", &[]));
        words
    }

    fn unit(&self, row: &mut Row, _is_looped: bool, random: &mut Random) -> Vec<Word> {
        let instruction = self.choose(random);
        let word = self.word(instruction, random);
        let mut jump = |words, word, name: &str, bias, random: &mut Random| {
            row.jump(self, Jump { words, word, name: name.to_owned(), bias }, random)
        };
        match kind(instruction) {
            Kind::Plain => vec![word],
            Kind::Memory => vec![self.address(instruction, word, random)],
            Kind::Atomic => self.atomic(instruction, word, random),
            Kind::Jump => jump(vec![word], 0, &instruction.name, 0, random),
            Kind::IndirectJump => {
                let register = self.writable(random);
                // The target's least significant bit, which is ignored.
                let odd = random.below(2) as i32;
                let here = self.encode("auipc", &[("rd", register), ("imm", 0)]);
                let word = self.encoder.set(instruction, word, "rs1", register);
                match instruction.has("offset") {
                    true => jump(vec![here, word], 1, &instruction.name, odd, random),
                    // One without an offset has it added before.
                    false => {
                        let words = vec![here, self.add(register, register, 0), word];
                        jump(words, 1, "addi", odd, random)
                    }
                }
            }
        }
    }

    fn repeat(&self, rounds: u32, body: Vec<Word>) -> Vec<Word> {
        let counter = self.counter;
        let mut words = vec![self.encode("addi", &[("rd", counter), ("rs1", 0), ("imm", rounds)])];
        let back = body.iter().map(|word| word.bytes).sum::<u32>() + 4;
        words.extend(body);
        words.push(self.add(counter, counter, 0xfff));
        words.push(self.encode("bne", &[("rs1", counter), ("rs2", 0), ("offset", back.wrapping_neg())]));
        words
    }

    fn aim(&self, jump: &Forward, word: Word, way: Way) -> Option<Word> {
        let instruction = self.encoder.instruction(&jump.name);
        let place = if instruction.has("offset") { "offset" } else { "imm" };
        // A signed offset, so that half of it is what reaches forward.
        let reach = (self.encoder.highest(instruction, place) / 2).cast_signed();
        let offset = way.distance + jump.bias;
        (-reach..=reach)
            .contains(&offset)
            .then(|| self.encoder.set(instruction, word, place, offset.cast_unsigned()))
    }

    fn leap(&self, _space: u32) -> Jump {
        let words = vec![self.encode("jal", &[("rd", 0), ("offset", 0)])];
        Jump { words, word: 0, name: "jal".to_owned(), bias: 0 }
    }

    fn grain(&self) -> u32 {
        self.encoder.instructions().iter().map(|one| one.bytes).min().expect("there are instructions")
    }
}

impl RiscV<'_, '_> {
    /// Stores all registers at the data's end.
    pub(crate) fn stored_registers(&self) -> Vec<Word> {
        let bytes = self.layout.register_bytes;
        let first = self.layout.saved() - Layout::DATA_BYTES / 2;
        (0..32).map(|register| self.stored(register, first + register * bytes)).collect()
    }

    /// Stores a register so far from the data's middle.
    pub(crate) fn stored(&self, register: u32, offset: u32) -> Word {
        let store = if self.layout.register_bytes == 8 { "sd" } else { "sw" };
        self.encode(store, &[("rs2", register), ("rs1", self.base), ("offset", offset & 0xfff)])
    }

    /// Loads a register from so far from the data's middle.
    pub(crate) fn loaded(&self, register: u32, offset: u32) -> Word {
        let load = if self.layout.register_bytes == 8 { "ld" } else { "lw" };
        self.encode(load, &[("rd", register), ("rs1", self.base), ("offset", offset & 0xfff)])
    }

    pub(crate) fn encode(&self, name: &str, values: &[(&str, u32)]) -> Word {
        self.encoder.encode(name, values)
    }

    /// Loads a constant.
    pub(crate) fn constant(&self, register: u32, value: u32) -> Vec<Word> {
        // ADDI extends its sign, which LUI makes up for.
        let high = value.wrapping_add(0x800) >> 12;
        let mut words =
            vec![self.encode("lui", &[("rd", register), ("imm", high)]), self.add(register, register, value)];
        // LUI extends the sign of a wider register.
        if self.layout.register_bytes == 8 && value >> 31 == 1 {
            for shift in ["slli", "srli"] {
                words.push(self.encode(shift, &[("rd", register), ("rs1", register), ("shamt", 32)]));
            }
        }
        words
    }

    pub(crate) fn add(&self, to: u32, from: u32, value: u32) -> Word {
        self.encode("addi", &[("rd", to), ("rs1", from), ("imm", value & 0xfff)])
    }

    /// An instruction that leaves the harness its registers.
    fn choose(&self, random: &mut Random) -> &Instruction {
        loop {
            let instruction = *random.choose(&random_instructions(self.encoder));
            let is_taken =
                implied(instruction).is_some_and(|register| [self.base, self.counter].contains(&register));
            let reaches = match kind(instruction) {
                Kind::Memory if is_on_stack(instruction) => self.base == 2,
                Kind::Memory if is_short(instruction, "rs1") => {
                    (FIRST_SHORT..FIRST_SHORT + 8).contains(&self.base)
                }
                _ => true,
            };
            if !is_taken && reaches {
                return instruction;
            }
        }
    }

    /// The instruction with random operands that leave the harness its registers.
    pub(crate) fn word(&self, instruction: &Instruction, random: &mut Random) -> Word {
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
                true if !is_short(instruction, "rd") => 0,
                _ => self.writable(random),
            };
            let coded = match is_short(instruction, "rd") {
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
    pub(crate) fn writable(&self, random: &mut Random) -> u32 {
        loop {
            let limit = *random.choose(&[8, 32]);
            let register = random.below(limit) as u32;
            if ![0, self.base, self.counter].contains(&register) {
                return register;
            }
        }
    }

    /// A load or store somewhere in the data, aligned or not.
    fn address(&self, instruction: &Instruction, word: Word, random: &mut Random) -> Word {
        let base = self.base;
        let word = match is_short(instruction, "rs1") {
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
        let middle = Layout::DATA_BYTES as i32 / 2;
        let lowest = -middle;
        let last = self.layout.saved() as i32 - middle - self.layout.register_bytes as i32;
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
        let mut words = vec![self.add(register, self.base, place)];
        if instruction.name == "sc" {
            let of_same_size = instruction.path.replace(" sc ", " lr ");
            let is_its_load = |one: &&Instruction| one.path == of_same_size;
            let load = self.encoder.instructions().iter().find(is_its_load).expect("a load that reserves");
            let mut reserving = self.encoder.random_word(load, random);
            let loaded = self.writable(random);
            reserving = self.encoder.set(load, reserving, "rs1", register);
            words.push(self.encoder.set(load, reserving, "rd", loaded));
            words.push(self.add(register, self.base, *random.choose(&[place, place, places[0]])));
        }
        words.push(self.encoder.set(instruction, word, "rs1", register));
        words
    }
}
