//! What of the instruction set was never used.

use std::collections::BTreeMap;

use sim_profile::Measurement;
use sim_profile::coverage::{Coverage, format_percent};
use sim_profile::html::{Description, OperandValue};

use super::section::Align::{Left, Right};
use super::section::Section;

/// Instructions of the set that no run executed.
pub(super) fn instructions(measurement: &Measurement) -> Section {
    let coverage = Coverage::of(measurement);
    let (used, total) = (coverage.used, coverage.total);
    Section {
        title: "Instructions never used",
        note: format!(
            "{} of {total} instructions of the set were never executed ({} %).",
            coverage.unused.len(),
            format_percent(total - used, total)
        ),
        columns: vec![("instruction", Left)],
        rows: coverage.unused.into_iter().map(|name| vec![name]).collect(),
    }
}

/// Values that operands of executed instructions never had.
pub(super) fn forms(description: &Description, measurement: &Measurement) -> Section {
    let mut used: BTreeMap<&str, (u64, Vec<Vec<bool>>)> = BTreeMap::new();
    for (key, chosen) in &description.chosen {
        let Some(record) = measurement.instructions.get(key).filter(|record| record.executed > 0) else {
            continue;
        };
        for (name, values) in chosen {
            let Some(space) = description.operands.get(name) else { continue };
            let fresh = || (0, space.places.iter().map(|place| vec![false; place.values.len()]).collect());
            let (executed, seen) = used.entry(name.as_str()).or_insert_with(fresh);
            *executed = executed.saturating_add(record.executed);
            for (seen, value) in seen.iter_mut().zip(values) {
                if let OperandValue::Listed(index) = value {
                    seen[*index] = true;
                }
            }
        }
    }
    let mut rows = Vec::new();
    for (name, (executed, seen)) in &used {
        for (place, seen) in description.operands[*name].places.iter().zip(seen) {
            let never: Vec<&str> = (place.values.iter().zip(seen))
                .filter_map(|(value, seen)| (!seen).then_some(value.as_str()))
                .collect();
            if !never.is_empty() {
                let row = [name.to_string(), place.name.clone(), executed.to_string()];
                let counts = [never.len().to_string(), place.values.len().to_string()];
                rows.push((*executed, [&row[..], &counts, &[never.join(" ")]].concat()));
            }
        }
    }
    // Instructions that ran most first: what they lack says most.
    rows.sort_by_key(|(executed, _)| std::cmp::Reverse(*executed));
    Section {
        title: "Forms of operands never used",
        note: "Of instructions that were executed: values, or classes of values, that an operand never had."
            .to_owned(),
        columns: vec![
            ("instruction", Left),
            ("operand", Left),
            ("executed", Right),
            ("never", Right),
            ("of", Right),
            ("values", Left),
        ],
        rows: rows.into_iter().map(|(_, row)| row).collect(),
    }
}
