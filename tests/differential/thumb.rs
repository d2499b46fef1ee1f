//! Random programs for Thumb, ARMv6-M. The stack pointer stands in the middle of the data, too, and
//! is back there behind every unit.

use super::encoder::{Encoder, Instruction, Word};
use super::program::{Forward, Jump, Layout, Row, Way, Writer};
use crate::support::random::Random;

const NAMES: [&str; 16] =
    ["r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7", "r8", "r9", "r10", "r11", "r12", "sp", "lr", "flags"];
pub(crate) const LAYOUT: Layout =
    Layout { code: 0x10000, data: 0x00f0_0000, register_bytes: 4, registers: &NAMES, big_endian: false };

/// What ends the run or leaves to the host.
const NOT_RANDOM: [&str; 7] =
    ["svc", "bkpt", "semihosting", "udf", "udf_long", "undefined_short", "undefined_long"];

/// Jumps to what a register says.
const INDIRECT: [&str; 5] = ["add_pc", "mov_pc", "bx", "blx", "pop_pc"];

/// Jumps to an offset.
const BRANCHES: [&str; 3] = ["b_conditional", "b", "bl"];

/// The bit of a `push` that pushes the link register, too.
const WITH_LR: u32 = 1 << 8;

/// The condition of a loop that goes on.
const NE: u32 = 1;

const LR: u32 = 14;
const SP: u32 = 13;
/// The number of the status register that user programs have.
const APSR: u32 = 0;

const WRITE: u32 = 4;
const EXIT_GROUP: u32 = 248;

/// What follows the program: as far as its last instructions read behind the PC.
const PADDING: usize = 520;

/// What random programs may hold.
pub(crate) fn random_instructions<'e>(encoder: &'e Encoder<'_>) -> Vec<&'e Instruction> {
    let is_random = |one: &&Instruction| !NOT_RANDOM.contains(&one.name.as_str());
    encoder.instructions().iter().filter(is_random).collect()
}

/// The word with a list of low registers, which all instructions with one have in their low bits.
fn with_list(word: Word, list: u32) -> Word {
    Word { bits: word.bits & !0xff | list, ..word }
}

/// A program's writer, with the registers of the harness: where the data is, and what counts the
/// loops.
struct Thumb<'e, 'm> {
    encoder: &'e Encoder<'m>,
    base: u32,
    counter: u32,
}

/// The writer of a seed's program.
pub(crate) fn writer<'e>(encoder: &'e Encoder<'_>, _layout: &Layout, seed: u64) -> Box<dyn Writer + 'e> {
    let mut random = Random::new(seed);
    let base = random.below(8) as u32;
    let counter = (base + 1 + random.below(7) as u32) % 8;
    Box::new(Thumb { encoder, base, counter })
}

impl Writer for Thumb<'_, '_> {
    fn prologue(&self) -> Vec<Word> {
        let base = self.base;
        let mut words = self.constant(base, LAYOUT.middle());
        words.push(self.encode("mov", &[("rd", SP), ("rm", base)]));
        let free = (base + 1) % 8;
        let load = |register, index: u32| {
            self.encode("ldr_immediate", &[("rt", register), ("rn", base), ("imm", 4 * index)])
        };
        for high in (8..13).chain([LR]) {
            words.push(load(free, high));
            words.push(self.encode("mov", &[("rd", high), ("rm", free)]));
        }
        words.extend(self.flags_alone(free));
        words.push(self.encode("msr", &[("to", APSR), ("rn", free)]));
        words.extend((0..8).filter(|low| *low != base).map(|low| load(low, low)));
        words
    }

    fn epilogue(&self) -> Vec<Word> {
        // Eight registers on the stack, so that two are free to store all.
        let mut words = vec![
            self.push(0xff),
            self.encode("mrs", &[("rd", 1), ("from", APSR)]),
            self.encode("lsrs_immediate", &[("rd", 1), ("rm", 1), ("imm", 28)]),
        ];
        words.extend(self.constant(0, LAYOUT.data + LAYOUT.saved()));
        let store = |index: u32| self.encode("str_immediate", &[("rt", 1), ("rn", 0), ("imm", 4 * index)]);
        words.push(store(15));
        for low in 0..8 {
            words.push(self.encode("ldr_sp", &[("rt", 1), ("imm", 4 * low)]));
            words.push(store(low));
        }
        for high in 8..15 {
            words.push(self.encode("mov", &[("rd", 1), ("rm", high)]));
            words.push(store(high));
        }
        for (register, value) in [(0, 1), (1, LAYOUT.data), (2, Layout::DATA_BYTES), (7, WRITE)] {
            words.extend(self.constant(register, value));
        }
        words.push(self.encode("svc", &[]));
        words.extend(self.constant(0, 0));
        words.extend(self.constant(7, EXIT_GROUP));
        words.push(self.encode("svc", &[]));
        words.extend([self.encode("nop", &[]); PADDING]);
        words
    }

    fn unit(&self, row: &mut Row, _is_looped: bool, random: &mut Random) -> Vec<Word> {
        let instruction = *random.choose(&random_instructions(self.encoder));
        let name = instruction.name.as_str();
        if INDIRECT.contains(&name) {
            return self.indirect(row, instruction, random);
        }
        if BRANCHES.contains(&name) {
            let words = vec![self.encoder.random_word(instruction, random)];
            return row.jump(self, Jump { words, word: 0, name: name.to_owned(), bias: -4 }, random);
        }
        match name {
            "push" | "pop" | "add_sp" | "sub_sp" => self.stacked(instruction, random),
            "stm" | "ldm" | "ldm_base" => self.multiple(instruction, random),
            "mrs" | "msr" => self.status(instruction, random),
            "mov" | "add" if random.once_in(4) => self.moved_stack(instruction, random),
            _ if instruction.is_in("load_store") && instruction.has("rm") => {
                self.indexed(instruction, random)
            }
            _ => vec![self.word(instruction, random)],
        }
    }

    fn repeat(&self, rounds: u32, body: Vec<Word>) -> Vec<Word> {
        let mut words = vec![self.encode("movs_immediate", &[("rd", self.counter), ("imm", rounds)])];
        let back = body.iter().map(|word| word.bytes).sum::<u32>() + 6;
        words.extend(body);
        words.push(self.encode("subs_immediate", &[("rdn", self.counter), ("imm", 1)]));
        words.push(self.encode("b_conditional", &[("holds", NE), ("offset", back.wrapping_neg())]));
        words
    }

    fn aim(&self, jump: &Forward, word: Word, way: Way) -> Option<Word> {
        let instruction = self.encoder.find(word)?;
        let value = way.distance + jump.bias;
        if instruction.name == "bl" {
            let bits = value.cast_unsigned();
            // The two bits below the sign are coded by whether they are the same as it (A6.7.13).
            let sign = bits >> 31;
            let coded = |number: u32| !(bits >> number ^ sign) & 1;
            let fields =
                [("s", sign), ("j1", coded(23)), ("j2", coded(22)), ("high", bits >> 12), ("low", bits >> 1)];
            let reach = (1 << 24) - 2;
            return (-reach..=reach)
                .contains(&value)
                .then(|| self.encoder.try_set_all(instruction, word, &fields))?;
        }
        let (place, range) = match instruction.has("offset") {
            // A signed offset, so that half of it is what reaches forward.
            true => {
                let reach = (self.encoder.highest(instruction, "offset") / 2).cast_signed();
                ("offset", -reach..=reach)
            }
            false => ("imm", 0..=self.encoder.highest(instruction, "imm").cast_signed()),
        };
        range.contains(&value).then(|| self.encoder.set(instruction, word, place, value.cast_unsigned()))
    }

    /// A branch, or a call where that does not reach.
    fn leap(&self, space: u32) -> Jump {
        let name = if space < 0x400 { "b" } else { "bl" };
        let word = self.encoder.random_word(self.encoder.instruction(name), &mut Random::new(0));
        Jump { words: vec![word], word: 0, name: name.to_owned(), bias: -4 }
    }

    fn grain(&self) -> u32 {
        2
    }
}

impl Thumb<'_, '_> {
    fn encode(&self, name: &str, values: &[(&str, u32)]) -> Word {
        self.encoder.encode(name, values)
    }

    /// Pushes a list of low registers.
    fn push(&self, list: u32) -> Word {
        let word = self.encoder.random_word(self.encoder.instruction("push"), &mut Random::new(0));
        with_list(Word { bits: word.bits & !WITH_LR, ..word }, list)
    }

    fn set(&self, instruction: &Instruction, word: Word, place: &str, value: u32) -> Word {
        self.encoder.set(instruction, word, place, value)
    }

    /// Makes a constant of bytes in a low register.
    fn constant(&self, register: u32, value: u32) -> Vec<Word> {
        let [first, rest @ ..] = value.to_be_bytes();
        let mut words = vec![self.encode("movs_immediate", &[("rd", register), ("imm", first.into())])];
        for byte in rest {
            words.push(self.encode("lsls_immediate", &[("rd", register), ("rm", register), ("imm", 8)]));
            words.push(self.encode("adds_immediate", &[("rdn", register), ("imm", byte.into())]));
        }
        words
    }

    /// One of r0 to r7 that is not the harness's.
    fn low(&self, random: &mut Random) -> u32 {
        loop {
            let register = random.below(8) as u32;
            if ![self.base, self.counter].contains(&register) {
                return register;
            }
        }
    }

    /// Clears all of a low register but its highest four bits: processors that QEMU's user-mode
    /// emulation has keep another flag below them, which ARMv6-M has not.
    fn flags_alone(&self, register: u32) -> [Word; 2] {
        ["lsrs_immediate", "lsls_immediate"]
            .map(|name| self.encode(name, &[("rd", register), ("rm", register), ("imm", 28)]))
    }

    /// A register that is not the harness's.
    fn writable(&self, random: &mut Random) -> u32 {
        if random.once_in(2) { self.low(random) } else { *random.choose(&[8, 9, 10, 11, 12, LR]) }
    }

    /// The bits of low registers that may be written.
    fn list(&self, random: &mut Random) -> u32 {
        let taken = 1 << self.base | 1 << self.counter;
        let list = random.next() as u32 & 0xff & !taken;
        if list == 0 { 1 << self.low(random) } else { list }
    }

    /// An instruction by itself, with random operands that leave the harness its registers.
    fn word(&self, instruction: &Instruction, random: &mut Random) -> Word {
        let name = instruction.name.as_str();
        let mut word = self.encoder.random_word(instruction, random);
        if instruction.has("imm") && instruction.width("imm") > 1 && random.once_in(2) {
            let value = random.value(instruction.width("imm"));
            word = self.encoder.try_set(instruction, word, "imm", value).unwrap_or(word);
        }
        for place in ["rd", "rdn", "rdm"] {
            if instruction.has(place) {
                let is_low = instruction.width(place) == 3;
                let register = if is_low { self.low(random) } else { self.writable(random) };
                word = self.set(instruction, word, place, register);
            }
        }
        if instruction.has("rt") && !name.starts_with("str") {
            word = self.set(instruction, word, "rt", self.low(random));
        }
        if instruction.is_in("load_store") && instruction.has("rn") {
            word = self.set(instruction, word, "rn", self.base);
        }
        word
    }

    /// A load or store at the base and an offset in a register, either first.
    fn indexed(&self, instruction: &Instruction, random: &mut Random) -> Vec<Word> {
        let register = self.low(random);
        let offset = random.value(8) & instruction.access_cells.wrapping_neg();
        let word = self.word(instruction, random);
        let (first, second) = if random.once_in(2) { (self.base, register) } else { (register, self.base) };
        let word = self.set(instruction, word, "rn", first);
        let mut words = vec![self.encode("movs_immediate", &[("rd", register), ("imm", offset)])];
        if random.once_in(2) {
            words.push(self.encode("rsbs", &[("rd", register), ("rn", register)]));
        }
        words.push(self.set(instruction, word, "rm", second));
        words
    }

    /// A `mov` to the stack pointer or an `add` to it, which is somewhere in the data then: another register
    /// is told where.
    fn moved_stack(&self, instruction: &Instruction, random: &mut Random) -> Vec<Word> {
        let (by, told) = (self.low(random), self.writable(random));
        let distance = random.value(8) & !3;
        let mut words = vec![self.encode("movs_immediate", &[("rd", by), ("imm", distance)])];
        if random.once_in(2) {
            words.push(self.encode("rsbs", &[("rd", by), ("rn", by)]));
        }
        let place = match instruction.has("rdn") {
            true => "rdn",
            false => {
                words.push(self.encode("add", &[("rdn", by), ("rm", self.base)]));
                "rd"
            }
        };
        let word = self.encoder.random_word(instruction, random);
        let word = self.set(instruction, word, place, SP);
        words.push(self.set(instruction, word, "rm", by));
        words.push(self.encode("mov", &[("rd", told), ("rm", SP)]));
        words.push(self.encode("mov", &[("rd", SP), ("rm", self.base)]));
        words
    }

    /// What moves the stack pointer, and what moves it back.
    fn stacked(&self, instruction: &Instruction, random: &mut Random) -> Vec<Word> {
        let word = self.encoder.random_word(instruction, random);
        let step = |name, bytes: u32| self.encode(name, &[("imm", bytes)]);
        match instruction.name.as_str() {
            "push" => {
                let list = random.below(256) as u32 & if random.once_in(8) { 0 } else { 0xff };
                let word = Word { bits: word.bits | if list == 0 { WITH_LR } else { 0 }, ..word };
                let word = with_list(word, list);
                let link = u32::from(word.bits & WITH_LR != 0);
                vec![word, step("add_sp", 4 * (list.count_ones() + link))]
            }
            "pop" => {
                let list = self.list(random);
                let word = with_list(word, list);
                vec![step("sub_sp", 4 * list.count_ones()), word]
            }
            name => {
                let back = if name == "add_sp" { "sub_sp" } else { "add_sp" };
                vec![word, step(back, self.encoder.value(instruction, word, "imm"))]
            }
        }
    }

    /// A store or load of several registers from the base on; the register that says where is stored
    /// only as the first of them, since what is stored of it is not known elsewhere.
    fn multiple(&self, instruction: &Instruction, random: &mut Random) -> Vec<Word> {
        let register = self.low(random);
        let list = match instruction.name.as_str() {
            "stm" if random.once_in(3) => {
                let own = 1 << register;
                own | random.next() as u32 & 0xff & !(own - 1)
            }
            "stm" => 1 << self.base | random.next() as u32 & 0xff & !(1 << register),
            _ => self.list(random),
        };
        let word = with_list(self.encoder.random_word(instruction, random), list);
        let word = Word { bits: word.bits & !(7 << 8) | register << 8, ..word };
        vec![self.encode("mov", &[("rd", register), ("rm", self.base)]), word]
    }

    /// The flags, written or read; of what else the status has a user program sees nothing certain.
    fn status(&self, instruction: &Instruction, random: &mut Random) -> Vec<Word> {
        let word = self.encoder.random_word(instruction, random);
        let register = self.low(random);
        if instruction.has("to") {
            let word = self.set(instruction, word, "to", APSR);
            let mut words = self.flags_alone(register).to_vec();
            words.push(self.set(instruction, word, "rn", register));
            return words;
        }
        let word = self.set(instruction, word, "from", APSR);
        vec![
            self.set(instruction, word, "rd", register),
            self.encode("lsrs_immediate", &[("rd", register), ("rm", register), ("imm", 28)]),
        ]
    }

    /// A jump to what a register says: the PC, and the distance from there.
    fn indirect(&self, row: &mut Row, instruction: &Instruction, random: &mut Random) -> Vec<Word> {
        let register = self.low(random);
        let name = instruction.name.clone();
        let word = self.encoder.random_word(instruction, random);
        if instruction.name == "add_pc" {
            let distance = self.encode("movs_immediate", &[("rd", register), ("imm", 0)]);
            let words = vec![distance, self.set(instruction, word, "rm", register), self.encode("nop", &[])];
            return row.jump(self, Jump { words, word: 0, name, bias: -6 }, random);
        }
        // Bit 0 says that there are Thumb instructions; a plain move to the PC does not look at it.
        let odd = if instruction.name == "mov_pc" { random.below(2) as i32 } else { 1 };
        let mut words = vec![
            self.encode("mov", &[("rd", register), ("rm", 15)]),
            self.encode("adds_immediate", &[("rdn", register), ("imm", 0)]),
        ];
        if instruction.name == "pop_pc" {
            let list = self.list(random);
            words.push(self.push(1 << register));
            words.push(self.encode("sub_sp", &[("imm", 4 * list.count_ones())]));
            words.push(with_list(word, list));
        } else {
            words.push(self.set(instruction, word, "rm", register));
        }
        row.jump(self, Jump { words, word: 1, name, bias: odd - 4 }, random)
    }
}
