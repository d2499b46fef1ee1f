//! Profiles of several programs, added up: the coverage of a test suite.

mod command_in_folder;

use std::collections::BTreeSet;
use std::fs;

use command_in_folder::{CSV, RV32IM, gentool};
use serde_json::Value;
use tempfile::TempDir;

const OTHER: &str = "models/rv32im/programs/crc32.elf";

/// Status, output and messages.
fn said(folder: &TempDir, line: &str) -> (Option<i32>, String, String) {
    let output = gentool(folder, line);
    let [out, err] = [output.stdout, output.stderr].map(|text| String::from_utf8(text).expect("text"));
    (output.status.code(), out, err)
}

/// A folder with runs of two programs, `a` and `a2` of one and `b` of the other.
fn suite() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, program, limit) in [("a", CSV, 40_000), ("a2", CSV, 90_000), ("b", OTHER, 50_000)] {
        let run = format!("run {RV32IM} {program} --engine reference --limit-instructions {limit}");
        assert_eq!(said(&folder, &format!("{run} --description-coverage --profile @{name}")).0, Some(124));
    }
    folder
}

fn text(folder: &TempDir, name: &str) -> String {
    fs::read_to_string(folder.path().join(name)).expect("a file")
}

/// Names below an element of a report.
fn unused(folder: &TempDir, profile: &str) -> BTreeSet<String> {
    let (status, xml, errors) = said(folder, &format!("report {profile} --format xml"));
    assert_eq!(status, Some(0), "{errors}");
    let list =
        xml.split_once("<unused>").and_then(|(_, list)| list.split_once("</unused>")).expect("a list").0;
    list.lines().map(|line| line.trim().to_owned()).filter(|line| !line.is_empty()).collect()
}

/// `used of total`, the numbers before some words.
fn share(text: &str, what: &str) -> [u64; 2] {
    let line = text.lines().find(|line| line.contains(what)).expect("the line");
    let words: Vec<&str> = line.split(' ').collect();
    [words[0], words[2]].map(|word| word.parse().expect("a number"))
}

#[test]
fn a_suite_has_used_what_each_of_its_programs_has_used() {
    let folder = suite();
    let (status, _, errors) = said(&folder, "merge @a @b -o @suite");
    assert_eq!(status, Some(0));
    assert!(errors.starts_with("note: the profiles are of 2 programs; "), "{errors}");
    let both = unused(&folder, "@suite");
    let expected: BTreeSet<String> =
        unused(&folder, "@a").intersection(&unused(&folder, "@b")).cloned().collect();
    assert_eq!(both, expected);
    assert!(unused(&folder, "@a").len() > both.len() && unused(&folder, "@b").len() > both.len());
    let report = |profiles: &str| {
        let options = format!("--format text --model {RV32IM}");
        said(&folder, &format!("report {profiles} {options}")).1
    };
    let [sum, a, b] = ["@suite", "@a", "@b"].map(report);
    assert_eq!(sum, report("@a @b"), "made of the files it is the same");
    for what in ["instructions of the set", " values of operands", "pairs of values", "lines of", "sides of"]
    {
        let [sum, a, b] = [&sum, &a, &b].map(|text| share(text, what));
        assert!(sum[0] >= a[0].max(b[0]) && sum[0] <= a[0] + b[0] && sum[1] == a[1], "{what}: {sum:?}");
    }
    assert!(sum.contains("csv.elf") && sum.contains("crc32.elf"), "{sum}");
    // Thresholds hold of all together.
    let used = share(&sum, "instructions of the set");
    let percent = format!("{}.{:02}", used[0] * 100 / used[1], used[0] * 10_000 / used[1] % 100);
    let require = |profiles: &str| {
        let options = format!("--require instructions={percent} -o @out");
        said(&folder, &format!("report {profiles} {options}")).0
    };
    assert_eq!(
        (require("@suite"), require("@a @b"), require("@a"), require("@b")),
        (Some(0), Some(0), Some(1), Some(1))
    );
}

#[test]
fn the_order_and_grouping_of_merging_do_not_matter() {
    let folder = suite();
    for (line, out) in [
        ("@a @a2 @b", "first"),
        ("@b @a2 @a", "second"),
        ("@a @a2", "left"),
        ("@left @b", "third"),
        ("@a2 @b", "right"),
        ("@right @a", "fourth"),
    ] {
        assert_eq!(said(&folder, &format!("merge {line} -o @{out}")).0, Some(0), "{line}");
    }
    let first = text(&folder, "first");
    for other in ["second", "third", "fourth"] {
        assert!(text(&folder, other) == first, "{other}");
    }
    let (status, out, errors) = said(&folder, "verify @first");
    assert_eq!((status, out.lines().last()), (Some(0), Some("consistent")), "{errors}");
    let (_, out, _) = said(&folder, "diff @first @second");
    assert!(out.contains("all counts are equal"), "{out}");
    let (_, out, _) = said(&folder, "diff @a @first");
    assert!(
        out.contains("runs of 1 and of 2 programs: addresses are not compared")
            && !out.contains("  address\n"),
        "{out}"
    );
    assert!(out.contains("decode(instr(computational(addi())))"), "{out}");
}

/// An ELF file whose headers are loaded with its code, as linkers often lay it out: with a table of sections,
/// or stripped of it.
fn headers_and_code(has_sections: bool) -> Vec<u8> {
    let code = [0x05d0_0893_u32, 0x0000_0513, 0x0000_0073];
    let size = 52 + 32 + 4 * code.len() as u32;
    let (sections, count) = if has_sections { (size, 1) } else { (0, 0) };
    let halves = |pair: [u16; 2]| u32::from(pair[0]) | u32::from(pair[1]) << 16;
    let header = [halves([2, 0xf3]), 1, 0x10054, 52, sections, 0, halves([52, 32]), halves([1, 40]), count];
    let segment = [1, 0, 0x10000, 0x10000, size, size, 5, 0x1000];
    let mut bytes = b"\x7fELF\x01\x01\x01\0\0\0\0\0\0\0\0\0".to_vec();
    bytes.extend(header.into_iter().chain(segment).chain(code).flat_map(u32::to_le_bytes));
    bytes.extend([0; 40].iter().take(if has_sections { 40 } else { 0 }));
    bytes
}

#[test]
fn a_stripped_program_is_the_same_program() {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, has_sections) in [("whole.elf", true), ("stripped.elf", false)] {
        fs::write(folder.path().join(name), headers_and_code(has_sections)).expect("a file");
        let run = format!("run {RV32IM} @{name} --engine reference --profile @{name}.profile");
        let (status, _, errors) = said(&folder, &run);
        assert_eq!(status, Some(0), "{errors}");
    }
    let (status, top, errors) = said(&folder, "report @stripped.elf.profile --image @whole.elf --format top");
    assert_eq!(status, Some(0), "{errors}");
    assert!(top.contains("whole.elf"), "{top}");
    for (one, other, out) in [("whole", "stripped", "sum"), ("stripped", "whole", "sum2")] {
        let merge = format!("merge @{one}.elf.profile @{other}.elf.profile -o @{out}");
        assert_eq!(said(&folder, &merge), (Some(0), String::new(), String::new()));
    }
    assert_eq!(
        text(&folder, "sum").lines().skip(1).collect::<Vec<_>>(),
        text(&folder, "sum2").lines().skip(1).collect::<Vec<_>>()
    );
    let (status, xml, errors) = said(&folder, "report @sum --format xml");
    assert_eq!(status, Some(0), "{errors}");
    assert!(xml.contains("<address>0x00010054</address>"), "{xml}");
}

#[test]
fn coverage_of_the_description_adds_up_over_programs() {
    let folder = suite();
    let count = |profiles: &str| -> Vec<u64> {
        let line = format!("report {profiles} --format lcov-description --model {RV32IM}");
        let (status, lcov, errors) = said(&folder, &line);
        assert_eq!(status, Some(0), "{errors}");
        let counts =
            lcov.lines().filter_map(|line| line.strip_prefix("DA:")?.split(',').nth(1)?.parse().ok());
        counts.collect()
    };
    let [a, b, sum] = ["@a", "@b", "@a @b"].map(count);
    assert!(sum.len() > 70 && sum.iter().zip(a.iter().zip(&b)).all(|(sum, (a, b))| *sum == a + b));
}

#[test]
fn what_belongs_to_one_program_is_refused_with_a_remedy() {
    let folder = suite();
    assert_eq!(said(&folder, "merge @a @b -o @suite").0, Some(0));
    for line in [
        &format!("report @suite --format lcov --image {CSV}"),
        &format!("report @suite --format xml --image {CSV}"),
        "report @suite --format estimates",
        "report @suite --format flow-dot",
        "counters @suite",
        &format!("verify @suite --image {CSV}"),
    ] {
        let (status, _, errors) = said(&folder, line);
        assert_eq!(status, Some(125), "{line}");
        assert!(errors.contains("of 2 programs") && errors.contains("name the profiles of one"), "{errors}");
    }
    let (status, out, _) = said(&folder, &format!("advise {RV32IM} @suite --top 999"));
    assert_eq!(status, Some(0));
    assert!(
        out.contains("need the addresses of one program") && out.contains("Registers hardly used"),
        "{out}"
    );
    let immediates = out.split_once("Hot immediates").expect("a list").1;
    assert!(
        immediates.lines().nth(4).is_some_and(|line| line.split_whitespace().count() >= 6),
        "{immediates}"
    );
}

#[test]
fn the_page_names_the_programs_and_has_no_addresses() {
    let folder = suite();
    let (status, _, errors) = said(&folder, &format!("report @a @b --model {RV32IM} --html @page.html"));
    assert_eq!(status, Some(0), "{errors}");
    let page = text(&folder, "page.html");
    let data =
        page.split_once("id=\"data\">").and_then(|(_, data)| data.split_once("</script>")).expect("data").0;
    let data: Value = serde_json::from_str(data).expect("JSON");
    let programs: BTreeSet<&str> =
        data["programs"].as_array().expect("a list").iter().filter_map(|row| row[0].as_str()).collect();
    assert_eq!(programs, ["crc32.elf", "csv.elf"].into());
    for empty in [&data["code"]["address"], &data["functions"]["name"], &data["branches"]] {
        assert_eq!(empty.as_array().map(Vec::len), Some(0), "{empty}");
    }
    assert_eq!(data["instructions"]["by_function"].as_array().map(Vec::len), Some(0));
    assert!(data["description"]["operands"].as_object().is_some_and(|operands| operands.len() > 40));
    assert!(data["description"]["sources"]["files"].as_array().is_some_and(|files| files.len() > 1));
    let gaps = data["gaps"].to_string();
    assert!(gaps.contains("of several programs") && !gaps.contains("Calls were not followed"), "{gaps}");
}
