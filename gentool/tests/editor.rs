//! `gentool lsp` in Neovim: what somebody does who writes a description.
//!
//! Where Neovim is missing, the test says so and compares nothing.

use std::fs;
use std::process::{Command, Stdio};

const MAIN: &str = r#"// A processor of two instructions.
INCLUDE "part.isac";
RESOURCE {
    PC REGISTER bit[8] pc;
    REGISTER bit[8] acc;
    RAM bit[8] ram { SIZE (256); FLAGS (R, W, X); };
    MEMORY_MAP map { RANGE (0x00, 0xff) -> ram; };
};
GROUP instr = add, stop;
OPERATION main { INSTANCE instr ALIAS { i }; CODINGROOT { i (map[pc]); }; BEHAVIOR { pc = pc + 1; }; };
"#;

const PART: &str = r#"OPERATION add {
    ASSEMBLER { "add" value=#U };
    CODING { 0b00 value=0bx[6] };


    BEHAVIOR { acc = acc + value; };
};
OPERATION stop { ASSEMBLER { "stop" }; CODING { 0b11xxxxxx }; BEHAVIOR { halt(0); }; };
CONSTANT EXAMPLE = 0x05;
"#;

const SEEN: &str = r#"opened: 0 findings
broken: 6:16 E0201 undefined name `accu`: not defined
mended
hover: CODING of 8 bits, 2 of them fixed
hover: runs in the cycle of its instruction
decode: as 8 bits of code at address 0: `add 5`
coverage: line 1 executed 3 times
coverage: line 8 executed once
definition: cpu.isac REGISTER bit[8] acc;
renamed: 0 findings
OPERATION plus {
    // An addition.
    ASSEMBLER { "add" value=#U };
    CODING { 0b00 value=0bx[6] };

    BEHAVIOR { acc = acc + value; };
};
OPERATION stop { ASSEMBLER { "stop" }; CODING { 0b11xxxxxx }; BEHAVIOR { halt(0); }; };
CONSTANT EXAMPLE = 0x05;
"#;

fn gentool() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gentool"));
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

#[test]
fn a_description_is_written_in_neovim() {
    let found = Command::new("nvim").arg("--version").output();
    if !found.is_ok_and(|output| output.status.success()) {
        eprintln!("no description is written in Neovim: no nvim");
        return;
    }
    let scratch = tempfile::tempdir().expect("a folder");
    let folder = scratch.path().canonicalize().expect("a path");
    fs::write(folder.join("cpu.isac"), MAIN).expect("it is written");
    fs::write(folder.join("part.isac"), PART).expect("it is written");
    fs::write(folder.join("program.bin"), [1, 2, 3, 0xc0]).expect("it is written");
    let mut run = gentool();
    run.current_dir(&folder).args(["run", "cpu.isac", "program.bin", "--engine", "reference"]);
    let output = run.args(["--profile", "run.profile"]).output().expect("gentool runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/editor/session.lua");
    let output = Command::new("nvim")
        .args(["--headless", "-u", "NONE", "-i", "NONE", "-n", "-c", &format!("luafile {script}")])
        .current_dir(&folder)
        .env("FOLDER", &folder)
        .env("GENTOOL", env!("CARGO_BIN_EXE_gentool"))
        // Where Neovim keeps what it remembers.
        .env("XDG_STATE_HOME", &folder)
        .env("XDG_DATA_HOME", &folder)
        .env("XDG_CACHE_HOME", &folder)
        .env("XDG_CONFIG_HOME", &folder)
        .stdin(Stdio::null())
        .output()
        .expect("nvim runs");
    let seen = fs::read_to_string(folder.join("seen")).unwrap_or_default();
    assert_eq!(seen, SEEN, "{}", String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success());
    // What was saved is sound.
    let mut check = gentool();
    let output = check.current_dir(&folder).args(["check", "cpu.isac"]).output().expect("gentool runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut layout = gentool();
    let output =
        layout.current_dir(&folder).args(["fmt", "--check", "part.isac"]).output().expect("gentool runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}
