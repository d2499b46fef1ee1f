//! Random statements and expressions, sound in both languages.

mod expression;
mod number;
mod place;
mod statement;

use self::number::plain_number;
use self::statement::Around;
use super::tree::{Expr, Function, Place, Stmt, Type, bits, named};
use crate::support::random::Random;

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

/// A variable that can be mentioned.
#[derive(Clone)]
struct Variable {
    name: String,
    ty: Type,
    /// False for the counters of loops.
    assignable: bool,
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
}
