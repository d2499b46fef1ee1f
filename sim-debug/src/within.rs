//! Stops within an instruction: before a statement of the description.
//!
//! An engine that has stopped there cannot go on. So the state before the instruction, or before the
//! cycle where they overlap, is kept, together with the list of the statements that it passes. Every
//! move is a move in that list, after which the instruction runs anew up to there; behind its last
//! statement it runs as always. So what is measured is what a plain run measures, and the way back is
//! the same as the way on.

use sim_runtime::host::Host;
use sim_runtime::inspection::{Follow, PassedStatement, Within};

use crate::debugger::{Debugger, Direction, How, Stopped};
use crate::history::Moment;

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
    pub(crate) fn go_on_within(&mut self, host: &mut Host, how: How, budget: u64) -> Option<Stopped> {
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
            let (before, passed, next) = next?;
            if let Some(next) = next {
                self.stand_within(host, before, passed, next);
                return Some(Stopped::Statement);
            }
            self.restore(host, &before);
            let stopped = self.unit(host);
            if stopped.is_some() {
                return stopped;
            }
            if self.is_at_breakpoint() {
                return Some(Stopped::Breakpoint);
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

    /// Goes back by a statement, or for `Continue` to one that is stopped at, within the instruction at
    /// hand; else leaves the instruction. What that is for the run, if it stops it.
    pub(crate) fn go_back_within(&mut self, host: &mut Host, how: How) -> Option<Stopped> {
        let position = self.inside.take()?;
        let Position { before, passed, at, .. } = position;
        let (last, why) = match how {
            How::Continue => (self.last_stop_in(&passed[..at]), Stopped::Line),
            How::Statement | How::Over | How::Out => (at.checked_sub(1), Stopped::Statement),
            _ => (None, Stopped::Stepped),
        };
        if let Some(last) = last {
            self.stand_within(host, before, passed, last);
            return Some(why);
        }
        self.restore(host, &before);
        match how {
            How::Step if self.is_boundary => Some(Stopped::Stepped),
            How::StepCycle => Some(Stopped::Stepped),
            How::Continue => {
                let _ = self.bare_unit(host);
                let touched = self.touched();
                self.restore(host, &before);
                touched.or_else(|| self.is_at_breakpoint().then_some(Stopped::Breakpoint))
            }
            _ => None,
        }
    }

    /// Goes back to the last statement before here, the run standing between two instructions.
    pub(crate) fn go_back_to_statement(
        &mut self,
        host: &mut Host,
        is_asked: &mut dyn FnMut() -> bool,
    ) -> Option<Stopped> {
        loop {
            match self.go_back(host, How::StepCycle, is_asked)? {
                Stopped::Stepped => {}
                other => return Some(other),
            }
            if let Some((before, passed)) = self.list_unit(host) {
                if let Some(last) = passed.len().checked_sub(1) {
                    self.stand_within(host, before, passed, last);
                    return Some(Stopped::Statement);
                }
                self.restore(host, &before);
            }
        }
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
    fn stand_within(&mut self, host: &mut Host, before: Moment, passed: Vec<PassedStatement>, at: usize) {
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
        self.engine.take_reads();
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
