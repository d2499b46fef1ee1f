//! What the functions of sections and operands take of the decoded instruction.

use isac_ir::operation::Operation;
use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::Emitter;
use super::expression::unsigned;
use super::name::identifier;
use super::usage::{Usage, extended_width};

/// A parameter of an operation's function or a member of an operand's type.
pub(super) struct Parameter {
    pub name: Ident,
    pub ty: TokenStream,
    pub source: Source,
}

/// Where a parameter comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Source {
    Field(u32),
    Operand(u32),
    Coded(u32),
}

impl Emitter<'_> {
    /// What an operation's sections take of the decoded instruction.
    pub(super) fn parameters(&self, operation: &Operation, usage: &Usage) -> Vec<Parameter> {
        let fields = usage.fields.iter().map(|field| {
            let entry = &operation.fields[*field as usize];
            let ty = unsigned(extended_width(operation, *field).unwrap_or(entry.width_bits));
            Parameter { name: identifier(&entry.name), ty: quote!(#ty), source: Source::Field(*field) }
        });
        let operands = usage.operands.iter().map(|instance| {
            let entry = &operation.instances[*instance as usize];
            let ty = self.names.type_of(entry.target);
            Parameter { name: identifier(&entry.alias), ty: quote!(#ty), source: Source::Operand(*instance) }
        });
        let coded = usage.coded.iter().map(|instance| {
            let ty = unsigned(operation.instances[*instance as usize].width_bits);
            let name = coded_name(operation, *instance);
            Parameter { name, ty: quote!(#ty), source: Source::Coded(*instance) }
        });
        fields.chain(operands).chain(coded).collect()
    }
}

/// The parameter that carries an instance's coded bits.
pub(super) fn coded_name(operation: &Operation, instance: u32) -> Ident {
    identifier(&format!("{}_coded", operation.instances[instance as usize].alias))
}
