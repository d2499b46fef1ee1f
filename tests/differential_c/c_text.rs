//! The same statements and expressions as C, for GCC and Clang.
//!
//! What C has is printed as C has it, and the compiler finds types and conversions by itself.
//! Only what the manual defines and C leaves open, or has not at all, is spelled out:
//!
//! * the order of operands, by statement expressions wherever one of them has an effect;
//! * shifts by the width or more, division by zero, the quotient that does not fit: macros;
//! * a `bit[N]` of at most 32 bits is a bit-field; a wider one is kept in the standard type that
//!   it converts to, reduced at each assignment;
//! * slices, concatenations and computed bits: shifts and masks.

mod expression;
mod place;

use self::expression::{ASSIGN, COMMA, INFIX};
use super::tree::{Function, Number, Stmt, Type};

/// What the statements are written with.
pub(crate) const PRELUDE: &str = include_str!("prelude.c");

/// How a type is kept.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Storage {
    Standard,
    BitField,
    Reduced,
}

fn storage(ty: Type) -> Storage {
    match ty.name {
        Some(_) => Storage::Standard,
        None if ty.width <= 32 => Storage::BitField,
        None => Storage::Reduced,
    }
}

/// The standard type in which a value is computed with.
fn computed(ty: Type) -> &'static str {
    let ty = ty.promoted();
    match (ty.width, ty.signed) {
        (32, true) => "int",
        (32, false) => "unsigned",
        (64, true) => "long",
        (64, false) => "unsigned long",
        (_, true) => "s128",
        (_, false) => "u128",
    }
}

/// The type that holds a variable or the element of a file.
pub(crate) fn declared(ty: Type) -> String {
    match (storage(ty), ty.signed) {
        (Storage::Standard, _) => ty.text(),
        (Storage::BitField, true) => format!("struct {{ signed f : {}; }}", ty.width),
        (Storage::BitField, false) => format!("struct {{ unsigned f : {}; }}", ty.width),
        (Storage::Reduced, _) => computed(ty).to_owned(),
    }
}

/// A text reduced to a type, in the type in which that is computed with.
pub(crate) fn reduced(ty: Type, text: &str) -> String {
    match ty.name {
        Some(name) => format!("(({name})({text}))"),
        None if ty.signed => format!("SIGNED({}, {}, {text})", computed(ty), ty.width),
        None => format!("UNSIGNED({}, {}, {text})", computed(ty), ty.width),
    }
}

/// A variable or element as an lvalue.
fn mention(name: &str, ty: Type) -> String {
    if storage(ty) == Storage::BitField { format!("{name}.f") } else { name.to_owned() }
}

/// Prints; every temporary gets a number of its own.
#[derive(Default)]
pub(crate) struct CText {
    next: u32,
}

fn number(number: &Number) -> String {
    match number.value >> 64 {
        0 => number.text.clone(),
        high => {
            let low = number.value as u64;
            let ty = if number.ty.signed { "s128" } else { "u128" };
            format!("(({ty})((u128){high:#x}ul << 64 | {low:#x}ul))")
        }
    }
}

impl CText {
    fn fresh(&mut self, letter: char) -> String {
        self.next += 1;
        format!("{letter}{}_", self.next)
    }

    /// Statements, one a line.
    pub(crate) fn statements(&mut self, list: &[Stmt], result: Option<Type>, indent: usize) -> String {
        list.iter().map(|statement| self.line(statement, result, indent)).collect()
    }

    fn line(&mut self, tree: &Stmt, result: Option<Type>, indent: usize) -> String {
        let space = "    ".repeat(indent);
        let text = match tree {
            Stmt::Declare(ty, name, value) => {
                let value = value.as_ref().map_or("0".to_owned(), |value| self.expr(value, ASSIGN));
                declaration(*ty, name, &value)
            }
            Stmt::Expr(value) => format!("{};", self.expr(value, COMMA)),
            Stmt::If(condition, then, otherwise) => {
                let condition = self.expr(condition, COMMA);
                let then = self.statements(then, result, indent + 1);
                let otherwise = self.statements(otherwise, result, indent + 1);
                format!("if ({condition}) {{\n{then}{space}}} else {{\n{otherwise}{space}}}")
            }
            Stmt::Switch(value, sections) => {
                let mut text = format!("switch ({}) {{\n", self.expr(value, COMMA));
                for (labels, list) in sections {
                    for label in labels {
                        text += &label
                            .as_ref()
                            .map_or("default: ".to_owned(), |label| format!("case {}: ", number(label)));
                    }
                    text += &format!(";\n{}", self.statements(list, result, indent + 1));
                }
                format!("{text}{space}}}")
            }
            Stmt::For(name, turns, step, body) => {
                let step =
                    step.as_ref().map_or(String::new(), |step| format!(", {}", self.expr(step, ASSIGN)));
                let body = self.statements(body, result, indent + 1);
                format!("for (int {name} = 0; {name} < {turns}; {name}++{step}) {{\n{body}{space}}}")
            }
            Stmt::While(name, turns, condition, last, body) => {
                let condition = self.expr(condition, INFIX + 3);
                let body = self.statements(body, result, indent + 1);
                let body = format!("{{\n{body}{space}}}");
                match last {
                    true => format!("int {name} = {turns}; do {body} while (--{name} > 0 && {condition});"),
                    false => format!("int {name} = {turns}; while ({name}-- > 0 && {condition}) {body}"),
                }
            }
            Stmt::Break => "break;".to_owned(),
            Stmt::Continue => "continue;".to_owned(),
            Stmt::Return(None) => "return;".to_owned(),
            Stmt::Return(Some(value)) => {
                let value = self.expr(value, COMMA);
                format!("return {};", result.map_or(value.clone(), |ty| reduced(ty, &value)))
            }
            Stmt::Printf(format, values) => {
                let mut text = "{".to_owned();
                let mut names = String::new();
                for value in values {
                    let local = self.fresh('p');
                    text += &format!(" __auto_type {local} = +({});", self.expr(value, COMMA));
                    names += &format!(", {local}");
                }
                format!("{text} printf(\"{format}\"{names}); }}")
            }
        };
        format!("{space}{text}\n")
    }

    /// A FUNCTION: parameters come in the type in which they are computed with.
    pub(crate) fn function(&mut self, tree: &Function) -> String {
        let result = computed(tree.result);
        let parameters =
            tree.parameters.iter().map(|(ty, name)| format!("{} {name}_", computed(*ty))).collect::<Vec<_>>();
        let mut text = format!("static {result} {}({}) {{\n", tree.name, parameters.join(", "));
        for (ty, name) in &tree.parameters {
            text += &format!("    {}\n", declaration(*ty, name, &format!("{name}_")));
        }
        format!("{text}{}}}\n", self.statements(&tree.body, Some(tree.result), 1))
    }
}

fn declaration(ty: Type, name: &str, value: &str) -> String {
    let declared = declared(ty);
    match storage(ty) {
        Storage::Standard => format!("{declared} {name} = {value};"),
        Storage::BitField => format!("{declared} {name} = {{{value}}};"),
        Storage::Reduced => format!("{declared} {name} = {};", reduced(ty, value)),
    }
}
