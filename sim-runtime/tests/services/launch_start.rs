//! How a run begins: program, memory, stack, heap, and what the user sets.

use std::fs;

use sim_runtime::Machine;
use sim_runtime::host::LinuxResult;

use crate::elf_file::{ElfFile, ElfSegment};
use crate::fake::LITTLE32;
use crate::launch::{Bench, halting};

#[test]
fn a_program_finds_its_memory_its_stack_and_its_heap() {
    let mut engine = halting(0).with_action(|host, machine| {
        let heap = host.linux_call(machine, 0, LITTLE32, 0, 214, [0; 6]);
        assert_eq!(heap, LinuxResult::Return(0x1_2000), "the page behind the image");
        assert_eq!(host.arguments(), ["prog.elf", "one", "two"]);
    });
    assert_eq!(Bench::new().run(&mut engine, "-- one two").status, 0);
    assert_eq!(engine.machine.bytes(0, 0x1_0000, 12), b"twelve bytes");
    assert_eq!(engine.machine.read_register(0, 0), 0x1_0004, "the entry");
    let pointer = u64::try_from(engine.machine.read_register(1, 1)).expect("an address");
    assert_eq!(engine.machine.bytes(0, pointer, 4), [3, 0, 0, 0], "argc");
}

#[test]
fn the_heap_leaves_room_for_the_stack() {
    let mut engine = halting(0).with_action(|host, machine| {
        let mut brk = |end| host.linux_call(machine, 0, LITTLE32, 0, 214, [end, 0, 0, 0, 0, 0]);
        // Half of what lies between 0x12000 and 0x30000.
        assert_eq!(brk(0x2_1001), LinuxResult::Return(0x1_2000));
        assert_eq!(brk(0x2_1000), LinuxResult::Return(0x2_1000));
    });
    assert_eq!(Bench::new().run(&mut engine, "").status, 0);
}

/// Its start code copies variables, and clears others, where no byte of the file is loaded.
#[test]
fn the_heap_is_behind_what_a_stored_program_finds_elsewhere() {
    let mut bench = Bench::new();
    bench.info.physical_addresses = true;
    let mut file = ElfFile::program();
    file.segments[1].stored_at = Some(0x1_000c);
    file.segments.push(ElfSegment::load(0x1_1020, b"", 0x1000));
    // Where there is no memory nothing can be found.
    file.segments.push(ElfSegment::load(0x8_0000, b"", 0x1000));
    fs::write(bench.path("prog.elf"), file.bytes()).expect("a file");
    let mut engine = halting(0).with_action(|host, machine| {
        let heap = host.linux_call(machine, 0, LITTLE32, 0, 214, [0; 6]);
        assert_eq!(heap, LinuxResult::Return(0x1_3000), "the page behind what is cleared");
    });
    assert_eq!(bench.run(&mut engine, "").status, 0);
    assert_eq!(engine.machine.bytes(0, 0x1_0000, 16), b"twelve bytesdata");
}

#[test]
fn what_the_user_sets_comes_after_reset() {
    let mut engine = halting(0);
    let outcome = Bench::new().run(&mut engine, "--pc 0x10008 --set a1=7 --set arg=-1 --set r[0]=0b11");
    assert_eq!((outcome.status, engine.resets), (0, 1));
    assert_eq!(engine.machine.registers[0], [0x1_0008]);
    assert_eq!(engine.machine.registers[1][0], 3);
    assert_eq!(engine.machine.registers[1][2..], [0xffff_ffff, 7]);
}

#[test]
fn what_cannot_be_set_is_told() {
    let told = |set: &str| {
        let mut engine = halting(0);
        let outcome = Bench::new().run(&mut engine, &format!("--set {set}"));
        assert_eq!((outcome.status, engine.budgets.len()), (125, 0));
        outcome.messages
    };
    let known = "it has pc, r[0..3]";
    assert_eq!(told("a9=1"), format!("error: `--set a9=1`: the model has no register `a9`; {known}\n"));
    assert_eq!(told("r[4]=1"), format!("error: `--set r[4]=1`: the model has no register `r[4]`; {known}\n"));
    assert_eq!(told("a1"), "error: `--set a1`: expected REGISTER=VALUE, like a0=5\n");
    assert_eq!(
        told("a1=0x100000000"),
        "error: `--set a1=0x100000000`: the value does not fit into 32 bits\n"
    );
    assert!(told("a1=five").contains("expected one like 64"));
}

#[test]
fn a_program_that_cannot_be_had_is_told() {
    let bench = Bench::new();
    fs::remove_file(bench.path("prog.elf")).expect("it is there");
    let outcome = bench.run(&mut halting(0), "");
    assert_eq!(outcome.status, 125);
    assert!(outcome.messages.starts_with("error: the program @prog.elf cannot be read: "));
    fs::create_dir(bench.path("prog.elf")).expect("a folder");
    assert_eq!(bench.run(&mut halting(0), "").status, 125);
}

#[test]
fn a_program_that_cannot_be_loaded_is_told() {
    let bench = Bench::new();
    let file = ElfFile { machine: 62, ..ElfFile::program() };
    fs::write(bench.path("prog.elf"), file.bytes()).expect("a file");
    let outcome = bench.run(&mut halting(0), "");
    assert_eq!(outcome.status, 125);
    let told = "error: the program @prog.elf cannot be loaded: ELF is for machine 62 (x86-64)";
    assert!(outcome.messages.starts_with(told), "{}", outcome.messages);
}

#[test]
fn raw_bytes_go_to_the_reset_address_or_to_the_users() {
    let bench = Bench::new();
    fs::write(bench.path("prog.elf"), b"raw").expect("a file");
    for (line, address) in
        [("", 0x1_0000), ("--format raw", 0x1_0000), ("--raw", 0x1_0000), ("--raw=0x10100", 0x1_0100)]
    {
        let mut engine = halting(0);
        let outcome = bench.run(&mut engine, line);
        assert_eq!((outcome.status, outcome.messages.as_str()), (0, ""));
        assert_eq!(engine.machine.bytes(0, address, 3), b"raw");
        assert_eq!(engine.machine.read_register(0, 0), 0x1_0000, "the pc stays");
    }
    assert!(bench.run(&mut halting(0), "--format elf").messages.contains("does not begin with ELF"));
}

#[test]
fn cells_of_two_bytes_halve_addresses() {
    let mut bench = Bench::new();
    bench.info.maps[0].cell_bits = 16;
    bench.info.maps[0].ranges = vec![(0x8000, 0x17fff)];
    bench.info.stack = None;
    let mut engine = halting(0);
    assert_eq!(bench.run(&mut engine, "").status, 0);
    assert_eq!(engine.machine.read_register(0, 0), 0x8002);
}

#[test]
fn arguments_need_a_stack() {
    let mut bench = Bench::new();
    bench.info.stack = None;
    assert_eq!(bench.run(&mut halting(0), "").status, 0);
    let outcome = bench.run(&mut halting(0), "-- one");
    assert_eq!(outcome.status, 125);
    assert!(outcome.messages.contains("the model has no STACK"));
}

#[test]
fn a_root_must_be_a_folder() {
    let outcome = Bench::new().run(&mut halting(0), "--root @missing");
    assert_eq!(outcome.status, 125);
    assert!(outcome.messages.starts_with("error: the root directory @missing cannot be opened: "));
}
