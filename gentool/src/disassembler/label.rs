//! What addresses are called: by symbols, and by labels made for what operands mean.

use std::collections::{BTreeMap, BTreeSet};

use super::{Item, Piece, Program};

/// Names by address.
pub(super) struct Labels<'p> {
    program: &'p Program,
    /// The symbols at each address.
    symbols: BTreeMap<u64, Vec<&'p str>>,
    /// The label of each address that has one.
    labels: BTreeMap<u64, String>,
    /// The name of each address inside of a line that would have been its label.
    inside: BTreeMap<u64, String>,
}

impl<'p> Labels<'p> {
    /// The first name of each address that can be a label, and is not that of a lower address, is
    /// its label.
    pub(super) fn of_symbols(program: &'p Program) -> Labels<'p> {
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
        Labels { program, symbols, labels, inside: BTreeMap::new() }
    }

    /// The same with a label for each address that an operand means and a line begins at; addresses
    /// inside of lines keep their names, but have no label.
    pub(super) fn with_targets<'i, 'a: 'i>(
        mut self,
        items: impl Iterator<Item = &'i Item<'a>> + Clone,
    ) -> Labels<'p> {
        let begins: BTreeSet<u64> = items.clone().map(|item| item.address).collect();
        self.inside = self.labels.extract_if(.., |address, _| !begins.contains(address)).collect();
        let taken: BTreeSet<String> = self.program.symbols.iter().map(|symbol| symbol.name.clone()).collect();
        let printed = items.filter_map(|item| item.instruction.as_ref()?.printed.as_ref());
        for target in printed.flat_map(|printed| &printed.targets) {
            let address = target.address;
            if begins.contains(&address) && !self.labels.contains_key(&address) {
                let mut name = format!(".L{address:x}");
                while taken.contains(&name) {
                    name.push('_');
                }
                self.labels.insert(address, name);
            }
        }
        self
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
    let goes_on = |letter: char| letter.is_ascii_alphanumeric() || "_.$".contains(letter);
    name.starts_with(begins) && name.chars().all(goes_on) && name != "."
}
