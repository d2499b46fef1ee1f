//! From a decoded word to its step: the reference engine's way through an instruction, taken once,
//! with everything followed that word and place decide.
//!
//! What is taken depends on the model's form: one CODINGROOT with one element from `map[PC]`,
//! nothing in flight, and none of what stands in the way of blocks decoded ahead.

mod body;
mod decoding;
mod execution;
mod finish;
mod noted;
pub(crate) use self::finish::{is_gone, sets_pc};
pub(crate) use self::uses::RegisterUses;
mod operand;
mod order;
mod propagate;
mod register;
mod uses;
mod value;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::OnceLock;

use isac_ir::Model;
use isac_ir::account::{OperandCounters, Part, Scheduled, count_operations};
use isac_ir::behavior::Body;
use isac_ir::bits::Bits;
use isac_ir::operation::{Role, Target};
use isac_ir::root::RootDecoding;
use isac_ir::slots::Slots;
use sim_profile::ValuePlace;
use sim_runtime::memory::CellStore;

use self::body::{Flow, Frame};
use self::execution::{Begun, Execution, has_operand_variables};
use crate::compilable::Undone;
use crate::mode::{Mode, ModeItems};
use crate::residual::{Op, PC, Value};

/// A decoded instruction at a place.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Step {
    /// Its address in cells.
    pub address: u64,
    /// Its word with how many bits it has; `None` if nothing was decoded.
    pub word: Option<(Bits, u32)>,
    /// Its size in cells, 0 if nothing was decoded.
    pub size_cells: u32,
    /// How many cells decided that.
    pub seen_cells: u32,
    /// What else of memory is taken to stay as it is: a memory, its first cell, how many.
    pub fetched: Vec<(usize, u64, u32)>,
    /// Number of its counters.
    pub counters: u32,
    /// The items of the mode that it asks for, a bit for each: what others hold makes no difference.
    pub wanted: u8,
    /// Width of each of its locals.
    pub locals: Vec<u32>,
    /// What it does.
    pub ops: Vec<Op>,
    /// Counters that go up at its end by what locals hold.
    pub deferred: Vec<(u32, u32)>,
    /// By HALT, the nodes of the decoding tree that an execution which it ends has not come to.
    pub unreached: Vec<Vec<u32>>,
    /// Where the values are that it tells.
    pub noted: Vec<ValuePlace>,
    /// The operations that it was decoded to.
    pub operations: Box<[u32]>,
    /// It accesses a map where that has something in place of memory.
    pub touches: bool,
    /// Its statements and values that become machine code.
    pub parts: usize,
    /// What it does with registers, once somebody has asked.
    pub uses: OnceLock<RegisterUses>,
    /// What compiled code may have to undo of it; `None` if it is not compiled.
    pub undone: Option<Undone>,
    /// Whether its cycle has an instruction.
    pub decodes: Decodes,
    /// A word could not be decoded: it may be another one the next time.
    pub is_undecoded: bool,
}

/// Whether a cycle decodes an instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Decodes {
    /// It does, unless it is at fault before.
    Always,
    /// What is not known before decides: [`Op::Decoded`] tells.
    Sometimes,
    /// It has none to decode, or cannot.
    Never,
}

/// What a step is made for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Place {
    /// Its address.
    pub address: u64,
    /// Timers whose time has come, a bit for each device.
    pub pending: u64,
    /// What it runs under.
    pub mode: Mode,
}

impl Place {
    /// An address of which nothing else is known.
    pub(crate) fn bare(address: u64) -> Place {
        Place { address, pending: 0, mode: Mode::default() }
    }
}

/// Makes the step of the instruction at a place.
pub(crate) fn specialise_step(
    model: &Model,
    store: &impl CellStore,
    items: &ModeItems,
    place: Place,
) -> Step {
    run_cycle(Specialiser::new(model, store, items, place))
}

/// The same step with statements that tell the values that it reads and writes: to be interpreted.
pub(crate) fn specialise_noted_step(
    model: &Model,
    store: &impl CellStore,
    items: &ModeItems,
    place: Place,
) -> Step {
    let mut specialiser = Specialiser::new(model, store, items, place);
    specialiser.noted = Some(Vec::new());
    run_cycle(specialiser)
}

fn run_cycle(mut specialiser: Specialiser<'_, impl CellStore>) -> Step {
    let mut ops = Vec::new();
    specialiser.run_cycle(&mut ops);
    finish::finish(specialiser, ops)
}

/// Makes the step of a body that no instruction has decoded, as those of `reset` and `memory_fault`:
/// for an instruction at an address, with the PC where it is. The body is the operation's or belongs
/// to none.
pub(crate) fn specialise_body(
    model: &Model,
    store: &impl CellStore,
    (address, pc): (u64, u64),
    operation: u32,
    body: &Body,
) -> Step {
    let items = ModeItems::default();
    let mut specialiser = Specialiser::new(model, store, &items, Place::bare(address));
    specialiser.environment.set(PC, Some(pc.into()));
    specialiser.asks_timers = true;
    let mut ops = Vec::new();
    let execution = specialiser.begin(operation, None, None);
    let frame = specialiser.frame(body, execution, None);
    specialiser.run_body(&frame, &mut ops);
    finish::finish(specialiser, ops)
}

/// What is due in the cycle.
#[derive(Debug, Clone, Copy)]
struct Due {
    time_node: u32,
    /// Its node in the decoding tree.
    node: Option<u32>,
    /// Where it is counted, if it lies outside of the tree.
    entry: Option<usize>,
    /// The execution that decoded or scheduled it, and its instance there.
    above: Option<(u32, u32)>,
    /// The local that tells whether it was scheduled.
    flag: u32,
}

/// An operation in its turn.
#[derive(Debug, Clone, Copy)]
struct Turn {
    operation: u32,
    time_node: u32,
    node: Option<u32>,
    /// Where it is counted.
    entry: Option<usize>,
    /// Its execution.
    execution: u32,
}

/// What is known of the locals of a step at one point of it. One that nothing has assigned is 0.
type Environment = Slots<Option<u128>>;

/// The local that stands for an item of the mode.
fn item_local(item: usize) -> u32 {
    PC + 1 + item as u32
}

struct Specialiser<'m, S> {
    model: &'m Model,
    store: &'m S,
    /// What a place's mode is made of. The first locals behind the PC stand for these.
    items: &'m ModeItems,
    /// Items that were read before anything was written to them, a bit for each.
    wanted: u8,
    /// Items that were written, a bit for each.
    written: u8,
    place: Place,
    /// Timers are asked when it runs: what was known of them may not hold.
    asks_timers: bool,
    environment: Environment,
    /// Width of each local.
    locals: Vec<u32>,
    /// What was decoded.
    decoding: Option<RootDecoding>,
    word: Option<(Bits, u32)>,
    seen_cells: u32,
    fetched: Vec<(usize, u64, u32)>,
    /// It may have written to memory or a device by now, or let cycles pass.
    has_stored: bool,
    decodes: Decodes,
    /// It has accessed a map where that has something in place of memory.
    touches: bool,
    is_undecoded: bool,
    /// So many conditions that are not known lead to what is done.
    unsure: u32,
    /// What runs may send the run elsewhere than the instruction does.
    strikes: bool,
    /// The local that holds the instruction's size where it may have none.
    size: Option<u32>,
    /// Nodes of the tree whose operations have had their turn, or have it.
    come_to: BTreeSet<u32>,
    unreached: Vec<Vec<u32>>,
    /// Where the values are that it tells, if it does.
    noted: Option<Vec<ValuePlace>>,
    /// Where each operation counts: those of `main`'s list, and those of each node of the tree.
    counts: Vec<(Option<u32>, Scheduled)>,
    counters: u32,
    operands: OperandCounters,
    due: VecDeque<Due>,
    executions: Vec<Execution>,
    /// The latest execution of each instance that had its turn.
    begun: Begun,
    /// The executions of operands that had none.
    mentioned: Begun,
    has_operand_variables: bool,
    /// Labels and leaves that have numbers.
    labels: u32,
}

impl<'m, S: CellStore> Specialiser<'m, S> {
    fn new(model: &'m Model, store: &'m S, items: &'m ModeItems, place: Place) -> Self {
        let mut environment = Environment::new(Some(0));
        let width = model.pc.width_bits;
        environment.set(PC, Some(place.address.into()));
        let mut locals = vec![width];
        for (index, item) in items.iter() {
            environment.set(item_local(index), place.mode.get(index).map(u128::from));
            locals.push(item.width);
        }
        let (counts, counters) = count_operations(model, None);
        Specialiser {
            model,
            store,
            items,
            wanted: 0,
            written: 0,
            place,
            asks_timers: false,
            environment,
            locals,
            decoding: None,
            word: None,
            seen_cells: 0,
            fetched: Vec::new(),
            has_stored: false,
            decodes: Decodes::Never,
            touches: false,
            is_undecoded: false,
            unsure: 0,
            strikes: false,
            size: None,
            come_to: BTreeSet::new(),
            unreached: Vec::new(),
            noted: None,
            counts,
            counters,
            operands: OperandCounters::default(),
            due: VecDeque::new(),
            executions: Vec::new(),
            begun: BTreeMap::new(),
            mentioned: BTreeMap::new(),
            has_operand_variables: has_operand_variables(model),
            labels: 0,
        }
    }

    /// True for a local whose value always stands where it belongs: the PC, and the items of the mode,
    /// which their registers hold.
    fn is_written_through(&self, local: u32) -> bool {
        local < item_local(self.items.iter().count())
    }

    fn new_local(&mut self, width: u32) -> u32 {
        self.locals.push(width);
        self.locals.len() as u32 - 1
    }

    fn new_label(&mut self) -> u32 {
        self.labels += 1;
        self.labels
    }

    /// `main`, and everything that is due behind it.
    fn run_cycle(&mut self, ops: &mut Vec<Op>) {
        let main = self.model.main;
        let first = Due { time_node: 0, node: None, entry: Some(0), above: None, flag: 0 };
        let mut flow = self.execute(main, first, ops);
        while let (Flow::On, Some(due)) = (flow, self.due.pop_front()) {
            flow = self.run_due(due, ops);
        }
    }

    fn run_due(&mut self, due: Due, ops: &mut Vec<Op>) -> Flow {
        match self.environment.get(due.flag) {
            Some(0) => Flow::On,
            Some(_) => self.execute_target(due, ops),
            None => {
                let condition = Value::local(1, due.flag);
                self.branch(condition, ops, |this, arm| this.execute_target(due, arm))
            }
        }
    }

    /// Runs what a time node stands for: a group's chosen member, or the operation.
    fn execute_target(&mut self, due: Due, ops: &mut Vec<Op>) -> Flow {
        match (self.model.time.nodes[due.time_node as usize].target, due.node) {
            (Target::Operation(operation), _) => self.execute(operation, due, ops),
            (Target::Group(_), Some(node)) => {
                let Some(tree) = self.tree() else { return Flow::On };
                let Some(child) = tree.children(node).next() else { return Flow::On };
                let target = tree.nodes[child as usize].target;
                let found = self.model.time.child(due.time_node, |candidate| candidate.target == target);
                match found {
                    Some(time_node) => self.execute_target(Due { time_node, node: Some(child), ..due }, ops),
                    None => Flow::On,
                }
            }
            (Target::Group(_), None) | (Target::Label(_), _) => Flow::On,
        }
    }

    /// Decodes, behaves, runs its children, schedules: in this order.
    fn execute(&mut self, operation: u32, due: Due, ops: &mut Vec<Op>) -> Flow {
        let table = self.model.operation(operation);
        let has_root = table.root.is_some();
        let node = if has_root { Some(0) } else { due.node };
        let turn = Turn {
            operation,
            time_node: due.time_node,
            node,
            entry: match due.node {
                Some(_) => self.counts.iter().position(|(owner, _)| *owner == due.node),
                None => due.entry,
            },
            execution: self.begin(operation, node, due.above),
        };
        self.come_to.extend(node);
        let mut flow = Flow::On;
        if has_root {
            flow = self.decode(turn, ops);
        }
        self.begin_operands(turn.execution);
        if flow == Flow::On {
            flow = self.execute_decoded(turn, true, ops);
        }
        if flow == Flow::On {
            flow = self.run_part(turn, Part::Behavior, ops);
        }
        if flow == Flow::On {
            flow = self.execute_decoded(turn, false, ops);
        }
        if flow == Flow::On {
            flow = self.run_part(turn, Part::Activation, ops);
        }
        flow
    }

    /// A number for what has not been come to yet: nodes below operations that have had their turn, but
    /// for operands, which take part where they are mentioned.
    fn number_unreached(&mut self) -> u32 {
        let nodes = self.tree().map_or(0, |tree| tree.nodes.len() as u32);
        let waits = |node: u32| {
            let tree = self.tree()?;
            let parent = tree.owner(node).filter(|_| tree.nodes[node as usize].instance.is_some())?;
            let (own, operation) = tree.operation_at(node)?;
            // In a mnemonic, too.
            let is_operand = self.model.operation(operation).expression.is_some();
            (!is_operand && self.come_to.contains(&parent) && !self.come_to.contains(&own)).then_some(())
        };
        let mut unreached = Vec::new();
        for node in 0..nodes {
            let parent = self.tree().and_then(|tree| tree.nodes[node as usize].parent);
            if parent.is_some_and(|parent| unreached.contains(&parent)) || waits(node).is_some() {
                unreached.push(node);
            }
        }
        let known = self.unreached.iter().position(|known| *known == unreached);
        known.unwrap_or_else(|| {
            self.unreached.push(unreached);
            self.unreached.len() - 1
        }) as u32
    }

    /// Runs decoded instances that are not scheduled: operands, or all others.
    fn execute_decoded(&mut self, turn: Turn, operands: bool, ops: &mut Vec<Op>) -> Flow {
        let model = self.model;
        for (index, instance) in (0u32..).zip(&model.operation(turn.operation).instances) {
            let Some((_, chosen)) = self.chosen(turn.node, index) else { continue };
            if instance.scheduled || instance.is_operand(model.operation(chosen)) != operands {
                continue;
            }
            let Some(child) = self.child(turn.node, index) else { continue };
            let found = model.time.child(turn.time_node, |node| node.instance == Some(index));
            let Some(time_node) = found else { continue };
            let above = Some((turn.execution, index));
            let due = Due { time_node, node: Some(child), entry: None, above, flag: 0 };
            let flow = self.execute_target(due, ops);
            if flow != Flow::On {
                return flow;
            }
        }
        Flow::On
    }

    fn run_part(&mut self, turn: Turn, part: Part, ops: &mut Vec<Op>) -> Flow {
        let Some(body) = self.model.operation(turn.operation).body(part) else { return Flow::On };
        let strikes = self.items.may_strike(turn.operation) && self.runs_beside(turn.execution);
        let outer = std::mem::replace(&mut self.strikes, strikes);
        let mut frame = self.frame(body, turn.execution, Some(turn));
        frame.counted = self.counted(turn, part);
        if let Some((base, true)) = frame.counted {
            ops.push(Op::Count(base));
        }
        let flow = self.run_body(&frame, ops);
        self.strikes = outer;
        flow
    }

    /// The first counter of a part of an operation, and whether it runs on a condition.
    fn counted(&self, turn: Turn, part: Part) -> Option<(u32, bool)> {
        let (_, entry) = self.counts[turn.entry?];
        let operation = self.model.operation(turn.operation);
        let before = isac_ir::account::PARTS.iter().take_while(|earlier| **earlier != part);
        let before = before.filter_map(|earlier| operation.body(*earlier));
        let before: u32 = before.map(|body| isac_ir::account::body_counters(body, entry.conditional)).sum();
        Some((entry.base + before, entry.conditional))
    }

    /// Where an instance is counted that an operation schedules which is counted at `above`.
    fn entry_of(&self, above: usize, instance: u32) -> Option<usize> {
        let owner = self.counts[above].0;
        let first = self.counts.iter().position(|(node, _)| *node == owner)?;
        let is_it = |(node, entry): &(Option<u32>, Scheduled)| {
            let is_below = entry.above.is_some_and(|found| found as usize + first == above);
            *node == owner && is_below && entry.instance == Some(instance)
        };
        self.counts.iter().position(is_it)
    }

    fn tree(&self) -> Option<&isac_ir::decode::Decoded> {
        self.decoding.as_ref().map(|decoding| &decoding.decoded)
    }

    fn size_cells(&self) -> u32 {
        self.decoding.as_ref().map_or(0, |decoding| decoding.size_cells(self.model))
    }

    fn child(&self, node: Option<u32>, instance: u32) -> Option<u32> {
        self.tree()?.instance(node?, instance)
    }

    /// The node and the operation that an instance chose.
    fn chosen(&self, node: Option<u32>, instance: u32) -> Option<(u32, u32)> {
        let tree = self.tree()?;
        tree.operation_at(tree.instance(node?, instance)?)
    }

    /// Schedules an instance for this cycle.
    fn schedule(&mut self, turn: Turn, instance: u32, ops: &mut Vec<Op>) {
        let model = self.model;
        let role = model.operation(turn.operation).instances[instance as usize].role;
        let node = match role {
            Role::Coded | Role::Root => match self.child(turn.node, instance) {
                Some(node) => Some(node),
                None => return,
            },
            Role::Activated | Role::Unused | Role::Below => None,
        };
        let Some(time_node) = model.time.scheduled_child(turn.time_node, instance) else { return };
        // Each time it is scheduled it has a turn, and each is an execution of its own.
        let flag = self.new_local(1);
        let entry = turn.entry.and_then(|entry| self.entry_of(entry, instance));
        let above = Some((turn.execution, instance));
        self.due.push_back(Due { time_node, node, entry, above, flag });
        self.assign(flag, Value::constant(1, 1), ops);
    }

    /// What a body is run with.
    fn frame(&mut self, body: &'m Body, execution: u32, turn: Option<Turn>) -> Frame<'m> {
        let locals = body.locals.iter().map(|local| self.new_local(local.width)).collect::<Vec<_>>();
        for local in &locals {
            self.environment.set(*local, Some(0));
        }
        let node = self.executions[execution as usize].node;
        Frame { body, node, execution, turn, locals, counted: None, found: vec![None; body.bindings.len()] }
    }
}
