//! What counters do not tell, and why: each thing once, whatever it is said of.

use std::collections::{BTreeMap, BTreeSet};

use sim_profile::counters::{CountedEvent, ExactCounters, Region, Uncounted};
use sim_profile::program::ProgramProfile;

/// How many regions a note names.
const MOST_NAMED: usize = 3;

/// Notes by their texts, with the regions that they are of; with none if they are of the whole question.
#[derive(Default)]
pub(super) struct Notes(BTreeMap<String, BTreeSet<Region>>);

impl Notes {
    /// What is to be said of the question itself: names and addresses that may be slips.
    pub(super) fn look_at(
        &mut self,
        exact: &ExactCounters<'_>,
        profile: &ProgramProfile<'_>,
        (regions, events): (&[Region], &BTreeSet<CountedEvent>),
    ) {
        for region in regions {
            if let Region::Addresses { first, last } = *region
                && !exact.has_code(first, last)
            {
                let text = "no instruction ran there, and no file of --image has code there";
                self.0.entry(text.to_owned()).or_default().insert(region.clone());
            }
        }
        let unknown = events.iter().filter_map(|event| never_happened(profile, event));
        unknown.for_each(|text| {
            self.0.entry(text).or_default();
        });
    }

    /// Why something is not known of a region.
    pub(super) fn add_uncounted(&mut self, region: Region, why: &Uncounted) {
        self.0.entry(why.to_string()).or_default().insert(region);
    }

    /// Says them on standard error.
    pub(super) fn tell(&self) {
        for (text, regions) in &self.0 {
            let named: Vec<String> = regions.iter().take(MOST_NAMED).map(Region::to_string).collect();
            match regions.len().saturating_sub(MOST_NAMED) {
                0 if named.is_empty() => say!("note: {text}"),
                0 => say!("note: {}: {text}", named.join(", ")),
                more => say!("note: {} and {more} more: {text}", named.join(", ")),
            }
        }
    }
}

/// What is to be said of an event of the model that no run has had: its name may be a slip.
fn never_happened(profile: &ProgramProfile<'_>, event: &CountedEvent) -> Option<String> {
    let happened = &profile.measurement.events;
    let CountedEvent::Model(name) = event else { return None };
    if happened.contains_key(name) {
        return None;
    }
    let others: Vec<&str> = happened.keys().map(String::as_str).collect();
    Some(match others.is_empty() {
        true => format!("no event `{name}` has happened, and no other of the model"),
        false => format!("no event `{name}` has happened; of the model there were {}", others.join(", ")),
    })
}
