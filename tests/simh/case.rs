//! Random cases: what stands in the machine, and how long it runs.

use super::instruction::{DATA, random_address, random_instruction, random_value};
use crate::support::random::Random;

/// Words of memory that are filled; all behind them are 0.
pub(crate) const FILLED_WORDS: usize = DATA.end as usize / 2;

/// Where cases begin.
const CODE: u16 = 0o1000;

/// Instructions that a case has in a row.
const LONGEST: usize = 8;

/// Cycles that a case takes at most.
pub(crate) const LIMIT: u64 = 30;

const HALT: u16 = 0;
const RTI: u16 = 2;

/// The words of memory before any case.
#[derive(Debug, Clone)]
pub(crate) struct Base(pub(crate) Vec<u16>);

/// What is set before a run.
#[derive(Debug, Clone)]
pub(crate) struct Case {
    pub(crate) registers: [u16; 8],
    pub(crate) status: u8,
    /// From the PC on.
    pub(crate) code: Vec<u16>,
}

impl Base {
    /// Vectors that lead to code, which is random and ends every few instructions, and data.
    pub(crate) fn random(random: &mut Random) -> Base {
        let mut words = vec![0; FILLED_WORDS];
        for vector in 0..0o100 {
            words[2 * vector] = 0o400 + 2 * random.below(0o1500) as u16;
            words[2 * vector + 1] = random_status(random).into();
        }
        let code = 0o200..usize::from(DATA.start) / 2;
        let mut next = code.start;
        while next < code.end {
            let instruction = match random.below(6) {
                0 => vec![HALT],
                1 => vec![RTI],
                _ => random_instruction(random),
            };
            for word in instruction {
                words[next] = word;
                next += 1;
            }
        }
        for word in &mut words[next..] {
            *word = if random.once_in(3) { random_address(random) } else { random_value(random) };
        }
        Base(words)
    }
}

impl Case {
    pub(crate) fn random(random: &mut Random) -> Case {
        let mut code = Vec::new();
        for _ in 0..1 + random.below(LONGEST) {
            code.extend(random_instruction(random));
        }
        code.push(HALT);
        let mut registers = [0; 8].map(|_: u16| match random.below(4) {
            0 => random_value(random),
            1 => random.below(64) as u16,
            _ => random_address(random),
        });
        registers[6] = match random.below(12) {
            0 => random_address(random),
            1 => 0o376 + 2 * random.below(6) as u16,
            _ => 0o6000 + 2 * random.below(0o400) as u16,
        };
        registers[7] = CODE;
        Case { registers, status: random_status(random), code }
    }
}

/// A processor status; T is set seldom.
fn random_status(random: &mut Random) -> u8 {
    let status = random.next() as u8;
    if random.once_in(10) { status } else { status & !0o20 }
}
