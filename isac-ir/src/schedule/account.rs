//! From counters of turns to accesses.

use super::{Form, PlaceKind, Schedule, Section, operand_offset};
use crate::Model;
use crate::account::{Accounted, Times};
use crate::behavior::Mention;
use crate::decode::Decoded;

impl Schedule {
    /// Every access of a decoded instruction, each with the counter that says how often.
    pub fn account(&self, model: &Model, variant: u32, decoded: &Decoded) -> Vec<Accounted> {
        let form = &self.forms[variant as usize];
        let Some(element) = decoded.instance(0, self.decoding.instance) else { return Vec::new() };
        let nodes = &model.decoders[self.decoding.decoder as usize].variants[variant as usize].nodes;
        let mut found = vec![element];
        for node in nodes.iter().skip(1) {
            let above = node.parent.and_then(|parent| found.get(parent as usize).copied()).unwrap_or(element);
            let mut below = decoded.children(above);
            let here = below.find(|child| decoded.nodes[*child as usize].position == node.position);
            found.push(here.unwrap_or(element));
        }
        let mut teller = Teller { model, decoded, form, found: &found, accesses: Vec::new() };
        for place in &self.places {
            if let PlaceKind::Before { sections, .. } = &place.kind {
                sections.iter().for_each(|section| teller.add_section(section));
            }
        }
        form.turns.iter().flatten().for_each(|section| teller.add_section(section));
        teller.accesses
    }
}

/// Gathers the accesses of one instruction.
struct Teller<'a> {
    model: &'a Model,
    decoded: &'a Decoded,
    form: &'a Form,
    /// The decoded node of each node of the variant.
    found: &'a [u32],
    accesses: Vec<Accounted>,
}

impl Teller<'_> {
    fn add_section(&mut self, section: &Section) {
        let operation = self.model.operation(section.operation);
        let Some(body) = operation.body(section.part) else { return };
        let owner = section.node.map_or(0, |node| self.found[node as usize]);
        for access in &body.accesses {
            let times = Times::Counter(section.counters + access.region);
            let (resource, kind) = (access.resource, access.kind);
            self.accesses.push(Accounted { node: owner, resource, kind, times });
        }
        for mention in &body.mentions {
            self.add_mention(owner, *mention, section.counters + mention.region);
        }
    }

    /// The accesses of an operand's EXPRESSION: outside of conditions as often as the mention
    /// happens.
    fn add_mention(&mut self, owner: u32, mention: Mention, times: u32) {
        let Some(child) = self.decoded.instance(owner, mention.instance) else { return };
        let Some((node, operation)) = self.decoded.operation_at(child) else { return };
        let Some(expression) = &self.model.operation(operation).expression else { return };
        let Some(body) = expression.body(mention.kind) else { return };
        let counters = (0u32..).zip(self.found).find(|(_, found)| **found == child);
        let own = counters.and_then(|(variant_node, _)| {
            let entry = self.form.operands.iter().find(|entry| entry.node == variant_node)?;
            let target = self.decoded.nodes[child as usize].target;
            Some(entry.counters + operand_offset(self.model, target, Some(mention.kind)))
        });
        for access in &body.accesses {
            let counter = match access.region {
                0 => Some(times),
                region => own.map(|own| own + region - 1),
            };
            let Some(counter) = counter else { continue };
            let (resource, kind) = (access.resource, access.kind);
            self.accesses.push(Accounted { node, resource, kind, times: Times::Counter(counter) });
        }
        for inner in &body.mentions {
            self.add_mention(node, *inner, times);
        }
    }
}
