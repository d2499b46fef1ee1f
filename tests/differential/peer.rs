//! The machines that run a program: the three engines, and QEMU's user-mode emulation.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{self, Command, Stdio};

use super::encoder::Encoder;
use super::program::{Layout, Writer};
use crate::support::installed::can_compare;
use isac_ir::Model;
use sim_profile::coverage::Coverage;
use sim_runtime::host::{Host, Streams};
use sim_runtime::image::{Expected, ImageFormat, place_image, read_image};
use sim_runtime::launcher::LaunchInfo;
use sim_runtime::reference::ReferenceEngine;
use sim_runtime::{Engine, Stop};
use sim_translate::TranslatedEngine;

/// More than any program executes.
const LIMIT: u64 = 10_000_000;

/// What a program wrote, if it ended as it should.
pub(crate) type Output = Result<Vec<u8>, String>;

/// A model with its emitted engine, and what QEMU calls the same machine.
#[derive(Clone, Copy)]
pub(crate) struct Peer {
    pub(crate) name: &'static str,
    pub(crate) model: fn() -> &'static Model,
    pub(crate) emitted: fn(bool) -> Box<dyn Engine>,
    pub(crate) qemu: &'static str,
    pub(crate) layout: Layout,
    /// What writes the program of a seed.
    pub(crate) writer: for<'e> fn(&'e Encoder<'_>, &Layout, u64) -> Box<dyn Writer + 'e>,
    /// What the ELF file says of the processor beside its number.
    pub(crate) elf_flags: u32,
    /// Bits of an entry that are no part of the address.
    pub(crate) entry_mark: u32,
}

impl Peer {
    /// Runs a program on the emitted engine; gives the number of instructions too, and which of the
    /// description it did not execute.
    pub(crate) fn run_emitted(&self, elf: &[u8]) -> (Output, u64, BTreeSet<String>) {
        let mut engine = (self.emitted)(true);
        let output = self.run_engine(engine.as_mut(), elf);
        (output, engine.instructions(), unused(engine.as_mut()))
    }

    /// All instructions of the description, by their names in reports.
    pub(crate) fn all_instructions(&self) -> BTreeSet<String> {
        unused((self.emitted)(true).as_mut())
    }

    /// Runs a program on the reference engine; gives the number of instructions too.
    pub(crate) fn run_reference(&self, elf: &[u8]) -> (Output, u64) {
        let mut engine = ReferenceEngine::new((self.model)());
        (self.run_engine(&mut engine, elf), engine.instructions())
    }

    /// Runs a program on the translated engine; gives the number of instructions too.
    pub(crate) fn run_translated(&self, elf: &[u8]) -> (Output, u64) {
        let mut engine = translated((self.model)());
        (self.run_engine(&mut engine, elf), engine.instructions())
    }

    fn run_engine(&self, engine: &mut dyn Engine, elf: &[u8]) -> Output {
        let (output, stop) = self.run_to_end(engine, elf)?;
        match stop {
            Stop::Halted(0) => Ok(output),
            stop => Err(format!("{stop:x?}")),
        }
    }

    /// Runs a program however it ends; gives what it wrote and the end.
    pub(crate) fn run_to_end(&self, engine: &mut dyn Engine, elf: &[u8]) -> Result<(Vec<u8>, Stop), String> {
        let model = (self.model)();
        let info = LaunchInfo::of_model(model, "any", "any");
        let expected = Expected { machine: model.target.elf_machine, ..Expected::default() };
        let image = read_image(elf, ImageFormat::Elf, &expected).map_err(|error| error.to_string())?;
        let entry = image.entry.ok_or("no entry")?;
        place_image(&image, engine.machine(), &info.placement()).map_err(|error| error.to_string())?;
        engine.machine().write_place(&model.pc, (entry & !u64::from(self.entry_mark)).into());
        let (streams, output, _) = Streams::captured(b"");
        let mut host = Host::new(streams);
        let stop = engine.run(&mut host, LIMIT);
        host.flush()?;
        Ok((output.bytes(), stop))
    }

    /// True if QEMU's emulator is installed, which has to be said if not.
    pub(crate) fn has_qemu(&self) -> bool {
        let mut command = Command::new(self.qemu);
        let started = command.arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
        let is_there = started.is_ok_and(|status| status.success());
        can_compare(self.qemu, is_there, &format!("{} on our engines alone", self.name))
    }

    /// Runs a program on QEMU; `folder` is for its file.
    pub(crate) fn run_qemu(&self, elf: &[u8], folder: &Path) -> Output {
        let output = self.run_qemu_to_end(elf, folder)?;
        match output.status.success() {
            true => Ok(output.stdout),
            false => Err(format!("{}: {}", output.status, String::from_utf8_lossy(&output.stderr))),
        }
    }

    /// The same however it ends.
    pub(crate) fn run_qemu_to_end(&self, elf: &[u8], folder: &Path) -> Result<process::Output, String> {
        let file = folder.join("program.elf");
        write_program(&file, elf).map_err(|error| format!("{}: {error}", file.display()))?;
        let output = Command::new(self.qemu).arg(&file).stdin(Stdio::null()).output();
        output.map_err(|error| format!("{}: {error}", self.qemu))
    }
}

/// The translated engine without a profile, as a run without options has it, compiling whatever it comes to.
pub(crate) fn translated(model: &'static Model) -> TranslatedEngine<'static> {
    TranslatedEngine::new(model).expect("the model is translated").with_threshold(1)
}

/// Compares what two machines wrote, each by its name; `place` says what stands at an offset in bytes.
pub(crate) fn same(
    (left_name, left): (&str, &Output),
    (right_name, right): (&str, &Output),
    layout: &Layout,
    place: &dyn Fn(usize) -> String,
) -> Result<(), String> {
    if left == right {
        return Ok(());
    }
    let (Ok(left), Ok(right)) = (left, right) else {
        let short = |output: &Output| {
            output.as_ref().map(|bytes| format!("{} bytes", bytes.len())).unwrap_or_else(Clone::clone)
        };
        return Err(format!("{left_name}: {}; {right_name}: {}", short(left), short(right)));
    };
    let size = layout.register_bytes as usize;
    let differs = left.chunks(size).zip(right.chunks(size)).position(|(left, right)| left != right);
    let Some(word) = differs else {
        return Err(format!("{left_name} writes {} bytes, {right_name} {}", left.len(), right.len()));
    };
    let value = |bytes: &[u8]| {
        let mut bytes = bytes[word * size..][..size].to_vec();
        if !layout.big_endian {
            bytes.reverse();
        }
        bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>()
    };
    let place = place(word * size);
    Err(format!("{place} is {} in {left_name} and {} in {right_name}", value(left), value(right)))
}

/// What of the instruction set an engine has not executed.
fn unused(engine: &mut dyn Engine) -> BTreeSet<String> {
    let measurement = engine.measurement().expect("the engine profiles");
    Coverage::of(&measurement).unused.into_iter().collect()
}

fn write_program(file: &Path, elf: &[u8]) -> std::io::Result<()> {
    std::fs::write(file, elf)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        std::fs::set_permissions(file, std::fs::Permissions::from_mode(0o700))?;
    }
    Ok(())
}
