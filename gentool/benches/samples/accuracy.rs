//! How near samples come to the whole run (figure 8 of Arnold and Ryder's framework: its accuracy).

use std::collections::BTreeMap;

use super::cost::TRANSLATED;
use super::guest::{Figures, each, overlap, profile, sampled, stored};
use crate::{INTERVAL, INTERVALS, NEVER, Plan, Target, means, print_row};

/// Checks of a run that is compared.
const CHECKS: u64 = 100_000_000;

/// The same where each of them is a sample and there is no code that counts: all of it is interpreted. Where
/// checks are rare, a run has so many instructions at most.
const INTERPRETED: u64 = 1_000_000;
const MOST_INTERPRETED: u64 = 100_000_000;

/// Most instructions of a run, however few checks there are in it.
const MOST: u64 = 20_000_000_000;

/// Calls that are to be in the samples at the interval of the targets: of fewer, chance makes too much. Where the
/// guest calls too rarely for that, a longer run is compared as well, of so many instructions at most.
const CALLS: u64 = 2_000;
const LONGEST: u64 = 100_000_000_000;

/// Instructions of the run that tells how many checks there are.
const PROBE: u64 = 10_000_000;

/// What a guest's runs are compared by.
struct Compared<'p> {
    plan: &'p Plan,
    guest: &'static str,
}

impl Compared<'_> {
    /// Instructions in which there are so many checks.
    fn length(&self, checks: u64, more: &[String]) -> u64 {
        let options = [sampled(&self.plan.path, NEVER, None), more.to_vec()].concat();
        let probe = profile(TRANSLATED, (self.guest, PROBE), &options, &self.plan.path);
        let found = probe.samples.expect("the run was sampled").checks.max(1);
        let instructions = u128::from(checks) * u128::from(PROBE) / u128::from(found) * 102 / 100;
        u64::try_from(instructions).unwrap_or(MOST).min(MOST) / self.plan.divisor
    }

    fn whole(&self, instructions: u64) -> Figures {
        let path = &self.plan.path;
        Figures::of(&profile(TRANSLATED, (self.guest, instructions), &stored(path), path))
    }

    /// Checks, samples and figures.
    fn samples(
        &self,
        instructions: u64,
        (interval, seed): (u64, Option<u64>),
        more: &[String],
    ) -> ([u64; 2], Figures) {
        let options = [sampled(&self.plan.path, interval, seed), more.to_vec()].concat();
        let profile = profile(TRANSLATED, (self.guest, instructions), &options, &self.plan.path);
        let samples = profile.samples.expect("the run was sampled");
        ([samples.checks, samples.samples], Figures::of(&profile))
    }
}

/// Prints the tables; gives what the targets are about.
pub(crate) fn measure(plan: &Plan) -> Vec<Target> {
    println!(
        "Percent of the calls, and of the accesses to memory, that samples and the whole run have in common, \
         sample by sample at the same distance and *at random*. All duplicated, and what carries \
         instrumentation, which counts the same of them:\n"
    );
    println!("| guest | interval | checks | samples | calls | at random | accesses | at random |");
    println!("|---|---:|---:|---:|---:|---:|---:|---:|");
    let duplicated = table(plan, duplicated);
    println!(
        "Without duplication, each call and each instruction that accesses memory a check. Interval 1 is \
         interpreted, in runs of {INTERPRETED} checks, or {MOST_INTERPRETED} instructions:\n"
    );
    println!(
        "| guest | interval | calls passed | samples | calls | at random | accesses passed | samples | accesses | \
         at random |"
    );
    println!("|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|");
    let not = table(plan, not_duplicated);
    vec![
        Target::AtLeast("calls that agree at interval 1,000, all duplicated, percent", duplicated[0], 97.0),
        Target::AtLeast("calls that agree at interval 1,000, nothing duplicated, percent", not[0], 97.0),
        Target::AtLeast("the same at random, percent", not[1], 97.0),
    ]
}

/// Rows of percents by interval.
type Rows = BTreeMap<u64, Vec<Vec<f64>>>;

/// A table with the means of all guests; gives those of the interval that targets are about.
fn table(plan: &Plan, of: impl Fn(&Compared<'_>, &mut Rows)) -> Vec<f64> {
    let mut rows = Rows::new();
    for guest in &plan.guests {
        of(&Compared { plan, guest }, &mut rows);
    }
    println!("\nMeans:\n\n| interval | |\n|---:|---|");
    for (interval, rows) in &rows {
        print_row(&interval.to_string(), &means(rows));
    }
    println!();
    means(&rows[&INTERVAL])
}

fn duplicated(compared: &Compared<'_>, rows: &mut Rows) {
    let length = compared.length(CHECKS, &[]);
    let whole = compared.whole(length);
    for interval in INTERVALS {
        let (fixed, mut row) = duplicated_at(compared, length, interval, &whole);
        if interval == INTERVAL && whole.passed_calls < CALLS * INTERVAL {
            let times = (CALLS * INTERVAL).div_ceil(whole.passed_calls.max(1));
            let longer = length.saturating_mul(times).min(LONGEST);
            (_, row) = duplicated_at(compared, longer, interval, &compared.whole(longer));
        }
        rows.entry(interval).or_default().push(row);
        if interval == INTERVAL {
            let only = |what: &str| super::guest::options(&["--sample-only", what]);
            let partial = |what| compared.samples(length, (interval, None), &only(what)).1;
            assert!(partial("calls").calls == fixed.calls, "partial duplication counts the same calls");
            let accesses = partial("accesses").accesses;
            assert!(accesses == fixed.accesses, "partial duplication counts the same accesses");
        }
    }
}

/// Prints a row: how much of the calls and accesses of a run is the same in its samples. Gives the figures of those
/// at equal distances, and the row.
fn duplicated_at(
    compared: &Compared<'_>,
    instructions: u64,
    interval: u64,
    whole: &Figures,
) -> (Figures, Vec<f64>) {
    let ([checks, samples], fixed) = compared.samples(instructions, (interval, None), &[]);
    let (_, random) = compared.samples(instructions, (interval, Some(1)), &[]);
    let row = vec![
        overlap(&whole.calls, &fixed.calls),
        overlap(&whole.calls, &random.calls),
        overlap(&whole.accesses, &fixed.accesses),
        overlap(&whole.accesses, &random.accesses),
    ];
    print_row(&format!("{} | {interval} | {checks} | {samples}", compared.guest), &row);
    (fixed, row)
}

fn not_duplicated(compared: &Compared<'_>, rows: &mut Rows) {
    let kinds = ["calls", "accesses"];
    let long = kinds.map(|what| compared.length(CHECKS, &each(what)));
    let short = kinds.map(|what| compared.length(INTERPRETED, &each(what)).min(MOST_INTERPRETED));
    let wholes = [long, short].map(|lengths| lengths.map(|length| compared.whole(length)));
    for interval in INTERVALS {
        let (lengths, [calls, accesses]) = match interval {
            1 => (short, &wholes[1]),
            _ => (long, &wholes[0]),
        };
        let of = |at: usize, seed| compared.samples(lengths[at], (interval, seed), &each(kinds[at]));
        let ([calls_passed, of_calls], fixed_calls) = of(0, None);
        let ([passed, samples], fixed_accesses) = of(1, None);
        let row = vec![
            overlap(&calls.calls, &fixed_calls.calls),
            overlap(&calls.calls, &of(0, Some(1)).1.calls),
            overlap(&accesses.accesses, &fixed_accesses.accesses),
            overlap(&accesses.accesses, &of(1, Some(1)).1.accesses),
        ];
        println!(
            "| {} | {interval} | {calls_passed} | {of_calls} | {:.2} | {:.2} | {passed} | {samples} | {:.2} | {:.2} |",
            compared.guest, row[0], row[1], row[2], row[3]
        );
        rows.entry(interval).or_default().push(row);
    }
}
