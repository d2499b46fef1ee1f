//! `gentool run --gdb`: gdb drives models by scripts, hostile packets end nothing, and what a debugged
//! run measures is what a plain run does.
//!
//! Where gdb is missing, a test says so and compares nothing. Debian's gdb-multiarch knows no AVR;
//! avr-gdb does.

#[path = "gdb/address.rs"]
mod address;
#[path = "gdb/bench.rs"]
mod bench;
#[path = "gdb/description.rs"]
mod description;
#[path = "gdb/hostile.rs"]
mod hostile;
#[path = "../../tests/support/thorough.rs"]
mod thorough;

use bench::{Session, run_plainly};

/// Runs a script and compares what gdb shows; then the profile with that of a plain run.
#[track_caller]
fn check(name: &str, gdb: &str, session: &Session, script: &str) {
    let Some(shown) = session.drive(gdb, script) else { return };
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("gdb");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name, shown.text));
    assert_eq!(shown.report, run_plainly(session), "the debugged run measured something else");
}

/// The same where nothing is left out: a session with each model takes long.
#[track_caller]
fn check_if_thorough(name: &str, gdb: &str, session: &Session, script: &str) {
    match thorough::is_thorough() {
        true => check(name, gdb, session, script),
        false => eprintln!("gdb does not drive {name}; ISAC_TESTS=all leaves nothing out"),
    }
}

fn sorting(model: &'static str) -> Session {
    Session { model, program: "sorting", model_of_program: model, options: &[], arguments: &["1"] }
}

#[test]
fn gdb_drives_rv32imc() {
    check_if_thorough("rv32imc", "gdb-multiarch", &sorting("rv32imc"), "sorting.gdb");
}

#[test]
fn gdb_drives_mips32() {
    check_if_thorough("mips32", "gdb-multiarch", &sorting("mips32"), "sorting.gdb");
}

#[test]
fn gdb_drives_armv6m() {
    check_if_thorough("armv6m", "gdb-multiarch", &sorting("armv6m"), "sorting.gdb");
}

#[test]
fn gdb_drives_avr() {
    let session = Session { options: &["--set", "gpior0=1"], arguments: &[], ..sorting("avr") };
    check_if_thorough("avr", "avr-gdb", &session, "sorting.gdb");
}

#[test]
fn gdb_drives_a_pipeline() {
    let options = &["--limit-instructions", "100K"];
    let session = Session { model: "rv32im5", model_of_program: "rv32im", options, ..sorting("rv32im5") };
    check("rv32im5", "gdb-multiarch", &session, "pipeline.gdb");
}

#[test]
fn gdb_steps_through_the_description_and_shows_the_sums_so_far() {
    check("statements", "gdb-multiarch", &sorting("rv32imc"), "statements.gdb");
}

#[test]
fn gdb_drives_the_translated_engine() {
    let session = Session { options: &["--engine", "translated"], ..sorting("rv32imc") };
    check("translated", "gdb-multiarch", &session, "translated.gdb");
}
