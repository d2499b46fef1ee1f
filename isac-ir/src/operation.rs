//! Operations and groups: the nodes of decoding trees and of the time graph.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::Model;
use crate::behavior::{Body, FieldId, InstanceId, Local, ReferenceId, VariableId};
use crate::bits::Bits;
use crate::decoder::Run;
use crate::operand::Expression;
use crate::syntax::{Coding, Computation, Text};
use crate::time::StageId;

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

/// A FUNCTION; it is expanded where it is called.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// Where it is declared, as `file:line`.
    pub location: String,
    /// What it makes of its arguments, if it does nothing else: assembler text may use it.
    pub value: Option<Computation>,
}

/// An operation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Operation {
    /// Its name.
    pub name: String,
    /// Where it is declared, as `file:line`.
    pub location: String,
    /// The stage that it is bound to by its own IN.
    pub stage: Option<StageId>,
    /// The fields of its CODING and TAIL.
    pub fields: Vec<Field>,
    /// Its instances.
    pub instances: Vec<Instance>,
    /// What follows the instruction's word, in order.
    pub tail: Vec<TailItem>,
    /// Its CODING, backwards; `None` without one.
    pub coding: Option<Coding>,
    /// How it is written, the text that is printed first.
    pub texts: Vec<Text>,
    /// Its LOCALs: each execution has its own, which begin at 0; those of an operand belong to the
    /// execution that evaluates it.
    pub variables: Vec<Local>,
    /// What it, or an operation below it, takes from the operation that decoded or activated it.
    pub references: Vec<Reference>,
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
    /// The instance whose coded bits it repeats: no text has an item for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub copy_of: Option<InstanceId>,
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
    /// True if it is an operand whatever it chooses: the coverage of instructions is cut here.
    pub operand: bool,
    /// True if it stands in the mnemonic of its operation's text: it is never an operand.
    pub mnemonic: bool,
    /// Width of its coded word in bits, 0 without CODING.
    pub width_bits: u32,
    /// True if the operation's ACTIVATION schedules it: where it is decoded, it runs only then.
    pub scheduled: bool,
    /// True if it is scheduled on a condition.
    pub conditional: bool,
}

/// A name that stands for something of the operation that decoded or activated this one.
///
/// Which operation that is, is known as soon as an instruction is decoded and an activation is
/// scheduled: of what was decoded the operation right above it in the decoding tree, whichever
/// ACTIVATION takes it from there ([`Role::Below`]); of anything else the one that activated it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reference {
    /// The name.
    pub name: String,
    /// Width of its value in bits, the same in every parent.
    pub width_bits: u32,
    /// True if its value is two's complement.
    pub signed: bool,
    /// What it is, one for each operation that may be the parent.
    pub bindings: Vec<Binding>,
}

/// What a reference stands for under one parent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Binding {
    /// The parent's index into [`crate::Model::operations`].
    pub parent: u32,
    /// What the parent has under the name.
    pub what: Referred,
}

/// Something of a parent, by its index there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Referred {
    /// A field.
    Field(FieldId),
    /// A coded instance: its EXPRESSION, or its coded bits if what it chose has none.
    Instance(InstanceId),
    /// A LOCAL of the parent's execution: reads and writes are the parent's own.
    Variable(VariableId),
    /// What the parent takes from its own parent.
    Reference(ReferenceId),
}

impl Operation {
    /// What a reference stands for under a parent; `None` for an operation that cannot be one.
    pub fn referred(&self, reference: ReferenceId, parent: u32) -> Option<Referred> {
        let bindings = &self.references[reference as usize].bindings;
        bindings.iter().find(|binding| binding.parent == parent).map(|binding| binding.what)
    }
}

impl Instance {
    /// True if the operation that it chose is an operand here: what that has to run comes just
    /// before the BEHAVIOR of the operation around, else behind it.
    pub fn is_operand(&self, chosen: &Operation) -> bool {
        !self.mnemonic && chosen.expression.is_some()
    }
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

impl Model {
    /// Name of an operation, a group or a part of a SWITCH.
    pub fn target_name(&self, target: Target) -> &str {
        match target {
            Target::Operation(operation) => &self.operations[operation as usize].name,
            Target::Group(group) => &self.groups[group as usize].name,
            Target::Label(label) => &self.labels[label as usize],
        }
    }

    /// True for an operation with a CODINGROOT.
    pub fn decodes(&self, target: Target) -> bool {
        match target {
            Target::Operation(operation) => self.operation(operation).root.is_some(),
            Target::Group(_) | Target::Label(_) => false,
        }
    }

    /// Every operation that a target may turn out to be, in the model's order, none twice.
    pub fn leaf_operations(&self, target: Target) -> Vec<u32> {
        let operation = |target: Target| match target {
            Target::Operation(operation) => Some(operation),
            Target::Group(_) | Target::Label(_) => None,
        };
        self.targets_within(target).into_iter().filter_map(operation).collect()
    }

    /// Every operation that a target may turn out to be, and every one that such an operation leads
    /// to by instances that `follows` accepts, none twice however many ways lead there.
    pub fn operations_below(&self, target: Target, follows: impl Fn(&Instance) -> bool) -> Vec<u32> {
        let mut found = Vec::new();
        let (mut seen, mut walked) = (BTreeSet::new(), BTreeSet::new());
        let mut waiting = vec![target];
        while let Some(target) = waiting.pop() {
            if !walked.insert(target) {
                continue;
            }
            for operation in self.leaf_operations(target) {
                if seen.insert(operation) {
                    found.push(operation);
                    let instances = self.operation(operation).instances.iter();
                    waiting.extend(instances.filter(|instance| follows(instance)).map(|below| below.target));
                }
            }
        }
        found
    }

    /// A target and the members of groups that it may turn out to be, outer ones first, in the
    /// model's order, none twice however many groups share it.
    pub fn targets_within(&self, target: Target) -> Vec<Target> {
        let mut found = Vec::new();
        let mut seen = BTreeSet::new();
        let mut waiting = vec![target];
        while let Some(target) = waiting.pop() {
            if !seen.insert(target) {
                continue;
            }
            found.push(target);
            if let Target::Group(group) = target {
                waiting.extend(self.groups[group as usize].members.iter().rev());
            }
        }
        found
    }
}
