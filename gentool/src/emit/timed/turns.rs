//! Turns as functions, and the cycle that calls them.

use std::collections::BTreeSet;

use isac_ir::automaton::Automaton;
use isac_ir::operation::Operation;
use isac_ir::schedule::{Effects, PlaceKind, Section};
use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use crate::emit::Emitter;
use crate::emit::expression::number;
use crate::emit::form::Form;
use crate::emit::name::{identifier, plain};
use crate::emit::operation::section_name;
use crate::emit::step::Argument;
use crate::emit::usage::Usage;

/// What the code of a turn stands in.
struct Site {
    /// The condition under which there is a turn, if there may be none.
    condition: Option<TokenStream>,
    /// Finds what is predicted of it.
    slot: TokenStream,
    /// What the kernel is told of its begin and of its end by, and how it finds what is predicted.
    begin: TokenStream,
    end: TokenStream,
    predicted: TokenStream,
    /// Where what it counts is added to, if it may be.
    counted: Option<TokenStream>,
}

impl Emitter<'_> {
    /// The file of turns.
    pub(super) fn emit_turns(&self) -> TokenStream {
        let args = self.emit_args();
        let lists = self.forms.iter().map(|form| {
            let (name, docs) = (self.turns_name(form), format!(" Of `{}`.", self.form_path(form)));
            let turns = (0..self.timing().schedule.forms[form.variant as usize].turns.len())
                .map(|turn| self.listed_turn(form, turn));
            quote! {
                #[doc = #docs]
                pub const #name: &'static [TurnFn<Processor, P>] = &[#(#turns),*];
            }
        });
        let places = (0..self.timing().schedule.places.len() as u32).map(|place| self.emit_place(place));
        let turns = self.forms.iter().flat_map(|form| {
            let turns = 0..self.timing().schedule.forms[form.variant as usize].turns.len();
            turns.filter(|turn| self.has_own_code(form, *turn)).map(|turn| self.emit_form_turn(form, turn))
        });
        quote! {
            #![allow(unused, unused_comparisons, clippy::all)]

            use std::marker::PhantomData;

            use sim_runtime::timed::prelude::*;

            use super::operands::*;
            use super::operations;
            use super::processor::Processor;

            #args

            /// What instructions run in their turns, where that differs.
            pub struct Turns<P>(PhantomData<P>);

            impl<P: Profiling> Turns<P> { #(#lists)* }

            #(#places)*

            #(#turns)*
        }
    }

    /// The list of a form's turns.
    pub(in crate::emit) fn turns_name(&self, form: &Form) -> Ident {
        format_ident!("{}", plain(&self.step_name(form)).trim_start_matches("step_").to_uppercase())
    }

    fn turn_name(&self, form: &Form, turn: usize) -> Ident {
        let name = plain(&self.step_name(form)).replacen("step_", "turn_", 1);
        format_ident!("{name}_{turn}")
    }

    fn place_name(&self, place: u32) -> Ident {
        format_ident!("place_{place}")
    }

    /// True if a turn of a form is its own: not that of all of its class.
    fn has_own_code(&self, form: &Form, turn: usize) -> bool {
        let sections = &self.timing().schedule.forms[form.variant as usize].turns[turn];
        !sections.is_empty() && !self.is_shared(form.variant, turn)
    }

    /// True if all forms of a class run the same in a turn.
    pub(super) fn is_shared(&self, variant: u32, turn: usize) -> bool {
        let schedule = &self.timing().schedule;
        let sections = &schedule.forms[variant as usize].turns[turn];
        let class = &schedule.classes[schedule.forms[variant as usize].class as usize];
        sections.iter().all(|section| section.node.is_none())
            && class.forms.iter().all(|form| schedule.forms[*form as usize].turns[turn] == *sections)
    }

    fn listed_turn(&self, form: &Form, turn: usize) -> TokenStream {
        match self.has_own_code(form, turn) {
            true => {
                let name = self.turn_name(form, turn);
                quote!(#name::<P>)
            }
            false => quote!(nothing::<Processor, P>),
        }
    }

    /// The function of a turn that is a form's own.
    fn emit_form_turn(&self, form: &Form, turn: usize) -> TokenStream {
        let name = self.turn_name(form, turn);
        let variant = identifier(&form.name);
        let path = self.form_path(form);
        let docs = format!(" Turn {turn} of `{path}`.");
        let arguments = self.form_arguments(form);
        let names: Vec<&Ident> = arguments.iter().map(|argument| &argument.name).collect();
        let open = (!names.is_empty()).then(|| {
            quote! {
                let Args::#variant { #(#names),* } = step.args() else { mismatch(#path) };
            }
        });
        let sections = &self.timing().schedule.forms[form.variant as usize].turns[turn];
        let begin = match turn {
            0 => quote!(Turn::first),
            _ => {
                let (flushes, stalls) = self.acts_of(sections);
                quote!(Turn::own::<#flushes, #stalls>)
            }
        };
        let calls = sections.iter().map(|section| self.emit_section_call(form, turn, section, &arguments));
        quote! {
            #[doc = #docs]
            pub fn #name<P: Profiling>(
                p: &mut Processor,
                flight: &mut Flight<Processor, P>,
                scene: &Scene<Processor, P>,
                slot: &Slot<Processor, P>,
            ) -> TurnEnd<Processor, P> {
                #begin(p, flight, (scene, slot), |p, step| {
                    #open
                    #(#calls)*
                    Ok(())
                })
            }
        }
    }

    /// Whether sections may flush, and whether they may stall a stage.
    fn acts_of(&self, sections: &[Section]) -> (bool, bool) {
        let effects = sections.iter().filter_map(|section| {
            let operation = self.model.operation(section.operation);
            let body = operation.body(section.part)?;
            Some(Effects::of_section(self.model, operation, body))
        });
        effects.fold((false, false), |(flushes, stalls), effects| {
            (flushes || !effects.flushes.is_empty(), stalls || effects.stalls)
        })
    }

    /// A call of a section of what was decoded.
    fn emit_section_call(
        &self,
        form: &Form,
        turn: usize,
        section: &Section,
        arguments: &[Argument],
    ) -> TokenStream {
        let operation = self.model.operation(section.operation);
        let Some(body) = operation.body(section.part) else { return TokenStream::new() };
        let values = self.parameters(operation, &Usage::of_body(body)).into_iter().filter_map(|parameter| {
            let argument = arguments.iter().find(|argument| {
                (argument.operation, argument.node, argument.source)
                    == (section.operation, section.node, parameter.source)
            })?;
            let name = &argument.name;
            Some(quote!(#name))
        });
        let counters = self.counting_operands(operation, body).into_iter().map(|instance| {
            let counters = self.first_counter(form, section, instance);
            number(counters.into())
        });
        let entry = &self.timing().schedule.forms[form.variant as usize];
        let conditions = self.takes_conditions(operation, body).then(|| {
            let own = |condition: &isac_ir::schedule::Condition| {
                (condition.operation, condition.node) == (section.operation, section.node)
            };
            number(entry.conditions[turn].iter().position(own).unwrap_or_default() as u128)
        });
        let arguments = values.chain(counters).chain(conditions).collect();
        self.emit_call_of(operation, section, body, arguments)
    }

    /// The first counter of an operand that a section mentions.
    fn first_counter(&self, form: &Form, section: &Section, instance: u32) -> u32 {
        let schedule = &self.timing().schedule;
        let decoder = &self.model.decoders[schedule.decoding.decoder as usize];
        let nodes = &decoder.variants[form.variant as usize].nodes;
        let is_it =
            |node: &isac_ir::decoder::Node| node.parent == section.node && node.instance == Some(instance);
        let node = nodes.iter().position(is_it).map(|node| node as u32);
        let operands = &schedule.forms[form.variant as usize].operands;
        operands.iter().find(|entry| Some(entry.node) == node).map_or(0, |entry| entry.counters)
    }

    fn emit_call_of(
        &self,
        operation: &Operation,
        section: &Section,
        body: &isac_ir::behavior::Body,
        arguments: Vec<TokenStream>,
    ) -> TokenStream {
        let name = section_name(operation, section.part);
        let base = number(section.counters.into());
        let mark = self.body_is_fallible(operation, body).then(|| quote!(?));
        let call = quote!(operations::#name(p, step, #base, #(#arguments),*));
        let is_behavior = section.part == isac_ir::account::Part::Behavior;
        let may =
            |which: &BTreeSet<u32>| section.is_beside && is_behavior && which.contains(&section.operation);
        let fetched = may(&self.fetching).then(|| quote!(step.note_fetch(p.pc());));
        match may(&self.striking) {
            true => {
                let (keep, outcome) = match mark.is_some() {
                    true => (quote!(let outcome = #call;), quote!(outcome?;)),
                    false => (quote!(#call;), quote!()),
                };
                quote! {
                    let before = p.pc();
                    #keep
                    if p.pc() != before {
                        step.note_strike(before, p.pc());
                    }
                    #outcome
                }
            }
            false => quote!(#fetched #call #mark;),
        }
    }

    /// A section of what was not decoded.
    fn emit_plain_call(&self, section: &Section) -> TokenStream {
        let operation = self.model.operation(section.operation);
        let Some(body) = operation.body(section.part) else { return TokenStream::new() };
        let conditions = self.takes_conditions(operation, body).then(|| quote!(0));
        self.emit_call_of(operation, section, body, conditions.into_iter().collect())
    }

    /// The function of a place.
    fn emit_place(&self, place: u32) -> TokenStream {
        let schedule = &self.timing().schedule;
        let entry = &schedule.places[place as usize];
        let calls: Vec<TokenStream> = match &entry.kind {
            PlaceKind::Before { sections, .. } if place == schedule.decoding.place => {
                let is_activation = |section: &&Section| section.part == isac_ir::account::Part::Activation;
                let before = sections.iter().filter(|section| !is_activation(section));
                let before = before.map(|section| self.emit_plain_call(section));
                let runs = schedule.forms.iter().any(|form| !form.turns[0].is_empty());
                let decoded = runs.then(|| quote!(step.run_decoded(p)?;));
                let after = sections.iter().filter(is_activation);
                let after = after.map(|section| self.emit_plain_call(section));
                before.chain(decoded).chain(after).collect()
            }
            PlaceKind::Before { sections, .. } => {
                sections.iter().map(|section| self.emit_plain_call(section)).collect()
            }
            PlaceKind::Decoded { class, turn } => {
                let form = schedule.classes[*class as usize].forms[0];
                let turn = *turn as usize;
                match self.is_shared(form, turn) {
                    true => {
                        let sections = &schedule.forms[form as usize].turns[turn];
                        sections.iter().map(|section| self.emit_plain_call(section)).collect()
                    }
                    false => vec![quote!(step.run(p)?;)],
                }
            }
            PlaceKind::Walk { .. } => return TokenStream::new(),
        };
        let (name, docs) = (self.place_name(place), format!(" What `{}` runs.", entry.name));
        quote! {
            #[doc = #docs]
            ///
            /// # Errors
            /// The trap that ends it.
            #[inline(always)]
            pub fn #name<P: Profiling>(p: &mut Processor, step: &mut Turn<'_, Processor, P>) -> Result<(), Trap> {
                #(#calls)*
                Ok(())
            }
        }
    }

    /// One cycle: the places one behind the other, those that have turns where all goes its usual way once
    /// for cycles in which all of them have and once for others, and then all places.
    pub(super) fn emit_cycle(&self) -> TokenStream {
        let usual = self.usual_positions();
        let is_live = |at: u32| {
            let at = number(at.into());
            quote!(if live >> #at & 1 == 1)
        };
        let usual_site = |number_before: u32, condition: Option<TokenStream>| {
            let number = number(number_before.into());
            // Where not all turns are plain, that is a bit of what is compared for there to be no condition.
            let are_plain = condition.is_none();
            Site {
                condition,
                slot: quote!(let slot = &slots[#number];),
                begin: quote!(usual_turn),
                end: quote!(end_usual_turn::<#are_plain>),
                predicted: quote!((scene, #number)),
                counted: Some(quote!(, counted)),
            }
        };
        let full = self.emit_positions(usual, |_, before| usual_site(before, None));
        let usual_turns = self.emit_positions(usual, |at, before| usual_site(before, Some(is_live(at))));
        // A model in which nothing is usual has no such slots.
        let by_their_slots = match usual {
            0 => quote!(self.other_turns(flight, scene, scene.live())),
            _ => quote! {
                let (live, slots) = (scene.usual_live(), scene.usual());
                if live == Self::USUAL {
                    #full
                    return false;
                }
                if live & UNUSUAL != 0 {
                    return self.other_turns(flight, scene, scene.live());
                }
                #usual_turns
                false
            },
        };
        let all_turns = self.emit_positions(u64::MAX, |at, _| {
            let number = number(at.into());
            Site {
                condition: Some(is_live(at)),
                slot: quote!(let Some((slot, expected)) = scene.turn_at(#number) else { return true };),
                begin: quote!(turn),
                end: quote!(end_turn),
                predicted: quote!((slot, expected)),
                counted: None,
            }
        });
        quote! {
            #[inline(always)]
            fn turns<P: Profiling>(
                &mut self,
                flight: &mut Flight<Self, P>,
                scene: &Scene<Self, P>,
                counted: &mut Self::Mask,
            ) -> bool {
                #by_their_slots
            }

            fn other_turns<P: Profiling>(
                &mut self,
                flight: &mut Flight<Self, P>,
                scene: &Scene<Self, P>,
                live: u64,
            ) -> bool {
                #all_turns
                false
            }
        }
    }

    /// The turns at some positions; `site` tells of each, by its position and the number of those before it.
    fn emit_positions(&self, positions: u64, site: impl Fn(u32, u32) -> Site) -> TokenStream {
        let timing = self.timing();
        let lines = self.lines();
        let places = (0u32..).zip(&timing.order).filter(|(at, place)| {
            positions >> at & 1 == 1
                && timing.schedule.places[**place as usize].kind != (PlaceKind::Walk { is_last: false })
        });
        let turns = (0u32..).zip(places).map(|(before, (at, place))| {
            let Site { condition, slot, begin, end, predicted, counted } = site(at, before);
            let position = number(at.into());
            if timing.schedule.places[*place as usize].kind == (PlaceKind::Walk { is_last: true }) {
                return quote! {
                    #condition {
                        #slot
                        flight.strike(slot, #position);
                        return true;
                    }
                };
            }
            let name = self.place_name(*place);
            let own = (0u128..).zip(&lines).filter(|(_, (here, _))| *here == at);
            let notes =
                own.map(|(index, _)| number(index)).map(|index| quote!(turn.note_lines(self, #index);));
            quote! {
                #condition {
                    #slot
                    let mut turn = flight.#begin(scene, slot, #position);
                    let outcome = super::turns::#name(self, &mut turn);
                    #(#notes)*
                    let done = turn.done();
                    if flight.#end(self, #predicted, #position, (done, outcome) #counted) {
                        return true;
                    }
                }
            }
        });
        quote!(#(#turns)*)
    }

    /// The positions of a cycle in which everything has gone its usual way for long, but for those
    /// that the kernel need not go to.
    pub(super) fn usual_positions(&self) -> u64 {
        let timing = self.timing();
        let mut automaton = Automaton::new(timing.schedule.clone());
        let mut seen: BTreeSet<u32> = BTreeSet::new();
        let (mut state, mut positions) = (0, 0);
        while seen.insert(state)
            && let Ok(course) = automaton.first(state)
        {
            let course = &automaton.courses()[course as usize];
            let (mut next, mut found) = (0, 0u64);
            for turn in &course.turns {
                let further = timing.order[next..].iter().position(|place| *place == turn.place);
                next += further.unwrap_or_default() + 1;
                let is_still = self.is_still(turn.place);
                found |= u64::from(!is_still) << (next - 1);
            }
            (state, positions) = (course.next, found);
        }
        // Scenes that are not usual, or not plain, have bits of their own.
        positions & !(0b11 << 62)
    }
}
