//! Transfers that are taken again and again, with what the tables say of them.

use sim_profile::{CallKind, Spending};

use super::frame::{Frame, Returns};
use super::stack::{StackNumber, difference, sum};
use super::{CallRecorder, MOST_FRAMES};
use crate::record::Step;

/// Most tail calls behind each other that are taken off together as single frames.
const MOST_TAILS: usize = 64;

/// A transfer with what the tables say of it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Way {
    /// The frame that it takes off and nothing else, if it is a return.
    returns: Returns,
    /// The top of the stack that it was taken from last, if it put a frame onto that.
    from_stack: StackNumber,
    /// That frame: its stack.
    stack: StackNumber,
    /// Its arc.
    arc: u32,
    /// What takes it off.
    kept: Returns,
    from: u64,
    to: u64,
    step: Step,
    /// The function that it leads to; none for a return into code without symbols.
    callee: Option<u32>,
    /// The address that a call keeps.
    point: Option<u32>,
}

/// What stands on top of a stack of calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StackTop(StackNumber);

impl StackTop {
    /// The same as a number, which no other has.
    pub fn number(self) -> u64 {
        self.0.number()
    }
}

/// A call from a place to a function, from a certain stack.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct PreparedCall {
    from_stack: StackNumber,
    stack: StackNumber,
    arc: u32,
    kept: Returns,
    /// Where it returns to.
    pub return_address: u64,
}

impl PreparedCall {
    /// What stands on top of the stack before it.
    pub fn from(&self) -> StackTop {
        StackTop(self.from_stack)
    }

    /// What stands there behind it.
    pub fn to(&self) -> StackTop {
        StackTop(self.stack)
    }
}

impl CallRecorder {
    /// Whether a transfer changes nothing, now or as long as no frame waits for an address that none
    /// has waited for before ([`CallRecorder::take_newly_awaited`]).
    pub fn is_idle(&self, step: Step, from: u64, to: u64) -> bool {
        let was_awaited = |point: &u32| self.points[*point as usize].was_awaited;
        match step {
            Step::Direct => self.map.is_plain(step, from, to),
            Step::Computed => {
                let here = self.map.function_at(from);
                let is_within = here.is_some() && here == self.map.function_at(to);
                is_within && !self.point_numbers.get(&to).is_some_and(was_awaited)
            }
            Step::Call { .. } | Step::Unforeseen { .. } => false,
        }
    }

    /// Whether a frame waits for an address that none has waited for before, and nobody has asked since.
    pub fn is_newly_awaited(&self) -> bool {
        !self.newly_awaited.is_empty()
    }

    /// The addresses that a frame has waited for, for the first time, since this was asked last.
    pub fn take_newly_awaited(&mut self) -> Vec<u64> {
        std::mem::take(&mut self.newly_awaited)
    }

    /// The number of a transfer, for [`CallRecorder::take`].
    pub fn way(&mut self, from: u64, to: u64, step: Step) -> u32 {
        if let Some(number) = self.way_numbers.get(&(from, to, step)) {
            return *number;
        }
        let point = match step {
            Step::Call { return_address } => Some(return_address),
            Step::Unforeseen { next } => Some(next),
            Step::Computed => Some(to),
            Step::Direct => None,
        };
        let point = point.map(|address| self.point(address));
        let is_return = matches!(step, Step::Computed);
        let is_into_nothing = is_return && self.map.function_at(to).is_none();
        let callee = (!is_into_nothing).then(|| self.function(to));
        let returns = point.filter(|_| is_return).map_or(Returns::NOT, |point| Returns::to(point, callee));
        let (from_stack, stack) = (StackNumber::NONE, StackNumber::NONE);
        let (arc, kept) = (Frame::NO_ARC, Returns::BELOW);
        let number = self.ways.len() as u32;
        self.ways.push(Way { returns, from_stack, stack, arc, kept, from, to, step, callee, point });
        self.way_numbers.insert((from, to, step), number);
        number
    }

    /// Takes a transfer by its number, as [`CallRecorder::transfer`] does.
    ///
    /// What calls cost a run is this: so a call from where it was made last, and a return to the caller,
    /// ask no table, and of the stack only its top.
    #[inline(always)]
    pub fn take(&mut self, number: u32, now: Spending) {
        let (Some(way), Some(top)) = (self.ways.get(number as usize), self.frames.last()) else { return };
        if top.returns == way.returns && self.frames.len() > self.present {
            let top = *top;
            self.frames.truncate(self.frames.len() - 1);
            self.leave_single(top, now);
        } else if top.stack == way.from_stack && way.stack.is_single() && self.frames.len() < MOST_FRAMES {
            self.frames.push(Frame { stack: way.stack, arc: way.arc, returns: way.kept, since: now });
        } else {
            self.take_otherwise(number, now);
        }
    }

    #[inline]
    fn leave_single(&mut self, frame: Frame, now: Spending) {
        let spent = difference(now, frame.since);
        self.stacks.add_single(frame.stack, spent);
        if let Some(arc) = self.arcs.get_mut(frame.arc as usize) {
            arc.calls = arc.calls.wrapping_add(1);
            arc.presence.inclusive = sum(arc.presence.inclusive, spent);
        }
    }

    /// The same where functions stand on the stack twice, where the stack is another than the last time, and
    /// where more is to be done than to put a frame on or to take one off.
    #[inline(never)]
    fn take_otherwise(&mut self, number: u32, now: Spending) {
        let (Some(way), Some(top)) = (self.ways.get(number as usize).copied(), self.frames.last().copied())
        else {
            return;
        };
        match way.step {
            Step::Call { .. } => self.take_call(number, top.stack, CallKind::Call, now),
            Step::Unforeseen { .. } => self.take_call(number, top.stack, CallKind::Interrupt, now),
            Step::Computed if top.returns == way.returns => {
                self.pop(now);
                self.begin_again(way.to, now);
            }
            Step::Computed if self.take_off_tails(way.returns, now) => {}
            Step::Direct if self.is_new(top.stack, &way) => {
                self.take_call(number, top.stack, CallKind::Tail, now);
            }
            step => self.transfer(way.from, way.to, step, now),
        }
    }

    fn take_call(&mut self, number: u32, from_stack: StackNumber, kind: CallKind, now: Spending) {
        let way = self.ways[number as usize];
        if way.from_stack != from_stack {
            self.prepare(number, from_stack, kind);
        }
        let Way { stack, arc, kept, .. } = self.ways[number as usize];
        if !stack.is_single() || self.frames.len() >= MOST_FRAMES {
            self.enter_all();
            if self.frames.len() - self.bottom == MOST_FRAMES {
                self.forget_oldest(now);
            }
            self.push(Frame { stack, arc, returns: kept, since: now });
        } else {
            self.frames.push(Frame { stack, arc, returns: kept, since: now });
        }
    }

    /// Finds the frame that a call puts onto a stack, for this time and those to come.
    fn prepare(&mut self, number: u32, from_stack: StackNumber, kind: CallKind) {
        let Way { callee, point, from, .. } = self.ways[number as usize];
        let Some(callee) = callee else { return };
        let stack = self.stacks.call(Some(from_stack), (callee, self.functions[callee as usize].start));
        let arc = self.arc_to(callee, (from_stack, from, kind));
        let kept = self.returns_of(point, from_stack);
        self.functions[callee as usize].presence.was_there = true;
        if let Some(point) = point {
            self.is_awaited(point);
        }
        let way = &mut self.ways[number as usize];
        (way.from_stack, way.stack, way.arc, way.kept) = (from_stack, stack, arc, kept);
    }

    /// Whether a jump leads to a function that is not on the stack, and so puts it there: from one with a
    /// symbol, or to one.
    fn is_new(&mut self, from_stack: StackNumber, way: &Way) -> bool {
        let Some(callee) = way.callee else { return false };
        let here = &self.functions[self.stacks.function(from_stack) as usize];
        let there = &self.functions[callee as usize];
        (here.has_symbol || there.has_symbol) && self.stacks.is_new(from_stack, there.start)
    }

    /// Takes off single frames that wait for what the one below does, and that one, if a return leads there;
    /// whether it does. Of a long chain nobody asks here: it would be gone through again and again.
    fn take_off_tails(&mut self, returns: Returns, now: Spending) -> bool {
        let above = self.frames[self.present..].iter().rev().take(MOST_TAILS);
        let tails = above.take_while(|frame| frame.returns == Returns::BELOW).count();
        let waiting = self.frames.len().checked_sub(tails + 1).filter(|index| *index >= self.present);
        let Some(waiting) = waiting.filter(|index| self.frames[*index].returns == returns) else {
            return false;
        };
        while self.frames.len() > waiting {
            if let Some(frame) = self.frames.pop() {
                self.leave_single(frame, now);
            }
        }
        true
    }

    /// What stands on top of the stack: a call that was prepared from there may be made again by whoever
    /// keeps frames of their own on top of the recorder's. `None` if there is no room for so many.
    pub fn top(&self, room: usize) -> Option<StackTop> {
        let top = self.frames.last()?;
        (self.frames.len() + room <= MOST_FRAMES).then_some(StackTop(top.stack))
    }

    /// The call that was made by a way just now, if it can be made again without the recorder: it put a frame
    /// on that no other function of the stack has to know of, and that its return takes off alone.
    pub fn prepared(&self, number: u32) -> Option<PreparedCall> {
        let (way, top) = (self.ways.get(number as usize)?, self.frames.last()?);
        let Step::Call { return_address } = way.step else { return None };
        let is_on_top = way.stack.is_single() && way.stack == top.stack && way.kept == top.returns;
        let point = way.point?;
        let function = self.map.function_at(return_address).map(|start| self.function_numbers.get(&start));
        let function = match function {
            Some(number) => Some(*number?),
            None => None,
        };
        let is_alone = is_on_top && self.frames.len() > self.present;
        let Way { from_stack, stack, arc, kept, .. } = *way;
        (is_alone && kept == Returns::to(point, function)).then_some(PreparedCall {
            from_stack,
            stack,
            arc,
            kept,
            return_address,
        })
    }

    /// Puts on the frame of a call that was made without the recorder, and has not returned.
    pub fn put_on(&mut self, call: &PreparedCall, since: Spending) {
        let PreparedCall { stack, arc, kept, .. } = *call;
        self.frames.push(Frame { stack, arc, returns: kept, since });
    }

    /// Takes that a call was made without the recorder so many times, and has returned.
    pub fn add_returned(&mut self, call: &PreparedCall, times: u64, spent: Spending) {
        self.stacks.add_single(call.stack, spent);
        if let Some(arc) = self.arcs.get_mut(call.arc as usize) {
            arc.calls = arc.calls.wrapping_add(times);
            arc.presence.inclusive = sum(arc.presence.inclusive, spent);
        }
    }

    /// Forgets all ways: instructions are no longer what they were.
    pub fn forget_ways(&mut self) {
        self.ways.clear();
        self.way_numbers.clear();
    }
}
