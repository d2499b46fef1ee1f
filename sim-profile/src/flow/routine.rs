//! The flow graphs of functions, each by itself.

use std::collections::BTreeMap;

use super::graph::{Graph, OUTSIDE, index};
use super::program::{EdgeKind, ProgramFlow};
use super::step::leaving_control;
use crate::measurement::count;
use crate::{CodeSizes, ControlTable, Measurement, Transfers};

/// The flow graph of a function, or of any other part of a program.
///
/// A call is an edge over the called function, from the block that ends with it to the one that it
/// comes back to. How control comes into the part otherwise, and how it leaves it, are virtual edges,
/// one of each kind at most for each block.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RoutineFlow {
    /// The number of the part.
    pub part: u32,
    /// Numbers of the blocks in [`ProgramFlow::blocks`], ascending; their positions are the numbers of
    /// blocks in `graph`.
    pub blocks: Vec<u32>,
    /// Blocks and edges.
    pub graph: Graph,
    /// By edge.
    pub kinds: Vec<RoutineEdge>,
    /// How often each edge was taken, by edge.
    pub counts: Vec<u64>,
    /// By block, whether it ends with a call.
    pub calls: Vec<bool>,
    /// By block, whether it ends with a jump to an address that depends on the run and keeps no way
    /// back: a return, as far as can be known.
    pub returns: Vec<bool>,
}

/// What an edge of a function's graph is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RoutineEdge {
    /// To the successor in memory.
    Fall,
    /// To anywhere else.
    Jump,
    /// Over a call.
    Call,
    /// Into the function: by calls, jumps from other functions, the start of the run, or a way back
    /// that no call had opened.
    Entry,
    /// Out of the function: by returns, or by jumps into other functions.
    Exit,
    /// Out of the function as nobody meant it to be left: by faults, the end of the run, or a call that
    /// did not come back.
    Abort,
}

/// The graphs of all parts in which anything ran or, being in `code`, could have run, ascending by
/// number; `part_of` says which part an address is in. `code` is that of [`ProgramFlow::with_code`].
pub fn routine_flows(
    flow: &ProgramFlow,
    measurement: &Measurement,
    control: &ControlTable,
    code: &CodeSizes,
    part_of: impl Fn(u64) -> u32,
) -> Vec<RoutineFlow> {
    let transfers = &Transfers::with_code(measurement, control, code);
    let control = &leaving_control(measurement, control);
    let parts: Vec<u32> = flow.blocks.iter().map(|block| part_of(block.first)).collect();
    let mut routines: BTreeMap<u32, Builder> = BTreeMap::new();
    let mut own_number = Vec::with_capacity(parts.len());
    for (number, &part) in (0..).zip(&parts) {
        let block = &flow.blocks[index(number)];
        let routine = routines.entry(part).or_default();
        own_number.push(routine.flow.graph.add_block());
        routine.flow.part = part;
        routine.flow.blocks.push(number);
        let last = control.get(&block.last);
        routine.flow.calls.push(last.is_some_and(|control| control.keeps.is_some()));
        let returns = last.is_some_and(|control| control.computed && control.keeps.is_none());
        routine.flow.returns.push(returns);
    }
    let mut place = Placing { flow, transfers, parts: &parts, own_number: &own_number, routines };
    (0..flow.counts.len()).for_each(|edge| place.add(edge));
    let routines = place.routines.into_values().map(Builder::finish);
    let has_code = |&block: &u32| flow.blocks[index(block)].instructions > 0;
    let is_any = |routine: &RoutineFlow| {
        routine.counts.iter().any(|&count| count > 0) || routine.blocks.iter().any(has_code)
    };
    routines.filter(is_any).collect()
}

/// Sorts the edges of a program into the graphs of its parts.
struct Placing<'a> {
    flow: &'a ProgramFlow,
    transfers: &'a Transfers<'a>,
    parts: &'a [u32],
    own_number: &'a [u32],
    routines: BTreeMap<u32, Builder>,
}

impl Placing<'_> {
    fn add(&mut self, edge: usize) {
        let (ends, kind, times) =
            (self.flow.graph.edges()[edge], self.flow.kinds[edge], self.flow.counts[edge]);
        let both = ends.from != OUTSIDE && ends.to != OUTSIDE;
        let inside = both && self.parts[index(ends.from)] == self.parts[index(ends.to)];
        match kind {
            EdgeKind::Fall if inside => self.within(ends.from, ends.to, RoutineEdge::Fall, times),
            EdgeKind::Jump if inside => self.within(ends.from, ends.to, RoutineEdge::Jump, times),
            EdgeKind::Call => {
                self.at(ends.from, |routine, block| count(routine.called.entry(block).or_default(), times));
                self.at(ends.to, |routine, block| routine.enter(block, times));
                if times == 0 {
                    self.could_come_back(ends.from);
                }
            }
            EdgeKind::Return => {
                self.at(ends.from, |routine, block| routine.leave(block, times));
                self.come_back(ends.to, times);
            }
            EdgeKind::Fault | EdgeKind::Cancel | EdgeKind::Unfinished | EdgeKind::End => {
                self.at(ends.from, |routine, block| routine.abort(block, times));
            }
            EdgeKind::Fall | EdgeKind::Jump | EdgeKind::Entry => {
                self.at(ends.from, |routine, block| routine.leave(block, times));
                self.at(ends.to, |routine, block| routine.enter(block, times));
            }
        }
    }

    /// Does something at a block of its part; nothing outside.
    fn at(&mut self, block: u32, change: impl FnOnce(&mut Builder, u32)) {
        if block != OUTSIDE
            && let Some(routine) = self.routines.get_mut(&self.parts[index(block)])
        {
            change(routine, self.own_number[index(block)]);
        }
    }

    fn within(&mut self, from: u32, to: u32, kind: RoutineEdge, times: u64) {
        let to = self.own_number[index(to)];
        self.at(from, |routine, from| routine.add(from, to, kind, times));
    }

    /// A call that was never made would go on behind itself.
    fn could_come_back(&mut self, call: u32) {
        let behind = self.transfers.successor(self.flow.blocks[index(call)].last);
        let behind = behind.and_then(|address| self.flow.block_at(address));
        if let Some(to) = behind.filter(|&to| self.parts[index(to)] == self.parts[index(call)]) {
            let to = self.own_number[index(to)];
            self.at(call, |routine, call| _ = routine.returned.entry((call, to)).or_default());
        }
    }

    /// Control came back to behind a call, or to where none had been made.
    fn come_back(&mut self, to: u32, times: u64) {
        let call = self.transfers.call_before(self.flow.blocks[index(to)].first);
        let call = call.and_then(|address| self.flow.block_at(address));
        let call = call.filter(|&call| self.parts[index(call)] == self.parts[index(to)]);
        let Some(call) = call else {
            return self.at(to, |routine, block| routine.enter(block, times));
        };
        let call = self.own_number[index(call)];
        self.at(to, |routine, to| count(routine.returned.entry((call, to)).or_default(), times));
    }
}

#[derive(Default)]
struct Builder {
    flow: RoutineFlow,
    entered: BTreeMap<u32, u64>,
    left: BTreeMap<u32, u64>,
    aborted: BTreeMap<u32, u64>,
    /// Calls made, by block.
    called: BTreeMap<u32, u64>,
    /// Ways back, by the calling block and the one that they led to.
    returned: BTreeMap<(u32, u32), u64>,
}

impl Builder {
    fn add(&mut self, from: u32, to: u32, kind: RoutineEdge, times: u64) {
        self.flow.graph.add_edge(from, to);
        self.flow.kinds.push(kind);
        self.flow.counts.push(times);
    }

    fn enter(&mut self, block: u32, times: u64) {
        count(self.entered.entry(block).or_default(), times);
    }

    fn leave(&mut self, block: u32, times: u64) {
        count(self.left.entry(block).or_default(), times);
    }

    fn abort(&mut self, block: u32, times: u64) {
        count(self.aborted.entry(block).or_default(), times);
    }

    fn finish(mut self) -> RoutineFlow {
        for ((call, to), times) in std::mem::take(&mut self.returned) {
            let made = self.called.get_mut(&call);
            let over = made.map_or(0, |made| {
                let over = (*made).min(times);
                *made -= over;
                over
            });
            self.add(call, to, RoutineEdge::Call, over);
            if times > over {
                self.enter(to, times - over);
            }
        }
        for (call, times) in std::mem::take(&mut self.called) {
            if times > 0 {
                self.abort(call, times);
            }
        }
        for (block, times) in std::mem::take(&mut self.entered) {
            self.add(OUTSIDE, block, RoutineEdge::Entry, times);
        }
        for (block, times) in std::mem::take(&mut self.left) {
            self.add(block, OUTSIDE, RoutineEdge::Exit, times);
        }
        for (block, times) in std::mem::take(&mut self.aborted) {
            self.add(block, OUTSIDE, RoutineEdge::Abort, times);
        }
        self.flow
    }
}
