//! The files that a run leaves: reports, events, states.

use std::fs;

use super::bench::{Bench, CACHED, TINY8, check, reference, root, status};

#[test]
fn a_result_that_cannot_be_written_is_refused_before_the_run() {
    let model = fs::read(root().join(TINY8)).expect("the model is there");
    let bench =
        Bench::new().with("program.bin", [0xbc]).with("model.isac", &model).with("events", "recorded");
    let hello = "models/tiny8/programs/hello.bin";
    let lines = [
        reference(TINY8, hello, "--report @missing/r.xml"),
        reference(TINY8, hello, "--report @"),
        reference(TINY8, hello, "--dump-state @missing/state"),
        reference(TINY8, hello, "--report @same --profile @same"),
        reference(TINY8, hello, "--events @missing/events"),
        reference(TINY8, hello, "--pipeline-trace @missing/trace"),
        reference(TINY8, hello, "--pipeline-trace @same --report @./same"),
        reference(TINY8, hello, "--events @same --report @./same"),
        reference(TINY8, "@program.bin", "--events @program.bin"),
        reference("@model.isac", "@program.bin", "--dump-state @model.isac"),
        "report --events @events --out @events".to_owned(),
        "report @events @nowhere -o @events".to_owned(),
    ];
    check("unwritable_results", &bench, &lines.iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!(bench.text("events"), "recorded");
    assert_eq!(bench.text("model.isac").as_bytes(), model);
    assert_eq!(fs::read(bench.path("program.bin")).expect("it is there"), [0xbc]);
    assert!(!bench.exists("same"));
}

#[test]
fn recorded_events_make_the_same_report() {
    let bench = Bench::new();
    let sum = "models/tiny8/programs/sum.bin";
    assert_eq!(status(&bench.run(&reference(TINY8, sum, "--events @events --report @direct.xml"))), 55);
    let output = bench.run("report --events @events --out @replayed.xml");
    assert_eq!(status(&output), 0, "{}", String::from_utf8_lossy(&output.stderr));
    // No event tells the text of an instruction.
    let direct = bench.text("direct.xml");
    let is_text = |line: &&str| line.trim_start().starts_with("<text>");
    assert_eq!(direct.lines().filter(is_text).count(), direct.matches("<size_cells>").count());
    let told: String = direct.lines().filter(|line| !is_text(line)).map(|line| format!("{line}\n")).collect();
    assert_eq!(told, bench.text("replayed.xml"));
    let printed = bench.run("report --events @events");
    assert_eq!(String::from_utf8_lossy(&printed.stdout), told);
}

#[test]
fn a_stored_profile_makes_the_same_report() {
    let bench = Bench::new();
    let sum = "models/tiny8/programs/sum.bin";
    assert_eq!(status(&bench.run(&reference(TINY8, sum, "--profile @stored --report @direct.xml"))), 55);
    assert_eq!(status(&bench.run("report @stored -o @later.xml")), 0);
    assert_eq!(bench.text("direct.xml"), bench.text("later.xml"));
    check("report_text", &bench, &["report @stored --format text", "report @stored @stored --format text"]);
}

#[test]
fn profiles_that_are_none_are_refused_with_the_line() {
    let bench = Bench::new().with("text", "no profile\n").with("empty", "");
    let line = reference(TINY8, "models/tiny8/programs/sum.bin", "--profile @whole");
    assert_eq!(status(&bench.run(&line)), 55);
    let whole = bench.text("whole");
    let bench = bench.with("cut", &whole[..whole.len() / 2]);
    check(
        "bad_profiles",
        &bench,
        &["report", "report @nowhere", "report @text", "report @empty", "report @cut", "report @whole @cut"],
    );
}

#[test]
fn events_that_are_none_are_refused_with_the_line() {
    let bench = Bench::new().with("text", "no events\n").with("empty", "");
    let line = reference(TINY8, "models/tiny8/programs/sum.bin", "--events @whole");
    assert_eq!(status(&bench.run(&line)), 55);
    let whole = bench.text("whole");
    let bench = bench.with("cut", &whole[..whole.len() / 2]);
    check(
        "bad_events",
        &bench,
        &[
            "report --events @nowhere",
            "report --events @text",
            "report --events @empty",
            "report --events @cut",
        ],
    );
}

/// A program of two reads: both are fetched from one line, and so is what they read.
#[test]
fn caches_are_simulated_where_the_run_asks_for_it() {
    let bench = Bench::new().with("program.bin", [1, 0x10, 1, 0x11, 10, 0]);
    let messages = |line: &str| {
        let output = bench.run(&format!("run {CACHED} @program.bin {line}"));
        assert_eq!(status(&output), 0);
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    let found = messages("--engine reference --caches --stats --report @caches.xml");
    let expected = [
        "3 instructions, 3 cycles, ",
        "icache: 1 hits, 2 misses, 0 lines written back",
        "dcache: 1 hits, 2 misses, 0 lines written back",
        "fcache: 0 hits, 0 misses, 0 lines written back",
    ];
    assert_eq!(found.lines().count(), expected.len(), "{found}");
    for (line, begin) in found.lines().zip(expected) {
        assert!(line.starts_with(begin), "{line}");
    }
    assert!(
        bench
            .text("caches.xml")
            .contains("<name>dcache</name>\n      <hits>1</hits>\n      <misses>2</misses>")
    );
    assert_eq!(messages("--engine reference --stats --profile @bare").lines().count(), 1);
    let counted = bench.run("counters @bare --event hits,instructions --region run");
    assert_eq!(
        String::from_utf8_lossy(&counted.stdout),
        "region  instructions\nrun                3\n\n1 counter, 1 pass\n"
    );
    let said = String::from_utf8_lossy(&counted.stderr).into_owned();
    assert_eq!(said, "note: run: no access to a cache was counted; measure the run with --caches\n");
    let (package, source) = ("generate @cached.isac --out @package", "package/src/main.rs");
    fs::copy(root().join(CACHED), bench.path("cached.isac")).expect("a file");
    assert_eq!(status(&bench.run(package)), 0);
    let choice = "        if options.caches {\n            return Ok(cached_simulator::engine_with_caches(options.wants_measurement()));";
    assert!(bench.text(source).contains(choice));
}

#[test]
fn runs_of_one_program_are_added_up_in_any_order() {
    let bench = Bench::new();
    let sum = "models/tiny8/programs/sum.bin";
    for (file, limit) in [("a", "10"), ("b", "20"), ("c", "30")] {
        let line = reference(TINY8, sum, &format!("--limit-instructions {limit} --profile @{file}"));
        assert_eq!(status(&bench.run(&line)), 124);
    }
    for line in [
        "merge @a @b -o @ab",
        "merge @ab @c -o @ab_c",
        "merge @c @b -o @cb",
        "merge @cb @a -o @cb_a",
        "merge @b @c @a -o @bca",
    ] {
        assert_eq!(status(&bench.run(line)), 0, "{line}");
    }
    assert_eq!(bench.text("ab_c"), bench.text("cb_a"));
    assert_eq!(bench.text("ab_c"), bench.text("bca"));
    let report = bench.run("report @bca --format text");
    assert!(String::from_utf8_lossy(&report.stdout).contains("executed                       60\n"));
}

/// Programs that write notes on standard error, which is closed.
#[test]
fn a_note_that_nobody_reads_costs_no_result() {
    let bench = Bench::new();
    for (file, program) in [("sum", "sum.bin"), ("hello", "hello.bin")] {
        let program = format!("models/tiny8/programs/{program}");
        bench.run(&reference(TINY8, &program, &format!("--limit-instructions 9 --profile @{file}")));
    }
    for (line, result) in [("merge @sum @hello -o @both", 0), ("report @sum --require instructions=100", 1)] {
        let told = bench.run(line);
        assert_eq!(status(&told), result, "{line}");
        assert!(!told.stderr.is_empty(), "{line}");
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let untold = bench.command(line).stderr(writer).stdout(std::process::Stdio::null()).status();
        assert_eq!(untold.expect("gentool runs").code(), Some(result), "{line}");
    }
    assert_eq!(status(&bench.run("verify @both")), 0);
}

#[test]
fn runs_that_do_not_belong_together_are_refused() {
    let model = fs::read_to_string(root().join(TINY8)).expect("the model is there");
    let bench = Bench::new()
        .with("there/tiny8.isac", &model)
        .with("other/tiny8.isac", model.replace("dst & src", "dst | src"));
    let (sum, hello) = ("models/tiny8/programs/sum.bin", "models/tiny8/programs/hello.bin");
    for (model, program, file) in [
        (TINY8, sum, "sum"),
        (TINY8, hello, "hello"),
        ("@there/tiny8.isac", sum, "elsewhere"),
        ("@other/tiny8.isac", sum, "changed"),
        (CACHED, sum, "cached"),
    ] {
        let line = reference(model, program, &format!("--limit-instructions 9 --profile @{file}"));
        bench.run(&line);
        assert!(bench.exists(file), "{file}");
    }
    check(
        "merge",
        &bench,
        &[
            "merge @sum @elsewhere -o @moved",
            "merge @sum @hello -o @sum_hello",
            "merge @sum @changed -o @sum_changed",
            "merge @sum @cached -o @sum_cached",
            "merge @sum @nowhere -o @sum_nowhere",
            "merge @sum @hello -o @hello",
            "merge @sum",
        ],
    );
}
