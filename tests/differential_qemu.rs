//! Random programs, made from the description, run on its engines and on QEMU.
//!
//! All must leave the same registers and the same memory. Engines share one lowering, whose own
//! faults only an independent machine can show. Without `qemu-riscv32` the engines are held
//! against each other alone, and a line says so.
//!
//! `ISAC_DIFFERENTIAL_PROGRAMS` is the number of programs, `ISAC_DIFFERENTIAL_SEED` the first
//! one's seed. A failure prints its seed and the shortest beginning of its program that fails.

use std::path::Path;

use isac::simulators::rv32im;

mod differential {
    pub(crate) mod elf;
    pub(crate) mod encoder;
    pub(crate) mod peer;
    pub(crate) mod program;
    pub(crate) mod random;
}

use differential::elf::write_elf;
use differential::encoder::Encoder;
use differential::peer::{Output, has_qemu, run_emitted, run_qemu, run_reference};
use differential::program::Program;

const PROGRAMS: u64 = 80;
const FIRST_SEED: u64 = 1;
const UNITS: usize = 600;

/// What the default number of programs executes at least.
const LEAST_INSTRUCTIONS: u64 = 100_000;

/// The machines, and where one of them finds its programs.
struct Bench<'a> {
    encoder: Encoder<'a>,
    folder: &'a Path,
    qemu: bool,
}

impl Bench<'_> {
    /// Runs a program everywhere: the number of its instructions, or what differs.
    fn compare(&self, program: &Program) -> Result<u64, String> {
        let elf = write_elf(program);
        let (reference, expected) = run_reference(rv32im::model(), &elf);
        let (emitted, counted) = run_emitted(&elf);
        same("emitted", &emitted, "reference", &reference)?;
        if counted != expected {
            return Err(format!("emitted counts {counted} instructions, reference {expected}"));
        }
        if self.qemu {
            same("reference", &reference, "qemu", &run_qemu(&elf, self.folder))?;
        }
        match reference {
            Ok(_) => Ok(counted),
            Err(stop) => Err(format!("the program did not exit: {stop}")),
        }
    }

    /// The message for a seed whose program fails: shortened as far as it still fails.
    fn explain(&self, seed: u64) -> String {
        let (mut works, mut fails) = (0, UNITS);
        while works + 1 < fails {
            let middle = usize::midpoint(works, fails);
            match self.compare(&Program::random(&self.encoder, seed, middle)) {
                Ok(_) => works = middle,
                Err(_) => fails = middle,
            }
        }
        let program = Program::random(&self.encoder, seed, fails);
        let difference = self.compare(&program).err().unwrap_or_default();
        let last = Program::random(&self.encoder, seed, works).body.end..program.body.end;
        let mut text = format!("seed {seed}, its first {fails} units: {difference}; the last of them is\n");
        let words = (Program::CODE..).step_by(4).zip(&program.words);
        for (address, word) in words.skip(last.start).take(last.len()) {
            text += &format!("  {address:#x}: {word:#010x} {}\n", self.encoder.name_of(*word));
        }
        text
    }
}

/// Compares what two machines wrote.
fn same(left_name: &str, left: &Output, right_name: &str, right: &Output) -> Result<(), String> {
    if left == right {
        return Ok(());
    }
    let (Ok(left), Ok(right)) = (left, right) else {
        let short = |output: &Output| {
            output.as_ref().map(|bytes| format!("{} bytes", bytes.len())).unwrap_or_else(Clone::clone)
        };
        return Err(format!("{left_name}: {}; {right_name}: {}", short(left), short(right)));
    };
    let differs = left.chunks(4).zip(right.chunks(4)).position(|(left, right)| left != right);
    let Some(word) = differs else {
        return Err(format!("{left_name} writes {} bytes, {right_name} {}", left.len(), right.len()));
    };
    let place = match (word * 4).checked_sub(Program::REGISTERS as usize) {
        Some(offset) => format!("x{}", offset / 4),
        None => format!("memory at {:#x}", Program::DATA as usize + word * 4),
    };
    let value = |bytes: &[u8]| {
        bytes[word * 4..][..4].iter().rev().map(|byte| format!("{byte:02x}")).collect::<String>()
    };
    Err(format!("{place} is {} in {left_name} and {} in {right_name}", value(left), value(right)))
}

fn setting(name: &str, default: u64) -> u64 {
    match std::env::var(name) {
        Ok(text) => text.parse().unwrap_or_else(|_| panic!("{name} is `{text}`, expected a number")),
        Err(_) => default,
    }
}

#[test]
fn random_programs_end_alike_on_engines_and_qemu() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let bench = Bench { encoder: Encoder::new(rv32im::model()), folder: folder.path(), qemu: has_qemu() };
    if !bench.qemu {
        println!("note: qemu-riscv32 is not installed; the engines are compared with each other only");
    }
    let first = setting("ISAC_DIFFERENTIAL_SEED", FIRST_SEED);
    let programs = setting("ISAC_DIFFERENTIAL_PROGRAMS", PROGRAMS);
    let mut instructions = 0;
    for seed in first..first + programs {
        match bench.compare(&Program::random(&bench.encoder, seed, UNITS)) {
            Ok(counted) => instructions += counted,
            Err(_) => panic!("{}", bench.explain(seed)),
        }
    }
    println!("{instructions} instructions in {programs} programs");
    assert!(programs < PROGRAMS || instructions >= LEAST_INSTRUCTIONS, "only {instructions} instructions");
}

#[test]
fn every_instruction_is_encoded_from_the_description() {
    let encoder = Encoder::new(rv32im::model());
    let mut random = differential::random::Random::new(1);
    for instruction in encoder.random_instructions() {
        let word = encoder.random_word(instruction, &mut random);
        assert_eq!(encoder.name_of(word), instruction.name);
    }
    assert_eq!(encoder.encode("addi", &[("rd", 10), ("rs1", 11), ("imm", 0xfff)]), 0xfff5_8513);
    assert_eq!(
        encoder.encode("bne", &[("rs1", 5), ("rs2", 0), ("offset", 8u32.wrapping_neg())]),
        0xfe02_9ce3
    );
}
