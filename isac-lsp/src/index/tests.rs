//! Held against the descriptions of the repository.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use isac_parser::source::FileSystem;
use isac_parser::{ParsedFiles, words};

use super::Kind as SymbolKind;
use crate::analysis::Analysis;
use crate::word::{Kind, words as words_of};

/// The root files of the repository's sound descriptions.
pub(crate) fn models() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let root = root.canonicalize().expect("the repository is there");
    let mut found = Vec::new();
    for folder in fs::read_dir(root.join("models")).expect("models are there") {
        let folder = folder.expect("an entry").path();
        let name = folder.file_name().expect("a name").to_string_lossy().into_owned();
        found.extend(Some(folder.join(format!("{name}.isac"))).filter(|path| path.exists()));
    }
    for file in fs::read_dir(root.join("tests/models")).expect("small models are there") {
        let path = file.expect("an entry").path();
        found.extend(Some(path).filter(|path| path.extension().is_some_and(|ending| ending == "isac")));
    }
    found.sort();
    assert!(found.len() > 20, "{} descriptions", found.len());
    found
}

fn analyze(path: &Path) -> Analysis {
    Analysis::of(path, 0, &FileSystem, &BTreeMap::new(), &mut ParsedFiles::default())
}

/// Names that stand for nothing that is defined.
fn is_of_the_language(letters: &str) -> bool {
    let lists = [
        words::ITEMS,
        words::SECTIONS,
        words::DECLARATIONS,
        words::OTHERS,
        words::STATEMENTS,
        words::TYPES,
        words::BUILTINS,
        words::VALUES,
        words::TARGET_FIELDS,
        words::SYSCALLS,
        words::REGISTER_OPTIONS,
        words::RAM_OPTIONS,
        words::CACHE_OPTIONS,
        words::MAP_OPTIONS,
        words::DEVICE_KINDS,
        words::FORMATS,
        words::MAP_MEMBERS,
        words::PIPELINE_MEMBERS,
        &["KIND", "LITTLE", "BIG", "VIRTUAL", "PHYSICAL", "LRU", "FIFO", "RANDOM", "BACK", "THROUGH"],
        &["R", "W", "X", "pending", "printf"],
    ];
    // Views of a map: `u24`.
    let is_view = ["u", "s", "fetch"]
        .iter()
        .any(|view| letters.strip_prefix(view).is_some_and(|width| width.parse::<u32>().is_ok()));
    is_view || lists.iter().any(|list| list.contains(&letters))
}

#[test]
fn every_name_of_a_sound_description_means_something() {
    for path in models() {
        let analysis = analyze(&path);
        assert!(!analysis.findings().has_errors(), "{}", path.display());
        for file in analysis.sources.files() {
            let text = analysis.sources.text(file);
            for word in words_of(text).into_iter().filter(|word| word.kind == Kind::Name) {
                let found = analysis.index.at(file, word.start).filter(|found| {
                    (found.span.start as usize, found.span.end as usize) == (word.start, word.end)
                });
                let (line, column) =
                    analysis.sources.line_column(isac_parser::source::Span::new(file, word.start, word.end));
                let place = format!("{}:{line}:{column}", analysis.path(file).display());
                match found {
                    Some(found) => {
                        assert_eq!(analysis.index.symbols[found.symbol].name, word.of(text), "{place}")
                    }
                    None => assert!(is_of_the_language(word.of(text)), "{place}: {}", word.of(text)),
                }
            }
        }
    }
}

#[test]
fn what_the_model_refers_to_is_one_class() {
    for path in models() {
        let analysis = analyze(&path);
        let model = analysis.reading.model.as_ref().expect("a sound model");
        for operation in &model.operations {
            for reference in operation.references.iter().filter(|reference| reference.span.is_some()) {
                let own = analysis.index.inner[&operation.name][&reference.name];
                assert_eq!(analysis.index.symbols[own].kind, SymbolKind::Reference);
                for binding in &reference.bindings {
                    let parent = &model.operations[binding.parent.index()].name;
                    let above = analysis.index.inner[parent].get(&reference.name);
                    if let Some(above) = above {
                        let classes = (analysis.index.class_of(own), analysis.index.class_of(*above));
                        assert_eq!(
                            classes.0, classes.1,
                            "{} of {} and {parent}",
                            reference.name, operation.name
                        );
                    }
                }
            }
        }
    }
}
