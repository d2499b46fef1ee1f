//! Engines that are called back in the middle of a slice: what is left of it is run by the next call, to the same
//! end.

mod cases;

use isac_ir::Model;
use sim_runtime::host::{Host, Streams};
use sim_runtime::{Engine, Stop};
use sim_translate::TranslatedEngine;

/// Of rv32im, for ever: `sw t2, 4(t1)`, which writes over `addi t3, t3, 1` what is there, and `j` back.
const WRITES_OVER_ITSELF: [u32; 3] = [0x0073_2223, 0x001e_0e13, 0xff9f_f06f];
const BUDGET: u64 = 20_000;

fn engine(model: &Model) -> TranslatedEngine<'_> {
    let mut engine = TranslatedEngine::new(model).expect("it can be translated");
    let start = engine.machine().read_place(&model.pc) as u64;
    let bytes: Vec<u8> = WRITES_OVER_ITSELF.iter().flat_map(|word| word.to_le_bytes()).collect();
    engine.machine().write_bytes(0, start, &bytes).expect("the program lies in memory");
    let x = model.registers.iter().position(|register| register.name == "x").expect("there is x");
    engine.machine().write_register(x, 6, start.into());
    engine.machine().write_register(x, 7, WRITES_OVER_ITSELF[1].into());
    engine
}

fn host() -> Host {
    Host::new(Streams::captured(b"").0)
}

#[test]
fn a_run_that_is_slow_comes_back_when_it_is_called() {
    let model = cases::model("models/rv32im/rv32im.isac");
    let mut whole = engine(&model);
    assert_eq!(whole.run(&mut host(), BUDGET), Stop::Budget);

    let mut called = engine(&model);
    let mut host = host().with_recall(|| true);
    let (mut left, mut pauses) = (BUDGET, 0);
    while left > 0 {
        match called.run(&mut host, left) {
            Stop::Budget => left = 0,
            Stop::Paused { taken, is_at_address: false } => (left, pauses) = (left - taken, pauses + 1),
            stop => panic!("it has stopped: {stop:?}"),
        }
    }
    assert!(pauses >= 5, "{pauses}");
    assert_eq!(whole.instructions(), called.instructions());
    let counted = |engine: &mut TranslatedEngine<'_>| engine.machine().read_register(0, 28);
    assert_eq!(counted(&mut whole), counted(&mut called));
}
