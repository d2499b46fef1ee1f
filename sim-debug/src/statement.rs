//! The statements of a description: where each stands, and which of them a line means.

use std::collections::BTreeMap;

/// A description's statements as an engine numbers them, with the texts that they stand in.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Statements {
    /// The files.
    pub files: Vec<DescriptionFile>,
    /// By number.
    pub statements: Vec<Statement>,
}

/// A file of a description.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DescriptionFile {
    /// Its path.
    pub path: String,
    /// Its lines.
    pub lines: Vec<String>,
}

impl DescriptionFile {
    /// Its name without folders.
    #[must_use]
    pub fn name(&self) -> &str {
        base_name(&self.path)
    }
}

/// A statement in one of the places where it runs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Statement {
    /// Where it stands.
    pub place: TextPlace,
    /// Its text, as far as its first line goes.
    pub text: String,
    /// The section that runs it, as `add.BEHAVIOR`; empty outside of all operations.
    pub section: String,
    /// The FUNCTIONs that are being called, the outermost first, each with where it is called.
    pub calls: Vec<(String, TextPlace)>,
    /// The variables that it sees.
    pub locals: Vec<LocalPlace>,
}

/// A line of a description.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct TextPlace {
    /// Index of the file.
    pub file: u32,
    /// From 1.
    pub line: u32,
}

/// A variable, and where the body that runs it has its value.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LocalPlace {
    /// Its name.
    pub name: String,
    /// Its number among the body's locals.
    pub local: u32,
    /// Width in bits.
    pub width_bits: u32,
    /// Whether its type has a sign.
    pub signed: bool,
}

/// Where a run is to stop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundStatements {
    /// The first statements there, each in all places where it runs.
    pub numbers: Vec<u32>,
    /// The place in words.
    pub shown: String,
}

impl Statements {
    /// A statement by its number.
    #[must_use]
    pub fn get(&self, number: u32) -> Option<&Statement> {
        self.statements.get(number as usize)
    }

    /// A place as `FILE:LINE`, the file without folders.
    #[must_use]
    pub fn show_place(&self, place: TextPlace) -> String {
        let path = self.files.get(place.file as usize).map_or("?", |file| file.path.as_str());
        format!("{}:{}", base_name(path), place.line)
    }

    /// The FUNCTION that a statement is of, else its section.
    #[must_use]
    pub fn name_of<'s>(&'s self, statement: &'s Statement) -> &'s str {
        statement.calls.last().map_or(&statement.section, |(function, _)| function)
    }

    /// The statements that `FILE:LINE` means; FILE is a path, or the end of one.
    ///
    /// # Errors
    /// There is no such file or line, or nothing to run on it: then the nearest line that has is told.
    pub fn find_line(&self, text: &str) -> Result<FoundStatements, String> {
        let (file, line) = text.rsplit_once(':').ok_or("a line is written FILE:LINE, as cpu.isac:12")?;
        let index = self.find_file(file)?;
        let shown = base_name(&self.files[index].path);
        let line: u32 = (line.parse().ok().filter(|line| *line > 0))
            .ok_or_else(|| format!("`{line}` is no number of a line; write digits, as in {shown}:12"))?;
        let place = TextPlace { file: index as u32, line };
        let numbers = self.first_on(place);
        if !numbers.is_empty() {
            return Ok(FoundStatements { numbers, shown: self.show_place(place) });
        }
        let last = self.files[index].lines.len();
        let what = match line as usize > last {
            true => format!("{shown} has {last} lines"),
            false => format!("{shown}:{line} has nothing to run"),
        };
        Err(match self.nearest(place) {
            Some(near) => {
                let text = self.get(near).map_or("", |near| &near.text);
                let place = self.get(near).map_or(place, |near| near.place);
                format!(
                    "{what}; the nearest line that has something to run is {}: {text}",
                    self.show_place(place)
                )
            }
            None => format!("{what}, nor has any other line of that file"),
        })
    }

    /// The first statements of an operation, in each of its sections but EXPRESSION.
    #[must_use]
    pub fn first_of_operation(&self, operation: &str) -> Vec<u32> {
        let mut first: BTreeMap<&str, u32> = BTreeMap::new();
        for (number, statement) in (0..).zip(&self.statements) {
            let section = statement.section.strip_prefix(operation).and_then(|rest| rest.strip_prefix('.'));
            if let Some(section) = section.filter(|section| *section != "EXPRESSION") {
                first.entry(section).or_insert(number);
            }
        }
        first.into_values().collect()
    }

    fn find_file(&self, wanted: &str) -> Result<usize, String> {
        let wanted = wanted.strip_prefix("./").unwrap_or(wanted);
        let ends = |longer: &str, end: &str| longer.strip_suffix(end).is_some_and(|rest| rest.ends_with('/'));
        // Either may be written from further up.
        let fits = |path: &str| path == wanted || ends(path, wanted) || ends(wanted, path);
        let all = || self.files.iter().map(|file| base_name(&file.path)).collect::<Vec<_>>().join(", ");
        let found: Vec<usize> =
            (0..self.files.len()).filter(|index| fits(&self.files[*index].path)).collect();
        match found[..] {
            [index] => Ok(index),
            [] => Err(format!("the description has no file `{wanted}`; it has {}", all())),
            [first, second, ..] => Err(format!(
                "`{wanted}` may be {} or {}; write more of the path",
                self.files[first].path, self.files[second].path
            )),
        }
    }

    /// The first statements of a line, one for each section and way of calling.
    fn first_on(&self, place: TextPlace) -> Vec<u32> {
        let mut first = BTreeMap::new();
        for (number, statement) in (0..).zip(&self.statements) {
            if statement.place == place {
                first.entry((&statement.section, &statement.calls)).or_insert(number);
            }
        }
        first.into_values().collect()
    }

    fn nearest(&self, place: TextPlace) -> Option<u32> {
        let same_file = (0..).zip(&self.statements).filter(|(_, other)| other.place.file == place.file);
        let distance = |line: u32| (line.abs_diff(place.line), line < place.line);
        same_file.min_by_key(|(_, other)| distance(other.place.line)).map(|(number, _)| number)
    }
}

fn base_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::{DescriptionFile, Statement, Statements, TextPlace};

    fn statements() -> Statements {
        let file = |path: &str| DescriptionFile { path: path.to_owned(), lines: vec![String::new(); 20] };
        let statement = |file, line, section: &str, calls: &[&str]| Statement {
            place: TextPlace { file, line },
            text: "x = 1;".to_owned(),
            section: section.to_owned(),
            calls: calls.iter().map(|name| ((*name).to_owned(), TextPlace { file: 0, line: 1 })).collect(),
            ..Statement::default()
        };
        Statements {
            files: vec![file("a/cpu.isac"), file("b/cpu.isac"), file("b/alu.isac")],
            statements: vec![
                statement(0, 4, "add.BEHAVIOR", &[]),
                statement(0, 4, "add.BEHAVIOR", &[]),
                statement(2, 7, "add.BEHAVIOR", &["flags"]),
                statement(2, 7, "sub.BEHAVIOR", &["flags"]),
                statement(0, 9, "add.ACTIVATION", &[]),
                statement(0, 10, "reg.EXPRESSION", &[]),
            ],
        }
    }

    #[test]
    fn a_line_means_the_first_statement_on_it_wherever_that_runs() {
        let all = statements();
        assert_eq!(all.find_line("a/cpu.isac:4").map(|found| found.numbers), Ok(vec![0]));
        let found = all.find_line("alu.isac:7").expect("a line with code");
        assert_eq!((found.numbers, found.shown.as_str()), (vec![2, 3], "alu.isac:7"));
        assert_eq!(all.first_of_operation("add"), [4, 0]);
        assert!(all.first_of_operation("reg").is_empty());
    }

    #[test]
    fn what_is_no_line_is_told_with_the_nearest_that_is() {
        let all = statements();
        for (text, expected) in [
            ("a/cpu.isac", "a line is written FILE:LINE, as cpu.isac:12"),
            ("no.isac:4", "the description has no file `no.isac`; it has cpu.isac, cpu.isac, alu.isac"),
            ("cpu.isac:4", "`cpu.isac` may be a/cpu.isac or b/cpu.isac; write more of the path"),
            ("alu.isac:x", "`x` is no number of a line; write digits, as in alu.isac:12"),
            ("alu.isac:0", "`0` is no number of a line; write digits, as in alu.isac:12"),
            (
                "alu.isac:6",
                "alu.isac:6 has nothing to run; the nearest line that has something to run is alu.isac:7: x = 1;",
            ),
            (
                "alu.isac:99",
                "alu.isac has 20 lines; the nearest line that has something to run is alu.isac:7: x = 1;",
            ),
            (
                "a/cpu.isac:7",
                "cpu.isac:7 has nothing to run; the nearest line that has something to run is cpu.isac:9: x = 1;",
            ),
            ("b/cpu.isac:7", "cpu.isac:7 has nothing to run, nor has any other line of that file"),
        ] {
            assert_eq!(all.find_line(text), Err(expected.to_owned()), "{text}");
        }
    }
}
