//! `printf`: the format is taken apart here, so that engines need not.

use isac_ir::behavior::{Conversion, Expr, ExprKind, PrintFormat, PrintPart, Stmt};
use isac_parser::model::Expr as Source;

use super::body::BodyBuilder;
use super::expression::convert;

impl BodyBuilder<'_> {
    pub(super) fn lower_printf(&mut self, format: &str, arguments: &[Source]) {
        let parts = self.parts_of(format, arguments);
        self.push(Stmt::Print(parts));
    }

    /// What is told of the end of the run, with where that is.
    pub(super) fn lower_explanation(&mut self, format: &str, arguments: &[Source]) {
        let parts = self.parts_of(format, arguments);
        let pc_bits = self.lowering.model.pc.width_bits;
        let address = Expr { width: pc_bits, kind: ExprKind::InstructionAddress };
        self.push(Stmt::Explain { address: convert(address, false, 64), parts });
    }

    fn parts_of(&mut self, format: &str, arguments: &[Source]) -> Vec<PrintPart> {
        let mut values = self.lower_list(arguments).into_iter();
        let mut parts = Vec::new();
        let mut text = String::new();
        let mut letters = format.chars().peekable();
        while let Some(letter) = letters.next() {
            if letter != '%' {
                text.push(letter);
                continue;
            }
            let specification: String = read_specification(&mut letters);
            match parse_specification(&specification) {
                Some((format, narrow)) => {
                    if !text.is_empty() {
                        parts.push(PrintPart::Text(std::mem::take(&mut text)));
                    }
                    parts.extend(values.next().map(|value| {
                        let width = narrow.unwrap_or(value.width);
                        PrintPart::Value { value: convert(value, false, width), format }
                    }));
                }
                None => text.push('%'),
            }
        }
        if !text.is_empty() {
            parts.push(PrintPart::Text(text));
        }
        parts
    }
}

/// Everything from behind the `%` to the conversion's letter.
fn read_specification(letters: &mut impl Iterator<Item = char>) -> String {
    let mut specification = String::new();
    for letter in letters {
        specification.push(letter);
        if matches!(letter, 'd' | 'i' | 'u' | 'x' | 'X' | 'o' | 'c' | '%') {
            break;
        }
    }
    specification
}

/// Flags, width, precision and conversion, and the bits that are printed where `h` says fewer than
/// the value has; `None` for `%%`.
fn parse_specification(text: &str) -> Option<(PrintFormat, Option<u32>)> {
    let conversion = match text.chars().last()? {
        'd' | 'i' => Conversion::Signed,
        'u' => Conversion::Unsigned,
        'x' => Conversion::Hexadecimal,
        'X' => Conversion::HexadecimalUpper,
        'o' => Conversion::Octal,
        'c' => Conversion::Character,
        _ => return None,
    };
    let (flags, rest) = split_where(text, |letter| !"-+0# ".contains(letter));
    let (width, rest) = split_where(rest, |letter| !letter.is_ascii_digit());
    let (precision, rest) = match rest.strip_prefix('.') {
        Some(rest) => {
            let (digits, rest) = split_where(rest, |letter| !letter.is_ascii_digit());
            (Some(digits.parse().unwrap_or(0)), rest)
        }
        None => (None, rest),
    };
    let narrow = match rest.len() - rest.trim_start_matches('h').len() {
        0 => None,
        1 => Some(16),
        _ => Some(8),
    };
    let format = PrintFormat {
        conversion,
        width: width.parse().unwrap_or(0),
        precision,
        zero: flags.contains('0') && !flags.contains('-') && precision.is_none(),
        left: flags.contains('-'),
        plus: flags.contains('+'),
        space: flags.contains(' '),
        alternate: flags.contains('#'),
    };
    Some((format, narrow))
}

/// A text up to the first letter of a kind, and from there on.
fn split_where(text: &str, is_end: impl Fn(char) -> bool) -> (&str, &str) {
    text.split_at(text.find(is_end).unwrap_or(text.len()))
}
