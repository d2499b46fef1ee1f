//! Behaviour: typed statements over values of explicit width.
//!
//! A value is a bit pattern of 1 to 128 bits; signs stand in the operators. Expressions have no
//! effect but the reads they name; everything else is a statement, in the order in which the
//! language demands it. Every access to a resource has an [`AccessId`] and lies in a region: a
//! region is a set of statements that run equally often. Region 0 runs once for each execution of
//! the body; every other begins at its [`Stmt::Count`], which is the only thing an engine has to
//! count.
//!
//! The expressions stand in [`Expr`], the statements in [`Stmt`], what `printf` prints in
//! [`PrintPart`].

mod expression;
mod printf;
mod statement;

use serde::{Deserialize, Serialize};

pub use self::expression::{BinaryOp, Expr, ExprKind, UnaryOp};
pub use self::printf::{Conversion, PrintFormat, PrintPart};
pub use self::statement::{Stmt, walk_expressions, walk_statements};
use crate::operand::{Binding, MentionKind};

/// Index into [`Body::accesses`].
pub type AccessId = u32;
/// The access of a read that only keeps the bits beside a partial write: writing a slice is one
/// write and no read.
pub const UNCOUNTED: AccessId = u32::MAX;
/// Index into [`Body::locals`].
pub type LocalId = u32;
/// Index into [`Body::bindings`].
pub type BindingId = u32;
/// Index into the operation's instances.
pub type InstanceId = u32;
/// Index into the operation's variables.
pub type VariableId = u32;
/// Index into the operation's references.
pub type ReferenceId = u32;
/// Index into the operation's fields.
pub type FieldId = u32;
/// A register's index, or the number of registers plus a map's index.
pub type ResourceId = u32;
/// Number of a region of a body.
pub type RegionId = u32;
/// Number of a point of the description, as who has lowered it lists them.
pub type PointId = u32;

/// Statements with their variables, accesses and mentions of operands.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Body {
    /// Where the section stands, as `file:line`.
    pub location: String,
    /// Variables, those of expanded functions and temporaries among them.
    pub locals: Vec<Local>,
    /// The statements.
    pub statements: Vec<Stmt>,
    /// Every access, by id.
    pub accesses: Vec<Access>,
    /// Every mention of an operand, by id.
    pub mentions: Vec<Mention>,
    /// What is found once, then read and written, by id.
    pub bindings: Vec<Binding>,
    /// Number of regions, at least 1.
    pub regions: u32,
    /// Regions whose counts follow from those of others, each once.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rests: Vec<Rest>,
}

/// A region behind a branch of which one arm always leaves and the other never does: unless there is a fault, it
/// begins as often as the region of the branch does and that of the arm does not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rest {
    /// The region behind the branch.
    pub region: RegionId,
    /// The region that the branch is in.
    pub of: RegionId,
    /// The region of the arm that leaves.
    pub without: RegionId,
}

impl Body {
    /// A region by others, none of which follows from others itself: it begins as often as the first, less as often
    /// as the further ones. `None` for one that counts by itself.
    pub fn rest_of(&self, region: RegionId) -> Option<(RegionId, Vec<RegionId>)> {
        let rest_of = |region| self.rests.iter().find(|rest| rest.region == region);
        let (mut first, mut without) = (region, Vec::new());
        while let Some(rest) = rest_of(first) {
            without.push(rest.without);
            first = rest.of;
        }
        (!without.is_empty()).then_some((first, without))
    }
}

/// A variable.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Local {
    /// Its name in the description, or `t` for a temporary.
    pub name: String,
    /// Width in bits.
    pub width: u32,
}

/// One mention of a resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Access {
    /// The resource.
    pub resource: ResourceId,
    /// What is done.
    pub kind: AccessKind,
    /// How often: as its region runs.
    pub region: RegionId,
}

/// What an access does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum AccessKind {
    /// Reads data.
    Read,
    /// Writes.
    Write,
    /// Reads an instruction.
    Execute,
}

/// One mention of an operand, or one step of a mention in several: its EXPRESSION is evaluated
/// there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mention {
    /// The operand.
    pub instance: InstanceId,
    /// What is done with it.
    pub kind: MentionKind,
    /// How often: as its region runs.
    pub region: RegionId,
}
