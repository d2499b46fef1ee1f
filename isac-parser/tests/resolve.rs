//! Resolving and checking: the models of the project, what is said of bad ones, and the types of
//! expressions.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use isac_parser::diagnostic::{Diagnostics, Style};
use isac_parser::load_model;
use isac_parser::model::CheckedModel;
use isac_parser::source::{FileSystem, InMemory, SourceLoader, SourceMap};

mod resolve {
    mod addition;
    mod expansion;
    mod golden;
    mod large;
    mod model;
    mod mutation;
    mod oracle;
    mod robust;
    mod slips;
    mod stage;
    mod typing;
}

/// Loads a description; the model, if there is one, and all that was said.
fn load(
    root: &Path,
    loader: &dyn SourceLoader,
    overrides: &BTreeMap<String, u128>,
) -> (Option<CheckedModel>, String) {
    let mut sources = SourceMap::new();
    let mut diagnostics = Diagnostics::new();
    let model = load_model(root, loader, overrides, &mut sources, &mut diagnostics);
    assert_eq!(model.is_none(), diagnostics.has_errors());
    (model, diagnostics.render(&sources, Style::Plain))
}

/// Loads a description about which there is nothing to say but perhaps warnings of unused parts.
#[track_caller]
fn load_text(text: &str) -> CheckedModel {
    let loader = InMemory::new([("test.isac", text)]);
    let (model, said) = load(Path::new("test.isac"), &loader, &BTreeMap::new());
    model.unwrap_or_else(|| panic!("{said}"))
}

#[test]
fn the_models_of_the_project_are_sound() {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..");
    for model in ["models/tiny8/tiny8.isac", "models/rv32im/rv32im.isac", "tests/models/tree.isac"] {
        let (_, said) = load(&root.join(model), &FileSystem, &BTreeMap::new());
        assert_eq!(said, "", "{model}");
    }
}
