//! A line against the texts of a model: every way in which it can be read.
//!
//! Spaces are needed between two words alone, and not allowed where `~` stands or within a piece of a
//! literal ([`isac_parser::literal`]); what may stand in several ways (an expression that ends with a
//! literal) is tried in all of them. The furthest place that any way has come to, and what was expected
//! there, is what the message tells.

mod operand;

use std::collections::BTreeMap;
use std::rc::Rc;

use isac_ir::operation::Target;
use isac_ir::syntax::{PatternItem, TextItem};
use isac_parser::literal::pieces;

use super::expression::Expr;
use super::furthest::Furthest;
use super::reader::{Read, Scope, is_word, skip_blanks};
use super::refusal::END;
use super::surface::Surface;
use super::table::{Table, Variant};

/// Most ways in which a line may be read so far.
const MOST_WAYS: usize = 1_000;

/// Most words that an operand may begin with and that are all named where it is expected.
const MOST_WORDS_EXPECTED: usize = 4;

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
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Cursor {
    at: usize,
    /// Nothing may stand between what has been read and what comes.
    joined: bool,
    /// Nothing has been read so far.
    first: bool,
}

/// Ways in which a target was read, each with how far it has come.
type Ends = Vec<(Rc<Written>, Cursor)>;

/// Reads one line.
pub(super) struct Matcher<'a, 'm> {
    pub(super) table: &'a Table<'m>,
    pub(super) surface: &'a Surface,
    pub(super) text: &'a str,
    pub(super) scope: &'a mut dyn Scope,
    pub(super) furthest: Furthest,
    /// Expressions by where they begin, with all their ends, the longest first.
    expressions: Vec<(usize, Vec<Read>)>,
    /// What was read for a target at a place: many ways of reading lead there.
    targets: BTreeMap<(Target, Cursor), Rc<Ends>>,
    /// There were more ways than are followed.
    pub(super) overflow: bool,
}

/// A way in which a text is what a PSEUDO says.
pub(super) struct PseudoWay {
    /// Where what stands for its operands and values begins and ends.
    pub(super) ranges: Vec<(usize, usize)>,
    /// What was read for its operands.
    pub(super) operands: Vec<Rc<Written>>,
    /// Where expressions stand in all of that, in the order of the text.
    pub(super) expressions: Vec<(usize, usize)>,
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
            targets: BTreeMap::new(),
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
            self.note_within(at);
            return;
        }
        let at = skip_blanks(self.text, at);
        if at < end {
            self.furthest.note(at, || END.into());
        }
    }

    /// In the middle of a word it was a name that was expected, if one ends there.
    fn note_within(&mut self, at: usize) {
        if let Some((begin, expected)) = self.furthest.within.get(&at).cloned() {
            self.furthest.note(begin, || expected);
        }
    }

    /// The ways in which a target may begin at a byte, each with the byte behind it.
    fn ways(&mut self, target: Target, at: usize) -> Vec<(Rc<Written>, usize)> {
        let begin = Cursor { at: skip_blanks(self.text, at), joined: true, first: true };
        let ways = self.target(target, begin);
        ways.iter().map(|(written, cursor)| (Rc::clone(written), cursor.at)).collect()
    }

    /// The ways in which the whole text is what a PSEUDO says; [`Matcher::overflow`] says if some were not
    /// tried.
    pub(super) fn pseudo(&mut self, pattern: &[PatternItem]) -> Vec<PseudoWay> {
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
            self.limit(&mut ways);
        }
        let end = self.text.trim_end().len();
        for at in ways.iter().map(|way| way.cursor.at) {
            self.note_behind(at, end);
        }
        let range = |operand: &Operand| (operand.range.0 as usize, operand.range.1 as usize);
        let whole = ways.into_iter().filter(|way| way.cursor.at >= end);
        let ways = whole.map(|way| {
            let mut expressions = Vec::new();
            note_expressions(&way.fields, &way.children, &mut expressions);
            expressions.sort_unstable();
            expressions.dedup();
            PseudoWay {
                ranges: way.fields.iter().map(|(_, operand)| range(operand)).collect(),
                operands: way.children.into_iter().map(|(_, written)| written).collect(),
                expressions,
            }
        });
        ways.collect()
    }

    fn pseudo_operand(&mut self, ways: Vec<Way>, index: u32, target: Target) -> Vec<Way> {
        let mut next = Vec::new();
        for way in ways {
            let begin = skip_blanks(self.text, way.cursor.at) as u32;
            for (written, cursor) in &*self.target(target, way.cursor) {
                let mut longer = way.clone();
                let range = (begin, cursor.at as u32);
                longer.children.push((index, Rc::clone(written)));
                longer.fields.push((index, Operand { value: OperandValue::Element(0), range }));
                longer.cursor = *cursor;
                next.push(longer);
            }
            // That there are more is said by the caller.
            if next.len() > MOST_WAYS {
                break;
            }
        }
        next
    }

    /// Follows no more ways than are tried.
    fn limit<T>(&mut self, ways: &mut Vec<T>) {
        if ways.len() > MOST_WAYS {
            self.overflow = true;
            ways.truncate(MOST_WAYS);
        }
    }

    fn target(&mut self, target: Target, cursor: Cursor) -> Rc<Ends> {
        if let Some(known) = self.targets.get(&(target, cursor)) {
            return Rc::clone(known);
        }
        let found = Rc::new(self.read_target(target, cursor));
        self.targets.insert((target, cursor), Rc::clone(&found));
        found
    }

    fn read_target(&mut self, target: Target, cursor: Cursor) -> Ends {
        let at = if cursor.joined { cursor.at } else { skip_blanks(self.text, cursor.at) };
        let begin = self.text.get(at..).unwrap_or("");
        let variants = self.table.variants(target, begin);
        let begins_otherwise = variants.is_empty();
        let mut found = Vec::new();
        for variant in variants {
            found.extend(self.operation(variant, cursor));
            if found.len() > MOST_WAYS {
                self.overflow = true;
                found.truncate(MOST_WAYS);
                break;
            }
        }
        // A name that goes on is another one.
        let goes_on = |(_, end): &(Rc<Written>, Cursor)| {
            let is_within =
                self.text[..end.at].ends_with(is_word) && self.text[end.at..].starts_with(is_word);
            is_within && !self.furthest.within.contains_key(&end.at)
        };
        let is_word_begun = at > 0 && !self.text[..at].ends_with(is_word);
        if is_word_begun && !found.is_empty() && found.iter().all(goes_on) {
            let name = self.table.model.target_name(target);
            self.furthest.note(at, || format!("an operand of `{name}`"));
        }
        // In the middle of a word nothing was expected: it is another word.
        if found.is_empty() && self.place(cursor, begin.chars().next()).is_some() {
            // Variants that begin with another word were not tried.
            let words = if at > 0 { self.table.words(target, MOST_WORDS_EXPECTED) } else { Vec::new() };
            if words.is_empty() && begins_otherwise {
                let name = self.table.model.target_name(target);
                self.furthest.note(at, || format!("an operand of `{name}`"));
            }
            words.iter().for_each(|word| self.furthest.note(at, || format!("`{word}`")));
        }
        found
    }

    fn operation(&mut self, variant: Variant, begin: Cursor) -> Ends {
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
            self.limit(&mut ways);
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
            for (child, cursor) in &*self.target(target, way.cursor) {
                let mut longer = way.clone();
                longer.literals += child.literals;
                longer.children.push((instance, Rc::clone(child)));
                longer.cursor = *cursor;
                next.push(longer);
            }
            // That there are more is said by the caller.
            if next.len() > MOST_WAYS {
                break;
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
        let goes_on = letter.is_some_and(is_word) || self.text[at..].starts_with(is_word);
        let words = before.is_some_and(is_word) && goes_on;
        (!(touching && words)).then_some(at)
    }

    fn literal(&mut self, mut way: Way, literal: &str) -> Option<Way> {
        let mut before = None;
        for (index, (part, rest)) in pieces(literal).enumerate() {
            way.cursor.joined &= index == 0;
            let at = self.place(way.cursor, part.chars().next());
            let fits = |at: &usize| {
                let found = self.text.get(*at..*at + part.len());
                found.is_some_and(|found| found.eq_ignore_ascii_case(part))
            };
            let Some(at) = at else {
                self.note_within(way.cursor.at);
                // A word of the literal that goes on is another one.
                if let Some((at, rest)) = before {
                    self.furthest.note(at, || format!("`{rest}`"));
                }
                return None;
            };
            if !fits(&at) {
                let at = skip_blanks(self.text, way.cursor.at);
                self.furthest.note(at, || format!("`{rest}`"));
                return None;
            }
            before = Some((at, rest));
            way.literals += part.chars().count() as u32;
            way.cursor = Cursor { at: at + part.len(), joined: true, first: false };
        }
        Some(way)
    }
}

/// Where the expressions stand that were read for fields, and for what aliases chose.
fn note_expressions(
    fields: &[(u32, Operand)],
    children: &[(u32, Rc<Written>)],
    found: &mut Vec<(usize, usize)>,
) {
    for (_, operand) in fields {
        if matches!(operand.value, OperandValue::Expr(_)) {
            found.push((operand.range.0 as usize, operand.range.1 as usize));
        }
    }
    for (_, child) in children {
        note_expressions(&child.fields, &child.children, found);
    }
}
