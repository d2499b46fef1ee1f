//! Coverage of a description in the format of lcov's tracefiles (geninfo(1)).

use std::fmt::Write as _;

use super::{DescriptionCoverage, FileCoverage};

/// Sections as functions, lines and sides of decisions of all files, by path.
///
/// What never ran has 0. The decisions of a line are numbered in the order of the text; sides of one
/// that was never reached are `-`, as genhtml wants it.
pub fn render_description_lcov(coverage: &DescriptionCoverage) -> String {
    let mut out = String::from("TN:\n");
    coverage.files.iter().for_each(|(path, file)| write_file(&mut out, path, file));
    out
}

fn write_file(out: &mut String, path: &str, file: &FileCoverage) {
    // A `String` takes every write.
    let _ = writeln!(out, "SF:{}", path.replace(['\n', '\r'], "\u{fffd}"));
    for (line, section) in file.sections.keys() {
        let _ = writeln!(out, "FN:{line},{section}");
    }
    for ((_, section), count) in &file.sections {
        let _ = writeln!(out, "FNDA:{count},{section}");
    }
    let ran = file.sections.values().filter(|count| **count > 0).count();
    let _ = writeln!(out, "FNF:{}\nFNH:{ran}", file.sections.len());
    let mut decisions = file.decisions.iter().peekable();
    let mut number = 0;
    while let Some(((line, _), decision)) = decisions.next() {
        for (side, count) in &decision.sides {
            let taken = if decision.was_reached() { count.to_string() } else { "-".to_owned() };
            let _ = writeln!(out, "BRDA:{line},{number},{side},{taken}");
        }
        let is_same_line = decisions.peek().is_some_and(|((next, _), _)| next == line);
        number = if is_same_line { number + 1 } else { 0 };
    }
    let (taken, sides) = file.side_counts();
    let _ = writeln!(out, "BRF:{sides}\nBRH:{taken}");
    for (line, count) in &file.lines {
        let _ = writeln!(out, "DA:{line},{count}");
    }
    let (ran, lines) = file.line_counts();
    let _ = writeln!(out, "LF:{lines}\nLH:{ran}\nend_of_record");
}

#[cfg(test)]
mod tests {
    use super::super::{DescriptionCoverage, DescriptionPoint, DescriptionPoints, PointKind};
    use super::render_description_lcov;

    #[test]
    fn a_line_has_its_most_frequent_statement_and_what_is_never_reached_has_no_count() {
        let point = |file, line, kind| DescriptionPoint { file, line, kind };
        let side = |decision, side| PointKind::Side { decision, side };
        let points = DescriptionPoints {
            files: vec!["b.isac".to_owned(), "a.isac".to_owned()],
            points: vec![
                point(0, 3, PointKind::Section("add.BEHAVIOR".to_owned())),
                point(0, 3, PointKind::Statement),
                point(0, 3, PointKind::Statement),
                point(0, 3, side(7, 0)),
                point(0, 3, side(7, 1)),
                point(0, 3, side(9, 0)),
                point(0, 3, side(9, 1)),
                point(1, 1, PointKind::Statement),
            ],
        };
        let coverage = DescriptionCoverage::of(&points, &[5, 5, 2, 2, 3, 0, 0, 0]).expect("one description");
        assert_eq!((coverage.lines(), coverage.sides()), ((1, 2), (2, 4)));
        assert_eq!(
            render_description_lcov(&coverage),
            "TN:\nSF:a.isac\nFNF:0\nFNH:0\nBRF:0\nBRH:0\nDA:1,0\nLF:1\nLH:0\nend_of_record\n\
             SF:b.isac\nFN:3,add.BEHAVIOR\nFNDA:5,add.BEHAVIOR\nFNF:1\nFNH:1\n\
             BRDA:3,0,0,2\nBRDA:3,0,1,3\nBRDA:3,1,0,-\nBRDA:3,1,1,-\nBRF:4\nBRH:2\n\
             DA:3,5\nLF:1\nLH:1\nend_of_record\n"
        );
        assert_eq!(DescriptionCoverage::of(&points, &[1]), None);
    }
}
