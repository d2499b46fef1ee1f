//! Descriptions laid out: indentation and empty lines, and nothing else.
//!
//! A description is often a table: columns of codings, of names, of comments. So what stands within a
//! line stays as it was written, comments above all. A line that begins a statement or a declaration is
//! indented by the line that has opened the braces around it; one that goes on with what an earlier line
//! has begun keeps its place relative to that line.

/// Spaces of each pair of braces.
const INDENT: usize = 4;

/// The text laid out. Laying it out again changes nothing; its words are those of `text`.
///
/// Lines end by a line feed, without spaces before it; there is never more than one empty line, and none
/// at the beginning or end. Lines within a block comment that they do not begin stay where they are.
pub fn format_text(text: &str) -> String {
    let mut layout = Layout::default();
    for line in text.lines() {
        layout.line(line);
    }
    layout.out
}

/// What a line ends in the midst of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Within {
    #[default]
    Code,
    BlockComment,
    Text,
}

/// A brace that is open.
#[derive(Debug, Clone, Copy)]
struct Brace {
    /// The column at which its line begins.
    column: usize,
    /// A line within it began with a label: what follows stands below that.
    has_label: bool,
}

/// A text under construction.
#[derive(Default)]
struct Layout {
    out: String,
    braces: Vec<Brace>,
    /// The column at which this line begins.
    column: usize,
    /// Parentheses and brackets that are open.
    others: usize,
    within: Within,
    /// A statement or declaration has begun and is not over.
    goes_on: bool,
    /// By how many columns the line that began it was moved to the right.
    shift: isize,
    /// The last letter of this line that is neither blank nor in a comment.
    last: char,
    /// An empty line is to come, if another line does.
    is_apart: bool,
}

impl Layout {
    fn line(&mut self, line: &str) {
        if self.within != Within::Code {
            // What stands in a comment is laid out by who wrote it; a text has no lines, and is told.
            let line = if self.within == Within::Text { line } else { line.trim_end() };
            self.put(line);
            self.read(line);
            return;
        }
        let words = line.trim();
        if words.is_empty() {
            self.is_apart = !self.out.is_empty();
            return;
        }
        let column = columns_before(line);
        let indent = match self.goes_on || self.others > 0 {
            true => column.saturating_add_signed(self.shift),
            false => {
                let indent = self.indent_of(words);
                self.shift = indent as isize - column as isize;
                indent
            }
        };
        if std::mem::take(&mut self.is_apart) {
            self.out.push('\n');
        }
        self.column = indent;
        let line = format!("{}{words}", " ".repeat(indent));
        self.put(&line);
        let is_label = !self.goes_on && begins_with_label(words);
        self.last = ' ';
        self.read(words);
        // A label has ended with its line, what it labels begins with the next.
        self.goes_on &= !(is_label && self.last == ':');
    }

    /// The column of a line that begins something.
    fn indent_of(&mut self, words: &str) -> usize {
        let closed = words.chars().take_while(|letter| *letter == '}').count();
        if closed > 0 {
            let opened = self.braces.len().saturating_sub(closed);
            return self.braces.get(opened).map_or(0, |brace| brace.column);
        }
        let Some(brace) = self.braces.last_mut() else { return 0 };
        let is_label = begins_with_label(words);
        let below = brace.has_label && !is_label;
        brace.has_label |= is_label;
        brace.column + INDENT + if below { INDENT } else { 0 }
    }

    fn put(&mut self, line: &str) {
        self.out += line;
        self.out.push('\n');
    }

    /// Reads a line for what it opens, closes and ends.
    fn read(&mut self, line: &str) {
        let mut letters = line.chars().peekable();
        while let Some(letter) = letters.next() {
            match (self.within, letter) {
                (Within::BlockComment, '*') if letters.peek() == Some(&'/') => {
                    letters.next();
                    self.within = Within::Code;
                }
                (Within::BlockComment, _) => {}
                (Within::Text, '\\') => {
                    letters.next();
                }
                (Within::Text, '"') => self.within = Within::Code,
                (Within::Text, _) => {}
                (Within::Code, '/') if letters.peek() == Some(&'/') => return,
                (Within::Code, '/') if letters.peek() == Some(&'*') => {
                    letters.next();
                    self.within = Within::BlockComment;
                }
                (Within::Code, '"') => {
                    self.within = Within::Text;
                    self.goes_on = true;
                }
                (Within::Code, letter) => self.read_code(letter),
            }
        }
    }

    fn read_code(&mut self, letter: char) {
        if !letter.is_whitespace() {
            self.last = letter;
        }
        match letter {
            '{' => {
                self.braces.push(Brace { column: self.column, has_label: false });
                self.goes_on = false;
            }
            '}' => {
                self.braces.pop();
                self.goes_on = false;
            }
            '(' | '[' => {
                self.others += 1;
                self.goes_on = true;
            }
            ')' | ']' => {
                self.others = self.others.saturating_sub(1);
                self.goes_on = true;
            }
            // In the midst of parentheses it ends nothing.
            ';' => self.goes_on = self.others > 0,
            letter if letter.is_whitespace() => {}
            _ => self.goes_on = true,
        }
    }
}

/// True for `case` and `default`, in either language.
fn begins_with_label(words: &str) -> bool {
    let word: String =
        words.chars().take_while(|letter| letter.is_alphanumeric() || *letter == '_').collect();
    ["case", "default", "CASE", "DEFAULT"].contains(&word.as_str())
}

/// Columns that a line is indented by; a tab leads to the next multiple of four.
fn columns_before(line: &str) -> usize {
    let blank = line.chars().take_while(|letter| letter.is_whitespace());
    blank.fold(0, |column, letter| match letter {
        '\t' => (column / INDENT + 1) * INDENT,
        _ => column + 1,
    })
}

#[cfg(test)]
mod tests {
    use super::format_text;

    #[track_caller]
    fn check(text: &str, wanted: &str) {
        assert_eq!(format_text(text), wanted);
        assert_eq!(format_text(wanted), wanted, "laid out again it is the same");
    }

    #[test]
    fn lines_are_indented_by_braces_and_columns_within_them_stay() {
        check(
            "RESOURCE {\nREGISTER bit[8] a;      // first\n        REGISTER bit[16] bc;  /* and */ \n}\n",
            "RESOURCE {\n    REGISTER bit[8] a;      // first\n    REGISTER bit[16] bc;  /* and */\n}\n",
        );
    }

    #[test]
    fn a_line_that_goes_on_keeps_its_place_beside_the_one_before() {
        check(
            "FUNCTION void f() {\n  if (a)\n     b = 1 +\n         2;\n  else {\n  c = 3;\n  }\n}\n",
            "FUNCTION void f() {\n    if (a)\n       b = 1 +\n           2;\n    else {\n        c = 3;\n    }\n}\n",
        );
    }

    #[test]
    fn comments_stay_as_they_are() {
        check(
            "/* {\n      drawn\n  by hand */\n  // } {\n\tGROUP g = a, // {\n\t          b;\n",
            "/* {\n      drawn\n  by hand */\n// } {\nGROUP g = a, // {\n          b;\n",
        );
    }

    #[test]
    fn texts_open_nothing() {
        check("A {\nSYNTAX { \"{ // \\\" (\" };\n}\n", "A {\n    SYNTAX { \"{ // \\\" (\" };\n}\n");
    }

    #[test]
    fn empty_lines_are_one_between_and_none_around() {
        check("\n\n  A { };  \n \n\n\nB { };\n\n", "A { };\n\nB { };\n");
        check("", "");
        check("A {\r\n};", "A {\n};\n");
    }

    #[test]
    fn braces_of_one_line_indent_once() {
        check(
            "OPERATION a { BEHAVIOR {\nx = 1;\n}; };\nB { C { d; }\ne; }\n",
            "OPERATION a { BEHAVIOR {\n    x = 1;\n}; };\nB { C { d; }\n    e; }\n",
        );
    }

    #[test]
    fn what_follows_a_label_stands_below_it() {
        check(
            "F {\nswitch (a) {\ncase 1: b = 1;\nbreak;\n// for all others\ndefault:\nb = 2;\n}\n}\n",
            "F {\n    switch (a) {\n        case 1: b = 1;\n            break;\n            // for all others\n        default:\n            b = 2;\n    }\n}\n",
        );
    }

    #[test]
    fn what_is_not_balanced_is_laid_out_too() {
        check("}}\n}\nA\n(\n", "}}\n}\nA\n(\n");
    }
}
