//! The rule behind a code, its reason, a wrong and a right example.
//!
//! Each code has a file in `src/explanation`: paragraphs, then blocks. A block `isac,wrong` is
//! answered by this code alone, a block `isac,right` by nothing; tests compile both. Blocks with
//! `file=NAME` are what the others INCLUDE, beside `frame.isac`. A line `// for i from A to B: TEXT`
//! stands for one line TEXT for each i, in which `[i]`, `[i+1]` and `[i+2]` are numbers; first
//! lines `// -D NAME=VALUE` replace CONSTANTs.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::code_table::{CodeEntry, all_entries};
use crate::diagnostic::{Code, Diagnostics, Style};
use crate::resolve::suggestion::near_names;
use crate::source::{InMemory, SourceMap};
use crate::{check_coverage, load_model, resolve};

/// What most examples include: `frame.isac`.
const FRAME: &str = include_str!("explanation/frame.isac");
/// Its name.
const FRAME_FILE: &str = "frame.isac";
/// Columns of a line of text.
const LINE_COLUMNS: usize = 100;

/// A code with its rule and examples.
#[derive(Debug, Clone)]
pub struct Explanation {
    /// The code.
    pub code: Code,
    /// What it says, as a row of the manual's table.
    pub says: &'static str,
    /// The rule and its reason: paragraphs.
    pub rule: &'static str,
    /// What is answered by the code.
    pub wrong: Example,
    /// What is answered by nothing.
    pub right: Example,
}

/// A description that shows something.
#[derive(Debug, Clone)]
pub struct Example {
    /// Its name in messages.
    pub name: &'static str,
    /// As it is shown.
    pub text: String,
    /// What it includes, by name, without the frame.
    pub included: Vec<(String, String)>,
    /// Of the included files those that are written in Latin-1.
    latin1: Vec<String>,
}

/// There is no such code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownCode {
    /// Codes that may have been meant, the nearest ones first.
    pub near: Vec<Code>,
}

/// All codes, in order, with what they say.
pub fn list_codes() -> Vec<(Code, &'static str)> {
    let mut codes: Vec<(Code, &'static str)> = all_entries().map(|entry| (entry.code, says(entry))).collect();
    codes.sort_unstable();
    codes
}

/// The rule behind a code, which may be written in lower case.
///
/// # Errors
/// If there is no such code.
pub fn explain_code(code: &str) -> Result<Explanation, UnknownCode> {
    let code = code.to_ascii_uppercase();
    let Some(entry) = all_entries().find(|entry| entry.code.0 == code) else {
        let near = near_names(&code, list_codes().iter().map(|(code, _)| code.0));
        return Err(UnknownCode { near: near.into_iter().map(Code).collect() });
    };
    let (rule, blocks) = entry.explanation.split_once("```").unwrap_or((entry.explanation, ""));
    let blocks = blocks_of(blocks);
    Ok(Explanation {
        code: entry.code,
        says: says(entry),
        rule: rule.trim(),
        wrong: Example::new("wrong", &blocks),
        right: Example::new("right", &blocks),
    })
}

fn says(entry: &CodeEntry) -> &'static str {
    entry.documentation.trim().trim_end_matches('.')
}

/// What stands behind the fence of a block, and its text.
fn blocks_of(text: &'static str) -> Vec<(Vec<&'static str>, &'static str)> {
    let block = |block: &'static str| {
        let (head, text) = block.split_once('\n')?;
        Some((head.strip_prefix("isac,")?.split(',').collect(), text))
    };
    text.split("```").filter_map(block).collect()
}

impl Explanation {
    /// The explanation as text, with the message that the wrong example is answered by.
    pub fn render(&self, style: Style) -> String {
        let mut text = format!("{}: {}\n", self.code, self.says);
        for paragraph in self.rule.split("\n\n") {
            text += &format!("\n{}", wrapped(paragraph));
        }
        let (findings, sources) = self.wrong.check(self.code);
        text += &format!("\nWrong:\n\n{}\n{}", self.wrong.shown(), findings.render(&sources, style));
        text += &format!("Right:\n\n{}", self.right.shown());
        if [&self.wrong, &self.right].iter().any(|example| example.text.contains(FRAME_FILE)) {
            text += &format!("\nWhat both include as {FRAME_FILE}:\n\n{}", indented(FRAME));
        }
        text
    }
}

impl Example {
    fn new(name: &'static str, blocks: &[(Vec<&'static str>, &'static str)]) -> Example {
        let mut example = Example { name, text: String::new(), included: Vec::new(), latin1: Vec::new() };
        for (words, text) in blocks.iter().filter(|(words, _)| words.first() == Some(&name)) {
            match words.iter().find_map(|word| word.strip_prefix("file=")) {
                Some(file) => {
                    example.included.push((file.to_owned(), (*text).to_owned()));
                    if words.contains(&"latin1") {
                        example.latin1.push(file.to_owned());
                    }
                }
                None => example.text = (*text).to_owned(),
            }
        }
        example
    }

    /// The findings of the example, those of coverage included where the code is one of these.
    pub fn check(&self, code: Code) -> (Diagnostics, SourceMap) {
        let root = format!("{}.isac", self.name);
        let latin1 = |text: &str| text.chars().map(|letter| u8::try_from(letter).unwrap_or(b'?')).collect();
        let included = self.included.iter().map(|(name, text)| {
            let bytes = if self.latin1.contains(name) { latin1(text) } else { text.clone().into_bytes() };
            (PathBuf::from(name), bytes)
        });
        let own = [(PathBuf::from(&root), expand(&self.text).into_bytes())];
        let frame = [(PathBuf::from(FRAME_FILE), FRAME.as_bytes().to_vec())];
        let loader = InMemory::new(own.into_iter().chain(frame).chain(included));
        let (mut sources, mut findings) = (SourceMap::new(), Diagnostics::new());
        let model =
            load_model(Path::new(&root), &loader, &overrides(&self.text), &mut sources, &mut findings);
        if let (Some(model), true) = (model, code == resolve::code::UNCOVERED) {
            check_coverage(&model, &mut findings);
        }
        (findings, sources)
    }

    fn shown(&self) -> String {
        let included = self.included.iter().map(|(name, text)| format!("\n{name}:\n\n{}", indented(text)));
        indented(&self.text) + &included.collect::<String>()
    }
}

fn overrides(text: &str) -> BTreeMap<String, u128> {
    let lines = text.lines().map_while(|line| line.strip_prefix("// -D "));
    let pairs = lines.filter_map(|line| line.split_once('='));
    pairs.filter_map(|(name, value)| Some((name.to_owned(), value.parse().ok()?))).collect()
}

/// The text with its repeated lines written out.
fn expand(text: &str) -> String {
    let mut expanded = String::new();
    for line in text.lines() {
        let repeated = line.trim_start().strip_prefix("// for i from ").and_then(|rest| {
            let (range, template) = rest.split_once(": ")?;
            let (first, last) = range.split_once(" to ")?;
            Some((first.parse::<u32>().ok()?, last.parse::<u32>().ok()?, template))
        });
        let Some((first, last, template)) = repeated else {
            expanded += &format!("{line}\n");
            continue;
        };
        for i in first..=last {
            let numbers = [("[i]", i), ("[i+1]", i + 1), ("[i+2]", i + 2)];
            let with = |text: String, (name, number): (&str, u32)| text.replace(name, &number.to_string());
            expanded += &(numbers.into_iter().fold(template.to_owned(), with) + "\n");
        }
    }
    expanded
}

/// A text in from the margin.
pub fn indented(text: &str) -> String {
    let line = |line: &str| if line.is_empty() { "\n".to_owned() } else { format!("    {line}\n") };
    text.lines().map(line).collect()
}

/// A paragraph in lines.
pub fn wrapped(paragraph: &str) -> String {
    let mut text = String::new();
    let mut columns = 0;
    for word in paragraph.split_whitespace() {
        let length = word.chars().count();
        if columns > 0 && columns + 1 + length > LINE_COLUMNS {
            text.push('\n');
            columns = 0;
        } else if columns > 0 {
            text.push(' ');
            columns += 1;
        }
        text += word;
        columns += length;
    }
    text + "\n"
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn all() -> impl Iterator<Item = Explanation> {
        let codes = list_codes().into_iter();
        codes.map(|(code, _)| explain_code(code.0).expect("a listed code is explained"))
    }

    #[test]
    fn the_wrong_example_of_each_code_is_answered_by_this_code_alone() {
        let mut failed = String::new();
        for explanation in all() {
            let (findings, sources) = explanation.wrong.check(explanation.code);
            let codes: BTreeSet<Code> = findings.iter().map(|finding| finding.code).collect();
            if codes != BTreeSet::from([explanation.code]) {
                let said = findings.render(&sources, Style::Plain);
                failed += &format!(
                    "{}: {codes:?}\n{}\n",
                    explanation.code,
                    &said[..said.floor_char_boundary(2000)]
                );
            }
        }
        assert!(failed.is_empty(), "{failed}");
    }

    #[test]
    fn nothing_is_said_of_the_right_example_of_each_code() {
        let mut failed = String::new();
        for explanation in all() {
            let (findings, sources) = explanation.right.check(explanation.code);
            if !findings.is_empty() {
                let said = findings.render(&sources, Style::Plain);
                failed += &format!("{}:\n{}\n", explanation.code, &said[..said.floor_char_boundary(2000)]);
            }
        }
        assert!(failed.is_empty(), "{failed}");
    }

    #[test]
    fn each_code_has_a_rule_and_two_different_examples() {
        for explanation in all() {
            assert!(explanation.rule.len() > 40, "{} has no rule", explanation.code);
            assert_ne!(explanation.wrong.text, "", "{}", explanation.code);
            let differ = explanation.wrong.text != explanation.right.text
                || explanation.wrong.included != explanation.right.included
                || !explanation.wrong.latin1.is_empty();
            assert!(differ, "{}: both examples are the same", explanation.code);
        }
    }

    #[test]
    fn each_file_explains_a_code() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/explanation");
        let known: BTreeSet<String> = list_codes().iter().map(|(code, _)| format!("{code}.md")).collect();
        for entry in std::fs::read_dir(folder).expect("the folder can be read") {
            let name = entry.expect("an entry").file_name().to_string_lossy().into_owned();
            assert!(name == FRAME_FILE || known.contains(&name), "{name} explains nothing");
        }
    }

    #[test]
    fn an_unknown_code_gets_near_ones() {
        let near = |code: &str| explain_code(code).expect_err("there is no such code").near;
        assert_eq!(near("W0410"), [Code("E0410"), Code("W0401")]);
        assert_eq!(near("E401").first(), Some(&Code("E0401")));
        assert_eq!(near("nonsense"), []);
        assert_eq!(explain_code("e0410").map(|found| found.code), Ok(Code("E0410")));
    }

    #[test]
    fn an_explanation_is_text_with_the_message() {
        let text = explain_code("E0410").expect("the code exists").render(Style::Plain);
        assert!(text.starts_with("E0410: Two operations that match the same word\n\nEvery word"), "{text}");
        assert!(text.contains("\nWrong:\n\n    INCLUDE \"frame.isac\";\n"), "{text}");
        assert!(text.contains("error[E0410]: `left` and `right` both match 0b00000000\n"), "{text}");
        assert!(text.contains("\nRight:\n"), "{text}");
        assert!(text.lines().all(|line| line.chars().count() <= 120), "{text}");
    }
}
