//! A line against the texts of a model and the patterns of its PSEUDOs.

use std::collections::{BTreeMap, BTreeSet};

use super::expression::expression_ends;
use super::line::{Line, Unit, texts_of};
use super::texts::{Texts, pattern_word};
use crate::literal::pieces;
use crate::model::{AssemblerItem, Format, Operation, OperationOrGroup, PatternItem, RegisterId};
use crate::source::Span;

/// Most steps of comparing, all PSEUDOs of a model together.
pub(super) const MOST_STEPS: u64 = 20_000_000;

/// What is expected of an expression.
const VALUE: &str = "a value";

/// How something begins that is expected with no blank before it.
const JOINED: &str = "a joined ";

/// How far any text came.
#[derive(Debug, Clone, Default)]
pub(super) struct Furthest {
    /// The unit of the line.
    pub(super) at: usize,
    /// The piece of the result; behind the last one if the line has ended.
    pub(super) piece: usize,
    /// The letter of that piece.
    pub(super) letter: usize,
    expected: BTreeSet<String>,
    /// What came so far: where its text stands, and what it is.
    pub(super) nearest: Option<(Span, String)>,
    /// The first word, where nothing begins with it.
    pub(super) unknown_word: Option<String>,
}

impl Furthest {
    /// What to do about it.
    pub(super) fn remedy(&self) -> &'static str {
        match () {
            () if self.expected.iter().any(|expected| expected.starts_with(JOINED)) => {
                "blanks are put between the pieces of a result; what is joined has to stand in one string"
            }
            () if self.expected.contains(VALUE) => {
                "a value is made of numbers, labels and operands that are values; it has no slice, cast or `::`"
            }
            () => "write each result as an instruction or another PSEUDO is written",
        }
    }

    /// What was expected, in words.
    pub(super) fn expected(&self) -> String {
        let all: Vec<&str> = self.expected.iter().map(String::as_str).collect();
        match all.as_slice() {
            [] => "an instruction".to_owned(),
            [one] => (*one).to_owned(),
            [init @ .., last] if all.len() <= 4 => format!("{} or {last}", init.join(", ")),
            many => format!("{} or one of {} others", many[..3].join(", "), many.len() - 3),
        }
    }
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

type Cursors = BTreeSet<Cursor>;

/// One line that is compared.
pub(super) struct Matching<'m, 'a> {
    texts: &'m Texts<'a>,
    line: &'m Line<'a>,
    budget: &'m mut u64,
    known: BTreeMap<(OperationOrGroup, Cursor), Cursors>,
    pub(super) furthest: Furthest,
    /// It takes too long.
    pub(super) is_exhausted: bool,
}

const BEGIN: Cursor = Cursor { at: 0, joined: true, first: true };

impl<'m, 'a> Matching<'m, 'a> {
    pub(super) fn new(texts: &'m Texts<'a>, line: &'m Line<'a>, budget: &'m mut u64) -> Matching<'m, 'a> {
        let (known, furthest) = (BTreeMap::new(), Furthest::default());
        Matching { texts, line, budget, known, furthest, is_exhausted: false }
    }

    /// True if the line may be an instruction.
    pub(super) fn is_instruction(&mut self) -> bool {
        let begin = Cursor { at: self.line.skip_blanks(0), ..BEGIN };
        let mut found = false;
        for root in self.texts.roots.clone() {
            for (operation, items) in texts_of(self.texts.model, root) {
                let before = (self.furthest.at, self.furthest.expected.is_empty());
                let ends = self.items(operation, items, begin);
                found |= self.ends_here(&ends);
                self.note_nearest(before, text_span(operation, items), &operation.name);
            }
        }
        self.settle();
        found
    }

    /// The PSEUDOs that the line may be.
    pub(super) fn pseudos(&mut self) -> BTreeSet<usize> {
        let begin = self.line.skip_blanks(0);
        let letters = (begin..).map_while(|at| self.line.letter(at));
        let mut found = BTreeSet::new();
        for index in self.texts.pseudos(letters) {
            let pseudo = &self.texts.model.pseudos[index];
            if !self.pay(pseudo.pattern.len() as u64) {
                break;
            }
            let before = (self.furthest.at, self.furthest.expected.is_empty());
            let mut ways = Cursors::from([Cursor { at: self.line.skip_blanks(0), ..BEGIN }]);
            for (number, item) in pseudo.pattern.iter().enumerate() {
                ways = ways.into_iter().map(|way| Cursor { joined: number == 0, ..way }).collect();
                ways = self.each(ways, |matching, way| match item {
                    PatternItem::Text(text) => matching.literal(way, text),
                    PatternItem::Operand(target) => matching.target(*target, way),
                    PatternItem::Value(format) => matching.field(way, format),
                });
            }
            if self.ends_here(&ways) {
                found.insert(index);
            }
            let name = pattern_word(&pseudo.pattern).unwrap_or("the PSEUDO");
            self.note_nearest(before, pseudo.span, name);
        }
        self.settle();
        found
    }

    /// Remembers what has come furthest.
    fn note_nearest(&mut self, (at, was_empty): (usize, bool), span: Span, name: &str) {
        if self.furthest.at > at || was_empty && !self.furthest.expected.is_empty() {
            self.furthest.nearest = Some((span, format!("`{name}`")));
        }
    }

    /// Says what the furthest place is in the result.
    fn settle(&mut self) {
        let begin = self.line.skip_blanks(0);
        let mut at = self.line.skip_blanks(self.furthest.at);
        // In the middle of a word nothing was understood of it.
        let is_letter = |at: usize| self.line.letter(at).is_some_and(is_word);
        if at == begin || (begin..=at).all(is_letter) {
            at = begin;
            self.furthest.unknown_word = Some(self.first_word()).filter(|word| !word.is_empty());
        }
        let units = &self.line.units;
        let piece = units.get(at).map_or(usize::MAX, |(_, piece)| *piece);
        let before = &units[..at.min(units.len())];
        self.furthest.letter = before.iter().filter(|(_, found)| *found == piece).count();
        self.furthest.piece = piece;
    }

    fn first_word(&self) -> String {
        let begin = self.line.skip_blanks(0);
        let letters = (begin..).map_while(|at| self.line.letter(at));
        letters.take_while(|letter| !letter.is_whitespace()).collect()
    }

    fn ends_here(&mut self, ways: &Cursors) -> bool {
        let end = self.line.units.len();
        for way in ways {
            let at = self.line.skip_blanks(way.at);
            if at >= end {
                return true;
            }
            self.note(at, || "the end of the line".to_owned());
        }
        false
    }

    fn note(&mut self, at: usize, expected: impl FnOnce() -> String) {
        if at > self.furthest.at {
            self.furthest = Furthest { at, nearest: self.furthest.nearest.take(), ..Furthest::default() };
        }
        if at == self.furthest.at {
            self.furthest.expected.insert(expected());
        }
    }

    fn each(&mut self, ways: Cursors, mut next: impl FnMut(&mut Self, Cursor) -> Cursors) -> Cursors {
        ways.into_iter().flat_map(|way| next(self, way)).collect()
    }

    fn target(&mut self, target: OperationOrGroup, cursor: Cursor) -> Cursors {
        if let Some(known) = self.known.get(&(target, cursor)) {
            return known.clone();
        }
        let at = if cursor.joined { cursor.at } else { self.line.skip_blanks(cursor.at) };
        let mut found = Cursors::new();
        if let Some(Unit::Choice(other)) = self.line.unit(at)
            && self.texts.share_operations(target, other)
        {
            found.insert(Cursor { at: at + 1, joined: true, first: false });
        }
        for (operation, items) in texts_of(self.texts.model, target) {
            found.extend(self.items(operation, items, cursor));
        }
        self.known.insert((target, cursor), found.clone());
        found
    }

    /// Takes steps from the budget; false if there are not so many.
    fn pay(&mut self, steps: u64) -> bool {
        let rest = self.budget.checked_sub(steps);
        self.is_exhausted |= rest.is_none();
        *self.budget = rest.unwrap_or(0);
        rest.is_some()
    }

    fn items(&mut self, operation: &Operation, items: &[AssemblerItem], begin: Cursor) -> Cursors {
        let mut ways = Cursors::from([begin]);
        let mut is_joined = true;
        for item in items {
            if !self.pay(ways.len() as u64 + 1) {
                return Cursors::new();
            }
            if matches!(item, AssemblerItem::Join) {
                is_joined = true;
                continue;
            }
            ways = ways.into_iter().map(|way| Cursor { joined: way.joined && is_joined, ..way }).collect();
            ways = self.each(ways, |matching, way| match item {
                AssemblerItem::Text(text) => matching.literal(way, text),
                AssemblerItem::Instance(instance) => {
                    matching.target(operation.instances[instance.index()].target, way)
                }
                AssemblerItem::Field { format, .. } => matching.field(way, format),
                AssemblerItem::Join => Cursors::from([way]),
            });
            if ways.is_empty() {
                break;
            }
            is_joined = false;
        }
        ways
    }

    /// Where something that begins with this letter may begin.
    fn place(&self, cursor: Cursor, letter: Option<char>) -> Option<usize> {
        let at = if cursor.joined { cursor.at } else { self.line.skip_blanks(cursor.at) };
        let touching = at == cursor.at && !cursor.joined && !cursor.first;
        let before = cursor.at.checked_sub(1).and_then(|before| self.line.letter(before));
        let words = before.is_some_and(is_word) && letter.is_some_and(is_word);
        (!(touching && words)).then_some(at)
    }

    fn literal(&mut self, mut cursor: Cursor, literal: &str) -> Cursors {
        for (index, (part, rest)) in pieces(literal).enumerate() {
            cursor.joined &= index == 0;
            let line = self.line;
            let fits = |at: &usize| {
                let mut letters = part.chars().enumerate();
                letters.all(|(index, letter)| {
                    line.letter(at + index).is_some_and(|found| found.eq_ignore_ascii_case(&letter))
                })
            };
            let Some(at) = self.place(cursor, part.chars().next()).filter(fits) else {
                let at = self.line.skip_blanks(cursor.at);
                let joined = if fits(&at) { JOINED } else { "" };
                self.note(at, || format!("{joined}`{rest}`"));
                return Cursors::new();
            };
            cursor = Cursor { at: at + part.chars().count(), joined: true, first: false };
        }
        Cursors::from([cursor])
    }

    fn field(&mut self, cursor: Cursor, format: &Format) -> Cursors {
        let begin = if cursor.joined { cursor.at } else { self.line.skip_blanks(cursor.at) };
        let (ends, expected) = match format {
            Format::Name { register, .. } => {
                (self.element_ends(cursor, *register), self.register_words(*register))
            }
            Format::List { register } => {
                let mut ends = self.list_ends(cursor, *register);
                ends.push(cursor.at);
                (ends, self.register_words(*register))
            }
            _ if self.place(cursor, self.line.letter(begin)).is_none() => (Vec::new(), VALUE.to_owned()),
            _ => (expression_ends(self.texts, self.line, begin), VALUE.to_owned()),
        };
        if ends.is_empty() {
            self.note(begin, || expected);
        }
        ends.into_iter().map(|at| Cursor { at, joined: true, first: false }).collect()
    }

    fn register_words(&self, register: RegisterId) -> String {
        format!("a register of `{}`", self.texts.model.registers[register.index()].name)
    }

    /// The places behind an element of a file.
    fn element_ends(&self, cursor: Cursor, register: RegisterId) -> Vec<usize> {
        let begin = if cursor.joined { cursor.at } else { self.line.skip_blanks(cursor.at) };
        let is_one = match self.line.unit(begin) {
            Some(Unit::Value(Format::Name { register: found, .. })) => *found == register,
            Some(Unit::Choice(target)) => self.texts.may_be_element(target, register),
            _ => false,
        };
        if is_one {
            return vec![begin + 1];
        }
        if self.place(cursor, self.line.letter(begin)).is_none() {
            return Vec::new();
        }
        let (mut name, mut ends) = (String::new(), Vec::new());
        for at in begin.. {
            let Some(letter) =
                self.line.letter(at).filter(|letter| is_word(*letter) || ".$".contains(*letter))
            else {
                return ends;
            };
            name.push(letter.to_ascii_lowercase());
            if self.texts.elements.get(&name).is_some_and(|files| files.contains(&register)) {
                ends.push(at + 1);
            }
        }
        ends
    }

    /// The places behind elements with `,` and `-` between them.
    fn list_ends(&self, cursor: Cursor, register: RegisterId) -> Vec<usize> {
        let begin = self.line.skip_blanks(cursor.at);
        if let Some(Unit::Value(Format::List { .. }) | Unit::Choice(_)) = self.line.unit(begin) {
            return vec![begin + 1];
        }
        let mut all = Vec::new();
        let mut next = Some(cursor);
        while let Some(cursor) = next.take() {
            let Some(end) = self.element_ends(cursor, register).into_iter().max() else { break };
            all.push(end);
            let at = self.line.skip_blanks(end);
            if matches!(self.line.letter(at), Some(',' | '-')) {
                next = Some(Cursor { at: at + 1, joined: false, first: false });
            }
        }
        all
    }
}

/// Where a text of an operation stands.
fn text_span(operation: &Operation, items: &[AssemblerItem]) -> Span {
    let position = operation.assembler.iter().position(|text| std::ptr::eq(text.as_slice(), items));
    position.and_then(|position| operation.assembler_spans.get(position)).copied().unwrap_or(operation.span)
}

fn is_word(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || letter == '_'
}
