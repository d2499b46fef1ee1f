//! Operands: what an EXPRESSION means, read, assigned, or found once for both.
//!
//! A mention that reads and writes, as `d += 3` and `d[7..4] = 9` do, is one evaluation. It is
//! taken in steps: the place is *found*, which evaluates what its indexes, addresses and conditions
//! need, and with these *parts* it is then read, and written, as often as the mention does.

use serde::{Deserialize, Serialize};

use crate::behavior::{Body, InstanceId, LocalId, ReferenceId};

/// What an operand means.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Expression {
    /// Width of its value in bits.
    pub width: u32,
    /// True if its value is two's complement.
    pub signed: bool,
    /// Evaluates it; the value is in local 0.
    pub read: Body,
    /// Assigns local 0 to it; `None` if it is no place.
    pub write: Option<Body>,
    /// Its place in steps; `None` where no mention needs them.
    pub place: Option<Place>,
}

/// A place in steps. The bodies begin with the same locals and have the same bindings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Place {
    /// Locals that carry over from `bind` to the others, not 0.
    pub parts: Vec<LocalId>,
    /// Finds it.
    pub bind: Body,
    /// Reads it into local 0.
    pub read: Body,
    /// Reads it into local 0 for the bits that a partial write keeps.
    pub keep: Body,
    /// Assigns local 0 to it.
    pub write: Body,
}

/// Something that a body finds once, then reads and writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Binding {
    /// An operand.
    Instance(InstanceId),
    /// What a reference stands for: a LOCAL or an operand.
    Reference(ReferenceId),
}

/// What a mention does with an operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum MentionKind {
    /// Evaluates it.
    Read,
    /// Assigns to it.
    Write,
    /// Finds its place.
    Bind,
    /// Reads the place that was found.
    ReadBound,
    /// Reads the place that was found, for the bits that a partial write keeps.
    KeepBound,
    /// Assigns to the place that was found.
    WriteBound,
}

impl MentionKind {
    /// All kinds, in the order in which their bodies are numbered.
    pub const ALL: [MentionKind; 6] = [
        MentionKind::Read,
        MentionKind::Write,
        MentionKind::Bind,
        MentionKind::ReadBound,
        MentionKind::KeepBound,
        MentionKind::WriteBound,
    ];

    /// True for what needs a place that was found.
    pub fn is_bound(self) -> bool {
        matches!(self, MentionKind::ReadBound | MentionKind::KeepBound | MentionKind::WriteBound)
    }

    /// True for assignments.
    pub fn is_write(self) -> bool {
        matches!(self, MentionKind::Write | MentionKind::WriteBound)
    }
}

impl Expression {
    /// What runs for a mention.
    pub fn body(&self, kind: MentionKind) -> Option<&Body> {
        let place = self.place.as_ref();
        match kind {
            MentionKind::Read => Some(&self.read),
            MentionKind::Write => self.write.as_ref(),
            MentionKind::Bind => place.map(|place| &place.bind),
            MentionKind::ReadBound => place.map(|place| &place.read),
            MentionKind::KeepBound => place.map(|place| &place.keep),
            MentionKind::WriteBound => place.map(|place| &place.write),
        }
    }

    /// All bodies, in the order of [`MentionKind::ALL`].
    pub fn bodies(&self) -> impl Iterator<Item = &Body> {
        MentionKind::ALL.into_iter().filter_map(|kind| self.body(kind))
    }

    /// What one of its own bodies is for.
    pub fn kind_of(&self, body: &Body) -> Option<MentionKind> {
        let is_it = |kind: &MentionKind| self.body(*kind).is_some_and(|own| std::ptr::eq(own, body));
        MentionKind::ALL.into_iter().find(is_it)
    }
}
