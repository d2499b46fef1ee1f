//! Stacks of calls as text, from which flame graphs are drawn.

use std::collections::HashMap;
use std::io::{self, Write};

use super::function_names::FunctionNames;
use super::stacks::{LEFT_OUT, Stacks};
use crate::program::ProgramProfile;

/// Stacks of calls, one a line, outermost first, with the cycles of the innermost function there: what
/// flame graphs are drawn from. Without calls, the functions alone. What is left out of deep stacks, if
/// anything is, is told by the text that is given back.
///
/// # Errors
/// `out` fails.
pub fn write_folded(profile: &ProgramProfile<'_>, out: &mut dyn Write) -> io::Result<Option<String>> {
    let names = FunctionNames::of(profile.program);
    let Some(calls) = profile.calls else {
        for (number, cost) in profile.cost_by_function() {
            writeln!(out, "{} {}", names.number(number).replace(';', ":"), cost.cycles)?;
        }
        return Ok(None);
    };
    let mut known: HashMap<u64, String> = HashMap::new();
    for context in &calls.contexts {
        known.entry(context.function).or_insert_with(|| names.at(context.function).replace(';', ":"));
    }
    let stacks = Stacks::of(calls);
    for stack in stacks.iter().filter(|stack| stack.own.cycles > 0) {
        let functions: Vec<Option<u64>> = stack.functions().collect();
        for (number, function) in functions.into_iter().rev().enumerate() {
            let name = function.and_then(|function| known.get(&function)).map_or(LEFT_OUT, String::as_str);
            let between = if number > 0 { ";" } else { "" };
            write!(out, "{between}{name}")?;
        }
        writeln!(out, " {}", stack.own.cycles)?;
    }
    Ok(stacks.note())
}
