//! What of a description a run has used: counted on request, and nothing else changes by it.

mod command_in_folder;

use std::fs;
use std::process::Command;

use command_in_folder::{CSV, RV32IM, gentool};
use serde_json::{Value, json};
use tempfile::TempDir;

const TOP: &str = "gentool/tests/description/top.isac";

/// `plus 3`, two ways through `choose`, and `stop`.
const PROGRAM: &[u8] = &[0x03, 0x00, 0x41, 0x42, 0x80];

/// A folder with the program, run and counted.
fn counted() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("p.bin"), PROGRAM).expect("a file");
    let output = gentool(&folder, &format!("run {TOP} @p.bin --description-coverage --profile @p"));
    assert_eq!(output.status.code(), Some(20));
    folder
}

/// Status, output and what was said of errors.
fn said(folder: &TempDir, line: &str) -> (Option<i32>, String, String) {
    let output = gentool(folder, line);
    let text = |bytes| String::from_utf8(bytes).expect("text");
    let errors = text(output.stderr);
    let errors = errors.lines().filter(|line| line.starts_with("error:") || line.starts_with("note: what"));
    (output.status.code(), text(output.stdout), errors.collect::<Vec<_>>().join("\n"))
}

/// The expected file was worked out by hand from the program and the two files of the description.
#[test]
fn every_line_and_every_side_of_a_decision_is_counted_by_file() {
    let folder = counted();
    let (status, lcov, errors) = said(&folder, &format!("report @p --format lcov-description --model {TOP}"));
    assert_eq!((status, errors.as_str()), (Some(0), ""));
    let expected = include_str!("description/expected.info");
    assert_eq!(lcov, expected.replace("SF:", "SF:gentool/tests/description/"));
}

#[test]
fn genhtml_reads_the_tracefile() {
    if Command::new("genhtml").arg("--version").output().is_err() {
        return;
    }
    let folder = counted();
    let file = folder.path().join("model.info");
    let line = format!("report @p --format lcov-description --model {TOP} -o @model.info");
    assert_eq!(said(&folder, &line).0, Some(0));
    let output = Command::new("genhtml")
        .args(["--branch-coverage", "-o"])
        .arg(folder.path().join("html"))
        .arg(file)
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
        .output()
        .expect("genhtml runs");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && text.contains("(17 of 23 lines)"), "{output:?}");
    assert!(text.contains("(12 of 20 branches)"), "{text}");
}

#[test]
fn everything_else_in_a_profile_is_the_same() {
    for (model, program, options) in [
        (RV32IM, CSV, "--calls"),
        ("models/rv32im5/rv32im5.isac", "models/rv32im/programs/crc32.elf", ""),
        ("models/avr/avr.isac", "models/avr/programs/sorting.elf", ""),
        ("models/pdp11/pdp11.isac", "models/pdp11/programs/primes.s19", ""),
        ("models/vliw4/vliw4.isac", "models/vliw4/programs/primes.bin", ""),
        ("models/timing-demo/timing-demo.isac", "models/timing-demo/programs/alternating.bin", ""),
    ] {
        let folder = tempfile::tempdir().expect("a folder");
        let run = format!("run {model} {program} {options} --engine reference --limit-instructions 8000");
        let read = |name: &str, options: &str| {
            gentool(&folder, &format!("{run} --profile @{name} {options}"));
            let text = fs::read_to_string(folder.path().join(name)).expect("a profile");
            let lines = text.lines().filter(|line| !line.starts_with("{\"end\""));
            // The second line has how long it took.
            let lines: Vec<String> =
                lines.enumerate().filter(|(at, _)| *at != 1).map(|(_, line)| line.to_owned()).collect();
            lines
        };
        let plain = read("plain", "");
        let (visits, counted): (Vec<_>, Vec<_>) = read("counted", "--description-coverage")
            .into_iter()
            .partition(|line| line.starts_with("{\"visits\""));
        assert_eq!(visits.len(), 1, "{model}");
        assert!(counted == plain && plain.len() > 10, "{model}");
    }
}

#[test]
fn counts_of_several_runs_add_up_and_those_of_some_are_none() {
    let folder = counted();
    let report = format!("--format lcov-description --model {TOP}");
    let count = |profile: &str, line: &str| {
        let (_, lcov, _) = said(&folder, &format!("report {profile} {report}"));
        lcov.lines().find_map(|found| found.strip_prefix(line)?.parse::<u64>().ok()).expect("a count")
    };
    assert_eq!(said(&folder, "merge @p @p @p -o @three").0, Some(0));
    assert_eq!((count("@p", "DA:17,"), count("@three", "DA:17,"), count("@p @p", "DA:17,")), (3, 9, 6));
    assert_eq!(
        gentool(&folder, &format!("run {TOP} @p.bin --engine reference --profile @plain")).status.code(),
        Some(20)
    );
    let (status, _, errors) = said(&folder, "merge @p @plain -o @both");
    assert_eq!(status, Some(0));
    assert!(errors.contains("measure all with --description-coverage"), "{errors}");
    let (status, _, errors) = said(&folder, &format!("report @both {report}"));
    assert!(status == Some(125) && errors.contains("run with --description-coverage"), "{errors}");
}

/// The page has the counts of the tracefile, and the texts of the files.
#[test]
fn the_page_of_a_run_has_counts_and_texts_of_all_files() {
    let folder = counted();
    let run = format!("run {TOP} @p.bin --description-coverage");
    assert_eq!(said(&folder, &format!("{run} --html @run.html")).0, Some(20));
    assert_eq!(
        said(&folder, &format!("report @p --image @p.bin --model {TOP} --html @later.html")).0,
        Some(0)
    );
    let page = fs::read_to_string(folder.path().join("run.html")).expect("a page");
    assert!(page == fs::read_to_string(folder.path().join("later.html")).expect("a page"));
    let (_, data) = page.split_once("id=\"data\">").expect("data");
    let data = data.split("</script>").next().expect("the data ends");
    let data: Value = serde_json::from_str(data).expect("JSON");
    let sources = &data["description"]["sources"];
    assert_eq!(
        (&sources["lines"], &sources["sides"]),
        (&json!([17, 23, "73.91"]), &json!([12, 20, "60.00"]))
    );
    let lcov = include_str!("description/expected.info");
    for (file, expected) in
        sources["files"].as_array().expect("files").iter().zip(lcov.split_inclusive("end_of_record\n"))
    {
        let name = file["name"].as_str().expect("a path");
        assert!(
            expected.contains(&format!("SF:{}\n", name.trim_start_matches("gentool/tests/description/")))
        );
        let text: Vec<Value> =
            fs::read_to_string(format!("../{name}")).expect("a file").lines().map(Value::from).collect();
        assert_eq!(file["text"], Value::from(text));
        let column = |name: &str| file[name].as_array().expect("a column").clone();
        let lines = column("number").into_iter().zip(column("count"));
        let lines: String = lines.map(|(line, count)| format!("DA:{line},{count}\n")).collect();
        assert!(expected.contains(&lines), "{name}: {lines}");
        for section in column("sections") {
            let [line, name, count] = [0, 1, 2].map(|at| section[at].clone());
            let name = name.as_str().expect("a name");
            assert!(
                expected.contains(&format!("FN:{line},{name}\n"))
                    && expected.contains(&format!("FNDA:{count},{name}\n"))
            );
        }
        let sides =
            column("decisions").into_iter().map(|decision| decision[1].as_array().expect("sides").len());
        assert!(expected.contains(&format!("BRF:{}\n", sides.sum::<usize>())));
    }
}

#[test]
fn what_no_program_can_run_is_not_listed() {
    let folder = tempfile::tempdir().expect("a folder");
    let tiny8 = fs::read_to_string("../models/tiny8/tiny8.isac").expect("a model");
    let further = "GROUP small = one, other;\n\
        OPERATION one   { ASSEMBLER { \"one\" };   CODING { 0b0 }; EXPRESSION { clipped(1) }; };\n\
        OPERATION other { ASSEMBLER { \"other\" }; CODING { 0b1 }; EXPRESSION { ax }; };\n\
        FUNCTION bit[8] clipped(bit[8] value) { return value > 3 ? 3 : value; }\n\
        FUNCTION void nobody(bit[8] value) { ptr = value; }\n\
        PSEUDO { \"put\" k:small } -> { \"nib ax, 1\" };\n";
    fs::write(folder.path().join("m.isac"), tiny8.clone() + further).expect("a file");
    let list = |model: &str| {
        let run = format!("run {model} models/tiny8/programs/sum.bin --description-coverage --profile @p");
        let status = said(&folder, &run);
        assert!(status.0.is_some_and(|status| status < 124), "{status:?}");
        let (status, lcov, errors) =
            said(&folder, &format!("report @p --format lcov-description --model {model}"));
        assert_eq!(status, Some(0), "{errors}");
        let lines =
            lcov.lines().filter(|line| ["FNDA:", "DA:", "BRDA:"].iter().any(|kind| line.starts_with(kind)));
        lines.map(str::to_owned).collect::<Vec<_>>()
    };
    let (plain, more) = (list("models/tiny8/tiny8.isac"), list("@m.isac"));
    let added: Vec<&String> = more.iter().filter(|line| !plain.contains(line)).collect();
    let line = tiny8.lines().count() + 5;
    assert_eq!(added, ["FNDA:0,nobody", &format!("DA:{line},0")]);
    assert_eq!(more.len(), plain.len() + 2);
}

#[test]
fn what_cannot_be_told_is_refused_with_a_remedy() {
    let folder = counted();
    let other = format!("--format lcov-description --model {RV32IM}");
    for (line, expected) in [
        (
            format!("run {TOP} @p.bin --description-coverage --profile @q --engine emitted"),
            "leave --engine out",
        ),
        (
            format!("run {TOP} @p.bin --description-coverage --profile @q --engine translated"),
            "leave --engine out",
        ),
        (format!("run {TOP} @p.bin --description-coverage"), "add --profile or --html"),
        ("report @p --format lcov-description".to_owned(), "add --model MODEL"),
        (format!("report @p {other}"), "the profile is of another description"),
        (format!("verify @p --model {RV32IM}"), "the profile is of another description"),
        (format!("report @p --format estimates --model {TOP}"), "add --image FILE"),
    ] {
        let (status, _, errors) = said(&folder, &line);
        assert!(status == Some(125) && errors.contains(expected), "{line}: {errors}");
    }
    // Instructions are looked at without a program, too.
    let (status, text, errors) = said(&folder, &format!("verify @p --model {TOP}"));
    assert!(status == Some(0) && text.ends_with("consistent\n"), "{text}{errors}");
    let hostile = fs::read_to_string(folder.path().join("p"))
        .expect("a profile")
        .replace("\"visits\":[", "\"visits\":[1,");
    fs::write(folder.path().join("hostile"), hostile).expect("a file");
    let (status, _, errors) =
        said(&folder, &format!("report @hostile --format lcov-description --model {TOP}"));
    assert!(status == Some(125) && errors.contains("run anew"), "{errors}");
    let (status, _, errors) = said(&folder, "merge @p @hostile -o @sum");
    assert!(status == Some(125) && errors.contains("points of the description"), "{errors}");
    assert!(!folder.path().join("sum").exists());
}

#[test]
fn the_text_of_a_report_has_the_sums() {
    let folder = counted();
    let (status, text, _) = said(&folder, &format!("report @p --format text --model {TOP} --image @p.bin"));
    assert_eq!(status, Some(0));
    assert!(text.contains("17 of 23 lines of the description were run (73.91 %)\n12 of 20 sides"), "{text}");
}
