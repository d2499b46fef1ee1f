//! The stack that a program finds.

use sim_runtime::Machine;
use sim_runtime::host::{Abi, InitialStack, StackError, setup_stack};

use crate::fake::{BIG32, BIG64, FakeMachine, LITTLE32, LITTLE64};

const LOW: u64 = 0x1000;
const TOP: u64 = 0x3000;

/// The memory of a machine as a C program sees it.
struct View {
    machine: FakeMachine,
    abi: Abi,
}

impl View {
    fn word(&self, address: u64) -> u64 {
        let mut bytes = self.machine.bytes(0, address, self.size());
        if self.abi.big_endian {
            bytes.reverse();
        }
        bytes.iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte))
    }

    fn size(&self) -> usize {
        if self.abi.word_bits == 64 { 8 } else { 4 }
    }

    fn text(&self, mut address: u64) -> String {
        let mut text = Vec::new();
        loop {
            let mut byte = [0];
            self.machine.read_bytes(0, address, &mut byte).expect("texts end in memory");
            if byte[0] == 0 {
                return String::from_utf8(text).expect("texts");
            }
            text.push(byte[0]);
            address += 1;
        }
    }
}

fn set_up(abi: Abi, argv: &[&str], envp: &[&str]) -> Result<(View, u64), StackError> {
    let mut machine = FakeMachine::with_memory(LOW, usize::try_from(TOP - LOW).expect("small"));
    let own = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
    let (argv, envp) = (own(argv), own(envp));
    let stack = InitialStack { top: TOP + 5, argv: &argv, envp: &envp, random: [7; 16] };
    let pointer = setup_stack(&mut machine, 0, abi, &stack)?;
    Ok((View { machine, abi }, pointer))
}

#[test]
fn the_stack_is_laid_out_as_linux_does() {
    for abi in [LITTLE32, LITTLE64, BIG32, BIG64] {
        let (view, pointer) = set_up(abi, &["prog.elf", "", "two words"], &["A=1"]).expect("there is room");
        assert_eq!(pointer % 16, 0);
        let word = |index: u64| view.word(pointer + index * view.size() as u64);
        assert_eq!(word(0), 3);
        assert_eq!(view.text(word(1)), "prog.elf");
        assert_eq!(view.text(word(2)), "");
        assert_eq!(view.text(word(3)), "two words");
        assert_eq!(word(4), 0);
        assert_eq!(view.text(word(5)), "A=1");
        assert_eq!(word(6), 0);
        assert_eq!((word(7), word(8)), (6, 4096), "AT_PAGESZ");
        assert_eq!(word(9), 25, "AT_RANDOM");
        assert_eq!(view.machine.bytes(0, word(10), 16), [7; 16]);
        assert_eq!((word(11), word(12)), (0, 0), "AT_NULL");
        assert!(word(5) + 4 <= TOP);
    }
}

#[test]
fn no_arguments_are_an_empty_list() {
    let (view, pointer) = set_up(LITTLE32, &[], &[]).expect("there is room");
    assert_eq!([0, 4, 8].map(|offset| view.word(pointer + offset)), [0, 0, 0]);
}

#[test]
fn arguments_that_do_not_fit_are_told() {
    let long = "x".repeat(0x2000);
    let error = set_up(LITTLE32, &[&long], &[]).err().expect("there is no room");
    assert_eq!(
        error.to_string(),
        "the 8249 bytes of program arguments below 0x3000 do not fit into memory; give STACK an \
         address at the end of a RANGE with room below, or pass fewer arguments"
    );
    let mut machine = FakeMachine::with_memory(0, 0x100);
    let stack = InitialStack { top: 8, argv: &[], envp: &[], random: [0; 16] };
    assert!(setup_stack(&mut machine, 0, LITTLE32, &stack).is_err());
    let stack = InitialStack { top: u64::MAX, ..stack };
    assert!(setup_stack(&mut machine, 0, LITTLE64, &stack).is_err());
}
