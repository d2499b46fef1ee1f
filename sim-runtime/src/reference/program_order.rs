//! Instructions in the order of the program, although they end in any order.

use std::collections::BTreeMap;

use sim_profile::{Event, EventSink};

/// Tells of every instruction that did not stand behind the one before it.
#[derive(Default)]
pub(super) struct ProgramOrder {
    /// What became of those that have ended before an older one, by ID.
    ended: BTreeMap<u64, Option<Place>>,
    /// IDs up to here have ended.
    settled: u64,
    /// The last of them that was executed.
    last: Option<Place>,
}

/// Where an executed instruction stands.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    pub address: u64,
    /// Address of the cell behind it.
    pub successor: u64,
}

impl ProgramOrder {
    /// An instruction has ended: executed, or abandoned in some way.
    pub(super) fn end(&mut self, id: u64, executed: Option<Place>, sink: &mut dyn EventSink) {
        self.ended.insert(id, executed);
        while let Some(executed) = self.ended.remove(&(self.settled + 1)) {
            self.settled += 1;
            let Some(place) = executed else { continue };
            if let Some(last) = self.last.filter(|last| last.successor != place.address) {
                sink.event(Event::Jump { from: last.address, to: place.address });
            }
            self.last = Some(place);
        }
    }
}
