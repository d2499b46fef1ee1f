//! What mutants are made of: all descriptions of the repository.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// The descriptions by path from the repository's root.
pub(crate) fn read_corpus() -> BTreeMap<PathBuf, Vec<u8>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut corpus = BTreeMap::new();
    for folder in ["models", "tests", "isac-parser/tests", "isac-parser/src/explanation"] {
        read_folder(&root, Path::new(folder), &mut corpus);
    }
    assert!(corpus.len() > 100, "the descriptions are found");
    corpus
}

fn read_folder(root: &Path, folder: &Path, corpus: &mut BTreeMap<PathBuf, Vec<u8>>) {
    for entry in fs::read_dir(root.join(folder)).expect("a folder can be read") {
        let entry = entry.expect("an entry");
        let path = folder.join(entry.file_name());
        if entry.path().is_dir() {
            read_folder(root, &path, corpus);
        } else if path.extension().is_some_and(|extension| extension == "isac") {
            corpus.insert(path, fs::read(entry.path()).expect("a description can be read"));
        }
    }
}
