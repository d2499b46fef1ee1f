//! Comparing and checking profiles by the functions and lines of the program.

use std::fs;
use std::path::Path;
use std::process::Command;

use sim_profile::program::{ImageFile, Program};
use sim_profile::{CodeCells, read_profile};

use super::bench::{Bench, has};

#[test]
fn a_program_that_was_changed_is_compared_by_function_and_line() {
    if !has(&["riscv64-unknown-elf-gcc"]) {
        return;
    }
    let bench = Bench::new("ways");
    bench.simulate();
    for file in ["guest.elf", "guest.profile"] {
        fs::rename(bench.folder.path().join(file), bench.folder.path().join(format!("old-{file}")))
            .expect("renamed");
    }
    let source = fs::read_to_string(&bench.source).expect("a text");
    fs::write(&bench.source, source.replace("is_even(7)", "is_even(9)")).expect("written");
    bench.simulate();
    let compared =
        bench.gentool("diff old-guest.profile guest.profile --image old-guest.elf --image-after guest.elf");
    let has_row = |name: &str| compared.lines().any(|line| line.ends_with(&format!("  {name}")));
    assert!(has_row("is_even") && has_row("is_odd"), "{compared}");
    assert!(!has_row("fib") && !has_row("deep"), "{compared}");
}

/// What the verifier says of a profile in which one jump was made once more.
#[test]
fn a_finding_names_function_and_line() {
    if !has(&["riscv64-unknown-elf-gcc"]) {
        return;
    }
    let bench = Bench::new("loops");
    bench.simulate();
    let verify = |file: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_gentool"));
        command.args(["verify", file, "--image", "guest.elf"]).current_dir(bench.folder.path());
        let output = command.output().expect("gentool runs");
        (output.status.code(), String::from_utf8(output.stdout).expect("a text"))
    };
    let (status, sound) = verify("guest.profile");
    assert_eq!(status, Some(0), "{sound}");
    assert!(sound.contains("  main: consistent"), "{sound}");
    let path = bench.folder.path().join("guest.profile");
    let mut profile = read_profile(&fs::read(&path).expect("the profile")[..]).expect("a profile");
    let bytes = fs::read(bench.folder.path().join("guest.elf")).expect("the guest");
    let program =
        Program::read(&[ImageFile { name: "guest.elf", bytes: &bytes, base: None }], CodeCells::default());
    let in_main = |address: u64| program.function(program.function_at(address)).name == "main";
    let transfers = &mut profile.measurement.transfers;
    let jump = transfers.iter_mut().find(|((from, to), _)| in_main(*from) && in_main(*to));
    *jump.expect("main has a jump").1 += 1000;
    let mut changed = Vec::new();
    sim_profile::write_profile(&mut changed, &profile).expect("written");
    fs::write(bench.folder.path().join("changed.profile"), changed).expect("written");
    let (status, found) = verify("changed.profile");
    assert_eq!(status, Some(125), "{found}");
    let word = found.split("  main: ").nth(1).expect("a word on main");
    assert!(word.starts_with("inconsistent\n"), "{found}");
    let told = word.lines().nth(1).expect("a finding");
    assert!(told.trim_start().contains("loops.c:") && told.contains("control came to the block"), "{found}");
}

/// With the description, the graph of a function has the blocks that never ran.
#[test]
fn code_that_never_ran_is_in_the_flow_graph() {
    if !has(&["riscv64-unknown-elf-gcc"]) {
        return;
    }
    let bench = Bench::new("machine");
    bench.simulate();
    let model = Path::new(env!("CARGO_MANIFEST_DIR")).join("../models/rv32im/rv32im.isac");
    let estimates = |more: &str| {
        let report =
            bench.gentool(&format!("report guest.profile --image guest.elf --format estimates {more}"));
        let all = report.lines().find(|line| line.ends_with("  all")).expect("a sum").to_owned();
        let numbers: Vec<u64> = all.split_whitespace().filter_map(|word| word.parse().ok()).collect();
        (numbers[0], numbers[1])
    };
    let ((blocks, edges), (all_blocks, all_edges)) =
        (estimates(""), estimates(&format!("--model {}", model.display())));
    assert!(all_blocks >= blocks && all_edges > edges, "{blocks} {edges} {all_blocks} {all_edges}");
    let verified =
        bench.gentool(&format!("verify guest.profile --image guest.elf --model {}", model.display()));
    assert!(verified.ends_with("\nconsistent\n"), "{verified}");
}
