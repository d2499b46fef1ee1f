//! Instructions in flight wait their turn in parking places.

use std::collections::BTreeMap;
use std::rc::Rc;

use sim_profile::{CacheLines, Overhead};

use super::super::core::StepCore;
use super::super::instruction::Instruction;
use super::{Begun, Step};
use crate::fault::FaultKind;
use crate::kernel::Profiling;

/// An instruction in flight that has not its turn.
pub(in crate::stepwise) struct Parked<C: StepCore, P: Profiling> {
    pub address: u64,
    size_cells: u32,
    pub is_decoded: bool,
    pub is_undecoded: bool,
    pub instruction: Rc<Instruction<C, P>>,
    variables: Vec<u128>,
    pub counted: Vec<u32>,
    pub folded: BTreeMap<u32, u64>,
    /// Lines of caches that it has touched.
    pub lines: Vec<CacheLines>,
    begun: Vec<Begun>,
    /// The fault that is on its way to the last stage.
    pub doom: Option<FaultKind>,
    /// Lost and extra cycles so far.
    pub overhead: Overhead,
}

impl<C: StepCore, P: Profiling> Parked<C, P> {
    /// Where it stands, as [`Step::place_of_lines`] says.
    pub(in crate::stepwise) fn place_of_lines(&self) -> Option<u64> {
        (self.is_decoded || self.is_undecoded).then_some(self.address)
    }
}

impl<C: StepCore, P: Profiling> Step<C, P> {
    /// Changes the instruction at hand for another.
    pub(in crate::stepwise) fn swap(&mut self, parked: &mut Parked<C, P>) {
        std::mem::swap(&mut self.address, &mut parked.address);
        std::mem::swap(&mut self.size_cells, &mut parked.size_cells);
        std::mem::swap(&mut self.is_decoded, &mut parked.is_decoded);
        std::mem::swap(&mut self.is_undecoded, &mut parked.is_undecoded);
        std::mem::swap(&mut self.instruction, &mut parked.instruction);
        std::mem::swap(&mut self.variables, &mut parked.variables);
        std::mem::swap(&mut self.counted, &mut parked.counted);
        std::mem::swap(&mut self.folded, &mut parked.folded);
        std::mem::swap(&mut self.lines.at_hand, &mut parked.lines);
        std::mem::swap(&mut self.begun, &mut parked.begun);
    }

    /// A place for an instruction that has not its turn.
    pub(in crate::stepwise) fn parking_place(&self) -> Parked<C, P> {
        Parked {
            address: 0,
            size_cells: 0,
            is_decoded: false,
            is_undecoded: false,
            instruction: Rc::clone(&self.before),
            variables: Vec::new(),
            counted: Vec::new(),
            folded: BTreeMap::new(),
            lines: Vec::new(),
            begun: Vec::new(),
            doom: None,
            overhead: Overhead::default(),
        }
    }
}
