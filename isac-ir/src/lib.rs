//! The one truth for every engine: what a checked model lowers to, as plain data.
//!
//! A [`Model`] holds resources, operations with their behaviour, decoders and the time graph.
//! Nothing in it refers to source text but for a location to show; every resource access has an
//! id before any engine sees it, so that what is static about an instruction can be counted once
//! and multiplied ([`account`]). Each part can be printed ([`mod@print`]) and verified ([`verify`]).

pub mod account;
pub mod automaton;
pub mod behavior;
pub mod bits;
pub mod control;
pub mod cost;
pub mod decode;
pub mod decoder;
pub mod operand;
pub mod operation;
pub mod print;
pub mod resource;
pub mod root;
pub mod schedule;
mod shared;
pub mod slots;
pub mod syntax;
pub mod time;
pub mod verify;

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

/// Version of the serialised form; a reader refuses any other.
pub const FORMAT_VERSION: u32 = 3;

/// A lowered model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Model {
    /// [`FORMAT_VERSION`].
    pub format_version: u32,
    /// Name of the model: its file without folder and ending.
    pub name: String,
    /// What the model runs on: loader, host, stack.
    pub target: resource::Target,
    /// Registers and register files.
    pub registers: Vec<resource::Register>,
    /// Memories.
    pub rams: Vec<resource::Ram>,
    /// Caches.
    pub caches: Vec<resource::Cache>,
    /// Devices.
    pub devices: Vec<resource::Device>,
    /// Pipelines.
    pub pipelines: Vec<resource::Pipeline>,
    /// Memory maps.
    pub maps: Vec<resource::Map>,
    /// Operations.
    pub operations: Vec<operation::Operation>,
    /// Groups.
    pub groups: Vec<operation::Group>,
    /// FUNCTIONs.
    pub functions: Vec<operation::Function>,
    /// Other spellings of instructions, in the order in which they are tried.
    pub pseudos: Vec<syntax::Pseudo>,
    /// Names in decoding trees that are no operations: the parts of SWITCHes in CODINGROOTs.
    pub labels: Vec<String>,
    /// Decoders: one for each element of a CODINGROOT and for each operand group below.
    pub decoders: Vec<decoder::Decoder>,
    /// Who schedules whom, and when.
    pub time: time::TimeGraph,
    /// Names for parts of registers, which count as the registers themselves.
    pub aliases: Vec<resource::RegisterPlace>,
    /// The program counter: a register or an ALIAS, at most 64 bits.
    pub pc: resource::RegisterPlace,
    /// Index of the operation that begins every cycle.
    pub main: u32,
    /// What runs for a memory fault in the place of the run's end. What it accesses belongs to the
    /// instruction at fault, whose accesses are not counted.
    pub memory_fault: Option<behavior::Body>,
    /// Index of the operation that runs once before the first cycle.
    pub reset: Option<u32>,
    /// Every instruction of the set, as decode path cut at operands, in the model's order.
    pub instructions: Vec<String>,
}

impl Model {
    /// Number of resources that accesses are counted for: registers first, then maps.
    pub fn resource_count(&self) -> usize {
        self.registers.len() + self.maps.len()
    }

    /// Whether a REFERENCE may stand for an instance of an operation.
    pub fn may_refer_to(&self, operation: u32, instance: behavior::InstanceId) -> bool {
        let here = operation::Binding { parent: operation, what: operation::Referred::Instance(instance) };
        let references = self.operations.iter().flat_map(|operation| &operation.references);
        references.flat_map(|reference| &reference.bindings).any(|binding| *binding == here)
    }

    /// Names of the resources, by [`behavior::ResourceId`].
    pub fn resource_names(&self) -> Vec<String> {
        let registers = self.registers.iter().map(|register| register.name.clone());
        let maps = self.maps.iter().map(|map| map.name.clone());
        registers.chain(maps).collect()
    }

    /// The program counter's register, if it is one single register as a whole.
    pub fn pc_register(&self) -> Option<u32> {
        let (register, _) = self.whole_pc()?;
        self.registers[register as usize].count.is_none().then_some(register)
    }

    /// The register and the element that the program counter is, if it is one as a whole: a register of
    /// its own, or one of a file.
    pub fn pc_element(&self) -> Option<(u32, u32)> {
        let (register, element) = self.whole_pc()?;
        self.registers[register as usize].hardwired_value(element).is_none().then_some((register, element))
    }

    /// The register and the element, if the program counter is one as a whole.
    fn whole_pc(&self) -> Option<(u32, u32)> {
        let [part] = self.pc.parts[..] else { return None };
        let is_whole = part.low == 0 && part.width_bits == self.registers[part.register as usize].width_bits;
        is_whole.then_some((part.register, part.element))
    }

    /// True if instructions can be in flight when their cycle is over: something is scheduled for
    /// a later cycle, or there is a pipeline, which may stall.
    pub fn overlaps(&self) -> bool {
        !self.time.is_instruction_accurate() || !self.pipelines.is_empty()
    }

    /// The registers that stages of pipelines hand on to the next one: those of the last stage have none to hand them
    /// on to, and a file of registers stands in a stage's list since that alone writes it.
    pub fn carried_registers(&self) -> BTreeSet<u32> {
        let stages = self.pipelines.iter().flat_map(|pipeline| pipeline.stages.iter().rev().skip(1));
        let registers = stages.flat_map(|stage| stage.registers.iter().copied());
        registers.filter(|register| self.registers[*register as usize].count.is_none()).collect()
    }

    /// The stage in which instructions begin, if there is a pipeline: that of `main`'s pipeline,
    /// else of the first.
    pub fn first_stage(&self) -> Option<time::StageId> {
        let main = self.operation(self.main).stage.map(|stage| stage.pipeline);
        let pipeline = main.or((!self.pipelines.is_empty()).then_some(0))?;
        Some(time::StageId { pipeline, stage: 0 })
    }

    /// Number of a stage among those of all pipelines, which come in their order.
    pub fn stage_number(&self, stage: time::StageId) -> u32 {
        let before = self.pipelines[..stage.pipeline as usize].iter();
        before.map(|pipeline| pipeline.stages.len() as u32).sum::<u32>() + stage.stage
    }

    /// The number by which profiles know FUNCTION `memory_fault`: operations have those below.
    pub fn memory_fault_number(&self) -> u32 {
        self.operations.len() as u32
    }

    /// What the program counter holds after reset: the address of the first instruction, in cells.
    pub fn reset_address(&self) -> u64 {
        // The parts stand the most significant first; a program counter has at most 64 bits.
        self.pc.parts.iter().fold(0, |address: u64, part| {
            let whole = self.registers[part.register as usize].reset_value(part.element);
            let bits = whole.checked_shr(part.low).unwrap_or(0) & bits::mask(part.width_bits);
            address.checked_shl(part.width_bits).unwrap_or(0) | bits as u64
        })
    }

    /// The address behind an instruction; addresses wrap at the program counter's width.
    pub fn successor(&self, address: u64, size_cells: u32) -> u64 {
        let mask = bits::mask(self.pc.width_bits.min(64)) as u64;
        address.wrapping_add(u64::from(size_cells)) & mask
    }

    /// The operation with this index.
    pub fn operation(&self, index: u32) -> &operation::Operation {
        &self.operations[index as usize]
    }
}
