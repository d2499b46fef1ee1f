//! How long it takes from a key to what is shown, for every description of the repository.
//!
//! `cargo bench -p isac-lsp --bench keystroke` talks to the server as an editor does: it breaks a line and
//! mends it again, and waits each time for the findings. It prints the table of `docs/performance.md`; a
//! missed target makes the exit status 1.

use std::fs;
use std::io::{BufReader, PipeReader, PipeWriter, Write as _, pipe};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::thread;
use std::time::Instant;

use lsp_server::Message;
use serde_json::{Value, json};

const MOST_MILLISECONDS: f64 = 100.0;
/// Keys of each kind.
const KEYS: usize = 21;

/// An editor that is connected.
struct Editor {
    to_server: PipeWriter,
    of_server: BufReader<PipeReader>,
    version: i32,
}

impl Editor {
    fn new() -> Editor {
        let (input, to_server) = pipe().expect("a pipe");
        let (of_server, mut output) = pipe().expect("a pipe");
        thread::spawn(move || {
            isac_lsp::serve(BufReader::new(input), &mut output, Arc::new(isac_lsp::NoServices))
        });
        let mut editor = Editor { to_server, of_server: BufReader::new(of_server), version: 0 };
        editor.send(json!({ "id": 1, "method": "initialize", "params": { "capabilities": {} } }));
        editor
    }

    fn send(&mut self, mut message: Value) {
        message["jsonrpc"] = json!("2.0");
        let text = message.to_string();
        write!(self.to_server, "Content-Length: {}\r\n\r\n{text}", text.len()).expect("the server listens");
    }

    fn open(&mut self, uri: &str, text: &str) {
        let document = json!({ "uri": uri, "languageId": "isac", "version": 0, "text": text });
        self.send(json!({ "method": "textDocument/didOpen", "params": { "textDocument": document } }));
    }

    /// Types something at the beginning of the text, or takes it away.
    fn key(&mut self, uri: &str, taken: usize, typed: &str) {
        self.version += 1;
        let range =
            json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 0, "character": taken } });
        let document = json!({ "uri": uri, "version": self.version });
        let changes = json!([{ "range": range, "text": typed }]);
        self.send(json!({
            "method": "textDocument/didChange",
            "params": { "textDocument": document, "contentChanges": changes }
        }));
    }

    /// Waits until the findings of a document are told; how many are errors.
    fn errors(&mut self, uri: &str) -> usize {
        loop {
            let message = Message::read(&mut self.of_server).expect("the server talks").expect("it goes on");
            let Message::Notification(found) = message else { continue };
            if found.method == "textDocument/publishDiagnostics" && found.params["uri"] == uri {
                let found = found.params["diagnostics"].as_array().expect("a list");
                return found.iter().filter(|finding| finding["severity"] == 1).count();
            }
        }
    }
}

fn main() -> ExitCode {
    println!("| description | lines | broken, ms | mended, ms | at most | |\n|---|---:|---:|---:|---:|---|");
    let mut is_missed = false;
    for path in models() {
        let text = fs::read_to_string(&path).expect("it can be read");
        let (mut broken, mut mended) = (Vec::new(), Vec::new());
        let mut editor = Editor::new();
        let uri = format!("file://{}", path.display());
        editor.open(&uri, &text);
        for _ in 0..KEYS {
            // The findings of the last key are complete: a description that is checked anew has time.
            thread::sleep(std::time::Duration::from_millis(600));
            let begun = Instant::now();
            editor.key(&uri, 0, "}");
            while editor.errors(&uri) == 0 {}
            broken.push(begun.elapsed().as_secs_f64() * 1000.0);
            thread::sleep(std::time::Duration::from_millis(600));
            let begun = Instant::now();
            editor.key(&uri, 1, "");
            while editor.errors(&uri) > 0 {}
            mended.push(begun.elapsed().as_secs_f64() * 1000.0);
        }
        let (broken, mended) = (median(broken), median(mended));
        let is_reached = broken.max(mended) <= MOST_MILLISECONDS;
        is_missed |= !is_reached;
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        println!(
            "| `{name}` | {} | {broken:.1} | {mended:.1} | {MOST_MILLISECONDS} | {} |",
            lines_of(&path),
            if is_reached { "reached" } else { "MISSED" }
        );
    }
    ExitCode::from(u8::from(is_missed))
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn models() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../models");
    let root = root.canonicalize().expect("models are there");
    let mut found = Vec::new();
    for folder in fs::read_dir(root).expect("models are there") {
        let folder = folder.expect("an entry").path();
        let name = folder.file_name().expect("a name").to_string_lossy().into_owned();
        found.extend(Some(folder.join(format!("{name}.isac"))).filter(|path| path.exists()));
    }
    found.sort();
    found
}

/// Lines of a description, with all that it includes.
fn lines_of(path: &Path) -> usize {
    let mut sources = isac_parser::source::SourceMap::new();
    let mut findings = isac_parser::diagnostic::Diagnostics::new();
    isac_parser::parse_model(path, &isac_parser::source::FileSystem, &mut sources, &mut findings);
    sources.files().map(|file| sources.text(file).lines().count()).sum()
}
