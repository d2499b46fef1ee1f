//! Costs of functions by what was called, against those by address.

use std::collections::BTreeMap;

use sim_profile::spent::spent_by_address;
use sim_profile::{Calls, Measurement};
use sim_runtime::record::FunctionMap;

/// Where instructions overlap: every cycle of the profile belongs to the function that pays for it, which is
/// that of its address unless it was begun in vain. What code without symbols costs is the rest.
pub(crate) fn check_paid(calls: &Calls, measurement: &Measurement, map: &FunctionMap) {
    let function_of = |address: Option<u64>| address.and_then(|address| map.function_at(address));
    let mut paid: BTreeMap<Option<u64>, i128> = BTreeMap::new();
    for (address, spent) in spent_by_address(measurement) {
        *paid.entry(function_of(address)).or_default() += i128::from(spent.cycles());
    }
    for ((place, payer), cycles) in &calls.in_vain {
        *paid.entry(function_of(*place)).or_default() -= i128::from(*cycles);
        *paid.entry(function_of(Some(*payer))).or_default() += i128::from(*cycles);
    }
    let mut own: BTreeMap<Option<u64>, i128> = BTreeMap::new();
    for (start, function) in &calls.functions {
        *own.entry(map.function_at(*start)).or_default() += i128::from(function.own.cycles);
    }
    paid.retain(|_, cycles| *cycles != 0);
    own.retain(|_, cycles| *cycles != 0);
    assert_eq!(own, paid, "cycles by function: as called, and by address; in vain {:?}", calls.in_vain);
}
