//! No text makes the front end panic, and it never refuses without saying why.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use isac_parser::source::InMemory;

use super::super::load;

const MODELS: [&str; 4] = [
    "../models/tiny8/tiny8.isac",
    "../models/rv32im/rv32im.isac",
    "../tests/models/tree.isac",
    "tests/resolve/staged.isac",
];

fn read(model: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(model)).unwrap()
}

/// Loads a text; [`load`] itself checks that there is a model exactly if there is no error.
fn survives(text: String) {
    let path = Path::new("mutant.isac");
    load(path, &InMemory::new([(path, text)]), &BTreeMap::new());
}

#[test]
fn a_description_without_one_of_its_lines_is_explained() {
    for model in MODELS {
        let text = read(model);
        let lines: Vec<&str> = text.lines().collect();
        for missing in 0..lines.len() {
            let rest = lines.iter().enumerate().filter(|(line, _)| *line != missing);
            survives(rest.map(|(_, line)| *line).collect::<Vec<_>>().join("\n"));
        }
    }
}

#[test]
fn a_description_with_one_word_replaced_is_explained() {
    for model in MODELS {
        let text = read(model);
        let words = words(&text);
        // A fixed walk over pairs of words; its step is coprime to most lengths.
        let mut other = 0;
        for (start, end) in words.iter().step_by(7) {
            other = (other + 7919) % words.len();
            let (from, to) = words[other];
            let mutant = format!("{}{}{}", &text[..*start], &text[from..to], &text[*end..]);
            survives(mutant);
        }
    }
}

/// The places of all words and numbers.
fn words(text: &str) -> Vec<(usize, usize)> {
    let mut words = Vec::new();
    let mut start = None;
    for (at, byte) in text.bytes().enumerate() {
        let in_word = byte.is_ascii_alphanumeric() || byte == b'_';
        match (start, in_word) {
            (None, true) => start = Some(at),
            (Some(from), false) => {
                words.push((from, at));
                start = None;
            }
            _ => {}
        }
    }
    words
}

/// Each stands for the two behind it: read one by one they are quick, followed they would double.
#[test]
fn thousands_of_pseudos_are_followed_quickly() {
    let frame = "RESOURCE { PC REGISTER bit[16] pc; RAM bit[8] ram { SIZE (16); };
         MEMORY_MAP defaultmap { RANGE (0, 15) -> ram; }; };
         OPERATION main { CODINGROOT { put (defaultmap[pc]); }; BEHAVIOR { pc = pc + 1; }; };
         OPERATION put { ASSEMBLER { \"put\" n=#U }; CODING { n=0bx[8] }; };\n";
    let chain = (0..4000).map(|n| {
        let (next, last) = (n + 1, n + 2);
        format!("PSEUDO {{ \"p{n}\" v:#U }} -> {{ \"p{next}\" v; \"p{last}\" v }};\n")
    });
    let chain: String = chain.collect();
    let path = Path::new("pseudos.isac");
    let said = |end: &str| {
        let text = format!("{frame}{chain}PSEUDO {{ \"p4000\" v:#U }} -> {{ {end} }};\n");
        let text = format!("{text}PSEUDO {{ \"p4001\" v:#U }} -> {{ {end} }};\n");
        let (model, said) = load(path, &InMemory::new([(path, text)]), &BTreeMap::new());
        (model.is_some(), said)
    };
    assert_eq!(said("\"put\" v"), (true, String::new()));
    let (is_sound, endless) = said("\"p0\" v");
    assert!(!is_sound && endless.matches("error[E0415]").count() == 1, "{endless}");
    let (is_sound, unknown) = said("\"pot\" v");
    assert!(!is_sound && unknown.matches("error[E0415]").count() == 2, "{unknown}");
    assert!(unknown.contains("did you mean `put`?"), "{unknown}");
}

#[test]
fn a_thousand_instructions_are_compared_quickly() {
    let mut text = String::from(
        "RESOURCE { PC REGISTER bit[32] pc; REGISTER bit[32] x[8]; RAM bit[8] ram { SIZE (16); };
         MEMORY_MAP defaultmap { RANGE (0, 15) -> ram; }; };
         OPERATION main { CODINGROOT { instr (defaultmap[pc]); }; };
         GROUP reg = r1, r2, r4, r7;",
    );
    for register in [1, 2, 4, 7] {
        text += &format!(
            "OPERATION r{register} {{ CODING {{ 0b{register:03b} }}; EXPRESSION {{ x[{register}] }}; }};"
        );
    }
    let names: Vec<String> = (0..1024).map(|n| format!("op{n}")).collect();
    text += &format!("GROUP instr = {};", names.join(", "));
    for (number, name) in names.iter().enumerate() {
        text += &format!(
            "OPERATION {name} {{ INSTANCE reg ALIAS {{ a, b }}; \
             CODING {{ a 0b{number:010b} 0bx[16] b }}; BEHAVIOR {{ a = b; }}; }};"
        );
    }
    let path = Path::new("large.isac");
    let (model, said) = load(path, &InMemory::new([(path, text)]), &BTreeMap::new());
    assert!(model.is_some(), "{said}");
}

#[test]
fn deep_nesting_is_refused() {
    let mut text = String::from(
        "RESOURCE { PC REGISTER bit[8] pc; RAM bit[8] ram { SIZE (16); };
         MEMORY_MAP defaultmap { RANGE (0, 15) -> ram; }; };
         OPERATION main { CODINGROOT { op0 (defaultmap[pc]); }; };",
    );
    for level in 0..20_000 {
        let next = level + 1;
        text += &format!("OPERATION op{level} {{ INSTANCE op{next} ALIAS {{ a }}; CODING {{ a }}; }};");
    }
    text += "OPERATION op20000 { CODING { 0bx[8] }; };";
    let path = Path::new("deep.isac");
    let (model, said) = load(path, &InMemory::new([(path, text)]), &BTreeMap::new());
    assert!(model.is_none() && said.contains("E0407"), "{said}");
}

const MACHINE: &str = "RESOURCE { PC REGISTER bit[8] pc; RAM bit[8] ram { SIZE (16); };
     MEMORY_MAP defaultmap { RANGE (0, 15) -> ram; }; };
     OPERATION main { CODINGROOT { a (defaultmap[pc]); }; };\n";

/// What is said of a machine with further definitions.
fn said(text: String) -> (bool, String) {
    let path = Path::new("test.isac");
    let files = InMemory::new([(path, format!("{MACHINE}{text}"))]);
    let (model, said) = load(path, &files, &BTreeMap::new());
    (model.is_some(), said)
}

#[test]
fn of_many_findings_the_first_are_shown_and_the_rest_counted() {
    let members: Vec<String> = (0..20_000).map(|n| format!("m{n}")).collect();
    let (sound, text) = said(format!("GROUP a = {};", members.join(", ")));
    assert!(!sound);
    assert_eq!(text.matches("error[").count(), 100);
    assert!(text.ends_with("note: 19900 more errors not shown; mend these first\n\n"), "{text}");
    let unused: String = (0..10_000).map(|n| format!("OPERATION o{n} {{ }};\n")).collect();
    let (sound, text) = said(format!("OPERATION a {{ CODING {{ 0bx[8] }}; }};\n{unused}"));
    assert!(sound);
    assert_eq!(text.matches("warning[").count(), 100);
    assert!(text.contains(" more warnings not shown"), "{text}");
}

#[test]
fn a_name_of_a_megabyte_does_not_fill_the_screen() {
    let name = "n".repeat(1_000_000);
    let (sound, text) = said(format!("OPERATION a {{ CODING {{ 0bx[8] }}; BEHAVIOR {{ {name} = 1; }}; }};"));
    assert!(!sound);
    assert!(text.contains("undefined name `nnn") && text.contains("nnn...`"), "{text}");
    assert!(text.len() < 3_000, "{}", text.len());
}

#[test]
fn many_definitions_end_soon() {
    let leaf = "OPERATION a { CODING { 0bx[8] }; };\n";
    let chain: String = (0..5_000).map(|n| format!("CONSTANT c{n} = c{} + 1;\n", n + 1)).collect();
    assert!(said(format!("{leaf}{chain}CONSTANT c5000 = 1;")).0);
    let circle: String = (0..5_000).map(|n| format!("CONSTANT c{n} = c{};\n", (n + 1) % 5_000)).collect();
    assert!(!said(format!("{leaf}{circle}")).0);
    let groups: String = (0..10_000).map(|n| format!("GROUP g{n} = a;\n")).collect();
    assert!(said(format!("{leaf}{groups}")).0);
    let very_many: String = (0..150_000).map(|n| format!("GROUP g{n} = a;\n")).collect();
    let (sound, text) = said(format!("{leaf}{very_many}"));
    assert!(!sound && text.contains("error[E0106]: more than 100000 definitions"), "{text}");
    let nested: String = (0..5_000).map(|n| format!("GROUP g{n} = g{};\n", n + 1)).collect();
    assert!(!said(format!("GROUP a = g0;\n{nested}OPERATION g5000 {{ CODING {{ 0bx[8] }}; }};")).0);
}

#[test]
fn circles_that_share_a_name_end_soon() {
    let last = 20_000;
    let groups = (0..last).map(|n| format!("GROUP g{n} = g0, g{};\n", n + 1)).collect::<String>();
    let (sound, text) = said(format!("GROUP a = g0;\n{groups}OPERATION g{last} {{ CODING {{ 0bx[8] }}; }};"));
    assert!(!sound);
    assert_eq!(text.matches("error[").count(), 1, "{text}");
    assert!(text.contains("error[E0205]: the group `g0` contains itself"), "{text}");
    let constants: String = (0..last).map(|n| format!("CONSTANT c{n} = c0 + c{};\n", n + 1)).collect();
    let (sound, text) =
        said(format!("OPERATION a {{ CODING {{ 0bx[8] }}; }};\n{constants}CONSTANT c{last} = c0;"));
    assert!(!sound);
    assert_eq!(text.matches("error[").count(), 1, "{text}");
    let calls: String =
        (0..2_000).map(|n| format!("FUNCTION void f{n}() {{ f0(); f{}(); }}\n", n + 1)).collect();
    let (sound, text) =
        said(format!("OPERATION a {{ CODING {{ 0bx[8] }}; }};\n{calls}FUNCTION void f2000() {{ f0(); }}"));
    assert!(!sound);
    assert_eq!(text.matches("error[E0313]").count(), 1, "{text}");
}

/// Each refers to something that nothing above has: an entry for each name and each operation above.
#[test]
fn references_through_any_number_of_operations_end_soon() {
    let chain = |length: usize, section: &dyn Fn(usize) -> String| -> String {
        let operation =
            |n: usize| format!("OPERATION o{n} {{ {} ACTIVATION {{ o{}; }}; }};\n", section(n), n + 1);
        (0..length).map(operation).collect::<String>() + &format!("OPERATION o{length} {{ }};\n")
    };
    let first = "OPERATION a { CODING { x=0bx[8] }; ACTIVATION { o0; }; };\n";
    let (sound, text) = said(format!("{first}{}", chain(5_000, &|n| format!("REFERENCE {{ x{n} }};"))));
    assert!(!sound);
    assert_eq!(text.matches("error[E0407]").count(), 1, "{text}");
    assert!(text.contains("lead through too many operations"), "{text}");
    // One name through all of them, and the value that the last one takes.
    let last = "REFERENCE { x }; BEHAVIOR { pc = x; };";
    let in_one = |n: usize, that: usize| if n == that { last.to_owned() } else { String::new() };
    let (sound, text) = said(format!("{first}{}", chain(5_000, &|n| in_one(n, 4_999))));
    assert!(sound, "{text}");
    let (sound, text) = said(format!(
        "OPERATION a {{ CODING {{ 0bx[8] }}; ACTIVATION {{ o0; }}; }};\n{}",
        chain(30_000, &|n| in_one(n, 29_999))
    ));
    assert!(!sound);
    assert_eq!(text.matches("error[E0210]").count(), 1, "{text}");
}

#[test]
fn bits_that_others_choose_are_compared_to_a_limit() {
    let text = |count: usize| {
        let asked = vec!["list[n] == 1"; count].join(" || ");
        format!("OPERATION a {{ CODING {{ n=0bx[3] list=0bx[5] }}; WHEN {{ {asked} }}; }};")
    };
    assert!(said(text(3)).0);
    let wide = |count: usize| {
        let asked = vec!["list[n] == 1"; 60].join(" || ");
        let one = |m: usize| {
            format!("OPERATION o{m} {{ CODING {{ n=0bx[8] list=0bx[8] }}; WHEN {{ {asked} }}; }};\n")
        };
        format!("OPERATION a {{ CODING {{ 0bx[8] }}; }};\n{}", (0..count).map(one).collect::<String>())
    };
    assert!(said(wide(6)).0);
    let (sound, found) = said(wide(500));
    assert!(!sound);
    assert_eq!(found.matches("error[E0430]").count(), 1, "{found}");
}

#[test]
fn a_group_of_thousands_is_asked_for_member_by_member() {
    let numbers = || 0..9_000;
    let operations = numbers().map(|n| format!("OPERATION m{n} {{ CODING {{ 0b{n:016b} }}; }};\n"));
    let names: Vec<String> = numbers().map(|n| format!("m{n}")).collect();
    let cases = names.iter().map(|name| format!("CASE {name}: {{ }}\n"));
    let (sound, found) = said(format!(
        "OPERATION a {{ CODING {{ 0bx[8] }}; }};\nGROUP g = {};\n{}\
         OPERATION b {{ INSTANCE g ALIAS {{ g }}; CODINGROOT {{ SWITCH (g (defaultmap[pc])) {{ {} CASE m7: {{ }} }} }}; }};",
        names.join(", "),
        operations.collect::<String>(),
        cases.collect::<String>()
    ));
    assert!(!sound);
    assert_eq!(found.matches("error[E0308]").count(), 1, "{found}");
    assert!(found.contains("two CASEs for `m7`"), "{found}");
}

#[test]
fn numbers_at_every_edge_end_in_a_model_or_a_message() {
    let templates = [
        "RESOURCE { REGISTER bit[@] q; };",
        "RESOURCE { REGISTER bit[8] q[@]; };",
        "RESOURCE { REGISTER bit[8] q { RESET (@); }; };",
        "RESOURCE { REGISTER bit[8] q[2] { HARDWIRED (@, 0); }; };",
        "RESOURCE { REGISTER bit[8] q[2] { HARDWIRED (0, @); }; };",
        "RESOURCE { RAM bit[8] m { SIZE (@); }; };",
        "RESOURCE { RAM bit[@] m { SIZE (1); }; };",
        "RESOURCE { RAM bit[8] m { SIZE (1); LATENCY (@); }; };",
        "RESOURCE { MEMORY_MAP m { RANGE (0, @) -> ram; }; };",
        "RESOURCE { MEMORY_MAP m { RANGE (@, 1) -> ram; }; };",
        "RESOURCE { MEMORY_MAP m { ADDRESS (@); RANGE (0, 1) -> ram; }; };",
        "RESOURCE { MEMORY_MAP m { RANGE (0, 1) -> ram [(@..0)]; }; };",
        "OPERATION z { CODING { f=0bx[@] }; };",
        "OPERATION z { CODING { 0bx[@] }; };",
        "OPERATION z { CODING { f[@..0] }; };",
        "OPERATION z { CODING { f[3..@] }; };",
        "OPERATION z { ACTIVATION { a DELAY (@); }; };",
        "TARGET { ELF_MACHINE (@); };",
        "TARGET { ELF_CLASS (@); };",
        "TARGET { ELF_ADDRESS (@); };",
        "TARGET { LOAD (0, @) -> defaultmap; };",
        "TARGET { LOAD (@, 1) -> defaultmap; };",
        "TARGET { STACK (pc, @); };",
        "CONSTANT c = 1 << @;",
        "CONSTANT c = 1 / @;",
        "CONSTANT c = @ * @;",
        "FUNCTION bit[@] f() { return 1; }",
        "FUNCTION bit[8] f() { return pc[@]; }",
        "FUNCTION bit[8] f() { return pc[@..0]; }",
        "FUNCTION bit[8] f() { return (bit[@])1; }",
        "FUNCTION bit[8] f() { return sext(pc, @); }",
        "FUNCTION bit[8] f() { switch (pc) { case @: return 1; default: return 2; } }",
        "FUNCTION bit[8] f() { return defaultmap[@]; }",
        "OPERATION z { ACTIVATION { z DELAY (@ - 1); }; };",
        "RESOURCE { PIPELINE p { A { }; }; }; FUNCTION void f() { p.stall(A, @); }",
    ];
    let numbers = [
        "0",
        "1",
        "-1",
        "0x7fffffff",
        "0xffffffff",
        "0x100000000",
        "0x7fffffffffffffff",
        "0xffffffffffffffff",
        "0x10000000000000000",
        "0xffffffffffffffffffffffffffffffff",
        "0x100000000000000000000000000000000",
        "99999999999999999999999999999999999999999999999999",
    ];
    for template in templates {
        for number in numbers {
            let definition = template.replace('@', number);
            said(format!("OPERATION a {{ CODING {{ 0bx[8] }}; }};\n{definition}"));
        }
    }
}

#[test]
fn effects_are_found_through_any_number_of_calls() {
    let calls: String = (0..20_000).map(|n| format!("FUNCTION void f{n}() {{ f{}(); }}\n", n + 1)).collect();
    let (sound, text) = said(format!(
        "RESOURCE {{ REGISTER bit[8] r; PIPELINE p {{ A {{ r }}; B {{ }}; }}; }};\n{calls}\
         FUNCTION void f20000() {{ r = 1; p.retry(); }}\n\
         OPERATION a IN p.B {{ CODING {{ 0bx[8] }}; BEHAVIOR {{ f0(); }}; ACTIVATION {{ b; }}; }};\n\
         OPERATION b {{ BEHAVIOR {{ f0(); }}; }};"
    ));
    assert!(!sound);
    assert!(text.contains("E0607") && text.contains("E0608") && text.contains("E0322"), "{text}");
    assert_eq!(text.matches("error[").count(), 3, "{text}");
}

#[test]
fn ways_without_end_are_refused_or_looked_at() {
    // Every level takes one of two from the next: twice as many sets of takers a level.
    let levels: String = (0..15)
        .map(|n| {
            let next = n + 1;
            format!(
                "GROUP g{n} = l{n}, r{n};\n\
                 OPERATION l{n} {{ INSTANCE g{next} ALIAS {{ g }}; CODING {{ 0b0 g }}; ACTIVATION {{ end; }}; }};\n\
                 OPERATION r{n} {{ INSTANCE g{next} ALIAS {{ g }}; CODING {{ 0b1 g }}; }};\n"
            )
        })
        .collect();
    let (sound, text) = said(format!(
        "OPERATION a {{ INSTANCE g0 ALIAS {{ g }}; CODING {{ g }}; }};\n{levels}\
         GROUP g15 = end, other;\n\
         OPERATION end {{ CODING {{ 0b0 }}; BEHAVIOR {{ pc = 1; }}; }};\n\
         OPERATION other {{ CODING {{ 0b1 }}; }};"
    ));
    assert!(!sound && text.contains("E0610"), "{text}");
}

#[test]
fn hundreds_of_instructions_with_one_text_are_compared_quickly() {
    let text = |condition: &dyn Fn(usize) -> String| {
        let names: Vec<String> = (0..256).map(|n| format!("m{n}")).collect();
        let operations = names.iter().enumerate().map(|(number, name)| {
            let condition = condition(number);
            format!(
                "OPERATION {name} {{ ASSEMBLER {{ \"m\" f=#U }}; CODING {{ f=0bx[16] 0b{number:016b} }}; {condition} }};\n"
            )
        });
        let operations: String = operations.collect();
        format!("GROUP a = {};\n{operations}", names.join(", "))
    };
    let (sound, found) = said(text(&|_| String::new()));
    assert!(!sound);
    assert_eq!(found.matches("error[E0414]").count(), 100);
    assert!(found.contains("155 more errors not shown"), "{found}");
    let (sound, found) = said(text(&|number| format!("WHEN {{ f == {number} }};")));
    assert!(sound, "{found}");
}
