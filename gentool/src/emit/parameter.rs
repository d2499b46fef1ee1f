//! What the functions of sections and operands take of the decoded instruction.

use isac_ir::operand::MentionKind;
use isac_ir::operation::Operation;
use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::expression::unsigned;
use super::name::identifier;
use super::referred::{Carried, counter_name};
use super::usage::{Usage, extended_width};
use super::{Emitter, Shape};

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
    /// A LOCAL.
    Variable(u32),
    /// A field as it is coded, whose sign nobody has extended.
    PlainField(u32),
    /// What a REFERENCE stands for.
    Referred(u32),
    /// The coded bits of the instance that a REFERENCE stands for.
    ReferredCoded(u32),
    /// Where it is counted that something is done with what a REFERENCE stands for.
    Counter(u32, MentionKind),
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
        let variables = usage.variables.iter().filter(|_| self.shape == Shape::Blocks).map(|variable| {
            let entry = &operation.variables[*variable as usize];
            let ty = unsigned(entry.width);
            let name = identifier(&entry.name);
            Parameter { name, ty: quote!(&mut #ty), source: Source::Variable(*variable) }
        });
        let own = fields.chain(operands).chain(coded).chain(variables);
        own.chain(self.referred_parameters(operation, usage)).collect()
    }

    /// What they take of the operation around: nothing where that is asked when it is needed.
    fn referred_parameters(&self, operation: &Operation, usage: &Usage) -> Vec<Parameter> {
        let mut found: Vec<Parameter> = Vec::new();
        for &(reference, kind) in &usage.referred {
            let (name, source) =
                (&operation.references[reference as usize].name, Source::Referred(reference));
            let ty = match self.carried(operation, reference) {
                None => continue,
                Some(Carried::Operand(target)) => {
                    let ty = self.names.type_of(target);
                    quote!(#ty)
                }
                Some(Carried::Field { width_bits } | Carried::Coded { width_bits }) => {
                    let ty = unsigned(width_bits);
                    quote!(#ty)
                }
                Some(Carried::Variable { width_bits }) => {
                    let ty = unsigned(width_bits);
                    quote!(&mut #ty)
                }
            };
            let is_operand = matches!(self.carried(operation, reference), Some(Carried::Operand(_)));
            if found.iter().all(|parameter| parameter.source != source) {
                found.push(Parameter { name: identifier(name), ty, source });
            }
            if is_operand {
                let (name, source) =
                    (counter_name(operation, reference, kind), Source::Counter(reference, kind));
                found.push(Parameter { name, ty: quote!(usize), source });
            }
        }
        for &reference in &usage.referred_coded {
            let Some(width_bits) = self.carried_coded(operation, reference) else { continue };
            let ty = unsigned(width_bits);
            let name = referred_coded_name(operation, reference);
            found.push(Parameter { name, ty: quote!(#ty), source: Source::ReferredCoded(reference) });
        }
        found
    }
}

/// The parameter that carries the coded bits of what a REFERENCE stands for.
pub(super) fn referred_coded_name(operation: &Operation, reference: u32) -> Ident {
    identifier(&format!("{}_coded", operation.references[reference as usize].name))
}

/// The parameter that carries an instance's coded bits.
pub(super) fn coded_name(operation: &Operation, instance: u32) -> Ident {
    identifier(&format!("{}_coded", operation.instances[instance as usize].alias))
}
