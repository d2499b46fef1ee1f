//! Which register, or ALIAS of registers, is the program counter.

use super::code;
use super::collect::Definitions;
use super::names::{Definition, Global, Table};
use super::report::error;
use super::typing;
use crate::ast::{AliasDeclaration, RegisterOption};
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::model::{RegisterId, RegisterPart, RegisterPlace};
use crate::source::Span;

/// A declaration that is marked as PC.
#[derive(Clone, Copy)]
enum Marked<'a> {
    Register(RegisterId),
    Alias(usize, &'a AliasDeclaration),
}

/// Resolves the PC into [`Table::pc`].
pub(crate) fn resolve_pc(
    definitions: &Definitions<'_>,
    place_of_missing_pc: Span,
    table: &mut Table,
    diagnostics: &mut Diagnostics,
) {
    let marked = marked(definitions);
    let Some(((_, _, first), others)) = marked.split_first() else {
        diagnostics.push(no_pc(place_of_missing_pc, table));
        return;
    };
    let first_span = marked[0].0;
    for (span, name, _) in others {
        let message = format!("`{name}` is a second PC");
        let diagnostic = error(code::SECOND_PC, *span, message, "declared as PC, too")
            .secondary(first_span, "the first PC")
            .help("a processor has exactly one PC; drop the word `PC` from one of the two");
        diagnostics.push(diagnostic);
    }
    let Some(pc) = place(*first, first_span, table) else { return };
    if !check_pc(&pc, table, diagnostics)
        && let Marked::Register(register) = first
    {
        // Whatever names it means the PC that was intended.
        table.registers[register.index()] = None;
    }
    if let Marked::Alias(_, declaration) = first {
        reset_alias(declaration, &pc, table, diagnostics);
    }
    table.pc = Some(pc);
}

fn no_pc(place_of_missing_pc: Span, table: &Table) -> Diagnostic {
    let message = "the description has no PC";
    let names = ["pc", "PC", "ip", "IP"];
    let found = names.iter().find_map(|name| table.names.globals.get(*name));
    match found {
        Some(Definition { what: Global::Register(_) | Global::Alias(_), span }) => {
            error(code::NO_PC, *span, message, "not declared as the PC")
                .help("if it is this one, write `PC` before `REGISTER` or `ALIAS`")
        }
        _ => error(code::NO_PC, place_of_missing_pc, message, "")
            .help("declare one, as `RESOURCE { PC REGISTER bit[32] pc; };`"),
    }
}

/// What is marked as PC, in the order of the text, with its name and where that stands.
fn marked<'a>(definitions: &Definitions<'a>) -> Vec<(Span, &'a str, Marked<'a>)> {
    let registers = (0u32..).zip(&definitions.registers);
    let registers = registers.filter(|(_, (declaration, _))| declaration.pc.is_some());
    let registers = registers.map(|(index, (_, declarator))| {
        (declarator.name.span, declarator.name.text.as_str(), Marked::Register(RegisterId(index)))
    });
    let aliases = definitions.aliases.iter().enumerate().filter(|(_, alias)| alias.pc.is_some());
    let aliases = aliases
        .map(|(index, alias)| (alias.name.span, alias.name.text.as_str(), Marked::Alias(index, alias)));
    let mut all: Vec<_> = registers.chain(aliases).collect();
    all.sort_by_key(|(span, _, _)| *span);
    all
}

/// The place of the PC; `None` if its declaration was refused.
fn place(marked: Marked<'_>, span: Span, table: &Table) -> Option<RegisterPlace> {
    match marked {
        Marked::Alias(index, _) => Some(table.alias(index)?.names.clone()),
        Marked::Register(register) => {
            let found = table.register(register)?;
            let width_bits = found.width_bits;
            let part = RegisterPart { register, element: 0, low: 0, width_bits };
            Some(RegisterPlace { name: found.name.clone(), span, width_bits, parts: vec![part] })
        }
    }
}

/// Reports what cannot be the PC; true if it can.
fn check_pc(pc: &RegisterPlace, table: &Table, diagnostics: &mut Diagnostics) -> bool {
    let parts = || pc.parts.iter().filter_map(|part| Some((part, table.register(part.register)?)));
    let is_file = parts().any(|(_, register)| register.count.is_some() && register.name == pc.name);
    let is_hardwired = parts()
        .any(|(part, register)| register.hardwired.iter().any(|(element, _)| *element == part.element));
    let wrong = if is_file {
        "is a register file"
    } else if pc.width_bits > 64 {
        "has more than 64 bits"
    } else if is_hardwired {
        "is hardwired"
    } else if shares_bits(&pc.parts) {
        "has a bit of a register twice"
    } else {
        return true;
    };
    let message = format!("`{}` cannot be the PC", pc.name);
    diagnostics.push(error(code::BAD_PC, pc.span, message, wrong));
    false
}

/// True if two parts have a bit in common.
fn shares_bits(parts: &[RegisterPart]) -> bool {
    let overlap = |a: &RegisterPart, b: &RegisterPart| {
        (a.register, a.element) == (b.register, b.element)
            && a.low < b.low + b.width_bits
            && b.low < a.low + a.width_bits
    };
    parts.iter().enumerate().any(|(index, part)| parts[..index].iter().any(|other| overlap(part, other)))
}

/// RESET of a PC ALIAS: the bits of its registers begin with it.
fn reset_alias(
    declaration: &AliasDeclaration,
    pc: &RegisterPlace,
    table: &mut Table,
    diagnostics: &mut Diagnostics,
) {
    let mut first = None;
    for option in &declaration.options {
        let RegisterOption::Reset { value, span } = option else { continue };
        if let Some(first) = first.replace(*span) {
            let diagnostic = error(code::REPEATED_SECTION, *span, "RESET stands twice", "again here");
            diagnostics.push(diagnostic.secondary(first, "first here"));
        }
        let Some(value) = typing::pattern(table, value, "RESET", (pc.width_bits, pc.span), diagnostics)
        else {
            continue;
        };
        let mut rest = value;
        for part in pc.parts.iter().rev() {
            if !table.reset_part(*part, rest) {
                diagnostics.push(beyond_numbers(*span, pc, *part, table));
                break;
            }
            rest = rest.checked_shr(part.width_bits).unwrap_or(0);
        }
    }
}

/// The message for a RESET that sets bits which no number reaches.
fn beyond_numbers(reset: Span, pc: &RegisterPlace, part: RegisterPart, table: &Table) -> Diagnostic {
    let name = table.register(part.register).map_or("", |register| &register.name);
    let message = format!("RESET of `{}` sets bits above bit 127 of `{name}`", pc.name);
    error(code::VALUE_TOO_LARGE, reset, message, "out of range")
        .secondary(pc.span, "stands for these bits")
        .help("numbers have at most 128 bits; operation `reset` can set the bits above")
}
