//! The budget: what may still be executed.
//!
//! It lies in memory. Innermost loops that leave registers free hold it in a variable: each turn would
//! load and store it, and the next one wait for that.

use std::collections::{BTreeMap, BTreeSet};

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{self, Inst, InstBuilder, MemFlagsData, types};
use sim_profile::flow::Placement;

use super::{Codegen, Given, Later, Pc, Position, SiteKind};
use crate::counting::Counting;
use crate::flow::Flow;
use crate::layout;

/// What becomes of the budget on an edge.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Passing {
    /// The constant that it goes down by, where it is held; else it goes down in memory.
    pub(super) down: Option<Inst>,
    /// The loops that hold it at the beginning of the edge and at its end, by their headers.
    pub(super) loops: [Option<usize>; 2],
    /// The budget that is held, before it goes down.
    pub(super) before: Option<ir::Value>,
    /// The instruction that takes it up from memory, and the budget there.
    pub(super) taken_up: Option<(Inst, ir::Value)>,
}

impl Passing {
    /// The same on an edge that leaves the region.
    pub(super) fn leaving(self) -> Passing {
        Passing { loops: [self.loops[0], None], ..self }
    }
}

/// How the turns of a loop follow from what it has taken from the budget.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Turns {
    /// What a turn takes.
    each: i64,
    /// What other edges take, by their counters.
    others: Vec<(usize, i64)>,
}

impl Turns {
    /// How often the loop was gone around.
    ///
    /// # Panics
    /// If no number of turns takes that: that would be our own fault.
    pub(crate) fn of(&self, taken: u64, counts: &[u64]) -> u64 {
        let others: i64 = self.others.iter().map(|(counter, down)| counts[*counter] as i64 * down).sum();
        let turns = taken as i64 - others;
        assert!(turns >= 0 && turns % self.each == 0, "a loop has taken {taken} of the budget");
        (turns / self.each) as u64
    }
}

impl Codegen<'_, '_> {
    /// The budget, where the block at hand holds it.
    pub(super) fn held_fuel(&mut self) -> Option<ir::Value> {
        self.shape.holding[self.current]?;
        Some(self.b.use_var(self.fuel))
    }

    /// The budget, wherever it is.
    pub(super) fn fuel(&mut self) -> ir::Value {
        match self.held_fuel() {
            Some(fuel) => fuel,
            None => self.b.ins().load(types::I64, MemFlagsData::trusted(), self.ctx, layout::FUEL),
        }
    }

    /// Puts the budget into memory, if it is held.
    pub(super) fn store_fuel(&mut self) {
        if let Some(fuel) = self.held_fuel() {
            self.b.ins().store(MemFlagsData::trusted(), fuel, self.ctx, layout::FUEL);
        }
    }

    /// The budget that is held goes down by a number that is known when the graph is.
    pub(super) fn go_down(&mut self) -> Passing {
        let Some(before) = self.held_fuel() else { return Passing::default() };
        let (down, amount) = self.unknown();
        self.go_down_by(amount);
        let around = self.shape.holding[self.current];
        Passing { down: Some(down), loops: [around; 2], before: Some(before), taken_up: None }
    }

    pub(super) fn go_down_by(&mut self, amount: ir::Value) {
        let fuel = self.b.use_var(self.fuel);
        let fuel = self.b.ins().isub(fuel, amount);
        self.b.def_var(self.fuel, fuel);
    }

    /// On the way to where another loop holds the budget, or none: it is put down where a loop is left, and
    /// taken up where one is entered.
    pub(super) fn take_up_budget(&mut self, passing: Passing, to: Option<usize>) -> Passing {
        let [from, _] = passing.loops;
        let passing = Passing { loops: [from, to], ..passing };
        if from == to {
            return passing;
        }
        if from.is_some() {
            self.store_fuel();
        }
        if to.is_none() {
            return passing;
        }
        let fuel = self.b.ins().load(types::I64, MemFlagsData::trusted(), self.ctx, layout::FUEL);
        self.b.def_var(self.fuel, fuel);
        Passing { taken_up: Some((self.b.func.dfg.value_def(fuel).unwrap_inst(), fuel)), ..passing }
    }

    /// Leaves if the budget may not reach to where it is asked next.
    pub(super) fn ask_budget(&mut self, index: usize, length: i64) {
        let fuel = self.fuel();
        let (inst, needs) = self.unknown();
        self.later.push(Later { inst, node: self.node, length });
        let is_low = self.b.ins().icmp(IntCC::SignedLessThan, fuel, needs);
        let place = self.region.blocks[index].place;
        self.step = self.region.blocks[index].steps[0].number;
        self.pc = Pc::Known(place.address);
        self.leave_if(is_low, SiteKind::Budget);
    }

    /// The same for instructions, where the budget holds checks that do not bound them.
    pub(super) fn ask_instructions(&mut self, index: usize) {
        let fuel = self.fuel();
        let (inst, told) = self.unknown();
        self.later.push(Later { inst, node: self.node, length: 0 });
        let left = self.b.ins().isub(fuel, told);
        let instructions = self.b.ins().band_imm_u(left, (1 << layout::CHECK_SHIFT) - 1);
        let length = self.shape.lengths[index];
        let is_low = self.b.ins().icmp_imm_u(IntCC::UnsignedLessThan, instructions, length);
        self.leave_if(is_low, SiteKind::Budget);
    }

    /// A constant that is not known yet.
    pub(super) fn unknown(&mut self) -> (Inst, ir::Value) {
        let value = self.b.ins().iconst(types::I64, i64::from(i32::MAX));
        (self.b.func.dfg.value_def(value).unwrap_inst(), value)
    }
}

/// A loop whose turns are counted by the budget.
pub(super) struct Counted {
    pub(super) header: usize,
    /// Its counter, by index among those counted.
    pub(super) counter: usize,
    pub(super) turns: Turns,
}

/// A flow graph of which it is asked which loops can be counted by the budget.
pub(super) struct Asked<'a> {
    pub(super) flow: &'a Flow,
    pub(super) positions: &'a [Position],
    pub(super) potentials: &'a [i64],
    /// The budget holds nothing but instructions.
    pub(super) is_plain: bool,
}

impl Asked<'_> {
    /// Chooses the edges that count, and the loops whose ways back need no counter of their own for the
    /// budget tells their turns.
    pub(super) fn place_counters(&self, counting: &Counting) -> (Placement, Vec<Counted>) {
        let held = self.positions.iter().filter_map(|position| position.passing.loops[0]);
        let mut headers: BTreeSet<usize> = match counting {
            Counting::Fewest if self.is_plain => held.collect(),
            _ => BTreeSet::new(),
        };
        headers.retain(|header| self.way_back(*header).is_some());
        loop {
            let placement = self.flow.placement(counting, &self.cheaper(&headers));
            let count = headers.len();
            let mut loops = Vec::with_capacity(count);
            headers.retain(|header| {
                let counted = self.turns(*header, &placement);
                let is_counted = counted.is_some();
                loops.extend(counted);
                is_counted
            });
            if headers.len() == count {
                return (placement, loops);
            }
        }
    }

    /// Edges that are rather counted than others: a loop's way back costs nothing, and of ways that are
    /// taken as often those are that take of the budget.
    fn cheaper(&self, headers: &BTreeSet<usize>) -> BTreeMap<usize, u64> {
        let mut cheaper = BTreeMap::new();
        for header in headers {
            for (edge, _) in self.within(*header).filter(|(_, down)| *down != 0) {
                let way = &self.flow.ways[edge];
                cheaper.insert(edge, if way.is_back { 0 } else { way.weight.saturating_sub(1) });
            }
        }
        cheaper
    }

    fn position(&self, edge: usize) -> Option<&Position> {
        self.flow.ways[edge].position.map(|position| &self.positions[position as usize])
    }

    /// The edges within a loop that holds the budget, with what they take.
    fn within(&self, header: usize) -> impl Iterator<Item = (usize, i64)> {
        let is_within = move |edge: &usize| {
            self.position(*edge).is_some_and(|position| position.passing.loops == [Some(header); 2])
        };
        let edges = (0..self.flow.ways.len()).filter(is_within);
        edges.map(|edge| (edge, self.flow.correction(self.potentials, edge)))
    }

    /// The only way back of a loop.
    fn way_back(&self, header: usize) -> Option<usize> {
        let mut back = self.within(header).map(|(edge, _)| edge).filter(|edge| self.flow.ways[*edge].is_back);
        let only = back.next().filter(|_| back.next().is_none())?;
        (self.position(only)?.given == Given::Always).then_some(only)
    }

    /// How the turns of a loop follow from the budget: what other edges take has to have counters.
    fn turns(&self, header: usize, placement: &Placement) -> Option<Counted> {
        let back = self.way_back(header)?;
        let counter = |edge: usize| placement.counted().binary_search(&(edge as u32)).ok();
        let each = self.flow.correction(self.potentials, back);
        let mut others = Vec::new();
        for (edge, down) in self.within(header).filter(|(edge, down)| *edge != back && *down != 0) {
            others.push((counter(edge)?, down));
        }
        let counted = || Some(Counted { header, counter: counter(back)?, turns: Turns { each, others } });
        if each > 0 { counted() } else { None }
    }
}
