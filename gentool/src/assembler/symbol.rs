//! Symbols: labels and `.equ`, those of one file and those that all files see.

use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

use isac_parser::source::Span;

use super::expression::{Environment, Expr, NoValue, fits};
use super::reader::Scope;

/// A symbol of one file.
#[derive(Debug, Clone)]
pub(super) struct Symbol {
    pub(super) name: String,
    /// The file that it is of, by number.
    pub(super) unit: u32,
    pub(super) definition: Option<Definition>,
    /// Where `.global` names it.
    pub(super) global: Option<Span>,
}

impl Symbol {
    /// What it stands for, if it is defined.
    pub(super) fn meaning(&self) -> Option<&Meaning> {
        self.definition.as_ref().map(|definition| &definition.meaning)
    }
}

/// What a symbol stands for.
#[derive(Debug, Clone)]
pub(super) struct Definition {
    pub(super) span: Span,
    pub(super) meaning: Meaning,
}

/// The meaning of a definition.
#[derive(Debug, Clone)]
pub(super) enum Meaning {
    /// The address of the item with this index.
    Label(usize),
    /// The value of an expression; `.` in it is the address of the item.
    Equal(Rc<Expr>, usize),
}

/// A mention of a local label.
#[derive(Debug, Clone, Copy)]
pub(super) struct Mention {
    pub(super) unit: u32,
    pub(super) number: u32,
    pub(super) forward: bool,
    /// The item at which it is mentioned.
    pub(super) item: usize,
}

/// All symbols of a program.
#[derive(Debug, Default)]
pub(super) struct Symbols {
    pub(super) list: Vec<Symbol>,
    by_name: HashMap<(u32, String), u32>,
    /// What other files see, once all files have been read.
    exported: BTreeMap<String, u32>,
    /// The items of local labels, ascending, by file and number.
    pub(super) locals: HashMap<(u32, u32), Vec<usize>>,
    pub(super) mentions: Vec<Mention>,
    /// Values that are known while the text is read: of `.equ` without labels.
    pub(super) known: HashMap<u32, i128>,
}

impl Symbols {
    /// The index of a file's symbol.
    pub(super) fn intern(&mut self, unit: u32, name: &str) -> u32 {
        if let Some(found) = self.by_name.get(&(unit, name.to_owned())) {
            return *found;
        }
        let index = self.list.len() as u32;
        self.list.push(Symbol { name: name.to_owned(), unit, definition: None, global: None });
        self.by_name.insert((unit, name.to_owned()), index);
        index
    }

    /// Defines a symbol; gives the first definition if there is one.
    pub(super) fn define(&mut self, symbol: u32, definition: Definition) -> Result<(), Span> {
        let symbol = &mut self.list[symbol as usize];
        match &symbol.definition {
            Some(first) => Err(first.span),
            None => {
                symbol.definition = Some(definition);
                Ok(())
            }
        }
    }

    /// Lets every file see what `.global` names; gives what two files define, with both places.
    pub(super) fn export(&mut self) -> Vec<(u32, Span)> {
        let mut doubles = Vec::new();
        for (index, symbol) in (0..).zip(&self.list) {
            let (Some(_), Some(definition)) = (symbol.global, &symbol.definition) else { continue };
            match self.exported.get(&symbol.name) {
                Some(first) => {
                    let first = self.list[*first as usize].definition.as_ref();
                    doubles.push((index, first.map_or(definition.span, |first| first.span)));
                }
                None => {
                    self.exported.insert(symbol.name.clone(), index);
                }
            }
        }
        doubles
    }

    /// The symbol with the definition: the file's own, else what another file exports.
    pub(super) fn resolved(&self, symbol: u32) -> Option<u32> {
        let own = &self.list[symbol as usize];
        match own.definition {
            Some(_) => Some(symbol),
            None => self.exported.get(&own.name).copied(),
        }
    }

    /// The item that a mention of a local label means.
    pub(super) fn local(&self, mention: u32) -> Option<usize> {
        let Mention { unit, number, forward, item } = self.mentions[mention as usize];
        let items = self.locals.get(&(unit, number))?;
        let behind = items.partition_point(|found| *found < item);
        if forward { items.get(behind).copied() } else { items.get(behind.checked_sub(1)?).copied() }
    }
}

/// The symbols of the file that is being read.
pub(super) struct LineScope<'a> {
    pub(super) symbols: &'a mut Symbols,
    pub(super) unit: u32,
    /// The index of the item that the line will be.
    pub(super) item: usize,
    /// A PSEUDO has made the line.
    pub(super) is_made: bool,
}

impl Scope for LineScope<'_> {
    fn symbol(&mut self, name: &str) -> u32 {
        self.symbols.intern(self.unit, name)
    }

    fn local(&mut self, number: u32, forward: bool) -> u32 {
        self.symbols.mentions.push(Mention { unit: self.unit, number, forward, item: self.item });
        self.symbols.mentions.len() as u32 - 1
    }

    fn is_made(&self) -> bool {
        self.is_made
    }
}

/// What is known while the text is read: no address is.
pub(super) struct Known<'a> {
    pub(super) symbols: &'a Symbols,
    pub(super) model: &'a isac_ir::Model,
}

impl Environment for Known<'_> {
    fn symbol(&self, symbol: u32) -> Result<i128, NoValue> {
        self.symbols.known.get(&symbol).copied().ok_or(NoValue::Unknown)
    }

    fn local(&self, _: u32) -> Result<i128, NoValue> {
        Err(NoValue::Unknown)
    }

    fn here(&self) -> Result<i128, NoValue> {
        Err(NoValue::Unknown)
    }

    fn item(&self, _: usize) -> Result<i128, NoValue> {
        Err(NoValue::Unknown)
    }

    fn call(&self, function: u32, arguments: &[i128]) -> Result<i128, NoValue> {
        call(self.model, function, arguments)
    }
}

/// The value of a FUNCTION; each of its arguments is a number that its parameter holds.
pub(super) fn call(model: &isac_ir::Model, function: u32, arguments: &[i128]) -> Result<i128, NoValue> {
    let Some(computation) = &model.functions[function as usize].value else {
        return Err(NoValue::NoResult(function));
    };
    for (argument, width_bits) in arguments.iter().zip(computation.parameter_widths()) {
        if !fits(*argument, width_bits) {
            return Err(NoValue::Beyond { value: *argument, width_bits, function: Some(function) });
        }
    }
    let arguments: Vec<u128> = arguments.iter().map(|argument| *argument as u128).collect();
    computation.value(&arguments, Default::default()).ok_or(NoValue::NoResult(function))
}
