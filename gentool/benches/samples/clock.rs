//! How near samples come to the whole run that the host's clock chooses (figure 9).

use super::guest::{Figures, options, overlap, profile, sampled, stored};
use crate::{Plan, means, print_row};

/// Instructions of a run: a hundred million checks.
const COMPARED: u64 = 1_500_000_000;

/// Microseconds from one sample to the next.
const PERIODS: [u64; 3] = [10, 100, 1_000];

/// Prints the table, beside as many samples that checks have chosen.
pub(crate) fn measure(plan: &Plan) {
    println!(
        "Percent of the calls, and of the accesses, that samples and the whole run have in common, chosen by \
         the clock, as many at every N-th check, and as many *at random*:\n"
    );
    println!(
        "| guest | microseconds | samples | calls: clock | checks | at random | accesses: clock | checks | \
         at random |"
    );
    println!("|---|---:|---:|---:|---:|---:|---:|---:|---:|");
    let mut rows = Vec::new();
    for guest in &plan.guests {
        let run =
            |options: &[String]| profile("translated", (guest, COMPARED / plan.divisor), options, &plan.path);
        let whole = Figures::of(&run(&stored(&plan.path)));
        for period in PERIODS {
            let timer = options(&["--sample-timer", &period.to_string()]);
            let timed = run(&[stored(&plan.path), timer].concat());
            let samples = timed.samples.expect("the run was sampled");
            let interval = (samples.checks / samples.samples.max(1)).max(1);
            let of = |seed| Figures::of(&run(&sampled(&plan.path, interval, seed)));
            let all = [Figures::of(&timed), of(None), of(Some(1))];
            let calls = all.iter().map(|found| overlap(&whole.calls, &found.calls));
            let accesses = all.iter().map(|found| overlap(&whole.accesses, &found.accesses));
            let row: Vec<f64> = calls.chain(accesses).collect();
            print_row(&format!("{guest} | {period} | {}", samples.samples), &row);
            rows.push(row);
        }
    }
    print_row("mean | | ", &means(&rows));
    println!();
}
