//! Transfers that are taken again and again, with what the tables say of them.

use sim_profile::{CallKey, CallKind, Spending};

use super::{CallRecorder, Frame, MOST_FRAMES};
use crate::record::Step;

/// A transfer with what the tables say of it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Way {
    from: u64,
    to: u64,
    step: Step,
    /// Whether a frame is put onto the stack.
    is_call: bool,
    /// The function that it leads to; none for a return into code without symbols.
    callee: Option<u32>,
    /// The address that a call keeps, or that a return leads to.
    point: Option<u32>,
    /// The function from which a call was made last, and the arc from there.
    arc: Option<(u32, u32)>,
    /// The stack of calls that it was taken from last, and the one that it made of it.
    contexts: Option<(u32, u32)>,
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
        let is_return = matches!(step, Step::Computed) && self.map.function_at(to).is_none();
        let callee = (!is_return).then(|| self.function(to));
        let number = self.ways.len() as u32;
        let is_call = matches!(step, Step::Call { .. } | Step::Unforeseen { .. });
        self.ways.push(Way { from, to, step, is_call, callee, point, arc: None, contexts: None });
        self.way_numbers.insert((from, to, step), number);
        number
    }

    /// Takes a transfer by its number, as [`CallRecorder::transfer`] does.
    ///
    /// What calls cost a run is this: so nothing is copied, and there are two ways through it.
    #[inline]
    pub fn take(&mut self, number: u32, now: Spending) {
        let (Some(way), Some(top)) = (self.ways.get(number as usize), self.frames.back()) else { return };
        if way.is_call {
            self.take_call(number, now);
        } else if way.point.is_some() && top.point == way.point && self.is_below(way.callee) {
            self.spend(now);
            self.pop();
        } else {
            let Way { from, to, step, .. } = *way;
            self.transfer(from, to, step, now);
        }
    }

    /// Whether the frame below the top is that of a function; of any without symbols, if none is given.
    #[inline]
    fn is_below(&self, function: Option<u32>) -> bool {
        let below = self.frames.len().checked_sub(2).and_then(|below| self.frames.get(below));
        below.is_some_and(|below| match function {
            Some(function) => below.function == function,
            None => !self.functions[below.function as usize].has_symbol,
        })
    }

    #[inline]
    fn take_call(&mut self, number: u32, now: Spending) {
        self.spend(now);
        let (Some(way), Some(top)) = (self.ways.get(number as usize), self.frames.back()) else { return };
        let Some(callee) = way.callee else { return };
        let (point, caller, parent) = (way.point, top.function, top.context);
        let (known_arc, known_context) = (way.arc, way.contexts);
        let arc = match known_arc {
            Some((from, arc)) if from == caller => arc,
            _ => self.arc_of(number, callee, caller),
        };
        let context = match known_context {
            Some((from, context)) if from == parent => context,
            _ => self.context_of(number, callee, parent),
        };
        let calls = &mut self.arcs[arc as usize].calls;
        *calls = calls.saturating_add(1);
        if self.frames.len() == MOST_FRAMES {
            self.forget_oldest();
        }
        self.push(Frame { function: callee, arc: Some(arc), context, point });
    }

    /// The arc of a call, remembered for the next time.
    #[cold]
    fn arc_of(&mut self, number: u32, callee: u32, caller: u32) -> u32 {
        let way = self.ways[number as usize];
        let kind = match way.step {
            Step::Unforeseen { .. } => CallKind::Interrupt,
            _ => CallKind::Call,
        };
        let start = |function: u32| self.functions[function as usize].start;
        let arc = self.arc(CallKey { caller: start(caller), site: way.from, callee: start(callee), kind });
        self.ways[number as usize].arc = Some((caller, arc));
        arc
    }

    /// The stack with a function called, remembered for the next time.
    fn context_of(&mut self, number: u32, callee: u32, parent: u32) -> u32 {
        let context = self.contexts.call(Some(parent), self.functions[callee as usize].start);
        self.ways[number as usize].contexts = Some((parent, context));
        context
    }

    /// Forgets all ways: instructions are no longer what they were.
    pub fn forget_ways(&mut self) {
        self.ways.clear();
        self.way_numbers.clear();
    }
}
