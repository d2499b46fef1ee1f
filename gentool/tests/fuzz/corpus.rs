//! What mutants are made of: all descriptions of the repository.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// The descriptions by path from the repository's root.
pub(crate) fn read_corpus() -> BTreeMap<PathBuf, Vec<u8>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut corpus = BTreeMap::new();
    for folder in ["models", "tests", "isac-parser/tests", "isac-parser/src/explanation"] {
        read_folder(&root, Path::new(folder), "isac", &mut corpus);
    }
    assert!(corpus.len() > 100, "the descriptions are found");
    corpus
}

/// Programs in assembler by path from the repository's root, each beside a description that has its
/// instructions.
pub(crate) fn read_programs() -> BTreeMap<PathBuf, (PathBuf, Vec<u8>)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut programs = BTreeMap::new();
    for name in ["tiny8", "rv32im", "timing-demo"] {
        let mut texts = BTreeMap::new();
        let folder = Path::new("models").join(name);
        read_folder(&root, &folder.join("programs"), "s", &mut texts);
        let model = folder.join(format!("{name}.isac"));
        programs.extend(texts.into_iter().map(|(path, text)| (path, (model.clone(), text))));
    }
    // What every directive looks like.
    let path = PathBuf::from("models/rv32imc/programs/directives.s");
    let model = PathBuf::from("models/rv32imc/rv32imc.isac");
    programs.insert(path, (model, DIRECTIVES.as_bytes().to_vec()));
    programs
}

/// A program with every directive, local labels, PSEUDOs and instructions of two lengths.
const DIRECTIVES: &str = "
        .equ SIZE, 3 * (4 + 1)
        .set FURTHER, SIZE << 2
        .global _start
        .text
_start: li a0, 0x12345678
1:      addi a0, a0, -1
        bnez a0, 1b
        j 2f
        .align 4
2:      la t0, table
        lw t1, 4(t0)
        beq t1, zero, far
        c.addi a0, 1
        .space 300
far:    call subroutine
        ecall
subroutine:
        ret
        .section .rodata
table:  .byte 1, 2, 'c', -1
        .half 0x1234, table & 0xffff
        .word _start, table + 4, .
        .quad 0x123456789abcdef0
        .ascii \"a\\n\"
        .asciz \"bc\"
        .data
        .word SIZE, FURTHER
        .bss
buffer: .space SIZE
        .section .late
        .org 0x80001000
        .byte 1
";

fn read_folder(root: &Path, folder: &Path, ending: &str, corpus: &mut BTreeMap<PathBuf, Vec<u8>>) {
    for entry in fs::read_dir(root.join(folder)).expect("a folder can be read") {
        let entry = entry.expect("an entry");
        let path = folder.join(entry.file_name());
        if entry.path().is_dir() {
            read_folder(root, &path, ending, corpus);
        } else if path.extension().is_some_and(|extension| extension == ending) {
            corpus.insert(path, fs::read(entry.path()).expect("a description can be read"));
        }
    }
}
