//! What points of a debugger ask who has read the description.

use std::rc::Rc;

use isac_ir::Model;
use isac_ir::operation::{Instance, Role, Target};
use isac_parser::did_you_mean;
use sim_debug::{AddressSpace, Asker, Guide};

use super::code::Code;

/// Knows names of a description and what is decoded by way of them.
#[derive(Default)]
pub(in crate::command) struct DescriptionGuide;

impl<'m> Guide<'m> for DescriptionGuide {
    fn suggest(&self, name: &str, known: &[&str]) -> Option<String> {
        did_you_mean(name, known.iter().copied())
    }

    fn decoded_by(&self, model: &'m Model, space: &AddressSpace, operation: u32) -> Option<Asker<'m>> {
        if !is_decoded(model, operation) {
            return None;
        }
        let (code, space) = (Some(Code::new(model)).filter(Code::is_all_found)?, space.clone());
        Some(Rc::new(move |machine, address| code.has_operation(&space, machine, address, operation)))
    }
}

/// True if words are decoded by way of an operation.
fn is_decoded(model: &Model, operation: u32) -> bool {
    let decodes = |instance: &Instance| {
        matches!(instance.role, Role::Coded | Role::Root) && leads_to(model, instance.target, operation)
    };
    model.operations.iter().any(|other| other.instances.iter().any(decodes))
}

fn leads_to(model: &Model, target: Target, operation: u32) -> bool {
    match target {
        Target::Operation(index) => index == operation,
        Target::Group(group) => {
            model.groups[group as usize].members.iter().any(|member| leads_to(model, *member, operation))
        }
        Target::Label(_) => false,
    }
}
