//! The form for instructions in flight: one piece of code for each place in time, in an order in
//! which every cycle has its turns.
//!
//! Which of them run in a cycle, and of which instruction, is what the timing automaton tells; see
//! `sim_runtime::timed`.

mod body;
mod branch;
mod group;
mod obstacle;
mod turns;

use std::collections::{BTreeMap, BTreeSet};

use isac_ir::Model;
use isac_ir::automaton::{Automaton, Limits, describe_bound};
use isac_ir::behavior::{Body, Stmt, walk_statements};
use isac_ir::bits::mask;
use isac_ir::operand::Expression;
use isac_ir::operation::Operation;
use isac_ir::schedule::{PlaceKind, Schedule};
use proc_macro2::TokenStream;
use quote::quote;

use super::expression::number;
use super::form::{Call, Form, leaf_name};
use super::name::{camel_case, unique};
use super::operation::section_name;
use super::{Emitter, Shape, SourceFile, format_file, model_text};

pub use obstacle::find_timed_obstacles;

/// What is scheduled, and in which order turns run.
pub(super) struct Timing {
    pub schedule: Schedule,
    /// The places in the order of their code.
    pub order: Vec<u32>,
}

impl Timing {
    /// Of a model.
    ///
    /// # Errors
    /// Why turns have no fixed order in it.
    pub(super) fn of(model: &Model) -> Result<Timing, String> {
        let schedule = Schedule::of(model)?;
        let mut automaton = Automaton::new(schedule);
        automaton
            .explore(Limits::default())
            .map_err(|large| format!("timing automaton: {}", describe_bound(&automaton, large)))?;
        let order = automaton.order();
        Ok(Timing { schedule: automaton.schedule().clone(), order })
    }

    /// The forms, by variant: the calls are the sections of what was decoded.
    pub(super) fn list_forms(&self, model: &Model) -> Vec<Form> {
        let mut taken = BTreeSet::from(["None".to_string()]);
        let decoder = &model.decoders[self.schedule.decoding.decoder as usize];
        let forms = (0u32..).zip(&self.schedule.forms).map(|(variant, form)| {
            let sections = form.turns.iter().flatten().filter(|section| section.node.is_some());
            let calls = sections.map(|section| Call {
                operation: section.operation,
                part: section.part,
                node: section.node,
                time_node: 0,
                base: section.counters,
                guard: None,
                conditional: false,
                is_beside: false,
            });
            let name = leaf_name(model, &decoder.variants[variant as usize]);
            Form {
                variant,
                name: unique(&camel_case(&name), &mut taken),
                calls: calls.collect(),
                counters: form.counters,
                operand_counters: BTreeMap::new(),
                nodes: BTreeMap::new(),
            }
        });
        forms.collect()
    }
}

/// The modules of a simulator with instructions in flight.
pub(super) fn emit_timed(model: &Model) -> Vec<SourceFile> {
    let emitter = Emitter::new(model, Shape::Timed);
    let file = |path: &str, title: &str, tokens: TokenStream| SourceFile {
        path: format!("src/{path}"),
        text: format_file(model, title, tokens),
    };
    vec![
        file("lib.rs", "The simulator", emitter.emit_timed_root()),
        file("processor.rs", "Registers and memories", emitter.emit_processor()),
        file("memory.rs", "Memory maps", emitter.emit_memory()),
        file("operands.rs", "Operands", emitter.emit_operands()),
        file(
            "operations.rs",
            "Operations, a function for each section that runs,",
            emitter.emit_operations(),
        ),
        file("decoder.rs", "Decoding automata", emitter.emit_decoders()),
        file("turns.rs", "Turns, a function for each place in time,", emitter.emit_turns()),
        SourceFile { path: "src/model.json".into(), text: model_text(model) },
    ]
}

impl Emitter<'_> {
    /// What is scheduled.
    ///
    /// # Panics
    /// In another form.
    fn timing(&self) -> &Timing {
        self.timing.as_ref().expect("the form for instructions in flight knows their timing")
    }

    /// `lib.rs`: the modules, the model, the engine.
    fn emit_timed_root(&self) -> TokenStream {
        let model = self.emit_model();
        quote! {
            #![allow(non_snake_case, non_camel_case_types)]

            pub mod decoder;
            pub mod memory;
            pub mod operands;
            pub mod operations;
            pub mod processor;
            pub mod turns;

            use std::sync::LazyLock;

            use sim_runtime::Engine;
            use sim_runtime::kernel::{Profiled, Unprofiled};
            use sim_runtime::timed::TimedEngine;

            #model

            /// A processor after reset in an engine, with or without the exact profile.
            pub fn engine(profile: bool) -> Box<dyn Engine> {
                let processor = processor::Processor::new();
                match profile {
                    true => Box::new(TimedEngine::<_, Profiled>::new(processor)),
                    false => Box::new(TimedEngine::<_, Unprofiled>::new(processor)),
                }
            }
        }
    }

    /// What the kernel asks of the processor.
    pub(super) fn emit_timed_core(&self) -> TokenStream {
        let timing = self.timing();
        let positions = timing.order.iter().map(|place| number((*place).into()));
        let decoder = &self.model.decoders[timing.schedule.decoding.decoder as usize];
        let word_bits = number(decoder.width_bits.into());
        let counters = if self.counter_bits() > 64 { quote!(u128) } else { quote!(u64) };
        let still = self.positions_where(|place| self.is_still(place));
        let places = &timing.schedule.places;
        let usual = self.usual_positions();
        let usual_count = number(usual.count_ones().into());
        let usual = number(usual.into());
        let retries = self.positions_where(|place| places[place as usize].effects.retries);
        let flushes = self.positions_where(|place| !places[place as usize].effects.flushes.is_empty());
        let acts = self.positions_where(|place| {
            let effects = &places[place as usize].effects;
            effects.stalls || !effects.flushes.is_empty()
        });
        let decodes = self.positions_where(|place| place == timing.schedule.decoding.place);
        let depends = self.positions_where(|place| self.may_depend(place));
        let exits =
            self.model.devices.iter().any(|device| device.kind == isac_ir::resource::DeviceKind::Exit);
        let extra_cycles = self.has_extra_cycles();
        let ty = super::expression::unsigned(decoder.width_bits);
        let last = number(mask(decoder.width_bits.min(64)));
        let lines = self.lines().into_iter().map(|(position, cache)| {
            let (position, cache) = (number(position.into()), number(cache.into()));
            quote!((#position, #cache))
        });
        let groups = self.groups();
        let (grouped, stalls) = (number(groups.positions.into()), number(groups.stalls.into()));
        let grouped_counters = groups.counters.iter().map(|counters| number(*counters));
        let reset = self.emit_timed_reset();
        let turns = self.emit_cycle();
        quote! {
            impl TimedCore for Processor {
                type Args = super::turns::Args;
                type Mask = #counters;
                type Usual<T> = [T; #usual_count];

                const POSITIONS: &'static [u32] = &[#(#positions),*];
                const USUAL: u64 = #usual;
                const STILL: u64 = #still;
                const DECODES: u64 = #decodes;
                const RETRIES: u64 = #retries;
                const FLUSHES: u64 = #flushes;
                const ACTS: u64 = #acts;
                const DEPENDS: u64 = #depends;
                const EXITS: bool = #exits;
                const EXTRA_CYCLES: bool = #extra_cycles;
                const WORD_BITS: u32 = #word_bits;
                const LINES: &'static [(u32, u32)] = &[#(#lines),*];
                const GROUPED: u64 = #grouped;
                const COUNTERS: &'static [u128] = &[#(#grouped_counters),*];
                const STALLS: u64 = #stalls;

                fn decode<P: Profiling>(word: u64) -> Option<Decoded<Self, P>> {
                    super::decoder::decode::<P>((word & #last) as #ty)
                }

                #reset

                #turns
            }
        }
    }

    /// Most counters that an instruction has, those of lines of caches included.
    fn most_counters(&self) -> u32 {
        let forms = self.timing().schedule.forms.iter().map(|form| form.counters);
        forms.max().unwrap_or(0) + self.lines().len() as u32
    }

    /// The positions of certain places, a bit for each.
    fn positions_where(&self, is_it: impl Fn(u32) -> bool) -> TokenStream {
        let positions = (0u32..).zip(&self.timing().order).filter(|(_, place)| is_it(**place));
        number(positions.fold(0u128, |all, (position, _)| all | 1 << position))
    }

    /// True if turns at a place do nothing but schedule, always the same.
    pub(super) fn is_still(&self, place: u32) -> bool {
        let PlaceKind::Before { sections, .. } = &self.timing().schedule.places[place as usize].kind else {
            return false;
        };
        place != self.timing().schedule.decoding.place
            && sections.iter().all(|section| {
                let operation = self.model.operation(section.operation);
                operation.body(section.part).is_none_or(|body| {
                    body.statements.iter().all(|statement| matches!(statement, Stmt::Activate { .. }))
                })
            })
    }

    /// True if turns at a place may find that conditions of activations hold.
    fn may_depend(&self, place: u32) -> bool {
        self.timing().schedule.sections_at(place).iter().any(|section| {
            let operation = self.model.operation(section.operation);
            section.part == isac_ir::account::Part::Activation
                && !isac_ir::schedule::conditional_instances(operation).is_empty()
        })
    }

    /// True if anything asks for extra cycles.
    fn has_extra_cycles(&self) -> bool {
        let mut has = false;
        for body in self.model.operations.iter().flat_map(Operation::counted_bodies) {
            walk_statements(&body.statements, &mut |statement| {
                has |= matches!(statement, Stmt::ExtraCycles(_));
            });
        }
        has
    }

    /// Positions whose turns may touch a cache, each with the cache.
    fn lines(&self) -> Vec<(u32, u32)> {
        let mut found = Vec::new();
        for (position, place) in (0u32..).zip(&self.timing().order) {
            let caches = self.caches_of_place(*place);
            found.extend(caches.into_iter().map(|cache| (position, cache)));
        }
        found
    }

    /// The caches that turns at a place may touch.
    fn caches_of_place(&self, place: u32) -> BTreeSet<u32> {
        if !self.has_costs() {
            return BTreeSet::new();
        }
        let schedule = &self.timing().schedule;
        let mut maps = BTreeSet::new();
        for section in schedule.sections_at(place) {
            let operation = self.model.operation(section.operation);
            if let Some(body) = operation.body(section.part) {
                self.add_maps(operation, body, &mut maps);
            }
        }
        let ranges = maps.iter().flat_map(|map| &self.model.maps[*map as usize].ranges);
        ranges.filter_map(|range| range.cache).collect()
    }

    /// The maps that a body accesses, its operands included.
    fn add_maps(&self, operation: &Operation, body: &Body, maps: &mut BTreeSet<u32>) {
        let registers = self.model.registers.len() as u32;
        let resources = body.accesses.iter().map(|access| access.resource);
        maps.extend(resources.filter_map(|resource| resource.checked_sub(registers)));
        for mention in &body.mentions {
            for leaf in self.model.leaf_operations(operation.instances[mention.instance as usize].target) {
                let operand = self.model.operation(leaf);
                for body in operand.expression.iter().flat_map(Expression::bodies) {
                    self.add_maps(operand, body, maps);
                }
            }
        }
    }

    fn emit_timed_reset(&self) -> TokenStream {
        let operation = self.model.reset.map(|reset| self.model.operation(reset));
        let call = operation.and_then(|operation| {
            let body = operation.behavior.as_ref()?;
            let name = section_name(operation, isac_ir::account::Part::Behavior);
            let mark = self.body_is_fallible(operation, body).then(|| quote!(?));
            Some(quote!(super::operations::#name(self, turn, 0)#mark;))
        });
        quote! {
            fn reset<P: Profiling>(&mut self, turn: &mut Turn<'_, Self, P>) -> Result<(), Trap> {
                #call
                Ok(())
            }
        }
    }
}
