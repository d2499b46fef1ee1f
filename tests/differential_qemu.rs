//! Random programs, made from the description, run on its engines and on QEMU.
//!
//! All must leave the same registers and the same memory. Engines share one lowering, whose own
//! faults only an independent machine can show. Without QEMU the engines are held against
//! each other alone, and a line says so.
//!
//! `ISAC_DIFFERENTIAL_PROGRAMS` is the number of programs, `ISAC_DIFFERENTIAL_SEED` the first
//! one's seed. A failure prints its seed and the shortest beginning of its program that fails.

use std::collections::BTreeSet;
use std::path::Path;

use isac::simulators::{rv32im, rv32imc, rv64imac};

mod differential {
    pub(crate) mod elf;
    pub(crate) mod encoder;
    pub(crate) mod peer;
    pub(crate) mod program;
    pub(crate) mod random;
}

use differential::elf::write_elf;
use differential::encoder::Encoder;
use differential::peer::{Output, Peer};
use differential::program::Program;

const PROGRAMS: u64 = 26;
const FIRST_SEED: u64 = 1;
const UNITS: usize = 600;

/// What the default number of programs executes at least.
const LEAST_INSTRUCTIONS: u64 = 100_000;

const RV32IM: Peer = Peer {
    name: "rv32im",
    model: rv32im::model,
    emitted: rv32im::engine,
    qemu: "qemu-riscv32",
    register_bytes: 4,
};
const RV32IMC: Peer = Peer { name: "rv32imc", model: rv32imc::model, emitted: rv32imc::engine, ..RV32IM };
const RV64IMAC: Peer = Peer {
    name: "rv64imac",
    model: rv64imac::model,
    emitted: rv64imac::engine,
    qemu: "qemu-riscv64",
    register_bytes: 8,
};

/// The machines, and where one of them finds its programs.
struct Bench<'a> {
    peer: Peer,
    encoder: Encoder<'a>,
    folder: &'a Path,
    qemu: bool,
}

impl Bench<'_> {
    /// Runs a program everywhere: the number of its instructions, or what differs.
    fn compare(&self, program: &Program) -> Result<u64, String> {
        let elf = write_elf(program, self.peer.register_bytes);
        let (reference, expected) = self.peer.run_reference(&elf);
        let (emitted, counted) = self.peer.run_emitted(&elf);
        let bytes = self.peer.register_bytes;
        same("emitted", &emitted, "reference", &reference, bytes)?;
        if counted != expected {
            return Err(format!("emitted counts {counted} instructions, reference {expected}"));
        }
        if self.qemu {
            same("reference", &reference, "qemu", &self.peer.run_qemu(&elf, self.folder), bytes)?;
        }
        match reference {
            Ok(_) => Ok(counted),
            Err(stop) => Err(format!("the program did not exit: {stop}")),
        }
    }

    fn program(&self, seed: u64, units: usize) -> Program {
        Program::random(&self.encoder, self.peer.register_bytes, seed, units)
    }

    /// The message for a seed whose program fails: shortened as far as it still fails.
    fn explain(&self, seed: u64) -> String {
        let (mut works, mut fails) = (0, UNITS);
        while works + 1 < fails {
            let middle = usize::midpoint(works, fails);
            match self.compare(&self.program(seed, middle)) {
                Ok(_) => works = middle,
                Err(_) => fails = middle,
            }
        }
        let program = self.program(seed, fails);
        let difference = self.compare(&program).err().unwrap_or_default();
        let last = self.program(seed, works).body.end..program.body.end;
        let mut text = format!("seed {seed}, its first {fails} units: {difference}; the last of them is\n");
        let mut address = Program::CODE;
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

/// Compares what two machines wrote.
fn same(left_name: &str, left: &Output, right_name: &str, right: &Output, bytes: u32) -> Result<(), String> {
    if left == right {
        return Ok(());
    }
    let (Ok(left), Ok(right)) = (left, right) else {
        let short = |output: &Output| {
            output.as_ref().map(|bytes| format!("{} bytes", bytes.len())).unwrap_or_else(Clone::clone)
        };
        return Err(format!("{left_name}: {}; {right_name}: {}", short(left), short(right)));
    };
    let size = bytes as usize;
    let differs = left.chunks(size).zip(right.chunks(size)).position(|(left, right)| left != right);
    let Some(word) = differs else {
        return Err(format!("{left_name} writes {} bytes, {right_name} {}", left.len(), right.len()));
    };
    let place = match (word * size).checked_sub(Program::registers(bytes) as usize) {
        Some(offset) => format!("x{}", offset / size),
        None => format!("memory at {:#x}", Program::DATA as usize + word * size),
    };
    let value = |bytes: &[u8]| {
        bytes[word * size..][..size].iter().rev().map(|byte| format!("{byte:02x}")).collect::<String>()
    };
    Err(format!("{place} is {} in {left_name} and {} in {right_name}", value(left), value(right)))
}

fn setting(name: &str, default: u64) -> u64 {
    match std::env::var(name) {
        Ok(text) => text.parse().unwrap_or_else(|_| panic!("{name} is `{text}`, expected a number")),
        Err(_) => default,
    }
}

fn check(peer: Peer) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let encoder = Encoder::new((peer.model)());
    let bench = Bench { peer, encoder, folder: folder.path(), qemu: peer.has_qemu() };
    if !bench.qemu {
        println!("note: {} is not installed; the engines are compared with each other only", peer.qemu);
    }
    let first = setting("ISAC_DIFFERENTIAL_SEED", FIRST_SEED);
    let programs = setting("ISAC_DIFFERENTIAL_PROGRAMS", PROGRAMS);
    let mut instructions = 0;
    for seed in first..first + programs {
        match bench.compare(&bench.program(seed, UNITS)) {
            Ok(counted) => instructions += counted,
            Err(_) => panic!("{}", bench.explain(seed)),
        }
    }
    println!("{}: {instructions} instructions in {programs} programs", peer.name);
    assert!(programs < PROGRAMS || instructions >= LEAST_INSTRUCTIONS, "only {instructions} instructions");
}

#[test]
fn random_programs_of_rv32im_end_alike_on_engines_and_qemu() {
    check(RV32IM);
}

#[test]
fn random_programs_of_rv32imc_end_alike_on_engines_and_qemu() {
    check(RV32IMC);
}

#[test]
fn random_programs_of_rv64imac_end_alike_on_engines_and_qemu() {
    check(RV64IMAC);
}

/// All of user mode but what ends the run or calls the host, by name.
#[test]
fn every_instruction_is_encoded_from_the_description() {
    for (peer, instructions) in [(RV32IM, 48), (RV32IMC, 74), (RV64IMAC, 119)] {
        let encoder = Encoder::new((peer.model)());
        let mut random = differential::random::Random::new(1);
        let random_ones = encoder.random_instructions().into_iter();
        let names: BTreeSet<&str> = random_ones.map(|instruction| instruction.name.as_str()).collect();
        assert_eq!(names.len(), instructions, "{}", peer.name);
        for instruction in encoder.random_instructions() {
            let word = encoder.random_word(instruction, &mut random);
            assert_eq!(encoder.name_of(word), instruction.name);
        }
        let bits = |name, values: &[(&str, u32)]| encoder.encode(name, values).bits;
        assert_eq!(bits("addi", &[("rd", 10), ("rs1", 11), ("imm", 0xfff)]), 0xfff5_8513);
        assert_eq!(bits("bne", &[("rs1", 5), ("rs2", 0), ("offset", 8u32.wrapping_neg())]), 0xfe02_9ce3);
    }
}
