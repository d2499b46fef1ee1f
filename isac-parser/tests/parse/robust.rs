//! Text that nobody would write on purpose: it ends, and in a message.

use isac_parser::diagnostic::{Code, Diagnostics, Style};
use isac_parser::source::SourceMap;

fn codes(text: &str) -> Vec<&'static str> {
    let mut sources = SourceMap::new();
    let mut diagnostics = Diagnostics::new();
    let id = sources.add("test.isac", text);
    let file = isac_parser::parse_file(id, &sources, &mut diagnostics);
    diagnostics.sort();
    let _ = isac_parser::print_file(&file);
    let _ = diagnostics.render(&sources, Style::Styled);
    diagnostics
        .iter()
        .map(|diagnostic| {
            let Code(code) = diagnostic.code;
            code
        })
        .collect()
}

fn behavior(text: &str) -> String {
    format!("OPERATION a {{ BEHAVIOR {{ {text} }}; }};")
}

#[test]
fn brackets_nest_to_a_limit() {
    let nested = |open: &str, close: &str, n: usize| format!("x = {}1{};", open.repeat(n), close.repeat(n));
    assert_eq!(codes(&behavior(&nested("(", ")", 190))), [""; 0]);
    assert_eq!(codes(&behavior(&nested("a[", "]", 190))), [""; 0]);
    assert_eq!(codes(&behavior(&nested("f(", ")", 190))), [""; 0]);
    assert_eq!(codes(&behavior(&nested("(", ")", 100_000))), ["E0104"]);
    assert_eq!(codes(&behavior(&format!("{}{}", "{".repeat(190), "}".repeat(190)))), [""; 0]);
    assert_eq!(codes(&behavior(&format!("{}{}", "{".repeat(100_000), "}".repeat(100_000)))), ["E0104"]);
    assert_eq!(codes(&"{".repeat(100_000)), ["E0104"]);
    assert_eq!(codes(&behavior(&"(".repeat(100_000))), ["E0104"]);
}

#[test]
fn operators_and_statements_nest_to_a_limit() {
    for text in ["-", "- ~", "!", "(int)", "a = ", "a ? b : ", "a + ", "a * b + ", "a, ", "--"] {
        assert_eq!(codes(&behavior(&format!("x = {}1;", text.repeat(50_000)))), ["E0104"], "{text}");
        assert_eq!(codes(&behavior(&format!("x = {}1;", text.repeat(60)))), [""; 0], "{text}");
    }
    for text in ["[1]", ".b", "(1)", "++", "[3..0]"] {
        assert_eq!(codes(&behavior(&format!("x = y{};", text.repeat(50_000)))), ["E0104"], "{text}");
    }
    for text in ["if (a) ", "if (a) b; else ", "while (1) ", "for (;;) "] {
        assert_eq!(codes(&behavior(&format!("{};", text.repeat(50_000)))), ["E0104"], "{text}");
        assert_eq!(codes(&behavior(&format!("{};", text.repeat(60)))), [""; 0], "{text}");
    }
    let chain = "IF (a) { b; } ELSE ".repeat(50_000);
    assert_eq!(codes(&format!("OPERATION a {{ ACTIVATION {{ {chain} {{ }} }}; }};")), ["E0104"]);
    assert_eq!(codes(&behavior(&format!("x = {}1;", "a :: ".repeat(10_000)))), [""; 0]);
}

#[test]
fn nested_casts_are_not_tried_twice() {
    assert_eq!(codes(&behavior(&format!("x = {}1;", "(bit[".repeat(90)))).len(), 1);
    assert_eq!(codes(&behavior(&"bit[(bit[".repeat(60))).len(), 1);
}

#[test]
fn errors_are_reported_to_a_limit() {
    assert_eq!(codes(&"GROUP a;\n".repeat(1000)).len(), 100);
    // What is left of one thing is told once.
    assert_eq!(codes(&"; ".repeat(1000)), ["E0101"]);
    let many = [
        format!("RESOURCE {{ {} }};", "RAM x; ".repeat(10_000)),
        "'\n".repeat(100_000),
        "GROUP a = b\"\n;".repeat(1000),
        behavior(&"x = ;\n".repeat(1000)),
        format!("OPERATION a {{ {} }};", "CODING { 1 };\n".repeat(1000)),
        format!("{}{}", "'\n".repeat(60), "GROUP a;\n".repeat(60)),
    ];
    for text in many {
        let codes = codes(&text);
        assert_eq!((codes.len(), codes.last()), (100, Some(&"E0106")), "{}", &text[..40]);
    }
    assert_eq!(codes(&"'\n".repeat(99)).iter().filter(|code| **code != "E0102").count(), 0);
}

/// However many errors stand before it, and wherever the text is cut.
#[test]
fn brackets_that_nest_too_deep_are_never_parsed() {
    let deep = "(".repeat(100_000);
    let open_texts = "GROUP a = b\"\n;".repeat(120);
    let found = codes(&format!("{open_texts}{}", behavior(&format!("x = {deep}1;"))));
    assert_eq!((found.len(), found.last()), (100, Some(&"E0106")));
    // A section ends what stands before it, whatever is open there.
    let open = "(".repeat(250);
    let two = format!("OPERATION a {{ BEHAVIOR {{ x = {open}\nEXPRESSION {{ {deep} }}; }};\nGROUP g = a;");
    assert!(codes(&two).contains(&"E0104"), "{:?}", codes(&two));
}

#[test]
fn long_lines_end() {
    let long = 1_000_000;
    assert_eq!(codes(&"a + ".repeat(25_000_000)), ["E0106"]);
    assert_eq!(codes(&format!("CONSTANT x = {}1;", "1 + ".repeat(1_000_000))), ["E0106"]);
    assert_eq!(codes(&"a".repeat(long)), ["E0101"]);
    assert_eq!(codes(&" ".repeat(long)), [""; 0]);
    assert_eq!(codes(&format!("CONSTANT x = {};", "1".repeat(long))), ["E0107"]);
    assert_eq!(codes(&format!("GROUP a = b{} c;", ", b".repeat(long / 10))), ["E0101"]);
    assert_eq!(codes(&format!("INCLUDE \"{}", "x".repeat(long))), ["E0102"]);
    assert_eq!(codes(&format!("OPERATION a {{ }};{}", "}".repeat(long / 20))), ["E0101"]);
}

#[test]
fn odd_bytes_end() {
    for text in [
        "",
        "\u{feff}GROUP a = b;",
        "\0",
        "é",
        "GROUP é = a;",
        "\"\\",
        "'",
        "/*",
        "/",
        "OPERATION",
        "OPERATION a",
        "OPERATION a {",
        "0b",
        "0x;",
        "CONSTANT a = 0x_;",
        "CONSTANT a = 0_;",
        "CONSTANT a = '';",
        "CONSTANT a = '\\q';",
        "INCLUDE \"\\x\";",
        "INCLUDE \"\\xff\";",
        "}",
        "};",
        ";",
        "GROUP",
        "PSEUDO { } -> {",
        "RESOURCE {",
        "TARGET {",
        "RESOURCE",
        "TARGET",
    ] {
        codes(text);
    }
}
