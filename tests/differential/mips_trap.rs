//! Programs for MIPS32 that end with an instruction which traps, or not, by its operands.

use super::encoder::{Encoder, Instruction, Word};
use super::mips::{Mips, OVERFLOWING, mips};
use crate::support::random::Random;

/// The first of the registers that a system call leaves alone.
const KEPT: u32 = 8;
/// Codes of `break` and traps for an overflow and a division by zero: what a processor's environment makes
/// of them differs.
const TOLD_APART: [u32; 2] = [6, 7];

/// Of the kinds of operands that programs have in turn the one in which registers hold what they were
/// loaded with.
const AS_LOADED: usize = 4;

/// The writer of a program that ends with an instruction that may trap, by its operands, and the name
/// of that.
pub(crate) fn trapping<'e, 'm>(encoder: &'e Encoder<'m>, seed: u64) -> (Mips<'e, 'm>, &'e str) {
    let mut mips = mips(encoder, seed);
    let mut random = Random::new(!seed);
    let all = mips.may_trap();
    let instruction = all[seed as usize % all.len()];
    let turn = seed as usize / all.len();
    let word = mips.any_operands(instruction, turn, &mut random);
    let mut last = mips.corners(instruction, word, turn);
    if random.once_in(3) {
        last.push(mips.encode("beq", &[("rs", 0), ("rt", 0), ("offset", 4)]));
    }
    last.push(word);
    mips.last = Some(last);
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
                || (one.is_in("memory") && one.access_cells > 1 && name != "sc")
        };
        self.encoder.instructions().iter().filter(is_one).collect()
    }

    /// Registers of values that an instruction which may trap reads.
    pub(super) fn free(&self) -> [u32; 6] {
        let mut free = (KEPT..).filter(|register| *register != self.base);
        std::array::from_fn(|_| free.next().expect("one is taken"))
    }

    /// What the registers that an instruction reads hold, in four of five of its programs: what a comparison
    /// with its number says is equal, or the ends of numbers, where sums have no room.
    fn corners(&self, instruction: &Instruction, word: Word, turn: usize) -> Vec<Word> {
        let number = (self.encoder.value(instruction, word, "imm") as u16).cast_signed();
        // Of two registers each end stands on each side; a number goes on to the end that it leads to.
        let ends = match turn % 5 {
            0 => [i32::from(number); 2],
            1 if instruction.has("imm") && number < 0 => [i32::MIN; 2],
            1 => [i32::MAX, i32::MIN],
            2 => [i32::MIN, i32::MAX],
            3 => [i32::MIN; 2],
            _ => return Vec::new(),
        };
        let places = ["rs", "rt"].into_iter().zip(ends).filter(|(place, _)| instruction.has(place));
        let register = |place| self.encoder.value(instruction, word, place);
        places.flat_map(|(place, value)| self.constant(register(place), value.cast_unsigned())).collect()
    }

    /// Any registers of a few, and any numbers; of an address the register that points into the data.
    /// Where the registers hold something chosen, they are two of them.
    fn any_operands(&self, instruction: &Instruction, turn: usize, random: &mut Random) -> Word {
        let mut word = self.encoder.random_word(instruction, random);
        let free = self.free();
        for (place, chosen) in ["rs", "rt", "rd"].into_iter().zip(free) {
            if instruction.has(place) {
                let any = *random.choose(&[0, free[0], free[1], free[2]]);
                let register = if turn % 5 == AS_LOADED { any } else { chosen };
                word = self.set(instruction, word, place, register);
            }
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
            // Aligned every other time.
            let odd = if turn.is_multiple_of(2) { 0 } else { 1 + random.below(3) };
            let offset = (4 * random.below(16) + odd) as u32;
            word = self.set(instruction, word, "base", self.base);
            word = self.set(instruction, word, "offset", offset);
        }
        word
    }
}
