//! Numbers, bit patterns, strings and types from their spelling.

use pest::iterators::Pair;

use super::{Builder, Children};
use crate::ast::{BitPattern, Name, Number, TypeName, TypeNameKind};
use crate::diagnostic::Diagnostic;
use crate::mistyped::without_leading_zeros;
use crate::parse::code;
use crate::parse::grammar::Rule;
use crate::parse::remedy;
use crate::source::Span;

/// The widest pattern of bits.
const MAX_BITS: u128 = 256;

/// The words that C reserves, and `bit`, which BEHAVIOR reserves with them.
const C_WORDS: [&str; 39] = [
    "auto",
    "bit",
    "bool",
    "break",
    "case",
    "char",
    "const",
    "continue",
    "default",
    "do",
    "double",
    "else",
    "enum",
    "extern",
    "float",
    "for",
    "goto",
    "if",
    "inline",
    "int",
    "long",
    "register",
    "restrict",
    "return",
    "short",
    "signed",
    "sizeof",
    "static",
    "struct",
    "switch",
    "typedef",
    "union",
    "unsigned",
    "void",
    "volatile",
    "while",
    "_Bool",
    "_Complex",
    "_Imaginary",
];

impl Builder<'_> {
    /// Notes a name that is a word of C, inside BEHAVIOR.
    pub(super) fn check_name(&mut self, name: &Name) {
        if self.in_behavior && C_WORDS.contains(&name.text.as_str()) {
            let behind = self.scan.text[name.span.end as usize..].trim_start();
            let help = if behind.starts_with('*') {
                "there are no pointers".to_owned()
            } else {
                remedy::without(&name.text).unwrap_or_else(|| {
                    "inside BEHAVIOR and FUNCTION the words of C are reserved; rename what is meant"
                        .to_owned()
                })
            };
            self.problem(
                Diagnostic::error(code::RESERVED, name.span, format!("`{}` is a word of C", name.text))
                    .label("expected a name")
                    .help(help),
            );
        }
    }

    pub(super) fn number(&mut self, pair: &Pair<'_, Rule>) -> Number {
        let spelling = pair.as_str();
        let span = self.span(pair);
        let digits = spelling.trim_end_matches(['u', 'U', 'l', 'L']);
        let suffix = &spelling[digits.len()..];
        if !suffix.is_empty() && !self.in_behavior {
            self.bad_constant(
                span,
                format!("`{spelling}` has a suffix of C outside BEHAVIOR"),
                &format!("write `{digits}`"),
            );
        }
        if !matches!(
            suffix.to_ascii_lowercase().as_str(),
            "" | "u" | "l" | "ul" | "lu" | "ll" | "ull" | "llu"
        ) {
            self.bad_constant(
                span,
                format!("`{suffix}` is no suffix of a number"),
                "C knows u, l, ul, ll and ull",
            );
        }
        let value = self.digits(digits, span);
        Number { value, spelling: spelling.to_owned() }
    }

    fn digits(&mut self, digits: &str, span: Span) -> u128 {
        let plain: String = digits.chars().filter(|c| *c != '_').collect();
        let lower = plain.to_ascii_lowercase();
        let radices = [("0x", 16), ("0b", 2), ("0o", 8)];
        let prefixed =
            radices.into_iter().find_map(|(prefix, radix)| Some((radix, lower.strip_prefix(prefix)?)));
        let (radix, body) = prefixed.unwrap_or((10, lower.as_str()));
        if digits.ends_with('_')
            || digits.contains("__")
            || digits.as_bytes().get(2) == Some(&b'_') && prefixed.is_some()
            || body.is_empty()
        {
            self.bad_constant(span, format!("`{digits}` is no number"), "`_` stands between digits only");
            return 0;
        }
        if radix == 10 && body.len() > 1 && body.starts_with('0') {
            self.bad_constant(span, format!("`{digits}` begins with 0"), &without_leading_zeros(body));
        }
        u128::from_str_radix(body, radix).unwrap_or_else(|_| {
            self.bad_constant(
                span,
                "this number is too large".to_owned(),
                "a number has at most 128 bits; join wider ones with `::`",
            );
            0
        })
    }

    pub(super) fn character(&mut self, pair: &Pair<'_, Rule>) -> Number {
        let spelling = pair.as_str();
        let span = self.span(pair);
        let value = self.unescape(&spelling[1..spelling.len() - 1], span);
        let value = value.chars().next().map_or(0, u128::from);
        Number { value, spelling: spelling.to_owned() }
    }

    /// The string that stands between quotes.
    pub(super) fn unescape(&mut self, quoted: &str, span: Span) -> String {
        let mut value = String::with_capacity(quoted.len());
        let mut rest = quoted.chars();
        while let Some(c) = rest.next() {
            if c != '\\' {
                value.push(c);
                continue;
            }
            let escape = rest.next().unwrap_or('\\');
            match escape {
                'n' => value.push('\n'),
                't' => value.push('\t'),
                'r' => value.push('\r'),
                '0' => value.push('\0'),
                'a' => value.push('\x07'),
                'b' => value.push('\x08'),
                'f' => value.push('\x0c'),
                'v' => value.push('\x0b'),
                'e' => value.push('\x1b'),
                '\\' | '"' | '\'' | '?' => value.push(escape),
                'x' => value.push(self.hex_escape(&mut rest, span)),
                other => self.bad_constant(
                    span,
                    format!("unknown escape `\\{other}`"),
                    "known are \\n \\t \\r \\0 \\a \\b \\e \\f \\v \\\\ \\\" \\' \\? and \\xNN up to \\x7f",
                ),
            }
        }
        value
    }

    fn hex_escape(&mut self, rest: &mut std::str::Chars<'_>, span: Span) -> char {
        let digits: String = rest.clone().take(2).take_while(char::is_ascii_hexdigit).collect();
        for _ in digits.chars() {
            rest.next();
        }
        match u8::from_str_radix(&digits, 16) {
            Ok(byte) if digits.len() == 2 && byte.is_ascii() => char::from(byte),
            _ => {
                self.bad_constant(
                    span,
                    format!("bad escape `\\x{digits}`"),
                    "\\x is followed by two digits, up to \\x7f",
                );
                '\0'
            }
        }
    }

    pub(super) fn bits(&mut self, pair: Pair<'_, Rule>) -> BitPattern {
        let span = self.span(&pair);
        let mut children = Children::of(pair);
        let digits = children.expect();
        let mut bits: Vec<Option<bool>> = digits.as_str()[2..]
            .chars()
            .filter(|c| *c != '_')
            .map(|c| (c != 'x').then_some(c == '1'))
            .collect();
        if let Some(count) = children.next() {
            let before = self.problems.len();
            let count = self.number(&count).value;
            if self.problems.len() > before {
                // What is wrong with the number has been said.
            } else if bits.len() != 1 {
                self.bad_constant(
                    span,
                    "a repeated pattern has one bit".to_owned(),
                    "write each bit, or repeat `0bx[n]`, `0b0[n]`, `0b1[n]` one by one",
                );
            } else if !(1..=MAX_BITS).contains(&count) {
                self.bad_constant(span, format!("a pattern of {count} bits"), "it has 1 to 256");
            } else {
                bits = vec![bits[0]; usize::try_from(count).unwrap_or(1)];
            }
        }
        if bits.is_empty() || bits.len() as u128 > MAX_BITS {
            self.bad_constant(span, format!("a pattern of {} bits", bits.len()), "it has 1 to 256");
            bits = vec![None];
        }
        BitPattern { bits, span }
    }

    pub(super) fn type_name(&mut self, pair: Pair<'_, Rule>) -> TypeName {
        let span = self.span(&pair);
        let mut children = Children::of(pair);
        let kind = match children.accept(Rule::bit_type) {
            Some(bit_type) => {
                let mut parts = Children::of(bit_type);
                let signed = parts.accept(Rule::signed_word).is_some();
                parts.accept(Rule::bit_word);
                let width = Box::new(self.expression(parts.expect()));
                TypeNameKind::Bit { signed, width }
            }
            None => {
                let words: Vec<&str> = children.pairs.map(|word| word.as_str()).collect();
                TypeNameKind::C(self.c_type(&words, span))
            }
        };
        TypeName { kind, span }
    }

    /// C allows its type words in any order; the tree has them in one.
    fn c_type(&mut self, words: &[&str], span: Span) -> String {
        let mut sorted = words.to_vec();
        sorted.sort_unstable();
        let normal = match sorted.as_slice() {
            ["char"] => "char",
            ["char", "signed"] => "signed char",
            ["char", "unsigned"] => "unsigned char",
            ["short"] | ["int", "short"] | ["short", "signed"] | ["int", "short", "signed"] => "short",
            ["short", "unsigned"] | ["int", "short", "unsigned"] => "unsigned short",
            ["int"] | ["signed"] | ["int", "signed"] => "int",
            ["unsigned"] | ["int", "unsigned"] => "unsigned int",
            ["long"] | ["int", "long"] | ["long", "signed"] | ["int", "long", "signed"] => "long",
            ["long", "unsigned"] | ["int", "long", "unsigned"] => "unsigned long",
            ["long", "long"]
            | ["int", "long", "long"]
            | ["long", "long", "signed"]
            | ["int", "long", "long", "signed"] => "long long",
            ["long", "long", "unsigned"] | ["int", "long", "long", "unsigned"] => "unsigned long long",
            ["_Bool"] | ["bool"] => "bool",
            [one] if one.ends_with("_t") => one,
            _ => {
                self.problem(
                    Diagnostic::error(code::BAD_TYPE, span, format!("`{}` is no type", words.join(" ")))
                        .label("these words do not go together"),
                );
                "int"
            }
        };
        normal.to_owned()
    }

    fn bad_constant(&mut self, span: Span, message: String, help: &str) {
        self.problem(Diagnostic::error(code::BAD_CONSTANT, span, message).help(help));
    }
}
