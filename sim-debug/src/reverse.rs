//! The way back: an earlier state is taken up, and the run goes on from there as it did before.
//!
//! To find the last place before here where something holds, the run is repeated from the last kept
//! state, then from the one before up to where that begins, and so on.

use sim_runtime::host::Host;
use sim_runtime::inspection::Follow;

use crate::debugger::{Debugger, Direction, How, Stopped};
use crate::history::{History, Moment};

/// A place of a run to stop at.
struct Found {
    cycles: u64,
    why: Stopped,
}

impl Debugger<'_> {
    /// Goes back until something stops it: to the instruction before, or to a breakpoint, or to where
    /// a watched place had another value. `None` if it cannot be taken back at all. `is_asked` is
    /// asked now and then; the run is then where it has been.
    pub(crate) fn go_back(
        &mut self,
        host: &mut Host,
        how: How,
        is_asked: &mut dyn FnMut() -> bool,
    ) -> Option<Stopped> {
        if !self.can_go_back() {
            return None;
        }
        self.settle(host);
        if self.inside.is_some()
            && let Some(stopped) = self.go_back_within(host, how)
        {
            return Some(stopped);
        }
        if Debugger::is_within_move(how, Direction::Backward) {
            return self.go_back_to_statement(host, is_asked);
        }
        let here = self.engine.cycles();
        let mut limit = here;
        let moments = self.history.as_ref().map_or(0, |history| history.moments().len());
        for index in (0..moments).rev() {
            let Some(begin) = self.cycles_of(index).filter(|begin| *begin < limit) else { continue };
            self.take_up(host, index);
            let found = self.last_before(host, limit, how);
            if let Some(Found { cycles, why }) = found {
                self.take_up(host, index);
                self.run_to(host, cycles);
                return match why {
                    // The instruction passes it, and runs up to there.
                    Stopped::Line => self.stand_at_last_stop(host).or(Some(why)),
                    why => Some(why),
                };
            }
            limit = begin;
            if is_asked() {
                break;
            }
        }
        self.take_up(host, 0);
        Some(match limit == here {
            // There was nothing before.
            true => Stopped::AtBeginning,
            false => match self.cycles_of(0) {
                Some(first) if first == limit => Stopped::AtBeginning,
                _ => Stopped::Asked,
            },
        })
    }

    /// Goes to where so many instructions have ended, if that lies behind; false if it does not, or if
    /// the run cannot be taken back.
    pub(crate) fn go_back_to(&mut self, host: &mut Host, instructions: u64) -> bool {
        self.leave_within(host);
        if instructions >= self.engine.instructions() {
            return false;
        }
        self.settle(host);
        let Some(history) = &self.history else { return false };
        let before = history.moments().iter().rposition(|moment| {
            moment.instructions < instructions || (moment.instructions == instructions && moment.is_boundary)
        });
        self.take_up(host, before.unwrap_or(0));
        while self.engine.instructions() < instructions && self.bare_unit(host).is_none() {}
        self.look_at_places();
        true
    }

    fn cycles_of(&self, index: usize) -> Option<u64> {
        Some(self.history.as_ref()?.moments().get(index)?.cycles)
    }

    /// Takes up a state that was kept.
    fn take_up(&mut self, host: &mut Host, index: usize) {
        let Some(history) = self.history.take() else { return };
        if let Some(moment) = history.moments().get(index) {
            self.restore(host, moment);
        }
        self.history = Some(history);
    }

    /// Takes up a state.
    pub(crate) fn restore(&mut self, host: &mut Host, moment: &Moment) {
        host.go_back(&moment.host);
        self.engine.take_up(&moment.engine);
        self.taken = moment.taken;
        self.is_boundary = moment.is_boundary;
        self.new_stall = moment.new_stall;
        self.ended = None;
        self.inside = None;
        self.look_at_places();
        self.engine.take_reads();
    }

    /// Goes to a time that was there before, where an instruction, or a cycle, begins.
    pub(crate) fn go_to_cycle(&mut self, host: &mut Host, cycles: u64) {
        let moments = self.history.as_ref().map_or(&[][..], History::moments);
        let before = moments.iter().rposition(|moment| moment.cycles <= cycles).unwrap_or(0);
        self.engine.follow(Follow::Nothing);
        self.take_up(host, before);
        self.run_to(host, cycles);
    }

    /// Runs on to a time that was there before.
    fn run_to(&mut self, host: &mut Host, cycles: u64) {
        while self.engine.cycles() < cycles && self.bare_unit(host).is_none() {}
        self.look_at_places();
        self.engine.take_reads();
    }

    /// Runs on to a time; the last place before it where the run is to stop.
    fn last_before(&mut self, host: &mut Host, limit: u64, how: How) -> Option<Found> {
        let mut found = self.holds_here(how);
        loop {
            let before = self.engine.cycles();
            if before >= limit {
                return found;
            }
            let follows = how == How::Continue && !self.stops.is_empty();
            if follows {
                self.engine.follow(Follow::List);
            }
            let ended = self.bare_unit(host).is_some();
            if let Some(why) = self.touched().filter(|_| how == How::Continue) {
                found = Some(Found { cycles: before, why });
            }
            if follows {
                let passed = self.engine.take_passed();
                self.engine.follow(Follow::Nothing);
                if self.last_stop_in(&passed).is_some() {
                    found = Some(Found { cycles: before, why: Stopped::Line });
                }
            }
            if ended || self.engine.cycles() >= limit {
                return found;
            }
            found = self.holds_here(how).or(found);
        }
    }

    /// Whether a run that goes back stops here.
    fn holds_here(&mut self, how: How) -> Option<Found> {
        let cycles = self.engine.cycles();
        let stepped = match how {
            How::StepCycle => true,
            How::Step => self.is_boundary,
            How::StepRange(first, behind) => self.is_boundary && !(first..behind).contains(&self.address()),
            How::Continue | How::GoTo(_) | How::Statement | How::Over | How::Out => false,
        };
        if stepped {
            return Some(Found { cycles, why: Stopped::Stepped });
        }
        if let Some(why) = self.stalled_now().filter(|_| how == How::Continue) {
            return Some(Found { cycles, why });
        }
        self.is_at_breakpoint().then_some(Found { cycles, why: Stopped::Breakpoint })
    }
}
