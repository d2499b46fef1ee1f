//! What was guessed against what was measured, as text.

use std::cmp::Reverse;

use super::line::line;
use crate::ModelTables;
use crate::coverage::format_percent;
use crate::flow::{
    BranchGuess, Choice, ProgramFlow, RoutineComparison, RoutineCost, RoutineFlow, compare_estimates,
};

/// Where the random tree begins: any number does, and the same one gives the same report.
const SEED: u64 = 1;

/// Tables of functions by their edges and counters, of what counters count as they are placed, and of
/// branches, guessed and measured. `name_of` names a function by its number.
pub fn render_estimates(
    flow: &ProgramFlow,
    routines: &[RoutineFlow],
    tables: &ModelTables,
    name_of: impl Fn(u32) -> String,
) -> String {
    let compared: Vec<(String, RoutineComparison)> = routines
        .iter()
        .map(|routine| (name_of(routine.part), compare_estimates(flow, routine, SEED)))
        .collect();
    let mut out = String::new();
    write_edges(&mut out, &compared);
    let mut all = RoutineCost::default();
    compared.iter().for_each(|(_, routine)| all.add(&routine.cost));
    write_counters(&mut out, &all);
    write_branches(&mut out, &compared, tables);
    out
}

fn write_edges(out: &mut String, compared: &[(String, RoutineComparison)]) {
    line(out, format_args!("edges with a counter\n"));
    line(out, format_args!("{:>8} {:>8} {:>8} {:>8}  function", "blocks", "naive", "optimal", "percent"));
    let mut sorted: Vec<_> = compared.iter().map(|(name, routine)| (name.as_str(), &routine.cost)).collect();
    sorted.sort_by_key(|(name, cost)| (Reverse(cost.taken), *name));
    let mut all = RoutineCost::default();
    sorted.iter().for_each(|(_, cost)| all.add(cost));
    sorted.push(("all", &all));
    for (name, cost) in sorted {
        let percent = format_percent(cost.counters, cost.edges);
        line(
            out,
            format_args!("{:>8} {:>8} {:>8} {percent:>8}  {name}", cost.blocks, cost.edges, cost.counters),
        );
    }
}

fn write_counters(out: &mut String, all: &RoutineCost) {
    line(out, format_args!("\nwhat the counters count\n"));
    line(out, format_args!("{:>20} {:>8}  counters", "counted", "percent"));
    for (choice, &counted) in Choice::ALL.iter().zip(&all.counted) {
        let name = match choice {
            Choice::Every => "on every edge",
            Choice::Random => "off a random tree",
            Choice::Naive => "off the tree of the naive estimate",
            Choice::WuLarus => "off the tree of Wu and Larus's estimate",
            Choice::Measured => "off the tree of this profile",
        };
        line(out, format_args!("{counted:>20} {:>8}  {name}", format_percent(counted, all.taken)));
    }
}

fn write_branches(out: &mut String, compared: &[(String, RoutineComparison)], tables: &ModelTables) {
    let mut branches: Vec<(&BranchGuess, &str)> = compared
        .iter()
        .flat_map(|(name, routine)| routine.branches.iter().map(move |branch| (branch, name.as_str())))
        .collect();
    branches.sort_by_key(|(branch, _)| (Reverse(branch.executed), branch.address));
    line(out, format_args!("\nbranches with two sides: how often one is taken, in percent\n"));
    let executed: u64 = branches.iter().fold(0, |sum, (branch, _)| sum.saturating_add(branch.executed));
    for (name, guess) in GUESSES {
        let (mut right, mut off) = (0.0, 0.0);
        for (branch, _) in &branches {
            let (measured, guessed, times) = (measured_of(branch), guess(branch), branch.executed as f64);
            right += times * agreement(measured, guessed);
            off += times * (measured - guessed).abs();
        }
        let of_all = |part: f64| if executed == 0 { 0.0 } else { 100.0 * part / executed as f64 };
        let (right, off) = (of_all(right), of_all(off));
        line(out, format_args!("{name:<11} {right:>6.2} of 100 go as guessed, on average {off:.2} off"));
    }
    line(
        out,
        format_args!(
            "\n{:>20} {:>8} {:>7} {:>9}  branch and side",
            "executed", "measured", "naive", "wu-larus"
        ),
    );
    for (branch, name) in branches {
        let address = tables.format_address(branch.address);
        let target = branch.target.map_or("out".to_owned(), |target| tables.format_address(target));
        let measured = format_percent(branch.taken, branch.executed);
        let [naive, wu_larus] = [branch.naive, branch.wu_larus].map(|value| 100.0 * value);
        line(
            out,
            format_args!(
                "{:>20} {measured:>8} {naive:>7.2} {wu_larus:>9.2}  {address} -> {target} {name}",
                branch.executed
            ),
        );
    }
}

type Guess = fn(&BranchGuess) -> f64;

const GUESSES: [(&str, Guess); 2] =
    [("naive", |branch| branch.naive), ("wu-larus", |branch| branch.wu_larus)];

fn measured_of(branch: &BranchGuess) -> f64 {
    branch.taken as f64 / branch.executed as f64
}

/// How many of the executions went to the side that was guessed; half of them if none was.
fn agreement(measured: f64, guessed: f64) -> f64 {
    // What is as near to the middle as this comes of rounding.
    const EVEN: f64 = 1e-9;
    if (guessed - 0.5).abs() < EVEN {
        0.5
    } else if guessed > 0.5 {
        measured
    } else {
        1.0 - measured
    }
}
