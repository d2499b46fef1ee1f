//! Runs that are counted in parts: between two addresses, and from one snapshot to the next.

mod command_in_folder;
#[path = "../../tests/support/thorough.rs"]
mod thorough;

use std::fs;

use command_in_folder::{CSV, RV32IM, gentool};
use sim_profile::{Profile, read_profile};
use tempfile::TempDir;
use thorough::first_of;

const CRC32: &str = "models/rv32im/programs/crc32.elf";

/// Status, output and messages.
fn said(folder: &TempDir, line: &str) -> (Option<i32>, String, String) {
    let output = gentool(folder, line);
    let [out, err] = [output.stdout, output.stderr].map(|text| String::from_utf8(text).expect("text"));
    (output.status.code(), out, err)
}

#[track_caller]
fn done(folder: &TempDir, line: &str) -> String {
    let (status, out, errors) = said(folder, line);
    assert_eq!(status, Some(0), "{line}: {errors}");
    out
}

#[track_caller]
fn assert_equal(folder: &TempDir, one: &str, other: &str) {
    assert_eq!(done(folder, &format!("diff @{one} @{other}")), "all counts are equal\n", "{one} {other}");
}

/// What runs up to a place, from there to another, and from that to the first one, is all that runs; both
/// engines count it alike, and each part is a flow without a gap.
#[test]
fn the_parts_of_a_run_add_up_to_all_of_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let places = ("crc_all", "print");
    let guests = [
        (RV32IM, CRC32),
        ("models/mips32/mips32.isac", "models/mips32/programs/crc32.elf"),
        ("models/armv6m/armv6m.isac", "models/armv6m/programs/crc32.elf"),
        ("models/avr/avr.isac", "models/avr/programs/crc32.elf"),
    ];
    for (model, program) in first_of(1, guests) {
        let run = |engine: &str, options: &str, name: &str| {
            let limit = "--limit-instructions 300K";
            let line = format!("run {model} {program} --engine {engine} {limit} {options} --profile @{name}");
            let (status, _, errors) = said(&folder, &line);
            assert!(matches!(status, Some(0 | 124)), "{line}: {errors}");
        };
        run("reference", "", "whole");
        let options = [
            format!("--count-until {}", places.0),
            format!("--count-from {} --count-until {}", places.0, places.1),
            format!("--count-from {} --count-until {}", places.1, places.0),
        ];
        for engine in ["reference", "translated"] {
            for (number, options) in options.iter().enumerate() {
                let name = format!("{engine}{number}");
                run(engine, options, &name);
                assert!(
                    done(&folder, &format!("verify @{name}")).ends_with("consistent\n"),
                    "{model} {name}"
                );
            }
            let all = [0, 1, 2].map(|number| format!("@{engine}{number}")).join(" ");
            done(&folder, &format!("merge {all} -o @{engine}"));
            assert_equal(&folder, engine, "whole");
        }
        for number in 0..options.len() {
            assert_equal(&folder, &format!("reference{number}"), &format!("translated{number}"));
        }
    }
}

/// What is known of all that ran, and not in samples alone, adds up like the counts do: no part is taken for
/// more of the run than it is.
#[test]
fn parts_can_be_counted_at_samples() {
    let folder = tempfile::tempdir().expect("a folder");
    let stored = |name: &str| -> Profile {
        let bytes = fs::read(folder.path().join(name)).expect("the profile was stored");
        read_profile(&bytes[..]).expect("a profile")
    };
    let options = [
        "",
        "--count-until crc_all",
        "--count-from crc_all --count-until print",
        "--count-from print --count-until crc_all",
    ];
    for engine in ["reference", "translated"] {
        for (number, options) in options.iter().enumerate() {
            let sampled = format!("--engine {engine} --sample 7 {options} --profile @{engine}{number}");
            done(&folder, &format!("run {RV32IM} {CRC32} {sampled} -- 3"));
        }
        let [whole, parts @ ..] = [0, 1, 2, 3].map(|number| stored(&format!("{engine}{number}")));
        let mut sum = parts[0].clone();
        parts[1..].iter().for_each(|part| sum.merge(part).expect("they are of one run"));
        assert_eq!(sum.measurement, whole.measurement, "{engine}");
        assert_eq!(sum.samples, whole.samples, "{engine}");
    }
    let shown =
        |number: usize| done(&folder, &format!("report @reference{number} --image {CRC32} --format sampled"));
    assert!(shown(0).contains("instructions in the run\n"), "{}", shown(0));
    assert!(shown(2).contains("instructions in the parts of the run\n"), "{}", shown(2));
    for number in 0..options.len() {
        let both = ["reference", "translated"].map(|engine| stored(&format!("{engine}{number}")));
        assert_eq!(both[0].measurement, both[1].measurement);
        assert_eq!(both[0].samples, both[1].samples);
    }
}

#[test]
fn snapshots_can_hold_what_ran_since_the_one_before() {
    let folder = tempfile::tempdir().expect("a folder");
    let options = "--limit-instructions 60K --snapshot-every 20K --snapshot-at crc_all --snapshot-apart";
    for engine in ["reference", "translated"] {
        let run = format!("run {RV32IM} {CRC32} --engine {engine} --profile @{engine} {options} --stats");
        let (status, _, errors) = said(&folder, &run);
        assert_eq!(status, Some(124), "{errors}");
        assert!(errors.contains("5 snapshots, "), "{errors}");
        let parts: Vec<String> = (1..=5).map(|number| format!("@{engine}.{number}")).collect();
        for part in &parts {
            done(&folder, &format!("verify {part}"));
        }
        done(&folder, &format!("merge {} -o @sum", parts.join(" ")));
        assert_equal(&folder, "sum", engine);
        let first = done(&folder, &format!("report {} --image {CRC32} --format gprof", parts[0]));
        assert!(first.contains("fill_table") && !first.contains("crc_all"), "{first}");
    }
    assert_equal(&folder, "reference.2", "translated.2");
}

/// A profile of a part is never taken for one of a whole run.
#[test]
fn reports_say_that_a_part_was_counted() {
    let folder = tempfile::tempdir().expect("a folder");
    let options = "--count-from crc_all --count-until put_number.isra.0 --report @run.xml --profile @p";
    done(&folder, &format!("run {RV32IM} {CRC32} {options} -- 2"));
    let xml = fs::read_to_string(folder.path().join("run.xml")).expect("the report");
    assert!(xml.contains("<profiler version=\"1\" model=\"rv32im\" parts=\"2\">"), "{}", &xml[..200]);
    let text = done(&folder, "report @p --format text");
    assert!(text.starts_with("model rv32im\n\nof 2 parts of what ran, and of nothing else\n"), "{text}");
    let note = "note: the profile is of 2 parts of what ran, and of nothing else\n";
    for command in ["report @p --format lcov", "report @p --format top", "counters @p --event cycles"] {
        let (status, _, errors) = said(&folder, &format!("{command} --image {CRC32}"));
        assert!(status == Some(0) && errors.contains(note), "{command}: {errors}");
    }
    done(&folder, "merge @p @p -o @twice");
    assert!(done(&folder, "report @twice --format text").contains("of 4 parts of what ran"));
    done(&folder, &format!("report @p --image {CRC32} --html @p.html"));
    let page = fs::read_to_string(folder.path().join("p.html")).expect("the page");
    assert!(page.contains("Not all that ran was counted"), "the page says so");
    done(&folder, &format!("run {RV32IM} {CRC32} --profile @whole -- 1"));
    assert!(!done(&folder, "report @whole --format text").contains("part"));
    for line in ["merge @p @whole -o @both", "merge @whole @p -o @both"] {
        done(&folder, line);
        assert!(done(&folder, "report @both --format text").contains("of 3 parts of what ran"), "{line}");
    }
}

/// Those behind a gap stay where they are, and would be taken for those of the run that fills it.
#[test]
fn snapshots_of_an_earlier_run_behind_the_last_one_are_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let run = |every: &str| {
        let line =
            format!("run {RV32IM} {CRC32} --profile @p --snapshot-every {every} --limit-instructions 90K");
        said(&folder, &line).2
    };
    assert!(!run("10K").contains("earlier run"));
    fs::remove_file(folder.path().join("p.3")).expect("it is there");
    let errors = run("30K");
    assert!(errors.contains("p.4 is a snapshot of an earlier run, behind the last one of this"), "{errors}");
}

/// A limit of the size of files, as `ulimit -f` sets it, is told as a full disk is.
#[cfg(unix)]
#[test]
fn a_file_that_may_not_be_that_large_is_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let line = format!(
        "ulimit -f 1; exec \"$0\" run {RV32IM} {CRC32} --profile \"$1\" --limit-instructions 10K >/dev/null"
    );
    let mut command = std::process::Command::new("bash");
    command.args(["-c", &line, env!("CARGO_BIN_EXE_gentool")]).arg(folder.path().join("p"));
    let output = command.current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/..")).output().expect("bash runs");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(125), "{errors}");
    assert!(errors.contains("the profile could not be written to"), "{errors}");
}

/// Where counting never begins there is an empty profile, and no error.
#[test]
fn a_place_that_is_never_reached_is_no_error() {
    let folder = tempfile::tempdir().expect("a folder");
    let never =
        format!("run {RV32IM} {CRC32} --count-from 0x7ffffff0 --snapshot-at main --profile @none -- 1");
    let (status, _, errors) = said(&folder, &never);
    let note = "note: the run has not come to 0x7ffffff0 (--count-from, --snapshot-at)\n";
    assert_eq!((status, errors.as_str()), (Some(0), note));
    let text = done(&folder, "report @none --format text");
    assert!(text.starts_with("model rv32im\n\nof no part of what ran: counting never began\n"), "{text}");
    assert!(text.contains("executed                        0"), "{text}");
    assert!(done(&folder, "report @none").contains(" parts=\"0\">"));
    done(&folder, &format!("run {RV32IM} {CRC32} --count-until 0x7ffffff0 --profile @all -- 1"));
    done(&folder, &format!("run {RV32IM} {CRC32} --profile @whole -- 1"));
    assert_equal(&folder, "all", "whole");
}

#[test]
fn what_cannot_be_is_told_before_the_run() {
    let folder = tempfile::tempdir().expect("a folder");
    let pipeline = "models/rv32im5/rv32im5.isac";
    for (line, why) in [
        (format!("run {RV32IM} {CSV} --count-from man --profile @p"), "no function or label `man`"),
        (format!("run {RV32IM} {CRC32} --count-from main+x --profile @p"), "`x` is no number"),
        (format!("run {RV32IM} {CRC32} --count-from main"), "none is made; add --profile FILE"),
        (
            format!("run {pipeline} {CRC32} --engine reference --count-from main --profile @p"),
            "no moment lies between two instructions where they overlap, so that --count-from cannot be",
        ),
        (
            format!("run {pipeline} {CRC32} --engine reference --snapshot-apart --profile @p"),
            "leave out --snapshot-apart",
        ),
        (
            format!("debug {RV32IM} {CRC32} --snapshot-at main --profile @p"),
            "a run that is debugged has no --snapshot-at; leave it out",
        ),
        (
            format!("run {RV32IM} {CRC32} --values @v --count-from main --profile @p"),
            "--values counts those of the whole run",
        ),
        (
            format!("run {RV32IM} {CRC32} --snapshot-every 10K --counters-from @p.1 --profile @p"),
            "by which counters are placed, is called as a snapshot is",
        ),
    ] {
        let (status, out, errors) = said(&folder, &line);
        assert_eq!((status, out.as_str()), (Some(125), ""), "{line}: {errors}");
        assert!(errors.contains(why), "{line}: {errors}");
        assert!(!folder.path().join("p").exists());
    }
}
