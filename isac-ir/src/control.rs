//! Where an instruction may go on, and which address it keeps for a way back.
//!
//! The behaviour of one decoded instruction is run over what is known without any register: its
//! fields and its address. A branch whose condition is not known is run on both sides. What the
//! program counter may hold at the end is where the instruction may go on; what it has written
//! elsewhere of a value that was computed from the program counter is an address that it keeps. So
//! no description has to say what a call is.
//!
//! Where a step takes the program counter from a register that the instruction before may have set,
//! that one has a delay slot: where the instruction behind it goes on is its matter. It has none if the step may
//! take it from there again and again, as loops in hardware do: any instruction may be the last one of such a
//! loop, or be repeated by itself.
//!
//! What runs in every instruction, as what takes interrupts does, keeps nothing either.
//! Registers of a pipeline's stages keep nothing: they carry what the instruction has on its way to
//! the next stage. Those of the last stage have none to carry it to, and files of registers stand in
//! a stage's list since it alone writes them: both keep. Nor do registers that every instruction's
//! step copies to the program counter: they say where it goes on.
//!
//! Activations that come round are gone round once: what any number of turns leaves is not known.

mod around;
mod carrier;
mod moved;
mod place;
mod state;
mod statement;
mod striking;
mod value;

pub use self::around::operations_around;
pub use self::striking::{added_to, fetching_operations, striking_operations};

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};

use crate::Model;
use crate::decode::Decoded;
use crate::operation::{Role, Target};
use crate::syntax::print::Site;
use carrier::Copied;
use moved::KnownControls;
use state::{NextAddress, State};

/// Where an instruction may go on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Control {
    /// Whether it may go on with its successor in memory.
    pub falls_through: bool,
    /// Other addresses, ascending, that its fields and its own address lead to.
    pub targets: Vec<u64>,
    /// Whether it may go on at an address that depends on registers or memory.
    pub computed: bool,
    /// Whether that is its own doing, and not that of what runs in every instruction.
    pub jumps: bool,
    /// Whether it is that of what runs in every instruction, which keeps no address for a way back: a loop in
    /// hardware, or a prediction.
    pub is_led: bool,
    /// Whether what runs in every instruction keeps an address and goes elsewhere, and is none of
    /// [`striking_operations`]: it takes interrupts.
    pub may_be_struck: bool,
    /// The address that it keeps: that behind itself, or behind one more instruction of its size,
    /// which is its delay slot; in a pipeline, behind up to [`MOST_SLOTS`].
    pub keeps: Option<u64>,
    /// Where the instruction behind it goes on, if this one may decide that: it has a delay slot.
    pub delayed: Option<Delayed>,
}

/// Where the instruction in a delay slot goes on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delayed {
    /// Whether that may be its successor in memory.
    pub falls_through: bool,
    /// Other addresses, ascending, that fields and the branch's own address lead to.
    pub targets: Vec<u64>,
    /// Whether it may be an address that depends on registers or memory.
    pub computed: bool,
}

impl Control {
    /// Whether it does nothing but go on with its successor.
    pub fn is_plain(&self) -> bool {
        let keeps_nothing = self.keeps.is_none() && self.delayed.is_none();
        self.falls_through && self.targets.is_empty() && !self.computed && keeps_nothing
    }

    /// Whether the instruction behind it, of which the address is given, is in its delay slot.
    pub fn has_slot(&self, successor: u64) -> bool {
        self.keeps.is_some_and(|address| address != successor) || self.delayed.is_some()
    }
}

/// What is found out of a model once, for all of its instructions that [`control_of`] is asked of.
#[derive(Debug, Clone, Default)]
pub struct ControlCache {
    /// Operations that may strike, once somebody asks.
    striking: OnceCell<BTreeSet<u32>>,
    /// Instructions that do the same wherever they stand.
    known: KnownControls,
}

impl ControlCache {
    /// How many instructions are known that do the same wherever they stand.
    pub fn known_instructions(&self) -> usize {
        self.known.count()
    }

    fn striking(&self, model: &Model) -> &BTreeSet<u32> {
        self.striking.get_or_init(|| striking_operations(model))
    }
}

/// What a decoded instruction at an address may do to the flow of control. The cache is of the same model.
pub fn control_of(
    (model, cache): (&Model, &ControlCache),
    decoded: &Decoded,
    address: u64,
    size_cells: u32,
) -> Control {
    let Some(counter) = place::Counter::of(model) else {
        return Control {
            falls_through: true,
            targets: Vec::new(),
            computed: true,
            jumps: true,
            is_led: false,
            may_be_struck: false,
            keeps: None,
            delayed: None,
        };
    };
    let site = Site { address, size_cells };
    let found = || walk_at((model, cache), counter, decoded, site);
    if let Some(known) = cache.known.find(model, decoded, site) {
        debug_assert_eq!((known.clone(), false), found(), "{} moved", decoded.name(model));
        return known;
    }
    let (control, depends_on_address) = found();
    if !depends_on_address {
        cache.known.add(model, decoded, site, &control);
    }
    control
}

/// What an instruction may do, found by running it, and whether that depends on its address.
fn walk_at(
    (model, cache): (&Model, &ControlCache),
    counter: place::Counter,
    decoded: &Decoded,
    Site { address, size_cells }: Site,
) -> (Control, bool) {
    let successor = model.successor(address, size_cells);
    let mut walk = Walk {
        model,
        cache,
        decoded,
        address,
        size_cells,
        successor,
        counter,
        carriers: BTreeSet::new(),
        handed_on: model.carried_registers(),
        lasting: BTreeSet::new(),
        copied: Copied::default(),
        ran_root: false,
        steps: steps(model, decoded),
        contexts: Vec::new(),
        begun: Vec::new(),
        is_keeping: false,
        left: BTreeMap::new(),
        depends_on_address: false,
    };
    walk.find_carriers();
    let mut state = State::new(NextAddress::known(address));
    walk.run_instruction(&mut state);
    (walk.control(&state), walk.depends_on_address)
}

/// The operations that run in every instruction: `main` and the one that decodes.
fn steps(model: &Model, decoded: &Decoded) -> Vec<u32> {
    let root = decoded.nodes.first().and_then(|node| match node.target {
        Target::Operation(root) => Some(root),
        _ => None,
    });
    std::iter::once(model.main).chain(root).collect()
}

/// Delay slots of a branch at most, where instructions overlap.
pub const MOST_SLOTS: u64 = 16;

/// Operations that are run for one instruction at most; what more would do is not known.
const MOST_CONTEXTS: usize = 1 << 12;

/// An operation that runs in the instruction.
#[derive(Debug, Clone, Copy)]
struct Context {
    operation: u32,
    /// Its node in the decoding tree.
    node: Option<u32>,
    /// The context of what decoded or activated it.
    parent: Option<usize>,
}

/// A walk through an instruction's behaviour.
struct Walk<'a> {
    model: &'a Model,
    cache: &'a ControlCache,
    decoded: &'a Decoded,
    address: u64,
    size_cells: u32,
    /// The address behind it.
    successor: u64,
    counter: place::Counter,
    /// Registers that stages hand on.
    handed_on: BTreeSet<u32>,
    /// Registers that carry and do not keep.
    carriers: BTreeSet<u32>,
    /// Those of them from which steps may take the program counter again and again.
    lasting: BTreeSet<u32>,
    copied: Copied,
    /// Whether the operation that decodes has run.
    ran_root: bool,
    /// Operations that run in every instruction.
    steps: Vec<u32>,
    contexts: Vec<Context>,
    /// What the program counter could hold where each of them began.
    begun: Vec<NextAddress>,
    /// Whether what is written is written by the instruction itself.
    is_keeping: bool,
    /// States in which blocks and loops were left, by label.
    left: BTreeMap<u32, Vec<State>>,
    /// Whether what was found may be another where the instruction stands elsewhere: an address was used as other
    /// than an address that is so far from the instruction's.
    depends_on_address: bool,
}

impl Walk<'_> {
    /// Runs `main` with what it schedules, then what was decoded.
    fn run_instruction(&mut self, state: &mut State) {
        self.run_operation(state, Context { operation: self.model.main, node: None, parent: None }, false);
    }

    /// Runs an operation, what it decodes and what it activates; on a condition, perhaps.
    fn run_operation(&mut self, state: &mut State, mut context: Context, conditional: bool) {
        let root = self.decoded.nodes.first().map(|node| node.target);
        let had_run_root = self.ran_root;
        if context.node.is_none() && Some(Target::Operation(context.operation)) == root {
            context.node = Some(0);
            self.ran_root = true;
            // Where what runs before has gone elsewhere, that is where this instruction is.
            if state.next.value().is_none() {
                state.next = NextAddress::known(self.address);
            }
        }
        let before = conditional.then(|| state.clone());
        let number = self.contexts.len();
        self.contexts.push(context);
        self.begun.push(state.next.clone());
        let operation = self.model.operation(context.operation);
        let children: Vec<u32> = context.node.map_or_else(Vec::new, |node| self.operations_below(node));
        let (operands, others): (Vec<u32>, Vec<u32>) =
            children.into_iter().partition(|child| self.is_operand(context.operation, *child));
        for child in operands {
            self.run_node(state, child, number);
        }
        let unstruck = self.strikes(number).then(|| state.clone());
        for body in [&operation.root, &operation.behavior].into_iter().flatten() {
            self.run_body(state, number, body);
        }
        if let Some(unstruck) = unstruck {
            state.go_on_as(unstruck);
        }
        for child in others {
            self.run_node(state, child, number);
        }
        for instance in &operation.instances {
            if let (Role::Activated, true, Target::Operation(next)) =
                (instance.role, instance.scheduled, instance.target)
            {
                match self.ancestor(number, next) {
                    Some(ancestor) => state.repeat(&self.begun[ancestor]),
                    None if self.contexts.len() >= MOST_CONTEXTS => state.lose(),
                    None => {
                        let context = Context { operation: next, node: None, parent: Some(number) };
                        self.run_operation(state, context, instance.conditional);
                    }
                }
            }
        }
        // What was decoded has run, whatever that depends on.
        if let Some(before) = before.filter(|_| !self.ran_root || had_run_root) {
            state.join(before);
        }
    }

    /// Whether an operation may strike that runs beside the instruction, whose matter it is not where that sends the
    /// run.
    fn strikes(&self, context: usize) -> bool {
        let operation = self.contexts[context].operation;
        let may_strike = || self.cache.striking(self.model).contains(&operation);
        self.model.operation(operation).behavior.is_some() && !self.is_own(context) && may_strike()
    }

    /// The context, or one of those that led to it, in which an operation runs: activations have come round.
    fn ancestor(&self, context: usize, operation: u32) -> Option<usize> {
        let mut led = std::iter::successors(Some(context), |context| self.contexts[*context].parent);
        led.find(|context| self.contexts[*context].operation == operation)
    }

    /// What the instruction may do, if this is known at its end.
    fn control(&self, state: &State) -> Control {
        let Walk { model, size_cells, successor, .. } = *self;
        let mask = crate::bits::mask(model.pc.width_bits) as u64;
        let mut targets = BTreeSet::clone(&state.next.targets);
        let is_aside = state.aside != NextAddress::nowhere();
        let falls_through = targets.remove(&successor);
        let behind_slot = model.successor(successor, size_cells);
        let mark = u128::from(size_cells > 1);
        let is_kept =
            |at: u64| state.kept.contains(&at.into()) || state.kept.contains(&(u128::from(at) | mark));
        let keeps = [successor, behind_slot].into_iter().find(|at| is_kept(*at));
        let targets: Vec<u64> = targets.into_iter().collect();
        // Where instructions overlap, as many are in the slots of a branch as were fetched by the time.
        let most_slots = match model.overlaps() && (state.jumps || !targets.is_empty()) {
            true => MOST_SLOTS,
            false => 1,
        };
        let behind = |slots: u64| successor.wrapping_add(slots * u64::from(size_cells)) & mask;
        let keeps = keeps.or_else(|| (2..=most_slots).map(behind).find(|at| is_kept(*at)));
        let delayed = state.delay.delayed(behind_slot);
        // Who goes nowhere else has told somebody how far the run has come.
        let goes = !targets.is_empty() || state.next.computed || state.jumps || delayed.is_some();
        let keeps = keeps.filter(|kept| goes || *kept != successor);
        Control {
            falls_through,
            targets,
            computed: state.next.computed || is_aside || state.is_beset,
            jumps: state.jumps,
            is_led: state.leads.is_led() || (is_aside && !state.leads.may_be_struck()),
            may_be_struck: state.leads.may_be_struck(),
            keeps,
            delayed,
        }
    }

    fn run_node(&mut self, state: &mut State, node: u32, parent: usize) {
        let Target::Operation(operation) = self.decoded.nodes[node as usize].target else { return };
        self.run_operation(state, Context { operation, node: Some(node), parent: Some(parent) }, false);
    }

    /// The nearest operations below a node.
    fn operations_below(&self, node: u32) -> Vec<u32> {
        let mut found = Vec::new();
        for child in self.decoded.children(node) {
            match self.decoded.nodes[child as usize].target {
                Target::Operation(_) => found.push(child),
                Target::Group(_) | Target::Label(_) => found.extend(self.operations_below(child)),
            }
        }
        found
    }

    fn is_operand(&self, operation: u32, child: u32) -> bool {
        let here = &self.decoded.nodes[child as usize];
        // What a decoder of its own has chosen does not know where it stands, but the group above it does.
        let above =
            std::iter::successors(Some(here), |node| Some(&self.decoded.nodes[node.parent? as usize]));
        let mut groups = above
            .enumerate()
            .take_while(|(at, node)| *at == 0 || !matches!(node.target, Target::Operation(_)));
        let instance = groups.find_map(|(_, node)| node.instance);
        let (Target::Operation(chosen), Some(instance)) = (here.target, instance) else { return false };
        let instances = &self.model.operation(operation).instances;
        instances.get(instance as usize).is_some_and(|instance| {
            instance.role == Role::Coded && instance.is_operand(self.model.operation(chosen))
        })
    }
}
