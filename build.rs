//! Generates the simulators that the tests run, from the models of this repository.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

use gentool::emit::{
    Shape, SourceFile, emit_modules_as, emit_modules_with_values, find_obstacles, write_package,
};
use gentool::lower::lower_model;
use isac_ir::Model;
use isac_parser::diagnostic::{Diagnostics, Style};
use isac_parser::load_model;
use isac_parser::source::{FileSystem, SourceMap};

/// The models that are simulated, by module name. `NAME_stepwise` is the general form of each, which tells
/// values.
const MODELS: [(&str, &str); 61] = [
    ("rv32im", "models/rv32im/rv32im.isac"),
    ("tiny8", "models/tiny8/tiny8.isac"),
    ("pdp11", "models/pdp11/pdp11.isac"),
    ("first", "gentool/src/command/new/model.isac"),
    ("tree", "tests/models/tree.isac"),
    ("queue", "tests/models/queue.isac"),
    ("cells12", "tests/models/cells12.isac"),
    ("classic", "tests/models/classic.isac"),
    ("wide", "tests/models/wide.isac"),
    ("names", "tests/models/names.isac"),
    ("ranges", "tests/models/ranges.isac"),
    ("alias", "tests/models/alias.isac"),
    ("idle", "tests/models/idle.isac"),
    ("devices", "tests/models/devices.isac"),
    ("counts", "tests/models/counts.isac"),
    ("trap", "tests/models/trap.isac"),
    ("strikes", "tests/models/strikes.isac"),
    ("cancels", "tests/models/cancels.isac"),
    ("cancels_in_flight", "tests/models/cancels_in_flight.isac"),
    ("strikes_in_flight", "tests/models/strikes_in_flight.isac"),
    ("strikes_before_fetch", "tests/models/strikes_before_fetch.isac"),
    ("predicts_beside", "tests/models/predicts_beside.isac"),
    ("repeats", "tests/models/repeats.isac"),
    ("stays", "tests/models/stays.isac"),
    ("ahead", "tests/models/ahead.isac"),
    ("delayed", "tests/models/delayed.isac"),
    ("predicted", "tests/models/predicted.isac"),
    ("locals", "tests/models/locals.isac"),
    ("modes", "tests/models/modes.isac"),
    ("parts", "tests/models/parts.isac"),
    ("decoding", "tests/models/decoding.isac"),
    ("tails", "tests/models/tails.isac"),
    ("vectors", "tests/models/vectors.isac"),
    ("bundle", "tests/models/bundle.isac"),
    ("fetched", "tests/models/fetched.isac"),
    ("root", "tests/models/root.isac"),
    ("places", "tests/models/places.isac"),
    ("leaves", "tests/models/leaves.isac"),
    ("shared", "tests/models/shared.isac"),
    ("formats", "tests/models/formats.isac"),
    ("endless", "tests/models/endless.isac"),
    ("endless_pipe", "tests/models/endless_pipe.isac"),
    ("taken", "tests/models/taken.isac"),
    ("retaken", "tests/models/retaken.isac"),
    ("root_values", "tests/models/root_values.isac"),
    ("asked", "tests/models/asked.isac"),
    ("five", "tests/time/five.isac"),
    ("gate", "tests/time/gate.isac"),
    ("cancel", "tests/time/cancel.isac"),
    ("units", "tests/time/units.isac"),
    ("early", "tests/time/early.isac"),
    ("cells", "tests/time/cells.isac"),
    ("icache", "tests/time/icache.isac"),
    ("dcache", "tests/time/dcache.isac"),
    ("circle", "tests/time/circle.isac"),
    ("holds", "tests/time/holds.isac"),
    ("waits", "tests/time/waits.isac"),
    ("timing_demo", "models/timing-demo/timing-demo.isac"),
    ("rv32im5", "models/rv32im5/rv32im5.isac"),
    ("cached", "tests/models/cached.isac"),
    ("lines", "tests/models/lines.isac"),
];

/// Models that are large enough already in the form that they take by themselves: what the general
/// form does is shown by the others. Where that is the general form, it is the one that tells values, which
/// differs from what is generated without in that alone.
const IN_ONE_FORM: [(&str, &str); 6] = [
    ("rv32imc", "models/rv32imc/rv32imc.isac"),
    ("rv64imac", "models/rv64imac/rv64imac.isac"),
    ("mips32", "models/mips32/mips32.isac"),
    ("armv6m", "models/armv6m/armv6m.isac"),
    ("avr", "models/avr/avr.isac"),
    ("vliw4", "models/vliw4/vliw4.isac"),
];

/// The generator of random statements, which the tests run as C, too.
#[allow(dead_code, reason = "the C side is the tests'")]
#[path = "tests/differential_c"]
mod differential_c {
    pub(crate) mod batch;
    pub(crate) mod c_text;
    pub(crate) mod description_text;
    pub(crate) mod generate;
    pub(crate) mod tree;
}
#[allow(dead_code, reason = "the tests take more")]
#[path = "tests/support"]
mod support {
    pub(crate) mod random;
}

/// Random statements as models: module, seed, form.
const BATCHES: [(&str, u64, Shape); 2] =
    [("statements", 1_000_001, Shape::Blocks), ("statements_stepwise", 1_000_002, Shape::Stepwise)];
/// Operations in each of them.
const OPERATIONS: usize = 20;

fn main() {
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    let mut modules = String::new();
    for (name, path) in MODELS {
        let (model, files) = load(Path::new(path));
        for file in files {
            println!("cargo::rerun-if-changed={}", file.display());
        }
        assert_eq!(find_obstacles(&model), Vec::<String>::new(), "{name} can be emitted");
        let shape = Shape::of(&model);
        generate(&emit_modules_as(&model, shape), name, &out, &mut modules);
        generate(&emit_modules_with_values(&model), &format!("{name}_stepwise"), &out, &mut modules);
    }
    for (name, path) in IN_ONE_FORM {
        let (model, files) = load(Path::new(path));
        for file in files {
            println!("cargo::rerun-if-changed={}", file.display());
        }
        let files = match Shape::of(&model) {
            Shape::Stepwise => emit_modules_with_values(&model),
            shape @ (Shape::Blocks | Shape::Timed) => emit_modules_as(&model, shape),
        };
        generate(&files, name, &out, &mut modules);
    }
    println!("cargo::rerun-if-changed=tests/differential_c");
    println!("cargo::rerun-if-changed=tests/support/random.rs");
    for (name, seed, shape) in BATCHES {
        let path = out.join(name).with_extension("isac");
        write(&path, &differential_c::batch::Batch::new(seed, OPERATIONS).description());
        generate(&emit_modules_as(&load(&path).0, shape), name, &out, &mut modules);
    }
    write(&out.join("simulators.rs"), &modules);
}

/// Reads a description, and names its files; one that is not sound stops the build with its
/// messages.
fn load(path: &Path) -> (Model, Vec<PathBuf>) {
    let mut sources = SourceMap::new();
    let mut findings = Diagnostics::new();
    let checked = load_model(path, &FileSystem, &BTreeMap::new(), &mut sources, &mut findings);
    let Some(checked) = checked else {
        panic!("{}", findings.render(&sources, Style::Plain));
    };
    let name = path.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
    let files = sources.files().map(|file| sources.path(file).to_owned()).collect();
    (lower_model(&checked, &sources, &name), files)
}

/// Generates one simulator and its line in the list of modules.
fn generate(files: &[SourceFile], module: &str, out: &Path, modules: &mut String) {
    let folder = out.join(module);
    if let Err(error) = write_package(files, &folder) {
        panic!("cannot write the simulator {module}: {error}");
    }
    let library = folder.join("src").join("lib.rs");
    let _ = writeln!(modules, "#[path = {library:?}]\npub mod {module};");
}

fn write(path: &Path, text: &str) {
    if let Err(error) = fs::write(path, text) {
        panic!("cannot write {}: {error}", path.display());
    }
}
