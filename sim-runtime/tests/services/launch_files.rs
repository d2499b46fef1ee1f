//! The files that a run leaves.

use std::fs;

use sim_profile::read_profile;
use sim_runtime::Stop;
use sim_runtime::launcher::{OutputFile, Stdio, launch_with};

use crate::fake::FakeEngine;
use crate::launch::Bench;

fn halting() -> FakeEngine {
    FakeEngine::new(Some(100), Stop::Halted(3))
}

#[test]
fn report_and_profile_hold_the_measurement_and_where_it_came_from() {
    let bench = Bench::new();
    fs::write(bench.path("r.xml"), "an old report").expect("a file");
    let outcome = bench.run(&mut halting(), "--report @r.xml --profile @p.profile");
    assert_eq!((outcome.status, outcome.messages.as_str()), (3, ""));
    let report = fs::read_to_string(bench.path("r.xml")).expect("the report");
    assert!(report.starts_with("<?xml"), "{report}");
    let stored = fs::read(bench.path("p.profile")).expect("the profile");
    let profile = read_profile(stored.as_slice()).expect("a profile");
    assert_eq!(profile.measurement.cycles, 200);
    assert_eq!(Vec::from_iter(&profile.provenance.engines), ["fake engine"]);
    assert_eq!(profile.provenance.model_digest, "model");
    assert_eq!(profile.provenance.runs, 1);
    assert_eq!(profile.provenance.images.len(), 1);
    assert_eq!(profile.provenance.images[0].digest.len(), 32);
}

#[test]
fn nothing_but_the_results_is_left_in_the_folder() {
    let bench = Bench::new();
    bench.run(&mut halting(), "--report @r.xml --dump-state @state.txt");
    let mut names: Vec<_> = fs::read_dir(bench.folder.path())
        .expect("a folder")
        .map(|entry| entry.expect("an entry").file_name().into_string().expect("plain names"))
        .collect();
    names.sort();
    assert_eq!(names, ["prog.elf", "r.xml", "state.txt"]);
}

#[test]
fn the_final_state_is_text() {
    let bench = Bench::new();
    let outcome = bench.run(&mut halting(), "--dump-state @state.txt --set a1=0xbeef");
    assert_eq!(outcome.status, 3);
    let state = fs::read_to_string(bench.path("state.txt")).expect("the state");
    let lines: Vec<&str> = state.lines().collect();
    assert_eq!(
        lines[..7],
        [
            "pc = 0x00010004",
            "r[0] zero = 0x00000000",
            "r[1] sp = 0x0002ffb0",
            "r[2] a0 = 0x00000000",
            "r[3] a1 = 0x0000beef",
            "instructions = 100",
            "cycles = 200",
        ]
    );
    let digest = lines[7].strip_prefix("defaultmap 0x00010000..0x0002ffff digest ");
    assert_eq!(digest.expect("a digest").len(), 32);
}

#[test]
fn a_path_that_cannot_be_written_is_told_before_the_run() {
    let bench = Bench::new();
    for option in ["--report", "--profile", "--dump-state"] {
        let mut engine = halting();
        let outcome = bench.run(&mut engine, &format!("{option} @missing/file"));
        assert_eq!((outcome.status, engine.budgets.len()), (125, 0));
        assert!(outcome.messages.contains("cannot be written to @missing/file: "), "{}", outcome.messages);
    }
    fs::create_dir(bench.path("folder")).expect("a folder");
    assert_eq!(bench.run(&mut halting(), "--report @folder").status, 125);
}

#[test]
fn two_results_need_two_files() {
    let outcome = Bench::new().run(&mut halting(), "--report @r --profile @r");
    assert_eq!(outcome.status, 125);
    assert_eq!(outcome.messages, "error: report and profile are both to be written to @r; name two files\n");
}

#[test]
fn a_report_whose_folder_vanished_is_rescued() {
    let bench = Bench::new();
    let folder = bench.path("reports");
    fs::create_dir(&folder).expect("a folder");
    let mut engine = halting().with_action(move |_, _| {
        fs::remove_dir(&folder).expect("nothing is left in it");
    });
    let outcome = bench.run(&mut engine, "--report @reports/r.xml");
    assert_eq!(outcome.status, 125);
    let (_, rescued) = outcome.messages.split_once("; it is in ").expect("it is told");
    let rescued = rescued.strip_suffix(" instead\n").expect("it is told");
    assert!(rescued.contains("rescued-r.xml-"), "{rescued}");
    let report = fs::read_to_string(rescued);
    fs::remove_file(rescued).expect("it is there");
    assert!(report.expect("the report").starts_with("<?xml"));
}

#[test]
fn an_engine_without_profile_says_so() {
    let mut engine = FakeEngine { profiled: false, ..halting() };
    let outcome = Bench::new().run(&mut engine, "--report @r.xml");
    assert_eq!(outcome.status, 125);
    assert!(outcome.messages.contains("made without profiling"));
}

#[test]
fn further_files_are_made_from_the_profile_and_fail_alone() {
    let bench = Bench::new();
    let (stdio, _, messages) = Stdio::captured(b"");
    let file = |name: &str, what, fails: bool| OutputFile {
        path: bench.path(name),
        what,
        render: Box::new(move |results| match fails {
            false => Ok(format!("{} cycles", results.profile.measurement.cycles).into_bytes()),
            true => Err(std::io::Error::other("no template")),
        }),
    };
    let further = vec![file("bad.html", "page", true), file("good.txt", "text", false)];
    let options = bench.options("--report @r.xml");
    let status = launch_with(&mut halting(), &bench.info, &options, stdio, further);
    assert_eq!(status, 125);
    assert_eq!(messages.text(), "error: the page could not be made: no template\n");
    assert_eq!(fs::read_to_string(bench.path("good.txt")).expect("the text"), "200 cycles");
    assert!(bench.path("r.xml").exists());
    assert!(!bench.path("bad.html").exists());
}

#[cfg(unix)]
#[test]
fn links_and_devices_are_written_to_and_not_replaced() {
    use std::os::unix::fs::{FileTypeExt, PermissionsExt, symlink};

    let bench = Bench::new();
    fs::write(bench.path("real.xml"), "old").expect("a file");
    symlink("real.xml", bench.path("link.xml")).expect("a link");
    let line = "--report @link.xml --profile /dev/null";
    assert_eq!(bench.run(&mut halting(), line).status, 3);
    assert!(fs::symlink_metadata(bench.path("link.xml")).expect("it is there").is_symlink());
    let report = fs::read_to_string(bench.path("real.xml")).expect("the report");
    assert!(report.starts_with("<?xml"));
    assert!(fs::metadata("/dev/null").expect("it is there").file_type().is_char_device());

    bench.run(&mut halting(), "--report @new.xml");
    let mode = fs::metadata(bench.path("new.xml")).expect("the report").permissions().mode();
    assert_eq!(mode & 0o600, 0o600);
    assert_eq!(mode & 0o111, 0);
}
