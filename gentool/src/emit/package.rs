//! The package around the modules: manifest, main program, and the runtime's sources with it, so
//! that it builds anywhere.

use std::io;
use std::path::Path;

use isac_ir::Model;
use isac_ir::cost::CostUse;

use super::{SourceFile, emit_modules, emit_values};
use crate::runtime_sources::{LOCK_TEXT, RUNTIME_SOURCES};

/// The files of the package but for the runtime's, ordered by path. `name` is the package's,
/// `digest` the description's;
/// `runtime` is the path from the package to the runtime's folder.
pub fn emit_package(model: &Model, name: &str, digest: &str, runtime: &str) -> Vec<SourceFile> {
    with_program(model, (name, digest, runtime), false, emit_modules(model))
}

/// The same with a program that can tell the values that instructions read and write, by the general form of
/// the simulator beside the one for all other runs.
pub fn emit_package_with_values(model: &Model, name: &str, digest: &str, runtime: &str) -> Vec<SourceFile> {
    let mut modules = emit_modules(model);
    modules.extend(emit_values(model, &library_name(name)));
    with_program(model, (name, digest, runtime), true, modules)
}

/// The name by which a package's program knows its library.
fn library_name(name: &str) -> String {
    name.replace('-', "_")
}

/// Modules with all that a package has beside them.
fn with_program(
    model: &Model,
    (name, digest, runtime): (&str, &str, &str),
    values: bool,
    mut files: Vec<SourceFile>,
) -> Vec<SourceFile> {
    files.push(SourceFile { path: "src/main.rs".into(), text: main_text(model, name, digest, values) });
    files.push(SourceFile { path: "Cargo.toml".into(), text: manifest_text(model, name, runtime) });
    files.push(SourceFile { path: "Cargo.lock".into(), text: LOCK_TEXT.into() });
    files.push(SourceFile { path: "README.md".into(), text: readme_text(model) });
    files.sort_by(|a, b| a.path.cmp(&b.path));
    files
}

/// The files of the runtime's folder, ordered by path: a workspace of its own.
pub fn runtime_files() -> Vec<SourceFile> {
    let files = RUNTIME_SOURCES.iter();
    files.map(|(path, text)| SourceFile { path: path.to_string(), text: text.to_string() }).collect()
}

/// Writes a package into a folder; files that are there already with the same text stay as they
/// are, so that nothing is built anew that did not change.
///
/// # Errors
/// What the operating system says, with the path.
pub fn write_package(files: &[SourceFile], folder: &Path) -> io::Result<()> {
    for file in files {
        let path = folder.join(&file.path);
        let context = |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", path.display()));
        if std::fs::read(&path).is_ok_and(|old| old == file.text.as_bytes()) {
            continue;
        }
        let parent = path.parent().unwrap_or(folder);
        std::fs::create_dir_all(parent).map_err(context)?;
        let mut temporary = temporary_file(parent).map_err(context)?;
        io::Write::write_all(&mut temporary, file.text.as_bytes()).map_err(context)?;
        temporary.persist(&path).map_err(|error| context(error.error))?;
    }
    Ok(())
}

/// A temporary file that others may read as any new file.
fn temporary_file(folder: &Path) -> io::Result<tempfile::NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    builder.tempfile_in(folder)
}

/// The name of the package: the model's, as cargo accepts it.
pub fn package_name(model: &Model) -> String {
    let letters = model.name.chars().map(|letter| match letter {
        letter if letter.is_ascii_alphanumeric() || letter == '_' || letter == '-' => {
            letter.to_ascii_lowercase()
        }
        _ => '-',
    });
    let letters: String = letters.collect();
    let digit = letters.starts_with(|letter: char| !letter.is_ascii_alphabetic());
    format!("{}{letters}-simulator", if digit { "model-" } else { "" })
}

fn main_text(model: &Model, name: &str, digest: &str, values: bool) -> String {
    let library = library_name(name);
    let costs = CostUse::of(model);
    // Caches that nothing but the profile depends on are simulated for it alone.
    let profile = match costs.has_untimed_caches() {
        true => "options.wants_measurement() || options.stats",
        false => "options.wants_measurement()",
    };
    let has_caches = costs.is_any() && !model.overlaps();
    let (module, with_values) = match values {
        true => (
            "#[allow(non_snake_case, non_camel_case_types)]\nmod with_values;\n\n",
            format!(
                "        if options.values.is_some() {{\n            return Ok(with_values::engine_with_values({}));\n        \
                 }}\n",
                if has_caches { "options.caches" } else { "" }
            ),
        ),
        false => ("", String::new()),
    };
    let caches = match has_caches {
        true => format!(
            "        if options.caches {{\n            return Ok({library}::engine_with_caches({profile}));\n        }}\n"
        ),
        false => String::new(),
    };
    format!(
        r#"//! The simulator of {name} as a program.

{module}use std::process::ExitCode;

use sim_runtime::launcher::{{LaunchInfo, main as launch}};

/// Digest of the description.
const DIGEST: &str = "{digest}";

fn main() -> ExitCode {{
    let info = LaunchInfo::of_model({library}::model(), "emitted", DIGEST);
    launch(&info, |options| {{
        if let Some(option) = options.wants_reference() {{
            return Err(format!("{{option}} needs the reference engine: gentool run --engine reference"));
        }}
{with_values}{caches}        Ok({library}::engine({profile}))
    }})
}}
"#,
        name = model.name,
    )
}

fn manifest_text(model: &Model, name: &str, runtime: &str) -> String {
    format!(
        r#"# Generated by gentool from the description of {model}.

[package]
name = "{name}"
version = "0.1.0"
edition = "2024"
rust-version = "1.95"
publish = false

[dependencies]
isac-ir = {{ path = "{runtime}/isac-ir" }}
sim-runtime = {{ path = "{runtime}/sim-runtime" }}

[workspace]
resolver = "3"
exclude = ["runtime"]

[profile.release]
codegen-units = 16
debug = 0
panic = "abort"
"#,
        model = model.name,
    )
}

fn readme_text(model: &Model) -> String {
    format!(
        r#"# Simulator of {name}

Generated by gentool. It needs nothing but cargo:

    cargo run --release -- PROGRAM --report report.xml

`cargo run --release -- --help` tells the options. `src/` is the processor, one file for each part;
`runtime/` holds the sources of what all simulators share.
"#,
        name = model.name
    )
}
