//! The order of the program, restored from instructions that end in any order.

use std::collections::VecDeque;

/// Finds which instruction went on with which.
#[derive(Default)]
pub(super) struct ProgramOrder {
    /// The ID of the first one below, less 1.
    settled: u64,
    /// Of those that began after: whether it is over, and if it was executed, its address and
    /// that of the cell behind it.
    open: VecDeque<Option<Option<(u64, u64)>>>,
    /// The last settled one that was executed.
    last: Option<(u64, u64)>,
}

impl ProgramOrder {
    /// An instruction is over; `tell` takes every jump that is known by that: from an instruction
    /// to the next one executed, which does not stand behind it.
    pub(super) fn end(&mut self, id: u64, executed: Option<(u64, u64)>, mut tell: impl FnMut(u64, u64)) {
        let place = (id - self.settled - 1) as usize;
        if self.open.len() <= place {
            self.open.resize(place + 1, None);
        }
        self.open[place] = Some(executed);
        while let Some(Some(executed)) = self.open.front().copied() {
            self.open.pop_front();
            self.settled += 1;
            let Some((address, successor)) = executed else { continue };
            if let Some((from, _)) = self.last.filter(|(_, expected)| *expected != address) {
                tell(from, address);
            }
            self.last = Some((address, successor));
        }
    }
}
