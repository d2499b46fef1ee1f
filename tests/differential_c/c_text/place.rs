//! Places: reading them, and evaluating their indexes once where they are read and written.

use super::expression::{ASSIGN, COMMA, CONDITIONAL};
use super::{CText, Storage, computed, mention, reduced, storage};
use crate::differential_c::tree::{Expr, Place, Type, bits};

/// A place whose indexes stand in temporaries.
pub(super) enum Prepared {
    /// An lvalue of a type.
    Lvalue(String, Type),
    Memory(String, Type),
    Slice(Box<Prepared>, u32, u32),
    Bit(Box<Prepared>, String, u32),
    Concat(Vec<(Prepared, u32)>),
    Conditional(String, Box<Prepared>, Box<Prepared>),
}

/// The statements that evaluate the indexes of a place: declarations, then assignments.
#[derive(Default)]
pub(super) struct Setup {
    pub(super) declarations: String,
    pub(super) assignments: String,
}

impl Prepared {
    pub(super) fn read(&self) -> String {
        match self {
            Prepared::Lvalue(text, _) => text.clone(),
            Prepared::Memory(address, ty) => reduced(*ty, &format!("load({address}, {})", ty.width / 8)),
            Prepared::Slice(base, high, low) => slice(&base.read(), *high, *low),
            Prepared::Bit(base, index, width) => format!("BIT({}, {index}, {width})", base.read()),
            Prepared::Concat(parts) => concat(parts.iter().map(|(part, width)| (part.read(), *width))),
            Prepared::Conditional(condition, then, otherwise) => {
                format!("({condition} ? {} : {})", then.read(), otherwise.read())
            }
        }
    }

    /// Statements that assign a value without effects.
    pub(super) fn store(&self, value: &str) -> String {
        match self {
            Prepared::Lvalue(text, ty) if storage(*ty) == Storage::Reduced => {
                format!("{text} = {};", reduced(*ty, value))
            }
            Prepared::Lvalue(text, _) => format!("{text} = {value};"),
            Prepared::Memory(address, ty) => format!("store({address}, {}, {value});", ty.width / 8),
            Prepared::Slice(base, high, low) => {
                let merged = format!("MERGE({}, {value}, {low}, {})", base.read(), high - low + 1);
                base.store(&merged)
            }
            Prepared::Bit(base, index, width) => {
                let merged = format!("MERGE({}, {value}, {index}, 1)", base.read());
                // The access takes place, and may fault, wherever the bit is.
                let (read, store) = (base.read(), base.store(&merged));
                format!("(void)({read}); if ({index} >= 0 && {index} < {width}) {{ {store} }}")
            }
            Prepared::Concat(parts) => {
                let mut low: u32 = parts.iter().map(|(_, width)| width).sum();
                let stores = parts.iter().map(|(part, width)| {
                    low -= width;
                    part.store(&format!("((u128)({value}) >> {low})"))
                });
                stores.collect()
            }
            Prepared::Conditional(condition, then, otherwise) => {
                format!("if ({condition}) {{ {} }} else {{ {} }}", then.store(value), otherwise.store(value))
            }
        }
    }
}

pub(super) fn slice(base: &str, high: u32, low: u32) -> String {
    reduced(bits(high - low + 1), &format!("(u128)({base}) >> {low}"))
}

pub(super) fn concat(parts: impl Iterator<Item = (String, u32)>) -> String {
    let mut text = "({ u128 c_ = 0;".to_owned();
    let mut total = 0;
    for (part, width) in parts {
        total += width;
        text += &format!(" c_ = JOIN(c_, {part}, {width});");
    }
    format!("{text} ({})c_; }})", computed(bits(total)))
}

impl CText {
    /// A place where it is read: its parts from left to right, each read at once.
    pub(super) fn read(&mut self, place: &Place) -> String {
        match place {
            Place::Variable(name, ty) => mention(name, *ty),
            Place::Element(name, count, ty, index) => {
                let index = self.expr(index, ASSIGN);
                mention(&format!("{name}[element({index}, {count})]"), *ty)
            }
            Place::Memory(ty, address) => {
                let address = self.expr(address, ASSIGN);
                reduced(*ty, &format!("load({address}, {})", ty.width / 8))
            }
            Place::Slice(base, high, low) => slice(&self.read(base), *high, *low),
            Place::Bit(base, index) => {
                let width = base.ty().width;
                format!("BIT({}, {}, {width})", self.read(base), self.expr(index, ASSIGN))
            }
            Place::Concat(parts) => {
                let parts: Vec<_> = parts.iter().map(|part| (self.read(part), part.ty().width)).collect();
                concat(parts.into_iter())
            }
            Place::Conditional(condition, then, otherwise) => {
                let condition = self.expr(condition, CONDITIONAL + 1);
                format!("({condition} ? {} : {})", self.read(then), self.read(otherwise))
            }
        }
    }

    /// Evaluates the indexes of a place, from left to right, once.
    pub(super) fn prepare(&mut self, place: &Place, setup: &mut Setup) -> Prepared {
        match place {
            Place::Variable(name, ty) => Prepared::Lvalue(mention(name, *ty), *ty),
            Place::Element(name, count, ty, index) => {
                let index = self.index(index, setup);
                Prepared::Lvalue(mention(&format!("{name}[element({index}, {count})]"), *ty), *ty)
            }
            Place::Memory(ty, address) => Prepared::Memory(self.index(address, setup), *ty),
            Place::Slice(base, high, low) => {
                Prepared::Slice(Box::new(self.prepare(base, setup)), *high, *low)
            }
            Place::Bit(base, index) => {
                let prepared = Box::new(self.prepare(base, setup));
                Prepared::Bit(prepared, self.index(index, setup), base.ty().width)
            }
            Place::Concat(parts) => {
                let parts = parts.iter().map(|part| (self.prepare(part, setup), part.ty().width));
                Prepared::Concat(parts.collect())
            }
            Place::Conditional(condition, then, otherwise) => {
                let chosen = self.fresh('c');
                setup.declarations += &format!(" int {chosen} = 0;");
                let condition = self.expr(condition, COMMA);
                let (mut first, mut second) = (Setup::default(), Setup::default());
                let then = Box::new(self.prepare(then, &mut first));
                let otherwise = Box::new(self.prepare(otherwise, &mut second));
                setup.declarations += &first.declarations;
                setup.declarations += &second.declarations;
                let (first, second) = (first.assignments, second.assignments);
                setup.assignments +=
                    &format!(" {chosen} = !!({condition}); if ({chosen}) {{{first} }} else {{{second} }}");
                Prepared::Conditional(chosen, then, otherwise)
            }
        }
    }

    fn index(&mut self, tree: &Expr, setup: &mut Setup) -> String {
        let name = self.fresh('i');
        setup.declarations += &format!(" s128 {name} = 0;");
        setup.assignments += &format!(" {name} = INDEX({});", self.expr(tree, ASSIGN));
        name
    }
}
