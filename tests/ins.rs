//! Instruction cases, written from the manuals, on every engine: `tests/ins.md`.

mod ins {
    pub(crate) mod case;
    pub(crate) mod compare;
    pub(crate) mod coverage;
    pub(crate) mod overlap;
    pub(crate) mod place;
}
#[path = "differential/encoder.rs"]
mod encoder;
mod support;

use std::fs;

use encoder::Encoder;
use ins::case::{Case, End, read_case};
use ins::compare::compare;
use ins::coverage::{execute, missing};
use ins::overlap::compare_overlapping;
use isac_ir::Model;
use sim_profile::Measurement;
use support::thorough::is_thorough;
use support::{
    ARMV6M, AVR, ENGINES, ENGINES_OF_ONE_FORM, EngineKind, MIPS32, PDP11, RV32IM, RV32IM5, RV32IMC, RV64IMAC,
    Simulator, TINY8, VLIW4, path,
};

/// Runs all cases of a model on every engine; `lines` is how many there are, so that none is
/// lost without notice.
fn check(simulator: &Simulator, lines: usize) {
    check_on(&ENGINES, simulator, simulator.name, lines, |_, _| true);
}

/// Of a folder with so many cases every second one is run by default, of one with twice as many every third.
const MANY: usize = 3_000;

/// Runs the cases of a folder that are taken by their `file:line`: on the first engine, and on each of
/// the others or, by default, on one of them in turn.
fn check_on(
    engines: &[EngineKind],
    simulator: &Simulator,
    folder: &str,
    lines: usize,
    is_taken: impl Fn(&str, &Case) -> bool,
) {
    let model = (simulator.model)();
    let mut wrong = Vec::new();
    let mut cases = read_cases(folder, model, &mut wrong);
    cases.retain(|(place, case)| is_taken(place, case));
    assert_eq!(cases.len(), lines, "cases of {folder}");
    let [first, others @ ..] = engines else { panic!("no engine") };
    let step = if is_thorough() { 1 } else { 1 + cases.len() / MANY };
    for (index, (place, case)) in cases.iter().step_by(step).enumerate() {
        let in_turn = &others[index % others.len()..][..1];
        let others = if is_thorough() { others } else { in_turn };
        for kind in std::iter::once(first).chain(others) {
            let mut engine = simulator.engine(*kind);
            for difference in compare(case, engine.as_mut(), model) {
                wrong.push(format!("{place}: {kind:?}: {difference}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{} mismatches:\n{}", wrong.len(), wrong.join("\n"));
}

/// The cases of a model with their `file:line`, read for itself or for one of the same architecture.
fn read_cases(name: &str, model: &Model, wrong: &mut Vec<String>) -> Vec<(String, Case)> {
    let folder = path(&format!("models/{name}/cases"));
    let entries = fs::read_dir(&folder).expect("the model has cases");
    let mut files: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
    files.sort();
    let mut cases = Vec::new();
    for file in files {
        let text = fs::read_to_string(&file).expect("a case file is text");
        let name = file.file_name().expect("a file has a name").to_string_lossy().into_owned();
        for (line, number) in text.lines().zip(1..) {
            let place = format!("{name}:{number}");
            match read_case(line, model) {
                Ok(Some(case)) => cases.push((place, case)),
                Ok(None) => {}
                Err(error) => wrong.push(format!("{place}: {error}")),
            }
        }
    }
    cases
}

#[test]
fn every_case_of_rv32im_holds_on_every_engine() {
    check(&RV32IM, 3182);
}

#[test]
fn every_case_of_rv32imc_holds_on_every_engine() {
    check_on(&ENGINES_OF_ONE_FORM, &RV32IMC, "rv32imc", 1951, |_, _| true);
}

/// What RV32IM and RV32IMC have in common: all but words that are no instruction, and jumps to
/// where only 16-bit words can be.
#[test]
fn every_case_of_rv32im_that_is_one_of_rv32imc_holds_there() {
    check_on(&ENGINES_OF_ONE_FORM, &RV32IMC, "rv32im", 3081, |place, case| {
        !place.starts_with("illegal.ins") && case.end != End::Illegal
    });
}

#[test]
fn every_case_of_rv64imac_holds_on_every_engine() {
    check_on(&ENGINES_OF_ONE_FORM, &RV64IMAC, "rv64imac", 8564, |_, _| true);
}

#[test]
fn every_case_of_mips32_holds_on_every_engine() {
    check_on(&ENGINES_OF_ONE_FORM, &MIPS32, "mips32", 5765, |_, _| true);
}

#[test]
fn every_case_of_armv6m_holds_on_every_engine() {
    check_on(&ENGINES_OF_ONE_FORM, &ARMV6M, "armv6m", 3586, |_, _| true);
}

#[test]
fn every_case_of_avr_holds_on_every_engine() {
    check_on(&ENGINES_OF_ONE_FORM, &AVR, "avr", 3191, |_, _| true);
}

#[test]
fn every_case_of_vliw4_holds_on_every_engine() {
    check_on(&ENGINES_OF_ONE_FORM, &VLIW4, "vliw4", 3496, |_, _| true);
}

/// What a processor does is described anew now and then: no such model may be lost to the engine by it,
/// which the cases above would pass over.
#[test]
fn what_does_not_overlap_is_translated() {
    for simulator in [TINY8, RV32IM, RV32IMC, RV64IMAC, MIPS32, ARMV6M, AVR] {
        assert!(simulator.translated(true, 2).is_some(), "{}", simulator.name);
    }
}

/// The sum of what the emitted engine's reports say of the cases of some folders, and how many cases
/// they have.
fn run_cases(simulator: &Simulator, folders: &[&str], is_taken: impl Fn(&Case) -> bool) -> Measurement {
    let model = (simulator.model)();
    let mut wrong = Vec::new();
    let mut all: Option<Measurement> = None;
    for (_, case) in folders.iter().flat_map(|folder| read_cases(folder, model, &mut wrong)) {
        if !is_taken(&case) {
            continue;
        }
        let mut engine = simulator.engine(EngineKind::Emitted);
        // A case of another model of the family may end elsewhere here.
        execute(&case, engine.as_mut(), model).expect("the case has a place here");
        let measurement = engine.measurement().expect("the engine profiles");
        match &mut all {
            Some(all) => add_counts(all, measurement),
            None => all = Some(measurement),
        }
    }
    assert_eq!(wrong, [""; 0], "{}", simulator.name);
    all.expect("there are cases")
}

/// Adds what a run has executed, cancelled and found at fault, by address and word; two words at an
/// address are two instructions.
fn add_counts(all: &mut Measurement, one: Measurement) {
    for (key, record) in one.instructions {
        all.instructions
            .entry(key)
            .and_modify(|sum| {
                sum.executed += record.executed;
                sum.cancelled += record.cancelled;
                sum.faulted += record.faulted;
            })
            .or_insert(record);
    }
}

/// What of an instruction's operand ends in a fault or a trap by its nature: the beginning of both in a line
/// that says so, and the values.
struct AtFault {
    instructions: Which,
    /// The operand, or all.
    place: &'static str,
    values: &'static [&'static str],
}

/// Instructions of a model.
enum Which {
    Named(&'static [&'static str]),
    /// Those whose BEHAVIOR accesses memory.
    Accessing,
}

impl Which {
    fn names(&self, model: &Model) -> Vec<String> {
        match self {
            Which::Named(names) => names.iter().map(ToString::to_string).collect(),
            Which::Accessing => {
                let encoder = Encoder::new(model);
                let accessing = encoder.instructions().iter().filter(|one| one.touches_memory);
                accessing.map(|one| one.name.clone()).collect()
            }
        }
    }
}

impl AtFault {
    /// Whether a line is one of these, for the names of the instructions.
    fn has(&self, names: &[String], line: &str) -> bool {
        let Some((instruction, (place, value))) = line
            .split_once(": ")
            .and_then(|(instruction, rest)| Some((instruction, rest.split_once(" is never ")?)))
        else {
            return false;
        };
        let is_named = |name: &String| instruction.contains(&format!("({name}("));
        names.iter().any(is_named)
            && [place, ""].contains(&self.place)
            && (self.values.is_empty() || self.values.contains(&value))
    }
}

/// Every instruction of the set is executed, but those that end in a trap by their nature, and has every
/// register in every operand and the corner values of every number: by the report of the runs. What
/// cannot run to its end is tried at least, and named here; how much there is stands in the model's README.
#[test]
fn the_cases_leave_nothing_out() {
    const UNDEFINED: [&str; 2] =
        ["decode(instr(undefined(undefined_short())))", "decode(instr(undefined(undefined_long())))"];
    // There is no memory near 0, and a jump ends at a multiple of 4 where all instructions have 4 bytes.
    const ACCESSES: AtFault = AtFault { instructions: Which::Accessing, place: "rs1", values: &["zero"] };
    const JUMP: AtFault =
        AtFault { instructions: Which::Named(&["jal"]), place: "offset", values: &["greatest"] };
    const NO_INSTRUCTION: AtFault = AtFault {
        instructions: Which::Named(&["undefined", "udf", "udf_long", "no_instruction"]),
        place: "",
        values: &[],
    };
    const MIPS_ACCESSES: AtFault =
        AtFault { instructions: Which::Accessing, place: "base", values: &["zero"] };
    // Places that this chip has nothing in.
    const AVR_BITS: AtFault = AtFault {
        instructions: Which::Named(&["sbic", "sbis", "sbi", "cbi"]),
        place: "a",
        values: &["0", "31"],
    };
    const AVR_PORTS: AtFault =
        AtFault { instructions: Which::Named(&["in", "out"]), place: "a", values: &["0"] };
    const AVR_DATA: AtFault =
        AtFault { instructions: Which::Named(&["lds", "sts"]), place: "k", values: &["greatest"] };
    for (simulator, folders, trapping, at_fault) in [
        (RV32IM, &["rv32im"][..], &[][..], &[ACCESSES, JUMP][..]),
        (RV32IMC, &["rv32im", "rv32imc"], &UNDEFINED, &[ACCESSES, NO_INSTRUCTION]),
        (RV64IMAC, &["rv64imac"], &UNDEFINED, &[ACCESSES, NO_INSTRUCTION]),
        (MIPS32, &["mips32"], &[], &[MIPS_ACCESSES, NO_INSTRUCTION]),
        (ARMV6M, &["armv6m"], &[], &[NO_INSTRUCTION]),
        (AVR, &["avr"], &[], &[AVR_BITS, AVR_PORTS, AVR_DATA]),
        (VLIW4, &["vliw4"], &[], &[]),
        (TINY8, &["tiny8"], &[], &[]),
    ] {
        let name = simulator.name;
        let mut missing = missing((simulator.model)(), &run_cases(&simulator, folders, |_| true));
        assert_eq!(missing.instructions, trapping, "{name}");
        assert_eq!(missing.values, [""; 0], "{name}");
        for known in at_fault {
            let names = known.instructions.names((simulator.model)());
            missing.at_fault.retain(|line| !known.has(&names, line));
        }
        assert_eq!(missing.at_fault, [""; 0], "{name}: at fault alone");
        let readme =
            fs::read_to_string(path(&format!("models/{name}/README.md"))).expect("the model has one");
        assert!(readme.contains(&missing.reached), "{name}: its README does not say: {}", missing.reached);
    }
}

/// An instruction that no case has is told, and so is each value of its operands; nothing else is.
#[test]
fn what_cases_leave_out_is_told() {
    let is_mulhsu = |case: &Case| case.text.starts_with("mulhsu ");
    let mut runs = run_cases(&RV32IM, &["rv32im"], |case| case.text.starts_with("mulhu "));
    let fewer = missing((RV32IM.model)(), &runs);
    add_counts(&mut runs, run_cases(&RV32IM, &["rv32im"], is_mulhsu));
    let all = missing((RV32IM.model)(), &runs);
    let told = |fewer: Vec<String>, all: &[String]| -> Vec<String> {
        fewer.into_iter().filter(|line| !all.contains(line)).collect()
    };
    assert_eq!(told(fewer.instructions, &all.instructions), ["decode(instr(multiplication(mulhsu())))"]);
    let values = told(fewer.values, &all.values);
    assert_eq!(values.len(), 3 * 32);
    assert!(values.iter().all(|value| value.starts_with("decode(instr(multiplication(mulhsu()))): ")));
}

/// Traps, interlocks and stalls are nothing that a single instruction may notice.
#[test]
fn every_case_of_rv32im_holds_on_its_pipeline() {
    let model = (RV32IM5.model)();
    let mut wrong = Vec::new();
    let cases = read_cases("rv32im", model, &mut wrong);
    assert_eq!(cases.len(), 3182, "cases of rv32im");
    for (place, case) in &cases {
        for kind in [EngineKind::Reference, EngineKind::Emitted] {
            let mut engine = RV32IM5.engine(kind);
            let differences = compare_overlapping(case, engine.as_mut(), model, (RV32IM.model)());
            wrong
                .extend(differences.into_iter().map(|difference| format!("{place}: {kind:?}: {difference}")));
        }
    }
    assert!(wrong.is_empty(), "{} mismatches:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn a_case_that_does_not_hold_on_a_pipeline_is_noticed_in_every_part() {
    let model = (RV32IM5.model)();
    for (line, differences) in [
        ("0x80000000: 93 02 13 00 | | t1=4 | t0=5", &[][..]),
        ("0x80000000: 93 02 13 00 | | t1=4 | t0=6", &["t0 is 0x5, expected 0x6"]),
        ("0x80000000: 93 02 13 00 | | t1=4 |", &["t0 is 0x5, expected 0x0"]),
        ("0x80000000: 93 02 13 00 | | t1=4 | t0=5 halt=1", &["the end is Ran, expected Halted(1)"]),
        (
            "0x80000000: 23 20 53 00 | | t0=3 t1=0x20000 |",
            &["byte 0x20000 of defaultmap is 0x3, expected 0x0"],
        ),
    ] {
        let case = read_case(line, model).expect("a case").expect("no comment");
        let mut engine = RV32IM5.engine(EngineKind::Reference);
        let found = compare_overlapping(&case, engine.as_mut(), model, (RV32IM.model)());
        assert_eq!(found, differences, "{line}");
    }
    let line = "0x80000000: 6f 00 80 00 | | | pc=0x80000004";
    let case = read_case(line, model).expect("a case").expect("no comment");
    let mut engine = RV32IM5.engine(EngineKind::Reference);
    let differences = compare_overlapping(&case, engine.as_mut(), model, (RV32IM.model)());
    assert_eq!(differences.len(), 1);
    assert!(differences[0].starts_with("the program goes on elsewhere than at 0x80000004: "));
}

#[test]
fn every_case_of_pdp11_holds_on_every_engine() {
    check(&PDP11, 545);
}

#[test]
fn every_case_of_tiny8_holds_on_every_engine() {
    check(&TINY8, 710);
}

#[test]
fn a_line_says_what_is_wrong_with_it() {
    let model = (TINY8.model)();
    for (line, message) in [
        ("0x10: 03 | add ax, bx | ax=1", "expected four fields between `|`, found 3"),
        ("16 03 | | |", "expected `address:` before the bytes"),
        ("0x10: 3 | | |", "`3` is no byte of two hexadecimal digits"),
        ("0x10: 03 | | ax |", "`ax` is no `place=number`"),
        ("0x10: 03 | | cx=1 |", "`cx` is no place of the model"),
        ("0x10: 03 | | ax=one |", "`one` is no number"),
        ("0x10: 03 | | | fault=sometimes", "`sometimes` is no fault"),
        ("0x10: 03 | | halt=1 |", "`halt` is no place of the model"),
        ("0x10: 03 | | othermap[1]=1 |", "`othermap[1]` is no place of the model"),
    ] {
        assert_eq!(read_case(line, model), Err(message.to_owned()), "{line}");
    }
}

#[test]
fn a_case_that_does_not_hold_is_noticed_in_every_part() {
    let model = (TINY8.model)();
    for (line, differences) in [
        ("0x10: 03 | add ax, bx | ax=1 bx=2 | ax=4", &["ax is 0x3, expected 0x4"][..]),
        ("0x10: 03 | add ax, bx | ax=1 bx=2 z=1 | ax=3", &["z is 0x0, expected 0x1"]),
        ("0x10: 03 | add ax, bx | ax=1 bx=2 | ax=3 pc=0x10", &["pc is 0x11, expected 0x10"]),
        ("0x10: 03 | | ax=1 bx=2 | ax=3 halt=1", &["the end is Ran, expected Halted(1)"]),
        ("0x10: cc | store ax | ax=1 ptr=0x80 |", &["byte 0x80 of defaultmap is 0x1, expected 0x0"]),
        (
            "0x10: cc | store ax | ax=1 ptr=0x80 | defaultmap[0x81]=1",
            &["byte 0x80 of defaultmap is 0x1, expected 0x0", "byte 0x81 of defaultmap is 0x0, expected 0x1"],
        ),
    ] {
        let case = read_case(line, model).expect("a case").expect("no comment");
        for kind in ENGINES {
            assert_eq!(compare(&case, TINY8.engine(kind).as_mut(), model), differences, "{line}");
        }
    }
}
