//! The states of a run that are kept for the way back, and when.

use sim_runtime::host::Host;

use crate::debugger::Debugger;
use crate::history::{History, Moment};

impl Debugger<'_> {
    /// The run begins here: states are kept from now on, if that is possible.
    pub(crate) fn begin(&mut self, host: &mut Host) {
        if host.keep_history() {
            self.history = self.moment(host, false).map(History::new);
        }
    }

    /// The state at hand.
    pub(crate) fn moment(&mut self, host: &Host, is_changed: bool) -> Option<Moment> {
        Some(Moment {
            cycles: self.engine.cycles(),
            instructions: self.engine.instructions(),
            taken: self.taken,
            is_boundary: self.is_boundary,
            is_changed,
            new_stall: self.new_stall,
            engine: self.engine.save()?,
            host: host.save()?,
        })
    }

    /// Keeps the state at hand if it is time to.
    pub(crate) fn keep(&mut self, host: &Host) {
        let due = self.history.as_ref().is_some_and(|history| self.engine.cycles() >= history.next_due());
        if due && self.ended.is_none() {
            let moment = self.moment(host, false);
            if let (Some(history), Some(moment)) = (&mut self.history, moment) {
                history.add(moment);
            }
        }
    }

    /// What comes before a run goes on in either direction: what somebody has changed is kept.
    pub(crate) fn settle(&mut self, host: &mut Host) {
        if std::mem::take(&mut self.is_changed) {
            let cycles = self.engine.cycles();
            if let Some(history) = &mut self.history {
                history.forget_behind(cycles);
            }
            host.forget_future();
            let moment = self.moment(host, true);
            if let (Some(history), Some(moment)) = (&mut self.history, moment) {
                history.change(moment);
            }
        }
        self.look_at_places();
        self.engine.take_accesses();
    }

    /// The run goes on from here: what was kept of another way is of no use.
    pub(crate) fn begin_forward(&mut self, host: &mut Host) {
        self.settle(host);
        let cycles = self.inside.as_ref().map_or(self.engine.cycles(), |position| position.before.cycles);
        if self.history.as_mut().is_some_and(|history| history.forget_behind(cycles)) {
            host.forget_future();
        }
    }
}
