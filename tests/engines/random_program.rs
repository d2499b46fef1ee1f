//! Random programs that do more than fault at once: loops, stores to code, jumps into the middle
//! of what has been decoded as one block, and an end that can come anywhere.

use isac_ir::Model;
use proptest::prelude::*;

use crate::support::program::Program;
use crate::support::random::Random;
use crate::support::random_word::{random_word, root_decoder};
use crate::support::{RV32IM, TINY8, TREE};

/// One word of a program, of what kind and from which seed.
type Item = (Kind, u64);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Any instruction that the decoder knows.
    Instruction,
    /// A branch or jump by a few instructions, forwards or backwards.
    NearJump,
    /// A jump through a register, to anywhere in the code.
    RegisterJump,
    /// A load or store of data.
    Data,
    /// A store to code: an instruction, or a piece of one.
    CodeStore,
    /// Any word, of which most are no instruction, or the end of the run.
    Noise,
}

/// Where code and data lie in the tests' rv32im programs.
const MEMORY: u64 = 0x8000_0000;
const MEMORY_END: u64 = 0x8100_0000;
const DATA: u64 = 0x8000_8000;
const EBREAK: u32 = 0x0010_0073;
const CODE_BASE: usize = 8;
const DATA_BASE: usize = 9;
/// The registers that hold instructions to be stored.
const WORDS: std::ops::Range<usize> = 18..22;

/// A program of rv32im at the start of memory, across a page, or right before memory ends.
pub(crate) fn rv32im_program() -> impl Strategy<Value = Program> {
    let kind = prop_oneof![
        160 => Just(Kind::Instruction),
        80 => Just(Kind::NearJump),
        15 => Just(Kind::RegisterJump),
        60 => Just(Kind::Data),
        30 => Just(Kind::CodeStore),
        2 => Just(Kind::Noise),
    ];
    let items = prop::collection::vec((kind, any::<u64>()), 1..48);
    (items, 0..3u32, any::<u64>(), 1..900u64).prop_map(|(items, place, seed, budget)| {
        let base = match place {
            0 => MEMORY,
            1 => MEMORY + 0x1000 - 4 * (items.len() as u64 / 2),
            _ => MEMORY_END - 4 * items.len() as u64,
        };
        rv32im_program_of(&items, base, seed, budget)
    })
}

fn rv32im_program_of(items: &[Item], base: u64, seed: u64, budget: u64) -> Program {
    let model = (RV32IM.model)();
    let mut random = Random::new(seed);
    let length = items.len() as u64;
    let words = items.iter().zip(0..).map(|(item, index)| rv32im_word(model, *item, index, length));
    let code: Vec<u8> = words.flat_map(u32::to_le_bytes).collect();
    let file = model.registers.iter().position(|register| register.name == "x").expect("the file x");
    let value = |element, random: &mut Random| match element {
        CODE_BASE => base,
        DATA_BASE => DATA,
        element if WORDS.contains(&element) => harmless_word(model, random).into(),
        _ => match random.below_u64(4) {
            0 => random.below_u64(16),
            1 => base + 4 * random.below_u64(length),
            2 => DATA + random.below_u64(64),
            _ => random.next() & 0xffff_ffff,
        },
    };
    let registers = (1..32).map(|element| (file, element, value(element, &mut random).into())).collect();
    // One program in sixteen begins in the middle of an instruction.
    let shift = if random.below_u64(16) == 0 { 2 } else { 0 };
    let watched_start = base.saturating_sub(0x1000).max(MEMORY);
    Program {
        memory: vec![(base, code), (DATA, (0..64).map(|byte| byte * 3).collect())],
        registers,
        pc: base + shift,
        watched: vec![
            (watched_start, (MEMORY_END - watched_start).min(0x3000) as usize),
            (DATA - 0x1000, 0x3000),
        ],
        budget,
    }
}

/// Word number `index` of `length`.
fn rv32im_word(model: &Model, (kind, seed): Item, index: u64, length: u64) -> u32 {
    let mut random = Random::new(seed);
    match kind {
        Kind::Instruction if random.below_u64(20) == 0 => any_word(model, &mut random),
        Kind::Instruction => harmless_word(model, &mut random),
        Kind::NearJump => near_jump(index, length, &mut random),
        Kind::RegisterJump => {
            // jalr rd, offset(s0); one in 32 is misaligned.
            let offset = 4 * random.below_u64(length) as u32 + if random.below_u64(32) == 0 { 2 } else { 0 };
            let rd = random.below_u64(6) as u32;
            offset << 20 | (CODE_BASE as u32) << 15 | rd << 7 | 0b110_0111
        }
        Kind::Data => {
            let offset = random.below_u64(64) as u32;
            let register = 10 + random.below_u64(8) as u32;
            match random.below_u64(2) {
                0 => load(random.pick(&[0, 1, 2, 4, 5]), register, DATA_BASE as u32, offset),
                _ => store(random.pick(&[0, 1, 2]), register, DATA_BASE as u32, offset),
            }
        }
        Kind::CodeStore => {
            let offset = 4 * random.below_u64(length) as u32;
            let register = WORDS.start as u32 + random.below_u64(WORDS.len() as u64) as u32;
            match random.below_u64(16) {
                0 => store(
                    random.pick(&[0, 1]),
                    register,
                    CODE_BASE as u32,
                    offset + random.below_u64(4) as u32,
                ),
                _ => store(2, register, CODE_BASE as u32, offset),
            }
        }
        Kind::Noise if random.below_u64(4) == 0 => EBREAK,
        Kind::Noise => random.next() as u32,
    }
}

fn any_word(model: &Model, random: &mut Random) -> u32 {
    random_word(model, root_decoder(model), random).to_u128() as u32
}

/// An instruction that goes on behind itself, touches no memory and keeps the two bases.
fn harmless_word(model: &Model, random: &mut Random) -> u32 {
    const FAR: [u32; 5] = [0b000_0011, 0b010_0011, 0b110_0011, 0b110_0111, 0b110_1111];
    loop {
        let word = any_word(model, random);
        let rd = (word >> 7 & 31) as usize;
        let kept = rd == CODE_BASE || rd == DATA_BASE || word == EBREAK;
        if !kept && !FAR.contains(&(word & 0x7f)) {
            return word;
        }
    }
}

/// `jal` or a branch, up to eight instructions away from number `index` of `length`.
fn near_jump(index: u64, length: u64, random: &mut Random) -> u32 {
    let (first, last) = (index.saturating_sub(8), (index + 8).min(length - 1));
    let target = first + random.below_u64(last - first + 1);
    let offset = (4 * (target as i32 - index as i32)) as u32;
    if random.below_u64(4) == 0 {
        let rd = random.below_u64(3) as u32;
        let bits = |high: u32, low: u32| offset >> low & ((1 << (high - low + 1)) - 1);
        let immediate = bits(20, 20) << 19 | bits(10, 1) << 9 | bits(11, 11) << 8 | bits(19, 12);
        return immediate << 12 | rd << 7 | 0b110_1111;
    }
    let condition: u32 = random.pick(&[0, 1, 4, 5, 6, 7]);
    let (rs1, rs2) = (random.below_u64(18) as u32, random.below_u64(18) as u32);
    let bits = |high: u32, low: u32| offset >> low & ((1 << (high - low + 1)) - 1);
    let (upper, lower) = (bits(12, 12) << 6 | bits(10, 5), bits(4, 1) << 1 | bits(11, 11));
    upper << 25 | rs2 << 20 | rs1 << 15 | condition << 12 | lower << 7 | 0b110_0011
}

fn load(width: u32, rd: u32, rs1: u32, offset: u32) -> u32 {
    offset << 20 | rs1 << 15 | width << 12 | rd << 7 | 0b000_0011
}

fn store(width: u32, rs2: u32, rs1: u32, offset: u32) -> u32 {
    offset >> 5 << 25 | rs2 << 20 | rs1 << 15 | width << 12 | (offset & 31) << 7 | 0b010_0011
}

/// A program that fills tiny8's program memory, with random registers and data.
pub(crate) fn tiny8_program() -> impl Strategy<Value = Program> {
    (any::<u64>(), 0..128u64, 1..1500u64).prop_map(|(seed, pc, budget)| {
        let model = (TINY8.model)();
        let mut random = Random::new(seed);
        let code = random_bytes(model, 128, &mut random);
        let data = (0..128).map(|_| random.next() as u8).collect();
        Program {
            memory: vec![(0, code), (128, data)],
            registers: random_registers(model, &mut random),
            pc,
            watched: vec![(0, 256)],
            budget,
        }
    })
}

/// A program that fills all memory, so that it runs on from the last address to the first.
pub(crate) fn tree_program() -> impl Strategy<Value = Program> {
    (any::<u64>(), 0..256u64, 1..1500u64).prop_map(|(seed, pc, budget)| {
        let model = (TREE.model)();
        let mut random = Random::new(seed);
        Program {
            memory: vec![(0, random_bytes(model, 256, &mut random))],
            registers: random_registers(model, &mut random),
            pc,
            watched: vec![(0, 256)],
            budget,
        }
    })
}

/// Instructions of one byte, and now and then any byte.
fn random_bytes(model: &Model, count: usize, random: &mut Random) -> Vec<u8> {
    let decoder = root_decoder(model);
    let byte = |random: &mut Random| match random.below_u64(240) {
        0 => random.next() as u8,
        _ => loop {
            let word = random_word(model, decoder, random).to_u128() as u8;
            // Most of the ends of a run are left out, or none would be long.
            let (ends, rarity) = match model.name.as_str() {
                "tree" => (word == 0, 128),
                _ => (word & 0xfc == 0xbc, 24),
            };
            if !ends || random.below_u64(rarity) == 0 {
                return word;
            }
        },
    };
    (0..count).map(|_| byte(random)).collect()
}

fn random_registers(model: &Model, random: &mut Random) -> Vec<(usize, usize, u128)> {
    let singles =
        model.registers.iter().enumerate().filter(|(index, _)| model.pc_register() != Some(*index as u32));
    singles.map(|(index, _)| (index, 0, random.next().into())).collect()
}
