//! Places in texts: bytes here, lines and UTF-16 units there.

use lsp_types::{Position, Range, TextDocumentContentChangeEvent};

/// Where the lines of a text begin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Lines {
    /// The first byte of each line and, of the last, one past the end.
    starts: Vec<usize>,
}

impl Lines {
    /// The lines of a text: a line feed, a carriage return or both together end one.
    pub(crate) fn of(text: &str) -> Lines {
        let bytes = text.as_bytes();
        let ends = |at: &usize| match bytes[*at] {
            b'\n' => true,
            b'\r' => bytes.get(at + 1) != Some(&b'\n'),
            _ => false,
        };
        let starts = std::iter::once(0).chain((0..bytes.len()).filter(ends).map(|at| at + 1)).collect();
        Lines { starts }
    }

    /// The byte at a position; what lies beyond a line or the text is its end.
    pub(crate) fn offset(&self, text: &str, position: Position) -> usize {
        let Some(&start) = self.starts.get(position.line as usize) else { return text.len() };
        let line = &text[start..self.end(text, position.line as usize)];
        let mut units = 0;
        for (at, letter) in line.char_indices() {
            units += letter.len_utf16();
            // A position within a letter is that of the letter.
            if units > position.character as usize {
                return start + at;
            }
        }
        start + line.len()
    }

    /// The position of a byte; a byte within a letter is at the letter.
    pub(crate) fn position(&self, text: &str, offset: usize) -> Position {
        let offset = text.floor_char_boundary(offset.min(text.len()));
        let line = self.starts.partition_point(|start| *start <= offset).saturating_sub(1);
        let start = self.starts[line].min(offset);
        let units: usize = text[start..offset].chars().map(char::len_utf16).sum();
        let narrow = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        Position::new(narrow(line), narrow(units))
    }

    /// The range of some bytes.
    pub(crate) fn range(&self, text: &str, bytes: std::ops::Range<usize>) -> Range {
        Range::new(self.position(text, bytes.start), self.position(text, bytes.end))
    }

    /// One past the last byte of a line, its break excluded.
    fn end(&self, text: &str, line: usize) -> usize {
        let Some(&next) = self.starts.get(line + 1) else { return text.len() };
        let line = &text[self.starts[line]..next];
        next - (line.len() - line.trim_end_matches(['\r', '\n']).len()).min(2)
    }
}

/// The text after some changes, made one after the other.
pub(crate) fn changed(mut text: String, changes: Vec<TextDocumentContentChangeEvent>) -> String {
    for change in changes {
        match change.range {
            None => text = change.text,
            Some(range) => {
                let lines = Lines::of(&text);
                let (start, end) = (lines.offset(&text, range.start), lines.offset(&text, range.end));
                text.replace_range(start..end.max(start), &change.text);
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "a\r\nä𝄞b\rc\n";

    #[test]
    fn columns_count_units_of_utf_16() {
        let lines = Lines::of(TEXT);
        let places =
            [(0, 0, 0), (1, 0, 1), (3, 1, 0), (5, 1, 1), (9, 1, 3), (10, 1, 4), (11, 2, 0), (13, 3, 0)];
        for (offset, line, character) in places {
            let position = Position::new(line, character);
            assert_eq!(lines.position(TEXT, offset), position, "{offset}");
            assert_eq!(lines.offset(TEXT, position), offset, "{position:?}");
        }
    }

    #[test]
    fn positions_that_do_not_exist_are_the_nearest_before() {
        let lines = Lines::of(TEXT);
        assert_eq!(lines.offset(TEXT, Position::new(0, 99)), 1);
        assert_eq!(lines.offset(TEXT, Position::new(1, 2)), 5);
        assert_eq!(lines.offset(TEXT, Position::new(99, 0)), TEXT.len());
        assert_eq!(lines.position(TEXT, 999), Position::new(3, 0));
        assert_eq!(lines.position(TEXT, 4), Position::new(1, 0));
    }

    #[test]
    fn changes_are_made_one_after_the_other() {
        let change = |range: Option<(u32, u32, u32, u32)>, text: &str| TextDocumentContentChangeEvent {
            range: range.map(|(a, b, c, d)| Range::new(Position::new(a, b), Position::new(c, d))),
            range_length: None,
            text: text.to_owned(),
        };
        let changes = vec![change(Some((0, 0, 0, 1)), "xy"), change(Some((0, 1, 1, 3)), "-")];
        assert_eq!(changed(TEXT.to_owned(), changes), "x-b\rc\n");
        assert_eq!(changed(TEXT.to_owned(), vec![change(None, "new")]), "new");
        assert_eq!(changed("ab".to_owned(), vec![change(Some((0, 2, 0, 0)), "c")]), "abc");
    }
}
