//! Decode paths: taken apart, and cut to instructions.

use std::collections::BTreeMap;

use sim_profile::{PathError, PathTree, instruction_of};

fn shape(path: &str) -> Vec<String> {
    let tree = PathTree::parse(path).unwrap();
    let node = |node: &sim_profile::PathNode| {
        let parent = node.parent.map_or("-".to_owned(), |parent| parent.to_string());
        format!("{} #{} below {parent}, depth {}", node.name, node.position, node.depth)
    };
    tree.nodes().iter().map(node).collect()
}

#[test]
fn nodes_come_in_preorder() {
    assert_eq!(
        shape("instr_set(op_alu(g_alu(add(g_reg(ax())g_reg(bx())))))"),
        [
            "instr_set #0 below -, depth 0",
            "op_alu #0 below 0, depth 1",
            "g_alu #0 below 1, depth 2",
            "add #0 below 2, depth 3",
            "g_reg #0 below 3, depth 4",
            "ax #0 below 4, depth 5",
            "g_reg #1 below 3, depth 4",
            "bx #0 below 6, depth 5",
        ]
    );
}

#[test]
fn what_is_no_path_is_refused() {
    let cases = [
        ("", PathError::LeafWithoutParentheses(0)),
        ("add", PathError::LeafWithoutParentheses(3)),
        ("add(", PathError::NotClosed),
        ("instr_set(op_alu(g_alu(add(g_reg(ax())g_reg(bx()))))", PathError::NotClosed),
        ("add())", PathError::NothingToClose(5)),
        (")", PathError::NothingToClose(0)),
        ("add(())", PathError::NoName(4)),
        ("add(ax)", PathError::LeafWithoutParentheses(6)),
        ("add()sub()", PathError::SecondRoot(8)),
        ("add() ", PathError::LeafWithoutParentheses(6)),
    ];
    for (text, error) in cases {
        assert_eq!(PathTree::parse(text), Err(error), "{text}");
    }
    assert_eq!(PathTree::parse(&"a(".repeat(100_000)), Err(PathError::TooDeep(257)));
}

fn operands(marks: &[(&str, &[bool])]) -> BTreeMap<String, Vec<bool>> {
    marks.iter().map(|(name, marks)| ((*name).to_owned(), marks.to_vec())).collect()
}

fn instructions(path: &str, marks: &[(&str, &[bool])]) -> Vec<String> {
    instruction_of(&PathTree::parse(path).unwrap(), &operands(marks))
}

/// The teaching processor of the golden facts.
const TEACHING: &[(&str, &[bool])] = &[
    ("decode", &[false]),
    ("op_alu", &[false]),
    ("op_mem", &[false]),
    ("add", &[true, true]),
    ("sub", &[true, true]),
    ("load", &[true]),
    ("store", &[true]),
];

#[test]
fn a_path_is_cut_at_operands() {
    let cases = [
        ("instr_set(op_alu(g_alu(add(g_reg(ax())g_reg(bx())))))", "instr_set(op_alu(g_alu(add())))"),
        ("instr_set(op_alu(g_alu(sub(g_reg(bx())g_reg(ax())))))", "instr_set(op_alu(g_alu(sub())))"),
        ("instr_set(op_mem(g_mem(store(g_reg(bx())))))", "instr_set(op_mem(g_mem(store())))"),
        ("instr_set(op_mem(g_mem(load(g_reg(ax())))))", "instr_set(op_mem(g_mem(load())))"),
    ];
    for (path, instruction) in cases {
        assert_eq!(instructions(path, TEACHING), [instruction]);
        let decoded = format!("decode({path})");
        assert_eq!(instructions(&decoded, TEACHING), [format!("decode({instruction})")]);
    }
}

#[test]
fn elements_and_children_that_are_no_operands_count_each_by_itself() {
    assert_eq!(
        instructions("decode(a()b(x(reg()y()))c())", &[("x", &[true, false])]),
        ["decode(a())", "decode(b(x(y())))", "decode(c())"]
    );
    assert_eq!(
        instructions("decode(bundle(slot(add(r()))slot(sub(r()))))", &[("add", &[true]), ("sub", &[true])]),
        ["decode(bundle(slot(add())))", "decode(bundle(slot(sub())))"]
    );
}

#[test]
fn all_below_an_operand_is_left_out() {
    let marks: &[(&str, &[bool])] = &[("move", &[true, true]), ("indexed", &[false, true])];
    let path = "decode(move(mode(indexed(base()offset()))mode(direct())))";
    assert_eq!(instructions(path, marks), ["decode(move())"]);
}

#[test]
fn a_switch_counts_by_its_selector_and_the_elements_of_its_case() {
    let marks: &[(&str, &[bool])] = &[("mem", &[true]), ("load", &[true])];
    assert_eq!(
        instructions("decode(switch_0(op1(mem(reg()))cases(mem(op2(load(reg()))op3()))))", marks),
        [
            "decode(switch_0(op1(mem())))",
            "decode(switch_0(cases(mem(op2(load())))))",
            "decode(switch_0(cases(mem(op3()))))",
        ]
    );
    let nested = "decode(switch_0(a()cases(b(switch_1(c()cases(d(e())))))))";
    assert_eq!(
        instructions(nested, &[]),
        [
            "decode(switch_0(a()))",
            "decode(switch_0(cases(b(switch_1(c())))))",
            "decode(switch_0(cases(b(switch_1(cases(d(e())))))))",
        ]
    );
}

#[test]
fn a_switch_without_a_case_counts_by_its_selector_alone() {
    assert_eq!(instructions("decode(switch_0(op1()cases()))", &[]), ["decode(switch_0(op1()))"]);
    assert_eq!(instructions("decode(switch_0(op1()cases(alu())))", &[]), ["decode(switch_0(op1()))"]);
    // Outside of a SWITCH these are names like any other.
    assert_eq!(instructions("decode(cases())", &[]), ["decode(cases())"]);
    assert_eq!(instructions("decode(switch_x(cases()))", &[]), ["decode(switch_x(cases()))"]);
}
