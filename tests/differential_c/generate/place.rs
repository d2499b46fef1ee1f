//! Random places, and the indexes inside them.

use super::number::{plain_hex, plain_number};
use super::{FILES, Generator, REGISTERS, Variable};
use crate::differential_c::tree::{Expr, Infix, Place, Type, bits};

impl Generator<'_> {
    /// A place that can be assigned to.
    pub(super) fn place(&mut self, depth: u32) -> Place {
        if depth == 0 {
            return self.simple_place();
        }
        let below = depth - 1;
        match self.random.below(20) {
            0..12 => self.simple_place(),
            12..14 => {
                let (name, width, count) = FILES[1 + self.random.below(FILES.len() - 1)];
                let index = self.index(below, count);
                Place::Element(name, count, bits(width), Box::new(index))
            }
            14..16 => {
                let width = *self.random.choose(&[8, 8, 16, 24, 32, 32, 40, 64, 128]);
                let ty = Type { width, signed: self.random.once_in(3), name: None };
                let offset = self.index(below, 128);
                let address = Expr::Infix(Infix::Add, Box::new(plain_hex(0x8000)), Box::new(offset));
                Place::Memory(ty, Box::new(address))
            }
            16..18 => {
                let base = self.place(below);
                let (high, low) = self.range(base.ty().width);
                Place::Slice(Box::new(base), high, low)
            }
            18 => {
                let base = Box::new(self.place(below));
                let index = self.bit_index(below, base.ty().width);
                Place::Bit(base, index)
            }
            _ => {
                let (one, other) = (self.place(below), self.place(below));
                if one.ty().width + other.ty().width <= 128 && self.random.once_in(2) {
                    return Place::Concat(vec![one, other]);
                }
                match same_type(&one, &other) {
                    true => Place::Conditional(Box::new(self.expr(below)), Box::new(one), Box::new(other)),
                    false => one,
                }
            }
        }
    }

    /// An index below a power of two; rarely one that may be anything.
    fn index(&mut self, depth: u32, count: u32) -> Expr {
        if count < 128 && self.random.once_in(60) {
            return self.no_constant(depth);
        }
        if self.random.once_in(2) {
            return plain_number(self.random.below(count as usize) as u128);
        }
        let mask = Box::new(plain_number(u128::from(count - 1)));
        Expr::Infix(Infix::And, Box::new(self.expr(depth)), mask)
    }

    /// The index of a bit: any, or inside the width.
    pub(super) fn bit_index(&mut self, depth: u32, width: u32) -> Box<Expr> {
        Box::new(match self.random.below(4) {
            0 => plain_number(self.random.below(width as usize) as u128),
            1 => {
                let mask = Box::new(plain_number(u128::from(width.next_power_of_two() - 1)));
                Expr::Infix(Infix::And, Box::new(self.no_constant(depth)), mask)
            }
            _ => self.no_constant(depth),
        })
    }

    /// An expression that is no constant: one outside of what it indexes would be an error.
    fn no_constant(&mut self, depth: u32) -> Expr {
        match self.expr(depth) {
            Expr::Read(place @ Place::Variable(..)) => Expr::Read(place),
            other => {
                let (name, width) = REGISTERS[1];
                let register = Expr::Read(Place::Variable(name.to_owned(), bits(width)));
                Expr::Infix(Infix::Xor, Box::new(other), Box::new(register))
            }
        }
    }

    fn simple_place(&mut self) -> Place {
        if self.random.once_in(2) {
            let assignable: Vec<&Variable> =
                self.scope.iter().filter(|variable| variable.assignable).collect();
            if !assignable.is_empty() {
                let variable = assignable[self.random.below(assignable.len())];
                return Place::Variable(variable.name.clone(), variable.ty);
            }
        }
        let (name, width) = *self.random.choose(&REGISTERS);
        Place::Variable(name.to_owned(), bits(width))
    }
}

/// True if two places have one type: then a choice between them is a place.
pub(super) fn same_type(one: &Place, other: &Place) -> bool {
    (one.ty().width, one.ty().signed) == (other.ty().width, other.ty().signed)
}
