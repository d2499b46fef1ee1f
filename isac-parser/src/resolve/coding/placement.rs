//! Each bit of a field stands in the word once at most, and each of an alias exactly once.

use std::collections::BTreeMap;

use super::{CodedBit, Coding, Item};
use crate::ast::{self, CodingItem};
use crate::model::{CodingBit, InstanceId, InstanceRole};
use crate::resolve::code;
use crate::resolve::report::{count, error};
use crate::source::Span;

impl Coding<'_> {
    /// An item's bits; reports the first that was coded before.
    pub(super) fn place(
        &mut self,
        item: &Item,
        source: &CodingItem,
        coded: &mut BTreeMap<CodedBit, Span>,
    ) -> Vec<CodingBit> {
        let pattern: &[Option<bool>] = match source {
            CodingItem::Bits(pattern) | CodingItem::Field { pattern, .. } => &pattern.bits,
            CodingItem::Name { .. } => &[],
        };
        let mut bits = Vec::new();
        let mut twice = None;
        match *item {
            Item::Bits => {
                bits.extend(pattern.iter().map(|bit| bit.map_or(CodingBit::Any, CodingBit::Fixed)));
            }
            Item::Field { field, high, low, span } => {
                for (index, bit) in (low..=high).rev().enumerate() {
                    let fixed = pattern.get(index).copied().flatten();
                    bits.push(CodingBit::Field { field, bit, fixed });
                    let first = coded.insert(CodedBit::Field(field, bit), span);
                    twice = twice.or(first.map(|first| (bit, first)));
                }
                let name = self.scope.fields[field.index()].name.clone();
                self.report_twice(&name, twice, span);
            }
            Item::Instance { instance, high, low, span } => {
                for bit in (low..=high).rev() {
                    bits.push(CodingBit::Instance { instance, bit });
                    let first = coded.insert(CodedBit::Instance(instance, bit), span);
                    twice = twice.or(first.map(|first| (bit, first)));
                }
                let name = self.scope.instances[instance.index()].alias.clone();
                self.report_twice(&name, twice, span);
            }
        }
        bits
    }

    fn report_twice(&mut self, name: &str, twice: Option<(u32, Span)>, span: Span) {
        let Some((bit, first)) = twice else { return };
        let message = format!("bit {bit} of `{name}` is coded twice");
        let diagnostic = error(code::CODED_TWICE, span, message, "again here");
        self.diagnostics.push(diagnostic.secondary(first, "first here"));
        self.sound = false;
    }

    /// Every bit of a coded instance has to be somewhere in the word.
    pub(super) fn check_complete(
        &mut self,
        items: &[Option<Item>],
        coded: &BTreeMap<CodedBit, Span>,
        first_members: &[Option<&ast::Name>],
    ) {
        if items.iter().any(Option::is_none) {
            return;
        }
        let mut mentions = BTreeMap::new();
        for item in items.iter().flatten() {
            if let Item::Instance { instance, span, .. } = item {
                mentions.entry(*instance).or_insert(*span);
            }
        }
        for (index, instance) in self.scope.instances.iter().enumerate() {
            let (InstanceRole::Coded, Some(width)) = (instance.role, instance.width_bits) else {
                continue;
            };
            let id = InstanceId(u32::try_from(index).unwrap_or(u32::MAX));
            let missing: Vec<String> = (0..width)
                .filter(|&bit| !coded.contains_key(&CodedBit::Instance(id, bit)))
                .map(|bit| bit.to_string())
                .collect();
            let (Some(span), false) = (mentions.get(&id).copied(), missing.is_empty()) else {
                continue;
            };
            let (noun, verb) = if missing.len() == 1 { ("bit", "is") } else { ("bits", "are") };
            let bits = missing.join(", ");
            let message = format!("{noun} {bits} of `{}` {verb} never coded", instance.alias);
            let label = format!("has {}", count(width, "bit"));
            let mut diagnostic = error(code::NEVER_CODED, span, message, label)
                .secondary(instance.span, "the alias")
                .help("every bit of an alias stands in the CODING exactly once");
            if let Some(member) = first_members.get(index).copied().flatten() {
                let label = format!("`{}` has {}", member.text, count(width, "bit"));
                diagnostic = diagnostic.secondary(member.span, label);
            }
            self.diagnostics.push(diagnostic);
            self.sound = false;
        }
    }
}
