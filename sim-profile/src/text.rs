//! Names as XML can hold them and terminals show them.

/// `text` with U+FFFD for every control character and every character outside XML 1.0's `Char`.
/// Line breaks and tabs go too: a name has none, and a reader would not get them back unchanged.
pub(crate) fn sanitize(text: &str) -> String {
    // What nearly all are.
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        return text.to_owned();
    }
    text.chars().map(|c| if is_printable(c) { c } else { char::REPLACEMENT_CHARACTER }).collect()
}

fn is_printable(character: char) -> bool {
    !character.is_control() && !matches!(character, '\u{fffe}' | '\u{ffff}')
}

/// A name that stays on its line.
#[cfg(feature = "program")]
pub(crate) fn one_line(name: &str) -> String {
    name.replace(['\n', '\r'], "\u{fffd}")
}

#[cfg(test)]
mod tests {
    use super::sanitize;

    #[test]
    fn what_xml_cannot_hold_is_replaced() {
        assert_eq!(sanitize("a\0b\u{1b}c\td\n\u{ffff}\u{85}é<"), "a�b�c�d���é<");
    }
}
