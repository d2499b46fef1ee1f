//! What is fuzzed: texts that may be descriptions, and words for the decoders of those that are.

use std::collections::BTreeMap;
use std::io;
use std::path::{Component, Path, PathBuf};

use gentool::disassembler::Disassembler;
use gentool::export::{export_model, print_json, print_xml};
use gentool::lower::lower_model;
use isac_ir::bits::Bits;
use isac_ir::verify::verify_model;
use isac_parser::diagnostic::{Diagnostics, Style};
use isac_parser::source::{SourceLoader, SourceMap};
use isac_parser::{check_coverage, load_model, print_coverage_map};

/// The descriptions of the repository, by path, with one more.
pub(crate) struct Files<'a> {
    /// Texts by path from the repository's root.
    pub(crate) known: &'a BTreeMap<PathBuf, Vec<u8>>,
    /// The one that is fuzzed.
    pub(crate) path: &'a Path,
    /// Its bytes.
    pub(crate) bytes: &'a [u8],
}

impl SourceLoader for Files<'_> {
    fn load(&self, path: &Path) -> Result<Vec<u8>, io::Error> {
        let path = normal(path);
        if path == self.path {
            return Ok(self.bytes.to_vec());
        }
        let missing = || io::Error::new(io::ErrorKind::NotFound, "no such file");
        self.known.get(&path).cloned().ok_or_else(missing)
    }
}

/// The path without `.` and `..`.
pub(crate) fn normal(path: &Path) -> PathBuf {
    path.components().fold(PathBuf::new(), |mut path, component| {
        match component {
            Component::ParentDir => {
                path.pop();
            }
            Component::Normal(part) => path.push(part),
            _ => {}
        }
        path
    })
}

/// Reads, checks and shows what is said of a text; true if it is sound.
pub(crate) fn check_description(files: &Files<'_>) -> bool {
    let (mut sources, mut findings) = (SourceMap::new(), Diagnostics::new());
    let model = load_model(files.path, files, &BTreeMap::new(), &mut sources, &mut findings);
    assert_eq!(model.is_none(), findings.has_errors(), "a model and errors exclude each other");
    if let Some(model) = &model {
        check_coverage(model, &mut findings);
        print_coverage_map(model);
    }
    findings.render(&sources, Style::Plain);
    model.is_some()
}

/// Lowers a text that is sound, and decodes words by it.
pub(crate) fn decode_words(files: &Files<'_>, mut word: impl FnMut() -> u64) -> bool {
    let (mut sources, mut findings) = (SourceMap::new(), Diagnostics::new());
    let checked = load_model(files.path, files, &BTreeMap::new(), &mut sources, &mut findings);
    let Some(checked) = checked else { return false };
    let model = lower_model(&checked, &sources, "fuzzed");
    assert_eq!(verify_model(&model), Ok(()), "lowering keeps its promises");
    let content = export_model(&checked, &model);
    print_xml(&content);
    print_json(&content);
    let Some(disassembler) = Disassembler::new(&model) else { return true };
    let width = disassembler.cell_bits();
    for _ in 0..64 {
        let cells: Vec<Bits> = (0..8)
            .map(|_| {
                let wide = u128::from(word()) << 64 | u128::from(word());
                Bits::from_u128(wide & isac_ir::bits::mask(width.min(128)))
            })
            .collect();
        disassembler.instruction(&cells, word());
    }
    true
}
