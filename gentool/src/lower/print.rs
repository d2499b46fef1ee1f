//! `printf`: the format is taken apart here, so that engines need not.

use isac_ir::behavior::{Conversion, PrintFormat, PrintPart, Stmt};
use isac_parser::model::Expr as Source;

use super::body::BodyBuilder;

impl BodyBuilder<'_> {
    pub(super) fn lower_printf(&mut self, format: &str, arguments: &[Source]) {
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
                Some(format) => {
                    if !text.is_empty() {
                        parts.push(PrintPart::Text(std::mem::take(&mut text)));
                    }
                    parts.extend(values.next().map(|value| PrintPart::Value { value, format }));
                }
                None => text.push('%'),
            }
        }
        if !text.is_empty() {
            parts.push(PrintPart::Text(text));
        }
        self.push(Stmt::Print(parts));
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

/// Flags, width and conversion; `None` for `%%`.
fn parse_specification(text: &str) -> Option<PrintFormat> {
    let conversion = match text.chars().last()? {
        'd' | 'i' => Conversion::Signed,
        'u' => Conversion::Unsigned,
        'x' => Conversion::Hexadecimal,
        'X' => Conversion::HexadecimalUpper,
        'o' => Conversion::Octal,
        'c' => Conversion::Character,
        _ => return None,
    };
    let flags: String = text.chars().take_while(|letter| "-+0# ".contains(*letter)).collect();
    let digits: String = text.chars().skip(flags.len()).take_while(char::is_ascii_digit).collect();
    Some(PrintFormat {
        conversion,
        width: digits.parse().unwrap_or(0),
        zero: flags.contains('0') && !flags.contains('-'),
        left: flags.contains('-'),
        plus: flags.contains('+'),
        alternate: flags.contains('#'),
    })
}
