//! What the names of an operation are worth, once its CODING is resolved.

use super::operation::{AliasValue, Draft, Meaning};
use crate::ast::{self, CodingItem};
use crate::model::InstanceRole;

/// A field is signed if one of its formats is.
pub(crate) fn set_signs(draft: &mut Draft<'_>) {
    let items = draft.sections.assembler.iter().flat_map(|section| &section.items);
    for item in items {
        if let ast::AssemblerItem::Field { name, format } = item
            && matches!((format.name.text.as_str(), format.arguments.len()), ("S", 0) | ("REL", 0 | 1))
            && let Some((Meaning::Field(id), _)) = draft.scope.names.get(&name.text)
        {
            draft.scope.fields[id.index()].signed = true;
        }
    }
}

/// Copies what aliases are worth into the model's instances.
pub(crate) fn set_values(draft: &mut Draft<'_>) {
    let scope = &mut draft.scope;
    for (instance, value) in scope.instances.iter_mut().zip(&mut scope.values) {
        if instance.role == InstanceRole::Root {
            *value = AliasValue::Decoded;
        }
        match *value {
            AliasValue::Coded(ty) => instance.value_type = Some(ty),
            AliasValue::Operand { ty, is_place, .. } => {
                instance.value_type = Some(ty);
                instance.is_place = is_place;
            }
            AliasValue::Decoded | AliasValue::NotCoded | AliasValue::Broken => {}
        }
    }
}

/// Silences the names of fields in an operation whose CODING is not looked at.
pub(crate) fn break_fields(draft: &mut Draft<'_>) {
    for item in draft.sections.coding_items() {
        if let CodingItem::Field { name, .. } | CodingItem::Name { name, .. } = item {
            let broken = (Meaning::Broken, name.span);
            draft.scope.names.entry(name.text.clone()).or_insert(broken);
        }
    }
}
