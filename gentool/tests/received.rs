//! What a program receives by the serial line of the AVR: every byte, 0xff as any other, and whether
//! there is one.

use std::io::Write as _;
use std::process::{Command, Stdio};

use tempfile::TempDir;

const BIN: &str = env!("CARGO_BIN_EXE_gentool");
const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// The status of a program of `received` with this input on an engine.
fn status(folder: &TempDir, model: &str, source: &str, engine: &str, input: &[u8]) -> Option<i32> {
    let model = format!("{ROOT}/models/{model}/{model}.isac");
    let program = folder.path().join("program.elf");
    let source = format!("{ROOT}/gentool/tests/received/{source}.s");
    let assembled = Command::new(BIN).args(["asm", &model, &source, "-o"]).arg(&program).status();
    assert!(assembled.expect("gentool runs").success());
    let mut command = Command::new(BIN);
    command.args(["run", &model]).arg(&program).args(["--engine", engine]).stdin(Stdio::piped());
    let mut child = command.spawn().expect("gentool runs");
    child.stdin.take().expect("a pipe").write_all(input).expect("a few bytes");
    child.wait().expect("it ends").code()
}

#[test]
fn every_byte_arrives_and_its_absence_is_told() {
    let folder = tempfile::tempdir().expect("a folder");
    for engine in ["reference", "translated"] {
        for (input, sum) in [(&b""[..], 0), (b"\xff", 255), (b"A", 65), (b"\xffA", 64), (b"\x00\xff", 255)] {
            // A status has eight bits.
            let found = status(&folder, "avr", "avr", engine, input);
            assert_eq!(found, Some(sum), "{engine}, {input:x?}");
        }
    }
}
