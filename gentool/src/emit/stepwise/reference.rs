//! REFERENCEs: what they stand for is known when an instruction is decoded, by context.

use isac_ir::behavior::{Expr, ReferenceId};
use isac_ir::operand::Binding;
use isac_ir::operation::{Instance, Operation, Referred, Role, Target};
use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::operand::member_field;
use crate::emit::Shape;
use crate::emit::body::BodyEmitter;
use crate::emit::expression::{cast, extended, masked, number, unsigned};
use crate::emit::mention::{Finding, Mentioned, findings, function_of, resized};
use crate::emit::name::{identifier, identifier_of};

impl BodyEmitter<'_> {
    /// The value of what a reference stands for.
    pub(in crate::emit) fn read_reference(
        &self,
        reference: ReferenceId,
        mention: Mentioned<'_>,
        width: u32,
    ) -> TokenStream {
        if self.emitter.shape == Shape::Blocks {
            return self.read_carried(reference, mention, width);
        }
        let ty = unsigned(width);
        let parts = self.reference_parts(reference);
        let arms = self.findings(reference).into_iter().map(|finding| {
            let pattern = pattern_of(finding);
            let value = match finding {
                (_, Referred::Field(field)) => {
                    let place = number((1 + field).into());
                    quote!(step.value(owner, #place) as #ty)
                }
                (_, Referred::Variable(variable)) => {
                    let variable = number(variable.into());
                    quote!(step.variable(owner, #variable) as #ty)
                }
                (parent, Referred::Instance(instance)) => {
                    let parent = self.emitter.model.operation(parent);
                    self.read_referred(parent, instance, (mention, parts), width)
                }
                (_, Referred::Reference(_)) => quote!(0),
            };
            quote!(#pattern => #value,)
        });
        let arms: Vec<TokenStream> = arms.collect();
        let reference = number(reference.into());
        quote!(match step.referred(at, #reference) {
            #(#arms)*
            _ => 0,
        })
    }

    /// Number of parts of what is found for a reference, whatever it stands for.
    fn reference_parts(&self, reference: ReferenceId) -> u32 {
        self.emitter.parts_of_binding(self.operation, Binding::Reference(reference))
    }

    /// Finds the place of what a reference stands for.
    pub(in crate::emit) fn find_reference(&self, reference: ReferenceId, bound: &Ident) -> TokenStream {
        if self.emitter.shape == Shape::Blocks {
            return self.find_carried(reference, bound);
        }
        let parts = self.reference_parts(reference);
        let arms = self.findings(reference).into_iter().filter_map(|finding| {
            let (parent, Referred::Instance(instance)) = finding else { return None };
            let Instance { target, role, .. } =
                self.emitter.model.operation(parent).instances[instance as usize];
            let (pattern, name) = (pattern_of(finding), identifier(self.emitter.model.target_name(target)));
            let instance = number(instance.into());
            let is_there = (role == Role::Root).then(|| quote!(if step.is_there(owner, #instance)));
            let all = resized(&identifier_of("bound"), self.emitter.parts_of(target), parts);
            Some(quote!(#pattern => #is_there {
                let context = step.link(owner, #instance);
                let bound = operands::bind::#name(p, step, context)?;
                #bound = #all;
            }))
        });
        let arms: Vec<TokenStream> = arms.collect();
        let reference = number(reference.into());
        quote!(match step.referred(at, #reference) {
            #(#arms)*
            _ => {}
        })
    }

    /// The value of what an instance of a context has chosen.
    fn read_referred(
        &self,
        parent: &Operation,
        instance: u32,
        (mention, parts): (Mentioned<'_>, u32),
        width: u32,
    ) -> TokenStream {
        let Instance { target, role, .. } = parent.instances[instance as usize];
        let (instance, name) = (number(instance.into()), identifier(self.emitter.model.target_name(target)));
        let context = quote!(step.link(owner, #instance));
        let own = self.emitter.operand_width(target);
        // What a CODINGROOT did not decode is 0.
        let is_there = (role == Role::Root).then(|| quote!(step.is_there(owner, #instance)));
        let guarded = |value: TokenStream| match &is_there {
            Some(condition) => quote!((if #condition { #value } else { 0 })),
            None => value,
        };
        let single = match target {
            Target::Operation(operation) => {
                let Some(expression) = &self.emitter.model.operation(operation).expression else {
                    let ty = unsigned(width);
                    return guarded(quote!(step.value(#context, 0) as #ty));
                };
                expression.signed
            }
            Target::Group(_) | Target::Label(_) => false,
        };
        let function = function_of(mention.kind);
        let bound = mention.bound.map(|bound| resized(bound, parts, self.emitter.parts_of(target)));
        let bound = bound.map(|bound| quote!(, #bound));
        let value =
            guarded(quote!({ let context = #context; operands::#function::#name(p, step, context #bound)? }));
        if single && own < width { extended(value, own, width) } else { cast(value, own, width) }
    }

    /// The coded bits of what a reference stands for.
    pub(in crate::emit) fn coded_reference(&self, reference: ReferenceId, width: u32) -> TokenStream {
        if self.emitter.shape == Shape::Blocks {
            return self.carried_bits(reference, width);
        }
        let ty = unsigned(width);
        let arms = self.findings(reference).into_iter().filter_map(|finding| {
            let (parent, Referred::Instance(instance)) = finding else { return None };
            let fields = self.emitter.model.operation(parent).fields.len() as u32;
            let (pattern, place) = (pattern_of(finding), number((1 + fields + instance).into()));
            Some(quote!(#pattern => step.value(owner, #place) as #ty,))
        });
        let arms: Vec<TokenStream> = arms.collect();
        let reference = number(reference.into());
        quote!(match step.referred(at, #reference) {
            #(#arms)*
            _ => 0,
        })
    }

    /// A field of what the instance has chosen that a reference stands for.
    pub(in crate::emit) fn referred_member_field(
        &self,
        reference: ReferenceId,
        fields: &[(u32, u32)],
        width: u32,
    ) -> TokenStream {
        let arms = self.findings(reference).into_iter().filter_map(|finding| {
            let (_, Referred::Instance(instance)) = finding else { return None };
            let pattern = pattern_of(finding);
            let value = member_field(&identifier_of("owner"), instance, fields, width);
            Some(quote!(#pattern => #value,))
        });
        let arms: Vec<TokenStream> = arms.collect();
        let reference = number(reference.into());
        quote!(match step.referred(at, #reference) {
            #(#arms)*
            _ => 0,
        })
    }

    /// Assigns to what a reference stands for.
    pub(in crate::emit) fn write_reference(
        &self,
        reference: ReferenceId,
        mention: Mentioned<'_>,
        value: &Expr,
    ) -> TokenStream {
        if self.emitter.shape == Shape::Blocks {
            return self.write_carried(reference, mention, value);
        }
        let parts = self.reference_parts(reference);
        let (width, new) = (value.width, self.value(value));
        let arms = self.findings(reference).into_iter().filter_map(|finding| {
            let pattern = pattern_of(finding);
            match finding {
                (_, Referred::Variable(variable)) => {
                    let variable = number(variable.into());
                    Some(quote!(#pattern => step.set_variable(owner, #variable, value as u128),))
                }
                (parent, Referred::Instance(instance)) => {
                    let Instance { target, role, .. } =
                        self.emitter.model.operation(parent).instances[instance as usize];
                    let name = identifier(self.emitter.model.target_name(target));
                    let own = self.emitter.operand_width(target);
                    let narrow = masked(cast(quote!(value), width, own), own);
                    let instance = number(instance.into());
                    let is_there = (role == Role::Root).then(|| quote!(if step.is_there(owner, #instance)));
                    let function = function_of(mention.kind);
                    let bound =
                        mention.bound.map(|bound| resized(bound, parts, self.emitter.parts_of(target)));
                    let bound = bound.map(|bound| quote!(, #bound));
                    Some(quote!(#pattern => #is_there {
                        let context = step.link(owner, #instance);
                        operands::#function::#name(p, step, context #bound, #narrow)?;
                    }))
                }
                (_, Referred::Field(_) | Referred::Reference(_)) => None,
            }
        });
        let arms: Vec<TokenStream> = arms.collect();
        let reference = number(reference.into());
        quote!({
            let value = #new;
            match step.referred(at, #reference) {
                #(#arms)*
                _ => {}
            }
        })
    }

    /// Everything that a reference may stand for.
    fn findings(&self, reference: ReferenceId) -> Vec<Finding> {
        findings(self.emitter.model, self.operation, reference)
    }
}

/// What `Step::referred` gives for a finding; the context is `owner`.
fn pattern_of((parent, what): Finding) -> TokenStream {
    let parent = number(parent.into());
    let what = match what {
        Referred::Field(field) => {
            let field = number(field.into());
            quote!(Referred::Field(#field))
        }
        Referred::Instance(instance) => {
            let instance = number(instance.into());
            quote!(Referred::Instance(#instance))
        }
        Referred::Variable(variable) => {
            let variable = number(variable.into());
            quote!(Referred::Variable(#variable))
        }
        Referred::Reference(outer) => {
            let outer = number(outer.into());
            quote!(Referred::Reference(#outer))
        }
    };
    quote!((owner, #parent, #what))
}
