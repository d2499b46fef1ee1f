//! Random programs of machine mode, made from the description, run on its engines and on QEMU's
//! emulation of a whole machine: CSRs, traps with a handler, interrupts, and between them the
//! instructions of user mode.
//!
//! All must leave the same registers, CSRs and memory, and the same sum of what the handler was told.
//! Without QEMU the engines are held against each other alone, and a line says so;
//! `ISAC_REQUIRE_TOOLS` names what may not be missing.
//!
//! `ISAC_MACHINE_PROGRAMS` is the number of programs, `ISAC_MACHINE_SEED` the first one's seed. A
//! failure prints its seed and how many units of its program fail.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Stdio};

use isac::simulators::{rv32imc, rv64imac};

#[allow(dead_code, reason = "programs of user mode are another test's")]
mod differential {
    pub(crate) mod elf;
    pub(crate) mod encoder;
    pub(crate) mod figures;
    pub(crate) mod handler;
    pub(crate) mod machine;
    pub(crate) mod peer;
    pub(crate) mod program;
    pub(crate) mod riscv;
}
mod support;

use differential::elf::write_elf;
use differential::encoder::Encoder;
use differential::figures::{self, assert_figures_are_of};
use differential::machine;
use differential::peer::{Output, Peer, same};
use differential::program::Program;
use support::setting::setting;
use support::thorough::quarter;

const PROGRAMS: u64 = 8;
const FIRST_SEED: u64 = 1;
const UNITS: usize = 400;

/// What the default number of programs executes at least.
const LEAST_INSTRUCTIONS: u64 = 400_000;

/// What no program executes: what ends in a trap each time, and counts as cancelled; and `wfi`, where
/// QEMU waits.
const NOT_EXECUTED: [&str; 6] = ["ecall", "ebreak", "c_ebreak", "undefined_short", "undefined_long", "wfi"];

/// Compressed instructions may be used.
const EF_RISCV_RVC: u32 = 1;

const RV32IMC: Peer = Peer {
    name: "rv32imc",
    model: rv32imc::model,
    emitted: rv32imc::engine,
    qemu: "qemu-system-riscv32",
    layout: machine::BARE32,
    writer: machine::writer,
    elf_flags: EF_RISCV_RVC,
    entry_mark: 0,
};
const RV64IMAC: Peer = Peer {
    name: "rv64imac",
    model: rv64imac::model,
    emitted: rv64imac::engine,
    qemu: "qemu-system-riscv64",
    layout: machine::BARE64,
    ..RV32IMC
};

/// What the models have, and nothing beyond; counters count instructions, and interrupts come
/// behind the instruction that asks for them.
const ALIKE: &str = "s=false,u=false,h=false,f=false,d=false,pmp=false,mmu=false,sstc=false,debug=false,zba=false,zbb=false,zbc=false,zbs=false,pmu-num=29";

/// Runs a program on the whole machine; `folder` is for its file.
fn run_qemu(peer: &Peer, elf: &[u8], folder: &Path) -> Output {
    let file = folder.join("program.elf");
    std::fs::write(&file, elf).map_err(|error| format!("{}: {error}", file.display()))?;
    let cpu = match peer.layout.register_bytes {
        8 => format!("rv64,{ALIKE}"),
        _ => format!("rv32,a=false,{ALIKE}"),
    };
    let mut command = Command::new(peer.qemu);
    command.args(["-M", "virt", "-cpu", &cpu, "-bios", "none", "-icount", "shift=0", "-singlestep"]);
    command.args(["-display", "none", "-monitor", "none", "-serial", "stdio", "-kernel"]).arg(&file);
    let output = command.stdin(Stdio::null()).output();
    let output = output.map_err(|error| format!("{}: {error}", peer.qemu))?;
    match output.status.success() {
        true => Ok(output.stdout),
        false => Err(format!("{}: {}", output.status, String::from_utf8_lossy(&output.stderr))),
    }
}

/// Runs a program everywhere: the number of its instructions, and those of the description that it
/// did not execute; or what differs.
fn compare(
    peer: &Peer,
    program: &Program,
    folder: &Path,
    has_qemu: bool,
) -> Result<(u64, BTreeSet<String>), String> {
    let elf = write_elf(program, peer);
    let (reference, expected) = peer.run_reference(&elf);
    let (emitted, counted, unused) = peer.run_emitted(&elf);
    let place = |offset: usize| format!("data at {offset:#x}");
    let same = |left: (&str, &Output), right: (&str, &Output)| same(left, right, &peer.layout, &place);
    same(("emitted", &emitted), ("reference", &reference))?;
    if counted != expected {
        return Err(format!("emitted counts {counted} instructions, reference {expected}"));
    }
    let (translated, counted_there) = peer.run_translated(&elf);
    same(("translated", &translated), ("reference", &reference))?;
    if counted_there != expected {
        return Err(format!("translated counts {counted_there} instructions, reference {expected}"));
    }
    if has_qemu {
        same(("reference", &reference), ("qemu", &run_qemu(peer, &elf, folder)))?;
    }
    reference.map(|_| (counted, unused))
}

fn check(peer: Peer) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let has_qemu = peer.has_qemu();
    let encoder = Encoder::new((peer.model)());
    let program = |seed, units| {
        let writer = (peer.writer)(&encoder, &peer.layout, seed);
        Program::random(writer.as_ref(), &peer.layout, seed, units)
    };
    let first = setting("ISAC_MACHINE_SEED", FIRST_SEED);
    let programs = setting("ISAC_MACHINE_PROGRAMS", quarter(PROGRAMS));
    let mut instructions = 0;
    let mut unused = peer.all_instructions();
    for seed in first..first + programs {
        let compared = |units| compare(&peer, &program(seed, units), folder.path(), has_qemu);
        match compared(UNITS) {
            Ok((counted, of_program)) => {
                instructions += counted;
                unused.retain(|name| of_program.contains(name));
            }
            Err(difference) => {
                let (mut works, mut fails) = (0, UNITS);
                while works + 1 < fails {
                    let middle = usize::midpoint(works, fails);
                    match compared(middle) {
                        Ok(_) => works = middle,
                        Err(_) => fails = middle,
                    }
                }
                let shorter = compared(fails).err().unwrap_or(difference);
                let (before, whole) = (program(seed, fails.saturating_sub(1)), program(seed, fails));
                let last = &whole.words[before.body.end..whole.body.end];
                let last: Vec<String> =
                    last.iter().map(|word| format!("{:#x} {}", word.bits, encoder.name_of(*word))).collect();
                panic!("seed {seed}, its first {fails} units: {shorter}; the last is {}", last.join(", "));
            }
        }
    }
    println!("{}: {instructions} instructions in {programs} programs", peer.name);
    assert!(programs < PROGRAMS || instructions >= LEAST_INSTRUCTIONS, "only {instructions} instructions");
    unused.retain(|name| !NOT_EXECUTED.iter().any(|other| name.contains(&format!("({other}("))));
    assert!(programs < PROGRAMS || unused.is_empty(), "never executed: {unused:?}");
}

/// The figures of longer runs are of the programs that are made today.
#[test]
fn longer_runs_are_of_these_programs() {
    for peer in [RV32IMC, RV64IMAC] {
        let encoder = Encoder::new((peer.model)());
        let writer = (peer.writer)(&encoder, &peer.layout, figures::SEED);
        let program = Program::random(writer.as_ref(), &peer.layout, figures::SEED, UNITS);
        assert_figures_are_of(peer.name, &write_elf(&program, &peer));
    }
}

#[test]
fn random_programs_of_rv32imc_in_machine_mode_end_alike_on_engines_and_qemu() {
    check(RV32IMC);
}

#[test]
fn random_programs_of_rv64imac_in_machine_mode_end_alike_on_engines_and_qemu() {
    check(RV64IMAC);
}
