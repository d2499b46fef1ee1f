//! The handbook: its tutorial says what happens, and its chapters hold together.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().expect("the repository is there")
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Follows a document in an empty folder: files are written, commands are run, and what they print is
/// compared.
#[cfg(unix)]
fn follow(document: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut command = Command::new("bash");
    command.arg(root().join(".ci/console")).arg(env!("CARGO_BIN_EXE_gentool"));
    let output = command.arg(root().join(document)).current_dir(folder.path()).output();
    let output = output.expect("bash runs");
    let printed = String::from_utf8_lossy(&output.stdout);
    let messages = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && messages.is_empty(), "{printed}\n{messages}");
    folder
}

#[cfg(unix)]
#[test]
fn the_tutorial_can_be_followed_to_the_letter() {
    let folder = follow("docs/tutorial.md");
    for left in ["custom.isac", "before.html", "simulator/Cargo.toml"] {
        assert!(folder.path().join("mycpu").join(left).exists(), "{left} is left by the commands");
    }
}

#[cfg(unix)]
#[test]
fn the_mistakes_of_a_newcomer_are_answered_as_the_document_says() {
    follow("docs/mistakes.md");
    let text = read(&root().join("docs/mistakes.md"));
    assert!(text.matches("\n## ").count() > 10, "ten mistakes are made");
}

/// The links of a text that lead to files, without what stands behind `#`.
fn links(text: &str) -> impl Iterator<Item = &str> {
    let links = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    let files = links.map(|link| link.split('#').next().unwrap_or_default());
    files.filter(|file| !file.is_empty() && !file.starts_with("http"))
}

/// The chapters by their paths below `docs/`.
fn chapters() -> Vec<String> {
    links(&read(&root().join("docs/SUMMARY.md"))).map(str::to_owned).collect()
}

#[test]
fn every_document_is_a_chapter_of_the_book_once() {
    let chapters = chapters();
    let different: BTreeSet<&str> = chapters.iter().map(String::as_str).collect();
    assert_eq!(different.len(), chapters.len(), "a chapter stands twice in docs/SUMMARY.md");
    for entry in fs::read_dir(root().join("docs")).expect("the folder is there") {
        let name = entry.expect("an entry").file_name().to_string_lossy().into_owned();
        let is_chapter = name.ends_with(".md") && name != "SUMMARY.md";
        assert!(!is_chapter || different.contains(&*name), "docs/{name} is missing in docs/SUMMARY.md");
    }
}

/// What leads out of the book leads nowhere in a browser.
#[test]
fn links_between_chapters_stay_within_the_book() {
    let docs = root().join("docs");
    let chapters = chapters();
    for chapter in &chapters {
        let folder = Path::new(chapter).parent().unwrap_or(Path::new(""));
        for link in links(&read(&docs.join(chapter))) {
            let target = folder.join(link);
            assert!(
                !link.starts_with("../"),
                "docs/{chapter}: {link} leads out of the book; name it as code"
            );
            assert!(docs.join(&target).is_file(), "docs/{chapter}: {link} leads nowhere");
            let is_read =
                !link.ends_with(".md") || chapters.iter().any(|chapter| Path::new(chapter) == target);
            assert!(is_read, "docs/{chapter}: {link} is no chapter of docs/SUMMARY.md");
        }
    }
}
