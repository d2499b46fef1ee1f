//! Breakpoints and watchpoints as people write them at the console.

use std::rc::Rc;

use sim_debug::{Debugger, Named, WatchKind, Watched};
use sim_runtime::launcher::parse_count;

use super::{Console, say};
use crate::command::debug::location::{
    Condition, Located, describe_address, locate_data, parse_address, parse_register,
};

impl<'m> Console<'m> {
    fn add(&mut self, debugger: &mut Debugger<'m>, named: Named<'m>, text: String) -> Result<(), String> {
        say(&self.points.add(debugger, named, text)?);
        Ok(())
    }

    pub(super) fn add_break(&mut self, debugger: &mut Debugger<'m>, rest: &[&str]) -> Result<(), String> {
        let [place, condition @ ..] = rest else {
            return Err("break takes an address, a symbol, FILE:LINE of the description, `operation` and a \
                        name, or `stall` and a stage"
                .to_owned());
        };
        match self.points.find(debugger, rest) {
            Ok(Some((named, text))) => return self.add(debugger, named, text),
            // The program may have such a symbol.
            Err(wrong) if parse_address(&self.symbols, place).is_err() => return Err(wrong),
            Ok(None) | Err(_) => {}
        }
        let address = parse_address(&self.symbols, place)?;
        let condition = match condition {
            [] => None,
            ["if", words @ ..] => Some(Condition::parse(self.model, words)?),
            [other, ..] => {
                return Err(format!("`{other}` is not expected; write `if` and a condition"));
            }
        };
        let name = describe_address(&self.symbols, address);
        let name = if name.is_empty() { name } else { format!(" <{name}>") };
        let at = debugger.info().format_address(address);
        let bits = self.model.pc.width_bits;
        if bits < 64 && address >> bits != 0 {
            return Err(format!("{at} is no address of an instruction: those have {bits} bits"));
        }
        match condition {
            None => self.add(debugger, Named::Address(address), format!("break at {at}{name}")),
            Some(condition) => {
                let text = format!("break at {at}{name} if {}", condition.text);
                let holds =
                    Named::Where(Rc::new(move |machine, here| here == address && condition.holds(machine)));
                self.add(debugger, holds, text)
            }
        }
    }

    pub(super) fn add_watch(
        &mut self,
        debugger: &mut Debugger<'m>,
        rest: &[&str],
        kind: WatchKind,
        line: &str,
    ) -> Result<(), String> {
        let (place, cells, map) = match rest {
            [place] => (*place, None, None),
            [place, cells] => (*place, Some(*cells), None),
            [place, cells, map] => (*place, Some(*cells), Some(*map)),
            _ => return Err("watch takes a register, or an address, a number of cells, a map".to_owned()),
        };
        let register = parse_register(self.model, place).ok();
        let is_watchable = kind == WatchKind::Write && cells.is_none();
        if register.is_some() && !is_watchable && parse_address(&self.symbols, place).is_err() {
            return Err(format!(
                "`{place}` is a register, which can be watched for what it holds, as a whole: write watch {place}"
            ));
        }
        let register = register.filter(|_| is_watchable);
        let mut text = line.split_whitespace().collect::<Vec<_>>().join(" ");
        let watched = match register {
            Some(register) => Watched::Register(register),
            None => {
                let (watched, shown) = self.watched_cells(debugger, place, (cells, map))?;
                if cells.is_none() {
                    text += &shown;
                }
                watched
            }
        };
        self.add(debugger, Named::Watch(watched, kind), text)
    }

    /// Cells that are watched, and how many they are in words: as many as a symbol has, else one.
    fn watched_cells(
        &self,
        debugger: &mut Debugger<'m>,
        place: &str,
        (cells, map): (Option<&str>, Option<&str>),
    ) -> Result<(Watched, String), String> {
        let count = |text: &str| parse_count(text).map_err(|wrong| format!("`{text}`: {wrong}"));
        let cells = cells.map(count).transpose()?;
        let located = self.locate(debugger, place, map)?;
        let cells = cells.or(located.cells).unwrap_or(1);
        let (map, cell_bytes) = (located.map, self.cell_bytes(located.map));
        let size_bytes = cells.checked_mul(cell_bytes).filter(|size| (1..=4096).contains(size));
        let size_bytes = size_bytes.ok_or("from 1 to 4096 bytes can be watched")? as usize;
        let address = located.address.checked_mul(cell_bytes).ok_or("this is beyond all addresses")?;
        if debugger.engine().machine().read_bytes(map, address, &mut vec![0; size_bytes]).is_err() {
            let name = &self.model.maps[map].name;
            return Err(format!(
                "map `{name}` has no memory for all {cells} cells from {:#x} on",
                located.address
            ));
        }
        let shown = if cells == 1 { "1 cell".to_owned() } else { format!("{cells} cells") };
        Ok((Watched::Memory { map, address, size_bytes }, format!(" ({shown})")))
    }

    /// Where data is, in cells of its map.
    pub(super) fn locate(
        &self,
        debugger: &Debugger<'m>,
        place: &str,
        map: Option<&str>,
    ) -> Result<Located, String> {
        let index = |name: &str| {
            self.model.maps.iter().position(|map| map.name == name).ok_or_else(|| {
                let names: Vec<&str> = self.model.maps.iter().map(|map| map.name.as_str()).collect();
                format!("the model has no map `{name}`; it has {}", names.join(", "))
            })
        };
        let map = map.map(index).transpose()?;
        let names = (&self.symbols[..], &self.extents[..]);
        locate_data(names, (debugger.space(), debugger.info()), place, map)
    }

    pub(super) fn cell_bytes(&self, map: usize) -> u64 {
        self.model.maps.get(map).map_or(1, |map| u64::from(map.cell_bits.div_ceil(8).max(1)))
    }
}
