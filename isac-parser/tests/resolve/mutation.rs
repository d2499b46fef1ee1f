//! Sound models, broken in every way that the rules name: each break is reported, with its code and
//! its place.

mod coding;
mod resource;
mod text;
#[path = "../../../tests/support/thorough.rs"]
mod thorough;
mod time;

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};

use isac_parser::ast::{
    AssemblerItem, CodingItem, ExpressionSection, File, Item, MemoryMapDeclaration, Operation, PseudoItem,
    ResourceDeclaration, Section,
};
use isac_parser::diagnostic::{Diagnostic, Diagnostics, Style};
use isac_parser::load_model;
use isac_parser::model::{CheckedModel, InstanceRole, OperationOrGroup};
use isac_parser::parse_model;
use isac_parser::source::{FileId, FileSystem, SourceLoader, SourceMap, Span};
use thorough::all_or;

/// Of each kind of break, so many are tried in one model, spread over it.
const SITES: usize = 4;

/// The same in models that have most of their constructs in common with another one.
const SITES_OF_LARGE: usize = 1;

/// Where a break has to be reported: in one of the labels of a finding.
#[derive(Debug, Clone)]
enum Place {
    /// In what was put in.
    Edited,
    /// At something that was there before.
    Old(Span),
    /// In what was put behind everything else.
    Appended,
    /// Anywhere: something is missing.
    Anywhere,
}

/// A break.
#[derive(Debug, Clone)]
struct Break {
    file: FileId,
    /// What is replaced, and by what.
    range: Range<usize>,
    text: String,
    /// What is put at the end of the file.
    appended: String,
    /// One of these codes is what is said.
    codes: &'static [&'static str],
    place: Place,
}

fn replaced(span: Span, text: impl Into<String>, codes: &'static [&'static str]) -> Break {
    let range = span.start as usize..span.end as usize;
    Break { file: span.file, range, text: text.into(), appended: String::new(), codes, place: Place::Edited }
}

fn before(span: Span, text: impl Into<String>, codes: &'static [&'static str]) -> Break {
    replaced(Span { end: span.start, ..span }, text, codes)
}

impl Break {
    fn at(mut self, span: Span) -> Break {
        self.place = Place::Old(span);
        self
    }

    fn anywhere(mut self) -> Break {
        self.place = Place::Anywhere;
        self
    }

    fn with(mut self, appended: impl Into<String>) -> Break {
        self.appended = appended.into();
        self.place = Place::Appended;
        self
    }
}

/// A sound model with all that is needed to break it.
struct Sound {
    path: PathBuf,
    sources: SourceMap,
    files: Vec<(FileId, File)>,
    model: CheckedModel,
}

/// The files of a model, one of them changed.
struct Changed<'a> {
    path: &'a Path,
    text: &'a str,
}

impl SourceLoader for Changed<'_> {
    fn load(&self, path: &Path) -> Result<Vec<u8>, io::Error> {
        match path == self.path {
            true => Ok(self.text.as_bytes().to_vec()),
            false => FileSystem.load(path),
        }
    }
}

impl Sound {
    fn new(model: &str) -> Sound {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(model);
        let (mut sources, mut findings) = (SourceMap::new(), Diagnostics::new());
        let model = load_model(&path, &FileSystem, &BTreeMap::new(), &mut sources, &mut findings);
        let model = model.unwrap_or_else(|| panic!("{}", findings.render(&sources, Style::Plain)));
        let mut sources = SourceMap::new();
        let files = parse_model(&path, &FileSystem, &mut sources, &mut Diagnostics::new());
        Sound { path, sources, files, model }
    }

    fn text(&self, span: Span) -> &str {
        self.sources.slice(span)
    }

    fn items(&self) -> impl Iterator<Item = &Item> {
        self.files.iter().flat_map(|(_, file)| &file.items)
    }

    fn operations(&self) -> Vec<&Operation> {
        let mut found = Vec::new();
        for item in self.items() {
            if let Item::Operation(operation) = item {
                found.push(operation);
            }
        }
        found
    }

    fn declarations(&self) -> Vec<&ResourceDeclaration> {
        let mut found = Vec::new();
        for item in self.items() {
            if let Item::Resource(section) = item {
                found.extend(&section.declarations);
            }
        }
        found
    }

    fn maps(&self) -> Vec<&MemoryMapDeclaration> {
        let mut found = Vec::new();
        for declaration in self.declarations() {
            if let ResourceDeclaration::MemoryMap(map) = declaration {
                found.push(map);
            }
        }
        found
    }

    fn resolved(&self, operation: &Operation) -> &isac_parser::model::Operation {
        let found = self.model.operations.iter().find(|found| found.name == operation.name.text);
        found.expect("every operation is resolved")
    }

    /// What is said of the broken model.
    fn said(&self, broken: &Break) -> (Diagnostics, SourceMap, Range<usize>, Range<usize>) {
        let old = self.sources.text(broken.file);
        let edited = broken.range.start..broken.range.start + broken.text.len();
        let mut text = format!("{}{}", &old[..broken.range.start], broken.text);
        text += &old[broken.range.end..];
        let appended = text.len()..text.len() + broken.appended.len();
        text += &broken.appended;
        let loader = Changed { path: self.sources.path(broken.file), text: &text };
        let (mut sources, mut findings) = (SourceMap::new(), Diagnostics::new());
        load_model(&self.path, &loader, &BTreeMap::new(), &mut sources, &mut findings);
        (findings, sources, edited, appended)
    }

    /// Why a break is not reported as it should be.
    fn missed(&self, kind: &str, broken: &Break) -> Option<String> {
        let (findings, sources, edited, appended) = self.said(broken);
        let path = self.sources.path(broken.file);
        let (file, range) = match &broken.place {
            Place::Edited => (path, edited),
            Place::Appended => (path, appended),
            Place::Anywhere => (path, 0..usize::MAX),
            Place::Old(span) => {
                let moved = |offset: u32| match (span.file, offset as usize) {
                    (file, offset) if file == broken.file && offset >= broken.range.end => {
                        offset + edited.end - broken.range.end
                    }
                    (_, offset) => offset,
                };
                (self.sources.path(span.file), moved(span.start)..moved(span.end))
            }
        };
        let touches = |span: Span| {
            let (start, end) = (span.start as usize, span.end as usize);
            sources.path(span.file) == file && start <= range.end && range.start <= end
        };
        let is_there = |finding: &Diagnostic| {
            let labels = finding.secondary.iter().map(|(span, _)| *span);
            let anywhere = matches!(broken.place, Place::Anywhere);
            broken.codes.contains(&finding.code.0)
                && (anywhere || [finding.primary.0].into_iter().chain(labels).any(touches))
        };
        let reported = findings.iter().any(is_there);
        let line =
            sources.line_column(Span { file: broken.file, start: broken.range.start as u32, end: 0 }).0;
        (!reported).then(|| {
            let said = findings.render(&sources, Style::Plain);
            format!(
                "{kind}: {}:{line}: expected {:?} at {range:?} of {}\n{}",
                path.display(),
                broken.codes,
                file.display(),
                &said[..said.floor_char_boundary(1500)]
            )
        })
    }
}

/// The sections of an operation that fit, with their spans.
fn coding(operation: &Operation) -> Option<&isac_parser::ast::CodingSection> {
    operation.sections.iter().find_map(|section| match section {
        Section::Coding(section) => Some(section),
        _ => None,
    })
}

fn behavior(operation: &Operation) -> Option<Span> {
    operation.sections.iter().find_map(|section| match section {
        Section::Behavior(section) => Some(section.span),
        _ => None,
    })
}

/// Behind the brace that opens a section.
fn inside(sound: &Sound, span: Span) -> Span {
    let brace = sound.text(span).find('{').expect("a section has a brace") as u32;
    Span { file: span.file, start: span.start + brace + 1, end: span.start + brace + 1 }
}

/// All breaks of a model by kind.
fn breaks(sound: &Sound) -> BTreeMap<&'static str, Vec<Break>> {
    let mut found: BTreeMap<&'static str, Vec<Break>> = BTreeMap::new();
    let mut push = |kind: &'static str, broken: Break| found.entry(kind).or_default().push(broken);
    coding::break_groups(sound, &mut push);
    coding::break_codings(sound, &mut push);
    resource::break_bodies(sound, &mut push);
    resource::break_resources(sound, &mut push);
    time::break_time(sound, &mut push);
    time::break_reserved(sound, &mut push);
    text::break_pseudos(sound, &mut push);
    text::break_texts(sound, &mut push);
    text::break_syntax(sound, &mut push);
    found
}

type Push<'p> = &'p mut dyn FnMut(&'static str, Break);

fn item_span(item: &Item) -> Span {
    match item {
        Item::Include(item) => item.span,
        Item::Constant(item) => item.span,
        Item::Target(item) => item.span,
        Item::Resource(item) => item.span,
        Item::Group(item) => item.span,
        Item::Operation(item) => item.span,
        Item::Function(item) => item.span,
        Item::Pseudo(item) => item.span,
    }
}

impl Break {
    /// The place is what was put in, not what was put behind everything.
    fn edited(mut self) -> Break {
        self.place = Place::Edited;
        self
    }
}

fn check(model: &str, sites: usize) {
    check_some(model, sites, 1);
}

/// The same for one kind of breaks of so many.
fn check_some(model: &str, sites: usize, every: usize) {
    let sound = Sound::new(model);
    let mut missed = Vec::new();
    let (mut tried, mut kinds) = (0, BTreeSet::new());
    for (kind, all) in breaks(&sound).into_iter().step_by(every) {
        let step = all.len().div_ceil(sites).max(1);
        for broken in all.iter().step_by(step) {
            tried += 1;
            kinds.insert(kind);
            missed.extend(sound.missed(kind, broken));
        }
    }
    assert!(missed.is_empty(), "{} of {tried} are missed\n{}", missed.len(), missed.join("\n"));
    assert!(
        tried * every >= 20 * sites && kinds.len() * every >= 30,
        "{tried} breaks of {} kinds",
        kinds.len()
    );
}

#[test]
fn each_break_of_tiny8_is_reported() {
    check("models/tiny8/tiny8.isac", SITES);
}

#[test]
fn each_break_of_rv32im_is_reported() {
    check("models/rv32im/rv32im.isac", SITES);
}

#[test]
fn each_break_of_pdp11_is_reported() {
    check("models/pdp11/pdp11.isac", SITES);
}

#[test]
fn each_break_of_the_pipeline_is_reported() {
    check("models/rv32im5/rv32im5.isac", SITES);
}

#[test]
fn each_break_of_timing_demo_is_reported() {
    check("models/timing-demo/timing-demo.isac", SITES);
}

#[test]
fn each_break_of_rv32imc_is_reported() {
    check("models/rv32imc/rv32imc.isac", SITES_OF_LARGE);
}

#[test]
fn each_break_of_rv64imac_is_reported() {
    check("models/rv64imac/rv64imac.isac", SITES_OF_LARGE);
}

/// Each break is proven again in words of 128 bits, which takes seconds without optimization:
/// `ISAC_TESTS=all` asks for all kinds.
#[test]
fn each_break_of_vliw4_is_reported() {
    check_some("models/vliw4/vliw4.isac", SITES_OF_LARGE, all_or(1, 8));
}

#[test]
fn each_break_of_mips32_is_reported() {
    check("models/mips32/mips32.isac", SITES_OF_LARGE);
}

#[test]
fn each_break_of_armv6m_is_reported() {
    check("models/armv6m/armv6m.isac", SITES_OF_LARGE);
}

#[test]
fn each_break_of_avr_is_reported() {
    check("models/avr/avr.isac", SITES_OF_LARGE);
}
