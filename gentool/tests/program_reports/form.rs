//! The forms of reports, and other tools that read them.

use std::fs;

use super::bench::{Bench, PROGRAMS, RV32IM, has};

#[test]
fn every_form_of_report_can_be_made() {
    if !has(&["riscv64-unknown-elf-gcc"]) {
        return;
    }
    let bench = Bench::new("tree");
    bench.simulate();
    for (format, expected) in [
        ("disassembly", "insert:"),
        ("dot", "label=\"gcd"),
        ("folded", "_start;main;insert "),
        ("gprof", "insert [3]"),
        ("oprofile", "guest.elf"),
        ("source", "static int gcd(int a, int b) {"),
        ("top", "memory accesses"),
    ] {
        let report = bench.report(format);
        assert!(report.contains(expected), "{format}: {report}");
    }
    let output =
        bench.command(env!("CARGO_BIN_EXE_gentool"), "report guest.profile --image guest.elf --format pprof");
    assert!(output.stdout.windows(3).any(|bytes| bytes == b"gcd"));
}

/// Sources that are gone, and a file that was loaded elsewhere than is said.
#[test]
fn what_the_report_lacks_is_said_at_its_end() {
    if !has(&[RV32IM.compiler]) {
        return;
    }
    let bench = Bench::new("loops");
    bench.simulate();
    assert!(!bench.report("source").contains("\nnote: "), "{}", bench.report("source"));
    fs::remove_file(&bench.source).expect("removed");
    let gone = bench.report("source --sources /");
    let name = bench.source.display();
    let note = format!(
        "\nnote: {name}: this source cannot be read, and is shown by the lines that have code; where they stand \
         elsewhere, name the folder that their names begin at by --sources DIR\n"
    );
    assert!(gone.ends_with(&note), "{gone}");
    let idle =
        bench.gentool("report guest.profile --image guest.elf --image guest.elf@0x1000000 --format top");
    let note = "note: guest.elf: nothing ran in it, where it stands at 0x1000000; name the address that it was \
                loaded at\n";
    assert!(idle.contains(note), "{idle}");
}

#[test]
fn debug_information_may_be_compressed() {
    let objcopy = "riscv64-unknown-elf-objcopy";
    if !has(&[RV32IM.compiler, objcopy]) {
        return;
    }
    let bench = Bench::new("loops");
    bench.simulate();
    let lines = bench.report("lcov");
    assert!(lines.contains("\nDA:"), "{lines}");
    bench.command(objcopy, "--compress-debug-sections=zlib guest.elf");
    bench.run_guest(RV32IM);
    assert_eq!(bench.report("lcov"), lines);
    // One that claims to be larger than anything.
    let path = bench.folder.path().join("guest.elf");
    let mut file = fs::read(&path).expect("the program");
    let zlib = 1u32.to_le_bytes();
    let headers: Vec<usize> = (0..file.len() - 14)
        .filter(|at| file[*at..*at + 4] == zlib && file[at + 12] == 0x78 && file[at + 8..at + 12] == zlib)
        .collect();
    assert!(!headers.is_empty(), "a section has a header of compression");
    headers.iter().for_each(|at| file[at + 4..at + 8].fill(0xff));
    fs::write(&path, file).expect("written");
    bench.run_guest(RV32IM);
    let notes = bench.gentool("report guest.profile --image guest.elf --format top");
    assert!(notes.contains("is damaged, or too large, and left out"), "{notes}");
}

/// A source below the folder that `--sources` names is found from it.
#[test]
fn names_for_cobertura_begin_at_the_folder_of_the_sources() {
    if !has(&[RV32IM.compiler]) {
        return;
    }
    let bench = Bench::new("loops");
    bench.simulate();
    let folder = bench.folder.path().display().to_string();
    let with = bench.report(&format!(
        "cobertura --sources {folder}/../{}",
        bench.folder.path().file_name().unwrap().display()
    ));
    assert!(with.contains(&format!("<source>{folder}</source>")), "{with}");
    assert!(
        with.contains("filename=\"loops.c\"") && !with.contains(&format!("filename=\"{folder}")),
        "{with}"
    );
    let without = bench.report("cobertura");
    assert!(without.contains(&format!("filename=\"{folder}/loops.c\"")), "{without}");
}

#[test]
fn genhtml_reads_the_tracefile() {
    if !has(&["riscv64-unknown-elf-gcc", "genhtml"]) {
        return;
    }
    for name in PROGRAMS {
        let bench = Bench::new(name);
        bench.simulate();
        let info = bench.report("lcov");
        fs::write(bench.folder.path().join("guest.info"), info).expect("written");
        let output = bench.command("genhtml", "--branch-coverage guest.info -o html");
        let printed = String::from_utf8_lossy(&output.stdout);
        for kind in ["lines......: ", "functions..: ", "branches...: "] {
            let share = printed.split_once(kind).expect("a rate").1;
            let percent: f64 = share.split('%').next().and_then(|n| n.parse().ok()).expect("a percentage");
            assert!(percent > 40.0, "{name}: {printed}");
        }
        assert!(output.status.success(), "{printed}");
    }
}
