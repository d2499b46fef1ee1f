//! Random PDP-11 instructions, from the handbook's tables of codes.

use crate::support::random::Random;

/// Words that are an instruction together.
pub(crate) type Words = Vec<u16>;

/// What follows the fixed bits of a code.
#[derive(Debug, Clone, Copy)]
enum Form {
    Alone,
    /// Source and destination.
    Double,
    /// A destination.
    Single,
    /// A register and a destination.
    RegisterSingle,
    /// A register.
    Register,
    /// A number of so many bits.
    Number(u32),
}

/// Codes with their form and how often they are taken.
const CODES: [(u16, Form, usize); 62] = [
    (0o010000, Form::Double, 6),
    (0o020000, Form::Double, 3),
    (0o030000, Form::Double, 2),
    (0o040000, Form::Double, 2),
    (0o050000, Form::Double, 2),
    (0o060000, Form::Double, 4),
    (0o160000, Form::Double, 4),
    (0o110000, Form::Double, 5),
    (0o120000, Form::Double, 3),
    (0o130000, Form::Double, 2),
    (0o140000, Form::Double, 2),
    (0o150000, Form::Double, 2),
    (0o000300, Form::Single, 2),
    (0o005000, Form::Single, 1),
    (0o005100, Form::Single, 1),
    (0o005200, Form::Single, 2),
    (0o005300, Form::Single, 2),
    (0o005400, Form::Single, 1),
    (0o005500, Form::Single, 2),
    (0o005600, Form::Single, 2),
    (0o005700, Form::Single, 1),
    (0o006000, Form::Single, 1),
    (0o006100, Form::Single, 1),
    (0o006200, Form::Single, 1),
    (0o006300, Form::Single, 1),
    (0o105000, Form::Single, 1),
    (0o105100, Form::Single, 1),
    (0o105200, Form::Single, 2),
    (0o105300, Form::Single, 2),
    (0o105400, Form::Single, 1),
    (0o105500, Form::Single, 2),
    (0o105600, Form::Single, 2),
    (0o105700, Form::Single, 1),
    (0o106000, Form::Single, 1),
    (0o106100, Form::Single, 1),
    (0o106200, Form::Single, 1),
    (0o106300, Form::Single, 1),
    (0o000100, Form::Single, 2),
    (0o004000, Form::RegisterSingle, 3),
    (0o000200, Form::Register, 3),
    (0o000400, Form::Number(8), 1),
    (0o001000, Form::Number(8), 1),
    (0o001400, Form::Number(8), 1),
    (0o002000, Form::Number(8), 1),
    (0o002400, Form::Number(8), 1),
    (0o003000, Form::Number(8), 1),
    (0o003400, Form::Number(8), 1),
    (0o100000, Form::Number(11), 6),
    (0o104000, Form::Number(8), 1),
    (0o104400, Form::Number(8), 1),
    (0o000240, Form::Number(5), 4),
    (0o000002, Form::Alone, 1),
    (0o000003, Form::Alone, 1),
    (0o000004, Form::Alone, 1),
    (0o000005, Form::Alone, 1),
    // Nothing, or an instruction of later processors.
    (0o000006, Form::Number(6), 1),
    (0o000210, Form::Number(4), 1),
    (0o006400, Form::Number(8), 1),
    (0o070000, Form::Number(12), 1),
    (0o106400, Form::Number(8), 1),
    (0o107000, Form::Number(9), 1),
    (0o170000, Form::Number(12), 1),
];

/// Where random programs keep what they work on, in bytes.
pub(crate) const DATA: std::ops::Range<u16> = 0o4000..0o20000;

/// A random instruction with the words behind it.
pub(crate) fn random_instruction(random: &mut Random) -> Words {
    if random.once_in(40) {
        return vec![random.next() as u16];
    }
    let (code, form, _) = *random_code(random);
    let mut tails = Vec::new();
    let word = match form {
        Form::Alone => code,
        Form::Double => {
            let source = random_operand(random, &mut tails);
            code | source << 6 | random_operand(random, &mut tails)
        }
        Form::Single => code | random_operand(random, &mut tails),
        Form::RegisterSingle => code | random_register(random) << 6 | random_operand(random, &mut tails),
        Form::Register => code | random_register(random),
        Form::Number(width) => code.wrapping_add(random_number(random, width)),
    };
    tails.insert(0, word);
    tails
}

fn random_code(random: &mut Random) -> &'static (u16, Form, usize) {
    let total = CODES.iter().map(|(_, _, weight)| weight).sum();
    let mut left = random.below(total);
    for code in &CODES {
        match left.checked_sub(code.2) {
            None => return code,
            Some(rest) => left = rest,
        }
    }
    unreachable!("the number was below the sum of the weights")
}

/// A number for the low bits; branches go a few words forward more often than anywhere.
fn random_number(random: &mut Random, width: u32) -> u16 {
    match width {
        8 if !random.once_in(4) => random.below(4) as u16,
        11 => (random.below(8) << 8) as u16 | random_number(random, 8),
        _ => random.below(1 << width) as u16,
    }
}

fn random_register(random: &mut Random) -> u16 {
    random.below(8) as u16
}

/// Mode and register; the word that belongs to them goes to `tails`.
fn random_operand(random: &mut Random, tails: &mut Words) -> u16 {
    let mode = random.below(8) as u16;
    let register = random_register(random);
    match (mode, register) {
        (2, 7) => tails.push(random_value(random)),
        (3, 7) => tails.push(random_address(random)),
        (6 | 7, 7) => tails.push((random.below(0o2000) * 2) as u16),
        (6 | 7, _) => tails.push(random_index(random)),
        _ => {}
    }
    mode << 3 | register
}

/// Any value, corners as often as others.
pub(crate) fn random_value(random: &mut Random) -> u16 {
    random.value(16) as u16
}

/// An address of data, seldom odd, missing, near the stack's end, or of the processor status.
pub(crate) fn random_address(random: &mut Random) -> u16 {
    let data = DATA.start + 2 * random.below(DATA.len() / 2) as u16;
    match random.below(40) {
        0 | 1 => data + 1,
        2 => 0o160000 + 2 * random.below(0o3000) as u16,
        3 => 0o177776,
        4 => 0o376 + 2 * random.below(4) as u16,
        _ => data,
    }
}

fn random_index(random: &mut Random) -> u16 {
    match random.below(4) {
        0 => random_address(random),
        _ => (2 * random.below(32) as u16).wrapping_sub(32),
    }
}
