//! A step as one list on numbered slots of 64 bits: for what is interpreted more than once.
//!
//! A step's tree costs a call and a choice for each of its values; here each takes an entry of 8 bytes, what is
//! known is put in its slot beforehand, and IFs, loops and blocks are jumps. What hardly ever happens, and values of
//! more than 64 bits, stay trees beside it.

mod writer;

use isac_ir::behavior::{BinaryOp, UnaryOp};
use sim_runtime::AccessKind;

use crate::residual::{Op, Trap, Value};

/// Number of slots: a step that needs more stays a tree.
pub(crate) const SLOTS: usize = 256;
/// The slot that holds the program counter.
pub(crate) const PC_SLOT: Slot = 0;

/// The number of a slot. What is in it has no bits above its value's width.
pub(crate) type Slot = u8;

/// An entry of the list. `to` is where its result goes, the other slots are its operands.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Entry {
    /// The low bits.
    Copy {
        to: Slot,
        a: Slot,
        low: u8,
        width: u8,
    },
    Add {
        to: Slot,
        a: Slot,
        b: Slot,
        width: u8,
    },
    Subtract {
        to: Slot,
        a: Slot,
        b: Slot,
        width: u8,
    },
    And {
        to: Slot,
        a: Slot,
        b: Slot,
    },
    Or {
        to: Slot,
        a: Slot,
        b: Slot,
    },
    Xor {
        to: Slot,
        a: Slot,
        b: Slot,
    },
    Equal {
        to: Slot,
        a: Slot,
        b: Slot,
    },
    NotEqual {
        to: Slot,
        a: Slot,
        b: Slot,
    },
    LessUnsigned {
        to: Slot,
        a: Slot,
        b: Slot,
    },
    LessEqualUnsigned {
        to: Slot,
        a: Slot,
        b: Slot,
    },
    Not {
        to: Slot,
        a: Slot,
        width: u8,
    },
    /// Any other one; `of` is the operand's width.
    Unary {
        to: Slot,
        a: Slot,
        operator: UnaryOp,
        of: u8,
        width: u8,
    },
    /// Any other one; `of` is the width of the first operand.
    Binary {
        to: Slot,
        a: Slot,
        b: Slot,
        operator: BinaryOp,
        of: u8,
        width: u8,
    },
    SignExtend {
        to: Slot,
        a: Slot,
        of: u8,
        width: u8,
    },
    /// A bit of `a`, 0 beyond its width.
    Bit {
        to: Slot,
        a: Slot,
        b: Slot,
        of: u8,
    },
    /// `a` above the low bits, which are `b`.
    Join {
        to: Slot,
        a: Slot,
        b: Slot,
        width_of_b: u8,
    },
    /// `c` if `a` is 0, else `b`.
    Select {
        to: Slot,
        a: Slot,
        b: Slot,
        c: Slot,
    },
    /// Bits of a register of up to 64 bits that lies at an offset.
    Read {
        to: Slot,
        low: u8,
        width: u8,
        offset: u32,
    },
    Write {
        a: Slot,
        low: u8,
        width: u8,
        offset: u32,
    },
    /// An element that is known when it runs, by number of its [`FilePlace`].
    ReadElement {
        to: Slot,
        a: Slot,
        file: u16,
    },
    WriteElement {
        a: Slot,
        b: Slot,
        file: u16,
    },
    /// Reads memory at address `a`, by number of its [`Access`].
    Load {
        to: Slot,
        a: Slot,
        width: u8,
        access: u16,
    },
    /// Writes `a` to memory at address `b`.
    Store {
        a: Slot,
        b: Slot,
        access: u16,
    },
    Count {
        counter: u32,
    },
    CountSlot {
        a: Slot,
        counter: u32,
    },
    ExtraCycles {
        a: Slot,
    },
    Cycles {
        to: Slot,
        width: u8,
    },
    Pending {
        to: Slot,
        device: u32,
    },
    Decoded,
    /// A turn of a loop begins.
    Turn,
    Jump {
        at: u32,
    },
    /// If `a` is 0.
    JumpUnless {
        a: Slot,
        at: u32,
    },
    Trap {
        trap: Trap,
    },
    /// A statement that is carried out as a tree, by its number.
    Tree {
        tree: u32,
    },
    /// A value that is.
    Value {
        to: Slot,
        value: u32,
    },
}

/// What is accessed: index of the map, how many cells, how.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Access {
    pub map: u32,
    pub cells: u32,
    pub kind: AccessKind,
}

/// Bits of some element of a register.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct FilePlace {
    pub register: u32,
    pub low: u32,
    pub width: u32,
}

/// A tree beside the list, with the locals that it names and their slots.
#[derive(Debug)]
pub(crate) struct Tree<T> {
    pub tree: T,
    pub locals: Vec<(u32, Slot)>,
}

/// A step as a list.
#[derive(Debug)]
pub(crate) struct Linear {
    /// What the slots hold at first; those behind it hold anything.
    pub slots: Vec<u64>,
    pub entries: Vec<Entry>,
    pub accesses: Vec<Access>,
    pub files: Vec<FilePlace>,
    pub trees: Vec<Tree<Op>>,
    pub values: Vec<Tree<Value>>,
    /// Counters that go up by what slots hold if the run ends with the instruction.
    pub deferred: Vec<(u32, Slot)>,
}

#[cfg(test)]
mod tests {
    use super::Entry;

    #[test]
    fn an_entry_takes_eight_bytes() {
        assert_eq!(size_of::<Entry>(), 8);
    }
}
