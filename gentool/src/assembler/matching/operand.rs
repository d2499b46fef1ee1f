//! What may stand for a field: the name of an element, a list of them, an expression.

use isac_ir::syntax::Format;

use super::{Cursor, Matcher, Operand, OperandValue, Way};
use crate::assembler::reader::{Read, Reader, is_word, skip_blanks};

impl Matcher<'_, '_> {
    /// The ways that go on with what stands for a field.
    pub(super) fn field(&mut self, ways: Vec<Way>, field: u32, format: &Format) -> Vec<Way> {
        let mut next = Vec::new();
        for way in ways {
            let read = match format {
                Format::Name { register, .. } => self.register(way.cursor, *register),
                Format::List { register } => self.list(way.cursor, *register),
                _ => self.expression(way.cursor),
            };
            for (value, begin, end) in read {
                let mut longer = way.clone();
                longer.fields.push((field, Operand { value, range: (begin as u32, end as u32) }));
                longer.cursor = Cursor { at: end, joined: true, first: false };
                next.push(longer);
            }
        }
        next
    }

    /// The elements of a file that the text may name here, longer names first.
    fn register(&mut self, cursor: Cursor, register: u32) -> Vec<(OperandValue, usize, usize)> {
        let begin = if cursor.joined { cursor.at } else { skip_blanks(self.text, cursor.at) };
        let rest = &self.text[begin..];
        let letter = rest.chars().next();
        let mut found = Vec::new();
        if self.place(cursor, letter).is_none() {
            return found;
        }
        for (name, element) in self.surface.elements(register, rest) {
            let goes_on = |text: &str| text.chars().next().is_some_and(is_word);
            if goes_on(&rest[name..]) && rest[..name].ends_with(is_word) {
                let file = &self.table.model.registers[register as usize].name;
                let expected = format!("a register of `{file}`");
                self.furthest.within.insert(begin + name, (begin, expected));
            }
            found.push((OperandValue::Element(element), begin, begin + name));
        }
        if found.is_empty() {
            let file = self.table.model.registers[register as usize].name.clone();
            self.furthest.note(begin, || format!("a register of `{file}`"));
        }
        found
    }

    /// The lists of elements that may stand here, as bits, the longest first: elements and ranges of
    /// them, `r0-r3`, with commas between; an empty one prints nothing.
    fn list(&mut self, cursor: Cursor, register: u32) -> Vec<(OperandValue, usize, usize)> {
        let start = if cursor.joined { cursor.at } else { skip_blanks(self.text, cursor.at) };
        let mut found = vec![(OperandValue::Element(0), start, cursor.at)];
        let (mut listed, mut at) = (0u128, cursor);
        while let Some((first, end)) = self.listed(at, register) {
            let behind = Cursor { at: end, joined: false, first: false };
            let range = self.behind(behind, '-').and_then(|dash| self.listed(dash, register));
            let (last, end) = range.unwrap_or((first, end));
            if last < first || last >= u128::BITS.into() {
                break;
            }
            listed |= (u128::MAX >> (127 - last)) & (u128::MAX << first);
            found.push((OperandValue::Element(listed), start, end));
            match self.behind(Cursor { at: end, ..behind }, ',') {
                Some(next) => at = next,
                None => break,
            }
        }
        found.reverse();
        found
    }

    /// The element of a list that is named here, by its longest name, with the byte behind it.
    fn listed(&mut self, cursor: Cursor, register: u32) -> Option<(u128, usize)> {
        let named = self.register(cursor, register);
        named.into_iter().find_map(|(value, _, end)| match value {
            OperandValue::Element(element) => Some((element, end)),
            OperandValue::Expr(_) => None,
        })
    }

    /// Behind a letter that stands here.
    fn behind(&self, cursor: Cursor, letter: char) -> Option<Cursor> {
        let at = skip_blanks(self.text, cursor.at);
        let found = self.text[at..].starts_with(letter);
        found.then_some(Cursor { at: at + letter.len_utf8(), joined: false, first: false })
    }

    /// The expressions that may stand here, the longest first.
    fn expression(&mut self, cursor: Cursor) -> Vec<(OperandValue, usize, usize)> {
        let begin = if cursor.joined { cursor.at } else { skip_blanks(self.text, cursor.at) };
        let letter = self.text[begin..].chars().next();
        if self.place(cursor, letter).is_none() {
            return Vec::new();
        }
        if letter.is_some_and(char::is_whitespace) {
            self.furthest.note(begin, || "a value".into());
            return Vec::new();
        }
        let known = self.expressions.iter().position(|(at, _)| *at == begin);
        let known = known.unwrap_or_else(|| {
            let all = self.read_expressions(begin);
            self.expressions.push((begin, all));
            self.expressions.len() - 1
        });
        let all = &self.expressions[known].1;
        all.iter().map(|(expr, end)| (OperandValue::Expr(expr.clone()), begin, *end)).collect()
    }

    fn read_expressions(&mut self, begin: usize) -> Vec<Read> {
        let mut reader = Reader::new(self.text, self.surface, self.scope);
        let mut found = Vec::new();
        match reader.expression(begin) {
            Ok(read) => found.push(read),
            Err(error) => {
                let expected = error.expected;
                self.furthest.note(error.at, || expected);
            }
        }
        // An operator may be a literal of the text: then the expression ends before it.
        let mut operators = reader.operators;
        operators.sort_unstable();
        for limit in operators.into_iter().rev().take(16) {
            let mut reader = Reader::new(self.text, self.surface, self.scope);
            reader.limit = limit;
            if let Ok(read) = reader.expression(begin)
                && found.iter().all(|(_, end)| *end != read.1)
            {
                found.push(read);
            }
        }
        found
    }
}
