//! The page that `gentool run` and `gentool report` write, against the XML report of the same run.

mod command_in_folder;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use command_in_folder::{CSV, RV32IM, gentool};
use serde_json::Value;
use tempfile::TempDir;

const RUN: &str = "--engine reference --limit-instructions 60000";

fn path(folder: &TempDir, name: &str) -> PathBuf {
    folder.path().join(name)
}

fn page(folder: &TempDir, name: &str) -> String {
    fs::read_to_string(path(folder, name)).expect("the page is there")
}

fn data(page: &str) -> Value {
    let (_, behind) = page.split_once("id=\"data\">").expect("the page has data");
    let (json, _) = behind.split_once("</script>").expect("the data ends");
    serde_json::from_str(json).expect("the data is JSON")
}

fn count(value: &Value) -> u64 {
    value.as_u64().unwrap_or_else(|| value.as_str().expect("digits").parse().expect("a count"))
}

/// The attributes of all elements of a name, in the XML's order.
fn elements<'a>(xml: &'a str, name: &str) -> Vec<BTreeMap<&'a str, &'a str>> {
    let begins = format!("<{name} ");
    let lines = xml.lines().filter_map(|line| line.trim_start().strip_prefix(&begins));
    let attributes = |line: &'a str| -> BTreeMap<&'a str, &'a str> {
        let parts: Vec<&str> = line.split('"').collect();
        parts.chunks_exact(2).map(|pair| (pair[0].trim().trim_end_matches('='), pair[1])).collect()
    };
    lines.map(attributes).collect()
}

/// The texts of all elements of a name, in the XML's order.
fn texts<'a>(xml: &'a str, name: &str) -> Vec<&'a str> {
    let (begins, ends) = (format!("<{name}>"), format!("</{name}>"));
    let lines = xml.lines().map(str::trim);
    lines.filter_map(|line| line.strip_prefix(&begins)?.strip_suffix(&ends)).collect()
}

#[test]
fn every_figure_of_functions_calls_lines_and_instructions_is_that_of_the_xml() {
    let folder = tempfile::tempdir().expect("a folder");
    gentool(&folder, &format!("run {RV32IM} {CSV} {RUN} --calls --profile @p --html @run.html"));
    gentool(&folder, &format!("report @p --image {CSV} -o @report.xml"));
    let xml = page(&folder, "report.xml");
    let data = data(&page(&folder, "run.html"));
    let functions = elements(&xml, "function");
    assert!(functions.len() > 5, "{}", functions.len());
    let columns =
        ["entered", "executed", "cycles", "reads", "writes", "inclusive_executed", "inclusive_cycles"];
    for (number, function) in functions.iter().enumerate() {
        assert_eq!(data["functions"]["name"][number], function["name"]);
        for column in columns {
            assert_eq!(
                count(&data["functions"][column][number]).to_string(),
                function[column],
                "{column} of {function:?}"
            );
        }
    }
    let sites = data["calls"]["sites"].as_array().unwrap();
    let calls = elements(&xml, "call");
    assert!(!calls.is_empty() && calls.len() == sites.len());
    for (call, site) in calls.iter().zip(sites) {
        assert_eq!(count(&site[3]).to_string(), call["calls"]);
        assert_eq!(count(&site[4]).to_string(), call["inclusive_cycles"]);
    }
    let lines: BTreeMap<(&str, &str), [&str; 3]> = elements(&xml, "line")
        .iter()
        .map(|line| {
            ((line["source"], line["number"]), ["count", "executed", "cycles"].map(|name| line[name]))
        })
        .collect();
    let numbers = data["lines"]["number"].as_array().unwrap();
    assert!(numbers.len() > 100, "{}", numbers.len());
    for (index, number) in numbers.iter().enumerate() {
        let source = data["lines"]["source"][index].as_u64().unwrap() as usize;
        let name = data["sources"][source]["name"].as_str().unwrap();
        let shown =
            ["count", "executed", "cycles"].map(|column| count(&data["lines"][column][index]).to_string());
        assert_eq!(shown, lines[&(name, number.to_string().as_str())], "{name}:{number}");
    }
    let (_, instructions) = xml.split_once("<instructions>").unwrap();
    let (instructions, _) = instructions.split_once("</instructions>").unwrap();
    for (column, element) in [("text", "text"), ("word", "word")] {
        assert_eq!(data["code"][column].as_array().unwrap().len(), texts(instructions, element).len());
        for (shown, text) in data["code"][column].as_array().unwrap().iter().zip(texts(instructions, element))
        {
            assert_eq!(shown, text);
        }
    }
    for column in ["executed", "cycles"] {
        for (shown, text) in data["code"][column].as_array().unwrap().iter().zip(texts(instructions, column))
        {
            assert_eq!(count(shown).to_string(), text);
        }
    }
}

#[test]
fn stacks_of_calls_are_those_of_the_folded_ones() {
    let folder = tempfile::tempdir().expect("a folder");
    gentool(&folder, &format!("run {RV32IM} {CSV} {RUN} --calls --profile @p --html @run.html"));
    let folded =
        String::from_utf8(gentool(&folder, &format!("report @p --image {CSV} --format folded")).stdout)
            .unwrap();
    let data = data(&page(&folder, "run.html"));
    let mut names: Vec<String> = Vec::new();
    let mut lines = Vec::new();
    let mut outermost = 0;
    for stack in data["calls"]["stacks"].as_array().unwrap() {
        let name = data["functions"]["name"][stack[1].as_u64().unwrap() as usize].as_str().unwrap();
        let above = stack[0].as_u64().map(|parent| names[parent as usize].clone() + ";");
        if above.is_none() {
            outermost += count(&stack[3]);
        }
        names.push(above.unwrap_or_default() + name);
        if count(&stack[2]) > 0 {
            lines.push(format!("{} {}\n", names.last().unwrap(), count(&stack[2])));
        }
    }
    assert_eq!(lines.concat(), folded);
    assert_eq!(outermost, 60_000, "the whole run, a cycle for each instruction");
}

#[test]
fn a_page_made_later_is_the_one_that_the_run_wrote() {
    let folder = tempfile::tempdir().expect("a folder");
    let run = |name: &str| gentool(&folder, &format!("run {RV32IM} {CSV} {RUN} --profile @p --html @{name}"));
    run("first.html");
    run("second.html");
    let made = gentool(&folder, &format!("report @p --image {CSV} --model {RV32IM} --html @later.html"));
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let first = page(&folder, "first.html");
    assert_eq!(first, page(&folder, "second.html"));
    assert_eq!(first, page(&folder, "later.html"));
    gentool(&folder, &format!("report @p --image {CSV} --model {RV32IM} --format html -o @again.html"));
    assert_eq!(first, page(&folder, "again.html"));
}

#[test]
fn operands_and_encodings_are_told_by_the_description() {
    let folder = tempfile::tempdir().expect("a folder");
    gentool(&folder, &format!("run {RV32IM} {CSV} {RUN} --html @run.html"));
    let data = data(&page(&folder, "run.html"));
    let names = data["instructions"]["name"].as_array().unwrap();
    let add = names.iter().position(|name| name == "decode(instr(computational(add())))").expect("add");
    let executed = count(&data["instructions"]["executed"][add]);
    assert!(executed > 0);
    let operands = &data["description"]["operands"][add.to_string()];
    let places: Vec<&str> =
        operands["places"].as_array().unwrap().iter().map(|place| place["name"].as_str().unwrap()).collect();
    assert_eq!(places, ["rd", "rs1", "rs2"]);
    for place in operands["places"].as_array().unwrap() {
        assert_eq!(place["values"].as_array().unwrap().len(), 32);
        assert_eq!(place["values"][2], "sp");
        assert_eq!(place["executed"].as_array().unwrap().iter().map(count).sum::<u64>(), executed);
    }
    let map = &data["description"]["encodings"][0];
    assert_eq!((map["name"].as_str(), map["opcode"].as_str()), (Some("instr"), Some("bits 6..2")));
    assert_eq!(map["rows"].as_array().unwrap().len(), names.len());
    assert!(
        map["rows"].as_array().unwrap().iter().all(|row| row[0].as_i64() >= Some(0)),
        "each leads to an instruction"
    );
    let by_row: u64 = map["rows"].as_array().unwrap().iter().map(|row| count(&row[5])).sum();
    let by_opcode: u64 = map["opcodes"].as_array().unwrap().iter().map(|row| count(&row[2])).sum();
    assert_eq!((by_row, by_opcode), (60_000, 60_000));
    assert_eq!(data["description"]["locations"]["add"], "integer.isac:53");
}

/// Several values of the opcode's bits are one instruction: each has the executions of its own words.
#[test]
fn opcodes_have_the_executions_of_their_words() {
    let folder = tempfile::tempdir().expect("a folder");
    let tiny8 = "run models/tiny8/tiny8.isac models/tiny8/programs/sum.bin";
    let run = format!("{tiny8} --engine reference --html @run.html --report @run.xml");
    assert_eq!(gentool(&folder, &run).status.code(), Some(55), "what the program says");
    let (data, xml) = (data(&page(&folder, "run.html")), page(&folder, "run.xml"));
    let map = &data["description"]["encodings"][0];
    assert_eq!((map["opcode"].as_str(), map["width_bits"].as_u64()), (Some("bits 7..4"), Some(8)));
    let mut expected = vec![0; 16];
    // Instructions stand at the end of the report, each with its word and how often it was executed.
    let instructions = xml.split("<instruction>").filter(|part| part.contains("<word>"));
    for instruction in instructions {
        let (word, executed) = (texts(instruction, "word")[0], texts(instruction, "executed")[0]);
        let opcode = usize::from_str_radix(&word[..1], 16).expect("a digit");
        expected[opcode] += executed.parse::<u64>().expect("a count");
    }
    let found: Vec<u64> = map["opcodes"].as_array().unwrap().iter().map(|row| count(&row[2])).collect();
    assert_eq!(found, expected);
    assert_eq!(found.iter().sum::<u64>(), 79, "as many as were executed");
}

#[test]
fn a_page_takes_the_place_of_nothing_that_is_needed() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::copy(Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(CSV), path(&folder, "p.elf"))
        .expect("a copy");
    let cases = [
        ("--html @p.elf", "the page would be written over the program"),
        ("--html @x --report @x", "report and page are both to be written to"),
        ("--html @nowhere/x", "cannot write the page"),
        (&format!("--html {RV32IM}"), "the page would be written over the description"),
    ];
    for (options, expected) in cases {
        let output = gentool(&folder, &format!("run {RV32IM} @p.elf {RUN} {options}"));
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code() == Some(125) && said.contains(expected), "{options}: {said}");
    }
    let output = gentool(&folder, &format!("run {RV32IM} @p.elf {RUN} --calls"));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.code() == Some(125) && said.contains("add --profile FILE"), "{said}");
}

/// Calls lead to many places of code that nobody knows a name of; it is one function all the same.
#[test]
fn code_without_names_costs_no_more_than_the_run() {
    let folder = tempfile::tempdir().expect("a folder");
    gentool(&folder, &format!("run {RV32IM} {CSV} {RUN} --calls --profile @p"));
    gentool(&folder, "report @p --html @page.html");
    let data = data(&page(&folder, "page.html"));
    assert_eq!(data["functions"]["name"], serde_json::json!(["[outside of all files]"]));
    assert_eq!(data["functions"]["inclusive_percent"], serde_json::json!(["100.00"]));
    assert_eq!(data["functions"]["inclusive_cycles"], data["functions"]["cycles"]);
    let stacks = data["calls"]["stacks"].as_array().expect("stacks");
    assert_eq!(stacks.len(), 1, "{stacks:?}");
    assert_eq!(stacks[0][3], data["functions"]["cycles"][0]);
}

/// One result does not take the place of another, however its file is written.
#[test]
fn two_results_go_to_two_files() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::create_dir(path(&folder, "sub")).expect("a folder");
    for results in ["--html @a --profile @./a", "--html @a --profile @sub/../a", "--report @a --profile @./a"]
    {
        let run = gentool(&folder, &format!("run {RV32IM} {CSV} {RUN} {results}"));
        let errors = String::from_utf8_lossy(&run.stderr).into_owned();
        assert!(run.status.code() == Some(125) && errors.contains("name two files"), "{results}: {errors}");
        assert!(!path(&folder, "a").exists(), "{results}");
    }
}
