//! What of a literal stands together in a program.
//!
//! A literal falls into pieces, and a program may have blanks between them: a word of letters, digits,
//! `_`, `.` and `$`, a bracket or a comma, and a row of other signs. `add.b` is one piece, `,x` two.

/// What a character of a literal stands together with.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Word,
    Alone,
    Sign,
}

fn kind(letter: char) -> Kind {
    match letter {
        ',' | '(' | ')' | '[' | ']' | '{' | '}' => Kind::Alone,
        '_' | '.' | '$' => Kind::Word,
        _ if letter.is_ascii_punctuation() => Kind::Sign,
        _ => Kind::Word,
    }
}

/// The pieces of a literal in their order, each with all that follows it up to the next blank of the
/// literal, itself included.
pub fn pieces(literal: &str) -> impl Iterator<Item = (&str, &str)> {
    literal.split_whitespace().flat_map(|part| {
        let mut rest = part;
        std::iter::from_fn(move || {
            let whole = rest;
            let first = kind(whole.chars().next()?);
            let others = |letter: char| first == Kind::Alone || kind(letter) != first;
            let end = whole.char_indices().skip(1).find(|(_, letter)| others(*letter));
            let (piece, behind) = whole.split_at(end.map_or(whole.len(), |(at, _)| at));
            rest = behind;
            Some((piece, whole))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::pieces;

    #[track_caller]
    fn check(literal: &str, expected: &[&str]) {
        let found: Vec<&str> = pieces(literal).map(|(piece, _)| piece).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn words_stay_together_and_signs_may_stand_apart() {
        check("add.b", &["add.b"]);
        check(",x", &[",", "x"]);
        check("a,@a+dptr", &["a", ",", "@", "a", "+", "dptr"]);
        check("),y", &[")", ",", "y"]);
        check("(sp)++ ->", &["(", "sp", ")", "++", "->"]);
        check(" zero, zero,", &["zero", ",", "zero", ","]);
        check("\u{e9}a", &["\u{e9}a"]);
        check("", &[]);
    }

    #[test]
    fn what_follows_a_piece_ends_at_a_blank() {
        let all: Vec<(&str, &str)> = pieces("a,b c").collect();
        assert_eq!(all, [("a", "a,b"), (",", ",b"), ("b", "b"), ("c", "c")]);
    }
}
