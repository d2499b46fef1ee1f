//! The texts of cases as another assembler wants them: one behind the other, wherever each is meant to be.

use super::super::cases::Line;

/// A text that has one address in it, the last of its operands, with the distance to there instead, in
/// bytes from the instruction's beginning on.
fn at_distance(text: &str, distance: i64) -> String {
    let (before, _) = text.rsplit_once(' ').expect("there is an operand");
    format!("{before} . + {distance}")
}

/// The last operand, where it is an address.
fn target(text: &str) -> Option<i64> {
    i64::from_str_radix(text.rsplit_once(" 0x")?.1, 16).ok()
}

fn mnemonic(text: &str) -> &str {
    text.split(' ').next().unwrap_or_default()
}

/// `None` for what is not read: shifts by 0 of their compressed forms, which are hints.
pub(crate) fn riscv(case: &Line) -> Option<String> {
    const REFUSED: [&str; 3] = ["c.slli a0, 0", "c.srli a0, 0", "c.srai a0, 0"];
    let (text, name) = (case.text.as_str(), mnemonic(&case.text));
    let short = name.strip_prefix("c.").unwrap_or(name);
    let is_jump = short.starts_with('b') || ["j", "jal"].contains(&short);
    match target(text) {
        Some(target) if is_jump => Some(at_distance(text, target - case.address.cast_signed())),
        _ => (!REFUSED.contains(&text)).then(|| text.to_owned()),
    }
}

/// `None` for what is not read: branches that link by what they read, which are UNPREDICTABLE.
pub(crate) fn mips(case: &Line) -> Option<String> {
    let (text, name) = (case.text.as_str(), mnemonic(&case.text));
    let links = name.starts_with('b') && name.contains("al");
    match target(text) {
        _ if links && text.contains(" ra, ") => None,
        Some(target) if name.starts_with('b') && name != "break" => {
            Some(at_distance(text, target - case.address.cast_signed()))
        }
        _ => Some(text.to_owned()),
    }
}

/// `None` for what is not read, is warned of, or is another word of the same instruction there: lists
/// without a register; `sp` and `pc` where they are UNPREDICTABLE or deprecated, and what the processor is
/// not thought to have; flags without the names of their bits; calls that go further than those of the
/// first Thumb processors; additions that two words say; `nop`.
pub(crate) fn thumb(case: &Line) -> Option<String> {
    const BEGINNINGS: [&str; 12] = [
        "nop",
        "msr apsr, ",
        "msr iapsr, ",
        "msr eapsr, ",
        "msr xpsr, ",
        "mrs sp, ",
        "cmp pc, ",
        "mov pc, ",
        "udf.w ",
        "push {}",
        "pop {}",
        "blx pc",
    ];
    const PLAIN: &str = "mov pc, r";
    const ENDS: [&str; 1] = ["!, {}"];
    const CALL: std::ops::Range<i64> = -0x40_0000..0x40_0000;
    let (text, name) = (case.text.as_str(), mnemonic(&case.text));
    let is_left_out = BEGINNINGS.iter().any(|begin| text.starts_with(begin)) && !text.starts_with(PLAIN)
        || ENDS.iter().any(|end| text.ends_with(end))
        || is_said_by_two(text)
        || name == "msr" && text.ends_with(", sp")
        || name == "cmp" && (text.ends_with(", pc") || text.ends_with(", sp"));
    let is_jump = name.starts_with('b') && !["bx", "blx", "bics", "bkpt"].contains(&name);
    match target(text) {
        _ if is_left_out => None,
        Some(target) if is_jump => {
            let distance = target - case.address.cast_signed();
            CALL.contains(&(distance - 4)).then(|| at_distance(text, distance))
        }
        _ => Some(text.to_owned()),
    }
}

/// An addition of a number to a register into that register: the shorter text of another word says it, too.
fn is_said_by_two(text: &str) -> bool {
    let Some(operands) = text.strip_prefix("adds ").or(text.strip_prefix("subs ")) else { return false };
    let operands: Vec<&str> = operands.split(", ").collect();
    matches!(operands[..], [to, from, number] if to == from && number.starts_with('#'))
}

/// `None` for what is warned of: a step of the pointer that is loaded. Addresses count bytes there, and
/// `.` is the end of the instruction.
pub(crate) fn avr(case: &Line) -> Option<String> {
    const WARNED: [&str; 4] = ["lpm r30, Z+", "lpm r31, Z+", "elpm r30, Z+", "elpm r31, Z+"];
    const WRAP: i64 = 0x1000;
    let (text, name) = (case.text.as_str(), mnemonic(&case.text));
    let is_relative = ["rjmp", "rcall"].contains(&name) || name.starts_with("br") && name != "break";
    match target(text) {
        Some(target) if is_relative => {
            let words = (target - case.address.cast_signed() - 1 + WRAP / 2).rem_euclid(WRAP) - WRAP / 2;
            Some(at_distance(text, 2 * words))
        }
        Some(target) if ["jmp", "call"].contains(&name) => Some(format!("{name} {:#x}", 2 * target)),
        _ => (!WARNED.contains(&text)).then(|| text.to_owned()),
    }
}
