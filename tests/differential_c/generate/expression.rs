//! Random expressions.

use super::number::plain_number;
use super::place::same_type;
use super::{FIELDS, Generator};
use crate::differential_c::tree::{Expr, Infix, Place, Prefix, Type};

const PREFIXES: [Prefix; 4] = [Prefix::Minus, Prefix::Invert, Prefix::Not, Prefix::Plus];

const INFIXES: [Infix; 19] = [
    Infix::Add,
    Infix::Subtract,
    Infix::Multiply,
    Infix::Add,
    Infix::Subtract,
    Infix::Multiply,
    Infix::Less,
    Infix::LessEqual,
    Infix::Greater,
    Infix::GreaterEqual,
    Infix::Equal,
    Infix::NotEqual,
    Infix::And,
    Infix::Xor,
    Infix::Or,
    Infix::And,
    Infix::Xor,
    Infix::LogicalAnd,
    Infix::LogicalOr,
];

impl Generator<'_> {
    /// An expression that changes something.
    pub(super) fn effect(&mut self, depth: u32) -> Expr {
        let place = self.place(depth.min(2));
        match self.random.below(8) {
            0..4 => Expr::Assign(place, Box::new(self.expr(depth))),
            4..7 => self.assign_with(place, depth),
            _ => Expr::Step(self.random.once_in(2), self.random.once_in(2), place),
        }
    }

    fn assign_with(&mut self, place: Place, depth: u32) -> Expr {
        let operator = match self.random.below(4) {
            0 => *self.random.choose(&[Infix::ShiftLeft, Infix::ShiftRight]),
            1 => *self.random.choose(&[Infix::Divide, Infix::Remainder]),
            _ => loop {
                let operator = *self.random.choose(&INFIXES);
                if operator.assigns() {
                    break operator;
                }
            },
        };
        let value = self.right_operand(operator, depth);
        Expr::AssignWith(operator, place, Box::new(value))
    }

    /// The right operand: rarely a divisor of 0, mostly a shift inside the width.
    fn right_operand(&mut self, operator: Infix, depth: u32) -> Expr {
        let chance = self.random.below(16);
        match operator {
            Infix::Divide | Infix::Remainder => {
                let value = Box::new(self.expr(depth.saturating_sub(1)));
                match chance {
                    0 => *value,
                    1..8 => Expr::Prefix(
                        Prefix::Minus,
                        Box::new(Expr::Infix(Infix::Or, value, Box::new(plain_number(1)))),
                    ),
                    8 => Expr::Prefix(Prefix::Minus, Box::new(plain_number(1))),
                    _ => Expr::Infix(Infix::Or, value, Box::new(plain_number(1))),
                }
            }
            Infix::ShiftLeft | Infix::ShiftRight => match chance {
                0..3 => self.expr(depth.saturating_sub(1)),
                3..6 => plain_number(*self.random.choose(&[0, 1, 7, 31, 32, 33, 63, 64, 65, 127, 128, 200])),
                _ => {
                    let mask = plain_number(*self.random.choose(&[7, 31, 63, 127, 255]));
                    let amount = Box::new(self.expr(depth.saturating_sub(1)));
                    Expr::Infix(Infix::And, amount, Box::new(mask))
                }
            },
            _ => self.expr(depth),
        }
    }

    pub(super) fn expr(&mut self, depth: u32) -> Expr {
        if depth == 0 {
            return self.leaf();
        }
        let below = depth - 1;
        match self.random.below(100) {
            0..22 => {
                let operator = *self.random.choose(&INFIXES);
                Expr::Infix(operator, Box::new(self.expr(below)), Box::new(self.expr(below)))
            }
            22..30 => {
                let operator = *self.random.choose(&[Infix::ShiftLeft, Infix::ShiftRight]);
                let right = Box::new(self.right_operand(operator, depth));
                Expr::Infix(operator, Box::new(self.expr(below)), right)
            }
            30..35 => {
                let operator = *self.random.choose(&[Infix::Divide, Infix::Remainder]);
                let right = Box::new(self.right_operand(operator, depth));
                Expr::Infix(operator, Box::new(self.expr(below)), right)
            }
            35..43 => Expr::Prefix(*self.random.choose(&PREFIXES), Box::new(self.expr(below))),
            43..49 => self.conditional(below),
            49..59 => Expr::Cast(self.ty(), Box::new(self.expr(below))),
            59..66 => self.slice(below),
            66..70 => {
                let base = self.expr(below);
                match base {
                    Expr::Read(place) => {
                        let index = self.bit_index(below, place.ty().width);
                        Expr::Read(Place::Bit(Box::new(place), index))
                    }
                    base => {
                        let index = self.bit_index(below, base.ty().width);
                        Expr::Bit(Box::new(base), index)
                    }
                }
            }
            70..76 => self.concat(below),
            76..84 => self.effect(below),
            84..86 => Expr::Comma(Box::new(self.expr(below)), Box::new(self.expr(below))),
            86..90 => self.call(below),
            90..92 => {
                let value = self.expr(below);
                let width = 1 + self.random.below(value.ty().width as usize) as u32;
                Expr::Sext(Box::new(value), width)
            }
            92..95 => {
                let name = *self.random.choose(&["popcount", "clz", "ctz"]);
                Expr::Count(name, Box::new(self.expr(below)))
            }
            _ => self.leaf(),
        }
    }

    fn leaf(&mut self) -> Expr {
        match self.random.below(10) {
            0..3 => Expr::Number(self.number()),
            3 if self.has_fields => {
                let (name, width, signed) = *self.random.choose(&FIELDS);
                Expr::Field(name, Type { width, signed, name: None })
            }
            4 if !self.scope.is_empty() => {
                let variable = self.random.choose(&self.scope).clone();
                Expr::Read(Place::Variable(variable.name, variable.ty))
            }
            _ => Expr::Read(self.place(1)),
        }
    }

    fn conditional(&mut self, depth: u32) -> Expr {
        let condition = Box::new(self.expr(depth));
        match (self.expr(depth), self.expr(depth)) {
            // Two places of one type are a place.
            (Expr::Read(then), Expr::Read(otherwise)) if same_type(&then, &otherwise) => {
                Expr::Read(Place::Conditional(condition, Box::new(then), Box::new(otherwise)))
            }
            (then, otherwise) => Expr::Conditional(condition, Box::new(then), Box::new(otherwise)),
        }
    }

    fn slice(&mut self, depth: u32) -> Expr {
        match self.expr(depth) {
            Expr::Read(place) => {
                let (high, low) = self.range(place.ty().width);
                Expr::Read(Place::Slice(Box::new(place), high, low))
            }
            base => {
                let (high, low) = self.range(base.ty().width);
                Expr::Slice(Box::new(base), high, low)
            }
        }
    }

    pub(super) fn range(&mut self, width: u32) -> (u32, u32) {
        let (one, other) =
            (self.random.below(width as usize) as u32, self.random.below(width as usize) as u32);
        (one.max(other), one.min(other))
    }

    fn concat(&mut self, depth: u32) -> Expr {
        let mut parts = Vec::new();
        let mut total = 0;
        for _ in 0..2 + self.random.below(2) {
            let part = self.part(depth);
            let width = part.part_width();
            if total + width <= 128 {
                total += width;
                parts.push(part);
            }
        }
        if parts.len() < 2 {
            return parts.pop().unwrap_or_else(|| plain_number(0));
        }
        let places: Option<Vec<Place>> = parts
            .iter()
            .map(|part| match part {
                Expr::Read(place) => Some(place.clone()),
                _ => None,
            })
            .collect();
        places.map_or(Expr::Concat(parts), |places| Expr::Read(Place::Concat(places)))
    }

    /// Something whose width is declared or written.
    fn part(&mut self, depth: u32) -> Expr {
        match self.random.below(8) {
            0..3 => Expr::Read(self.place(depth)),
            3 => self.slice(depth),
            4 => loop {
                let number = self.number();
                if number.written.is_some_and(|width| width <= 64) {
                    break Expr::Number(number);
                }
            },
            5 => self.call(depth),
            6 => self.effect(depth),
            _ => Expr::Cast(self.ty(), Box::new(self.expr(depth))),
        }
    }

    fn call(&mut self, depth: u32) -> Expr {
        if self.calls == 0 || self.functions.is_empty() {
            return Expr::Cast(self.ty(), Box::new(self.expr(depth)));
        }
        self.calls -= 1;
        let function = self.random.choose(self.functions);
        let parameters = function.parameters.iter();
        let arguments = parameters.map(|(ty, _)| (*ty, self.expr(depth))).collect();
        Expr::Call(function.name.clone(), function.result, arguments)
    }
}
