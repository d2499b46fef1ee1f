//! The order of the ways of branches.
//!
//! The compiler lays blocks out in reverse postorder: what a branch names first comes last. Its
//! allocator of registers takes all that stands between a loop's head and its end for the loop, and
//! gives registers to what is used there. So a way out of a loop, and one that is rare, is named first.

use cranelift_codegen::cursor::{Cursor, FuncCursor};
use cranelift_codegen::dominator_tree::DominatorTree;
use cranelift_codegen::entity::EntitySet;
use cranelift_codegen::flowgraph::ControlFlowGraph;
use cranelift_codegen::ir::condcodes::{CondCode, IntCC};
use cranelift_codegen::ir::{Block, Function, Inst, InstBuilder, InstructionData, Value, ValueDef};
use cranelift_codegen::loop_analysis::LoopAnalysis;

/// What is known of a finished function's blocks.
pub(super) struct Blocks {
    pub(super) dominators: DominatorTree,
    pub(super) loops: LoopAnalysis,
    /// Every cycle is entered at one place, and so is one of the loops.
    pub(super) are_reducible: bool,
}

impl Blocks {
    pub(super) fn of(function: &Function) -> Blocks {
        let graph = ControlFlowGraph::with_function(function);
        let dominators = DominatorTree::with_function(function, &graph);
        let mut loops = LoopAnalysis::new();
        loops.compute(function, &graph, &dominators);
        let mut passed = EntitySet::new();
        let mut are_reducible = true;
        for block in dominators.cfg_rpo() {
            passed.insert(*block);
            let mut back = graph.succ_iter(*block).filter(|next| passed.contains(*next));
            are_reducible &= back.all(|next| dominators.block_dominates(next, *block));
        }
        Blocks { dominators, loops, are_reducible }
    }
}

/// Orders the ways of all branches of a function.
pub(super) fn order_branches(function: &mut Function, Blocks { loops, .. }: &Blocks) {
    let blocks: Vec<Block> = function.layout.blocks().collect();
    for block in blocks {
        let Some(inst) = function.layout.last_inst(block) else { continue };
        let InstructionData::Brif { blocks: ways, .. } = function.dfg.insts[inst] else { continue };
        let [first, second] = ways.map(|way| way.block(&function.dfg.value_lists));
        let stays =
            |way: Block| loops.innermost_loop(block).is_none_or(|around| loops.is_in_loop(way, around));
        let rank = |way: Block| (function.layout.is_cold(way), !stays(way));
        if rank(second) > rank(first) {
            swap_ways(function, inst);
        }
    }
}

/// Turns a branch's condition, and its ways.
fn swap_ways(function: &mut Function, inst: Inst) {
    let InstructionData::Brif { opcode, arg, blocks: [first, second] } = function.dfg.insts[inst] else {
        return;
    };
    let arg = turned(function, inst, arg);
    function.dfg.insts[inst] = InstructionData::Brif { opcode, arg, blocks: [second, first] };
}

/// A value that is 0 where another is not, before an instruction.
fn turned(function: &mut Function, before: Inst, value: Value) -> Value {
    let value = function.dfg.resolve_aliases(value);
    let compared = match function.dfg.value_def(value) {
        ValueDef::Result(inst, _) => match function.dfg.insts[inst] {
            InstructionData::IntCompare { args: [left, right], cond, .. } => Some((cond, left, right)),
            _ => None,
        },
        _ => None,
    };
    let mut cursor = FuncCursor::new(function).at_inst(before);
    match compared {
        Some((cond, left, right)) => cursor.ins().icmp(cond.complement(), left, right),
        None => cursor.ins().icmp_imm_u(IntCC::Equal, value, 0),
    }
}
