//! Where the operands of an operation stand, and how they are written.

use isac_ir::Model;
use isac_ir::operation::Field;
use isac_ir::syntax::print::{Site, print_operand};
use isac_ir::syntax::{Format, TextItem, Tree};

use super::part::is_operand;

/// A place of an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// A field, by index.
    Field(u32),
    /// An instance, by index.
    Instance(u32),
}

/// The places of an operation: its operands, then its fields.
pub fn places(model: &Model, operation: u32) -> Vec<Place> {
    let operation = model.operation(operation);
    let instances = (0..).zip(&operation.instances).filter(|(_, instance)| is_operand(instance));
    let fields = (0..).zip(&operation.fields).filter(|(_, field)| field.copy_of.is_none());
    let instances = instances.map(|(number, _)| Place::Instance(number));
    instances.chain(fields.map(|(number, _)| Place::Field(number))).collect()
}

impl Place {
    /// Its name in the description.
    pub fn name(self, model: &Model, operation: u32) -> &str {
        let operation = model.operation(operation);
        match self {
            Place::Field(field) => &operation.fields[field as usize].name,
            Place::Instance(instance) => &operation.instances[instance as usize].alias,
        }
    }
}

/// An operand as it is written; where the description has no text for it, name and fields.
pub fn text_of(model: &Model, tree: &Tree) -> String {
    let printed = print_operand(model, tree, Site { address: 0, size_cells: 0 });
    printed.map(|printed| printed.text.trim().to_owned()).filter(|text| !text.is_empty()).unwrap_or_else(
        || {
            let operation = model.operation(tree.operation);
            let fields = operation.fields.iter().zip(&tree.fields);
            let fields: String = fields.map(|(field, value)| format!(" {}={value}", field.name)).collect();
            let below: String =
                tree.children.iter().map(|(_, child)| format!(" ({})", text_of(model, child))).collect();
            operation.name.clone() + &fields + &below
        },
    )
}

/// A field's value as its operation's text has it: a register's name, or a number in decimal.
pub(super) fn field_text(model: &Model, operation: u32, number: u32, value: u128) -> String {
    let operation = model.operation(operation);
    let items = operation.texts.iter().flatten();
    let register = items.into_iter().find_map(|item| match item {
        TextItem::Field { field, format: Format::Name { register, element: None } } if *field == number => {
            Some(*register)
        }
        _ => None,
    });
    let names = register.map(|register| model.element_names(register, value)).unwrap_or_default();
    let field = &operation.fields[number as usize];
    names.into_iter().next().unwrap_or_else(|| number_text(value, field))
}

/// A field's value in decimal, with its sign.
pub fn number_text(value: u128, field: &Field) -> String {
    let unused = 128 - field.width_bits.clamp(1, 128);
    match field.signed {
        true => ((value as i128) << unused >> unused).to_string(),
        false => value.to_string(),
    }
}
