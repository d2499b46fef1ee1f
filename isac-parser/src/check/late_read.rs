//! A register between stages keeps a value for one cycle: the next instruction comes a cycle later and
//! writes its own. What is read two stages on, or later, is not the value of the same instruction.
//!
//! That is said only of registers that plainly carry a value from one stage to another: each instruction
//! that reads it has written it, all in one stage, and nothing up to that stage decides which instruction
//! goes on.

use std::collections::{BTreeMap, BTreeSet};

use super::distance::{reason, stage_name};
use super::effect::{Effect, Effects, What, effects_of, effects_of_function};
use super::schedule::{Run, Schedule};
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::model::{Activation, Model, OperationId, RegisterId, StageId};
use crate::resolve::code;
use crate::resolve::report::{count, warning};

/// Warns of registers that are read when a later instruction has written them.
pub(super) fn check_late_reads(model: &Model, schedule: &Schedule, diagnostics: &mut Diagnostics) {
    if model.pipelines.is_empty() {
        return;
    }
    let reached = reached(model, schedule, &BTreeSet::new());
    let mut runs = schedule.runs_by_operation();
    runs.retain(|id, _| reached.contains(id));
    let effects: BTreeMap<OperationId, Effects> =
        reached.iter().map(|id| (*id, effects_of(model, *id))).collect();
    let run = Running { model, schedule, runs: &runs, effects: &effects };
    let Uses { writers, readers, others } = uses(model, &effects);
    for (register, writers) in &writers {
        let declared = &model.registers[register.index()];
        let is_latch = declared.count.is_none() && !others.contains(register);
        let (Some(readers), true) = (readers.get(register), is_latch) else { continue };
        let Some(stage) = run.only_stage(writers) else { continue };
        let is_late = |run: &Run| {
            let read = run.bound.map(|bound| bound.stage).filter(|read| read.pipeline == stage.pipeline);
            read.is_some_and(|read| read.stage >= stage.stage + 2)
        };
        let is_found = run.of(readers).all(is_late) && !run.is_decided(stage) && run.is_own(writers, readers);
        if is_found {
            diagnostics.extend(run.late(*register, writers, readers));
        }
    }
}

/// What operations do with registers.
#[derive(Default)]
struct Uses {
    writers: BTreeMap<RegisterId, BTreeSet<OperationId>>,
    readers: BTreeMap<RegisterId, BTreeSet<OperationId>>,
    /// Registers that are more than a latch: programs, the environment or faults may see them.
    others: BTreeSet<RegisterId>,
}

fn uses(model: &Model, effects: &BTreeMap<OperationId, Effects>) -> Uses {
    let mut uses = Uses::default();
    for (id, effects) in effects {
        for effect in &effects.list {
            match effect.what {
                What::Write(register) if Some(*id) != model.reset => {
                    uses.writers.entry(register).or_default().insert(*id);
                }
                What::Read(register) if Some(*id) != model.reset => {
                    uses.readers.entry(register).or_default().insert(*id);
                }
                What::Touch(register) => {
                    uses.others.insert(register);
                }
                What::Write(_) | What::Read(_) | What::Retry(_) | What::Control => {}
            }
        }
    }
    for part in model.pc.parts.iter() {
        uses.others.insert(part.register);
    }
    if let Some(handler) = model.memory_fault {
        uses.others.extend(effects_of_function(model, handler).list.iter().filter_map(|effect| {
            match effect.what {
                What::Write(register) | What::Read(register) | What::Touch(register) => Some(register),
                What::Retry(_) | What::Control => None,
            }
        }));
    }
    uses
}

/// The operations that `main` leads to but through some of them.
fn reached(model: &Model, schedule: &Schedule, without: &BTreeSet<OperationId>) -> BTreeSet<OperationId> {
    let mut behind: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for step in &schedule.steps {
        behind.entry(step.from).or_default().push(step.to);
    }
    let operation = |run: usize| schedule.runs[run].operation;
    let is_free = |run: &usize| !without.contains(&operation(*run));
    let begins = |run: &usize| operation(*run) == model.main;
    let mut waiting: Vec<usize> = (0..schedule.runs.len()).filter(begins).filter(is_free).collect();
    let mut reached: BTreeSet<usize> = waiting.iter().copied().collect();
    while let Some(run) = waiting.pop() {
        for next in behind.get(&run).into_iter().flatten().copied().filter(is_free) {
            if reached.insert(next) {
                waiting.push(next);
            }
        }
    }
    reached.into_iter().map(operation).collect()
}

/// The operations that `main` leads to, where they run and what they do.
struct Running<'a> {
    model: &'a Model,
    schedule: &'a Schedule,
    runs: &'a BTreeMap<OperationId, Vec<Run>>,
    effects: &'a BTreeMap<OperationId, Effects>,
}

impl Running<'_> {
    fn of<'b>(&'b self, operations: &'b BTreeSet<OperationId>) -> impl Iterator<Item = &'b Run> {
        operations.iter().filter_map(|id| self.runs.get(id)).flatten()
    }

    /// The one stage in which operations run.
    fn only_stage(&self, operations: &BTreeSet<OperationId>) -> Option<StageId> {
        let stages: BTreeSet<Option<StageId>> =
            self.of(operations).map(|run| run.bound.map(|bound| bound.stage)).collect();
        match stages.into_iter().collect::<Vec<_>>()[..] {
            [Some(stage)] => Some(stage),
            _ => None,
        }
    }

    /// True if each instruction that reads a register has written it.
    fn is_own(&self, writers: &BTreeSet<OperationId>, readers: &BTreeSet<OperationId>) -> bool {
        reached(self.model, self.schedule, writers).is_disjoint(readers)
    }

    /// True if something that runs up to a stage, or outside, decides which instruction goes on: then the
    /// next one may come later than a cycle behind.
    fn is_decided(&self, stage: StageId) -> bool {
        self.runs.iter().any(|(id, runs)| {
            let is_up_to = |run: &Run| {
                let at = run.bound.map(|bound| bound.stage);
                at.is_none_or(|at| at.pipeline != stage.pipeline || at.stage <= stage.stage)
            };
            let is_in = |run: &Run| run.bound.is_some_and(|bound| bound.stage == stage);
            // What is decoded in the stage itself may choose what it activates.
            let activation = &self.model.operations[id.index()].activation;
            let chooses = activation.iter().any(|item| !matches!(item, Activation::Activate { .. }));
            // What is due in the first stage again keeps the next instruction from beginning.
            let waits =
                activation.iter().any(|item| matches!(item, Activation::Activate { delay_cycles: 1.., .. }));
            let decides = |effect: &Effect| matches!(effect.what, What::Retry(_) | What::Control);
            runs.iter().any(is_up_to)
                && (chooses && !runs.iter().all(is_in) || waits || self.effects[id].list.iter().any(decides))
        })
    }

    fn late(
        &self,
        register: RegisterId,
        writers: &BTreeSet<OperationId>,
        readers: &BTreeSet<OperationId>,
    ) -> Option<Diagnostic> {
        let (written, read) = (self.of(writers).next()?, self.of(readers).next()?);
        let (early, late) = (written.bound?, read.bound?);
        let (writing, reading) = (&self.effects[&written.operation], &self.effects[&read.operation]);
        let place =
            |effects: &'_ Effects, what: What| effects.list.iter().copied().find(|it| it.what == what);
        let (write, read_at) =
            (place(writing, What::Write(register))?, place(reading, What::Read(register))?);
        let stage = |stage: StageId| stage_name(self.model, stage);
        let name = &self.model.registers[register.index()].name;
        let (from, to) = (stage(early.stage), stage(late.stage));
        let next = stage(StageId { stage: early.stage.stage + 1, ..early.stage });
        let later = count(late.stage.stage - early.stage.stage, "stage");
        let message = format!("`{name}` is written in {from} and read in {to}, {later} later");
        let label = "a later instruction has written its own by then";
        let diagnostic = warning(code::LATE_READ, read_at.span, message, label);
        let diagnostic =
            reading.along(&read_at, diagnostic).secondary(write.span, format!("written in {from}"));
        let diagnostic = writing
            .along(&write, diagnostic)
            .secondary(early.span, reason(self.model, written, early))
            .secondary(late.span, reason(self.model, read, late));
        Some(diagnostic.help(format!(
            "a register keeps a value for one cycle: copy it in {next} into a register that is set there, or let it \
             travel with the instruction, as coded bits and LOCALs do by REFERENCE"
        )))
    }
}
