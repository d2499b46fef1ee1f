//! Laws over texts that nobody chose.

use isac_parser::diagnostic::{Diagnostics, Style};
use isac_parser::source::SourceMap;
use proptest::prelude::*;

use crate::{check_round_trip, models_in, parse_text, read};

fn expression() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("a".to_owned()),
        Just("pipe.stall".to_owned()),
        Just("0x1f".to_owned()),
        Just("0o17".to_owned()),
        Just("'c'".to_owned()),
        Just("12UL".to_owned()),
        Just("\"t\\n\"".to_owned()),
    ];
    leaf.prop_recursive(5, 40, 4, |inner| {
        let infix = prop::sample::select(vec![
            "*", "/", "%", "+", "-", "<<", ">>", "<", "<=", ">", ">=", "==", "!=", "&", "^", "|", "&&", "||",
            "::", "=", "+=", "<<=",
        ]);
        let prefix = prop::sample::select(vec![
            "-",
            "+",
            "~",
            "!",
            "++",
            "--",
            "(bit[8])",
            "(unsigned char)",
            "(signed bit[N])",
        ]);
        prop_oneof![
            (inner.clone(), infix, inner.clone()).prop_map(|(a, operator, b)| format!("{a} {operator} {b}")),
            (prefix, inner.clone()).prop_map(|(operator, a)| format!("{operator} {a}")),
            inner.clone().prop_map(|a| format!("({a})")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("({a}, {b})")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("({a})[{b}]")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("x[{a}..{b}]")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("f({a}, {b})")),
            (inner.clone(), inner.clone(), inner.clone()).prop_map(|(a, b, c)| format!("{a} ? {b} : {c}")),
            inner.prop_map(|a| format!("({a})++ .m")),
        ]
    })
}

fn statement() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        expression().prop_map(|e| format!("{e};")),
        expression().prop_map(|e| format!("bit[9] v = {e}, w;")),
        expression().prop_map(|e| format!("return {e};")),
        prop::sample::select(vec![";", "break;", "continue;", "return;", "int i;", "{ }"])
            .prop_map(str::to_owned),
    ];
    leaf.prop_recursive(4, 20, 3, |inner| {
        prop_oneof![
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("{{ {a} {b} }}")),
            (expression(), inner.clone()).prop_map(|(e, a)| format!("if ({e}) {a}")),
            (expression(), inner.clone(), inner.clone())
                .prop_map(|(e, a, b)| format!("if ({e}) {{ {a} }} else {b}")),
            (expression(), inner.clone()).prop_map(|(e, a)| format!("while ({e}) {a}")),
            (expression(), inner.clone()).prop_map(|(e, a)| format!("do {a} while ({e});")),
            (expression(), inner.clone()).prop_map(|(e, a)| format!("for (int i = 0; {e}; i++) {a}")),
            (expression(), inner.clone(), inner)
                .prop_map(|(e, a, b)| { format!("switch ({e}) {{ case 1: case 2: {a} default: {b} }}") }),
        ]
    })
}

/// The files that are there, as the mutations' raw material.
fn corpus() -> Vec<String> {
    let directories = ["tests/syntax", "tests/errors/syntax", "../models/tiny8", "../tests/models"];
    let paths = directories.iter().flat_map(|directory| models_in(directory));
    paths.filter(|path| !path.ends_with("not_utf8.isac")).map(|path| read(&path)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn statements_come_back_from_print(statement in statement()) {
        check_round_trip(&format!("OPERATION a {{ BEHAVIOR {{ {statement} }}; }};"));
    }

    #[test]
    fn a_changed_text_is_parsed_or_explained(
        file in any::<prop::sample::Index>(),
        at in any::<prop::sample::Index>(),
        length in 0usize..12,
        insert in prop::sample::select(vec!["", "", "{", "}", ";", "(", ")", "\"", "'", "/*", "//", "=", "OPERATION ", "CODING ", "0b2", "@", "é", "\n", "IN ", "..", "[", "]", "#", "~", "\\"]),
    ) {
        let corpus = corpus();
        let mut text = file.get(&corpus).clone();
        let start = text.floor_char_boundary(at.index(text.len() + 1));
        let end = text.ceil_char_boundary((start + length).min(text.len()));
        text.replace_range(start..end, insert);
        let mut sources = SourceMap::new();
        let mut diagnostics = Diagnostics::new();
        let id = sources.add("test.isac", text.clone());
        let tree = isac_parser::parse_file(id, &sources, &mut diagnostics);
        for diagnostic in &diagnostics {
            prop_assert!(diagnostic.primary.0.end as usize <= text.len());
            prop_assert!(diagnostic.primary.0.start <= diagnostic.primary.0.end);
            prop_assert!(!diagnostic.message.contains("something else"), "{}", diagnostic.render(&sources, Style::Plain));
        }
        let rendered = diagnostics.render(&sources, Style::Plain);
        prop_assert!(rendered.matches("test.isac:").count() >= diagnostics.len(), "{rendered}");
        // What remains is whole: it prints and parses without a finding.
        let printed = isac_parser::print_file(&tree);
        if diagnostics.is_empty() {
            prop_assert!(parse_text(&printed).is_ok(), "{printed}");
        }
    }
}
