//! Register ALIASes, the PC among them.

use sim_profile::AccessEvent;
use sim_profile::Event;
use sim_profile::EventSink;
use sim_runtime::host::Host;
use sim_runtime::launcher::{LaunchInfo, RunOptions, Stdio, launch};
use sim_runtime::reference::ReferenceEngine;
use sim_runtime::{Engine, Stop};

use crate::{check_cases, engines, run_options};

#[test]
fn an_alias_is_the_registers_that_it_names() {
    check_cases("alias", 13);
}

/// Resource and kind of every access.
#[derive(Default)]
struct Accesses(std::rc::Rc<std::cell::RefCell<Vec<(u32, AccessEvent)>>>);

impl EventSink for Accesses {
    fn event(&mut self, event: Event<'_>) {
        if let Event::Access { resource, kind, .. } = event {
            self.0.borrow_mut().push((resource, kind));
        }
    }
}

#[test]
fn an_alias_counts_as_one_access_for_each_part() {
    let (model, _) = engines("alias");
    let accesses = Accesses::default();
    let seen = accesses.0.clone();
    let mut engine = ReferenceEngine::new(model).with_events(Box::new(accesses));
    engine.machine().write_bytes(0, 0x100, &[0x00]).expect("the program lies in memory");
    assert_eq!(engine.run(&mut Host::default(), 1), Stop::Budget);
    // The PC is read for the fetch, read and written for its step; `X++` reads and writes two.
    let (r, w, map) = (0, 1, 2);
    let (read, write) = (AccessEvent::Read, AccessEvent::Write);
    let expected = [
        (w, read),
        (map, AccessEvent::Execute),
        (w, read),
        (w, write),
        (r, read),
        (r, read),
        (r, write),
        (r, write),
    ];
    assert_eq!(*seen.borrow(), expected);
}

#[test]
fn a_pc_alias_resets_its_own_element() {
    let (model, engines) = engines("alias");
    for (kind, mut engine) in engines {
        let machine = engine.machine();
        assert_eq!(machine.read_register(1, 7), 0x100, "{kind:?}");
        assert_eq!(machine.read_register(1, 6), 0x1111, "{kind:?}");
        assert_eq!(machine.read_place(&model.pc), 0x100, "{kind:?}");
    }
}

#[test]
fn a_run_sets_and_shows_aliases() {
    let (model, engines) = engines("alias");
    for (kind, mut engine) in engines {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let (program, state) = (folder.path().join("p.bin"), folder.path().join("state"));
        std::fs::write(&program, [0x00, 0xff]).expect("the program can be written");
        let set = vec!["X=0x12fe".to_owned(), "carry=0".to_owned()];
        let options = RunOptions { set, dump_state: Some(state.clone()), ..run_options(program) };
        let (stdio, _, errors) = Stdio::captured(b"");
        let info = LaunchInfo::of_model(model, "any", "");
        let status = launch(engine.as_mut(), &info, &options, stdio);
        assert_eq!((status, String::from_utf8_lossy(&errors.bytes()).as_ref()), (0xff, ""), "{kind:?}");
        let text = std::fs::read_to_string(state).expect("the run leaves its state");
        for line in [
            "r[27] r27 = 0x12",
            "r[26] r26 = 0xff",
            "w[2] w2 = 0x1110",
            "pc = 0x0102",
            "X = 0x12ff",
            "Y = 0x06c0",
            "XL = 0xff",
            "carry = 0x0",
        ] {
            assert!(text.lines().any(|found| found == line), "{kind:?}: {line} is not in\n{text}");
        }
    }
}
