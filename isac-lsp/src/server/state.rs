//! What notifications change.

use std::path::{Path, PathBuf};

use lsp_server::Notification;
use lsp_types::{
    DidChangeConfigurationParams, DidChangeTextDocumentParams, DidChangeWatchedFilesParams,
    DidChangeWorkspaceFoldersParams, DidCloseTextDocumentParams, DidOpenTextDocumentParams,
    DidSaveTextDocumentParams, InitializeParams, InitializeResult,
};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{Server, Stage};
use crate::capability::initialize_result;
use crate::settings::Settings;
use crate::text::changed;
use crate::uri::path_of;

impl Server {
    pub(crate) fn stage(&self) -> Stage {
        self.stage
    }

    pub(crate) fn shut_down(&mut self) {
        self.stage = Stage::ShutDown;
    }

    /// Begins: which folders there are, what the user has set.
    pub(crate) fn initialize(&mut self, params: InitializeParams) -> InitializeResult {
        self.stage = Stage::Running;
        let folders = params.workspace_folders.unwrap_or_default();
        self.folders = folders.iter().filter_map(|folder| path_of(&folder.uri)).collect();
        #[allow(deprecated, reason = "older editors know nothing else")]
        let root = params.root_uri;
        if self.folders.is_empty() {
            self.folders.extend(root.as_ref().and_then(path_of));
        }
        self.set(&params.initialization_options.unwrap_or(Value::Null));
        initialize_result()
    }

    fn set(&mut self, settings: &Value) {
        (self.settings, self.wrong_settings) = Settings::of(settings, &self.folders);
        self.workspace.named_roots = self.settings.roots.clone();
        self.rescan();
    }

    /// Looks for descriptions again, and reads all of them again.
    fn rescan(&mut self) {
        self.workspace.scan(&self.folders, &self.documents);
        self.known.values_mut().for_each(|known| known.is_stale = true);
    }

    /// Takes a notification; one that is not known, or makes no sense, changes nothing.
    ///
    /// # Errors
    /// Why it makes no sense.
    pub fn notify(&mut self, notification: Notification) -> Result<(), String> {
        let params = notification.params;
        match notification.method.as_str() {
            "textDocument/didOpen" => {
                let params: DidOpenTextDocumentParams = read(params)?;
                let document = params.text_document;
                let path = path_of(&document.uri).ok_or_else(|| no_file(document.uri.as_str()))?;
                self.documents.set(path.clone(), document.version, document.text);
                self.rescan();
                self.touch(&path);
            }
            "textDocument/didChange" => {
                let params: DidChangeTextDocumentParams = read(params)?;
                let uri = &params.text_document.uri;
                let path = path_of(uri).ok_or_else(|| no_file(uri.as_str()))?;
                let document = self.documents.get(&path).ok_or_else(|| not_open(&path))?;
                let text = changed(document.text.to_string(), params.content_changes);
                self.documents.set(path.clone(), params.text_document.version, text);
                self.touch(&path);
            }
            "textDocument/didClose" => {
                let params: DidCloseTextDocumentParams = read(params)?;
                let uri = &params.text_document.uri;
                let path = path_of(uri).ok_or_else(|| no_file(uri.as_str()))?;
                if !self.documents.close(&path) {
                    return Err(not_open(&path));
                }
                self.rescan();
            }
            "textDocument/didSave" => {
                let _: DidSaveTextDocumentParams = read(params)?;
                self.rescan();
            }
            "workspace/didChangeWatchedFiles" => {
                let _: DidChangeWatchedFilesParams = read(params)?;
                self.rescan();
            }
            "workspace/didChangeConfiguration" => {
                let params: DidChangeConfigurationParams = read(params)?;
                // Editors that send nothing here mean no change.
                if params.settings.is_object() {
                    self.set(&params.settings);
                }
            }
            "workspace/didChangeWorkspaceFolders" => {
                let params: DidChangeWorkspaceFoldersParams = read(params)?;
                let removed: Vec<PathBuf> =
                    params.event.removed.iter().filter_map(|folder| path_of(&folder.uri)).collect();
                self.folders.retain(|folder| !removed.contains(folder));
                self.folders.extend(params.event.added.iter().filter_map(|folder| path_of(&folder.uri)));
                self.rescan();
            }
            _ => {}
        }
        Ok(())
    }

    /// A document has another text.
    fn touch(&mut self, path: &Path) {
        self.workspace.read(path, &self.documents);
        for known in self.known.values_mut() {
            known.is_stale |= known.analysis.file(path).is_some();
        }
    }
}

/// Parameters of a message.
///
/// # Errors
/// Why they are none.
pub(super) fn read<T: DeserializeOwned>(params: Value) -> Result<T, String> {
    serde_json::from_value(params).map_err(|error| error.to_string())
}

pub(super) fn no_file(uri: &str) -> String {
    format!("{uri} names no file")
}

fn not_open(path: &Path) -> String {
    format!("{} is not open", path.display())
}
