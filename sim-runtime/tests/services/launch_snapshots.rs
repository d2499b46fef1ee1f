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
    let (stdio, _, _) = Stdio::captured(b"");
    let (interrupt, second) = (stdio.interrupt.clone(), bench.path("p.2"));
    // The run ends when there are two, however long that takes.
    let mut engine = FakeEngine::new(None, Stop::Budget).with_action(move |_, _| {
        if second.exists() {
            interrupt.raise();
        }
    });
    let options = bench.options("--profile @p --snapshot-every 0.01s");
    assert_eq!(launch(&mut engine, &bench.info, &options, stdio), 124);
    let (first, second) = (cycles(&bench, "p.1").expect("a first"), cycles(&bench, "p.2").expect("a second"));
    assert!(first < second && Some(second) <= cycles(&bench, "p"), "{first}, {second}");
}

#[test]
fn a_snapshot_that_cannot_be_made_is_told_and_the_run_goes_on() {
    let bench = Bench::new();
    // Somebody makes a folder in its place while the run goes on.
    let place = bench.path("p.1");
    let mut engine = halting(0).with_action(move |_, _| fs::create_dir_all(&place).expect("a folder"));
    let outcome = bench.run(&mut engine, "--profile @p --snapshot-every 20");
    assert_eq!(outcome.status, 125);
    let why =
        "@p.1 is called as a snapshot is, and is no stored profile; move it away, or name another --profile";
    let count = "4 snapshots or parts of the run have failed, the last of them so: ";
    assert_eq!(outcome.messages, format!("error: {why}\nerror: {count}{why}\n"));
    assert_eq!(cycles(&bench, "p"), Some(200));

    let (stdio, _, messages) = Stdio::captured(b"");
    stdio.snapshot.raise();
    assert_eq!(launch(&mut halting(0), &bench.info, &bench.options(""), stdio), 0);
    assert_eq!(messages.text(), "");
}

/// Whoever waits for the second snapshot need not wait for the end to learn that there is none.
#[test]
fn the_first_snapshot_that_fails_is_told_at_once() {
    let bench = Bench::new();
    let (stdio, _, messages) = Stdio::captured(b"");
    let (place, told) = (bench.path("p.1"), messages.clone());
    let mut slices = 0;
    let mut engine = halting(0).with_action(move |_, _| {
        slices += 1;
        match slices {
            1 => fs::create_dir(&place).expect("a folder"),
            _ => assert_eq!(told.text().lines().count(), 1),
        }
    });
    let options = bench.options("--profile @p --snapshot-every 1");
    assert_eq!(launch(&mut engine, &bench.info, &options, stdio), 125);
    assert_eq!(messages.text().lines().count(), 2, "{}", messages.text());
    assert!(messages.text().contains("99 snapshots"), "{}", messages.text());
}

#[test]
fn snapshots_of_an_earlier_run_do_not_stay_among_those_of_a_later_one() {
    let bench = Bench::new();
    let stored =
        |names: &[&str]| -> Vec<Option<u64>> { names.iter().map(|name| cycles(&bench, name)).collect() };
    bench.run(&mut halting(0), "--profile @p --snapshot-every 15");
    assert_eq!(stored(&["p.1", "p.6", "p.7"]), [Some(30), Some(180), None]);
    bench.run(&mut halting(0), "--profile @p --snapshot-every 40");
    assert_eq!(stored(&["p.1", "p.2", "p.3", "p.6"]), [Some(80), Some(160), None, None]);
    // A run that takes none leaves them, unless it is asked for one.
    bench.run(&mut halting(0), "--profile @p");
    assert_eq!(stored(&["p.1", "p.2"]), [Some(80), Some(160)]);
    let (stdio, _, _) = Stdio::captured(b"");
    stdio.snapshot.raise();
    let mut engine = FakeEngine::new(Some(30_000), Stop::Halted(0));
    assert_eq!(launch(&mut engine, &bench.info, &bench.options("--profile @p"), stdio), 0);
    assert_eq!(stored(&["p.1", "p.2"]), [Some(20_000), None]);
}

/// A file that no run has stored is not written over, and what it lies in the way of does not begin.
#[test]
fn what_is_called_as_a_snapshot_is_and_is_none_stays() {
    let bench = Bench::new();
    bench.run(&mut halting(0), "--profile @p --snapshot-every 40");
    fs::write(bench.path("p.3"), "notes").expect("a file");
    let mut engine = halting(0);
    let outcome = bench.run(&mut engine, "--profile @p --snapshot-every 40");
    assert_eq!((outcome.status, engine.ended), (125, 0));
    let why =
        "@p.3 is called as a snapshot is, and is no stored profile; move it away, or name another --profile";
    assert_eq!(outcome.messages, format!("error: {why}\n"));
    assert_eq!(cycles(&bench, "p.2"), Some(160));
    // Behind a gap it may never come in the way.
    fs::rename(bench.path("p.3"), bench.path("p.5")).expect("it can be renamed");
    assert_eq!(bench.run(&mut halting(0), "--profile @p --snapshot-every 30").status, 0);
    let outcome = bench.run(&mut halting(0), "--profile @p --snapshot-every 15");
    assert_eq!((outcome.status, cycles(&bench, "p.4")), (125, Some(120)));
    assert_eq!(fs::read_to_string(bench.path("p.5")).expect("it is there"), "notes");
}

/// Pauses say nothing of how fast the run is: were each taken for a slice that has soon ended, the next one
/// without a pause would take for ever.
#[test]
fn a_run_that_has_paused_often_is_asked_as_often_as_before() {
    let bench = Bench::new();
    let mut engine = FakeEngine::new(None, Stop::Budget).with_pauses(60);
    let outcome = bench.run(&mut engine, "--profile @p --snapshot-at 0x10004 --limit-instructions 20K");
    assert_eq!(outcome.status, 124, "{}", outcome.messages);
    assert!(engine.budgets.iter().all(|budget| *budget <= 10_000), "{:?}", engine.budgets);
    assert!(bench.path("p.60").exists() && !bench.path("p.61").exists());
}

/// Where an engine comes back for reasons of its own, the run has come to no place.
#[test]
fn a_pause_elsewhere_is_no_arrival() {
    let bench = Bench::new();
    let mut engine = FakeEngine::new(None, Stop::Budget).with_pauses(3);
    engine.is_at_address = false;
    let outcome = bench.run(&mut engine, "--profile @p --snapshot-at 0x10004 --limit-instructions 20K");
    assert_eq!((outcome.status, engine.ended), (124, 20_000));
    assert!(!bench.path("p.1").exists());
}
