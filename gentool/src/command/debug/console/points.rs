//! Breakpoints, watchpoints and whatever else a run stops for, as they are asked for and kept.

use std::collections::BTreeSet;
use std::rc::Rc;

use isac_parser::did_you_mean;
use sim_debug::{Debugger, FoundStatements, WatchKind, Watched, Watchpoint, find_stages};
use sim_runtime::launcher::parse_count;

use super::{Console, say};
use crate::command::debug::code::is_decoded;
use crate::command::debug::location::{
    Condition, Located, describe_address, locate_data, parse_address, parse_register,
};

/// What the run stops for.
pub(super) enum Kind {
    Address {
        address: u64,
        condition: Option<Condition>,
    },
    Operation {
        index: u32,
    },
    /// Statements of the description: of a line, or where an operation begins to run.
    Statements {
        numbers: Vec<u32>,
    },
    Stall {
        stages: BTreeSet<u32>,
    },
    Watch {
        id: u64,
    },
}

/// A thing that the run stops for, by its number.
pub(super) struct Point {
    pub(super) number: u64,
    pub(super) kind: Kind,
    /// As it was asked for.
    pub(super) text: String,
}

impl<'m> Console<'m> {
    fn add(&mut self, kind: Kind, text: String) {
        say(&format!("point {}: {text}\n", self.next_number));
        self.points.push(Point { number: self.next_number, kind, text });
        self.next_number += 1;
    }

    pub(super) fn add_break(&mut self, debugger: &mut Debugger<'m>, rest: &[&str]) -> Result<(), String> {
        match rest {
            ["operation", name] => {
                let kind = self.find_operation(debugger, name)?;
                self.add(kind, format!("operation {name}"));
                self.tell(debugger)
            }
            ["stall", stage @ ..] if stage.len() < 2 => {
                let stage = stage.first().copied();
                let stages = find_stages(self.model, stage)?;
                self.add(Kind::Stall { stages }, format!("stall of {}", stage.unwrap_or("any stage")));
                self.tell(debugger)
            }
            [place] if place.contains(':') => {
                debugger.check_follows()?;
                let FoundStatements { numbers, shown } = debugger.statements().find_line(place)?;
                self.add(Kind::Statements { numbers }, format!("break at {shown}"));
                self.tell(debugger)
            }
            ["operation", ..] if parse_address(&self.symbols, "operation").is_err() => {
                Err("break operation takes one name, as in break operation add".to_owned())
            }
            ["stall", ..] if parse_address(&self.symbols, "stall").is_err() => {
                Err("break stall takes one stage, or none for all".to_owned())
            }
            [place, condition @ ..] => {
                let address = parse_address(&self.symbols, place)?;
                let condition = match condition {
                    [] => None,
                    ["if", words @ ..] => Some(Condition::parse(self.model, words)?),
                    [other, ..] => {
                        return Err(format!("`{other}` is not expected; write `if` and a condition"));
                    }
                };
                let when = condition.as_ref().map(|condition| format!(" if {}", condition.text));
                let name = describe_address(&self.symbols, address);
                let name = if name.is_empty() { name } else { format!(" <{name}>") };
                let at = debugger.info().format_address(address);
                let bits = self.model.pc.width_bits;
                if bits < 64 && address >> bits != 0 {
                    return Err(format!("{at} is no address of an instruction: those have {bits} bits"));
                }
                if condition.is_none() {
                    debugger.add_breakpoint(address);
                }
                let text = format!("break at {at}{name}{}", when.unwrap_or_default());
                self.add(Kind::Address { address, condition }, text);
                self.tell(debugger)
            }
            [] => Err("break takes an address, a symbol, FILE:LINE of the description, `operation` and a \
                       name, or `stall` and a stage"
                .to_owned()),
        }
    }

    /// An operation that instructions are decoded by way of is asked for before these begin; another one is
    /// found where it begins to run.
    fn find_operation(&self, debugger: &Debugger<'m>, name: &str) -> Result<Kind, String> {
        let operations = &self.model.operations;
        let Some(index) = operations.iter().position(|operation| operation.name == name) else {
            let near = did_you_mean(name, operations.iter().map(|operation| operation.name.as_str()));
            let near = near.map(|near| format!("; {near}")).unwrap_or_default();
            return Err(format!("the model has no operation `{name}`{near}"));
        };
        if is_decoded(self.model, index as u32) {
            return Ok(Kind::Operation { index: index as u32 });
        }
        debugger.check_follows()?;
        let numbers = debugger.statements().first_of_operation(name);
        match numbers.is_empty() {
            true => Err(format!("operation `{name}` has nothing to run but what it leads to")),
            false => Ok(Kind::Statements { numbers }),
        }
    }

    /// Tells the debugger all that it is to stop for.
    fn tell(&self, debugger: &mut Debugger<'m>) -> Result<(), String> {
        self.ask_for_instructions(debugger);
        let (mut statements, mut all_stages) = (BTreeSet::new(), BTreeSet::new());
        for point in &self.points {
            match &point.kind {
                Kind::Statements { numbers } => statements.extend(numbers),
                Kind::Stall { stages } => all_stages.extend(stages),
                Kind::Address { .. } | Kind::Operation { .. } | Kind::Watch { .. } => {}
            }
        }
        debugger.stop_at_stalls(all_stages);
        Ok(debugger.stop_at_statements(statements)?)
    }

    /// Has the debugger look at each instruction for conditions and operations.
    fn ask_for_instructions(&self, debugger: &mut Debugger<'m>) {
        let (mut conditions, mut operations) = (Vec::new(), Vec::new());
        for point in &self.points {
            match &point.kind {
                Kind::Address { address, condition: Some(condition) } => {
                    conditions.push((*address, condition.clone()));
                }
                Kind::Operation { index } => operations.push(*index),
                _ => {}
            }
        }
        let asks = !conditions.is_empty() || !operations.is_empty();
        let (code, space) = (Rc::clone(&self.code), debugger.space().clone());
        debugger.stop_where(asks.then(|| -> sim_debug::Asker<'m> {
            Box::new(move |machine, address| {
                conditions.iter().any(|(at, condition)| *at == address && condition.holds(machine))
                    || operations.iter().any(|index| code.has_operation(&space, machine, address, *index))
            })
        }));
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
        let id = self.next_number;
        let point = Watchpoint::new(id, watched, kind, &*debugger.engine().machine());
        debugger.add_watchpoint(point);
        self.add(Kind::Watch { id }, text);
        Ok(())
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

    pub(super) fn show_points(&self) {
        if self.points.is_empty() {
            say("there are none\n");
        }
        for point in &self.points {
            say(&format!("point {}: {}\n", point.number, point.text));
        }
    }

    pub(super) fn delete(&mut self, debugger: &mut Debugger<'m>, rest: &[&str]) -> Result<(), String> {
        let number = rest.first().map(|text| parse_count(text)).transpose()?;
        let is_meant = |point: &Point| number.is_none_or(|number| number == point.number);
        if let Some(number) = number.filter(|_| !self.points.iter().any(is_meant)) {
            return Err(format!("there is no point {number}; `points` lists them"));
        }
        let (gone, kept) = std::mem::take(&mut self.points).into_iter().partition::<Vec<_>, _>(is_meant);
        self.points = kept;
        for point in gone {
            match point.kind {
                Kind::Watch { id } => {
                    debugger.remove_watchpoint(|watchpoint| watchpoint.id == id);
                }
                Kind::Address { address, condition: None } => {
                    let same = |other: &Point| matches!(other.kind, Kind::Address { address: at, condition: None } if at == address);
                    if !self.points.iter().any(same) {
                        debugger.remove_breakpoint(address);
                    }
                }
                Kind::Address { .. }
                | Kind::Operation { .. }
                | Kind::Statements { .. }
                | Kind::Stall { .. } => {}
            }
        }
        self.tell(debugger)
    }
}
