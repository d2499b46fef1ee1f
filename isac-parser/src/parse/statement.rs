//! A body that does not parse: its errors statement by statement, or option by option, or element
//! by element.
//!
//! What is wrong is explained, the statement that holds it is blanked out, and the rest is parsed
//! again, until nothing is wrong any more. Blanks keep every byte in its place, so that the tree
//! of what is left points to the text as it was written. Where a statement has others below it,
//! only its head is wrong; one that is right takes its place.

use std::ops::Range;

use pest::iterators::Pair;

use super::build::Builder;
use super::explain::{Explained, explain_text};
use super::file::{MAX_ERRORS, gave_up};
use super::grammar::Rule;
use super::recover::{Found, parse_text};
use super::scan::{Scan, TokenKind};
use super::split::DECLARATION_WORDS;

/// Bytes that are parsed again and again in one piece; a long one with many errors is not looked
/// at to its end.
const MAX_PARSED_BYTES: usize = 1 << 20;

/// Parses tokens by a rule, without the statements that are wrong, which are reported; `None` if
/// something else is wrong with them, or nobody can tell the statements apart.
pub(super) fn parse_by_statement<'s, T>(
    scan: &'s Scan<'s>,
    tokens: &Range<usize>,
    rule: Rule,
    found: &mut Found,
    build: impl Fn(&mut Builder<'s>, Pair<'_, Rule>) -> T,
) -> Option<T> {
    let span = scan.tokens_span(tokens.clone());
    let mut text = scan.text[span.start as usize..span.end as usize].to_owned();
    let kind = Kind::of(scan, tokens);
    let blank =
        Blank { scan, kind, statements: Statements::of(scan, tokens, kind)?, base: span.start as usize };
    let problems = scan.problem_tokens(tokens)?;
    let has_problems = !problems.is_empty();
    for token in problems {
        let wrong = blank.statements.around(scan, token)?;
        found.lost.push(wrong.clone());
        blank.out(&wrong, &mut text);
    }
    let before = found.diagnostics.len();
    let mut parsed_bytes = 0;
    while found.diagnostics.len() < MAX_ERRORS && parsed_bytes <= MAX_PARSED_BYTES {
        parsed_bytes += text.len();
        if let Some(part) = parse_text(scan, tokens.clone(), rule, &text, found, &build) {
            return blank.is_sound_without(tokens, &text).then_some(part);
        }
        let Explained { diagnostic, token, is_vague, lacks_name } =
            explain_text(scan, tokens.clone(), rule, &text);
        let is_first = found.diagnostics.len() == before && !has_problems;
        let wrong = token.and_then(|token| blank.statements.around(scan, token));
        let wrong = wrong.map(|wrong| blank.with_block(wrong));
        let wrong = wrong.filter(|wrong| !blank.is_blank(wrong, &text));
        // What is wrong next to a blank follows from the error there.
        if is_first || wrong.is_some() && !is_vague {
            found.lacks_name |= lacks_name;
            found.diagnostics.push(diagnostic);
        }
        let wrong = wrong?;
        found.lost.push(wrong.clone());
        blank.out(&wrong, &mut text);
    }
    if let Some(last) = found.diagnostics.last()
        && found.diagnostics.len() >= MAX_ERRORS
    {
        let place = last.primary.0;
        found.diagnostics.push(gave_up(place));
    }
    None
}

/// Reports the items of a row that are wrong; their tokens are not what is lost: all of the row is.
pub(super) fn find_wrong_items(scan: &Scan<'_>, tokens: &Range<usize>, rule: Rule, found: &mut Found) {
    let mut items = Found { diagnostics: std::mem::take(&mut found.diagnostics), ..Found::default() };
    let _row: Option<()> = parse_by_statement(scan, tokens, rule, &mut items, |_, _| ());
    found.diagnostics = items.diagnostics;
}

/// What a body is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// C's statements.
    Statements,
    /// Activations, or elements of a CODINGROOT.
    Elements,
    /// Options of a declaration.
    Options,
    /// Items that nothing stands between.
    Items,
}

impl Kind {
    fn of(scan: &Scan<'_>, tokens: &Range<usize>) -> Kind {
        match scan.word(tokens.start) {
            "CODING" | "TAIL" | "ASSEMBLER" => Kind::Items,
            "ACTIVATION" | "CODINGROOT" => Kind::Elements,
            word if DECLARATION_WORDS.contains(&word) => Kind::Options,
            _ => Kind::Statements,
        }
    }
}

/// Where statements begin and end.
struct Statements {
    kind: Kind,
    /// The tokens between the outermost braces.
    body: Range<usize>,
    /// By token of the body: true for a `;` that ends no statement, in the head of a `for`.
    in_head: Vec<bool>,
}

impl Statements {
    /// `None` without braces.
    fn of(scan: &Scan<'_>, tokens: &Range<usize>, kind: Kind) -> Option<Statements> {
        let open = tokens.clone().find(|index| is_mark(scan, *index, "{"))?;
        let close = tokens.clone().rev().find(|index| is_mark(scan, *index, "}"))?;
        let body = open + 1..close;
        let mut in_head = vec![false; body.len()];
        let mut depth = 0;
        for (index, flag) in body.clone().zip(&mut in_head) {
            match scan.word(index) {
                "(" if depth > 0 || scan.word(index - 1) == "for" => depth += 1,
                ")" if depth > 0 => depth -= 1,
                "{" | "}" => depth = 0,
                _ => {}
            }
            *flag = depth > 0;
        }
        (!body.is_empty()).then_some(Statements { kind, body, in_head })
    }

    /// The statement, or the head of one, that holds a token, without the braces around it.
    fn around(&self, scan: &Scan<'_>, token: usize) -> Option<Range<usize>> {
        let is_brace = |index: usize| is_mark(scan, index, "{") || is_mark(scan, index, "}");
        let ends = |index: usize| is_mark(scan, index, ";") && !self.in_head[index - self.body.start];
        // At a brace it is what stands before that is not complete.
        let token = if token == self.body.end || is_brace(token) { token.checked_sub(1)? } else { token };
        if !self.body.contains(&token) || is_brace(token) {
            return None;
        }
        if self.kind == Kind::Items {
            return Some(self.item_around(scan, token));
        }
        let before = (self.body.start..token).rev().find(|index| is_brace(*index) || ends(*index));
        let start = before.map_or(self.body.start, |index| index + 1);
        let end = (token..self.body.end).find(|index| is_brace(*index) || ends(*index));
        let end = end.map_or(self.body.end, |index| if is_brace(index) { index } else { index + 1 });
        let statement = self.behind_label(scan, start..end, token);
        (!statement.is_empty()).then_some(statement)
    }

    /// The item of a row that holds a token.
    fn item_around(&self, scan: &Scan<'_>, token: usize) -> Range<usize> {
        let (mut start, mut depth) = (self.body.start, 0usize);
        for index in self.body.clone() {
            let goes_on = index > self.body.start && matches!(scan.word(index - 1), "=" | "#");
            let is_item = scan.tokens[index].kind != TokenKind::Mark || scan.word(index) == "~";
            if depth == 0 && is_item && !goes_on {
                if index > token {
                    return start..index;
                }
                start = index;
            }
            match scan.word(index) {
                "(" | "[" => depth += 1,
                ")" | "]" => depth = depth.saturating_sub(1),
                _ => {}
            }
        }
        start..self.body.end
    }

    /// A statement without the label in front of it, unless that is what is wrong.
    fn behind_label(&self, scan: &Scan<'_>, statement: Range<usize>, token: usize) -> Range<usize> {
        let is_label = matches!(scan.word(statement.start), "case" | "default");
        let colon = statement.clone().find(|index| is_mark(scan, *index, ":"));
        match colon.filter(|colon| is_label && *colon < token) {
            Some(colon) => colon + 1..statement.end,
            None => statement,
        }
    }
}

struct Blank<'s> {
    scan: &'s Scan<'s>,
    kind: Kind,
    statements: Statements,
    /// Where the text begins in the file.
    base: usize,
}

impl Blank<'_> {
    fn bytes(&self, tokens: &Range<usize>) -> Range<usize> {
        let span = self.scan.tokens_span(tokens.clone());
        span.start as usize - self.base..span.end as usize - self.base
    }

    /// True if a statement is no longer as it was written.
    fn is_blank(&self, statement: &Range<usize>, text: &str) -> bool {
        let bytes = self.bytes(statement);
        text[bytes.clone()] != self.scan.text[bytes.start + self.base..bytes.end + self.base]
    }

    /// A head that nothing can stand for, with the blocks that belong to it.
    fn with_block(&self, statement: Range<usize>) -> Range<usize> {
        let needed = self.in_place_of(&statement).len();
        let has_room = (1..=self.bytes(&statement).len()).contains(&needed);
        if self.kind != Kind::Elements || has_room || !is_mark(self.scan, statement.end, "{") {
            return statement;
        }
        let is_mark = |index: usize, mark: &str| is_mark(self.scan, index, mark);
        let mut depth = 0;
        for index in statement.end..self.statements.body.end {
            depth += i32::from(is_mark(index, "{")) - i32::from(is_mark(index, "}"));
            let goes_on = self.scan.word(index + 1).eq_ignore_ascii_case("else");
            if depth == 0 && is_mark(index, "}") && !goes_on {
                return statement.start..index + 1 + usize::from(is_mark(index + 1, ";"));
            }
        }
        statement
    }

    /// True if what is left of a body says nothing else than it did with what was wrong: a
    /// memory needs its SIZE, addresses of a map are as wide as it says, stages are in an order, and a row of
    /// items is one thing.
    fn is_sound_without(&self, tokens: &Range<usize>, text: &str) -> bool {
        let scan = self.scan;
        let body = &self.statements.body;
        let is_left = |word: &str| {
            let mut found = body.clone().filter(|index| scan.word(*index) == word);
            found.any(|index| !self.is_blank(&(index..index + 1), text))
        };
        match scan.word(tokens.start) {
            "CODING" | "TAIL" | "ASSEMBLER" | "CACHE" | "DEVICE" => false,
            "RAM" => is_left("SIZE"),
            "MEMORY_MAP" => is_left("ADDRESS") || body.clone().all(|index| scan.word(index) != "ADDRESS"),
            "PIPELINE" => self.stages(body).all(|index| !self.is_blank(&(index..index + 1), text)),
            "CODINGROOT" => body.clone().any(|index| !self.is_blank(&(index..index + 1), text)),
            _ => true,
        }
    }

    /// The tokens that are in no inner braces.
    fn stages(&self, body: &Range<usize>) -> impl Iterator<Item = usize> {
        let mut depth = 0;
        body.clone().filter(move |index| {
            depth -= i32::from(is_mark(self.scan, *index, "}"));
            let is_outside = depth == 0;
            depth += i32::from(is_mark(self.scan, *index, "{"));
            is_outside
        })
    }

    /// Puts blanks in the place of a statement, and what its neighbours need to be right.
    fn out(&self, statement: &Range<usize>, text: &mut String) {
        let bytes = self.bytes(statement);
        let needed = self.in_place_of(statement);
        let needed = if needed.len() <= bytes.len() { needed } else { "" };
        let length = bytes.len();
        // An `else` without its `if` would stand there for ever.
        let needed = if text[bytes.clone()] == *needed { "" } else { needed };
        text.replace_range(bytes, &format!("{needed:length$}"));
    }

    /// What has to stand there, so that what is below it or behind it belongs to something.
    fn in_place_of(&self, statement: &Range<usize>) -> &'static str {
        let word = |index: usize| self.scan.word(index);
        let ends = word(statement.end - 1) == ";";
        let is_followed_by_else = word(statement.end) == "else";
        let first = match self.kind {
            Kind::Elements => word(statement.start).to_ascii_uppercase(),
            _ => word(statement.start).to_owned(),
        };
        match first.as_str() {
            "if" if ends => "if(0);",
            "if" => "if(0)",
            "else" if word(statement.start + 1) == "if" && (is_followed_by_else || !ends) => match ends {
                true => "else if(0);",
                false => "else if(0)",
            },
            "else" if ends => "else;",
            "else" => "else",
            // It may belong to a `do` before it.
            "while" if ends => "while(0);",
            "while" | "for" if !ends => "for(;;)",
            "do" if !ends => "do",
            "switch" if !ends => "switch(0)",
            "IF" if ends => "IF(0){}",
            "IF" => "IF(0)",
            "ELSE" if word(statement.start + 1).eq_ignore_ascii_case("if") && !ends => "ELSE IF(0)",
            "ELSE" if !ends => "ELSE",
            "SWITCH" if !ends && word(self.statements.body.start - 2) == "ACTIVATION" => "SWITCH(0)",
            "case" | "default" if is_mark(self.scan, statement.start - 1, "{") => "default:",
            _ if is_followed_by_else => "if(0);",
            _ => "",
        }
    }
}

fn is_mark(scan: &Scan<'_>, index: usize, mark: &str) -> bool {
    scan.tokens.get(index).is_some_and(|token| token.kind == TokenKind::Mark) && scan.word(index) == mark
}
