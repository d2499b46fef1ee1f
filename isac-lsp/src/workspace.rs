//! Which descriptions a file belongs to: who INCLUDEs whom below the folders of the editor.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use isac_parser::source::without_dots;

use crate::document::Documents;
use crate::word::{Kind, words};

/// Most files that are looked at.
const MOST_FILES: usize = 4000;
/// Folders are looked into this deep.
const MOST_DEPTH: usize = 12;
/// Most folders that are looked into.
const MOST_FOLDERS: usize = 20_000;
/// Larger files are no descriptions that anybody edits.
const MOST_BYTES: u64 = 4 << 20;

/// Who INCLUDEs whom.
#[derive(Debug, Clone, Default)]
pub(crate) struct Workspace {
    /// By file: what it INCLUDEs.
    includes: BTreeMap<PathBuf, BTreeSet<PathBuf>>,
    /// Root files that the user has named.
    pub(crate) named_roots: Vec<PathBuf>,
}

impl Workspace {
    /// Looks for descriptions below the folders, and into all open documents.
    pub(crate) fn scan(&mut self, folders: &[PathBuf], documents: &Documents) {
        self.includes.clear();
        for path in find_files(folders).iter().chain(&self.named_roots.clone()) {
            self.read(path, documents);
        }
        let open: Vec<PathBuf> = documents.open().map(|(path, _)| path.clone()).collect();
        open.iter().for_each(|path| self.read(path, documents));
    }

    /// Looks at one file, and at those that it INCLUDEs and nobody has looked at.
    pub(crate) fn read(&mut self, path: &Path, documents: &Documents) {
        let mut open = vec![path.to_owned()];
        self.includes.remove(path);
        while let Some(path) = open.pop() {
            if self.includes.contains_key(&path) || self.includes.len() > MOST_FILES {
                continue;
            }
            let included = documents.text(&path).map(|text| included(&path, &text)).unwrap_or_default();
            open.extend(included.iter().cloned());
            self.includes.insert(path, included);
        }
    }

    /// The root files of the descriptions that a file is part of; itself if nobody INCLUDEs it.
    ///
    /// Those that the user has named come first, and alone if there are any; else the shortest names.
    pub(crate) fn roots_of(&self, path: &Path) -> Vec<PathBuf> {
        let mut above = BTreeSet::from([path]);
        let mut open = vec![path];
        let mut roots = Vec::new();
        while let Some(file) = open.pop() {
            let mut is_root = true;
            for (includer, included) in &self.includes {
                if included.contains(file) {
                    is_root = false;
                    if above.insert(includer) {
                        open.push(includer);
                    }
                }
            }
            if is_root {
                roots.push(file.to_owned());
            }
        }
        let named: Vec<PathBuf> =
            self.named_roots.iter().filter(|root| above.contains(root.as_path())).cloned().collect();
        let mut roots = match (named.is_empty(), roots.is_empty()) {
            (false, _) => named,
            (true, false) => roots,
            // A circle.
            (true, true) => vec![path.to_owned()],
        };
        roots.sort_by_key(|root| (root.as_os_str().len(), root.clone()));
        roots
    }
}

/// What a text INCLUDEs.
fn included(path: &Path, text: &str) -> BTreeSet<PathBuf> {
    let folder = path.parent().unwrap_or(Path::new(""));
    let words: Vec<_> = words(text).into_iter().filter(|word| word.kind != Kind::Comment).collect();
    let pairs = words.windows(2).filter(|pair| pair[0].of(text) == "INCLUDE" && pair[1].kind == Kind::Text);
    pairs.map(|pair| without_dots(&folder.join(pair[1].of(text).trim_matches('"')))).collect()
}

/// The descriptions below folders, without hidden folders and those that tools fill.
fn find_files(folders: &[PathBuf]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open: Vec<(PathBuf, usize)> = folders.iter().map(|folder| (folder.clone(), 0)).collect();
    let mut visited = 0;
    while let Some((folder, depth)) = open.pop() {
        visited += 1;
        if visited > MOST_FOLDERS || found.len() > MOST_FILES {
            break;
        }
        let Ok(entries) = fs::read_dir(&folder) else { continue };
        let mut entries: Vec<_> = entries.flatten().collect();
        entries.sort_by_key(std::fs::DirEntry::file_name);
        for entry in entries {
            let (Ok(kind), name) = (entry.file_type(), entry.file_name()) else { continue };
            let name = name.to_string_lossy();
            if kind.is_dir() && depth < MOST_DEPTH && !name.starts_with('.') {
                if !matches!(name.as_ref(), "target" | "node_modules") {
                    open.push((entry.path(), depth + 1));
                }
            } else if kind.is_file() && name.ends_with(".isac") {
                let is_small = entry.metadata().is_ok_and(|found| found.len() <= MOST_BYTES);
                found.extend(is_small.then(|| without_dots(&entry.path())));
            }
        }
    }
    found
}
