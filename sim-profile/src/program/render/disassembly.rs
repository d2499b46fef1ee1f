//! The instructions that were executed, with what each cost.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::annotated_source::{write_idle, write_notes};
use super::function_names::FunctionNames;
use crate::measurement::count;
use crate::path::{PathTree, instruction_of};
use crate::program::ProgramProfile;
use crate::spending_of;
use crate::spent::Spent;

/// A table by address: cycles, executions, address, opcode, how often it jumped, cycles per
/// instruction, cycles in which it kept others from beginning, text. Each function stands under its
/// name; an address at which several instructions stood has a row for each, of which the first has the
/// jumps.
pub fn render_disassembly(profile: &ProgramProfile<'_>) -> String {
    let measurement = profile.measurement;
    let names = FunctionNames::of(profile.program);
    let mut taken: BTreeMap<u64, u64> = BTreeMap::new();
    for (&(from, _), &times) in &measurement.transfers {
        count(taken.entry(from).or_default(), times);
    }
    let mut out = String::new();
    let _ = writeln!(
        out,
        "{:>12} {:>12}  {:<18} {:<16} {:>12} {:>8} {:>10}  text",
        "cycles", "count", "address", "opcode", "taken", "CPI", "interlock"
    );
    let mut function = None;
    let mut shown = 0_u64;
    for (key, record) in &measurement.instructions {
        let here = profile.program.function_at(key.address);
        if function.replace(here) != Some(here) {
            let _ = writeln!(out, "\n{}:", names.number(here));
        }
        let spent = Spent::of(record);
        count(&mut shown, spent.cycles());
        let taken = taken.remove(&key.address).unwrap_or(0);
        let address = measurement.tables.format_address(key.address);
        let text = profile.statics.get(key).and_then(|facts| facts.text.clone());
        let text = text.unwrap_or_else(|| mnemonic(&record.name, profile));
        let _ = writeln!(
            out,
            "{:>12} {:>12}  {address:<18} {:<16} {taken:>12} {:>8} {:>10}  {text}",
            spent.cycles(),
            spent.executed,
            key.word.to_string(),
            spent.cpi(),
            spent.overhead.lost_cycles()
        );
    }
    write_idle(&mut out, spending_of(measurement).cycles.saturating_sub(shown));
    write_notes(&mut out, profile.program.notes());
    out
}

/// What stands for the text of an instruction that has none: its operations, operands left out.
fn mnemonic(name: &str, profile: &ProgramProfile<'_>) -> String {
    let Ok(path) = PathTree::parse(name) else { return name.to_owned() };
    instruction_of(&path, &profile.measurement.tables.operands).into_iter().collect::<Vec<_>>().join(" ")
}
