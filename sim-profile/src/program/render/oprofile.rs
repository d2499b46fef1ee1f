//! Cycles by file, and by function: the two tables of `opreport`.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::annotated_source::write_notes;
use super::function_names::FunctionNames;
use crate::coverage::format_percent;
use crate::program::{Cost, Program, ProgramProfile};

/// Both tables, the most expensive first.
pub fn render_oprofile(profile: &ProgramProfile<'_>) -> String {
    let program = profile.program;
    let functions = profile.cost_by_function();
    let total = functions.values().fold(0u64, |sum, cost| sum.saturating_add(cost.cycles));
    let mut images: BTreeMap<Option<u32>, Cost> = BTreeMap::new();
    for (number, cost) in &functions {
        images.entry(program.function(*number).image).or_default().add(cost);
    }
    let mut out = String::from("        cycles       %  instructions  image\n");
    let mut images: Vec<_> = images.into_iter().collect();
    images.sort_by_key(|(image, cost)| (Reverse(cost.cycles), *image));
    for (image, cost) in &images {
        let (share, name) = (format_percent(cost.cycles, total), image_name(program, *image));
        let _ = writeln!(out, "{:>14} {share:>7} {:>13}  {name}", cost.cycles, cost.executed);
    }
    out.push_str("\n        cycles       %  instructions  image                symbol\n");
    let names = FunctionNames::of(program);
    let mut functions: Vec<_> = functions.into_iter().collect();
    functions.sort_by_key(|(number, cost)| (Reverse(cost.cycles), *number));
    for (number, cost) in &functions {
        let image = image_name(program, program.function(*number).image);
        let (share, name) = (format_percent(cost.cycles, total), names.number(*number));
        let _ = writeln!(out, "{:>14} {share:>7} {:>13}  {image:<20} {name}", cost.cycles, cost.executed);
    }
    write_notes(&mut out, program.notes());
    out
}

fn image_name(program: &Program, image: Option<u32>) -> &str {
    let image = image.and_then(|image| program.images().get(image as usize));
    image.map_or("(none)", String::as_str)
}
