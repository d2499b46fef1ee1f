//! The same description gives the same bytes, wherever and however often; so does the same run.

mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use gentool::emit::{SourceFile, emit_package, emit_package_with_values, runtime_files, write_package};
use gentool::lower::lower_model;
use isac_ir::Model;
use isac_parser::diagnostic::Diagnostics;
use isac_parser::load_model;
use isac_parser::source::{FileSystem, SourceMap};
use support::launch::Guest;
use support::{EngineKind, RV32IM, path};

const MODELS: [&str; 3] = ["models/rv32im/rv32im.isac", "models/tiny8/tiny8.isac", "tests/models/tree.isac"];

fn lower(description: &Path) -> Model {
    let (mut sources, mut findings) = (SourceMap::new(), Diagnostics::new());
    let checked = load_model(description, &FileSystem, &BTreeMap::new(), &mut sources, &mut findings);
    let name = description.file_stem().unwrap_or_default().to_string_lossy();
    lower_model(&checked.expect("the description is sound"), &sources, &name)
}

/// A package that can tell values: with all that others have but their program.
fn generate(description: &Path) -> Vec<SourceFile> {
    emit_package_with_values(&lower(description), "name", "digest", "runtime")
}

#[test]
fn generating_twice_gives_the_same_bytes() {
    for model in MODELS {
        assert_eq!(generate(&path(model)), generate(&path(model)), "{model}");
        let plain = || emit_package(&lower(&path(model)), "name", "digest", "runtime");
        assert_eq!(plain(), plain(), "{model}");
    }
}

fn copy_descriptions(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("it can be listed") {
        let file = entry.expect("an entry").path();
        if file.extension().is_some_and(|extension| extension == "isac") {
            fs::copy(&file, to.join(file.file_name().expect("a file"))).expect("a copy");
        }
    }
}

#[test]
fn the_description_s_folder_does_not_show_in_the_output() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for model in MODELS {
        let here = path(model);
        let deep = folder.path().join("some/where else");
        // With the files that it may include: those beside it, and the parts in `riscv`.
        copy_descriptions(here.parent().expect("a folder"), &deep);
        copy_descriptions(&path("models/riscv"), &folder.path().join("some/riscv"));
        let there = deep.join(here.file_name().expect("a file"));
        assert_eq!(generate(&here), generate(&there), "{model}");
    }
}

#[test]
fn the_written_package_is_the_emitted_one_in_any_folder() {
    let files = generate(&path(MODELS[1]));
    for name in ["one", "two/deeper"] {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let folder = folder.path().join(name);
        write_package(&files, &folder).expect("the package is written");
        for file in &files {
            let text = fs::read_to_string(folder.join(&file.path)).expect("the file is there");
            assert_eq!(text, file.text, "{}", file.path);
        }
    }
}

/// A file that did not change keeps its time, so that cargo builds nothing anew.
#[test]
fn writing_a_package_again_touches_nothing() {
    let files = generate(&path(MODELS[1]));
    let folder = tempfile::tempdir().expect("a temporary folder");
    let times = || -> Vec<_> {
        let time =
            |file: &SourceFile| fs::metadata(folder.path().join(&file.path)).and_then(|file| file.modified());
        files.iter().map(|file| time(file).expect("the file is there")).collect()
    };
    write_package(&files, folder.path()).expect("the package is written");
    let first = times();
    write_package(&files, folder.path()).expect("the package is written");
    assert_eq!(first, times());
}

#[test]
fn the_output_names_no_place_of_the_machine_it_was_made_on() {
    let mut files = runtime_files();
    MODELS.iter().for_each(|model| files.extend(generate(&path(model))));
    let root = path("").display().to_string();
    let home = std::env::var("HOME").ok().filter(|home| home.len() > 1);
    for file in &files {
        assert!(!file.path.starts_with('/') && !file.path.contains(".."), "{}", file.path);
        for place in home.iter().chain([&root]) {
            assert!(!file.text.contains(place.trim_end_matches('/')), "{} names {place}", file.path);
        }
    }
}

#[test]
fn emitted_text_has_no_trailing_spaces_and_ends_with_one_line_break() {
    for model in MODELS {
        let files = generate(&path(model));
        for SourceFile { path, text } in
            files.iter().filter(|file| file.path.ends_with(".rs") || file.path.ends_with(".toml"))
        {
            for (line, number) in text.lines().zip(1..) {
                assert_eq!(line.trim_end(), line, "{model}: {path}:{number}");
                assert!(!line.contains('\t'), "{model}: {path}:{number} has a tabulator");
            }
            assert!(text.ends_with('\n') && !text.ends_with("\n\n"), "{model}: end of {path}");
        }
        let paths: BTreeSet<&str> = files.iter().map(|file| file.path.as_str()).collect();
        assert_eq!(paths.len(), files.len(), "{model}: no file twice");
    }
}

#[test]
fn the_same_run_gives_the_same_report() {
    let guest =
        Guest { options: &["--limit-instructions", "20K"], ..Guest::new("models/rv32im/programs/crc32.elf") };
    for kind in [EngineKind::Reference, EngineKind::Emitted] {
        let run = || {
            let mut engine = RV32IM.engine(kind);
            let left = guest.run(&RV32IM, engine.as_mut());
            (left.report, left.state, left.messages)
        };
        assert_eq!(run(), run(), "{kind:?}");
    }
}

#[test]
fn another_seed_is_another_run_and_the_same_seed_the_same() {
    let run = |options| {
        let guest = Guest { options, ..Guest::new("models/rv32im/programs/faults/baremetal.elf") };
        let mut engine = RV32IM.engine(EngineKind::Emitted);
        guest.run(&RV32IM, engine.as_mut()).state
    };
    // The seed reaches a guest through the sixteen random bytes on its stack.
    assert_eq!(run(&["--seed", "7"]), run(&["--seed", "7"]));
    assert_ne!(run(&["--seed", "7"]), run(&["--seed", "8"]));
}
