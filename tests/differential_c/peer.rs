//! Others that run a batch: the C compiler of the host, the engines.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use gentool::emit::{Shape, SourceFile, emit_modules_as, emit_package, runtime_files, write_package};
use gentool::lower::lower_model;
use isac_ir::Model;
use isac_parser::diagnostic::{Diagnostics, Style};
use isac_parser::load_model;
use isac_parser::source::{FileSystem, SourceMap};
use sim_runtime::reference::ReferenceEngine;

use super::batch::Batch;
use super::runner;

/// True if the host has a C compiler with 128-bit integers and statement expressions.
pub(crate) fn has_c_compiler(folder: &Path) -> bool {
    let source = "int main(void) { unsigned __int128 a = ({ 1; }); return a != 1; }\n";
    compile_and_run(source, folder, "probe").is_ok()
}

/// What the batch prints as a C program.
///
/// # Errors
/// What the compiler says.
pub(crate) fn run_c(batch: &Batch, folder: &Path) -> Result<String, String> {
    compile_and_run(&batch.c_source(), folder, "batch")
}

fn compile_and_run(source: &str, folder: &Path, name: &str) -> Result<String, String> {
    let (file, program) = (folder.join(name).with_extension("c"), folder.join(name));
    std::fs::write(&file, source).map_err(|error| format!("cannot write {}: {error}", file.display()))?;
    let compiled = Command::new("cc")
        .args(["-std=gnu11", "-fwrapv", "-O0", "-w", "-o"])
        .args([&program, &file])
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("cannot start cc: {error}"))?;
    if !compiled.status.success() {
        return Err(format!("cc refuses {}:\n{}", file.display(), String::from_utf8_lossy(&compiled.stderr)));
    }
    let run = Command::new(&program).stdin(Stdio::null()).output();
    let run = run.map_err(|error| format!("cannot start {}: {error}", program.display()))?;
    if !run.status.success() {
        return Err(format!("{} ends with {}", program.display(), run.status));
    }
    Ok(String::from_utf8_lossy(&run.stdout).into_owned())
}

/// The model of the batch.
///
/// # Errors
/// The first findings, if the description is not sound: a fault of the generator or of the checks.
pub(crate) fn model(batch: &Batch, folder: &Path) -> Result<Model, String> {
    let path = folder.join("batch.isac");
    std::fs::write(&path, batch.description()).expect("the description is written");
    let (mut sources, mut findings) = (SourceMap::new(), Diagnostics::new());
    let checked = load_model(&path, &FileSystem, &BTreeMap::new(), &mut sources, &mut findings);
    checked.map(|checked| lower_model(&checked, &sources, "batch")).ok_or_else(|| {
        let text = findings.render(&sources, Style::Plain);
        let errors = text.split("\n\n").filter(|finding| finding.contains("error["));
        errors.take(3).collect::<Vec<_>>().join("\n\n")
    })
}

/// What the reference engine makes of the batch.
pub(crate) fn run_reference(model: &Model, batch: &Batch) -> String {
    runner::run(&|| Box::new(ReferenceEngine::new(model)), model, &batch.words())
}

/// The program around a batch's simulator: its arguments are the instructions' words.
const MAIN: &str = "//! Runs the operations of a batch.

mod runner;

fn main() {
    let words: Vec<u32> = std::env::args().skip(1).map(|word| word.parse().expect(\"a word\")).collect();
    let start = || differential_c::engine(false);
    print!(\"{}\", runner::run(&start, differential_c::model(), &words));
}
";

/// Generates, builds and runs the simulator of a batch in one form. Everything lies in `folder`,
/// where the runtime is built once.
///
/// # Errors
/// What cargo says.
pub(crate) fn run_emitted(
    model: &Model,
    batch: &Batch,
    shape: Shape,
    folder: &Path,
) -> Result<String, String> {
    let program = build_emitted(model, shape, folder)?;
    let words = batch.words().into_iter().map(|word| word.to_string());
    let run = Command::new(&program).args(words).stdin(Stdio::null()).output();
    let run = run.map_err(|error| format!("cannot start {}: {error}", program.display()))?;
    match run.status.success() {
        true => Ok(String::from_utf8_lossy(&run.stdout).into_owned()),
        false => Err(format!("{}: {}", program.display(), String::from_utf8_lossy(&run.stderr))),
    }
}

fn build_emitted(model: &Model, shape: Shape, folder: &Path) -> Result<PathBuf, String> {
    let name = "differential-c";
    let modules = emit_modules_as(model, shape);
    let package = emit_package(model, name, "", "../runtime").into_iter();
    let around = package.filter(|file| !file.path.starts_with("src/"));
    let own = [("src/main.rs", MAIN), ("src/runner.rs", include_str!("runner.rs"))];
    let own = own.map(|(path, text)| SourceFile { path: path.to_owned(), text: text.to_owned() });
    let files: Vec<SourceFile> = modules.into_iter().chain(around).chain(own).collect();
    let written = write_package(&files, &folder.join("package"));
    written
        .and_then(|()| write_package(&runtime_files(), &folder.join("runtime")))
        .expect("files are written");
    let build = Command::new(env!("CARGO"))
        .args(["build", "--quiet", "--manifest-path"])
        .arg(folder.join("package").join("Cargo.toml"))
        .env("CARGO_TARGET_DIR", folder.join("target"))
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("cannot start cargo: {error}"))?;
    match build.status.success() {
        true => Ok(folder.join("target").join("debug").join(name)),
        false => Err(String::from_utf8_lossy(&build.stderr).into_owned()),
    }
}
