//! A case file, read.

use crate::place::parse_number;

/// A run as it was worked out by hand.
#[derive(Debug, Clone, Default)]
pub(crate) struct Case {
    /// Path of the model, from the root of the repository.
    pub(crate) model: String,
    /// Cells of the HOST map: address, value.
    pub(crate) cells: Vec<(u64, u128)>,
    /// From the first cycle to the account, or the table of queues.
    pub(crate) lines: Vec<String>,
    /// Places and their values.
    pub(crate) state: Vec<(String, u128)>,
    /// The lines of the picture in front of everything.
    pub(crate) comments: Vec<String>,
}

/// Reads a case; what is wrong with it otherwise.
pub(crate) fn read_case(text: &str) -> Result<Case, String> {
    let mut case = Case::default();
    for line in text.lines() {
        if let Some(comment) = line.strip_prefix('#') {
            case.comments.push(comment.to_owned());
            continue;
        }
        let line = match line.split_once(" #").filter(|(line, _)| line.starts_with("cell ")) {
            Some((cell, _)) => cell.trim_end(),
            None => line,
        };
        match line.split(' ').collect::<Vec<&str>>()[..] {
            ["model", path] => case.model = path.to_owned(),
            ["cell", address, value] => {
                case.cells.push((number(address)? as u64, number(value)?));
            }
            ["state", ref items @ ..] => {
                for item in items {
                    let (place, value) =
                        item.split_once('=').ok_or_else(|| format!("`{item}` is no place=number"))?;
                    case.state.push((place.to_owned(), number(value)?));
                }
            }
            _ => case.lines.push(line.to_owned()),
        }
    }
    match case.model.is_empty() || case.lines.is_empty() {
        true => Err("expected a model and what happens".to_owned()),
        false => Ok(case),
    }
}

fn number(text: &str) -> Result<u128, String> {
    let number = parse_number(text).and_then(|number| u128::try_from(number).ok());
    number.ok_or_else(|| format!("`{text}` is no number"))
}

impl Case {
    /// Where what happens parts from what was found, with the cycle; nothing if they are the same.
    pub(crate) fn compare(&self, found: &str) -> Vec<String> {
        let mut part = String::new();
        let mut found_lines = found.lines();
        let mut expected_lines = self.lines.iter();
        loop {
            let (expected, found) = (expected_lines.next(), found_lines.next());
            if let Some(line) = expected.filter(|line| !line.starts_with(' ')) {
                let words: Vec<&str> = line.split(' ').collect();
                part = match words[..] {
                    ["cycle", number] => format!("cycle {number}"),
                    [first, ..] => first.to_owned(),
                    [] => String::new(),
                };
            }
            match (expected, found) {
                (None, None) => return Vec::new(),
                (Some(expected), Some(found)) if expected == found => {}
                (expected, found) => {
                    let shown = |line: Option<&str>| line.unwrap_or("(the end)").to_owned();
                    let expected = shown(expected.map(String::as_str));
                    return vec![format!("{part}: expected `{expected}`, found `{}`", shown(found))];
                }
            }
        }
    }
}
