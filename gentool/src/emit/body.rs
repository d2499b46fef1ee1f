//! A body as Rust statements: locals, resources, operands.

use std::cell::OnceCell;
use std::collections::BTreeSet;

use isac_ir::behavior::{Body, Expr, ExprKind, Stmt, UNCOUNTED};
use isac_ir::operand::{Binding, MentionKind};
use isac_ir::operation::Operation;
use proc_macro2::{Ident, TokenStream};
use quote::quote;

#[cfg(test)]
use super::expression::masked;
use super::expression::{cast, from_u64, is_wide, number, stored};
use super::function::Call;
use super::local::UseTable;
use super::mention::{Mentioned, function_of};
use super::name::{identifier, identifier_of, joined, plain, unique};
use super::parameter::coded_name;
use super::usage::Usage;
use super::{Emitter, Shape};

/// What the code around a variable names itself.
pub(super) const NAMES_IN_USE: [&str; 11] =
    ["p", "step", "at", "operands", "base", "code", "text", "value", "element", "address", "bound"];

/// Emits one body.
pub(super) struct BodyEmitter<'a> {
    pub(super) emitter: &'a Emitter<'a>,
    pub(super) operation: &'a Operation,
    pub(super) body: &'a Body,
    /// What is emitted: the body's statements, or those of an expansion in it.
    pub(super) statements: &'a [Stmt],
    /// The expansion that is emitted as a function.
    pub(super) call: Option<Call<'a>>,
    /// The region that `base` counts.
    pub(super) first_region: u32,
    /// The label that is called the first one.
    pub(super) first_label: u32,
    /// Rust names of the locals.
    pub(super) locals: Vec<Ident>,
    /// Rust names of the places that are found.
    pub(super) bindings: Vec<Ident>,
    /// The name of a value on its way into an operand.
    pub(super) value: Ident,
    /// How the statements use the locals, once somebody has asked.
    pub(super) uses: OnceCell<UseTable>,
}

impl<'a> BodyEmitter<'a> {
    pub(super) fn new(emitter: &'a Emitter<'a>, operation: &'a Operation, body: &'a Body) -> Self {
        let mut taken: BTreeSet<String> = NAMES_IN_USE.iter().map(|name| name.to_string()).collect();
        taken.extend(operation.fields.iter().map(|field| plain(&identifier(&field.name))));
        taken.extend(operation.instances.iter().map(|instance| plain(&identifier(&instance.alias))));
        taken.extend(operation.instances.iter().map(|instance| format!("{}_coded", instance.alias)));
        if emitter.shape == Shape::Timed {
            taken.extend(operation.instances.iter().map(|instance| format!("{}_counters", instance.alias)));
            taken.insert("counters".to_string());
        }
        taken.extend(operation.references.iter().map(|reference| plain(&identifier(&reference.name))));
        taken.extend(operation.references.iter().map(|reference| format!("{}_coded", reference.name)));
        taken.extend(operation.variables.iter().map(|variable| plain(&identifier(&variable.name))));
        let locals = body.locals.iter().map(|local| identifier(&unique(&local.name, &mut taken)));
        let mut locals: Vec<Ident> = locals.collect();
        // What carries an EXPRESSION's value is named by the function around it.
        if let (true, Some(first)) = (is_expression(operation, body), locals.first_mut()) {
            *first = identifier_of("value");
        }
        let value = identifier(&unique("new", &mut taken));
        let bindings = body.bindings.iter().map(|binding| {
            let name = match binding {
                Binding::Instance(instance) => &operation.instances[*instance as usize].alias,
                Binding::Reference(reference) => &operation.references[*reference as usize].name,
            };
            identifier(&unique(&format!("{name}_bound"), &mut taken))
        });
        let bindings = bindings.collect();
        let first_region = match emitter.shape {
            Shape::Blocks => 1,
            Shape::Stepwise | Shape::Timed => 0,
        };
        BodyEmitter {
            emitter,
            operation,
            body,
            statements: &body.statements,
            call: None,
            first_region,
            first_label: 0,
            locals,
            bindings,
            value,
            uses: OnceCell::new(),
        }
    }

    /// The number by which profiles know the operation that the body is a part of.
    pub(super) fn operation_number(&self) -> TokenStream {
        let model = self.emitter.model;
        let is_this = |operation: &Operation| std::ptr::eq(operation, self.operation);
        let operation = model.operations.iter().position(is_this).map(|index| index as u32);
        let is_handler = model.memory_fault.as_ref().is_some_and(|body| std::ptr::eq(body, self.body));
        let number_of = operation.filter(|_| !is_handler).unwrap_or(model.memory_fault_number());
        number(number_of.into())
    }

    /// The parameter that carries an instance's coded bits.
    pub(super) fn coded_name(&self, instance: u32) -> Ident {
        coded_name(self.operation, instance)
    }

    /// `?` where a call may trap.
    pub(super) fn try_mark(fallible: bool) -> TokenStream {
        if fallible { quote!(?) } else { TokenStream::new() }
    }

    pub(super) fn read_register(&self, register: u32, index: Option<&Expr>) -> TokenStream {
        let model = self.emitter.model;
        let table = &model.registers[register as usize];
        if self.keeps_pc_apart(register) {
            return from_u64(quote!(step.pc), table.width_bits);
        }
        let name = identifier(&table.name);
        match index {
            None => quote!(p.registers.#name),
            Some(index) => {
                let element = self.element(register, index);
                quote!(p.registers.#name[#element])
            }
        }
    }

    /// An element's index as `usize`, inside the file.
    pub(super) fn element(&self, register: u32, index: &Expr) -> TokenStream {
        let elements = self.emitter.model.registers[register as usize].elements();
        if let ExprKind::Const(value) = index.kind
            && value < elements.into()
        {
            return number(value);
        }
        let value = self.value(index);
        if is_inside(index, elements) {
            // Never out of bounds; the mask shows it to the compiler.
            let last = number((elements - 1).into());
            return match elements.is_power_of_two() {
                true => quote!((#value) as usize & #last),
                false => quote!(((#value) as usize).min(#last)),
            };
        }
        let (register, elements) = (number(register.into()), number(elements.into()));
        quote!({
            let index = (#value) as u128;
            register_element(&mut p.kernel, #register, index, #elements)?
        })
    }

    pub(super) fn read_memory(&self, map: u32, cells: u32, address: &Expr, access: u32) -> TokenStream {
        let fetch = access != UNCOUNTED
            && self.body.accesses[access as usize].kind == isac_ir::behavior::AccessKind::Execute;
        let verb = match (access, fetch) {
            (UNCOUNTED, _) => "keep",
            (_, true) => "fetch",
            (_, false) => "read",
        };
        let name = joined(&self.emitter.model.maps[map as usize].name, &format!("{verb}{cells}"));
        let address = cast(self.value(address), address.width, 64);
        let devices = &self.emitter.model.maps[map as usize].devices;
        let step_left = self.emitter.step_left();
        let left = (verb != "fetch" && !devices.is_empty()).then(|| quote!(, #step_left));
        let argument = self.emitter.access_argument(map).filter(|_| access != UNCOUNTED);
        let touch = argument.as_ref().and_then(|_| self.emitter.emit_touch(map));
        let read =
            quote!(p.#name #argument(address #left).or_else(|kind| trap(&mut p.kernel, kind, address))?);
        let read = self.tell_read_address(access, self.map_resource(map), read);
        quote!({ let address = #address; #touch #read })
    }

    /// Bits of one cell of more than 128 bits, as `u128`.
    pub(super) fn read_part(
        &self,
        map: u32,
        address: &Expr,
        (low, width): (u32, u32),
        access: u32,
    ) -> TokenStream {
        let fetch = access != UNCOUNTED
            && self.body.accesses[access as usize].kind == isac_ir::behavior::AccessKind::Execute;
        let verb = match access {
            UNCOUNTED => "read_further_part",
            _ if fetch => "fetch_part",
            _ => "read_part",
        };
        let argument = self.emitter.access_argument(map).filter(|_| access != UNCOUNTED);
        let touch = argument.as_ref().and_then(|_| self.emitter.emit_touch(map));
        let name = joined(&self.emitter.model.maps[map as usize].name, verb);
        let address = cast(self.value(address), address.width, 64);
        let (low, width) = (number(low.into()), number(width.into()));
        let read = quote!(p.#name #argument(address, #low, #width).or_else(|kind| trap(&mut p.kernel, kind, address))?);
        let read = self.tell_read_address(access, self.map_resource(map), read);
        quote!({ let address = #address; #touch #read })
    }

    /// Sets bits of one cell of more than 128 bits.
    pub(super) fn write_part(
        &self,
        map: u32,
        address: &Expr,
        low: u32,
        value: &Expr,
        access: u32,
    ) -> TokenStream {
        let verb = if access == UNCOUNTED { "write_further_part" } else { "write_part" };
        let argument = self.emitter.access_argument(map).filter(|_| access != UNCOUNTED);
        let touch = argument.as_ref().and_then(|_| self.emitter.emit_touch(map));
        let name = joined(&self.emitter.model.maps[map as usize].name, verb);
        let address = cast(self.value(address), address.width, 64);
        let (low, width) = (number(low.into()), number(value.width.into()));
        let value = cast(self.value(value), value.width, 128);
        let tell = self.tell_store(access, self.map_resource(map));
        quote!({
            let value = #value;
            let address = #address;
            #touch
            p.#name #argument(address, #low, #width, value).or_else(|kind| trap(&mut p.kernel, kind, address))?;
            #tell
        })
    }

    /// True for a program counter that is not kept with the registers while an instruction runs.
    fn keeps_pc_apart(&self, register: u32) -> bool {
        self.emitter.shape == Shape::Blocks && self.emitter.model.pc_register() == Some(register)
    }

    /// The value of an operand, or of the place that was found for it.
    pub(super) fn read_operand(&self, instance: u32, mention: Mentioned<'_>, width: u32) -> TokenStream {
        if self.emitter.shape == Shape::Stepwise {
            return self.stepwise_read(instance, mention, width);
        }
        let entry = &self.operation.instances[instance as usize];
        let (alias, bound) = (identifier(&entry.alias), mention.argument());
        let name = function_of(mention.kind);
        let mark = Self::try_mark(self.emitter.operand_is_fallible(entry.target, mention.kind));
        let own = self.emitter.operand_width(entry.target);
        let counters = self.operand_counters(instance, mention.kind);
        cast(quote!(#alias.#name(p, step #counters #bound)#mark), own, width)
    }

    /// Assigns to an operand, or to the place that was found for it.
    pub(super) fn write_operand(&self, instance: u32, mention: Mentioned<'_>, value: &Expr) -> TokenStream {
        if self.emitter.shape == Shape::Stepwise {
            return self.stepwise_write(instance, mention, self.value(value), value.width);
        }
        let entry = &self.operation.instances[instance as usize];
        let (alias, bound) = (identifier(&entry.alias), mention.argument());
        let function = function_of(mention.kind);
        let mark = Self::try_mark(self.emitter.operand_is_fallible(entry.target, mention.kind));
        let own = self.emitter.operand_width(entry.target);
        let value = cast(self.value(value), value.width, own);
        let name = &self.value;
        let counters = self.operand_counters(instance, mention.kind);
        quote!(let #name = #value; #alias.#function(p, step #counters #bound, #name)#mark;)
    }

    /// Finds an operand's place.
    pub(super) fn find_operand(&self, instance: u32, bound: &Ident) -> TokenStream {
        if self.emitter.shape == Shape::Stepwise {
            return self.stepwise_find(instance, bound);
        }
        let entry = &self.operation.instances[instance as usize];
        let alias = identifier(&entry.alias);
        let mark = Self::try_mark(self.emitter.operand_is_fallible(entry.target, MentionKind::Bind));
        let counters = self.operand_counters(instance, MentionKind::Bind);
        quote!(#bound = #alias.bind(p, step #counters)#mark;)
    }

    /// Sets bits of a register, from `low` on, to a value of so many bits.
    pub(super) fn write_register(
        &self,
        (register, index, low): (u32, Option<&Expr>, u32),
        value: TokenStream,
        value_width: u32,
    ) -> TokenStream {
        let model = self.emitter.model;
        let table = &model.registers[register as usize];
        let width = table.width_bits;
        let whole = low == 0 && value_width == width;
        if self.keeps_pc_apart(register) {
            let new = cast(value, value_width, 64);
            return match whole {
                true => quote!(step.pc = #new;),
                false => {
                    let merged = merged(quote!(step.pc), new, low, value_width, 64);
                    quote!(step.pc = #merged;)
                }
            };
        }
        let name = identifier(&table.name);
        let hardwired = self.keep_hardwired(register, index);
        let new = cast(value, value_width, width);
        let replaced = |old: TokenStream, new: TokenStream| match (is_wide(width), whole) {
            (true, _) => {
                let (low, bits) = (number(low.into()), number(value_width.into()));
                quote!(#old.with(#low, #bits, #new))
            }
            (false, true) => new,
            (false, false) => merged(old, new, low, value_width, width),
        };
        let Some(index) = index else {
            let new = replaced(quote!(p.registers.#name), new);
            return quote!(p.registers.#name = #new; #hardwired);
        };
        let element = self.element(register, index);
        if whole && matches!(index.kind, ExprKind::Const(_) | ExprKind::Field(_)) {
            return quote!(p.registers.#name[#element] = #new; #hardwired);
        }
        let place = quote!(p.registers.#name[element]);
        let stored = replaced(place.clone(), quote!(value));
        quote!({ let value = #new; let element = #element; #place = #stored; } #hardwired)
    }

    /// Writes to HARDWIRED elements are undone at once, where they can be one.
    fn keep_hardwired(&self, register: u32, index: Option<&Expr>) -> TokenStream {
        let table = &self.emitter.model.registers[register as usize];
        let name = identifier(&table.name);
        let constant = index.and_then(|index| match index.kind {
            ExprKind::Const(value) => Some(value),
            _ => None,
        });
        let touched = table
            .hardwired
            .iter()
            .filter(|(element, _)| constant.is_none_or(|constant| constant == u128::from(*element)));
        let stores = touched.map(|(element, value)| {
            let value = stored(*value, table.width_bits);
            match table.count {
                Some(_) => {
                    let element = number((*element).into());
                    quote!(p.registers.#name[#element] = #value;)
                }
                None => quote!(p.registers.#name = #value;),
            }
        });
        quote!(#(#stores)*)
    }

    /// What the body's function takes besides processor and step, for its declaration.
    pub(super) fn parameters(&self, usage: &Usage) -> Vec<TokenStream> {
        self.emitter
            .parameters(self.operation, usage)
            .into_iter()
            .map(|parameter| {
                let (name, ty) = (parameter.name, parameter.ty);
                quote!(#name: #ty)
            })
            .collect()
    }
}

/// True for the bodies of an operation's EXPRESSION.
pub(super) fn is_expression(operation: &Operation, body: &Body) -> bool {
    operation.expression.as_ref().is_some_and(|expression| expression.kind_of(body).is_some())
}

/// Bits `low..low + width` of `old` replaced by `new`, in the storage of `total` bits.
fn merged(old: TokenStream, new: TokenStream, low: u32, width: u32, total: u32) -> TokenStream {
    let hole = number(!(isac_ir::bits::mask(width) << low) & isac_ir::bits::mask(total));
    let low = number(low.into());
    quote!(#old & #hole | (#new) << #low)
}

/// True if an index cannot be outside a file of so many elements.
pub(super) fn is_inside(index: &Expr, elements: u32) -> bool {
    let most = match &index.kind {
        ExprKind::Const(value) => *value,
        ExprKind::ZeroExtend(inner) => return is_inside(inner, elements),
        ExprKind::Binary(isac_ir::behavior::BinaryOp::And, _, right) => match right.kind {
            ExprKind::Const(value) => value,
            _ => isac_ir::bits::mask(index.width),
        },
        _ => isac_ir::bits::mask(index.width),
    };
    most < elements.into()
}

/// A literal masked to a width, for tests of the emitter.
#[cfg(test)]
pub(super) fn masked_number(value: u128, width: u32) -> String {
    masked(number(value), width).to_string()
}

#[cfg(test)]
mod tests {
    #[test]
    fn odd_widths_are_masked_and_whole_ones_are_not() {
        assert_eq!(super::masked_number(3, 8), "3");
        assert_eq!(super::masked_number(3, 5), "(3) & 31");
    }
}
