//! Operations and groups: the nodes of decoding trees and of the time graph.

use serde::{Deserialize, Serialize};

use crate::behavior::{Body, Expression};
use crate::bits::Bits;
use crate::decoder::Run;

/// An operation or a group, by index; in decoding trees also a part of a SWITCH.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Target {
    /// Index into [`crate::Model::operations`].
    Operation(u32),
    /// Index into [`crate::Model::groups`].
    Group(u32),
    /// Index into [`crate::Model::labels`]; stands in the tree of a decoded instruction alone.
    Label(u32),
}

/// A group; exactly one member is chosen by the members' CODING.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Group {
    /// Its name.
    pub name: String,
    /// Where it is declared, as `file:line`.
    pub location: String,
    /// Its members in order.
    pub members: Vec<Target>,
}

/// An operation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Operation {
    /// Its name.
    pub name: String,
    /// Where it is declared, as `file:line`.
    pub location: String,
    /// The fields of its CODING and TAIL.
    pub fields: Vec<Field>,
    /// Its instances.
    pub instances: Vec<Instance>,
    /// What follows the instruction's word, in order.
    pub tail: Vec<TailItem>,
    /// What it means where its alias is used; such an operation is an operand.
    pub expression: Option<Expression>,
    /// What it decodes.
    pub root: Option<Body>,
    /// What it does.
    pub behavior: Option<Body>,
    /// What it schedules.
    pub activation: Option<Body>,
}

impl Operation {
    /// The instance by which the operation's ACTIVATION takes a target from somewhere below.
    pub fn taken_from_below(&self, target: Target) -> Option<&Instance> {
        self.instances.iter().find(|instance| instance.role == Role::Below && instance.target == target)
    }
}

/// A field of a CODING.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Field {
    /// Its name.
    pub name: String,
    /// Width in bits.
    pub width_bits: u32,
    /// True if its value is two's complement.
    pub signed: bool,
}

/// A part of what follows an instruction's word.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum TailItem {
    /// A word of its own.
    Word {
        /// Its width in bits.
        width_bits: u32,
        /// Its fixed bits; a word that differs in one of them is illegal.
        mask: Bits,
        /// Their values.
        value: Bits,
        /// Fields of the operation, with where their bits stand in this word.
        fields: Vec<(u32, Run)>,
    },
    /// The tail of what an instance of the CODING chose.
    Instance(u32),
    /// An instance that is decoded here, from words of its own, and whose tail follows.
    Decode {
        /// The instance.
        instance: u32,
        /// Its decoder.
        decoder: u32,
    },
}

/// An instance of an operation or group inside an operation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Instance {
    /// The alias.
    pub alias: String,
    /// What it is an instance of.
    pub target: Target,
    /// How it is used.
    pub role: Role,
    /// True if it is an operand: the coverage of instructions is cut here.
    pub operand: bool,
    /// Width of its coded word in bits, 0 without CODING.
    pub width_bits: u32,
    /// True if the operation's ACTIVATION schedules it: where it is decoded, it runs only then.
    pub scheduled: bool,
    /// True if it is scheduled on a condition.
    pub conditional: bool,
}

/// How an operation uses an instance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Role {
    /// Part of its CODING.
    Coded,
    /// Decoded by its CODINGROOT.
    Root,
    /// Decoded somewhere below, and taken from there by its ACTIVATION.
    Below,
    /// Activated only.
    Activated,
    /// Declared and not used.
    Unused,
}
