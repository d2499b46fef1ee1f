//! Statements and expressions as the description writes them, with as few parentheses as the
//! precedence of operators allows.

use super::tree::{Expr, Function, Place, Stmt};

const COMMA: u8 = 0;
const ASSIGN: u8 = 1;
const CONDITIONAL: u8 = 2;
/// What [`super::tree::Infix::text`] tells is counted from here.
const INFIX: u8 = 2;
const CONCAT: u8 = 13;
const PREFIX: u8 = 14;
const POSTFIX: u8 = 15;

/// An expression where operators below `least` need parentheses.
fn expr(tree: &Expr, least: u8) -> String {
    let (text, precedence) = bare(tree);
    if precedence < least { format!("({text})") } else { text }
}

fn bare(tree: &Expr) -> (String, u8) {
    match tree {
        Expr::Number(number) => (number.text.clone(), POSTFIX),
        Expr::Field(name, _) => ((*name).to_owned(), POSTFIX),
        Expr::Read(place) => bare_place(place),
        Expr::Prefix(operator, operand) => (prefixed(operator.text(), &expr(operand, PREFIX)), PREFIX),
        Expr::Infix(operator, left, right) => {
            let (text, level) = operator.text();
            let level = INFIX + level;
            (format!("{} {text} {}", expr(left, level), expr(right, level + 1)), level)
        }
        Expr::Conditional(condition, then, otherwise) => {
            let then = expr(then, COMMA);
            (
                format!("{} ? {then} : {}", expr(condition, CONDITIONAL + 1), expr(otherwise, CONDITIONAL)),
                CONDITIONAL,
            )
        }
        Expr::Cast(ty, operand) => (format!("({}){}", ty.text(), expr(operand, PREFIX)), PREFIX),
        Expr::Slice(base, high, low) => (slice(&expr(base, POSTFIX), *high, *low), POSTFIX),
        Expr::Bit(base, index) => (format!("{}[{}]", expr(base, POSTFIX), expr(index, COMMA)), POSTFIX),
        Expr::Concat(parts) => {
            (joined(parts.iter().map(|part| expr(part, CONCAT + 1)).collect(), " :: "), CONCAT)
        }
        Expr::Assign(target, value) => {
            (format!("{} = {}", place(target, CONDITIONAL), expr(value, ASSIGN)), ASSIGN)
        }
        Expr::AssignWith(operator, target, value) => {
            let (operator, target) = (operator.text().0, place(target, CONDITIONAL));
            (format!("{target} {operator}= {}", expr(value, ASSIGN)), ASSIGN)
        }
        Expr::Step(increment, before, target) => {
            let operator = if *increment { "++" } else { "--" };
            match before {
                true => (prefixed(operator, &place(target, PREFIX)), PREFIX),
                false => (format!("{}{operator}", place(target, POSTFIX)), POSTFIX),
            }
        }
        Expr::Comma(left, right) => (format!("{}, {}", expr(left, COMMA), expr(right, ASSIGN)), COMMA),
        Expr::Call(name, _, arguments) => {
            let arguments = arguments.iter().map(|(_, argument)| expr(argument, ASSIGN)).collect();
            (format!("{name}({})", joined(arguments, ", ")), POSTFIX)
        }
        Expr::Sext(value, width) => (format!("sext({}, {width})", expr(value, ASSIGN)), POSTFIX),
        Expr::Count(name, value) => (format!("{name}({})", expr(value, ASSIGN)), POSTFIX),
    }
}

fn place(tree: &Place, least: u8) -> String {
    let (text, precedence) = bare_place(tree);
    if precedence < least { format!("({text})") } else { text }
}

fn bare_place(tree: &Place) -> (String, u8) {
    match tree {
        Place::Variable(name, _) => (name.clone(), POSTFIX),
        Place::Element(name, _, _, index) => (format!("{name}[{}]", expr(index, COMMA)), POSTFIX),
        Place::Memory(ty, address) => {
            let address = expr(address, COMMA);
            let text = match (ty.signed, ty.width) {
                (false, 8) => format!("m[{address}]"),
                (false, width) => format!("m.u{width}[{address}]"),
                (true, width) => format!("m.s{width}[{address}]"),
            };
            (text, POSTFIX)
        }
        Place::Slice(base, high, low) => (slice(&place(base, POSTFIX), *high, *low), POSTFIX),
        Place::Bit(base, index) => (format!("{}[{}]", place(base, POSTFIX), expr(index, COMMA)), POSTFIX),
        Place::Concat(parts) => {
            (joined(parts.iter().map(|part| place(part, CONCAT + 1)).collect(), " :: "), CONCAT)
        }
        Place::Conditional(condition, then, otherwise) => {
            let condition = expr(condition, CONDITIONAL + 1);
            let then = place(then, COMMA);
            (format!("{condition} ? {then} : {}", place(otherwise, CONDITIONAL)), CONDITIONAL)
        }
    }
}

/// Two operators that would run together into a third are kept apart.
fn prefixed(operator: &str, operand: &str) -> String {
    let space = if operand.starts_with(['+', '-']) { " " } else { "" };
    format!("{operator}{space}{operand}")
}

fn slice(base: &str, high: u32, low: u32) -> String {
    if high == low { format!("{base}[{high}]") } else { format!("{base}[{high}..{low}]") }
}

fn joined(parts: Vec<String>, separator: &str) -> String {
    parts.join(separator)
}

/// Statements, one a line.
pub(crate) fn statements(list: &[Stmt], indent: usize) -> String {
    list.iter().map(|statement| line(statement, indent)).collect()
}

fn line(tree: &Stmt, indent: usize) -> String {
    let space = "    ".repeat(indent);
    let block = |list: &[Stmt]| format!("{{\n{}{space}}}", statements(list, indent + 1));
    let text = match tree {
        Stmt::Declare(ty, name, None) => format!("{} {name};", ty.text()),
        Stmt::Declare(ty, name, Some(value)) => format!("{} {name} = {};", ty.text(), expr(value, ASSIGN)),
        Stmt::Expr(value) => format!("{};", expr(value, COMMA)),
        Stmt::If(condition, then, otherwise) if otherwise.is_empty() => {
            format!("if ({}) {}", expr(condition, COMMA), block(then))
        }
        Stmt::If(condition, then, otherwise) => {
            format!("if ({}) {} else {}", expr(condition, COMMA), block(then), block(otherwise))
        }
        Stmt::Switch(value, sections) => {
            let mut text = format!("switch ({}) {{\n", expr(value, COMMA));
            for (labels, list) in sections {
                text += &space;
                for label in labels {
                    text += &label.as_ref().map_or("default: ".to_owned(), |n| format!("case {}: ", n.text));
                }
                text += &format!("\n{}", statements(list, indent + 1));
            }
            format!("{text}{space}}}")
        }
        Stmt::For(name, turns, step, body) => {
            let step = step.as_ref().map_or(String::new(), |step| format!(", {}", expr(step, ASSIGN)));
            format!("for (int {name} = 0; {name} < {turns}; {name}++{step}) {}", block(body))
        }
        Stmt::While(name, turns, condition, false, body) => {
            let condition = expr(condition, INFIX + 3);
            format!("int {name} = {turns};\n{space}while ({name}-- > 0 && {condition}) {}", block(body))
        }
        Stmt::While(name, turns, condition, true, body) => {
            let condition = expr(condition, INFIX + 3);
            format!("int {name} = {turns};\n{space}do {} while (--{name} > 0 && {condition});", block(body))
        }
        Stmt::Break => "break;".to_owned(),
        Stmt::Continue => "continue;".to_owned(),
        Stmt::Return(None) => "return;".to_owned(),
        Stmt::Return(Some(value)) => format!("return {};", expr(value, COMMA)),
        Stmt::Printf(format, values) => {
            let values: String = values.iter().map(|value| format!(", {}", expr(value, ASSIGN))).collect();
            format!("printf(\"{format}\"{values});")
        }
    };
    format!("{space}{text}\n")
}

/// A FUNCTION.
pub(crate) fn function(tree: &Function) -> String {
    let parameters = tree.parameters.iter().map(|(ty, name)| format!("{} {name}", ty.text()));
    let parameters = joined(parameters.collect(), ", ");
    let (result, name, body) = (tree.result.text(), &tree.name, statements(&tree.body, 1));
    format!("FUNCTION {result} {name}({parameters}) {{\n{body}}}\n")
}
