//! An instruction in flight: what was decoded, and all that was executed of it.

use isac_ir::decode::Decoded;
use isac_ir::root::RootDecoding;
use sim_profile::Word;

use super::execution::Execution;
use crate::record::Struck;

/// An instruction from `main` to its end.
#[derive(Clone, Default)]
pub(super) struct Instruction {
    /// Its number, from 1 on in the order of beginning.
    pub id: u64,
    /// Address of its first cell; before it is decoded, the program counter as it began.
    pub address: u64,
    /// What it occupies in memory, in cells; 0 before it is decoded.
    pub size_cells: u32,
    pub decoded: Option<Decoded>,
    /// The words that this was decoded from.
    pub word: Word,
    /// The CODINGROOT that runs.
    pub fetching: Option<RootDecoding>,
    /// It has been told that nothing was decoded.
    pub is_undecoded: bool,
    /// Where it was struck by what runs beside the instructions.
    pub struck: Struck,
    /// All executions of it, in the order of their beginning.
    pub executions: Vec<Execution>,
}

impl Instruction {
    /// The decoding tree: of a CODINGROOT on its way what there is of it.
    pub(super) fn tree(&self) -> Option<&Decoded> {
        self.fetching.as_ref().map(|fetching| &fetching.decoded).or(self.decoded.as_ref())
    }
}
