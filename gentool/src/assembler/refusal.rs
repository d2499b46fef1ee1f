//! What is said of a line that is no instruction.

use isac_parser::diagnostic::Diagnostic;
use isac_parser::did_you_mean;
use isac_parser::mistyped::instead_of_letter;

use super::code;
use super::expression::BINARY;
use super::form::forms;
use super::furthest::Furthest;
use super::instruction::with_context;
use super::number::first_malformed;
use super::reader::{MARK, mark, name_of, skip_blanks};
use super::reading::{Reading, Statement};
use super::table::first_word;

/// Findings after which nobody reads suggestions.
const MOST_SUGGESTIONS: usize = 200;

/// What is expected behind an operand that may be the last.
pub(super) const END: &str = "the end of the line";

/// Most that an operand may be and that is named.
const MOST_EXPECTED: usize = 6;

impl Reading<'_, '_> {
    /// Says what a line lacks to be an instruction; how far its readings came, those of PSEUDOs apart.
    pub(super) fn no_instruction(
        &mut self,
        statement: Statement<'_>,
        mut furthest: Furthest,
        further: Furthest,
    ) {
        if further.at > furthest.at {
            furthest = further;
        } else if further.at == furthest.at {
            furthest.expected.extend(further.expected);
        }
        furthest.settle();
        if furthest.at == 0 && statement.text.starts_with('.') {
            self.no_directive(name_of(statement.text), statement);
            return;
        }
        let word = first_word(statement.text);
        let is_instruction = self.is_known(&word) || self.table.begins_with_anything();
        let malformed = first_malformed(statement.text, 0, self.surface);
        if let Some(malformed) = malformed.filter(|malformed| is_instruction && furthest.at <= malformed.end)
        {
            self.bad_number(statement, &malformed);
            return;
        }
        let diagnostic = if is_instruction && furthest.at > 0 {
            let operator =
                furthest.expected.contains(END).then(|| dangling_operator(statement, furthest.at)).flatten();
            operator.unwrap_or_else(|| self.bad_operands(statement, &furthest))
        } else {
            self.unknown_instruction(statement, &word)
        };
        let context = self.context(statement);
        self.findings.push(with_context(diagnostic, context));
    }

    /// True for a word that an instruction or PSEUDO begins with, or that begins with such a one.
    fn is_known(&self, word: &str) -> bool {
        let begins = |known: &str| word.starts_with(known);
        self.table.mnemonics().into_iter().any(begins) || self.pseudos.words().any(begins)
    }

    fn unknown_instruction(&self, statement: Statement<'_>, word: &str) -> Diagnostic {
        let length = word.len().max(1).min(statement.text.len());
        let name = &statement.text[..statement.text.ceil_char_boundary(length)];
        let rest = statement.text[name.len()..].trim_start();
        let message = format!("{} has no instruction `{name}`", self.model.name);
        let diagnostic = Diagnostic::error(code::UNKNOWN_INSTRUCTION, statement.span(0, name.len()), message)
            .label("unknown");
        let value = rest.strip_prefix('=').map(str::trim).filter(|value| !value.starts_with('='));
        let known = self.table.mnemonics();
        let near = || {
            (self.findings.len() < MOST_SUGGESTIONS)
                .then(|| did_you_mean(word, known.iter().copied().chain(self.pseudos.words())))
                .flatten()
        };
        let is_label = name_of(name).len() == name.len() && !self.surface.is_register(name);
        let label = || format!("a label ends with a colon: `{name}:`");
        let unknown = || "the instructions are the texts of the description's ASSEMBLER sections".to_owned();
        diagnostic.help(match value {
            _ if !name.is_ascii() => name.chars().next().and_then(instead_of_letter).unwrap_or_else(unknown),
            Some("") => format!("a name gets its value by `.equ {name}, VALUE`"),
            Some(value) => format!("a name gets its value by `.equ {name}, {value}`"),
            None if is_label && self.begins_statement(rest) => label(),
            None => near().unwrap_or_else(|| {
                if is_label && rest.is_empty() { format!("{}; {}", unknown(), label()) } else { unknown() }
            }),
        })
    }

    /// True for what a statement may begin with, were it not for a word before it.
    fn begins_statement(&self, text: &str) -> bool {
        let word = first_word(text);
        let is_mnemonic =
            self.table.mnemonics().contains(&*word) || self.pseudos.words().any(|known| known == word);
        let is_register = self.surface.is_register(name_of(text));
        (is_mnemonic && !is_register && !word.is_empty()) || text.starts_with('.')
    }

    fn bad_operands(&self, statement: Statement<'_>, furthest: &Furthest) -> Diagnostic {
        let rest = &statement.text[furthest.at.min(statement.text.len())..];
        let found = first_token(rest);
        let expected = listed(furthest);
        let shown = if found.is_empty() { "the line ends".to_owned() } else { format!("found `{found}`") };
        let message = format!("expected {expected}, but {shown}");
        let span = statement.span(furthest.at, furthest.at + found.len());
        let diagnostic =
            Diagnostic::error(code::BAD_OPERANDS, span, message).label(format!("expected {expected}"));
        let letter = rest.chars().next().and_then(instead_of_letter);
        if let Some(remedy) = letter.or_else(|| self.surface.unknown_function(rest)) {
            return diagnostic.help(remedy);
        }
        let forms = match self.findings.len() < MOST_SUGGESTIONS {
            true => forms(self.table, &self.pseudos, statement.text),
            false => Vec::new(),
        };
        let forms: Vec<String> = forms.iter().map(|form| format!("`{form}`")).collect();
        diagnostic.help(match &forms[..] {
            [] => {
                "no text of this instruction goes on like that; `gentool disasm` shows how they are written"
                    .to_owned()
            }
            [one] => format!("it is written {one}"),
            [init @ .., last] => format!("it is written {} or {last}", init.join(", ")),
        })
    }
}

/// The finding about an operator without a value behind it, if an operator stands at a byte.
pub(super) fn dangling_operator(statement: Statement<'_>, at: usize) -> Option<Diagnostic> {
    let rest = statement.text.get(at..)?;
    let (spelling, ..) = BINARY.iter().find(|(spelling, ..)| rest.starts_with(spelling))?;
    let behind = skip_blanks(statement.text, at + spelling.len());
    let found = first_token(&statement.text[behind..]);
    let (span, shown) = match found {
        "" => (statement.span(at, at + spelling.len()), "the line ends".to_owned()),
        found => (statement.span(behind, behind + found.len()), format!("found `{found}`")),
    };
    let message = format!("expected a value behind `{spelling}`, but {shown}");
    Some(
        Diagnostic::error(code::BAD_EXPRESSION, span, message)
            .label("expected a value")
            .help("an expression is made of numbers, labels, characters and the operators of C"),
    )
}

/// What a text begins with, up to a blank, without the comma behind it; at most 20 letters.
pub(super) fn first_token(text: &str) -> &str {
    if text.starts_with(MARK) && mark(text).is_none() {
        return &text[..MARK.len_utf8()];
    }
    let token =
        text.split(|letter: char| letter.is_whitespace() || letter == MARK).find(|part| !part.is_empty());
    let token = token.unwrap_or("");
    let trimmed = token.trim_end_matches(',');
    let token = if trimmed.is_empty() { token } else { trimmed };
    token.char_indices().nth(20).map_or(token, |(end, _)| &token[..end])
}

/// What was expected: few of it in words, much of it counted.
fn listed(furthest: &Furthest) -> String {
    let all: Vec<&str> = furthest.expected.iter().map(String::as_str).collect();
    match &all[..] {
        [] => "an instruction".to_owned(),
        [one] => (*one).to_owned(),
        [init @ .., last] if all.len() <= MOST_EXPECTED => format!("{} or {last}", init.join(", ")),
        many => format!(
            "{} or one of {} others",
            many[..MOST_EXPECTED - 1].join(", "),
            many.len() + 1 - MOST_EXPECTED
        ),
    }
}
