//! How much each element of a register file is used.

use std::collections::BTreeMap;

use isac_ir::Model;
use sim_profile::coverage::format_percent;

use super::section::Align::{Left, Right};
use super::section::Section;
use super::step::{Steps, is_pc};

/// A list for each register file: elements by ascending use.
pub(super) fn registers(model: &Model, steps: &Steps) -> Vec<Section> {
    let mut used: BTreeMap<(u32, u32), (u64, u64)> = BTreeMap::new();
    for touch in steps.by_address.values().flat_map(|step| &step.touches) {
        let (reads, writes) = used.entry(touch.element).or_default();
        (*reads, *writes) = (reads.saturating_add(touch.reads), writes.saturating_add(touch.writes));
    }
    let files =
        (0..).zip(&model.registers).filter_map(|(file, register)| Some((file, register, register.count?)));
    let touched = files.filter(|(file, ..)| used.keys().any(|(register, _)| register == file));
    let sections = touched.map(|(file, register, count)| {
        let mut elements: Vec<(u64, u32)> = (0..count)
            .filter(|element| register.hardwired_value(*element).is_none() && !is_pc(model, (file, *element)))
            .map(|element| {
                let (reads, writes) = used.get(&(file, element)).copied().unwrap_or_default();
                (reads.saturating_add(writes), element)
            })
            .collect();
        elements.sort();
        let all = elements.iter().fold(0_u64, |sum, (accesses, _)| sum.saturating_add(*accesses));
        let never = elements.iter().filter(|(accesses, _)| *accesses == 0).count();
        let rows = elements.iter().map(|(accesses, element)| {
            let (reads, writes) = used.get(&(file, *element)).copied().unwrap_or_default();
            let name = model.element_names(file, (*element).into()).first().cloned().unwrap_or_default();
            vec![name, reads.to_string(), writes.to_string(), format_percent(*accesses, all)]
        });
        Section {
            title: "Registers hardly used",
            note: format!(
                "Of {}: accesses by operands that are written as the register, in percent of {all}; {never} of \
                 {} registers were never used.",
                register.name,
                elements.len()
            ) + &steps.remark(),
            columns: vec![("register", Left), ("reads", Right), ("writes", Right), ("%", Right)],
            rows: rows.collect(),
        }
    });
    sections.collect()
}
