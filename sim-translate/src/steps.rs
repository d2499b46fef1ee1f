//! Decoded instructions, kept by their place, with what became of them.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::rc::Rc;

use sim_runtime::record::{RecordedWord, Recording, StaticInstruction};

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
        number
    }

    pub(crate) fn step(&self, number: u32) -> &Rc<Step> {
        &self.steps[number as usize]
    }

    /// What became of a step.
    pub(crate) fn counted(&mut self, number: u32) -> &mut StaticInstruction {
        &mut self.counted[number as usize]
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
        let places: Vec<u64> = led_to.collect();
        match places.iter().any(|place| self.behind_calls.contains(place)) {
            true => Vec::new(),
            false => places,
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
