//! Follows calls and returns while a program runs.
//!
//! An engine tells every transfer of control that is more than a jump within a function, in the
//! order of the program; it may tell others, too. The recorder keeps the stack of calls and adds up
//! what was spent while a function, or a call, is on it. Its memory does not grow with the run's length, but with
//! the number of different stacks, of which a program may have many more than functions, and with the deepest
//! one, up to [`MOST_FRAMES`].
//!
//! - A *call* is made by an instruction that keeps the address behind it; it puts a frame onto the
//!   stack that waits for that address.
//! - A *return* is a computed jump to an address that a frame waits for; it takes that frame off, and
//!   all above it.
//! - A jump from one function to another is a *tail call*, which waits for what its caller waits
//!   for. If the function is on the stack already for the same return, it takes what is above off; if
//!   it is entered anywhere but at its beginning and is further down, so it does (`longjmp`).
//! - What no jump explains is an *interrupt*: a frame that waits for the address that was next.
//!
//! What was spent is added up where a frame is taken off, from what was spent when it was put on. As long
//! as no function stands on the stack twice, that is all: a frame is *single* then, and the numbers of
//! its stack and its arc say where to add. Otherwise the functions and arcs have to be counted that are
//! there, so that nothing counts twice; all frames below are entered into that count first.
//!
//! An engine that comes the same way again and again prepares it once, as a *way*
//! ([`CallRecorder::way`]); taking it asks no table then.

mod frame;
mod place;
mod presence;
mod stack;
mod way;

use std::collections::HashMap;

pub use sim_profile::MOST_FRAMES;
use sim_profile::{CallCount, CallKey, CallKind, Calls, FunctionCount, Spending};

use super::transfer::{FunctionMap, Step};
use frame::{Frame, Returns};
use place::{Place, Places};
use presence::Presence;
use stack::{StackNumber, Stacks, difference};
use way::Way;
pub use way::{PreparedCall, StackTop};

/// An address that frames may wait for.
#[derive(Debug, Clone, Copy)]
struct Point {
    address: u64,
    /// How many of the frames that are present wait for it.
    waiting: u32,
    /// Whether any frame ever has.
    was_awaited: bool,
}

#[derive(Debug, Clone)]
struct Function {
    start: u64,
    has_symbol: bool,
    presence: Presence,
    /// The uppermost of its frames that are present.
    uppermost: Place,
}

#[derive(Debug, Clone)]
struct Arc {
    key: CallKey,
    calls: u64,
    presence: Presence,
}

/// Follows calls and returns of one run.
#[derive(Debug, Clone)]
pub struct CallRecorder {
    map: FunctionMap,
    /// The stack, behind those of its frames that were forgotten.
    frames: Vec<Frame>,
    /// How many at the front of `frames` were forgotten; never all of them.
    bottom: usize,
    /// How many at the front of `frames` are counted by the presences and the points, all that are not
    /// single among them.
    present: usize,
    /// Where those stand.
    places: Places,
    functions: Vec<Function>,
    function_numbers: HashMap<u64, u32>,
    arcs: Vec<Arc>,
    arc_numbers: HashMap<CallKey, u32>,
    points: Vec<Point>,
    point_numbers: HashMap<u64, u32>,
    /// Addresses that a frame has waited for since somebody asked, for the first time.
    newly_awaited: Vec<u64>,
    ways: Vec<Way>,
    way_numbers: HashMap<(u64, u64, Step), u32>,
    stacks: Stacks,
    forgotten: u64,
}

impl CallRecorder {
    /// A recorder of a run that begins at an address.
    pub fn new(map: FunctionMap, address: u64) -> CallRecorder {
        let mut recorder = CallRecorder {
            map,
            frames: Vec::new(),
            bottom: 0,
            present: 0,
            places: Places::default(),
            functions: Vec::new(),
            function_numbers: HashMap::new(),
            arcs: Vec::new(),
            arc_numbers: HashMap::new(),
            points: Vec::new(),
            point_numbers: HashMap::new(),
            newly_awaited: Vec::new(),
            ways: Vec::new(),
            way_numbers: HashMap::new(),
            stacks: Stacks::default(),
            forgotten: 0,
        };
        recorder.begin_again(address, Spending::default());
        recorder
    }

    /// The map of functions.
    pub fn map(&self) -> &FunctionMap {
        &self.map
    }

    /// Takes a transfer of control. `now` is what was spent up to the end of the instruction at
    /// `from`.
    pub fn transfer(&mut self, from: u64, to: u64, step: Step, now: Spending) {
        self.enter_all();
        match step {
            Step::Call { return_address } => self.call((from, to), CallKind::Call, Some(return_address), now),
            Step::Unforeseen { next } => self.call((from, to), CallKind::Interrupt, Some(next), now),
            Step::Computed => {
                let point = self.point_numbers.get(&to).copied();
                if let Some(point) = point.filter(|point| self.points[*point as usize].waiting > 0) {
                    self.take_off_waiting(point, now);
                    self.begin_again(to, now);
                } else if let Some(frames) = self.frames_of_handler(to) {
                    (0..frames).for_each(|_| self.pop(now));
                }
                self.jump(from, to, now);
            }
            Step::Direct => self.jump(from, to, now),
        }
    }

    /// Takes that something beside the instructions, as what takes interrupts, sends the run elsewhere than to
    /// what is next, whatever has led there and was taken before. The call is made by what is next.
    pub fn strike(&mut self, next: u64, to: u64, now: Spending) {
        if to != next {
            self.transfer(next, to, Step::Unforeseen { next }, now);
        }
    }

    /// Takes that an instruction was cancelled and the run goes on at an address: where that is another
    /// function, what was next is interrupted. It comes back there, or to the instruction itself.
    pub fn cancelled(&mut self, from: u64, to: u64, next: u64, now: Spending) {
        if to != next && self.map.function_at(from) != self.map.function_at(to) {
            self.transfer(from, to, Step::Unforeseen { next }, now);
        }
    }

    /// The calls so far, `now` being what was spent; those that have not returned count up to now.
    pub fn calls(&self, now: Spending) -> Calls {
        let mut done = self.clone();
        done.enter_all();
        while !done.frames.is_empty() {
            done.pop(now);
        }
        for (function, inclusive) in done.stacks.inclusive() {
            done.functions[function as usize].presence.inclusive.add(inclusive);
        }
        let contexts = done.stacks.into_list();
        let mut own: HashMap<u64, Spending> = HashMap::new();
        for context in &contexts {
            own.entry(context.function).or_default().add(context.own);
        }
        let known_functions = Some(done.map.digests().clone());
        let mut calls = Calls { contexts, forgotten: done.forgotten, known_functions, ..Calls::default() };
        for Arc { key, calls: times, presence } in done.arcs.into_iter().filter(|arc| arc.calls > 0) {
            calls.arcs.insert(key, CallCount { calls: times, inclusive: presence.inclusive });
        }
        for Function { start, presence, .. } in done.functions.into_iter().filter(|it| it.presence.was_there)
        {
            let own = own.get(&start).copied().unwrap_or_default();
            calls.functions.insert(start, FunctionCount { own, inclusive: presence.inclusive });
        }
        calls
    }

    /// Where all frames are gone that were not forgotten, the stack begins anew with the function at an
    /// address: what is below is not known any more.
    fn begin_again(&mut self, address: u64, now: Spending) {
        if self.frames.is_empty() {
            let function = self.function(address);
            let stack = self.stacks.call(None, (function, self.functions[function as usize].start));
            self.push(Frame { stack, arc: Frame::NO_ARC, returns: Returns::BELOW, since: now });
        }
    }

    fn call(&mut self, (from, to): (u64, u64), kind: CallKind, return_address: Option<u64>, now: Spending) {
        let Some(top) = self.frames.last().copied() else { return };
        let callee = self.function(to);
        let arc = self.arc_to(callee, (top.stack, from, kind));
        if self.frames.len() - self.bottom == MOST_FRAMES {
            self.forget_oldest(now);
        }
        let stack = self.stacks.call(Some(top.stack), (callee, self.functions[callee as usize].start));
        let point = return_address.map(|address| self.point(address));
        let returns = self.returns_of(point, top.stack);
        self.push(Frame { stack, arc, returns, since: now });
    }

    /// Goes on at an address without a call.
    fn jump(&mut self, from: u64, to: u64, now: Spending) {
        let Some(top) = self.frames.last() else { return };
        let here = self.functions[self.stacks.function(top.stack) as usize].start;
        let Some(there) = self.map.function_at(to) else {
            // Code without symbols is its caller's, unless that has some.
            if self.map.function_at(here).is_some() {
                self.call((from, to), CallKind::Tail, None, now);
            }
            return;
        };
        if there == here {
            return;
        }
        let above = self.above(there).filter(|(_, is_in_group)| *is_in_group || there != to);
        match above {
            Some((above, _)) => (0..above).for_each(|_| self.pop(now)),
            None => self.call((from, to), CallKind::Tail, None, now),
        }
    }

    /// How many frames are above the uppermost one of a function, by its beginning, and whether that waits
    /// for the same return as the top of the stack; all frames being present.
    fn above(&self, start: u64) -> Option<(usize, bool)> {
        let function = &self.functions[*self.function_numbers.get(&start)? as usize];
        if !function.presence.is_there() {
            return None;
        }
        Some(self.places.above(function.uppermost))
    }

    /// How many frames are those of a handler of interrupts on top of the stack, and of what it has gone on to
    /// without a call, if what it interrupted is the instruction at an address.
    fn frames_of_handler(&self, address: u64) -> Option<usize> {
        let tails = self.frames.iter().rev().take_while(|frame| frame.returns == Returns::BELOW).count();
        let index = self.frames.len().checked_sub(tails + 1).filter(|index| *index > self.bottom)?;
        let key = self.arcs.get(self.frames[index].arc as usize)?.key;
        (key.kind == CallKind::Interrupt && key.site == address).then_some(tails + 1)
    }

    /// Takes off the frame that waits for a point, and all above it.
    fn take_off_waiting(&mut self, point: u32, now: Spending) {
        while let Some(frame) = self.frames.last().copied() {
            self.pop(now);
            if frame.returns.point() == Some(point) {
                return;
            }
        }
    }

    /// Counts all frames as present.
    fn enter_all(&mut self) {
        while let Some(frame) = self.frames.get(self.present).copied() {
            self.present += 1;
            self.enter(frame);
        }
    }

    /// Puts a frame onto others that are all present.
    fn push(&mut self, frame: Frame) {
        self.frames.push(frame);
        self.present += 1;
        self.enter(frame);
    }

    fn enter(&mut self, frame: Frame) {
        let function = &mut self.functions[self.stacks.function(frame.stack) as usize];
        function.presence.enter(frame.since);
        function.uppermost = self.places.push(frame.returns == Returns::BELOW, function.uppermost);
        if let Some(arc) = self.arcs.get_mut(frame.arc as usize) {
            arc.presence.enter(frame.since);
            arc.calls = arc.calls.saturating_add(1);
        }
        if let Some(point) = frame.returns.point() {
            self.points[point as usize].waiting += 1;
            self.is_awaited(point);
        }
    }

    /// A frame waits for a point.
    fn is_awaited(&mut self, point: u32) {
        let point = &mut self.points[point as usize];
        if !std::mem::replace(&mut point.was_awaited, true) {
            self.newly_awaited.push(point.address);
        }
    }

    /// Takes off a frame that is present.
    fn pop(&mut self, now: Spending) {
        let Some(frame) = self.frames.pop() else { return };
        if let Some(below) = self.places.pop() {
            self.functions[self.stacks.function(frame.stack) as usize].uppermost = below;
        }
        if self.frames.len() == self.bottom {
            self.frames.clear();
            self.places.forget(self.bottom);
            self.bottom = 0;
        }
        self.present = self.frames.len();
        let below = self.frames.last().map(|below| below.stack);
        self.stacks.add(frame.stack, difference(now, frame.since), below);
        self.leave(frame, now);
    }

    fn forget_oldest(&mut self, now: Spending) {
        let Some(frame) = self.frames.get(self.bottom).copied() else { return };
        let until = self.frames.get(self.bottom + 1).map_or(now, |above| above.since);
        self.forgotten = self.forgotten.saturating_add(1);
        self.stacks.add(frame.stack, difference(until, frame.since), None);
        self.leave(frame, now);
        self.bottom += 1;
        if self.bottom == MOST_FRAMES {
            self.frames.drain(..self.bottom);
            self.places.forget(self.bottom);
            self.present -= self.bottom;
            self.bottom = 0;
        }
    }

    fn leave(&mut self, frame: Frame, now: Spending) {
        self.functions[self.stacks.function(frame.stack) as usize].presence.leave(now);
        if let Some(arc) = self.arcs.get_mut(frame.arc as usize) {
            arc.presence.leave(now);
        }
        if let Some(point) = frame.returns.point() {
            self.points[point as usize].waiting -= 1;
        }
    }

    /// What takes off a frame that waits for a point, if any, on top of a stack.
    fn returns_of(&self, point: Option<u32>, below: StackNumber) -> Returns {
        let function = self.stacks.function(below);
        let function = self.functions[function as usize].has_symbol.then_some(function);
        point.map_or(Returns::BELOW, |point| Returns::to(point, function))
    }

    /// Number of the function at an address, which is one of its own in code without symbols.
    fn function(&mut self, address: u64) -> u32 {
        let found = self.map.function_at(address);
        let start = found.unwrap_or(address);
        let next = self.functions.len() as u32;
        let number = *self.function_numbers.entry(start).or_insert(next);
        if number == next {
            self.functions.push(Function {
                start,
                has_symbol: found.is_some(),
                presence: Presence::default(),
                uppermost: Place::NONE,
            });
        }
        number
    }

    /// Number of an address that frames may wait for.
    fn point(&mut self, address: u64) -> u32 {
        let next = self.points.len() as u32;
        let number = *self.point_numbers.entry(address).or_insert(next);
        if number == next {
            self.points.push(Point { address, waiting: 0, was_awaited: false });
        }
        number
    }

    /// Number of the arc to a function, from the top of a stack, an instruction there, and how.
    fn arc_to(&mut self, callee: u32, (stack, site, kind): (StackNumber, u64, CallKind)) -> u32 {
        let start = |function: u32| self.functions[function as usize].start;
        let key = CallKey { caller: start(self.stacks.function(stack)), site, callee: start(callee), kind };
        let next = self.arcs.len() as u32;
        let number = *self.arc_numbers.entry(key).or_insert(next);
        if number == next {
            self.arcs.push(Arc { key, calls: 0, presence: Presence::default() });
            if kind == CallKind::Interrupt {
                let struck = self.point(site);
                self.is_awaited(struck);
            }
        }
        number
    }
}

#[cfg(test)]
mod tests;
