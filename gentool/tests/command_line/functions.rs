//! What is said of the functions that a run knew, and of files that are taken for what was run.

use std::fmt::Write as _;
use std::fs;

use super::bench::{Bench, RV32IM, check, check_text, reference, status};

/// Calls `app` where that stands, and ends.
const ROM: &str = "        .global _start
_start: li      t1, 0x20000
        jalr    ra, 0(t1)
        j       finish
finish: li      a7, 93
        ecall
";

/// Two functions, of which one jumps to the other.
const APP: &str = "        .text
        .global app
app:    addi    a0, zero, 3
        j       inner
        .global inner
inner:  addi    a0, a0, 4
        ret
";

/// Both programs as ELF files, the application as it is in memory, too, and another one in its place.
fn bench() -> Bench {
    let other = APP.replace("a0, a0, 4", "a0, a0, 5");
    let bench = Bench::new().with("rom.s", ROM).with("app.s", APP).with("other.s", other);
    for line in [
        "asm models/rv32im/rv32im.isac @rom.s -o @rom.elf --base 0x10000",
        "asm models/rv32im/rv32im.isac @rom.s -o @rom.bin --base 0x10000 --format raw",
        "asm models/rv32im/rv32im.isac @app.s -o @app.elf --base 0x20000",
        "asm models/rv32im/rv32im.isac @app.s -o @app.bin --base 0x20000 --format raw",
        "asm models/rv32im/rv32im.isac @app.s -o @app0.elf --base 0",
        "asm models/rv32im/rv32im.isac @other.s -o @other.elf --base 0x20000",
    ] {
        let output = bench.run(line);
        assert_eq!(status(&output), 0, "{line}: {}", String::from_utf8_lossy(&output.stderr));
    }
    bench
}

/// One program of both, as it is in memory.
fn joined(bench: Bench) -> Bench {
    let mut both = fs::read(bench.path("rom.bin")).expect("it is there");
    both.resize(0x10000, 0);
    both.extend(fs::read(bench.path("app.bin")).expect("it is there"));
    bench.with("both.bin", both)
}

const BOTH: &str = "--raw=0x10000 --pc 0x10000 --calls";

/// What is said of lines, and no more of the reports than calls of functions.
fn check_told(name: &str, bench: &Bench, lines: &[String]) {
    let is_told = |line: &&str| {
        let begins = [
            "$ ",
            "---",
            "note:",
            "warning:",
            "error:",
            "{\"call\"",
            "{\"known",
            "inconsistent",
            "consistent",
        ];
        begins.iter().any(|begins| line.starts_with(begins))
    };
    let told = lines.iter().map(|line| {
        let transcript = bench.transcript(line);
        transcript.lines().filter(is_told).fold(String::new(), |mut text, line| {
            let _ = writeln!(text, "{line}");
            text
        })
    });
    check_text(name, &told.collect::<Vec<_>>().join("\n"));
}

#[test]
fn functions_that_a_run_did_not_know_are_told() {
    let bench = joined(bench());
    let images = "--image @rom.elf --image @app.elf";
    let lines = [
        reference(RV32IM, "@both.bin", &format!("{BOTH} --profile @known {images}")),
        reference(RV32IM, "@both.bin", &format!("{BOTH} --profile @unknown")),
        reference(RV32IM, "@both.bin", &format!("{BOTH} --profile @half --image @rom.elf")),
        format!("report @known {images} --format gprof"),
        format!("report @unknown {images} --format gprof"),
        format!("report @half {images} --format lcov"),
        "report @unknown --format text".to_owned(),
        format!("report @known @unknown {images} --format gprof"),
        "merge @known @half -o @both".to_owned(),
        "merge @known @known -o @both".to_owned(),
        format!("verify @known {images}"),
        format!("verify @unknown {images}"),
        format!("diff @known @unknown {images}"),
    ];
    check_told("unknown_functions", &bench, &lines);
    let tails = |name: &str| bench.text(name).matches("\"kind\":\"tail\"").count();
    assert_eq!((tails("known"), tails("unknown")), (1, 0));
    let page = format!("report @unknown {images} --html @page.html");
    assert_eq!(status(&bench.run(&page)), 0);
    assert!(
        bench.text("page.html").contains("app.elf: its functions were not known when calls were followed")
    );
    // A profile of an older gentool does not tell, and neither does a report of it.
    let older = bench.text("unknown").replace("{\"known_functions\":[]}\n", "");
    let entries = older.lines().count();
    let bench = bench.with(
        "older",
        older.replace(&format!("{{\"end\":{}}}", entries - 2), &format!("{{\"end\":{}}}", entries - 3)),
    );
    check_told("unknown_functions_of_old", &bench, &[format!("report @older {images} --format gprof")]);
}

#[test]
fn every_engine_tells_the_functions_that_it_knew() {
    let bench = joined(bench());
    let known = |engine: &str| {
        let options = format!("{BOTH} --profile @profile --image @rom.elf --image @app.elf");
        let output = bench.run(&format!("run {RV32IM} @both.bin --engine {engine} {options}"));
        assert_eq!(status(&output), 7, "{engine}: {}", String::from_utf8_lossy(&output.stderr));
        let profile = bench.text("profile");
        profile
            .lines()
            .filter(|line| line.starts_with("{\"known_functions\":"))
            .map(ToOwned::to_owned)
            .collect::<Vec<_>>()
    };
    let reference = known("reference");
    assert_eq!(reference.len(), 1);
    assert_eq!(reference[0].matches(',').count(), 1, "two files: {}", reference[0]);
    assert_eq!(known("translated"), reference);
}

#[test]
fn a_file_that_is_not_what_runs_is_told() {
    let bench = joined(bench()).with("text", "no program\n");
    let run = |options: &str| reference(RV32IM, "@both.bin", &format!("{BOTH} --profile @profile {options}"));
    let lines = [
        run("--image @rom.elf --image @app.elf"),
        run("--image @rom.elf --image @app0.elf@0x20000"),
        run("--image @other.elf"),
        run("--image @app.elf@0x4"),
        run("--image @app0.elf"),
        run("--image @text"),
        run("--image @text@0x30000"),
        run("--image models/mips32/programs/crc32.elf"),
        run("--image models/rv64imac/programs/crc32.elf"),
        run("--image @rom.elf@0xfffffffffffffff0"),
    ];
    check("image_of_other_code", &bench, &lines.iter().map(String::as_str).collect::<Vec<_>>());
}

#[test]
fn what_a_program_loads_itself_is_compared_at_the_end() {
    let bench = bench();
    let app = fs::read(bench.path("app.bin")).expect("it is there");
    let mut boot = format!(
        "        .global _start
_start: la      t0, image
        li      t1, 0x20000
        li      t2, {}
again:  lw      t3, 0(t0)
        sw      t3, 0(t1)
        addi    t0, t0, 4
        addi    t1, t1, 4
        addi    t2, t2, -1
        bnez    t2, again
        li      t1, 0x20000
        jalr    ra, 0(t1)
        li      a7, 93
        ecall
image:
",
        app.len() / 4
    );
    for word in app.chunks_exact(4) {
        let word = u32::from_le_bytes(word.try_into().expect("four bytes"));
        let _ = writeln!(boot, "        .word   {word:#x}");
    }
    let bench = bench.with("boot.s", boot);
    assert_eq!(status(&bench.run("asm models/rv32im/rv32im.isac @boot.s -o @boot.elf")), 0);
    let run =
        |options: &str| reference(RV32IM, "@boot.elf", &format!("--calls --profile @profile {options}"));
    let lines =
        [run("--image @app.elf"), run("--image @other.elf"), run("--image @app.elf --limit-instructions 4")];
    check("image_loaded_later", &bench, &lines.iter().map(String::as_str).collect::<Vec<_>>());
}

#[test]
fn several_files_may_be_what_one_program_was_made_of() {
    let bench = joined(bench());
    assert_eq!(status(&bench.run(&reference(RV32IM, "@both.bin", &format!("{BOTH} --profile @run")))), 7);
    let run = "--profile @rom --raw=0x10000 --pc 0x10000 --limit-instructions 2";
    assert_eq!(status(&bench.run(&reference(RV32IM, "@rom.bin", run))), 124);
    let lines = [
        "report @run --image @rom.elf --image @app.elf --format oprofile",
        "report @run --image @app0.elf@0x20000 --image @rom.elf --format oprofile",
        "report @run --image @both.bin@0x10000 --image @rom.elf --image @app.elf --format oprofile",
        "report @run --image @rom.elf --image @other.elf --format oprofile",
        "report @run --image @rom.elf --format oprofile",
        "report @rom --image @rom.elf@0x40 --image @app.elf --format oprofile",
        "report @rom --image @rom.bin --format oprofile",
    ];
    check("images_of_one_program", &bench, &lines);
}

#[test]
fn no_report_takes_the_place_of_a_source() {
    let bench = bench();
    assert_eq!(
        status(&bench.run(&reference(RV32IM, "@rom.elf", "--profile @run --limit-instructions 2"))),
        124
    );
    let folder = bench.path("");
    let sources = folder.display();
    let lines = [
        "report @run --image @rom.elf --format source -o @rom.s".to_owned(),
        "report @run --image @rom.elf --format lcov -o @rom.s".to_owned(),
        "report @run --image @rom.elf --html @rom.s".to_owned(),
        reference(RV32IM, "@rom.elf", "--html @rom.s --limit-instructions 2"),
    ];
    let told: Vec<String> = lines
        .iter()
        .map(|line| {
            let output = bench.run(line);
            assert_eq!(status(&output), 125, "{line}");
            assert!(output.stdout.is_empty(), "{line}");
            String::from_utf8_lossy(&output.stderr).replace(&sources.to_string(), "@")
        })
        .collect();
    assert!(told.iter().all(|told| told.contains("a source of the program; name another file")), "{told:?}");
    assert_eq!(bench.text("rom.s"), ROM);
}

#[test]
fn a_report_is_no_program() {
    let bench = bench();
    assert_eq!(
        status(&bench.run(&reference(RV32IM, "@rom.elf", "--profile @run --limit-instructions 2"))),
        124
    );
    assert_eq!(status(&bench.run("report @run --format xml -o @report")), 0);
    let lines = [
        reference(RV32IM, "@report", ""),
        reference(RV32IM, "@run", ""),
        "report @run --image @report --format top".to_owned(),
        "report @run --image @run --format top".to_owned(),
    ];
    check("report_as_program", &bench, &lines.iter().map(String::as_str).collect::<Vec<_>>());
}

/// Two sources without anything that both know: each has a function of one name.
#[test]
fn functions_of_one_name_are_told_apart() {
    let source = |first: &str, more: &str, last: &str| {
        format!("{first}: jal ra, helper\n j {last}\nhelper: addi a0, a0, 1\n{more} ret\n{last}: nop\n")
    };
    let end = " li a7, 93\n ecall\n";
    let bench = Bench::new()
        .with("a.s", source("begin", "", "behind"))
        .with("b.s", source("second", "", "finish") + end)
        .with("c/b.s", source("second", "nop\n nop\n", "finish") + end);
    for (program, sources) in [("before", "@a.s @b.s"), ("after", "@a.s @c/b.s")] {
        assert_eq!(status(&bench.run(&format!("asm {RV32IM} {sources} -o @{program}.elf"))), 0);
        let run = reference(RV32IM, &format!("@{program}.elf"), &format!("--calls --profile @{program}"));
        assert_eq!(status(&bench.run(&run)), 2);
    }
    let lines = [
        "diff @before @after --image @before.elf --image-after @after.elf",
        "verify @before --image @before.elf",
    ];
    // The programs have the path of the folder in them, and so another digest each time.
    let told = lines.map(|line| {
        let transcript = bench.transcript(line);
        let lines = transcript.lines().filter(|line| !line.starts_with("the programs differ: "));
        lines.map(|line| format!("{line}\n")).collect::<String>()
    });
    check_text("functions_of_one_name", &told.join("\n"));
}

#[test]
fn a_function_of_pprof_has_the_name_of_the_linker_too() {
    let bench = Bench::new().with("a.s", ".global _Z3foov\n_Z3foov: li a7, 93\n ecall\n");
    assert_eq!(status(&bench.run(&format!("asm {RV32IM} @a.s -o @a.elf"))), 0);
    for calls in ["", "--calls"] {
        assert_eq!(status(&bench.run(&reference(RV32IM, "@a.elf", &format!("--profile @p {calls}")))), 0);
        assert_eq!(status(&bench.run("report @p --image @a.elf --format pprof -o @pprof")), 0);
        let report = fs::read(bench.path("pprof")).expect("the report");
        let has = |text: &str| report.windows(text.len()).any(|window| window == text.as_bytes());
        assert!(has("foo()") && has("_Z3foov"), "{calls}");
    }
}

#[test]
fn cycles_of_no_instruction_are_told_where_no_row_has_them() {
    let program = "models/rv32im/programs/crc32.elf";
    let bench = Bench::new();
    let run = "run models/rv32im5/rv32im5.isac models/rv32im/programs/crc32.elf --engine reference";
    let run = format!("{run} --limit-instructions 20000 --profile @profile");
    assert_eq!(status(&bench.run(&run)), 124);
    let lines = ["disassembly", "source"]
        .map(|format| format!("report @profile --image {program} --format {format}"));
    check_told("cycles_of_no_instruction", &bench, &lines);
}
