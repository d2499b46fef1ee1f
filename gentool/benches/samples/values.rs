//! What it costs to count the values that all instructions read and write.

use super::cost::{LONG, TRANSLATED, lengths, times};
use super::guest::{options, sampled};
use crate::{Plan, means, print_row};

/// Instructions of the two runs whose difference is taken, where all values are counted.
const WHOLE: [(&str, [u64; 2]); 3] =
    [(TRANSLATED, [500_000, 2_500_000]), ("emitted", [500_000, 2_500_000]), ("reference", [50_000, 450_000])];

/// Checks from one sample to the next in the emitted engine.
const SAMPLED_EMITTED: u64 = 1_000;

/// Checks from one sample to the next.
const SAMPLED: [u64; 4] = [100, 1_000, 10_000, 100_000];

/// Prints the table.
pub(crate) fn measure(plan: &Plan) {
    let values = options(&["--values", &plan.path.with_extension("values").to_string_lossy()]);
    println!(
        "Nanoseconds of processor time for one instruction of the guest where the values of all operands are \
         counted: in the translated engine of samples, by interval, in the emitted one of one in {SAMPLED_EMITTED}, \
         and of the whole run:\n"
    );
    let heads: Vec<String> = SAMPLED.iter().rev().map(|interval| format!("{interval} |")).collect();
    println!(
        "| guest | translated, no values | {} emitted, {SAMPLED_EMITTED} | all values, translated | emitted | reference |",
        heads.join(" ")
    );
    println!("|---|{}", "---:|".repeat(SAMPLED.len() + 5));
    let mut rows = Vec::new();
    for guest in &plan.guests {
        let cost = |engine, lengths, ways: Vec<String>| times(plan, engine, guest, lengths, &[ways])[0];
        let mut row = vec![cost(TRANSLATED, LONG, Vec::new())];
        row.extend(SAMPLED.iter().rev().map(|interval| {
            let ways = [sampled(&plan.path, *interval, None), values.clone()].concat();
            cost(TRANSLATED, lengths(TRANSLATED, *interval, true), ways)
        }));
        let ways = [sampled(&plan.path, SAMPLED_EMITTED, None), values.clone()].concat();
        row.push(cost("emitted", [10_000_000, 50_000_000], ways));
        row.extend(WHOLE.map(|(engine, lengths)| cost(engine, lengths, values.clone())));
        print_row(guest, &row);
        rows.push(row);
    }
    print_row("mean", &means(&rows));
    println!();
}
