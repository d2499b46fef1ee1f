//! Documents: what is open in the editor, before what lies on the disk.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use isac_parser::source::{FileSystem, SourceLoader, without_dots};

/// An open document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Document {
    /// As the editor counts.
    pub(crate) version: i32,
    /// Its text.
    pub(crate) text: Arc<str>,
}

/// The open documents by path; all other files are read where the loader behind them finds them.
#[derive(Clone)]
pub(crate) struct Documents {
    open: BTreeMap<PathBuf, Document>,
    behind: Arc<dyn SourceLoader + Send + Sync>,
}

impl Documents {
    /// No open documents.
    pub(crate) fn new(behind: Arc<dyn SourceLoader + Send + Sync>) -> Documents {
        Documents { open: BTreeMap::new(), behind }
    }

    /// Files on the disk.
    pub(crate) fn of_disk() -> Documents {
        Documents::new(Arc::new(FileSystem))
    }

    /// Opens or replaces a document.
    pub(crate) fn set(&mut self, path: PathBuf, version: i32, text: String) {
        self.open.insert(path, Document { version, text: text.into() });
    }

    /// Closes a document; false if it was not open.
    pub(crate) fn close(&mut self, path: &Path) -> bool {
        self.open.remove(path).is_some()
    }

    /// An open document.
    pub(crate) fn get(&self, path: &Path) -> Option<&Document> {
        self.open.get(path)
    }

    /// The open documents.
    pub(crate) fn open(&self) -> impl Iterator<Item = (&PathBuf, &Document)> {
        self.open.iter()
    }

    /// The text of a file, open or not; `None` if it cannot be read as text.
    pub(crate) fn text(&self, path: &Path) -> Option<String> {
        String::from_utf8(self.load(path).ok()?).ok()
    }
}

impl SourceLoader for Documents {
    fn load(&self, path: &Path) -> Result<Vec<u8>, io::Error> {
        match self.open.get(&without_dots(path)) {
            Some(document) => Ok(document.text.as_bytes().to_vec()),
            None => self.behind.load(path),
        }
    }

    /// An open document is known by its path, even if no file is there yet.
    fn identity(&self, path: &Path) -> PathBuf {
        let plain = without_dots(path);
        match self.open.contains_key(&plain) {
            true => plain,
            false => self.behind.identity(path),
        }
    }
}
