//! The identity of instructions on their way through a pipeline.

use sim_profile::{AccessEvent, Event, EventProfiler, EventSink, Misplaced, ModelTables, Word};

const INSTANCES: [&str; 7] = ["fetch", "decode", "execute", "writeback", "op1", "op2", "op3"];

fn pipeline() -> EventProfiler {
    EventProfiler::new(ModelTables {
        instances: INSTANCES.map(str::to_owned).into(),
        resources: vec!["r".to_owned()],
        address_bits: 16,
        ..ModelTables::default()
    })
}

fn number(instance: &str) -> u32 {
    u32::try_from(INSTANCES.iter().position(|name| *name == instance).unwrap()).unwrap()
}

/// `main`, or a scheduled operation, runs and schedules others.
fn step(profiler: &mut EventProfiler, operation: &str, schedules: &[&str]) {
    if operation == "main" {
        profiler.try_event(Event::CycleBegins).unwrap();
        profiler.try_event(Event::InstructionBegins).unwrap();
    } else {
        profiler.try_event(Event::Starts { instance: number(operation) }).unwrap();
    }
    for instance in schedules {
        profiler.try_event(Event::Scheduled { instance: number(instance) }).unwrap();
    }
}

/// The current ID and all queues: `2 | 2 | 1,2 | ...`.
fn row(profiler: &EventProfiler) -> String {
    let current = profiler.current().map_or("-".to_owned(), |id| id.to_string());
    let queues = profiler.queues().iter().map(|queue| {
        let ids: Vec<String> = queue.iter().map(u64::to_string).collect();
        if ids.is_empty() { "-".to_owned() } else { ids.join(",") }
    });
    std::iter::once(current).chain(queues).collect::<Vec<_>>().join(" | ")
}

const STAGES: [&str; 4] = ["fetch", "decode", "execute", "writeback"];

#[test]
fn queues_hold_the_ids_of_the_document_s_table() {
    let mut profiler = pipeline();
    step(&mut profiler, "main", &STAGES);
    step(&mut profiler, "fetch", &[]);
    profiler.try_event(Event::Ends).unwrap();
    assert_eq!(row(&profiler), "- | - | 1 | 1 | 1 | - | - | -");
    let steps: [(&str, &[&str], &str); 8] = [
        ("main", &STAGES, "2 | 2 | 1,2 | 1,2 | 1,2 | - | - | -"),
        ("decode", &["op2"], "1 | 2 | 2 | 1,2 | 1,2 | - | 1 | -"),
        ("fetch", &[], "2 | - | 2 | 1,2 | 1,2 | - | 1 | -"),
        ("main", &STAGES, "3 | 3 | 2,3 | 1,2,3 | 1,2,3 | - | 1 | -"),
        ("execute", &[], "1 | 3 | 2,3 | 2,3 | 1,2,3 | - | 1 | -"),
        ("decode", &["op1"], "2 | 3 | 3 | 2,3 | 1,2,3 | 2 | 1 | -"),
        ("op2", &["op3"], "1 | 3 | 3 | 2,3 | 1,2,3 | 2 | - | 1"),
        ("fetch", &[], "3 | - | 3 | 2,3 | 1,2,3 | 2 | - | 1"),
    ];
    for (operation, schedules, expected) in steps {
        step(&mut profiler, operation, schedules);
        assert_eq!(row(&profiler), expected, "after {operation}");
    }
}

#[test]
fn an_instruction_ends_with_its_last_reference() {
    let mut profiler = pipeline();
    step(&mut profiler, "main", &["fetch", "execute"]);
    assert_eq!(profiler.references(1), 3);
    step(&mut profiler, "fetch", &[]);
    assert_eq!(profiler.references(1), 2);
    decode(&mut profiler, 4, "op()");
    profiler.try_event(Event::Ends).unwrap();
    let unfinished = |profiler: &EventProfiler| {
        let instructions = profiler.measurement().instructions;
        instructions.into_values().map(|record| (record.executed, record.unfinished)).collect::<Vec<_>>()
    };
    assert_eq!((profiler.references(1), unfinished(&profiler)), (1, vec![(0, 1)]));
    step(&mut profiler, "execute", &[]);
    step(&mut profiler, "main", &[]);
    assert_eq!(profiler.references(1), 0);
    let record = profiler.measurement().instructions.into_values().next().unwrap();
    assert_eq!((record.executed, record.name.as_str()), (1, "op()"));
}

fn decode(profiler: &mut EventProfiler, address: u64, name: &str) {
    let word = Word::from_value(7, 2).unwrap();
    profiler.try_event(Event::NamePart { text: name }).unwrap();
    profiler.try_event(Event::Decoded { address, word: &word, size_cells: 1 }).unwrap();
}

fn counts(profiler: EventProfiler) -> Vec<(u64, u64, u64, u64)> {
    let instructions = profiler.try_finish().unwrap().instructions;
    let counts = |(key, record): (sim_profile::InstructionKey, sim_profile::InstructionRecord)| {
        (key.address, record.executed, record.cancelled, record.faulted)
    };
    instructions.into_iter().map(counts).collect()
}

#[test]
fn decoding_anew_replaces_name_and_address() {
    let mut profiler = pipeline();
    step(&mut profiler, "main", &[]);
    decode(&mut profiler, 4, "first()");
    decode(&mut profiler, 6, "second()");
    let instructions = profiler.finish().instructions;
    let names: Vec<_> = instructions.iter().map(|(k, r)| (k.address, r.name.as_str())).collect();
    assert_eq!(names, [(6, "second()")]);
}

#[test]
fn what_came_first_of_cancel_and_fault_holds() {
    let mut profiler = pipeline();
    for (address, events) in [(1, [Event::Cancel, Event::Fault]), (2, [Event::Fault, Event::Cancel])] {
        step(&mut profiler, "main", &[]);
        decode(&mut profiler, address, "op()");
        let access = Event::Access { node: 0, resource: 0, kind: AccessEvent::Write };
        profiler.try_event(access).unwrap();
        for event in events {
            profiler.try_event(event).unwrap();
        }
    }
    assert!(profiler.measurement().instructions.values().all(|record| record.accesses.is_empty()));
    assert_eq!(counts(profiler), [(1, 0, 1, 0), (2, 0, 0, 1)]);
}

/// Four instructions in flight; the second last is current.
fn in_flight() -> EventProfiler {
    let mut profiler = pipeline();
    for address in 1..=4 {
        step(&mut profiler, "main", &["execute", "writeback"]);
        decode(&mut profiler, address, "op()");
    }
    (1..=3).for_each(|_| step(&mut profiler, "execute", &[]));
    profiler
}

fn unfinished(profiler: EventProfiler) -> Vec<(u64, u64, u64)> {
    let instructions = profiler.try_finish().unwrap().instructions.into_iter();
    instructions.map(|(key, record)| (key.address, record.executed, record.unfinished)).collect()
}

#[test]
fn what_waits_in_a_queue_at_the_end_is_unfinished() {
    assert_eq!(unfinished(in_flight()), [(1, 0, 1), (2, 0, 1), (3, 0, 1), (4, 0, 1)]);
}

#[test]
fn the_end_completes_the_current_instruction() {
    let mut profiler = in_flight();
    step(&mut profiler, "writeback", &[]);
    step(&mut profiler, "writeback", &[]);
    assert_eq!(unfinished(profiler), [(1, 1, 0), (2, 1, 0), (3, 0, 1), (4, 0, 1)]);
}

#[test]
fn a_halt_completes_its_instruction_alone() {
    let mut profiler = in_flight();
    profiler.try_event(Event::Halt).unwrap();
    step(&mut profiler, "writeback", &[]);
    profiler.try_event(Event::Ends).unwrap();
    assert_eq!(unfinished(profiler), [(1, 1, 0), (2, 0, 1), (3, 1, 0), (4, 0, 1)]);
}

#[test]
fn a_flushed_instruction_leaves_all_queues_and_counts_as_cancelled() {
    let mut profiler = in_flight();
    profiler.try_event(Event::Flushed { id: 4 }).unwrap();
    assert_eq!(row(&profiler), "3 | - | - | - | 1,2,3 | - | - | -");
    assert_eq!(counts(profiler), [(1, 0, 0, 0), (2, 0, 0, 0), (3, 0, 0, 0), (4, 0, 1, 0)]);
}

#[test]
fn a_withdrawn_entry_takes_its_reference_with_it() {
    let mut profiler = in_flight();
    let writeback = number("writeback");
    profiler.try_event(Event::Withdrawn { instance: writeback, id: 2 }).unwrap();
    assert_eq!(row(&profiler), "3 | - | - | 4 | 1,3,4 | - | - | -");
    assert_eq!(unfinished(profiler), [(1, 0, 1), (2, 1, 0), (3, 0, 1), (4, 0, 1)]);
}

#[test]
fn a_queue_takes_a_new_order_of_the_same_instructions() {
    let mut profiler = in_flight();
    let instance = number("writeback");
    profiler.try_event(Event::Reordered { instance, ids: &[2, 3, 4, 1] }).unwrap();
    assert_eq!(row(&profiler), "3 | - | - | 4 | 2,3,4,1 | - | - | -");
    let wrong = profiler.try_event(Event::Reordered { instance, ids: &[2, 3, 4, 4] });
    assert_eq!(wrong, Err(sim_profile::Misplaced::OtherQueue { instance }));
}

#[test]
fn only_transfers_to_elsewhere_are_counted() {
    let mut profiler = pipeline();
    for (address, targets) in [(1, vec![9, 7]), (2, vec![3]), (0xffff, vec![0]), (5, vec![5])] {
        step(&mut profiler, "main", &[]);
        decode(&mut profiler, address, "op()");
        for to in targets {
            profiler.try_event(Event::Transfer { to }).unwrap();
        }
    }
    let transfers: Vec<_> = profiler.finish().transfers.into_iter().collect();
    assert_eq!(transfers, [((1, 7), 1), ((5, 5), 1)]);
}

#[test]
fn what_is_not_decoded_leaves_no_trace_but_a_fault() {
    let mut profiler = pipeline();
    let undecoded = Event::Undecoded { address: 3 };
    for events in [vec![], vec![undecoded, Event::Cancel], vec![undecoded, Event::Fault]] {
        step(&mut profiler, "main", &[]);
        events.into_iter().for_each(|event| profiler.try_event(event).unwrap());
    }
    let measurement = profiler.try_finish().unwrap();
    assert!(measurement.instructions.is_empty());
    assert_eq!(measurement.undecoded_faults.into_iter().collect::<Vec<_>>(), [(3, 1)]);
    assert_eq!(measurement.cycles, 3);
}

#[test]
fn impossible_events_are_told_and_change_nothing() {
    let mut profiler = pipeline();
    let no_current = Err(Misplaced::NoCurrent);
    for event in [Event::Scheduled { instance: 0 }, Event::Ends, Event::Cancel, Event::Halt] {
        assert_eq!(profiler.try_event(event), no_current);
    }
    let outside = Event::Access { node: 0, resource: 0, kind: AccessEvent::Read };
    assert_eq!(profiler.try_event(outside), Ok(()));
    step(&mut profiler, "main", &[]);
    let unknown = Err(Misplaced::UnknownInstance { instance: 7 });
    assert_eq!(profiler.try_event(Event::Scheduled { instance: 7 }), unknown);
    assert_eq!(profiler.try_event(Event::Starts { instance: 7 }), unknown);
    let empty = Misplaced::EmptyQueue { instance: 2 };
    profiler.event(Event::Starts { instance: 2 });
    assert_eq!(profiler.misplaced(), Some(&empty));
    assert_eq!(profiler.current(), Some(1));
    assert_eq!(profiler.try_finish(), Err(empty));
}
