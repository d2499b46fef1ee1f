//! Short ways without a branch: where a condition leads around a few simple instructions, or to one
//! of two such ways that meet again, both ways are computed and one result is taken.
//!
//! It is done where the interpreter has seen both ways often: a host processor guesses such branches
//! wrong, and each time that costs more than all of the instructions. What is counted is exact: the
//! edges of the flow graph are there as before, and count by the condition.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{self, InstBuilder};
use cranelift_frontend::Variable;

use super::budget::Passing;
use super::{Codegen, Given, Position};
use crate::counting::Lead;
use crate::flow::Way;
use crate::region::{Block, pc_behind};
use crate::residual::{Item, Kind, Op, PC, Value, each_op};

/// Most instructions of a way.
const MOST_STEPS: usize = 3;
/// Most statements and values of a way.
const MOST_PARTS: usize = 48;
/// A way is common if more than one in so many comes by it.
const RARE: u64 = 8;

/// A condition whose ways meet again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Conversion {
    /// Blocks that are passed if it holds, and if it does not.
    ways: [Option<usize>; 2],
    /// Where the ways meet.
    join: usize,
}

/// True if an arm of the branch itself does nothing but set the program counter.
fn only_leads(arm: &[Op]) -> bool {
    arm.iter().all(|op| matches!(op, Op::Set(PC, _) | Op::Count(_)))
}

/// True if a value can be computed whether or not it is asked for.
fn is_harmless(value: &Value) -> bool {
    let mut harmless = !value.may_trap();
    value.walk(&mut |item| {
        if let Item::Value(value) = item {
            harmless &= match &value.kind {
                Kind::Cycles | Kind::Instructions | Kind::Pending(_) => false,
                Kind::Binary(operator, ..) => !super::divides(*operator),
                _ => true,
            };
        }
    });
    harmless
}

impl Codegen<'_, '_> {
    /// How a condition at the end of the block at hand can do without a branch.
    pub(super) fn conversion(&self, then: &[Op], otherwise: &[Op]) -> Option<Conversion> {
        if self.written.is_some() || !only_leads(then) || !only_leads(otherwise) {
            return None;
        }
        let here = &self.region.blocks[self.current];
        let way = |arm: &[Op]| {
            let target = arm.iter().fold(self.known_pc(), |pc, op| pc_behind(op, pc))?;
            here.successor_at((target, self.mode))
        };
        let (first, second) = (way(then)?, way(otherwise)?);
        let (behind_first, behind_second) = (self.leads_simply(first), self.leads_simply(second));
        let (ways, join) = match (behind_first, behind_second) {
            _ if first == second => return None,
            (Some(join), _) if join == second => ([Some(first), None], join),
            (_, Some(join)) if join == first => ([None, Some(second)], join),
            (Some(join), Some(other)) if join == other => ([Some(first), Some(second)], join),
            _ => return None,
        };
        let runs = here.steps.last()?.runs;
        let is_common = |way: usize| {
            let passed = self.region.blocks[way].runs();
            passed * RARE > runs && passed * RARE < runs * (RARE - 1)
        };
        ways.into_iter().flatten().all(is_common).then_some(Conversion { ways, join })
    }

    /// Where a block of simple instructions leads that nothing but the block at hand goes on with.
    fn leads_simply(&self, index: usize) -> Option<usize> {
        let block = &self.region.blocks[index];
        let ([join], [target]) = (&block.successors[..], &block.targets[..]) else { return None };
        let parts: usize = block.steps.iter().map(|step| step.step.parts).sum();
        let is_short = block.steps.len() <= MOST_STEPS && parts <= MOST_PARTS;
        let is_own = index != 0 && self.shape.entered[index] == 1 && !self.shape.headers[index];
        let last = &block.steps.last()?.step;
        let pc = last.ops.iter().try_fold(last.address, |pc, op| pc_behind(op, Some(pc)));
        let is_simple = block.steps.iter().all(|step| step.step.ops.iter().all(|op| self.is_simple(op)));
        (is_short
            && is_own
            && is_simple
            && block.expected.is_empty()
            && pc == Some(target.0)
            && *join != index)
            .then_some(*join)
    }

    /// True if a statement does nothing but compute registers that live in variables.
    fn is_simple(&self, op: &Op) -> bool {
        match op {
            Op::Set(PC, value) => value.known().is_some(),
            Op::Set(_, value) => is_harmless(value),
            Op::SetRegister { register, element, value, .. } => {
                self.registers.contains_key(&(*register, *element))
                    && is_harmless(value)
                    && !self.around.items.are_written(std::slice::from_ref(op))
            }
            Op::Count(_) => true,
            _ => false,
        }
    }

    /// Registers that a block writes, with their variables.
    fn written_by(&self, block: &Block) -> Vec<Variable> {
        let mut found = Vec::new();
        for step in &block.steps {
            each_op(&step.step.ops, &mut |op| {
                if let Op::SetRegister { register, element, .. } = op {
                    found.push(self.registers[&(*register, *element)]);
                }
            });
        }
        found
    }

    /// Makes both ways, takes the results of one, and goes on where they meet.
    pub(super) fn convert(&mut self, condition: &Value, arms: [&[Op]; 2], conversion: Conversion) {
        let found = self.condition(condition);
        let holds = match condition.width {
            1 => found,
            _ => self.b.ins().icmp_imm_u(IntCC::NotEqual, found, 0),
        };
        let mut written: Vec<Variable> = Vec::new();
        for way in conversion.ways.into_iter().flatten() {
            written.extend(self.written_by(&self.region.blocks[way]));
        }
        written.sort_unstable_by_key(|variable| variable.as_u32());
        written.dedup();
        let before: Vec<ir::Value> = written.iter().map(|variable| self.b.use_var(*variable)).collect();
        let mut results = Vec::new();
        let mut edges = Vec::new();
        let (node, pc, mode) = (self.node, self.pc, self.mode);
        for (arm, way) in arms.into_iter().zip(conversion.ways) {
            (self.node, self.pc, self.mode) = (node, pc, mode);
            edges.push(self.pass(arm, way, conversion.join));
            results.push(written.iter().map(|variable| self.b.use_var(*variable)).collect::<Vec<_>>());
            for (variable, value) in written.iter().zip(&before) {
                self.b.def_var(*variable, *value);
            }
        }
        for (index, variable) in written.iter().enumerate() {
            let (first, second) = (results[0][index], results[1][index]);
            let value = if first == second { first } else { self.b.ins().select(holds, first, second) };
            self.b.def_var(*variable, value);
        }
        self.store_before(conversion.join);
        self.note_end();
        let mut passing = Passing::default();
        let mut downs = [None; 2];
        if let Some(fuel) = self.held_fuel() {
            let ((if_holds, amount), (unless, otherwise)) = (self.unknown(), self.unknown());
            let amount = self.b.ins().select(holds, amount, otherwise);
            self.go_down_by(amount);
            downs = [Some(if_holds), Some(unless)];
            let around = self.shape.holding[self.current];
            passing = Passing { loops: [around; 2], before: Some(fuel), ..passing };
        }
        let passing = self.take_up_budget(passing, self.shape.holding[conversion.join]);
        let jump = self.b.ins().jump(self.blocks[conversion.join], &[]);
        let before = Position::at(jump, passing).before;
        let given = [Given::If(holds), Given::Unless(holds)];
        for ((ends, given), down) in edges.into_iter().zip(given).zip(downs) {
            let is_back = self.shape.position[conversion.join] <= self.shape.position[ends.block];
            let to = self.block_nodes[conversion.join];
            let lead = ends.transfer.map_or(Lead::On, |(_, to)| Lead::To(to));
            let position = Position { before, given, passing: Passing { down, ..passing }, check: None };
            let edge = self.add_way(ends.node, to, position, (ends.address, lead));
            self.flow.ways[edge as usize].is_back = is_back;
            self.out.transfers.extend(ends.transfer.map(|(from, to)| (edge, from, to)));
        }
    }

    /// Makes one of the ways.
    fn pass(&mut self, arm: &[Op], way: Option<usize>, join: usize) -> WayEnd {
        let node = self.go_to_node();
        self.node = node;
        for op in arm {
            self.statement(op);
        }
        let Some(way) = way else {
            return WayEnd {
                node,
                block: self.current,
                address: self.address,
                transfer: self.transfer(join),
            };
        };
        self.converted[way] = true;
        let transfer = self.transfer(way);
        let around = (self.step, self.address, self.successor, self.at);
        let step_state = (std::mem::take(&mut self.locals), std::mem::take(&mut self.widths));
        let labels = std::mem::take(&mut self.labels);
        let to = self.block_nodes[way];
        let edge = self.flow.add_edge(node, to, Way::UNCOUNTED);
        self.out.transfers.extend(transfer.map(|(from, to)| (edge, from, to)));
        self.node = to;
        let weight = self.weight;
        for numbered in &self.region.blocks[way].steps {
            self.begin_step(numbered);
            for op in &numbered.step.ops {
                self.statement(op);
            }
        }
        self.weight = weight;
        let end =
            WayEnd { node: self.node, block: way, address: self.address, transfer: self.transfer(join) };
        (self.step, self.address, self.successor, self.at) = around;
        (self.locals, self.widths) = step_state;
        self.labels = labels;
        end
    }

    /// A node for what is done if a condition holds.
    fn go_to_node(&mut self) -> u32 {
        let node = self.flow.add_node();
        self.flow.add_edge(self.node, node, Way::UNCOUNTED);
        node
    }

    /// The control transfer to a block, if it is one.
    fn transfer(&self, block: usize) -> Option<(u64, u64)> {
        let target = self.region.blocks[block].place.address;
        (target != self.successor).then_some((self.address, target))
    }
}

/// How a way ends.
struct WayEnd {
    node: u32,
    block: usize,
    /// Of its last instruction.
    address: u64,
    transfer: Option<(u64, u64)>,
}
