//! Reading a description for a command: diagnostics to standard error, model or failure.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use gentool::emit::SourceFile;
use gentool::lower::lower_model;
use isac_parser::diagnostic::{Diagnostics, Style};
use isac_parser::load_model;
use isac_parser::source::{FileSystem, SourceMap};
use sha2::{Digest, Sha256};

use super::Failure;

/// Which description, with which constants.
#[derive(Debug, clap::Args)]
pub(super) struct DescriptionOptions {
    /// The description: its root file, which may INCLUDE others.
    pub model: PathBuf,

    /// Replace the value of a CONSTANT; may be given several times.
    ///
    /// VALUE is decimal, 0x or 0b. Example: -D XLEN=64
    #[arg(short = 'D', value_name = "NAME=VALUE", value_parser = parse_definition)]
    pub define: Vec<(String, u128)>,
}

/// A description that is sound.
pub(super) struct Description {
    /// What it lowers to.
    pub model: isac_ir::Model,
    /// Number of warnings.
    pub warnings: usize,
}

impl DescriptionOptions {
    /// Reads, checks and lowers the description; findings are printed.
    pub(super) fn load(&self) -> Result<Description, Failure> {
        let mut sources = SourceMap::new();
        let mut findings = Diagnostics::new();
        let overrides: BTreeMap<String, u128> = self.define.iter().cloned().collect();
        check_readable(&self.model)?;
        let checked = load_model(&self.model, &FileSystem, &overrides, &mut sources, &mut findings);
        let style = if styled() { Style::Styled } else { Style::Plain };
        eprint!("{}", findings.render(&sources, style));
        let Some(checked) = checked else { return Err(Failure::model()) };
        let name =
            self.model.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
        let model = lower_model(&checked, &sources, &name);
        if let Err(broken) = isac_ir::verify::verify_model(&model) {
            panic!("lowering broke a promise of isac-ir: {}", broken.join("; "));
        }
        let warnings = findings.iter().count();
        Ok(Description { model, warnings })
    }
}

/// A file that cannot be read is no fault of the description.
fn check_readable(path: &Path) -> Result<(), Failure> {
    let opened = File::open(path).and_then(|file| file.metadata());
    let message = match opened {
        Ok(found) if found.is_dir() => "it is a folder; name the root file in it".to_owned(),
        Ok(_) => return Ok(()),
        Err(error) => error.to_string(),
    };
    Err(Failure::other(format!("cannot read the description {}: {message}", path.display())))
}

/// Colours only on a terminal, and never with NO_COLOR.
fn styled() -> bool {
    std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}

fn parse_definition(text: &str) -> Result<(String, u128), String> {
    let (name, value) = text.split_once('=').ok_or("expected NAME=VALUE, as in XLEN=64")?;
    let digits = value.replace('_', "");
    let parsed = match digits.get(..2) {
        Some("0x" | "0X") => u128::from_str_radix(&digits[2..], 16),
        Some("0b" | "0B") => u128::from_str_radix(&digits[2..], 2),
        _ => digits.parse(),
    };
    let value = parsed.map_err(|_| format!("`{value}` is no number; write decimal, 0x or 0b"))?;
    Ok((name.to_string(), value))
}

/// Digest of source files: paths and texts, as 64 hexadecimal digits.
pub(super) fn digest_files(files: &[SourceFile]) -> String {
    let mut hash = Sha256::new();
    for file in files {
        for part in [&file.path, &file.text] {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part.as_bytes());
        }
    }
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}
