//! What becomes of resources, codings and instances.

use std::collections::BTreeMap;
use std::path::Path;

use isac_parser::model::{
    AssemblerItem, CodingBit, ElfAddress, Endian, Format, InstanceRole, RegisterId, RegisterPart,
    RootElement, RootSource, Type,
};
use isac_parser::source::InMemory;

use super::super::{load, load_text};

const MACHINE: &str = r#"
CONSTANT WIDTH = 16;
CONSTANT COUNT = 1 << 2;
TARGET { ENDIAN (BIG); ELF_MACHINE (62); ELF_CLASS (64); ELF_ADDRESS (PHYSICAL); STACK (x[1], -16); LOAD (0x10, 0x1f) -> code; COMMENT (";"); };
RESOURCE {
    PC REGISTER bit[WIDTH] pc { RESET (0x40); };
    REGISTER bit[8] x[COUNT] { HARDWIRED (0, 0); NAMES ("zero", "sp|top"); };
    RAM bit[8] rom { SIZE (256); FLAGS (R, X); LATENCY (3); };
    MEMORY_MAP code { ADDRESS (12); RANGE (0x100, 0x1ff) -> rom; RANGE (0x0, 0xff) -> rom [(7..0)]; };
};
OPERATION reg { ASSEMBLER { n=#NAME(x) }; CODING { n=0bx[2] }; EXPRESSION { x[n] }; };
OPERATION main { ACTIVATION { decode; }; };
OPERATION decode { CODINGROOT { instr (code[pc]); }; BEHAVIOR { pc = pc + instruction_size; }; };
GROUP instr = jump, move;
OPERATION jump {
    INSTANCE reg ALIAS { r };
    ASSEMBLER { "jump" ~ "." r "," offset=#REL(instruction_size) };
    CODING { r[0] offset[4..1] 0b1 r[1] 0bx };
    BEHAVIOR { pc = instruction_address + offset + r; };
};
OPERATION move { INSTANCE reg ALIAS { to, from }; CODING { 0b000 to 0b0 from }; BEHAVIOR { to = from; }; };
"#;

#[test]
fn resources_have_their_options_and_defaults() {
    let model = load_text(MACHINE);
    let [pc, x] = model.registers.as_slice() else { panic!() };
    assert_eq!((pc.width_bits, pc.count, pc.reset), (16, None, 0x40));
    assert_eq!((x.width_bits, x.count, x.hardwired.as_slice()), (8, Some(4), [(0, 0)].as_slice()));
    assert_eq!(x.element_names, [vec!["zero"], vec!["sp", "top"], vec!["x2"], vec!["x3"]]);
    let [rom] = model.rams.as_slice() else { panic!() };
    assert_eq!((rom.readable, rom.writable, rom.executable, rom.latency), (true, false, true, 3));
    let [code] = model.maps.as_slice() else { panic!() };
    assert_eq!((code.address_bits, code.cell_bits), (12, 8));
    assert_eq!(code.ranges.iter().map(|range| range.low).collect::<Vec<_>>(), [0, 0x100]);
    let pc = RegisterPart { register: RegisterId(0), element: 0, low: 0, width_bits: model.pc.width_bits };
    assert_eq!(model.pc.parts, [pc]);
}

#[test]
fn the_target_section_is_read() {
    let target = load_text(MACHINE).target.clone();
    assert_eq!(target.endian, Endian::Big);
    assert_eq!((target.elf_machine, target.elf_class), (Some(62), Some(64)));
    assert_eq!(target.elf_address, ElfAddress::Physical);
    let (stack, top) = target.stack.as_ref().unwrap();
    let [part] = stack.parts[..] else { panic!("the stack pointer is one element") };
    assert_eq!((part.register, part.element, *top), (RegisterId(1), 1, 0xf0));
    assert_eq!(target.host.map(|map| map.0), Some(0));
    assert_eq!(target.loads.len(), 1);
    assert_eq!(target.comment.as_deref(), Some(";"));
}

#[test]
fn coding_bits_stand_in_the_order_of_the_text() {
    let model = load_text(MACHINE);
    let jump = model.operations.iter().find(|operation| operation.name == "jump").unwrap();
    let text: Vec<String> = jump
        .coding
        .iter()
        .flatten()
        .map(|bit| match bit {
            CodingBit::Fixed(set) => u8::from(*set).to_string(),
            CodingBit::Any => "x".to_owned(),
            CodingBit::Field { bit, .. } => format!("f{bit}"),
            CodingBit::Instance { bit, .. } => format!("i{bit}"),
        })
        .collect();
    assert_eq!(text.join(" "), "i0 f4 f3 f2 f1 1 i1 x");
    let [offset] = jump.fields.as_slice() else { panic!() };
    assert_eq!((offset.width_bits, offset.signed), (5, true));
    let items = &jump.assembler[0];
    assert!(matches!(items[1], AssemblerItem::Join));
    let AssemblerItem::Field { format: Format::Relative { offset: Some(_) }, .. } = &items[5] else {
        panic!("{items:?}")
    };
}

#[test]
fn instances_know_their_role_and_value() {
    let model = load_text(MACHINE);
    let find = |name: &str| model.operations.iter().find(|operation| operation.name == name).unwrap();
    let r = &find("jump").instances[0];
    let ty = Type { width_bits: 8, signed: false };
    assert_eq!(
        (r.role, r.width_bits, r.value_type, r.is_place),
        (InstanceRole::Coded, Some(2), Some(ty), true)
    );
    let decode = find("decode");
    assert_eq!(decode.instances[0].role, InstanceRole::Root);
    assert_eq!(decode.instances[0].alias, "instr");
    let [RootElement::Decode(root)] = decode.coding_root.as_slice() else { panic!() };
    let RootSource::Map { address, .. } = &root.source else { panic!("a map") };
    assert_eq!(address.ty, Some(Type { width_bits: 12, signed: false }));
    assert_eq!(find("main").instances[0].role, InstanceRole::Activated);
    assert_eq!(model.groups[0].width_bits, Some(8));
}

#[test]
fn constants_can_be_overridden() {
    let loader = InMemory::new([("test.isac", MACHINE)]);
    let overrides = BTreeMap::from([("WIDTH".to_owned(), 24)]);
    let (model, _) = load(Path::new("test.isac"), &loader, &overrides);
    assert_eq!(model.unwrap().registers[0].width_bits, 24);
}

#[test]
fn a_more_specific_coding_wins() {
    let text = MACHINE.replace(
        "GROUP instr = jump, move;",
        "GROUP instr = jump, move, illegal; OPERATION illegal { CODING { 0bx[8] }; };",
    );
    load_text(&text);
}

#[test]
fn words_of_several_widths_are_compared_on_what_is_fetched_first() {
    let group = "GROUP instr = jump, move, long;";
    let long = |coding: &str| {
        MACHINE.replace(
            "GROUP instr = jump, move;",
            &format!("{group} OPERATION long {{ CODING {{ {coding} }}; }};"),
        )
    };
    // Big-endian: the first cell is the most significant byte.
    let said = |coding: &str| {
        let loader = InMemory::new([("test.isac", long(coding))]);
        load(Path::new("test.isac"), &loader, &BTreeMap::new()).1
    };
    let apart = said("0b11111011 0bx[8]");
    assert!(!apart.contains("error"), "{apart}");
    let overlapping = said("0b000xxxxx 0bx[8]");
    assert!(overlapping.contains("E0410"), "{overlapping}");
}

/// What `take` takes from below belongs to the format that decoded it; `take` itself has neither
/// name, and is above the formats alone.
const TAKEN: &str = r#"
RESOURCE {
    PC REGISTER bit[8] pc;
    REGISTER bit[8] x[4];
    RAM bit[8] ram { SIZE (0x100); };
    MEMORY_MAP defaultmap { RANGE (0, 0xff) -> ram; };
};
OPERATION reg { CODING { n=0bx[2] }; EXPRESSION { x[n] }; };
OPERATION main { ACTIVATION { take; }; };
OPERATION take {
    LOCAL { bit[8] seen; };
    CODINGROOT { instr (defaultmap[pc]); };
    ACTIVATION { opcode; };
};
GROUP instr = short, long;
OPERATION short { INSTANCE opcode ALIAS { op }; INSTANCE reg ALIAS { rd }; CODING { 0b0 op rd k=0bx[3] 0b0 }; };
OPERATION long { INSTANCE inner ALIAS { in }; INSTANCE reg ALIAS { rd }; CODING { 0b1 in rd 0b0 }; };
OPERATION inner { INSTANCE opcode ALIAS { op }; CODING { op k=0bx[3] }; };
GROUP opcode = add;
OPERATION add { REFERENCE { rd, k, seen }; CODING { 0bx }; BEHAVIOR { rd = rd + k + seen; }; };
"#;

#[test]
fn what_is_taken_from_below_refers_to_what_decoded_it() {
    let model = load_text(TAKEN);
    let named = |name: &str| model.operations.iter().find(|operation| operation.name == name).unwrap();
    let bindings = |operation: &str| -> Vec<(String, String)> {
        let references = named(operation).references.iter();
        let bindings = references.flat_map(|reference| {
            reference.bindings.iter().map(|binding| {
                let parent = &model.operations[binding.parent.index()].name;
                (format!("{}, {parent}", reference.name), format!("{:?}", binding.what))
            })
        });
        bindings.collect()
    };
    let expected = |pairs: &[(&str, &str)]| -> Vec<(String, String)> {
        pairs.iter().map(|(name, what)| ((*name).to_owned(), (*what).to_owned())).collect()
    };
    assert_eq!(
        bindings("add"),
        expected(&[
            ("rd, short", "Instance(InstanceId(1))"),
            ("rd, inner", "Reference(ReferenceId(0))"),
            ("k, short", "Field(FieldId(0))"),
            ("k, inner", "Field(FieldId(0))"),
            ("seen, short", "Reference(ReferenceId(0))"),
            ("seen, inner", "Reference(ReferenceId(1))"),
        ])
    );
    assert_eq!(
        bindings("inner"),
        expected(&[("rd, long", "Instance(InstanceId(1))"), ("seen, long", "Reference(ReferenceId(0))"),])
    );
    assert_eq!(bindings("long"), expected(&[("seen, take", "Variable(VariableId(0))")]));
}
