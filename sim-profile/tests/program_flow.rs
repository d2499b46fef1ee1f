//! The flow graphs of measured programs.

use std::collections::BTreeMap;

use proptest::prelude::*;
use sim_profile::flow::{
    EdgeKind, Finding, ProgramFlow, RoutineEdge, complete, place_counters, random_weights, routine_flows,
    verify,
};
use sim_profile::{CodeSizes, Control, ControlTable, InstructionKey, Measurement, ModelTables, Word};

const NAME: &str = "decode(op())";

/// A run that executes instructions of one cell in this order; what is at fault comes with `false`.
fn run(walk: &[(u64, bool)]) -> Measurement {
    let instructions = vec![NAME.to_owned()];
    let tables = ModelTables { address_bits: 16, instructions, ..ModelTables::default() };
    let mut measurement = Measurement::new(tables);
    for (step, &(address, done)) in walk.iter().enumerate() {
        let key = InstructionKey { address, word: Word::new(&[1]).unwrap() };
        let record = measurement.instructions.entry(key).or_default();
        (record.name, record.size_cells) = (NAME.to_owned(), 1);
        match done {
            true => record.executed += 1,
            false => record.faulted += 1,
        }
        measurement.cycles += 1;
        if let Some(&(next, _)) = walk.get(step + 1)
            && done
            && next != address + 1
        {
            *measurement.transfers.entry((address, next)).or_default() += 1;
        }
    }
    measurement
}

fn jump(targets: &[u64], falls_through: bool) -> Control {
    Control { falls_through, targets: targets.to_vec(), computed: false, keeps: None }
}

fn call(target: u64, keeps: u64) -> Control {
    Control { falls_through: false, targets: vec![target], computed: false, keeps: Some(keeps) }
}

fn back() -> Control {
    Control { falls_through: false, targets: Vec::new(), computed: true, keeps: None }
}

/// `from kind to: count` of every edge, blocks by their first address.
fn edges(flow: &ProgramFlow) -> Vec<String> {
    let name = |block: u32| match flow.blocks.get(block as usize) {
        Some(block) => block.first.to_string(),
        None => "outside".to_owned(),
    };
    let edges = flow.graph.edges().iter().zip(&flow.kinds).zip(&flow.counts);
    edges
        .map(|((edge, kind), count)| format!("{} {kind:?} {}: {count}", name(edge.from), name(edge.to)))
        .collect()
}

/// 0 1 (2 3)* 4, going round three times.
fn small_loop() -> (Measurement, ControlTable) {
    let walk = [0, 1, 2, 3, 2, 3, 2, 3, 4].map(|address| (address, true));
    (run(&walk), [(3, jump(&[2], true))].into())
}

fn findings(measurement: &Measurement, control: &ControlTable) -> Vec<Finding> {
    let flow = ProgramFlow::of(measurement, control);
    let routines = routine_flows(&flow, measurement, control, &CodeSizes::new(), |_| 0);
    verify(measurement, (1, None), &flow, &routines)
}

#[test]
fn blocks_begin_where_control_comes_and_end_where_it_goes() {
    let (measurement, control) = small_loop();
    let flow = ProgramFlow::of(&measurement, &control);
    let blocks: Vec<_> = flow.blocks.iter().map(|block| (block.first, block.end, block.executed)).collect();
    assert_eq!(blocks, [(0, 2, 1), (2, 4, 3), (4, 5, 1)]);
    assert_eq!(
        edges(&flow),
        ["0 Fall 2: 1", "2 Jump 2: 2", "2 Fall 4: 1", "outside Entry 0: 1", "4 End outside: 1"]
    );
    assert_eq!(findings(&measurement, &control), []);
    assert_eq!(flow.block_at(3), Some(1));
    assert_eq!(flow.block_at(6), None);
}

#[test]
fn the_side_of_a_branch_that_was_never_taken_is_there() {
    let measurement = run(&[(0, true), (1, true), (2, true)]);
    let control = [(1, jump(&[9], true))].into();
    let flow = ProgramFlow::of(&measurement, &control);
    assert!(edges(&flow).contains(&"0 Jump 9: 0".to_owned()), "{:?}", edges(&flow));
    let never = flow.blocks.iter().find(|block| block.first == 9).unwrap();
    assert_eq!((never.instructions, never.entered, never.executed), (0, 0, 0));
}

#[test]
fn code_that_never_ran_has_blocks_and_edges_too() {
    let measurement = run(&[(0, true), (1, true), (2, true)]);
    let control = [(1, jump(&[9], true)), (10, jump(&[0], false))].into();
    let code = [(9, 1), (10, 1)].into();
    let flow = ProgramFlow::with_code(&measurement, &control, &code, &[]);
    let never = flow.blocks.iter().find(|block| block.first == 9).unwrap();
    assert_eq!((never.instructions, never.end, never.executed), (2, 11, 0));
    assert!(edges(&flow).contains(&"9 Jump 0: 0".to_owned()), "{:?}", edges(&flow));
    assert_eq!(findings(&measurement, &control), []);
}

#[test]
fn no_block_goes_on_over_the_beginning_of_a_function() {
    let measurement = run(&[(0, true), (1, true), (2, true)]);
    let flow = ProgramFlow::with_code(&measurement, &ControlTable::new(), &CodeSizes::new(), &[2, 7]);
    assert_eq!(edges(&flow), ["0 Fall 2: 1", "outside Entry 0: 1", "2 End outside: 1"]);
}

/// What may go on anywhere says nothing: only what was seen divides blocks.
#[test]
fn instructions_that_may_do_anything_stay_in_their_block() {
    let anything = Control { falls_through: true, targets: Vec::new(), computed: true, keeps: None };
    let (measurement, _) = small_loop();
    let control = (0..5).map(|address| (address, anything.clone())).collect();
    let blocks = ProgramFlow::of(&measurement, &control).blocks;
    let blocks: Vec<_> = blocks.iter().map(|block| (block.first, block.end)).collect();
    assert_eq!(blocks, [(0, 2), (2, 4), (4, 5)]);
}

/// The branch at 1 is made behind the instruction at 2.
#[test]
fn a_branch_with_a_delay_slot_ends_a_block_behind_it() {
    let walk = [0, 1, 2, 0, 1, 2, 3, 4].map(|address| (address, true));
    let (measurement, control) = (run(&walk), [(1, jump(&[0], true))].into());
    let flow = ProgramFlow::of(&measurement, &control);
    let blocks: Vec<_> = flow.blocks.iter().map(|block| (block.first, block.end, block.executed)).collect();
    assert_eq!(blocks, [(0, 3, 2), (3, 5, 1)]);
    assert_eq!(edges(&flow)[..2], ["0 Jump 0: 1", "0 Fall 3: 1"]);
}

#[test]
fn a_fault_leaves_the_program_and_what_follows_comes_from_outside() {
    let measurement = run(&[(0, true), (1, true), (2, false), (8, true), (9, true)]);
    let control = ControlTable::new();
    let flow = ProgramFlow::of(&measurement, &control);
    let virtual_edges: Vec<_> = edges(&flow).into_iter().filter(|edge| edge.contains("outside")).collect();
    assert_eq!(
        virtual_edges,
        ["outside Entry 0: 1", "2 Fault outside: 1", "outside Entry 8: 1", "8 End outside: 1"]
    );
    assert_eq!(findings(&measurement, &control), []);
}

/// 0 calls 10 twice, which returns; then 20, which does not come back.
fn calls() -> (Measurement, ControlTable) {
    let walk = [0, 1, 10, 11, 2, 3, 10, 11, 4, 20, 21].map(|address| (address, true));
    let control = [(1, call(10, 2)), (3, call(10, 4)), (4, call(20, 5)), (11, back())];
    (run(&walk), control.into())
}

#[test]
fn a_call_is_an_edge_over_the_function() {
    let (measurement, control) = calls();
    let flow = ProgramFlow::of(&measurement, &control);
    assert_eq!(flow.kinds.iter().filter(|kind| **kind == EdgeKind::Call).count(), 3);
    assert_eq!(flow.kinds.iter().filter(|kind| **kind == EdgeKind::Return).count(), 2);
    let parts = |address: u64| u32::try_from(address / 10).unwrap();
    let routines = routine_flows(&flow, &measurement, &control, &CodeSizes::new(), parts);
    assert_eq!(routines.len(), 3);
    let main = &routines[0];
    let over: Vec<_> = (0..main.kinds.len()).filter(|&edge| main.kinds[edge] == RoutineEdge::Call).collect();
    assert_eq!(over.iter().map(|&edge| main.counts[edge]).collect::<Vec<_>>(), [1, 1]);
    let left: u64 = (0..main.kinds.len())
        .filter(|&edge| main.kinds[edge] == RoutineEdge::Abort)
        .map(|edge| main.counts[edge])
        .sum();
    assert_eq!(left, 1, "the call that did not come back");
    assert_eq!(routines[1].counts.iter().sum::<u64>(), 4, "in and out, twice");
    assert_eq!(verify(&measurement, (1, None), &flow, &routines), []);
}

#[test]
fn what_no_run_does_is_found() {
    let (sound, control) = small_loop();
    let found = |change: &dyn Fn(&mut Measurement)| {
        let mut measurement = sound.clone();
        change(&mut measurement);
        let findings = findings(&measurement, &control);
        findings.iter().map(Finding::to_string).collect::<Vec<_>>().join("\n")
    };
    insta::assert_snapshot!(
        [
            found(&|measurement| _ = measurement.transfers.insert((3, 2), 7)),
            found(&|measurement| _ = measurement.transfers.insert((40, 2), 1)),
            found(&|measurement| _ = measurement.transfers.insert((0, 1), 1)),
            found(&|measurement| _ = measurement.transfers.insert((1, 9), 0)),
            found(&|measurement| _ = measurement.transfers.insert((3, 2), 1)),
            found(&|measurement| measurement.cycles += 1),
            found(&|measurement| measurement.extra_cycles += 1),
        ]
        .join("\n---\n")
    );
}

proptest! {
    /// Random walks: jumps anywhere, faults, one run behind the other.
    #[test]
    fn what_ran_flows(walk in proptest::collection::vec((0_u64..24, 0_u8..12), 1..200), seed: u64) {
        let mut address = 0;
        let steps = walk.iter().map(|&(to, what)| {
            let step = (address, what != 11);
            address = if what < 3 { to } else { (address + 1) % 24 };
            step
        });
        let measurement = run(&steps.collect::<Vec<_>>());
        let control = ControlTable::new();
        let flow = ProgramFlow::of(&measurement, &control);
        let parts = |address: u64| u32::try_from(address / 6).unwrap();
        let routines = routine_flows(&flow, &measurement, &control, &CodeSizes::new(), parts);
        prop_assert_eq!(verify(&measurement, (1, None), &flow, &routines), []);

        let mut executed: BTreeMap<u64, u64> = BTreeMap::new();
        for (key, record) in &measurement.instructions {
            executed.insert(key.address, record.executed);
        }
        for block in &flow.blocks {
            for address in block.first..block.end {
                prop_assert_eq!(executed[&address], block.executed);
            }
        }
        for (graph, counts) in routines.iter().map(|routine| (&routine.graph, &routine.counts))
            .chain([(&flow.graph, &flow.counts)])
        {
            let placement = place_counters(graph, &random_weights(graph, seed));
            let few: Vec<u64> = placement.counted().iter().map(|&edge| counts[edge as usize]).collect();
            let all = complete(graph, &placement, &few, &[]);
            prop_assert_eq!(all.as_ref(), Ok(counts));
        }
    }
}

#[test]
fn an_empty_measurement_has_an_empty_graph() {
    let measurement = Measurement::new(ModelTables::default());
    assert_eq!(ProgramFlow::of(&measurement, &ControlTable::new()), ProgramFlow::default());
    assert_eq!(findings(&measurement, &ControlTable::new()), []);
}
