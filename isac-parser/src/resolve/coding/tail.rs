//! TAIL: words that follow the one of the CODING.

use std::collections::BTreeMap;

use super::{CodedBit, Coding, Item, MAX_WORD_BITS};
use crate::ast::CodingItem;
use crate::diagnostic::Diagnostics;
use crate::model::{InstanceId, InstanceRole, TailItem};
use crate::resolve::code;
use crate::resolve::names::Table;
use crate::resolve::operation::{Draft, Meaning};
use crate::resolve::report::{count, error};
use crate::source::Span;

/// A TAIL without a CODING: an error, whose fields are known all the same.
pub(super) fn resolve_lone_tail(draft: &mut Draft<'_>, table: &Table, diagnostics: &mut Diagnostics) -> bool {
    let Some(tail) = draft.sections.tail else { return true };
    let message = format!("`{}` has a TAIL and no CODING", draft.ast.name.text);
    let diagnostic = error(code::TAIL_FORM, tail.span, message, "follows no word")
        .help("a TAIL follows the word that the operation's CODING is in");
    diagnostics.push(diagnostic);
    let mut coding = Coding { scope: &mut draft.scope, table, diagnostics, sound: false };
    let items: Vec<_> = tail.items.iter().filter_map(|item| coding.bind_tail(item)).collect();
    coding.size_fields(items.iter());
    false
}

impl Coding<'_> {
    /// An item of a TAIL: a word, or an alias as a whole.
    pub(super) fn bind_tail(&mut self, item: &CodingItem) -> Option<Item> {
        let CodingItem::Name { name, slice, span } = item else {
            return self.bind(item);
        };
        let instance = match self.scope.names.get(&name.text) {
            Some((Meaning::Instance(id), _)) => *id,
            _ => return self.bind(item),
        };
        let found = &mut self.scope.instances[instance.index()];
        if found.role == InstanceRole::Root {
            let message = format!("`{}` is part of both TAIL and CODINGROOT", found.alias);
            let diagnostic = error(code::CODED_TWICE, *span, message, "part of this instruction here")
                .help("give each its own alias");
            self.diagnostics.push(diagnostic);
            return None;
        }
        if slice.is_some() {
            found.role = InstanceRole::Coded;
            let message = format!("a slice of the alias `{}` in a TAIL", name.text);
            let diagnostic = error(code::TAIL_FORM, *span, message, "stands there as a whole")
                .secondary(found.span, "the alias")
                .help("a TAIL names an alias where its own words follow");
            self.diagnostics.push(diagnostic);
            return None;
        }
        Some(Item::Instance { instance, high: 0, low: 0, span: *span })
    }

    /// The words of a TAIL, and the instances whose words stand there.
    pub(super) fn place_tail(
        &mut self,
        tail: Vec<(&CodingItem, Option<Item>)>,
        items: &[Option<Item>],
        coded: &mut BTreeMap<CodedBit, Span>,
    ) -> Vec<TailItem> {
        let mut listed: BTreeMap<InstanceId, Span> = BTreeMap::new();
        let mut placed = Vec::new();
        for (source, item) in tail {
            let Some(item) = item else {
                self.sound = false;
                continue;
            };
            let Item::Instance { instance, span, .. } = item else {
                let bits = self.place(&item, source, coded);
                self.check_word_width(bits.len(), source.span());
                placed.push(TailItem::Word { bits, span: source.span() });
                continue;
            };
            if let Some(first) = listed.insert(instance, span) {
                let alias = &self.scope.instances[instance.index()].alias;
                let message = format!("`{alias}` stands twice in a TAIL");
                let diagnostic = error(code::CODED_TWICE, span, message, "again here");
                self.diagnostics.push(diagnostic.secondary(first, "first here"));
                self.sound = false;
            }
            let is_coded =
                |item: &Item| matches!(item, Item::Instance { instance: id, .. } if *id == instance);
            placed.push(match items.iter().flatten().any(is_coded) {
                true => TailItem::Instance { instance, span },
                false => {
                    let found = &mut self.scope.instances[instance.index()];
                    found.role = InstanceRole::Coded;
                    self.sound &= found.width_bits.is_some();
                    TailItem::Decode { instance, span }
                }
            });
        }
        placed
    }

    fn check_word_width(&mut self, width: usize, span: Span) {
        if self.sound && width > MAX_WORD_BITS as usize {
            let message = format!("a word of {} in a TAIL", count(width as u128, "bit"));
            let label = format!("has to have from 1 to {MAX_WORD_BITS} bits");
            self.diagnostics.push(error(code::CODING_WIDTH, span, message, label));
            self.sound = false;
        }
    }
}
