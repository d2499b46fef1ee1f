//! Instruction words from the lowered description: its decoders, run backwards.

#![allow(dead_code, reason = "every test takes what it needs")]

use std::collections::BTreeMap;

use isac_ir::Model;
use isac_ir::behavior::AccessKind;
use isac_ir::bits::Bits;
use isac_ir::decode::choose_variant;
use isac_ir::decoder::{Decoder, Run, State};
use isac_ir::operation::Target;

use super::random::Random;

/// What ends the run or leaves to the host: the harness alone uses it.
const NOT_RANDOM: [&str; 3] = ["ecall", "ebreak", "c_ebreak"];

/// What belongs to machine mode, which user-mode emulation has none of.
const OF_MACHINE: [&str; 3] = ["control", "privileged", "undefined"];

/// Those that jump to where a register points.
const INDIRECT: [&str; 3] = ["jalr", "c_jr", "c_jalr"];

/// Those that link in a register that they do not name, the return address.
const LINKING: [&str; 2] = ["c_jal", "c_jalr"];

/// Those that work on the stack pointer without naming it.
const ON_STACK: [&str; 4] = ["c_lwsp", "c_swsp", "c_ldsp", "c_sdsp"];

/// The registers that three bits name begin with this one.
pub(crate) const FIRST_SHORT: u32 = 8;

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
    /// Reads and writes memory at a register alone, which has to be aligned.
    Atomic,
}

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
    pub(crate) kind: Kind,
    /// Its size.
    pub(crate) bytes: u32,
    /// A register that it writes or works on without naming it.
    pub(crate) implied: Option<u32>,
    machine: bool,
    variant: u32,
    /// Where operands and fields lie: by alias the operand's element, by name the field.
    places: BTreeMap<String, Vec<Run>>,
}

impl Instruction {
    pub(crate) fn has(&self, place: &str) -> bool {
        self.places.contains_key(place)
    }

    /// True if a place names one of the registers that three bits can name.
    pub(crate) fn is_short(&self, place: &str) -> bool {
        self.places.get(place).is_some_and(|runs| runs.iter().map(|run| run.width).sum::<u32>() == 3)
    }

    /// True if it touches memory at the stack pointer.
    pub(crate) fn is_on_stack(&self) -> bool {
        ON_STACK.contains(&self.name.as_str())
    }
}

/// All instructions of a model whose longest words have 32 bits, and how to encode them.
pub(crate) struct Encoder<'m> {
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
        Encoder { decoder, reaches: reached_variants(decoder), instructions }
    }

    /// What random programs may hold.
    pub(crate) fn random_instructions(&self) -> Vec<&Instruction> {
        let is_random = |one: &&Instruction| !one.machine && !NOT_RANDOM.contains(&one.name.as_str());
        self.instructions.iter().filter(is_random).collect()
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

    /// The places of an instruction, each with the highest value that it holds.
    pub(crate) fn places<'i>(&self, instruction: &'i Instruction) -> Vec<(&'i str, u32)> {
        let places = instruction.places.keys().filter(|place| !instruction.places[*place].is_empty());
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
        let runs = instruction.places.get(place).map_or(&[][..], Vec::as_slice);
        let scattered = runs.iter().fold(Bits::from_u128(word.bits.into()), |word, run| {
            word.with(run.from, run.width, Bits::from_u128(value.into()).extract(run.to, run.width))
        });
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

    /// Walks the automaton towards a variant and writes down what it looks at.
    fn walk(&self, variant: u32, random: &mut Random) -> u32 {
        let mut word = Bits::from_u128((random.next() as u32).into());
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
    let name = operation.name.as_str();
    let mut kind = match () {
        () if INDIRECT.contains(&name) => Kind::IndirectJump,
        () if is_atomic(model, nodes) => Kind::Atomic,
        () => Kind::Plain,
    };
    let above = nodes[..index as usize].iter().map(|node| model.target_name(node.target));
    let machine = above.into_iter().any(|group| OF_MACHINE.contains(&group));
    let implied = match name {
        name if LINKING.contains(&name) => Some(1),
        "c_addi16sp" => Some(2),
        _ => None,
    };
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
    let bytes = decoder.variants[variant as usize].width_bits / 8;
    let opcodes =
        nodes.iter().filter(|node| node.fields.is_empty() || std::ptr::eq(*node, &nodes[index as usize]));
    let path = opcodes.map(|node| model.target_name(node.target)).collect::<Vec<_>>().join(" ");
    Instruction { name: operation.name.clone(), path, kind, bytes, implied, machine, variant, places }
}

fn is_atomic(model: &Model, nodes: &[isac_ir::decoder::Node]) -> bool {
    nodes.iter().any(|node| model.target_name(node.target) == "atomic")
}
