//! Programs for MIPS32 that end with an instruction which traps, or not, by its operands.

use super::encoder::{Encoder, Instruction, Word};
use super::mips::{Mips, OVERFLOWING, access_bytes, mips};
use super::random::Random;

/// The first of the registers that a system call leaves alone.
const KEPT: u32 = 8;
/// Codes of `break` and traps for an overflow and a division by zero: what a processor's environment makes
/// of them differs.
const TOLD_APART: [u32; 2] = [6, 7];

/// The writer of a program that ends with an instruction that may trap, by its operands, and the name
/// of that.
pub(crate) fn trapping<'e, 'm>(encoder: &'e Encoder<'m>, seed: u64) -> (Mips<'e, 'm>, &'e str) {
    let mut mips = mips(encoder, seed);
    let mut random = Random::new(!seed);
    let instruction = *random.choose(&mips.may_trap());
    let word = mips.any_operands(instruction, &mut random);
    let nop = mips.encode("nop", &[]);
    mips.last = Some(match random.once_in(3) {
        true => vec![mips.encode("beq", &[("rs", 0), ("rt", 0), ("offset", 4)]), word],
        false => vec![nop, word],
    });
    (mips, &instruction.name)
}

impl<'e> Mips<'e, '_> {
    /// Instructions that trap by their operands: traps, checked additions, accesses of more than a byte.
    fn may_trap(&self) -> Vec<&'e Instruction> {
        let is_one = |one: &&Instruction| {
            let name = one.name.as_str();
            let is_trap = one.is_in("trapping") && name != "syscall";
            is_trap
                || OVERFLOWING.contains(&name)
                || (one.is_in("memory") && access_bytes(name) > 1 && name != "sc")
        };
        self.encoder.instructions().iter().filter(is_one).collect()
    }

    /// Registers of values that an instruction which may trap reads.
    pub(super) fn free(&self) -> [u32; 6] {
        let mut free = (KEPT..).filter(|register| *register != self.base);
        std::array::from_fn(|_| free.next().expect("one is taken"))
    }

    /// Any registers of a few, and any numbers; of an address the register that points into the data.
    fn any_operands(&self, instruction: &Instruction, random: &mut Random) -> Word {
        let mut word = self.encoder.random_word(instruction, random);
        for place in ["rs", "rt", "rd"] {
            if instruction.has(place) {
                let any = *random.choose(&self.free());
                let register = if random.once_in(6) { 0 } else { any };
                word = self.set(instruction, word, place, register);
            }
        }
        if instruction.has("rs") && instruction.has("rt") && random.once_in(3) {
            let same = self.encoder.value(instruction, word, "rs");
            word = self.set(instruction, word, "rt", same);
        }
        if instruction.has("imm") {
            word = self.set(instruction, word, "imm", random.value(16));
        }
        for place in ["code", "code2"] {
            let is_told = |word| TOLD_APART.contains(&self.encoder.value(instruction, word, place));
            while instruction.has(place) && is_told(word) {
                word = self.set(instruction, word, place, random.value(10));
            }
        }
        if instruction.has("base") {
            let offset = random.below(64) as u32;
            word = self.set(instruction, word, "base", self.base);
            word = self.set(instruction, word, "offset", offset);
        }
        word
    }
}
