//! Instruction words from the lowered description: its decoders, run backwards.

use std::collections::BTreeMap;

use isac_ir::Model;
use isac_ir::behavior::AccessKind;
use isac_ir::bits::Bits;
use isac_ir::decode::choose_variant;
use isac_ir::decoder::{Decoder, Run, State};
use isac_ir::operation::Target;

use super::random::Random;

/// What ends the run or leaves to the host: the harness alone uses it.
const NOT_RANDOM: [&str; 2] = ["ecall", "ebreak"];

/// The one that jumps to where a register points.
const INDIRECT: &str = "jalr";

/// What a random program must know of an instruction to stay alive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Goes on with the next instruction, whatever its operands are.
    Plain,
    /// Touches memory at a register and an offset.
    Memory,
    /// May set the PC to its own address and an offset.
    Jump,
    /// Sets the PC to a register and an offset.
    IndirectJump,
}

/// An instruction of the description: a variant of the decoder.
#[derive(Debug, Clone)]
pub(crate) struct Instruction {
    pub(crate) name: String,
    pub(crate) kind: Kind,
    variant: u32,
    /// Where operands and fields lie: by alias the operand's element, by name the field.
    places: BTreeMap<String, Vec<Run>>,
}

impl Instruction {
    pub(crate) fn has(&self, place: &str) -> bool {
        self.places.contains_key(place)
    }
}

/// All instructions of a model with 32-bit words, and how to encode them.
pub(crate) struct Encoder<'m> {
    decoder: &'m Decoder,
    /// By state, which variants it may lead to.
    reaches: Vec<Vec<u32>>,
    instructions: Vec<Instruction>,
}

impl<'m> Encoder<'m> {
    pub(crate) fn new(model: &'m Model) -> Encoder<'m> {
        let decoder = model.decoders.iter().find(|decoder| decoder.width_bits == 32);
        let decoder = decoder.expect("a decoder of 32-bit words");
        let variants = 0..decoder.variants.len() as u32;
        let instructions = variants.map(|variant| instruction(model, decoder, variant)).collect();
        Encoder { decoder, reaches: reached_variants(decoder), instructions }
    }

    /// What random programs may hold.
    pub(crate) fn random_instructions(&self) -> Vec<&Instruction> {
        self.instructions.iter().filter(|one| !NOT_RANDOM.contains(&one.name.as_str())).collect()
    }

    pub(crate) fn instruction(&self, name: &str) -> &Instruction {
        self.instructions.iter().find(|one| one.name == name).expect("the description has it")
    }

    /// A word of the instruction: the bits that decoding looks at, all others random.
    pub(crate) fn random_word(&self, instruction: &Instruction, random: &mut Random) -> u32 {
        loop {
            let word = self.walk(instruction.variant, random);
            if choose_variant(self.decoder, bits(word)) == Some(instruction.variant) {
                return word;
            }
        }
    }

    /// The instruction with these operands and fields, the rest 0 where decoding allows.
    pub(crate) fn encode(&self, name: &str, values: &[(&str, u32)]) -> u32 {
        let instruction = self.instruction(name);
        let mut word = self.random_word(instruction, &mut Random::new(0));
        for (place, value) in values {
            word = self.set(instruction, word, place, *value);
        }
        word
    }

    /// The word with an operand or a field set, which decides nothing about the decoding.
    pub(crate) fn set(&self, instruction: &Instruction, word: u32, place: &str, value: u32) -> u32 {
        let runs = instruction.places.get(place).map_or(&[][..], Vec::as_slice);
        let scattered = runs.iter().fold(bits(word), |word, run| {
            word.with(run.from, run.width, bits(value).extract(run.to, run.width))
        });
        assert_eq!(choose_variant(self.decoder, scattered), Some(instruction.variant));
        scattered.to_u128() as u32
    }

    /// The name of a word's instruction, for messages.
    pub(crate) fn name_of(&self, word: u32) -> &str {
        let variant = choose_variant(self.decoder, bits(word));
        variant.map_or("nothing", |variant| &self.instructions[variant as usize].name)
    }

    /// Walks the automaton towards a variant and writes down what it looks at.
    fn walk(&self, variant: u32, random: &mut Random) -> u32 {
        let mut word = bits(random.next() as u32);
        let mut state = self.decoder.start;
        while let State::Test { low, width, edges, otherwise } = &self.decoder.states[state as usize] {
            let leads = |state: u32| self.reaches[state as usize].contains(&variant);
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
}

fn bits(word: u32) -> Bits {
    Bits::from_u128(word.into())
}

/// By state, which variants it may lead to; edges lead to states before.
fn reached_variants(decoder: &Decoder) -> Vec<Vec<u32>> {
    let mut reached: Vec<Vec<u32>> = Vec::new();
    for state in &decoder.states {
        let mut variants = match state {
            State::Reject => Vec::new(),
            State::Accept(variant) => vec![*variant],
            State::Fetch { next, .. } => reached[*next as usize].clone(),
            State::Test { edges, otherwise, .. } => {
                let next = edges.iter().map(|(_, to)| to).chain([otherwise]);
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
    for operand in nodes.iter().filter(|node| node.parent == Some(index)) {
        if let (Some(instance), [element]) = (operand.instance, &operand.fields[..]) {
            places.insert(operation.instances[instance as usize].alias.clone(), element.clone());
        }
    }
    let accesses = operation.behavior.iter().flat_map(|body| &body.accesses);
    let mut kind = if operation.name == INDIRECT { Kind::IndirectJump } else { Kind::Plain };
    for access in accesses {
        let resource = access.resource as usize;
        match (kind, access.kind) {
            (Kind::Plain, AccessKind::Write) if model.pc_register() == Some(resource as u32) => {
                kind = Kind::Jump
            }
            (Kind::Plain, _) if resource >= model.registers.len() => kind = Kind::Memory,
            _ => {}
        }
    }
    Instruction { name: operation.name.clone(), kind, variant, places }
}
