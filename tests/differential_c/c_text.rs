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

use super::tree::{Expr, Function, Infix, Number, Place, Prefix, Stmt, Type, bits};

/// What the statements are written with.
pub(crate) const PRELUDE: &str = include_str!("prelude.c");

const COMMA: u8 = 0;
const ASSIGN: u8 = 1;
const CONDITIONAL: u8 = 2;
const INFIX: u8 = 2;
const PREFIX: u8 = 14;
const POSTFIX: u8 = 15;

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

/// A place whose indexes stand in temporaries.
enum Prepared {
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
struct Setup {
    declarations: String,
    assignments: String,
}

impl Prepared {
    fn read(&self) -> String {
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
    fn store(&self, value: &str) -> String {
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

fn slice(base: &str, high: u32, low: u32) -> String {
    reduced(bits(high - low + 1), &format!("(u128)({base}) >> {low}"))
}

fn concat(parts: impl Iterator<Item = (String, u32)>) -> String {
    let mut text = "({ u128 c_ = 0;".to_owned();
    let mut total = 0;
    for (part, width) in parts {
        total += width;
        text += &format!(" c_ = JOIN(c_, {part}, {width});");
    }
    format!("{text} ({})c_; }})", computed(bits(total)))
}

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

    fn expr(&mut self, tree: &Expr, least: u8) -> String {
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

    /// A place where it is read: its parts from left to right, each read at once.
    fn read(&mut self, place: &Place) -> String {
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
    fn prepare(&mut self, place: &Place, setup: &mut Setup) -> Prepared {
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
