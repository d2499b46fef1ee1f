//! Simulators that are generated, and those that cannot be.

use super::bench::{Bench, status};

#[test]
fn a_simulator_is_generated_whole_or_not_at_all() {
    let bench = Bench::new();
    let output = bench.run("generate models/tiny8/tiny8.isac --out @package");
    assert_eq!(status(&output), 0, "{}", String::from_utf8_lossy(&output.stderr));
    for file in [
        "Cargo.toml",
        "Cargo.lock",
        "README.md",
        "src/main.rs",
        "src/steps.rs",
        "runtime/sim-runtime/Cargo.toml",
    ] {
        assert!(bench.exists(&format!("package/{file}")), "{file}");
    }
}

#[test]
fn what_is_in_the_way_of_a_package_is_named_and_left_alone() {
    let bench = Bench::new().with("file", "in the way").with("a/src", "").with("b/Cargo.toml/x", "");
    let is_file = "is a file where the package needs a folder";
    let is_folder = "is a folder where the package needs a file";
    for (out, path, what) in [
        ("file", "file", is_file),
        ("file/below", "file", is_file),
        ("a", "a/src", is_file),
        ("b", "b/Cargo.toml", is_folder),
    ] {
        let output = bench.run(&format!("generate models/tiny8/tiny8.isac --out @{out}"));
        let messages = String::from_utf8_lossy(&output.stderr).into_owned();
        let remedy = "move it away, or name another folder by --out";
        assert_eq!(status(&output), 125);
        assert!(messages.ends_with(&format!("/{path} {what}; {remedy}\n")), "{messages}");
    }
    assert_eq!(bench.text("file"), "in the way");
    assert!(!bench.exists("a/Cargo.toml") && !bench.exists("b/src"));
}

/// Without cargo's folder no simulator can be built; the message says what can be done.
#[test]
fn a_simulator_that_cannot_be_built_is_a_failure_of_ours() {
    let output =
        Bench::new().run("run models/tiny8/tiny8.isac models/tiny8/programs/sum.bin --engine emitted");
    assert_eq!(status(&output), 125);
    let messages = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(messages.contains("set ISAC_CACHE to another"), "{messages}");
}
