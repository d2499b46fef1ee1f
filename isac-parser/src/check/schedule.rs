//! In which stage each operation runs, and what brings it about.
//!
//! An operation runs in the stage that its own IN names. Without IN a decoded one has the stage of
//! the operation whose CODING or CODINGROOT contains it, and any other has none. The same operation
//! may therefore run in several stages: it has one *run* for each, and for each set of operations
//! above that take something from below it (what they take runs there alone).

use std::collections::{BTreeMap, BTreeSet};

use crate::diagnostic::Diagnostics;
use crate::model::{
    Activation, Instance, InstanceRole, Model, Operation, OperationId, OperationOrGroup, StageId,
};
use crate::resolve::code;
use crate::resolve::report::error;
use crate::source::Span;

/// Most runs that an operation has, on an average: stages, times what is taken from above it.
const MOST_RUNS: usize = 64;

/// Most operations and groups that all runs together decode or activate, counted once more for each that
/// an operation above takes. The largest instruction sets meet a tenth of it.
const MOST_MET: usize = 2_000_000;

/// One way in which an operation runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Run {
    pub(super) operation: OperationId,
    /// Its effective stage.
    pub(super) bound: Option<Bound>,
}

/// A stage with the IN that is the reason for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Bound {
    pub(super) stage: StageId,
    /// The operation that has the IN: the one that runs, or one above it that decodes it.
    pub(super) operation: OperationId,
    /// The IN.
    pub(super) span: Span,
}

/// How one run brings another about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// Its CODING or CODINGROOT contains it.
    Decoded {
        /// The alias.
        span: Span,
        /// True if an ACTIVATION takes it: it does not run here.
        is_taken: bool,
    },
    /// Its ACTIVATION schedules it.
    Activated {
        /// DELAY as written.
        delay_cycles: u32,
        /// Where it stands.
        span: Span,
    },
}

/// One run brings another about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Step {
    pub(super) from: usize,
    pub(super) to: usize,
    /// The instance by which it does, of the operation that runs in `from`.
    pub(super) instance: usize,
    pub(super) way: Way,
}

/// All runs of a description.
#[derive(Debug, Default)]
pub(super) struct Schedule {
    pub(super) runs: Vec<Run>,
    /// By the run that they begin at.
    pub(super) steps: Vec<Step>,
}

impl Schedule {
    /// Stages from one run's to another's: negative if it leads back, 0 if the target has none;
    /// what is outside of the target's pipeline counts as its first stage.
    pub(super) fn distance(&self, step: &Step) -> i64 {
        let Some(to) = self.runs[step.to].bound else { return 0 };
        let from = self.runs[step.from].bound.filter(|from| from.stage.pipeline == to.stage.pipeline);
        i64::from(to.stage.stage) - from.map_or(0, |from| i64::from(from.stage.stage))
    }

    /// The runs of every operation, by operation.
    pub(super) fn runs_by_operation(&self) -> BTreeMap<OperationId, Vec<Run>> {
        let mut found: BTreeMap<OperationId, Vec<Run>> = BTreeMap::new();
        for run in &self.runs {
            let runs = found.entry(run.operation).or_default();
            if !runs.iter().any(|other| stage_of(other) == stage_of(run)) {
                runs.push(*run);
            }
        }
        found
    }
}

fn stage_of(run: &Run) -> Option<StageId> {
    run.bound.map(|bound| bound.stage)
}

/// Finds the runs of a description in which nothing decodes itself; `None`, with a finding, if
/// there are too many.
pub(super) fn find_schedule(model: &Model, diagnostics: &mut Diagnostics) -> Option<Schedule> {
    let mut finder = Finder {
        model,
        schedule: Schedule::default(),
        known: BTreeMap::new(),
        chains: Vec::new(),
        reached: vec![false; model.operations.len()],
        activations: model.operations.iter().map(activations).collect(),
        met: 0,
    };
    let complete = finder.find();
    if complete {
        return Some(finder.schedule);
    }
    let main = &model.operations[model.main.index()];
    let message = "operations are brought about in too many ways";
    let diagnostic = error(code::TOO_MANY_RUNS, main.span, message, "too many ways begin here")
        .help("activate less of what is decoded further below");
    diagnostics.push(diagnostic);
    None
}

/// Something that an operation above takes: the target, its run, and the instance.
type Taken = (OperationOrGroup, usize, usize);

struct Finder<'a> {
    model: &'a Model,
    schedule: Schedule,
    known: BTreeMap<(OperationId, Option<StageId>, Vec<Taken>), usize>,
    /// By run: what the operations above it and itself take from below.
    chains: Vec<Vec<Taken>>,
    /// By operation: whether it has a run.
    reached: Vec<bool>,
    /// By operation: how it schedules its instances, by their numbers.
    activations: Vec<BTreeMap<usize, Vec<Way>>>,
    /// How much was met so far, to [`MOST_MET`].
    met: usize,
}

impl<'a> Finder<'a> {
    /// True if everything was looked at.
    fn find(&mut self) -> bool {
        let (model, mut next) = (self.model, 0);
        for start in [Some(model.main), model.reset].into_iter().flatten() {
            self.enter(start, None, Vec::new());
        }
        // Then what nothing reaches: it is looked at all the same.
        let mentioned = mentioned(model);
        let operations = (0..).zip(&model.operations).map(|(id, operation)| (OperationId(id), operation));
        let mut rest: Vec<OperationId> = Vec::new();
        rest.extend(operations.clone().filter(|(_, operation)| operation.stage.is_some()).map(|(id, _)| id));
        rest.extend(operations.clone().map(|(id, _)| id).filter(|id| !mentioned.contains(id)));
        rest.extend(operations.map(|(id, _)| id));
        let mut rest = rest.into_iter();
        loop {
            while next < self.schedule.runs.len() {
                self.follow(next);
                next += 1;
                if self.schedule.runs.len() > MOST_RUNS * model.operations.len() || self.met > MOST_MET {
                    return false;
                }
            }
            match rest.find(|id| !self.reached[id.index()]) {
                Some(id) => self.enter(id, None, Vec::new()),
                None => return true,
            };
        }
    }

    /// The run of an operation below or behind another.
    fn enter(&mut self, operation: OperationId, inherited: Option<Bound>, mut chain: Vec<Taken>) -> usize {
        self.met += 1;
        let own = self.model.operations[operation.index()].stage;
        let bound = own.map(|(stage, span)| Bound { stage, operation, span }).or(inherited);
        let key = (operation, bound.map(|bound| bound.stage), chain.clone());
        if let Some(known) = self.known.get(&key) {
            return *known;
        }
        let run = self.schedule.runs.len();
        self.known.insert(key, run);
        self.reached[operation.index()] = true;
        self.schedule.runs.push(Run { operation, bound });
        let instances = &self.model.operations[operation.index()].instances;
        for (index, instance) in instances.iter().enumerate() {
            if instance.role == InstanceRole::Below {
                chain.push((instance.target, run, index));
            }
        }
        self.chains.push(chain);
        run
    }

    fn follow(&mut self, run: usize) {
        let operation = self.operation(run);
        for (index, instance) in operation.instances.iter().enumerate() {
            let own = &self.activations[self.schedule.runs[run].operation.index()];
            let own = own.get(&index).cloned().unwrap_or_default();
            match instance.role {
                InstanceRole::Coded | InstanceRole::Root => {
                    let takers = own.into_iter().map(|way| (run, index, way)).collect();
                    self.decode(run, index, takers);
                }
                InstanceRole::Activated => {
                    if let OperationOrGroup::Operation(target) = instance.target
                        && !own.is_empty()
                    {
                        let to = self.enter(target, None, Vec::new());
                        self.schedule.steps.extend(own.into_iter().map(|way| Step {
                            from: run,
                            to,
                            instance: index,
                            way,
                        }));
                    }
                }
                InstanceRole::Below | InstanceRole::Unused => {}
            }
        }
    }

    /// Follows what an instance may choose; `takers` are the activations that take it.
    fn decode(&mut self, run: usize, decoded: usize, takers: Vec<(usize, usize, Way)>) {
        let Instance { target, span, .. } = self.operation(run).instances[decoded];
        let mut walked = BTreeSet::new();
        let mut waiting = vec![(target, takers)];
        while let Some((target, mut takers)) = waiting.pop() {
            self.met += 1 + self.chains[run].len() + takers.len();
            if self.met > MOST_MET {
                return;
            }
            if !walked.insert(target) {
                continue;
            }
            for (_, from, instance) in self.chains[run].iter().filter(|(taken, _, _)| *taken == target) {
                let operation = self.schedule.runs[*from].operation;
                let ways = &self.activations[operation.index()];
                let ways = ways.get(instance).into_iter().flatten();
                takers.extend(ways.map(|way| (*from, *instance, *way)));
            }
            match target {
                OperationOrGroup::Group(group) => {
                    let members = self.model.groups[group.index()].members.iter().rev();
                    waiting.extend(members.map(|member| (*member, takers.clone())));
                }
                OperationOrGroup::Operation(operation) => {
                    let bound = self.schedule.runs[run].bound;
                    let to = self.enter(operation, bound, self.chains[run].clone());
                    let way = Way::Decoded { span, is_taken: !takers.is_empty() };
                    self.schedule.steps.push(Step { from: run, to, instance: decoded, way });
                    let taken = takers.into_iter();
                    self.schedule.steps.extend(taken.map(|(from, instance, way)| Step {
                        from,
                        to,
                        instance,
                        way,
                    }));
                }
            }
        }
    }

    fn operation(&self, run: usize) -> &'a Operation {
        &self.model.operations[self.schedule.runs[run].operation.index()]
    }
}

/// The operations that an instance of another may turn out to be.
fn mentioned(model: &Model) -> BTreeSet<OperationId> {
    let instances = model.operations.iter().flat_map(|operation| &operation.instances);
    let members = model.groups.iter().flat_map(|group| &group.members).copied();
    let targets = instances.map(|instance| instance.target).chain(members);
    targets
        .filter_map(|target| match target {
            OperationOrGroup::Operation(id) => Some(id),
            OperationOrGroup::Group(_) => None,
        })
        .collect()
}

/// How an operation's ACTIVATION schedules its instances, by their numbers.
pub(super) fn activations(operation: &Operation) -> BTreeMap<usize, Vec<Way>> {
    let mut found = BTreeMap::new();
    collect(&operation.activation, &mut found);
    found
}

fn collect(items: &[Activation], found: &mut BTreeMap<usize, Vec<Way>>) {
    for item in items {
        match item {
            Activation::Activate { instance, delay_cycles, span } => {
                let way = Way::Activated { delay_cycles: *delay_cycles, span: *span };
                found.entry(instance.index()).or_default().push(way);
            }
            Activation::If { then, otherwise, .. } => {
                collect(then, found);
                collect(otherwise, found);
            }
            Activation::Switch { cases, default, .. } => {
                cases.iter().for_each(|(_, items)| collect(items, found));
                collect(default, found);
            }
        }
    }
}
