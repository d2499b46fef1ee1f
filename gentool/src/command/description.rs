//! Reading a description for a command: diagnostics to standard error, model or failure.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{self, IsTerminal, Write as _};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use gentool::emit::SourceFile;
use gentool::lower::{lower_counted_model, lower_followed_model, lower_model};
use isac_ir::Model;
use isac_parser::diagnostic::{Diagnostics, Style};
use isac_parser::load_model;
use isac_parser::model::CheckedModel;
use isac_parser::source::{FileSystem, SourceMap, refuse_named_pipe};
use sha2::{Digest, Sha256};
use sim_debug::Statements;
use sim_profile::Profile;
use sim_profile::description::DescriptionPoints;
use sim_runtime::launcher::{find_snapshot, is_dumb, is_same_file, parse_wide};

use super::Failure;
use super::description_point::{list_points, path_of};
use super::followed_statement::list_statements;
use super::mistaken_file::{instead_of_description, root_in};
use super::progress::Progress;

/// Most codes that the hint to their explanation names.
const MOST_NAMED: usize = 5;

/// Which description, with which constants.
#[derive(Debug, clap::Args)]
pub(super) struct DescriptionOptions {
    /// The description: its root file, which may INCLUDE others.
    pub model: PathBuf,

    /// Replace the value of a CONSTANT; may be given several times.
    ///
    /// VALUE is decimal, 0x, 0b or 0o, without a sign. Example: -D XLEN=64
    #[arg(short = 'D', value_name = "NAME=VALUE", value_parser = parse_definition)]
    pub define: Vec<(String, u128)>,
}

/// A description that is sound.
pub(super) struct Description {
    /// What it lowers to.
    pub model: isac_ir::Model,
    /// Number of warnings.
    pub warnings: usize,
    /// What it is written in: its root file and all that it INCLUDEs.
    sources: SourceMap,
}

impl Description {
    /// Refuses to write a result over a file of the description.
    pub(super) fn check_output(&self, what: &str, path: &Path) -> Result<(), Failure> {
        let mut files = self.sources.files();
        files.try_for_each(|file| refuse_same(what, path, self.sources.path(file)))
    }

    /// Refuses a profile whose snapshots could be written over a file of the description.
    pub(super) fn check_snapshots(&self, profile: &Path) -> Result<(), Failure> {
        let files = self.sources.files().map(|file| self.sources.path(file));
        match find_snapshot(profile, files) {
            Some(file) => Err(Failure::other(format!(
                "the description {} is called as a snapshot of {} is, and could be written over; name \
                 another --profile",
                file.display(),
                profile.display()
            ))),
            None => Ok(()),
        }
    }

    /// The texts of its files, by their paths as points have them.
    pub(super) fn texts(&self) -> BTreeMap<String, String> {
        let files = self.sources.files();
        let text = |file| (path_of(&self.sources, file), self.sources.text(file).to_owned());
        files.map(text).collect()
    }

    /// The same as the model, lowered to be followed statement by statement.
    pub(super) fn follow_statements(&self, checked: &CheckedModel) -> FollowedModel {
        let (model, statements) = lower_followed_model(checked, &self.sources, &self.model.name);
        (model, Rc::new(list_statements(&self.sources, statements)))
    }

    /// The same as the model, lowered to count its points.
    pub(super) fn count_points(&self, checked: &CheckedModel) -> (Model, DescriptionPoints) {
        let (model, points) = lower_counted_model(checked, &self.sources, &self.model.name);
        (model, list_points(&self.sources, points))
    }
}

/// A model that tells of each statement before it runs, and the statements.
pub(super) type FollowedModel = (Model, Rc<Statements>);

impl DescriptionOptions {
    /// What `-D` says by name; each may be given once.
    fn overrides(&self) -> Result<BTreeMap<String, u128>, Failure> {
        let mut overrides = BTreeMap::new();
        for (name, value) in &self.define {
            if let Some(first) = overrides.insert(name.clone(), *value) {
                return Err(Failure::other(format!(
                    "-D {name} is given twice, first with {first}, then with {value}; keep one of them"
                )));
            }
        }
        Ok(overrides)
    }

    /// Refuses to write a result over the description.
    pub(super) fn check_output(&self, what: &str, path: &Path) -> Result<(), Failure> {
        refuse_same(what, path, &self.model)
    }

    /// Reads, checks and lowers the description; findings are printed.
    pub(super) fn load(&self) -> Result<Description, Failure> {
        self.load_with(|_, _| {})
    }

    /// The same with findings of a further check.
    pub(super) fn load_with(
        &self,
        further: impl FnOnce(&CheckedModel, &mut Diagnostics),
    ) -> Result<Description, Failure> {
        Ok(self.load_all(further)?.1)
    }

    /// The same with the model before it is lowered.
    pub(super) fn load_checked(&self) -> Result<(CheckedModel, Description), Failure> {
        self.load_all(|_, _| {})
    }

    fn load_all(
        &self,
        further: impl FnOnce(&CheckedModel, &mut Diagnostics),
    ) -> Result<(CheckedModel, Description), Failure> {
        let mut sources = SourceMap::new();
        let mut findings = Diagnostics::new();
        let overrides = self.overrides()?;
        check_readable(&self.model)?;
        let progress = Progress::new(format!("checking {}", self.model.display()));
        let checked = load_model(&self.model, &FileSystem, &overrides, &mut sources, &mut findings);
        if let Some(checked) = &checked {
            further(checked, &mut findings);
        }
        drop(progress);
        let style = if styled() { Style::Styled } else { Style::Plain };
        // If nobody listens, the status still tells.
        let said = findings.render(&sources, style) + &where_to_read_on(&findings);
        let _ = io::stderr().write_all(said.as_bytes());
        let Some(checked) = checked else { return Err(Failure::model()) };
        let name =
            self.model.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
        let model = lower_model(&checked, &sources, &name);
        if let Err(broken) = isac_ir::verify::verify_model(&model) {
            panic!("lowering broke a promise of isac-ir: {}", broken.join("; "));
        }
        let warnings = findings.iter().count();
        Ok((checked, Description { model, warnings, sources }))
    }
}

fn refuse_same(what: &str, path: &Path, file: &Path) -> Result<(), Failure> {
    match is_same_file(file, path) {
        true => Err(Failure::other(format!(
            "the {what} would be written over the description {}; name another file",
            path.display()
        ))),
        false => Ok(()),
    }
}

/// The command that explains what was found; nothing after remarks of one line.
fn where_to_read_on(findings: &Diagnostics) -> String {
    let long = findings.iter().filter(|finding| !finding.is_one_line);
    let codes: BTreeSet<&str> = long.map(|finding| finding.code.0).collect();
    let codes: Vec<&str> = codes.into_iter().take(MOST_NAMED).collect();
    match codes.as_slice() {
        [] => String::new(),
        codes => format!("note: `gentool explain {}` tells rule, reason and examples\n\n", codes.join(" ")),
    }
}

/// A file that cannot be read is no fault of the description.
fn check_readable(path: &Path) -> Result<(), Failure> {
    let opened = refuse_named_pipe(path).and_then(|()| File::open(path)).and_then(|file| file.metadata());
    let message = match opened {
        Ok(found) if found.is_dir() => match root_in(path) {
            Some(root) => format!("it is a folder; name the root file in it, {}", root.display()),
            None => "it is a folder; name the root file in it".to_owned(),
        },
        Ok(_) => match instead_of_description(path) {
            Some(found) => found.to_owned(),
            None => return Ok(()),
        },
        Err(error) => format!("{error}; name a file that exists and that you may read"),
    };
    Err(Failure::other(format!("cannot read the description {}: {message}", path.display())))
}

/// Colours only on a terminal that has them, and never with NO_COLOR.
fn styled() -> bool {
    is_styled(&std::io::stderr())
}

/// The same of any stream.
pub(super) fn is_styled(stream: &impl IsTerminal) -> bool {
    let is_unset = std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
    stream.is_terminal() && is_unset && !is_dumb()
}

/// What `-D` says: a name and its value.
pub(super) fn parse_definition(text: &str) -> Result<(String, u128), String> {
    let (name, value) = text.split_once('=').ok_or("expected NAME=VALUE, as in XLEN=64")?;
    let begins = |letter: char| letter.is_ascii_alphabetic() || letter == '_';
    let goes_on = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    if !name.starts_with(begins) || !name.chars().all(goes_on) {
        return Err(format!("`{name}` cannot be the name of a CONSTANT; write NAME=VALUE, as in XLEN=64"));
    }
    parse_wide(value).map(|value| (name.to_string(), value))
}

/// Refuses a description that is not the one of a profile.
pub(super) fn check_described(profile: &Profile, model: &Model, path: &Path) -> Result<(), Failure> {
    let expected = &profile.provenance.model_digest;
    if expected.is_empty() || *expected == digest_model(model) {
        return Ok(());
    }
    Err(Failure::other(format!(
        "the profile is of another description than {}, or of what that was before it was edited; name the one that \
         was run, with the same -D",
        path.display()
    )))
}

/// Digest of what a description means, wherever its files are and whichever engine runs it.
pub(super) fn digest_model(model: &Model) -> String {
    let mut model = model.clone();
    let operations = model.operations.iter_mut().map(|operation| &mut operation.location);
    let groups = model.groups.iter_mut().map(|group| &mut group.location);
    let functions = model.functions.iter_mut().map(|function| &mut function.location);
    operations.chain(groups).chain(functions).for_each(String::clear);
    let text = serde_json::to_string(&model).unwrap_or_default();
    digest_files(&[SourceFile { path: String::new(), text }])
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
