//! Reading expressions from a line.

use std::rc::Rc;

use isac_ir::bits::Bits;

use super::expression::{BINARY, Expr, MOST_NESTED, MOST_OPERATORS, Unary};
use super::number::is_separated;
use super::surface::Surface;

/// What stands around the number of an item behind a `.` that means its address: [`pinned`].
pub(super) const MARK: char = '\u{1}';

/// What names mean, for the reader.
pub(super) trait Scope {
    /// The index of a symbol.
    fn symbol(&mut self, name: &str) -> u32;
    /// The index of a mention of a local label.
    fn local(&mut self, number: u32, forward: bool) -> u32;
    /// True if the text was made by a PSEUDO: there [`MARK`] means something.
    fn is_made(&self) -> bool;
}

/// Why nothing was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct NoExpression {
    /// The byte of the text at which something else was expected.
    pub(super) at: usize,
    /// What was expected there.
    pub(super) expected: String,
}

/// An expression, and the byte behind it.
pub(super) type Read = (Rc<Expr>, usize);

/// Reads one expression of a text.
pub(super) struct Reader<'a> {
    pub(super) text: &'a str,
    pub(super) surface: &'a Surface,
    pub(super) scope: &'a mut dyn Scope,
    /// No operator is read that begins here or behind; for texts that hold one as a literal.
    pub(super) limit: usize,
    /// Where operators stood that are in no parentheses.
    pub(super) operators: Vec<usize>,
    depth: usize,
    /// How many operators there are, in parentheses or not.
    size: usize,
}

impl<'a> Reader<'a> {
    pub(super) fn new(text: &'a str, surface: &'a Surface, scope: &'a mut dyn Scope) -> Reader<'a> {
        Reader { text, surface, scope, limit: usize::MAX, operators: Vec::new(), depth: 0, size: 0 }
    }

    /// The longest expression from a byte on.
    pub(super) fn expression(&mut self, at: usize) -> Result<Read, NoExpression> {
        self.ternary(at)
    }

    fn ternary(&mut self, at: usize) -> Result<Read, NoExpression> {
        let (condition, end) = self.binary(at, 1)?;
        let question = self.skip(end);
        if question >= self.limit || !self.rest(question).starts_with('?') {
            return Ok((condition, end));
        }
        self.note_operator(question);
        self.nested(question, |reader| {
            let (then, end) = reader.ternary(question + 1)?;
            let colon = reader.skip(end);
            if !reader.rest(colon).starts_with(':') {
                return Err(NoExpression { at: colon, expected: "`:` of `?`".into() });
            }
            let (otherwise, end) = reader.ternary(colon + 1)?;
            Ok((Rc::new(Expr::Select(condition, then, otherwise)), end))
        })
    }

    fn binary(&mut self, at: usize, least: u8) -> Result<Read, NoExpression> {
        let (mut left, mut end) = self.unary(at)?;
        loop {
            let place = self.skip(end);
            let rest = self.rest(place);
            let found = BINARY.iter().find(|(spelling, ..)| rest.starts_with(spelling));
            let Some((spelling, operator, binding)) = found else { return Ok((left, end)) };
            if *binding < least || place >= self.limit {
                return Ok((left, end));
            }
            if self.size >= MOST_OPERATORS {
                let expected = format!("an expression of at most {MOST_OPERATORS} operators");
                return Err(NoExpression { at: place, expected });
            }
            self.size += 1;
            self.note_operator(place);
            let known = self.operators.len();
            let right = self.nested(place, |reader| reader.binary(place + spelling.len(), binding + 1));
            match right {
                Ok((right, behind)) => {
                    left = Rc::new(Expr::Binary(*operator, left, right));
                    end = behind;
                }
                // What follows is no operand, so the sign is no operator: a text may end with one.
                Err(error)
                    if self.depth == 0
                        && self.size < MOST_OPERATORS
                        && error.at == self.skip(place + spelling.len()) =>
                {
                    self.operators.truncate(known - 1);
                    return Ok((left, end));
                }
                Err(error) => return Err(error),
            }
        }
    }

    fn unary(&mut self, at: usize) -> Result<Read, NoExpression> {
        let at = self.skip(at);
        let operator = match self.rest(at).chars().next() {
            Some('+') => Unary::Plus,
            Some('-') => Unary::Negate,
            Some('~') => Unary::BitNot,
            Some('!') => Unary::Not,
            _ => return self.primary(at),
        };
        self.nested(at, |reader| {
            let (operand, end) = reader.unary(at + 1)?;
            Ok((Rc::new(Expr::Unary(operator, operand)), end))
        })
    }

    fn primary(&mut self, at: usize) -> Result<Read, NoExpression> {
        let rest = self.rest(at);
        if rest.starts_with('(') {
            let operators = self.operators.len();
            let limit = std::mem::replace(&mut self.limit, usize::MAX);
            let inner = self.nested(at, |reader| {
                let (inner, end) = reader.ternary(at + 1)?;
                reader.close(inner, end)
            });
            self.limit = limit;
            self.operators.truncate(operators);
            return inner;
        }
        if let Some(read) = self.number(at)? {
            return Ok(read);
        }
        if rest.starts_with('%') {
            return self.call(at);
        }
        let name = name_of(rest);
        if name == "." {
            return Ok(match mark(&rest[1..]).filter(|_| self.scope.is_made()) {
                Some((item, length)) => (Rc::new(Expr::Item(item)), at + 1 + length),
                None => (Rc::new(Expr::Here), at + 1),
            });
        }
        if name.is_empty() || self.surface.is_register(name) {
            return Err(NoExpression { at, expected: "a value".into() });
        }
        Ok((Rc::new(Expr::Symbol(self.scope.symbol(name))), at + name.len()))
    }

    fn close(&self, inner: Rc<Expr>, end: usize) -> Result<Read, NoExpression> {
        let end = self.skip(end);
        match self.rest(end).starts_with(')') {
            true => Ok((inner, end + 1)),
            false => Err(NoExpression { at: end, expected: "`)`".into() }),
        }
    }

    /// `%NAME(a, b)`
    fn call(&mut self, at: usize) -> Result<Read, NoExpression> {
        let name = name_of(self.rest(at + 1));
        let open = self.skip(at + 1 + name.len());
        let Some((function, count)) = self.surface.function(name) else {
            let near = self.surface.near_function(name);
            let expected = near.map_or_else(|| "a value".to_owned(), |near| format!("`%{near}`"));
            return Err(NoExpression { at, expected });
        };
        if !self.rest(open).starts_with('(') {
            return Err(NoExpression { at: open, expected: format!("`(` behind `%{name}`") });
        }
        let mut arguments = Vec::new();
        let mut next = open + 1;
        let operators = self.operators.len();
        for index in 0..count {
            let (argument, end) = self.nested(next, |reader| reader.ternary(next))?;
            arguments.push((*argument).clone());
            let end = self.skip(end);
            let wanted = if index + 1 == count { ')' } else { ',' };
            if !self.rest(end).starts_with(wanted) {
                return Err(NoExpression { at: end, expected: format!("`{wanted}`") });
            }
            next = end + 1;
        }
        self.operators.truncate(operators);
        Ok((Rc::new(Expr::Call(function, arguments)), next))
    }

    /// A number, a character or a mention of a local label.
    fn number(&mut self, at: usize) -> Result<Option<Read>, NoExpression> {
        let rest = self.rest(at);
        if rest.starts_with('\'') {
            let (letter, length) =
                character(rest).ok_or_else(|| NoExpression { at, expected: "a character as 'a'".into() })?;
            return Ok(Some((Rc::new(Expr::Number(letter.into())), at + length)));
        }
        if let Some((number, forward, length)) = local(rest) {
            return Ok(Some((Rc::new(Expr::Local(self.scope.local(number, forward))), at + length)));
        }
        let Some((base, prefix)) = self.surface.base_of(rest) else { return Ok(None) };
        let digits: &str = &rest[prefix..];
        // What follows may be a literal that is joined to the number.
        let goes_on = |letter: char| letter.is_digit(base) || letter == '_';
        let length = digits.find(|letter| !goes_on(letter)).unwrap_or(digits.len());
        let is_octal = base == 10 && length > 1 && digits.starts_with('0');
        if is_octal || !is_separated(&digits[..length]) {
            return Err(NoExpression {
                at,
                expected: "a number without a leading 0, and `_` between digits".into(),
            });
        }
        let plain: String = digits[..length].chars().filter(|letter| *letter != '_').collect();
        if let Ok(value) = i128::from_str_radix(&plain, base) {
            return Ok(Some((Rc::new(Expr::Number(value)), at + prefix + length)));
        }
        let significant = plain.trim_start_matches('0');
        if base == 16 && !significant.is_empty() && significant.len() <= 64 {
            let nibbles = significant.chars().map(|digit| digit.to_digit(16).unwrap_or(0));
            let value =
                nibbles.fold(Bits::ZERO, |value, nibble| value.shifted(4) | Bits::from_u128(nibble.into()));
            return Ok(Some((Rc::new(Expr::Wide(value)), at + prefix + length)));
        }
        Err(NoExpression { at, expected: format!("a number of base {base} and of at most 127 bits") })
    }

    /// One level deeper; where that is too deep, nothing is read.
    fn nested<T>(
        &mut self,
        at: usize,
        read: impl FnOnce(&mut Self) -> Result<T, NoExpression>,
    ) -> Result<T, NoExpression> {
        if self.depth >= MOST_NESTED {
            let expected = format!("an expression that nests at most {MOST_NESTED} deep");
            return Err(NoExpression { at, expected });
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    fn note_operator(&mut self, at: usize) {
        self.operators.push(at);
    }

    fn rest(&self, at: usize) -> &'a str {
        self.text.get(at..).unwrap_or("")
    }

    fn skip(&self, at: usize) -> usize {
        skip_blanks(self.text, at)
    }
}

/// The item of a mark that a text begins with, and the mark's length.
pub(super) fn mark(text: &str) -> Option<(usize, usize)> {
    let (item, _) = text.strip_prefix(MARK)?.split_once(MARK)?;
    Some((item.parse().ok()?, item.len() + 2 * MARK.len_utf8()))
}

/// An expression whose `.` go on meaning the address of an item, wherever it is put.
pub(super) fn pinned(expression: &str, item: usize) -> String {
    let mut text = String::with_capacity(expression.len());
    let mut rest = expression;
    while let Some(letter) = rest.chars().next() {
        let length = match (name_of(rest), character(rest)) {
            ("", Some((_, length))) => length,
            // The digits of a number are no name.
            ("", None) if is_word(letter) => rest.find(|letter| !is_word(letter)).unwrap_or(rest.len()),
            ("", None) => letter.len_utf8(),
            (name, _) => name.len(),
        };
        text.push_str(&rest[..length]);
        if &rest[..length] == "." && mark(&rest[1..]).is_none() {
            text.extend([MARK.to_string(), item.to_string(), MARK.to_string()]);
        }
        rest = &rest[length..];
    }
    text
}

/// A text without its marks, as people read it.
pub(super) fn without_marks(text: &str) -> String {
    // Every second part is the number of an item.
    text.split(MARK).step_by(2).collect()
}

/// The first byte from `at` on that is no blank.
pub(super) fn skip_blanks(text: &str, at: usize) -> usize {
    let rest = text.get(at..).unwrap_or("");
    at + (rest.len() - rest.trim_start().len())
}

pub(super) fn is_word(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || letter == '_'
}

/// The name that a text begins with: letters, digits, `_`, `.` and `$`, no digit or `$` first.
pub(super) fn name_of(text: &str) -> &str {
    let begins = |letter: char| letter.is_ascii_alphabetic() || letter == '_' || letter == '.';
    if !text.starts_with(begins) {
        return "";
    }
    let end = text.find(|letter: char| !(is_word(letter) || letter == '.' || letter == '$'));
    &text[..end.unwrap_or(text.len())]
}

/// `1b` or `1f`: number, direction and length.
pub(super) fn local(text: &str) -> Option<(u32, bool, usize)> {
    let digits = text.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(text.len());
    let forward = match text[digits..].chars().next()? {
        'b' => false,
        'f' => true,
        _ => return None,
    };
    let goes_on = text[digits + 1..].starts_with(is_word);
    (digits > 0 && !goes_on).then_some((text[..digits].parse().ok()?, forward, digits + 1))
}

/// `'a'` or `'\n'`: the character's number, and the length.
pub(super) fn character(text: &str) -> Option<(u32, usize)> {
    let inner = text.strip_prefix('\'')?;
    let (value, length) = match inner.strip_prefix('\\') {
        Some(escaped) => {
            let (value, length) = escape(escaped)?;
            (value, length + 1)
        }
        None => {
            let letter = inner.chars().next().filter(|letter| *letter != '\'')?;
            (u32::from(letter), letter.len_utf8())
        }
    };
    inner[length..].starts_with('\'').then_some((value, length + 2))
}

/// What stands behind a backslash: the number, and how many bytes it takes.
pub(super) fn escape(text: &str) -> Option<(u32, usize)> {
    let letter = text.chars().next()?;
    let simple = match letter {
        'n' => 10,
        't' => 9,
        'r' => 13,
        'a' => 7,
        'b' => 8,
        'f' => 12,
        'v' => 11,
        'e' => 27,
        '\\' | '\'' | '"' => u32::from(letter),
        'x' => {
            let digits = text[1..].find(|digit: char| !digit.is_ascii_hexdigit()).unwrap_or(text.len() - 1);
            let digits = digits.min(2);
            return Some((u32::from_str_radix(text.get(1..1 + digits)?, 16).ok()?, 1 + digits));
        }
        '0'..='7' => {
            let digits = text.find(|digit: char| !('0'..='7').contains(&digit)).unwrap_or(text.len()).min(3);
            return Some((u32::from_str_radix(&text[..digits], 8).ok()? & 0xff, digits));
        }
        _ => return None,
    };
    Some((simple, 1))
}
