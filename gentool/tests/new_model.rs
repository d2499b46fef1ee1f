//! `gentool new`: what it writes works, and its README can be followed to the letter.

#[path = "../../tests/support/thorough.rs"]
mod thorough;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

struct Desk {
    folder: TempDir,
}

/// A fenced block of a README: what stands behind the fence, and its lines.
type Block = (String, Vec<String>);

impl Desk {
    fn new() -> Desk {
        Desk { folder: tempfile::tempdir().expect("a temporary folder") }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn text(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).expect("the file is there")
    }

    fn create(&self, name: &str) -> Output {
        self.create_with(name, &[])
    }

    fn create_with(&self, name: &str, options: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_gentool"));
        command.args(["new", name]).args(options).current_dir(self.folder.path());
        command.output().expect("gentool runs")
    }

    /// What a shell in a folder below shows for a line; runs are the reference engine's, so that
    /// no simulator is built, unless nothing is left out.
    fn shell(&self, folder: &str, line: &str) -> (i32, String) {
        let bin = Path::new(env!("CARGO_BIN_EXE_gentool")).parent().expect("a folder").to_owned();
        let others = std::env::var_os("PATH").unwrap_or_default();
        let path = std::env::join_paths([bin].into_iter().chain(std::env::split_paths(&others)));
        let line = match line.starts_with("gentool run") && !line.contains("--engine") {
            true => format!("{line} --engine reference"),
            false if thorough::is_thorough() => line.to_owned(),
            false => line.replace("--engine emitted", "--engine reference"),
        };
        let mut command = Command::new("sh");
        command.args(["-c", &format!("({line}) 2>&1")]).current_dir(self.path(folder));
        let output = command.env("PATH", path.expect("a path")).env("NO_COLOR", "1").output();
        let output = output.expect("sh runs");
        (output.status.code().unwrap_or(-1), String::from_utf8_lossy(&output.stdout).into_owned())
    }
}

fn blocks(text: &str) -> Vec<Block> {
    let mut found: Vec<Block> = Vec::new();
    let mut is_open = false;
    for line in text.lines() {
        match line.strip_prefix("```") {
            Some(_) if is_open => is_open = false,
            Some(kind) => {
                found.push((kind.to_owned(), Vec::new()));
                is_open = true;
            }
            None => {
                if let Some((_, lines)) = found.last_mut().filter(|_| is_open) {
                    lines.push(line.to_owned());
                }
            }
        }
    }
    found
}

fn printed(output: &Output) -> (i32, String, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code().unwrap_or(-1), text(&output.stdout), text(&output.stderr))
}

#[cfg(unix)]
#[test]
fn the_readme_of_a_new_model_can_be_followed() {
    let desk = Desk::new();
    assert_eq!(printed(&desk.create("first")).0, 0);
    let description = "first/first.isac";
    let mut console = 0;
    for (kind, lines) in blocks(&desk.text("first/README.md")) {
        match (kind.as_str(), lines[0].split(' ').next()) {
            ("sh", _) => {
                for line in &lines {
                    let (status, text) = desk.shell("first", line);
                    assert_eq!(status, 0, "{line}: {text}");
                    assert!(!line.contains("check") || text.contains("first: sound"), "{text}");
                }
            }
            ("console", _) => {
                let mut commands = lines.split(|line| line.starts_with("$ "));
                assert_eq!(commands.next(), Some(&[][..]), "a command comes first");
                for (command, printed) in
                    lines.iter().filter_map(|line| line.strip_prefix("$ ")).zip(commands)
                {
                    let expected: String = printed.iter().map(|line| format!("{line}\n")).collect();
                    assert_eq!(desk.shell("first", command), (0, expected), "{command}");
                    console += 1;
                }
            }
            ("isac", Some("GROUP")) => {
                let (head, members) = lines[0].split_once('=').expect("a group");
                let text = desk.text(description);
                let old = text.lines().find(|line| line.starts_with(head)).expect("the group is there");
                assert!(members.starts_with(old.split_once('=').expect("a group").1.trim_end_matches(';')));
                fs::write(desk.path(description), text.replace(old, &lines[0])).expect("it is written");
            }
            ("isac", _) => {
                let text = desk.text(description) + "\n" + &lines.join("\n") + "\n";
                fs::write(desk.path(description), text).expect("it is written");
            }
            ("text", _) => {
                fs::write(desk.path("first/xor.s"), lines.join("\n") + "\n").expect("it is written")
            }
            (kind, first) => panic!("nobody looks at a block of {kind} that begins with {first:?}"),
        }
    }
    assert_eq!(console, 4);
    // What is assembled is what stands in the records.
    let (status, text) = desk.shell(
        "first",
        "gentool asm first.isac program.s -o again.hex --format ihex && \
         gentool disasm --plain first.isac again.hex > one && \
         gentool disasm --plain first.isac program.hex > other && cmp one other",
    );
    assert_eq!(status, 0, "{text}");
    let report = desk.text("first/report.xml");
    assert!(report.contains("model=\"first\""), "{report}");

    // As the README says, a coding that another instruction has is refused.
    let doubled = desk.text(description).replace("src[8] 0b100", "src[8] 0b011");
    fs::write(desk.path(description), doubled).expect("it is written");
    let (status, text) = desk.shell("first", "gentool check first.isac");
    assert!(status == 126 && text.contains("`and` and `xor`") && text.contains("E0410"), "{text}");
}

/// The README of the RISC-V is followed by what compares documents, as it has file names alone.
#[cfg(unix)]
#[test]
fn the_readme_of_a_new_riscv_can_be_followed() {
    let desk = Desk::new();
    let (status, text, _) = printed(&desk.create_with("second", &["--template", "rv32im"]));
    assert_eq!(status, 0);
    insta::assert_snapshot!("printed_rv32im", text);
    for command in text.lines().filter_map(|line| line.strip_prefix("  ")) {
        let (status, text) = desk.shell("", command);
        assert_eq!(status, 0, "{command}: {text}");
    }
    let console = Path::new(env!("CARGO_MANIFEST_DIR")).join("../.ci/console");
    let mut command = Command::new("bash");
    command.arg(console).args([env!("CARGO_BIN_EXE_gentool"), "README.md"]);
    let output = command.current_dir(desk.path("second")).output().expect("bash runs");
    assert_eq!(printed(&output), (0, "README.md: 2 blocks\n".to_owned(), String::new()));
}

#[cfg(unix)]
#[test]
fn the_printed_commands_work_where_they_are_printed() {
    let desk = Desk::new();
    let (status, text, messages) = printed(&desk.create("some where/it's/My_cpu-2/"));
    assert_eq!((status, messages.as_str()), (0, ""));
    insta::assert_snapshot!("printed", text);
    let commands: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("  ")).collect();
    assert_eq!(commands.len(), 2);
    for command in commands {
        let (status, text) = desk.shell("", command);
        assert_eq!(status, 0, "{command}: {text}");
    }
}

#[test]
fn the_same_name_gives_the_same_files() {
    let desk = Desk::new();
    for folder in ["one/cpu", "two/cpu"] {
        assert_eq!(printed(&desk.create(folder)).0, 0);
    }
    for file in ["cpu.isac", "program.hex", "program.s", "README.md"] {
        let [one, two] = ["one", "two"].map(|folder| desk.text(&format!("{folder}/cpu/{file}")));
        assert_eq!(one, two);
        assert!(!one.contains("{{") && !one.contains('\r'), "{file}");
    }
    assert_eq!(fs::read_dir(desk.path("one/cpu")).expect("the folder").count(), 4);
}

#[test]
fn what_is_there_is_never_touched() {
    let desk = Desk::new();
    fs::create_dir(desk.path("empty")).expect("a folder");
    fs::write(desk.path("file"), "mine").expect("a file");
    for name in ["empty", "file", "file/below"] {
        let (status, output, messages) = printed(&desk.create(name));
        assert_eq!((status, output.as_str()), (125, ""), "{name}");
        assert!(messages.starts_with("error: ") && messages.contains(name), "{messages}");
    }
    assert_eq!(desk.text("file"), "mine");
    assert_eq!(fs::read_dir(desk.path("empty")).expect("the folder").count(), 0);
}

#[test]
fn a_name_that_cannot_be_a_file_or_package_is_refused() {
    let desk = Desk::new();
    let long = "a".repeat(65);
    let names =
        ["", ".", "..", "/", "a/..", "8bit", "-cpu", "a b", "a.isac", "é", "nul", "COM1", "a\nb", &long];
    let messages: Vec<String> = names
        .iter()
        .map(|name| {
            let (status, output, messages) = printed(&desk.create(name));
            assert_eq!((status, output.as_str()), (125, ""), "{name}");
            messages
        })
        .collect();
    insta::assert_snapshot!("refused_names", messages.join("\n"));
    assert_eq!(fs::read_dir(desk.folder.path()).expect("the folder").count(), 0);
}
