//! The instruction tree.

mod support;

use std::fmt::Write;

use sim_profile::tree::{InstructionTree, TreeNode};

fn print(nodes: &[TreeNode], indent: usize, out: &mut String) {
    for node in nodes {
        let TreeNode { name, position, executed, .. } = node;
        writeln!(out, "{:indent$}{name}#{position} {executed}", "").unwrap();
        print(&node.children, indent + 2, out);
    }
}

#[test]
fn equal_names_at_equal_positions_are_summed() {
    let mut printed = String::new();
    print(&InstructionTree::of(&support::measurement()).roots, 0, &mut printed);
    // In the order of the model's instructions: sub, inc, add.
    let expected = "\
decode#0 8
  sub#0 2
    reg#0 2
      ax#0 1
      bx#0 1
    reg#1 2
      bx#0 2
  inc#0 3
    reg#0 3
      ax#0 2
      bx#0 1
  add#0 3
    reg#0 3
      ax#0 2
      bx#0 1
    reg#1 3
      ax#0 1
      bx#0 2
";
    assert_eq!(printed, expected);
}

#[test]
fn nodes_carry_whole_instructions_and_apart_what_they_did_themselves() {
    let tree = InstructionTree::of(&support::measurement());
    let root = &tree.roots[0];
    let add = root.children.iter().find(|node| node.name == "add").unwrap();
    let (second, first) = (&add.children[1], &add.children[0]);
    assert_eq!((add.total.reads, add.total.writes, add.total.executes), (3, 3, 3));
    assert_eq!(second.total, add.total);
    assert_eq!((root.own.executes, add.own.writes, add.own.reads), (8, 3, 0));
    assert_eq!((first.children[0].own.reads, second.children[0].own.reads), (2, 0));
    assert_eq!(add.accesses.keys().copied().collect::<Vec<_>>(), [0, 2]);
}
