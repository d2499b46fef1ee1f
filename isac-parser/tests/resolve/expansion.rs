//! Texts that stand for others, in long chains and in large numbers.

use std::collections::BTreeMap;
use std::path::Path;

use isac_parser::source::InMemory;

use super::super::load;

/// Registers, `main` and what decodes; the instruction is `one`.
const FRAME: &str = "RESOURCE { PC REGISTER bit[16] pc; REGISTER bit[16] r[8]; \
     RAM bit[8] ram { SIZE (0x100); }; MEMORY_MAP m { RANGE (0, 0xff) -> ram; }; };\n\
     OPERATION main { ACTIVATION { step; }; };\n\
     OPERATION step { CODINGROOT { instr (m[pc]); }; BEHAVIOR { pc = pc + 1; }; };\n\
     GROUP instr = one;\n";

/// The errors of a description of 6,000 links: the first from `first`, the others from `link`.
fn errors_of_chain(first: &str, link: impl Fn(usize) -> String, last: &str) -> Vec<String> {
    let links: String = (1..=6000).map(link).collect();
    let text = format!("{FRAME}{first}{links}{last}");
    let path = Path::new("chain.isac");
    let (_, said) = load(path, &InMemory::new([(path, text)]), &BTreeMap::new());
    let errors = said.lines().filter_map(|line| line.strip_prefix("error["));
    errors.map(|line| line[..5].to_owned()).collect()
}

#[test]
fn chains_of_functions_constants_and_aliases_end_in_a_model_or_an_error() {
    let one =
        |value: &str| format!("OPERATION one {{ CODING {{ 0b00000000 }}; BEHAVIOR {{ {value} }}; }};\n");
    let function = |n: usize| format!("FUNCTION bit[16] f{n}(bit[16] a) {{ return f{}(a); }}\n", n - 1);
    let first = "FUNCTION bit[16] f0(bit[16] a) { return a; }\n";
    assert_eq!(errors_of_chain(first, function, &one("r[0] = f6000(1);")), ["E0322"]);
    let constant = |n: usize| format!("CONSTANT C{n} = C{};\n", n - 1);
    assert_eq!(errors_of_chain("CONSTANT C0 = 1;\n", constant, &one("r[0] = C6000;")), [""; 0]);
    let alias = |n: usize| format!("RESOURCE {{ ALIAS bit[16] z{n} = z{}; }};\n", n - 1);
    let first = "RESOURCE { ALIAS bit[16] z0 = r[0]; };\n";
    assert_eq!(errors_of_chain(first, alias, &one("z6000 = 1;")), [""; 0]);
    let joined = |n: usize| format!("RESOURCE {{ ALIAS bit[16] z{n} = z{}[15..0]; }};\n", n - 1);
    assert_eq!(errors_of_chain(first, joined, &one("z6000 = 1;")), ["E0322"]);
}

#[test]
fn operations_that_are_large_together_are_refused() {
    let function =
        |n: usize| format!("FUNCTION bit[16] f{}(bit[16] a) {{ return f{n}(a) + f{n}(a); }}\n", n + 1);
    let functions: String = (0..13).map(function).collect();
    let call =
        |n: u32| format!("OPERATION x{n} {{ CODING {{ 0b{n:08b} }}; BEHAVIOR {{ r[0] = f13(1); }}; }};\n");
    let calls: String = (0..11).map(call).collect();
    let members: Vec<String> = (0..11).map(|n| format!("x{n}")).collect();
    let text = format!(
        "{FRAME}GROUP one = {};\nFUNCTION bit[16] f0(bit[16] a) {{ return a; }}\n{functions}{calls}",
        members.join(", ")
    );
    let path = Path::new("large.isac");
    let (_, said) = load(path, &InMemory::new([(path, text)]), &BTreeMap::new());
    assert_eq!(said.matches("error[").count(), 1, "{said}");
    assert!(said.starts_with("error[E0321]: the operations of the description have 1"), "{said}");
}

/// What works on them goes down a level with each case.
#[test]
fn switches_of_thousands_of_cases_are_refused() {
    let path = Path::new("cases.isac");
    let said = |sections: String| {
        let text = format!(
            "{FRAME}OPERATION one {{ CODING {{ 0b00000000 }}; {sections} }};\n\
             OPERATION late {{ BEHAVIOR {{ r[0] = 1; }}; }};"
        );
        load(path, &InMemory::new([(path, text)]), &BTreeMap::new()).1
    };
    let cases = |count: usize| (0..count).map(|n| format!("CASE {n}: {{ late; }}\n")).collect::<String>();
    let switch = |count: usize| format!("ACTIVATION {{ SWITCH (r[1]) {{ {} }} }};", cases(count));
    assert!(!said(switch(1000)).contains("error["));
    for count in [1001, 25_000] {
        let said = said(switch(count));
        let message = format!("error[E0322]: the operation `one` nests {count} deep, written out\n");
        assert!(said.starts_with(&message), "{said}");
        assert!(
            said.contains(
                "= help: 1000 is the most, and each case of a `switch` or SWITCH is a level: \
                 choose by a part of the value first, and below that by the rest"
            ),
            "{said}"
        );
        assert_eq!(said.matches("error[").count(), 1, "{said}");
    }
}

#[test]
fn a_codingroot_of_thousands_of_cases_is_refused() {
    const CASES: usize = 3_000;
    let members: Vec<String> = (0..CASES).map(|n| format!("m{n}")).collect();
    let operations: String = (0..CASES)
        .map(|n| format!("OPERATION m{n} {{ CODING {{ 0b{n:016b} }}; BEHAVIOR {{ r[0] = {n}; }}; }};\n"))
        .collect();
    let cases: String = (0..CASES).map(|n| format!("CASE m{n}: {{ j (m[pc + 2]); }}\n")).collect();
    let frame = FRAME.replace(
        "CODINGROOT { instr (m[pc]); }",
        &format!("INSTANCE instr ALIAS {{ i, j }}; CODINGROOT {{ SWITCH (i (m[pc])) {{ {cases} }} }}"),
    );
    let text = format!("{frame}GROUP one = {};\n{operations}", members.join(", "));
    let path = Path::new("cases.isac");
    let said = load(path, &InMemory::new([(path, text)]), &BTreeMap::new()).1;
    assert!(said.starts_with("error[E0322]: the operation `step` nests 3000 deep, written out\n"), "{said}");
    assert_eq!(said.matches("error[").count(), 1, "{said}");
}
