//! The functions that cost most: cycles, stalls, accesses to memory.

use std::cmp::Reverse;
use std::fmt::Write as _;

use super::annotated_source::write_notes;
use super::function_names::FunctionNames;
use crate::coverage::format_percent;
use crate::program::{Cost, ProgramProfile};
use crate::spent::format_cpi;

/// How many functions each table shows.
const SHOWN: usize = 5;

/// Three tables of the most expensive functions, and the cycles per instruction as they are and as
/// they would be if no cycle were lost.
pub fn render_most_expensive(profile: &ProgramProfile<'_>) -> String {
    let functions = profile.cost_by_function();
    let mut total = Cost::default();
    functions.values().for_each(|cost| total.add(cost));
    let mut out = String::new();
    let ideal = total.cycles.saturating_sub(total.lost);
    let _ = writeln!(
        out,
        "cycles per instruction: {} ({} without stalls)\n",
        format_cpi(total.cycles, total.executed),
        format_cpi(ideal, total.executed)
    );
    let names = FunctionNames::of(profile.program);
    let data = |cost: &Cost| cost.accesses.reads.saturating_add(cost.accesses.writes);
    type Figure<'a> = &'a dyn Fn(&Cost) -> u64;
    let tables: [(&str, Figure<'_>); 3] =
        [("cycles", &|cost| cost.cycles), ("stalls", &|cost| cost.lost), ("memory accesses", &data)];
    for (title, figure) in tables {
        let whole = figure(&total);
        let _ = writeln!(out, "{title:>16}       %      CPI  ideal CPI  function");
        let mut order: Vec<_> = functions.iter().filter(|(_, cost)| figure(cost) > 0).collect();
        order.sort_by_key(|(number, cost)| (Reverse(figure(cost)), **number));
        if order.is_empty() {
            let _ = writeln!(out, "{:>16}", "none");
        }
        for (number, cost) in order.into_iter().take(SHOWN) {
            let (share, name) = (format_percent(figure(cost), whole), names.number(*number));
            let cpi = format_cpi(cost.cycles, cost.executed);
            let ideal = format_cpi(cost.cycles.saturating_sub(cost.lost), cost.executed);
            let _ = writeln!(out, "{:>16} {share:>7} {cpi:>8} {ideal:>10}  {name}", figure(cost));
        }
        out.push('\n');
    }
    write_notes(&mut out, profile.program.notes());
    out
}
