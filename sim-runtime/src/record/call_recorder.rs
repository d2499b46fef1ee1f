//! Follows calls and returns while a program runs.
//!
//! An engine tells every transfer of control that is more than a jump within a function, in the
//! order of the program; it may tell others, too. The recorder keeps the stack of calls and adds up
//! what was spent while a function, or a call, is on it. Its memory is bounded: by the program's
//! size but for the stack, and the stack by [`MOST_FRAMES`].
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
//! An engine that comes the same way again and again prepares it once, as a *way*
//! ([`CallRecorder::way`]); taking it asks no table then.

mod way;

use std::collections::{HashMap, VecDeque};

use sim_profile::{CallCount, CallKey, CallKind, Calls, ContextTree, FunctionCount, Spending};

use super::transfer::{FunctionMap, Step};
use way::Way;

/// Most frames on the stack; beyond, the oldest is forgotten.
pub const MOST_FRAMES: usize = 1 << 18;

/// What is on the stack.
#[derive(Debug, Clone, Copy)]
struct Frame {
    /// Number of the function.
    function: u32,
    /// Number of the arc that led here.
    arc: Option<u32>,
    /// Number of the stack that it is the top of.
    context: u32,
    /// Number of the point that it waits for; none for a tail call, which waits for what the frame
    /// below does.
    point: Option<u32>,
}

/// An address that frames may wait for.
#[derive(Debug, Clone, Copy)]
struct Point {
    address: u64,
    /// How many frames wait for it.
    waiting: u32,
    /// Whether any ever has.
    was_awaited: bool,
}

/// How often something is on the stack, and since when.
#[derive(Debug, Clone, Copy, Default)]
struct Presence {
    frames: u32,
    was_there: bool,
    since: Spending,
    inclusive: Spending,
}

impl Presence {
    #[inline]
    fn enter(&mut self, now: Spending) {
        if self.frames == 0 {
            self.since = now;
            self.was_there = true;
        }
        self.frames += 1;
    }

    #[inline]
    fn leave(&mut self, now: Spending) {
        self.frames -= 1;
        if self.frames == 0 {
            self.inclusive.add(now.since(self.since));
        }
    }
}

#[derive(Debug, Clone)]
struct Function {
    start: u64,
    has_symbol: bool,
    presence: Presence,
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
    frames: VecDeque<Frame>,
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
    last: Spending,
    contexts: ContextTree,
    forgotten: u64,
}

impl CallRecorder {
    /// A recorder of a run that begins at an address.
    pub fn new(map: FunctionMap, address: u64) -> CallRecorder {
        let mut recorder = CallRecorder {
            map,
            frames: VecDeque::new(),
            functions: Vec::new(),
            function_numbers: HashMap::new(),
            arcs: Vec::new(),
            arc_numbers: HashMap::new(),
            points: Vec::new(),
            point_numbers: HashMap::new(),
            newly_awaited: Vec::new(),
            ways: Vec::new(),
            way_numbers: HashMap::new(),
            last: Spending::default(),
            contexts: ContextTree::default(),
            forgotten: 0,
        };
        let function = recorder.function(address);
        let context = recorder.contexts.call(None, recorder.functions[function as usize].start);
        recorder.push(Frame { function, arc: None, context, point: None });
        recorder
    }

    /// The map of functions.
    pub fn map(&self) -> &FunctionMap {
        &self.map
    }

    /// Takes a transfer of control. `now` is what was spent up to the end of the instruction at
    /// `from`.
    pub fn transfer(&mut self, from: u64, to: u64, step: Step, now: Spending) {
        self.spend(now);
        match step {
            Step::Call { return_address } => self.call(from, to, CallKind::Call, Some(return_address)),
            Step::Unforeseen { next } => self.call(from, to, CallKind::Interrupt, Some(next)),
            Step::Computed => {
                let point = self.point_numbers.get(&to).copied();
                if let Some(point) = point.filter(|point| self.points[*point as usize].waiting > 0) {
                    self.take_off_waiting(point);
                }
                self.jump(from, to);
            }
            Step::Direct => self.jump(from, to),
        }
    }

    /// Takes that an instruction was cancelled and the run goes on at an address: where that is another
    /// function, what was next is interrupted.
    pub fn cancelled(&mut self, from: u64, to: u64, next: u64, now: Spending) {
        if to != next && self.map.function_at(from) != self.map.function_at(to) {
            self.transfer(from, to, Step::Unforeseen { next }, now);
        }
    }

    /// The calls so far, `now` being what was spent; those that have not returned count up to now.
    pub fn calls(&self, now: Spending) -> Calls {
        let mut done = self.clone();
        done.spend(now);
        while !done.frames.is_empty() {
            done.pop();
        }
        let contexts = done.contexts.into_list();
        let mut own: HashMap<u64, Spending> = HashMap::new();
        for context in &contexts {
            own.entry(context.function).or_default().add(context.own);
        }
        let mut calls = Calls { contexts, forgotten: done.forgotten, ..Calls::default() };
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

    /// What was spent since the last transfer was spent by the function on top.
    #[inline]
    fn spend(&mut self, now: Spending) {
        if let Some(top) = self.frames.back() {
            self.contexts.spend(top.context, now.since(self.last));
        }
        self.last = now;
    }

    fn call(&mut self, from: u64, to: u64, kind: CallKind, return_address: Option<u64>) {
        let Some(top) = self.frames.back().copied() else { return };
        let caller = self.functions[top.function as usize].start;
        let function = self.function(to);
        let callee = self.functions[function as usize].start;
        let arc = self.arc(CallKey { caller, site: from, callee, kind });
        self.arcs[arc as usize].calls = self.arcs[arc as usize].calls.saturating_add(1);
        if self.frames.len() == MOST_FRAMES {
            self.forget_oldest();
        }
        let context = self.contexts.call(Some(top.context), callee);
        let point = return_address.map(|address| self.point(address));
        self.push(Frame { function, arc: Some(arc), context, point });
    }

    /// Goes on at an address without a call.
    fn jump(&mut self, from: u64, to: u64) {
        let Some(top) = self.frames.back() else { return };
        let here = self.functions[top.function as usize].start;
        let Some(there) = self.map.function_at(to) else {
            // Code without symbols is its caller's, unless that has some.
            if self.map.function_at(here).is_some() {
                self.call(from, to, CallKind::Tail, None);
            }
            return;
        };
        if there == here {
            return;
        }
        let group = self.frames.iter().rev();
        let tails = group.clone().take_while(|frame| frame.point.is_none()).count();
        let is_there = |frame: &Frame| self.functions[frame.function as usize].start == there;
        let in_group = group.clone().take(tails + 1).position(is_there);
        let unwound = || group.clone().position(is_there).filter(|_| there != to);
        match in_group.or_else(unwound) {
            Some(above) => (0..above).for_each(|_| self.pop()),
            None => self.call(from, to, CallKind::Tail, None),
        }
    }

    /// Takes off the frame that waits for a point, and all above it.
    fn take_off_waiting(&mut self, point: u32) {
        while let Some(frame) = self.frames.back().copied() {
            self.pop();
            if frame.point == Some(point) {
                return;
            }
        }
    }

    #[inline]
    fn push(&mut self, frame: Frame) {
        self.functions[frame.function as usize].presence.enter(self.last);
        if let Some(arc) = frame.arc {
            self.arcs[arc as usize].presence.enter(self.last);
        }
        if let Some(point) = frame.point.and_then(|point| self.points.get_mut(point as usize)) {
            point.waiting += 1;
            if !std::mem::replace(&mut point.was_awaited, true) {
                self.newly_awaited.push(point.address);
            }
        }
        self.frames.push_back(frame);
    }

    #[inline]
    fn pop(&mut self) {
        if let Some(frame) = self.frames.pop_back() {
            self.leave(frame);
        }
    }

    fn forget_oldest(&mut self) {
        if let Some(frame) = self.frames.pop_front() {
            self.forgotten = self.forgotten.saturating_add(1);
            self.leave(frame);
        }
    }

    #[inline]
    fn leave(&mut self, frame: Frame) {
        self.functions[frame.function as usize].presence.leave(self.last);
        if let Some(arc) = frame.arc {
            self.arcs[arc as usize].presence.leave(self.last);
        }
        if let Some(point) = frame.point.and_then(|point| self.points.get_mut(point as usize)) {
            point.waiting -= 1;
        }
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

    fn arc(&mut self, key: CallKey) -> u32 {
        let next = self.arcs.len() as u32;
        let number = *self.arc_numbers.entry(key).or_insert(next);
        if number == next {
            self.arcs.push(Arc { key, calls: 0, presence: Presence::default() });
        }
        number
    }
}

#[cfg(test)]
mod tests;
