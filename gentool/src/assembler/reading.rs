//! From files to items: lines, labels, statements.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use isac_ir::Model;
use isac_parser::diagnostic::{Diagnostic, Diagnostics};
use isac_parser::mistyped::instead_of_letter;
use isac_parser::source::{FileId, MAX_FILE_BYTES, SourceLoader, SourceMap, Span};

use super::code;
use super::expression::Expr;
use super::instruction::with_context;
use super::item::{Item, ItemKind, Section};
use super::number::{Malformed, first_malformed, malformed_at};
use super::pseudo::Pseudos;
use super::reader::{NoExpression, Reader, is_word, name_of, skip_blanks, without_marks};
use super::refusal::first_token;
use super::source::{Plain, beside, without_comments};
use super::surface::Surface;
use super::symbol::{Definition, LineScope, Meaning, Symbols};
use super::table::{Table, first_word};

/// Most lines of one program, included ones as often as they are.
const MOST_LINES: u64 = 4_000_000;

/// Deepest nesting of `.include`.
const MOST_INCLUDED: usize = 64;

/// Most files that are included, one as often as it is.
const MOST_INCLUDES: usize = 1 << 16;

/// The sections that every program has.
const FIRST_SECTIONS: [&str; 3] = [".text", ".data", ".bss"];

/// Reads the files of a program.
pub(super) struct Reading<'a, 'm> {
    pub(super) model: &'m Model,
    pub(super) table: &'a Table<'m>,
    pub(super) surface: &'a Surface,
    pub(super) pseudos: Pseudos<'m>,
    pub(super) loader: &'a dyn SourceLoader,
    pub(super) sources: &'a mut SourceMap,
    pub(super) findings: &'a mut Diagnostics,
    pub(super) symbols: Symbols,
    pub(super) sections: Vec<Section>,
    /// The index of each section, by its name.
    pub(super) section_numbers: HashMap<String, usize>,
    pub(super) items: Vec<Item>,
    /// The section that is being filled.
    pub(super) section: usize,
    /// The file of the command line that is being read, by number.
    pub(super) unit: u32,
    /// The files around the one that is being read, each with what includes it.
    around: Vec<(PathBuf, Option<Span>)>,
    /// Files that have been read, by what they are known by.
    files: HashMap<PathBuf, FileId>,
    lines: u64,
    /// There were more lines than there may be.
    pub(super) is_full: bool,
    /// How many files were included.
    includes: usize,
    /// What may define symbols and was not read.
    pub(super) unread: Unread,
    /// Lines that PSEUDOs have made of the statement so far.
    pub(super) made: usize,
}

/// What may define symbols and was not read: that they are undefined would only follow.
#[derive(Debug, Default)]
pub(super) struct Unread {
    /// A file.
    pub(super) file: bool,
    /// The words of what stands behind `/*` without an end.
    pub(super) words: HashSet<String>,
}

/// A statement: text in a file, its comments gone.
#[derive(Debug, Clone, Copy)]
pub(super) struct Statement<'t> {
    pub(super) text: &'t str,
    pub(super) file: FileId,
    /// Its first byte in the file.
    pub(super) start: usize,
    /// The text stands in the file; else all of it is at the place of the line that it came from.
    pub(super) is_source: bool,
    /// How long the line is that it came from.
    pub(super) length: usize,
}

impl Statement<'_> {
    /// Some of its bytes.
    pub(super) fn span(&self, start: usize, end: usize) -> Span {
        match self.is_source {
            true => Span::new(self.file, self.start + start, self.start + end),
            false => self.whole(),
        }
    }

    /// All of it.
    pub(super) fn whole(&self) -> Span {
        Span::new(self.file, self.start, self.start + self.length)
    }
}

impl<'a, 'm> Reading<'a, 'm> {
    pub(super) fn new(
        table: &'a Table<'m>,
        surface: &'a Surface,
        loader: &'a dyn SourceLoader,
        sources: &'a mut SourceMap,
        findings: &'a mut Diagnostics,
    ) -> Reading<'a, 'm> {
        let sections = FIRST_SECTIONS.map(Section::named);
        Reading {
            model: table.model,
            table,
            surface,
            pseudos: Pseudos::of(table.model),
            loader,
            sources,
            findings,
            symbols: Symbols::default(),
            section_numbers: FIRST_SECTIONS.map(str::to_owned).into_iter().zip(0..).collect(),
            sections: sections.into(),
            items: Vec::new(),
            section: 0,
            unit: 0,
            around: Vec::new(),
            files: HashMap::new(),
            lines: 0,
            is_full: false,
            includes: 0,
            unread: Unread::default(),
            made: 0,
        }
    }

    /// Reads a file of the command line: its symbols are its own, but for those of `.global`.
    ///
    /// # Errors
    /// Why it cannot be read.
    pub(super) fn read_unit(&mut self, path: &Path) -> Result<(), std::io::Error> {
        self.section = 0;
        let bytes = self.loader.load(path)?;
        self.read_bytes(path, bytes, None);
        self.unit += 1;
        Ok(())
    }

    /// Reads a file that `.include` names.
    pub(super) fn include(&mut self, name: &str, span: Span) {
        let (from, _) = self.around.last().cloned().unwrap_or_default();
        let path = beside(&from, name);
        let identity = self.loader.identity(&path);
        if let Some(at) = self.around.iter().position(|(open, _)| self.loader.identity(open) == identity) {
            let through = self.around.get(at + 1).and_then(|(_, span)| *span);
            let message = format!("`{name}` includes itself");
            let mut diagnostic = Diagnostic::error(code::CYCLIC_INCLUDE, span, message)
                .label("this closes the circle")
                .help("take one of the `.include`s out");
            if let Some(through) = through.filter(|through| *through != span) {
                diagnostic = diagnostic.secondary(through, "on the way there");
            }
            self.findings.push(diagnostic);
            return;
        }
        if self.around.len() >= MOST_INCLUDED {
            self.unread.file = true;
            let message = format!("files include each other more than {MOST_INCLUDED} deep");
            self.findings.push(
                Diagnostic::error(code::TOO_LARGE, span, message).help("include files from fewer others"),
            );
            return;
        }
        if self.is_full {
            return;
        }
        self.includes += 1;
        if self.includes > MOST_INCLUDES {
            self.is_full = true;
            let message = format!("more than {MOST_INCLUDES} files are included");
            let help = "a file counts as often as it is included; include it from fewer places";
            self.findings.push(Diagnostic::error(code::TOO_LARGE, span, message).help(help));
            return;
        }
        match self.loader.load(&path) {
            Ok(bytes) => self.read_bytes(&path, bytes, Some(span)),
            Err(error) => {
                self.unread.file = true;
                let message = format!("cannot read `{}`: {error}", path.display());
                let help = "paths are relative to the file that includes";
                self.findings.push(Diagnostic::error(code::UNREADABLE, span, message).help(help));
            }
        }
    }

    fn read_bytes(&mut self, path: &Path, bytes: Vec<u8>, from: Option<Span>) {
        let is_large = bytes.len() > MAX_FILE_BYTES;
        let identity = self.loader.identity(path);
        let text = match is_large {
            true => Err((String::new(), "has more than 16 MiB".to_owned())),
            false => String::from_utf8(bytes).map_err(|error| {
                let at = error.utf8_error().valid_up_to();
                let valid = String::from_utf8_lossy(&error.as_bytes()[..at]).into_owned();
                (valid, format!("is no UTF-8 text at byte {at}"))
            }),
        };
        let known = self.files.get(&identity).copied();
        let file = match (known, &text) {
            (Some(file), _) => file,
            (None, Ok(text)) => self.sources.add(path, text.clone()),
            (None, Err((valid, _))) => self.sources.add(path, valid.clone()),
        };
        self.files.insert(identity, file);
        if let Err((valid, what)) = text {
            self.unread.file = true;
            let message = format!("`{}` {what}", path.display());
            let diagnostic =
                Diagnostic::error(code::BAD_FILE, Span::new(file, valid.len(), valid.len()), message);
            let diagnostic = match (from, valid.is_empty()) {
                (Some(from), _) => diagnostic.secondary(from, "included here"),
                (None, true) => diagnostic,
                (None, false) => diagnostic.label("the text is readable up to here"),
            };
            self.findings.push(diagnostic.help("name a file of assembler text"));
            return;
        }
        let text = self.sources.text(file).to_owned();
        let Plain { text: plain, findings, unended } =
            without_comments(file, &text, self.surface.comment.as_deref());
        if known.is_none() {
            self.findings.extend(findings);
            if let Some(begin) = unended {
                let words = text[begin..].split(|letter| !(is_word(letter) || ".$".contains(letter)));
                self.unread.words.extend(words.map(str::to_owned));
            }
        }
        self.around.push((path.to_owned(), from));
        self.read_lines(file, &plain);
        self.around.pop();
    }

    fn read_lines(&mut self, file: FileId, plain: &str) {
        let mut start = 0;
        for line in plain.split('\n') {
            if self.is_full {
                return;
            }
            self.lines += 1;
            if self.lines <= MOST_LINES {
                self.line(file, start, line);
                self.lines += std::mem::take(&mut self.made) as u64;
            }
            if self.lines > MOST_LINES && !self.is_full {
                self.is_full = true;
                let message = format!("the program has more than {MOST_LINES} lines");
                let span = Span::new(file, start, start + line.len());
                let help = "included lines count as often as they are included, and so does what PSEUDOs make; \
                            assemble it in parts";
                self.findings.push(Diagnostic::error(code::TOO_LARGE, span, message).help(help));
            }
            start += line.len() + 1;
        }
    }

    fn line(&mut self, file: FileId, start: usize, line: &str) {
        let mut at = skip_blanks(line, 0);
        let end = line.trim_end().len();
        while let Some(length) = label_length(&line[at..]) {
            let name = &line[at..at + length];
            self.label(name, Span::new(file, start + at, start + at + length));
            at = skip_blanks(line, at + length + 1);
        }
        if at < end {
            let length = end - at;
            let statement =
                Statement { text: &line[at..end], file, start: start + at, is_source: true, length };
            self.statement(statement);
        }
    }

    fn label(&mut self, name: &str, span: Span) {
        let item = self.items.len();
        self.items.push(Item { section: self.section, span, kind: ItemKind::Mark });
        if name.bytes().all(|letter| letter.is_ascii_digit()) {
            match name.parse() {
                Ok(number) => self.symbols.locals.entry((self.unit, number)).or_default().push(item),
                Err(_) => self.findings.push(
                    Diagnostic::error(
                        code::LOCAL_NUMBER,
                        span,
                        format!("`{name}` is no number of a local label"),
                    )
                    .label("too large")
                    .help(format!("number local labels from 0 to {}", u32::MAX)),
                ),
            }
            return;
        }
        self.define(name, span, Meaning::Label(item));
    }

    /// Defines a symbol, if its name can be one's.
    pub(super) fn define(&mut self, name: &str, span: Span, meaning: Meaning) {
        if self.is_register_told(name, span) {
            return;
        }
        let symbol = self.symbols.intern(self.unit, name);
        if let Err(first) = self.symbols.define(symbol, Definition { span, meaning }) {
            let diagnostic = Diagnostic::error(code::DOUBLE, span, format!("`{name}` is defined twice"))
                .label("defined again")
                .secondary(first, "first defined here")
                .help("give one of them another name, or make it a local label as `1:`");
            self.findings.push(diagnostic);
        }
    }

    /// True for a register's name, which is no symbol's: it is told.
    pub(super) fn is_register_told(&mut self, name: &str, span: Span) -> bool {
        let is_register = self.surface.is_register(name);
        if is_register {
            let message = format!("`{name}` is a register and cannot be a label");
            let diagnostic = Diagnostic::error(code::REGISTER_AS_LABEL, span, message)
                .label("names a register")
                .help("in expressions a register's name is never a label; choose another name");
            self.findings.push(diagnostic);
        }
        is_register
    }

    /// What names mean in the line that is read.
    pub(super) fn scope(&mut self, is_made: bool) -> LineScope<'_> {
        LineScope { symbols: &mut self.symbols, unit: self.unit, item: self.items.len(), is_made }
    }

    fn statement(&mut self, statement: Statement<'_>) {
        let name = name_of(statement.text);
        if name.starts_with('.') && self.directive(name, statement) {
            return;
        }
        let before = self.items.len();
        self.made = 0;
        let _ = self.instruction(statement, 0);
        if self.items.len() > before {
            self.contents(statement, &first_word(statement.text));
        }
    }

    /// Adds an item of the current section.
    pub(super) fn push(&mut self, span: Span, kind: ItemKind) {
        self.items.push(Item { section: self.section, span, kind });
    }

    /// Reads an expression of a statement from a byte on; the result is the byte behind it.
    pub(super) fn expression(
        &mut self,
        statement: Statement<'_>,
        at: usize,
    ) -> Option<(std::rc::Rc<Expr>, usize)> {
        let surface = self.surface;
        let mut scope = self.scope(!statement.is_source);
        match Reader::new(statement.text, surface, &mut scope).expression(at) {
            Ok((_, end)) if self.goes_on(statement, at, end) => None,
            Ok(read) => Some(read),
            Err(error) => {
                self.no_expression(statement, &error);
                None
            }
        }
    }

    /// True if an expression ends in the middle of a number, which is told.
    fn goes_on(&mut self, statement: Statement<'_>, begin: usize, end: usize) -> bool {
        let malformed = statement.text[end..]
            .starts_with(is_word)
            .then(|| first_malformed(statement.text, begin, self.surface))
            .flatten()
            .filter(|malformed| malformed.begin < end);
        malformed.is_some_and(|malformed| {
            self.bad_number(statement, &malformed);
            true
        })
    }

    /// Says of a word that it is no number.
    pub(super) fn bad_number(&mut self, statement: Statement<'_>, malformed: &Malformed) {
        let Malformed { begin, end, message, help } = malformed;
        let span = statement.span(*begin, *end);
        let diagnostic =
            Diagnostic::error(code::BAD_NUMBER, span, message).label("expected a number").help(help);
        let made = (!statement.is_source).then(|| without_marks(statement.text));
        self.findings.push(with_context(diagnostic, made));
    }

    pub(super) fn no_expression(&mut self, statement: Statement<'_>, error: &NoExpression) {
        if let Some(malformed) = malformed_at(statement.text, error.at, self.surface) {
            self.bad_number(statement, &malformed);
            return;
        }
        let rest = &statement.text[error.at..];
        let token = first_token(rest);
        let length = token.len();
        let found = if rest.is_empty() { "the line ends".to_owned() } else { format!("found `{token}`") };
        let message = format!("expected {}, but {found}", error.expected);
        let span = statement.span(error.at, error.at + length);
        let mut diagnostic = Diagnostic::error(code::BAD_EXPRESSION, span, message)
            .label(format!("expected {}", error.expected));
        let name = name_of(rest);
        diagnostic = if let Some(remedy) = rest.chars().next().and_then(instead_of_letter) {
            diagnostic.help(remedy)
        } else if let Some(remedy) = self.surface.unknown_function(rest) {
            diagnostic.help(remedy)
        } else if self.surface.is_register(name) {
            diagnostic.help(format!("`{name}` is a register, which has no value here"))
        } else {
            diagnostic.help("an expression is made of numbers, labels, characters and the operators of C")
        };
        self.findings.push(diagnostic);
    }
}

/// The length of the label that a text begins with, its colon excluded.
fn label_length(text: &str) -> Option<usize> {
    let name = name_of(text).len();
    let digits = text.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(text.len());
    let length = name.max(digits);
    (length > 0 && text[length..].starts_with(':')).then_some(length)
}
