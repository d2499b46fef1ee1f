//! Profiles that are stored while a program runs: each is that of a run so far, and the run is as it is
//! without them.

use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use sim_profile::{Measurement, Profile, read_profile, spending_of};

const MODEL: &str = "models/rv32im/rv32im.isac";
const GUEST: &str = "models/rv32im/programs/csv.elf";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn gentool(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gentool"));
    command.args(arguments).current_dir(root()).stdin(Stdio::null()).output().expect("gentool runs")
}

fn stored(path: &Path) -> Profile {
    read_profile(&fs::read(path).expect("the profile was stored")[..]).expect("a profile")
}

/// No count of the first is above that of the second.
fn check_ascending(before: &Measurement, after: &Measurement) {
    let (spent, then) = (spending_of(before), spending_of(after));
    assert!(spent.instructions <= then.instructions && spent.cycles <= then.cycles);
    for (key, record) in &before.instructions {
        assert!(record.executed <= after.instructions[key].executed, "{key:?}");
    }
    for (between, times) in &before.transfers {
        assert!(times <= &after.transfers[between], "{between:?}");
    }
}

/// The program went on between the two.
fn check_later(before: &Measurement, after: &Measurement) {
    let (spent, then) = (spending_of(before), spending_of(after));
    assert!(spent.instructions < then.instructions && spent.cycles < then.cycles);
}

fn check_snapshots(model: &str, engine: &str, options: &[&str]) {
    let folder = tempfile::tempdir().expect("a folder");
    let [with, without] = ["with", "without"].map(|name| folder.path().join(name));
    let run = |path: &Path, further: &[&str]| {
        let path = path.to_str().expect("a text");
        let mut line = vec!["run", model, GUEST, "--engine", engine, "--profile", path];
        line.extend(["--limit-instructions", "200K"]);
        line.extend(options.iter().chain(further));
        gentool(&line)
    };
    let plain = run(&without, &[]);
    let snapshots = run(&with, &["--snapshot-every", "37_777"]);
    assert_eq!(plain.stdout, snapshots.stdout, "{engine}: the guest's output");
    assert_eq!(plain.stderr, snapshots.stderr, "{engine}: how it ends");
    let (last, expected) = (stored(&with), stored(&without));
    assert_eq!(last.measurement, expected.measurement, "{engine}");
    assert_eq!(last.calls, expected.calls, "{engine}");
    let mut before: Option<Profile> = None;
    for number in 1..=5 {
        let path = with.with_extension(number.to_string());
        let verified = gentool(&["verify", path.to_str().expect("a text"), "--image", GUEST]);
        assert!(
            verified.status.success(),
            "{engine}, {number}: {}",
            String::from_utf8_lossy(&verified.stdout)
        );
        let profile = stored(&path);
        assert_eq!(profile.provenance.images, expected.provenance.images);
        if let Some(before) = &before {
            check_ascending(&before.measurement, &profile.measurement);
            check_later(&before.measurement, &profile.measurement);
        }
        before = Some(profile);
    }
    let before = before.expect("there are five");
    check_ascending(&before.measurement, &last.measurement);
    check_later(&before.measurement, &last.measurement);
    assert!(!with.with_extension("6").exists(), "{engine}: five fall into the run");
}

#[test]
fn a_snapshot_is_a_profile_of_the_run_so_far() {
    check_snapshots(MODEL, "reference", &["--calls"]);
    check_snapshots(MODEL, "translated", &[]);
    check_snapshots("models/rv32im5/rv32im5.isac", "reference", &[]);
}

/// Has gentool hear all signals, also where the tests were told to ignore some.
#[cfg(target_os = "linux")]
const HEARD: &str = "exec env --default-signal";

/// A run of many rounds, which has begun. `before` comes before gentool in the shell's words.
#[cfg(unix)]
fn begun(profile: &Path, before: &str) -> Child {
    let mut command = Command::new("sh");
    let line = format!(
        "{before} \"$0\" run {MODEL} {GUEST} --engine translated --timeout 60 --profile \"$1\" -- 1000000"
    );
    command.args(["-c", &line, env!("CARGO_BIN_EXE_gentool")]).arg(profile);
    command.current_dir(root()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut running = command.spawn().expect("gentool runs");
    let output = running.stdout.as_mut().expect("a pipe");
    output.read_exact(&mut [0]).expect("the guest says something");
    running
}

#[cfg(unix)]
fn kill(running: &Child, signal: &str) {
    let id = running.id().to_string();
    Command::new("kill").args([signal, &id]).status().expect("kill runs");
}

/// What was measured is written whatever ends the run.
#[cfg(target_os = "linux")]
#[test]
fn a_signal_that_ends_the_run_leaves_its_profile() {
    let folder = tempfile::tempdir().expect("a folder");
    for signal in ["-INT", "-TERM", "-HUP", "-QUIT", "-ALRM"] {
        let path = folder.path().join(signal);
        let mut running = begun(&path, HEARD);
        kill(&running, signal);
        assert_eq!(running.wait().expect("it ends").code(), Some(124), "{signal}");
        assert!(spending_of(&stored(&path).measurement).instructions > 0, "{signal}");
    }
    // What is to be ignored is.
    let path = folder.path().join("ignored");
    let mut running = begun(&path, "exec env --default-signal --ignore-signal=HUP,INT");
    ["-HUP", "-INT"].iter().for_each(|signal| kill(&running, signal));
    std::thread::sleep(std::time::Duration::from_millis(100));
    assert_eq!(running.try_wait().expect("it can be asked"), None, "it goes on");
    kill(&running, "-TERM");
    assert_eq!(running.wait().expect("it ends").code(), Some(124));
    // A limit that kills tells of itself before.
    let path = folder.path().join("limited");
    assert_eq!(begun(&path, "ulimit -t 3; exec").wait().expect("it ends").code(), Some(124));
    assert!(spending_of(&stored(&path).measurement).instructions > 0);
}

/// What was asked for by a signal is the same as a run that ends there.
#[cfg(unix)]
#[test]
fn a_signal_asks_for_a_snapshot() {
    let folder = tempfile::tempdir().expect("a folder");
    let (path, first) = (folder.path().join("p"), folder.path().join("p.1"));
    let mut running = begun(&path, "exec");
    kill(&running, "-USR1");
    while !first.exists() && running.try_wait().expect("it can be asked").is_none() {
        std::thread::yield_now();
    }
    kill(&running, "-TERM");
    assert_eq!(running.wait().expect("it ends").code(), Some(124));
    let first = stored(&first).measurement;
    assert!(spending_of(&first).instructions > 0);
    // The second signal may come before the program has gone on at all.
    check_ascending(&first, &stored(&path).measurement);
}
