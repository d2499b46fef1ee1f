//! What is typed nearly right, in descriptions and in assembler text, and how it is written.

/// What may have been meant by a decimal number that begins with 0: C reads it as octal.
pub fn without_leading_zeros(digits: &str) -> String {
    let plain: String = digits.chars().filter(|digit| *digit != '_').collect();
    let trimmed = plain.trim_start_matches('0');
    if trimmed.is_empty() {
        return "zero is written `0`".to_owned();
    }
    match u128::from_str_radix(trimmed, 8) {
        Ok(octal) => format!(
            "a leading 0 does not mean octal here: write `0o{trimmed}` for the octal number, which is {octal}, or `{trimmed}` for the decimal one"
        ),
        Err(_) => format!("write `{trimmed}`; a leading 0 means nothing here, octal is written `0o17`"),
    }
}

/// What to write instead of a letter that word processors and web pages put in the place of one of
/// ASCII, or that cannot be seen.
pub fn instead_of_letter(letter: char) -> Option<String> {
    let (name, plain) = match letter {
        '\u{0}'..='\u{8}' | '\u{e}'..='\u{1f}' | '\u{7f}' => ("a control character", "nothing"),
        '\u{a0}' | '\u{202f}' => ("a no-break space", "a plain space"),
        '\u{2000}'..='\u{200a}' | '\u{205f}' | '\u{3000}' => ("a space of some other width", "a plain space"),
        '\u{200b}'..='\u{200d}' | '\u{2060}' | '\u{feff}' | '\u{ad}' => ("an invisible letter", "nothing"),
        '\u{201c}'..='\u{201f}' | '\u{ab}' | '\u{bb}' => ("a typographic quote", "a plain `\"`"),
        '\u{2018}'..='\u{201b}' | '\u{b4}' => ("a typographic quote", "a plain `'`"),
        '\u{2010}'..='\u{2015}' | '\u{2212}' => ("a typographic dash", "a plain `-`"),
        '\u{d7}' => ("a sign of multiplication", "`*`"),
        '\u{2026}' => ("a typographic ellipsis", "`..`"),
        '\u{2192}' => ("a typographic arrow", "`->`"),
        '\u{ff01}'..='\u{ff5e}' => ("a letter of double width", "the plain one"),
        _ => return None,
    };
    Some(format!("this is {name} (U+{:04X}); write {plain}", u32::from(letter)))
}
