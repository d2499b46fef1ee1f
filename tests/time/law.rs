//! What holds of every run of the five stages, whatever the program.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Cursor;
use std::rc::Rc;

use isac_ir::Model;
use sim_profile::summary::Summary;
use sim_profile::{Event, EventProfiler, EventSink, EventWriter, Measurement, replay_events};
use sim_runtime::host::Host;
use sim_runtime::record::model_tables;
use sim_runtime::reference::ReferenceEngine;
use sim_runtime::trace::{CycleTrace, MainTrace};
use sim_runtime::{Engine, Stop};

use super::account::Account;
use super::case::Case;
use super::profile::check_profile;
use super::run::{Cycles, load_cells};
use crate::support::law::check_sums;

/// Takes the events as a profiler does, and writes them to memory.
#[derive(Clone)]
struct Events(Rc<RefCell<(EventProfiler, EventWriter<Vec<u8>>)>>);

impl EventSink for Events {
    fn event(&mut self, event: Event<'_>) {
        let (profiler, writer) = &mut *self.0.borrow_mut();
        profiler.event(event);
        writer.event(event);
    }
}

/// Runs a program for so many cycles at most, and checks all laws; how the run ended.
pub(crate) fn check_laws(case: &Case, model: &Model, limit: u64, pieces: &[u64]) -> (Stop, Vec<CycleTrace>) {
    let tables = model_tables(model);
    let writer = EventWriter::new(Vec::new(), &tables);
    let events = Events(Rc::new(RefCell::new((EventProfiler::new(tables), writer))));
    let cycles = Cycles::default();
    let mut engine = ReferenceEngine::new(model)
        .with_profile()
        .with_events(Box::new(events.clone()))
        .with_trace(Box::new(cycles.clone()));
    load_cells(case, engine.machine(), model);
    let stop = engine.run(&mut Host::default(), limit);
    let measurement = engine.measurement().expect("the engine profiles");
    check_sums(&measurement, engine.instructions(), engine.cycles());
    let (instructions, counted) = (engine.instructions(), engine.cycles());
    drop(engine);

    let cycles = cycles.0.take();
    let account = Account::of(&cycles);
    assert!(account.adds_up(), "{account}");
    assert_eq!((account.ended, account.cycles), (instructions, counted), "{account}");
    check_summary(&account, &measurement);
    check_profile(&cycles, &measurement, model);
    check_events(events, &measurement);
    assert_eq!(measurement.transfers, transfers(&cycles), "control transfers");
    if let Stop::Fault(fault) = stop {
        let told = cycles.last().and_then(|cycle| cycle.faulted.last());
        assert_eq!(told.map(|(_, told)| *told), Some(fault), "the fault that has ended the run");
    }
    check_lives(&cycles);
    check_stages(&cycles);
    assert_eq!(split(case, model, limit, pieces), cycles, "a run in pieces of {pieces:?}");
    (stop, cycles)
}

/// The profile's sums are those of the trace.
pub(crate) fn check_summary(account: &Account, measurement: &Measurement) {
    let summary = Summary::of(measurement);
    let in_profile = (summary.executed, summary.faulted, summary.idle_cycles, summary.total_cycles);
    assert_eq!(in_profile, (account.ended, account.faulted, account.idle, account.cycles), "{account}");
    // Who was cancelled or is in flight may never have been decoded.
    let others = summary.cancelled + summary.unfinished + summary.undecoded;
    assert_eq!(others, account.cancelled + account.flying, "{account}");
}

/// The events make sense, and make the profile wherever they are read.
fn check_events(events: Events, measurement: &Measurement) {
    let (profiler, writer) = Rc::into_inner(events.0).expect("nobody writes any more").into_inner();
    assert_eq!(profiler.misplaced(), None);
    let bytes = writer.finish().expect("memory takes everything");
    let replayed = replay_events(Cursor::new(bytes)).expect("the events make sense");
    assert_eq!(&replayed, measurement, "replayed from the events");
}

/// Control transfers: from one instruction that ended to the next one, in the order of beginning.
fn transfers(cycles: &[CycleTrace]) -> BTreeMap<(u64, u64), u64> {
    let ended: BTreeSet<u64> = cycles.iter().flat_map(|cycle| cycle.ended.iter().copied()).collect();
    let decoded = cycles.iter().flat_map(|cycle| &cycle.decoded);
    let addresses: BTreeMap<u64, u64> = decoded
        .filter(|decoded| ended.contains(&decoded.id))
        .map(|decoded| (decoded.id, decoded.address))
        .collect();
    assert_eq!(addresses.len(), ended.len(), "whatever ends was decoded");
    let mut transfers = BTreeMap::new();
    for (from, to) in addresses.values().zip(addresses.values().skip(1)) {
        if *to != from + 1 {
            *transfers.entry((*from, *to)).or_default() += 1;
        }
    }
    transfers
}

/// Instructions begin in the order of their IDs, run between their beginning and their end, and
/// end once.
fn check_lives(cycles: &[CycleTrace]) {
    let (mut begun, mut over) = (0, BTreeSet::new());
    for cycle in cycles {
        if let MainTrace::Began(id) = cycle.main {
            begun += 1;
            assert_eq!(id, begun, "cycle {}", cycle.number);
        }
        for run in &cycle.runs {
            let id = run.activation.id;
            assert!(id <= begun && !over.contains(&id), "cycle {}: {run:?}", cycle.number);
        }
        let faulted = cycle.faulted.iter().map(|(id, _)| id);
        for id in cycle.ended.iter().chain(&cycle.cancelled).chain(faulted) {
            assert!(over.insert(*id), "cycle {}: {id} is over twice", cycle.number);
        }
        let pending: BTreeSet<u64> = cycle.pending.iter().map(|waiting| waiting.activation.id).collect();
        let in_flight: BTreeSet<u64> = (1..=begun).filter(|id| !over.contains(id)).collect();
        assert_eq!(pending, in_flight, "cycle {}", cycle.number);
    }
}

/// No two instructions are ever in one stage: no resource is there twice.
fn check_stages(cycles: &[CycleTrace]) {
    for cycle in cycles {
        let runs = cycle.runs.iter().map(|run| run.activation);
        let waiting = cycle.held.iter().chain(&cycle.put_back).filter(|waiting| waiting.cycles == 0);
        let mut stages = BTreeMap::new();
        for activation in runs.chain(waiting.map(|waiting| waiting.activation)) {
            let Some(stage) = activation.stage else { continue };
            let id = *stages.entry(stage).or_insert(activation.id);
            assert_eq!(id, activation.id, "cycle {}: {stage:?}", cycle.number);
        }
    }
}

/// The same run, a few cycles at a time.
fn split(case: &Case, model: &Model, limit: u64, pieces: &[u64]) -> Vec<CycleTrace> {
    let cycles = Cycles::default();
    let mut engine = ReferenceEngine::new(model).with_trace(Box::new(cycles.clone()));
    load_cells(case, engine.machine(), model);
    for piece in pieces.iter().cycle() {
        let left = limit - engine.cycles();
        match engine.run(&mut Host::default(), left.min(*piece)) {
            Stop::Budget | Stop::Paused { .. } if left > 0 => {}
            _ => break,
        }
    }
    drop(engine);
    cycles.0.take()
}
