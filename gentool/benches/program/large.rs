//! Reports of a program of very many functions.

use std::fmt::Write as _;
use std::path::Path;

use super::reports::slowest_report;
use crate::{Target, gentool, repository, text};

/// Writes a program in which each function calls two others as long as there are any, runs it, and
/// makes all reports.
pub(crate) fn measure(scratch: &Path, functions: usize) -> Vec<Target> {
    let model = repository("models/rv32im/rv32im.isac");
    let [source, image, stored] = ["large.s", "large.elf", "large.profile"].map(|name| scratch.join(name));
    std::fs::write(&source, program(functions)).expect("the source is written");
    let assembled = gentool(&["asm", text(&model), text(&source), "-o", text(&image)]).status();
    assert!(assembled.expect("gentool runs").success(), "the program is assembled");
    let arguments =
        ["run", text(&model), text(&image), "--engine", "reference", "--calls", "--profile", text(&stored)];
    let status = gentool(&arguments).status().expect("gentool runs");
    assert!(status.success(), "the program runs: {status}");
    let (format, seconds) = slowest_report(&stored, &image, scratch);
    let name = format!("slowest report, {format}, of a program of {functions} functions, seconds");
    vec![Target { name, measured: seconds, at_most: 10.0 }]
}

/// Functions in the order of a walk through the tree of their calls: the first one called is the next.
fn program(functions: usize) -> String {
    let mut out = String::from(
        ".global _start\n_start:\n    li sp, 0x00ff0000\n    call f0\n    li a0, 0\n    li a7, 93\n    ecall\n",
    );
    write_tree(&mut out, 0, functions);
    out
}

fn write_tree(out: &mut String, first: usize, functions: usize) {
    let (left, right) = ((functions - 1).div_ceil(2), (functions - 1) / 2);
    let _ = write!(out, ".global f{first}\nf{first}:\n    addi sp, sp, -16\n    sw ra, 12(sp)\n");
    for (callee, size) in [(first + 1, left), (first + 1 + left, right)] {
        if size > 0 {
            let _ = write!(out, "    la t0, f{callee}\n    jalr ra, 0(t0)\n");
        }
    }
    let _ = write!(out, "    lw ra, 12(sp)\n    addi sp, sp, 16\n    ret\n");
    for (callee, size) in [(first + 1, left), (first + 1 + left, right)] {
        if size > 0 {
            write_tree(out, callee, size);
        }
    }
}
