//! Random statements and expressions, sound in both languages.

use super::random::Random;
use super::tree::{Expr, Function, INT, Infix, Number, Place, Prefix, Stmt, Type, bits, named};

/// The single registers.
pub(crate) const REGISTERS: [(&str, u32); 15] = [
    ("g1", 1),
    ("g5", 5),
    ("g8", 8),
    ("g13", 13),
    ("g16", 16),
    ("g31", 31),
    ("g32", 32),
    ("g33", 33),
    ("g48", 48),
    ("g63", 63),
    ("g64", 64),
    ("g65", 65),
    ("g100", 100),
    ("g127", 127),
    ("g128", 128),
];

/// The register files, with their widths and numbers of elements; results go to the first.
pub(crate) const FILES: [(&str, u32, u32); 6] =
    [("result", 128, 16), ("f8", 8, 4), ("f20", 20, 4), ("f32", 32, 8), ("f64", 64, 4), ("f128", 128, 2)];

/// The fields of every instruction.
pub(crate) const FIELDS: [(&str, u32, bool); 2] = [("fu", 10, false), ("fs", 10, true)];

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

/// A variable that can be mentioned.
#[derive(Clone)]
struct Variable {
    name: String,
    ty: Type,
    /// False for the counters of loops.
    assignable: bool,
}

/// What a `break`, `continue` or `return` may stand in.
#[derive(Clone, Copy, Default)]
struct Around {
    breaks: bool,
    continues: bool,
    /// The type that `return` needs; `None` in a BEHAVIOR.
    result: Option<Type>,
}

/// Makes the statements of one body.
pub(crate) struct Generator<'a> {
    random: Random,
    scope: Vec<Variable>,
    functions: &'a [Function],
    /// How many calls may still be made here: each is expanded in place.
    calls: u32,
    has_fields: bool,
    next_name: u32,
}

impl<'a> Generator<'a> {
    /// Of a BEHAVIOR, or of a FUNCTION, which has no fields.
    pub(crate) fn new(random: Random, functions: &'a [Function], has_fields: bool) -> Generator<'a> {
        let calls = if has_fields { 4 } else { 1 };
        Generator { random, scope: Vec::new(), functions, calls, has_fields, next_name: 0 }
    }

    /// A FUNCTION that may call those that were made before it.
    pub(crate) fn function(mut self, name: &str) -> Function {
        let result = self.ty();
        let mut parameters = Vec::new();
        for _ in 0..1 + self.random.below(3) {
            let (ty, name) = (self.ty(), self.fresh('a'));
            self.scope.push(Variable { name: name.clone(), ty, assignable: true });
            parameters.push((ty, name));
        }
        let around = Around { result: Some(result), ..Around::default() };
        let mut body = Vec::new();
        for _ in 0..self.random.below(3) {
            self.statement(&mut body, 2, around);
        }
        body.push(Stmt::Return(Some(self.expr(2))));
        Function { name: name.to_owned(), result, parameters, body }
    }

    /// The statements of a BEHAVIOR: variables, then so many cases.
    pub(crate) fn behavior(mut self, cases: usize) -> Vec<Stmt> {
        let mut list = Vec::new();
        for _ in 0..3 {
            self.declare(&mut list);
        }
        for _ in 0..2 {
            let (name, width) = *self.random.choose(&REGISTERS);
            let value = Box::new(Expr::Number(self.number()));
            list.push(Stmt::Expr(Expr::Assign(Place::Variable(name.to_owned(), bits(width)), value)));
        }
        for case in 0..cases {
            if self.random.once_in(3) {
                self.statement(&mut list, 3, Around::default());
            } else {
                list.push(self.result(case));
            }
        }
        list
    }

    /// The value of an expression, in a register wide enough to show its type's sign.
    fn result(&mut self, case: usize) -> Stmt {
        let (name, width, count) = FILES[0];
        let index = Box::new(plain_number((case as u32 % count).into()));
        let depth = 2 + self.random.below(3) as u32;
        let value = Box::new(self.expr(depth));
        Stmt::Expr(Expr::Assign(Place::Element(name, count, bits(width), index), value))
    }

    fn fresh(&mut self, letter: char) -> String {
        self.next_name += 1;
        format!("{letter}{}", self.next_name)
    }

    fn ty(&mut self) -> Type {
        if self.random.once_in(2) {
            return named(self.random.below(64));
        }
        let width = match self.random.below(4) {
            0 => 1 + self.random.below(128) as u32,
            1 => 1 + self.random.below(33) as u32,
            2 => *self.random.choose(&[1, 7, 8, 9, 31, 32, 33, 63, 64, 65, 127, 128]),
            _ => 1 + self.random.below(16) as u32,
        };
        Type { width, signed: self.random.once_in(2), name: None }
    }

    // ------------------------------------------------------------ statements

    fn declare(&mut self, list: &mut Vec<Stmt>) {
        let (ty, name) = (self.ty(), self.fresh('v'));
        let value = if self.random.once_in(8) { None } else { Some(self.expr(2)) };
        list.push(Stmt::Declare(ty, name.clone(), value));
        self.scope.push(Variable { name, ty, assignable: true });
    }

    fn statement(&mut self, list: &mut Vec<Stmt>, depth: u32, around: Around) {
        if depth == 0 {
            list.push(Stmt::Expr(self.effect(2)));
            return;
        }
        match self.random.below(20) {
            0..7 => list.push(Stmt::Expr(self.effect(depth))),
            7..9 => self.declare(list),
            9..12 => {
                let condition = self.expr(depth);
                let then = self.block(depth - 1, around);
                let otherwise = if self.random.once_in(2) { self.block(depth - 1, around) } else { vec![] };
                list.push(Stmt::If(condition, then, otherwise));
            }
            12..14 => self.switch(list, depth, around),
            14..17 => self.turns(list, depth, around),
            17 => list.push(self.printf()),
            _ => list.push(self.jump(around)),
        }
    }

    fn block(&mut self, depth: u32, around: Around) -> Vec<Stmt> {
        let visible = self.scope.len();
        let mut list = Vec::new();
        for _ in 0..1 + self.random.below(3) {
            self.statement(&mut list, depth, around);
        }
        self.scope.truncate(visible);
        list
    }

    /// A jump where there is something to leave, on a condition.
    fn jump(&mut self, around: Around) -> Stmt {
        let jump = match self.random.below(4) {
            0 | 1 if around.breaks => Stmt::Break,
            2 if around.continues => Stmt::Continue,
            3 if around.result.is_some() => Stmt::Return(Some(self.expr(2))),
            3 if self.random.once_in(8) => Stmt::Return(None),
            _ => return Stmt::Expr(self.effect(2)),
        };
        let jump = if around.result.is_some() && matches!(jump, Stmt::Return(None)) {
            Stmt::Return(Some(self.expr(1)))
        } else {
            jump
        };
        Stmt::If(self.expr(1), vec![jump], Vec::new())
    }

    fn turns(&mut self, list: &mut Vec<Stmt>, depth: u32, around: Around) {
        let visible = self.scope.len();
        let name = self.fresh('n');
        let turns = 1 + self.random.below(3) as u32;
        let kind = self.random.below(4);
        let condition = self.expr(1);
        self.scope.push(Variable { name: name.clone(), ty: INT, assignable: false });
        let body = self.block(depth - 1, Around { breaks: true, continues: true, ..around });
        let statement = match kind {
            0 => Stmt::While(name, turns, condition, false, body),
            1 => Stmt::While(name, turns, condition, true, body),
            _ => {
                let step = if self.random.once_in(2) { Some(self.effect(1)) } else { None };
                Stmt::For(name, turns, step, body)
            }
        };
        list.push(statement);
        self.scope.truncate(visible);
    }

    fn switch(&mut self, list: &mut Vec<Stmt>, depth: u32, around: Around) {
        let value = match self.random.once_in(2) {
            true => {
                let mask = Box::new(plain_number(3));
                Expr::Infix(Infix::And, Box::new(self.expr(depth)), mask)
            }
            false => self.expr(depth),
        };
        let around = Around { breaks: true, ..around };
        let mut sections: Vec<(Vec<Option<Number>>, Vec<Stmt>)> = Vec::new();
        let mut labels = vec![0u32, 1, 2, 3, 200];
        let default = self.random.below(6);
        for section in 0..1 + self.random.below(4) {
            let mut own = Vec::new();
            for _ in 0..1 + self.random.below(2) {
                if !labels.is_empty() {
                    let label = labels.swap_remove(self.random.below(labels.len()));
                    own.push(Some(short_number(label.into())));
                }
            }
            if section == default || own.is_empty() && section < default {
                own.push(None);
            }
            if own.is_empty() {
                break;
            }
            let visible = self.scope.len();
            let mut body = Vec::new();
            for _ in 0..self.random.below(3) {
                match self.random.once_in(3) {
                    true => body.push(Stmt::If(self.expr(1), self.block(depth - 1, around), Vec::new())),
                    false => body.push(Stmt::Expr(self.effect(depth - 1))),
                }
            }
            if self.random.once_in(2) {
                body.push(Stmt::Break);
            }
            self.scope.truncate(visible);
            let defaults = sections.iter().flat_map(|(labels, _)| labels).any(Option::is_none);
            if defaults {
                own.retain(Option::is_some);
            }
            if !own.is_empty() {
                sections.push((own, body));
            }
        }
        list.push(Stmt::Switch(value, sections));
    }

    fn printf(&mut self) -> Stmt {
        let mut format = String::new();
        let mut values = Vec::new();
        for _ in 0..1 + self.random.below(3) {
            format += *self.random.choose(&["", " ", "x=", "100%% ", "\\t", "\\n", "ab\\\\"]);
            let letter = *self.random.choose(&["d", "i", "u", "x", "X", "o", "c"]);
            let flags = match letter {
                "c" => *self.random.choose(&["", "-"]),
                "d" | "i" => *self.random.choose(&["", "-", "+", "0", " ", "+0", " 0", "-+", "- "]),
                "u" => *self.random.choose(&["", "-", "0"]),
                _ => *self.random.choose(&["", "-", "0", "#", "#0", "-#"]),
            };
            let width = *self.random.choose(&["", "", "1", "5", "12", "30"]);
            let precision =
                if letter == "c" { "" } else { self.random.choose(&["", "", ".", ".0", ".3", ".25"]) };
            let (length, bits) = match letter {
                "c" => ("", 32),
                _ => {
                    *self.random.choose(&[("", 32), ("h", 32), ("hh", 32), ("l", 64), ("ll", 64), ("z", 64)])
                }
            };
            format += &format!("%{flags}{width}{precision}{length}{letter}");
            let signed = self.random.once_in(2);
            let ty = Type { width: bits, signed, name: None };
            values.push(Expr::Cast(ty, Box::new(self.expr(2))));
        }
        Stmt::Printf(format, values)
    }

    // ------------------------------------------------------------ expressions

    /// An expression that changes something.
    fn effect(&mut self, depth: u32) -> Expr {
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

    fn expr(&mut self, depth: u32) -> Expr {
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

    fn range(&mut self, width: u32) -> (u32, u32) {
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

    /// A place that can be assigned to.
    fn place(&mut self, depth: u32) -> Place {
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
    fn bit_index(&mut self, depth: u32, width: u32) -> Box<Expr> {
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

    /// A number in one of the ways in which C writes it, as often a corner as any.
    fn number(&mut self) -> Number {
        let width = *self.random.choose(&[1, 3, 8, 16, 31, 32, 33, 63, 64, 64, 100, 127, 128]);
        let any = u128::from(self.random.next()) << 64 | u128::from(self.random.next());
        let ones = u128::MAX >> (128 - width);
        let sign = 1 << (width - 1);
        let corner = *self.random.choose(&[0, 1, 2, ones, ones - 1, sign, sign - 1, 31, 32, 255]);
        let value = if self.random.once_in(2) { corner } else { any & ones };
        let value = if self.random.once_in(3) { value & 0xff } else { value };
        let suffix = match value >> 64 {
            0 => *self.random.choose(&["", "", "", "u", "U", "l", "L", "ul", "lu", "ULL", "ll"]),
            _ => "",
        };
        match self.random.below(6) {
            0 if value < 128 && (value as u8).is_ascii_alphanumeric() => {
                let text = format!("'{}'", value as u8 as char);
                Number { value, text, ty: INT, written: None }
            }
            0 if value == 10 => Number { value, text: "'\\n'".to_owned(), ty: INT, written: None },
            0 | 1 if value >> 64 == 0 => {
                let text = format!("0b{value:b}{suffix}");
                let written = Some((128 - value.leading_zeros()).max(1));
                Number { value, text, ty: number_type(value, suffix, true), written }
            }
            2 | 3 if value >> 63 == 0 => {
                let text = format!("{value}{suffix}");
                Number { value, text, ty: number_type(value, suffix, false), written: None }
            }
            kind => {
                let text =
                    if kind == 4 { format!("0x{value:x}{suffix}") } else { format!("0X{value:X}{suffix}") };
                let written = Some((128 - value.leading_zeros()).div_ceil(4).max(1) * 4);
                Number { value, text, ty: number_type(value, suffix, true), written }
            }
        }
    }
}

fn same_type(one: &Place, other: &Place) -> bool {
    (one.ty().width, one.ty().signed) == (other.ty().width, other.ty().signed)
}

/// The first type that holds a number: C's rule.
fn number_type(value: u128, suffix: &str, based: bool) -> Type {
    let unsigned = suffix.contains(['u', 'U']);
    let least = if suffix.contains(['l', 'L']) { 64 } else { 32 };
    let candidates = [32, 64, 128].into_iter().filter(|width| *width >= least);
    for width in candidates {
        if !unsigned && value >> (width - 1) == 0 {
            return Type { width, signed: true, name: None };
        }
        if (unsigned || based) && (width == 128 || value >> width == 0) {
            return bits(width);
        }
    }
    bits(128)
}

fn short_number(value: u128) -> Number {
    Number { value, text: value.to_string(), ty: INT, written: None }
}

fn plain_number(value: u128) -> Expr {
    Expr::Number(short_number(value))
}

fn plain_hex(value: u128) -> Expr {
    Expr::Number(Number { value, text: format!("{value:#x}"), ty: INT, written: Some(16) })
}
