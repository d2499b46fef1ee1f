//! Programs made for what the translated engine does with them: it gives what the reference engine
//! gives, to the last count.

mod cases;
#[path = "../../tests/support/thorough.rs"]
mod thorough;

use std::fs;
use std::path::Path;
use std::process::Command;

use thorough::first_of;

const MODEL: &str = "models/rv32im/rv32im.isac";

fn gentool(arguments: &[&str]) -> std::process::Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gentool"));
    command.args(arguments).current_dir(cases::root()).output().expect("gentool runs")
}

/// Assembles a program into a folder; gives where it is.
fn assembled(model: &str, program: &str, folder: &Path) -> String {
    let elf = folder.join("program.elf").display().to_string();
    let source = format!("gentool/tests/translated/{program}.s");
    let output = gentool(&["asm", model, &source, "-o", &elf]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    elf
}

/// Report, state and status of a program on an engine; its profile stays in a folder. Code is made where nothing
/// runs beside it, unless something else is said.
fn left_by(
    model: &str,
    engine: &[&str],
    program: &str,
    folder: &Path,
) -> (String, String, Option<i32>, String) {
    let path = |name: &str| folder.join(name).display().to_string();
    let (report, state, profile) = (path("report.xml"), path("state"), path("profile"));
    let elf = assembled(model, program, folder);
    let options = ["--report", &report, "--dump-state", &state, "--profile", &profile];
    let is_said = engine[0] != "translated" || engine.contains(&"--compile-threads");
    let threads = if is_said { &[][..] } else { &["--compile-threads", "0"] };
    let output =
        gentool(&[&["run", model, &elf, "--stats", "--engine"][..], engine, threads, &options].concat());
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    let read = |path: &str| fs::read_to_string(path).expect("what the run has written");
    (read(&report), read(&state), output.status.code(), told)
}

/// Samples of a program by options: the profile, what it says of the engine and its time aside, the state and
/// the status.
fn sampled_by(
    engine: &str,
    (model, elf): (&str, &str),
    options: &[&str],
    folder: &Path,
) -> (String, String, Option<i32>) {
    let path = |name: &str| folder.join(name).display().to_string();
    let (state, profile) = (path("state"), path("profile"));
    let written = ["--engine", engine, "--dump-state", &state, "--profile", &profile];
    let output = gentool(&[&["run", model, elf][..], &written, options].concat());
    let read = |path: &str| fs::read_to_string(path).expect("what the run has written");
    let profile = read(&profile).replace(engine, "the engine");
    let (before, time) = profile.split_once("\"host_nanoseconds\":").expect("a time");
    let behind = time.trim_start_matches(|digit: char| digit.is_ascii_digit());
    (format!("{before}{behind}"), read(&state), output.status.code())
}

/// A program's samples are those of the reference engine.
fn check_samples(model: &str, program: &str, limits: &[&str]) {
    let folder = tempfile::tempdir().expect("a folder");
    let elf = assembled(model, program, folder.path());
    let ways = [
        &["--sample", "40", "--sample-random", "5"][..],
        &["--sample", "10", "--sample-burst", "4", "--sample-checks", "calls"],
        &["--sample", "1"],
        &["--sample", "3"],
        &["--sample", "20", "--sample-checks", "back-edges"],
    ];
    for sampling in first_of(2, ways) {
        let options = [sampling, limits].concat();
        let of = |engine| sampled_by(engine, (model, &elf), &options, folder.path());
        let (reference, translated) = (of("reference"), of("translated"));
        assert_eq!(reference.2, translated.2, "status, {options:?}");
        assert_eq!(reference.1, translated.1, "state, {options:?}");
        assert!(reference.0 == translated.0, "the samples differ, {options:?}");
    }
}

fn check(program: &str) {
    check_with(MODEL, program, &[], |status| status < 64);
}

fn check_with(model: &str, program: &str, limits: &[&str], is_expected: impl Fn(i32) -> bool) {
    let folders = [(); 2].map(|()| tempfile::tempdir().expect("a folder"));
    let [first, others] = folders.each_ref().map(|folder| folder.path());
    let reference = left_by(model, &[&["reference"], limits].concat(), program, first);
    assert!(reference.2.is_some_and(is_expected), "how the program ends: {:?}", reference.2);
    let profile = first.join("profile").display().to_string();
    let counters = ["fewest", "every", "random", "naive", "wu-larus"].map(|way| ["--counters", way]);
    let beside = ["--compile-threads", "1"];
    for place in counters.into_iter().chain([["--counters-from", &profile], beside]) {
        let engine = &[&["translated"], limits, &place].concat()[..];
        let translated = left_by(model, engine, program, others);
        assert_eq!(reference.2, translated.2, "status, {engine:?}");
        assert_eq!(reference.1, translated.1, "state, {engine:?}");
        assert!(reference.0 == translated.0, "the reports differ, {engine:?}");
        // A thread may come too late for a short run.
        let is_compiled = place == beside || !translated.3.contains("translated: 0 regions");
        assert!(is_compiled, "nothing was compiled: {}", translated.3);
    }
}

/// The same, where a limit ends the run after so many instructions.
fn check_up_to<const N: usize>(model: &str, program: &str, limits: [&str; N]) {
    for limit in first_of(1, limits) {
        check_with(model, program, &["--limit-instructions", limit], |status| status == 124);
    }
}

#[test]
fn ways_that_are_computed_without_a_branch_are_counted_one_by_one() {
    check("branches");
}

#[test]
fn registers_that_nobody_reads_are_as_they_were_left_wherever_a_run_ends() {
    check("held");
    check_up_to(MODEL, "held", ["45000", "45013", "45026"]);
}

#[test]
fn registers_are_loaded_once_in_a_cycle_that_is_entered_at_two_places() {
    check("cycles");
}

/// Every eighth turn a stack and a pointer lead into the registers; at last a call is at fault when it has
/// written the first half of an address.
#[test]
fn what_an_instruction_has_done_is_undone_where_it_is_left_to_the_interpreter() {
    let avr = "models/avr/avr.isac";
    check_with(avr, "undone", &[], |status| status == 127);
    check_up_to(avr, "undone", ["40001", "40017", "40024"]);
}

/// Each access has arms for FUNCTIONs that are left to the interpreter: the code of the list is what remains.
#[test]
fn lists_of_registers_are_compiled_where_a_map_has_functions_beside_memory() {
    let lists = "gentool/tests/translated/lists.isac";
    check_with(lists, "lists", &[], |status| status == 127);
    check_up_to(lists, "lists", ["30001", "30008", "34806"]);
    check_samples(lists, "lists", &[]);
    // Up to there it has to do with memory alone.
    let folder = tempfile::tempdir().expect("a folder");
    let (_, _, _, told) =
        left_by(lists, &["translated", "--limit-instructions", "27000"], "lists", folder.path());
    let line =
        told.lines().find_map(|line| line.strip_prefix("interpreted: ")).expect("what was interpreted");
    let interpreted: u64 = line.split(' ').next().and_then(|number| number.parse().ok()).expect("a number");
    assert!(interpreted < 27_000 / 4, "{told}");
}

/// Operations with loops whose turns the run tells: over locals, registers and memory, with and without effects
/// that stand, faults in the middle, too many turns, and one that is left to an outer block.
#[test]
fn loops_of_an_instruction_are_compiled_where_it_can_be_begun_again() {
    let turns = "gentool/tests/translated/turns.isac";
    check_with(turns, "turns", &[], |status| status == 127);
    check_up_to(turns, "turns", ["20001", "20007", "31002"]);
    check_samples(turns, "turns", &[]);
}

/// A loop of three nested ones is entered again when its code is compiled, and has too many turns for any time.
#[test]
fn loops_of_an_instruction_end_with_the_time_of_the_run() {
    let folder = tempfile::tempdir().expect("a folder");
    let (model, source) = (folder.path().join("deep.isac"), folder.path().join("deep.s"));
    let deep = "BEHAVIOR { for (bit[32] i = 0; i < d; i++) for (bit[32] j = 0; j < d; j++) \
                for (bit[32] k = 0; k < d; k++) sum += k; }; };";
    let turns = fs::read_to_string(cases::root().join("gentool/tests/translated/turns.isac"));
    let turns = turns.expect("the description").replace("told, loop", "told, deep, loop");
    let operation =
        "OPERATION deep { INSTANCE reg ALIAS { d }; ASSEMBLER { \"deep\" d }; CODING { 0b01011 d };";
    fs::write(&model, format!("{turns}{operation} {deep}\n")).expect("a description");
    let program = "set r1, 1\nset r2, 3\na: set r0, 300\nb: deep r1\nloop r0, b\nset r1, 60000\nloop r2, a\n";
    fs::write(&source, program).expect("a program");
    let [model, source] = [model, source].map(|path| path.display().to_string());
    let elf = folder.path().join("deep.elf").display().to_string();
    assert!(gentool(&["asm", &model, &source, "-o", &elf]).status.success());
    let output = gentool(&["run", &model, &elf, "--engine", "translated", "--timeout", "0.5"]);
    assert_eq!(output.status.code(), Some(124), "{}", String::from_utf8_lossy(&output.stderr));
}

/// Characters that are printed, or counted by a loop, in an instruction that has read them: each is read once.
#[test]
fn what_an_instruction_reads_of_a_device_is_read_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let model = "gentool/tests/translated/reads.isac";
    let elf = assembled(model, "reads", folder.path());
    let input = folder.path().join("input");
    let byte =
        |number: u32| if number > 6000 && number.is_multiple_of(3) { b'\n' } else { (number % 251) as u8 };
    fs::write(&input, (0..12_000).map(byte).collect::<Vec<u8>>()).expect("input");
    let left_by = |engine: &str| {
        let state = folder.path().join(engine).display().to_string();
        let mut command = Command::new(env!("CARGO_BIN_EXE_gentool"));
        command.args(["run", model, &elf, "--engine", engine, "--dump-state", &state]);
        command.stdin(fs::File::open(&input).expect("input")).current_dir(cases::root());
        let output = command.output().expect("gentool runs");
        (output.status.code(), output.stdout, fs::read_to_string(state).expect("the state"))
    };
    let reference = left_by("reference");
    assert!(reference.1.len() > 1000, "lines are printed");
    assert!(reference == left_by("translated"), "the engines differ");
}

#[test]
fn statistics_tell_what_keeps_a_program_from_being_fast() {
    let folder = tempfile::tempdir().expect("a folder");
    let told = |model: &str, program: &str| left_by(model, &["translated"], program, folder.path()).3;
    let turns = told("gentool/tests/translated/turns.isac", "turns");
    let mut lines = turns.lines().skip_while(|line| !line.starts_with("interpreted: "));
    let share = lines.next().expect("how much was interpreted");
    assert!(share.contains(" of 36010 instructions, "), "{share}");
    let prints = "2000 times `told` at 0x0023: a call of printf is not compiled";
    assert!(lines.any(|line| line.ends_with(prints)), "{turns}");
    let writes = told(MODEL, "writes");
    let own_code = "`xori` at 0x800000d0: it is written over again and again";
    assert!(writes.lines().any(|line| line.ends_with(own_code)), "{writes}");
}

#[test]
fn jumps_by_tables_are_followed_as_their_places_become_known() {
    check("tables");
}

#[test]
fn writes_close_to_code_and_over_code_are_seen() {
    check("writes");
}

#[test]
fn addresses_with_masked_indexes_are_looked_at_as_the_reference_engine_does() {
    check("indexes");
}

#[test]
fn loops_that_hold_the_budget_are_counted_by_what_they_take_of_it() {
    check_with(MODEL, "loops", &[], |status| status == 127);
    check_up_to(MODEL, "loops", ["30001", "30002", "30100", "54321"]);
}

#[test]
fn extra_cycles_bring_a_timer_s_time_forward_and_idle_cycles_have_no_instruction() {
    for calls in [&[][..], &["--calls"]] {
        check_with("gentool/tests/translated/clocked.isac", "clocked", calls, |status| status == 3);
    }
}

/// What is charged in samples is charged there alone.
#[test]
fn samples_of_programs_with_extra_cycles_timers_and_forward_calls_are_those_of_the_reference_engine() {
    check_samples("gentool/tests/translated/clocked.isac", "clocked", &[]);
    check_samples(MODEL, "forward", &["--limit-instructions", "130001"]);
    check_samples(MODEL, "writes", &[]);
}

#[test]
fn elements_that_are_written_by_index_are_known_behind_the_branch() {
    check_with("gentool/tests/translated/elements.isac", "elements", &[], |status| status < 64);
}

#[test]
fn small_memories_events_and_loops_within_instructions_are_compiled() {
    let text =
        fs::read_to_string(cases::root().join("gentool/tests/translated/small.isac")).expect("a description");
    let folder = tempfile::tempdir().expect("a folder");
    for order in ["LITTLE", "BIG"] {
        let model = folder.path().join("small.isac");
        fs::write(&model, text.replace("LITTLE", order)).expect("a file");
        let model = model.display().to_string();
        check_with(&model, "small", &[], |status| status < 64);
        check_samples(&model, "small", &[]);
        check_with(&model, "spans", &[], |status| status == 127);
    }
}

/// What comes back to itself in later cycles has no end to be looked for.
#[test]
fn instructions_in_flight_are_refused_at_once() {
    let arguments = ["tests/time/circle.isac", "models/tiny8/programs/sum.bin"];
    let output = gentool(&["run", arguments[0], arguments[1], "--engine", "translated"]);
    assert_eq!(output.status.code(), Some(126));
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(told.contains("instructions in flight are not translated"), "{told}");
}
