//! Built simulators, kept by the digest of what they were made from.
//!
//! The folder is `$ISAC_CACHE`, else `$XDG_CACHE_HOME/isac`, else `~/.cache/isac`. In it are the
//! runtime's sources (one folder for each version of them), the package of each simulator, one
//! build folder that all share, so that the runtime is built once, and the finished programs.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use gentool::emit::{emit_package, emit_package_with_values, package_name, runtime_files, write_package};
use isac_ir::Model;

use super::Failure;
use super::description::{digest_files, digest_model};
use super::progress::Progress;

/// The program of a model's simulator, built if it is not there yet; with `values` the one that can tell those
/// that instructions read and write.
pub(super) fn build_simulator(model: &Model, values: bool) -> Result<PathBuf, Failure> {
    let cache = cache_folder()?;
    let progress = Progress::new(format!("generating the simulator of {}", model.name));
    let runtime = runtime_files();
    let runtime_digest = short(&digest_files(&runtime));
    let emit = if values { emit_package_with_values } else { emit_package };
    // By all of it but its own name.
    let digest = digest_files(&emit(model, &package_name(model), &digest_model(model), ""));
    let name = format!("{}-{}-{runtime_digest}", package_name(model), short(&digest));
    let program = cache.join("simulators").join(&name).with_extension(std::env::consts::EXE_EXTENSION);
    if program.is_file() {
        return Ok(program);
    }
    let runtime_folder = cache.join("runtime").join(&runtime_digest);
    let package_folder = cache.join("packages").join(&name);
    let runtime_path = format!("../../runtime/{runtime_digest}");
    let files = emit(model, &name, &digest_model(model), &runtime_path);
    let unwritable = |error: std::io::Error| Failure::other(format!("cannot write {error}"));
    write_package(&runtime, &runtime_folder).map_err(unwritable)?;
    write_package(&files, &package_folder).map_err(unwritable)?;
    drop(progress);
    let target = cache.join("target");
    build_package(model, &package_folder, &target)?;
    let built = target.join("release").join(&name).with_extension(std::env::consts::EXE_EXTENSION);
    keep_program(&built, &program).map_err(|error| {
        Failure::other(format!("cannot keep the simulator as {}: {error}", program.display()))
    })?;
    Ok(program)
}

/// Copies a program to a temporary name and renames it, so that nobody sees half of it.
fn keep_program(built: &Path, program: &Path) -> std::io::Result<()> {
    let folder = program.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder)?;
    let temporary = tempfile::NamedTempFile::new_in(folder)?.into_temp_path();
    std::fs::copy(built, &temporary)?;
    temporary.persist(program)?;
    Ok(())
}

fn build_package(model: &Model, folder: &Path, target: &Path) -> Result<(), Failure> {
    let what = format!("building the simulator of {} (the first time also the runtime)", model.name);
    let progress = Progress::new(what);
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo"));
    let output = Command::new(&cargo)
        .args(["build", "--release", "--quiet", "--manifest-path"])
        .arg(folder.join("Cargo.toml"))
        .env("CARGO_TARGET_DIR", target)
        .env_remove("RUSTFLAGS")
        .env_remove("CARGO_ENCODED_RUSTFLAGS")
        .stdin(Stdio::null())
        .output();
    drop(progress);
    match output {
        Ok(output) if output.status.success() => Ok(()),
        Ok(output) => Err(Failure::other(format!(
            "the simulator of {} does not build in {}; this is a bug of gentool, please report it with\n{}",
            model.name,
            folder.display(),
            String::from_utf8_lossy(&output.stderr)
        ))),
        Err(error) => Err(Failure::other(format!(
            "cannot start {}: {error}; simulators are built by cargo, install it, or use --engine reference",
            cargo.display()
        ))),
    }
}

/// Where simulators are kept.
fn cache_folder() -> Result<PathBuf, Failure> {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let folder = set("ISAC_CACHE")
        .or_else(|| set("XDG_CACHE_HOME").map(|cache| cache.join("isac")))
        .or_else(|| set("HOME").map(|home| home.join(".cache").join("isac")))
        .unwrap_or_else(|| std::env::temp_dir().join("isac-cache"));
    std::fs::create_dir_all(&folder).map_err(|error| {
        let folder = folder.display();
        Failure::other(format!(
            "cannot make the folder {folder} for simulators: {error}; set ISAC_CACHE to another"
        ))
    })?;
    std::path::absolute(&folder).map_err(|error| Failure::other(format!("{}: {error}", folder.display())))
}

fn short(digest: &str) -> String {
    digest.chars().take(16).collect()
}
