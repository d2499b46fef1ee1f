//! Messages as they stand on a connection: a header with the length, then JSON.
//!
//! `lsp-server` ends a connection at the first message that makes no sense. Here such a message is an
//! answerable mistake, as long as the length of what follows is known.

use std::io::{self, BufRead};

use lsp_server::Message;
use serde_json::{Value, json};

/// Longer messages are skipped: no text of a description is that long.
const MOST_BYTES: u64 = 64 << 20;
/// Longer lines of a header, or more of them, are no header.
const MOST_HEADER_BYTES: u64 = 16 << 10;

/// What came next.
#[derive(Debug)]
pub(crate) enum Frame {
    /// A message.
    Message(Message),
    /// Something else, which is answered by this.
    Mistake(Value),
    /// Nothing more comes, or nothing that can be made sense of.
    End,
}

/// Reads what comes next.
///
/// # Errors
/// If the connection breaks.
pub(crate) fn read_frame(input: &mut dyn BufRead) -> io::Result<Frame> {
    let Some(length) = read_header(input)? else { return Ok(Frame::End) };
    if length > MOST_BYTES {
        let skipped = io::copy(&mut io::Read::take(&mut *input, length), &mut io::sink())?;
        let end = skipped < length;
        return Ok(if end { Frame::End } else { mistake(-32600, "the message is too long", Value::Null) });
    }
    let mut bytes = Vec::new();
    io::Read::read_to_end(&mut io::Read::take(&mut *input, length), &mut bytes)?;
    if (bytes.len() as u64) < length {
        return Ok(Frame::End);
    }
    let value: Value = match serde_json::from_slice(&bytes) {
        Ok(value) => value,
        Err(error) => return Ok(mistake(-32700, &format!("the message is no JSON: {error}"), Value::Null)),
    };
    // An answer needs the number of the request, if that can be read.
    let id = value.get("id").filter(|id| id.is_i64() || id.is_string()).cloned().unwrap_or(Value::Null);
    match serde_json::from_value(value) {
        Ok(message) => Ok(Frame::Message(message)),
        Err(_) => Ok(mistake(-32600, "neither a request nor an answer nor a notification", id)),
    }
}

/// The length that a header tells; `None` at the end, or if there is no length.
fn read_header(input: &mut dyn BufRead) -> io::Result<Option<u64>> {
    let mut length = None;
    let mut header = io::Read::take(input, MOST_HEADER_BYTES);
    loop {
        let mut line = Vec::new();
        header.read_until(b'\n', &mut line)?;
        if line.last() != Some(&b'\n') {
            return Ok(None);
        }
        let line = String::from_utf8_lossy(&line);
        let line = line.trim_end();
        if line.is_empty() {
            return Ok(length);
        }
        if let Some((name, value)) = line.split_once(':')
            && name.trim().eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse().ok();
        }
    }
}

fn mistake(code: i32, message: &str, id: Value) -> Frame {
    Frame::Mistake(json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": message } }))
}

/// Writes an answer that no type of `lsp-server` can hold: its request has no number.
///
/// # Errors
/// If the connection breaks.
pub(crate) fn write_value(output: &mut dyn io::Write, value: &Value) -> io::Result<()> {
    let text = value.to_string();
    write!(output, "Content-Length: {}\r\n\r\n{text}", text.len())?;
    output.flush()
}
