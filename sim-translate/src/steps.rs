//! Decoded instructions, kept by their place, with what became of them.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::rc::Rc;

use isac_ir::Model;
use sim_profile::Instrumented;
use sim_runtime::record::{RecordedWord, Recording, StaticInstruction, StaticKey, control_at};

use crate::checks::accesses_memory;
use crate::specialise::{Place, Step};

/// The steps of the instructions that were met, by number.
#[derive(Default)]
pub(crate) struct Steps {
    index: HashMap<Place, u32>,
    /// What the step of a place asks for of the addresses in its mode, by the place without them.
    wanted: HashMap<Place, u8>,
    steps: Vec<Rc<Step>>,
    counted: Vec<StaticInstruction>,
    transfers: BTreeMap<(u64, u64), u64>,
    /// Those that are known and were not counted.
    silent_transfers: BTreeSet<(u64, u64)>,
    /// How often each ran while nothing was counted, as far as that is known.
    silent_runs: Vec<u64>,
    /// Whether each keeps the address of its successor, if anybody has asked.
    keeping: Vec<Option<bool>>,
    /// Addresses behind calls.
    behind_calls: HashSet<u64>,
    /// What steps that are gone had counted.
    retired: Recording,
}

impl Steps {
    /// The number of the step at a place, if it is kept.
    pub(crate) fn find(&self, place: Place) -> Option<u32> {
        self.index.get(&place).copied()
    }

    /// What the step of a place without addresses asks for of them, if that is known.
    pub(crate) fn wanted(&self, bare: Place) -> Option<u8> {
        self.wanted.get(&bare).copied()
    }

    /// Remembers that.
    pub(crate) fn set_wanted(&mut self, bare: Place, wanted: u8) {
        self.wanted.insert(bare, wanted);
    }

    /// Keeps a step.
    pub(crate) fn add(&mut self, place: Place, step: Step) -> u32 {
        let number = self.steps.len() as u32;
        self.index.insert(place, number);
        self.steps.push(Rc::new(step));
        self.counted.push(StaticInstruction::default());
        self.silent_runs.push(0);
        self.keeping.push(None);
        number
    }

    pub(crate) fn step(&self, number: u32) -> &Rc<Step> {
        &self.steps[number as usize]
    }

    /// What became of a step.
    pub(crate) fn counted(&mut self, number: u32) -> &mut StaticInstruction {
        &mut self.counted[number as usize]
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.steps.len()
    }

    /// How often a step has run, as far as that is known.
    pub(crate) fn runs(&self, number: u32) -> u64 {
        let index = number as usize;
        self.counted[index].executed.saturating_add(self.silent_runs[index])
    }

    /// A step has run, and is not counted.
    pub(crate) fn note_run(&mut self, number: u32) {
        self.silent_runs[number as usize] += 1;
    }

    /// A control transfer has happened, and is not counted.
    pub(crate) fn note_transfer(&mut self, from: u64, to: u64) {
        self.silent_transfers.insert((from, to));
    }

    /// Whether a step keeps the address of its successor: a call, where it jumps.
    pub(crate) fn keeps_successor(&mut self, model: &Model, number: u32) -> bool {
        let step = &self.steps[number as usize];
        *self.keeping[number as usize].get_or_insert_with(|| {
            let Some((word, width_bits)) = step.word else { return false };
            let words = vec![RecordedWord { element: 0, word, width_bits }];
            let key = StaticKey { address: step.address, words };
            let successor = model.successor(step.address, step.size_cells);
            control_at(model, &key, step.size_cells).and_then(|control| control.keeps) == Some(successor)
        })
    }

    /// Whether a step is of those that carry instrumentation.
    pub(crate) fn carries(&mut self, model: &Model, number: u32, instrumented: Instrumented) -> bool {
        match instrumented {
            Instrumented::Calls => self.keeps_successor(model, number),
            Instrumented::Accesses => accesses_memory(self.step(number)),
        }
    }

    /// Counts control transfers.
    pub(crate) fn count_transfers(&mut self, from: u64, to: u64, times: u64) {
        if times > 0 {
            *self.transfers.entry((from, to)).or_default() += times;
        }
    }

    /// Where a jump by a table, as that of a `switch`, has led. What has led behind a call returns, and
    /// has no table.
    pub(crate) fn table_of(&self, from: u64) -> Vec<u64> {
        let led_to = self.transfers.range((from, 0)..=(from, u64::MAX)).map(|((_, to), _)| *to);
        let silent = self.silent_transfers.range((from, 0)..=(from, u64::MAX)).map(|(_, to)| *to);
        let places: BTreeSet<u64> = led_to.chain(silent).collect();
        match places.iter().any(|place| self.behind_calls.contains(place)) {
            true => Vec::new(),
            false => places.into_iter().collect(),
        }
    }

    /// Remembers that an address is behind a call.
    pub(crate) fn add_call(&mut self, returns: u64) {
        self.behind_calls.insert(returns);
    }

    /// True if an address is known to be behind a call.
    pub(crate) fn is_behind_call(&self, address: u64) -> bool {
        self.behind_calls.contains(&address)
    }

    /// Adds to the counters of a step.
    pub(crate) fn add_counter(&mut self, number: u32, counter: u32, times: u64) {
        if times == 0 {
            return;
        }
        let counters = &mut self.counted[number as usize].counters;
        if counters.len() <= counter as usize {
            counters.resize(counter as usize + 1, 0);
        }
        counters[counter as usize] += times;
    }

    /// Drops all steps; what they counted is kept.
    pub(crate) fn retire(&mut self) {
        let mut retired = std::mem::take(&mut self.retired);
        self.collect(&mut retired);
        *self = Steps { retired, ..Steps::default() };
    }

    /// Everything counted so far.
    pub(crate) fn recording(&self) -> Recording {
        let mut recording = self.retired.clone();
        self.collect(&mut recording);
        recording
    }

    fn collect(&self, recording: &mut Recording) {
        for (step, counted) in self.steps.iter().zip(&self.counted) {
            let Some((word, width_bits)) = step.word else { continue };
            if *counted == StaticInstruction::default() {
                continue;
            }
            let sum = recording.instruction(step.address, &[RecordedWord { element: 0, word, width_bits }]);
            sum.unreached.extend(&counted.unreached);
            sum.executed += counted.executed;
            sum.cancelled += counted.cancelled;
            sum.faulted += counted.faulted;
            sum.unfinished += counted.unfinished;
            sum.extra_cycles = sum.extra_cycles.saturating_add(counted.extra_cycles);
            if sum.counters.len() < counted.counters.len() {
                sum.counters.resize(counted.counters.len(), 0);
            }
            for (sum, times) in sum.counters.iter_mut().zip(&counted.counters) {
                *sum += times;
            }
        }
        for (transfer, times) in &self.transfers {
            *recording.transfers.entry(*transfer).or_default() += times;
        }
    }
}
