//! How gdb has a run go on and back.

use std::convert::Infallible;

use gdbstub::common::Signal;
use gdbstub::target::ext::base::reverse_exec::{ReverseCont, ReverseContOps, ReverseStep, ReverseStepOps};
use gdbstub::target::ext::base::singlethread::{
    SingleThreadRangeStepping, SingleThreadRangeSteppingOps, SingleThreadResume, SingleThreadSingleStep,
    SingleThreadSingleStepOps,
};

use super::arch::AnyArch;
use super::target::GdbTarget;
use crate::course::{Direction, How};
use crate::engine::Order;

impl SingleThreadResume for GdbTarget<'_> {
    fn resume(&mut self, _signal: Option<Signal>) -> Result<(), Infallible> {
        let how = self.goal.take().unwrap_or(How::Continue);
        self.order = Some(Order::Go(Direction::Forward, how, 1));
        Ok(())
    }

    fn support_single_step(&mut self) -> Option<SingleThreadSingleStepOps<'_, Self>> {
        Some(self)
    }

    fn support_range_step(&mut self) -> Option<SingleThreadRangeSteppingOps<'_, Self>> {
        Some(self)
    }

    fn support_reverse_step(&mut self) -> Option<ReverseStepOps<'_, (), Self>> {
        let can = self.debugger.as_ref().is_none_or(|debugger| debugger.can_go_back());
        can.then_some(self as &mut dyn ReverseStep<(), Arch = AnyArch, Error = Infallible>)
    }

    fn support_reverse_cont(&mut self) -> Option<ReverseContOps<'_, (), Self>> {
        let can = self.debugger.as_ref().is_none_or(|debugger| debugger.can_go_back());
        can.then_some(self as &mut dyn ReverseCont<(), Arch = AnyArch, Error = Infallible>)
    }
}

impl SingleThreadSingleStep for GdbTarget<'_> {
    fn step(&mut self, _signal: Option<Signal>) -> Result<(), Infallible> {
        self.order = Some(Order::Go(Direction::Forward, self.steps, 1));
        Ok(())
    }
}

impl SingleThreadRangeStepping for GdbTarget<'_> {
    fn resume_range_step(&mut self, start: u64, end: u64) -> Result<(), Infallible> {
        let range = self.debugger.as_ref().map(|debugger| {
            let space = debugger.space();
            (space.to_pc(start), end.div_ceil(space.code_cell_bytes()))
        });
        let how = range.map_or(How::Step, |(first, behind)| How::StepRange(first, behind));
        self.order = Some(Order::Go(Direction::Forward, how, 1));
        Ok(())
    }
}

impl ReverseStep<()> for GdbTarget<'_> {
    fn reverse_step(&mut self, _thread: ()) -> Result<(), Infallible> {
        self.order = Some(Order::Go(Direction::Backward, self.steps, 1));
        Ok(())
    }
}

impl ReverseCont<()> for GdbTarget<'_> {
    fn reverse_cont(&mut self) -> Result<(), Infallible> {
        let instructions = self.debugger.as_ref().map_or(0, |debugger| debugger.instructions());
        self.order = Some(match self.goal {
            Some(how @ (How::Statement | How::StepCycle)) => {
                self.goal = None;
                Order::Go(Direction::Backward, how, 1)
            }
            Some(how @ How::GoTo(goal)) if goal <= instructions => {
                self.goal = None;
                Order::Go(Direction::Forward, how, 1)
            }
            // What leads on is for the next `continue`.
            _ => Order::Go(Direction::Backward, How::Continue, 1),
        });
        Ok(())
    }
}
