//! What an editor is told about descriptions.

mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use isac_parser::diagnostic::Diagnostics;
use isac_parser::source::{FileSystem, SourceMap};
use isac_parser::{check_coverage, load_model};
use serde_json::{Value, json};
use support::{Session, address, find, place, repository};

/// Larger goldens are about size alone, and take long.
const MOST_BYTES: usize = 20_000;

#[test]
fn an_editor_shows_what_gentool_check_says() {
    let folder = repository().join("isac-parser/tests/errors");
    let folders = fs::read_dir(&folder).expect("the goldens are there");
    let entries = folders.flat_map(|entry| fs::read_dir(entry.expect("an entry").path()).expect("goldens"));
    let mut compared = 0;
    for entry in entries {
        let path = entry.expect("an entry").path();
        let is_text = fs::read_to_string(&path).is_ok_and(|text| text.len() < MOST_BYTES);
        if path.extension().is_none_or(|ending| ending != "isac") || !is_text {
            continue;
        }
        let (mut sources, mut found) = (SourceMap::new(), Diagnostics::new());
        let checked = load_model(&path, &FileSystem, &BTreeMap::new(), &mut sources, &mut found);
        if let Some(checked) = &checked {
            check_coverage(checked, &mut found);
        }
        let mut wanted = BTreeSet::new();
        for finding in &found {
            let (line, _) = sources.line_column(finding.primary.0);
            let file =
                fs::canonicalize(sources.path(finding.primary.0.file)).unwrap_or_else(|_| path.clone());
            wanted.insert((file, format!("{line}: {}", finding.code)));
        }
        let nowhere = repository().join("docs/decisions");
        let mut session = Session::new(&nowhere);
        session.open(&path);
        let mut shown = BTreeSet::new();
        for uri in session.shown.keys().cloned().collect::<Vec<_>>() {
            let file = Path::new(uri.strip_prefix("file://").expect("a file")).to_owned();
            shown.extend(session.findings(&file).into_iter().map(|finding| (file.clone(), finding)));
        }
        assert_eq!(shown, wanted, "{}", path.display());
        compared += 1;
    }
    assert!(compared > 100, "{compared} goldens");
}

/// A model of two files, in a folder of its own.
fn two_files() -> (tempfile::TempDir, std::path::PathBuf, std::path::PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path().canonicalize().expect("a path");
    let (main, part) = (root.join("cpu.isac"), root.join("part.isac"));
    fs::write(&main, MAIN).expect("it is written");
    fs::write(&part, PART).expect("it is written");
    (folder, main, part)
}

const MAIN: &str = r#"// A processor of two instructions.
INCLUDE "part.isac";
CONSTANT WIDTH = 8;
RESOURCE {
    PC REGISTER bit[8] pc;
    REGISTER bit[WIDTH] acc;
    REGISTER bit[8] r[4];
    RAM bit[8] ram { SIZE (256); FLAGS (R, W, X); };
    MEMORY_MAP map { RANGE (0x00, 0xff) -> ram; };
};
GROUP instr = add, stop;
OPERATION main { ACTIVATION { step; }; };
OPERATION step {
    INSTANCE instr ALIAS { i };
    CODINGROOT { i (map[pc]); };
    BEHAVIOR { pc = pc + 1; };
};
"#;

const PART: &str = r#"OPERATION add {
    INSTANCE reg ALIAS { src };
    LOCAL { bit[9] sum; };
    ASSEMBLER { "add" src "," value=#U };
    CODING { 0b00 src value=0bx[4] };
    BEHAVIOR {
        bit[8] 𝑥 = 0; bit[8] amount = src + value; sum = acc + amount; acc = sum[7..0];
    };
};
OPERATION reg { ASSEMBLER { index=#NAME(r) }; CODING { index=0bx[2] }; EXPRESSION { r[index] }; };
OPERATION stop { ASSEMBLER { "stop" }; CODING { 0b11xxxxxx }; BEHAVIOR { halt(0); }; };
"#;

/// The second file without the letter that no name may have.
fn part() -> String {
    PART.replace("bit[8] 𝑥 = 0; ", "/* 𝑥 */ ")
}

#[test]
fn an_included_file_is_checked_with_the_file_that_includes_it() {
    let (_folder, main, file) = two_files();
    let mut session = Session::new(main.parent().expect("a folder"));
    session.open_as(&file, &part());
    assert_eq!(session.findings(&file), Vec::<String>::new());
    // What is open counts, and not what lies on the disk, which has an error.
    let broken = part().replace("acc + amount", "ac + amount");
    session.change(&file, 2, &broken);
    assert_eq!(session.findings(&file), ["7: E0201"]);
    session.change(&file, 3, &part());
    assert_eq!(session.findings(&file), Vec::<String>::new());
    // Without it, the other one is wrong.
    session.open(&main);
    session.change(&file, 4, "// nothing\n");
    assert_eq!(session.findings(&main), ["11: E0201", "11: E0201"]);
    session.tell("textDocument/didClose", json!({ "textDocument": { "uri": address(&file) } }));
    assert!(session.findings(&file).contains(&"7: E0101".to_owned()), "{:?}", session.findings(&file));
}

#[test]
fn names_lead_to_their_definitions_and_mentions() {
    let (_folder, main, file) = two_files();
    let text = part();
    fs::write(&file, &text).expect("it is written");
    let mut session = Session::new(main.parent().expect("a folder"));
    session.open(&main);
    let (line, column) = find(MAIN, "add", 0);
    let found = session.at("textDocument/definition", &main, line, column);
    assert_eq!(found[0]["uri"], address(&file));
    assert_eq!(found[0]["range"]["start"], json!({ "line": 0, "character": 10 }));
    // Behind a letter of two units in UTF-16.
    let (line, column) = find(&text, "acc", 0);
    let found = session.at("textDocument/definition", &file, line, column);
    assert_eq!(found[0]["uri"], address(&main));
    let mut params = place(&file, line, column);
    params["context"] = json!({ "includeDeclaration": true });
    let found = session.ask("textDocument/references", params);
    assert_eq!(found.as_array().map(Vec::len), Some(3));
    let (line, column) = find(MAIN, "part.isac", 0);
    let found = session.at("textDocument/definition", &main, line, column);
    assert_eq!(found[0]["uri"], address(&file));
    let found = session.at("textDocument/definition", &main, 0, 4);
    assert_eq!(found, json!([]));
}

#[test]
fn a_name_changes_in_all_files_or_not_at_all() {
    let (_folder, main, file) = two_files();
    let text = part();
    let mut session = Session::new(main.parent().expect("a folder"));
    session.open_as(&file, &text);
    let (line, column) = find(&text, "add", 0);
    let rename = |name: &str| {
        let mut params = place(&file, line, column);
        params["newName"] = json!(name);
        params
    };
    let edit = session.ask("textDocument/rename", rename("plus"));
    let edits = |path: &Path| edit["changes"][address(path)].as_array().map_or(0, Vec::len);
    assert_eq!((edits(&main), edits(&file)), (1, 1));
    for (name, why) in [
        ("stop", "twice"),
        ("2nd", "is no name"),
        ("GROUP", "is no name"),
        ("while", "is no name"),
        ("", "is no name"),
        ("main", "called by the simulator"),
    ] {
        let reason = session.ask_in_vain("textDocument/rename", rename(name));
        assert!(reason.contains(why), "{name}: {reason}");
    }
    // A variable of the name would hide the register.
    let (line, column) = find(&text, "amount", 0);
    let mut params = place(&file, line, column);
    params["newName"] = json!("acc");
    let reason = session.ask_in_vain("textDocument/rename", params.clone());
    assert!(reason.contains("would be hidden, or hide it"), "{reason}");
    params["newName"] = json!("term");
    let edit = session.ask("textDocument/rename", params);
    assert_eq!(edit["changes"][address(&file)].as_array().map(Vec::len), Some(2));
    // Elements of a file are called after it.
    let (line, column) = find(MAIN, "r[4]", 0);
    let mut params = place(&main, line, column);
    params["newName"] = json!("regs");
    let reason = session.ask_in_vain("textDocument/rename", params);
    assert!(reason.contains("give it NAMES first"), "{reason}");
    let (line, column) = find(MAIN, "main", 0);
    let mut params = place(&main, line, column);
    params["newName"] = json!("begin");
    let reason = session.ask_in_vain("textDocument/rename", params);
    assert!(reason.contains("called by its name"), "{reason}");
}

#[test]
fn a_file_that_several_descriptions_share_is_renamed_in_all() {
    let models = repository().join("models");
    let file = models.join("riscv/multiply.isac");
    let text = fs::read_to_string(&file).expect("it can be read");
    let mut session = Session::new(&models);
    session.open(&file);
    assert_eq!(session.findings(&file), Vec::<String>::new());
    let (line, column) = find(&text, "GROUP multiplication", 0);
    let mut params = place(&file, line, column + 6);
    params["newName"] = json!("products");
    let edit = session.ask("textDocument/rename", params);
    let changed: BTreeSet<&str> = edit["changes"]
        .as_object()
        .expect("changes")
        .keys()
        .map(|key| key.rsplit('/').next().unwrap_or(""))
        .collect();
    assert_eq!(
        changed,
        BTreeSet::from(["multiply.isac", "rv32im.isac", "rv32im5.isac", "rv32imc.isac", "rv64imac.isac"])
    );
}

#[test]
fn a_name_changes_in_more_descriptions_than_are_checked() {
    let (_folder, main, file) = two_files();
    fs::write(&file, part()).expect("it is written");
    for number in 0..12 {
        fs::write(main.with_file_name(format!("cpu{number}.isac")), MAIN).expect("it is written");
    }
    let mut session = Session::new(main.parent().expect("a folder"));
    session.open(&file);
    let (line, column) = find(&part(), "add", 0);
    let mut params = place(&file, line, column);
    params["context"] = json!({ "includeDeclaration": true });
    let found = session.ask("textDocument/references", params.clone());
    assert_eq!(found.as_array().map(Vec::len), Some(14));
    params["newName"] = json!("plus");
    let edit = session.ask("textDocument/rename", params);
    assert_eq!(edit["changes"].as_object().map(serde_json::Map::len), Some(14));
}

#[test]
fn a_name_has_the_same_mentions_wherever_it_is_asked_for() {
    let models = repository().join("models");
    let mut found = Vec::new();
    for (name, letters) in [
        ("riscv/multiply.isac", "GROUP division"),
        ("rv32im/rv32im.isac", "division"),
        ("rv32im5/rv32im5.isac", "division"),
    ] {
        let file = models.join(name);
        let text = fs::read_to_string(&file).expect("it can be read");
        let mut session = Session::new(&models);
        session.open(&file);
        let (line, column) = find(&text, letters, 0);
        let column = column + if letters.starts_with("GROUP") { 6 } else { 0 };
        let mut params = place(&file, line, column);
        params["context"] = json!({ "includeDeclaration": true });
        found.push(session.ask("textDocument/references", params.clone()));
        params["newName"] = json!("quotients");
        let edit = session.ask("textDocument/rename", params);
        let edits = edit["changes"].as_object().expect("changes").values();
        let edits: usize = edits.map(|edits| edits.as_array().map_or(0, Vec::len)).sum();
        assert_eq!(found.last().and_then(Value::as_array).map(Vec::len), Some(edits), "{name}");
    }
    assert!(found.iter().all(|other| *other == found[0]), "{found:?}");
    let files: BTreeSet<&str> = found[0]
        .as_array()
        .expect("places")
        .iter()
        .filter_map(|place| place["uri"].as_str()?.rsplit('/').next())
        .collect();
    assert_eq!(
        files,
        BTreeSet::from(["multiply.isac", "rv32im.isac", "rv32im5.isac", "rv32imc.isac", "rv64imac.isac"])
    );
}

#[test]
fn settings_that_make_no_sense_are_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let told = |settings: Value| Session::with(folder.path(), settings).server.take_wrong_settings();
    fs::write(folder.path().join("cpu.isac"), "").expect("it is written");
    for sound in [
        Value::Null,
        json!({}),
        json!({ "roots": ["cpu.isac"], "define": { "XLEN": 32, "N": "0x10" }, "profile": "", "coverage": "hint" }),
        json!({ "isac": { "roots": [], "profile": null, "server": "gentool" } }),
        json!({ "profile": "cpu.isac" }),
    ] {
        assert_eq!(told(sound.clone()), Vec::<String>::new(), "{sound}");
    }
    for (wrong, begin) in [
        (json!(5), "the settings are no object but 5"),
        (json!({ "roots": "cpu.isac" }), "setting roots: expected a list of paths, not \"cpu.isac\""),
        (json!({ "roots": ["cpu.isac", "nope.isac"] }), "setting roots: there is no file"),
        (
            json!({ "define": { "XLEN": -1, "N": 1 } }),
            "setting define: expected a number without sign for XLEN",
        ),
        (json!({ "define": [] }), "setting define: expected names with numbers, not []"),
        (json!({ "profile": "nope.profile" }), "setting profile: there is no file"),
        (json!({ "profile": 7 }), "setting profile: expected a path, not 7"),
        (json!({ "coverage": "bogus" }), "setting coverage: expected lens, hint or none"),
        (json!({ "unknown": 1 }), "there is no setting unknown"),
    ] {
        let told = told(wrong.clone());
        assert!(told.len() == 1 && told[0].starts_with(begin), "{wrong}: {told:?}");
    }
}

fn hover(session: &mut Session, path: &Path, text: &str, letters: &str, number: usize) -> String {
    let (line, column) = find(text, letters, number);
    let found = session.at("textDocument/hover", path, line, column);
    found["contents"]["value"].as_str().unwrap_or_default().to_owned()
}

#[test]
fn names_are_explained() {
    let (_folder, main, file) = two_files();
    let text = part();
    fs::write(&file, &text).expect("it is written");
    let mut session = Session::new(main.parent().expect("a folder"));
    session.open(&main);
    assert_eq!(
        hover(&mut session, &file, &text, "add", 0).split("\n\n```isac").next(),
        Some(
            "**add** OPERATION\n\n`add <src>, <value>`\n\nCODING of 8 bits, 2 of them fixed\n\n```text\n\
\x207  6 5   4 3     0\n┌────┬─────┬───────┐\n│ 00 │ src │ value │\n└────┴─────┴───────┘\n```"
        )
    );
    let shown = hover(&mut session, &file, &text, "value=0bx", 0);
    assert!(shown.contains("4 bits, `bit[4]` in BEHAVIOR"), "{shown}");
    let shown = hover(&mut session, &file, &text, "src", 0);
    assert!(shown.contains("of OPERATION `reg`, part of the CODING"), "{shown}");
    assert!(shown.contains("2 coded bits; its value is `bit[8]`, can be assigned"), "{shown}");
    let shown = hover(&mut session, &main, MAIN, "acc", 0);
    assert!(shown.contains("8 bits") && shown.contains("after reset: 0x0"), "{shown}");
    let shown = hover(&mut session, &main, MAIN, "map {", 0);
    assert!(shown.contains("- `0x0` to `0xff`: RAM `ram`"), "{shown}");
    let shown = hover(&mut session, &main, MAIN, "instr =", 0);
    assert!(shown.contains("2 members, each of 8 bits: `add`, `stop`"), "{shown}");
    let shown = hover(&mut session, &main, MAIN, "256", 0);
    assert_eq!(shown, "`256` = `0x100` = `0b100000000`");
    let shown = hover(&mut session, &file, &text, "amount", 1);
    assert!(shown.contains("`bit[8]`"), "{shown}");
}

fn offered(session: &mut Session, path: &Path, text: &str, letters: &str) -> BTreeSet<String> {
    let (line, column) = find(text, letters, 0);
    let found = session.at("textDocument/completion", path, line, column);
    let items = found.as_array().expect("a list").iter();
    items.map(|item| item["label"].as_str().unwrap_or_default().to_owned()).collect()
}

#[test]
fn what_may_stand_at_the_cursor_is_offered() {
    let (_folder, main, file) = two_files();
    let mut session = Session::new(main.parent().expect("a folder"));
    // `~` is where the cursor is: no word of the language begins with it there.
    let text = part();
    session.open_as(&file, &text);
    session.open(&main);
    let mut check = |path: &Path, text: &str, offers: &[&str], others: &[&str]| {
        let before = if path == main { MAIN.to_owned() } else { part() };
        session.open_as(path, text);
        let found = offered(&mut session, path, text, "~");
        for word in offers {
            assert!(found.contains(*word), "{word} among {found:?}");
        }
        for word in others {
            assert!(!found.contains(*word), "{word} among {found:?}");
        }
        session.open_as(path, &before);
    };
    check(
        &main,
        &MAIN.replace("GROUP instr", "~\nGROUP instr"),
        &["OPERATION", "RESOURCE"],
        &["CODING", "acc"],
    );
    check(&main, &MAIN.replace("add, stop", "~"), &["add", "stop", "reg", "step"], &["acc", "GROUP"]);
    check(&main, &MAIN.replace("SIZE (256)", "~"), &["SIZE", "FLAGS", "LATENCY"], &["KIND", "SIZES"]);
    check(&main, &MAIN.replace("pc = pc + 1;", "map.~"), &["u8", "latency"], &["pc", "stall"]);
    check(&main, &MAIN.replace("OPERATION step {", "OPERATION step {\n~"), &["CODING", "BEHAVIOR"], &["acc"]);
    check(&file, &text.replace("#U", "#~"), &["U", "S", "REL", "NAME"], &["src"]);
    check(
        &file,
        &text.replace("sum = acc", "~ sum = acc"),
        &["amount", "src", "value", "sum", "acc", "halt", "if", "r"],
        &["step", "CODING", "ram"],
    );
    check(&file, &text.replace("{ 0b00 src", "{ ~ src"), &["src", "value", "sum"], &["acc", "amount"]);
    check(&file, &text.replace("\"stop\" }", "\"sto~p\" }"), &[], &["src", "stop"]);
    check(&file, &text.replace("= src + value", "= src.~"), &["index"], &["src", "acc"]);
}

#[test]
fn a_file_has_an_outline_and_colors_and_a_layout() {
    let (_folder, main, file) = two_files();
    fs::write(&file, part()).expect("it is written");
    let mut session = Session::new(main.parent().expect("a folder"));
    session.open(&main);
    let document = |path: &Path| json!({ "textDocument": { "uri": address(path) } });
    let found = session.ask("textDocument/documentSymbol", document(&file));
    let names: Vec<&str> =
        found.as_array().expect("a list").iter().filter_map(|item| item["name"].as_str()).collect();
    assert_eq!(names, ["add", "reg", "stop"]);
    let inner =
        found[0]["children"].as_array().expect("sections").iter().filter_map(|item| item["name"].as_str());
    assert_eq!(inner.collect::<Vec<_>>(), ["src", "sum", "ASSEMBLER", "CODING", "BEHAVIOR"]);
    let found = session.ask("textDocument/semanticTokens/full", document(&file));
    let tokens: Vec<u64> =
        found["data"].as_array().expect("numbers").iter().filter_map(Value::as_u64).collect();
    // OPERATION, a keyword; add, an operation that is defined here; INSTANCE in the next line.
    assert_eq!(tokens[..15], [0, 0, 9, 0, 0, 0, 10, 3, 4, 1, 1, 4, 8, 0, 0]);
    let mut options = document(&file);
    options["options"] = json!({ "tabSize": 4, "insertSpaces": true });
    assert_eq!(session.ask("textDocument/formatting", options.clone()), json!([]));
    session.open_as(&file, &part().replace("    LOCAL", "  LOCAL"));
    let edits = session.ask("textDocument/formatting", options);
    assert_eq!(edits.as_array().map(Vec::len), Some(1));
    assert_eq!(edits[0]["newText"], "    LOCAL { bit[9] sum; };\n");
}

#[test]
fn values_of_constants_can_be_set() {
    let (_folder, main, file) = two_files();
    fs::write(&file, part()).expect("it is written");
    let folder = main.parent().expect("a folder");
    let mut session = Session::with(folder, json!({ "define": { "WIDTH": "0x200" } }));
    session.open(&main);
    assert_eq!(session.findings(&main), ["6: E0504"]);
    session.tell("workspace/didChangeConfiguration", json!({ "settings": { "isac": { "define": {} } } }));
    assert_eq!(session.findings(&main), ["11: W0403"]);
}
