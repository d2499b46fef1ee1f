//! Where regions find their steps.

use std::sync::Arc;

use sim_runtime::memory::find_range;
use sim_runtime::pause::Pauses;

use super::patched::Patched;
use crate::calls::CallTrail;
use crate::checks::{Checks, accesses_memory};
use crate::code::{Code, Version};
use crate::core::Core;
use crate::region::{self, Numbered, call_returns};
use crate::specialise::{Place, Step, specialise_step};
use crate::steps::Steps;

/// Where regions find their steps.
pub(super) struct Found<'e, 'm> {
    pub(super) core: &'e mut Core<'m>,
    pub(super) steps: &'e mut Steps,
    pub(super) code_map: u32,
    pub(super) pauses: &'e Pauses,
    pub(super) patched: &'e Patched,
    pub(super) checks: Option<Checks>,
    pub(super) version: Version,
    pub(super) calls: Option<&'e mut CallTrail>,
    pub(super) code: Option<&'e Code>,
}

impl region::Steps for Found<'_, '_> {
    fn step_at(&mut self, place: Place) -> Option<(Place, Numbered)> {
        let (model, steps) = (self.core.model(), &mut *self.steps);
        let (own, number, step) = step_at(self.core, steps, self.code_map, place);
        let successor = model.successor(step.address, step.size_cells);
        let is_sampled = self.checks.is_some();
        // Between samples nothing is told.
        let is_counted = !is_sampled || self.version == Version::Counted;
        let tells_values = is_counted && self.core.tells_values(&step);
        let is_apart = tells_values || self.patched.includes(step.address);
        let is_compiled = step.undone.is_some() && !self.pauses.includes(step.address) && !is_apart;
        // Nothing would bound what runs between two checks.
        let is_bounded = !is_sampled || successor > step.address;
        let number = number.filter(|_| is_compiled && is_bounded)?;
        if let Some(calls) = &mut self.calls {
            calls.learn(&step);
        }
        let numbered = Numbered {
            number,
            runs: steps.runs(number),
            mode: own.mode,
            table: steps.table_of(own.address),
            precedes_return: steps.is_behind_call(successor),
            calls: is_sampled && steps.calls(model, number),
            accesses_memory: is_sampled && accesses_memory(&step),
            step,
        };
        Some((own, numbered))
    }

    fn ends_at(&mut self, found: &Numbered, to: u64) -> bool {
        let model = self.core.model();
        if self.calls.as_mut().is_some_and(|calls| calls.is_told(model, &found.step, to)) {
            return true;
        }
        let is_check = || self.checks.is_some_and(|checks| checks.is_check_of(model, found, to));
        self.version != Version::Long && is_check()
    }

    fn is_entry(&self, place: Place) -> bool {
        self.code.is_some_and(|code| code.find(self.version, place).is_some())
    }

    fn is_call(&self, step: &Step, to: u64) -> bool {
        self.calls.as_ref().is_some_and(|calls| calls.is_call(self.core.model(), step, to))
    }

    fn returns(&self, step: &Step) -> bool {
        self.calls.as_ref().is_some_and(|calls| calls.returns(self.core.model(), step))
    }
}

/// The step for a place, decoded now if it is new, with the place that it is of: without what it does
/// not ask for. One that cannot be decoded has no number.
pub(super) fn step_at(
    core: &mut Core<'_>,
    steps: &mut Steps,
    code_map: u32,
    place: Place,
) -> (Place, Option<u32>, Arc<Step>) {
    let has_addresses = core.state.items.has_addresses();
    let bare =
        |core: &Core<'_>, wanted| Place { mode: core.state.items.keep_wanted(place.mode, wanted), ..place };
    let own = match has_addresses.then(|| steps.wanted(bare(core, 0))).flatten() {
        Some(wanted) => bare(core, wanted),
        None => place,
    };
    if let Some(number) = steps.find(own) {
        return (own, Some(number), Arc::clone(steps.step(number)));
    }
    let step = specialise_step(core.model(), &core.state, &core.state.items, own);
    if step.is_undecoded {
        return (own, None, Arc::new(step));
    }
    if has_addresses && steps.wanted(bare(core, 0)).is_none() {
        steps.set_wanted(bare(core, 0), step.wanted);
        return step_at(core, steps, code_map, place);
    }
    mark_code(core, code_map, &step);
    if let Some(returns) = call_returns(core.model(), &core.state.items, &step, own.mode) {
        steps.add_call(returns);
    }
    let number = steps.add(own, step);
    // What was compiled took the instruction behind it for no call.
    core.state.claims_more |= steps.makes_a_call(core.model(), number);
    (own, Some(number), Arc::clone(steps.step(number)))
}

/// Remembers what cells hold a step's code.
pub(super) fn mark_code(core: &mut Core<'_>, code_map: u32, step: &Step) {
    let map = &core.model().maps[code_map as usize];
    let last = isac_ir::bits::mask(map.address_bits) as u64;
    for cell in 0..u64::from(step.seen_cells) {
        if let Some(landing) = find_range(map, step.address.wrapping_add(cell) & last, 1) {
            core.state.mark_code(landing.ram, landing.cell, 1);
        }
    }
    for (ram, cell, cells) in &step.fetched {
        core.state.mark_code(*ram, *cell, u64::from(*cells));
    }
}
