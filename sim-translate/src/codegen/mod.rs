//! From a region to machine code: one function, with the guest's registers as its variables.
//!
//! A function takes the address of the shared memory and the number of the link that led to it.
//! It loads a register when it is first read, and stores what may have changed where it is left or where
//! nobody reads it any more; what happens rarely is left to the engine: it comes back with a *site*, of
//! which the engine knows the rest.

mod bounds;
mod budget;
mod calls;
mod convert;
mod dominance;
mod entry;
mod exits;
mod finish;
mod jump;
mod labelled;
pub(crate) mod memory;
mod operator;
mod order;
mod piece;
mod reach;
mod registers;
pub(crate) mod returns;
mod shape;
mod statement;
mod surroundings;
mod translated;
mod value;
mod window;

pub(crate) use self::jump::Entries;
pub(crate) use self::operator::divides;
pub(crate) use self::surroundings::{
    ASK_CYCLES, ASK_INSTRUCTIONS, ASK_PENDING, Helpers, KeptSurroundings, NOBODY, Surroundings,
};
pub(crate) use self::translated::{Exit, Link, Room, Site, SiteKind, Translated};

use std::collections::{BTreeMap, BTreeSet};

use cranelift_codegen::ir::{
    self, AbiParam, Function, Inst, InstBuilder, MemFlagsData, SigRef, Signature, Type, types,
};
use cranelift_codegen::isa::CallConv;
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext, Variable};
use sim_profile::flow::OUTSIDE;

use self::budget::Passing;
use self::dominance::Dominance;
use self::entry::Entered;
use self::exits::{Exits, Held};
use self::shape::Shape;
use crate::compilable::Undone;
use crate::counting::{Counting, Lead};
use crate::flow::{Flow, Way};
use crate::layout;
use crate::mode::Mode;
use crate::region::Region;

/// The signature of compiled regions.
pub(crate) fn signature() -> Signature {
    let mut signature = Signature::new(CallConv::Tail);
    signature.params.extend([AbiParam::new(types::I64), AbiParam::new(types::I64)]);
    signature
}

/// The signature of helpers: shared memory, three numbers; a number comes back.
fn helper_signature(convention: CallConv) -> Signature {
    let mut signature = Signature::new(convention);
    signature.params.extend([AbiParam::new(types::I64); 4]);
    signature.returns.push(AbiParam::new(types::I64));
    signature
}

/// The type that holds a width.
pub(super) fn type_of(width: u32) -> Type {
    match width {
        1 => types::I8,
        2..=32 => types::I32,
        33..=64 => types::I64,
        _ => types::I128,
    }
}

/// A place where an edge can be counted: before an instruction.
#[derive(Debug, Clone, Copy)]
struct Position {
    before: Inst,
    given: Given,
    passing: Passing,
    /// 1 if the edge is a check this time, where only the run can tell and the budget is not held.
    check: Option<ir::Value>,
}

impl Position {
    /// Where the instruction is reached by this edge alone.
    fn at(before: Inst, passing: Passing) -> Position {
        let before = passing.taken_up.map_or(before, |(load, _)| load);
        Position { before, given: Given::Always, passing, check: None }
    }
}

/// When an edge is taken where its instruction is reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Given {
    Always,
    /// If a value is 1.
    If(ir::Value),
    /// If it is 0.
    Unless(ir::Value),
}

/// What is known of the program counter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pc {
    Known(u64),
    Held(Variable),
}

/// What is known at the end of a block.
#[derive(Debug, Clone)]
struct End {
    /// What registers hold, by number.
    values: Vec<Option<ir::Value>>,
    checked: Vec<reach::Checked>,
}

/// The least budget with which a block may be entered: a constant that is known when the graph is.
#[derive(Debug, Clone, Copy)]
struct Later {
    inst: Inst,
    node: u32,
    /// Instructions to where the budget is asked next, or checks.
    length: i64,
}

pub(super) struct Codegen<'a, 'f> {
    pub(super) around: &'a Surroundings<'a>,
    pub(super) region: &'a Region,
    pub(super) room: &'a mut Room,
    pub(super) b: FunctionBuilder<'f>,
    pub(super) ctx: ir::Value,
    /// The budget, in loops that hold it.
    fuel: Variable,
    tail: SigRef,
    helper: SigRef,
    /// Variable of each register element that has one.
    pub(super) registers: BTreeMap<(u32, u32), Variable>,
    /// Elements that may differ from what is stored.
    pub(super) dirty: BTreeSet<(u32, u32)>,
    blocks: Vec<ir::Block>,
    block_nodes: Vec<u32>,
    shape: Shape,
    flow: Flow,
    node: u32,
    positions: Vec<Position>,
    later: Vec<Later>,
    /// The loop of each site that holds the budget.
    site_loops: Vec<Option<usize>>,
    exits: Exits,
    out: Translated,
    /// The step at hand, by number and as itself.
    pub(super) step: u32,
    pub(super) successor: u64,
    pub(super) address: u64,
    pub(super) pc: Pc,
    /// What is known of the mode.
    pub(super) mode: Mode,
    pub(super) locals: Vec<Option<Variable>>,
    pub(super) widths: Vec<u32>,
    pub(super) labels: BTreeMap<u32, (ir::Block, u32)>,
    /// Blocks around that are left with the program counter in its variable.
    pub(super) holding: u32,
    /// 1 if the step has written what has to be looked at; `None` if it cannot.
    pub(super) written: Option<Variable>,
    /// What is known of addresses.
    checked: Vec<reach::Checked>,
    /// What is known not to be 0.
    nonzero: Vec<ir::Value>,
    /// What registers hold where each block begins, by number of the register, as far as it is known.
    starts: Vec<Vec<Option<ir::Value>>>,
    /// What is known where each block ends, whichever way it ends.
    ends: Vec<Option<End>>,
    /// The step has had an effect that stands: it cannot be begun again.
    has_effects: bool,
    /// What the step at hand accesses is often not reached at once, and helpers are called for that from its
    /// beginning on: it is not left to the interpreter behind what they have read of devices.
    is_often: bool,
    /// What of the step at hand is undone where it is left to the interpreter.
    undone: Undone,
    /// Where something is: what registers are stored then, with what they held before the step.
    begun: Vec<Held>,
    /// Index of the step in its block.
    at: usize,
    /// Expected runs of the block at hand.
    weight: u64,
    /// Block that is being filled.
    current: usize,
    /// Registers that it may write.
    written_here: dominance::Registers,
    /// Blocks that were made with the one before them.
    converted: Vec<bool>,
    /// [`Dominance::dirty`]: what else has changed is stored before a block begins.
    taken_over: Vec<dominance::Registers>,
}

/// Translates a region into a function.
pub(crate) fn translate(
    around: &Surroundings<'_>,
    region: &Region,
    room: &mut Room,
    function: &mut Function,
    context: &mut FunctionBuilderContext,
) -> Translated {
    function.signature = signature();
    let mut b = FunctionBuilder::new(function, context);
    let entry = b.create_block();
    b.append_block_params_for_function_params(entry);
    b.switch_to_block(entry);
    b.seal_block(entry);
    let ctx = b.block_params(entry)[0];
    let tail = b.import_signature(signature());
    let helper = b.import_signature(helper_signature(around.config.default_call_conv));
    let fuel = b.declare_var(types::I64);
    let blocks = region.blocks.iter().map(|_| b.create_block()).collect();
    let mut flow = Flow::default();
    let block_nodes = region.blocks.iter().map(|_| flow.add_node()).collect();
    let out = Translated {
        flow: Flow::default(),
        placement: Flow::default().placement(&Counting::Fewest, &BTreeMap::new()),
        counters: Vec::new(),
        turns: Vec::new(),
        sites: Vec::new(),
        links: Vec::new(),
        jump_modes: Vec::new(),
        begins: Vec::new(),
        counts: Vec::new(),
        own_counts: Vec::new(),
        charges: Vec::new(),
        own_charges: Vec::new(),
        events: Vec::new(),
        transfers: Vec::new(),
        tables: Vec::new(),
        profiles: around.profiles,
        first_site: around.first_site,
        site_count: 0,
    };
    let codegen = Codegen {
        around,
        region,
        room: &mut *room,
        b,
        ctx,
        fuel,
        tail,
        helper,
        registers: BTreeMap::new(),
        dirty: BTreeSet::new(),
        blocks,
        block_nodes,
        shape: Shape::of(region, around.model, around.checks),
        flow,
        node: OUTSIDE,
        positions: Vec::new(),
        later: Vec::new(),
        site_loops: Vec::new(),
        exits: Exits::default(),
        out,
        step: 0,
        successor: 0,
        address: 0,
        pc: Pc::Known(0),
        mode: Mode::default(),
        locals: Vec::new(),
        widths: Vec::new(),
        labels: BTreeMap::new(),
        holding: 0,
        written: None,
        checked: Vec::new(),
        nonzero: Vec::new(),
        starts: vec![Vec::new(); region.blocks.len()],
        ends: vec![None; region.blocks.len()],
        has_effects: false,
        is_often: false,
        undone: Undone::Nothing,
        begun: Vec::new(),
        at: 0,
        weight: 1,
        current: 0,
        written_here: 0,
        converted: vec![false; region.blocks.len()],
        taken_over: Vec::new(),
    };
    let unfinished = codegen.run();
    finish::finish(unfinished, (around, region), room, function, ctx)
}

/// A function but for what needs the whole graph.
struct Unfinished {
    flow: Flow,
    positions: Vec<Position>,
    later: Vec<Later>,
    /// The loop of each site that holds the budget.
    site_loops: Vec<Option<usize>>,
    /// What the registers that live in variables hold at its entry.
    entered: Vec<Entered>,
    out: Translated,
}

impl Codegen<'_, '_> {
    fn run(mut self) -> Unfinished {
        let indexed = self.find_registers();
        let numbers: Vec<((u32, u32), Variable)> =
            self.registers.iter().map(|(key, variable)| (*key, *variable)).collect();
        let number =
            |key| numbers.binary_search_by_key(&key, |(other, _)| *other).ok().map(|found| found as u32);
        let elements = |register| {
            let of_register = (0..).zip(&numbers).filter(|(_, ((other, _), _))| *other == register);
            of_register.fold(0, |all, (number, _): (u32, _)| all | 1 << number)
        };
        let dominance = Dominance::of((self.region, self.around.model), &self.shape, &number, &elements);
        self.taken_over.clone_from(&dominance.dirty);
        let entered = self.enter_registers();
        let passing = self.take_up_budget(Passing::default(), self.shape.holding[0]);
        let jump = self.b.ins().jump(self.blocks[0], &[]);
        let entry = self.region.blocks[0].place.address;
        self.add_way(OUTSIDE, self.block_nodes[0], Position::at(jump, passing), (entry, Lead::In));
        let mut open = self.shape.entered.clone();
        for index in self.shape.order.clone() {
            if !self.converted[index] {
                if open[index] == 0 {
                    self.b.seal_block(self.blocks[index]);
                }
                self.begin(index, &dominance, &numbers, &entered);
                self.fill(index);
            }
            for successor in &self.region.blocks[index].successors {
                open[*successor] -= 1;
                if open[*successor] == 0 && self.shape.position[*successor] <= self.shape.position[index] {
                    self.b.seal_block(self.blocks[*successor]);
                }
            }
        }
        self.make_back();
        self.b.finalize(self.around.config);
        let Codegen { flow, positions, later, site_loops, out, .. } = self;
        let registers = numbers.iter().zip(entered);
        let entered = registers.map(|(((register, _), _), value)| {
            let by_index = indexed.contains(register);
            Entered { value, by_index }
        });
        Unfinished { flow, positions, later, site_loops, entered: entered.collect(), out }
    }

    /// Begins a block with what is known there.
    fn begin(
        &mut self,
        index: usize,
        dominance: &Dominance,
        numbers: &[((u32, u32), Variable)],
        entered: &[ir::Value],
    ) {
        self.b.switch_to_block(self.blocks[index]);
        self.current = index;
        self.written_here = dominance.written[index];
        self.node = self.block_nodes[index];
        self.weight = self.shape.weights[index];
        let dirty = numbers.iter().zip(0..).filter(|(_, number)| dominance.dirty[index] >> number & 1 == 1);
        self.dirty = dirty.map(|((key, _), _)| *key).collect();
        let above = self.ends[dominance.above[index]].take();
        let asked = dominance.live[index] | dominance.dirty[index];
        let mut start = Vec::with_capacity(numbers.len());
        for (number, (_, variable)) in numbers.iter().enumerate() {
            let value = match dominance.joined[index] >> number & 1 {
                0 if index == 0 => Some(entered[number]),
                0 => above.as_ref().and_then(|above| above.values[number]),
                _ if asked >> number & 1 == 1 => Some(self.b.use_var(*variable)),
                _ => None,
            };
            if let Some(value) = value {
                self.b.def_var(*variable, value);
            }
            start.push(value);
        }
        self.starts[index] = start;
        self.checked = above.as_ref().map_or_else(Vec::new, |above| above.checked.clone());
        if index > 0 {
            self.ends[dominance.above[index]] = above;
        }
        if self.shape.headers[index] || index == 0 {
            match self.around.checks {
                None => self.ask_budget(index, self.shape.lengths[index]),
                Some(asked) => {
                    self.ask_budget(index, self.shape.checks[index] << layout::CHECK_SHIFT);
                    if !asked.bounds_instructions() {
                        self.ask_instructions(index);
                    }
                }
            }
        }
    }

    /// Remembers what is known where the block at hand goes on with another.
    fn note_end(&mut self) {
        let numbers: Vec<Variable> = self.registers.values().copied().collect();
        let values = numbers.iter().enumerate().map(|(number, variable)| {
            let start = self.starts[self.current][number];
            match self.written_here >> number & 1 {
                0 => start,
                _ => Some(self.b.use_var(*variable)),
            }
        });
        let values: Vec<Option<ir::Value>> = values.collect();
        match &mut self.ends[self.current] {
            Some(end) => {
                for (known, value) in end.values.iter_mut().zip(values) {
                    *known = known.filter(|known| Some(*known) == value);
                }
                end.checked.retain(|known| self.checked.contains(known));
            }
            none => *none = Some(End { values, checked: self.checked.clone() }),
        }
    }

    /// An edge within the instruction at hand, or to where it computes.
    fn add_edge(&mut self, from: u32, to: u32, position: Position) -> u32 {
        self.add_way(from, to, position, (self.address, Lead::Within))
    }

    fn add_way(&mut self, from: u32, to: u32, position: Position, (address, lead): (u64, Lead)) -> u32 {
        self.positions.push(position);
        let position = Some(self.positions.len() as u32 - 1);
        let way = Way { position, weight: self.weight, is_back: false, is_check: false, address, lead };
        self.flow.add_edge(from, to, way)
    }

    /// A new node that the one at hand goes on with.
    fn split(&mut self) {
        let node = self.flow.add_node();
        self.flow.add_edge(self.node, node, Way::UNCOUNTED);
        self.node = node;
    }

    /// The program counter in 64 bits.
    pub(super) fn pc_value(&mut self) -> ir::Value {
        match self.pc {
            Pc::Known(pc) => self.b.ins().iconst(types::I64, pc as i64),
            Pc::Held(variable) => {
                let value = self.b.use_var(variable);
                self.widen(value, types::I64)
            }
        }
    }

    /// A site that is not left through, for helpers that want to know where they are.
    pub(super) fn mere_site(&mut self) -> ir::Value {
        let number = self.next_site();
        let begun = self.flow.begins(self.node);
        let (kind, step, node) = (SiteKind::Told, self.step, self.node);
        self.site_loops.push(self.shape.holding[self.current]);
        self.out.sites.push(Site { kind, step, node, begun, pc: None, times: 0, region: 0, taken: None });
        number
    }

    /// The number of the site that is made next, for helpers that want to know where they are.
    pub(super) fn next_site(&mut self) -> ir::Value {
        let number = self.around.first_site + self.out.sites.len() as u32;
        self.b.ins().iconst(types::I64, i64::from(number))
    }

    /// Calls a helper.
    pub(super) fn call_helper(&mut self, helper: u64, arguments: [ir::Value; 3]) -> ir::Value {
        self.store_fuel();
        let callee = self.b.ins().iconst(types::I64, helper as i64);
        let [a, b, c] = arguments;
        let call = self.b.ins().call_indirect(self.helper, callee, &[self.ctx, a, b, c]);
        self.b.inst_results(call)[0]
    }

    /// The instruction is over: on with the next one, whichever it is.
    pub(super) fn end_step(&mut self) {
        self.leave_if_written();
        match self.pc {
            _ if !self.around.items.is_settled(&self.mode) => self.leave(SiteKind::Written),
            Pc::Known(target) => self.go_to(target),
            Pc::Held(_) => {
                self.go_on_within();
                self.jump_to_computed();
            }
        }
    }

    /// Whether the step at hand makes a call where it goes on at an address, of which somebody is told.
    fn calls(&self, target: u64) -> bool {
        let block = &self.region.blocks[self.current];
        self.at + 1 == block.steps.len() && block.calls.contains(&target)
    }

    /// Goes to a block of the region, or out by a link.
    pub(super) fn go_to(&mut self, target: u64) {
        let is_transfer = target != self.successor;
        let lead = (self.address, if is_transfer { Lead::To(target) } else { Lead::On });
        if is_transfer && self.region.blocks[self.current].steps[self.at].precedes_return {
            self.flow.mark_call(self.node);
        }
        let edge = match self.region.blocks[self.current].successor_at((target, self.mode)) {
            Some(block) => {
                self.store_before(block);
                self.note_end();
                let passing = self.go_down();
                let passing = self.take_up_budget(passing, self.shape.holding[block]);
                let jump = self.b.ins().jump(self.blocks[block], &[]);
                let is_back = self.shape.position[block] <= self.shape.position[self.current];
                let position = Position::at(jump, passing);
                let edge = self.add_way(self.node, self.block_nodes[block], position, lead);
                self.flow.ways[edge as usize].is_back = is_back;
                edge
            }
            None => {
                let passing = self.go_down().leaving();
                self.store_dirty();
                let slot = self.room.take();
                let number = self.around.first_link + self.out.links.len() as u32;
                let mut link = Link { step: self.step, target: (target, self.mode), slot, call: None };
                if let Some(frames) = self.around.frames.filter(|_| self.calls(target)) {
                    let (data, branch) = self.call_by_link(frames, slot, number);
                    link.call = Some(data);
                    self.out.links.push(link);
                    let edge = self.add_way(self.node, OUTSIDE, Position::at(branch, passing), lead);
                    self.out.transfers.push((edge, self.address, target));
                    return;
                }
                self.out.links.push(link);
                let code = self.b.ins().load(types::I64, MemFlagsData::trusted(), self.ctx, slot as i32);
                let number = self.b.ins().iconst(types::I64, i64::from(number));
                let jump = self.b.ins().return_call_indirect(self.tail, code, &[self.ctx, number]);
                self.add_way(self.node, OUTSIDE, Position::at(jump, passing), lead)
            }
        };
        if is_transfer {
            self.out.transfers.push((edge, self.address, target));
        }
    }
}
