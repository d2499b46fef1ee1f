//! What stands in the way of instructions that are decoded ahead.

use std::collections::BTreeMap;
use std::path::PathBuf;

use gentool::emit::find_block_obstacles;
use gentool::lower::lower_model;
use isac_parser::diagnostic::Diagnostics;
use isac_parser::load_model;
use isac_parser::source::{InMemory, SourceMap};

/// The obstacles of a model whose operations of this text come to `decode`.
fn obstacles(operations: &str) -> Vec<String> {
    let text = format!(
        "RESOURCE {{ PC REGISTER bit[16] pc; REGISTER bit[8] wait; RAM bit[8] ram {{ SIZE (16); }};
        MEMORY_MAP defaultmap {{ RANGE (0, 15) -> ram; }}; }};
        OPERATION decode {{ CODINGROOT {{ instr (defaultmap[pc]); }}; BEHAVIOR {{ pc = pc + 1; }}; }};
        GROUP instr = set;
        OPERATION set {{ CODING {{ n=0bx[8] }}; BEHAVIOR {{ wait = n; }}; }};
        {operations}"
    );
    let file = PathBuf::from("model.isac");
    let loader = InMemory::new([(file.clone(), text)]);
    let (mut sources, mut findings) = (SourceMap::new(), Diagnostics::new());
    let checked = load_model(&file, &loader, &BTreeMap::new(), &mut sources, &mut findings);
    find_block_obstacles(&lower_model(&checked.expect("the model is sound"), &sources, "model"))
}

#[test]
fn blocks_are_decoded_ahead_where_every_cycle_decodes_once() {
    assert_eq!(obstacles("OPERATION main { ACTIVATION { decode; }; };"), [""; 0]);
}

#[test]
fn decoding_on_a_condition_stands_in_the_way_of_blocks() {
    let found = obstacles(
        "OPERATION main { ACTIVATION { IF (wait == 0) { decode; } ELSE { idle; } }; };
        OPERATION idle { BEHAVIOR { wait = wait - 1; }; };",
    );
    assert_eq!(found, ["model.isac:3: decoding on a condition is not emitted yet"]);
}
