//! What handlers of interrupts have cancelled and come back to.
//!
//! Where instructions do not overlap, an interrupt may cancel the instruction that it strikes, which runs when the
//! handler comes back to it: the program has come to it once. No transfer is from what was cancelled; but what
//! comes to a handler that way comes from nowhere. An instruction that was cancelled for another reason, as by
//! a condition of its own, leads to the next one; a call of the environment never runs to its end, and comes back to
//! there.

use std::collections::{BTreeMap, BTreeSet};

use crate::measurement::count;
use crate::program::ProgramProfile;
use crate::spent::spent_by_address;
use crate::{Transfer, Transfers};

/// What is known of an instruction's address.
#[derive(Default)]
struct Place {
    executed: u64,
    cancelled: u64,
    /// Transfers from there, and to there.
    left: u64,
    reached: u64,
}

/// How often each instruction was cancelled and a handler has come back to it; of nothing where instructions overlap.
pub(super) fn cancelled_by_handlers(
    profile: &ProgramProfile<'_>,
    transfers: &Transfers<'_>,
) -> BTreeMap<u64, u64> {
    let places = places(profile);
    let overlaps = !profile.measurement.tables.stages.is_empty();
    if overlaps || places.values().all(|place| place.cancelled == 0) {
        return BTreeMap::new();
    }
    let spent = spent_by_address(profile.measurement);
    let begun = |address: u64| spent.get(&Some(address)).map_or(0, |spent| spent.begun);
    let fallen = |place: &Place| place.executed.saturating_sub(place.left);
    // Arrivals that no transfer and nothing executed before tells.
    let mut untold: BTreeMap<u64, u64> = places
        .iter()
        .map(|(&address, place)| (address, begun(address).saturating_sub(place.reached)))
        .collect();
    let mut cancelled = BTreeMap::new();
    for (&address, place) in &places {
        let next = transfers.successor(address).and_then(|next| untold.get_mut(&next));
        let mut going = place.cancelled;
        if let Some(untold) = next {
            *untold = untold.saturating_sub(fallen(place));
            going -= going.min(*untold);
            *untold = untold.saturating_sub(place.cancelled);
        }
        // What was cancelled each time traps, and has not run when a handler had come back.
        if going > 0 && place.executed > 0 {
            cancelled.insert(address, going);
        }
    }
    let program = profile.program;
    let untold = untold.iter().filter(|(_, times)| **times > 0);
    let handlers: BTreeSet<u32> = untold.map(|(address, _)| program.function_at(*address)).collect();
    let mut back: BTreeMap<u64, u64> = BTreeMap::new();
    for ((from, to), kind, times) in transfers.iter() {
        let function = program.function_at(from);
        let is_back = kind != Transfer::Call && cancelled.contains_key(&to);
        if is_back && function != program.function_at(to) && handlers.contains(&function) {
            count(back.entry(to).or_default(), times);
        }
    }
    cancelled.retain(|address, times| {
        *times = (*times).min(back.get(address).copied().unwrap_or(0));
        *times > 0
    });
    cancelled
}

fn places(profile: &ProgramProfile<'_>) -> BTreeMap<u64, Place> {
    let mut places: BTreeMap<u64, Place> = BTreeMap::new();
    for (key, record) in &profile.measurement.instructions {
        let place = places.entry(key.address).or_default();
        count(&mut place.executed, record.executed);
        count(&mut place.cancelled, record.cancelled);
    }
    for (&(from, to), &times) in &profile.measurement.transfers {
        count(&mut places.entry(from).or_default().left, times);
        count(&mut places.entry(to).or_default().reached, times);
    }
    places
}
