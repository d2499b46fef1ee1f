//! A line against the texts of a model: every way in which it can be read.
//!
//! Spaces are needed between two words alone, and not allowed where `~` stands; what may stand in
//! several ways (an expression that ends with a literal) is tried in all of them. The furthest
//! place that any way has come to, and what was expected there, is what the message tells.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use isac_ir::operation::Target;
use isac_ir::syntax::{Format, PatternItem, TextItem};

use super::expression::Expr;
use super::reader::{Read, Reader, Scope, is_word, skip_blanks};
use super::surface::Surface;
use super::table::{Table, Variant};

/// Most ways in which a line may be read so far.
const MOST_WAYS: usize = 1_000;

/// An operation as it is written.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Written {
    pub(super) variant: Variant,
    /// Fields with what stands for them.
    pub(super) fields: Vec<(u32, Operand)>,
    /// Aliases with what they chose.
    pub(super) children: Vec<(u32, Rc<Written>)>,
    /// Characters of literals, those below included.
    pub(super) literals: u32,
}

/// What stands for a field.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Operand {
    pub(super) value: OperandValue,
    /// The bytes of the text that it is.
    pub(super) range: (u32, u32),
}

/// The value of an operand.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum OperandValue {
    /// An element of a register file.
    Element(u128),
    /// A number.
    Expr(Rc<Expr>),
}

/// How far a way of reading has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Cursor {
    at: usize,
    /// Nothing may stand between what has been read and what comes.
    joined: bool,
    /// Nothing has been read so far.
    first: bool,
}

/// What was expected where the furthest way of reading ended.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Furthest {
    pub(super) at: usize,
    pub(super) expected: BTreeSet<String>,
    /// Ends of names that other letters follow, with their beginnings and what was expected there.
    within: BTreeMap<usize, (usize, String)>,
}

impl Furthest {
    /// What is left in the middle of a word was not understood from its beginning.
    pub(super) fn settle(&mut self) {
        if let Some((begin, expected)) = self.within.remove(&self.at) {
            self.at = begin;
            self.expected = BTreeSet::from([expected]);
        }
    }

    fn note(&mut self, at: usize, expected: impl FnOnce() -> String) {
        if at > self.at {
            self.at = at;
            self.expected.clear();
        }
        if at == self.at && self.expected.len() < 64 {
            self.expected.insert(expected());
        }
    }
}

/// Reads one line.
pub(super) struct Matcher<'a, 'm> {
    pub(super) table: &'a Table<'m>,
    pub(super) surface: &'a Surface,
    pub(super) text: &'a str,
    pub(super) scope: &'a mut dyn Scope,
    pub(super) furthest: Furthest,
    /// Expressions by where they begin, with all their ends, the longest first.
    expressions: Vec<(usize, Vec<Read>)>,
    /// There were more ways than are followed.
    pub(super) overflow: bool,
}

/// A way in which an operation has been read up to some item.
#[derive(Clone)]
struct Way {
    fields: Vec<(u32, Operand)>,
    children: Vec<(u32, Rc<Written>)>,
    literals: u32,
    cursor: Cursor,
}

impl<'a, 'm> Matcher<'a, 'm> {
    pub(super) fn new(
        table: &'a Table<'m>,
        surface: &'a Surface,
        text: &'a str,
        scope: &'a mut dyn Scope,
    ) -> Matcher<'a, 'm> {
        Matcher {
            table,
            surface,
            text,
            scope,
            furthest: Furthest::default(),
            expressions: Vec::new(),
            overflow: false,
        }
    }

    /// Every way in which the whole text is what a target may be, with the entry's number.
    pub(super) fn instructions(&mut self) -> Vec<(usize, Rc<Written>)> {
        let mut found = Vec::new();
        for (number, entry) in self.table.entries.iter().enumerate() {
            let target = self.table.model.decoders[entry.decoder as usize].target;
            found.extend(self.whole(target).into_iter().map(|written| (number, written)));
        }
        found
    }

    /// Every way in which the whole text is what a target may be.
    fn whole(&mut self, target: Target) -> Vec<Rc<Written>> {
        let ways = self.ways(target, 0);
        let end = self.text.trim_end().len();
        for (_, at) in &ways {
            self.note_behind(*at, end);
        }
        ways.into_iter().filter(|(_, at)| *at >= end).map(|(written, _)| written).collect()
    }

    /// Something stands behind all that is expected; the rest of a word is no such thing.
    fn note_behind(&mut self, at: usize, end: usize) {
        if self.text[..at].ends_with(is_word) && self.text[at..].starts_with(is_word) {
            return;
        }
        let at = skip_blanks(self.text, at);
        if at < end {
            self.furthest.note(at, || "the end of the line".into());
        }
    }

    /// The ways in which a target may begin at a byte, each with the byte behind it.
    fn ways(&mut self, target: Target, at: usize) -> Vec<(Rc<Written>, usize)> {
        let begin = Cursor { at: skip_blanks(self.text, at), joined: true, first: true };
        let ways = self.target(target, begin);
        ways.into_iter().map(|(written, cursor)| (written, cursor.at)).collect()
    }

    /// The ways in which the whole text is what a PSEUDO says: what stands for its operands.
    pub(super) fn pseudo(&mut self, pattern: &[PatternItem]) -> Option<Vec<(usize, usize)>> {
        let begin = Cursor { at: skip_blanks(self.text, 0), joined: true, first: true };
        let mut ways = vec![Way { fields: Vec::new(), children: Vec::new(), literals: 0, cursor: begin }];
        for (index, item) in (0..).zip(pattern) {
            ways.iter_mut().for_each(|way| way.cursor.joined &= index == 0);
            ways = match item {
                PatternItem::Literal(literal) => {
                    ways.into_iter().filter_map(|way| self.literal(way, literal)).collect()
                }
                PatternItem::Value(format) => self.field(ways, index, format),
                PatternItem::Operand(target) => self.pseudo_operand(ways, index, *target),
            };
        }
        let end = self.text.trim_end().len();
        for at in ways.iter().map(|way| way.cursor.at) {
            self.note_behind(at, end);
        }
        let whole = ways.into_iter().find(|way| way.cursor.at >= end)?;
        let range = |operand: &Operand| (operand.range.0 as usize, operand.range.1 as usize);
        Some(whole.fields.iter().map(|(_, operand)| range(operand)).collect())
    }

    fn pseudo_operand(&mut self, ways: Vec<Way>, index: u32, target: Target) -> Vec<Way> {
        let mut next = Vec::new();
        for way in ways {
            let begin = skip_blanks(self.text, way.cursor.at) as u32;
            for (_, cursor) in self.target(target, way.cursor) {
                let mut longer = way.clone();
                let range = (begin, cursor.at as u32);
                longer.fields.push((index, Operand { value: OperandValue::Element(0), range }));
                longer.cursor = cursor;
                next.push(longer);
            }
        }
        next
    }

    fn target(&mut self, target: Target, cursor: Cursor) -> Vec<(Rc<Written>, Cursor)> {
        let at = if cursor.joined { cursor.at } else { skip_blanks(self.text, cursor.at) };
        let begin = self.text.get(at..).unwrap_or("");
        let variants = self.table.variants(target, begin);
        if variants.is_empty() {
            let name = self.table.model.target_name(target).to_owned();
            self.furthest.note(at, || format!("an operand of `{name}`"));
        }
        let mut found = Vec::new();
        for variant in variants {
            found.extend(self.operation(variant, cursor));
            if found.len() > MOST_WAYS {
                self.overflow = true;
                found.truncate(MOST_WAYS);
                break;
            }
        }
        found
    }

    fn operation(&mut self, variant: Variant, begin: Cursor) -> Vec<(Rc<Written>, Cursor)> {
        let operation = self.table.model.operation(variant.operation);
        let text = &operation.texts[variant.text as usize];
        let mut ways = vec![Way { fields: Vec::new(), children: Vec::new(), literals: 0, cursor: begin }];
        let mut joined = true;
        for item in text {
            if matches!(item, TextItem::Join) {
                joined = true;
                continue;
            }
            ways.iter_mut().for_each(|way| way.cursor.joined &= joined);
            ways = match item {
                TextItem::Literal(literal) => {
                    ways.into_iter().filter_map(|way| self.literal(way, literal)).collect()
                }
                TextItem::Instance(instance) => {
                    let target = operation.instances[*instance as usize].target;
                    self.instance(ways, *instance, target)
                }
                TextItem::Field { field, format } => self.field(ways, *field, format),
                TextItem::Join => ways,
            };
            if ways.len() > MOST_WAYS {
                self.overflow = true;
                ways.truncate(MOST_WAYS);
            }
            if ways.is_empty() {
                return Vec::new();
            }
            joined = false;
        }
        let written = |way: Way| {
            let Way { fields, children, literals, cursor } = way;
            (Rc::new(Written { variant, fields, children, literals }), cursor)
        };
        ways.into_iter().map(written).collect()
    }

    fn instance(&mut self, ways: Vec<Way>, instance: u32, target: Target) -> Vec<Way> {
        let mut next = Vec::new();
        for way in ways {
            for (child, cursor) in self.target(target, way.cursor) {
                let mut longer = way.clone();
                longer.literals += child.literals;
                longer.children.push((instance, child));
                longer.cursor = cursor;
                next.push(longer);
            }
        }
        next
    }

    /// Where something that begins with this letter may begin; `None` in the middle of a word, of
    /// which nothing is understood then.
    fn place(&self, cursor: Cursor, letter: Option<char>) -> Option<usize> {
        let at = if cursor.joined { cursor.at } else { skip_blanks(self.text, cursor.at) };
        let touching = at == cursor.at && !cursor.joined && !cursor.first;
        let before = self.text[..cursor.at].chars().next_back();
        let words = before.is_some_and(is_word) && letter.is_some_and(is_word);
        (!(touching && words)).then_some(at)
    }

    fn literal(&mut self, mut way: Way, literal: &str) -> Option<Way> {
        let parts = literal.split_whitespace();
        for (index, part) in parts.enumerate() {
            way.cursor.joined &= index == 0;
            let at = self.place(way.cursor, part.chars().next());
            let fits = |at: &usize| {
                let found = self.text.get(*at..*at + part.len());
                found.is_some_and(|found| found.eq_ignore_ascii_case(part))
            };
            let at = at?;
            if !fits(&at) {
                let at = skip_blanks(self.text, way.cursor.at);
                self.furthest.note(at, || format!("`{part}`"));
                return None;
            }
            way.literals += part.chars().count() as u32;
            way.cursor = Cursor { at: at + part.len(), joined: true, first: false };
        }
        Some(way)
    }

    fn field(&mut self, ways: Vec<Way>, field: u32, format: &Format) -> Vec<Way> {
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
