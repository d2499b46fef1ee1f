//! Runs a case of an instruction-accurate model on a cycle-accurate one of the same architecture.
//!
//! Such a model has more registers, and its PC is where it fetches. Compared are the registers
//! that both have, the memory near behind maps that both have, and the address at which the program goes on: that of the next
//! instruction, which is left to run for it.

use std::collections::BTreeSet;

use isac_ir::Model;
use sim_profile::executions::executions;
use sim_runtime::host::Host;
use sim_runtime::{Engine, Stop};

use super::case::{Case, End};
use super::compare::{compare_states, end_of, near, prepare, read_state};

/// More cycles than any instruction takes.
const PATIENCE: u64 = 1000;

/// What is not as the case says, each as one line. The engine has to be one that profiles.
pub(crate) fn compare_overlapping(
    case: &Case,
    engine: &mut dyn Engine,
    model: &Model,
    architecture: &Model,
) -> Vec<String> {
    if let Err(error) = prepare(case, engine.machine(), model) {
        return vec![error];
    }
    let mut near = near(case, model);
    near.retain(|piece| architecture.maps.iter().any(|map| map.name == model.maps[piece.map].name));
    let mut expected = read_state(engine.machine(), model, &near);
    expected.set_parts(&model.pc, case.behind(model));
    for (place, value) in &case.after {
        expected.set(*place, *value, model);
    }
    let stop = run_until_ended(engine, 1);
    let mut found = read_state(engine.machine(), model, &near);

    let pc = model.pc.parts[0].register as usize;
    let shared: BTreeSet<&str> = architecture.registers.iter().map(|register| &*register.name).collect();
    let is_compared = |register: usize| shared.contains(&*model.registers[register].name) && register != pc;
    found.registers.retain(|(register, _), _| is_compared(*register));
    let goes_on_at = expected.registers[&(pc, 0)] as u64;
    expected.registers.retain(|(register, _), _| is_compared(*register));

    let mut differences = compare_ending(case, stop, engine);
    differences.extend(compare_states(&expected, &found, model));
    if case.end == End::Ran {
        differences.extend(compare_successor(case, goes_on_at, engine));
    }
    differences
}

/// Runs until so many instructions have ended, or the run has.
fn run_until_ended(engine: &mut dyn Engine, instructions: u64) -> Stop {
    let mut host = Host::default();
    loop {
        let stop = engine.run(&mut host, 1);
        let goes_on = matches!(stop, Stop::Paused { .. }) && engine.cycles() < PATIENCE;
        if !goes_on || engine.instructions() >= instructions {
            return stop;
        }
    }
}

fn compare_ending(case: &Case, stop: Stop, engine: &dyn Engine) -> Vec<String> {
    let mut differences = Vec::new();
    let end = end_of(stop, engine);
    if end != case.end {
        differences.push(format!("the end is {end:?}, expected {:?}", case.end));
    }
    if let Stop::Fault(fault) = stop
        && fault.instruction_address != case.address
    {
        differences.push(format!("the fault is in another place: {fault:?}"));
    }
    let ended = u64::from(matches!(case.end, End::Ran | End::Halted(_)));
    if engine.instructions() != ended {
        differences.push(format!("{} instructions, expected {ended}", engine.instructions()));
    }
    differences
}

/// The next instruction is the one at an address, whether it runs or is at fault.
fn compare_successor(case: &Case, address: u64, engine: &mut dyn Engine) -> Option<String> {
    let stop = run_until_ended(engine, 2);
    let is_there = match stop {
        Stop::Fault(fault) => fault.instruction_address == address,
        _ => {
            let measurement = engine.measurement().expect("the engine profiles");
            let own = u64::from(address == case.address);
            executions(&measurement).get(&address).is_some_and(|count| *count > own)
        }
    };
    (!is_there).then(|| format!("the program goes on elsewhere than at {address:#x}: {stop:?}"))
}
