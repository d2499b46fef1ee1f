//! What instructions and stages are called in pictures of the pipeline.

use std::collections::BTreeMap;

use isac_ir::Model;
use isac_ir::time::StageId;
use sim_profile::{ModelTables, PathTree, instruction_of};

use super::{Act, CycleTrace, DecodedTrace, InFlightTrace};
use crate::record::model_tables;

/// What is known of the instructions in flight, also before there is anything to draw.
#[derive(Default)]
pub(super) struct InFlight(BTreeMap<u64, Known>);

/// What is known of an instruction.
pub(super) struct Known {
    /// Its address; before it is decoded, the program counter as it began.
    pub address: u64,
    pub decoded: Option<DecodedTrace>,
}

impl InFlight {
    pub(super) fn get(&self, id: u64) -> Option<&Known> {
        self.0.get(&id)
    }

    /// Takes what a cycle tells; of instructions that are new only if `takes_new`.
    pub(super) fn add(&mut self, trace: &CycleTrace, takes_new: bool) {
        if let Some(in_flight) = &trace.in_flight {
            let known = |it: &InFlightTrace| Known { address: it.address, decoded: it.decoded.clone() };
            self.0 = in_flight.iter().map(|it| (it.id, known(it))).collect();
        }
        for run in &trace.runs {
            let id = run.activation.id;
            if takes_new {
                self.0.entry(id).or_insert(Known { address: run.address, decoded: None });
            }
            if let Some(known) = self.0.get_mut(&id) {
                known.address = run.address;
            }
        }
        for decoded in &trace.decoded {
            if let Some(known) = self.0.get_mut(&decoded.id) {
                known.decoded = Some(decoded.clone());
            }
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Forgets what is over.
    pub(super) fn forget(&mut self, trace: &CycleTrace) {
        let faulted = trace.faulted.iter().map(|(id, _)| id);
        for id in trace.ended.iter().chain(&trace.cancelled).chain(faulted) {
            self.0.remove(id);
        }
    }
}

/// Names for the pictures of one model.
pub(super) struct Labels<'m> {
    model: &'m Model,
    tables: ModelTables,
}

impl<'m> Labels<'m> {
    pub(super) fn new(model: &'m Model) -> Labels<'m> {
        Labels { model, tables: model_tables(model) }
    }

    /// Address, as wide as the program counter, and what the instruction is written as, if it is
    /// known; without a text its operation.
    pub(super) fn instruction(&self, known: &Known) -> String {
        let address = self.tables.format_address(known.address);
        match known.decoded {
            Some(_) => format!("{address} {}", self.text(known)),
            None => address,
        }
    }

    /// What the instruction is written as, without a text its operation; nothing before it is decoded.
    pub(super) fn text(&self, known: &Known) -> String {
        match &known.decoded {
            Some(DecodedTrace { text: Some(text), .. }) => text.replace(char::is_control, " "),
            Some(decoded) => self.operation(&decoded.name),
            None => String::new(),
        }
    }

    /// The operation at the end of a decode path, operands left out; several are joined by `|`.
    fn operation(&self, name: &str) -> String {
        let Ok(path) = PathTree::parse(name) else { return name.to_owned() };
        let chains = instruction_of(&path, &self.tables.operands);
        let last = |chain: &String| {
            let names = chain.trim_end_matches(')').trim_end_matches('(');
            names.rsplit('(').next().unwrap_or(names).to_owned()
        };
        chains.iter().map(last).collect::<Vec<String>>().join("|")
    }

    /// A stage, with its pipeline where there are several.
    pub(super) fn stage(&self, stage: StageId) -> String {
        let pipeline = &self.model.pipelines[stage.pipeline as usize];
        let name = &pipeline.stages[stage.stage as usize].name;
        match self.model.pipelines.len() {
            0 | 1 => name.clone(),
            _ => format!("{}.{name}", pipeline.name),
        }
    }

    /// What was done to time.
    pub(super) fn act(&self, act: &Act) -> String {
        match act {
            Act::Stall { stage, cycles: 1 } => format!("stalls {} for 1 cycle", self.stage(*stage)),
            Act::Stall { stage, cycles } => format!("stalls {} for {cycles} cycles", self.stage(*stage)),
            Act::Flush { stage, .. } => format!("flushes {}", self.stage(*stage)),
            Act::Retry => "has to try again".to_owned(),
            Act::Cancel => "cancels its instruction".to_owned(),
            Act::Halt => "ends the run".to_owned(),
            Act::Fault => "finds a fault".to_owned(),
        }
    }

    /// All stages as short as can be told apart, in upper case: first letters, else names.
    pub(super) fn short_stages(&self) -> Vec<Vec<String>> {
        let names = |shorten: fn(&str) -> String| -> Vec<Vec<String>> {
            let pipelines = self.model.pipelines.iter();
            pipelines
                .map(|pipeline| pipeline.stages.iter().map(|stage| shorten(&stage.name)).collect())
                .collect()
        };
        let letters = names(|name| name.chars().take(1).collect::<String>().to_uppercase());
        let mut all: Vec<&String> = letters.iter().flatten().collect();
        all.sort_unstable();
        let is_clear = all.windows(2).all(|pair| pair[0] != pair[1])
            && all.iter().all(|letter| **letter != letter.to_lowercase());
        if is_clear { letters } else { names(str::to_uppercase) }
    }
}
