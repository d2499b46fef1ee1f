//! Collects the sources of the runtime, which go with every generated package.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

/// The crates that an emitted simulator is built on.
const CRATES: [&str; 3] = ["isac-ir", "sim-profile", "sim-runtime"];

fn main() -> io::Result<()> {
    let root = Path::new(&env::var("CARGO_MANIFEST_DIR").unwrap_or_default()).join("..");
    let out = PathBuf::from(env::var("OUT_DIR").unwrap_or_default());
    let mut table = String::from(
        "/// Path in the runtime's folder and text.\npub(crate) static RUNTIME_SOURCES: &[(&str, &str)] = &[\n",
    );
    for name in CRATES {
        let mut files = vec![root.join(name).join("Cargo.toml")];
        list_files(&root.join(name).join("src"), &mut files)?;
        files.sort();
        println!("cargo::rerun-if-changed={}", root.join(name).join("src").display());
        for file in files {
            println!("cargo::rerun-if-changed={}", file.display());
            let below = file.strip_prefix(&root).unwrap_or(&file).display().to_string().replace('\\', "/");
            let absolute = fs::canonicalize(&file)?;
            let _ = writeln!(table, "    ({:?}, include_str!({:?})),", below, absolute);
        }
    }
    let manifest = root.join("Cargo.toml");
    println!("cargo::rerun-if-changed={}", manifest.display());
    fs::write(out.join("workspace.toml"), workspace_manifest(&fs::read_to_string(manifest)?))?;
    let tables = fs::canonicalize(out.join("workspace.toml"))?;
    let _ = writeln!(table, "    (\"Cargo.toml\", include_str!({tables:?})),");
    table.push_str("];\n\n/// The versions that everything was tested with.\n");
    let lock = root.join("Cargo.lock");
    println!("cargo::rerun-if-changed={}", lock.display());
    let lock = fs::canonicalize(lock)?;
    let _ = writeln!(table, "pub(crate) static LOCK_TEXT: &str = include_str!({lock:?});");
    fs::write(out.join("runtime_sources.rs"), table)
}

fn list_files(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            list_files(&path, files)?;
        } else {
            files.push(path);
        }
    }
    Ok(())
}

/// The manifest of the runtime's workspace: the tables that its crates inherit from.
fn workspace_manifest(manifest: &str) -> String {
    let mut text = format!("[workspace]\nresolver = \"3\"\nmembers = {CRATES:?}\n\n");
    let mut inside = false;
    for line in manifest.lines() {
        if line.starts_with('[') {
            inside = ["[workspace.package]", "[workspace.dependencies]", "[workspace.lints"]
                .iter()
                .any(|table| line.starts_with(table));
        }
        if !inside || line.starts_with("isac-parser") || line.starts_with("gentool") {
            continue;
        }
        match CRATES.iter().find(|name| line.starts_with(&format!("{name} ="))) {
            Some(name) => {
                let _ = writeln!(text, "{name} = {{ path = \"{name}\" }}");
            }
            None => {
                let _ = writeln!(text, "{line}");
            }
        }
    }
    text
}
