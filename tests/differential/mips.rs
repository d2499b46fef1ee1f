//! Random programs for MIPS32. Every branch and jump has a random instruction in its delay slot.

use super::encoder::{Encoder, Instruction, Word};
use super::program::{Forward, Jump, Layout, Row, Way, Writer};
use crate::support::random::Random;

const NAMES: [&str; 34] = [
    "r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15",
    "r16", "r17", "r18", "r19", "r20", "r21", "r22", "r23", "r24", "r25", "r26", "r27", "r28", "r29", "r30",
    "r31", "HI", "LO",
];
pub(crate) const LAYOUT: Layout =
    Layout { code: 0x0040_0000, data: 0x0100_0000, register_bytes: 4, registers: &NAMES, big_endian: true };

/// What ends the run or leaves to the host: the harness alone uses it.
const NOT_RANDOM: [&str; 3] = ["break", "syscall", "undefined"];

/// Hardware registers that say the same everywhere: the processor's number, the step of SYNCI, and
/// where what is local to the thread lies.
const CERTAIN: [u32; 3] = [0, 1, 29];

pub(super) const OVERFLOWING: [&str; 3] = ["add", "addi", "sub"];

/// The register that links.
const RA: u32 = 31;
/// What `bgezal zero` in a unit's first word leaves in it, from the unit's beginning on.
const LINK: u32 = 8;

const WRITE: u32 = 4004;
const EXIT_GROUP: u32 = 4246;

/// What random programs may hold.
pub(crate) fn random_instructions<'e>(encoder: &'e Encoder<'_>) -> Vec<&'e Instruction> {
    let is_random = |one: &&Instruction| !NOT_RANDOM.contains(&one.name.as_str());
    encoder.instructions().iter().filter(is_random).collect()
}

/// True for branches and jumps.
fn leaves(instruction: &Instruction) -> bool {
    instruction.is_in("branch_and_jump")
}

/// True for what has to be given operands that do not trap, by one word or more.
fn is_delicate(instruction: &Instruction) -> bool {
    let name = instruction.name.as_str();
    OVERFLOWING.contains(&name) || name == "sc"
}

/// The place that names the register which an instruction writes.
fn destination(instruction: &Instruction) -> Option<&'static str> {
    ["rt", "rd"].into_iter().find(|place| instruction.writes(place))
}

/// A program's writer, with the registers of the harness: where the data is, and what counts the
/// loops.
pub(crate) struct Mips<'e, 'm> {
    pub(super) encoder: &'e Encoder<'m>,
    pub(super) base: u32,
    counter: u32,
    /// What may trap, behind all else: the data has been written by then.
    pub(super) last: Option<Vec<Word>>,
}

/// The writer of a seed's program.
pub(crate) fn writer<'e>(encoder: &'e Encoder<'_>, _layout: &Layout, seed: u64) -> Box<dyn Writer + 'e> {
    Box::new(mips(encoder, seed))
}

pub(super) fn mips<'e, 'm>(encoder: &'e Encoder<'m>, seed: u64) -> Mips<'e, 'm> {
    let mut random = Random::new(seed);
    let base = 1 + random.below(30) as u32;
    let counter = 1 + (base + random.below(29) as u32) % 30;
    Mips { encoder, base, counter, last: None }
}

impl Writer for Mips<'_, '_> {
    fn prologue(&self) -> Vec<Word> {
        let mut words = self.constant(self.base, LAYOUT.middle());
        for register in (1..32).filter(|register| *register != self.base) {
            words.push(self.memory("lw", register, 4 * register as i32));
        }
        words.push(self.encode("mthi", &[("rs", 2)]));
        words.push(self.encode("mtlo", &[("rs", 3)]));
        words
    }

    fn epilogue(&self) -> Vec<Word> {
        let place = |index: u32| (LAYOUT.saved() + 4 * index) as i32 - Layout::DATA_BYTES as i32 / 2;
        let mut words: Vec<Word> =
            (0..32).map(|register| self.memory("sw", register, place(register))).collect();
        let free = if self.base == 1 { 2 } else { 1 };
        for (name, index) in [("mfhi", 32), ("mflo", 33)] {
            words.push(self.encode(name, &[("rd", free)]));
            words.push(self.memory("sw", free, place(index)));
        }
        for (register, value) in [(4, 1), (5, LAYOUT.data), (6, Layout::DATA_BYTES), (2, WRITE)] {
            words.extend(self.constant(register, value));
        }
        words.push(self.encode("syscall", &[]));
        if let Some(last) = &self.last {
            words.extend(self.constant(self.base, LAYOUT.middle()));
            words.extend(
                self.free().into_iter().map(|register| self.memory("lw", register, 4 * register as i32)),
            );
            words.extend(last);
        }
        words.extend(self.constant(4, 0));
        words.extend(self.constant(2, EXIT_GROUP));
        words.push(self.encode("syscall", &[]));
        words
    }

    fn unit(&self, row: &mut Row, is_looped: bool, random: &mut Random) -> Vec<Word> {
        let instruction = loop {
            let instruction = *random.choose(&random_instructions(self.encoder));
            // A loop does not know where it is, which those two have to.
            if !(is_looped && ["j", "jal"].contains(&instruction.name.as_str())) {
                break instruction;
            }
        };
        match instruction.name.as_str() {
            name if OVERFLOWING.contains(&name) => self.without_overflow(instruction, random),
            "sc" => self.conditional_store(instruction, random),
            _ if leaves(instruction) => self.jump(row, instruction, random),
            _ => vec![self.word(instruction, random)],
        }
    }

    fn repeat(&self, rounds: u32, body: Vec<Word>) -> Vec<Word> {
        let counter = self.counter;
        let mut words = vec![self.add(counter, 0, rounds)];
        let back = body.iter().map(|word| word.bytes).sum::<u32>() + 8;
        words.extend(body);
        words.push(self.add(counter, counter, 0xffff));
        words.push(self.encode("bne", &[("rs", counter), ("rt", 0), ("offset", back.wrapping_neg())]));
        words.push(self.encode("nop", &[]));
        words
    }

    fn aim(&self, jump: &Forward, word: Word, way: Way) -> Option<Word> {
        let instruction = self.encoder.find(word)?;
        let offset = way.distance + jump.bias;
        let (place, value, reach) = match jump.name.as_str() {
            "j" | "jal" => ("target", way.address?, i32::MAX),
            "addiu" => ("imm", offset.cast_unsigned(), 0x7fff),
            _ => ("offset", offset.cast_unsigned(), 0x1_ffff),
        };
        (-reach..=reach).contains(&offset).then(|| self.encoder.set(instruction, word, place, value))
    }

    /// A branch, which a loop may have, too, or a jump where that does not reach.
    fn leap(&self, space: u32) -> Jump {
        let nop = self.encode("nop", &[]);
        let (name, word) = match space < 0x1_0000 {
            true => ("beq", self.encode("beq", &[("rs", 0), ("rt", 0), ("offset", 0)])),
            false => ("j", self.encode("j", &[("target", 0)])),
        };
        Jump { words: vec![word, nop], word: 0, name: name.to_owned(), bias: -4 }
    }

    fn grain(&self) -> u32 {
        4
    }
}

impl Mips<'_, '_> {
    pub(super) fn encode(&self, name: &str, values: &[(&str, u32)]) -> Word {
        self.encoder.encode(name, values)
    }

    pub(super) fn constant(&self, register: u32, value: u32) -> Vec<Word> {
        let low = [("rt", register), ("rs", register), ("imm", value & 0xffff)];
        vec![self.encode("lui", &[("rt", register), ("imm", value >> 16)]), self.encode("ori", &low)]
    }

    fn add(&self, to: u32, from: u32, value: u32) -> Word {
        self.encode("addiu", &[("rt", to), ("rs", from), ("imm", value & 0xffff)])
    }

    fn memory(&self, name: &str, register: u32, offset: i32) -> Word {
        self.encode(name, &[("rt", register), ("base", self.base), ("offset", offset as u32)])
    }

    pub(super) fn set(&self, instruction: &Instruction, word: Word, place: &str, value: u32) -> Word {
        self.encoder.set(instruction, word, place, value)
    }

    /// A register but zero that is not the harness's, a low one in half of the cases.
    fn writable(&self, random: &mut Random) -> u32 {
        loop {
            let limit = *random.choose(&[8, 32]);
            let register = random.below(limit) as u32;
            if ![0, self.base, self.counter].contains(&register) {
                return register;
            }
        }
    }

    /// An instruction by itself, with random operands that leave the harness its registers.
    fn word(&self, instruction: &Instruction, random: &mut Random) -> Word {
        let name = instruction.name.as_str();
        loop {
            let mut word = self.encoder.random_word(instruction, random);
            for (place, width) in [("imm", 16), ("sa", 5)] {
                if instruction.has(place) && random.once_in(2) {
                    let value = random.value(width);
                    word = self.encoder.try_set(instruction, word, place, value).unwrap_or(word);
                }
            }
            // Few registers make instructions depend on each other.
            for place in ["rs", "rt"] {
                if instruction.has(place) && random.once_in(2) {
                    let register = random.below(8) as u32;
                    word = self.encoder.try_set(instruction, word, place, register).unwrap_or(word);
                }
            }
            if let Some(place) = destination(instruction) {
                let register = if random.once_in(10) { 0 } else { self.writable(random) };
                match self.encoder.try_set(instruction, word, place, register) {
                    Some(set) => word = set,
                    None => continue,
                }
            }
            return match name {
                "ext" | "ins" => self.field(instruction, word, random),
                "rdhwr" => self.set(instruction, word, "rd", *random.choose(&CERTAIN)),
                _ if instruction.touches_memory => self.address(instruction, word, random),
                _ if instruction.is_in("trapping") => self.untrapped(instruction, word, random),
                _ => word,
            };
        }
    }

    /// A field that the word has.
    fn field(&self, instruction: &Instruction, word: Word, random: &mut Random) -> Word {
        let any = random.below(32) as u32;
        let first = *random.choose(&[0, 31, any]);
        let any = first + random.below(32 - first as usize) as u32;
        let last = *random.choose(&[first, 31, any]);
        let end = match instruction.has("msb") {
            true => ("msb", last),
            false => ("msbd", last - first),
        };
        let set = self.encoder.try_set_all(instruction, word, &[("pos", first), end]);
        set.expect("the word has the field")
    }

    /// A load or store somewhere in the data, aligned if it has to be.
    fn address(&self, instruction: &Instruction, word: Word, random: &mut Random) -> Word {
        let size = instruction.access_cells.cast_signed();
        let lowest = -(Layout::DATA_BYTES as i32 / 2);
        let last = LAYOUT.saved() as i32 + lowest - 4;
        let any = lowest + random.below((last - lowest + 1) as usize) as i32;
        let near = *random.choose(&[lowest, -4, -1, 0, 1, 2, 3, 4, last]);
        let offset = if random.once_in(2) { near } else { any };
        let word = self.set(instruction, word, "base", self.base);
        self.set(instruction, word, "offset", (offset & -size) as u32)
    }

    /// A trap whose condition does not hold: the base is above zero and every signed immediate.
    fn untrapped(&self, instruction: &Instruction, word: Word, random: &mut Random) -> Word {
        let (zero, base) = (("rs", 0), ("rs", self.base));
        let positive = 1 + random.below(0x7fff) as u32;
        let (left, right) = match instruction.name.as_str() {
            "teq" | "tlt" | "tltu" => (base, ("rt", 0)),
            "tne" => (base, ("rt", self.base)),
            "tge" | "tgeu" => (zero, ("rt", self.base)),
            "teqi" | "tgeiu" => (zero, ("imm", 1 + random.below(0xffff) as u32)),
            "tnei" => (zero, ("imm", 0)),
            "tgei" => (zero, ("imm", positive)),
            "tlti" => (base, ("imm", random.value(16))),
            _ => (base, ("imm", positive)),
        };
        let word = self.set(instruction, word, left.0, left.1);
        self.set(instruction, word, right.0, right.1)
    }

    /// An addition or subtraction of operands that are halved before, so that it does not overflow.
    fn without_overflow(&self, instruction: &Instruction, random: &mut Random) -> Vec<Word> {
        let mut word = self.word(instruction, random);
        let mut words = Vec::new();
        for place in ["rs", "rt"] {
            if instruction.has(place) && destination(instruction) != Some(place) {
                let register = self.writable(random);
                word = self.set(instruction, word, place, register);
                words.push(self.encode("sra", &[("rd", register), ("rt", register), ("sa", 1)]));
            }
        }
        words.push(word);
        words
    }

    /// A conditional store behind the load that it depends on, with nothing between the two.
    fn conditional_store(&self, instruction: &Instruction, random: &mut Random) -> Vec<Word> {
        let store = self.word(instruction, random);
        let load = self.encoder.instruction("ll");
        let loading = self.word(load, random);
        let offset = self.encoder.value(instruction, store, "offset");
        vec![self.set(load, loading, "offset", offset), store]
    }

    /// A branch or jump with what stands in its delay slot.
    fn jump(&self, row: &mut Row, instruction: &Instruction, random: &mut Random) -> Vec<Word> {
        let mut word = self.word(instruction, random);
        // A branch that links may not read the register that it writes.
        while instruction.name.contains("al") && self.encoder.value(instruction, word, "rs") == RA {
            word = self.word(instruction, random);
        }
        let slot = self.slot(random);
        let name = instruction.name.clone();
        if instruction.has("offset") || instruction.has("target") {
            return row.jump(self, Jump { words: vec![word, slot], word: 0, name, bias: -4 }, random);
        }
        let linked = match instruction.has("rd") {
            true => self.encoder.value(instruction, word, "rd"),
            false => 0,
        };
        let register = loop {
            let register = self.writable(random);
            if register != linked {
                break register;
            }
        };
        // Where it is told by a branch to the second instruction behind it.
        let words = vec![
            self.encode("bgezal", &[("rs", 0), ("offset", 4)]),
            self.encode("nop", &[]),
            self.add(register, RA, 0),
            self.set(instruction, word, "rs", register),
            slot,
        ];
        row.jump(self, Jump { words, word: 2, name: "addiu".to_owned(), bias: -(LINK as i32) }, random)
    }

    /// What may stand in a delay slot: one word that goes on with the next.
    fn slot(&self, random: &mut Random) -> Word {
        loop {
            let instruction = *random.choose(&random_instructions(self.encoder));
            if !leaves(instruction) && !is_delicate(instruction) {
                return self.word(instruction, random);
            }
        }
    }
}
