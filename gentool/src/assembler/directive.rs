//! Directives: sections, data, symbols, files.

use std::rc::Rc;

use isac_parser::diagnostic::Diagnostic;
use isac_parser::did_you_mean;
use isac_parser::mistyped::instead_of_letter;
use isac_parser::source::Span;

use super::code;
use super::expression::Expr;
use super::is_of_section_name;
use super::item::{ItemKind, Section, SectionKind};
use super::message::contents_in_zero;
use super::reader::{escape, name_of, skip_blanks};
use super::reading::{Reading, Statement};
use super::refusal::dangling_operator;
use super::source::string_length;
use super::symbol::{Known, Meaning};

/// The directives with what stands behind them, as messages and the manual show it.
pub const DIRECTIVES: &[(&str, &str)] = &[
    (".text", ""),
    (".data", ""),
    (".bss", ""),
    (".section", "NAME"),
    (".global", "NAME, ..."),
    (".globl", "NAME, ..."),
    (".align", "CELLS"),
    (".balign", "CELLS"),
    (".p2align", "BITS"),
    (".byte", "VALUE, ..."),
    (".half", "VALUE, ..."),
    (".word", "VALUE, ..."),
    (".quad", "VALUE, ..."),
    (".cell", "VALUE, ..."),
    (".ascii", "\"TEXT\", ..."),
    (".asciz", "\"TEXT\", ..."),
    (".string", "\"TEXT\", ..."),
    (".space", "CELLS [, VALUE]"),
    (".zero", "CELLS"),
    (".equ", "NAME, VALUE"),
    (".set", "NAME, VALUE"),
    (".org", "ADDRESS"),
    (".include", "\"FILE\""),
];

/// What GNU's assembler calls otherwise: a name that looks alike would write data of another width.
fn own_name(directive: &str) -> Option<&'static str> {
    Some(match directive {
        ".2byte" | ".hword" | ".short" => ".half",
        ".4byte" | ".long" | ".int" => ".word",
        ".8byte" | ".dword" | ".xword" => ".quad",
        ".skip" => ".space",
        _ => return None,
    })
}

/// How data is written that a directive of GNU's assembler writes, where that is the text of words that are no
/// instruction here.
pub(super) fn data_instead(directive: &str) -> Option<String> {
    let own = own_name(&directive.to_ascii_lowercase())?;
    Some(format!("for data write `{own}`; `{directive}` is the text of words that are no instruction"))
}

impl Reading<'_, '_> {
    /// Reads a directive; false if the line may be an instruction that begins with a dot.
    pub(super) fn directive(&mut self, name: &str, statement: Statement<'_>) -> bool {
        let lower = name.to_ascii_lowercase();
        let rest = skip_blanks(statement.text, name.len());
        let here = Arguments { statement, at: rest };
        match lower.as_str() {
            ".text" | ".data" | ".bss" => {
                self.none(&lower, here);
                self.select(&lower);
            }
            ".section" => self.section_directive(here),
            ".global" | ".globl" => self.global(here),
            ".align" | ".balign" => self.one(&lower, here, ItemKind::Align),
            ".p2align" => self.power(here),
            ".org" => self.one(&lower, here, ItemKind::Origin),
            ".byte" => self.data(here, &lower, Some(8)),
            ".half" => self.data(here, &lower, Some(16)),
            ".word" => self.data(here, &lower, Some(32)),
            ".quad" => self.data(here, &lower, Some(64)),
            ".cell" => self.data(here, &lower, None),
            ".ascii" => self.strings(here, &lower, false),
            ".asciz" | ".string" => self.strings(here, &lower, true),
            ".space" | ".zero" => self.space(here, &lower),
            ".equ" | ".set" => self.equal(here, &lower),
            ".include" => self.include_directive(here, &lower),
            _ => return self.unknown_directive(name, statement),
        }
        true
    }

    fn unknown_directive(&mut self, name: &str, statement: Statement<'_>) -> bool {
        let is_instruction = self.table.begins_with_anything()
            || self.table.mnemonics().into_iter().any(|known| known.starts_with('.'))
            || self.pseudos.words().any(|known| known.starts_with('.'));
        if is_instruction {
            return false;
        }
        self.no_directive(name, statement);
        true
    }

    /// Says that a line which begins with a dot is neither directive nor instruction.
    pub(super) fn no_directive(&mut self, name: &str, statement: Statement<'_>) {
        let word = name.to_ascii_lowercase();
        let near = own_name(&word)
            .map(|own| format!("it is called `{own}` here"))
            .or_else(|| did_you_mean(&word, DIRECTIVES.iter().map(|(name, _)| *name)));
        let help = "docs/assembler.md lists the directives";
        self.findings.push(
            Diagnostic::error(
                code::UNKNOWN_DIRECTIVE,
                statement.span(0, name.len()),
                format!("there is no directive `{name}`"),
            )
            .label("unknown")
            .help(near.unwrap_or_else(|| help.to_owned())),
        );
    }

    /// Goes on in a section.
    fn select(&mut self, name: &str) {
        let known = self.section_numbers.get(name).copied();
        self.section = known.unwrap_or_else(|| {
            self.section_numbers.insert(name.to_owned(), self.sections.len());
            self.sections.push(Section::named(name));
            self.sections.len() - 1
        });
    }

    fn section_directive(&mut self, here: Arguments<'_>) {
        let rest = &here.statement.text[here.at..];
        let quoted = rest.strip_prefix('"').and_then(|inner| inner.split('"').next());
        let end = rest.find(|letter: char| letter.is_whitespace() || letter == ',').unwrap_or(rest.len());
        let name = quoted.unwrap_or(&rest[..end]);
        if name.is_empty() || !name.chars().all(is_of_section_name) {
            self.bad(".section", here, "the name of a section");
            return;
        }
        let length = if quoted.is_some() { name.len() + 2 } else { name.len() };
        self.end(".section", here, here.at + length);
        let name = name.to_owned();
        self.select(&name);
    }

    fn global(&mut self, here: Arguments<'_>) {
        let text = here.statement.text;
        let mut at = here.at;
        loop {
            let name = name_of(&text[at..]);
            if name.is_empty() {
                self.bad(".global", Arguments { at, ..here }, "the name of a symbol");
                return;
            }
            let span = here.statement.span(at, at + name.len());
            if !self.is_register_told(name, span) {
                let symbol = self.symbols.intern(self.unit, name);
                self.symbols.list[symbol as usize].global.get_or_insert(span);
            }
            at = skip_blanks(text, at + name.len());
            if !text[at..].starts_with(',') {
                return self.end(".global", here, at);
            }
            at = skip_blanks(text, at + 1);
        }
    }

    fn none(&mut self, name: &str, here: Arguments<'_>) {
        self.end(name, here, here.at);
    }

    /// Nothing may follow.
    fn end(&mut self, name: &str, here: Arguments<'_>, at: usize) {
        let at = skip_blanks(here.statement.text, at);
        if at < here.statement.text.len() {
            if let Some(finding) = dangling_operator(here.statement, at).filter(|_| at > here.at) {
                self.findings.push(finding);
                return;
            }
            self.bad(name, Arguments { at, ..here }, "the end of the line");
        }
    }

    fn one(&mut self, name: &str, here: Arguments<'_>, kind: impl FnOnce(Rc<Expr>) -> ItemKind) {
        if let Some((expr, end)) = self.expression(here.statement, here.at) {
            self.end(name, here, end);
            self.push(here.statement.whole(), kind(expr));
        }
    }

    /// `.p2align`
    fn power(&mut self, here: Arguments<'_>) {
        let Some((bits, end)) = self.expression(here.statement, here.at) else { return };
        self.end(".p2align", here, end);
        self.push(here.statement.whole(), ItemKind::AlignBits(bits));
    }

    fn data(&mut self, here: Arguments<'_>, name: &str, width_bits: Option<u32>) {
        let cell = self.table.entries[0].cell_bits;
        let width_bits = width_bits.unwrap_or(cell);
        if !width_bits.is_multiple_of(cell) {
            let message = format!("`{name}` has {width_bits} bits, which are not made of cells of {cell}");
            self.findings.push(
                Diagnostic::error(code::NOT_CELLS, here.statement.span(0, name.len()), message)
                    .label("not whole cells")
                    .help("`.cell` fills one cell with each value"),
            );
            return;
        }
        let mut values = Vec::new();
        let mut at = here.at;
        loop {
            let Some((expr, end)) = self.expression(here.statement, at) else { return };
            values.push((expr, here.statement.span(at, end)));
            at = skip_blanks(here.statement.text, end);
            if !here.statement.text[at..].starts_with(',') {
                break;
            }
            at = skip_blanks(here.statement.text, at + 1);
        }
        self.end(name, here, at);
        self.contents(here.statement, name);
        self.push(here.statement.whole(), ItemKind::Data { directive: known_name(name), width_bits, values });
    }

    fn strings(&mut self, here: Arguments<'_>, name: &str, ended: bool) {
        let text = here.statement.text;
        let mut cells = Vec::new();
        let mut at = here.at;
        loop {
            let Some((letters, end)) = self.string(here, name, at) else { return };
            cells.extend(letters);
            cells.extend(ended.then_some(0));
            at = skip_blanks(text, end);
            if !text[at..].starts_with(',') {
                break;
            }
            at = skip_blanks(text, at + 1);
        }
        self.end(name, here, at);
        let cell = self.table.entries[0].cell_bits;
        if cell < 8 {
            let message = format!("a cell of {cell} bits holds no character");
            self.findings.push(
                Diagnostic::error(code::NOT_CELLS, here.statement.whole(), message)
                    .label("does not fit")
                    .help("write the cells' values with `.cell`"),
            );
            return;
        }
        self.contents(here.statement, name);
        self.push(here.statement.whole(), ItemKind::Cells(cells));
    }

    /// The bytes of a string in UTF-8, escapes resolved, and the byte behind it.
    fn string(&mut self, here: Arguments<'_>, name: &str, at: usize) -> Option<(Vec<u32>, usize)> {
        let text = here.statement.text;
        let rest = &text[at..];
        if !rest.starts_with('"') {
            self.bad(name, Arguments { at, ..here }, "a text in `\"`");
            return None;
        }
        let length = string_length(rest);
        let inner = rest[1..length].strip_suffix('"');
        let Some(inner) = inner.filter(|_| length > 1) else {
            let span = here.statement.span(at, at + length);
            self.findings.push(
                Diagnostic::error(code::UNENDED, span, "this text has no end on its line")
                    .label("begins here")
                    .help("end it with `\"`"),
            );
            return None;
        };
        let mut cells = Vec::new();
        let mut place = 0;
        while place < inner.len() {
            let rest = &inner[place..];
            if let Some(escaped) = rest.strip_prefix('\\') {
                let Some((value, length)) = escape(escaped) else {
                    self.bad(name, Arguments { at: at + 1 + place, ..here }, "an escape of C");
                    return None;
                };
                cells.push(value);
                place += 1 + length;
            } else {
                let letter = rest.chars().next().unwrap_or(' ');
                let mut bytes = [0; 4];
                cells.extend(letter.encode_utf8(&mut bytes).bytes().map(u32::from));
                place += letter.len_utf8();
            }
        }
        Some((cells, at + length))
    }

    fn space(&mut self, here: Arguments<'_>, name: &str) {
        let Some((count, end)) = self.expression(here.statement, here.at) else { return };
        let mut at = skip_blanks(here.statement.text, end);
        let mut fill = None;
        if here.statement.text[at..].starts_with(',') {
            let Some((value, end)) = self.expression(here.statement, at + 1) else { return };
            fill = Some(value);
            at = end;
        }
        self.end(name, here, at);
        self.push(here.statement.whole(), ItemKind::Space { directive: known_name(name), count, fill });
    }

    fn equal(&mut self, here: Arguments<'_>, directive: &str) {
        let text = here.statement.text;
        let name = name_of(&text[here.at..]);
        let comma = skip_blanks(text, here.at + name.len());
        if name.is_empty() || name == "." || !text[comma..].starts_with(',') {
            self.bad(directive, here, "the name of a symbol and a comma");
            return;
        }
        let Some((expr, end)) = self.expression(here.statement, comma + 1) else { return };
        self.end(directive, here, end);
        let item = self.items.len();
        let span = here.statement.span(here.at, here.at + name.len());
        let value = expr.value(&Known { symbols: &self.symbols, model: self.model });
        self.push(here.statement.whole(), ItemKind::Mark);
        self.define(name, span, Meaning::Equal(expr, item));
        if let Ok(value) = value {
            let symbol = self.symbols.intern(self.unit, name);
            self.symbols.known.insert(symbol, value);
        }
    }

    fn include_directive(&mut self, here: Arguments<'_>, name: &str) {
        let Some((cells, end)) = self.string(here, name, here.at) else { return };
        self.end(name, here, end);
        let span: Span = here.statement.span(here.at, end);
        let bytes: Vec<u8> = cells.into_iter().map(|cell| cell as u8).collect();
        let path = String::from_utf8_lossy(&bytes).into_owned();
        self.include(&path, span);
    }

    /// A section that is zero has no contents; what `.space` fills is told when its value is known.
    pub(super) fn contents(&mut self, statement: Statement<'_>, name: &str) {
        let section = &self.sections[self.section];
        if section.kind == SectionKind::Zero {
            self.findings.push(contents_in_zero(section, name, statement.whole()));
        }
    }

    fn bad(&mut self, name: &str, here: Arguments<'_>, expected: &str) {
        let rest = &here.statement.text[here.at..];
        let length = rest.chars().next().map_or(0, char::len_utf8);
        let usage = DIRECTIVES.iter().find(|(known, _)| *known == name).map_or("", |(_, usage)| *usage);
        let span = here.statement.span(here.at, here.at + length);
        let letter = rest.chars().next().and_then(instead_of_letter);
        self.findings.push(
            Diagnostic::error(code::BAD_ARGUMENTS, span, format!("expected {expected} behind `{name}`"))
                .label(format!("expected {expected}"))
                .help(letter.unwrap_or_else(|| format!("write `{}`", format!("{name} {usage}").trim_end()))),
        );
    }
}

/// The name of a directive as the list has it.
fn known_name(name: &str) -> &'static str {
    DIRECTIVES.iter().find(|(known, _)| *known == name).map_or("", |(known, _)| known)
}

/// What stands behind a directive.
#[derive(Debug, Clone, Copy)]
struct Arguments<'t> {
    statement: Statement<'t>,
    /// The byte that is looked at.
    at: usize,
}
