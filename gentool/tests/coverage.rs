//! Coverage for CI: what has to be covered, what need not be, and the files that CI services read.

mod command_in_folder;
#[path = "../../tests/support/installed.rs"]
mod installed;
#[path = "coverage/interrupted.rs"]
mod interrupted;

use std::fs;
use std::process::Command;

use command_in_folder::{CSV, RV32IM, gentool};
use installed::can_compare;
use tempfile::TempDir;

const CRC: &str = "models/rv32im/programs/crc32.elf";

fn measured() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    gentool(
        &folder,
        &format!("run {RV32IM} {CSV} --engine reference --limit-instructions 60000 --profile @p"),
    );
    folder
}

/// Status and messages.
fn report(folder: &TempDir, options: &str) -> (Option<i32>, String) {
    let output = gentool(folder, &format!("report @p -o @out {options}"));
    (output.status.code(), String::from_utf8(output.stderr).expect("text"))
}

#[test]
fn less_than_is_required_is_told_by_the_exit_status() {
    let folder = measured();
    assert_eq!(report(&folder, "--require instructions=60"), (Some(0), String::new()));
    let (status, said) = report(&folder, "--require instructions=62.01");
    assert_eq!(status, Some(1));
    assert_eq!(said, "error: 31 of 50 instructions were executed, 62.00 %, and 62.01 % are required\n");
    assert!(folder.path().join("out").exists(), "the report is written all the same");
    let model = format!("--image {CSV} --model {RV32IM}");
    let (status, said) = report(&folder, &format!("--require instructions=1,operands=99,pairs=99 {model}"));
    assert_eq!((status, said.lines().count()), (Some(1), 2), "{said}");
    assert!(said.contains("values of operands were executed") && said.contains("pairs of values"), "{said}");
    assert_eq!(report(&folder, &format!("--require operands=1,pairs=0.1 {model}")).0, Some(0));
    let (status, said) = report(&folder, "--require operands=1");
    assert!(status == Some(125) && said.contains("add --model MODEL"), "{said}");
}

#[test]
fn what_is_excluded_needs_a_reason_and_must_not_have_run() {
    let folder = measured();
    let exclude = |text: &str| {
        fs::write(folder.path().join("x"), text).expect("a file");
        report(&folder, "--format junit --require instructions=100 --exclude @x")
    };
    let (status, said) = exclude(
        "# of the base\nslti: no compiler writes it\ndecode(instr(computational(ori()))): nor that\n",
    );
    assert_eq!(status, Some(1));
    assert_eq!(said, "error: 31 of 48 instructions were executed, 64.58 %, and 100.00 % are required\n");
    let junit = fs::read_to_string(folder.path().join("out")).expect("a report");
    assert!(junit.contains("tests=\"50\" failures=\"17\" skipped=\"2\""), "{junit}");
    assert!(junit.contains("<skipped message=\"no compiler writes it\"/>"), "{junit}");
    for (text, expected) in [
        ("slti\n", "x:1: `slti` is excluded without a reason"),
        ("\nnothing: at all\n", "x:2: the instruction set has no `nothing`"),
        ("addi: why\n", "x:1: decode(instr(computational(addi()))) was executed"),
        ("slti: a\nslti: b\n", "x:2: decode(instr(computational(slti()))) is excluded twice"),
    ] {
        let (status, said) = exclude(text);
        assert!(status == Some(125) && said.contains(expected), "{text}: {said}");
    }
}

/// The attribute of the first element of a name.
fn attribute<'a>(xml: &'a str, element: &str, name: &str) -> &'a str {
    let (_, behind) = xml.split_once(&format!("<{element} ")).expect("the element");
    let (_, value) = behind.split_once(&format!("{name}=\"")).expect("the attribute");
    value.split('"').next().unwrap_or_default()
}

#[test]
fn lines_and_branches_for_cobertura_are_those_for_lcov() {
    let folder = measured();
    report(&folder, &format!("--image {CSV} --format cobertura"));
    let cobertura = fs::read_to_string(folder.path().join("out")).expect("a report");
    report(&folder, &format!("--image {CSV} --format lcov"));
    let lcov = fs::read_to_string(folder.path().join("out")).expect("a report");
    let sum = |begins: &str| -> u64 {
        lcov.lines()
            .filter_map(|line| line.strip_prefix(begins))
            .map(|count| count.parse::<u64>().unwrap())
            .sum()
    };
    for (name, begins) in [
        ("lines-valid", "LF:"),
        ("lines-covered", "LH:"),
        ("branches-valid", "BRF:"),
        ("branches-covered", "BRH:"),
    ] {
        assert_eq!(attribute(&cobertura, "coverage", name), sum(begins).to_string(), "{name}");
    }
    assert!(sum("LH:") > 100 && sum("BRH:") > 20);
    let lines: Vec<String> =
        lcov.lines().filter_map(|line| line.strip_prefix("DA:")).map(str::to_owned).collect();
    let shown: Vec<String> = cobertura
        .lines()
        .filter(|line| line.trim_start().starts_with("<line "))
        .map(|line| format!("{},{}", attribute(line, "line", "number"), attribute(line, "line", "hits")))
        .collect();
    assert_eq!(shown, lines);
    assert!(cobertura.contains("condition-coverage=\"50% (1/2)\""), "a branch of which one side was taken");
}

/// The elements of a name, without what is below others of them.
fn elements<'a>(xml: &'a str, name: &str) -> Vec<&'a str> {
    let (open, close) = (format!("<{name}>"), format!("</{name}>"));
    let rest = xml.split(open.as_str()).skip(1);
    rest.filter_map(|rest| rest.split(close.as_str()).next()).collect()
}

fn number(xml: &str, name: &str) -> u64 {
    elements(xml, name).first().and_then(|text| text.parse().ok()).expect("a number")
}

/// The figures of operands add up to the sums, to the executions, and to those of the text and of
/// --require.
#[test]
fn values_of_operands_and_pairs_of_them_are_in_the_report_as_xml_and_as_text() {
    let folder = measured();
    let model = format!("--image {CSV} --model {RV32IM}");
    assert_eq!(report(&folder, &model), (Some(0), String::new()));
    let xml = fs::read_to_string(folder.path().join("out")).expect("the report");
    let operands = elements(&xml, "operands")[0];
    let instructions = elements(operands, "instruction");
    assert!(instructions.len() > 40);
    let (mut values, mut pairs) = ((0, 0), (0, 0));
    for instruction in &instructions {
        let name = elements(instruction, "name")[0];
        let executed: Vec<u64> = elements(instruction, "operand")
            .iter()
            .map(|operand| {
                let counts: Vec<u64> =
                    elements(operand, "value").iter().map(|value| number(value, "executed")).collect();
                let used = counts.iter().filter(|count| **count > 0).count() as u64;
                assert_eq!(number(operand, "used"), used, "{name}");
                if operand.contains("<total>") {
                    assert_eq!(number(operand, "total"), counts.len() as u64);
                    values = (values.0 + used, values.1 + counts.len() as u64);
                }
                counts.iter().sum()
            })
            .collect();
        assert!(executed.windows(2).all(|pair| pair[0] == pair[1]), "{name}: {executed:?}");
        for pair in elements(instruction, "pair") {
            let both = elements(pair, "both");
            assert_eq!(number(pair, "used"), both.len() as u64);
            assert_eq!(both.iter().map(|both| number(both, "executed")).sum::<u64>(), executed[0], "{name}");
            if pair.contains("<total>") {
                pairs = (pairs.0 + both.len() as u64, pairs.1 + number(pair, "total"));
            }
        }
    }
    let sums =
        |name| (number(elements(operands, name)[0], "used"), number(elements(operands, name)[0], "total"));
    assert_eq!((sums("values"), sums("pairs")), (values, pairs));

    assert_eq!(report(&folder, &format!("--format text {model}")).0, Some(0));
    let text = fs::read_to_string(folder.path().join("out")).expect("the report");
    let (used, total) = values;
    assert!(text.contains(&format!("\n{used} of {total} values of operands were executed (")), "{text}");
    let (used, total) = pairs;
    assert!(
        text.contains(&format!("\n{used} of {total} pairs of values of operands were executed (")),
        "{text}"
    );
    let (_, said) = report(&folder, &format!("--require pairs=100 {model}"));
    assert!(said.contains(&format!("{used} of {total} pairs")), "{said}");
}

/// What was never run is a branch as well, whoever asks the description; the same as of a run of all.
#[test]
fn branches_that_never_ran_count_if_the_description_is_given() {
    let folder = tempfile::tempdir().expect("a folder");
    let run = format!("run {RV32IM} {CRC} --engine reference");
    gentool(&folder, &format!("{run} --limit-instructions 100 --profile @p"));
    gentool(&folder, &format!("{run} --limit-instructions 1M --profile @all"));
    let made = |profile: &str, options: &str| {
        let output = gentool(&folder, &format!("report {profile} --image {CRC} {options}"));
        (String::from_utf8(output.stdout).expect("text"), String::from_utf8(output.stderr).expect("text"))
    };
    let branches = |lcov: &str| -> usize { lcov.lines().filter(|line| line.starts_with("BRDA:")).count() };
    let (without, note) = made("@p", "--format lcov");
    assert!(note.contains("branches that never ran are left out; with --model MODEL"), "{note}");
    let (with, note) = made("@p", &format!("--format lcov --model {RV32IM}"));
    assert_eq!(note, "");
    let (all, _) = made("@all", &format!("--format lcov --model {RV32IM}"));
    assert!(branches(&without) < 10 && branches(&with) > 50, "{with}");
    // What a computed jump alone leads to is found when that has run.
    assert!(branches(&with).abs_diff(branches(&all)) <= 2, "{} {}", branches(&with), branches(&all));
    assert!(with.lines().any(|line| line.starts_with("BRDA:") && line.ends_with(",-")), "{with}");
    // What ran is told alike.
    for line in without.lines().filter(|line| ["DA:", "FNDA:"].iter().any(|kind| line.starts_with(kind))) {
        assert!(with.lines().any(|other| other == line), "{line}");
    }
    let (cobertura, _) = made("@p", &format!("--format cobertura --model {RV32IM}"));
    assert_eq!(attribute(&cobertura, "coverage", "branches-valid"), branches(&with).to_string());
    let rate: f64 = attribute(&cobertura, "coverage", "branch-rate").parse().expect("a rate");
    assert!(rate < 0.1, "{rate}");
}

/// With a description, without, and of a program of which nothing is known.
#[test]
fn readers_of_cobertura_find_what_they_expect() {
    let is_there = Command::new("xmllint").arg("--version").output().is_ok();
    if !can_compare("xmllint", is_there, "files for Cobertura are held against no schema") {
        return;
    }
    let is_valid = |folder: &TempDir| {
        let dtd = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cobertura.dtd");
        let mut command = Command::new("xmllint");
        command.args(["--noout", "--dtdvalid", dtd, "out"]).current_dir(folder.path());
        let output = command.output().expect("xmllint runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    };
    let folder = measured();
    for more in ["", "--model models/rv32im/rv32im.isac", "--sources models/guests"] {
        assert_eq!(report(&folder, &format!("--image {CSV} --format cobertura {more}")).0, Some(0), "{more}");
        is_valid(&folder);
    }
    let tiny8 = "models/tiny8/tiny8.isac models/tiny8/programs/sum.bin";
    gentool(&folder, &format!("run {tiny8} --engine reference --profile @p"));
    assert_eq!(report(&folder, "--format cobertura --image models/tiny8/programs/sum.bin").0, Some(0));
    is_valid(&folder);
}

#[test]
fn coverage_of_nothing_is_none() {
    let folder = tempfile::tempdir().expect("a folder");
    let tiny8 = "models/tiny8/tiny8.isac models/tiny8/programs/sum.bin";
    gentool(&folder, &format!("run {tiny8} --engine reference --profile @p"));
    report(&folder, "--format cobertura --image models/tiny8/programs/sum.bin");
    let cobertura = fs::read_to_string(folder.path().join("out")).expect("a report");
    for name in ["line-rate", "branch-rate"] {
        assert_eq!(attribute(&cobertura, "coverage", name), "0.0000", "{cobertura}");
    }
}

#[test]
fn what_is_excluded_is_so_in_every_report() {
    let folder = measured();
    fs::write(folder.path().join("x"), "slti: not <needed>\n").expect("a file");
    let options = format!("--exclude @x --model {RV32IM}");
    let made = |more: &str| {
        assert_eq!(report(&folder, &format!("{options} {more}")).0, Some(0), "{more}");
        fs::read_to_string(folder.path().join("out")).expect("a report")
    };
    let text = made("--format text");
    assert!(text.contains("31 of 49 instructions of the set were executed (63.26 %)\n1 more is excluded:\n    decode(instr(computational(slti()))): not <needed>\n"), "{text}");
    assert!(!text.contains("decode(instr(computational(slti()))) "), "{text}");
    let xml = made("--format xml");
    assert!(xml.contains("<total>49</total>") && xml.contains("<percent>63.26</percent>"));
    assert!(
        xml.contains(
            "<instruction reason=\"not &lt;needed&gt;\">\n        <name>decode(instr(computational(slti())))</name>"
        )
    );
    let unused = elements(&xml, "unused")[0];
    assert!(unused.contains("sltiu") && !unused.contains("slti()"), "{unused}");
    let page = made("--format html");
    let data: serde_json::Value = serde_json::from_str(
        page.split_once("id=\"data\">").expect("data").1.split("</script>").next().expect("it ends"),
    )
    .expect("JSON");
    assert_eq!((&data["coverage"]["used"], &data["coverage"]["total"]), (&31.into(), &49.into()));
    let [number, reason] = [0, 1].map(|at| data["coverage"]["excluded"][0][at].clone());
    assert_eq!(reason, "not <needed>");
    assert_eq!(
        data["instructions"]["name"][number.as_u64().expect("a number") as usize],
        "decode(instr(computational(slti())))"
    );
    assert!(data["description"]["operands"][number.to_string()].is_null());
}

#[test]
fn the_description_alone_tells_operands() {
    let folder = measured();
    let model = format!("--model {RV32IM}");
    for more in ["--format text", "--format xml", "--format html", "--format text --require operands=1"] {
        assert_eq!(report(&folder, &format!("{model} {more}")), (Some(0), String::new()), "{more}");
    }
    let (status, said) = report(&folder, &format!("{model} --format estimates"));
    assert!(status == Some(125) && said.contains("add --image FILE"), "{said}");
}

#[test]
fn a_program_that_was_not_run_is_refused() {
    let folder = measured();
    for format in ["top", "text", "lcov", "cobertura", "xml", "html", "estimates"] {
        let (status, said) = report(&folder, &format!("--image {CRC} --format {format}"));
        if format == "text" && status == Some(0) {
            continue;
        }
        assert_eq!(status, Some(125), "{format}: {said}");
        let expected = "the profile is of a run of csv.elf, and crc32.elf is another program";
        assert!(said.contains(expected) && said.contains("--image-differs"), "{said}");
    }
    assert_eq!(report(&folder, &format!("--image {CRC} --image-differs --format top")).0, Some(0));
    // The same code is the same program, whatever the file is called.
    let same = folder.path().join("same.elf");
    fs::copy(std::path::Path::new("..").join(CSV), &same).expect("a copy");
    assert_eq!(report(&folder, "--image @same.elf --format top").0, Some(0));
}

#[test]
fn sources_are_named_so_that_others_find_them() {
    let folder = measured();
    report(&folder, &format!("--image {CSV} --sources @deep --format lcov"));
    let lcov = fs::read_to_string(folder.path().join("out")).expect("a report");
    let expected = format!("SF:{}/models/guests/csv.c\n", folder.path().join("deep").display());
    assert!(lcov.contains(&expected), "{lcov}");
    report(&folder, &format!("--image {CSV} --sources @deep --format cobertura"));
    let cobertura = fs::read_to_string(folder.path().join("out")).expect("a report");
    let expected = format!("<source>{}</source>", folder.path().join("deep").display());
    assert!(cobertura.contains(&expected) && cobertura.contains("filename=\"models/guests/csv.c\""));
}
