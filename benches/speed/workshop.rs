//! The tools under measurement: gentool, and the simulator that it builds.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Instant, SystemTime};

use super::process::{Usage, run};

pub(crate) const PROGRAMS: &str = "models/rv32im/programs";
const QEMU: &str = "qemu-riscv32";

/// Programs that are there.
pub(crate) struct Workshop {
    gentool: PathBuf,
    /// The description of the simulated processor.
    model: &'static str,
    /// Where gentool keeps what it builds; ours alone.
    cache: PathBuf,
    pub(crate) simulator: PathBuf,
    pub(crate) has_qemu: bool,
}

impl Workshop {
    /// Builds gentool and, through it, the simulator of a description, as a user's first run does.
    pub(crate) fn open(model: &'static str) -> Result<Workshop, String> {
        let scratch = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
        let target = scratch.parent().ok_or("the target folder has no parent")?;
        let mut build = cargo();
        build.args(["build", "--release", "--package", "gentool"]).env("CARGO_TARGET_DIR", target);
        succeed(&mut build)?;
        let gentool = target.join("release").join("gentool").with_extension(std::env::consts::EXE_EXTENSION);
        let name = Path::new(model).file_stem().unwrap_or_default();
        let cache = scratch.join("speed").join(name);
        let mut first = Command::new(&gentool);
        first
            .args(["run", "--engine", "emitted", model])
            .arg(Path::new(PROGRAMS).join("crc32.elf"))
            .env("ISAC_CACHE", &cache);
        succeed(&mut first)?;
        let simulator = newest(&cache.join("simulators"))?;
        let has_qemu = run(Command::new(QEMU).arg("--version")).is_ok();
        Ok(Workshop { gentool, model, cache, simulator, has_qemu })
    }

    /// Seconds that `gentool check` takes.
    pub(crate) fn check(&self) -> Result<f64, String> {
        seconds(Command::new(&self.gentool).args(["check", self.model]))
    }

    /// Seconds that `gentool generate` takes for a folder that is not there yet.
    pub(crate) fn generate(&self) -> Result<f64, String> {
        let out = self.cache.join("generated");
        if out.exists() {
            fs::remove_dir_all(&out).map_err(|error| format!("{}: {error}", out.display()))?;
        }
        seconds(Command::new(&self.gentool).args(["generate", self.model, "--out"]).arg(out))
    }

    /// Seconds that cargo takes for the emitted package alone, the runtime being built.
    pub(crate) fn build(&self) -> Result<f64, String> {
        let package = newest(&self.cache.join("packages"))?;
        let root = package.join("src").join("lib.rs");
        let file = File::options().append(true).open(&root);
        let touched = file.and_then(|file| file.set_modified(SystemTime::now()));
        touched.map_err(|error| format!("{}: {error}", root.display()))?;
        let mut build = cargo();
        build.args(["build", "--release", "--manifest-path"]).arg(package.join("Cargo.toml"));
        seconds(build.env("CARGO_TARGET_DIR", self.cache.join("target")))
    }

    /// Runs a guest on the simulator, with the exact profile written to a report or without.
    pub(crate) fn simulate(
        &self,
        guest: &Path,
        arguments: &[String],
        profile: bool,
        limit: Option<u64>,
    ) -> Result<Usage, String> {
        let mut command = Command::new(&self.simulator);
        command.arg("--stats");
        if profile {
            command.arg("--report").arg(self.cache.join("report.xml"));
        }
        if let Some(limit) = limit {
            command.args(["--limit-instructions", &limit.to_string()]);
        }
        run(command.arg(guest).arg("--").args(arguments))
    }

    /// Runs a guest on QEMU.
    pub(crate) fn emulate(&self, guest: &Path, arguments: &[String]) -> Result<Usage, String> {
        run(Command::new(QEMU).arg(guest).args(arguments))
    }
}

fn cargo() -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.env_remove("RUSTFLAGS").env_remove("CARGO_ENCODED_RUSTFLAGS");
    command
}

/// Wall time of a command that must succeed: what a user waits for.
fn seconds(command: &mut Command) -> Result<f64, String> {
    let begun = Instant::now();
    let output = command.output().map_err(|error| format!("cannot start {command:?}: {error}"))?;
    let seconds = begun.elapsed().as_secs_f64();
    match output.status.success() {
        true => Ok(seconds),
        false => Err(format!("{command:?} fails: {}", String::from_utf8_lossy(&output.stderr))),
    }
}

fn succeed(command: &mut Command) -> Result<(), String> {
    seconds(command).map(drop)
}

/// The entry of a folder that changed last.
fn newest(folder: &Path) -> Result<PathBuf, String> {
    let entries = fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let modified = |path: &PathBuf| fs::metadata(path).and_then(|data| data.modified()).ok();
    let newest = entries.flatten().map(|entry| entry.path()).max_by_key(modified);
    newest.ok_or_else(|| format!("{} is empty", folder.display()))
}
