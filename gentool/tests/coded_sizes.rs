//! `coded_size` tells from the first bits of a word how long it is, in either byte order, and `list[n]`
//! in a WHEN chooses a bit.

use std::collections::BTreeMap;
use std::path::Path;

use gentool::lower::lower_model;
use isac_ir::Model;
use isac_parser::diagnostic::Diagnostics;
use isac_parser::load_model;
use isac_parser::source::{InMemory, SourceMap};
use sim_runtime::Engine as _;
use sim_runtime::host::Host;
use sim_runtime::reference::ReferenceEngine;

/// Words of one, two and three cells; `size` puts into `found` how long the word behind it is.
fn description(endian: &str, code: impl Fn(&str, &str) -> String) -> String {
    let two = code("0b01xx0xxx", "0b00000000");
    let three = code("0b01001xxx", "0b0000000000000000");
    format!(
        "TARGET {{ ENDIAN ({endian}); }};
        RESOURCE {{
            PC REGISTER bit[16] pc;
            REGISTER bit[8] found;
            RAM bit[8] ram {{ SIZE (0x100); }};
            MEMORY_MAP map {{ RANGE (0x00, 0xff) -> ram; }};
        }};
        OPERATION main {{ ACTIVATION {{ decode; }}; }};
        OPERATION decode {{ CODINGROOT {{ instr (map[pc]); }}; BEHAVIOR {{ pc = pc + instruction_size; }}; }};
        GROUP instr = size, odd, two, three;
        OPERATION size {{ CODING {{ 0b00000001 }}; BEHAVIOR {{ found = coded_size(instr, map.fetch8[pc]); }}; }};
        OPERATION odd {{ CODING {{ 0b1 n=0bx[2] list=0bx[5] }}; WHEN {{ list[n] == 1 }}; BEHAVIOR {{ found = n; }}; }};
        OPERATION two {{ CODING {{ {two} }}; BEHAVIOR {{ found = 0; }}; }};
        OPERATION three {{ CODING {{ {three} }}; BEHAVIOR {{ found = 0; }}; }};"
    )
}

fn lowered(text: &str) -> Model {
    let loader = InMemory::new([("model.isac", text)]);
    let (mut sources, mut findings) = (SourceMap::new(), Diagnostics::new());
    let model = load_model(Path::new("model.isac"), &loader, &BTreeMap::new(), &mut sources, &mut findings);
    lower_model(&model.expect("the model is sound"), &sources, "model")
}

/// What `size` finds where this byte follows, or what `odd` finds in it.
fn found(model: &Model, bytes: [u8; 2]) -> u128 {
    let mut engine = ReferenceEngine::new(model);
    engine.machine().write_bytes(0, 0, &bytes).expect("they lie in memory");
    engine.run(&mut Host::default(), 1);
    let register = model.registers.iter().position(|register| register.name == "found");
    engine.machine().read_register(register.expect("it is declared"), 0)
}

#[test]
fn the_first_cell_of_a_word_tells_its_size_in_either_byte_order() {
    let little = description("LITTLE", |first, behind| format!("{behind} {first}"));
    let big = description("BIG", |first, behind| format!("{first} {behind}"));
    for text in [little, big] {
        let model = lowered(&text);
        for byte in 0..=255u8 {
            let expected = match byte {
                _ if byte & 0b1100_1000 == 0b0100_0000 => 2,
                _ if byte & 0b1111_1000 == 0b0100_1000 => 3,
                _ => 1,
            };
            assert_eq!(found(&model, [1, byte]), expected, "{byte:#010b}");
        }
    }
}

#[test]
fn a_bit_that_is_chosen_decides_in_a_when() {
    let model = lowered(&description("LITTLE", |first, behind| format!("{behind} {first}")));
    for byte in 128..=255u8 {
        let (number, list) = (byte >> 5 & 3, byte & 31);
        let expected = if list >> number & 1 == 1 { number } else { 0 };
        assert_eq!(found(&model, [byte, 0]), u128::from(expected), "{byte:#010b}");
    }
}
