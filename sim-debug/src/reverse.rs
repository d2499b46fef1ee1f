//! The way back: an earlier state is taken up, and the run goes on from there as it did before.
//!
//! To find the last place before here where something holds, the run is repeated from the last kept
//! state, then from the one before up to where that begins, and so on. Several steps are one such search.

use std::collections::VecDeque;
use std::ops::ControlFlow;

use sim_runtime::host::Host;
use sim_runtime::inspection::Follow;

use crate::course::{Direction, How, Stopped};
use crate::debugger::{Debugger, IsAsked};
use crate::history::{History, Moment};

/// So many units are repeated before somebody is asked whether to stop.
const UNITS_UNASKED: u64 = 1 << 10;

/// A place of a run to stop at.
struct Found {
    cycles: u64,
    why: Stopped,
}

/// Places to stop at, the last ones before somewhere.
struct LastFound {
    places: VecDeque<Found>,
    most: u64,
}

impl LastFound {
    fn new(most: u64) -> LastFound {
        LastFound { places: VecDeque::new(), most }
    }

    /// Another place, or another reason at the same one.
    fn add(&mut self, found: Found) {
        if self.places.back().is_some_and(|last| last.cycles == found.cycles) {
            self.places.pop_back();
        }
        self.places.push_back(found);
        if self.places.len() as u64 > self.most {
            self.places.pop_front();
        }
    }
}

impl Debugger<'_> {
    /// Goes back until something stops it: by so many steps, or to a breakpoint, or to where a watched
    /// place had another value. `None` if it cannot be taken back at all. `is_asked` is asked now and
    /// then; the run is then where it has been.
    pub(crate) fn go_back(
        &mut self,
        host: &mut Host,
        how: How,
        times: u64,
        is_asked: IsAsked<'_>,
    ) -> Option<Stopped> {
        if !self.can_go_back() {
            return None;
        }
        self.settle(host);
        let told = self.touches_at.take();
        let statement = self.inside.as_ref().map(|position| position.statement());
        let origin = match &self.inside {
            Some(_) => None,
            None => Some(self.moment(host, false)?),
        };
        let mut left = times.max(1);
        let origin = match self.go_back_within(host, how, &mut left) {
            ControlFlow::Break(stopped) => return Some(stopped),
            ControlFlow::Continue(before) => before.or(origin)?,
        };
        let stopped = match Debugger::is_within_move(how, Direction::Backward) {
            true => self.go_back_to_statement(host, left, is_asked),
            false => self.search_back(host, how, left, is_asked),
        };
        if matches!(stopped, Some(Stopped::Watch(..))) && self.stops_before_touching.is_some() {
            self.redo(host, told);
        }
        if stopped == Some(Stopped::Asked) {
            self.restore(host, &origin);
            if let Some((passed, at)) = statement {
                self.stand_within(host, origin, passed, at);
            }
        }
        stopped
    }

    /// The same between instructions, or cycles; when somebody asks, the run is anywhere.
    pub(crate) fn search_back(
        &mut self,
        host: &mut Host,
        how: How,
        times: u64,
        is_asked: IsAsked<'_>,
    ) -> Option<Stopped> {
        let (mut limit, mut left) = (self.engine.cycles(), times);
        let moments = self.history.as_ref().map_or(0, |history| history.moments().len());
        for index in (0..moments).rev() {
            let Some(begin) = self.cycles_of(index).filter(|begin| *begin < limit) else { continue };
            self.take_up(host, index);
            let Some(found) = self.last_before(host, limit, (how, left), is_asked) else {
                return Some(Stopped::Asked);
            };
            if found.len() as u64 == left
                && let Some(Found { cycles, why }) = found.front()
            {
                self.take_up(host, index);
                if !self.run_to(host, *cycles, is_asked) {
                    return Some(Stopped::Asked);
                }
                return match *why {
                    // The instruction passes it, and runs up to there.
                    Stopped::Line => self.stand_at_last_stop(host).or(Some(*why)),
                    why => Some(why),
                };
            }
            left -= found.len() as u64;
            limit = begin;
        }
        self.take_up(host, 0);
        Some(Stopped::AtBeginning)
    }

    /// Goes to where so many instructions have ended, if that does not lie ahead. When somebody asks,
    /// the run is where it has been.
    pub(crate) fn go_back_to(
        &mut self,
        host: &mut Host,
        instructions: u64,
        is_asked: IsAsked<'_>,
    ) -> Option<Stopped> {
        self.leave_within(host);
        self.touches_at = None;
        let here = self.engine.instructions();
        if instructions > here {
            return None;
        }
        self.settle(host);
        // Where instructions overlap, several cycles may pass in which none ends.
        if instructions == here && !(self.overlaps() && self.can_go_back()) {
            return Some(Stopped::Stepped);
        }
        if !self.can_go_back() {
            return Some(Stopped::AtBeginning);
        }
        let origin = self.moment(host, false)?;
        let moments = self.history.as_ref().map_or(&[][..], History::moments);
        let before = moments.iter().rposition(|moment| moment.instructions < instructions);
        self.take_up(host, before.unwrap_or(0));
        let mut units = 0;
        while self.engine.instructions() < instructions && self.bare_unit(host).is_none() {
            units += 1;
            if units % UNITS_UNASKED == 0 && is_asked() {
                self.restore(host, &origin);
                return Some(Stopped::Asked);
            }
        }
        // Somebody may have changed something here.
        let cycles = self.engine.cycles();
        let moments = self.history.as_ref().map_or(&[][..], History::moments);
        if let Some(changed) = moments.iter().position(|moment| moment.cycles == cycles) {
            self.take_up(host, changed);
        }
        self.look_at_places();
        self.engine.take_accesses();
        // What lies further back than states are kept cannot be reached.
        Some(match self.engine.instructions() > instructions && before.is_none() {
            true => Stopped::AtBeginning,
            false => Stopped::Stepped,
        })
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
        self.engine.take_accesses();
    }

    /// Goes to a time that was there before, where an instruction, or a cycle, begins.
    pub(crate) fn go_to_cycle(&mut self, host: &mut Host, cycles: u64) {
        self.engine.follow(Follow::Nothing);
        match self.recent.take().filter(|recent| recent.cycles <= cycles) {
            Some(recent) => self.restore(host, &recent),
            None => {
                let moments = self.history.as_ref().map_or(&[][..], History::moments);
                let before = moments.iter().rposition(|moment| moment.cycles <= cycles).unwrap_or(0);
                self.take_up(host, before);
            }
        }
        self.run_to(host, cycles, &mut || false);
    }

    /// Runs on to a time that was there before; false if somebody has asked, which may be anywhere.
    pub(crate) fn run_to(&mut self, host: &mut Host, cycles: u64, is_asked: IsAsked<'_>) -> bool {
        let mut units = 0;
        while self.engine.cycles() < cycles && self.bare_unit(host).is_none() {
            units += 1;
            if units % UNITS_UNASKED == 0 && is_asked() {
                return false;
            }
        }
        self.look_at_places();
        self.engine.take_accesses();
        true
    }

    /// Runs on to a time; the last places before it where the run is to stop, at most so many, the
    /// earliest first. `None` if somebody has asked.
    fn last_before(
        &mut self,
        host: &mut Host,
        limit: u64,
        (how, most): (How, u64),
        is_asked: IsAsked<'_>,
    ) -> Option<VecDeque<Found>> {
        let (mut found, mut units) = (LastFound::new(most), 0);
        self.holds_here(how).into_iter().for_each(|here| found.add(here));
        loop {
            let before = self.engine.cycles();
            if before >= limit {
                return Some(found.places);
            }
            units += 1;
            if units % UNITS_UNASKED == 0 && is_asked() {
                return None;
            }
            let follows = how == How::Continue && !self.stops.is_empty();
            if follows {
                self.engine.follow(Follow::List);
            }
            let mut ended = self.bare_unit(host).is_some();
            let passed = if follows { self.engine.take_passed() } else { Vec::new() };
            if follows && self.was_cut(host, before) {
                ended = self.bare_unit(host).is_some();
            }
            if let Some(why) = self.touched().filter(|_| how == How::Continue) {
                found.add(Found { cycles: before, why });
            }
            if follows {
                self.engine.follow(Follow::Nothing);
                if self.last_stop_in(&passed).is_some() {
                    found.add(Found { cycles: before, why: Stopped::Line });
                }
            }
            if ended || self.engine.cycles() >= limit {
                return Some(found.places);
            }
            self.holds_here(how).into_iter().for_each(|here| found.add(here));
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
        self.breakpoint_here().map(|why| Found { cycles, why })
    }
}
