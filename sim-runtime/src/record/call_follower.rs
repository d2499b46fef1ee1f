//! Follows calls in an engine that knows every instruction as it ends.

use std::collections::BTreeMap;

use isac_ir::Model;
use isac_ir::control::{Control, control_of};
use isac_ir::decode::Decoded;
use sim_profile::{Calls, Spending, Word};

use super::{CallRecorder, FunctionMap, step_of};

/// An instruction that has ended.
pub(crate) struct Executed<'a> {
    pub address: u64,
    pub size_cells: u32,
    pub word: Word,
    pub decoded: &'a Decoded,
}

/// A recorder, and what is known of the instructions that it is told of.
#[derive(Clone)]
pub(crate) struct CallFollower {
    recorder: CallRecorder,
    /// By address, as they were decoded last.
    controls: BTreeMap<u64, (Word, Control)>,
    /// Address of the last instruction, and of that behind it.
    before: Option<(u64, u64)>,
}

impl CallFollower {
    /// Follows a run that begins at an address.
    pub(crate) fn new(map: FunctionMap, address: u64) -> CallFollower {
        CallFollower { recorder: CallRecorder::new(map, address), controls: BTreeMap::new(), before: None }
    }

    /// An instruction has ended as instructions do, and goes on at an address.
    pub(crate) fn follow(&mut self, model: &Model, executed: &Executed<'_>, to: u64, now: Spending) {
        let Executed { address, size_cells, word, decoded } = *executed;
        let successor = model.successor(address, size_cells);
        let is_known = self.controls.get(&address).is_some_and(|(known, _)| *known == word);
        if !is_known {
            self.controls.insert(address, (word, control_of(model, decoded, address, size_cells)));
        }
        let slot_of = self.before.replace((address, successor)).filter(|(_, behind)| *behind == address);
        let is_told = to != successor || self.recorder.map().is_boundary(to);
        let Some((_, control)) = self.controls.get(&address).filter(|_| is_told) else { return };
        let before = slot_of.and_then(|(slot_of, _)| self.controls.get(&slot_of));
        let step = step_of(control, before.map(|(_, control)| control), successor, to);
        if !self.recorder.map().is_plain(step, address, to) {
            self.recorder.transfer(address, to, step, now);
        }
    }

    /// An instruction was cancelled, and the run goes on at an address.
    pub(crate) fn follow_cancelled(&mut self, from: u64, to: u64, successor: u64, now: Spending) {
        self.before = None;
        self.recorder.cancelled(from, to, successor, now);
    }

    /// The calls so far.
    pub(crate) fn calls(&self, now: Spending) -> Calls {
        self.recorder.calls(now)
    }
}
