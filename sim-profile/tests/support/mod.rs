//! A small machine whose measurements the tests look at.

#![allow(dead_code, reason = "every test takes what it needs")]

use sim_profile::{
    AccessEvent, CacheLines, Event, EventProfiler, EventSink, LostCause, LostReason, Measurement,
    ModelTables, Word,
};

pub(crate) const INC_AX: &str = "decode(inc(reg(ax())))";
pub(crate) const INC_BX: &str = "decode(inc(reg(bx())))";

pub(crate) fn add(first: &str, second: &str) -> String {
    format!("decode(add(reg({first}())reg({second}())))")
}

pub(crate) fn sub(first: &str, second: &str) -> String {
    format!("decode(sub(reg({first}())reg({second}())))")
}

pub(crate) fn tables() -> ModelTables {
    ModelTables {
        maps: 1,
        model: "little".to_owned(),
        resources: ["ax", "bx", "memory"].map(str::to_owned).into(),
        caches: ["icache", "dcache"].map(str::to_owned).into(),
        operations: ["fetch", "divide"].map(str::to_owned).into(),
        stages: ["pipe.FE", "pipe.EX"].map(str::to_owned).into(),
        instances: ["decode", "execute"].map(str::to_owned).into(),
        instructions: ["decode(sub())", "decode(inc())", "decode(add())", "decode(halt())"]
            .map(str::to_owned)
            .into(),
        operands: [("inc", vec![true]), ("add", vec![true, true]), ("sub", vec![true, true])]
            .map(|(name, marks)| (name.to_owned(), marks))
            .into(),
        address_bits: 8,
        ..ModelTables::default()
    }
}

/// The eight instructions of the document's tree, with accesses, events, faults and a jump back.
pub(crate) fn events(sink: &mut impl EventSink) {
    let names = [
        INC_AX.to_owned(),
        INC_AX.to_owned(),
        INC_BX.to_owned(),
        add("ax", "bx"),
        add("ax", "ax"),
        add("bx", "bx"),
        sub("ax", "bx"),
        sub("bx", "bx"),
    ];
    let addresses = [0x10, 0x10, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16];
    sink.event(lines(1, 0, 2, 0));
    sink.event(Event::ExtraCycles { cycles: 4 });
    lose(sink, None, LostCause { reason: LostReason::CacheMiss(1), operation: 0, stage: 0 });
    for (index, (name, address)) in names.iter().zip(addresses).enumerate() {
        begin(sink, address, name);
        if index == 0 {
            sink.event(Event::Transfer { to: address });
        }
        access(sink, 0, 2, AccessEvent::Execute);
        sink.event(lines(0, 1, u64::from(index == 0), 0));
        access(sink, 1, 0, AccessEvent::Write);
        access(sink, 3, 0, AccessEvent::Read);
        sink.event(Event::Ends);
    }
    begin(sink, 0x17, INC_AX);
    access(sink, 1, 0, AccessEvent::Read);
    sink.event(Event::ModelEvent { name: "odd" });
    sink.event(lines(1, 3, 2, 1));
    sink.event(Event::Cancel);
    sink.event(Event::ExtraCycles { cycles: 3 });
    // It is over, and cycles are lost all the same.
    sink.event(Event::Ends);
    for _ in 0..2 {
        lose(sink, Some(9), LostCause { reason: LostReason::Stall, operation: 1, stage: 1 });
        sink.event(Event::Occupied { stage: 0, stands: true });
        sink.event(Event::Occupied { stage: 1, stands: false });
    }
    lose(sink, Some(9), LostCause { reason: LostReason::Occupied, operation: 0, stage: 0 });
    begin(sink, 0x10, INC_AX);
    sink.event(Event::Fault);
    sink.event(Event::CycleBegins);
    sink.event(Event::InstructionBegins);
    sink.event(Event::Undecoded { address: 0xfe });
    sink.event(Event::Fault);
    lose(sink, Some(11), LostCause { reason: LostReason::Retry, operation: 0, stage: 0 });
    sink.event(Event::Ends);
}

fn lose(sink: &mut impl EventSink, id: Option<u64>, cause: LostCause) {
    sink.event(Event::CycleBegins);
    sink.event(Event::Lost { id, cause });
}

fn begin(sink: &mut impl EventSink, address: u64, name: &str) {
    sink.event(Event::CycleBegins);
    sink.event(Event::InstructionBegins);
    let (head, tail) = name.split_at(7);
    sink.event(Event::NamePart { text: head });
    sink.event(Event::NamePart { text: tail });
    let word = Word::new(&[name.len() as u8]).unwrap();
    sink.event(Event::Decoded { address, word: &word, size_cells: 1 });
}

fn access(sink: &mut impl EventSink, node: u32, resource: u32, kind: AccessEvent) {
    sink.event(Event::Access { node, resource, kind });
}

fn lines(cache: u32, hits: u64, misses: u64, write_backs: u64) -> Event<'static> {
    Event::Lines { cache, lines: CacheLines { hits, misses, write_backs } }
}

pub(crate) fn measurement() -> Measurement {
    let mut profiler = EventProfiler::new(tables());
    events(&mut profiler);
    profiler.try_finish().unwrap()
}
