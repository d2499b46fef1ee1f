//! What is said of the files that reports of a program are made with.

use std::fs;

use sim_runtime::image::{Expected, ImageFormat, read_image};

use super::bench::{Bench, RV32IM, TINY8, check, reference, root, status};

const SORTING: &str = "models/rv32im/programs/sorting.elf";
const CRC32: &str = "models/rv32im/programs/crc32.elf";

/// A profile, the program that was run, and a text.
fn bench() -> Bench {
    let program = fs::read(root().join(SORTING)).expect("the program is there");
    let bench = Bench::new().with("sorting.elf", program).with("text", "no program");
    let options = "--limit-instructions 20000 --profile @short";
    assert_eq!(status(&bench.run(&reference(RV32IM, SORTING, options))), 124);
    bench
}

#[test]
fn what_files_do_not_tell_is_told() {
    let lines = [
        format!("report @short --image {CRC32} --format oprofile"),
        format!("report @short --image {CRC32} --image-differs --format oprofile"),
        format!("report @short --image @sorting.elf --image {CRC32} --format oprofile"),
        "report @short --image @sorting.elf@0x10 --format oprofile".to_owned(),
        "report @short --image @text --image-differs --format oprofile".to_owned(),
        "report @short --image @text --image-differs --format cobertura".to_owned(),
    ];
    check("images", &bench(), &lines.iter().map(String::as_str).collect::<Vec<_>>());
}

#[test]
fn a_raw_program_has_the_names_of_the_file_that_it_was_made_of() {
    let elf = fs::read(root().join(SORTING)).expect("the program is there");
    let image = read_image(&elf, ImageFormat::Auto, &Expected::default()).expect("it is a program");
    let base = image.segments[0].address;
    let mut raw = Vec::new();
    for segment in &image.segments {
        raw.resize(usize::try_from(segment.address - base).expect("it is small"), 0);
        raw.extend_from_slice(&segment.bytes);
    }
    let mut other = raw.clone();
    *other.last_mut().expect("it is not empty") ^= 1;
    let bench = Bench::new().with("raw", raw).with("other", other);
    for (name, expected) in [("raw", 0), ("other", 125)] {
        let options = format!(
            "--raw={base:#x} --pc {base:#x} --limit-instructions 20000 --profile @profile --image {SORTING} \
             --html @page.html"
        );
        assert_eq!(status(&bench.run(&reference(RV32IM, &format!("@{name}"), &options))), 124);
        let report = bench.run(&format!("report @profile --image {SORTING} --format oprofile"));
        assert_eq!(status(&report), expected, "{name}");
        assert_eq!(String::from_utf8_lossy(&report.stdout).contains("main"), expected == 0, "{name}");
        assert!(bench.text("page.html").contains("\"main\""), "{name}");
    }
}

#[test]
fn a_file_that_cannot_be_read_is_told_before_the_run() {
    check("image_missing", &Bench::new(), &[&reference(RV32IM, SORTING, "--image @missing")]);
}

#[test]
fn no_result_is_written_over_what_a_run_reads() {
    let program = fs::read(root().join(SORTING)).expect("the program is there");
    let bench = Bench::new().with("rom.elf", &program).with("sorting.7", &program).with("model.1", "");
    let model = fs::read(root().join(TINY8)).expect("the model is there");
    fs::write(bench.path("model.1"), model).expect("the description is there");
    let lines = [
        reference(RV32IM, SORTING, "--image @rom.elf --profile @rom.elf"),
        reference(RV32IM, "@sorting.7", "--profile @sorting --snapshot-every 1M"),
        reference(RV32IM, SORTING, "--image @sorting.7 --profile @sorting"),
        reference(RV32IM, SORTING, "--profile @sorting --report @sorting.12"),
        reference("@model.1", "@sorting.7", "--profile @model"),
    ];
    check("results_over_inputs", &bench, &lines.iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!(fs::read(bench.path("rom.elf")).expect("it is there"), program);
}

#[test]
fn calls_of_some_of_the_runs_are_left_out() {
    let bench = bench();
    let options = "--limit-instructions 20000 --calls --profile @followed";
    assert_eq!(status(&bench.run(&reference(RV32IM, SORTING, options))), 124);
    let lines = [
        format!("report @followed @short --image {SORTING} --format gprof"),
        "merge @short @followed -o @both".to_owned(),
        "merge @followed @followed -o @both".to_owned(),
    ];
    check("some_calls", &bench, &lines.iter().map(String::as_str).collect::<Vec<_>>());
}

#[test]
fn where_instructions_overlap_calls_have_their_cycles() {
    let pipeline = "run models/rv32im5/rv32im5.isac --engine reference";
    let lines = [
        format!("{pipeline} {CRC32} --limit-instructions 20000 --calls --profile @calls"),
        format!("report @calls --image {CRC32} --format gprof"),
        format!("report @calls --image {CRC32} --format oprofile"),
    ];
    check("calls_in_a_pipeline", &Bench::new(), &lines.iter().map(String::as_str).collect::<Vec<_>>());
}

#[test]
fn samples_are_shown_with_their_intervals_and_nowhere_without() {
    let bench = bench();
    let options =
        "--limit-instructions 20000 --profile @samples --sample 20 --sample-random 3 --sample-burst 2";
    assert_eq!(status(&bench.run(&reference(RV32IM, SORTING, options))), 124);
    let run = |options: &str| reference(RV32IM, SORTING, &format!("--profile @other {options}"));
    let lines = [
        format!("report @samples --image {SORTING} --format sampled"),
        "report @samples --format sampled".to_owned(),
        format!("report @samples @samples --image {SORTING} --format sampled"),
        format!("report @samples --image {SORTING} --format sampled --require instructions=100"),
        format!("report @short --image {SORTING} --format sampled"),
        format!("report @samples --image {SORTING} --format top"),
        "verify @samples".to_owned(),
        "merge @samples @samples -o @both".to_owned(),
        "diff @short @samples".to_owned(),
        run("--sample 2 --sample-checks calls --limit-instructions 20000"),
        format!("report @other --image {SORTING} --format sampled"),
        run("--sample 3 --sample-checks calls --sample-only calls --sample-code none"),
        run("--sample 3 --sample-burst 4"),
        run("--sample 0"),
        run("--sample 3 --calls"),
        run("--sample 3 --html @page"),
        format!("run {RV32IM} {SORTING} --engine translated --profile @other --sample 3"),
        format!("run models/rv32im5/rv32im5.isac {CRC32} --sample 3 --profile @other"),
    ];
    check("samples", &bench, &lines.iter().map(String::as_str).collect::<Vec<_>>());
}

#[test]
fn samples_with_caches_have_a_table_for_each() {
    // add 16; load 0; branch 0: all cells of a column, one line after the other. The same with drop 0, which is
    // cancelled.
    let bench = Bench::new().with("loop.bin", [5, 16, 0, 0, 6, 0]);
    let bench = bench.with("dropping.bin", [5, 16, 7, 0, 0, 0, 6, 0]);
    let options = "--caches --limit-instructions 3000 --profile @samples --sample 10 --sample-random 1";
    let lines = [
        &reference("tests/models/lines.isac", "@loop.bin", options),
        "report @samples --image @loop.bin@0x0 --format sampled",
        &reference("tests/models/lines.isac", "@dropping.bin", options),
        "report @samples --image @dropping.bin@0x0 --format sampled",
        "run tests/models/lines.isac @loop.bin --engine translated --caches --profile @other --sample 3 \
         --sample-only accesses",
    ];
    check("samples_with_caches", &bench, &lines);
}

#[test]
fn values_are_shown_by_operand() {
    let program = "models/tiny8/programs/sum.bin";
    let run = |options: &str| reference(TINY8, program, &format!("--values @values {options}"));
    let bench = Bench::new();
    let shown = |options: &str| {
        let output = bench.run(&run(options));
        assert_eq!(status(&output), 55, "{}", String::from_utf8_lossy(&output.stderr));
        bench.text("values")
    };
    let all = format!(
        "{}---\n{}---\n{}",
        shown(""),
        shown("--profile @p --sample 2"),
        shown("--profile @p --sample 2 --sample-random 7 --values-at 4-8")
    );
    insta::with_settings!({ snapshot_path => "../cli", prepend_module_to_snapshot => false, omit_expression => true }, {
        insta::assert_snapshot!("values", all);
    });
    let translated = |options: &str| {
        let line = run(options).replace("--engine reference", "--engine translated");
        assert_eq!(status(&bench.run(&line)), 55, "{line}");
        bench.text("values")
    };
    let both = [
        translated(""),
        translated("--profile @p --sample 2"),
        translated("--profile @p --sample 2 --sample-random 7 --values-at 4-8"),
    ];
    assert_eq!(both.join("---\n"), all, "the translated engine tells the same");
    for (options, told) in [
        ("--sample-timer 1000", "values in samples of 1, one "),
        ("--sample-timer 1000", " one every 1000 microseconds of this computer's time"),
        ("--sample-timer 1000", "come more often where checks are rare: no interval is known"),
        ("--sample 3 --sample-checks calls", "a loop runs as often as it likes: no interval is known"),
        ("--sample 1", "values in samples of all stretches between checks;"),
        ("--sample 1", "\nall of the run is in them\n"),
        ("--sample 3 --sample-only accesses", "one in 3 checks, of accesses to memory alone;"),
        ("--sample 3 --sample-only calls --sample-code none", "one in 3 checks, of calls alone;"),
    ] {
        let values = translated(&format!("--profile @p {options}"));
        assert!(values.contains(told), "{values}");
    }
    let some = shown("--values-at 4-6");
    assert!(some.contains("\n0x4 ") && !some.contains("\n0x0 "), "{some}");
    let of_some = shown("--values-of add");
    assert!(of_some.contains("  add ") && !of_some.contains("  jnz "), "{of_some}");
    assert_eq!(translated("--values-of add"), of_some, "the translated engine tells the same");
    let crc32 =
        "models/rv32im/programs/crc32.elf --engine translated --limit-instructions 100K --values @values";
    let of_function = |function: &str| {
        let line = format!("run models/rv32im/rv32im.isac {crc32} --values-of lw --values-at {function}");
        assert_eq!(status(&bench.run(&line)), 124, "{line}");
        bench.text("values")
    };
    let named = of_function("main");
    assert_eq!(of_function("0"), "values of the whole run\n\nnone\n");
    let lines: Vec<&str> = named.lines().filter(|line| line.starts_with("0x")).collect();
    assert!(!lines.is_empty() && lines.iter().all(|line| line.contains("  lw ")), "{named}");
    let lines = [
        run("--values-at 6-5"),
        run("--events @events"),
        run("--dump-state @values"),
        run("--gdb 0"),
        format!("debug {TINY8} {program} --values @values"),
        format!("run {TINY8} {program} --values-at 4"),
        run("--values-at main"),
        run("--values-of ADD"),
        run("--values-of multiply"),
        format!("run models/rv32im/rv32im.isac {crc32} --values-at mian"),
    ];
    check("values_refused", &bench, &lines.iter().map(String::as_str).collect::<Vec<_>>());
}

/// What a CODINGROOT asks of an operand before all words are there belongs to the instruction that they are;
/// where they are none, it is not counted.
#[test]
fn values_that_decide_what_is_decoded_are_those_of_the_whole_instruction() {
    let model = "
        RESOURCE {
            PC REGISTER bit[16] pc;
            REGISTER bit[16] x[4];
            RAM bit[8] ram { SIZE (0x100); };
            MEMORY_MAP m { RANGE (0, 0xff) -> ram; };
        };
        OPERATION main { ACTIVATION { two_words; }; };
        OPERATION two_words {
            INSTANCE sel ALIAS { one };
            INSTANCE op8 ALIAS { two };
            CODINGROOT { one (m[pc]); IF (one == 0) { two (m[pc + 1]); } ELSE { two (m[pc + 2]); } };
            BEHAVIOR { pc = pc + instruction_size; };
        };
        OPERATION sel { INSTANCE reg ALIAS { r }; CODING { 0b000000 r }; EXPRESSION { r }; };
        OPERATION reg { CODING { n=0bx[2] }; EXPRESSION { x[n] }; };
        GROUP op8 = put, stop;
        OPERATION put { CODING { 0b00 n=0bx[6] }; BEHAVIOR { x[n[1..0]] = x[n[3..2]] + 1; }; };
        OPERATION stop { CODING { 0b01 n=0bx[6] }; BEHAVIOR { halt(n); }; };
    ";
    // The third has no second word that anything matches.
    let bench = Bench::new().with("early.isac", model).with("early.bin", [0, 5, 1, 0, 2, 0, 0xff, 0xff]);
    let output = bench.run("run @early.isac @early.bin --raw --engine reference --values @values");
    assert_eq!(status(&output), 127, "{}", String::from_utf8_lossy(&output.stderr));
    let values = bench.text("values");
    let places: Vec<&str> = values.lines().filter(|line| line.starts_with("0x")).collect();
    let read = values.lines().filter(|line| line.starts_with("  reg reads x: 1 time")).count();
    assert_eq!((places.as_slice(), read), (["0x0  00050001", "0x2  01020002"].as_slice(), 2), "{values}");
}

/// A value of a wide register is not all of it.
#[test]
fn values_of_wide_resources_are_told_to_be_parts() {
    let bench = Bench::new().with("wide.bin", [0x00, 0x02]);
    let options = "--image @wide.bin@0x10 --values @values --limit-instructions 1";
    let run = reference("tests/models/vectors.isac", "@wide.bin", options);
    let output = bench.run(&run);
    assert!(bench.exists("values"), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(bench.text("values").contains(" v (at most 128 bits): 1 time"), "{}", bench.text("values"));
}

#[test]
fn no_report_takes_the_place_of_what_it_is_made_from() {
    let bench = bench();
    let before = fs::read(bench.path("sorting.elf")).expect("the program");
    let line = "report @short --image @sorting.elf --format top -o @sorting.elf";
    check("report_over_image", &bench, &[line]);
    assert_eq!(fs::read(bench.path("sorting.elf")).expect("the program"), before);
}

#[test]
fn a_description_shows_what_never_ran() {
    let lines = [
        format!("report @short --image {SORTING} --model {RV32IM} --format flow-dot --at 0x10790"),
        format!("report @short --image {SORTING} --model {TINY8} --format flow-dot"),
        format!("report @short --image {SORTING} --model {RV32IM} --format top"),
        format!("report @short --model {RV32IM} --format flow-dot"),
        format!("verify @short --image {SORTING} --model {RV32IM}"),
    ];
    check("reachable_code", &bench(), &lines.iter().map(String::as_str).collect::<Vec<_>>());
}
