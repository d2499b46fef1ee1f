//! A session with the server, without a connection: everything is done before the next line runs.

#![allow(dead_code, reason = "each test takes what it needs")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;

use isac_lsp::{NoServices, Server};
use lsp_server::{Notification, Request, Response};
use lsp_types::{Diagnostic, PublishDiagnosticsParams, Uri};
use serde_json::{Value, json};

/// The repository.
pub(crate) fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().expect("the repository is there")
}

/// A session.
pub(crate) struct Session {
    pub(crate) server: Server,
    /// What an editor would show, by address.
    pub(crate) shown: BTreeMap<String, Vec<Diagnostic>>,
    last_id: i32,
}

impl Session {
    /// A session of an editor with a folder.
    pub(crate) fn new(folder: &Path) -> Session {
        Session::with(folder, Value::Null)
    }

    /// The same with settings.
    pub(crate) fn with(folder: &Path, settings: Value) -> Session {
        Session::of(Server::new(Arc::new(NoServices)), folder, settings)
    }

    /// The same with a server that somebody has made.
    pub(crate) fn of(server: Server, folder: &Path, settings: Value) -> Session {
        let mut session = Session { server, shown: BTreeMap::new(), last_id: 0 };
        let folders = json!([{ "uri": address(folder), "name": "folder" }]);
        session.ask(
            "initialize",
            json!({ "capabilities": {}, "workspaceFolders": folders, "initializationOptions": settings }),
        );
        session.tell("initialized", json!({}));
        session
    }

    /// A request that is answered; the answer.
    pub(crate) fn ask(&mut self, method: &str, params: Value) -> Value {
        self.request(method, params)
            .response_result
            .unwrap_or_else(|error| panic!("{method}: {}", error.message))
    }

    /// A request that is refused; why.
    pub(crate) fn ask_in_vain(&mut self, method: &str, params: Value) -> String {
        match self.request(method, params).response_result {
            Ok(answer) => panic!("{method} is answered: {answer}"),
            Err(error) => error.message,
        }
    }

    pub(crate) fn request(&mut self, method: &str, params: Value) -> Response {
        self.last_id += 1;
        let request = Request { id: self.last_id.into(), method: method.to_owned(), params };
        let response = self.server.request(request);
        self.settle();
        response
    }

    /// A notification that makes sense.
    pub(crate) fn tell(&mut self, method: &str, params: Value) {
        let notification = Notification { method: method.to_owned(), params };
        self.server.notify(notification).unwrap_or_else(|reason| panic!("{method}: {reason}"));
        self.settle();
    }

    /// Reads and checks what has changed, and takes what is shown.
    pub(crate) fn settle(&mut self) {
        self.server.update();
        for job in self.server.checks() {
            self.server.checked(job.run());
        }
        for PublishDiagnosticsParams { uri, diagnostics, .. } in self.server.publications(false) {
            self.shown.insert(uri.as_str().to_owned(), diagnostics);
        }
    }

    /// Opens a file with the text that it has on the disk.
    pub(crate) fn open(&mut self, path: &Path) {
        let text = std::fs::read_to_string(path).expect("the file can be read");
        self.open_as(path, &text);
    }

    /// Opens a file with a text.
    pub(crate) fn open_as(&mut self, path: &Path, text: &str) {
        let document = json!({ "uri": address(path), "languageId": "isac", "version": 1, "text": text });
        self.tell("textDocument/didOpen", json!({ "textDocument": document }));
    }

    /// Replaces the text of an open file.
    pub(crate) fn change(&mut self, path: &Path, version: i32, text: &str) {
        let document = json!({ "uri": address(path), "version": version });
        self.tell(
            "textDocument/didChange",
            json!({ "textDocument": document, "contentChanges": [{ "text": text }] }),
        );
    }

    /// Asks something about a place of a file.
    pub(crate) fn at(&mut self, method: &str, path: &Path, line: u32, character: u32) -> Value {
        self.ask(method, place(path, line, character))
    }

    /// The findings that are shown of a file, as `line: code`.
    pub(crate) fn findings(&self, path: &Path) -> Vec<String> {
        let shown = self.shown.get(&address(path)).into_iter().flatten();
        shown
            .map(|finding| match &finding.code {
                Some(lsp_types::NumberOrString::String(code)) => {
                    format!("{}: {code}", finding.range.start.line + 1)
                }
                _ => format!("{}: no code", finding.range.start.line + 1),
            })
            .collect()
    }
}

/// A place of a file.
pub(crate) fn place(path: &Path, line: u32, character: u32) -> Value {
    json!({ "textDocument": { "uri": address(path) }, "position": { "line": line, "character": character } })
}

/// The address of a file.
pub(crate) fn address(path: &Path) -> String {
    let text = path.to_str().expect("a path of letters").replace(' ', "%20");
    Uri::from_str(&format!("file://{text}")).expect("an address").as_str().to_owned()
}

/// Line and column of the n-th place at which a text has some letters.
pub(crate) fn find(text: &str, letters: &str, number: usize) -> (u32, u32) {
    let (offset, _) = text.match_indices(letters).nth(number).expect("the letters are there");
    let before = &text[..offset];
    let line = before.matches('\n').count();
    let start = before.rfind('\n').map_or(0, |at| at + 1);
    (line as u32, text[start..offset].encode_utf16().count() as u32)
}
