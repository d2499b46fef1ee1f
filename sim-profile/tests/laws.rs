//! Laws of measurements, over random streams of events.

mod support;

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use sim_profile::coverage::Coverage;
use sim_profile::executions::executions;
use sim_profile::spent::{spent_by_address, spent_by_instruction};
use sim_profile::summary::{Summary, cache_totals, resource_totals};
use sim_profile::tree::{InstructionTree, TreeNode};
use sim_profile::{
    AccessEvent, Accesses, CacheLines, Event, EventProfiler, EventSink, EventWriter, InstructionKey,
    LostCause, LostReason, Measurement, Mode, Profile, ProfileSum, ProgramImage, Provenance, StaticFacts,
    Word, read_profile, replay_events, write_profile,
};

/// An event, and for decoding which of some instructions.
#[derive(Clone, Copy, Debug)]
enum Happening {
    Plain(Event<'static>),
    Decoding(usize),
}

fn instructions() -> Vec<String> {
    let mut names = vec![support::INC_AX.to_owned(), support::INC_BX.to_owned()];
    for (first, second) in [("ax", "ax"), ("ax", "bx"), ("bx", "ax"), ("bx", "bx")] {
        names.push(support::add(first, second));
        names.push(support::sub(first, second));
    }
    names
}

fn happening() -> impl Strategy<Value = Happening> {
    let kind = prop_oneof![Just(AccessEvent::Read), Just(AccessEvent::Write), Just(AccessEvent::Execute)];
    // Four nodes are in every name.
    let access =
        (0..4_u32, 0..3_u32, kind).prop_map(|(node, resource, kind)| Event::Access { node, resource, kind });
    let lines = (0..2_u32, 0..3_u64, 0..3_u64, 0..2_u64).prop_map(|(cache, hits, misses, write_backs)| {
        Event::Lines { cache, lines: CacheLines { hits, misses, write_backs } }
    });
    let reason = prop_oneof![
        Just(LostReason::Stall),
        Just(LostReason::Retry),
        Just(LostReason::Occupied),
        (0..2_u32).prop_map(LostReason::CacheMiss),
    ];
    let lost = (prop::option::of(1..9_u64), reason, 0..2_u32, 0..2_u32).prop_map(
        |(id, reason, operation, stage)| Event::Lost { id, cause: LostCause { reason, operation, stage } },
    );
    let plain = prop_oneof![
        3 => lost,
        2 => (0..2_u32, any::<bool>()).prop_map(|(stage, stands)| Event::Occupied { stage, stands }),
        4 => lines,
        6 => access,
        3 => (0..2_u32).prop_map(|instance| Event::Scheduled { instance }),
        3 => (0..2_u32).prop_map(|instance| Event::Starts { instance }),
        2 => Just(Event::InstructionBegins),
        1 => Just(Event::Ends),
        1 => Just(Event::CycleBegins),
        1 => Just(Event::Cancel),
        1 => Just(Event::Fault),
        1 => Just(Event::Halt),
        1 => any::<u64>().prop_map(|cycles| Event::ExtraCycles { cycles }),
        1 => (0..4_u64).prop_map(|to| Event::Transfer { to }),
        1 => (0..4_u64).prop_map(|address| Event::Undecoded { address }),
        1 => Just(Event::ModelEvent { name: "odd" }),
    ];
    prop_oneof![
        7 => plain.prop_map(Happening::Plain),
        2 => (0..instructions().len()).prop_map(Happening::Decoding),
    ]
}

/// Gives what can happen to the sink; what cannot is left out.
fn run(happenings: &[Happening], sink: &mut impl EventSink) -> Measurement {
    let mut profiler = EventProfiler::new(support::tables());
    let names = instructions();
    // A fault needs an address, so only these instructions can be at fault.
    let mut located = BTreeSet::new();
    for &happening in happenings {
        let current = profiler.current();
        if matches!(happening, Happening::Decoding(_) | Happening::Plain(Event::Undecoded { .. })) {
            located.insert(current);
        }
        match happening {
            Happening::Plain(Event::Fault) if !located.contains(&current) => {}
            Happening::Plain(event) => {
                if profiler.try_event(event).is_ok() {
                    sink.event(event);
                }
            }
            Happening::Decoding(index) if current.is_some() => {
                let address = index as u64 / 2;
                let word = Word::new(&[index as u8]).unwrap();
                let decoded = Event::Decoded { address, word: &word, size_cells: 1 };
                for event in [Event::NamePart { text: &names[index] }, decoded] {
                    profiler.event(event);
                    sink.event(event);
                }
            }
            Happening::Decoding(_) => {}
        }
    }
    profiler.try_finish().unwrap()
}

/// The lines that events told of, by cache.
struct Told(BTreeMap<u32, CacheLines>);

impl Default for Told {
    fn default() -> Told {
        Told([(0, CacheLines::default()), (1, CacheLines::default())].into())
    }
}

impl EventSink for Told {
    fn event(&mut self, event: Event<'_>) {
        if let Event::Lines { cache, lines } = event {
            self.0.entry(cache).or_default().add(lines);
        }
    }
}

/// The cycles that events told of.
#[derive(Default)]
struct Cycles {
    begun: u64,
    lost: u64,
    extra: u64,
}

impl EventSink for Cycles {
    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::InstructionBegins => self.begun += 1,
            Event::Lost { .. } => self.lost += 1,
            Event::ExtraCycles { cycles } => self.extra = self.extra.saturating_add(cycles),
            _ => {}
        }
    }
}

fn measurement() -> impl Strategy<Value = Measurement> {
    prop::collection::vec(happening(), 0..200).prop_map(|happenings| run(&happenings, &mut ()))
}

/// Of one of two programs, of some instructions that are the same in all runs, and of a description of
/// three points; `programs` says of how many.
fn profile(programs: u8) -> impl Strategy<Value = Profile> {
    let counts = prop_oneof![Just(0), 0..9_u64, any::<u64>()];
    let visits = prop::option::of(prop::collection::vec(counts, 3));
    (measurement(), visits, 1..4_u64, 0..programs).prop_map(|(measurement, visits, runs, program)| {
        let facts = |word: &Word| StaticFacts { text: Some(word.to_string()), ..StaticFacts::default() };
        let statics = measurement.instructions.keys().map(|key| (*key, facts(&key.word))).collect();
        let name = format!("{}{program}", if runs == 2 { "link-to-" } else { "" });
        let image = ProgramImage { name, digest: program.to_string(), ..ProgramImage::default() };
        let provenance = Provenance { runs, images: vec![image], ..Provenance::default() };
        Profile { measurement, provenance, statics, visits, ..Profile::default() }
    })
}

fn sum(accesses: impl IntoIterator<Item = Accesses>) -> Accesses {
    let mut sum = Accesses::default();
    accesses.into_iter().for_each(|accesses| sum.add(accesses));
    sum
}

fn own(node: &TreeNode) -> Accesses {
    sum(node.children.iter().map(own).chain([node.own]))
}

/// Every node counts what its children at any one position count.
fn check_children(node: &TreeNode) {
    assert_eq!(node.total, sum(node.accesses.values().copied()));
    let positions: BTreeSet<u32> = node.children.iter().map(|child| child.position).collect();
    for position in positions {
        let at: Vec<_> = node.children.iter().filter(|child| child.position == position).collect();
        assert!(at.iter().map(|child| child.executed).sum::<u64>() <= node.executed);
        assert!(at.windows(2).all(|pair| pair[0].name != pair[1].name));
    }
    node.children.iter().for_each(check_children);
}

fn merged(first: &Measurement, second: &Measurement) -> Measurement {
    let mut merged = first.clone();
    merged.merge(second).unwrap();
    merged
}

proptest! {
    #[test]
    fn tree_totals_are_the_sum_of_all_accesses(measurement in measurement()) {
        let tree = InstructionTree::of(&measurement);
        let records = measurement.instructions.values();
        let all = sum(records.flat_map(|record| record.accesses.values().copied()));
        prop_assert_eq!(tree.total(), all);
        prop_assert_eq!(sum(tree.roots.iter().map(own)), all);
        prop_assert_eq!(sum(resource_totals(&measurement).into_values()), all);
        let summary = Summary::of(&measurement);
        prop_assert_eq!(summary.accesses, all);
        prop_assert_eq!(tree.roots.iter().map(|root| root.executed).sum::<u64>(), summary.executed);
        prop_assert_eq!(executions(&measurement).values().sum::<u64>(), summary.executed);
        tree.roots.iter().for_each(check_children);
    }

    /// Whatever becomes of an instruction, what it did to a cache was done.
    #[test]
    fn cache_totals_are_the_sum_of_all_events(happenings in prop::collection::vec(happening(), 0..200)) {
        let mut told = Told::default();
        let measurement = run(&happenings, &mut told);
        prop_assert_eq!(told.0, cache_totals(&measurement));
    }

    /// However cycles are laid out, they are those that were told.
    #[test]
    fn every_cycle_is_at_one_address_and_at_one_instruction(
        happenings in prop::collection::vec(happening(), 0..200)
    ) {
        let mut told = Cycles::default();
        let measurement = run(&happenings, &mut told);
        let lost = measurement.lost().into_values().sum::<u64>();
        prop_assert_eq!((told.lost, told.extra), (lost, measurement.extra_cycles));
        let expected = (told.begun + told.lost).saturating_add(told.extra);
        let spent = spent_by_address(&measurement).into_values();
        prop_assert_eq!(spent.fold(0, |sum, spent| spent.cycles().saturating_add(sum)), expected);
        let outside = spent_by_address(&Measurement { instructions: BTreeMap::new(), ..measurement.clone() });
        let spent = spent_by_instruction(&measurement).into_values().chain(outside.into_values());
        prop_assert_eq!(spent.fold(0, |sum, spent| spent.cycles().saturating_add(sum)), expected);
    }

    #[test]
    fn measurements_are_valid(measurement in measurement()) {
        prop_assert_eq!(measurement.validate(), Ok(()));
        let coverage = Coverage::of(&measurement);
        prop_assert_eq!(coverage.used + coverage.unused.len() as u64, coverage.total);
    }

    #[test]
    fn merging_is_associative_and_commutative(
        a in measurement(), b in measurement(), c in measurement()
    ) {
        prop_assert_eq!(merged(&a, &b), merged(&b, &a));
        prop_assert_eq!(merged(&merged(&a, &b), &c), merged(&a, &merged(&b, &c)));
        prop_assert_eq!(merged(&a, &Measurement::new(support::tables())), a);
    }

    /// What is added to a run is what has happened since, unless a sum can hold no more.
    #[test]
    fn what_was_counted_since_is_what_was_added(a in measurement(), b in measurement()) {
        let mut before = a;
        before.instructions.values_mut().for_each(|record| record.unfinished = 0);
        let after = merged(&before, &b);
        match after.since(&before) {
            Some(since) => prop_assert_eq!(&since, &b),
            None => prop_assert_eq!(after.extra_cycles, u64::MAX),
        }
        prop_assert_eq!(merged(&before, &Measurement::new(support::tables())).since(&before),
            (before.extra_cycles < u64::MAX).then(|| Measurement::new(support::tables())));
        if b.cycles > 0 && before.extra_cycles < u64::MAX {
            prop_assert_eq!(before.since(&after), None, "the later one is no earlier state");
        }
    }

    /// Reading many files at once takes a way of its own, to the same sum.
    #[test]
    fn stored_profiles_add_up_to_what_merging_them_gives(
        runs in prop::collection::vec(prop_oneof![profile(1), profile(3)], 1..6)
    ) {
        let mut sum = ProfileSum::default();
        let mut merged: Option<Profile> = None;
        for run in &runs {
            let mut file = Vec::new();
            write_profile(&mut file, run).unwrap();
            sum.add(file.as_slice()).unwrap();
            match &mut merged {
                Some(merged) => merged.merge(run).unwrap(),
                None => merged = Some(run.clone()),
            }
        }
        prop_assert_eq!(sum.has_visits(), runs.iter().any(|run| run.visits.is_some()));
        prop_assert_eq!(sum.finish().unwrap(), merged);
    }

    #[test]
    fn merging_profiles_is_associative_and_commutative(a in profile(2), b in profile(2), c in profile(2)) {
        let merged = |first: &Profile, second: &Profile| {
            let mut merged = first.clone();
            merged.merge(second).unwrap();
            merged
        };
        prop_assert_eq!(merged(&a, &b), merged(&b, &a));
        let sum = merged(&merged(&a, &b), &c);
        prop_assert_eq!(&sum, &merged(&a, &merged(&b, &c)));
        // What sums of several programs lack can be left out before, too.
        let parts = [&a, &b, &c].map(Profile::without_addresses);
        prop_assert_eq!(sum.without_addresses(), merged(&merged(&parts[0], &parts[1]), &parts[2]));
        let mut file = Vec::new();
        write_profile(&mut file, &sum).unwrap();
        prop_assert_eq!(read_profile(file.as_slice()).unwrap(), sum);
    }

    /// Of several programs nothing is known by address, and all else is the sum of what each did.
    #[test]
    fn several_programs_used_together_what_each_used(a in profile(1), b in profile(2)) {
        let mut both = a.clone();
        both.merge(&b).unwrap();
        let [sum, of_a, of_b] = [&both, &a, &b].map(|profile| Coverage::of(&profile.measurement));
        let unused: Vec<String> = of_a.unused.into_iter().filter(|name| of_b.unused.contains(name)).collect();
        prop_assert_eq!(sum.unused, unused);
        let [sum, of_a, of_b] = [&both, &a, &b].map(|profile| Summary::of(&profile.measurement));
        prop_assert_eq!(sum.executed, of_a.executed.saturating_add(of_b.executed));
        prop_assert_eq!(sum.total_cycles, of_a.cycles.saturating_add(of_b.cycles).saturating_add(of_a.extra_cycles.saturating_add(of_b.extra_cycles)));
        prop_assert_eq!(sum.accesses.reads, of_a.accesses.reads.saturating_add(of_b.accesses.reads));
        if both.is_of_several_programs() {
            prop_assert!(executions(&both.measurement).is_empty());
            prop_assert!(spent_by_address(&both.measurement).keys().all(Option::is_none));
            prop_assert_eq!(both.provenance.programs.len(), 2);
            let runs: u64 = both.provenance.programs.iter().map(|program| program.runs).sum();
            prop_assert_eq!(runs, both.provenance.runs);
        }
    }

    #[test]
    fn stored_events_and_profiles_give_the_measurement_back(
        happenings in prop::collection::vec(happening(), 0..200), host_nanoseconds: u64
    ) {
        let mut writer = EventWriter::new(Vec::new(), &support::tables());
        let measurement = run(&happenings, &mut writer);
        let replayed = replay_events(writer.finish().unwrap().as_slice());
        prop_assert_eq!(&replayed.unwrap(), &measurement);
        let provenance = Provenance { host_nanoseconds, mode: Mode::Exact, ..Provenance::default() };
        let profile = Profile { measurement, provenance, ..Profile::default() };
        let mut file = Vec::new();
        write_profile(&mut file, &profile).unwrap();
        prop_assert_eq!(read_profile(file.as_slice()).unwrap(), profile);
    }

    #[test]
    fn no_file_makes_a_reader_panic(text in "[a-z0-9 \n\"#{}\\[\\]:,()]{0,200}") {
        let _ = replay_events(text.as_bytes());
        let _ = read_profile(text.as_bytes());
        let tables = serde_json::to_string(&support::tables()).unwrap();
        let _ = replay_events(format!("isac-events 2\n{tables}\n{text}\nend 0\n").as_bytes());
    }
}

#[test]
fn measurements_of_other_models_or_other_names_are_not_merged() {
    let run = support::measurement();
    let mut other = run.clone();
    other.tables.model = "large".to_owned();
    assert_eq!(
        other.merge(&run).unwrap_err().to_string(),
        "the profiles are of two models, `large` and `little`; expected one"
    );
    let mut other = run.clone();
    other.tables.address_bits = 16;
    assert_eq!(
        other.merge(&run).unwrap_err().to_string(),
        "the profiles are of two versions of model `little`; measure both anew"
    );
    let mut other = run.clone();
    let key = InstructionKey { address: 0x10, word: "16".parse().unwrap() };
    other.instructions.get_mut(&key).unwrap().name = support::INC_BX.to_owned();
    let before = other.clone();
    assert_eq!(
        other.merge(&run).unwrap_err().to_string(),
        "the profiles disagree on the instruction 16 at 0x10; expected the same name and size"
    );
    assert_eq!(other, before);
}
