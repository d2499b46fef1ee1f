//! Registers by the names that a user writes.

use crate::launcher::launch_info::{LaunchInfo, LaunchRegister};
use crate::launcher::number::SignedNumber;

/// A value for an element of a register: `--set REGISTER=VALUE`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Assignment {
    pub(super) register: usize,
    pub(super) element: usize,
    pub(super) value: u128,
}

/// Reads `REGISTER=VALUE`.
pub(super) fn parse_assignment(info: &LaunchInfo, text: &str) -> Result<Assignment, String> {
    let wrong = |why: String| format!("`--set {text}`: {why}");
    let Some((name, value)) = text.split_once('=') else {
        return Err(wrong("expected REGISTER=VALUE, like a0=5".to_owned()));
    };
    let name = name.trim();
    let Some((register, element)) = find_register(info, name) else {
        return Err(wrong(format!("the model has no register `{name}`; {}", registers(info))));
    };
    let width_bits = info.registers[register].width_bits;
    let number = SignedNumber::parse(value.trim()).ok_or_else(|| {
        wrong("expected a number after the `=`: decimal, 0x or 0b, perhaps negative".to_owned())
    })?;
    let value = number
        .bits(width_bits)
        .ok_or_else(|| wrong(format!("the value does not fit into {width_bits} bits")))?;
    Ok(Assignment { register, element, value })
}

/// The register and the element of `pc`, `a0` or `x[10]`; every index it returns exists.
fn find_register(info: &LaunchInfo, name: &str) -> Option<(usize, usize)> {
    let in_register = |register: &LaunchRegister| match register.count {
        None => (register.name == name).then_some(0),
        Some(count) => named_element(register, name)
            .or_else(|| indexed_element(register, name))
            .filter(|element| *element < count),
    };
    (0..).zip(&info.registers).find_map(|(index, register)| Some((index, in_register(register)?)))
}

fn named_element(register: &LaunchRegister, name: &str) -> Option<usize> {
    register.element_names.iter().position(|synonyms| synonyms.iter().any(|known| known == name))
}

fn indexed_element(register: &LaunchRegister, name: &str) -> Option<usize> {
    let index = name.strip_prefix(&register.name)?.strip_prefix('[')?.strip_suffix(']')?;
    index.parse().ok()
}

fn registers(info: &LaunchInfo) -> String {
    let names: Vec<String> = info
        .registers
        .iter()
        .map(|register| match register.count {
            None => register.name.clone(),
            Some(count) => format!("{}[0..{}]", register.name, count.saturating_sub(1)),
        })
        .collect();
    format!("it has {}", names.join(", "))
}
