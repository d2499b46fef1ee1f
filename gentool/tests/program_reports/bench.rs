//! Programs that are compiled for simulated processors and for this machine, and run there.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use sim_profile::{Calls, read_profile};

use crate::installed::can_compare;

pub(super) const PROGRAMS: [&str; 6] = ["endless", "lines", "loops", "machine", "sort", "tree"];
pub(super) const FLAGS: &str =
    "-g -fno-builtin -ffreestanding -nostdlib -nostartfiles -Wl,-z,max-page-size=4096";

/// A processor that programs are compiled for.
#[derive(Clone, Copy)]
pub(super) struct Machine {
    pub(super) model: &'static str,
    pub(super) compiler: &'static str,
    pub(super) flags: &'static str,
    pub(super) start: &'static str,
}

pub(super) const RV32IM: Machine = Machine {
    model: "rv32im",
    compiler: "riscv64-unknown-elf-gcc",
    flags: "-march=rv32im -mabi=ilp32 -Wl,-Ttext=0x11000",
    start: "start.S",
};

/// Its branches have delay slots.
pub(super) const MIPS32: Machine = Machine {
    model: "mips32",
    compiler: "mips-linux-gnu-gcc",
    flags: "-EB -march=mips32r2 -mabi=32 -msoft-float -mno-abicalls -fno-pic -G0 -static -Wl,-Ttext=0x411000",
    start: "start_mips.S",
};

/// Any of its instructions may be interrupted.
pub(super) const RV32IMC: Machine = Machine {
    model: "rv32imc",
    compiler: "riscv64-unknown-elf-gcc",
    flags: "-march=rv32imc_zicsr -mabi=ilp32 -Wl,-Ttext=0x11000",
    start: "start.S",
};

impl Machine {
    pub(super) fn description(&self) -> PathBuf {
        let name = self.model;
        Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../models/{name}/{name}.isac"))
    }
}

/// A folder for one program, and what is in it.
pub(super) struct Bench {
    pub(super) folder: tempfile::TempDir,
    pub(super) source: PathBuf,
    pub(super) name: &'static str,
}

/// Whether all tools are there that a test needs; see [`can_compare`].
pub(super) fn has(tools: &[&str]) -> bool {
    let is_there = |tool: &str| Command::new(tool).arg("--version").output().is_ok();
    let left_out = format!("no reports of programs are made that need {}", tools.join(", "));
    // All of them, so that each one that is missing is told.
    let missing: Vec<&&str> =
        tools.iter().filter(|tool| !can_compare(tool, is_there(tool), &left_out)).collect();
    missing.is_empty()
}

pub(super) fn run(command: &mut Command) -> Output {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code().is_some_and(|status| status < 124), "{command:?}: {text}");
    output
}

impl Bench {
    pub(super) fn new(name: &'static str) -> Bench {
        Bench::of(name, "c")
    }

    pub(super) fn of(name: &'static str, language: &str) -> Bench {
        let folder = tempfile::tempdir().expect("a folder");
        let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/program");
        // Tools name a source as it was given to the compiler.
        let source = folder.path().join(format!("{name}.{language}"));
        fs::copy(sources.join(format!("{name}.{language}")), &source).expect("the source is there");
        for start in [RV32IM.start, MIPS32.start] {
            fs::copy(sources.join(start), folder.path().join(start)).expect("the source is there");
        }
        Bench { folder, source, name }
    }

    pub(super) fn command(&self, program: &str, arguments: &str) -> Output {
        let mut command = Command::new(program);
        run(command.args(arguments.split_whitespace()).current_dir(self.folder.path()))
    }

    /// The program for the simulated processor, run with its calls followed.
    pub(super) fn simulate(&self) {
        self.simulate_on(RV32IM);
    }

    pub(super) fn simulate_on(&self, machine: Machine) {
        let (name, start, flags) = (self.name, machine.start, machine.flags);
        let library = if machine.model == "mips32" { "" } else { "-lgcc" };
        let arguments = format!("{FLAGS} {flags} -O0 {start} {name}.c {library} -o guest.elf");
        self.command(machine.compiler, &arguments);
        self.run_guest(machine);
    }

    pub(super) fn run_guest(&self, machine: Machine) {
        self.gentool(&format!(
            "run {} guest.elf --engine reference --calls --profile guest.profile",
            machine.description().display()
        ));
    }

    pub(super) fn gentool(&self, arguments: &str) -> String {
        let output = self.command(env!("CARGO_BIN_EXE_gentool"), arguments);
        String::from_utf8(output.stdout).expect("a report is a text")
    }

    pub(super) fn report(&self, format: &str) -> String {
        self.gentool(&format!("report guest.profile --image guest.elf --format {format}"))
    }

    /// The same, where the description tells what could have run.
    pub(super) fn report_with_model(&self, format: &str, machine: Machine) -> String {
        let model = machine.description();
        let model = model.display();
        self.gentool(&format!("report guest.profile --image guest.elf --model {model} --format {format}"))
    }

    pub(super) fn calls(&self) -> Calls {
        let file = fs::read(self.folder.path().join("guest.profile")).expect("the profile");
        let profile = read_profile(&file[..]).expect("a profile");
        profile.calls.expect("calls were followed")
    }
}
