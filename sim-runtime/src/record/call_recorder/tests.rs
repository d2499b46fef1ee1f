use sim_profile::symbols::FunctionCells;
use sim_profile::{CallKind, Calls, Spending};

use super::{CallRecorder, FunctionMap, MOST_FRAMES, Step};

/// Three functions of ten cells, and code without symbols behind them.
fn recorder() -> CallRecorder {
    let cells = |start: u64| FunctionCells { start, end: start + 10, function: start };
    CallRecorder::new(FunctionMap::new([0, 10, 20].map(cells).to_vec()), 0)
}

fn at(instructions: u64) -> Spending {
    Spending { instructions, cycles: instructions * 2 }
}

fn call(recorder: &mut CallRecorder, from: u64, to: u64, now: u64) {
    recorder.transfer(from, to, Step::Call { return_address: from + 1 }, at(now));
}

fn computed(recorder: &mut CallRecorder, from: u64, to: u64, now: u64) {
    recorder.transfer(from, to, Step::Computed, at(now));
}

/// Function, own and inclusive instructions.
fn functions(calls: &Calls) -> Vec<(u64, u64, u64)> {
    let functions = calls.functions.iter();
    functions.map(|(start, it)| (*start, it.own.instructions, it.inclusive.instructions)).collect()
}

/// Caller, callee, kind, calls and inclusive instructions.
fn arcs(calls: &Calls) -> Vec<(u64, u64, CallKind, u64, u64)> {
    let arcs = calls.arcs.iter();
    arcs.map(|(key, it)| (key.caller, key.callee, key.kind, it.calls, it.inclusive.instructions)).collect()
}

#[test]
fn what_is_inclusive_is_what_it_costs_and_what_it_calls() {
    let mut recorder = recorder();
    call(&mut recorder, 2, 10, 3);
    call(&mut recorder, 12, 20, 7);
    computed(&mut recorder, 25, 13, 12);
    computed(&mut recorder, 14, 3, 14);
    call(&mut recorder, 3, 20, 15);
    computed(&mut recorder, 25, 4, 18);
    let calls = recorder.calls(at(20));
    assert_eq!(functions(&calls), [(0, 6, 20), (10, 6, 11), (20, 8, 8)]);
    let expected =
        [(0, 10, CallKind::Call, 1, 11), (0, 20, CallKind::Call, 1, 3), (10, 20, CallKind::Call, 1, 5)];
    assert_eq!(arcs(&calls), expected);
    assert_eq!(calls.functions[&0].inclusive.cycles, 40);
}

#[test]
fn recursion_counts_no_instruction_twice() {
    let mut recorder = recorder();
    call(&mut recorder, 2, 10, 1);
    call(&mut recorder, 12, 10, 3);
    call(&mut recorder, 12, 10, 5);
    computed(&mut recorder, 15, 13, 8);
    computed(&mut recorder, 15, 13, 9);
    computed(&mut recorder, 15, 3, 10);
    let calls = recorder.calls(at(12));
    assert_eq!(functions(&calls), [(0, 3, 12), (10, 9, 9)]);
    assert_eq!(arcs(&calls), [(0, 10, CallKind::Call, 1, 9), (10, 10, CallKind::Call, 2, 6)]);
}

#[test]
fn a_tail_call_returns_for_its_caller() {
    let mut recorder = recorder();
    call(&mut recorder, 2, 10, 1);
    recorder.transfer(15, 20, Step::Direct, at(4));
    computed(&mut recorder, 25, 3, 9);
    let calls = recorder.calls(at(10));
    assert_eq!(functions(&calls), [(0, 2, 10), (10, 3, 8), (20, 5, 5)]);
    assert_eq!(arcs(&calls), [(0, 10, CallKind::Call, 1, 8), (10, 20, CallKind::Tail, 1, 5)]);
}

#[test]
fn functions_that_jump_to_each_other_for_ever_need_two_frames() {
    let mut recorder = recorder();
    for turn in 0..10 {
        recorder.transfer(5, 10, Step::Direct, at(turn * 2 + 1));
        recorder.transfer(15, 0, Step::Direct, at(turn * 2 + 2));
    }
    assert_eq!(recorder.frames.len(), 1);
    assert_eq!(arcs(&recorder.calls(at(20))), [(0, 10, CallKind::Tail, 10, 10)]);
}

#[test]
fn a_long_jump_takes_off_what_it_leaves() {
    let mut recorder = recorder();
    call(&mut recorder, 2, 10, 1);
    call(&mut recorder, 12, 20, 2);
    computed(&mut recorder, 22, 5, 4);
    assert_eq!(recorder.frames.len(), 1);
    assert_eq!(functions(&recorder.calls(at(5))), [(0, 2, 5), (10, 1, 3), (20, 2, 2)]);
    // Over several frames to where one of them is awaited.
    call(&mut recorder, 2, 10, 6);
    call(&mut recorder, 12, 20, 7);
    computed(&mut recorder, 22, 3, 8);
    assert_eq!(recorder.frames.len(), 1);
}

#[test]
fn an_interrupt_returns_to_what_was_next() {
    let mut recorder = recorder();
    recorder.transfer(4, 20, Step::Unforeseen { next: 5 }, at(5));
    computed(&mut recorder, 29, 5, 8);
    let calls = recorder.calls(at(10));
    assert_eq!(arcs(&calls), [(0, 20, CallKind::Interrupt, 1, 3)]);
    assert_eq!(functions(&calls), [(0, 7, 10), (20, 3, 3)]);
}

#[test]
fn code_without_symbols_has_a_function_where_it_is_called() {
    let mut recorder = recorder();
    call(&mut recorder, 2, 40, 1);
    recorder.transfer(45, 50, Step::Direct, at(2));
    call(&mut recorder, 52, 60, 3);
    computed(&mut recorder, 61, 53, 4);
    computed(&mut recorder, 55, 3, 6);
    let calls = recorder.calls(at(7));
    assert_eq!(functions(&calls), [(0, 2, 7), (40, 4, 5), (60, 1, 1)]);
}

#[test]
fn a_full_stack_forgets_the_oldest_call() {
    let mut recorder = recorder();
    for call in 0..MOST_FRAMES as u64 + 2 {
        recorder.transfer(12, 10, Step::Call { return_address: 13 }, at(call));
    }
    assert_eq!(recorder.frames.len() - recorder.bottom, MOST_FRAMES);
    let calls = recorder.calls(at(MOST_FRAMES as u64 + 2));
    assert_eq!(calls.forgotten, 3);
}

#[test]
fn what_comes_back_to_a_forgotten_call_goes_on_there() {
    let depth = MOST_FRAMES as u64 + 5;
    for is_prepared in [false, true] {
        let (mut recorder, mut now) = (recorder(), 0);
        let mut take = |recorder: &mut CallRecorder, from, to, step| {
            now += 1;
            match is_prepared {
                false => recorder.transfer(from, to, step, at(now)),
                true => {
                    let way = recorder.way(from, to, step);
                    recorder.take(way, at(now));
                }
            }
        };
        take(&mut recorder, 2, 10, Step::Call { return_address: 3 });
        (1..depth).for_each(|_| take(&mut recorder, 12, 10, Step::Call { return_address: 13 }));
        (1..depth).for_each(|_| take(&mut recorder, 14, 13, Step::Computed));
        take(&mut recorder, 14, 3, Step::Computed);
        for _ in 0..3 {
            take(&mut recorder, 4, 20, Step::Call { return_address: 5 });
            take(&mut recorder, 25, 5, Step::Computed);
        }
        let calls = recorder.calls(at(now));
        // The one that the run began with, and the first five calls.
        assert_eq!(calls.forgotten, 6);
        let own: u64 = calls.functions.values().map(|function| function.own.instructions).sum();
        assert_eq!(own, now);
        let stacks: u64 = calls.contexts.iter().map(|context| context.own.instructions).sum();
        assert_eq!(stacks, now);
        let called = calls.arcs.iter().filter(|(key, _)| key.callee == 20);
        assert_eq!(called.map(|(key, arc)| (key.caller, arc.calls)).collect::<Vec<_>>(), [(0, 3)]);
        assert_eq!(calls.functions[&20].inclusive.instructions, 3);
    }
}

/// Numbers that look random, always the same.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % end
    }
}

/// A transfer that may be anything: calls, returns to where somebody waits, jumps everywhere.
fn any_transfer(numbers: &mut Numbers) -> (u64, u64, Step) {
    let (from, to) = (numbers.below(60), numbers.below(60));
    match numbers.below(8) {
        0..3 => (from, to / 10 * 10, Step::Call { return_address: from + 1 }),
        3..6 => (from, to, Step::Computed),
        6 => (from, to, Step::Direct),
        _ => (from, to / 10 * 10, Step::Unforeseen { next: from + 1 }),
    }
}

#[test]
fn ways_are_taken_as_transfers_are() {
    for seed in 0..200 {
        let (mut numbers, mut now) = (Numbers(seed), 0);
        let (mut plain, mut prepared) = (recorder(), recorder());
        let mut from = 0;
        for _ in 0..400 {
            let (_, to, step) = any_transfer(&mut numbers);
            now += numbers.below(9);
            plain.transfer(from, to, step, at(now));
            if !prepared.is_idle(step, from, to) {
                let way = prepared.way(from, to, step);
                prepared.take(way, at(now));
            }
            from = to;
        }
        assert_eq!(prepared.calls(at(now)), plain.calls(at(now)), "seed {seed}");
    }
}

/// Programs as compilers make them: functions that call others, mostly return to where they were called,
/// and seldom are on the stack twice.
#[test]
fn ways_of_programs_are_taken_as_transfers_are() {
    const FUNCTIONS: u64 = 60;
    let cells =
        |number: u64| FunctionCells { start: number * 10, end: number * 10 + 10, function: number * 10 };
    let map = || FunctionMap::new((0..FUNCTIONS).map(cells).collect());
    let (mut deepest_single, mut repeated) = (0, 0);
    for seed in 0..100 {
        let (mut numbers, mut now) = (Numbers(seed), 0);
        let (mut plain, mut prepared) = (CallRecorder::new(map(), 0), CallRecorder::new(map(), 0));
        let (mut here, mut waiting) = (0, Vec::new());
        for _ in 0..600 {
            let function = here / 10;
            let site = function * 10 + 1 + numbers.below(3);
            // Mostly a function further on; some functions and addresses are without symbols.
            let mut callee = || match numbers.below(40) {
                0 => numbers.below(FUNCTIONS + 10) * 10,
                _ => (function + 1 + numbers.below(4)).min(FUNCTIONS + 10) * 10,
            };
            let to = callee();
            let (to, step) = match (numbers.below(20), waiting.last().copied()) {
                (0..9, _) => {
                    waiting.push(site + 1);
                    (to, Step::Call { return_address: site + 1 })
                }
                (9..12, _) => (to, Step::Direct),
                (12, _) => (to, Step::Computed),
                (13, Some(_)) if numbers.below(8) == 0 => {
                    // A long jump.
                    waiting.truncate(numbers.below(waiting.len() as u64) as usize + 1);
                    (waiting.pop().unwrap_or(0), Step::Computed)
                }
                (_, Some(address)) => {
                    waiting.pop();
                    (address, Step::Computed)
                }
                (_, None) => (to, Step::Unforeseen { next: site + 1 }),
            };
            now += numbers.below(9);
            plain.transfer(site, to, step, at(now));
            if !prepared.is_idle(step, site, to) {
                let way = prepared.way(site, to, step);
                prepared.take(way, at(now));
            }
            let single = prepared.frames.len() - prepared.present;
            deepest_single = deepest_single.max(single);
            repeated += usize::from(prepared.frames.last().is_some_and(|top| !top.stack.is_single()));
            here = to;
        }
        assert_eq!(prepared.calls(at(now)), plain.calls(at(now)), "seed {seed}");
    }
    assert!(deepest_single > 10 && repeated > 100, "{deepest_single} {repeated}");
}

#[test]
fn a_computed_jump_is_idle_until_somebody_waits_where_it_leads() {
    let mut recorder = recorder();
    assert!(recorder.is_idle(Step::Computed, 1, 5));
    call(&mut recorder, 4, 10, 1);
    assert_eq!(recorder.take_newly_awaited(), [5]);
    assert!(!recorder.is_idle(Step::Computed, 1, 5));
    computed(&mut recorder, 12, 5, 2);
    call(&mut recorder, 4, 10, 3);
    assert!(recorder.take_newly_awaited().is_empty());
}

/// A chain of functions that each jump to the next, by a known address or a computed one, then the same chain
/// above it: every function is on the stack by then, and none of them is what is returned to.
#[test]
fn a_chain_of_tail_calls_takes_no_longer_than_it_is_long() {
    const FUNCTIONS: u64 = 100_000;
    let cells =
        |number: u64| FunctionCells { start: number * 10, end: number * 10 + 10, function: number * 10 };
    let mut recorder = CallRecorder::new(FunctionMap::new((0..FUNCTIONS).map(cells).collect()), 0);
    let mut now = 0;
    let mut go = |recorder: &mut CallRecorder, from: u64, to: u64, step| {
        now += 1;
        let way = recorder.way(from, to, step);
        recorder.take(way, at(now));
    };
    for turn in 0..2 {
        for number in 1..FUNCTIONS {
            let step = if number % 2 == 0 { Step::Direct } else { Step::Computed };
            go(&mut recorder, number * 10 - 5, number * 10, step);
        }
        if turn == 0 {
            go(&mut recorder, FUNCTIONS * 10 - 3, 0, Step::Call { return_address: FUNCTIONS * 10 - 2 });
        }
    }
    go(&mut recorder, FUNCTIONS * 10 - 5, FUNCTIONS * 10 - 2, Step::Computed);
    assert_eq!(recorder.frames.len() as u64, FUNCTIONS);
    let calls = recorder.calls(at(now));
    assert!(calls.arcs.iter().all(|(key, arc)| arc.calls == if key.kind == CallKind::Tail { 2 } else { 1 }));
    assert_eq!(calls.arcs.len() as u64, FUNCTIONS);
    assert_eq!(calls.contexts.len() as u64, FUNCTIONS);
    assert_eq!(calls.functions[&0].inclusive, at(now));
}

/// A handler comes back to the instruction that it has cancelled, which is a function's first one; it may have
/// jumped to another function before.
#[test]
fn a_handler_comes_back_to_what_it_has_cancelled() {
    for has_jumped in [false, true] {
        let mut recorder = recorder();
        call(&mut recorder, 2, 10, 1);
        recorder.cancelled(10, 20, 11, at(1));
        let from = if has_jumped { 30 } else { 25 };
        if has_jumped {
            recorder.transfer(22, 30, Step::Direct, at(3));
        }
        computed(&mut recorder, from, 10, 5);
        computed(&mut recorder, 12, 3, 7);
        let calls = recorder.calls(at(9));
        let of_handler = if has_jumped { vec![(20, 2, 4), (30, 2, 2)] } else { vec![(20, 4, 4)] };
        let expected = [vec![(0, 3, 9), (10, 2, 6)], of_handler].concat();
        assert_eq!(functions(&calls), expected);
        let arcs: Vec<_> = arcs(&calls).into_iter().filter(|arc| arc.2 != CallKind::Tail).collect();
        assert_eq!(arcs, [(0, 10, CallKind::Call, 1, 6), (10, 20, CallKind::Interrupt, 1, 4)]);
    }
}
