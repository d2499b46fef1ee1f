//! Models and cases of this repository, as `tests/ins.md` describes them.

#![allow(dead_code, reason = "each test file uses its part")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use gentool::lower::lower_model;
use isac_ir::Model;
use isac_ir::bits::Bits;
use isac_parser::diagnostic::{Diagnostics, Style};
use isac_parser::load_model;
use isac_parser::source::{FileSystem, SourceMap};

/// A file of cases.
pub(crate) struct Cases {
    /// The model's description, from the repository's root.
    pub(crate) model: String,
    /// The cases that have a text.
    pub(crate) lines: Vec<Line>,
}

/// A case.
pub(crate) struct Line {
    /// Where it stands.
    pub(crate) place: String,
    /// The instruction's address in cells.
    pub(crate) address: u64,
    /// Its bytes.
    pub(crate) bytes: Vec<u8>,
    /// Its text.
    pub(crate) text: String,
}

impl Line {
    /// The bytes as cells of the map that programs go to.
    pub(crate) fn cells(&self, model: &Model) -> Vec<Bits> {
        let map = &model.maps[model.target.host_map.unwrap_or(0) as usize];
        let cell = |bytes: &[u8]| {
            let mut bytes = bytes.to_vec();
            if !model.target.big_endian {
                bytes.reverse();
            }
            Bits::from_be_bytes(&bytes)
        };
        self.bytes.chunks(map.cell_bits.div_ceil(8) as usize).map(cell).collect()
    }
}

/// The repository's root.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The model of a description of this repository.
pub(crate) fn model(path: &str) -> Model {
    try_model(path).unwrap_or_else(|message| panic!("{path}: {message}"))
}

/// The same, or what is wrong with the description.
pub(crate) fn try_model(path: &str) -> Result<Model, String> {
    let (mut sources, mut findings) = (SourceMap::new(), Diagnostics::new());
    let file = root().join(path);
    match load_model(&file, &FileSystem, &BTreeMap::new(), &mut sources, &mut findings) {
        Some(checked) => {
            let name = file.file_stem().expect("a name").to_string_lossy();
            Ok(lower_model(&checked, &sources, &name))
        }
        None => Err(findings.render(&sources, Style::Plain)),
    }
}

/// Every description of this repository that is a model by itself: `models/NAME/NAME.isac` is.
///
/// # Panics
/// If one of these does not load.
pub(crate) fn descriptions() -> Vec<String> {
    let mut found = Vec::new();
    for folder in ["models", "tests/models", "tests/time"] {
        collect(Path::new(folder), "isac", &mut found);
    }
    found.retain(|path| match try_model(path) {
        Ok(_) => true,
        Err(message) => {
            assert!(!is_named_as_its_folder(path), "{path}: {message}");
            false
        }
    });
    assert!(found.len() > 30, "{found:?}");
    found
}

fn is_named_as_its_folder(path: &str) -> bool {
    let path = Path::new(path);
    path.parent().and_then(Path::file_name) == path.file_stem()
}

/// The ELF programs in a folder and below, by path.
pub(crate) fn programs(folder: &str) -> Vec<String> {
    let mut found = Vec::new();
    collect(Path::new(folder), "elf", &mut found);
    found
}

/// The files of an ending in a folder and below, by path.
fn collect(folder: &Path, ending: &str, found: &mut Vec<String>) {
    let entries = fs::read_dir(root().join(folder)).expect("the folder is there");
    let mut names: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    names.sort();
    for path in names {
        let inner = folder.join(path.file_name().expect("a name"));
        if path.is_dir() {
            collect(&inner, ending, found);
        } else if path.extension().is_some_and(|found| found == ending) {
            found.push(inner.display().to_string());
        }
    }
}

/// The cases of all models in `models/`, whose texts are those of manuals.
pub(crate) fn of_models() -> Vec<Cases> {
    let mut files = Vec::new();
    collect(Path::new("models"), "ins", &mut files);
    files.iter().map(|file| Cases { model: model_of(file), lines: read(file) }).collect()
}

/// `models/NAME/cases/*.ins` belongs to `models/NAME/NAME.isac`.
fn model_of(file: &str) -> String {
    let above = Path::new(file).parent().and_then(Path::parent).expect("a folder of cases in a folder");
    let name = above.file_name().expect("a name").to_string_lossy();
    format!("models/{name}/{name}.isac")
}

fn read(file: &str) -> Vec<Line> {
    let text = fs::read_to_string(root().join(file)).expect("cases can be read");
    let lines = (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty());
    let lines = lines.filter(|(_, line)| !line.trim_start().starts_with('#'));
    lines.filter_map(|(number, line)| read_line(line, &format!("{file}:{number}"))).collect()
}

fn read_line(line: &str, place: &str) -> Option<Line> {
    let (address, rest) = line.split_once(':')?;
    let mut parts = rest.split('|').map(str::trim);
    let (bytes, text) = (parts.next()?, parts.next()?);
    if text.is_empty() {
        return None;
    }
    let number = |text: &str| match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16),
        None => text.parse(),
    };
    Some(Line {
        place: place.to_owned(),
        address: number(address.trim()).expect("an address"),
        bytes: bytes.split_whitespace().map(|byte| u8::from_str_radix(byte, 16).expect("a byte")).collect(),
        text: text.to_owned(),
    })
}
