//! Groups that are nested and shared: both members of each hold the group below. A hundred of them
//! take as many steps as they are, not as many as there are ways through them, which is 2^100.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::path::PathBuf;

use gentool::emit::find_block_obstacles;
use gentool::lower::lower_model;
use isac_ir::Model;
use isac_ir::account::decoder_counters;
use isac_ir::operation::{Role, Target};
use isac_parser::diagnostic::Diagnostics;
use isac_parser::load_model;
use isac_parser::source::{InMemory, SourceMap};

/// Ways through them are 2 to this power.
const LEVELS: usize = 100;

/// A model of that many groups; the topmost, the `x` of `top`, is the last one. It is made of one with two: the words of a hundred would not be
/// compared.
fn nested(of_top: &str) -> Model {
    let text = format!(
        "RESOURCE {{ PC REGISTER bit[16] pc; REGISTER bit[8] r; RAM bit[8] ram {{ SIZE (16); }};
        MEMORY_MAP defaultmap {{ RANGE (0, 15) -> ram; }}; }};
        OPERATION main {{ CODINGROOT {{ instr (defaultmap[pc]); }}; BEHAVIOR {{ pc = pc + 1; }}; }};
        GROUP instr = top;
        OPERATION single {{ CODING {{ 0b0 }}; }};
        OPERATION top {{ INSTANCE second ALIAS {{ x }}; INSTANCE single ALIAS {{ y }};
            CODING {{ 0b00000 x y }}; {of_top} }};
        GROUP first = zero, one;
        OPERATION zero {{ CODING {{ 0b0 }}; EXPRESSION {{ 0 }}; }};
        OPERATION one {{ CODING {{ 0b1 }}; EXPRESSION {{ 1 }}; }};
        GROUP second = low, high;
        OPERATION low {{ INSTANCE first ALIAS {{ x }}; CODING {{ 0b0 x }}; EXPRESSION {{ x }}; }};
        OPERATION high {{ INSTANCE first ALIAS {{ x }}; CODING {{ 0b1 x }}; EXPRESSION {{ x }}; }};"
    );
    let file = PathBuf::from("model.isac");
    let loader = InMemory::new([(file.clone(), text)]);
    let (mut sources, mut findings) = (SourceMap::new(), Diagnostics::new());
    let checked = load_model(&file, &loader, &BTreeMap::new(), &mut sources, &mut findings);
    let mut model = lower_model(&checked.expect("the model is sound"), &sources, "model");
    let find = |model: &Model, name: &str| model.groups.iter().position(|group| group.name == name);
    let second = find(&model, "second").expect("it has the group");
    let mut below = Target::Group(second as u32);
    for _ in 2..LEVELS {
        below = add_level(&mut model, second, below);
    }
    let top = model.operations.iter_mut().find(|operation| operation.name == "top").expect("it is there");
    top.instances[0].target = below;
    model
}

/// Adds a group like `second` whose members hold another instead, with its decoder.
fn add_level(model: &mut Model, second: usize, below: Target) -> Target {
    let mut group = model.groups[second].clone();
    for member in &mut group.members {
        let Target::Operation(index) = *member else { panic!("its members are operations") };
        let mut operation = model.operations[index as usize].clone();
        operation.instances[0].target = below;
        *member = Target::Operation(model.operations.len() as u32);
        model.operations.push(operation);
    }
    let added = Target::Group(model.groups.len() as u32);
    model.groups.push(group);
    let decoder = model.decoder_of(Target::Group(second as u32)).expect("it is decoded by itself");
    let inner = model.decoder_of(below).expect("it is decoded by itself");
    let mut decoder = model.decoders[decoder as usize].clone();
    decoder.target = added;
    for node in decoder.variants.iter_mut().flat_map(|variant| &mut variant.nodes) {
        if node.instance.is_some() {
            (node.target, node.nested) = (below, Some(inner));
        }
    }
    model.decoders.push(decoder);
    added
}

fn topmost(model: &Model) -> Target {
    Target::Group(model.groups.len() as u32 - 1)
}

#[test]
fn what_lies_below_a_target_is_walked_once() {
    let model = nested("BEHAVIOR { r = 1; };");
    assert_eq!(model.targets_within(topmost(&model)).len(), 3, "a group and its members");
    let asked = Cell::new(0);
    let below = model.operations_below(topmost(&model), |instance| {
        asked.set(asked.get() + 1);
        instance.role == Role::Coded
    });
    assert_eq!(below.len(), 2 * LEVELS);
    assert_eq!(asked.get(), 2 * (LEVELS - 1), "each instance is asked about once");
}

/// Groups alone, without operations between them: the same members by many ways.
#[test]
fn groups_of_groups_are_walked_once() {
    let mut model = nested("BEHAVIOR { r = 1; };");
    for _ in 0..LEVELS {
        let mut group = model.groups[0].clone();
        group.members = vec![topmost(&model); 2];
        model.groups.push(group);
    }
    assert_eq!(model.leaf_operations(topmost(&model)).len(), 2);
    assert_eq!(model.targets_within(topmost(&model)).len(), LEVELS + 3);
}

#[test]
fn counters_of_shared_decoders_are_added_up_once() {
    let mut model = nested("BEHAVIOR { if (r > 1) r = 0; };");
    // What has nothing to run is decoded by itself; each gets `top`'s BEHAVIOR, which counts one
    // region: that of the write.
    let top = model.operations.iter().find(|operation| operation.name == "top").expect("it is there");
    let behavior = top.behavior.clone();
    let below = model.operations_below(topmost(&model), |instance| instance.role == Role::Coded);
    for operation in below {
        model.operations[operation as usize].behavior.clone_from(&behavior);
    }
    let topmost = model.decoder_of(topmost(&model)).expect("it is decoded by itself");
    assert_eq!(decoder_counters(&model, topmost, false), LEVELS as u32);
}

#[test]
fn obstacles_of_shared_groups_are_found_at_once() {
    let model = nested("BEHAVIOR { r = 1; };");
    assert_eq!(find_block_obstacles(&model), [""; 0], "nothing below `x` can run");
    let model = nested("ACTIVATION { IF (r == 0) { x; } ELSE { x; } };");
    let found = find_block_obstacles(&model);
    assert!(found.iter().all(|obstacle| !obstacle.contains("LOCAL")), "{found:?}");
    assert!(found.iter().any(|obstacle| obstacle.contains("activated in two places")), "{found:?}");
}
