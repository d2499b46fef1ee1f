//! Words of messages that nobody reads to their end.
//!
//! Messages repeat what a user wrote, and a user may have written anything: a name of a million letters,
//! or a file of another kind. Cut here, it leaves the rest of the message on the screen.

/// A longer word is cut.
const MAX_WORD_BYTES: usize = 200;
/// What remains of such a word.
const SHOWN_BYTES: usize = 60;

/// A text whose words of more than 200 bytes are cut to their first 60, with `...` behind; `None` if none
/// is too long. A word is of letters, digits and `_`.
pub fn short_words(text: &str) -> Option<String> {
    let in_word = |letter: char| letter.is_alphanumeric() || letter == '_';
    if text.len() <= MAX_WORD_BYTES || !text.split(|c| !in_word(c)).any(|word| word.len() > MAX_WORD_BYTES) {
        return None;
    }
    let words = text.split_inclusive(|letter| !in_word(letter));
    let shorten = |word: &str| match word.trim_end_matches(|letter| !in_word(letter)).len() > MAX_WORD_BYTES {
        true => {
            let rest = word.trim_start_matches(in_word);
            format!("{}...{rest}", &word[..word.floor_char_boundary(SHOWN_BYTES)])
        }
        false => word.to_owned(),
    };
    Some(words.map(shorten).collect())
}

#[cfg(test)]
mod tests {
    use super::short_words;

    #[test]
    fn words_are_cut_and_what_stands_between_them_is_kept() {
        let long = "\u{e4}".repeat(200);
        let cut = format!("{}...", "\u{e4}".repeat(30));
        assert_eq!(short_words(&format!("`{long}` is no {long}")), Some(format!("`{cut}` is no {cut}")));
    }

    #[test]
    fn a_text_of_words_that_can_be_read_stays() {
        assert_eq!(short_words(&"word ".repeat(100)), None);
        assert_eq!(short_words(&"x".repeat(200)), None);
    }
}
