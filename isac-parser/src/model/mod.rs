//! What a description means: every name is an id, every width and type is known.
//!
//! The tables are plain vectors; an id is an index into one of them and is made by the resolver
//! alone. Spans are kept for every part that a check may have to point at.

mod behavior;
mod coding;
mod decoding;
mod operation;
mod pipeline;
mod pseudo;
mod resource;
mod word_size;

pub use behavior::*;
pub use coding::*;
pub use decoding::*;
pub use operation::*;
pub use pipeline::*;
pub use pseudo::*;
pub use resource::*;
pub use word_size::*;

use std::collections::BTreeMap;

use crate::source::Span;

/// Defines an index type for one table of the model.
macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub u32);

        impl $name {
            /// The index into the table.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}
pub(crate) use id;

id!(
    /// Index into [`Model::functions`].
    FunctionId
);

/// A resolved description.
#[derive(Debug, Clone, PartialEq)]
pub struct Model {
    /// TARGET, with defaults filled in.
    pub target: Target,
    /// Registers and register files, in the order of the text.
    pub registers: Vec<Register>,
    /// Register ALIASes, in the order of the text; every mention of one is expanded.
    pub aliases: Vec<RegisterPlace>,
    /// Memories, in the order of the text.
    pub rams: Vec<Ram>,
    /// Caches, in the order of the text.
    pub caches: Vec<Cache>,
    /// Devices, in the order of the text.
    pub devices: Vec<Device>,
    /// Memory maps, in the order of the text.
    pub maps: Vec<Map>,
    /// Pipelines, in the order of the text.
    pub pipelines: Vec<Pipeline>,
    /// Groups, in the order of the text.
    pub groups: Vec<Group>,
    /// Operations, in the order of the text.
    pub operations: Vec<Operation>,
    /// Functions, in the order of the text.
    pub functions: Vec<Function>,
    /// Other spellings of instructions, in the order of the text.
    pub pseudos: Vec<Pseudo>,
    /// FUNCTION `memory_fault`, which is called for a memory fault.
    pub memory_fault: Option<FunctionId>,
    /// The program counter.
    pub pc: RegisterPlace,
    /// The operation every cycle begins with.
    pub main: OperationId,
    /// The operation that runs once before the first cycle.
    pub reset: Option<OperationId>,
}

/// A FUNCTION.
#[derive(Debug, Clone, PartialEq)]
pub struct Function {
    /// The function's name.
    pub name: String,
    /// Where the name stands.
    pub span: Span,
    /// What it returns; `None` is `void`.
    pub result: Option<Type>,
    /// How many of the body's locals, the first ones, are parameters.
    pub parameters: usize,
    /// Its statements and locals.
    pub body: Body,
}

/// A proven sound model: the only input that generation accepts.
///
/// Made by the checks alone.
#[derive(Debug, Clone, PartialEq)]
pub struct CheckedModel {
    pub(crate) model: Model,
    pub(crate) decodings: BTreeMap<OperationOrGroup, Decoding>,
    pub(crate) word_sizes: BTreeMap<OperationOrGroup, (WordSizes, u32)>,
}

impl CheckedModel {
    /// How the words of something that is decoded are told apart: of what a CODINGROOT or a TAIL
    /// names, and of every instance below that is a choice by itself.
    pub fn decoding(&self, target: OperationOrGroup) -> Option<&Decoding> {
        self.decodings.get(&target)
    }

    /// How long the words are of what a `coded_size` asks for, and how many bits a cell has of the
    /// maps that they are fetched from; `None` for what no `coded_size` asks for.
    pub fn word_sizes(&self, target: OperationOrGroup) -> Option<(WordSizes, u32)> {
        self.word_sizes.get(&target).cloned()
    }
}

impl std::ops::Deref for CheckedModel {
    type Target = Model;

    fn deref(&self) -> &Model {
        &self.model
    }
}
