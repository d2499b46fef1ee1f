//! Random statements: every loop ends, every jump has something to leave.

use super::number::{plain_number, short_number};
use super::{Generator, Variable};
use crate::differential_c::tree::{Expr, INT, Infix, Number, Stmt, Type};

/// What a `break`, `continue` or `return` may stand in.
#[derive(Clone, Copy, Default)]
pub(super) struct Around {
    pub(super) breaks: bool,
    pub(super) continues: bool,
    /// The type that `return` needs; `None` in a BEHAVIOR.
    pub(super) result: Option<Type>,
}

impl Generator<'_> {
    pub(super) fn declare(&mut self, list: &mut Vec<Stmt>) {
        let (ty, name) = (self.ty(), self.fresh('v'));
        let value = if self.random.once_in(8) { None } else { Some(self.expr(2)) };
        list.push(Stmt::Declare(ty, name.clone(), value));
        self.scope.push(Variable { name, ty, assignable: true });
    }

    pub(super) fn statement(&mut self, list: &mut Vec<Stmt>, depth: u32, around: Around) {
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
}
