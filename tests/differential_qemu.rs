//! Random programs, made from the description, run on its engines and on QEMU.
//!
//! All must leave the same registers and the same memory. Engines share one lowering, whose own
//! faults only an independent machine can show. Without QEMU the engines are held against
//! each other alone, and a line says so; `ISAC_REQUIRE_TOOLS` names what may not be missing.
//!
//! `ISAC_DIFFERENTIAL_PROGRAMS` is the number of programs, `ISAC_DIFFERENTIAL_SEED` the first
//! one's seed. A failure prints its seed and the shortest beginning of its program that fails.

use std::collections::BTreeSet;
use std::path::Path;

use isac::simulators::{armv6m, mips32, rv32im, rv32imc, rv64imac};
use sim_runtime::Stop;
use sim_runtime::reference::ReferenceEngine;

mod differential {
    pub(crate) mod elf;
    pub(crate) mod encoder;
    pub(crate) mod figures;
    pub(crate) mod mips;
    pub(crate) mod mips_trap;
    pub(crate) mod peer;
    pub(crate) mod program;
    pub(crate) mod riscv;
    pub(crate) mod thumb;
}
mod support;

use differential::elf::write_elf;
use differential::encoder::{Encoder, Instruction};
use differential::figures::assert_figures_are_of;
use differential::peer::{Output, Peer, same, translated};
use differential::program::Program;
use differential::{figures, mips, mips_trap, riscv, thumb};
use support::random::Random;
use support::setting::setting;
use support::thorough::{is_thorough, quarter};

const PROGRAMS: u64 = 26;
/// Which programs run translated by default: to compile all that most programs execute once takes longer than
/// to run it.
const TRANSLATED_EVERY: u64 = 4;
const FIRST_SEED: u64 = 1;
const UNITS: usize = 600;

/// What the default number of programs executes at least.
const LEAST_INSTRUCTIONS: u64 = 100_000;

/// Compressed instructions may be used.
const EF_RISCV_RVC: u32 = 1;
/// o32, release 2, no code that the assembler has reordered.
const EF_MIPS: u32 = 0x7000_1001;

/// Version 5 of the EABI.
const EF_ARM_EABI5: u32 = 0x0500_0000;

const RV32IM: Peer = Peer {
    name: "rv32im",
    model: rv32im::model,
    emitted: rv32im::engine,
    qemu: "qemu-riscv32",
    layout: riscv::RV32,
    writer: riscv::writer,
    elf_flags: EF_RISCV_RVC,
    entry_mark: 0,
};
const RV32IMC: Peer = Peer { name: "rv32imc", model: rv32imc::model, emitted: rv32imc::engine, ..RV32IM };
const RV64IMAC: Peer = Peer {
    name: "rv64imac",
    model: rv64imac::model,
    emitted: rv64imac::engine,
    qemu: "qemu-riscv64",
    layout: riscv::RV64,
    ..RV32IM
};
const MIPS32: Peer = Peer {
    name: "mips32",
    model: mips32::model,
    emitted: mips32::engine,
    qemu: "qemu-mips",
    layout: mips::LAYOUT,
    writer: mips::writer,
    elf_flags: EF_MIPS,
    ..RV32IM
};
const ARMV6M: Peer = Peer {
    name: "armv6m",
    model: armv6m::model,
    emitted: armv6m::engine,
    qemu: "qemu-arm",
    layout: thumb::LAYOUT,
    writer: thumb::writer,
    elf_flags: EF_ARM_EABI5,
    entry_mark: 1,
};

/// The machines, and where one of them finds its programs.
struct Bench<'a> {
    peer: Peer,
    encoder: Encoder<'a>,
    folder: &'a Path,
    qemu: bool,
}

impl Bench<'_> {
    /// Runs a program everywhere: the number of its instructions, and those of the description that
    /// it did not execute; or what differs.
    fn compare(&self, seed: u64, program: &Program) -> Result<(u64, BTreeSet<String>), String> {
        let elf = write_elf(program, &self.peer);
        let (reference, expected) = self.peer.run_reference(&elf);
        let (emitted, counted, unused) = self.peer.run_emitted(&elf);
        let layout = &self.peer.layout;
        let place = |offset: usize| match offset.checked_sub(layout.saved() as usize) {
            Some(saved) => layout.registers[saved / layout.register_bytes as usize].to_owned(),
            None => format!("memory at {:#x}", layout.data as usize + offset),
        };
        let same = |left: (&str, &Output), right: (&str, &Output)| same(left, right, layout, &place);
        same(("emitted", &emitted), ("reference", &reference))?;
        if counted != expected {
            return Err(format!("emitted counts {counted} instructions, reference {expected}"));
        }
        if is_thorough() || seed.is_multiple_of(TRANSLATED_EVERY) {
            let (translated, counted) = self.peer.run_translated(&elf);
            same(("translated", &translated), ("reference", &reference))?;
            if counted != expected {
                return Err(format!("translated counts {counted} instructions, reference {expected}"));
            }
        }
        if self.qemu {
            same(("reference", &reference), ("qemu", &self.peer.run_qemu(&elf, self.folder)))?;
        }
        match reference {
            Ok(_) => Ok((counted, unused)),
            Err(stop) => Err(format!("the program did not exit: {stop}")),
        }
    }

    fn program(&self, seed: u64, units: usize) -> Program {
        let writer = (self.peer.writer)(&self.encoder, &self.peer.layout, seed);
        Program::random(writer.as_ref(), &self.peer.layout, seed, units)
    }

    /// The message for a seed whose program fails: shortened as far as it still fails.
    fn explain(&self, seed: u64) -> String {
        let (mut works, mut fails) = (0, UNITS);
        while works + 1 < fails {
            let middle = usize::midpoint(works, fails);
            match self.compare(seed, &self.program(seed, middle)) {
                Ok(_) => works = middle,
                Err(_) => fails = middle,
            }
        }
        let program = self.program(seed, fails);
        let difference = self.compare(seed, &program).err().unwrap_or_default();
        let last = self.program(seed, works).body.end..program.body.end;
        let mut text = format!("seed {seed}, its first {fails} units: {difference}; the last of them is\n");
        let mut address = self.peer.layout.code;
        for (index, word) in program.words.iter().enumerate() {
            if last.contains(&index) {
                let digits = 2 + 2 * word.bytes as usize;
                text +=
                    &format!("  {address:#x}: {:#0digits$x} {}\n", word.bits, self.encoder.name_of(*word));
            }
            address += word.bytes;
        }
        text
    }
}

fn check(peer: Peer, random_instructions: RandomInstructions) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let encoder = Encoder::new((peer.model)());
    let bench = Bench { peer, encoder, folder: folder.path(), qemu: peer.has_qemu() };
    let first = setting("ISAC_DIFFERENTIAL_SEED", FIRST_SEED);
    let programs = setting("ISAC_DIFFERENTIAL_PROGRAMS", quarter(PROGRAMS));
    let mut instructions = 0;
    let mut unused = peer.all_instructions();
    for seed in first..first + programs {
        match bench.compare(seed, &bench.program(seed, UNITS)) {
            Ok((counted, of_program)) => {
                instructions += counted;
                unused.retain(|name| of_program.contains(name));
            }
            Err(_) => panic!("{}", bench.explain(seed)),
        }
    }
    println!("{}: {instructions} instructions in {programs} programs", peer.name);
    assert!(programs < PROGRAMS || instructions >= LEAST_INSTRUCTIONS, "only {instructions} instructions");
    let random = random_instructions(&bench.encoder);
    let is_random = |name: &str| random.iter().any(|one| name.contains(&format!("({}(", one.name)));
    unused.retain(|name| is_random(name));
    assert!(programs < PROGRAMS || unused.is_empty(), "never executed: {unused:?}");
}

/// The figures of longer runs are of the programs that are made today.
#[test]
fn longer_runs_are_of_these_programs() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for peer in [RV32IM, RV32IMC, RV64IMAC, MIPS32, ARMV6M] {
        let bench = Bench { peer, encoder: Encoder::new((peer.model)()), folder: folder.path(), qemu: false };
        assert_figures_are_of(peer.name, &write_elf(&bench.program(figures::SEED, UNITS), &peer));
    }
    let encoder = Encoder::new((MIPS32.model)());
    let (writer, _) = mips_trap::trapping(&encoder, figures::SEED);
    let program = Program::random(&writer, &MIPS32.layout, figures::SEED, TRAPPING_UNITS);
    assert_figures_are_of("mips32", &write_elf(&program, &MIPS32));
}

#[test]
fn random_programs_of_rv32im_end_alike_on_engines_and_qemu() {
    check(RV32IM, riscv::random_instructions);
}

#[test]
fn random_programs_of_rv32imc_end_alike_on_engines_and_qemu() {
    check(RV32IMC, riscv::random_instructions);
}

#[test]
fn random_programs_of_rv64imac_end_alike_on_engines_and_qemu() {
    check(RV64IMAC, riscv::random_instructions);
}

#[test]
fn random_programs_of_mips32_end_alike_on_engines_and_qemu() {
    check(MIPS32, mips::random_instructions);
}

#[test]
fn random_programs_of_armv6m_end_alike_on_engines_and_qemu() {
    check(ARMV6M, thumb::random_instructions);
}

/// Programs that end with an instruction which may trap, and how many units come before it.
const TRAPPING_PROGRAMS: u64 = 132;
const TRAPPING_UNITS: usize = 12;

/// The status that a program ends with on QEMU; one that a signal has killed with that of its number, which
/// for SIGBUS is another one on MIPS.
fn status_of(output: &std::process::Output) -> Option<i32> {
    signal_of(output.status).map(|signal| 128 + signal).or(output.status.code())
}

#[cfg(unix)]
fn signal_of(status: std::process::ExitStatus) -> Option<i32> {
    use std::os::unix::process::ExitStatusExt as _;
    const HERE: i32 = 7;
    const OF_MIPS: i32 = 10;
    status.signal().map(|signal| if signal == HERE { OF_MIPS } else { signal })
}

#[cfg(not(unix))]
fn signal_of(_: std::process::ExitStatus) -> Option<i32> {
    None
}

/// Traps, checked additions and accesses that have to be aligned end a program, or not, by their operands;
/// each of them does both, but `break`, which always ends it.
#[test]
fn programs_of_mips32_trap_where_they_do_on_qemu() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let encoder = Encoder::new((MIPS32.model)());
    let has_qemu = MIPS32.has_qemu();
    let mut seen: BTreeSet<(&str, bool)> = BTreeSet::new();
    let first = setting("ISAC_DIFFERENTIAL_SEED", FIRST_SEED);
    let programs = setting("ISAC_TRAPPING_PROGRAMS", quarter(TRAPPING_PROGRAMS));
    for seed in first..first + programs {
        let (writer, name) = mips_trap::trapping(&encoder, seed);
        let program = Program::random(&writer, &MIPS32.layout, seed, TRAPPING_UNITS);
        let elf = write_elf(&program, &MIPS32);
        let mut reference = ReferenceEngine::new((MIPS32.model)());
        let expected = MIPS32.run_to_end(&mut reference, &elf).expect("the program is loaded");
        let mut translated = translated((MIPS32.model)());
        for engine in [(MIPS32.emitted)(true).as_mut(), &mut translated] {
            let found = MIPS32.run_to_end(engine, &elf).expect("the program is loaded");
            assert!(found == expected, "seed {seed}, {name}: {:?}, reference {:?}", found.1, expected.1);
        }
        let (written, Stop::Halted(status)) = expected else {
            panic!("seed {seed}, {name}: {:?}", expected.1)
        };
        if has_qemu {
            let output = MIPS32.run_qemu_to_end(&elf, folder.path()).expect("QEMU runs");
            assert_eq!(status_of(&output), Some(status), "seed {seed}, {name}");
            assert!(output.stdout == written, "seed {seed}, {name}: QEMU writes something else");
        }
        seen.insert((name, status != 0));
    }
    let names: BTreeSet<&str> = seen.iter().map(|(name, _)| *name).collect();
    let both = names.iter().filter(|name| seen.contains(&(**name, true)) && seen.contains(&(**name, false)));
    let both: BTreeSet<&str> = both.copied().collect();
    println!("mips32: {programs} programs with one of {} instructions that may trap", names.len());
    let is_default = first == FIRST_SEED && programs >= TRAPPING_PROGRAMS;
    assert!(!is_default || names.len() == 22, "{names:?}");
    let always: Vec<&&str> = names.difference(&both).collect();
    assert!(!is_default || always == [&"break"], "{always:?} do but one");
}

/// What random programs hold of a model.
type RandomInstructions = for<'e> fn(&'e Encoder<'_>) -> Vec<&'e Instruction>;

/// All of user mode but what ends the run or calls the host: by name, and by the way through the
/// decoder, which tells a branch likely of mips32 from its branch.
#[test]
fn every_instruction_is_encoded_from_the_description() {
    let peers: [(Peer, RandomInstructions, usize, usize); 5] = [
        (RV32IM, riscv::random_instructions, 48, 51),
        (RV32IMC, riscv::random_instructions, 74, 77),
        (RV64IMAC, riscv::random_instructions, 108, 122),
        (MIPS32, mips::random_instructions, 93, 103),
        (ARMV6M, thumb::random_instructions, 85, 88),
    ];
    for (peer, random_instructions, instructions, ways) in peers {
        let encoder = Encoder::new((peer.model)());
        let mut random = Random::new(1);
        let chosen = random_instructions(&encoder);
        let names: BTreeSet<&str> = chosen.iter().map(|instruction| instruction.name.as_str()).collect();
        assert_eq!(names.len(), instructions, "{}", peer.name);
        let paths: BTreeSet<&str> = chosen.iter().map(|instruction| instruction.path.as_str()).collect();
        assert_eq!(paths.len(), ways, "{}", peer.name);
        for instruction in chosen {
            let word = encoder.random_word(instruction, &mut random);
            assert_eq!(encoder.name_of(word), instruction.name);
            assert_eq!(encoder.find(word).map(|found| &found.path), Some(&instruction.path));
        }
    }
}

#[test]
fn operands_are_put_where_the_description_says() {
    let encoder = Encoder::new((RV32IM.model)());
    let bits = |name, values: &[(&str, u32)]| encoder.encode(name, values).bits;
    assert_eq!(bits("addi", &[("rd", 10), ("rs1", 11), ("imm", 0xfff)]), 0xfff5_8513);
    assert_eq!(bits("bne", &[("rs1", 5), ("rs2", 0), ("offset", 8u32.wrapping_neg())]), 0xfe02_9ce3);
    let encoder = Encoder::new((MIPS32.model)());
    let bits = |name, values: &[(&str, u32)]| encoder.encode(name, values).bits;
    assert_eq!(bits("addiu", &[("rt", 29), ("rs", 29), ("imm", 0xffe0)]), 0x27bd_ffe0);
    assert_eq!(bits("bne", &[("rs", 5), ("rt", 0), ("offset", 8u32.wrapping_neg())]), 0x14a0_fffe);
}
