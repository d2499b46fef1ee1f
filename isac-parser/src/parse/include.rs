//! INCLUDE: which files make up a description, and in which order.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::file::MAX_DEFINITIONS;
use super::{ParsedFiles, code, parse_file};
use crate::ast::{self, Item, Lost};
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::source::{FileId, MAX_FILE_BYTES, SourceLoader, SourceMap, Span};

/// Files may include each other this deep.
const MAX_DEPTH: usize = 100;

pub(super) fn parse_with_includes(
    root: &Path,
    loader: &dyn SourceLoader,
    parsed: Option<&mut ParsedFiles>,
    sources: &mut SourceMap,
    diagnostics: &mut Diagnostics,
) -> Vec<(FileId, ast::File)> {
    let mut walk = Walk {
        loader,
        parsed,
        sources,
        diagnostics,
        open: Vec::new(),
        seen: BTreeMap::new(),
        files: Vec::new(),
        definitions: 0,
    };
    walk.visit(root, None);
    walk.files
}

struct Walk<'a> {
    loader: &'a dyn SourceLoader,
    /// What was parsed before, if that is of use again.
    parsed: Option<&'a mut ParsedFiles>,
    sources: &'a mut SourceMap,
    diagnostics: &'a mut Diagnostics,
    /// The files that are being read, outermost first, each with the INCLUDE that led to it.
    open: Vec<(PathBuf, Option<Span>)>,
    seen: BTreeMap<PathBuf, FileId>,
    files: Vec<(FileId, ast::File)>,
    /// How many have been read.
    definitions: usize,
}

impl Walk<'_> {
    /// False if a file is missing that was to be read.
    fn visit(&mut self, path: &Path, include: Option<Span>) -> bool {
        let identity = self.loader.identity(path);
        if let Some(at) = self.open.iter().position(|(open, _)| *open == identity) {
            self.cycle(path, include, at);
            return true;
        }
        if self.seen.contains_key(&identity) {
            return true;
        }
        let Some(file) = self.load(path, include) else {
            return false;
        };
        self.seen.insert(identity.clone(), file);
        let mut tree = match &mut self.parsed {
            Some(parsed) => parsed.parse(file, self.sources, self.diagnostics),
            None => parse_file(file, self.sources, self.diagnostics),
        };
        self.definitions += tree.items.len();
        self.open.push((identity, include));
        let mut is_whole = true;
        for item in &tree.items {
            if let Item::Include(include) = item {
                is_whole &= self.follow(path, include);
            }
        }
        if !is_whole {
            tree.lost = Lost::Anything;
        }
        self.open.pop();
        self.files.push((file, tree));
        true
    }

    fn follow(&mut self, from: &Path, include: &ast::Include) -> bool {
        let span = include.path.span;
        if self.open.len() >= MAX_DEPTH {
            self.diagnostics.push(
                Diagnostic::error(code::TOO_LARGE, span, "files include each other too deep")
                    .label(format!("more than {MAX_DEPTH} files are open here")),
            );
            return false;
        }
        if self.definitions > MAX_DEFINITIONS {
            let message = format!("more than {MAX_DEFINITIONS} definitions");
            self.diagnostics.push(
                Diagnostic::error(code::TOO_LARGE, span, message)
                    .label("this file was not looked at, nor what follows"),
            );
            return false;
        }
        let path = from.parent().unwrap_or(Path::new("")).join(&include.path.value);
        self.visit(&path, Some(span))
    }

    fn cycle(&mut self, path: &Path, include: Option<Span>, at: usize) {
        let Some(span) = include else { return };
        let mut diagnostic =
            Diagnostic::error(code::INCLUDE_CYCLE, span, format!("`{}` includes itself", path.display()))
                .label("this closes the circle");
        for (_, through) in self.open.iter().skip(at + 1) {
            if let Some(through) = through {
                diagnostic = diagnostic.secondary(*through, "the way leads through this INCLUDE");
            }
        }
        self.diagnostics.push(diagnostic.help("move what both need into a third file"));
    }

    /// Reads a file into the source map. One that is wrong stands there too, up to the place
    /// where it is wrong, so that messages can point to it.
    fn load(&mut self, path: &Path, include: Option<Span>) -> Option<FileId> {
        let bytes = match self.loader.load(path) {
            Ok(bytes) => bytes,
            Err(error) => {
                self.unreadable(path, include, &error);
                return None;
            }
        };
        if bytes.len() > MAX_FILE_BYTES {
            let file = self.sources.add(path, "");
            let message = format!("`{}` is larger than {} MiB", path.display(), MAX_FILE_BYTES >> 20);
            let help = "is it a description? divide it into files that INCLUDE each other";
            self.report(code::TOO_LARGE, Span::new(file, 0, 0), message, "", include, help);
            return None;
        }
        match String::from_utf8(bytes) {
            Ok(text) => Some(self.sources.add(path, text)),
            Err(error) => {
                let offset = error.utf8_error().valid_up_to();
                let valid = String::from_utf8_lossy(&error.as_bytes()[..offset]).into_owned();
                let file = self.sources.add(path, valid);
                let message = format!("`{}` is not UTF-8 at byte {offset}", path.display());
                self.report(
                    code::NOT_UTF8,
                    Span::new(file, offset, offset),
                    message,
                    "the text is readable up to here",
                    include,
                    "save the file as UTF-8",
                );
                None
            }
        }
    }

    fn unreadable(&mut self, path: &Path, include: Option<Span>, error: &std::io::Error) {
        let reason = match error.kind() {
            std::io::ErrorKind::NotFound => "no such file".to_owned(),
            std::io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
            std::io::ErrorKind::IsADirectory => "it is a directory".to_owned(),
            _ => error.to_string(),
        };
        let message = format!("cannot read `{}`: {reason}", path.display());
        let diagnostic = match include {
            Some(span) => Diagnostic::error(code::UNREADABLE, span, message)
                .label("included here")
                .help("the path is relative to the directory of this file"),
            None => Diagnostic::error(code::UNREADABLE, Span::new(self.sources.add(path, ""), 0, 0), message),
        };
        self.diagnostics.push(diagnostic);
    }

    fn report(
        &mut self,
        code: crate::diagnostic::Code,
        span: Span,
        message: String,
        label: &str,
        include: Option<Span>,
        help: &str,
    ) {
        let mut diagnostic = Diagnostic::error(code, span, message).label(label);
        if let Some(include) = include {
            diagnostic = diagnostic.secondary(include, "included here");
        }
        self.diagnostics.push(diagnostic.help(help));
    }
}
