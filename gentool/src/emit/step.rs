//! Steps: the whole of an instruction from `main` to its end, one function each.

use std::collections::BTreeSet;

use isac_ir::account::Part;
use isac_ir::behavior::{Expr, ExprKind, Stmt, walk_statements};
use isac_ir::control::added_to;
use isac_ir::decoder::Variant;
use isac_ir::operation::Target;
use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::Emitter;
use super::expression::number;
use super::form::{Call, Form, find_root};
use super::mentioned_effect::adds_cycles;
use super::name::{identifier, plain, unique};
use super::operation::section_name;
use super::parameter::Source;
use super::referred::Seat;
use super::usage::Usage;

/// What a step names itself.
const RESERVED: [&str; 10] =
    ["p", "code", "records", "rest", "pc", "fuel", "step", "record", "before", "is_struck"];

/// A LOCAL while an instruction runs.
struct StepVariable {
    name: Ident,
    seat: Seat,
    variable: u32,
}

/// A member of a form's operands.
pub(super) struct Argument {
    pub name: Ident,
    pub ty: TokenStream,
    pub operation: u32,
    pub node: Option<u32>,
    pub source: Source,
}

/// What the kernel wants to know of a form.
pub(super) struct Traits {
    pub size_cells: u32,
    pub needs_site: bool,
    pub ends_block: bool,
    pub may_transfer: bool,
    pub writes_memory: bool,
    /// It may call `extra_cycles`.
    pub adds_cycles: bool,
}

impl Emitter<'_> {
    /// The file of steps.
    pub(super) fn emit_steps(&self) -> TokenStream {
        let args = self.emit_args();
        let steps = self.forms.iter().map(|form| self.emit_step(form));
        quote! {
            #![allow(unused, unused_comparisons, clippy::all)]

            use sim_runtime::kernel::prelude::*;

            use super::operands::*;
            use super::operations;
            use super::processor::Processor;

            #args

            #(#steps)*
        }
    }

    /// The type of all instructions' operands.
    pub(super) fn emit_args(&self) -> TokenStream {
        let variants = self.forms.iter().map(|form| {
            let name = identifier(&form.name);
            let docs = format!(" Of `{}`.", self.form_path(form));
            let members = self.form_arguments(form).into_iter().map(|argument| {
                let (name, ty) = (argument.name, argument.ty);
                let docs = format!(" `{name}`.");
                quote!(#[doc = #docs] #name: #ty)
            });
            quote!(#[doc = #docs] #name { #(#members),* },)
        });
        quote! {
            /// The operands of an instruction.
            #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
            pub enum Args {
                /// Of no instruction.
                #[default]
                None,
                #(#variants)*
            }
        }
    }

    /// The function of a form.
    pub(super) fn step_name(&self, form: &Form) -> Ident {
        let mut snake = String::new();
        for letter in form.name.chars() {
            if letter.is_ascii_uppercase() && !snake.is_empty() {
                snake.push('_');
            }
            snake.push(letter.to_ascii_lowercase());
        }
        let mut taken: BTreeSet<String> = BTreeSet::new();
        identifier(&unique(&format!("step_{snake}_{}", form.variant), &mut taken))
    }

    /// What a form decodes.
    pub(super) fn variant_of(&self, form: &Form) -> &Variant {
        let (_, _, decoder) = find_root(self.model).unwrap_or_default();
        &self.model.decoders[decoder as usize].variants[form.variant as usize]
    }

    /// The form's way through the decoding tree.
    pub(super) fn form_path(&self, form: &Form) -> String {
        let Some((operation, _, decoder)) = find_root(self.model) else { return String::new() };
        let nodes = &self.model.decoders[decoder as usize].variants[form.variant as usize].nodes;
        let names = nodes.iter().filter(|node| !self.is_below_operand(nodes, node));
        let names: Vec<&str> = names.map(|node| self.model.target_name(node.target)).collect();
        format!("{} {}", self.model.operation(operation).name, names.join(" "))
    }

    fn is_below_operand(&self, nodes: &[isac_ir::decoder::Node], node: &isac_ir::decoder::Node) -> bool {
        let Some(parent) = node.parent.map(|parent| &nodes[parent as usize]) else { return false };
        let operand = match (parent.target, node.instance) {
            (Target::Operation(operation), Some(instance)) => {
                self.model.operation(operation).instances[instance as usize].operand
            }
            _ => false,
        };
        operand || self.is_below_operand(nodes, parent)
    }

    /// What the form's calls take, each once.
    pub(super) fn form_arguments(&self, form: &Form) -> Vec<Argument> {
        let mut taken: BTreeSet<String> = RESERVED.iter().map(|name| name.to_string()).collect();
        let mut arguments: Vec<Argument> = Vec::new();
        for call in &form.calls {
            let operation = self.model.operation(call.operation);
            let Some(body) = operation.body(call.part) else { continue };
            for parameter in self.parameters(operation, &Usage::of_body(body)) {
                let Some((operation, node, source)) = self.origin(form, call, parameter.source) else {
                    continue;
                };
                let known = arguments.iter().any(|argument| {
                    (argument.operation, argument.node, argument.source) == (operation, node, source)
                });
                if !known {
                    let name = identifier(&unique(&plain(&parameter.name), &mut taken));
                    arguments.push(Argument { name, ty: parameter.ty, operation, node, source });
                }
            }
        }
        arguments
    }

    /// The LOCALs of a form's operations, each once; beside what the calls take of the instruction.
    fn form_variables(&self, form: &Form, arguments: &[Argument]) -> Vec<StepVariable> {
        let mut taken: BTreeSet<String> = RESERVED.iter().map(|name| name.to_string()).collect();
        taken.extend(arguments.iter().map(|argument| argument.name.to_string()));
        let mut variables: Vec<StepVariable> = Vec::new();
        for call in &form.calls {
            let operation = self.model.operation(call.operation);
            let Some(body) = operation.body(call.part) else { continue };
            for parameter in self.parameters(operation, &Usage::of_body(body)) {
                let Some((seat, owner, variable)) = self.variable_of(form, call, parameter.source) else {
                    continue;
                };
                if variables.iter().all(|known| (known.seat, known.variable) != (seat, variable)) {
                    let name = &self.model.operation(owner).variables[variable as usize].name;
                    let name = identifier(&unique(&plain(&identifier(name)), &mut taken));
                    variables.push(StepVariable { name, seat, variable });
                }
            }
        }
        variables
    }

    /// The skeleton: operands out of the record, the calls in order, on with the next.
    fn emit_step(&self, form: &Form) -> TokenStream {
        let (name, variant) = (self.step_name(form), identifier(&form.name));
        let path = self.form_path(form);
        let docs = format!(" The step of `{path}`.");
        let arguments = self.form_arguments(form);
        let names: Vec<&Ident> = arguments.iter().map(|argument| &argument.name).collect();
        let traits = self.form_traits(form);
        let size = number(traits.size_cells.into());
        let regions = number(form.counters.into());
        let variables = self.form_variables(form, &arguments);
        let locals = variables.iter().map(|variable| {
            let name = &variable.name;
            quote!(let mut #name = 0;)
        });
        let calls = form.calls.iter().map(|call| self.emit_call(form, call, (&arguments, &variables)));
        let count = (form.counters > 0).then(|| quote!(code.count(record, &step.regions);));
        let extra = traits.adds_cycles.then(|| quote!(code.count_extra_cycles(record, &mut p.kernel);));
        let written = traits.writes_memory.then(|| {
            quote! {
                if p.kernel.code_written {
                    return leave_code_written(p, records, step.pc, fuel);
                }
            }
        });
        let may_strike = form.calls.iter().any(|call| self.may_strike(call));
        let begins = may_strike.then(|| quote!(let mut is_struck = false;));
        let struck = may_strike.then(|| {
            quote! {
                if is_struck {
                    return leave_code_written(p, records, step.pc, fuel);
                }
            }
        });
        let go_on = match traits.may_transfer {
            true => {
                let width = self.model.pc.width_bits;
                let successor = super::expression::masked_u64(quote!(pc.wrapping_add(#size)), width);
                quote!(finish(p, code, records, #successor, step.pc, fuel))
            }
            false => quote!(next(p, code, rest, step.pc, fuel)),
        };
        quote! {
            #[doc = #docs]
            pub fn #name<P: Profiling>(
                p: &mut Processor,
                code: &Code<Processor, P>,
                records: &[Record<Processor, P>],
                pc: u64,
                fuel: u64,
            ) {
                let Some((record, rest)) = records.split_first() else { return leave_empty(p, pc, fuel) };
                let Args::#variant { #(#names),* } = record.args else { return leave_mismatch(#path) };
                let mut step = Step::<#regions>::new(pc, #size, fuel + records.len() as u64);
                #(#locals)*
                #begins
                #(#calls)*
                #count
                #extra
                #written
                #struck
                #go_on
            }
        }
    }

    fn emit_call(
        &self,
        form: &Form,
        call: &Call,
        (arguments, variables): (&[Argument], &[StepVariable]),
    ) -> TokenStream {
        let operation = self.model.operation(call.operation);
        let Some(body) = operation.body(call.part) else { return TokenStream::new() };
        let name = section_name(operation, call.part);
        let shift = u32::from(call.conditional);
        let base = (body.regions > 1).then(|| {
            let base = number((call.base + shift).into());
            quote!(#base,)
        });
        let values = self.parameters(operation, &Usage::of_body(body)).into_iter().filter_map(|parameter| {
            if let Source::Counter(reference, kind) = parameter.source {
                return Some(number(self.counter_of(form, call, (reference, kind)).into()));
            }
            if let Some((seat, _, variable)) = self.variable_of(form, call, parameter.source) {
                let is_it = |known: &&StepVariable| (known.seat, known.variable) == (seat, variable);
                let name = &variables.iter().find(is_it)?.name;
                return Some(quote!(&mut #name));
            }
            let origin = self.origin(form, call, parameter.source)?;
            let is_it = |argument: &&Argument| (argument.operation, argument.node, argument.source) == origin;
            let name = &arguments.iter().find(is_it)?.name;
            Some(quote!(#name))
        });
        let values: Vec<TokenStream> = values.collect();
        let run = quote!(operations::#name(p, &mut step, #base #(#values),*));
        let run = match self.body_is_fallible(operation, body) {
            true => {
                let count = (form.counters > 0).then(|| {
                    quote! {
                        if kind == Trap::Halt {
                            code.count(record, &step.regions);
                        }
                    }
                });
                quote! {
                    if let Err(kind) = #run {
                        #count
                        p.set_pc(step.pc);
                        return leave_trap(p, records, pc, fuel, kind);
                    }
                }
            }
            false => quote!(#run;),
        };
        let run = match self.may_strike(call) {
            true => quote! {
                let before = step.pc;
                #run
                if step.pc != before {
                    p.kernel.strike(before);
                    is_struck = true;
                }
            },
            false => run,
        };
        let counted = call.conditional.then(|| {
            let base = number(call.base.into());
            quote!(step.count(#base);)
        });
        match call.guard {
            Some(guard) => {
                let bit = number(1 << guard);
                quote!(if step.due & #bit != 0 { #counted #run })
            }
            None => run,
        }
    }

    /// Whether what a call runs may send the run elsewhere than the instruction itself does.
    fn may_strike(&self, call: &Call) -> bool {
        call.is_beside && call.part == Part::Behavior && self.striking.contains(&call.operation)
    }

    /// What the kernel wants to know, found by looking at every write of the PC.
    pub(super) fn form_traits(&self, form: &Form) -> Traits {
        let size_cells = find_root(self.model).map_or(1, |(_, _, decoder)| {
            let variant = &self.model.decoders[decoder as usize].variants[form.variant as usize];
            variant.width_bits / self.root_cell_bits()
        });
        let mut advances = 0;
        let mut traits = Traits {
            size_cells,
            needs_site: form.counters > 0,
            ends_block: false,
            may_transfer: false,
            writes_memory: false,
            adds_cycles: false,
        };
        for call in &form.calls {
            let operation = self.model.operation(call.operation);
            let Some(body) = operation.body(call.part) else { continue };
            traits.needs_site |= self.body_is_fallible(operation, body);
            let mentions = self.effect_of_mentions(operation, body);
            traits.may_transfer |= mentions.touches;
            traits.writes_memory |= mentions.touches;
            traits.adds_cycles |= adds_cycles(body) || mentions.adds_cycles;
            let certain: Vec<&Stmt> = body.statements.iter().filter(|_| call.guard.is_none()).collect();
            walk_statements(&body.statements, &mut |statement| {
                traits.writes_memory |= matches!(
                    statement,
                    Stmt::SetMemory { .. }
                        | Stmt::SetCellPart { .. }
                        | Stmt::LinuxCall { .. }
                        | Stmt::Semihost { .. }
                );
                let always = certain.iter().any(|certain| std::ptr::eq(*certain, statement));
                match self.pc_effect(statement, size_cells) {
                    Effect::None => {}
                    Effect::Advance if always && call.node.is_none() => advances += 1,
                    Effect::Advance | Effect::Set => {
                        traits.may_transfer = true;
                        traits.ends_block |= always;
                    }
                }
            });
        }
        traits.may_transfer |= advances != 1;
        traits.needs_site |= traits.may_transfer || traits.writes_memory || traits.adds_cycles;
        traits
    }

    fn pc_effect(&self, statement: &Stmt, size_cells: u32) -> Effect {
        match statement {
            Stmt::SetRegister { register, value, low: 0, .. } if self.is_pc(*register) => {
                let whole = value.width == self.model.pc.width_bits;
                match whole && is_advance(value, *register, size_cells) {
                    true => Effect::Advance,
                    false => Effect::Set,
                }
            }
            Stmt::SetRegister { register, .. } if self.is_pc(*register) => Effect::Set,
            _ => Effect::None,
        }
    }

    /// True for the register that is the program counter.
    fn is_pc(&self, register: u32) -> bool {
        self.model.pc_register() == Some(register)
    }
}

/// What a statement does to the PC.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Effect {
    None,
    /// Adds the instruction's size.
    Advance,
    /// Sets it to something else.
    Set,
}

/// True for `pc + size`.
fn is_advance(value: &Expr, pc: u32, size_cells: u32) -> bool {
    added_to(pc, value).is_some_and(|added| match added.kind {
        ExprKind::Const(amount) => amount == size_cells.into(),
        ExprKind::InstructionSize => true,
        _ => false,
    })
}
