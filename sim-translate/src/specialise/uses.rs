//! What a step does with registers: asked for each time it is compiled, and found once.

use isac_ir::Model;

use crate::residual::{Item, Kind, Op, Value, walk_ops};

use super::Step;

/// What a step does with registers.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct RegisterUses {
    /// The elements that it names, in the order of their keys.
    pub elements: Box<[ElementUse]>,
    /// Registers of which elements are written that are known when it runs.
    pub indexed: Box<[u32]>,
    /// Registers of which it always reads or writes such elements.
    pub computed: Box<[u32]>,
}

/// What a step does with an element of a register.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ElementUse {
    /// Register and element.
    pub key: (u32, u32),
    /// How often its statements name it.
    pub times: u32,
    /// It may read it before it has replaced it.
    pub is_read: bool,
    /// It may write it.
    pub is_written: bool,
    /// It writes it whatever happens.
    pub is_replaced: bool,
}

impl Step {
    /// What it does with registers.
    pub(crate) fn register_uses(&self, model: &Model) -> &RegisterUses {
        self.uses.get_or_init(|| RegisterUses::of(&self.ops, model))
    }
}

impl RegisterUses {
    fn of(ops: &[Op], model: &Model) -> RegisterUses {
        let mut uses = RegisterUses::default();
        let (mut elements, mut indexed) = (Vec::<ElementUse>::new(), Vec::new());
        for op in ops {
            // As many as one statement names: a handful.
            let mut named: Vec<ElementUse> = Vec::new();
            walk_ops(std::slice::from_ref(op), &mut |item| match item {
                Item::Value(Value { kind: Kind::Register { register, element, .. }, .. }) => {
                    named_in(&mut named, (*register, *element)).is_read = true;
                }
                Item::Op(Op::SetRegister { register, element, low, value }) => {
                    let written = named_in(&mut named, (*register, *element));
                    written.is_written = true;
                    // What is written in part is read.
                    written.is_read |=
                        *low > 0 || value.width < model.registers[*register as usize].width_bits;
                }
                Item::Op(Op::SetElement { register, .. }) => indexed.push(*register),
                Item::Op(_) | Item::Value(_) => {}
            });
            let replaces = matches!(op, Op::SetRegister { .. });
            for one in named {
                let known = find(&mut elements, one.key);
                known.times += one.times;
                known.is_read |= one.is_read && !known.is_replaced;
                known.is_written |= one.is_written;
                known.is_replaced |= one.is_written && replaces;
            }
        }
        let mut computed = Vec::new();
        find_computed(ops, &mut computed);
        elements.sort_unstable_by_key(|element| element.key);
        uses.elements = elements.into();
        uses.indexed = indexed.into();
        uses.computed = computed.into();
        uses
    }
}

fn find(elements: &mut Vec<ElementUse>, key: (u32, u32)) -> &mut ElementUse {
    let at = elements.iter().position(|element| element.key == key).unwrap_or_else(|| {
        elements.push(ElementUse { key, ..ElementUse::default() });
        elements.len() - 1
    });
    &mut elements[at]
}

fn named_in(elements: &mut Vec<ElementUse>, key: (u32, u32)) -> &mut ElementUse {
    let element = find(elements, key);
    element.times += 1;
    element
}

/// Register files that are always reached by computed indexes.
fn find_computed(ops: &[Op], found: &mut Vec<u32>) {
    for op in ops {
        if let Op::SetElement { register, .. } = op {
            found.push(*register);
        }
        for value in op.values() {
            value.walk(&mut |item| {
                if let Item::Value(Value { kind: Kind::Element { register, .. }, .. }) = item {
                    found.push(*register);
                }
            });
        }
        if let Op::Block(_, body) = op {
            find_computed(body, found);
        }
    }
}
