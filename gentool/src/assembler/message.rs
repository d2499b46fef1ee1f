//! What is said of operands that have no code.

use isac_ir::Model;
use isac_ir::syntax::print::{Site, print};
use isac_parser::diagnostic::Diagnostic;
use isac_parser::source::Span;

use super::candidate::{Misfit, Reread};
use super::code;
use super::expression::NoValue;
use super::item::Section;
use super::number::hexadecimal;
use super::reach::Reach;
use super::symbol::Symbols;

/// Said where an operand in parentheses does not fit, and could be an expression by itself.
pub(super) const LITERAL_PARENTHESIS: &str =
    "the parenthesis is a literal of this instruction; if it is to be an expression's, write `0 + (...)`";

/// The finding about a misfit; `place` tells where bytes of the statement stand.
pub(super) fn misfit_diagnostic(
    model: &Model,
    symbols: &Symbols,
    misfit: &Misfit,
    whole: Span,
    place: &dyn Fn((u32, u32)) -> Span,
) -> Diagnostic {
    match misfit {
        Misfit::NoValue { range, why } => no_value(model, symbols, *why, place(*range)),
        Misfit::Range { range, field, value, low, high, step, distance } => {
            let multiple = match step {
                1 => String::new(),
                step => format!(", a multiple of {step}"),
            };
            let (what, help) = match distance {
                true => (
                    format!("the distance {value} does not fit `{field}`"),
                    "bring the target nearer, or jump in two steps".to_owned(),
                ),
                false => (
                    format!("{value} does not fit `{field}`"),
                    format!("write a number from {low} to {high}{multiple}"),
                ),
            };
            Diagnostic::error(code::OUT_OF_RANGE, place(*range), what)
                .label(format!("has to be {low} to {high}{multiple}"))
                .help(help)
        }
        Misfit::Uncoded { range, field, value, multiple } => {
            let message = format!("{value} needs bits of `{field}` that are not coded");
            let diagnostic = Diagnostic::error(code::NOT_CODED, place(*range), message);
            match multiple {
                Some(multiple) => diagnostic
                    .label(format!("has to be a multiple of {multiple}"))
                    .help(format!("write a multiple of {multiple}; align what a label stands for")),
                None => diagnostic
                    .label("no code for these bits")
                    .help("the other bits of this field are 0 in every instruction; write such a value"),
            }
        }
        Misfit::Element { range, field } => {
            let message = format!("no value of `{field}` names this register");
            Diagnostic::error(code::OUT_OF_RANGE, place(*range), message)
                .label("cannot be coded here")
                .help("this instruction reaches some registers alone; name no others")
        }
        Misfit::Computed { range, field, value, reach, distance } => {
            let what = if *distance { "the distance " } else { "" };
            let message = format!("{what}{} cannot be coded in `{field}`", large(*value));
            let diagnostic = Diagnostic::error(code::OUT_OF_RANGE, place(*range), message);
            computed_remedy(diagnostic, (*value, *distance), reach.as_ref())
        }
        Misfit::Differs { range, name } => {
            let message = format!("the text names `{name}` twice, and the two are not the same");
            Diagnostic::error(code::NO_WORD, range.map_or(whole, place), message)
                .label("says something else than before")
                .help("there is one operand for both places; write the same in each")
        }
        Misfit::Otherwise(reread) => {
            let message = "there is no instruction with these operands";
            let diagnostic = Diagnostic::error(code::NO_WORD, whole, message).label("has no word of its own");
            diagnostic.help(match reread {
                Some(reread) => word_of_another(model, reread),
                None => "a WHEN of the description excludes its word".to_owned(),
            })
        }
    }
}

/// Says whose the word is that a line would have.
fn word_of_another(model: &Model, reread: &Reread) -> String {
    let digits = reread.width_bits.div_ceil(4) as usize;
    let word = format!("0x{}", hexadecimal(reread.word, reread.width_bits, digits));
    let Some(found) = &reread.found else {
        return format!("a WHEN of the description excludes {word}, the word that it would have");
    };
    let site = Site { address: reread.address.unwrap_or(0), size_cells: reread.size_cells };
    let text = print(model, found, site).map(|printed| match printed.targets.first() {
        // Where it leads is not known without its address.
        Some(target) if reread.address.is_none() => format!("{}...", &printed.text[..target.range.start]),
        _ => printed.text,
    });
    let name = || format!("operation {}", model.operation(found.operation).name);
    let whose = text.map_or_else(name, |text| format!("`{text}`"));
    format!("{word}, the word that it would have, is {whose}; a WHEN or a more special coding takes it")
}

/// Says what a computed value can be.
fn computed_remedy(
    diagnostic: Diagnostic,
    (value, is_distance): (i128, bool),
    reach: Option<&Reach>,
) -> Diagnostic {
    let Some(Reach { low, high, step }) = reach else {
        let help = "write one that the description's formula gives for some fields";
        return diagnostic.label("has no code").help(help);
    };
    let diagnostic = diagnostic.label(format!("reaches from {} to {}", large(*low), large(*high)));
    let is_within = (*low..=*high).contains(&value);
    let multiple = match low.rem_euclid((*step).clamp(1, i128::MAX as u128) as i128) {
        0 => format!("a multiple of {step}"),
        rest => format!("{rest} more than a multiple of {step}"),
    };
    diagnostic.help(match (is_within, is_distance) {
        (true, _) if *step > 1 && value.abs_diff(*low) % step != 0 => format!("it has to be {multiple}"),
        (false, true) => "bring the target nearer, or jump in two steps".to_owned(),
        (false, false) => format!("write a number from {} to {}", large(*low), large(*high)),
        (true, _) => "write one that the description's formula gives for some fields".to_owned(),
    })
}

/// The finding about contents of a section that is zero at first.
pub(super) fn contents_in_zero(section: &Section, name: &str, span: Span) -> Diagnostic {
    let message = format!("`{name}` in {}, which is zero at first", section.name);
    Diagnostic::error(code::CONTENTS_IN_BSS, span, message)
        .label("has contents")
        .help("reserve cells with `.space`, or put the values into .data")
}

/// The finding about an expression without a value.
pub(super) fn no_value(model: &Model, symbols: &Symbols, why: NoValue, span: Span) -> Diagnostic {
    match why {
        NoValue::Wide => {
            Diagnostic::error(code::NO_VALUE, span, "a number of more than 127 bits is data alone")
                .label("too wide")
                .help("write it alone behind a directive for data whose cells are as wide")
        }
        NoValue::Beyond { value, width_bits, function } => {
            let message = format!("{} does not fit {width_bits} bits", large(value));
            let (low, high) =
                (-(1i128 << (width_bits.clamp(1, 126) - 1)), (1i128 << width_bits.min(126)) - 1);
            let help = match function {
                Some(function) => {
                    let function = &model.functions[function as usize];
                    format!(
                        "`{}` ({}) takes no more; write a number that fits, or cut it with `&`",
                        function.name, function.location
                    )
                }
                None => "expressions are computed in 64 bits; a wider number stands alone".to_owned(),
            };
            Diagnostic::error(code::OUT_OF_RANGE, span, message)
                .label(format!("has to be {} to {}", large(low), large(high)))
                .help(help)
        }
        NoValue::DivisionByZero => Diagnostic::error(code::NO_VALUE, span, "this expression divides by zero")
            .label("has no value")
            .help("let the divisor be another number"),
        NoValue::NoResult(function) => {
            let name = &model.functions[function as usize].name;
            Diagnostic::error(code::NO_VALUE, span, format!("`%{name}` gives no value for these arguments"))
                .label("has no value")
                .help("it divides by zero, or takes too many turns of a loop")
        }
        NoValue::Circle(symbol) => {
            let name = &symbols.list[symbol as usize].name;
            Diagnostic::error(code::CYCLIC_SYMBOL, span, format!("the value of `{name}` needs itself"))
                .label("has no value")
                .help("let the `.equ` stand for something that is known without it")
        }
        NoValue::Unknown => Diagnostic::error(code::NO_VALUE, span, "the value is not known here")
            .label("not known")
            .help("use numbers and symbols that are defined"),
    }
}

/// A number, and in hexadecimal where it is large.
fn large(value: i128) -> String {
    match value {
        0x1_0000.. => format!("{value:#x}"),
        ..-0xffff => format!("-{:#x}", value.unsigned_abs()),
        _ => value.to_string(),
    }
}
