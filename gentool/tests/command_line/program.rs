//! Programs that are refused, and how a run of one ends.

use std::fs;
use std::io::Read;
use std::process::{Command, Stdio};

use sim_runtime::image::{Expected, ImageFormat, read_image};

use super::bench::{Bench, FAULTS, RV32IM, TINY8, check, reference, root, status};
use crate::elf_file::{ElfFile, ElfSegment};

#[test]
fn a_program_that_cannot_be_loaded_is_refused_with_the_reason() {
    let program = ElfFile::program();
    let overlapping = ElfSegment::load(0x1_0004, b"over it", 8);
    let outside = ElfSegment::load(0x4000_0000, b"nowhere", 8);
    let whole = program.bytes();
    let bench = Bench::new()
        .with("empty.elf", b"")
        .with("cut.elf", &whole[..whole.len() - 3])
        .with("head.elf", &whole[..20])
        .with("machine.elf", ElfFile { machine: 40, ..program.clone() }.bytes())
        .with("class.elf", ElfFile { class: 2, ..program.clone() }.bytes())
        .with("order.elf", ElfFile { big_endian: true, ..program.clone() }.bytes())
        .with("overlap.elf", with_segment(&program, overlapping))
        .with("outside.elf", with_segment(&program, outside))
        .with("large.bin", [0; 300])
        .with("damaged.hex", "; one byte\n:0100000003FD\n:00000001FF\n")
        .with("outside.hex", ":0100000042BD\n:01014000427C\n:00000001FF\n")
        .with("cut.srec", "S104001042A9\n");
    let files = ["nowhere", "empty", "cut", "head", "machine", "class", "order", "overlap", "outside"];
    let mut lines: Vec<String> =
        files.iter().map(|file| reference(RV32IM, &format!("@{file}.elf"), "")).collect();
    lines.push(reference(RV32IM, "models/rv32im", ""));
    for file in ["large.bin", "damaged.hex", "outside.hex", "cut.srec"] {
        lines.push(reference(TINY8, &format!("@{file}"), ""));
    }
    lines.push(reference(TINY8, "@damaged.hex", "--format srec"));
    lines.push(reference(TINY8, "@damaged.hex", "--format elf"));
    check("bad_program", &bench, &lines.iter().map(String::as_str).collect::<Vec<_>>());
}

fn with_segment(program: &ElfFile, segment: ElfSegment) -> Vec<u8> {
    let mut program = program.clone();
    program.segments.push(segment);
    program.bytes()
}

/// A real program cut off anywhere is the same program or none.
#[test]
fn every_beginning_of_a_program_is_refused_or_loads_the_same() {
    let bytes = fs::read(root().join(FAULTS).join("baremetal.elf")).expect("the program is there");
    let expected =
        Expected { machine: Some(243), class: Some(32), big_endian: Some(false), ..Expected::default() };
    let whole = read_image(&bytes, ImageFormat::Elf, &expected).expect("the whole program loads");
    let mut refused = 0;
    for length in 0..bytes.len() {
        match read_image(&bytes[..length], ImageFormat::Elf, &expected) {
            Ok(image) => {
                assert_eq!((image.segments, image.entry), (whole.segments.clone(), whole.entry), "{length}")
            }
            Err(error) => {
                assert!(!error.to_string().is_empty());
                refused += 1;
            }
        }
    }
    assert!(refused > 0);
}

#[test]
fn a_guest_at_fault_is_told_where_and_why() {
    let bench = Bench::new()
        .with("write.bin", [0x4f, 0x4f, 0x70, 0x70, 0xf3, 0xcc]) // nib ax; nib bx, 0; point bx; store ax
        .with("fetch.bin", [0x78, 0x70, 0xb3]) // nib bx, 0x80; go bx
        .with("illegal.bin", [0x40, 0x01]);
    let elf = |name: &str| reference(RV32IM, &format!("{FAULTS}/{name}.elf"), "");
    let bin = |name: &str| reference(TINY8, &format!("@{name}.bin"), "");
    let lines = [
        elf("illegal"),
        elf("unmapped_read"),
        elf("unmapped_write"),
        elf("unmapped_fetch"),
        bin("write"),
        bin("fetch"),
        bin("illegal"),
    ];
    check("guest_faults", &bench, &lines.iter().map(String::as_str).collect::<Vec<_>>());
}

/// `movs r0, #1; lsls r0, r0, #1` and what goes on like that, where vectors should be.
const NO_VECTORS: [u8; 16] =
    [0x01, 0x20, 0x40, 0x00, 0x00, 0xbf, 0x00, 0xbf, 0x05, 0x24, 0x05, 0x25, 0x08, 0x26, 0x08, 0x25];

#[test]
fn a_program_that_the_description_ends_is_told_where_and_why() {
    let bench = Bench::new()
        .with("break.bin", [0x00, 0x05, 0x00, 0x0d]) // break 5
        .with("break_both.bin", [0x00, 0x03, 0x01, 0x4d]) // break 3, 5
        .with("emt.bin", [0x12, 0x88]) // emt 022
        .with("amoadd.bin", [0x2f, 0x25, 0xb6, 0x00]) // amoadd.w a0, a1, (a2)
        .with("bkpt.bin", [0x00, 0xbe]) // bkpt #0
        .with("no_vectors.bin", NO_VECTORS);
    let lines = [
        "run models/mips32/mips32.isac @break.bin --raw=0x400000 --engine reference",
        "run models/mips32/mips32.isac @break.bin --raw=0x400000 --engine translated",
        "run models/mips32/mips32.isac @break_both.bin --raw=0x400000 --engine reference",
        "run models/pdp11/pdp11.isac @emt.bin --raw=0x200 --set sp=0x401 --engine reference",
        "run models/rv64imac/rv64imac.isac @amoadd.bin --raw=0x10000 --pc 0x10000 --set a2=0x2000a --engine reference",
        "run models/armv6m/armv6m.isac @bkpt.bin --raw=0x100 --pc 0x100 --engine translated",
        "run models/armv6m/armv6m.isac @no_vectors.bin --raw=0 --engine reference",
    ];
    check("explained_ends", &bench, &lines);
}

#[test]
fn a_fault_leaves_its_report() {
    let bench = Bench::new();
    let line = reference(RV32IM, &format!("{FAULTS}/unmapped_read.elf"), "--report @r.xml");
    assert_eq!(status(&bench.run(&line)), 127);
    assert!(bench.text("r.xml").contains("<faulted>1</faulted>"));
}

#[test]
fn the_status_is_the_guest_s() {
    let bench = Bench::new();
    for (model, program, expected) in [
        (TINY8, "models/tiny8/programs/sum.bin", 55),
        (TINY8, "models/tiny8/programs/hello.bin", 0),
        (RV32IM, "models/rv32im/programs/faults/baremetal.elf", 7),
    ] {
        assert_eq!(status(&bench.run(&reference(model, program, ""))), expected, "{program}");
    }
}

#[test]
fn an_endless_guest_ends_at_a_limit_and_leaves_its_report() {
    let bench = Bench::new();
    let endless = format!("{FAULTS}/endless.elf");
    let lines = [
        reference(RV32IM, &endless, "--limit-instructions 10_007 --report @instructions.xml"),
        reference(RV32IM, &endless, "--limit-cycles 20K --report @cycles.xml"),
        reference(RV32IM, &endless, "--limit-instructions 0 --report @none.xml"),
    ];
    check("limits", &bench, &lines.iter().map(String::as_str).collect::<Vec<_>>());
    for (report, count) in [("instructions.xml", 10_007), ("cycles.xml", 20_000), ("none.xml", 0)] {
        let summary = format!("<summary>\n    <executed>{count}</executed>");
        assert!(bench.text(report).contains(&summary), "{report} counts exactly the limit");
    }
}

#[test]
fn a_timeout_ends_the_run_and_leaves_its_report() {
    let bench = Bench::new();
    let endless = format!("{FAULTS}/endless.elf");
    let output = bench.run(&reference(RV32IM, &endless, "--timeout 0.2 --report @r.xml"));
    assert_eq!(status(&output), 124);
    let messages = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(messages.starts_with("error: limit reached: 0.2 seconds (--timeout)\nnote: "), "{messages}");
    assert!(bench.text("r.xml").ends_with("</profiler>\n"));
}

#[test]
fn a_timeout_ends_a_loop_of_the_description() {
    let bench = Bench::new().with("forever.bin", [0x10]);
    let line = reference("tests/models/endless.isac", "@forever.bin", "--timeout 0.2 --report @r.xml");
    let output = bench.run(&line);
    assert_eq!(status(&output), 124);
    let messages = String::from_utf8_lossy(&output.stderr).into_owned();
    let expected = "error: limit reached: 0.2 seconds (--timeout)\n\
         note: 0 instructions in 1 cycles have ended, pc is 0x01\n\
         help: a loop of the description was going on, ";
    assert!(messages.starts_with(expected), "{messages}");
    assert!(bench.text("r.xml").contains("<unfinished>1</unfinished>"));
}

/// The guest is known to run once its output arrives; no time has to be waited for.
#[cfg(unix)]
#[test]
fn an_interrupt_ends_the_run_and_leaves_its_report() {
    // Prints one byte, then jumps to itself: nib ax, 0x2e; out ax; jmp to itself.
    let bench = Bench::new().with("wait.bin", [0x42, 0x4e, 0xb4, 0x80]);
    let line = reference(TINY8, "@wait.bin", "--report @r.xml");
    let mut command = bench.command(&line);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("gentool runs");
    let mut byte = [0];
    child.stdout.as_mut().expect("a pipe").read_exact(&mut byte).expect("the guest prints");
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill runs");
    assert!(killed.success());
    let output = child.wait_with_output().expect("gentool ends");
    assert_eq!((byte, status(&output)), ([b'.'], 124));
    let messages = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(messages.starts_with("error: interrupted\nnote: "), "{messages}");
    assert!(bench.text("r.xml").ends_with("</profiler>\n"));
}

/// Files of avr-gcc have contents of the EEPROM, fuses and lock bits, which are programmed with the chip.
#[test]
fn what_is_programmed_with_an_avr_is_loaded_with_its_program() {
    let flash = ":0800000087E021E023BF889591\n"; // ldi r24, 7; SE in SMCR; sleep
    let others = ":02000004008179\n:0100000005FA\n:02000004008278\n:030000006299FF03\n\
                  :02000004008377\n:01000000FE01\n";
    let end = ":00000001FF\n";
    let outside = ":02000004008476\n:01000000FE01\n";
    let bench = Bench::new()
        .with("whole.hex", format!("{flash}{others}{end}"))
        .with("more.hex", format!("{flash}{outside}{end}"));
    let run = |file: &str| bench.run(&reference("models/avr/avr.isac", file, "--limit-instructions 100"));
    assert_eq!(status(&run("@whole.hex")), 7);
    assert_eq!(status(&run("@more.hex")), 125, "nothing is where signatures are");
}
