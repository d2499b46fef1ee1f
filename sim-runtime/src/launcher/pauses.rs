//! Where a run pauses for its user: parts begin and end there, and snapshots are taken.

use std::collections::BTreeSet;

use isac_ir::Model;
use sim_profile::symbols::ImageFile;

use crate::engine::Engine;
use crate::launcher::options::RunOptions;
use crate::launcher::parts::{Bounds, find_places};
use crate::record::code_names;

/// Where a run pauses for its user, by address.
#[derive(Debug, Clone, Default)]
pub(super) struct Pauses {
    pub(super) bounds: Bounds,
    pub(super) snapshots: BTreeSet<u64>,
}

impl Pauses {
    /// All of these addresses.
    pub(super) fn all(&self) -> BTreeSet<u64> {
        let Pauses { bounds: Bounds { from, until }, snapshots } = self;
        from.iter().chain(until).chain(snapshots).copied().collect()
    }
}

/// Has the run pause where the options say.
///
/// # Errors
/// There is no such place, or the engine cannot pause.
pub(super) fn find_pauses(
    engine: &mut dyn Engine,
    options: &RunOptions,
    files: &[ImageFile<'_>],
) -> Result<Pauses, String> {
    if !options.is_counted_in_parts() && options.snapshot_at.is_empty() {
        return Ok(Pauses::default());
    }
    let names = engine.model().map(|model| code_names(model, files)).unwrap_or_default();
    let from = find_places("--count-from", &options.count_from, &names)?;
    let until = find_places("--count-until", &options.count_until, &names)?;
    let snapshots = find_places("--snapshot-at", &options.snapshot_at, &names)?;
    let pauses = Pauses { bounds: Bounds { from, until }, snapshots };
    match engine.pause_at(&pauses.all()) {
        true => Ok(pauses),
        false => Err(no_pauses(engine, options)),
    }
}

/// Why a run does not pause at addresses, and what to do.
fn no_pauses(engine: &dyn Engine, options: &RunOptions) -> String {
    let given = options.pauses().join(" and ");
    if engine.model().is_some_and(Model::overlaps) {
        return format!(
            "no moment lies between two instructions where they overlap, so that {given} cannot be; leave it out"
        );
    }
    // All engines can, unless a debugger is around them.
    format!("a run that is debugged has no {given}; leave it out")
}
