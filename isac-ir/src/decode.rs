//! Decoding at run time: words and [`Decoder`]s give a decoding tree.
//!
//! This is the plain way that the reference engine takes and from which profiles get their names;
//! generated simulators run the same automata as code. Cells are asked for only when they are
//! needed: an instruction at the end of memory is not abandoned for what it does not have.

mod tree;

pub use self::tree::{Decoded, DecodedNode};
use crate::Model;
use crate::bits::Bits;
use crate::decoder::{Decoder, Run, State};
use crate::operation::{TailItem, Target};
use crate::root::decode_root;

/// Where the cells of an instruction come from.
pub trait CellSource {
    /// Why there are none.
    type Fault;

    /// The cells that stand `first_bit` bits behind the first one, joined in the target's byte
    /// order; both numbers are multiples of the cell.
    ///
    /// # Errors
    /// The fault that fetching them is.
    fn fetch(&mut self, first_bit: u32, width_bits: u32) -> Result<Bits, Self::Fault>;
}

/// The cells of a word that is there already: in a register, or recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WholeWord {
    /// All cells, joined in the target's byte order.
    pub word: Bits,
    /// How many bits they are.
    pub width_bits: u32,
    /// The target's byte order.
    pub big_endian: bool,
}

/// A word has fewer cells than were asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WordEnded;

impl CellSource for WholeWord {
    type Fault = WordEnded;

    fn fetch(&mut self, first_bit: u32, width_bits: u32) -> Result<Bits, WordEnded> {
        let behind = self.width_bits.checked_sub(first_bit + width_bits).ok_or(WordEnded)?;
        let low = if self.big_endian { behind } else { first_bit };
        Ok(self.word.shifted_down(low) & Bits::ones(width_bits))
    }
}

/// Why nothing was decoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DecodeError<F> {
    /// The words match nothing.
    Illegal,
    /// Cells that are needed cannot be had.
    Fetch(F),
}

/// What one element of a CODINGROOT has decoded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DecodedElement {
    /// Its part of the tree, in pre-order; node 0 has no parent yet.
    pub nodes: Vec<DecodedNode>,
    /// Its word and the words of its tail, in address order, each with its width.
    pub words: Vec<(Bits, u32)>,
    /// How many bits were looked at to find that out, at least the width of all words: a change of
    /// any of their cells may make it another instruction.
    pub seen_bits: u32,
}

impl DecodedElement {
    /// Width of all words together.
    pub fn width_bits(&self) -> u32 {
        self.words.iter().map(|(_, width)| width).sum()
    }

    /// All cells as one word, joined in the target's byte order; what passes bit 255 is lost.
    pub fn joined(&self, big_endian: bool) -> Bits {
        let mut joined = Bits::ZERO;
        let mut done = 0;
        for (word, width) in &self.words {
            joined = match big_endian {
                true => joined.shifted(*width) | *word,
                false => joined | word.shifted(done),
            };
            done += width;
        }
        joined
    }

    /// The words one behind the other, each with its most significant byte first.
    pub fn bytes(&self) -> Vec<u8> {
        self.words.iter().flat_map(|(word, width)| word.to_be_bytes(*width)).collect()
    }
}

/// Decodes one element of a CODINGROOT.
///
/// # Errors
/// If its words match nothing, or cannot be fetched.
pub fn decode_element<S: CellSource>(
    model: &Model,
    decoder: u32,
    source: &mut S,
) -> Result<DecodedElement, DecodeError<S::Fault>> {
    let mut decoding = Decoding {
        model,
        source,
        nodes: Vec::new(),
        words: Vec::new(),
        next_bit: 0,
        seen_bits: 0,
        in_order: true,
    };
    decoding.word(decoder)?;
    let Decoding { nodes, words, seen_bits, in_order, .. } = decoding;
    Ok(DecodedElement { nodes: if in_order { nodes } else { in_pre_order(nodes) }, words, seen_bits })
}

/// A word of an instruction with the instance that decoded it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Element {
    /// The instance of the operation that holds the CODINGROOT.
    pub instance: u32,
    /// Its number among the elements of the CODINGROOT.
    pub element: u32,
    /// Its decoder.
    pub decoder: u32,
    /// All its cells, joined in the target's byte order.
    pub word: Bits,
    /// How many bits they are.
    pub width_bits: u32,
}

/// Decodes the elements of an operation's CODINGROOT, which stand in the order in which they were
/// decoded; `None` if a word matches nothing.
pub fn decode_instruction(model: &Model, operation: u32, elements: &[Element]) -> Option<Decoded> {
    Some(decode_root(model, operation, elements)?.decoded)
}

/// Decodes one element whose cells are known; `None` if they match nothing.
pub fn decode_word(model: &Model, element: &Element) -> Option<DecodedElement> {
    let Element { word, width_bits, .. } = *element;
    let mut source = WholeWord { word, width_bits, big_endian: model.target.big_endian };
    decode_element(model, element.decoder, &mut source).ok()
}

/// An element while it is being decoded.
struct Decoding<'a, S> {
    model: &'a Model,
    source: &'a mut S,
    nodes: Vec<DecodedNode>,
    words: Vec<(Bits, u32)>,
    /// Where the next word begins.
    next_bit: u32,
    /// The end of what was fetched so far.
    seen_bits: u32,
    /// The nodes are in pre-order: no tail has decoded any.
    in_order: bool,
}

impl<S: CellSource> Decoding<'_, S> {
    /// Decodes a word and its tail; gives the index of its node.
    fn word(&mut self, decoder: u32) -> Result<u32, DecodeError<S::Fault>> {
        let automaton = &self.model.decoders[decoder as usize];
        let (variant, word) = self.choose(automaton)?;
        let width = automaton.variants[variant as usize].width_bits;
        let low = if self.model.target.big_endian { automaton.width_bits - width } else { 0 };
        self.words.push((word.shifted_down(low) & Bits::ones(width), width));
        self.next_bit += width;
        let node = self.place(decoder, variant, word).ok_or(DecodeError::Illegal)?;
        self.tail(node)?;
        Ok(node)
    }

    /// Runs an automaton, fetching what it asks for; the word lies as the decoder counts it.
    fn choose(&mut self, decoder: &Decoder) -> Result<(u32, Bits), DecodeError<S::Fault>> {
        let (mut word, mut there) = (Bits::ZERO, 0);
        self.fetch(decoder, &mut word, &mut there, decoder.first_bits)?;
        let mut state = decoder.start;
        loop {
            match &decoder.states[state as usize] {
                State::Reject => return Err(DecodeError::Illegal),
                State::Accept(variant) => return Ok((*variant, word)),
                State::Fetch { width_bits, next } => {
                    self.fetch(decoder, &mut word, &mut there, *width_bits)?;
                    state = *next;
                }
                State::Test { low, width, edges, otherwise } => {
                    state = take_edge(edges, *otherwise, word.extract(*low, *width) as u64);
                }
            }
        }
    }

    /// Adds the cells of a word from `there` up to `width` to it.
    fn fetch(
        &mut self,
        decoder: &Decoder,
        word: &mut Bits,
        there: &mut u32,
        width: u32,
    ) -> Result<(), DecodeError<S::Fault>> {
        if width > *there {
            let cells = self.source.fetch(self.next_bit + *there, width - *there);
            self.seen_bits = self.seen_bits.max(self.next_bit + width);
            let cells = cells.map_err(DecodeError::Fetch)?;
            let low = if self.model.target.big_endian { decoder.width_bits - width } else { *there };
            *word = *word | cells.shifted(low);
            *there = width;
        }
        Ok(())
    }

    /// Appends the tree of a variant; `None` if a part of it is nothing. Gives the index of its
    /// first node.
    fn place(&mut self, decoder: u32, variant: u32, word: Bits) -> Option<u32> {
        let automaton = &self.model.decoders[decoder as usize];
        let variant = &automaton.variants[variant as usize];
        let first = self.nodes.len() as u32;
        let mut places = Vec::with_capacity(variant.nodes.len());
        for node in &variant.nodes {
            let index = self.nodes.len() as u32;
            places.push(index);
            let coded = gather(word, &node.coded);
            if let Some(nested) = node.nested {
                let variant = choose_variant(&self.model.decoders[nested as usize], coded)?;
                self.place(nested, variant, coded)?;
            } else {
                let fields = node.fields.iter().map(|runs| gather(word, runs).to_u128()).collect();
                let coded = coded.to_u128();
                self.nodes.push(DecodedNode { coded, fields, ..DecodedNode::new(node.target) });
            }
            let placed = &mut self.nodes[index as usize];
            placed.parent = node.parent.map(|parent| places[parent as usize]);
            placed.position = node.position;
            placed.instance = node.instance;
            placed.nested = node.nested;
        }
        Some(first)
    }

    /// Fetches what follows the word for a node and all below it.
    fn tail(&mut self, node: u32) -> Result<(), DecodeError<S::Fault>> {
        let model = self.model;
        let Target::Operation(operation) = self.nodes[node as usize].target else {
            return match self.child(node, None) {
                Some(member) => self.tail(member),
                None => Ok(()),
            };
        };
        for item in &model.operation(operation).tail {
            match item {
                TailItem::Word { width_bits, mask, value, fields } => {
                    let word = self.source.fetch(self.next_bit, *width_bits).map_err(DecodeError::Fetch)?;
                    self.next_bit += width_bits;
                    self.seen_bits = self.seen_bits.max(self.next_bit);
                    self.words.push((word, *width_bits));
                    if word & *mask != *value {
                        return Err(DecodeError::Illegal);
                    }
                    for (field, run) in fields {
                        self.nodes[node as usize].fields[*field as usize] |= gather(word, &[*run]).to_u128();
                    }
                }
                TailItem::Instance(instance) => {
                    if let Some(child) = self.child(node, Some(*instance)) {
                        self.tail(child)?;
                    }
                }
                TailItem::Decode { instance, decoder } => {
                    let child = self.word(*decoder)?;
                    self.in_order = false;
                    let placed = &mut self.nodes[child as usize];
                    placed.parent = Some(node);
                    placed.instance = Some(*instance);
                    placed.position = *instance;
                    placed.nested = Some(*decoder);
                }
            }
        }
        Ok(())
    }

    fn child(&self, node: u32, instance: Option<u32>) -> Option<u32> {
        let below = (node + 1..).zip(&self.nodes[node as usize + 1..]);
        let mut fitting = below.filter(|(_, child)| child.parent == Some(node));
        fitting.find(|(_, child)| instance.is_none() || child.instance == instance).map(|(index, _)| index)
    }
}

/// The nodes in pre-order, siblings by their instances: what a tail has decoded was found last.
fn in_pre_order(nodes: Vec<DecodedNode>) -> Vec<DecodedNode> {
    let mut order = Vec::with_capacity(nodes.len());
    let mut waiting = vec![0];
    while let Some(node) = waiting.pop() {
        order.push(node);
        let mut below: Vec<usize> =
            (0..nodes.len()).filter(|child| nodes[*child].parent == Some(node as u32)).collect();
        below.sort_by_key(|child| std::cmp::Reverse(nodes[*child].instance));
        waiting.extend(below);
    }
    let mut moved = vec![0; nodes.len()];
    for (to, from) in order.iter().enumerate() {
        moved[*from] = to as u32;
    }
    let mut nodes: Vec<Option<DecodedNode>> = nodes.into_iter().map(Some).collect();
    let ordered = order.into_iter().filter_map(|from| nodes[from].take());
    ordered
        .map(|node| DecodedNode { parent: node.parent.map(|parent| moved[parent as usize]), ..node })
        .collect()
}

/// The index of the variant that a word is, all of which is there.
pub fn choose_variant(decoder: &Decoder, word: Bits) -> Option<u32> {
    let mut state = decoder.start;
    loop {
        match &decoder.states[state as usize] {
            State::Reject => return None,
            State::Accept(variant) => return Some(*variant),
            State::Fetch { next, .. } => state = *next,
            State::Test { low, width, edges, otherwise } => {
                state = take_edge(edges, *otherwise, word.extract(*low, *width) as u64);
            }
        }
    }
}

/// Where a value leads.
fn take_edge(edges: &[(u64, u32)], otherwise: u32, value: u64) -> u32 {
    edges.binary_search_by_key(&value, |(edge, _)| *edge).map_or(otherwise, |found| edges[found].1)
}

/// Copies runs of bits out of a word.
pub fn gather(word: Bits, runs: &[Run]) -> Bits {
    runs.iter().fold(Bits::ZERO, |value, run| {
        let halves = [(0, run.width.min(128)), (128, run.width.saturating_sub(128))];
        halves.into_iter().filter(|(_, width)| *width > 0).fold(value, |value, (offset, width)| {
            value.with(run.to + offset, width, word.extract(run.from + offset, width))
        })
    })
}
