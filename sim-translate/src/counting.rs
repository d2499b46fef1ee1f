//! On which edges compiled code counts.

use std::collections::HashMap;
use std::sync::Arc;

use sim_profile::Measurement;

/// By what the edges are chosen that compiled code counts on. The profile is the same by all: the others
/// follow.
#[derive(Debug, Clone, Default)]
pub enum Counting {
    /// On the fewest, and of these on those that should be taken least: what is in a loop runs more often
    /// than what is around it, and an unlikely way less often than the other.
    #[default]
    Fewest,
    /// On every edge, to compare with.
    Every,
    /// On as few, chosen by chance; the same ones in each run.
    Random,
    /// On as few, by the naive estimate ([`sim_profile::flow::estimate_naive`]).
    Naive,
    /// On as few, by the estimate of Wu and Larus ([`sim_profile::flow::estimate_wu_larus`]).
    WuLarus,
    /// On as few, by what an earlier run has measured.
    Measured(Arc<Frequencies>),
}

impl Counting {
    /// By a measurement.
    pub fn measured(measurement: &Measurement) -> Counting {
        Counting::Measured(Arc::new(Frequencies::of(measurement)))
    }
}

/// How often instructions ran, and where they went on.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Frequencies {
    executed: HashMap<u64, u64>,
    transfers: HashMap<(u64, u64), u64>,
    /// How often each did not go on with its successor.
    leaving: HashMap<u64, u64>,
}

/// Where an edge leads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lead {
    /// Into the region, from an instruction that is not known.
    In,
    /// On within the instruction, or to where it computes.
    Within,
    /// To its successor.
    On,
    /// To an address.
    To(u64),
}

impl Frequencies {
    fn of(measurement: &Measurement) -> Frequencies {
        let mut found = Frequencies::default();
        for (key, record) in &measurement.instructions {
            add(found.executed.entry(key.address).or_default(), record.executed);
        }
        for (&(from, to), &times) in &measurement.transfers {
            add(found.transfers.entry((from, to)).or_default(), times);
            add(found.leaving.entry(from).or_default(), times);
        }
        found
    }

    /// How often an edge was taken; of what has no count of its own the most that it can be.
    pub(crate) fn of_edge(&self, address: u64, lead: Lead) -> u64 {
        let executed = self.executed.get(&address).copied().unwrap_or(0);
        let leaving = || self.leaving.get(&address).copied().unwrap_or(0);
        match lead {
            Lead::To(target) => self.transfers.get(&(address, target)).copied().unwrap_or(0),
            Lead::On => executed.saturating_sub(leaving()),
            Lead::Within | Lead::In => executed,
        }
    }
}

fn add(sum: &mut u64, more: u64) {
    *sum = sum.saturating_add(more);
}
