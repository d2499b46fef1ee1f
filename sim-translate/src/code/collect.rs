//! What compiled code has counted.

use std::collections::BTreeMap;

use sim_profile::flow::{OUTSIDE, Passage, block_counts, complete};

use super::Code;
use super::jumps::count_transfers;
use super::told::{Follower, Teller};
use crate::codegen::{SiteKind, Translated};
use crate::core::Core;
use crate::steps::Steps;

impl Code {
    /// Moves everything that was counted to the steps.
    pub(crate) fn collect(&mut self, core: &mut Core<'_>, steps: &mut Steps) {
        for Follower { told, times, .. } in self.followers.iter_mut().flatten() {
            // Links are edges, which are counted as such.
            if let Teller::Jump(site, to) = told.by {
                count_transfers(core, steps, (site, to), std::mem::take(times));
            }
        }
        for (transfer, times) in std::mem::take(&mut self.displaced) {
            count_transfers(core, steps, transfer, times);
        }
        for (step, cycles) in std::mem::take(&mut core.charges) {
            steps.charge(step, cycles);
        }
        if self.kind.profiles || self.kind.checks.is_some() {
            self.count_jumps(core, steps);
        }
        for region in self.regions.iter().filter(|region| region.profiles) {
            collect_region(core, steps, region);
        }
    }
}

fn collect_region(core: &mut Core<'_>, steps: &mut Steps, region: &Translated) {
    let take = |offset: &u32| {
        let offset = u64::from(*offset);
        let count = core.state.arena.word(offset);
        core.state.arena.set_word(offset, 0);
        count
    };
    let mut counts: Vec<u64> = region.counters.iter().map(take).collect();
    for (counter, turns) in &region.turns {
        counts[*counter] = turns.of(counts[*counter], &counts);
    }
    let own_counts: Vec<u64> = region.own_counts.iter().map(|(slot, ..)| take(slot)).collect();
    let own_charges: Vec<u64> = region.own_charges.iter().map(|(slot, _)| take(slot)).collect();
    let first = region.first_site as usize;
    let mut passages = Vec::new();
    let mut abandoned: BTreeMap<u32, u64> = BTreeMap::new();
    for site in core.sites[first..first + region.site_count as usize].iter_mut() {
        let count = std::mem::take(&mut site.times);
        if count > 0 {
            passages.push(Passage { from: site.node, to: OUTSIDE, count });
            let is_complete = matches!(site.kind, SiteKind::Written | SiteKind::Budget | SiteKind::Jump);
            *abandoned.entry(site.step).or_default() += if is_complete { 0 } else { count };
        }
    }
    let graph = &region.flow.graph;
    let counts = match complete(graph, &region.placement, &counts, &passages) {
        Ok(counts) => counts,
        Err(error) => panic!("the counters of a region do not fit together: {error}"),
    };
    let entered = block_counts(graph, &counts, &[]);
    for (node, step) in &region.begins {
        steps.counted(*step).executed += entered[*node as usize];
    }
    for (step, times) in abandoned {
        steps.counted(step).executed -= times;
    }
    for (node, step, counter) in &region.counts {
        steps.add_counter(*step, *counter, entered[*node as usize]);
    }
    for ((_, step, counter), count) in region.own_counts.iter().zip(own_counts) {
        steps.add_counter(*step, *counter, count);
    }
    let known = region
        .charges
        .iter()
        .map(|(node, step, each)| (*step, entered[*node as usize].saturating_mul(*each)));
    let summed = region.own_charges.iter().zip(own_charges).map(|((_, step), sum)| (*step, sum));
    for (step, cycles) in known.chain(summed) {
        steps.charge(step, cycles);
    }
    for (node, event) in &region.events {
        steps.count_event(event, entered[*node as usize]);
    }
    for (edge, from, to) in &region.transfers {
        steps.count_transfers(*from, *to, counts[*edge as usize]);
    }
}
