//! Making an instruction: contexts for what was decoded and for what that schedules, and the order
//! of the sections that each calls.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;

use isac_ir::Model;
use isac_ir::account::Part;
use isac_ir::decode::Decoded;
use isac_ir::operation::{Referred, Role, Target};
use isac_ir::time::{StageId, distance};
use sim_profile::Word;

use super::super::core::{BodyFn, StepCore};
use super::{Action, Context, Instruction};
use crate::kernel::Profiling;

/// No context: an instance that nothing has chosen.
const NONE: u32 = u32::MAX;

/// A model, and what was found of it once.
#[derive(Clone, Copy)]
pub struct Described<'m> {
    /// The model.
    pub model: &'m Model,
    /// Operations that may strike, see [`isac_ir::control::striking_operations`].
    pub striking: &'m BTreeSet<u32>,
    /// Operations that fetch, see [`isac_ir::control::fetching_operations`].
    pub fetching: &'m BTreeSet<u32>,
}

/// Makes the contexts of an instruction.
pub(super) struct Builder<'m, C: StepCore, P: Profiling> {
    model: &'m Model,
    striking: &'m BTreeSet<u32>,
    fetching: &'m BTreeSet<u32>,
    decoded: Option<Decoded>,
    contexts: Vec<Context<C, P>>,
    values: Vec<u128>,
    links: Vec<u32>,
    references: Vec<(usize, Referred)>,
    below: Vec<(usize, u32, usize)>,
    /// The context around each that was decoded.
    around: Vec<Option<usize>>,
    variables: usize,
    counters: u32,
    actions: Vec<Action<C, P>>,
}

impl<'m, C: StepCore, P: Profiling> Builder<'m, C, P> {
    fn new(Described { model, striking, fetching }: Described<'m>, decoded: Option<Decoded>) -> Self {
        Builder {
            model,
            striking,
            fetching,
            decoded,
            contexts: Vec::new(),
            values: Vec::new(),
            links: Vec::new(),
            references: Vec::new(),
            below: Vec::new(),
            around: Vec::new(),
            variables: 0,
            counters: 0,
            actions: Vec::new(),
        }
    }

    /// What runs before anything is decoded.
    pub(super) fn undecoded(described: Described<'m>, first: u32) -> Self {
        let mut builder = Builder::new(described, None);
        builder.add_operation(first, 0, None, None);
        builder
    }

    /// What was there before, and what context `root` of it has decoded.
    pub(super) fn decoded(
        described: Described<'m>,
        before: &Instruction<C, P>,
        root: usize,
        decoded: Decoded,
    ) -> Self {
        let mut builder = Builder::new(described, Some(decoded));
        builder.contexts = before.contexts.clone();
        builder.values = before.values.clone();
        builder.links = before.links.clone();
        builder.references = before.references.clone();
        builder.variables = before.variables;
        builder.around = vec![None; before.contexts.len()];
        builder.counters = before.counts.len() as u32;
        builder.add_children(root, 0);
        builder
    }

    /// Adds an operation and what it schedules without decoding it. `owner` is the node of the tree
    /// that its accesses belong to, `parent` the context that decoded it, else activated it.
    fn add_operation(
        &mut self,
        operation: u32,
        owner: u32,
        parent: Option<usize>,
        inherited: Option<StageId>,
    ) -> u32 {
        let table = self.model.operation(operation);
        let index = self.contexts.len();
        // Below the tree's first node alone things are decoded.
        let is_beside = owner == 0 && self.is_beside_below(operation, parent);
        self.contexts.push(Context {
            operation,
            node: owner,
            stage: table.stage.or(inherited),
            root: C::section::<P>(operation, Part::Root),
            values: self.values.len(),
            links: self.links.len(),
            variables: (self.variables, self.variables + table.variables.len()),
            references: self.references.len(),
            parent,
            is_beside,
            strikes: is_beside && self.striking.contains(&operation),
            fetches: is_beside && self.fetching.contains(&operation),
            counters: self.counters,
            run: (0, 0),
            fresh: (0, 0),
        });
        self.counters += table.counted_bodies().map(|body| body.regions).sum::<u32>();
        self.around.push(None);
        self.links.extend(table.instances.iter().map(|_| NONE));
        self.variables += table.variables.len();
        for reference in 0..table.references.len() as u32 {
            let referred = self.resolve(index, reference);
            self.references.push(referred);
        }
        self.values.extend(std::iter::repeat_n(0, 1 + table.fields.len() + table.instances.len()));
        for (instance, entry) in (0u32..).zip(&table.instances) {
            if let (Role::Activated, true, Target::Operation(below)) =
                (entry.role, entry.scheduled, entry.target)
            {
                let child = match self.find_before(below, index) {
                    Some(before) => before as u32,
                    None => self.add_operation(below, 0, Some(index), None),
                };
                self.set_link(index, instance, child);
            }
        }
        index as u32
    }

    /// Whether an operation that was not decoded is of no instruction, but of what runs beside each.
    fn is_beside_below(&self, operation: u32, parent: Option<usize>) -> bool {
        let is_led_to =
            |parent: usize| self.contexts[parent].is_beside || self.contexts[parent].root.is_some();
        self.model.operation(operation).root.is_none() && parent.is_none_or(is_led_to)
    }

    /// The context from a parent up that an operation which it activates is once more: activations
    /// go round in a circle. Its REFERENCEs stand for the same, and LOCALs begin anew with each
    /// execution.
    fn find_before(&self, operation: u32, parent: usize) -> Option<usize> {
        let above = std::iter::successors(Some(parent), |context| self.contexts[*context].parent);
        let mut same = above.filter(|context| {
            let before = &self.contexts[*context];
            let is_beside = self.is_beside_below(operation, Some(parent));
            before.operation == operation && before.node == 0 && before.is_beside == is_beside
        });
        same.find(|before| {
            let references = 0..self.model.operation(operation).references.len() as u32;
            references.into_iter().all(|reference| {
                let place = self.contexts[*before].references + reference as usize;
                let now = self.resolve_from(parent, operation, reference);
                now.is_some_and(|now| self.is_same(self.references[place], now))
            })
        })
    }

    /// True if two references stand for the same: of what was not decoded, one context has what
    /// any other has.
    fn is_same(&self, (left, what): (usize, Referred), (right, other): (usize, Referred)) -> bool {
        let key = |owner: usize| (self.contexts[owner].operation, self.contexts[owner].node);
        what == other && (left == right || key(left) == key(right) && key(left).1 == 0)
    }

    /// Adds what was decoded below a node, whose context is there already.
    fn add_children(&mut self, context: usize, node: u32) {
        let table = self.model.operation(self.contexts[context].operation);
        for instance in 0..table.instances.len() as u32 {
            let Some(decoded) = &self.decoded else { return };
            let Some(child) = decoded.instance(node, instance) else { continue };
            let place = self.contexts[context].values + 1 + table.fields.len() + instance as usize;
            self.values[place] = decoded.nodes[child as usize].coded;
            let Some((node, operation)) = decoded.operation_at(child) else { continue };
            let below = self.contexts.len();
            let target = table.instances[instance as usize].target;
            for (taker, alias) in self.find_takers(context, target, operation) {
                self.below.push((taker, alias, below));
            }
            self.add_decoded(operation, node, context);
            self.set_link(context, instance, below as u32);
        }
    }

    /// Adds a decoded operation; `around` is the context that decoded it.
    fn add_decoded(&mut self, operation: u32, node: u32, around: usize) {
        let index = self.contexts.len();
        let inherited = self.contexts[around].stage;
        self.add_operation(operation, node, Some(around), inherited);
        self.around[index] = Some(around);
        self.add_values(index, node);
        self.add_children(index, node);
    }

    /// The coded bits and fields of a context's node.
    fn add_values(&mut self, context: usize, node: u32) {
        let Some(node) = self.decoded.as_ref().map(|decoded| &decoded.nodes[node as usize]) else { return };
        let place = self.contexts[context].values;
        self.values[place] = node.coded;
        let fields = &self.model.operation(self.contexts[context].operation).fields;
        for ((place, field), value) in (place + 1..).zip(fields).zip(&node.fields) {
            self.values[place] = value & isac_ir::bits::mask(field.width_bits);
        }
    }

    /// The contexts from there up that take a target by their ACTIVATION, each with the instance:
    /// of the alias's own target, a group on the way to the operation, or the operation itself.
    fn find_takers(&self, context: usize, target: Target, operation: u32) -> Vec<(usize, u32)> {
        let mut takers = Vec::new();
        for context in std::iter::successors(Some(context), |context| self.around[*context]) {
            let instances = &self.model.operation(self.contexts[context].operation).instances;
            let taken = (0u32..).zip(instances).filter(|(_, instance)| {
                instance.role == Role::Below && self.leads_through(target, operation, instance.target)
            });
            takers.extend(taken.map(|(instance, _)| (context, instance)));
        }
        takers
    }

    /// True if `through` is the target, the operation, or a group between them.
    fn leads_through(&self, target: Target, operation: u32, through: Target) -> bool {
        self.model.targets_within(target).contains(&through)
            && self.model.leaf_operations(through).contains(&operation)
    }

    /// True if what an operation above takes runs there alone.
    fn is_taken(&self, context: usize) -> bool {
        self.below.iter().any(|(_, _, taken)| *taken == context)
    }

    /// Walks up to what a reference stands for; its own place for one that nothing above has, which
    /// the checks exclude.
    fn resolve(&self, context: usize, reference: u32) -> (usize, Referred) {
        let here = &self.contexts[context];
        let found = here.parent.and_then(|parent| self.resolve_from(parent, here.operation, reference));
        found.unwrap_or((context, Referred::Reference(reference)))
    }

    /// What a reference of an operation stands for that a context decodes or activates.
    fn resolve_from(&self, parent: usize, operation: u32, reference: u32) -> Option<(usize, Referred)> {
        let above = self.contexts[parent].operation;
        match self.model.operation(operation).referred(reference, above)? {
            Referred::Reference(outer) => Some(self.resolve(parent, outer)),
            found => Some((parent, found)),
        }
    }

    fn set_link(&mut self, context: usize, instance: u32, child: u32) {
        let place = self.contexts[context].links + instance as usize;
        self.links[place] = child;
    }

    /// The context of an instance.
    fn link(&self, context: usize, instance: usize) -> Option<usize> {
        let link = self.links[self.contexts[context].links + instance];
        (link != NONE).then_some(link as usize)
    }

    /// The instruction at an address, with its size in cells and its word; `root` is the context that
    /// holds the CODINGROOT.
    pub(super) fn finish(
        mut self,
        (address, size_cells, word): (u64, u32, Word),
        root: usize,
    ) -> Instruction<C, P> {
        let by_itself: Vec<bool> =
            (0..self.contexts.len()).map(|context| self.runs_by_itself(context)).collect();
        let mut fresh = Vec::new();
        for context in 0..self.contexts.len() {
            if by_itself[context] {
                let start = self.actions.len();
                self.add_actions(context);
                self.contexts[context].run = (start, self.actions.len());
                let start = fresh.len();
                fresh.extend(self.fresh_variables(context, &by_itself));
                self.contexts[context].fresh = (start, fresh.len());
            }
        }
        let awaited = self.awaited(&by_itself);
        Instruction {
            address,
            size_cells,
            word,
            decoded: self.decoded,
            root,
            contexts: self.contexts,
            values: self.values,
            links: self.links,
            references: self.references,
            below: self.below,
            awaited,
            variables: self.variables,
            actions: self.actions,
            fresh,
            counts: vec![Cell::new(0); self.counters as usize],
            executed: Cell::new(0),
            cancelled: Cell::new(0),
            faulted: Cell::new(0),
            overhead: RefCell::default(),
            unfinished: Cell::new(0),
        }
    }

    /// The LOCALs of a context and of those below it that do not run by themselves.
    fn fresh_variables(&self, context: usize, by_itself: &[bool]) -> Vec<(usize, usize)> {
        let is_called = |below: usize| {
            let up = |next: &usize| self.contexts[*next].parent.filter(|_| !by_itself[*next]);
            std::iter::successors(Some(below), up).any(|next| next == context)
        };
        let mut ranges: Vec<(usize, usize)> = Vec::new();
        for (start, end) in (context..self.contexts.len())
            .filter(|below| is_called(*below))
            .map(|below| self.contexts[below].variables)
            .filter(|(start, end)| start < end)
        {
            match ranges.last_mut() {
                Some(last) if last.1 == start => last.1 = end,
                _ => ranges.push((start, end)),
            }
        }
        ranges
    }

    /// What is taken from below, each with what runs by itself between it and the outermost taker.
    fn awaited(&self, by_itself: &[bool]) -> Vec<(usize, usize)> {
        let mut awaited = Vec::new();
        for (taker, _, taken) in &self.below {
            let above = std::iter::successors(self.around[*taken], |context| self.around[*context]);
            let between = above.take_while(|context| context != taker);
            awaited.extend(between.filter(|context| by_itself[*context]).map(|context| (*taken, context)));
        }
        awaited
    }

    /// True for what is executed by itself: the first context and what is scheduled.
    fn runs_by_itself(&self, context: usize) -> bool {
        context == 0
            || self.is_taken(context)
            || self.around[context].is_some_and(|around| self.stages_to(around, context) > 0)
            || (0..self.contexts.len()).any(|parent| {
                let table = self.model.operation(self.contexts[parent].operation);
                let instances = (0..).zip(&table.instances);
                instances
                    .filter(|(_, instance)| instance.scheduled)
                    .any(|(index, _)| self.link(parent, index) == Some(context))
            })
    }

    /// Adds what executing a context calls: operands, BEHAVIOR, what was decoded, ACTIVATION.
    fn add_actions(&mut self, context: usize) {
        let table = self.model.operation(self.contexts[context].operation);
        let instances = || (0..).zip(&table.instances);
        for (index, instance) in instances() {
            if self.is_operand(context, index) && !instance.scheduled {
                self.add_linked(context, index);
            }
        }
        self.add_section(context, Part::Behavior);
        for (index, instance) in instances() {
            let is_decoded = matches!(instance.role, Role::Coded | Role::Root);
            if is_decoded && !self.is_operand(context, index) && !instance.scheduled {
                self.add_linked(context, index);
            }
        }
        self.add_section(context, Part::Activation);
    }

    /// True if what a decoded instance has chosen is an operand of the operation around.
    fn is_operand(&self, context: usize, instance: usize) -> bool {
        let table = &self.model.operation(self.contexts[context].operation).instances[instance];
        let chosen = self.link(context, instance).map(|chosen| self.contexts[chosen].operation);
        let is_decoded = matches!(table.role, Role::Coded | Role::Root);
        is_decoded && chosen.is_some_and(|chosen| table.is_operand(self.model.operation(chosen)))
    }

    fn add_linked(&mut self, context: usize, instance: usize) {
        let Some(child) = self.link(context, instance).filter(|child| !self.is_taken(*child)) else { return };
        match self.stages_to(context, child) {
            0 => self.add_actions(child),
            _ if self.can_run(child) => {
                let function: BodyFn<C, P> = |_, step, context| step.schedule_bound(context);
                self.actions.push(Action { function, context: child, is_section: false, is_behavior: false });
            }
            _ => {}
        }
    }

    /// How many stages a decoded context is behind the one that decoded it.
    fn stages_to(&self, from: usize, to: usize) -> u32 {
        distance(self.contexts[from].stage, self.contexts[to].stage)
    }

    /// True if something of a decoded context, or below it, can run.
    fn can_run(&self, context: usize) -> bool {
        let operation = self.contexts[context].operation;
        let has = |part| C::section::<P>(operation, part).is_some();
        let instances = 0..self.model.operation(operation).instances.len();
        has(Part::Behavior)
            || has(Part::Activation)
            || instances.into_iter().any(|instance| {
                self.model.operation(operation).instances[instance].role == Role::Coded
                    && self.link(context, instance).is_some_and(|below| self.can_run(below))
            })
    }

    fn add_section(&mut self, context: usize, part: Part) {
        if let Some(function) = C::section::<P>(self.contexts[context].operation, part) {
            let is_behavior = part == Part::Behavior;
            self.actions.push(Action { function, context, is_section: true, is_behavior });
        }
    }
}
