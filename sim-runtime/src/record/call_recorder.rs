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

use std::collections::{HashMap, VecDeque};

use isac_ir::control::Control;
use sim_profile::symbols::FunctionCells;
use sim_profile::{CallCount, CallKey, CallKind, Calls, ContextTree, FunctionCount, Spending};

/// Most frames on the stack; beyond, the oldest is forgotten.
pub const MOST_FRAMES: usize = 1 << 18;

/// What an instruction that transfers control is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// It keeps this address and jumps.
    Call {
        /// The address behind it, or behind its delay slot.
        return_address: u64,
    },
    /// It jumps to where it always jumps, or goes on behind itself.
    Direct,
    /// It jumps to where the run sends it.
    Computed,
    /// It could not have gone there.
    Unforeseen {
        /// Where it would have gone on.
        next: u64,
    },
}

/// Which function each address belongs to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FunctionMap {
    cells: Vec<FunctionCells>,
}

impl FunctionMap {
    /// A map of the cells of functions, which ascend.
    pub fn new(cells: Vec<FunctionCells>) -> FunctionMap {
        FunctionMap { cells }
    }

    /// The beginning of the function at an address; none in code without symbols.
    pub fn function_at(&self, address: u64) -> Option<u64> {
        let behind = self.cells.partition_point(|cells| cells.start <= address);
        let cells = &self.cells[behind.checked_sub(1)?];
        (address < cells.end).then_some(cells.function)
    }

    /// Whether another function begins, or goes on, at an address than just before it.
    pub fn is_boundary(&self, address: u64) -> bool {
        let before = address.checked_sub(1);
        before.is_some_and(|before| self.function_at(before) != self.function_at(address))
    }

    /// Whether a transfer is a jump within a function: it need not be told.
    pub fn is_plain(&self, step: Step, from: u64, to: u64) -> bool {
        step == Step::Direct && self.function_at(from) == self.function_at(to)
    }
}

/// What is on the stack.
#[derive(Debug, Clone, Copy)]
struct Frame {
    /// Number of the function.
    function: u32,
    /// Number of the arc that led here.
    arc: Option<u32>,
    /// Number of the stack that it is the top of.
    context: u32,
    /// What it waits for; none for a tail call, which waits for what the frame below does.
    return_address: Option<u64>,
}

/// How often something is on the stack, and since when.
#[derive(Debug, Clone, Copy, Default)]
struct Presence {
    frames: u32,
    since: Spending,
    inclusive: Spending,
}

impl Presence {
    fn enter(&mut self, now: Spending) {
        if self.frames == 0 {
            self.since = now;
        }
        self.frames += 1;
    }

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
    own: Spending,
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
    /// How many frames wait for each address.
    awaited: HashMap<u64, u32>,
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
            awaited: HashMap::new(),
            last: Spending::default(),
            contexts: ContextTree::default(),
            forgotten: 0,
        };
        let function = recorder.function(address);
        let context = recorder.contexts.call(None, recorder.functions[function as usize].start);
        recorder.push(Frame { function, arc: None, context, return_address: None });
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
            Step::Computed if self.awaited.contains_key(&to) => {
                self.take_off_waiting(to);
                self.jump(from, to);
            }
            Step::Direct | Step::Computed => self.jump(from, to),
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
        let mut calls = Calls { contexts, forgotten: done.forgotten, ..Calls::default() };
        for Arc { key, calls: times, presence } in done.arcs {
            calls.arcs.insert(key, CallCount { calls: times, inclusive: presence.inclusive });
        }
        for Function { start, own, presence } in done.functions {
            calls.functions.insert(start, FunctionCount { own, inclusive: presence.inclusive });
        }
        calls
    }

    /// What was spent since the last transfer was spent by the function on top.
    fn spend(&mut self, now: Spending) {
        if let Some(top) = self.frames.back() {
            let spent = now.since(self.last);
            self.functions[top.function as usize].own.add(spent);
            self.contexts.spend(top.context, spent);
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
        self.push(Frame { function, arc: Some(arc), context, return_address });
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
        let tails = group.clone().take_while(|frame| frame.return_address.is_none()).count();
        let is_there = |frame: &Frame| self.functions[frame.function as usize].start == there;
        let in_group = group.clone().take(tails + 1).position(is_there);
        let unwound = || group.clone().position(is_there).filter(|_| there != to);
        match in_group.or_else(unwound) {
            Some(above) => (0..above).for_each(|_| self.pop()),
            None => self.call(from, to, CallKind::Tail, None),
        }
    }

    /// Takes off the frame that waits for an address, and all above it.
    fn take_off_waiting(&mut self, address: u64) {
        while let Some(frame) = self.frames.back().copied() {
            self.pop();
            if frame.return_address == Some(address) {
                return;
            }
        }
    }

    fn push(&mut self, frame: Frame) {
        self.functions[frame.function as usize].presence.enter(self.last);
        if let Some(arc) = frame.arc {
            self.arcs[arc as usize].presence.enter(self.last);
        }
        if let Some(address) = frame.return_address {
            *self.awaited.entry(address).or_default() += 1;
        }
        self.frames.push_back(frame);
    }

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

    fn leave(&mut self, frame: Frame) {
        self.functions[frame.function as usize].presence.leave(self.last);
        if let Some(arc) = frame.arc {
            self.arcs[arc as usize].presence.leave(self.last);
        }
        if let Some(address) = frame.return_address
            && let Some(waiting) = self.awaited.get_mut(&address)
        {
            *waiting -= 1;
            if *waiting == 0 {
                self.awaited.remove(&address);
            }
        }
    }

    /// Number of the function at an address, which is one of its own in code without symbols.
    fn function(&mut self, address: u64) -> u32 {
        let start = self.map.function_at(address).unwrap_or(address);
        let next = self.functions.len() as u32;
        let number = *self.function_numbers.entry(start).or_insert(next);
        if number == next {
            self.functions.push(Function { start, own: Spending::default(), presence: Presence::default() });
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

/// What a transfer to an address is, from an instruction with this control, or behind one in whose
/// delay slot it stands.
pub(crate) fn step_of(control: &Control, before: Option<&Control>, successor: u64, to: u64) -> Step {
    let keeps = |control: &Control| control.keeps == Some(successor);
    if to == successor && control.falls_through {
        Step::Direct
    } else if keeps(control) || before.is_some_and(keeps) {
        Step::Call { return_address: successor }
    } else if control.targets.binary_search(&to).is_ok() {
        Step::Direct
    } else if control.computed {
        Step::Computed
    } else {
        Step::Unforeseen { next: successor }
    }
}

#[cfg(test)]
mod tests {
    use super::{CallKind, CallRecorder, FunctionCells, FunctionMap, MOST_FRAMES, Spending, Step};
    use sim_profile::Calls;

    /// Three functions of ten cells, and code without symbols behind them.
    fn recorder() -> CallRecorder {
        let cells = |start: u64| FunctionCells { start, end: start + 10, function: start };
        CallRecorder::new(FunctionMap::new([0, 10, 20].map(cells).to_vec()), 0)
    }

    fn at(instructions: u64) -> Spending {
        Spending { instructions, cycles: instructions * 2 }
    }

    fn call(recorder: &mut CallRecorder, from: u64, to: u64, now: u64) {
        recorder.transfer(from, to, Step::Call { return_address: from + 1 }, at(now));
    }

    fn computed(recorder: &mut CallRecorder, from: u64, to: u64, now: u64) {
        recorder.transfer(from, to, Step::Computed, at(now));
    }

    /// Function, own and inclusive instructions.
    fn functions(calls: &Calls) -> Vec<(u64, u64, u64)> {
        let functions = calls.functions.iter();
        functions.map(|(start, it)| (*start, it.own.instructions, it.inclusive.instructions)).collect()
    }

    /// Caller, callee, kind, calls and inclusive instructions.
    fn arcs(calls: &Calls) -> Vec<(u64, u64, CallKind, u64, u64)> {
        let arcs = calls.arcs.iter();
        arcs.map(|(key, it)| (key.caller, key.callee, key.kind, it.calls, it.inclusive.instructions))
            .collect()
    }

    #[test]
    fn what_is_inclusive_is_what_it_costs_and_what_it_calls() {
        let mut recorder = recorder();
        call(&mut recorder, 2, 10, 3);
        call(&mut recorder, 12, 20, 7);
        computed(&mut recorder, 25, 13, 12);
        computed(&mut recorder, 14, 3, 14);
        call(&mut recorder, 3, 20, 15);
        computed(&mut recorder, 25, 4, 18);
        let calls = recorder.calls(at(20));
        assert_eq!(functions(&calls), [(0, 6, 20), (10, 6, 11), (20, 8, 8)]);
        let expected =
            [(0, 10, CallKind::Call, 1, 11), (0, 20, CallKind::Call, 1, 3), (10, 20, CallKind::Call, 1, 5)];
        assert_eq!(arcs(&calls), expected);
        assert_eq!(calls.functions[&0].inclusive.cycles, 40);
    }

    #[test]
    fn recursion_counts_no_instruction_twice() {
        let mut recorder = recorder();
        call(&mut recorder, 2, 10, 1);
        call(&mut recorder, 12, 10, 3);
        call(&mut recorder, 12, 10, 5);
        computed(&mut recorder, 15, 13, 8);
        computed(&mut recorder, 15, 13, 9);
        computed(&mut recorder, 15, 3, 10);
        let calls = recorder.calls(at(12));
        assert_eq!(functions(&calls), [(0, 3, 12), (10, 9, 9)]);
        assert_eq!(arcs(&calls), [(0, 10, CallKind::Call, 1, 9), (10, 10, CallKind::Call, 2, 6)]);
    }

    #[test]
    fn a_tail_call_returns_for_its_caller() {
        let mut recorder = recorder();
        call(&mut recorder, 2, 10, 1);
        recorder.transfer(15, 20, Step::Direct, at(4));
        computed(&mut recorder, 25, 3, 9);
        let calls = recorder.calls(at(10));
        assert_eq!(functions(&calls), [(0, 2, 10), (10, 3, 8), (20, 5, 5)]);
        assert_eq!(arcs(&calls), [(0, 10, CallKind::Call, 1, 8), (10, 20, CallKind::Tail, 1, 5)]);
    }

    #[test]
    fn functions_that_jump_to_each_other_for_ever_need_two_frames() {
        let mut recorder = recorder();
        for turn in 0..10 {
            recorder.transfer(5, 10, Step::Direct, at(turn * 2 + 1));
            recorder.transfer(15, 0, Step::Direct, at(turn * 2 + 2));
        }
        assert_eq!(recorder.frames.len(), 1);
        assert_eq!(arcs(&recorder.calls(at(20))), [(0, 10, CallKind::Tail, 10, 10)]);
    }

    #[test]
    fn a_long_jump_takes_off_what_it_leaves() {
        let mut recorder = recorder();
        call(&mut recorder, 2, 10, 1);
        call(&mut recorder, 12, 20, 2);
        computed(&mut recorder, 22, 5, 4);
        assert_eq!(recorder.frames.len(), 1);
        assert_eq!(functions(&recorder.calls(at(5))), [(0, 2, 5), (10, 1, 3), (20, 2, 2)]);
        // Over several frames to where one of them is awaited.
        call(&mut recorder, 2, 10, 6);
        call(&mut recorder, 12, 20, 7);
        computed(&mut recorder, 22, 3, 8);
        assert_eq!(recorder.frames.len(), 1);
    }

    #[test]
    fn an_interrupt_returns_to_what_was_next() {
        let mut recorder = recorder();
        recorder.transfer(4, 20, Step::Unforeseen { next: 5 }, at(5));
        computed(&mut recorder, 29, 5, 8);
        let calls = recorder.calls(at(10));
        assert_eq!(arcs(&calls), [(0, 20, CallKind::Interrupt, 1, 3)]);
        assert_eq!(functions(&calls), [(0, 7, 10), (20, 3, 3)]);
    }

    #[test]
    fn code_without_symbols_has_a_function_where_it_is_called() {
        let mut recorder = recorder();
        call(&mut recorder, 2, 40, 1);
        recorder.transfer(45, 50, Step::Direct, at(2));
        call(&mut recorder, 52, 60, 3);
        computed(&mut recorder, 61, 53, 4);
        computed(&mut recorder, 55, 3, 6);
        let calls = recorder.calls(at(7));
        assert_eq!(functions(&calls), [(0, 2, 7), (40, 4, 5), (60, 1, 1)]);
    }

    #[test]
    fn a_full_stack_forgets_the_oldest_call() {
        let mut recorder = recorder();
        for call in 0..MOST_FRAMES as u64 + 2 {
            recorder.transfer(12, 10, Step::Call { return_address: 13 }, at(call));
        }
        assert_eq!(recorder.frames.len(), MOST_FRAMES);
        let calls = recorder.calls(at(MOST_FRAMES as u64 + 2));
        assert_eq!(calls.forgotten, 3);
    }
}
