//! `printf`: the format checked against its arguments.

use super::conversion::Value;
use super::expression::Operand;
use super::{Typer, code, count, error};
use crate::ast;
use crate::model::{Expr, ExprKind};
use crate::source::Span;

/// The largest width or precision of a conversion: what C guarantees for one. No mistake in a format
/// may fill the memory.
const MAX_DIGITS: usize = 4095;

/// One conversion of a format.
struct Conversion {
    /// As written, `%5lx`.
    text: String,
    /// Width in bits that it prints; `None` for a conversion that does not exist here.
    width_bits: Option<u32>,
    /// Its width or precision is above [`MAX_DIGITS`].
    is_too_wide: bool,
}

impl Typer<'_> {
    /// `printf(format, arguments)`
    pub(super) fn printf(&mut self, arguments: &[ast::Expr], span: Span) -> Option<Operand> {
        self.only_when_running(span, "a call")?;
        let Some((ast::Expr { kind: ast::ExprKind::Text(format), .. }, rest)) = arguments.split_first()
        else {
            let message = "`printf` takes a format first";
            self.diagnostics.push(error(code::MISPLACED_TEXT, span, message, "no format"));
            return None;
        };
        let values: Vec<Option<Value>> = rest.iter().map(|argument| self.value(argument)).collect();
        let values: Vec<Value> = values.into_iter().collect::<Option<_>>()?;
        let values: Vec<Value> = values.into_iter().map(Value::promoted).collect();
        let conversions = conversions(&format.value);
        if conversions.len() != values.len() {
            let message = format!(
                "the format asks for {}, but gets {}",
                count(conversions.len() as u128, "argument"),
                values.len(),
            );
            self.diagnostics.push(error(code::BAD_FORMAT_STRING, format.span, message, "format"));
            return None;
        }
        let mut sound = true;
        for (conversion, value) in conversions.iter().zip(&values) {
            sound &= self.check_conversion(conversion, value, format.span);
        }
        let arguments = values.into_iter().map(|value| value.expr).collect();
        let kind = ExprKind::Printf { format: format.value.clone(), arguments };
        sound.then_some(Operand::Value(Expr { kind, ty: None, span }))
    }

    fn check_conversion(&mut self, conversion: &Conversion, value: &Value, format: Span) -> bool {
        let text = &conversion.text;
        if conversion.is_too_wide {
            let message = format!("`{text}` prints too many characters");
            let help = format!("a width or precision is at most {MAX_DIGITS}, the most that C guarantees");
            let diagnostic = error(code::BAD_FORMAT_STRING, format, message, "in this format");
            self.diagnostics.push(diagnostic.help(help));
            return false;
        }
        let Some(printed) = conversion.width_bits else {
            let message = format!("`{text}` prints nothing that this language has");
            let help = "use %d, %i, %u, %x, %X, %o and %c, with `l` for 64 bits";
            let diagnostic = error(code::BAD_FORMAT_STRING, format, message, "in this format");
            self.diagnostics.push(diagnostic.help(help));
            return false;
        };
        let given = value.ty.width_bits;
        if given == printed {
            return true;
        }
        let message = format!("`{text}` prints {printed} bits, but its argument has {given}");
        let help = match given {
            64 => "put an `l` before the letter, or cast the argument",
            _ => "cast the argument",
        };
        let diagnostic = error(code::BAD_FORMAT_STRING, value.expr.span, message, format!("{given} bits"))
            .secondary(format, "the format")
            .help(help);
        self.diagnostics.push(diagnostic);
        false
    }
}

/// The conversions of a format that take an argument, in order.
fn conversions(format: &str) -> Vec<Conversion> {
    let mut found = Vec::new();
    let mut rest = format;
    while let Some(at) = rest.find('%') {
        let spec = &rest[at + 1..];
        let flags = spec.len() - spec.trim_start_matches(['-', '+', ' ', '#', '0']).len();
        let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
        let mut end = flags + digits(&spec[flags..]);
        let mut is_too_wide = !is_printable(&spec[flags..end]);
        if let Some(precision) = spec[end..].strip_prefix('.') {
            let count = digits(precision);
            is_too_wide |= !is_printable(&precision[..count]);
            end += 1 + count;
        }
        let length = spec[end..].bytes().take_while(|byte| b"hljzt".contains(byte)).count();
        let length_text = &spec[end..end + length];
        end += length;
        let letter = spec[end..].chars().next();
        let width_bits = match (length_text, letter) {
            ("" | "h" | "hh", Some('d' | 'i' | 'u' | 'x' | 'X' | 'o')) | ("", Some('c')) => Some(32),
            ("l" | "ll" | "j" | "z" | "t", Some('d' | 'i' | 'u' | 'x' | 'X' | 'o')) => Some(64),
            _ => None,
        };
        end += letter.map_or(0, char::len_utf8);
        if !(letter == Some('%') && end == 1) {
            found.push(Conversion { text: format!("%{}", &spec[..end]), width_bits, is_too_wide });
        }
        rest = &spec[end..];
    }
    found
}

/// True for a width or precision that is left out or not too large.
fn is_printable(digits: &str) -> bool {
    digits.is_empty() || digits.parse::<usize>().is_ok_and(|digits| digits <= MAX_DIGITS)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn widths(format: &str) -> Vec<Option<u32>> {
        conversions(format).into_iter().map(|conversion| conversion.width_bits).collect()
    }

    #[test]
    fn conversions_are_found_with_their_widths() {
        assert_eq!(widths("%d 100%% %-8lx%c"), [Some(32), Some(64), Some(32)]);
        assert_eq!(widths("%s %*d %"), [None, None, None]);
        let too_wide = |format| conversions(format).iter().map(|found| found.is_too_wide).collect::<Vec<_>>();
        assert_eq!(too_wide("%4095.4095d %4096d %.4294967296lx"), [false, true, true]);
        assert_eq!(widths("ä%é"), [None]);
        assert_eq!(widths("nothing"), []);
    }
}
