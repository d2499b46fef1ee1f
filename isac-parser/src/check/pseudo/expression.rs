//! Where an expression of assembler text may end.

use super::line::{Line, Unit};
use super::texts::Texts;
use crate::model::Format;

/// Operators between two operands, longer ones first.
const BETWEEN: [&str; 20] = [
    "||", "&&", "==", "!=", "<=", ">=", "<<", ">>", "|", "^", "&", "<", ">", "+", "-", "*", "/", "%", "?",
    ":",
];

/// A scan over one expression.
struct Scan<'s, 'a> {
    texts: &'s Texts<'a>,
    line: &'s Line<'a>,
    at: usize,
    /// Open parentheses, and whether each is that of a call.
    open: Vec<bool>,
    ends: Vec<usize>,
}

/// All places at which an expression that begins at `at` may end; more than there are, rather than
/// fewer.
pub(super) fn expression_ends(texts: &Texts<'_>, line: &Line<'_>, at: usize) -> Vec<usize> {
    let mut scan = Scan { texts, line, at, open: Vec::new(), ends: Vec::new() };
    while scan.operand() && scan.behind_operand() {}
    scan.ends
}

impl Scan<'_, '_> {
    /// Goes over prefixes, opening parentheses and one operand; false if there is none.
    fn operand(&mut self) -> bool {
        loop {
            self.at = self.line.skip_blanks(self.at);
            match self.line.unit(self.at) {
                Some(Unit::Letter('+' | '-' | '~' | '!')) => self.at += 1,
                Some(Unit::Letter('(')) => {
                    self.open.push(false);
                    self.at += 1;
                }
                Some(Unit::Letter('%')) => {
                    if !self.call() {
                        return false;
                    }
                }
                Some(Unit::Letter('\'')) => return self.character(),
                Some(Unit::Letter(_)) => return self.word(),
                Some(Unit::Value(Format::Name { .. } | Format::List { .. })) | None => return false,
                Some(Unit::Choice(target)) if !self.texts.may_be_value(target) => return false,
                Some(Unit::Value(_) | Unit::Choice(_)) => {
                    self.at += 1;
                    return true;
                }
            }
        }
    }

    /// `%NAME(`
    fn call(&mut self) -> bool {
        let name = self.run(self.at + 1);
        let open = self.line.skip_blanks(self.at + 1 + name.chars().count());
        let is_call = self.texts.functions.contains(name.as_str()) && self.line.letter(open) == Some('(');
        self.open.push(true);
        self.at = open + 1;
        is_call
    }

    /// `'a'`, `'\n'`
    fn character(&mut self) -> bool {
        let (least, most) = if self.line.letter(self.at + 1) == Some('\\') { (3, 5) } else { (2, 2) };
        let end = (self.at + least..=self.at + most).find(|at| self.line.letter(*at) == Some('\''));
        self.at = end.map_or(self.at, |end| end + 1);
        end.is_some()
    }

    /// A number, a label or `.`, but no register.
    fn word(&mut self) -> bool {
        let prefix = self.texts.prefixes.iter().find(|prefix| self.begins_with(self.at, prefix));
        let prefix = prefix.map_or(0, |prefix| prefix.chars().count());
        let word = self.run(self.at + prefix);
        let length = prefix + word.chars().count();
        let is_number = prefix > 0 || word.starts_with(|letter: char| letter.is_ascii_digit());
        if word.is_empty() || !is_number && self.texts.is_register(&word) || word.starts_with('$') {
            return false;
        }
        // A literal may be joined to a number.
        if is_number && self.open.is_empty() {
            self.ends.extend((1..length).map(|length| self.at + length));
        }
        self.at += length;
        true
    }

    /// Goes over closing parentheses and one operator; false if the expression cannot go on.
    fn behind_operand(&mut self) -> bool {
        loop {
            if self.open.is_empty() {
                self.ends.push(self.at);
            }
            let at = self.line.skip_blanks(self.at);
            match (self.line.letter(at), self.open.last()) {
                (Some(')'), Some(_)) => {
                    self.open.pop();
                    self.at = at + 1;
                }
                (Some(','), Some(true)) => {
                    self.at = at + 1;
                    return true;
                }
                _ => {
                    let operator = BETWEEN.iter().find(|operator| self.begins_with(at, operator));
                    self.at = at + operator.map_or(0, |operator| operator.len());
                    return operator.is_some();
                }
            }
        }
    }

    fn begins_with(&self, at: usize, text: &str) -> bool {
        text.chars().enumerate().all(|(index, letter)| self.line.letter(at + index) == Some(letter))
    }

    /// Letters, digits, `_`, `.` and `$` from a place on.
    fn run(&self, at: usize) -> String {
        let letters = (at..).map_while(|at| self.line.letter(at));
        letters.take_while(|letter| letter.is_ascii_alphanumeric() || "_.$".contains(*letter)).collect()
    }
}
