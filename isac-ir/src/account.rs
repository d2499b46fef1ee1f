//! Which accesses an instruction makes, and how often: once for each execution, or as often as a
//! counter says.
//!
//! What is static about an instruction is multiplied by how often it ran; only the regions that
//! depend on run-time values are counted. Both sides, the engine that counts and the recording
//! that multiplies, number the counters by this module.
//!
//! The order of the counters: `main` and what it schedules, then the decoding tree's nodes in
//! pre-order, each with what it schedules. Within an operation: CODINGROOT, BEHAVIOR, ACTIVATION,
//! then the scheduled operations in INSTANCE order. A part that a nested decoder chooses takes as many
//! counters as its largest variant, so that what follows has the same numbers whatever is chosen.
//! Behind them all come those of operands, see [`OperandCounters`].

use std::collections::BTreeMap;

use crate::Model;
use crate::behavior::{AccessKind, Body, Mention};
use crate::decode::{Decoded, DecodedNode};
use crate::decoder::Node;
use crate::operand::{Expression, MentionKind};
use crate::operation::{Operation, Role, Target};

/// A section of an operation that runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// CODINGROOT
    Root,
    /// BEHAVIOR
    Behavior,
    /// ACTIVATION
    Activation,
}

/// The parts in the order in which they run.
pub const PARTS: [Part; 3] = [Part::Root, Part::Behavior, Part::Activation];

impl Operation {
    /// All bodies, in the order in which they are numbered where each is counted by itself:
    /// CODINGROOT, BEHAVIOR, ACTIVATION, then those of the EXPRESSION.
    pub fn counted_bodies(&self) -> impl Iterator<Item = &Body> {
        let parts = PARTS.iter().filter_map(|part| self.body(*part));
        let expression = self.expression.iter();
        parts.chain(expression.flat_map(Expression::bodies))
    }

    /// The body of a part.
    pub fn body(&self, part: Part) -> Option<&Body> {
        match part {
            Part::Root => self.root.as_ref(),
            Part::Behavior => self.behavior.as_ref(),
            Part::Activation => self.activation.as_ref(),
        }
    }
}

/// Number of counters of one body; a body that itself runs on a condition counts its region 0.
pub fn body_counters(body: &Body, conditional: bool) -> u32 {
    body.regions - 1 + u32::from(conditional)
}

/// Number of counters of one operation's own bodies.
fn own_counters(operation: &Operation, conditional: bool) -> u32 {
    PARTS.iter().filter_map(|part| operation.body(*part)).map(|body| body_counters(body, conditional)).sum()
}

/// Number of counters of one operation and of everything that it schedules.
pub fn operation_counters(model: &Model, operation: u32, conditional: bool) -> u32 {
    scheduled_operations(model, operation, 0, conditional).1
}

/// The counter of a region, or `None` if it runs once for each execution.
pub fn region_counter(base: u32, region: u32, conditional: bool) -> Option<u32> {
    if conditional { Some(base + region) } else { region.checked_sub(1).map(|region| base + region) }
}

/// Number of counters of everything that a decoder may choose: its largest variant's.
pub fn decoder_counters(model: &Model, decoder: u32, conditional: bool) -> u32 {
    count_decoder(model, decoder, conditional, &mut BTreeMap::new())
}

/// The same; `known` has the decoders that were counted, which many variants may share.
fn count_decoder(model: &Model, decoder: u32, conditional: bool, known: &mut BTreeMap<u32, u32>) -> u32 {
    if let Some(known) = known.get(&decoder) {
        return *known;
    }
    let mut of_node = |node: &Node| match (node.nested, node.target) {
        (Some(nested), _) => count_decoder(model, nested, conditional, known),
        (None, Target::Operation(operation)) => operation_counters(model, operation, conditional),
        (None, Target::Group(_) | Target::Label(_)) => 0,
    };
    let variants = model.decoders[decoder as usize].variants.iter();
    let counters = variants.map(|variant| variant.nodes.iter().map(&mut of_node).sum()).max().unwrap_or(0);
    known.insert(decoder, counters);
    counters
}

/// An operation that runs in an instruction, with its counters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scheduled {
    /// The operation.
    pub operation: u32,
    /// The instance of the operation before that scheduled it; `None` for the first.
    pub instance: Option<u32>,
    /// Where in the list the operation stands that scheduled it.
    pub above: Option<u32>,
    /// Its first counter.
    pub base: u32,
    /// True if it runs on a condition.
    pub conditional: bool,
}

/// An operation and everything that it schedules without decoding, in turn, and the first counter
/// behind them.
pub fn scheduled_operations(
    model: &Model,
    operation: u32,
    base: u32,
    conditional: bool,
) -> (Vec<Scheduled>, u32) {
    let mut found = Vec::new();
    let mut next = base;
    let mut waiting = vec![Scheduled { operation, instance: None, above: None, base, conditional }];
    while let Some(entry) = waiting.pop() {
        let table = model.operation(entry.operation);
        let above = Some(found.len() as u32);
        found.push(Scheduled { base: next, ..entry });
        next += own_counters(table, entry.conditional);
        for (index, instance) in table.instances.iter().enumerate().rev() {
            if let (Role::Activated, true, Target::Operation(operation)) =
                (instance.role, instance.scheduled, instance.target)
            {
                let conditional = entry.conditional || instance.conditional;
                let instance = Some(index as u32);
                waiting.push(Scheduled { operation, instance, above, base: 0, conditional });
            }
        }
    }
    (found, next)
}

/// How often an access happens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Times {
    /// Once for each execution of the instruction.
    Executed,
    /// As often as this counter says.
    Counter(u32),
}

/// One access of an instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Accounted {
    /// The node of the decoding tree that makes it; 0 for operations outside the tree.
    pub node: u32,
    /// The resource.
    pub resource: u32,
    /// What is done.
    pub kind: AccessKind,
    /// How often.
    pub times: Times,
}

/// All accesses of an instruction and the number of its counters.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Account {
    /// The accesses.
    pub accesses: Vec<Accounted>,
    /// Number of counters.
    pub counters: u32,
}

/// Accounts for one decoded instruction.
pub fn account_instruction(model: &Model, decoded: &Decoded) -> Account {
    let (operations, first) = count_operations(model, Some(decoded));
    let operands = OperandCounters::of(model, decoded, first);
    let mut account = Account { counters: operands.end(), ..Account::default() };
    let root = decoded.nodes[0].target;
    for (node, entry) in operations {
        let is_root = node.is_none() && Target::Operation(entry.operation) == root;
        let first = entry.instance.is_none();
        let own = if is_root { Some(0) } else { node.filter(|_| first) };
        add_operation(model, decoded, &mut account, entry, own);
    }
    for (&(node, kind), &base) in &operands.bases {
        let Some((node, body)) = expression_body(model, decoded, node, kind) else { continue };
        add_body(model, decoded, &mut account, node, body, |region| Some(Times::Counter(base + region)));
    }
    account
}

/// The counters of operands: where it is not told by what runs once how often an EXPRESSION, or a part
/// of it, is evaluated, each of its bodies has a counter for each region.
///
/// A mention of an alias is counted with what it stands in, so region 0 of the EXPRESSION's body counts
/// nothing for it; where a REFERENCE leads to the operand, region 0 counts each evaluation. Such an operand
/// has as many counters whatever was chosen, so that those of an instruction are numbered before that is
/// known.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct OperandCounters {
    /// The first counter by node of the decoding tree and what is done there.
    bases: BTreeMap<(u32, MentionKind), u32>,
    end: u32,
}

impl OperandCounters {
    /// Those of a decoded instruction, from counter `first` on.
    pub fn of(model: &Model, decoded: &Decoded, first: u32) -> OperandCounters {
        let mut counters = OperandCounters { bases: BTreeMap::new(), end: first };
        for (index, node) in (0u32..).zip(&decoded.nodes) {
            let Target::Operation(operation) = node.target else { continue };
            let Some(expression) = &model.operation(operation).expression else { continue };
            let referred = referred_target(model, decoded, index);
            for kind in MentionKind::ALL {
                let body = expression.body(kind);
                let regions = match referred {
                    Some(target) => referred_regions(model, target, kind),
                    None => body.map_or(0, |body| body.regions),
                };
                if regions == 0 || (referred.is_none() && regions == 1) {
                    continue;
                }
                if body.is_some() {
                    counters.bases.insert((index, kind), counters.end);
                }
                counters.end += regions;
            }
        }
        counters
    }

    /// The counter of region 0 of an EXPRESSION's body, those of its other regions follow; `None` where
    /// nothing has to be counted.
    pub fn base(&self, node: u32, kind: MentionKind) -> Option<u32> {
        self.bases.get(&(node, kind)).copied()
    }

    /// The counter behind them.
    pub fn end(&self) -> u32 {
        self.end
    }
}

/// What is chosen from where a REFERENCE, of whatever operation, may lead to the operand at a node.
fn referred_target(model: &Model, decoded: &Decoded, node: u32) -> Option<Target> {
    let mut chosen = node;
    loop {
        let parent = decoded.owner(chosen)?;
        let DecodedNode { target, instance, .. } = &decoded.nodes[chosen as usize];
        match (decoded.nodes[parent as usize].target, *instance) {
            (Target::Operation(parent), Some(instance)) => {
                return model.may_refer_to(parent, instance).then_some(*target);
            }
            _ => chosen = parent,
        }
    }
}

/// Counters of what a REFERENCE leads to: as many as most of what may be chosen there need.
pub fn referred_regions(model: &Model, target: Target, kind: MentionKind) -> u32 {
    let leaves = model.leaf_operations(target).into_iter();
    let expressions = leaves.filter_map(|leaf| model.operation(leaf).expression.as_ref());
    expressions.filter_map(|expression| Some(expression.body(kind)?.regions)).max().unwrap_or(0)
}

/// Adds what a body makes of accesses, each of its regions so often; one that has no number is left out.
fn add_body(
    model: &Model,
    decoded: &Decoded,
    account: &mut Account,
    node: u32,
    body: &Body,
    times: impl Fn(u32) -> Option<Times>,
) {
    account.accesses.extend(body.accesses.iter().filter_map(|access| {
        let times = times(access.region)?;
        Some(Accounted { node, resource: access.resource, kind: access.kind, times })
    }));
    for mention in &body.mentions {
        if let Some(times) = times(mention.region) {
            add_mention(model, decoded, account, node, *mention, times);
        }
    }
}

/// The operations that run in an instruction, each with the node of the decoding tree that it, or
/// what scheduled it, is; `None` for `main` and what that schedules without decoding, the operation
/// that holds the CODINGROOT among them. With them the number of all counters.
pub fn count_operations(model: &Model, decoded: Option<&Decoded>) -> (Vec<(Option<u32>, Scheduled)>, u32) {
    let (outside, mut base) = scheduled_operations(model, model.main, 0, false);
    let mut found: Vec<_> = outside.into_iter().map(|entry| (None, entry)).collect();
    if let Some(decoded) = decoded {
        for child in decoded.children(0) {
            base = add_tree(model, decoded, &mut found, child, base, false);
        }
    }
    (found, base)
}

/// Adds a node and all below; gives the first counter after them.
fn add_tree(
    model: &Model,
    decoded: &Decoded,
    found: &mut Vec<(Option<u32>, Scheduled)>,
    node: u32,
    base: u32,
    conditional: bool,
) -> u32 {
    let conditional = conditional || scheduled_conditionally(model, decoded, node);
    let here = &decoded.nodes[node as usize];
    let mut next = base;
    if let Target::Operation(operation) = here.target {
        let (scheduled, after) = scheduled_operations(model, operation, base, conditional);
        found.extend(scheduled.into_iter().map(|entry| (Some(node), entry)));
        next = after;
    }
    for child in decoded.children(node) {
        next = add_tree(model, decoded, found, child, next, conditional);
    }
    match here.nested {
        Some(nested) => base + decoder_counters(model, nested, conditional),
        None => next,
    }
}

/// True if the node's instance is scheduled on a condition.
fn scheduled_conditionally(model: &Model, decoded: &Decoded, node: u32) -> bool {
    let here = &decoded.nodes[node as usize];
    let by_parent = match (decoded.owner(node), here.instance) {
        (Some(parent), Some(instance)) => match decoded.nodes[parent as usize].target {
            Target::Operation(operation) => {
                model.operation(operation).instances[instance as usize].conditional
            }
            Target::Group(_) | Target::Label(_) => false,
        },
        _ => false,
    };
    by_parent || taken_conditionally(model, decoded, node)
}

/// True if an operation above takes the node from there, on a condition.
fn taken_conditionally(model: &Model, decoded: &Decoded, node: u32) -> bool {
    let target = decoded.nodes[node as usize].target;
    let mut above = decoded.owner(node);
    while let Some(next) = above {
        if let Target::Operation(operation) = decoded.nodes[next as usize].target {
            let taken = model.operation(operation).taken_from_below(target);
            if let Some(instance) = taken {
                return instance.conditional;
            }
        }
        above = decoded.owner(next);
    }
    false
}

/// Adds the accesses of one operation's bodies.
fn add_operation(
    model: &Model,
    decoded: &Decoded,
    account: &mut Account,
    entry: Scheduled,
    node: Option<u32>,
) {
    let operation = model.operation(entry.operation);
    let mut base = entry.base;
    for body in PARTS.iter().filter_map(|part| operation.body(*part)) {
        let times = |region| {
            let counter = region_counter(base, region, entry.conditional);
            Some(counter.map_or(Times::Executed, Times::Counter))
        };
        add_body(model, decoded, account, node.unwrap_or(0), body, times);
        base += body_counters(body, entry.conditional);
    }
}

/// Adds the accesses that each evaluation of an operand's EXPRESSION makes, and those of the operands
/// that it mentions in turn.
fn add_mention(
    model: &Model,
    decoded: &Decoded,
    account: &mut Account,
    owner: u32,
    mention: Mention,
    times: Times,
) {
    let child = decoded.instance(owner, mention.instance);
    let body = child.and_then(|child| expression_body(model, decoded, child, mention.kind));
    // The counters of its other regions tell how often these are evaluated.
    if let Some((node, body)) = body {
        add_body(model, decoded, account, node, body, |region| (region == 0).then_some(times));
    }
}

/// What runs where an operand is mentioned, and the node of the operation that was chosen.
fn expression_body<'m>(
    model: &'m Model,
    decoded: &Decoded,
    node: u32,
    kind: MentionKind,
) -> Option<(u32, &'m Body)> {
    let (node, operation) = decoded.operation_at(node)?;
    let expression = model.operation(operation).expression.as_ref()?;
    Some((node, expression.body(kind)?))
}
