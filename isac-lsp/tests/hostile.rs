//! Messages that no editor would send, and edits that nobody would make.

#[path = "support/messages.rs"]
mod messages;
mod support;

use std::io::Write as _;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use isac_parser::ParsedFiles;
use serde_json::{Value, json};
use support::{Session, address};

/// Random numbers: xorshift64*.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 8
    }

    fn below(&mut self, end: usize) -> usize {
        self.next() as usize % end
    }
}

/// The bytes of messages with the right lengths.
fn framed(texts: &[&str]) -> Vec<u8> {
    texts
        .iter()
        .flat_map(|text| format!("Content-Length: {}\r\n\r\n{text}", text.len()).into_bytes())
        .collect()
}

/// Number and error of each answer.
fn errors(answers: &[Value]) -> Vec<(Value, i64)> {
    let answers = answers.iter().filter(|answer| answer.get("method").is_none());
    answers.map(|answer| (answer["id"].clone(), answer["error"]["code"].as_i64().unwrap_or(0))).collect()
}

const BEGIN: &str = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}}"#;

#[test]
fn what_makes_no_sense_is_answered_by_an_error_and_the_session_goes_on() {
    let texts = [
        r#"{"jsonrpc":"2.0","id":0,"method":"textDocument/hover","params":{}}"#,
        BEGIN,
        BEGIN,
        "{ this is no JSON",
        "[]",
        r#"{"id":3}"#,
        r#"{"jsonrpc":"2.0","id":4,"method":"textDocument/hover","params":{"position":7}}"#,
        r#"{"jsonrpc":"2.0","id":5,"method":"textDocument/hover","params":{"textDocument":{"uri":"file:///nowhere/a.isac"},"position":{"line":0,"character":0}}}"#,
        r#"{"jsonrpc":"2.0","id":6,"method":"textDocument/hover","params":{"textDocument":{"uri":"untitled:1"},"position":{"line":0,"character":0}}}"#,
        r#"{"jsonrpc":"2.0","id":7,"method":"isac/unknown","params":{}}"#,
        r#"{"jsonrpc":"2.0","method":"textDocument/didChange","params":{"textDocument":{"uri":"file:///nowhere/a.isac","version":1},"contentChanges":[]}}"#,
        r#"{"jsonrpc":"2.0","id":8,"method":"shutdown"}"#,
        r#"{"jsonrpc":"2.0","id":9,"method":"textDocument/hover","params":{}}"#,
        r#"{"jsonrpc":"2.0","method":"exit"}"#,
    ];
    let mut output = Vec::new();
    let services = std::sync::Arc::new(isac_lsp::NoServices);
    let end = isac_lsp::serve(std::io::Cursor::new(framed(&texts)), &mut output, services).expect("memory");
    assert_eq!(end, isac_lsp::End::Orderly);
    let answers = messages::answer(framed(&texts));
    let wanted = [
        (json!(0), -32002),
        (json!(1), 0),
        (json!(1), -32600),
        (Value::Null, -32700),
        (Value::Null, -32600),
        (json!(3), -32600),
        (json!(4), -32602),
        (json!(5), -32803),
        (json!(6), -32602),
        (json!(7), -32601),
        (json!(8), 0),
        (json!(9), -32600),
    ];
    assert_eq!(errors(&answers), wanted);
    // What was wrong with a notification stands in the editor's log.
    let logged: Vec<&Value> =
        answers.iter().filter(|answer| answer["method"] == "window/logMessage").collect();
    assert_eq!(logged.len(), 1);
    assert_eq!(logged[0]["params"]["message"], "textDocument/didChange: /nowhere/a.isac is not open");
}

#[test]
fn a_stream_that_is_no_protocol_ends_the_session() {
    for bytes in [
        &b""[..],
        b"\r\n",
        b"GET / HTTP/1.0\r\n\r\n",
        b"Content-Length: x\r\n\r\n{}",
        b"Content-Length: 99\r\n\r\n{}",
        &[0xff; 70_000],
    ] {
        assert_eq!(messages::answer(bytes.to_vec()), Vec::<Value>::new());
    }
    let long = b"Content-Length: 99999999999\r\n\r\n{}".to_vec();
    assert_eq!(messages::answer(long), Vec::<Value>::new());
}

#[test]
fn an_editor_is_told_once_of_a_setting_that_makes_no_sense() {
    let begin = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{},"initializationOptions":{"coverage":"bogus"}}}"#;
    let changed = r#"{"jsonrpc":"2.0","method":"workspace/didChangeConfiguration","params":{"settings":{"isac":{"roots":1}}}}"#;
    let again = r#"{"jsonrpc":"2.0","id":2,"method":"isac/unknown","params":{}}"#;
    let answers = messages::answer(framed(&[begin, again, changed, again]));
    let told: Vec<&str> = answers
        .iter()
        .filter(|answer| answer["method"] == "window/showMessage")
        .filter_map(|answer| answer["params"]["message"].as_str())
        .collect();
    assert_eq!(
        told,
        [
            "isac: setting coverage: expected lens, hint or none, not \"bogus\"",
            "isac: setting roots: expected a list of paths, not 1"
        ]
    );
}

#[test]
fn random_sessions_end_without_a_panic() {
    static PANICS: AtomicUsize = AtomicUsize::new(0);
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |found| {
        PANICS.fetch_add(1, Ordering::SeqCst);
        hook(found);
    }));
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let mut answered = 0;
    for _ in 0..150 {
        answered += messages::answer(messages::session(&mut || random.next())).len();
    }
    assert_eq!(PANICS.load(Ordering::SeqCst), 0);
    assert!(answered > 1000, "{answered} answers");
}

const TEXT: &str = "// ä𝄞 of two instructions\nCONSTANT W = 8;\nRESOURCE {\n    PC REGISTER bit[8] pc;\n    \
REGISTER bit[W] acc;\n    RAM bit[8] ram { SIZE (256); FLAGS (R, W, X); };\n    \
MEMORY_MAP map { RANGE (0x00, 0xff) -> ram; };\n};\nGROUP instr = add, stop;\nOPERATION main {\n    \
INSTANCE instr ALIAS { i };\n    CODINGROOT { i (map[pc]); };\n    BEHAVIOR { pc = pc + 1; };\n};\n\
OPERATION add {\n    ASSEMBLER { \"add\" value=#U };\n    CODING { 0b00 value=0bx[6] };\n    \
BEHAVIOR { acc = acc + value; };\n};\nOPERATION stop { ASSEMBLER { \"stop\" }; CODING { 0b11xxxxxx }; BEHAVIOR { halt(0); }; };\n";

/// Line and column of a byte, as the protocol counts; bytes that lines end by are no column.
fn position(text: &str, offset: usize) -> Value {
    let before = &text[..offset];
    let start = before.rfind('\n').map_or(0, |at| at + 1);
    json!({ "line": before.matches('\n').count(), "character": before[start..].encode_utf16().count() })
}

/// A place between two letters.
fn place(random: &mut Random, text: &str) -> usize {
    text.floor_char_boundary(random.below(text.len() + 1))
}

#[test]
fn ten_thousand_random_edits_lose_none() {
    let path = Path::new("/nowhere/edited.isac");
    let mut session = Session::new(Path::new("/nowhere"));
    session.open_as(path, TEXT);
    let mut text = TEXT.to_owned();
    let mut random = Random(11);
    let pieces =
        ["{", "}", ";", "acc", "\n", "𝄞", "ä", "\"", " ", "0b1x", "/*", "*/", "OPERATION x {", "value"];
    let (mut edits, mut version, mut compared, mut sound) = (0, 1, 0, 0);
    while edits < 10_000 {
        let mut changes = Vec::new();
        for _ in 0..=random.below(8) {
            edits += 1;
            let (first, second) = (place(&mut random, &text), place(&mut random, &text));
            // Mostly a word or so is replaced.
            let near = text.floor_char_boundary((first + random.below(12)).min(text.len()));
            let (start, end) =
                if random.below(50) == 0 { (first.min(second), first.max(second)) } else { (first, near) };
            let new = pieces[random.below(pieces.len())];
            changes.push(json!({ "range": { "start": position(&text, start), "end": position(&text, end) }, "text": new }));
            text.replace_range(start..end, new);
        }
        if random.below(12) == 0 {
            changes.push(json!({ "text": TEXT }));
            text = TEXT.to_owned();
        }
        version += 1;
        let document = json!({ "uri": address(path), "version": version });
        session
            .tell("textDocument/didChange", json!({ "textDocument": document, "contentChanges": changes }));
        if random.below(6) == 0 || edits >= 10_000 {
            compared += 1;
            let mut fresh = Session::new(Path::new("/nowhere"));
            fresh.open_as(path, &text);
            assert_eq!(
                session.shown[&address(path)],
                fresh.shown.get(&address(path)).cloned().unwrap_or_default(),
                "{text}"
            );
            sound += usize::from(!fresh.findings(path).iter().any(|finding| finding.contains(": E")));
            let document = json!({ "textDocument": { "uri": address(path) } });
            for method in ["textDocument/semanticTokens/full", "textDocument/documentSymbol"] {
                assert_eq!(
                    session.ask(method, document.clone()),
                    fresh.ask(method, document.clone()),
                    "{text}"
                );
            }
        }
    }
    assert!(compared > 200 && sound > 10, "{compared} compared, {sound} of them sound");
}

#[test]
fn the_last_of_many_keys_counts() {
    let (input, mut to_server) = std::io::pipe().expect("a pipe");
    let (of_server, mut output) = std::io::pipe().expect("a pipe");
    let server = std::thread::spawn(move || {
        let services = std::sync::Arc::new(isac_lsp::NoServices);
        isac_lsp::serve(std::io::BufReader::new(input), &mut output, services).expect("somebody listens")
    });
    let uri = "file:///nowhere/keys.isac";
    let editor = std::thread::spawn(move || {
        let mut send = |text: String| to_server.write_all(&framed(&[&text])).expect("the server listens");
        send(BEGIN.to_owned());
        let document = json!({ "uri": uri, "languageId": "isac", "version": 0, "text": TEXT });
        let params = json!({ "textDocument": document });
        send(json!({ "jsonrpc": "2.0", "method": "textDocument/didOpen", "params": params }).to_string());
        for version in 1..=KEYS {
            let document = json!({ "uri": uri, "version": version });
            let range =
                json!({ "start": { "line": 1, "character": 0 }, "end": { "line": 2, "character": 0 } });
            let changes = json!([{ "range": range, "text": format!("CONSTANT W = unknown_{version};\n") }]);
            let params = json!({ "textDocument": document, "contentChanges": changes });
            send(
                json!({ "jsonrpc": "2.0", "method": "textDocument/didChange", "params": params }).to_string(),
            );
        }
        to_server
    });
    let mut of_server = std::io::BufReader::new(of_server);
    let last = format!("unknown_{KEYS}`");
    loop {
        let message = lsp_server::Message::read(&mut of_server).expect("it is read").expect("it goes on");
        let lsp_server::Message::Notification(found) = message else { continue };
        let found = found.params.to_string();
        if found.contains(&last) {
            assert!(found.contains(&format!("\"version\":{KEYS}")), "{found}");
            break;
        }
    }
    let mut to_server = editor.join().expect("the editor has said all");
    let end = [r#"{"jsonrpc":"2.0","id":2,"method":"shutdown"}"#, r#"{"jsonrpc":"2.0","method":"exit"}"#];
    to_server.write_all(&framed(&end)).expect("the server listens");
    assert_eq!(server.join().expect("no panic"), isac_lsp::End::Orderly);
}

/// Keys that are sent without waiting for anything.
const KEYS: usize = 500;

#[test]
fn trees_that_are_kept_are_those_of_the_text() {
    // The same text under another name of the file, and another text under the same one.
    let mut parsed = ParsedFiles::default();
    for text in ["CONSTANT A = 1;", "CONSTANT B = 1;", "CONSTANT A = 1;", "CONSTANT A = "] {
        let loader = isac_parser::source::InMemory::new([("a.isac", text)]);
        let read = |parsed: &mut ParsedFiles| {
            let mut sources = isac_parser::source::SourceMap::new();
            let none = std::collections::BTreeMap::new();
            let reading = isac_parser::read_model(Path::new("a.isac"), &loader, &none, parsed, &mut sources);
            (reading.files.clone(), reading.findings(&sources))
        };
        let fresh = read(&mut ParsedFiles::default());
        assert_eq!(read(&mut parsed), fresh);
        assert_eq!(read(&mut parsed), fresh);
    }
}
