//! The formulas of metrics: sums of products of numbers, names and parentheses.

use super::metric_error::MetricError;

/// Most signs and parentheses that stand within each other.
const DEEPEST: u32 = 64;

/// Most numbers and names of a formula. Who has more gives parts of it names of their own.
const LONGEST: u32 = 1000;

/// A formula, read.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Formula {
    Number(f64),
    Name(String),
    Minus(Box<Formula>),
    Pair(Box<Formula>, char, Box<Formula>),
}

impl Formula {
    pub(super) fn parse(formula: &str) -> Result<Formula, MetricError> {
        let mut parser = Parser { formula, at: 0, depth: 0, length: 0 };
        let sum = parser.sum()?;
        match parser.peek() {
            None => Ok(sum),
            Some(_) => Err(parser.expected("+, -, *, / or the end")),
        }
    }

    /// The names that stand in it, in order.
    pub(super) fn names(&self) -> Vec<&str> {
        match self {
            Formula::Number(_) => Vec::new(),
            Formula::Name(name) => vec![name],
            Formula::Minus(inner) => inner.names(),
            Formula::Pair(left, _, right) => {
                let mut names = left.names();
                names.extend(right.names());
                names
            }
        }
    }
}

struct Parser<'a> {
    formula: &'a str,
    at: usize,
    depth: u32,
    length: u32,
}

impl<'a> Parser<'a> {
    fn sum(&mut self) -> Result<Formula, MetricError> {
        let mut sum = self.product()?;
        while let Some(sign) = self.take(&['+', '-']) {
            sum = Formula::Pair(Box::new(sum), sign, Box::new(self.product()?));
        }
        Ok(sum)
    }

    fn product(&mut self) -> Result<Formula, MetricError> {
        let mut product = self.factor()?;
        while let Some(sign) = self.take(&['*', '/']) {
            product = Formula::Pair(Box::new(product), sign, Box::new(self.factor()?));
        }
        Ok(product)
    }

    fn factor(&mut self) -> Result<Formula, MetricError> {
        const EXPECTED: &str = "a number, an event, a metric or a sum in parentheses";
        if self.length == LONGEST {
            return Err(self.expected("the end: 1000 numbers and names are the most, give a part a name"));
        }
        self.length += 1;
        Ok(match self.peek() {
            Some('-' | '(') if self.depth == DEEPEST => {
                return Err(self.expected("fewer signs and parentheses within each other"));
            }
            Some('-') => {
                self.take(&['-']);
                self.depth += 1;
                let inner = self.factor()?;
                self.depth -= 1;
                Formula::Minus(Box::new(inner))
            }
            Some('(') => {
                self.take(&['(']);
                self.depth += 1;
                let sum = self.sum()?;
                self.depth -= 1;
                self.take(&[')']).ok_or_else(|| self.expected("`)`"))?;
                sum
            }
            Some(letter) if letter.is_ascii_digit() => {
                let word = self.word();
                word.parse().map(Formula::Number).map_err(|_| self.expected("a number as 100 or 0.5"))?
            }
            Some(letter) if letter.is_ascii_alphabetic() || letter == '_' => {
                Formula::Name(self.word().to_owned())
            }
            _ => return Err(self.expected(EXPECTED)),
        })
    }

    fn word(&mut self) -> &'a str {
        let rest = &self.formula[self.at..];
        let is_part = |letter: char| letter.is_alphanumeric() || letter == '_' || letter == '.';
        let length = rest.find(|letter| !is_part(letter)).unwrap_or(rest.len());
        self.at += length;
        &rest[..length]
    }

    fn peek(&mut self) -> Option<char> {
        let rest = &self.formula[self.at..];
        self.at += rest.len() - rest.trim_start().len();
        rest.trim_start().chars().next()
    }

    fn take(&mut self, letters: &[char]) -> Option<char> {
        let letter = self.peek().filter(|letter| letters.contains(letter))?;
        self.at += letter.len_utf8();
        Some(letter)
    }

    fn expected(&self, expected: &'static str) -> MetricError {
        let letters = self.formula[..self.at].chars().count();
        MetricError::Formula(window(self.formula, self.at), letters, expected)
    }
}

/// A formula, or of a long one what stands around a place.
fn window(formula: &str, at: usize) -> String {
    const SIDE: usize = 60;
    if formula.len() <= 2 * SIDE {
        return formula.to_owned();
    }
    let first = formula.floor_char_boundary(at.saturating_sub(SIDE));
    let end = formula.ceil_char_boundary(at + SIDE);
    let before = if first > 0 { "..." } else { "" };
    let behind = if end < formula.len() { "..." } else { "" };
    format!("{before}{}{behind}", &formula[first..end])
}
