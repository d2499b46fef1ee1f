//! Instruction words from the lowered description: its decoders, run backwards.

#![allow(dead_code, reason = "every test takes what it needs")]

use std::collections::{BTreeMap, BTreeSet};

use isac_ir::Model;
use isac_ir::behavior::{Access, AccessKind, Body, ExprKind, Stmt, walk_expressions, walk_statements};
use isac_ir::bits::Bits;
use isac_ir::decode::choose_variant;
use isac_ir::decoder::{Decoder, Run, State};
use isac_ir::operand::MentionKind;
use isac_ir::operation::Target;

use crate::support::random::Random;

/// A word of one of the model's widths.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Word {
    pub(crate) bits: u32,
    pub(crate) bytes: u32,
}

/// An instruction of the description: a variant of the decoder.
#[derive(Debug, Clone)]
pub(crate) struct Instruction {
    pub(crate) name: String,
    /// Its way through the decoder, which tells it from others of the same operation.
    pub(crate) path: String,
    /// The groups above its operation.
    pub(crate) groups: Vec<String>,
    /// Its size.
    pub(crate) bytes: u32,
    /// Its own BEHAVIOR touches something behind a map.
    pub(crate) touches_memory: bool,
    /// Its own BEHAVIOR writes the PC.
    pub(crate) sets_pc: bool,
    /// The cells of the narrowest access that its own BEHAVIOR makes to memory, 1 if it makes none: what an
    /// address has to be a multiple of, where it has to be aligned.
    pub(crate) access_cells: u32,
    /// The operands that its own BEHAVIOR assigns to.
    written: BTreeSet<String>,
    variant: u32,
    /// Where operands and fields lie: by alias the operand's element, by name the field.
    places: BTreeMap<String, Vec<Run>>,
    /// The operands among them that are one of several: not every value is one.
    choices: BTreeSet<String>,
}

impl Instruction {
    pub(crate) fn has(&self, place: &str) -> bool {
        self.places.contains_key(place)
    }

    /// Whether the instruction writes what an operand names.
    pub(crate) fn writes(&self, place: &str) -> bool {
        self.written.contains(place)
    }

    pub(crate) fn is_in(&self, group: &str) -> bool {
        self.groups.iter().any(|above| above == group)
    }

    /// How many bits a place has in the word.
    pub(crate) fn width(&self, place: &str) -> u32 {
        self.places.get(place).map_or(0, |runs| runs.iter().map(|run| run.width).sum())
    }
}

/// All instructions of a model whose longest words have 32 bits, and how to encode them.
pub(crate) struct Encoder<'m> {
    model: &'m Model,
    decoder: &'m Decoder,
    /// By state, which variants it may lead to.
    reaches: Vec<Vec<u32>>,
    instructions: Vec<Instruction>,
}

impl<'m> Encoder<'m> {
    pub(crate) fn new(model: &'m Model) -> Encoder<'m> {
        let is_root = |decoder: &&Decoder| model.target_name(decoder.target) == "instr";
        let decoder = model.decoders.iter().find(is_root).expect("a decoder of instructions");
        let variants = 0..decoder.variants.len() as u32;
        let instructions = variants.map(|variant| instruction(model, decoder, variant)).collect();
        Encoder { model, decoder, reaches: reached_variants(decoder), instructions }
    }

    /// All instructions.
    pub(crate) fn instructions(&self) -> &[Instruction] {
        &self.instructions
    }

    /// The instruction that a word is.
    pub(crate) fn find(&self, word: Word) -> Option<&Instruction> {
        let variant = choose_variant(self.decoder, Bits::from_u128(word.bits.into()))?;
        Some(&self.instructions[variant as usize])
    }

    /// Which of the model's decoders it is.
    pub(crate) fn decoder_index(&self, model: &Model) -> u32 {
        model.decoder_of(self.decoder.target).expect("it is one of the model's")
    }

    /// The places of an instruction that hold a number, each with the highest that it holds.
    pub(crate) fn places<'i>(&self, instruction: &'i Instruction) -> Vec<(&'i str, u32)> {
        let holds_number =
            |place: &&String| !instruction.places[*place].is_empty() && !instruction.choices.contains(*place);
        let places = instruction.places.keys().filter(holds_number);
        places.map(|place| (place.as_str(), self.highest(instruction, place))).collect()
    }

    /// What a place of a word holds.
    pub(crate) fn value(&self, instruction: &Instruction, word: Word, place: &str) -> u32 {
        let runs = instruction.places.get(place).map_or(&[][..], Vec::as_slice);
        let bits = Bits::from_u128(word.bits.into());
        runs.iter().fold(0, |value, run| value | (bits.extract(run.from, run.width) as u32) << run.to)
    }

    pub(crate) fn instruction(&self, name: &str) -> &Instruction {
        self.instructions.iter().find(|one| one.name == name).expect("the description has it")
    }

    /// A word of the instruction: the bits that decoding looks at, all others random.
    pub(crate) fn random_word(&self, instruction: &Instruction, random: &mut Random) -> Word {
        let bytes = instruction.bytes;
        loop {
            let bits = self.walk(instruction.variant, random) & u32::MAX >> (32 - 8 * bytes);
            if choose_variant(self.decoder, Bits::from_u128(bits.into())) == Some(instruction.variant) {
                return Word { bits, bytes };
            }
        }
    }

    /// The instruction with these operands and fields, the rest 0 where decoding allows.
    pub(crate) fn encode(&self, name: &str, values: &[(&str, u32)]) -> Word {
        let instruction = self.instruction(name);
        let mut word = self.random_word(instruction, &mut Random::new(0));
        for (place, value) in values {
            word = self.set(instruction, word, place, *value);
        }
        word
    }

    /// The word with an operand or a field set, which decides nothing about the decoding.
    pub(crate) fn set(&self, instruction: &Instruction, word: Word, place: &str, value: u32) -> Word {
        self.try_set(instruction, word, place, value).expect("it stays the same instruction")
    }

    /// The same where the value may make it another instruction: `None` then.
    pub(crate) fn try_set(
        &self,
        instruction: &Instruction,
        word: Word,
        place: &str,
        value: u32,
    ) -> Option<Word> {
        self.try_set_all(instruction, word, &[(place, value)])
    }

    /// The same with several operands or fields at once, which may depend on each other.
    pub(crate) fn try_set_all(
        &self,
        instruction: &Instruction,
        word: Word,
        values: &[(&str, u32)],
    ) -> Option<Word> {
        let mut scattered = Bits::from_u128(word.bits.into());
        for (place, value) in values {
            // What the coding names twice is the same in both places.
            let both = [instruction.places.get(*place), instruction.places.get(&format!("{place}_again"))];
            for run in both.into_iter().flatten().flatten() {
                let bits = Bits::from_u128((*value).into()).extract(run.to, run.width);
                scattered = scattered.with(run.from, run.width, bits);
            }
        }
        let same = choose_variant(self.decoder, scattered) == Some(instruction.variant);
        same.then(|| Word { bits: scattered.to_u128() as u32, ..word })
    }

    /// The highest value that a place can be set to.
    pub(crate) fn highest(&self, instruction: &Instruction, place: &str) -> u32 {
        let runs = instruction.places.get(place).map_or(&[][..], Vec::as_slice);
        runs.iter().fold(0, |value, run| value | u32::MAX >> (32 - run.width) << run.to)
    }

    /// The name of a word's instruction, for messages.
    pub(crate) fn name_of(&self, word: Word) -> &str {
        let variant = choose_variant(self.decoder, Bits::from_u128(word.bits.into()));
        variant.map_or("nothing", |variant| &self.instructions[variant as usize].name)
    }

    /// What the members of a group that have one code are coded as, by their names.
    pub(crate) fn numbers(&self, group: &str) -> BTreeMap<String, u32> {
        let decoder =
            self.model.decoders.iter().find(|decoder| self.model.target_name(decoder.target) == group);
        let decoder = decoder.expect("the group is decoded");
        let reaches = reached_variants(decoder);
        let mut numbers = BTreeMap::new();
        for (number, variant) in (0..).zip(&decoder.variants) {
            let node = variant.nodes.last().expect("what is decoded");
            if node.fields.is_empty() {
                let coded = walk(decoder, &reaches, number, &mut Random::new(0));
                let coded = coded & u32::MAX >> (32 - variant.width_bits);
                numbers.insert(self.model.target_name(node.target).to_owned(), coded);
            }
        }
        numbers
    }

    /// Walks the automaton towards a variant and writes down what it looks at.
    fn walk(&self, variant: u32, random: &mut Random) -> u32 {
        walk(self.decoder, &self.reaches, variant, random)
    }
}

/// A word that a decoder takes for a variant, where `reaches` says which variants each state may lead to: what
/// the automaton looks at, all else random.
fn walk(decoder: &Decoder, reaches: &[Vec<u32>], variant: u32, random: &mut Random) -> u32 {
    let mut word = Bits::from_u128((random.next() as u32).into());
    let mut state = decoder.start;
    loop {
        let (low, width, edges, otherwise) = match &decoder.states[state as usize] {
            State::Test { low, width, edges, otherwise } => (low, width, edges, otherwise),
            State::Fetch { next, .. } => {
                state = *next;
                continue;
            }
            State::Accept(_) | State::Reject => break,
        };
        let leads = |state: u32| reaches[state as usize].contains(&variant);
        let mut ways: Vec<(u64, u32)> = edges.iter().copied().filter(|(_, to)| leads(*to)).collect();
        let other = random.next() & ((1 << width) - 1);
        if leads(*otherwise) && edges.iter().all(|(value, _)| *value != other) {
            ways.push((other, *otherwise));
        }
        if ways.is_empty() {
            continue;
        }
        let (value, next) = *random.choose(&ways);
        word = word.with(*low, *width, value.into());
        state = next;
    }
    word.to_u128() as u32
}

/// By state, which variants it may lead to; edges lead to states before.
fn reached_variants(decoder: &Decoder) -> Vec<Vec<u32>> {
    let mut reached: Vec<Vec<u32>> = Vec::new();
    for state in &decoder.states {
        let mut variants = match state {
            State::Reject => Vec::new(),
            State::Accept(variant) => vec![*variant],
            State::Fetch { next, .. } => reached[*next as usize].clone(),
            State::Test { width, edges, otherwise, .. } => {
                let is_full = edges.len() as u64 == 1 << width;
                let next = edges.iter().map(|(_, to)| to).chain((!is_full).then_some(otherwise));
                next.flat_map(|to| reached[*to as usize].clone()).collect()
            }
        };
        variants.sort_unstable();
        variants.dedup();
        reached.push(variants);
    }
    reached
}

fn instruction(model: &Model, decoder: &Decoder, variant: u32) -> Instruction {
    let nodes = &decoder.variants[variant as usize].nodes;
    let is_operation = |target| matches!(target, Target::Operation(_));
    let (index, node) =
        (0u32..).zip(nodes).find(|(_, node)| is_operation(node.target)).expect("an operation");
    let Target::Operation(number) = node.target else { unreachable!("found as an operation") };
    let operation = model.operation(number);
    let named = operation.fields.iter().map(|field| field.name.clone());
    let mut places: BTreeMap<String, Vec<Run>> = named.zip(node.fields.clone()).collect();
    let mut choices = BTreeSet::new();
    for operand in nodes.iter().filter(|node| node.parent == Some(index)) {
        let Some(instance) = operand.instance else { continue };
        let alias = operation.instances[instance as usize].alias.clone();
        match &operand.fields[..] {
            [element] => {
                places.insert(alias, element.clone());
            }
            _ if operand.nested.is_some() => {
                choices.insert(alias.clone());
                places.insert(alias, operand.coded.clone());
            }
            _ => {}
        }
    }
    let accesses: Vec<_> = operation.behavior.iter().flat_map(|body| &body.accesses).collect();
    let above = &nodes[..index as usize];
    let groups = above.iter().map(|node| model.target_name(node.target).to_owned()).collect();
    let is_jump =
        |access: &&Access| access.kind == AccessKind::Write && model.pc_register() == Some(access.resource);
    let touches_memory = accesses.iter().any(|access| access.resource as usize >= model.registers.len());
    let sets_pc = accesses.iter().any(is_jump);
    let access_cells = operation.behavior.as_ref().and_then(narrowest_access).unwrap_or(1);
    let written = operation.behavior.iter().flat_map(|body| &body.mentions);
    let written =
        written.filter(|mention| matches!(mention.kind, MentionKind::Write | MentionKind::WriteBound));
    let written =
        written.map(|mention| operation.instances[mention.instance as usize].alias.clone()).collect();
    let bytes = decoder.variants[variant as usize].width_bits / 8;
    let opcodes =
        nodes.iter().filter(|node| node.fields.is_empty() || std::ptr::eq(*node, &nodes[index as usize]));
    let path = opcodes.map(|node| model.target_name(node.target)).collect::<Vec<_>>().join(" ");
    let name = operation.name.clone();
    Instruction {
        name,
        path,
        groups,
        bytes,
        touches_memory,
        sets_pc,
        access_cells,
        written,
        variant,
        places,
        choices,
    }
}

/// The cells of a body's narrowest access to memory.
fn narrowest_access(body: &Body) -> Option<u32> {
    let mut all = Vec::new();
    walk_statements(&body.statements, &mut |statement| {
        if let Stmt::SetMemory { cells, .. } = statement {
            all.push(*cells);
        }
    });
    walk_expressions(&body.statements, &mut |expression| {
        if let ExprKind::Memory { cells, .. } = &expression.kind {
            all.push(*cells);
        }
    });
    all.into_iter().min()
}
