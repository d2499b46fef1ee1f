//! Descriptions in which thousands of parts each name thousands of others: what follows from all pairs of
//! them is refused, in time and memory that grow as the text does.

use std::collections::BTreeMap;
use std::path::Path;

use isac_parser::source::InMemory;

use super::super::load;

const MACHINE: &str = "RESOURCE { PC REGISTER bit[32] pc; RAM bit[8] ram { SIZE (16); };
     MEMORY_MAP defaultmap { RANGE (0, 15) -> ram; }; };
     OPERATION main { INSTANCE instr ALIAS { instr }; CODINGROOT { instr (defaultmap[pc]); }; };\n";

/// How often each error is told of a machine with further definitions, and all that is said.
fn errors(text: &str) -> (BTreeMap<String, usize>, String) {
    let path = Path::new("large.isac");
    let files = InMemory::new([(path, format!("{MACHINE}{text}"))]);
    let (_, said) = load(path, &files, &BTreeMap::new());
    let mut found = BTreeMap::new();
    for line in said.lines() {
        if let Some((code, _)) = line.strip_prefix("error[").and_then(|rest| rest.split_once(']')) {
            *found.entry(code.to_owned()).or_default() += 1;
        }
    }
    (found, said)
}

fn only(code: &str) -> BTreeMap<String, usize> {
    BTreeMap::from([(code.to_owned(), 1)])
}

/// A group with so many members of 24 bits.
fn members(group: &str, count: usize, sections: &str) -> String {
    let names: Vec<String> = (0..count).map(|n| format!("{group}{n}")).collect();
    let operation =
        |n: usize| format!("OPERATION {group}{n} {{ CODING {{ f=0bx[8] 0b{n:016b} }}; {sections} }};\n");
    let operations: String = (0..count).map(operation).collect();
    format!("GROUP {group} = {};\n{operations}", names.join(", "))
}

/// The group `instr` of so many operations, each with an operand `a` of another group.
fn instructions(group: &str, count: usize, sections: impl Fn(usize) -> String) -> String {
    let names: Vec<String> = (0..count).map(|n| format!("i{n}")).collect();
    let operation = |n: usize| {
        let sections = sections(n);
        format!(
            "OPERATION i{n} {{ INSTANCE {group} ALIAS {{ a }}; CODING {{ 0b{n:016b} a }}; {sections} }};\n"
        )
    };
    let operations: String = (0..count).map(operation).collect();
    format!("GROUP instr = {};\n{operations}", names.join(", "))
}

/// One instruction with an operand `a` of another group.
fn one_instruction(group: &str, sections: &str) -> String {
    format!("OPERATION instr {{ INSTANCE {group} ALIAS {{ a }}; CODING {{ a }}; {sections} }};\n")
}

#[test]
fn thousands_of_operands_of_thousands_of_instructions_are_refused() {
    let text = |count| {
        let sections = |_| "BEHAVIOR { pc = a; };".to_owned();
        members("g", count, "EXPRESSION { f };") + &instructions("g", count, sections)
    };
    let (found, said) = errors(&text(200));
    assert_eq!(found, BTreeMap::new(), "{said}");
    let (found, said) = errors(&text(2_000));
    assert_eq!(found, only("E0610"), "{said}");
}

#[test]
fn what_thousands_take_from_thousands_above_is_refused() {
    let text = |count| {
        let above = instructions("g", count, |_| "BEHAVIOR { pc = a; };".to_owned());
        let above = above.replace(" a }; BEHAVIOR", " v=0bx[8] a }; BEHAVIOR");
        members("g", count, "REFERENCE { v }; EXPRESSION { v };") + &above
    };
    let (found, said) = errors(&text(100));
    assert_eq!(found, BTreeMap::new(), "{said}");
    let (found, said) = errors(&text(1_500));
    assert_eq!(found["E0407"], 1, "{said}");
    assert!(said.contains("the REFERENCEs to `v` lead through too many operations"), "{said}");
}

/// The model has it in every operation in between.
#[test]
fn a_reference_of_a_long_name_through_thousands_of_operations_is_refused() {
    let name = "v".repeat(100_000);
    let chain = |n: usize| format!("OPERATION o{n} {{ ACTIVATION {{ o{}; }}; }};\n", n + 1);
    let chain: String = (0..2_000).map(chain).collect();
    let text = |name: &str| {
        format!(
            "OPERATION instr {{ CODING {{ {name}=0bx[8] }}; ACTIVATION {{ o0; }}; }};\n{chain}\
             OPERATION o2000 {{ REFERENCE {{ {name} }}; BEHAVIOR {{ pc = {name}; }}; }};\n"
        )
    };
    assert_eq!(errors(&text("v")).0, BTreeMap::new());
    let (found, said) = errors(&text(&name));
    assert_eq!(found, only("E0407"), "{said}");
    assert!(said.len() < 10_000, "{}", said.len());
}

#[test]
fn a_field_of_thousands_of_members_is_asked_for_a_thousand_times_and_no_more() {
    let text = |times: usize| {
        let behavior = format!("BEHAVIOR {{ {} }};", "pc = a.f;\n".repeat(times));
        members("g", 2_100, "") + &one_instruction("g", &behavior)
    };
    assert_eq!(errors(&text(500)).0, BTreeMap::new());
    let (found, said) = errors(&text(2_100));
    assert_eq!(found, only("E0407"), "{said}");
    assert!(said.contains("what aliases choose is asked for too often"), "{said}");
}

#[test]
fn thousands_of_choices_among_thousands_of_members_are_made_once_or_refused() {
    let text = |case: &dyn Fn(usize) -> String| {
        let switch = |n: usize| format!("SWITCH (a) {{ CASE {}: {{ t; }} }}\n", case(n));
        let switches: String = (0..2_100).map(switch).collect();
        let sections = format!("ACTIVATION {{ {switches} }};");
        members("g", 2_100, "") + &one_instruction("g", &sections) + "OPERATION t { };\n"
    };
    assert_eq!(errors(&text(&|n| format!("g{n}"))).0, BTreeMap::new());
    let (found, said) = errors(&text(&|_| "g".to_owned()));
    assert_eq!(found, only("E0407"), "{said}");
}

/// Which of them are taken from below is found for all at once.
#[test]
fn thousands_of_activations_are_looked_for_below_thousands_of_codings() {
    let said = |count: usize, group: &str| {
        let activations: String = (0..count).map(|n| format!("o{n};\n")).collect();
        let sections = format!("ACTIVATION {{ {activations} }};");
        errors(&(members("g", count, "") + &members("o", count, "") + &one_instruction(group, &sections)))
    };
    let (found, text) = said(1_000, "o");
    assert_eq!(found, BTreeMap::new(), "{text}");
    let (found, text) = said(3_000, "g");
    assert_eq!(found, BTreeMap::new(), "{text}");
    let (found, text) = said(2_000, "o");
    assert_eq!(found, only("E0610"), "{text}");
}

/// Five groups a level, each with the whole level below: what an operand is in the example of a clash is
/// found at each of them once.
#[test]
fn the_operand_in_an_example_is_looked_for_once_in_groups_of_many() {
    const LEVELS: usize = 14;
    let mut text = String::from("GROUP instr = t, u;\n");
    for name in ["t", "u"] {
        text += &format!(
            "OPERATION {name} {{ INSTANCE g0 ALIAS {{ a }}; ASSEMBLER {{ \"{name}\" a }}; CODING {{ a }}; }};\n"
        );
    }
    for level in 0..LEVELS {
        let names: Vec<String> = (0..5).map(|n| format!("h{level}_{n}")).collect();
        text += &format!("GROUP g{level} = {};\n", names.join(", "));
        names.iter().for_each(|name| text += &format!("GROUP {name} = g{};\n", level + 1));
    }
    text += &format!("GROUP g{LEVELS} = leaf;\n");
    text += "OPERATION leaf { ASSEMBLER { \"l\" }; CODING { 0bx[8] }; EXPRESSION { 1 }; };\n";
    let (found, said) = errors(&text);
    assert!(found.contains_key("E0410") || found.contains_key("E0411"), "{said}");
}

/// All members of an operand are alike, and the WHEN around keeps all of their words from occurring.
#[test]
fn clashes_that_never_occur_are_asked_for_some_thousand_times() {
    const COUNT: usize = 600;
    let names: Vec<String> = (0..COUNT).map(|n| format!("o{n}")).collect();
    let mut text = String::from(
        "GROUP instr = t, z;
         OPERATION t { INSTANCE g ALIAS { a }; CODING { 0b0 y=0bx[7] a }; WHEN { y == 3 && y == 4 }; };
         OPERATION z { CODING { 0b1 0bx[15] }; };\n",
    );
    text += &format!("GROUP g = {};\n", names.join(", "));
    names.iter().for_each(|name| {
        text += &format!("OPERATION {name} {{ CODING {{ 0bx[8] }}; EXPRESSION {{ 1 }}; }};\n")
    });
    let (found, said) = errors(&text);
    assert_eq!(found, only("E0411"), "{said}");
}
