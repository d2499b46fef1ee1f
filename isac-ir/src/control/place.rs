//! Registers and operands: reading them, and assigning to them.

use super::state::{Delay, Found, Known, NextAddress, State};
use super::{Context, Walk};
use crate::Model;
use crate::behavior::{BindingId, Body, InstanceId, ReferenceId};
use crate::operand::{Binding, Expression};
use crate::operation::Referred;

/// The register, or element of a file, that is the program counter.
#[derive(Debug, Clone, Copy)]
pub(super) struct Counter {
    pub register: u32,
    pub element: u128,
    pub width_bits: u32,
}

impl Counter {
    /// That of a model whose program counter is all of one.
    pub(super) fn of(model: &Model) -> Option<Counter> {
        let [part] = model.pc.parts[..] else { return None };
        let register = model.registers.get(part.register as usize)?;
        let is_whole = part.low == 0 && part.width_bits == register.width_bits;
        let element = u128::from(part.element);
        is_whole.then_some(Counter { register: part.register, element, width_bits: part.width_bits })
    }
}

impl Walk<'_> {
    /// The value of an element; none of one that is not known.
    pub(super) fn read_register(&self, state: &State, register: u32, element: Option<u128>) -> Option<Known> {
        let element = element?;
        if register == self.counter.register && element == self.counter.element {
            let bits = u128::from(state.next.value()?);
            return Some(Known { bits, address: Some(bits) });
        }
        let hardwired = self.hardwired(register, element);
        hardwired.or_else(|| state.registers.get(&(register, element)).copied())
    }

    fn hardwired(&self, register: u32, element: u128) -> Option<Known> {
        let found = self.model.registers[register as usize].hardwired.iter();
        let mut found = found.filter(|(hardwired, _)| u128::from(*hardwired) == element);
        found.next().map(|(_, value)| Known::number(*value))
    }

    /// Writes bits of an element, from `low` on.
    pub(super) fn write_register(
        &mut self,
        state: &mut State,
        register: u32,
        element: Option<u128>,
        (low, width): (u32, u32),
        value: Option<Known>,
    ) {
        let table = &self.model.registers[register as usize];
        let is_whole = low == 0 && width == table.width_bits;
        let Some(element) = element else {
            if register == self.counter.register {
                state.next.computed = true;
            }
            state.registers.retain(|(other, _), _| *other != register);
            self.keep(state, value);
            return;
        };
        if self.hardwired(register, element).is_some() {
            return;
        }
        if register == self.counter.register && element == self.counter.element {
            let mask = crate::bits::mask(self.counter.width_bits);
            state.delay = Delay::default();
            state.aside = NextAddress::nowhere();
            state.next = match value.filter(|_| is_whole) {
                Some(value) => NextAddress::known((value.bits & mask) as u64),
                None => NextAddress::unknown(),
            };
            return;
        }
        if !self.carriers.contains(&register) {
            self.keep(state, value);
        }
        match value.filter(|_| is_whole) {
            Some(value) => state.registers.insert((register, element), value),
            None => state.registers.remove(&(register, element)),
        };
    }

    /// Notes the address that was written anywhere but to the program counter.
    pub(super) fn keep(&self, state: &mut State, value: Option<Known>) {
        if let Some(address) = value.and_then(|value| value.address).filter(|_| self.is_keeping) {
            state.kept.insert(address);
        }
    }

    /// The context of an operand, which is begun by being mentioned.
    pub(super) fn operand(&mut self, context: usize, instance: InstanceId) -> Option<usize> {
        let node = self.contexts[context].node?;
        let child = self.decoded.instance(node, instance)?;
        let (node, operation) = self.decoded.operation_at(child)?;
        let known = |known: &Context| known.node == Some(node) && known.parent == Some(context);
        Some(self.contexts.iter().position(known).unwrap_or_else(|| {
            self.contexts.push(Context { operation, node: Some(node), parent: Some(context) });
            self.contexts.len() - 1
        }))
    }

    /// What a reference stands for, and the context that has it.
    pub(super) fn referred(&self, context: usize, reference: ReferenceId) -> Option<(usize, Referred)> {
        let here = &self.contexts[context];
        let parent = here.parent?;
        let above = self.contexts[parent].operation;
        match self.model.operation(here.operation).referred(reference, above)? {
            Referred::Reference(outer) => self.referred(parent, outer),
            found => Some((parent, found)),
        }
    }

    fn expression(&self, context: usize) -> Option<&'_ Expression> {
        self.model.operation(self.contexts[context].operation).expression.as_ref()
    }

    /// The value of an operand; its coded bits if it has no EXPRESSION.
    pub(super) fn read_operand(
        &mut self,
        state: &mut State,
        context: usize,
        instance: InstanceId,
    ) -> Option<Known> {
        let operand = self.operand(context, instance)?;
        let model = self.model;
        match &model.operation(self.contexts[operand].operation).expression {
            Some(expression) => self.run_inner(state, operand, &expression.read, &[]).get(0),
            None => self.coded(context, instance),
        }
    }

    /// Assigns to an operand.
    pub(super) fn write_operand(
        &mut self,
        state: &mut State,
        context: usize,
        instance: InstanceId,
        value: Option<Known>,
    ) {
        let Some(operand) = self.operand(context, instance) else { return };
        let model = self.model;
        let expression = &model.operation(self.contexts[operand].operation).expression;
        if let Some(body) = expression.as_ref().and_then(|expression| expression.write.as_ref()) {
            self.run_inner(state, operand, body, &[(0, value)]);
        }
    }

    /// The coded bits of an instance.
    pub(super) fn coded(&self, context: usize, instance: InstanceId) -> Option<Known> {
        let node = self.contexts[context].node?;
        let coded = self.decoded.instance(node, instance);
        Some(Known::number(coded.map_or(0, |child| self.decoded.nodes[child as usize].coded)))
    }

    /// Finds a place.
    pub(super) fn bind(&mut self, state: &mut State, context: usize, body: &Body, binding: BindingId) {
        let operand = match body.bindings[binding as usize] {
            Binding::Instance(instance) => self.operand(context, instance),
            Binding::Reference(reference) => match self.referred(context, reference) {
                Some((parent, Referred::Instance(instance))) => self.operand(parent, instance),
                _ => None,
            },
        };
        let Some(operand) = operand else { return };
        let model = self.model;
        let expression = model.operation(self.contexts[operand].operation).expression.as_ref();
        if let Some(place) = expression.and_then(|expression| expression.place.as_ref()) {
            let locals = self.run_inner(state, operand, &place.bind, &[]);
            state.found.insert((context, binding), Found { context: operand, locals });
        }
    }

    /// Reads a place that was found.
    pub(super) fn read_bound(
        &mut self,
        state: &mut State,
        context: usize,
        binding: BindingId,
    ) -> Option<Known> {
        let found = state.found.get(&(context, binding))?.clone();
        let model = self.model;
        let expression = model.operation(self.contexts[found.context].operation).expression.as_ref();
        let place = expression.and_then(|expression| expression.place.as_ref())?;
        let parts = self.parts(&found);
        self.run_inner(state, found.context, &place.read, &parts).get(0)
    }

    /// Assigns to a place that was found.
    pub(super) fn write_bound(
        &mut self,
        state: &mut State,
        context: usize,
        body: &Body,
        binding: BindingId,
        value: Option<Known>,
    ) {
        let Some(found) = state.found.get(&(context, binding)).cloned() else {
            if let Binding::Reference(reference) = body.bindings[binding as usize] {
                self.write_reference(state, context, reference, value);
            }
            return;
        };
        let model = self.model;
        let expression = model.operation(self.contexts[found.context].operation).expression.as_ref();
        if let Some(place) = expression.and_then(|expression| expression.place.as_ref()) {
            let mut set = self.parts(&found);
            set.push((0, value));
            self.run_inner(state, found.context, &place.write, &set);
        }
    }

    fn parts(&self, found: &Found) -> Vec<(u32, Option<Known>)> {
        let place = self.expression(found.context).and_then(|expression| expression.place.as_ref());
        let parts = place.map_or(&[][..], |place| &place.parts);
        parts.iter().map(|part| (*part, found.locals.get(*part))).collect()
    }

    /// Assigns to what a reference stands for.
    pub(super) fn write_reference(
        &mut self,
        state: &mut State,
        context: usize,
        reference: ReferenceId,
        value: Option<Known>,
    ) {
        match self.referred(context, reference) {
            Some((parent, Referred::Instance(instance))) => {
                self.write_operand(state, parent, instance, value);
            }
            Some((parent, Referred::Variable(variable))) => {
                match value {
                    Some(value) => state.variables.insert((parent, variable), value),
                    None => state.variables.remove(&(parent, variable)),
                };
            }
            _ => {}
        }
    }
}
