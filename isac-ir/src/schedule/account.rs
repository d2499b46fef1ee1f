//! From counters of turns to accesses.

use std::collections::BTreeMap;

use super::{Form, PlaceKind, Schedule, Section, operand_offset};
use crate::Model;
use crate::account::{Accounted, Times};
use crate::behavior::{Body, Mention};
use crate::decode::Decoded;

/// Every access of a decoded instruction, each with the counter that says how often, and how often counters would have
/// counted that the kernel has not.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TurnAccount {
    /// The accesses.
    pub accesses: Vec<Accounted>,
    /// Counters that follow from others.
    rests: BTreeMap<u32, CounterRest>,
}

/// A counter that follows from others.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct CounterRest {
    /// It is the sum of these, ...
    plus: Vec<u32>,
    /// ... less these.
    minus: Vec<u32>,
}

impl TurnAccount {
    /// How often a counter counts in all executions of the instruction that have ended without a fault, `counted` being
    /// what the kernel has counted.
    pub fn times(&self, counter: u32, counted: &impl Fn(u32) -> u64) -> u64 {
        let Some(rest) = self.rests.get(&counter) else { return counted(counter) };
        let sum = |counters: &[u32]| -> u64 {
            counters.iter().map(|counter| self.times(*counter, counted)).fold(0, u64::saturating_add)
        };
        sum(&rest.plus).saturating_sub(sum(&rest.minus))
    }
}

impl Schedule {
    /// Every access of a decoded instruction, each with the counter that says how often.
    pub fn account(&self, model: &Model, variant: u32, decoded: &Decoded) -> TurnAccount {
        let form = &self.forms[variant as usize];
        let Some(element) = decoded.instance(0, self.decoding.instance) else {
            return TurnAccount::default();
        };
        let nodes = &model.decoders[self.decoding.decoder as usize].variants[variant as usize].nodes;
        let mut found = vec![element];
        for node in nodes.iter().skip(1) {
            let above = node.parent.and_then(|parent| found.get(parent as usize).copied()).unwrap_or(element);
            let mut below = decoded.children(above);
            let here = below.find(|child| decoded.nodes[*child as usize].position == node.position);
            found.push(here.unwrap_or(element));
        }
        let mut teller = Teller { model, decoded, form, found: &found, account: TurnAccount::default() };
        for place in &self.places {
            if let PlaceKind::Before { sections, .. } = &place.kind {
                sections.iter().for_each(|section| teller.add_section(section));
            }
        }
        form.turns.iter().flatten().for_each(|section| teller.add_section(section));
        teller.account
    }
}

/// Gathers the accesses of one instruction.
struct Teller<'a> {
    model: &'a Model,
    decoded: &'a Decoded,
    form: &'a Form,
    /// The decoded node of each node of the variant.
    found: &'a [u32],
    account: TurnAccount,
}

impl Teller<'_> {
    fn add_section(&mut self, section: &Section) {
        let operation = self.model.operation(section.operation);
        let Some(body) = operation.body(section.part) else { return };
        let owner = section.node.map_or(0, |node| self.found[node as usize]);
        let counter = |region: u32| section.counters + region;
        for access in &body.accesses {
            let times = Times::Counter(counter(access.region));
            let (resource, kind) = (access.resource, access.kind);
            self.account.accesses.push(Accounted { node: owner, resource, kind, times });
        }
        self.add_rests(body, counter);
        for mention in &body.mentions {
            self.add_mention(owner, *mention, counter(mention.region));
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
            self.account.accesses.push(Accounted { node, resource, kind, times: Times::Counter(counter) });
        }
        if let Some(own) = own {
            self.add_rests(body, |region| if region == 0 { times } else { own + region - 1 });
        }
        for inner in &body.mentions {
            self.add_mention(node, *inner, times);
        }
    }

    /// What follows from other counters in a body that runs, or that a mention runs. The counters of an operand
    /// are those of all its mentions of a kind: each of them adds to what region 0 is for the operand, while its own
    /// regions are in every one the same.
    fn add_rests(&mut self, body: &Body, counter: impl Fn(u32) -> u32) {
        for rest in &body.rests {
            let Some((first, without)) = body.rest_of(rest.region) else { continue };
            let entry = self.account.rests.entry(counter(rest.region)).or_default();
            if first == 0 || entry.plus.is_empty() {
                entry.plus.push(counter(first));
            }
            entry.minus = without.into_iter().map(&counter).collect();
        }
    }
}
