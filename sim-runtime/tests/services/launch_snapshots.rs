//! Profiles that are stored while a run goes on.

use std::fs;

use sim_profile::read_profile;
use sim_runtime::Stop;
use sim_runtime::launcher::{Stdio, launch};

use crate::fake::FakeEngine;
use crate::launch::{Bench, halting};

/// Cycles of the profile in a file; none if it is not there.
fn cycles(bench: &Bench, name: &str) -> Option<u64> {
    let stored = fs::read(bench.path(name)).ok()?;
    Some(read_profile(&stored[..]).expect("a profile").measurement.cycles)
}

#[test]
fn a_snapshot_comes_after_every_so_many_instructions() {
    let bench = Bench::new();
    let mut engine = halting(3);
    let outcome = bench.run(&mut engine, "--profile @p --snapshot-every 30 --stats");
    assert_eq!((outcome.status, &engine.budgets[..]), (3, &[30, 30, 30, 30][..]));
    let stored = ["p.1", "p.2", "p.3", "p.4", "p"].map(|name| cycles(&bench, name));
    assert_eq!(stored, [Some(60), Some(120), Some(180), None, Some(200)]);
    let summary =
        outcome.messages.lines().find(|line| line.starts_with("3 snapshots, ")).expect("it is told");
    assert!(summary.ends_with(" seconds for one at most"), "{summary}");
}

#[test]
fn a_limit_and_a_snapshot_may_fall_together() {
    let bench = Bench::new();
    let mut engine = FakeEngine::new(None, Stop::Budget);
    let outcome = bench.run(&mut engine, "--profile @p --snapshot-every 40 --limit-instructions 80");
    assert_eq!((outcome.status, engine.ended), (124, 80));
    assert_eq!(
        ["p.1", "p.2", "p.3", "p"].map(|name| cycles(&bench, name)),
        [Some(80), Some(160), None, Some(160)]
    );
}

#[test]
fn a_snapshot_comes_when_it_is_asked_for() {
    let bench = Bench::new();
    let (stdio, _, _) = Stdio::captured(b"");
    let request = stdio.snapshot.clone();
    let mut slices = 0;
    let mut engine = FakeEngine::new(None, Stop::Budget).with_action(move |_, _| {
        slices += 1;
        if slices == 2 {
            request.raise();
        }
    });
    let options = bench.options("--profile @p --limit-instructions 50K");
    assert_eq!(launch(&mut engine, &bench.info, &options, stdio), 124);
    let asked = engine.budgets[..2].iter().sum::<u64>() * engine.cycles_each;
    assert_eq!(["p.1", "p.2", "p"].map(|name| cycles(&bench, name)), [Some(asked), None, Some(100_000)]);
}

#[test]
fn snapshots_come_after_so_many_seconds() {
    let bench = Bench::new();
    let mut engine = FakeEngine::new(None, Stop::Budget);
    let outcome = bench.run(&mut engine, "--profile @p --snapshot-every 0.01s --timeout 0.2");
    assert_eq!(outcome.status, 124);
    let (first, second) = (cycles(&bench, "p.1").expect("a first"), cycles(&bench, "p.2").expect("a second"));
    assert!(first < second && Some(second) <= cycles(&bench, "p"), "{first}, {second}");
}

#[test]
fn a_snapshot_that_cannot_be_made_is_told_and_the_run_goes_on() {
    let bench = Bench::new();
    fs::create_dir(bench.path("p.1")).expect("a folder");
    let outcome = bench.run(&mut halting(0), "--profile @p --snapshot-every 40");
    assert_eq!(outcome.status, 125);
    assert!(
        outcome.messages.starts_with("error: the snapshot could not be written to @p.1: is a directory"),
        "{}",
        outcome.messages
    );
    assert_eq!(cycles(&bench, "p"), Some(200));

    let (stdio, _, messages) = Stdio::captured(b"");
    stdio.snapshot.raise();
    assert_eq!(launch(&mut halting(0), &bench.info, &bench.options(""), stdio), 0);
    assert_eq!(messages.text(), "");
}
