//! What addresses are called: by symbols, and by labels made for what operands mean.

use std::collections::{BTreeMap, BTreeSet};

use super::{Disassembler, Item, Piece, Program};

/// Names by address.
#[derive(Clone)]
pub(super) struct Labels<'p> {
    program: &'p Program,
    /// The symbols at each address.
    symbols: BTreeMap<u64, Vec<&'p str>>,
    /// The label of each address that has one.
    labels: BTreeMap<u64, String>,
    /// The name of each address inside of a line that would have been its label.
    inside: BTreeMap<u64, String>,
    /// Where lines begin, with how many cells each has.
    lines: BTreeMap<u64, u64>,
}

impl<'p> Labels<'p> {
    /// The first name of each address that can be a label, and is not that of a lower address, is
    /// its label.
    pub(super) fn of_symbols(program: &'p Program, disassembler: &Disassembler<'_>) -> Labels<'p> {
        let is_label = |name: &str| is_label(name) && !disassembler.assembler.is_register(name);
        let mut symbols: BTreeMap<u64, Vec<&str>> = BTreeMap::new();
        for symbol in &program.symbols {
            let names = symbols.entry(symbol.address).or_default();
            if !names.contains(&symbol.name.as_str()) {
                names.push(&symbol.name);
            }
        }
        symbols.values_mut().for_each(|names| names.sort_unstable());
        let (mut labels, mut taken) = (BTreeMap::new(), BTreeSet::new());
        for (address, names) in &symbols {
            let free = names.iter().find(|name| is_label(name) && !taken.contains(*name));
            if let Some(name) = free {
                taken.insert(*name);
                labels.insert(*address, (*name).to_owned());
            }
        }
        Labels { program, symbols, labels, inside: BTreeMap::new(), lines: BTreeMap::new() }
    }

    /// The same with a label for each line that an operand means an address in; addresses inside of
    /// lines keep their names, but have no label.
    pub(super) fn with_targets<'i, 'a: 'i>(
        &self,
        items: impl Iterator<Item = &'i Item<'a>> + Clone,
    ) -> Labels<'p> {
        let mut all = self.clone();
        all.lines = items.clone().map(|item| (item.address, item.cells.len() as u64)).collect();
        all.inside = all.labels.extract_if(.., |address, _| !all.lines.contains_key(address)).collect();
        let taken: BTreeSet<String> = self.program.symbols.iter().map(|symbol| symbol.name.clone()).collect();
        let instructions = items.filter_map(|item| item.instruction.as_ref().filter(|found| found.exact));
        let printed = instructions.filter_map(|instruction| instruction.printed.as_ref());
        for target in printed.flat_map(|printed| &printed.targets) {
            if let Some(line) = all.line_around(target.address)
                && !all.labels.contains_key(&line)
            {
                let mut name = format!(".L{line:x}");
                while taken.contains(&name) {
                    name.push('_');
                }
                all.labels.insert(line, name);
            }
        }
        all
    }

    /// The first address of the line that an address is in.
    fn line_around(&self, address: u64) -> Option<u64> {
        let (line, size) = self.lines.range(..=address).next_back()?;
        (address - line < *size).then_some(*line)
    }

    /// An address as the label of the line that it is in, and how far behind it.
    pub(super) fn place_of(&self, address: u64) -> Option<String> {
        let line = self.line_around(address)?;
        let label = self.label_at(line)?;
        Some(match address - line {
            0 => label.to_owned(),
            behind => format!("{label}+{behind:#x}"),
        })
    }

    pub(super) fn is_named(&self, address: u64) -> bool {
        self.symbols.contains_key(&address)
    }

    /// The symbols at an address.
    pub(super) fn symbols_at(&self, address: u64) -> &[&'p str] {
        self.symbols.get(&address).map_or(&[], Vec::as_slice)
    }

    /// The label of an address.
    pub(super) fn label_at(&self, address: u64) -> Option<&str> {
        self.labels.get(&address).map(String::as_str)
    }

    /// The names of those of some addresses at which no line begins.
    pub(super) fn inside(&self, addresses: std::ops::Range<u64>) -> impl Iterator<Item = (u64, &str)> {
        self.inside.range(addresses).map(|(address, name)| (*address, name.as_str()))
    }

    /// An address as `<symbol+offset>`, if it lies behind a symbol in the same piece.
    pub(super) fn meant(&self, address: u64) -> Option<String> {
        let (at, names) = self.symbols.range(..=address).next_back()?;
        let last = |piece: &Piece| piece.address + (piece.cells.len() as u64).saturating_sub(1);
        let around = |address: u64| {
            self.program.pieces.iter().position(|piece| (piece.address..=last(piece)).contains(&address))
        };
        let name = names.first()?;
        match address - at {
            0 => Some(format!("<{name}>")),
            offset if around(*at).is_some() && around(*at) == around(address) => {
                Some(format!("<{name}+{offset:#x}>"))
            }
            _ => None,
        }
    }
}

/// True for what the assembler reads as a label.
fn is_label(name: &str) -> bool {
    let begins = |letter: char| letter.is_ascii_alphabetic() || letter == '_' || letter == '.';
    name.starts_with(begins) && name.chars().all(is_of_name) && name != "."
}

/// True for what a label goes on with.
pub(super) fn is_of_name(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || "_.$".contains(letter)
}
