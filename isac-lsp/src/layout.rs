//! A text laid out as `gentool fmt` does, as edits.

use isac_parser::format_text;
use lsp_types::TextEdit;

use crate::text::Lines;

/// What changes a text to itself laid out: nothing, or one edit from the first line that changes to the
/// last.
pub(crate) fn layout_edits(text: &str) -> Vec<TextEdit> {
    let laid_out = format_text(text);
    if laid_out == text {
        return Vec::new();
    }
    let (old, new): (Vec<&str>, Vec<&str>) =
        (text.split_inclusive('\n').collect(), laid_out.split_inclusive('\n').collect());
    let same = |pairs: &mut dyn Iterator<Item = (&&str, &&str)>| pairs.take_while(|(a, b)| a == b).count();
    let begin = same(&mut old.iter().zip(&new));
    let rest = old.len().min(new.len()) - begin;
    let end = same(&mut old.iter().rev().zip(new.iter().rev()).take(rest));
    let bytes = |lines: &[&str]| lines.iter().map(|line| line.len()).sum::<usize>();
    let (start, stop) = (bytes(&old[..begin]), text.len() - bytes(&old[old.len() - end..]));
    let range = Lines::of(text).range(text, start..stop);
    vec![TextEdit::new(range, new[begin..new.len() - end].concat())]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::changed;
    use lsp_types::TextDocumentContentChangeEvent;

    #[test]
    fn the_edits_give_the_text_laid_out() {
        for text in ["", "A {\nb;\n}\n", "A {\n    b;\n}", "\n\nA;  \n\n\n\nB;\nC;", "A;\r\nB;\r\n", "}}\n"] {
            let edits = layout_edits(text);
            let changes = edits.into_iter().map(|edit| TextDocumentContentChangeEvent {
                range: Some(edit.range),
                range_length: None,
                text: edit.new_text,
            });
            let after = changed(text.to_owned(), changes.collect());
            assert_eq!(after, format_text(text), "{text:?}");
            assert!(layout_edits(&after).is_empty());
        }
    }
}
