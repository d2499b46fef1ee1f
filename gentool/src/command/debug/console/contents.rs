//! What registers and memory hold, shown and changed at the console.

use sim_debug::Debugger;
use sim_runtime::launcher::{parse_count, parse_value};

use super::{Console, say};
use crate::command::debug::location::{format_bits, parse_address, parse_register};

impl<'m> Console<'m> {
    pub(super) fn show_registers(&self, debugger: &mut Debugger<'m>, names: &[&str]) -> Result<(), String> {
        if !names.is_empty() {
            for name in names {
                let file = self.model.registers.iter().position(|register| register.name == *name);
                if let Some(file) = file.filter(|file| self.model.registers[*file].count.is_some()) {
                    self.show_register(debugger, file);
                    continue;
                }
                let place = parse_register(self.model, name)?;
                let value = debugger.engine().machine().read_place_bits(&place);
                say(&format!("{name} = {}\n", format_bits(value, place.width_bits)));
            }
            return Ok(());
        }
        for index in 0..self.model.registers.len() {
            self.show_register(debugger, index);
        }
        Ok(())
    }

    /// Shows a register, or all elements of a register file.
    fn show_register(&self, debugger: &mut Debugger<'m>, index: usize) {
        let register = &self.model.registers[index];
        let machine = &*debugger.engine().machine();
        let value = |element| format_bits(machine.read_register_bits(index, element), register.width_bits);
        if register.count.is_none() {
            say(&format!("{} = {}\n", register.name, value(0)));
            return;
        }
        // Names of elements are longer to read than their number.
        for first in (0..register.elements() as usize).step_by(4) {
            let row = first..(first + 4).min(register.elements() as usize);
            let row: Vec<String> = row
                .map(|element| {
                    let name = register.element_names.get(element).and_then(|names| names.first());
                    let name = name.cloned().unwrap_or_else(|| format!("{}[{element}]", register.name));
                    format!("{name:>6} = {}", value(element))
                })
                .collect();
            say(&format!("{}\n", row.join("  ")));
        }
    }

    pub(super) fn set(&self, debugger: &mut Debugger<'m>, rest: &[&str]) -> Result<(), String> {
        let [name, value] = rest else {
            return Err("set takes a register and a value, as in set a0 5".to_owned());
        };
        let place = parse_register(self.model, name)?;
        let value = parse_value(value, place.width_bits).map_err(|wrong| format!("`{name}`: {wrong}"))?;
        if debugger.within().is_some() {
            return Err(
                "nothing can be changed within an instruction, which is run again to go on; `step` to \
                        its end, or go `back` to its beginning"
                    .to_owned(),
            );
        }
        debugger.change();
        debugger.engine().machine().write_place_bits(&place, value);
        Ok(())
    }

    pub(super) fn show_memory(&self, debugger: &mut Debugger<'m>, rest: &[&str]) -> Result<(), String> {
        let place = rest.first().ok_or("memory takes an address, as in memory 0x1000 16")?;
        let located = self.locate(debugger, place, rest.get(2).copied())?;
        let count = rest.get(1).map_or(Ok(16), |text| parse_count(text))?;
        let count = at_most(count, 4096, "cells")?;
        let (map, address) = (located.map, located.address);
        let size = self.cell_bytes(map);
        for first in (0..count).step_by(16) {
            let mut row = format!("{}:", debugger.info().format_address(address.wrapping_add(first)));
            for cell in first..(first + 16).min(count) {
                let mut bytes = vec![0; size as usize];
                let at = address.checked_add(cell).and_then(|cell| cell.checked_mul(size));
                let machine = &*debugger.engine().machine();
                let found = at.is_some_and(|at| machine.read_bytes(map, at, &mut bytes).is_ok());
                row += " ";
                match found {
                    true => bytes.iter().for_each(|byte| row += &format!("{byte:02x}")),
                    false => row += &"--".repeat(size as usize),
                }
            }
            say(&format!("{row}\n"));
        }
        Ok(())
    }

    pub(super) fn list(&self, debugger: &mut Debugger<'m>, rest: &[&str]) -> Result<(), String> {
        let mut address = match rest.first() {
            Some(place) => parse_address(&self.symbols, place)?,
            None => debugger.address(),
        };
        let count = rest.get(1).map_or(Ok(8), |text| parse_count(text))?;
        let count = at_most(count, 1000, "instructions")?;
        for _ in 0..count {
            let (line, next) = self.listed(debugger, address);
            say(&line);
            address = next;
        }
        Ok(())
    }
}

/// A number of things to be shown at once.
fn at_most(count: u64, most: u64, what: &str) -> Result<u64, String> {
    match count > most {
        true => Err(format!("at most {most} {what} are shown at once")),
        false => Ok(count),
    }
}
