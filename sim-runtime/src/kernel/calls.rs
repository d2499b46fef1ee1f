//! Calls, as the dispatcher follows them.
//!
//! A link of a call, of a return, or from one function to another is never connected: such a transfer
//! comes to the dispatcher, which tells the recorder. All others go on as they do without.

use std::collections::HashMap;

use isac_ir::Model;
use isac_ir::control::{Control, control_of};
use sim_profile::{Calls, Spending};

use super::block::Static;
use super::machine::Core;
use crate::record::{CallRecorder, FunctionMap, RecordedWord, Recording, StaticKey, step_of};

/// Follows calls of a core that runs in blocks, if anybody wants it.
#[derive(Default)]
pub(super) struct CallTrail {
    recorder: Option<CallRecorder>,
    /// By address; forgotten with the blocks.
    controls: HashMap<u64, Option<Control>>,
}

impl CallTrail {
    pub(super) fn new(map: FunctionMap, address: u64) -> CallTrail {
        CallTrail { recorder: Some(CallRecorder::new(map, address)), controls: HashMap::new() }
    }

    /// An instruction has ended and gone on at the PC; `source` is that one and the one before it.
    /// Whether the recorder has to be told the next time, too.
    pub(super) fn follow<C: Core>(&mut self, core: &C, source: Option<(&Static, Option<&Static>)>) -> bool {
        let (Some(recorder), Some((source, before))) = (&mut self.recorder, source) else { return false };
        let (model, to) = (core.model(), core.pc());
        let successor = model.successor(source.address, source.size_cells);
        if to == successor && !recorder.map().is_boundary(to) {
            return false;
        }
        for entry in before.into_iter().chain([source]) {
            self.controls.entry(entry.address).or_insert_with(|| control(model, entry));
        }
        let known = |entry: &Static| self.controls.get(&entry.address)?.as_ref();
        let Some(control) = known(source) else { return false };
        let step = step_of(control, before.and_then(known), successor, to);
        let is_told = !recorder.map().is_plain(step, source.address, to);
        if is_told {
            let kernel = core.kernel_ref();
            let now = Spending { instructions: kernel.instructions, cycles: kernel.cycles() };
            recorder.transfer(source.address, to, step, now);
        }
        is_told
    }

    /// Code has changed.
    pub(super) fn forget_code(&mut self) {
        self.controls.clear();
    }

    pub(super) fn calls(&self, now: Spending) -> Option<Calls> {
        self.recorder.as_ref().map(|recorder| recorder.calls(now))
    }
}

fn control(model: &Model, entry: &Static) -> Option<Control> {
    let words = entry.words.map(|(word, width_bits)| RecordedWord { element: 0, word, width_bits });
    let key = StaticKey { address: entry.address, words: words.to_vec() };
    let decoded = Recording::decode(model, &key)?;
    Some(control_of(model, &decoded, entry.address, entry.size_cells))
}
