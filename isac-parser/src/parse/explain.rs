//! What was expected where: the message for a piece that the grammar refuses.
//!
//! pest reports where the outermost rule that failed began. Only with its error detail on, which
//! costs tenfold, does it say how far it came and which tokens it would have taken there, so the
//! piece that is known to be wrong is parsed once more. The switch is one for the whole process:
//! a lock keeps parsers on other threads from turning it off under each other.

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use pest::Parser;
use pest::error::{Error, ErrorVariant, InputLocation};

use super::code;
use super::expected::Expected;
use super::grammar::{Grammar, Rule};
use super::remedy;
use super::scan::{Scan, TokenKind};
use super::split::{DECLARATION_WORDS, ITEM_WORDS, SECTION_WORDS};
use crate::diagnostic::Diagnostic;
use crate::mistyped::instead_of_letter;
use crate::source::Span;

/// Longer pieces are explained without detail.
const MAX_DETAIL_BYTES: usize = 64 << 10;

static ERROR_DETAIL: Mutex<()> = Mutex::new(());

/// Why tokens do not parse.
pub(super) struct Explained {
    pub(super) diagnostic: Diagnostic,
    /// The token that does not fit; it may be the one behind the piece. `None` if it is all of it.
    pub(super) token: Option<usize>,
    /// True if nobody knows what was expected.
    pub(super) is_vague: bool,
    /// True if a name lacks and nothing else: nobody knows which.
    pub(super) lacks_name: bool,
}

/// True for a finding that something else was expected.
pub(super) fn is_unexpected(finding: &Diagnostic) -> bool {
    finding.code == code::UNEXPECTED
}

/// Explains why these tokens do not parse by a rule.
pub(super) fn explain(scan: &Scan<'_>, tokens: Range<usize>, rule: Rule) -> Explained {
    let span = scan.tokens_span(tokens.clone());
    let text = &scan.text[span.start as usize..span.end as usize];
    explain_text(scan, tokens, rule, text)
}

/// The same for a text in which some of the tokens are blank.
pub(super) fn explain_text(scan: &Scan<'_>, tokens: Range<usize>, rule: Rule, text: &str) -> Explained {
    let span = scan.tokens_span(tokens.clone());
    let Some(error) = parse_with_detail(text, rule) else {
        let diagnostic = Diagnostic::error(code::UNEXPECTED, span, "this is in the wrong place");
        return Explained { diagnostic, token: None, is_vague: false, lacks_name: false };
    };
    if matches!(error.variant, ErrorVariant::CustomError { .. }) {
        let diagnostic =
            Diagnostic::error(code::TOO_DEEP, scan.token_span(tokens.start), "this nests too deep")
                .help("name parts of it by variables, FUNCTIONs or operations of their own");
        return Explained { diagnostic, token: None, is_vague: false, lacks_name: false };
    }
    let mut failure = Failure::new(scan, tokens, (text, span.start as usize), &error);
    if failure.inside && failure.found_kind() != Some(TokenKind::Number) {
        let before = scan.token_span(failure.found).start - span.start;
        failure.expected = expected_before(&text[..before as usize], rule);
    }
    let is_vague = failure.expected.is_empty();
    let lacks_name = failure.expected.is_only("a name");
    Explained { diagnostic: failure.diagnostic(), token: Some(failure.found), is_vague, lacks_name }
}

/// What could have stood in place of a token into which the grammar came, be it that a keyword
/// or another mark begins it or that it is reserved: with a character that no token begins with
/// in its place, the grammar stops right before it.
fn expected_before(before: &str, rule: Rule) -> Expected {
    parse_with_detail(&format!("{before}\u{1}"), rule)
        .map_or_else(Expected::default, |error| Expected::new(&error, ends_in_word(before)))
}

fn parse_with_detail(text: &str, rule: Rule) -> Option<Error<Rule>> {
    if text.len() > MAX_DETAIL_BYTES {
        return Grammar::parse(rule, text).err();
    }
    // The lock guards no data: a thread that panicked inside it left nothing half done.
    let _lock = ERROR_DETAIL.lock().unwrap_or_else(PoisonError::into_inner);
    pest::set_error_detail(true);
    let result = Grammar::parse(rule, text);
    pest::set_error_detail(false);
    result.err()
}

/// How far the grammar came.
struct Failure<'a> {
    scan: &'a Scan<'a>,
    /// The piece that is wrong.
    tokens: Range<usize>,
    /// The token that does not fit; it may be the one behind the piece.
    found: usize,
    /// True if the grammar stopped inside that token.
    inside: bool,
    expected: Expected,
}

impl<'a> Failure<'a> {
    fn new(
        scan: &'a Scan<'a>,
        tokens: Range<usize>,
        (text, base): (&str, usize),
        error: &Error<Rule>,
    ) -> Self {
        let location = match error.location {
            InputLocation::Pos(at) | InputLocation::Span((at, _)) => at,
        };
        let reached = base + error.parse_attempts().map_or(location, |attempts| attempts.max_position);
        let mut found = scan.token_at(reached).clamp(tokens.start, tokens.end);
        let behind_word = ends_in_word(&text[..reached - base]);
        let expected = Expected::new(error, behind_word);
        // A word that was refused as a whole, since it is reserved or goes on.
        let mut inside = found < tokens.end && (scan.token_span(found).start as usize) < reached;
        if !inside && expected.is_refused_word() && found > tokens.start {
            found -= 1;
            inside = true;
        }
        Self { scan, tokens, found, inside, expected }
    }

    fn diagnostic(&self) -> Diagnostic {
        if self.inside && self.found_kind() == Some(TokenKind::Number) {
            return self.bad_number(self.found);
        }
        if let Some(before) = self.found.checked_sub(1).filter(|before| *before >= self.tokens.start)
            && matches!(self.scan.word(before), "0x" | "0X" | "0b" | "0B" | "0o" | "0O")
        {
            return self.bad_number(before);
        }
        if let Some(word) = self.word_of_c_as_name() {
            return self.word_of_c(word);
        }
        if is_several_characters(self.scan.word(self.found)) {
            return self.bad_character();
        }
        let missing = ["`;`", "`)`", "`]`", "`:`", "`,`"].into_iter().find(|mark| self.expected.has(mark));
        match missing {
            Some(mark)
                if self.found > self.tokens.start && self.stands_apart() && !self.is_behind_word_of_c() =>
            {
                self.missing(mark)
            }
            _ => self.unexpected(),
        }
    }

    /// True behind a word of C that ACTIVATION and CODINGROOT have in upper case.
    fn is_behind_word_of_c(&self) -> bool {
        let before = self.found.checked_sub(1).map_or("", |before| self.scan.word(before));
        matches!(self.scan.word(self.tokens.start), "ACTIVATION" | "CODINGROOT")
            && matches!(before, "if" | "switch" | "else" | "case")
    }

    /// The token that is a word of C where a name may have been meant, as in `if = 3;`.
    fn word_of_c_as_name(&self) -> Option<usize> {
        const STATEMENTS: [&str; 10] =
            ["break", "case", "continue", "default", "do", "for", "if", "return", "switch", "while"];
        const TYPES: [&str; 6] = ["bool", "char", "int", "long", "short", "unsigned"];
        const BEHIND_A_PLACE: [&str; 15] =
            ["=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", "++", "--", "[", "."];
        if !matches!(self.scan.word(self.tokens.start), "BEHAVIOR" | "FUNCTION") {
            return None;
        }
        let is_in_piece = |token: &usize| *token > self.tokens.start;
        let word = |token: usize| self.scan.word(token);
        let before = self.found.checked_sub(1).filter(is_in_piece)?;
        if BEHIND_A_PLACE.contains(&word(self.found))
            && (STATEMENTS.contains(&word(before)) || word(before) == "bit")
        {
            return Some(before);
        }
        // `int int;` declares nothing.
        let ends_declarator = matches!(word(self.found), ";" | "=" | "," | "[");
        let is_type = |token: usize| TYPES.contains(&word(token));
        if ends_declarator
            && is_type(before)
            && before.checked_sub(1).filter(is_in_piece).is_some_and(is_type)
        {
            return Some(before);
        }
        // `(long)` is a cast, and nothing follows it.
        let inner = before.checked_sub(1).filter(is_in_piece)?;
        let is_cast = word(inner - 1) == "(" && word(before) == ")" && TYPES.contains(&word(inner));
        is_cast.then_some(inner)
    }

    fn word_of_c(&self, token: usize) -> Diagnostic {
        let message = format!("`{}` is a word of C", self.scan.word(token));
        Diagnostic::error(code::RESERVED, self.scan.token_span(token), message)
            .label("expected a name")
            .help("inside BEHAVIOR and FUNCTION the words of C are reserved; rename what is meant")
    }

    fn found_kind(&self) -> Option<TokenKind> {
        self.scan.tokens.get(self.found).map(|token| token.kind)
    }

    /// True if the token that does not fit begins something new, so that the one before it is
    /// the place to mend.
    fn stands_apart(&self) -> bool {
        let word = self.scan.word(self.found);
        self.found >= self.scan.tokens.len()
            || self.scan.begins_line(self.found)
            || self.found >= self.tokens.end
            || matches!(word, "}" | ";" | "{")
            || is_keyword(word)
    }

    /// Something is missing behind the last token that fits.
    fn missing(&self, mark: &str) -> Diagnostic {
        let last = self.scan.token_span(self.found - 1);
        let at = Span { start: last.end, ..last };
        let message = format!("expected {}, found {}", self.expected.list(), self.found_text());
        let help = format!("write {mark} after `{}`", shortened(self.scan.word(self.found - 1)));
        self.hint(
            Diagnostic::error(code::UNEXPECTED, at, message).label(format!("missing {mark}")).help(help),
        )
    }

    fn unexpected(&self) -> Diagnostic {
        let message = format!("expected {}, found {}", self.expected.list(), self.found_text());
        let diagnostic = Diagnostic::error(code::UNEXPECTED, self.scan.token_span(self.found), message);
        let first = self.scan.word(self.tokens.start);
        let diagnostic = if self.found > self.tokens.start && is_keyword(first) {
            diagnostic
                .label(format!("not expected in this {}", if first == "PC" { "declaration" } else { first }))
        } else {
            diagnostic.label("not expected here")
        };
        self.hint(diagnostic)
    }

    /// True for a word that is all of an argument of a call.
    fn is_argument(&self) -> bool {
        let before = self.found.checked_sub(1).map_or("", |before| self.scan.word(before));
        matches!(before, "(" | ",") && matches!(self.scan.word(self.found + 1), ")" | ",")
    }

    fn bad_character(&self) -> Diagnostic {
        let message = format!("{} is no character", shortened(self.scan.word(self.found)));
        Diagnostic::error(code::BAD_CONSTANT, self.scan.token_span(self.found), message)
            .label("not expected here")
            .help("a character is a single one, as `'a'` or `'\\n'`; a text stands in \"...\"")
    }

    fn bad_number(&self, token: usize) -> Diagnostic {
        let word = shortened(self.scan.word(token));
        Diagnostic::error(code::BAD_CONSTANT, self.scan.token_span(token), format!("`{word}` is no number"))
            .label("its digits do not fit")
            .help("numbers are written 12, 0x1f, 0b0101, 0o17; bit patterns 0b01x0, 0bx[12]")
    }

    fn found_text(&self) -> String {
        if self.found >= self.scan.tokens.len() {
            return "the end of the file".to_owned();
        }
        let word = self.scan.word(self.found);
        if word.starts_with('"') {
            format!("the string {}", shortened(word))
        } else {
            format!("`{}`", shortened(word))
        }
    }

    /// Adds a remedy for mistakes that are easily made.
    fn hint(&self, diagnostic: Diagnostic) -> Diagnostic {
        let found = self.scan.word(self.found);
        let section = self.scan.word(self.tokens.start);
        if let Some(keyword) = self.expected.nearest_keyword(found) {
            return diagnostic.help(if keyword.eq_ignore_ascii_case(found) {
                format!("keywords are upper-case: write `{keyword}`")
            } else {
                format!("did you mean `{keyword}`?")
            });
        }
        if let Some(remedy) = found.chars().next().and_then(instead_of_letter) {
            return diagnostic.help(remedy);
        }
        let word_before = |distance| self.found.checked_sub(distance).map_or("", |word| self.scan.word(word));
        let before = word_before(1);
        if self.is_behind_word_of_c() {
            return diagnostic
                .help(format!("keywords are upper-case: write `{}`", before.to_ascii_uppercase()));
        }
        let two_before = word_before(2);
        let behind = [1, 2, 3].map(|distance| self.scan.word(self.found + distance));
        let form = match section {
            "ACTIVATION" => remedy::activation_for(found, [two_before, before], behind),
            "OPERATION" => remedy::stage_for(found, [two_before, before], behind),
            _ => None,
        };
        if let Some(form) = form {
            return diagnostic.help(form);
        }
        if found == ":" && self.scan.word(self.found + 1) == "=" && matches!(section, "BEHAVIOR" | "FUNCTION")
        {
            return diagnostic.help("a place is assigned to by `=`");
        }
        if let Some(remedy) = remedy::instead(found, before, two_before, section) {
            return diagnostic.help(remedy);
        }
        let is_switch = (word_before(3), two_before) == ("SWITCH", "(");
        let is_number = self.found_kind() == Some(TokenKind::Number);
        let help = match (found, section) {
            ("*" | "&", _) if self.expected.has("an expression") || self.expected.has("a name") => {
                "there are no pointers"
            }
            ("->", "BEHAVIOR" | "FUNCTION" | "EXPRESSION") => "a member is reached by `.`",
            (":", _) if self.expected.has("`..`") => {
                "bits are written from the highest to the lowest, as `[7..0]`"
            }
            (_, "MEMORY_MAP") if before == "[" => "the slice of a cell is written `[(7..0)]`",
            (",", "ASSEMBLER") => "the items stand side by side; a comma of the text is `\",\"`",
            ("DEFAULT", "CODINGROOT") => "leave DEFAULT out: where no CASE fits, nothing more is decoded",
            ("#", _) if self.expected.has("a definition") => {
                "there is no preprocessor; INCLUDE reads a file, CONSTANT names a value"
            }
            ("case" | "default", "BEHAVIOR" | "FUNCTION") => {
                "`case` and `default` stand in the braces of a `switch`"
            }
            ("else", _) => "a `;` between `}` and `else` ends the `if`",
            (")", "CODINGROOT") if is_switch => {
                "SWITCH decodes what it asks for: `SWITCH (alias (map[pc])) { ... }`, in place of an element before it"
            }
            ("=", _) if self.expected.has("`(`") => "what a field or option is set to stands in parentheses",
            ("}", _) if self.expected.has("a definition") => {
                "no brace is open here; one above may be closed too early"
            }
            (_, "CODING" | "TAIL") if is_number => {
                "bits are written in binary, as 0b0110, so that their number is seen"
            }
            _ if self.expected.has("a definition") && SECTION_WORDS.contains(&found) => {
                "a section stands inside an OPERATION, whose braces may be closed too early"
            }
            _ if self.expected.has("a definition") && DECLARATION_WORDS.contains(&found) => {
                "a declaration stands inside a RESOURCE, whose braces may be closed too early"
            }
            _ if self.expected.has("a definition") => remedy::definition_for(found),
            _ if self.expected.has("`bit`") && remedy::is_type(found) => {
                "a register or cell is `bit[N]`, without a sign; convert it where one is meant, as `(int32_t)x` or `(signed bit[24])x`"
            }
            _ if self.expected.has("a section") => remedy::section_for(found).unwrap_or("the sections are INSTANCE, REFERENCE, LOCAL, ASSEMBLER, CODING, TAIL, WHEN, EXPRESSION, BEHAVIOR, ACTIVATION and CODINGROOT"),
            _ if !found.is_ascii() => "names consist of the letters a to z, A to Z, digits and `_`",
            _ if is_reserved(found) && (self.expected.has("a name") || self.is_argument()) => {
                return diagnostic.help(remedy::name_instead(found, section, [two_before, before]));
            }
            _ => {
                return match remedy::form_of(section) {
                    Some(form) if diagnostic.help.is_empty() => diagnostic.help(format!("it is written {form}")),
                    None if self.expected.list() == "`(`" => {
                        diagnostic.help("what a field is set to stands in parentheses, as `ENDIAN (BIG);`")
                    }
                    _ => diagnostic,
                };
            }
        };
        diagnostic.help(help)
    }
}

/// True for a character constant of none or several characters.
fn is_several_characters(word: &str) -> bool {
    let length = if word.starts_with("'\\") { 4 } else { 3 };
    word.starts_with('\'') && word.chars().count() != length
}

fn ends_in_word(text: &str) -> bool {
    text.ends_with(|c: char| c.is_ascii_alphanumeric() || c == '_')
}

fn is_keyword(word: &str) -> bool {
    ITEM_WORDS.contains(&word) || SECTION_WORDS.contains(&word) || DECLARATION_WORDS.contains(&word)
}

fn is_reserved(word: &str) -> bool {
    ITEM_WORDS.contains(&word)
        || SECTION_WORDS.contains(&word)
        || matches!(word, "ALIAS" | "IF" | "ELSE" | "SWITCH" | "CASE" | "DEFAULT" | "AT" | "IN")
}

/// A token as it stands in a message.
fn shortened(word: &str) -> String {
    const MAX_CHARS: usize = 30;
    if word.chars().count() <= MAX_CHARS {
        return word.escape_debug().to_string().replace("\\\"", "\"").replace("\\'", "'");
    }
    let head: String = word.chars().take(MAX_CHARS).collect();
    format!("{}...", head.escape_debug().to_string().replace("\\\"", "\"").replace("\\'", "'"))
}
