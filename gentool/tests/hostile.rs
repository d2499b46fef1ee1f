//! Descriptions that nobody writes on purpose go all the way to a simulator's source, or end in a
//! message, in time that grows as they do.

use std::collections::BTreeMap;
use std::path::Path;

use gentool::emit::{Shape, emit_modules, emit_modules_as};
use gentool::lower::lower_model;
use isac_ir::Model;
use isac_ir::account::scheduled_operations;
use isac_parser::diagnostic::Diagnostics;
use isac_parser::load_model;
use isac_parser::source::{InMemory, SourceMap};

/// A processor but for its group `instr`.
const FRAME: &str = "RESOURCE { PC REGISTER bit[32] pc; REGISTER bit[32] x[8]; REGISTER bit[32] r;
    RAM bit[8] ram { SIZE (16); }; MEMORY_MAP defaultmap { RANGE (0, 15) -> ram; }; };
    OPERATION main { ACTIVATION { step; }; };
    OPERATION step { CODINGROOT { instr (defaultmap[pc]); }; BEHAVIOR { pc = pc + 4; }; };\n";

fn lower(text: &str) -> Model {
    let file = Path::new("model.isac");
    let loader = InMemory::new([(file, format!("{FRAME}{text}"))]);
    let (mut sources, mut findings) = (SourceMap::new(), Diagnostics::new());
    let checked = load_model(file, &loader, &BTreeMap::new(), &mut sources, &mut findings);
    lower_model(&checked.expect("the description is sound"), &sources, "model")
}

/// One instruction with these sections besides its CODING.
fn one_instruction(sections: &str) -> Model {
    lower(&format!("GROUP instr = only; OPERATION only {{ CODING {{ 0bx[32] }}; {sections} }};"))
}

fn size(model: &Model) -> usize {
    emit_modules(model).iter().map(|file| file.text.len()).sum()
}

/// Two operations a level, each with the whole level below: there are 2^60 ways down.
fn operands(mention: &str, low: &str, high: &str) -> Model {
    const LEVELS: usize = 60;
    let mut text = format!(
        "GROUP instr = top;
        OPERATION top {{ INSTANCE g{LEVELS} ALIAS {{ a }}; CODING {{ 0bx[3] a }}; BEHAVIOR {{ {mention} }}; }};
        GROUP g0 = l0, h0;
        OPERATION l0 {{ CODING {{ 0b0 }}; EXPRESSION {{ x[1] }}; }};
        OPERATION h0 {{ CODING {{ 0b1 }}; EXPRESSION {{ x[2] }}; }};\n"
    );
    for level in 1..=LEVELS {
        let below = level - 1;
        for (name, bit, value) in [("l", 0, low), ("h", 1, high)] {
            text += &format!(
                "OPERATION {name}{level} {{ INSTANCE g{below} ALIAS {{ a }}; CODING {{ 0b{bit} a }}; \
                 EXPRESSION {{ {value} }}; }};\n"
            );
        }
        text += &format!("GROUP g{level} = l{level}, h{level};\n");
    }
    lower(&text)
}

#[test]
fn operands_of_operands_are_walked_once_however_many_ways_lead_down() {
    let read = operands("r = a;", "a", "a + 1");
    assert!(size(&read) > 100_000);
    let written = operands("a = a + 1; a += 2;", "x[a & 7]", "x[a & 3]");
    assert!(size(&written) > 100_000);
    let stepwise = emit_modules_as(&written, Shape::Stepwise);
    assert!(stepwise.iter().map(|file| file.text.len()).sum::<usize>() > 100_000);
}

#[test]
fn thousands_of_variables_and_statements_take_as_long_as_they_are_many() {
    let declarations: String = (0..3_000).map(|n| format!("int v{n} = r; r = v{n};\n")).collect();
    assert!(size(&one_instruction(&format!("BEHAVIOR {{ {declarations} }};"))) > 100_000);
    let loops = "for (int i = 0; i < 4; i++) { if (r) continue; r = 1; if (x[1]) break; }\n".repeat(300);
    assert!(size(&one_instruction(&format!("BEHAVIOR {{ {loops} }};"))) > 100_000);
}

#[test]
fn a_chain_of_activations_takes_as_long_as_it_is() {
    const LINKS: usize = 1_500;
    let links: String =
        (0..LINKS).map(|n| format!("OPERATION o{n} {{ ACTIVATION {{ o{}; }}; }};\n", n + 1)).collect();
    let model = lower(&format!(
        "GROUP instr = only; OPERATION only {{ CODING {{ 0bx[32] }}; ACTIVATION {{ o0; }}; }};
        {links} OPERATION o{LINKS} {{ BEHAVIOR {{ r = 1; }}; }};"
    ));
    let only = model.operations.iter().position(|operation| operation.name == "only");
    let (scheduled, _) = scheduled_operations(&model, only.expect("it is there") as u32, 0, false);
    assert_eq!(scheduled.len(), LINKS + 2);
    assert!(size(&model) > 100_000);
}

/// What is emitted of each is called after its last operation, all `low` and `high` here.
#[test]
fn thousands_of_instructions_with_one_name_are_told_apart() {
    const MEMBERS: usize = 300;
    let members: Vec<String> = (0..MEMBERS).map(|n| format!("m{n}")).collect();
    let operations: String = (0..MEMBERS)
        .map(|n| format!("OPERATION m{n} {{ INSTANCE sub ALIAS {{ s }}; CODING {{ s 0b{n:016b} }}; }};\n"))
        .collect();
    let model = lower(&format!(
        "GROUP instr = {}; {operations} GROUP sub = low, high;
        OPERATION low {{ CODING {{ f=0bx[15] 0b0 }}; BEHAVIOR {{ r = f; }}; }};
        OPERATION high {{ CODING {{ f=0bx[15] 0b1 }}; BEHAVIOR {{ r = f; }}; }};",
        members.join(", ")
    ));
    assert_eq!(model.instructions.len(), 2 * MEMBERS);
    let text: String = emit_modules(&model).into_iter().map(|file| file.text).collect();
    for name in [" High300 {", " Low300 {", " Low {"] {
        assert_eq!(text.matches(&format!("Args::{}", name.trim_start())).count(), 2, "{name}");
    }
}
