//! What needs the whole graph: counters, the corrections of the budget, and when it is asked.

use cranelift_codegen::cursor::{Cursor, FuncCursor};
use cranelift_codegen::ir::immediates::Imm64;
use cranelift_codegen::ir::{
    Function, Inst, InstBuilder, InstructionData, MemFlagsData, Opcode, Value, types,
};

use super::{Position, Room, SiteKind, Surroundings, Translated, Unfinished};
use crate::layout;

/// Puts into a function what the graph tells.
pub(super) fn finish(
    unfinished: Unfinished,
    around: &Surroundings<'_>,
    room: &mut Room,
    function: &mut Function,
    ctx: Value,
) -> Translated {
    let Unfinished { flow, positions, later, mut out } = unfinished;
    let potentials = flow.potentials();
    let place = |edge: usize| flow.ways[edge].position.map(|position| positions[position as usize]);
    for edge in 0..flow.ways.len() {
        let down = flow.correction(&potentials, edge);
        if let Some(position) = place(edge).filter(|_| down != 0) {
            add(function, position, ctx, layout::FUEL, -down);
        }
    }
    if around.profiles {
        out.placement = flow.placement();
        for edge in out.placement.counted() {
            let counter = room.take();
            out.counters.push(counter);
            if let Some(position) = place(*edge as usize) {
                add(function, position, ctx, counter as i32, 1);
            }
        }
    }
    for entry in later {
        let imm = Imm64::new(potentials[entry.node as usize] + entry.length);
        function.dfg.insts[entry.inst] = InstructionData::UnaryImm { opcode: Opcode::Iconst, imm };
    }
    drop_unused_loads(function);
    for site in out.sites.iter_mut().filter(|site| site.kind != SiteKind::Jump) {
        site.begun += potentials[site.node as usize];
    }
    Translated { flow, ..out }
}

/// Drops the loads of registers that nobody reads before they are written: the compiler keeps every
/// load.
fn drop_unused_loads(function: &mut Function) {
    let mut is_used = vec![false; function.dfg.num_values()];
    for block in function.layout.blocks() {
        for inst in function.layout.block_insts(block) {
            for value in function.dfg.inst_values(inst) {
                is_used[function.dfg.resolve_aliases(value).as_u32() as usize] = true;
            }
        }
    }
    let Some(entry) = function.layout.entry_block() else { return };
    let loads: Vec<Inst> = function.layout.block_insts(entry).collect();
    for inst in loads {
        let is_load = function.dfg.insts[inst].opcode() == Opcode::Load;
        let result = function.dfg.inst_results(inst).first().copied();
        if is_load && result.is_some_and(|value| !is_used[value.as_u32() as usize]) {
            function.layout.remove_inst(inst);
        }
    }
}

/// Adds to a number in memory.
fn add(function: &mut Function, position: Position, ctx: Value, offset: i32, amount: i64) {
    let Position(before) = position;
    let mut cursor = FuncCursor::new(function).at_inst(before);
    let old = cursor.ins().load(types::I64, MemFlagsData::trusted(), ctx, offset);
    let new = cursor.ins().iadd_imm_s(old, amount);
    cursor.ins().store(MemFlagsData::trusted(), new, ctx, offset);
}
