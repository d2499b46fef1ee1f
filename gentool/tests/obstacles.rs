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
    obstacles_among("set", operations)
}

/// The same with the members of the group that is decoded.
fn obstacles_among(members: &str, operations: &str) -> Vec<String> {
    let text = format!(
        "RESOURCE {{ PC REGISTER bit[16] pc; REGISTER bit[8] wait; RAM bit[8] ram {{ SIZE (16); }};
        MEMORY_MAP defaultmap {{ RANGE (0, 15) -> ram; }}; }};
        OPERATION decode {{ CODINGROOT {{ instr (defaultmap[pc]); }}; BEHAVIOR {{ pc = pc + 1; }}; }};
        GROUP instr = {members};
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

#[test]
fn activations_that_come_back_stand_in_the_way_with_what_they_would_have_to_keep() {
    let in_flight = "instructions in flight are not decoded ahead";
    let keeping = obstacles(
        "OPERATION main { ACTIVATION { decode; tick DELAY (1); }; };
        OPERATION tick { LOCAL { bit[8] v; }; BEHAVIOR { v = v + 1; }; ACTIVATION { tick DELAY (2); take DELAY (1); }; };
        OPERATION take { REFERENCE { v }; BEHAVIOR { wait = v; }; };",
    );
    let kept = "model.isac:7: LOCALs of `tick` that others refer to, behind activations that go round \
                in a circle, are not emitted yet";
    assert_eq!(keeping, [kept, in_flight]);
    let decoding = obstacles(
        "OPERATION main { ACTIVATION { tick; }; };
        OPERATION tick { ACTIVATION { IF (wait == 0) { decode; } ELSE { tick DELAY (1); } }; };",
    );
    let root = "model.isac:3: a CODINGROOT behind activations that go round in a circle is not emitted yet";
    assert_eq!(decoding, [root, in_flight]);
    let harmless = obstacles(
        "OPERATION main { ACTIVATION { decode; tick DELAY (1); }; };
        OPERATION tick { LOCAL { bit[8] v; }; BEHAVIOR { v = v + 1; }; ACTIVATION { tick DELAY (2); }; };",
    );
    assert_eq!(harmless, [in_flight]);
}

#[test]
fn words_of_several_widths_are_decoded_ahead() {
    let found = obstacles_among(
        "set, jump",
        "OPERATION main { ACTIVATION { decode; }; };
        OPERATION jump { CODING { to=0bx[8] 0b11111111 }; BEHAVIOR { pc = to; }; };",
    );
    assert_eq!(found, [""; 0]);
}
