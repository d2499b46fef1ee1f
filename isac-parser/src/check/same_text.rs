//! A text has one meaning.
//!
//! Two operations of one choice whose texts have the same literals and formats, and whose codes are
//! equally long, are told apart by their values alone: by WHEN, or because a word of one is won by
//! the other. Where some values are left that both may be assembled from, the text has two meanings.

use std::collections::{BTreeMap, BTreeSet};

use super::text::{PathText, Place, Token, TokenKind, is_word, path_texts};
use crate::cube::{Budget, Cube, CubeSet, MAX_CUBES, TooManyCubes};
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::model::{
    CodingBit, Decoding, DecodingPath, Endian, Format, Model, Operation, OperationId, OperationOrGroup,
    PathStep, TailItem,
};
use crate::proof::{Undecided, WordSpace};
use crate::resolve::code;
use crate::resolve::report::error;
use crate::source::Span;

/// A text of a path.
struct Text<'a> {
    path: usize,
    text: PathText<'a>,
}

/// What texts are compared by: the length of the code, and what stands in the text.
type Key = ((u32, u64), Vec<TokenKind>);

/// Reports texts of one choice that cannot be told apart, each pair of operations once.
pub(super) fn check_texts(
    model: &Model,
    decodings: &BTreeMap<OperationOrGroup, Decoding>,
    diagnostics: &mut Diagnostics,
) {
    for decoding in decodings.values().filter(|decoding| decoding.is_known) {
        let choice = Choice { model, decoding, budget: Budget::new(), own: BTreeMap::new(), space: None };
        choice.check(diagnostics);
    }
}

struct Choice<'a> {
    model: &'a Model,
    decoding: &'a Decoding,
    budget: Budget,
    /// The own words of paths, as far as they were asked.
    own: BTreeMap<usize, Result<CubeSet, TooManyCubes>>,
    /// The same as circuits, once these were needed.
    space: Option<Result<WordSpace, Undecided>>,
}

/// Most pairs of texts of one choice that are compared: what is left is told apart when it is
/// assembled.
const MOST_COMPARED: usize = 200_000;

impl<'a> Choice<'a> {
    fn check(mut self, diagnostics: &mut Diagnostics) {
        let mut texts: BTreeMap<Key, Vec<Text<'a>>> = BTreeMap::new();
        for (path, steps) in self.decoding.paths.iter().enumerate() {
            let operations = operations_of(self.model, &steps.steps).len();
            // A text that leaves out what was chosen is warned of by itself.
            let whole = |text: &PathText<'_>| text.sections.len() == operations;
            for text in path_texts(self.model, &steps.steps, &self.here(path)).into_iter().filter(whole) {
                let kinds = as_read(text.tokens.iter().map(|token| token.kind(self.model)));
                texts.entry((self.length(steps), kinds)).or_default().push(Text { path, text });
            }
        }
        let (mut reported, mut compared) = (BTreeSet::new(), 0);
        for alike in texts.values() {
            for (index, text) in alike.iter().enumerate() {
                for earlier in alike[..index].iter().filter(|earlier| earlier.path != text.path) {
                    if compared >= MOST_COMPARED || reported.contains(&text.path) {
                        break;
                    }
                    compared += 1;
                    // What is too hard to compare is told apart when it is assembled.
                    if let Some(word) = self.shared_word(earlier, text).unwrap_or(None) {
                        reported.insert(text.path);
                        diagnostics.push(self.indistinguishable(earlier, text, word));
                    }
                }
            }
        }
    }

    /// Where the bits of a path's word stand in the choice's widest word.
    fn here(&self, path: usize) -> Vec<u32> {
        let width = self.decoding.paths[path].width_bits;
        let shift = match self.model.target.endian {
            Endian::Little => 0,
            Endian::Big => self.decoding.width_bits - width,
        };
        (shift..shift + width).collect()
    }

    /// Bits of the word, and of what follows it.
    fn length(&self, path: &DecodingPath) -> (u32, u64) {
        let tail = |operation: &Operation| {
            let words = operation.tail.iter().map(|item| match item {
                TailItem::Word { bits, .. } => bits.len() as u64,
                _ => 0,
            });
            words.sum::<u64>()
        };
        let operations = path.steps.iter().filter_map(|step| operation_of(self.model, step.target));
        (path.width_bits, operations.map(tail).sum())
    }

    /// A word of the later text whose values the earlier one has in a word of its own.
    fn shared_word(&mut self, earlier: &Text<'a>, later: &Text<'a>) -> Result<Option<Cube>, Undecided> {
        let (here, there) = aligned(&earlier.text.tokens, &later.text.tokens);
        match self.shared_values((earlier, &here), (later, &there)) {
            Ok(found) => Ok(found),
            Err(TooManyCubes) => self.shared_by_circuits((earlier, &here), (later, &there)),
        }
    }

    /// The same asked of the solver: two words, one of each text, of which these bits are alike.
    fn shared_by_circuits(
        &mut self,
        (earlier, here): (&Text<'a>, &[Place]),
        (later, there): (&Text<'a>, &[Place]),
    ) -> Result<Option<Cube>, Undecided> {
        let zeros =
            [(earlier, here), (later, there)].map(|(text, places)| self.assembled_as_zero(text, places));
        let mut alike = Vec::new();
        for pair in here.iter().zip(there) {
            match pair {
                (Place::Word(one), Place::Word(other)) => alike.push((Some(*one), Some(*other))),
                (Place::Word(one), Place::Nowhere) => alike.push((Some(*one), None)),
                (Place::Nowhere, Place::Word(other)) => alike.push((None, Some(*other))),
                _ => {}
            }
        }
        let decoding = self.decoding;
        let space = self.space.get_or_insert_with(|| WordSpace::of(decoding));
        let space = space.as_mut().map_err(|undecided| *undecided)?;
        let word = space.alike_words([earlier.path, later.path], zeros, &alike)?;
        let here = self.here(later.path).into_iter();
        Ok(word.map(|word| here.fold(Cube::default(), |cube, at| cube.with_bit(at, word.has(at)))))
    }

    /// The same of cubes.
    fn shared_values(
        &mut self,
        (earlier, here): (&Text<'a>, &[Place]),
        (later, there): (&Text<'a>, &[Place]),
    ) -> Result<Option<Cube>, TooManyCubes> {
        let (one, other) = (self.values(earlier, here)?, self.values(later, there)?);
        let Some(values) = one.overlap(&other, &mut self.budget)? else { return Ok(None) };
        Ok(Some(self.word_of(later, there, values)))
    }

    /// What the bits of a text may be: those of its words that decode to it.
    fn values(&mut self, text: &Text<'a>, places: &[Place]) -> Result<CubeSet, TooManyCubes> {
        let own = self.own_words(text.path)?;
        let zero = CubeSet::new(vec![self.assembled_as_zero(text, places)], &mut self.budget)?;
        let mut words = own.intersect(&zero, &mut self.budget)?;
        for at in repeated(places) {
            // A bit that stands in two places is the same in both.
            let both = [false, true].map(|set| Cube::default().with_bit(at, set));
            let both = both.map(|cube| words.cubes().iter().filter_map(move |word| word.intersect(cube)));
            let cubes: Vec<Cube> = both.into_iter().flatten().collect();
            if cubes.len() > MAX_CUBES {
                return Err(TooManyCubes);
            }
            words = CubeSet::of_disjoint(cubes);
        }
        let mut cubes = Vec::new();
        for word in words.cubes() {
            let value = |place: &Place| match place {
                Place::Word(at) => word.bit(*at),
                Place::Tail => None,
                Place::Nowhere => Some(false),
            };
            let known = (0..).zip(places).filter_map(|(index, place)| Some((index, value(place)?)));
            cubes.push(known.fold(Cube::default(), |cube, (index, set)| cube.with_bit(index, set)));
        }
        CubeSet::new(cubes, &mut self.budget)
    }

    /// The words that lead along a path and along no more specific one.
    fn own_words(&mut self, path: usize) -> Result<CubeSet, TooManyCubes> {
        if let Some(known) = self.own.get(&path) {
            return known.clone();
        }
        let own = self.find_own_words(path);
        self.own.insert(path, own.clone());
        own
    }

    fn find_own_words(&mut self, path: usize) -> Result<CubeSet, TooManyCubes> {
        let decoding = self.decoding;
        if decoding.paths[path].words.is_some() {
            return Err(TooManyCubes);
        }
        let (mut own, mut before) = (Vec::new(), Vec::new());
        for entry in decoding.entries.iter().filter(|entry| entry.path == path) {
            own.extend_from_slice(&entry.patterns);
        }
        let reach = own.iter().copied().reduce(Cube::join).unwrap_or_default();
        own.clear();
        for entry in &decoding.entries {
            let reaches = |words: &Cube| words.intersect(reach).is_some();
            let is_listed = entry.diagram.is_none() && decoding.paths[entry.path].words.is_none();
            if !is_listed && (entry.path == path || entry.patterns.iter().any(reaches)) {
                return Err(TooManyCubes);
            }
            if entry.path == path {
                let words = CubeSet::new(entry.patterns.clone(), &mut self.budget)?;
                let won = CubeSet::new(before.clone(), &mut self.budget)?;
                own.extend_from_slice(words.without(&won, &mut self.budget)?.cubes());
            } else {
                before.extend(entry.patterns.iter().filter(|words| words.intersect(reach).is_some()));
            }
        }
        CubeSet::new(own, &mut self.budget)
    }

    /// What a word is where the text does not say it: don't-care bits and other fields are 0.
    fn assembled_as_zero(&self, text: &Text<'a>, places: &[Place]) -> Cube {
        let mut open = self.here(text.path);
        open.retain(|at| !places.contains(&Place::Word(*at)));
        let fixed: Vec<u32> = self.fixed_positions(text.path);
        open.retain(|at| !fixed.contains(at));
        open.into_iter().fold(Cube::default(), |cube, at| cube.with_bit(at, false))
    }

    /// Where fixed bits stand, and aliases that no text mentions.
    fn fixed_positions(&self, path: usize) -> Vec<u32> {
        let mut here = self.here(path);
        let mut found = Vec::new();
        let steps = &self.decoding.paths[path].steps;
        for (index, step) in steps.iter().enumerate() {
            let Some(operation) = operation_of(self.model, step.target) else { continue };
            let followed = steps[index + 1..].iter().find_map(|step| step.instance);
            let coding = operation.coding.as_deref().unwrap_or_default();
            let mut inner = Vec::new();
            for (coded, at) in coding.iter().rev().zip(&here) {
                match coded {
                    CodingBit::Instance { instance, bit } if Some(*instance) == followed => {
                        inner.push((*bit, *at));
                    }
                    CodingBit::Fixed(_) | CodingBit::Field { fixed: Some(_), .. } => found.push(*at),
                    CodingBit::Instance { .. } => found.push(*at),
                    CodingBit::Any | CodingBit::Field { .. } => {}
                }
            }
            inner.sort_unstable();
            here = inner.into_iter().map(|(_, at)| at).collect();
        }
        found
    }

    /// A whole word of a text with these values.
    fn word_of(&mut self, text: &Text<'a>, places: &[Place], values: Cube) -> Cube {
        let placed = (0..).zip(places).fold(Cube::default(), |cube, (index, place)| match place {
            Place::Word(at) => cube.with_bit(*at, values.bit(index) == Some(true)),
            _ => cube,
        });
        let own = self.own_words(text.path).ok();
        let within = own.and_then(|own| own.cubes().iter().find_map(|cube| cube.intersect(placed)));
        let word = within.unwrap_or(placed);
        self.here(text.path)
            .into_iter()
            .fold(Cube::default(), |cube, at| cube.with_bit(at, word.bit(at) == Some(true)))
    }

    fn indistinguishable(&self, earlier: &Text<'a>, later: &Text<'a>, word: Cube) -> Diagnostic {
        let written = later.text.write_word(self.model, word);
        let (one, other) = (self.leaf(earlier, later), self.leaf(later, earlier));
        let message = format!("`{}` and `{}` cannot be told apart in a text", one.name, other.name);
        let label = format!("`{}` may be written `{written}`", other.name);
        error(code::SAME_TEXT, self.section_span(later, other), message, label)
            .secondary(self.section_span(earlier, one), format!("and so may `{}`", one.name))
            .help("let a literal or a format differ, or keep values apart by WHEN")
    }

    /// Where the text of one operation on a path stands.
    fn section_span(&self, text: &Text<'a>, operation: &'a Operation) -> Span {
        let is_own = |id: OperationId| std::ptr::eq(&self.model.operations[id.index()], operation);
        let section = text.text.sections.iter().find(|(id, _)| is_own(*id)).map(|(_, section)| *section);
        section.and_then(|section| operation.assembler_spans.get(section)).copied().unwrap_or(operation.span)
    }

    /// The innermost operation of a path that the other one has not.
    fn leaf(&self, text: &Text<'a>, other: &Text<'a>) -> &'a Operation {
        let operations = |text: &Text<'a>| operations_of(self.model, &self.decoding.paths[text.path].steps);
        let (own, others) = (operations(text), operations(other));
        let differs =
            |operation: &&&'a Operation| others.iter().all(|other| !std::ptr::eq(*other, **operation));
        own.iter().rev().find(differs).or(own.last()).expect("a path has an operation")
    }
}

/// The operations on a path.
fn operations_of<'a>(model: &'a Model, steps: &[PathStep]) -> Vec<&'a Operation> {
    steps.iter().filter_map(|step| operation_of(model, step.target)).collect()
}

fn operation_of(model: &Model, target: OperationOrGroup) -> Option<&Operation> {
    match target {
        OperationOrGroup::Operation(id) => Some(&model.operations[id.index()]),
        OperationOrGroup::Group(_) => None,
    }
}

/// What is read where these stand one behind the other: literals that touch are one, with a blank where
/// two words meet. Behind or before another sign it makes no difference to what may touch it that two items
/// are joined.
fn as_read(kinds: impl Iterator<Item = TokenKind>) -> Vec<TokenKind> {
    let mut read: Vec<TokenKind> = Vec::new();
    let mut is_joined = false;
    for kind in kinds {
        match kind {
            TokenKind::Join => is_joined = true,
            TokenKind::Text(literal) => {
                for part in literal.split_whitespace() {
                    match read.last_mut() {
                        Some(TokenKind::Text(before)) => {
                            if !is_joined && before.ends_with(is_word) && part.starts_with(is_word) {
                                before.push(' ');
                            }
                            *before += part;
                        }
                        _ => {
                            if std::mem::take(&mut is_joined) && part.starts_with(is_word) {
                                read.push(TokenKind::Join);
                            }
                            read.push(TokenKind::Text(part.to_owned()));
                        }
                    }
                    is_joined = false;
                }
            }
            value => {
                let is_behind_sign =
                    matches!(read.last(), Some(TokenKind::Text(before)) if !before.ends_with(is_word));
                if std::mem::take(&mut is_joined) && !is_behind_sign {
                    read.push(TokenKind::Join);
                }
                read.push(value);
            }
        }
    }
    read
}

/// Where the bits of two texts' values stand, one after the other: bit i of both is the same bit of
/// the same value.
///
/// Of two fields of different widths the narrower one is extended, by its sign if it has one.
fn aligned<'a>(one: &'a [Token<'a>], other: &'a [Token<'a>]) -> (Vec<Place>, Vec<Place>) {
    let (mut left, mut right) = (Vec::new(), Vec::new());
    // Literals may be divided otherwise.
    let values = |tokens: &'a [Token<'a>]| {
        tokens.iter().filter(|token| matches!(token, Token::Field { .. } | Token::Alias { .. }))
    };
    for (one, other) in values(one).zip(values(other)) {
        let width = places(one).len().max(places(other).len());
        for (token, all) in [(one, &mut left), (other, &mut right)] {
            let mut own = places(token);
            let is_signed =
                matches!(token, Token::Field { format: Format::Signed | Format::Relative { .. }, .. });
            let above = own.last().copied().filter(|_| is_signed).unwrap_or(Place::Nowhere);
            own.resize(width, above);
            all.append(&mut own);
        }
    }
    (left, right)
}

/// Where the bits of a token's value stand.
fn places(token: &Token<'_>) -> Vec<Place> {
    match token {
        Token::Field { bits, .. } => bits.clone(),
        Token::Alias { positions, .. } => positions.iter().map(|at| Place::Word(*at)).collect(),
        Token::Text(_) | Token::Join => Vec::new(),
    }
}

/// The bits of the word that stand in several places.
fn repeated(places: &[Place]) -> BTreeSet<u32> {
    let mut seen = BTreeSet::new();
    let word = places.iter().filter_map(|place| match place {
        Place::Word(at) => Some(*at),
        _ => None,
    });
    word.filter(|at| !seen.insert(*at)).collect()
}
