//! What a debugger tells of a run that stands before a statement of the description.

use sim_runtime::inspection::{RunningBody, Within};

use crate::debugger::Debugger;
use crate::show::line;
use crate::statement::{LocalPlace, Statement, Statements};

const BETWEEN: &str = "the run stands between two instructions\n";

/// The statement at hand: `tiny8.isac:61 in add.BEHAVIOR: dst = sum[7..0];`; nothing between two
/// instructions.
pub fn show_within(debugger: &Debugger<'_>) -> String {
    let statements = debugger.statements();
    match innermost(debugger).and_then(|body| statements.get(body.statement)) {
        None => String::new(),
        Some(statement) => {
            let (place, name) = (statements.show_place(statement.place), statements.name_of(statement));
            format!("{place} in {name}: {}\n", statement.text)
        }
    }
}

/// All that is being run, the innermost first: FUNCTIONs, EXPRESSIONs, and the section around them.
pub fn show_bodies(debugger: &Debugger<'_>) -> String {
    let Some(within) = debugger.within() else { return BETWEEN.to_owned() };
    let statements = debugger.statements();
    let mut text = String::new();
    let found = within.bodies.iter().filter_map(|body| statements.get(body.statement));
    let rows = found.flat_map(|statement| rows(&statements, statement));
    for (number, (name, place, what)) in rows.enumerate() {
        line(&mut text, format_args!("#{number} {name} at {place}{what}"));
    }
    text
}

/// A statement and those that call its FUNCTIONs: name, place, text.
fn rows(statements: &Statements, statement: &Statement) -> Vec<(String, String, String)> {
    let mut names = vec![statement.section.clone()];
    names.extend(statement.calls.iter().map(|(function, _)| function.clone()));
    let mut places: Vec<String> =
        statement.calls.iter().map(|(_, place)| statements.show_place(*place)).collect();
    places.push(statements.show_place(statement.place));
    let rows = names.into_iter().zip(places).enumerate();
    let last = statement.calls.len();
    let row = |(at, (name, place)): (usize, (String, String))| {
        let what = if at == last { format!(": {}", statement.text) } else { String::new() };
        (name, place, what)
    };
    let mut rows: Vec<_> = rows.map(row).collect();
    rows.reverse();
    rows
}

/// The variables that the statement at hand sees, and the LOCALs of its operation; behind them those of
/// what mentions the operand at hand.
pub fn show_locals(debugger: &Debugger<'_>) -> String {
    show_of_bodies(debugger, locals_of)
}

/// Fields of the operation at hand, its operands and REFERENCEs; behind them those of what mentions the
/// operand at hand.
pub fn show_operands(debugger: &Debugger<'_>) -> String {
    show_of_bodies(debugger, operands_of)
}

/// What each body sees, the innermost first; where there are several, each under its section.
fn show_of_bodies(debugger: &Debugger<'_>, show: fn(&Debugger<'_>, &RunningBody) -> String) -> String {
    let Some(within) = debugger.within() else { return BETWEEN.to_owned() };
    let statements = debugger.statements();
    let mut text = String::new();
    for body in &within.bodies {
        let shown = show(debugger, body);
        if within.bodies.len() > 1 && !shown.is_empty() {
            let section = statements.get(body.statement).map_or("?", |statement| &statement.section);
            line(&mut text, format_args!("{section}:"));
        }
        text += &shown;
    }
    if text.is_empty() { "there are none\n".to_owned() } else { text }
}

fn locals_of(debugger: &Debugger<'_>, body: &RunningBody) -> String {
    let statements = debugger.statements();
    let mut text = String::new();
    for LocalPlace { name, local, width_bits, signed } in
        statements.get(body.statement).into_iter().flat_map(|statement| &statement.locals)
    {
        if let Some(value) = body.locals.get(*local as usize) {
            line(&mut text, format_args!("{name} = {}", format_value(*value, *width_bits, *signed)));
        }
    }
    if let Some(operation) = operation_of(debugger, body) {
        for (variable, value) in operation.variables.iter().zip(&body.variables) {
            let value = format_value(*value, variable.width, false);
            line(&mut text, format_args!("LOCAL {} = {value}", variable.name));
        }
    }
    text
}

fn operands_of(debugger: &Debugger<'_>, body: &RunningBody) -> String {
    let Some(operation) = operation_of(debugger, body) else { return String::new() };
    let mut text = String::new();
    for (field, value) in operation.fields.iter().zip(&body.fields) {
        if let Some(value) = value.filter(|_| field.copy_of.is_none()) {
            let value = format_value(value, field.width_bits, field.signed);
            line(&mut text, format_args!("field {} = {value}", field.name));
        }
    }
    let model = debugger.model();
    for (instance, operand) in operation.instances.iter().zip(&body.operands) {
        let Some(operand) = operand else { continue };
        let chosen = &model.operations[operand.operation as usize];
        let width = chosen.expression.as_ref().map_or(128, |expression| expression.width);
        let signed = chosen.expression.as_ref().is_some_and(|expression| expression.signed);
        let value = operand
            .value
            .map_or_else(|| "(to read it is a fault)".to_owned(), |value| format_value(value, width, signed));
        line(&mut text, format_args!("operand {} = {value}, {}", instance.alias, chosen.name));
    }
    for (reference, value) in operation.references.iter().zip(&body.references) {
        if let Some(value) = value.filter(|_| reference.width_bits > 0) {
            let value = format_value(value, reference.width_bits, reference.signed);
            line(&mut text, format_args!("REFERENCE {} = {value}", reference.name));
        }
    }
    text
}

/// Lines of the description around the statement at hand, that one marked.
pub fn show_source(debugger: &Debugger<'_>, around: u32) -> String {
    let statements = debugger.statements();
    let Some(statement) = innermost(debugger).and_then(|body| statements.get(body.statement)) else {
        return BETWEEN.to_owned();
    };
    let Some(file) = statements.files.get(statement.place.file as usize) else { return BETWEEN.to_owned() };
    let here = statement.place.line;
    let mut text = String::new();
    for (number, source) in (1_u32..).zip(&file.lines) {
        if number.abs_diff(here) <= around {
            let mark = if number == here { '>' } else { ' ' };
            line(&mut text, format_args!("{mark}{number:>5}  {source}"));
        }
    }
    text
}

fn innermost<'d>(debugger: &'d Debugger<'_>) -> Option<&'d RunningBody> {
    debugger.within().and_then(|Within { bodies, .. }| bodies.first())
}

fn operation_of<'d>(
    debugger: &'d Debugger<'_>,
    body: &RunningBody,
) -> Option<&'d isac_ir::operation::Operation> {
    debugger.model().operations.get(body.operation? as usize)
}

/// Hexadecimal digits, and the number in decimal.
fn format_value(value: u128, width_bits: u32, signed: bool) -> String {
    let digits = width_bits.div_ceil(4).max(1) as usize;
    let value = value & isac_ir::bits::mask(width_bits);
    match signed {
        true => {
            let number = isac_ir::bits::sign_extend(value, width_bits, 128) as i128;
            format!("0x{value:0digits$x} ({number})")
        }
        false => format!("0x{value:0digits$x} ({value})"),
    }
}
