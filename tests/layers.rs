//! Who may import whom, as `ARCHITECTURE.md` states it: held against the manifests and the sources.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What a package must never depend on or name.
const FORBIDDEN: [(&str, &[&str]); 8] = [
    (
        "isac-parser",
        &[
            "isac",
            "isac-ir",
            "gentool",
            "sim-runtime",
            "sim-profile",
            "sim-translate",
            "sim-debug",
            "isac-lsp",
            "quote",
            "syn",
            "proc-macro2",
        ],
    ),
    (
        "isac-ir",
        &[
            "isac",
            "isac-parser",
            "gentool",
            "sim-runtime",
            "sim-profile",
            "sim-translate",
            "sim-debug",
            "isac-lsp",
            "pest",
            "quote",
            "syn",
        ],
    ),
    ("gentool", &["isac", "pest", "pest_derive", "lsp-server", "lsp-types"]),
    (
        "isac-lsp",
        &[
            "isac",
            "isac-ir",
            "gentool",
            "sim-runtime",
            "sim-profile",
            "sim-translate",
            "sim-debug",
            "pest",
            "quote",
            "syn",
            "proc-macro2",
            "clap",
        ],
    ),
    (
        "sim-translate",
        &[
            "isac",
            "isac-parser",
            "gentool",
            "sim-debug",
            "isac-lsp",
            "pest",
            "quote",
            "syn",
            "proc-macro2",
            "quick-xml",
            "clap",
        ],
    ),
    (
        "sim-runtime",
        &[
            "isac",
            "isac-parser",
            "gentool",
            "sim-translate",
            "sim-debug",
            "isac-lsp",
            "pest",
            "quote",
            "syn",
            "proc-macro2",
        ],
    ),
    (
        "sim-debug",
        &[
            "isac",
            "isac-parser",
            "isac-lsp",
            "gentool",
            "sim-translate",
            "pest",
            "quote",
            "syn",
            "proc-macro2",
            "clap",
        ],
    ),
    (
        "sim-profile",
        &[
            "isac",
            "isac-parser",
            "isac-ir",
            "gentool",
            "sim-runtime",
            "sim-translate",
            "sim-debug",
            "isac-lsp",
            "pest",
            "quote",
            "syn",
        ],
    ),
];

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// The normal dependencies of each package of the workspace, as its manifest has them.
fn dependencies() -> BTreeMap<String, BTreeSet<String>> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let arguments = ["metadata", "--format-version", "1", "--no-deps", "--offline"];
    let output = Command::new(cargo).args(arguments).current_dir(root()).output().expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).expect("metadata is JSON");
    let packages = metadata["packages"].as_array().expect("a list of packages");
    let text = |value: &serde_json::Value| value.as_str().expect("a text").to_owned();
    packages
        .iter()
        .map(|package| {
            let all = package["dependencies"].as_array().expect("a list of dependencies");
            let normal = all.iter().filter(|dependency| dependency["kind"].is_null());
            (text(&package["name"]), normal.map(|dependency| text(&dependency["name"])).collect())
        })
        .collect()
}

/// Sources below a folder, with their paths from the repository's root.
fn sources(below: &str) -> Vec<(String, String)> {
    let mut folders = vec![root().join(below)];
    let mut found = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("the folder can be read") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                let name = path.strip_prefix(root()).unwrap_or(Path::new("")).display().to_string();
                found.push((name, fs::read_to_string(&path).expect("a source is text")));
            }
        }
    }
    found.sort();
    assert!(!found.is_empty(), "{below} has sources");
    found
}

/// Lines of code that name a path, comments left out, as `file:line: text`.
fn mentions(below: &str, path: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (file, text) in sources(below) {
        for (line, number) in text.lines().zip(1..) {
            let code = line.trim_start();
            if !code.starts_with("//") && names(code, path) {
                found.push(format!("{file}:{number}: {code}"));
            }
        }
    }
    found
}

/// Whether `path` stands in the code as a path of its own: `syn::`, not `async::` or `my_syn::`.
fn names(code: &str, path: &str) -> bool {
    code.match_indices(path).any(|(start, _)| {
        let part_of_word = |letter: char| letter.is_alphanumeric() || letter == '_';
        let before = code[..start].chars().next_back();
        let after = &code[start + path.len()..];
        let in_use = code.starts_with("use ") || code.starts_with("pub use ");
        !before.is_some_and(|letter| part_of_word(letter) || letter == '"' || letter == ':')
            && (after.starts_with("::") || in_use && after.starts_with([';', ' ']))
    })
}

#[test]
fn no_package_depends_on_what_it_must_not_know() {
    let dependencies = dependencies();
    for (package, forbidden) in FORBIDDEN {
        for name in forbidden {
            assert!(!dependencies[package].contains(*name), "{package} depends on {name}");
        }
    }
}

#[test]
fn every_package_stands_in_the_rules() {
    let ruled: BTreeSet<&str> = FORBIDDEN.iter().map(|(package, _)| *package).chain(["isac"]).collect();
    let packages = dependencies();
    assert_eq!(packages.keys().map(String::as_str).collect::<BTreeSet<_>>(), ruled);
}

#[test]
fn no_source_names_what_its_package_must_not_know() {
    for (package, forbidden) in FORBIDDEN {
        for name in forbidden {
            let found = mentions(&format!("{package}/src"), &name.replace('-', "_"));
            assert_eq!(found, Vec::<String>::new(), "{package} names {name}");
        }
    }
}

#[test]
fn the_generator_knows_the_runtime_in_its_command_line_alone() {
    for below in ["gentool/src/lower", "gentool/src/emit"] {
        for name in ["sim_runtime", "sim_profile"] {
            // What is quoted is the emitted crate's own text.
            let found = mentions(below, name);
            let uses: Vec<_> =
                found.iter().filter(|line| line.contains(": use ") || line.contains(": pub use ")).collect();
            let quoted = quoted_uses(below);
            let own: Vec<_> = uses.iter().filter(|line| !quoted.contains(**line)).collect();
            assert!(own.is_empty(), "{below} imports {name}: {own:?}");
        }
    }
}

/// Indented `use` lines: those inside of `quote!` and of texts.
fn quoted_uses(below: &str) -> BTreeSet<String> {
    let mut quoted = BTreeSet::new();
    for (file, text) in sources(below) {
        let mut inside = false;
        for (line, number) in text.lines().zip(1..) {
            let indented = line.starts_with(' ');
            inside = inside && !line.contains("\"#,") || line.contains("r#\"");
            if (indented || inside) && line.trim_start().starts_with("use ") {
                quoted.insert(format!("{file}:{number}: {}", line.trim_start()));
            }
        }
    }
    quoted
}

#[test]
fn generation_starts_from_the_model_and_never_sees_the_syntax_tree() {
    for below in ["gentool/src/lower", "gentool/src/emit"] {
        assert_eq!(mentions(below, "isac_parser::ast"), Vec::<String>::new());
    }
    assert_eq!(
        mentions("gentool/src/emit", "isac_parser"),
        Vec::<String>::new(),
        "emitting starts from isac-ir"
    );
}

#[test]
fn the_profile_knows_no_engine_clock_or_environment() {
    for name in ["std::time", "std::env", "std::process"] {
        assert_eq!(mentions("sim-profile/src", name), Vec::<String>::new());
        assert_eq!(mentions("isac-ir/src", name), Vec::<String>::new());
        assert_eq!(mentions("isac-parser/src", name), Vec::<String>::new());
    }
}

#[test]
fn only_the_launcher_reads_the_host_s_clock() {
    for below in [
        "sim-runtime/src/kernel",
        "sim-runtime/src/reference",
        "sim-runtime/src/host",
        "sim-runtime/src/record",
    ] {
        for name in ["std::time", "std::env"] {
            assert_eq!(mentions(below, name), Vec::<String>::new());
        }
    }
}

/// Where unsafe code stands: entering machine code, and the memory that it shares.
const UNSAFE: [&str; 2] = ["sim-translate/src/arena.rs", "sim-translate/src/native.rs"];

#[test]
fn unsafe_code_stands_in_the_translator_s_memory_and_entry_alone() {
    let manifest = fs::read_to_string(root().join("Cargo.toml")).expect("the manifest is there");
    assert!(manifest.contains("unsafe_code = \"deny\""));
    for package in FORBIDDEN.iter().map(|(package, _)| *package) {
        let manifest = fs::read_to_string(root().join(package).join("Cargo.toml")).expect("a manifest");
        assert!(manifest.contains("[lints]\nworkspace = true"), "{package} takes the workspace's lints");
        for (file, text) in sources(&format!("{package}/src")) {
            let is_there = text.contains("allow(unsafe_code");
            assert_eq!(is_there, UNSAFE.contains(&file.as_str()), "{file}");
            let (blocks, arguments) = (text.matches("unsafe {").count(), text.matches("// SAFETY:").count());
            assert!(blocks <= arguments, "{file}: {blocks} unsafe blocks, {arguments} arguments");
        }
    }
}

#[test]
fn the_compiler_of_machine_code_is_known_in_its_places_alone() {
    let places = ["sim-translate/src/beside.rs", "sim-translate/src/codegen/", "sim-translate/src/native.rs"];
    for path in
        ["cranelift_codegen", "cranelift_frontend", "cranelift_jit", "cranelift_module", "cranelift_native"]
    {
        assert_eq!(uses_elsewhere("sim-translate/src", path, &places), Vec::<String>::new());
    }
    let threads = uses_elsewhere("sim-translate/src", "std::thread", &["sim-translate/src/beside.rs"]);
    assert_eq!(threads, Vec::<String>::new());
    let in_gentool = uses_elsewhere("gentool/src", "sim_translate", &["gentool/src/command/"]);
    assert_eq!(in_gentool, Vec::<String>::new());
}

#[test]
fn a_mention_is_a_path_and_not_a_piece_of_a_word() {
    assert!(names("use syn::File;", "syn"));
    assert!(names("let file = syn::parse2(tokens);", "syn"));
    assert!(names("use isac_parser::ast;", "isac_parser::ast"));
    assert!(!names("use crate::syn::File;", "syn"));
    assert!(!names("let my_syn::X = 1;", "syn"));
    assert!(!names("// the text", "syn"));
    assert!(!names("use isac_ir::Model;", "isac"));
}

/// Uses of `path` below `below` that are not under one of `places`.
fn uses_elsewhere(below: &str, path: &str, places: &[&str]) -> Vec<String> {
    let all = mentions(below, path).into_iter();
    all.filter(|found| places.iter().all(|place| !found.starts_with(place))).collect()
}

#[test]
fn what_reads_and_writes_programs_is_known_in_its_places_alone() {
    let of_profile = ["sim-profile/src/program/", "sim-profile/src/symbols/"];
    assert_eq!(uses_elsewhere("sim-profile/src", "object", &of_profile), Vec::<String>::new());
    for path in ["gimli", "addr2line", "cpp_demangle", "rustc_demangle"] {
        let places = ["sim-profile/src/program/"];
        assert_eq!(uses_elsewhere("sim-profile/src", path, &places), Vec::<String>::new());
    }
    let of_object = ["gentool/src/command/program.rs", "gentool/src/assembler/output/"];
    assert_eq!(uses_elsewhere("gentool/src", "object", &of_object), Vec::<String>::new());
    assert_eq!(
        uses_elsewhere("gentool/src", "gimli", &["gentool/src/assembler/output/"]),
        Vec::<String>::new()
    );
    for part in ["assembler", "disassembler"] {
        for path in ["isac_parser::model", "isac_parser::ast", "isac_parser::load_model"] {
            assert_eq!(mentions(&format!("gentool/src/{part}"), path), Vec::<String>::new());
        }
    }
}

#[test]
fn gdb_s_protocol_is_known_in_its_place_alone() {
    assert_eq!(uses_elsewhere("sim-debug/src", "gdbstub", &["sim-debug/src/gdb/"]), Vec::<String>::new());
    assert!(!mentions("sim-debug/src", "gdbstub").is_empty());
    for package in ["sim-runtime/src", "gentool/src"] {
        assert_eq!(mentions(package, "gdbstub"), Vec::<String>::new());
    }
    let line = uses_elsewhere("gentool/src", "rustyline", &["gentool/src/command/debug/"]);
    assert_eq!(line, Vec::<String>::new());
    let in_gentool = uses_elsewhere("gentool/src", "sim_debug", &["gentool/src/command/"]);
    assert_eq!(in_gentool, Vec::<String>::new());
}

#[test]
fn signals_are_known_in_their_places_alone() {
    let launcher = ["sim-runtime/src/launcher/"];
    for path in ["ctrlc", "signal_hook"] {
        assert_eq!(uses_elsewhere("sim-runtime/src", path, &launcher), Vec::<String>::new());
        assert_eq!(mentions("gentool/src", path), Vec::<String>::new());
    }
    assert_eq!(uses_elsewhere("sim-runtime/src", "nix", &launcher), Vec::<String>::new());
    let child = ["gentool/src/command/run/child.rs"];
    assert_eq!(uses_elsewhere("gentool/src", "nix", &child), Vec::<String>::new());
}

#[test]
fn the_language_server_knows_its_protocol_and_has_its_thread_in_one_place() {
    for path in ["lsp_server", "lsp_types"] {
        assert!(!mentions("isac-lsp/src", path).is_empty());
    }
    let threads = uses_elsewhere("isac-lsp/src", "std::thread", &["isac-lsp/src/serve.rs"]);
    assert_eq!(threads, Vec::<String>::new());
    let in_gentool = uses_elsewhere("gentool/src", "isac_lsp", &["gentool/src/command/"]);
    assert_eq!(in_gentool, Vec::<String>::new());
}

#[test]
fn the_solver_is_known_in_its_place_alone() {
    let place = ["isac-parser/src/proof/solver.rs"];
    assert_eq!(uses_elsewhere("isac-parser/src", "batsat", &place), Vec::<String>::new());
    assert!(!mentions("isac-parser/src", "batsat").is_empty());
}
