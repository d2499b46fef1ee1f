//! Random sessions of an editor: messages that make sense, and such that make none.

use serde_json::{Value, json};

/// A description whose text changes.
const TEXT: &str = r#"// ä𝄞
CONSTANT W = 8;
RESOURCE {
    PC REGISTER bit[8] pc;
    REGISTER bit[W] acc;
    RAM bit[8] ram { SIZE (256); FLAGS (R, W, X); };
    MEMORY_MAP map { RANGE (0x00, 0xff) -> ram; };
};
GROUP instr = add, stop;
OPERATION main { INSTANCE instr ALIAS { i }; CODINGROOT { i (map[pc]); }; BEHAVIOR { pc = pc + 1; }; };
OPERATION add { ASSEMBLER { "add" value=#U }; CODING { 0b00 value=0bx[6] }; BEHAVIOR { acc = acc + value; }; };
OPERATION stop { ASSEMBLER { "stop" }; CODING { 0b11xxxxxx }; BEHAVIOR { halt(0); }; };
"#;

const METHODS: [&str; 22] = [
    "initialize",
    "initialized",
    "shutdown",
    "exit",
    "$/cancelRequest",
    "textDocument/didOpen",
    "textDocument/didChange",
    "textDocument/didSave",
    "textDocument/didClose",
    "textDocument/definition",
    "textDocument/references",
    "textDocument/documentHighlight",
    "textDocument/hover",
    "textDocument/completion",
    "textDocument/documentSymbol",
    "textDocument/semanticTokens/full",
    "textDocument/formatting",
    "textDocument/prepareRename",
    "textDocument/rename",
    "textDocument/codeLens",
    "textDocument/inlayHint",
    "workspace/didChangeConfiguration",
];

const URIS: [&str; 6] = [
    "file:///nowhere/a.isac",
    "file:///nowhere/b.isac",
    "untitled:a",
    "file:///a%ff",
    "",
    "file:///nowhere/%20ä.isac",
];

/// Pieces that are typed.
const PIECES: [&str; 14] = [
    "{",
    "}",
    ";",
    " acc",
    "add",
    "OPERATION x { ",
    "\n",
    "\"",
    "/*",
    "𝄞",
    "INCLUDE \"b.isac\";",
    "0b1x",
    ".",
    "#",
];

/// The bytes that an editor sends in a session.
pub(crate) fn session(random: &mut dyn FnMut() -> u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut add = |text: &str| bytes.extend(format!("Content-Length: {}\r\n\r\n{text}", text.len()).bytes());
    let begins = !random().is_multiple_of(8);
    if begins {
        add(r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"capabilities":{}}}"#);
        let document = json!({ "uri": URIS[0], "languageId": "isac", "version": 1, "text": TEXT });
        add(&json!({ "jsonrpc": "2.0", "method": "textDocument/didOpen", "params": { "textDocument": document } }).to_string());
    }
    for id in 1..=random() % 30 {
        let mut text = message(id, random).to_string();
        if random().is_multiple_of(12) {
            text = mutated(&text, random);
        }
        add(&text);
    }
    if random().is_multiple_of(10) && !bytes.is_empty() {
        let at = random() as usize % bytes.len();
        bytes[at] = random() as u8;
    }
    if random().is_multiple_of(2) {
        bytes.extend(b"Content-Length: 44\r\n\r\n{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"shutdown\"}");
        bytes.extend(b"Content-Length: 33\r\n\r\n{\"jsonrpc\":\"2.0\",\"method\":\"exit\"}");
    }
    bytes
}

fn message(id: u64, random: &mut dyn FnMut() -> u64) -> Value {
    // An end of the session is rare, changes are frequent.
    let method = match random() % 10 {
        0..4 => "textDocument/didChange",
        _ => METHODS[random() as usize % METHODS.len()],
    };
    let ends = matches!(method, "exit" | "shutdown");
    let method = if ends && !random().is_multiple_of(4) { "textDocument/hover" } else { method };
    let mut message = json!({ "jsonrpc": "2.0", "method": method, "params": params(id, random) });
    if !method.contains("/did") && method != "initialized" && method != "exit" && !random().is_multiple_of(30)
    {
        message["id"] = if random().is_multiple_of(20) { Value::Null } else { json!(id) };
    }
    message
}

fn params(id: u64, random: &mut dyn FnMut() -> u64) -> Value {
    let uri = if random().is_multiple_of(4) { URIS[random() as usize % URIS.len()] } else { URIS[0] };
    let change = |random: &mut dyn FnMut() -> u64| match random() % 10 {
        0 => json!({ "text": TEXT }),
        _ => json!({ "range": range(random), "text": PIECES[random() as usize % PIECES.len()] }),
    };
    let changes: Vec<Value> = (0..=random() % 3).map(|_| change(random)).collect();
    json!({
        "id": id.saturating_sub(random() % 3),
        "capabilities": {},
        "textDocument": { "uri": uri, "languageId": "isac", "version": id, "text": TEXT },
        "position": position(random),
        "range": range(random),
        "contentChanges": changes,
        "newName": PIECES[random() as usize % PIECES.len()],
        "context": { "includeDeclaration": random().is_multiple_of(2) },
        "options": { "tabSize": 4, "insertSpaces": true },
        "settings": { "isac": { "define": { "W": random() % 300 } } },
    })
}

fn range(random: &mut dyn FnMut() -> u64) -> Value {
    json!({ "start": position(random), "end": position(random) })
}

fn position(random: &mut dyn FnMut() -> u64) -> Value {
    let far = random().is_multiple_of(40);
    let line = if far { random() as u32 } else { (random() % 14) as u32 };
    let character = if far { random() as u32 } else { (random() % 100) as u32 };
    json!({ "line": line, "character": character })
}

/// The text with something in it that does not belong there.
fn mutated(text: &str, random: &mut dyn FnMut() -> u64) -> String {
    let at = text.floor_char_boundary(random() as usize % (text.len() + 1));
    let (before, after) = text.split_at(at);
    match random() % 4 {
        0 => before.to_owned(),
        1 => format!("{before}{after}{after}"),
        2 => format!("{before}[[{after}"),
        _ => after.to_owned(),
    }
}

/// What the server answers a session; panics if it has a bug that it hides from the editor.
pub(crate) fn answer(bytes: Vec<u8>) -> Vec<Value> {
    let mut output = Vec::new();
    isac_lsp::serve(std::io::Cursor::new(bytes), &mut output, std::sync::Arc::new(isac_lsp::NoServices))
        .expect("memory can be written");
    let answers = parse(&output);
    for answer in &answers {
        assert_ne!(answer["error"]["code"], -32603, "{answer}");
    }
    answers
}

/// The messages of a stream that is right.
fn parse(mut bytes: &[u8]) -> Vec<Value> {
    let mut messages = Vec::new();
    while !bytes.is_empty() {
        let end = bytes.windows(4).position(|window| window == b"\r\n\r\n").expect("a header ends");
        let header = std::str::from_utf8(&bytes[..end]).expect("a header is text");
        let length: usize =
            header.strip_prefix("Content-Length: ").expect("a length").parse().expect("a number");
        let (body, rest) = bytes[end + 4..].split_at(length);
        messages.push(serde_json::from_slice(body).expect("an answer is JSON"));
        bytes = rest;
    }
    messages
}
