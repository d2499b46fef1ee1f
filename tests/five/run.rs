//! Runs words on an engine of a model.

use std::collections::BTreeMap;

use isac_ir::Model;
use sim_profile::render_xml;
use sim_profile::summary::Summary;
use sim_runtime::host::{Host, Streams};
use sim_runtime::{CacheStatistics, Engine, Stop};

use crate::support::law::check_time;

/// More than any program takes, in instructions.
const LIMIT: u64 = 10_000_000;

/// How a run ended, and what it left.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) stop: Stop,
    pub(crate) instructions: u64,
    pub(crate) cycles: u64,
    pub(crate) caches: Vec<CacheStatistics>,
    pub(crate) output: Vec<u8>,
    /// The integer registers.
    pub(crate) x: Vec<u128>,
    /// Of an engine that profiles.
    summary: Option<Summary>,
    /// The XML report, of an engine that profiles.
    pub(crate) report: Option<String>,
}

impl Ended {
    /// What the profile says of the run.
    pub(crate) fn summary(&self) -> &Summary {
        self.summary.as_ref().expect("the engine profiles")
    }
}

/// Runs words that lie at an address, from there on, with other bytes in memory.
pub(crate) fn run(
    engine: &mut dyn Engine,
    model: &Model,
    (address, words): (u32, &[u32]),
    memory: &BTreeMap<u32, Vec<u8>>,
) -> Ended {
    let machine = engine.machine();
    let code: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let map = model.maps.iter().position(|map| map.name == "defaultmap").expect("the model has it");
    for (address, bytes) in memory.iter().map(|(address, bytes)| (*address, bytes)).chain([(address, &code)])
    {
        machine.write_bytes(map, address.into(), bytes).expect("the program lies in memory");
    }
    machine.write_place(&model.pc, address.into());
    let (streams, output, _) = Streams::captured(b"");
    let mut host = Host::new(streams);
    let stop = run_to_end(engine, &mut host);
    host.flush().expect("memory takes everything");
    let measurement = engine.measurement();
    measurement.iter().for_each(check_time);
    let (instructions, cycles) = (engine.instructions(), engine.cycles());
    let summary = measurement.as_ref().map(Summary::of);
    if let Some(summary) = &summary {
        assert_eq!((summary.executed, summary.cycles), (instructions, cycles));
    }
    let file = model.registers.iter().position(|register| register.name == "x").expect("the model has it");
    let x = (0..32).map(|element| engine.machine().read_register(file, element)).collect();
    let report = measurement.as_ref().map(render_xml);
    let (caches, output) = (engine.caches(), output.bytes());
    Ended { stop, instructions, cycles, caches, output, x, summary, report }
}

/// Where instructions overlap an engine stops after as many cycles as it was asked for instructions.
fn run_to_end(engine: &mut dyn Engine, host: &mut Host) -> Stop {
    loop {
        let stop = engine.run(host, LIMIT);
        if !matches!(stop, Stop::Paused { .. }) || engine.instructions() >= LIMIT {
            return stop;
        }
    }
}
