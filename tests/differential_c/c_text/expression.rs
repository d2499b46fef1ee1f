//! Expressions, with the parentheses that C needs.

use super::place::{Setup, concat, slice};
use super::{CText, Storage, computed, declared, mention, number, reduced, storage};
use crate::differential_c::tree::{Expr, Infix, Place, Prefix, Type};

pub(super) const COMMA: u8 = 0;
pub(super) const ASSIGN: u8 = 1;
pub(super) const CONDITIONAL: u8 = 2;
pub(super) const INFIX: u8 = 2;
pub(super) const PREFIX: u8 = 14;
pub(super) const POSTFIX: u8 = 15;

/// An operator on two texts without effects, or in an order that does not matter.
fn operation(operator: Infix, left: &str, right: &str) -> String {
    match operator {
        Infix::ShiftLeft => format!("SHIFT_LEFT({left}, {right})"),
        Infix::ShiftRight => format!("SHIFT_RIGHT({left}, {right})"),
        Infix::Divide => format!("DIVIDE({left}, {right})"),
        Infix::Remainder => format!("REMAINDER({left}, {right})"),
        other => format!("IN_ORDER({left}, {}, {right})", other.text().0),
    }
}

/// True for operators that C leaves open for some operands.
fn is_guarded(operator: Infix) -> bool {
    matches!(operator, Infix::ShiftLeft | Infix::ShiftRight | Infix::Divide | Infix::Remainder)
}

impl CText {
    pub(super) fn expr(&mut self, tree: &Expr, least: u8) -> String {
        let (text, precedence) = self.bare(tree);
        if precedence < least { format!("({text})") } else { text }
    }

    fn bare(&mut self, tree: &Expr) -> (String, u8) {
        let text = match tree {
            Expr::Number(value) => number(value),
            Expr::Field(name, _) => (*name).to_owned(),
            Expr::Read(place) => self.read(place),
            Expr::Prefix(operator, operand) => return (self.prefix(*operator, operand), PREFIX),
            Expr::Infix(operator, left, right) => return self.infix(*operator, left, right),
            Expr::Conditional(condition, then, otherwise) => {
                let condition = self.expr(condition, CONDITIONAL + 1);
                let then = self.expr(then, COMMA);
                let otherwise = self.expr(otherwise, CONDITIONAL);
                return (format!("{condition} ? {then} : {otherwise}"), CONDITIONAL);
            }
            Expr::Cast(ty, operand) => return (self.cast(*ty, operand), PREFIX),
            Expr::Slice(base, high, low) => slice(&self.expr(base, COMMA), *high, *low),
            Expr::Bit(base, index) => {
                let width = base.ty().width;
                format!("BIT({}, {}, {width})", self.expr(base, ASSIGN), self.expr(index, ASSIGN))
            }
            Expr::Concat(parts) => {
                let parts: Vec<_> =
                    parts.iter().map(|part| (self.expr(part, ASSIGN), part.part_width())).collect();
                concat(parts.into_iter())
            }
            Expr::Assign(place, value) => self.assign(place, value),
            Expr::AssignWith(operator, place, value) => self.assign_with(*operator, place, value),
            Expr::Step(increment, before, place) => self.step(*increment, *before, place),
            Expr::Comma(left, right) => {
                format!("({}, {})", self.expr(left, COMMA), self.expr(right, ASSIGN))
            }
            Expr::Call(name, _, arguments) => self.call(name, arguments),
            Expr::Sext(value, width) => {
                let ty = Type { signed: true, name: None, ..value.ty() };
                format!("SIGNED({}, {width}, {})", computed(ty), self.expr(value, COMMA))
            }
            Expr::Count(name, value) => {
                let width = value.ty().width;
                format!("{name}({}, {width})", self.expr(value, ASSIGN))
            }
        };
        (text, POSTFIX)
    }

    fn prefix(&mut self, operator: Prefix, operand: &Expr) -> String {
        let operand = self.expr(operand, PREFIX);
        let space = if operand.starts_with(['+', '-']) { " " } else { "" };
        format!("{}{space}{operand}", operator.text())
    }

    fn infix(&mut self, operator: Infix, left: &Expr, right: &Expr) -> (String, u8) {
        let (text, level) = operator.text();
        let level = INFIX + level;
        let logical = matches!(operator, Infix::LogicalAnd | Infix::LogicalOr);
        let ordered = !logical && (left.has_effect() || right.has_effect());
        if ordered || is_guarded(operator) {
            let (left, right) = (self.expr(left, ASSIGN), self.expr(right, ASSIGN));
            return (operation(operator, &left, &right), POSTFIX);
        }
        (format!("{} {text} {}", self.expr(left, level), self.expr(right, level + 1)), level)
    }

    fn cast(&mut self, ty: Type, operand: &Expr) -> String {
        match storage(ty) {
            Storage::Standard => format!("({}){}", ty.text(), self.expr(operand, PREFIX)),
            // The conversion is the compiler's own.
            Storage::BitField => format!("(({}){{{}}}).f", declared(ty), self.expr(operand, ASSIGN)),
            Storage::Reduced => reduced(ty, &self.expr(operand, COMMA)),
        }
    }

    fn assign(&mut self, place: &Place, value: &Expr) -> String {
        let ty = place.ty();
        let text = self.expr(value, ASSIGN);
        if let (Place::Variable(name, _), false) = (place, value.has_effect()) {
            let target = mention(name, ty);
            return match storage(ty) {
                Storage::Standard => format!("({target} = {text})"),
                Storage::BitField => format!("(({})({target} = {text}))", computed(ty)),
                Storage::Reduced => format!("({target} = {})", reduced(ty, &text)),
            };
        }
        let new = self.fresh('n');
        let mut setup = Setup::default();
        let prepared = self.prepare(place, &mut setup);
        let (store, result) = (prepared.store(&new), reduced(ty, &new));
        let Setup { declarations, assignments } = setup;
        format!("({{ __auto_type {new} = +({text});{declarations}{assignments} {store} {result}; }})")
    }

    fn assign_with(&mut self, operator: Infix, place: &Place, value: &Expr) -> String {
        let ty = place.ty();
        let text = self.expr(value, ASSIGN);
        let plain = storage(ty) != Storage::Reduced && !is_guarded(operator);
        if let (Place::Variable(name, _), false, true) = (place, value.has_effect(), plain) {
            let (target, operator) = (mention(name, ty), operator.text().0);
            return match storage(ty) {
                Storage::BitField => format!("(({})({target} {operator}= {text}))", computed(ty)),
                _ => format!("({target} {operator}= {text})"),
            };
        }
        let (right, new) = (self.fresh('r'), self.fresh('n'));
        let mut setup = Setup::default();
        let prepared = self.prepare(place, &mut setup);
        let value = operation(operator, &prepared.read(), &right);
        let (store, result) = (prepared.store(&new), reduced(ty, &new));
        let Setup { declarations, assignments } = setup;
        format!(
            "({{ __auto_type {right} = +({text});{declarations}{assignments} \
             __auto_type {new} = {value}; {store} {result}; }})"
        )
    }

    fn step(&mut self, increment: bool, before: bool, place: &Place) -> String {
        let ty = place.ty();
        let operator = if increment { "++" } else { "--" };
        if let (Place::Variable(name, _), true) = (place, storage(ty) != Storage::Reduced) {
            let target = mention(name, ty);
            let text = if before { format!("{operator}{target}") } else { format!("{target}{operator}") };
            return match storage(ty) {
                Storage::BitField => format!("(({})({text}))", computed(ty)),
                _ => format!("({text})"),
            };
        }
        let (old, new) = (self.fresh('o'), self.fresh('n'));
        let mut setup = Setup::default();
        let prepared = self.prepare(place, &mut setup);
        let (read, store) = (prepared.read(), prepared.store(&new));
        let result = if before { reduced(ty, &new) } else { old.clone() };
        let Setup { declarations, assignments } = setup;
        let sign = if increment { "+" } else { "-" };
        format!(
            "({{{declarations}{assignments} __auto_type {old} = +({read}); \
             __auto_type {new} = {old} {sign} 1; {store} {result}; }})"
        )
    }

    fn call(&mut self, name: &str, arguments: &[(Type, Expr)]) -> String {
        let mut text = "({".to_owned();
        let mut names = Vec::new();
        for (ty, argument) in arguments {
            let local = self.fresh('a');
            let value = self.expr(argument, ASSIGN);
            text += &format!(" {} {local} = {};", computed(*ty), reduced(*ty, &value));
            names.push(local);
        }
        format!("{text} {name}({}); }})", names.join(", "))
    }
}
