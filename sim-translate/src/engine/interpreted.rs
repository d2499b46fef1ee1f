//! What was interpreted, and why: who writes a description sees what keeps its programs from being fast.

use std::collections::BTreeMap;
use std::fmt;

use isac_ir::control::operations_around;

use super::TranslatedEngine;
use crate::compilable::Compilable;
use crate::specialise::Step;

/// An instruction is named if one in so many of the run was this one, interpreted.
const ONE_IN: u64 = 100;
/// Most that are named.
const MOST_NAMED: usize = 5;

/// How often instructions were interpreted, those included that have not ended.
#[derive(Default)]
pub(super) struct Interpreted {
    /// All of them.
    all: u64,
    /// By number of the step.
    by_step: Vec<u64>,
    /// Of steps that are not kept any more.
    gone: BTreeMap<Named, u64>,
}

impl Interpreted {
    /// Counts one.
    pub(super) fn count(&mut self, number: u32) {
        self.all += 1;
        let number = number as usize;
        if self.by_step.len() <= number {
            self.by_step.resize(number + 1, 0);
        }
        self.by_step[number] += 1;
    }
}

/// An instruction that is interpreted for a reason.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Named {
    address: u64,
    operation: String,
    why: &'static str,
}

/// Instructions that were interpreted, as `--stats` tells them.
struct Share {
    times: u64,
    all: u64,
}

impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let percent = 100.0 * self.times as f64 / self.all.max(1) as f64;
        write!(f, "{} of {} instructions, {percent:.1} %", self.times, self.all)
    }
}

impl TranslatedEngine<'_> {
    /// How much was interpreted, and the instructions that it was for a reason, the most frequent ones first.
    pub(super) fn describe_interpreted(&self) -> Vec<String> {
        let all = self.core.instructions;
        let share = Share { times: self.interpreted.all, all };
        let mut lines = vec![format!("interpreted: {share}")];
        let mut named: Vec<(Named, u64)> = self.named().into_iter().collect();
        named.retain(|(_, times)| times.saturating_mul(ONE_IN) >= all);
        named.sort_by(|one, other| other.1.cmp(&one.1).then_with(|| one.0.cmp(&other.0)));
        let bits = self.core.model().pc.width_bits.min(64);
        let digits = bits.div_ceil(4) as usize + 2;
        let named = named.into_iter().take(MOST_NAMED).map(|(named, times)| {
            let Named { address, operation, why } = named;
            format!("  {times} times `{operation}` at {address:#0digits$x}: {why}")
        });
        lines.extend(named);
        lines
    }

    /// The instructions that are interpreted for a reason, with how often that was.
    fn named(&self) -> BTreeMap<Named, u64> {
        let mut found = self.interpreted.gone.clone();
        let around = operations_around(self.core.model());
        for (number, times) in (0u32..).zip(&self.interpreted.by_step).filter(|(_, times)| **times > 0) {
            let step = self.steps.step(number);
            let Some(why) = self.reason(step) else { continue };
            let own = step.operations.iter().find(|operation| !around.contains(operation));
            let operation = own.or(step.operations.last()).map(|own| self.core.model().operation(*own));
            let operation = operation.map(|operation| operation.name.clone()).unwrap_or_default();
            *found.entry(Named { address: step.address, operation, why }).or_default() += times;
        }
        found
    }

    /// The steps are about to be kept no more.
    pub(super) fn retire_interpreted(&mut self) {
        let all = self.core.instructions;
        let mut gone = self.named();
        // Each time one in so many of those so far, which bounds how many there are.
        gone.retain(|_, times| times.saturating_mul(10 * ONE_IN) >= all);
        self.interpreted.gone = gone;
        self.interpreted.by_step.clear();
    }

    /// Why an instruction is interpreted however often it runs.
    fn reason(&self, step: &Step) -> Option<&'static str> {
        let address = step.address;
        if self.pauses.includes(address) {
            return Some("the run pauses there");
        }
        if self.patched.includes(address) {
            return Some("it is written over again and again");
        }
        if self.core.tells_values(step) {
            return Some("its values are counted");
        }
        if step.undone.is_none() {
            return Some(Compilable::of(self.core.model()).obstacle(&step.ops));
        }
        let is_left = self.precise.contains(&address) || self.near.contains(&address);
        is_left.then_some("it accesses a device, several memories, or memory close to code")
    }
}
