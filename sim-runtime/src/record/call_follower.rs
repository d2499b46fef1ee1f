//! Follows calls in an engine that knows every instruction as it ends.

use std::rc::Rc;

use isac_ir::Model;
use isac_ir::control::Control;
use isac_ir::decode::Decoded;
use sim_profile::{Calls, Spending, Word};

use super::controls::Controls;
use super::{CallRecorder, FunctionMap, Step, step_of};

/// An instruction that has ended.
pub(crate) struct Executed<'a> {
    pub address: u64,
    pub size_cells: u32,
    pub word: Word,
    pub decoded: &'a Decoded,
}

/// What is known of it to tell where it has gone on.
#[derive(Clone)]
pub(crate) struct Followed {
    pub address: u64,
    /// Address of the cell behind it.
    pub successor: u64,
    pub control: Rc<Control>,
}

/// Where an instruction was struck: what an operation that runs beside the instructions, as one that takes
/// interrupts, found in the program counter and changed. The first one counts.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Struck {
    /// Before anything was decoded, with what was spent before.
    before: Option<(u64, Spending)>,
    /// Behind that: where the instruction itself would go on.
    behind: Option<u64>,
}

impl Struck {
    /// Notes it; `now` is what was spent before the instruction.
    pub(crate) fn note(&mut self, is_decoded: bool, next: u64, now: Spending) {
        match is_decoded {
            true => _ = self.behind.get_or_insert(next),
            false => _ = self.before.get_or_insert((next, now)),
        }
    }
}

/// A recorder, and what is known of the instructions that it is told of.
#[derive(Clone)]
pub(crate) struct CallFollower {
    recorder: CallRecorder,
    controls: Controls,
}

impl CallFollower {
    /// Follows a run that begins at an address.
    pub(crate) fn new(map: FunctionMap, address: u64) -> CallFollower {
        CallFollower { recorder: CallRecorder::new(map, address), controls: Controls::default() }
    }

    /// The functions.
    pub(crate) fn map(&self) -> &FunctionMap {
        self.recorder.map()
    }

    /// An instruction has ended as instructions do, was perhaps struck, and goes on at an address.
    pub(crate) fn follow(
        &mut self,
        model: &Model,
        executed: &Executed<'_>,
        (struck, to): (Struck, u64),
        now: Spending,
    ) {
        let address = executed.address;
        if let Some((next, before)) = struck.before {
            self.recorder.strike(next, address, before);
        }
        let followed = self.learn(model, executed);
        self.go_on(&followed, struck.behind.unwrap_or(to), now);
        if let Some(next) = struck.behind {
            self.recorder.strike(next, to, now);
        }
    }

    /// A cycle has ended that had no instruction, and the run goes on at an address.
    pub(crate) fn follow_nothing(&mut self, struck: Struck, to: u64, now: Spending) {
        if let Some((next, _)) = struck.before {
            self.recorder.strike(next, to, now);
        }
    }

    /// What an instruction may do to the flow of control.
    pub(crate) fn learn(&mut self, model: &Model, executed: &Executed<'_>) -> Followed {
        let Executed { address, size_cells, .. } = *executed;
        let successor = model.successor(address, size_cells);
        Followed { address, successor, control: self.controls.learn(model, executed) }
    }

    /// It goes on at an address.
    fn go_on(&mut self, followed: &Followed, to: u64, now: Spending) {
        let Followed { address, successor, ref control } = *followed;
        if to == successor && !self.map().is_boundary(to) {
            return;
        }
        let step = step_of(self.map(), (control, self.branch_before(followed)), (address, successor, to));
        self.take(followed, (to, step), now);
    }

    /// The branch in whose delay slot an instruction is, if it is in one. Whatever has a delay slot is as long
    /// as what is in it.
    fn branch_before(&self, followed: &Followed) -> Option<&Control> {
        let Followed { address, successor, .. } = *followed;
        let branch = self.controls.at(address.wrapping_sub(successor.wrapping_sub(address)))?;
        branch.has_slot(address).then_some(branch)
    }

    /// A transfer is made behind an instruction.
    pub(crate) fn take(&mut self, followed: &Followed, (to, step): (u64, Step), now: Spending) {
        if !self.map().is_plain(step, followed.address, to) {
            self.recorder.transfer(followed.address, to, step, now);
        }
    }

    /// An instruction was cancelled, and the run goes on at an address.
    pub(crate) fn follow_cancelled(&mut self, from: u64, to: u64, successor: u64, now: Spending) {
        self.recorder.cancelled(from, to, successor, now);
    }

    /// Something beside the instructions sends the run elsewhere than to what is next, as [`CallRecorder::strike`].
    pub(crate) fn strike(&mut self, next: u64, to: u64, now: Spending) {
        self.recorder.strike(next, to, now);
    }

    /// The calls so far.
    pub(crate) fn calls(&self, now: Spending) -> Calls {
        self.recorder.calls(now)
    }
}
