//! Coverage of the last run beside the lines, above operations and behind their names.

mod support;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use isac_lsp::{Server, Services, Study};
use isac_parser::model::CheckedModel;
use isac_parser::source::SourceMap;
use serde_json::{Value, json};
use support::{Session, address, find};

const CPU: &str = r#"RESOURCE {
    PC REGISTER bit[8] pc;
    REGISTER bit[8] acc;
    RAM bit[8] ram { SIZE (256); FLAGS (R, W, X); };
    MEMORY_MAP map { RANGE (0x00, 0xff) -> ram; };
};
GROUP instr = add, stop, never;
OPERATION main { ACTIVATION { step; }; };
OPERATION step { CODINGROOT { instr (map[pc]); }; BEHAVIOR { pc = pc + 1; }; };
OPERATION add { CODING { 0b00 n=0bx[6] }; BEHAVIOR { acc = acc + n; }; };
OPERATION stop { CODING { 0b01xxxxxx }; BEHAVIOR { halt(0); }; };
OPERATION never { CODING { 0b1xxxxxxx }; BEHAVIOR { acc = 0; }; };
"#;

/// A profile is a text: names and counts.
struct Counted;

impl Services for Counted {
    fn study(&self, _: &CheckedModel, _: &SourceMap, _: &str) -> Box<dyn Study> {
        Box::new(Counted)
    }
}

impl Study for Counted {
    fn decode(&self, _: u128) -> Option<String> {
        None
    }

    fn timing(&self, _: &str) -> Option<String> {
        None
    }

    fn coverage(&self, profile: &Path) -> Result<BTreeMap<String, u64>, String> {
        let text = fs::read_to_string(profile).map_err(|error| error.to_string())?;
        let words: Vec<&str> = text.split_whitespace().collect();
        let pair = |pair: &[&str]| Some(((*pair.first()?).to_owned(), pair.get(1)?.parse().ok()?));
        Ok(words.chunks(2).filter_map(pair).collect())
    }
}

fn session(coverage: &str) -> (tempfile::TempDir, Session, std::path::PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path().canonicalize().expect("a path");
    let (cpu, profile) = (root.join("cpu.isac"), root.join("run.profile"));
    fs::write(&cpu, CPU).expect("it is written");
    fs::write(&profile, "add 3 stop 1 never 0").expect("it is written");
    let settings = json!({ "profile": "run.profile", "coverage": coverage });
    let mut session = Session::of(Server::new(Arc::new(Counted)), &root, settings);
    session.open(&cpu);
    (folder, session, cpu)
}

fn hints(session: &mut Session, cpu: &Path, lines: (u32, u32)) -> Value {
    let place = |line: u32| json!({ "line": line, "character": 0 });
    let range = json!({ "start": place(lines.0), "end": place(lines.1) });
    session.ask("textDocument/inlayHint", json!({ "textDocument": { "uri": address(cpu) }, "range": range }))
}

fn lenses(session: &mut Session, cpu: &Path) -> Value {
    session.ask("textDocument/codeLens", json!({ "textDocument": { "uri": address(cpu) } }))
}

#[test]
fn hints_stand_behind_the_names_of_operations_in_the_lines_that_are_seen() {
    let (_folder, mut session, cpu) = session("hint");
    let found = hints(&mut session, &cpu, (0, 100));
    let found: Vec<(Value, Value)> = found
        .as_array()
        .expect("hints")
        .iter()
        .map(|hint| (hint["label"].clone(), hint["position"].clone()))
        .collect();
    let behind = |name: &str| {
        let (line, column) = find(CPU, &format!("OPERATION {name}"), 0);
        json!({ "line": line, "character": column + 10 + name.len() as u32 })
    };
    assert_eq!(
        found,
        [
            (json!("executed 3 times"), behind("add")),
            (json!("executed once"), behind("stop")),
            (json!("never executed"), behind("never")),
        ]
    );
    let (line, _) = find(CPU, "OPERATION stop", 0);
    let seen = hints(&mut session, &cpu, (line, line));
    assert_eq!(seen.as_array().map(Vec::len), Some(1));
    assert_eq!(seen[0]["label"], "executed once");
    assert!(seen[0]["tooltip"].as_str().is_some_and(|tooltip| tooltip.ends_with("/run.profile")), "{seen}");
    assert_eq!(lenses(&mut session, &cpu), json!([]), "not twice");
}

#[test]
fn hints_are_those_of_the_latest_profile_and_of_none_without_one() {
    let (folder, mut session, cpu) = session("hint");
    assert_eq!(hints(&mut session, &cpu, (0, 100)).as_array().map(Vec::len), Some(3));
    let profile = folder.path().join("run.profile");
    fs::remove_file(&profile).expect("it is removed");
    assert_eq!(hints(&mut session, &cpu, (0, 100)), json!([]));
    fs::write(&profile, "add 9").expect("it is written");
    assert_eq!(hints(&mut session, &cpu, (0, 100))[0]["label"], "executed 9 times");
}

#[test]
fn lenses_take_the_place_of_hints_and_neither_is_shown_where_nobody_wants_it() {
    let (_folder, mut session, cpu) = session("lens");
    assert_eq!(hints(&mut session, &cpu, (0, 100)), json!([]));
    assert_eq!(lenses(&mut session, &cpu).as_array().map(Vec::len), Some(3));
    let (_folder, mut quiet, cpu) = self::session("none");
    assert_eq!((hints(&mut quiet, &cpu, (0, 100)), lenses(&mut quiet, &cpu)), (json!([]), json!([])));
}
