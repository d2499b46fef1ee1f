//! Registers by the names that a user writes.

use isac_ir::bits::Bits;
use isac_ir::resource::RegisterPlace;

use crate::launcher::launch_info::{LaunchInfo, LaunchRegister};
use crate::launcher::number::parse_value;

/// A value for a place in registers: `--set REGISTER=VALUE`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Assignment {
    pub(super) place: RegisterPlace,
    pub(super) value: Bits,
}

/// Reads `REGISTER=VALUE`.
pub(super) fn parse_assignment(info: &LaunchInfo, text: &str) -> Result<Assignment, String> {
    let wrong = |why: String| format!("`--set {text}`: {why}");
    let Some((name, value)) = text.split_once('=') else {
        return Err(wrong("expected REGISTER=VALUE, like a0=5".to_owned()));
    };
    let name = name.trim();
    let Some(place) = find_place(info, name) else {
        return Err(wrong(format!("the model has no register `{name}`; {}", registers(info))));
    };
    let value = parse_value(value.trim(), place.width_bits).map_err(wrong)?;
    Ok(Assignment { place, value })
}

/// The place of `pc`, `a0`, `x[10]` or an ALIAS; every element in it exists.
fn find_place(info: &LaunchInfo, name: &str) -> Option<RegisterPlace> {
    if let Some(alias) = info.aliases.iter().find(|alias| alias.name == name) {
        return Some(alias.clone());
    }
    let (register, element) = find_register(info, name)?;
    let width_bits = info.registers.get(register)?.width_bits;
    let (register, element) = (u32::try_from(register).ok()?, u32::try_from(element).ok()?);
    Some(RegisterPlace::of_element(name, register, element, width_bits))
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
    let registers = info.registers.iter().map(|register| match register.count {
        None => register.name.clone(),
        Some(count) => format!("{}[0..{}]", register.name, count.saturating_sub(1)),
    });
    let names: Vec<String> = registers.chain(info.aliases.iter().map(|alias| alias.name.clone())).collect();
    format!("it has {}", names.join(", "))
}
