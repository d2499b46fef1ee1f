//! What needs the whole graph: counters, the corrections of the budget, and when it is asked.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use cranelift_codegen::cursor::{Cursor, FuncCursor};
use cranelift_codegen::ir::immediates::Imm64;
use cranelift_codegen::ir::{
    Function, Inst, InstBuilder, InstructionData, MemFlagsData, Opcode, Value, types,
};
use isac_ir::Model;

use super::budget::Asked;
use super::entry::place_loads;
use super::order::{Blocks, order_branches};
use super::{Given, Position, Room, SiteKind, Surroundings, Translated, Unfinished};
use crate::checks::Checks;
use crate::flow::Flow;
use crate::layout;
use crate::region::{Numbered, Region};

/// Puts into a function what the graph tells.
pub(super) fn finish(
    unfinished: Unfinished,
    (around, region): (&Surroundings<'_>, &Region),
    room: &mut Room,
    function: &mut Function,
    ctx: Value,
) -> Translated {
    let Unfinished { mut flow, positions, later, site_loops, entered, mut out } = unfinished;
    if let Some(checks) = around.checks {
        mark_checks((&mut flow, &out.transfers), (around.model, checks), region);
    }
    let potentials = flow.potentials();
    let place = |edge: usize| flow.ways[edge].position.map(|position| positions[position as usize]);
    // What the budget goes down by if a condition holds, and if it does not, before an instruction.
    let mut by_condition: BTreeMap<(Inst, Value), [i64; 2]> = BTreeMap::new();
    for edge in 0..flow.ways.len() {
        let down = flow.correction(&potentials, edge);
        let Some(Position { before, given, passing, check }) = place(edge) else { continue };
        match (passing.down, given) {
            (Some(constant), _) => set_constant(function, constant, down),
            (None, Given::Always) if down != 0 || check.is_some() => {
                let beside = check.map(|check| (check, -1 << layout::CHECK_SHIFT));
                add(function, before, ctx, layout::FUEL, (-down, beside));
            }
            (None, Given::Always) => {}
            (None, Given::If(holds)) => by_condition.entry((before, holds)).or_default()[0] = down,
            (None, Given::Unless(holds)) => by_condition.entry((before, holds)).or_default()[1] = down,
        }
    }
    for ((before, holds), [down, otherwise]) in by_condition {
        if (down, otherwise) != (0, 0) {
            add(function, before, ctx, layout::FUEL, (-otherwise, Some((holds, otherwise - down))));
        }
    }
    if around.profiles {
        let is_plain = around.checks.is_none();
        let asked = Asked { flow: &flow, positions: &positions, potentials: &potentials, is_plain };
        let (placement, loops) = asked.place_counters(around.counting);
        let counters: Vec<u32> = placement.counted().iter().map(|_| room.take()).collect();
        for (index, edge) in placement.counted().iter().enumerate() {
            let is_by_budget = loops.iter().any(|counted| counted.counter == index);
            if let Some(position) = place(*edge as usize).filter(|_| !is_by_budget) {
                let amount = match position.given {
                    Given::Always => (1, None),
                    Given::If(holds) => (0, Some((holds, 1))),
                    Given::Unless(holds) => (1, Some((holds, -1))),
                };
                add(function, position.before, ctx, counters[index] as i32, amount);
            }
        }
        let sums: BTreeMap<usize, u32> =
            loops.iter().map(|counted| (counted.header, counters[counted.counter])).collect();
        sum_up_taken(function, &positions, &sums, ctx);
        for (site, around) in out.sites.iter_mut().zip(site_loops) {
            site.taken = around.and_then(|around| sums.get(&around).copied());
        }
        out.turns = loops.into_iter().map(|counted| (counted.counter, counted.turns)).collect();
        (out.placement, out.counters) = (placement, counters);
    }
    for entry in later {
        set_constant(function, entry.inst, potentials[entry.node as usize] + entry.length);
    }
    let blocks = Blocks::of(function);
    place_loads(function, &blocks, &entered);
    order_branches(function, &blocks);
    for site in out.sites.iter_mut().filter(|site| site.kind != SiteKind::Jump) {
        site.begun += potentials[site.node as usize];
    }
    Translated { flow, ..out }
}

/// Adds the budget to the sums of loops where they are entered, and takes it off where they are left.
fn sum_up_taken(function: &mut Function, positions: &[Position], sums: &BTreeMap<usize, u32>, ctx: Value) {
    let sum_of = |header: Option<usize>| sums.get(&header?).map(|sum| *sum as i32);
    // Two edges may pass the same instruction: one if a condition holds, one if not.
    let mut passed = BTreeSet::new();
    for Position { before, passing, .. } in positions {
        let [from, to] = passing.loops;
        if from == to || !passed.insert(*before) {
            continue;
        }
        if let (Some(sum), Some(fuel)) = (sum_of(from), passing.before) {
            let mut cursor = FuncCursor::new(function).at_inst(*before);
            let old = cursor.ins().load(types::I64, MemFlagsData::trusted(), ctx, sum);
            let new = cursor.ins().isub(old, fuel);
            cursor.ins().store(MemFlagsData::trusted(), new, ctx, sum);
        }
        if let (Some(sum), Some((load, fuel))) = (sum_of(to), passing.taken_up) {
            let mut cursor = FuncCursor::new(function).after_inst(load);
            let old = cursor.ins().load(types::I64, MemFlagsData::trusted(), ctx, sum);
            let new = cursor.ins().iadd(old, fuel);
            cursor.ins().store(MemFlagsData::trusted(), new, ctx, sum);
        }
    }
}

/// Tells a constant.
fn set_constant(function: &mut Function, inst: Inst, value: i64) {
    let imm = Imm64::new(value);
    function.dfg.insts[inst] = InstructionData::UnaryImm { opcode: Opcode::Iconst, imm };
}

/// Marks the edges that are checks.
fn mark_checks(
    (flow, transfers): (&mut Flow, &[(u32, u64, u64)]),
    (model, checks): (&Model, Checks),
    region: &Region,
) {
    let steps = region.blocks.iter().flat_map(|block| &block.steps);
    let by_address: HashMap<u64, &Numbered> = steps.map(|step| (step.step.address, step)).collect();
    for &(edge, from, to) in transfers {
        let from = by_address.get(&from);
        flow.ways[edge as usize].is_check = from.is_some_and(|from| checks.is_check_of(model, from, to));
    }
}

/// Adds to a number in memory, and something beside it if a value is 1.
fn add(
    function: &mut Function,
    before: Inst,
    ctx: Value,
    offset: i32,
    (amount, beside): (i64, Option<(Value, i64)>),
) {
    let mut cursor = FuncCursor::new(function).at_inst(before);
    let mut sum = cursor.ins().load(types::I64, MemFlagsData::trusted(), ctx, offset);
    if let Some((holds, more)) = beside.filter(|(_, more)| *more != 0) {
        let times = cursor.ins().uextend(types::I64, holds);
        let more = match more {
            1 => times,
            _ => {
                let all = cursor.ins().ineg(times);
                cursor.ins().band_imm_s(all, more)
            }
        };
        sum = cursor.ins().iadd(sum, more);
    }
    if amount != 0 {
        sum = cursor.ins().iadd_imm_s(sum, amount);
    }
    cursor.ins().store(MemFlagsData::trusted(), sum, ctx, offset);
}
