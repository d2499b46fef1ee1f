//! Decoding automata as functions: one for each state that looks at bits.

use isac_ir::decoder::{Decoder, Node, Run, State};
use isac_ir::operation::Target;
use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::expression::{cast, extended, number, unsigned};
use super::form::{Form, find_root};
use super::name::identifier;
use super::parameter::Source;
use super::step::Argument;
use super::usage::extended_width;
use super::{Emitter, Shape};

impl Emitter<'_> {
    /// The file of decoders.
    pub(super) fn emit_decoders(&self) -> TokenStream {
        let automata =
            (0u32..).zip(&self.model.decoders).map(|(index, decoder)| self.emit_automaton(index, decoder));
        let root = self.emit_root_decoder();
        let operands = self.operand_targets();
        let nested = (0u32..)
            .zip(&self.model.decoders)
            .filter(|(_, decoder)| operands.contains(&decoder.target))
            .map(|(index, decoder)| self.emit_operand_decoder(index, decoder));
        let kernel = self.kernel();
        let steps = identifier(if self.shape == Shape::Timed { "turns" } else { "steps" });
        quote! {
            #![allow(unused, unused_comparisons, clippy::all)]

            use std::marker::PhantomData;

            use sim_runtime::#kernel::prelude::*;

            use super::operands::*;
            use super::processor::Processor;
            use super::#steps::{self, Args};

            #root
            #(#nested)*
            #(#automata)*
        }
    }

    fn state_name(&self, decoder: u32, state: u32) -> Ident {
        let target = self.model.decoders[decoder as usize].target;
        format_ident!("{}_s{state}", self.model.target_name(target))
    }

    /// A call of a state, or what a state without bits says.
    fn emit_state(&self, decoder: u32, state: u32) -> TokenStream {
        match &self.model.decoders[decoder as usize].states[state as usize] {
            State::Reject => quote!(None),
            State::Accept(variant) => {
                let variant = number((*variant).into());
                quote!(Some(#variant))
            }
            State::Fetch { next, .. } => self.emit_state(decoder, *next),
            State::Test { .. } => {
                let name = self.state_name(decoder, state);
                quote!(#name(word))
            }
        }
    }

    fn emit_automaton(&self, index: u32, decoder: &Decoder) -> TokenStream {
        let ty = unsigned(decoder.width_bits);
        let states = (0u32..).zip(&decoder.states).filter_map(|(number_of_state, state)| {
            let State::Test { low, width, edges, otherwise } = state else { return None };
            let name = self.state_name(index, number_of_state);
            let docs = format!(
                " Bits {}..{low} of a word of `{}`.",
                low + width - 1,
                self.model.target_name(decoder.target)
            );
            let bits = extract(quote!(word), *low, *width, decoder.width_bits);
            let arms = edges.iter().map(|(value, next)| {
                let (value, next) = (number((*value).into()), self.emit_state(index, *next));
                quote!(#value => #next,)
            });
            let otherwise = self.emit_state(index, *otherwise);
            Some(quote! {
                #[doc = #docs]
                fn #name(word: #ty) -> Option<u32> {
                    match #bits {
                        #(#arms)*
                        _ => #otherwise,
                    }
                }
            })
        });
        quote!(#(#states)*)
    }

    fn emit_root_decoder(&self) -> TokenStream {
        let Some((_, _, index)) = find_root(self.model) else { return TokenStream::new() };
        let decoder = &self.model.decoders[index as usize];
        let ty = unsigned(decoder.width_bits);
        let start = self.emit_state(index, decoder.start);
        let arms = self.forms.iter().map(|form| {
            let (variant, name) = (number(form.variant.into()), self.decode_name(form));
            quote!(#variant => #name(word),)
        });
        let functions = self.forms.iter().map(|form| {
            let (name, value) = (self.decode_name(form), self.emit_decoded(form, decoder));
            let docs = format!(" Takes the operands of `{}` out of a word.", self.form_path(form));
            quote! {
                #[doc = #docs]
                fn #name<P: Profiling>(word: #ty) -> Option<Decoded<Processor, P>> {
                    Some(#value)
                }
            }
        });
        quote! {
            /// Decodes a word; `None` if nothing matches it.
            pub fn decode<P: Profiling>(word: #ty) -> Option<Decoded<Processor, P>> {
                let variant: u32 = #start?;
                match variant {
                    #(#arms)*
                    _ => None,
                }
            }

            #(#functions)*
        }
    }

    /// The function that decodes a form.
    fn decode_name(&self, form: &Form) -> Ident {
        let step = self.step_name(form).to_string();
        identifier(&step.replacen("step_", "decode_", 1))
    }

    fn emit_decoded(&self, form: &Form, decoder: &Decoder) -> TokenStream {
        let step = self.step_name(form);
        let name = identifier(&form.name);
        let nodes = &decoder.variants[form.variant as usize].nodes;
        let arguments = self.form_arguments(form).into_iter().map(|argument| {
            let value = self.emit_argument(nodes, &argument, decoder.width_bits);
            let name = argument.name;
            quote!(#name: #value)
        });
        if self.shape == Shape::Timed {
            let turns = self.turns_name(form);
            let variant = number(form.variant.into());
            return quote! {
                Decoded {
                    turns: turns::Turns::<P>::#turns,
                    args: Args::#name { #(#arguments),* },
                    variant: #variant,
                }
            };
        }
        let traits = self.form_traits(form);
        let size = number(traits.size_cells.into());
        let seen = number((decoder.width_bits / self.root_cell_bits()).into());
        let counters = number(form.counters.into());
        let (needs_site, ends_block) = (traits.needs_site, traits.ends_block);
        quote! {
            Decoded {
                run: steps::#step::<P>,
                args: Args::#name { #(#arguments),* },
                words: Default::default(),
                size_cells: #size,
                seen_cells: #seen,
                counters: #counters,
                needs_site: #needs_site,
                ends_block: #ends_block,
                profiling: PhantomData,
            }
        }
    }

    fn emit_argument(&self, nodes: &[Node], argument: &Argument, width: u32) -> TokenStream {
        let Some(node) = argument.node else {
            // Above the tree: the whole word of the root's instance.
            return quote!(word);
        };
        self.emit_source(nodes, node, argument.source, width)
    }

    fn emit_source(&self, nodes: &[Node], node: u32, source: Source, width: u32) -> TokenStream {
        let child = |instance: u32| {
            (0u32..)
                .zip(nodes)
                .find(|(_, child)| child.parent == Some(node) && child.instance == Some(instance))
        };
        let Target::Operation(operation) = nodes[node as usize].target else {
            return quote!(Default::default());
        };
        let operation = self.model.operation(operation);
        match source {
            Source::Field(field) | Source::PlainField(field) => {
                let runs = &nodes[node as usize].fields[field as usize];
                let own = operation.fields[field as usize].width_bits;
                let value = emit_runs(runs, width, own);
                match extended_width(operation, field).filter(|_| source == Source::Field(field)) {
                    Some(wide) => {
                        let ty = unsigned(own);
                        extended(quote!({ let value: #ty = #value; value }), own, wide)
                    }
                    None => value,
                }
            }
            Source::Coded(instance) => match child(instance) {
                Some((_, child)) => {
                    emit_runs(&child.coded, width, operation.instances[instance as usize].width_bits)
                }
                None => quote!(Default::default()),
            },
            Source::Operand(instance) => match child(instance) {
                Some((child, _)) => self.emit_operand_value(nodes, child, width),
                None => quote!(Default::default()),
            },
            // Found where it comes from, before it is asked for here.
            Source::Variable(_) | Source::Referred(_) | Source::ReferredCoded(_) | Source::Counter(..) => {
                quote!(Default::default())
            }
        }
    }

    /// The value of an operand's type for a node, from the word at hand.
    fn emit_operand_value(&self, nodes: &[Node], index: u32, width: u32) -> TokenStream {
        let node = &nodes[index as usize];
        let name = self.names.type_of(node.target);
        if node.nested.is_some() {
            let bits = self.target_width(node.target);
            let word = emit_runs(&node.coded, width, bits);
            return quote!(#name::decode(#word)?);
        }
        match node.target {
            Target::Operation(operation) => {
                let usage = self.operand_usage(operation);
                let members =
                    self.parameters(self.model.operation(operation), &usage).into_iter().map(|member| {
                        let value = self.emit_source(nodes, index, member.source, width);
                        let name = member.name;
                        quote!(#name: #value)
                    });
                quote!(#name { #(#members),* })
            }
            Target::Group(_) | Target::Label(_) => {
                let Some((child, member)) =
                    (0u32..).zip(nodes).find(|(_, child)| child.parent == Some(index))
                else {
                    return quote!(Default::default());
                };
                let variant = self.names.type_of(member.target);
                let value = self.emit_operand_value(nodes, child, width);
                quote!(#name::#variant(#value))
            }
        }
    }

    fn target_width(&self, target: Target) -> u32 {
        let decoder = self.model.decoders.iter().find(|decoder| decoder.target == target);
        decoder.map_or(8, |decoder| decoder.width_bits)
    }

    fn emit_operand_decoder(&self, index: u32, decoder: &Decoder) -> TokenStream {
        let name = self.names.type_of(decoder.target);
        let ty = unsigned(decoder.width_bits);
        let start = self.emit_state(index, decoder.start);
        let arms = (0u128..).zip(&decoder.variants).map(|(variant, tree)| {
            let variant = number(variant);
            let value = self.emit_operand_value(&tree.nodes, 0, decoder.width_bits);
            quote!(#variant => #value,)
        });
        quote! {
            impl #name {
                /// Decodes its coded bits; `None` if no member has them.
                pub fn decode(word: #ty) -> Option<Self> {
                    let variant: u32 = #start?;
                    let operand = match variant {
                        #(#arms)*
                        _ => return None,
                    };
                    Some(operand)
                }
            }
        }
    }
}

/// Bits `low..low + width` of a word of `total` bits, still in its type.
fn extract(word: TokenStream, low: u32, width: u32, total: u32) -> TokenStream {
    let shifted = match low {
        0 => word,
        low => {
            let low = number(low.into());
            quote!((#word >> #low))
        }
    };
    if low + width == total && super::expression::storage_bits(total) == total {
        return shifted;
    }
    let mask = number(isac_ir::bits::mask(width));
    quote!(#shifted & #mask)
}

/// A value of `width` bits gathered from the word.
fn emit_runs(runs: &[Run], total: u32, width: u32) -> TokenStream {
    let parts: Vec<TokenStream> = runs
        .iter()
        .map(|run| {
            let bits = extract(quote!(word), run.from, run.width, total);
            let bits = cast(quote!((#bits)), total, width.max(run.width));
            match run.to {
                0 => bits,
                to => {
                    let to = number(to.into());
                    quote!((#bits) << #to)
                }
            }
        })
        .collect();
    if parts.is_empty() { quote!(0) } else { quote!(#(#parts)|*) }
}
