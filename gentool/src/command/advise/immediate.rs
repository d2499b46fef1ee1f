//! Constants that instructions carry, and how often each was used.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use sim_profile::coverage::format_percent;

use super::section::Align::{Left, Right};
use super::section::Section;
use super::step::{Steps, Value};

/// The constants that were executed most, and at how many addresses, where there are any.
pub(super) fn immediates(steps: &Steps, has_addresses: bool) -> Section {
    let mut counts: BTreeMap<(&str, &str, &str), (u64, u64)> = BTreeMap::new();
    let mut executed: BTreeMap<&str, u64> = BTreeMap::new();
    for step in steps.by_address.values() {
        *executed.entry(&step.name).or_default() += step.executed;
        for operand in &step.operands {
            if let Value::Immediate(value) = &operand.value {
                let (sum, places) = counts.entry((&step.name, &operand.name, value)).or_default();
                *sum = sum.saturating_add(step.executed);
                *places += 1;
            }
        }
    }
    let mut found: Vec<_> = counts.into_iter().collect();
    found.sort_by_key(|(_, (sum, _))| Reverse(*sum));
    let rows = found.into_iter().map(|((name, operand, value), (sum, places))| {
        let share = format_percent(sum, executed[name]);
        vec![
            sum.to_string(),
            share,
            if has_addresses { places.to_string() } else { "-".to_owned() },
            name.to_owned(),
            operand.to_owned(),
            value.to_owned(),
        ]
    });
    Section {
        title: "Hot immediates",
        note: "How often an instruction was executed with a constant, in percent of all its executions; at \
               how many addresses."
            .to_owned()
            + &steps.remark(),
        columns: vec![
            ("executed", Right),
            ("%", Right),
            ("places", Right),
            ("instruction", Left),
            ("operand", Left),
            ("value", Left),
        ],
        rows: rows.collect(),
    }
}
