//! What bodies say differently where instructions are in flight.

use isac_ir::behavior::Body;
use isac_ir::operand::MentionKind;
use isac_ir::operation::{Operation, Target};
use isac_ir::root::WordSource;
use isac_ir::schedule::{conditional_instances, operand_counters, operand_offset};
use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use crate::emit::body::{BodyEmitter, is_expression};
use crate::emit::expression::{cast, number};
use crate::emit::name::joined;
use crate::emit::usage::Usage;
use crate::emit::{Emitter, Shape};

impl Emitter<'_> {
    /// True if the function of a kind of mention takes the counter of its region 1.
    pub(in crate::emit) fn takes_counters(&self, target: Target, kind: MentionKind) -> bool {
        self.shape == Shape::Timed && operand_counters(self.model, target, kind) > 0
    }

    /// The operands of a body whose first counters its function takes.
    fn counted_operands(&self, operation: &Operation, body: &Body) -> Vec<(u32, Ident)> {
        if self.shape != Shape::Timed || is_expression(operation, body) {
            return Vec::new();
        }
        let operands = Usage::of_body(body).operands.into_iter();
        let counted = operands.filter(|instance| {
            operand_offset(self.model, operation.instances[*instance as usize].target, None) > 0
        });
        counted.map(|instance| (instance, counters_name(operation, instance))).collect()
    }

    /// The operands whose first counters a section takes, behind its other parameters.
    pub(super) fn counting_operands(&self, operation: &Operation, body: &Body) -> Vec<u32> {
        self.counted_operands(operation, body).into_iter().map(|(instance, _)| instance).collect()
    }

    /// Parameters of a section's function behind the others: first counters of operands, the first
    /// number of conditions.
    pub(in crate::emit) fn counting_parameters(
        &self,
        operation: &Operation,
        body: &Body,
    ) -> Vec<TokenStream> {
        let operands = self.counted_operands(operation, body);
        let counters = operands.into_iter().map(|(_, name)| quote!(#name: usize));
        let conditions = self.takes_conditions(operation, body).then(|| quote!(conditions: u32));
        counters.chain(conditions).collect()
    }

    /// The address of the instruction at hand.
    pub(in crate::emit) fn step_address(&self) -> TokenStream {
        match self.shape {
            Shape::Timed => quote!(step.address()),
            Shape::Blocks | Shape::Stepwise => quote!(step.address),
        }
    }

    /// The size of the instruction at hand in cells, in 64 bits.
    pub(in crate::emit) fn step_size(&self) -> TokenStream {
        match self.shape {
            Shape::Timed => quote!(u64::from(step.size_cells())),
            Shape::Blocks | Shape::Stepwise => quote!(u64::from(step.size_cells)),
        }
    }

    /// What is left of the budget behind the step at hand, where the kernel counts it down.
    pub(in crate::emit) fn step_left(&self) -> TokenStream {
        match self.shape {
            Shape::Timed => quote!(0),
            Shape::Blocks | Shape::Stepwise => quote!(step.left),
        }
    }

    /// True for an ACTIVATION with conditions.
    pub(super) fn takes_conditions(&self, operation: &Operation, body: &Body) -> bool {
        let is_activation = operation.activation.as_ref().is_some_and(|own| std::ptr::eq(own, body));
        self.shape == Shape::Timed && is_activation && !conditional_instances(operation).is_empty()
    }
}

/// The parameter that carries an operand's first counter.
fn counters_name(operation: &Operation, instance: u32) -> Ident {
    format_ident!("{}_counters", operation.instances[instance as usize].alias)
}

impl BodyEmitter<'_> {
    /// The counter of a mention's region 1, as a further argument.
    pub(in crate::emit) fn operand_counters(&self, instance: u32, kind: MentionKind) -> TokenStream {
        let target = self.operation.instances[instance as usize].target;
        if !self.emitter.takes_counters(target, kind) {
            return TokenStream::new();
        }
        let name = counters_name(self.operation, instance);
        match operand_offset(self.emitter.model, target, Some(kind)) {
            0 => quote!(, #name),
            offset => {
                let offset = number(offset.into());
                quote!(, #name + #offset)
            }
        }
    }

    /// A region begins.
    pub(in crate::emit) fn count_region(&self, region: u32) -> TokenStream {
        // What follows from other counters is found where they are read.
        if self.body.rest_of(region).is_some() {
            return TokenStream::new();
        }
        match is_expression(self.operation, self.body) {
            true => {
                let region = number(u128::from(region - 1));
                quote!(step.count(counters + #region);)
            }
            false => {
                let region = number(region.into());
                quote!(step.count(base + #region);)
            }
        }
    }

    /// An instance is activated: what is certain is known.
    pub(in crate::emit) fn take_condition(&self, instance: u32) -> TokenStream {
        let conditions = conditional_instances(self.operation);
        match conditions.iter().position(|condition| *condition == instance) {
            Some(index) => {
                let index = number(index as u128);
                quote!(step.due |= 1 << (conditions + #index);)
            }
            None => TokenStream::new(),
        }
    }

    /// The element of the CODINGROOT.
    pub(in crate::emit) fn decode_turn(&self, source: &WordSource) -> TokenStream {
        let timing = self.emitter.timing();
        let decoder = &self.emitter.model.decoders[timing.schedule.decoding.decoder as usize];
        match source {
            WordSource::Map { map, address, .. } => {
                let table = &self.emitter.model.maps[*map as usize];
                let fetch = joined(&table.name, &format!("fetch{}", decoder.width_bits / table.cell_bits));
                let address = cast(self.value(address), address.width, 64);
                let index = *map;
                let (map, bits) = (number((*map).into()), number(decoder.width_bits.into()));
                let argument = self.emitter.access_argument(index);
                let touch = self.emitter.emit_touch(index);
                quote!({
                    let address = #address;
                    #touch
                    let word = match p.#fetch #argument(address) {
                        Ok(word) => word as u64,
                        // It may lie on both sides of where addresses wrap.
                        Err(_) => fetch_word::<Processor, P>(p, #map, address, #bits)
                            .map_err(|trap| step.fail_to_fetch(address, trap))?,
                    };
                    step.decode(Some(address), p.pc(), word)?;
                })
            }
            WordSource::Value { parts, address, .. } => {
                let part = &parts[0];
                let word = cast(self.value(part), part.width, 64);
                let address = self.word_address(address.as_ref());
                quote!({
                    let address = #address;
                    let word = #word;
                    step.decode(address, p.pc(), word)?;
                })
            }
        }
    }
}
