//! Registers by the names that people write.

use isac_ir::Model;
use isac_ir::resource::RegisterPlace;

/// The place of a register, an element by name or index (`a0`, `x[10]`), an ALIAS or the program
/// counter; `None` if the model has none of that name.
#[must_use]
pub fn find_place(model: &Model, name: &str) -> Option<RegisterPlace> {
    if let Some(alias) = model.aliases.iter().chain([&model.pc]).find(|alias| alias.name == name) {
        return Some(alias.clone());
    }
    (0u32..).zip(&model.registers).find_map(|(index, register)| {
        let whole = || (register.count.is_none() && register.name == name).then_some(0);
        let named =
            || register.element_names.iter().position(|names| names.iter().any(|known| known == name));
        let indexed = || {
            let text = name.strip_prefix(&register.name)?.strip_prefix('[')?.strip_suffix(']')?;
            text.parse::<usize>()
                .ok()
                .filter(|element| register.count.is_some() && *element < register.elements() as usize)
        };
        let element = whole().or_else(named).or_else(indexed)?;
        Some(RegisterPlace::of_element(name, index, element as u32, register.width_bits))
    })
}
