//! Registers and cells of more than 128 bits.

use std::cell::RefCell;
use std::rc::Rc;

use isac_ir::bits::Bits;
use sim_profile::{AccessEvent, Event, EventSink};
use sim_runtime::host::Host;
use sim_runtime::launcher::{LaunchInfo, RunOptions, Stdio, launch};
use sim_runtime::reference::ReferenceEngine;
use sim_runtime::{AccessKind, Engine, FaultKind, Machine, Stop};

use crate::{engines, load_changed, run_options};

/// The registers of the model, by index.
const V: usize = 1;
const ODD: usize = 2;
const A: usize = 3;
const Q: usize = 4;

/// 256 bits of which no byte is another.
fn pattern() -> Bits {
    Bits::from_be_bytes(&std::array::from_fn::<u8, 32, _>(|index| 0xf0 - 3 * index as u8))
}

/// Resource and kind of every access.
#[derive(Clone, Default)]
struct Accesses(Rc<RefCell<Vec<(u32, AccessEvent)>>>);

impl EventSink for Accesses {
    fn event(&mut self, event: Event<'_>) {
        if let Event::Access { resource, kind, .. } = event {
            self.0.borrow_mut().push((resource, kind));
        }
    }
}

/// Executes one instruction with `v[0]` as a pattern on every engine; what it accessed but for
/// fetch and PC.
fn execute(
    opcode: u8,
    prepare: impl Fn(&mut dyn Machine),
    look: impl Fn(&dyn Machine, Stop),
) -> Vec<(u32, AccessEvent)> {
    let model = load_changed("vectors", "", "");
    let accesses = Accesses::default();
    let telling = ReferenceEngine::new(&model).with_events(Box::new(accesses.clone()));
    let (_, engines) = engines("vectors");
    let engines = engines.into_iter().map(|(_, engine)| engine);
    for mut engine in engines.chain([Box::new(telling) as Box<dyn Engine>]) {
        engine.machine().write_bytes(0, 0x10, &[opcode]).expect("the program lies in memory");
        engine.machine().write_register_bits(V, 0, pattern());
        prepare(engine.machine());
        let stop = engine.run(&mut Host::default(), 1);
        look(engine.machine(), stop);
    }
    let found = accesses.0.borrow().clone();
    found.into_iter().skip(4).collect()
}

const READ: AccessEvent = AccessEvent::Read;
const WRITE: AccessEvent = AccessEvent::Write;

#[test]
fn slices_are_read_wherever_they_lie() {
    let accesses = execute(
        0x00,
        |_| {},
        |machine, _| {
            assert_eq!(machine.read_register(A, 0), pattern().extract(0, 64));
        },
    );
    assert_eq!(accesses, [(V as u32, READ), (A as u32, WRITE)]);
    execute(
        0x01,
        |machine| machine.write_register(A, 0, 0),
        |machine, _| {
            assert_eq!(machine.read_register(A, 0), pattern().extract(96, 64), "across the middle");
        },
    );
    execute(
        0x02,
        |machine| machine.write_register_bits(ODD, 0, Bits::ZERO.with_bit(199, true)),
        |machine, _| {
            assert_eq!(machine.read_register(A, 0), 2, "two bits at the top");
        },
    );
}

#[test]
fn slices_are_written_and_leave_the_rest() {
    let accesses = execute(
        0x03,
        |machine| machine.write_register(A, 0, 0x1234),
        |machine, _| {
            let expected = pattern().with(128, 64, 0x1234).with_bit(255, true);
            assert_eq!(machine.read_register_bits(V, 0), expected);
            assert_eq!(machine.read_register_bits(ODD, 0), Bits::from_u128(9));
        },
    );
    let (v, odd) = (V as u32, ODD as u32);
    assert_eq!(accesses, [(A as u32, READ), (v, WRITE), (v, WRITE), (odd, WRITE)]);
    execute(
        0x04,
        |machine| machine.write_register(Q, 0, u128::MAX / 3),
        |machine, _| {
            assert_eq!(machine.read_register_bits(V, 0), pattern().with(63, 128, u128::MAX / 3));
        },
    );
    let accesses = execute(
        0x0f,
        |_| {},
        |machine, _| {
            let old = pattern().extract(120, 16);
            assert_eq!(machine.read_register_bits(V, 0), pattern().with(120, 16, old + 1));
        },
    );
    assert_eq!(accesses, [(v, READ), (v, WRITE)]);
}

#[test]
fn a_copy_is_one_access_of_each_part() {
    let v = V as u32;
    let accesses = execute(
        0x05,
        |_| {},
        |machine, _| {
            assert_eq!(machine.read_register_bits(V, 1), pattern());
            assert_eq!(machine.read_register_bits(V, 3), Bits::from_u128(0x33), "it is hardwired");
        },
    );
    assert_eq!(accesses, [(v, READ), (v, WRITE), (v, READ), (v, WRITE)]);
    let accesses = execute(
        0x0a,
        |_| {},
        |machine, _| {
            assert_eq!(machine.read_register(Q, 0), pattern().extract(128, 128));
            assert_eq!(machine.read_register(A, 0), pattern().extract(64, 64));
            assert_eq!(machine.read_register_bits(V, 2), Bits::from_u128(pattern().extract(0, 64)));
        },
    );
    assert_eq!(accesses, [(v, READ), (Q as u32, WRITE), (A as u32, WRITE), (v, WRITE)]);
    execute(
        0x09,
        |machine| machine.write_register(Q, 0, 7),
        |machine, _| {
            assert_eq!(machine.read_register_bits(V, 0), Bits::ZERO.with(128, 128, 7));
        },
    );
    execute(
        0x0b,
        |machine| machine.write_register_bits(V, 1, pattern()),
        |machine, _| {
            let (low, high) = (pattern().extract(56, 128), pattern().extract(184, 72));
            assert_eq!(machine.read_register_bits(ODD, 0), Bits::ZERO.with(0, 128, low).with(128, 72, high));
            assert_eq!(machine.read_register_bits(V, 1), pattern().with(32, 128, low).with(160, 72, high));
        },
    );
    execute(0x0c, |_| {}, |machine, _| assert_eq!(machine.read_register_bits(V, 0), pattern()));
}

#[test]
fn cells_of_a_line_are_copied_and_sliced() {
    let line = |machine: &dyn Machine, cell: u64| {
        let mut bytes = [0; 32];
        machine.read_bytes(1, cell * 32, &mut bytes).expect("the line is there");
        bytes.reverse();
        Bits::from_be_bytes(&bytes)
    };
    let (map, v, a) = (6, V as u32, A as u32);
    let accesses = execute(
        0x07,
        |machine| machine.write_register(A, 0, 2),
        |machine, _| {
            assert_eq!(line(machine, 2), pattern());
        },
    );
    assert_eq!(accesses, [(v, READ), (a, READ), (map, WRITE)]);
    let prepare = |machine: &mut dyn Machine| {
        machine.write_register(A, 0, 3);
        machine.write_bytes(1, 3 * 32 + 20, &[0xab]).expect("the line is there");
    };
    execute(0x06, prepare, |machine, _| {
        assert_eq!(machine.read_register_bits(V, 0), Bits::ZERO.with(160, 8, 0xab));
    });
    execute(
        0x08,
        |machine| machine.write_register(A, 0, 0x5678),
        |machine, _| {
            assert_eq!(line(machine, 1), Bits::ZERO.with(120, 16, 0x5678));
            assert_eq!(machine.read_register(A, 0), 0x0056_7800);
        },
    );
    let accesses = execute(
        0x0e,
        |_| {},
        |_, stop| {
            let Stop::Fault(fault) = stop else { panic!("there is no line 4") };
            assert_eq!(fault.kind, FaultKind::Memory { access: AccessKind::Write, address: 4 });
        },
    );
    assert_eq!(accesses, [(v, READ)]);
}

#[test]
fn cells_of_more_than_64_bits_are_computed_with() {
    execute(
        0x0d,
        |machine| machine.write_register(Q, 0, u128::MAX >> 16),
        |machine, _| {
            assert_eq!(machine.read_register(Q, 0), (u128::MAX >> 32) + 1);
            let mut bytes = [0; 13];
            machine.read_bytes(2, 24, &mut bytes).expect("the word is there");
            assert_eq!(bytes, [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0]);
        },
    );
}

#[test]
fn the_final_state_shows_all_bits() {
    let model = load_changed("vectors", "", "");
    let folder = tempfile::tempdir().expect("a folder can be made");
    let (program, state) = (folder.path().join("p.bin"), folder.path().join("state"));
    std::fs::write(&program, [0x03, 0x0a, 0x10]).expect("the program can be written");
    let set = vec!["v[0]=0x77".to_owned(), "a=0xabcd".to_owned()];
    let options = RunOptions { set, dump_state: Some(state.clone()), ..run_options(program) };
    let (stdio, _, _) = Stdio::captured(b"");
    let info = LaunchInfo::of_model(&model, "reference", "");
    launch(&mut ReferenceEngine::new(&model), &info, &options, stdio);
    let text = std::fs::read_to_string(state).expect("the run leaves its state");
    let shown = format!("80000000000000{:0>18}{}{:0>16}", "abcd", "0".repeat(16), "77");
    for line in
        [format!("v[0] v0 = 0x{shown}"), format!("wide = 0x{shown}"), "a = 0x0000000000000000".to_owned()]
    {
        assert!(text.lines().any(|found| found == line), "{line} is not in\n{text}");
    }
}

#[test]
fn a_register_is_set_to_all_of_its_bits() {
    let model = load_changed("vectors", "", "");
    let folder = tempfile::tempdir().expect("a folder can be made");
    let (program, state) = (folder.path().join("p.bin"), folder.path().join("state"));
    std::fs::write(&program, [0x10]).expect("the program can be written");
    let value = format!("f0{}", "1".repeat(62));
    let set = vec![format!("v[1]=0x{value}"), "odd=-2".to_owned()];
    let options = RunOptions { set, dump_state: Some(state.clone()), ..run_options(program) };
    let (stdio, _, _) = Stdio::captured(b"");
    let info = LaunchInfo::of_model(&model, "reference", "");
    launch(&mut ReferenceEngine::new(&model), &info, &options, stdio);
    let text = std::fs::read_to_string(state).expect("the run leaves its state");
    for line in [format!("v[1] v1 = 0x{value}"), format!("odd = 0x{}e", "f".repeat(49))] {
        assert!(text.lines().any(|found| found == line), "{line} is not in\n{text}");
    }
}

#[test]
fn parts_of_wide_cells_are_cells_of_other_maps() {
    let line = |machine: &dyn Machine, cell: u64| {
        let mut bytes = [0; 32];
        machine.read_bytes(1, cell * 32, &mut bytes).expect("the line is there");
        bytes.reverse();
        Bits::from_be_bytes(&bytes)
    };
    let prepare = |machine: &mut dyn Machine| {
        machine.write_register(A, 0, 1);
        machine.write_register(Q, 0, u128::MAX / 5);
        machine.write_bytes(1, 0, &[0x80; 128]).expect("the lines are there");
    };
    execute(0x12, prepare, |machine, _| {
        let old = Bits::from_be_bytes(&[0x80; 32]);
        assert_eq!(line(machine, 1), old.with(64, 128, u128::MAX / 5));
        assert_eq!(machine.read_register(Q, 0), u128::MAX / 5 + 1);
    });
    let prepare = |machine: &mut dyn Machine| {
        machine.write_register(A, 0, 6);
        machine.write_register_bits(ODD, 0, Bits::ones(200));
    };
    execute(0x13, prepare, |machine, _| {
        assert_eq!(line(machine, 1), Bits::ones(200).shifted(26));
        assert_eq!(machine.read_register_bits(ODD, 0), Bits::ones(178));
    });
}

#[test]
fn parts_of_more_than_128_bits_join_to_a_whole() {
    execute(
        0x14,
        |_| {},
        |machine, _| {
            let (low, high) = (pattern().extract(64, 128), pattern().extract(192, 64));
            let turned = Bits::ZERO.with(0, 128, low).with(128, 64, high).with(192, 64, pattern().to_u128());
            assert_eq!(machine.read_register_bits(V, 0), turned);
        },
    );
}

#[test]
fn an_element_beyond_a_wide_file_is_a_fault() {
    execute(
        0x11,
        |machine| machine.write_register(A, 0, 4),
        |_, stop| {
            let Stop::Fault(fault) = stop else { panic!("there is no v[4]") };
            assert_eq!(fault.kind, FaultKind::RegisterIndex { register: V as u32, index: 4 });
        },
    );
    execute(
        0x11,
        |machine| {
            machine.write_register(A, 0, 2);
            machine.write_register(Q, 0, 0xabcd);
        },
        |machine, _| assert_eq!(machine.read_register_bits(V, 2), Bits::ZERO.with(120, 16, 0xabcd)),
    );
}

#[test]
fn a_bundle_is_decoded_from_a_register_or_from_memory() {
    let bundle = |slots: [u64; 4]| -> Vec<u8> { slots.into_iter().flat_map(u64::to_le_bytes).collect() };
    let load = |register: u64, value: u64| 0x01 << 56 | register << 53 | value;
    let sum = 0x02 << 56 | 3 << 53 | 1 << 50 | 2 << 47;
    let program = [
        bundle([load(1, 5), load(2, 7), sum, load(4, 9)]),
        bundle([0x03 << 56 | 3 << 53, 0, 0, 0x04 << 56 | 5 << 53]),
        bundle([0, 0, 0, 0x09 << 56 | 3 << 48]),
    ];
    for name in ["bundle", "fetched"] {
        for (kind, mut engine) in engines(name).1 {
            engine.machine().write_bytes(0, 64, &program.concat()).expect("the program lies in memory");
            assert_eq!(engine.run(&mut Host::default(), 10), Stop::Halted(3), "{name} {kind:?}");
            let machine = engine.machine();
            let found = [3, 4].map(|element| machine.read_register(3, element));
            assert_eq!(found, [12, 9], "{name} {kind:?}");
            assert_eq!(machine.read_register_bits(2, 0), Bits::ZERO.with(96, 64, 12), "{name} {kind:?}");
        }
    }
}
