//! The page around the data: markup, style, script, put into one file.

use serde::Serialize;

const PAGE: &str = include_str!("../../page/page.html");

/// In the order in which they stand in the page: what all use first.
const STYLES: [&str; 2] = [include_str!("../../page/page.css"), include_str!("../../page/views.css")];
const SCRIPTS: [&str; 12] = [
    include_str!("../../page/data.js"),
    include_str!("../../page/element.js"),
    include_str!("../../page/table.js"),
    include_str!("../../page/overview.js"),
    include_str!("../../page/instructions.js"),
    include_str!("../../page/encoding.js"),
    include_str!("../../page/functions.js"),
    include_str!("../../page/flame.js"),
    include_str!("../../page/code.js"),
    include_str!("../../page/pipeline.js"),
    include_str!("../../page/description.js"),
    include_str!("../../page/main.js"),
];

/// Puts everything together.
pub(super) fn fill(data: &impl Serialize) -> String {
    let json = json_of(data);
    let parts = [("{{styles}}", STYLES.join("\n")), ("{{data}}", json), ("{{scripts}}", SCRIPTS.join("\n"))];
    // Each mark is looked for behind the last one alone: what was put in is never searched.
    let (mut out, mut rest) = (String::new(), PAGE);
    for (mark, text) in parts {
        let (before, behind) = rest.split_once(mark).expect("the page has a mark for each part");
        out.push_str(before);
        out.push_str(&text);
        rest = behind;
    }
    out + rest
}

/// JSON that may stand in a `script` element: no character in it can end the element, begin a
/// comment or end a line.
pub(super) fn json_of(data: &impl Serialize) -> String {
    // Plain numbers, texts and lists always have a JSON.
    let json = serde_json::to_string(data).expect("the data of a page are plain values");
    let mut out = String::with_capacity(json.len());
    for character in json.chars() {
        match character {
            '<' => out.push_str("\\u003c"),
            '>' => out.push_str("\\u003e"),
            '&' => out.push_str("\\u0026"),
            '\u{2028}' => out.push_str("\\u2028"),
            '\u{2029}' => out.push_str("\\u2029"),
            '\u{7f}' => out.push_str("\\u007f"),
            character => out.push(character),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{PAGE, SCRIPTS, STYLES, fill, json_of};

    #[test]
    fn no_text_can_end_the_element_that_it_stands_in() {
        let hostile = "</script><!--<script>&\u{2028}\u{2029}{{scripts}}";
        let json = json_of(&[hostile]);
        assert!(!json.contains(['<', '>', '&', '\u{2028}', '\u{2029}']), "{json}");
        assert_eq!(serde_json::from_str::<[String; 1]>(&json).unwrap()[0], hostile);
        let page = fill(&[hostile]);
        assert_eq!(page.matches("</script>").count(), PAGE.matches("</script>").count());
    }

    #[test]
    fn what_stands_in_the_page_names_no_other_place() {
        for part in STYLES.iter().chain(&SCRIPTS).chain([&PAGE]) {
            for far in ["http:", "https:", "//cdn", "@import", "url(", "fetch(", "innerHTML", "eval("] {
                assert!(!part.replace("http://www.w3.org/2000/svg", "").contains(far), "{far}");
            }
        }
    }

    #[test]
    fn no_part_ends_the_element_that_it_stands_in() {
        assert!(SCRIPTS.iter().all(|script| !script.contains("</script")));
        assert!(STYLES.iter().all(|style| !style.contains("</style")));
    }
}
