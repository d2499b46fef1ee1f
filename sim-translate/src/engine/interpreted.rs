//! What was interpreted, and why: who writes a description sees what keeps its programs from being fast.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use isac_ir::control::operations_around;

use super::{HOT_AT_FIRST, TranslatedEngine};
use crate::compilable::Compilable;
use crate::specialise::Step;

/// Instructions of an operation are named if one in so many of the run was one of them, interpreted.
const ONE_IN: u64 = 100;
/// Most operations that are named.
const MOST_NAMED: usize = 5;
/// What is interpreted more rarely has mostly not run often enough to be compiled.
const FREQUENT: u64 = 5 * HOT_AT_FIRST as u64;

/// What compiled code comes to and does not do.
const LEFT: &str = "it accesses a device, registers or FUNCTIONs in a MEMORY_MAP, several memories or memory close \
                    to code, or does what is rarely done";
/// What runs beside it.
const BEHIND: &str =
    "it stands behind what is interpreted, or close before a timer's time, a limit or a sample";

/// How often instructions were interpreted, those included that have not ended.
#[derive(Default)]
pub(super) struct Interpreted {
    /// All of them.
    all: u64,
    /// Those of them while code was being made.
    awaiting: u64,
    /// By number of the step: all the others, and those that compiled code has left before.
    by_step: Vec<[u64; 2]>,
    /// Of steps that are not kept any more.
    gone: BTreeMap<Named, u64>,
}

impl Interpreted {
    /// Counts one, which compiled code may have come to and left. What waits for code that is
    /// being made has no other reason.
    pub(super) fn count(&mut self, number: u32, is_left: bool, is_awaiting: bool) {
        self.all += 1;
        if is_awaiting {
            self.awaiting += 1;
            return;
        }
        let number = number as usize;
        if self.by_step.len() <= number {
            self.by_step.resize(number + 1, [0; 2]);
        }
        self.by_step[number][0] += 1;
        self.by_step[number][1] += u64::from(is_left);
    }
}

/// An instruction that is interpreted for a reason.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Named {
    operation: String,
    why: &'static str,
    address: u64,
}

/// Instructions of an operation that are interpreted for one reason.
#[derive(Default)]
struct Group {
    times: u64,
    places: u64,
    /// That of them which was the most often, and how often.
    most: (u64, u64),
}

impl Group {
    fn add(&mut self, address: u64, times: u64) {
        self.times += times;
        self.places += 1;
        if times > self.most.1 {
            self.most = (address, times);
        }
    }
}

impl TranslatedEngine<'_> {
    /// How much was interpreted, and the instructions that it was for a reason, the most frequent ones first.
    pub(super) fn describe_interpreted(&self) -> Vec<String> {
        let all = self.core.instructions;
        let interpreted = self.interpreted.all;
        let percent = 100.0 * interpreted as f64 / all.max(1) as f64;
        let awaiting = match self.interpreted.awaiting {
            0 => String::new(),
            some => format!(", {some} of them while code was being made"),
        };
        let mut lines =
            vec![format!("interpreted: {interpreted} of {all} instructions, {percent:.1} %{awaiting}")];
        let mut groups: BTreeMap<(String, &'static str), Group> = BTreeMap::new();
        for (Named { operation, why, address }, times) in self.named() {
            groups.entry((operation, why)).or_default().add(address, times);
        }
        let mut groups: Vec<_> = groups.into_iter().collect();
        groups.retain(|(_, group)| group.times.saturating_mul(ONE_IN) >= all);
        groups.sort_by_key(|(_, group)| Reverse(group.times));
        let digits = self.core.model().pc.width_bits.min(64).div_ceil(4) as usize + 2;
        let more = groups.len().saturating_sub(MOST_NAMED);
        for ((operation, why), Group { times, places, most: (address, _) }) in
            groups.into_iter().take(MOST_NAMED)
        {
            let others = match places {
                1 => String::new(),
                2 => " and another place".to_owned(),
                _ => format!(" and {} other places", places - 1),
            };
            lines.push(format!("  {times} times `{operation}` at {address:#0digits$x}{others}: {why}"));
        }
        if more > 0 {
            lines.push(format!("  and {more} more"));
        }
        lines
    }

    /// The instructions that are interpreted for a reason, with how often that was.
    fn named(&self) -> BTreeMap<Named, u64> {
        let mut found = self.interpreted.gone.clone();
        let around = operations_around(self.core.model());
        for (number, [times, left]) in (0u32..).zip(&self.interpreted.by_step) {
            if *times == 0 {
                continue;
            }
            let step = self.steps.step(number);
            let why = match self.reason(step) {
                Some(why) => why,
                None if 2 * left >= *times => LEFT,
                None if *times >= FREQUENT => BEHIND,
                None => continue,
            };
            let own = step.operations.iter().find(|operation| !around.contains(operation));
            let operation = own.or(step.operations.last()).map(|own| self.core.model().operation(*own));
            let operation = operation.map(|operation| operation.name.clone()).unwrap_or_default();
            *found.entry(Named { operation, why, address: step.address }).or_default() += times;
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

    /// Why an instruction is interpreted however often it runs, as far as that is known of it by itself.
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
        None
    }
}
