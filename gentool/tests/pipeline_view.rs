//! The pipeline in some cycles of a run, kept in the profile for the page and the XML report.

mod command_in_folder;

use std::fs;

use command_in_folder::{CSV, RV32IM, gentool};
use serde_json::Value;
use tempfile::TempDir;

const RUN: &str = "run models/rv32im5/rv32im5.isac models/rv32im/programs/crc32.elf --limit-cycles 3000";
const FIRST: u64 = 1_200;
const CYCLES: u64 = 60;

fn profile(folder: &TempDir, name: &str) -> Option<Value> {
    let text = fs::read_to_string(folder.path().join(name)).expect("a profile");
    let line = text.lines().find(|line| line.starts_with("{\"pipeline\""))?;
    Some(serde_json::from_str::<Value>(line).expect("an entry")["pipeline"].clone())
}

/// A row as the diagram on the terminal draws it: letters of stages, small where it waits.
fn cells(row: &Value) -> String {
    let mut cells = vec![" ".to_owned(); CYCLES as usize];
    let number = |value: &Value| value.as_u64().expect("a number");
    let at = |cycle: u64| (cycle - FIRST) as usize;
    for stay in row["stays"].as_array().expect("stays") {
        let letter = ["F", "I", "E", "M", "W"][number(&stay["stage"]) as usize];
        let waits = stay["waits"].as_bool().expect("true or false");
        let letter = if waits { letter.to_lowercase() } else { letter.to_owned() };
        let from = at(number(&stay["from"]));
        (from..from + number(&stay["cycles"]) as usize).for_each(|cycle| cells[cycle].clone_from(&letter));
    }
    if let Some(end) = row.get("end") {
        let faulted = end["faulted"].as_bool().expect("true or false");
        cells[at(number(&end["cycle"]))] = if faulted { "!" } else { "x" }.to_owned();
    }
    cells.iter().map(|cell| format!("{cell:>3}")).collect::<String>().trim_end().to_owned()
}

#[test]
fn the_view_is_what_the_diagram_draws() {
    let folder = tempfile::tempdir().expect("a folder");
    let windows =
        format!("--pipeline-view {FIRST}:{CYCLES} --pipeline-diagram {FIRST}:{CYCLES} --profile @p");
    let output = gentool(&folder, &format!("{RUN} {windows}"));
    let drawn = String::from_utf8(output.stderr).expect("text");
    let view = profile(&folder, "p").expect("a view");
    assert_eq!((view["first"].as_u64(), view["cycles"].as_u64()), (Some(FIRST), Some(CYCLES)));
    let rows = view["rows"].as_array().expect("rows");
    assert!(rows.len() > 20);
    for row in rows {
        let id = format!("{}  ", row["id"]);
        let line = drawn.lines().find(|line| line.trim_start().starts_with(&id)).expect("a line");
        let text = row["text"].as_str().expect("a text");
        assert!(line.contains(text), "{line}: {text}");
        assert!(line.ends_with(&cells(row)), "{line}\n{}", cells(row));
    }
    let waits = rows.iter().any(|row| cells(row).contains(['f', 'i', 'e', 'm', 'w']));
    let cancelled = rows.iter().any(|row| cells(row).contains('x'));
    assert!(waits && cancelled, "the cycles have something to show");
}

#[test]
fn the_page_and_the_xml_have_it_and_sums_have_not() {
    let folder = tempfile::tempdir().expect("a folder");
    gentool(
        &folder,
        &format!("{RUN} --pipeline-view {FIRST}:{CYCLES} --profile @p --report @xml --html @html"),
    );
    gentool(&folder, &format!("{RUN} --engine reference --profile @plain --report @plainxml"));
    let view = profile(&folder, "p").expect("a view");
    let rows = view["rows"].as_array().expect("rows").len();
    let read = |name: &str| fs::read_to_string(folder.path().join(name)).expect("a file");
    let xml = read("xml");
    let begin = format!("<pipeline first=\"{FIRST}\" cycles=\"{CYCLES}\">");
    assert!(xml.contains(&begin) && xml.matches("<row id=").count() == rows);
    let html = read("html");
    assert!(html.contains(&format!("\"pipeline\":{{\"first\":{FIRST},\"cycles\":{CYCLES},\"rows\":[[")));
    // Everything else is as it is without.
    let (begin, end) = (xml.find("  <pipeline").expect("there"), xml.find("</pipeline>\n").expect("there"));
    let without = format!("{}{}", &xml[..begin], &xml[end + "</pipeline>\n".len()..]);
    assert!(without == read("plainxml"));
    gentool(&folder, "report @p -o @again");
    assert!(read("again") == xml);
    gentool(&folder, "merge @p @p -o @sum");
    assert_eq!(profile(&folder, "sum"), None);
}

#[test]
fn what_cannot_be_shown_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    for (options, expected) in [
        ("--pipeline-view 1:20", "add --html, --report or --profile"),
        ("--pipeline-view 1:20 --profile @p --engine emitted", "--pipeline-view needs the reference engine"),
    ] {
        let output = gentool(&folder, &format!("run {RV32IM} {CSV} {options}"));
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(125) && said.contains(expected), "{said}");
    }
    let said = gentool(&folder, &format!("{RUN} --profile @p --pipeline-view 1:2001")).stderr;
    assert!(String::from_utf8_lossy(&said).contains("at most 2000 cycles"), "{said:?}");
    let said = gentool(&folder, &format!("{RUN} --profile @p --pipeline-view 1M:5")).stderr;
    let said = String::from_utf8_lossy(&said);
    assert!(said.contains("note: the run has none of the cycles of --pipeline-view"), "{said}");
    assert_eq!(profile(&folder, "p"), None);
    // A file that was tampered with: more cycles than anybody could draw.
    gentool(&folder, &format!("{RUN} --profile @p --pipeline-view 1:20"));
    let text = fs::read_to_string(folder.path().join("p")).expect("a profile");
    fs::write(
        folder.path().join("p"),
        text.replace("\"cycles\":20,\"rows\"", "\"cycles\":9000000000,\"rows\""),
    )
    .expect("a file");
    let output = gentool(&folder, "report @p --html @html");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(125) && said.contains("expected 1 to 2000"), "{said}");
}
