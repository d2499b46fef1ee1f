//! The instruction tree of a program that was really run: eight instructions and the end.

mod support;

use sim_profile::Measurement;
use sim_profile::tree::{InstructionTree, TreeNode};
use sim_runtime::Stop;
use sim_runtime::host::Host;
use support::{EngineKind, TREE};

/// inc ax, inc ax, inc bx, add ax bx, add ax ax, add bx bx, sub ax bx, sub bx bx, halt.
const PROGRAM: [u8; 9] = [0x10, 0x10, 0x14, 0x21, 0x20, 0x25, 0x31, 0x35, 0x00];

fn measure(kind: EngineKind) -> Measurement {
    let mut engine = TREE.engine(kind);
    engine.machine().write_bytes(0, 0, &PROGRAM).expect("memory begins at 0");
    assert_eq!(engine.run(&mut Host::default(), 100), Stop::Halted(0));
    let registers: Vec<u128> = (0..3).map(|index| engine.machine().read_register(index, 0)).collect();
    assert_eq!(registers, [9, 4, 0], "pc, ax and bx in the end");
    engine.measurement().expect("the engine profiles")
}

/// One node a line, children indented: name, position among the siblings, count, reads, writes,
/// and in brackets what the node's own operation did.
fn print(nodes: &[TreeNode], depth: usize, text: &mut String) {
    for node in nodes {
        let TreeNode { name, position, executed, total, own, children, .. } = node;
        *text += &format!(
            "{:indent$}{name}#{position} {executed}: {} {} [{} {}]\n",
            "",
            total.reads,
            total.writes,
            own.reads,
            own.writes,
            indent = 2 * depth
        );
        print(children, depth + 1, text);
    }
}

/// Worked out by hand: `decode` reads the PC twice, to fetch and to
/// move it on, and writes it once; `inc`, `add` and `sub` touch nothing by themselves, their operands
/// read or write a register at each mention.
const EXPECTED: &str = "\
decode#0 9: 31 17 [18 9]
  instr#0 9: 31 17 [0 0]
    inc#0 3: 9 6 [0 0]
      reg#0 3: 9 6 [0 0]
        ax#0 2: 6 4 [2 2]
        bx#0 1: 3 2 [1 1]
    add#0 3: 12 6 [0 0]
      reg#0 3: 12 6 [0 0]
        ax#0 2: 8 4 [2 2]
        bx#0 1: 4 2 [1 1]
      reg#1 3: 12 6 [0 0]
        ax#0 1: 4 2 [1 0]
        bx#0 2: 8 4 [2 0]
    sub#0 2: 8 4 [0 0]
      reg#0 2: 8 4 [0 0]
        ax#0 1: 4 2 [1 1]
        bx#0 1: 4 2 [1 1]
      reg#1 2: 8 4 [0 0]
        bx#0 2: 8 4 [2 0]
    halt#0 1: 2 1 [0 0]
";

#[test]
fn the_tree_counts_operands_by_name_and_position() {
    for kind in [EngineKind::Reference, EngineKind::Emitted] {
        let tree = InstructionTree::of(&measure(kind));
        let mut text = String::new();
        print(&tree.roots, 0, &mut text);
        assert_eq!(text, EXPECTED, "{kind:?}");
    }
}

/// The tree alone cannot tell which operands occurred together; the measurement behind it can.
#[test]
fn the_measurement_tells_which_operands_occurred_together() {
    let measurement = measure(EngineKind::Emitted);
    let added: Vec<&str> = measurement
        .instructions
        .values()
        .map(|record| record.name.as_str())
        .filter(|name| name.contains("add"))
        .collect();
    assert_eq!(
        added,
        [
            "decode(instr(add(reg(ax())reg(bx()))))",
            "decode(instr(add(reg(ax())reg(ax()))))",
            "decode(instr(add(reg(bx())reg(bx()))))",
        ]
    );
}
