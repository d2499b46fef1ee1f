//! Where registers are loaded.
//!
//! A function is made as if all of them were loaded where it is entered. Most are asked for later, on some
//! ways only, or never: held from the beginning on they would take the host's registers from others, or go
//! to the stack and come back. So each is loaded where it is asked for first.

use cranelift_codegen::ir::{Block, Function, Inst, InstructionData, Opcode, Value};
use rustc_hash::FxHashMap as HashMap;

use super::order::Blocks;

/// What a register that lives in a variable holds at the entry.
pub(super) struct Entered {
    pub(super) value: Value,
    /// Elements of its file are written by computed indexes as well: which, and where, is not seen here.
    pub(super) by_index: bool,
}

/// Puts each load of a register in the entry to where its value is used first, outside all loops; drops
/// those that nobody uses, since the compiler keeps every load.
///
/// What they load is changed where the function stores that register, at ways out mostly: a load stands
/// before all of these, since what one register held may be stored to another, and runs once. Registers that are
/// stored by an index, too, are loaded in the entry, and so are all where a cycle is entered at two places: it is
/// none of the loops that are known. Of other loads there, that of the budget among them, nothing of the kind is
/// known.
pub(super) fn place_loads(function: &mut Function, blocks: &Blocks, registers: &[Entered]) {
    let Some(entry) = function.layout.entry_block() else { return };
    let load = |register: &Entered| function.dfg.value_def(register.value).unwrap_inst();
    let loads: Vec<Inst> = registers.iter().map(load).collect();
    let first_uses = first_uses(function, blocks, &loads);
    for ((load, first), register) in loads.into_iter().zip(first_uses).zip(registers) {
        match first {
            Some(first)
                if blocks.are_reducible
                    && !register.by_index
                    && Some(entry) != function.layout.inst_block(first) =>
            {
                function.layout.remove_inst(load);
                function.layout.insert_inst(load, first);
            }
            Some(_) => {}
            None => function.layout.remove_inst(load),
        }
    }
}

/// For each load the instruction that it has to stand before, if it is used at all: the first that uses or
/// stores the register, or the end of the last block on the way to all of them.
fn first_uses(function: &Function, blocks: &Blocks, loads: &[Inst]) -> Vec<Option<Inst>> {
    let mut number = vec![usize::MAX; function.dfg.num_values()];
    let mut offsets: HashMap<(Value, i32), usize> = HashMap::default();
    for (index, load) in loads.iter().enumerate() {
        number[function.dfg.first_result(*load).as_u32() as usize] = index;
        offsets.extend(place_of(function, *load).map(|place| (place, index)));
    }
    let number_of = |value: Value| number[function.dfg.resolve_aliases(value).as_u32() as usize];
    let mut found: Vec<Option<Inst>> = vec![None; loads.len()];
    let mut is_used = vec![false; loads.len()];
    // In this order a block comes behind all that dominate it.
    for block in blocks.dominators.cfg_rpo() {
        for inst in function.layout.block_insts(*block) {
            let used = function.dfg.inst_values(inst).map(number_of).filter(|index| *index < loads.len());
            for index in used {
                found[index] = Some(meet(function, blocks, found[index], (*block, inst)));
                is_used[index] = true;
            }
            let is_store = function.dfg.insts[inst].opcode() == Opcode::Store;
            let stored = place_of(function, inst).filter(|_| is_store);
            if let Some(index) = stored.and_then(|place| offsets.get(&place).copied()) {
                found[index] = Some(meet(function, blocks, found[index], (*block, inst)));
            }
        }
    }
    found.into_iter().zip(is_used).map(|(first, is_used)| first.filter(|_| is_used)).collect()
}

/// Where an instruction loads from or stores to: a value, and the distance from it.
fn place_of(function: &Function, inst: Inst) -> Option<(Value, i32)> {
    let (base, offset) = match function.dfg.insts[inst] {
        InstructionData::Load { arg, offset, .. } => (arg, offset),
        InstructionData::Store { args: [_, base], offset, .. } => (base, offset),
        _ => return None,
    };
    Some((function.dfg.resolve_aliases(base), offset.into()))
}

/// The last place on the way to an earlier place and a further use.
fn meet(function: &Function, blocks: &Blocks, earlier: Option<Inst>, (block, inst): (Block, Inst)) -> Inst {
    const LAYOUT: &str = "blocks that are reached are laid out, and end";
    let above =
        |block: Block| blocks.dominators.idom(block).expect("the entry dominates all, and is in no loop");
    let mut common = block;
    if let Some(earlier) = earlier {
        let held = function.layout.inst_block(earlier).expect(LAYOUT);
        common = held;
        while !blocks.dominators.block_dominates(common, block) {
            common = above(common);
        }
        if common == held {
            return earlier;
        }
    }
    while blocks.loops.innermost_loop(common).is_some() {
        common = above(common);
    }
    if common == block { inst } else { function.layout.last_inst(common).expect(LAYOUT) }
}

#[cfg(test)]
mod tests {
    use cranelift_codegen::cursor::{Cursor, FuncCursor};
    use cranelift_codegen::ir::{InstBuilder, MemFlagsData, types};

    use super::*;

    fn plain(value: Value) -> Entered {
        Entered { value, by_index: false }
    }

    /// A function whose entry loads four registers and goes on with a choice: one way is a loop that uses the
    /// first, the other uses the second twice; behind both the third is used, the fourth by nobody. The
    /// budget is loaded there, too.
    #[test]
    fn registers_are_loaded_where_they_are_asked_for_first() {
        let mut function = Function::new();
        let [entry, turn, other, behind] = [0; 4].map(|_| function.dfg.make_block());
        let ctx = function.dfg.append_block_param(entry, types::I64);
        let mut cursor = FuncCursor::new(&mut function);
        for block in [entry, turn, other, behind] {
            cursor.insert_block(block);
        }
        cursor.goto_bottom(entry);
        let flags = MemFlagsData::trusted();
        let loaded = [8, 16, 24, 32].map(|offset| cursor.ins().load(types::I64, flags, ctx, offset));
        let budget = cursor.ins().load(types::I64, flags, ctx, 0);
        cursor.ins().brif(ctx, turn, &[], other, &[]);
        cursor.goto_bottom(turn);
        let in_loop = cursor.ins().iadd(loaded[0], ctx);
        cursor.ins().brif(in_loop, turn, &[], behind, &[]);
        cursor.goto_bottom(other);
        let once = cursor.ins().iadd(loaded[1], ctx);
        cursor.ins().iadd(loaded[1], once);
        cursor.ins().jump(behind, &[]);
        cursor.goto_bottom(behind);
        cursor.ins().store(flags, loaded[2], ctx, 40);
        cursor.ins().store(flags, budget, ctx, 48);
        cursor.ins().return_(&[]);
        let blocks = Blocks::of(&function);
        place_loads(&mut function, &blocks, &loaded.map(plain));
        let block_of = |value: Value| {
            let load = function.dfg.value_def(value).unwrap_inst();
            function.layout.inst_block(load)
        };
        assert_eq!(loaded.map(block_of), [Some(entry), Some(other), Some(behind), None]);
        assert_eq!(block_of(budget), Some(entry), "it may be another one later");
        let first = function.layout.first_inst(other).expect("it has instructions");
        assert_eq!(function.dfg.first_result(first), loaded[1], "before what uses it first");
    }

    /// A cycle that is entered at two places, one of which uses the register, and the other one stores to it.
    #[test]
    fn registers_are_loaded_once() {
        let mut function = Function::new();
        let [entry, first, second] = [0; 3].map(|_| function.dfg.make_block());
        let ctx = function.dfg.append_block_param(entry, types::I64);
        let mut cursor = FuncCursor::new(&mut function);
        for block in [entry, first, second] {
            cursor.insert_block(block);
        }
        cursor.goto_bottom(entry);
        let flags = MemFlagsData::trusted();
        let loaded = cursor.ins().load(types::I64, flags, ctx, 8);
        let unused = cursor.ins().load(types::I64, flags, ctx, 16);
        cursor.ins().brif(ctx, first, &[], second, &[]);
        cursor.goto_bottom(first);
        let sum = cursor.ins().iadd(loaded, ctx);
        cursor.ins().store(flags, sum, ctx, 8);
        cursor.ins().jump(second, &[]);
        cursor.goto_bottom(second);
        cursor.ins().jump(first, &[]);
        let blocks = Blocks::of(&function);
        assert!(!blocks.are_reducible);
        place_loads(&mut function, &blocks, &[plain(loaded), plain(unused)]);
        let block_of = |value: Value| function.layout.inst_block(function.dfg.value_def(value).unwrap_inst());
        assert_eq!([loaded, unused].map(block_of), [Some(entry), None]);
    }

    /// One way out stores to the first register what the second held, and the other way round.
    #[test]
    fn registers_are_loaded_before_they_are_stored() {
        let mut function = Function::new();
        let [entry, behind] = [0; 2].map(|_| function.dfg.make_block());
        let ctx = function.dfg.append_block_param(entry, types::I64);
        let mut cursor = FuncCursor::new(&mut function);
        cursor.insert_block(entry);
        cursor.insert_block(behind);
        cursor.goto_bottom(entry);
        let flags = MemFlagsData::trusted();
        let [first, second] = [8, 16].map(|offset| cursor.ins().load(types::I64, flags, ctx, offset));
        cursor.ins().jump(behind, &[]);
        cursor.goto_bottom(behind);
        cursor.ins().store(flags, second, ctx, 8);
        cursor.ins().store(flags, first, ctx, 16);
        cursor.ins().return_(&[]);
        let blocks = Blocks::of(&function);
        place_loads(&mut function, &blocks, &[first, second].map(plain));
        let order: Vec<Opcode> =
            function.layout.block_insts(behind).map(|inst| function.dfg.insts[inst].opcode()).collect();
        assert_eq!(order, [Opcode::Load, Opcode::Load, Opcode::Store, Opcode::Store, Opcode::Return]);
    }
}
