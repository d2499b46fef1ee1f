//! Stops within an instruction: before a statement of the description.
//!
//! An engine that has stopped there cannot go on. So the state before the instruction, or before the
//! cycle where they overlap, is kept, together with the list of the statements that it passes. Every
//! move is a move in that list, after which the instruction runs anew up to there; behind its last
//! statement it runs as always. So what is measured is what a plain run measures, and the way back is
//! the same as the way on.

use std::ops::ControlFlow;

use sim_runtime::Stop;
use sim_runtime::host::Host;
use sim_runtime::inspection::{Follow, PassedStatement, Within};

use crate::course::{Direction, How, Stopped};
use crate::debugger::{Debugger, IsAsked};
use crate::history::Moment;

/// So many instructions or cycles are listed at a time on the way back.
const MOST_LISTED: u64 = 1 << 10;

/// Where a run stands within an instruction.
pub(crate) struct Position {
    /// Before the instruction, or the cycle.
    pub(crate) before: Moment,
    /// The statements that it passes.
    passed: Vec<PassedStatement>,
    /// The one at hand.
    at: usize,
    /// Where the run is for who counts addresses.
    pub(crate) address: u64,
    within: Within,
}

impl Position {
    /// The statements that are passed, and which of them is at hand.
    pub(crate) fn statement(&self) -> (Vec<PassedStatement>, usize) {
        (self.passed.clone(), self.at)
    }

    /// The statement at hand, and all that is seen there.
    pub(crate) fn within(&self) -> &Within {
        &self.within
    }
}

impl Debugger<'_> {
    /// Where the run stands within an instruction, if it does: nothing can be changed there.
    #[must_use]
    pub fn within(&self) -> Option<&Within> {
        self.inside.as_ref().map(Position::within)
    }

    /// Why statements cannot be followed.
    ///
    /// # Errors
    /// The engine does not tell them, or the run cannot be taken back.
    pub fn check_follows(&self) -> Result<(), &'static str> {
        match (self.statements.statements.is_empty(), self.can_go_back()) {
            (true, _) => {
                Err("this engine does not tell the statements of a description; take --engine reference")
            }
            (false, false) => Err(
                "to stop within an instruction it is run again, and a run whose program may open files cannot be; \
                 leave out --root",
            ),
            (false, true) => Ok(()),
        }
    }

    /// Leaves the instruction at hand: the run stands before it again.
    pub(crate) fn leave_within(&mut self, host: &mut Host) {
        if let Some(position) = self.inside.take() {
            self.restore(host, &position.before);
        }
    }

    /// Goes on by a statement; `None` if there was none in so many instructions or cycles.
    pub(crate) fn go_on_within(
        &mut self,
        host: &mut Host,
        how: How,
        budget: u64,
        is_asked: IsAsked<'_>,
    ) -> Option<Stopped> {
        let begin = self.taken;
        for _ in 0..budget {
            if let Some(ended) = self.ended {
                return Some(Stopped::Ended(ended));
            }
            let next = match self.inside.take() {
                Some(position) => {
                    let next = self.next_of(&position.passed, position.at, how);
                    Some((position.before, position.passed, next))
                }
                None => self.list_unit(host).map(|(before, passed)| {
                    let first = (!passed.is_empty()).then_some(0);
                    (before, passed, first)
                }),
            };
            // Where statements cannot be followed, the run stands.
            let Some((before, passed, next)) = next else { return Some(Stopped::Stepped) };
            if let Some(next) = next {
                self.stand_within(host, before, passed, next);
                return Some(Stopped::Statement);
            }
            self.restore(host, &before);
            let stopped = self.unit(host);
            if stopped.is_some() {
                return stopped;
            }
            if let Some(here) = self.breakpoint_here() {
                return Some(here);
            }
            if self.taken.saturating_sub(begin) >= budget {
                break;
            }
            if is_asked() {
                return Some(Stopped::Asked);
            }
        }
        None
    }

    /// Goes on to the next statement that is stopped at, if that is in the instruction at hand, else
    /// behind the instruction; nothing if the run stands between two.
    pub(crate) fn finish_within(&mut self, host: &mut Host) -> Option<Stopped> {
        let position = self.inside.take()?;
        if let Some(next) = self.stop_in(&position.passed, position.at + 1..position.passed.len()) {
            self.stand_within(host, position.before, position.passed, next);
            return Some(Stopped::Line);
        }
        self.restore(host, &position.before);
        self.unit(host)
    }

    /// After an instruction, or a cycle, that began at a time: goes back to before the first statement
    /// in it that is stopped at.
    pub(crate) fn stop_at_passed(&mut self, host: &mut Host, cycles: u64) -> Option<Stopped> {
        let passed = self.engine.take_passed();
        let first = self.stop_in(&passed, 0..passed.len())?;
        self.go_to_cycle(host, cycles);
        let before = self.moment(host, false)?;
        self.stand_within(host, before, passed, first);
        Some(Stopped::Line)
    }

    /// True if the instruction, or cycle, that began at a time was left because it passes more statements
    /// than are listed: the run then stands before it, and nothing is listed any more.
    pub(crate) fn was_cut(&mut self, host: &mut Host, cycles: u64) -> bool {
        let is_cut = self.ended == Some(Stop::Interrupted) && !host.is_interrupted();
        if is_cut {
            self.go_to_cycle(host, cycles);
        }
        is_cut
    }

    /// Goes back by statements, or for `Continue` to one that is stopped at, within the instruction at
    /// hand, and tells where that leads; else leaves the instruction, gives the state before it if there
    /// is one, and takes what was done off `left`.
    pub(crate) fn go_back_within(
        &mut self,
        host: &mut Host,
        how: How,
        left: &mut u64,
    ) -> ControlFlow<Stopped, Option<Moment>> {
        let Some(Position { before, passed, at, .. }) = self.inside.take() else {
            return ControlFlow::Continue(None);
        };
        let (last, why) = match how {
            How::Continue => (self.last_stop_in(&passed[..at]), Stopped::Line),
            How::Statement | How::Over | How::Out => {
                let last = usize::try_from(*left).ok().and_then(|left| at.checked_sub(left));
                (last, Stopped::Statement)
            }
            _ => (None, Stopped::Stepped),
        };
        if let Some(last) = last {
            self.stand_within(host, before, passed, last);
            return ControlFlow::Break(why);
        }
        self.restore(host, &before);
        match how {
            How::Statement | How::Over | How::Out => *left -= at as u64,
            How::Step if !self.is_boundary => {}
            How::Step | How::StepCycle => {
                *left -= 1;
                if *left == 0 {
                    return ControlFlow::Break(Stopped::Stepped);
                }
            }
            How::Continue => {
                // What the instruction does behind the statement has not happened.
                self.engine.follow(Follow::Until { index: at, with_operands: false });
                let _ = self.engine.run(host, 1);
                self.engine.follow(Follow::Nothing);
                let touched = self.touched();
                self.restore(host, &before);
                let here = || self.breakpoint_here();
                if let Some(stopped) = touched.or_else(here) {
                    return ControlFlow::Break(stopped);
                }
            }
            How::StepRange(..) | How::GoTo(_) => {}
        }
        ControlFlow::Continue(Some(before))
    }

    /// Goes back by so many statements, the run standing between two instructions. When somebody asks,
    /// the run is anywhere.
    pub(crate) fn go_back_to_statement(
        &mut self,
        host: &mut Host,
        times: u64,
        is_asked: IsAsked<'_>,
    ) -> Option<Stopped> {
        let mut left = times;
        loop {
            let behind = self.engine.cycles();
            match self.search_back(host, How::StepCycle, left.min(MOST_LISTED), is_asked)? {
                Stopped::AtBeginning if self.engine.cycles() == behind => return Some(Stopped::AtBeginning),
                Stopped::Stepped | Stopped::AtBeginning => {}
                other => return Some(other),
            }
            let begin = self.moment(host, false)?;
            let listed = self.list_units(host, behind)?;
            self.restore(host, &begin);
            for (cycles, count) in listed.into_iter().rev() {
                if count < left {
                    left -= count;
                    continue;
                }
                self.run_to(host, cycles, &mut || false);
                let (before, passed) = self.list_unit(host)?;
                let at = passed.len().checked_sub(left as usize)?;
                self.stand_within(host, before, passed, at);
                return Some(Stopped::Statement);
            }
        }
    }

    /// Runs on to a time; where each instruction, or cycle, has begun, and how many statements it passed.
    fn list_units(&mut self, host: &mut Host, behind: u64) -> Option<Vec<(u64, u64)>> {
        let mut listed = Vec::new();
        loop {
            let cycles = self.engine.cycles();
            if cycles >= behind {
                break;
            }
            if !self.engine.follow(Follow::List) {
                return None;
            }
            let mut ended = self.bare_unit(host).is_some();
            listed.push((cycles, self.engine.take_passed().len() as u64));
            if self.was_cut(host, cycles) {
                ended = self.bare_unit(host).is_some();
            }
            if ended {
                break;
            }
        }
        self.engine.follow(Follow::Nothing);
        Some(listed)
    }

    /// Stands before the last statement that is stopped at in the instruction that begins here.
    pub(crate) fn stand_at_last_stop(&mut self, host: &mut Host) -> Option<Stopped> {
        let (before, passed) = self.list_unit(host)?;
        match self.last_stop_in(&passed) {
            Some(last) => {
                self.stand_within(host, before, passed, last);
                Some(Stopped::Line)
            }
            None => {
                self.restore(host, &before);
                None
            }
        }
    }

    pub(crate) fn last_stop_in(&self, passed: &[PassedStatement]) -> Option<usize> {
        passed.iter().rposition(|passed| self.stops.contains(&passed.statement))
    }

    fn stop_in(&self, passed: &[PassedStatement], range: std::ops::Range<usize>) -> Option<usize> {
        let mut range = range;
        range.find(|index| self.stops.contains(&passed[*index].statement))
    }

    /// The next statement for a step from one of a list.
    fn next_of(&self, passed: &[PassedStatement], at: usize, how: How) -> Option<usize> {
        let depth = |passed: &PassedStatement| {
            let calls = self.statements.get(passed.statement).map_or(0, |statement| statement.calls.len());
            (passed.nesting, calls)
        };
        let here = passed.get(at)?;
        let fits = |other: &PassedStatement| {
            let is_stop = self.stops.contains(&other.statement);
            is_stop
                || other.turn != here.turn
                || match how {
                    How::Over => depth(other) <= depth(here),
                    How::Out => depth(other) < depth(here),
                    _ => true,
                }
        };
        (at + 1..passed.len()).find(|index| fits(&passed[*index]))
    }

    /// Runs the instruction, or cycle, at hand, for the statements that it passes; it is to be taken
    /// back then. `None` if that cannot be done.
    fn list_unit(&mut self, host: &mut Host) -> Option<(Moment, Vec<PassedStatement>)> {
        let before = self.moment(host, false)?;
        if !self.engine.follow(Follow::List) {
            return None;
        }
        let _ = self.bare_unit(host);
        let passed = self.engine.take_passed();
        self.engine.follow(Follow::Nothing);
        Some((before, passed))
    }

    /// Runs the instruction that begins at a state up to before a statement of those that it passes.
    pub(crate) fn stand_within(
        &mut self,
        host: &mut Host,
        before: Moment,
        passed: Vec<PassedStatement>,
        at: usize,
    ) {
        self.restore(host, &before);
        let address = self.address();
        let mut seen = Within::default();
        // To evaluate operands may change what else there is to be seen.
        for with_operands in [true, false] {
            self.restore(host, &before);
            self.engine.follow(Follow::Until { index: at, with_operands });
            let _ = self.engine.run(host, 1);
            if let Some(within) = self.engine.within().filter(|_| with_operands) {
                seen = within.clone();
            }
        }
        self.engine.follow(Follow::Nothing);
        self.look_at_places();
        self.engine.take_accesses();
        self.inside = Some(Position { before, passed, at, address, within: seen });
    }

    /// Where a move by a statement leads.
    pub(crate) fn is_within_move(how: How, direction: Direction) -> bool {
        match how {
            How::Statement => true,
            How::Over | How::Out => direction == Direction::Forward,
            _ => false,
        }
    }
}
