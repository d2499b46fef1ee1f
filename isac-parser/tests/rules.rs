//! Every rule has its place, its explanation and its message in full.
//!
//! `rules.txt` lists of each code the files of `src` that find it broken; `UPDATE_EXPECT=1` writes
//! it anew. Explanations are held by the table of codes itself, which does not compile without
//! them, and their examples by the tests beside them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use isac_parser::explanation::list_codes;

/// A rule of more files than these is one about whatever may stand somewhere: a name, a number, an
/// option, a section.
const MOST_FILES: usize = 3;
const OF_ANYTHING: [&str; 8] = ["E0201", "E0202", "E0203", "E0207", "E0304", "E0319", "E0402", "E0509"];

/// The files below a folder that end in this, in order.
fn files(folder: &Path, end: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("the folder is there") {
            let path = entry.expect("the folder can be read").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|found| found == end) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The constants that a table defines, with their codes.
fn constants(table: &str) -> BTreeMap<String, String> {
    let definitions = table.lines().filter_map(|line| line.trim().split_once(" = \""));
    let definitions = definitions.filter_map(|(name, rest)| Some((name, rest.strip_suffix("\",")?)));
    definitions.map(|(name, code)| (name.to_owned(), code.to_owned())).collect()
}

/// The words of a source's code, without comments, imports and tests.
fn words(source: &str) -> BTreeSet<&str> {
    let source = source.split("#[cfg(test)]").next().unwrap_or_default();
    let lines =
        source.lines().map(str::trim).filter(|line| !line.starts_with("//") && !line.starts_with("use "));
    lines.flat_map(|line| line.split(|c: char| !c.is_alphanumeric() && c != '_')).collect()
}

/// The files that name each code, below `src`.
fn places() -> BTreeMap<String, Vec<String>> {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let tables = [("parse", src.join("parse/code.rs")), ("resolve", src.join("resolve/code.rs"))];
    let mut places: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (stage, table) in &tables {
        let constants = constants(&read(table));
        for path in files(&src, "rs") {
            let name = path.strip_prefix(&src).expect("it is below").display().to_string().replace('\\', "/");
            let of_parse = name.starts_with("parse/");
            // What is taken out or passed on is not found there.
            let finds =
                !["load.rs", "consequence.rs", "explanation.rs", "check/mod.rs"].contains(&name.as_str());
            if tables.iter().any(|(_, table)| *table == path) || of_parse != (*stage == "parse") || !finds {
                continue;
            }
            let source = read(&path);
            let words = words(&source);
            for (_, code) in constants.iter().filter(|(constant, _)| words.contains(constant.as_str())) {
                places.entry(code.clone()).or_default().push(name.clone());
            }
        }
    }
    places
}

#[test]
fn every_rule_stands_in_its_place() {
    let places = places();
    let listed: Vec<&str> = list_codes().into_iter().map(|(code, _)| code.0).collect();
    assert_eq!(listed, places.keys().collect::<Vec<_>>(), "a code that nothing finds broken");
    let many = places.iter().filter(|(_, files)| files.len() > MOST_FILES).map(|(code, _)| code.as_str());
    assert_eq!(many.collect::<Vec<_>>(), OF_ANYTHING, "a rule in many places");
    let text: String = places.iter().map(|(code, files)| format!("{code} {}\n", files.join(" "))).collect();
    let expected = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/rules.txt");
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        fs::write(&expected, &text).expect("the list can be written");
    }
    assert_eq!(fs::read_to_string(expected).unwrap_or_default(), text, "UPDATE_EXPECT=1 rewrites it");
}

#[test]
fn every_code_has_a_message_in_full() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/errors");
    let messages: String = files(&folder, "expect").iter().map(|path| read(path)).collect();
    let missing = list_codes().into_iter().filter(|(code, _)| !messages.contains(&format!("[{code}]: ")));
    assert_eq!(missing.collect::<Vec<_>>(), []);
}
