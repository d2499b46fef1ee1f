//! `gentool new`

use std::fmt::Display;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use clap::ValueEnum;

use super::{Failure, print};

/// Write a folder with a processor to begin with, a program for it, and a README that leads on.
///
/// The last part of NAME names the description; folders before it are made if they are missing.
/// Nothing that exists is touched. Example: gentool new mycpu
#[derive(Debug, clap::Args)]
pub(super) struct Options {
    /// The folder to write: its name begins with a letter; letters, digits, _ and - may follow.
    name: PathBuf,

    /// The processor to begin with.
    #[arg(long, value_enum, default_value_t = Template::Small)]
    template: Template,
}

/// What a new model is made from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Template {
    /// Sixteen registers of 16 bits, in one file: to learn the language and to build upon.
    Small,
    /// 32-bit RISC-V with multiplication and division, and a place for instructions of your own.
    Rv32im,
}

/// Files by name; `{{name}}` stands for the model's.
type Files = [(&'static str, &'static str)];

const SMALL: &Files = &[
    ("{{name}}.isac", include_str!("new/model.isac")),
    ("program.hex", include_str!("new/program.hex")),
    ("program.s", include_str!("new/program.s")),
    ("README.md", include_str!("new/README.md")),
];

const RV32IM: &Files = &[
    ("{{name}}.isac", include_str!("new/rv32im/model.isac")),
    ("custom.isac", include_str!("new/rv32im/custom.isac")),
    ("riscv/integer.isac", include_str!("../../../models/riscv/integer.isac")),
    ("riscv/multiply.isac", include_str!("../../../models/riscv/multiply.isac")),
    ("riscv/memory.isac", include_str!("../../../models/riscv/memory.isac")),
    ("riscv/user.isac", include_str!("../../../models/riscv/user.isac")),
    ("riscv/target.isac", include_str!("../../../models/riscv/target.isac")),
    ("riscv/pseudo.isac", include_str!("../../../models/riscv/pseudo.isac")),
    ("riscv/pseudo32.isac", include_str!("../../../models/riscv/pseudo32.isac")),
    ("program.s", include_str!("new/rv32im/program.s")),
    ("crc32.s", include_str!("new/rv32im/crc32.s")),
    ("README.md", include_str!("new/rv32im/README.md")),
];

impl Template {
    fn files(self) -> &'static Files {
        match self {
            Template::Small => SMALL,
            Template::Rv32im => RV32IM,
        }
    }

    /// What to say next, with the paths of files as a shell takes them.
    fn commands(self, name: &str, path: impl Fn(&str) -> String) -> Vec<String> {
        let description = path(&format!("{name}.isac"));
        let mut commands = vec![format!("gentool check {description}")];
        match self {
            Template::Small => commands.push(format!("gentool run {description} {}", path("program.hex"))),
            Template::Rv32im => {
                let [main, crc32, program] = ["program.s", "crc32.s", "program.elf"].map(path);
                commands.push(format!("gentool asm {description} {main} {crc32} -o {program}"));
                commands.push(format!("gentool run {description} {program}"));
            }
        }
        commands
    }
}

/// File names and names of packages are longer than this on no system of ours.
const MOST_LETTERS: usize = 64;

pub(super) fn run(options: &Options) -> Result<i32, Failure> {
    let folder = &options.name;
    let name = check_name(folder).map_err(|problem| {
        Failure::other(format!(
            "`{}` cannot be the name of a model: {problem}; take a name like mycpu, or a path that \
             ends in one",
            folder.display()
        ))
    })?;
    write_model(folder, name, options.template.files()).map_err(|error| {
        let folder = folder.display();
        Failure::other(match error.kind() {
            ErrorKind::AlreadyExists => {
                format!("{folder} is there already, and nothing in it is touched; take another name")
            }
            _ => format!("cannot write {folder}: {error}; name a folder that you may write to"),
        })
    })?;
    let commands = options.template.commands(name, |file| shell_word(folder.join(file).display()));
    let commands: String = commands.iter().map(|command| format!("  {command}\n")).collect();
    let readme = folder.join("README.md");
    print(&format!("{name}: a processor, a program for it, and {}\n\nnext:\n{commands}", readme.display()))
}

/// The model's name, which becomes part of names of files and packages on any system.
fn check_name(folder: &Path) -> Result<&str, String> {
    let name = folder.file_name().ok_or("it names no folder")?;
    let name = name.to_str().ok_or("it is not UTF-8")?;
    let is_allowed = |letter: char| letter.is_ascii_alphanumeric() || letter == '_' || letter == '-';
    match name.chars().find(|letter| !is_allowed(*letter)) {
        Some(letter) => return Err(format!("it has a {letter:?}, expected letters, digits, _ and -")),
        None if !name.starts_with(|first: char| first.is_ascii_alphabetic()) => {
            return Err("it does not begin with a letter".to_owned());
        }
        None if name.len() > MOST_LETTERS => {
            return Err(format!("it has {} letters, expected at most {MOST_LETTERS}", name.len()));
        }
        None => {}
    }
    if is_device(&name.to_ascii_lowercase()) {
        return Err("it names a device on Windows".to_owned());
    }
    Ok(name)
}

/// Names that no file can have on Windows, whatever its ending.
fn is_device(name: &str) -> bool {
    let port = name.strip_prefix("com").or(name.strip_prefix("lpt"));
    matches!(name, "con" | "prn" | "aux" | "nul")
        || port.is_some_and(|number| matches!(number.as_bytes(), [b'0'..=b'9']))
}

/// Writes all files or, if one cannot be written, none.
fn write_model(folder: &Path, name: &str, files: &Files) -> io::Result<()> {
    if let Some(parent) = folder.parent() {
        fs::create_dir_all(parent)?;
    }
    fs::create_dir(folder)?;
    let written = files.iter().try_for_each(|(file, text)| {
        let [file, text] = [file, text].map(|text| text.replace("{{name}}", name));
        let path = folder.join(file);
        path.parent().map_or(Ok(()), fs::create_dir_all)?;
        fs::write(path, text)
    });
    // The folder is ours, as it was not there before.
    written.inspect_err(|_| drop(fs::remove_dir_all(folder)))
}

/// A path as a shell takes it.
fn shell_word(path: impl Display) -> String {
    let path = path.to_string();
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "_-./\\:".contains(letter);
    match path.chars().all(is_plain) {
        true => path,
        false => format!("'{}'", path.replace('\'', r"'\''")),
    }
}
