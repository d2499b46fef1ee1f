//! CODING: which bit of the word is which bit of what.

mod placement;
mod tail;

use std::collections::{BTreeMap, BTreeSet};

use super::code;
use super::names::{Table, double};
use super::operation::{Draft, Meaning, OperationScope};
use super::report::{count, error, help_if};
use super::suggestion::{did_you_mean, unless_unread};
use super::typing;
use crate::ast::{self, CodingItem};
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::model::{Field, FieldId, InstanceId, InstanceRole};
use crate::source::Span;

/// Most bits of a word.
pub(crate) const MAX_WORD_BITS: u32 = 256;

/// Resolves an operation's CODING and TAIL into its draft; false if an error was found in one.
///
/// The coded instances' widths are known; those of unknown width make the CODING unsound.
/// `first_members` has the name of the first operation that an instance may choose.
pub(crate) fn resolve_coding(
    draft: &mut Draft<'_>,
    first_members: &[Option<&ast::Name>],
    table: &Table,
    diagnostics: &mut Diagnostics,
) -> bool {
    let Some(section) = draft.sections.coding else {
        return tail::resolve_lone_tail(draft, table, diagnostics);
    };
    let scope = &mut draft.scope;
    let mut coding = Coding { scope, table, diagnostics, sound: true };
    let mut items: Vec<Option<Item>> = section.items.iter().map(|item| coding.bind(item)).collect();
    coding.copy_repeated(&mut items);
    let tail_items = draft.sections.tail.iter().flat_map(|tail| &tail.items);
    let tail: Vec<_> = tail_items.map(|item| (item, coding.bind_tail(item))).collect();
    let in_tail = tail.iter().filter_map(|(_, item)| item.as_ref());
    coding.size_fields(items.iter().flatten().chain(in_tail));
    let mut coded = BTreeMap::new();
    let mut bits = Vec::new();
    for (item, source) in items.iter().zip(&section.items) {
        match item {
            Some(item) => bits.extend(coding.place(item, source, &mut coded)),
            None => coding.sound = false,
        }
    }
    coding.check_complete(&items, &coded, first_members);
    let width = bits.len();
    if coding.sound && (width == 0 || width > MAX_WORD_BITS as usize) {
        let message = format!("a CODING of {}", count(width as u128, "bit"));
        let label = format!("has to have from 1 to {MAX_WORD_BITS} bits");
        coding.diagnostics.push(error(code::CODING_WIDTH, section.span, message, label));
        coding.sound = false;
    }
    let word_is_sound = coding.sound;
    let tail = coding.place_tail(tail, &items, &mut coded);
    let is_sound = coding.sound;
    if word_is_sound {
        draft.coding = Some(bits);
        draft.tail = tail;
    }
    is_sound
}

/// The message for a name without coded bits.
fn no_bits(name: &ast::Name, declared: Span) -> Diagnostic {
    let message = format!("`{}` is a LOCAL or REFERENCE, which has no coded bits here", name.text);
    error(code::WRONG_KIND, name.span, message, "an alias or field is needed")
        .secondary(declared, "declared here")
        .help("CODING lists bits, fields and aliases")
}

/// An item of a CODING with its name bound.
enum Item {
    /// Fixed and don't-care bits.
    Bits,
    /// Bits of a field, or a whole new one.
    Field { field: FieldId, high: u32, low: u32, span: Span },
    /// Bits of an instance.
    Instance { instance: InstanceId, high: u32, low: u32, span: Span },
}

/// A bit of a field or instance, for the search for bits that are coded twice or never.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum CodedBit {
    Field(FieldId, u32),
    Instance(InstanceId, u32),
}

struct Coding<'a> {
    scope: &'a mut OperationScope,
    table: &'a Table,
    diagnostics: &'a mut Diagnostics,
    sound: bool,
}

impl Coding<'_> {
    /// Binds an item's name; declares a field at its first mention.
    fn bind(&mut self, item: &CodingItem) -> Option<Item> {
        match item {
            CodingItem::Bits(_) => Some(Item::Bits),
            CodingItem::Field { name, pattern } => {
                if let Some((_, first)) = self.scope.names.get(&name.text) {
                    let first = *first;
                    self.diagnostics.push(double(name, first));
                    return None;
                }
                let width = u32::try_from(pattern.bits.len()).ok()?;
                let field = self.declare_field(name);
                let high = width.checked_sub(1)?;
                Some(Item::Field { field, high, low: 0, span: name.span })
            }
            CodingItem::Name { name, slice: None, span } => self.bind_whole(name, *span),
            CodingItem::Name { name, slice: Some((high, low)), span } => {
                self.bind_slice(name, high, low, *span)
            }
        }
    }

    fn declare_field(&mut self, name: &ast::Name) -> FieldId {
        let id = FieldId(u32::try_from(self.scope.fields.len()).unwrap_or(u32::MAX));
        let field =
            Field { name: name.text.clone(), span: name.span, width_bits: 0, signed: false, copy_of: None };
        self.scope.fields.push(field);
        self.scope.names.insert(name.text.clone(), (Meaning::Field(id), name.span));
        id
    }

    /// A name without a slice: a whole alias.
    fn bind_whole(&mut self, name: &ast::Name, span: Span) -> Option<Item> {
        match self.scope.names.get(&name.text) {
            Some((Meaning::Broken, _)) => None,
            Some((Meaning::Instance(id), _)) => {
                let instance = *id;
                let width = self.coded_instance(instance, span)?;
                Some(Item::Instance { instance, high: width.checked_sub(1)?, low: 0, span })
            }
            Some((Meaning::Field(_), first)) => {
                let message = format!("the field `{}` is coded twice", name.text);
                let diagnostic =
                    error(code::CODED_TWICE, span, message, "again here").secondary(*first, "first here");
                self.diagnostics.push(diagnostic);
                None
            }
            Some((Meaning::Variable(_) | Meaning::Reference(_), declared)) => {
                let declared = *declared;
                self.diagnostics.push(no_bits(name, declared));
                None
            }
            None => {
                let known = self.scope.names.keys().map(String::as_str);
                let known = unless_unread(known, self.diagnostics);
                let message = format!("undefined alias `{}`", name.text);
                let text = &name.text;
                let diagnostic = error(code::UNDEFINED, span, message, "no alias of this operation")
                    .help(format!("INSTANCE it, or declare a field, as `{text}=0bx[8]`"));
                let near = did_you_mean(&name.text, known);
                self.diagnostics.push(help_if(diagnostic, near));
                self.scope.names.insert(name.text.clone(), (Meaning::Broken, name.span));
                None
            }
        }
    }

    /// An alias that stands as a whole where it stood as a whole before has the same bits there: those
    /// of a field that nobody can name.
    fn copy_repeated(&mut self, items: &mut [Option<Item>]) {
        let mut whole = BTreeSet::new();
        for item in items.iter_mut().flatten() {
            let Item::Instance { instance, high, low: 0, span } = *item else { continue };
            let found = &self.scope.instances[instance.index()];
            if found.width_bits != Some(high + 1) || whole.insert(instance) {
                continue;
            }
            let field = FieldId(u32::try_from(self.scope.fields.len()).unwrap_or(u32::MAX));
            let name = format!("{}_again", found.alias);
            let copy_of = Some(instance);
            self.scope.fields.push(Field { name, span, width_bits: 0, signed: false, copy_of });
            *item = Item::Field { field, high, low: 0, span };
        }
    }

    /// Notes that an instance is part of the CODING; its width, if it is known.
    fn coded_instance(&mut self, id: InstanceId, span: Span) -> Option<u32> {
        let instance = self.scope.instances.get_mut(id.index())?;
        if instance.role == InstanceRole::Root {
            let message = format!("`{}` is part of both CODING and CODINGROOT", instance.alias);
            let diagnostic = error(code::CODED_TWICE, span, message, "part of this word here")
                .help("give each its own alias");
            self.diagnostics.push(diagnostic);
            return None;
        }
        instance.role = InstanceRole::Coded;
        instance.width_bits
    }

    fn bind_slice(
        &mut self,
        name: &ast::Name,
        high: &ast::Expr,
        low: &ast::Expr,
        span: Span,
    ) -> Option<Item> {
        let high_bit = typing::number(self.table, high, self.diagnostics);
        // An index has its high and low bit in one expression, which is reported once.
        let low_bit = match high == low {
            true => high_bit,
            false => typing::number(self.table, low, self.diagnostics),
        };
        let found = self.scope.names.get(&name.text).copied();
        let meaning = found.map(|(meaning, _)| meaning);
        let known_width = match meaning {
            Some(Meaning::Broken) => return None,
            Some(Meaning::Variable(_) | Meaning::Reference(_)) => {
                let declared = found.map_or(name.span, |(_, declared)| declared);
                self.diagnostics.push(no_bits(name, declared));
                return None;
            }
            Some(Meaning::Instance(id)) => Some(self.coded_instance(id, span)?),
            Some(Meaning::Field(_)) | None => None,
        };
        let field = match meaning {
            None => Some(self.declare_field(name)),
            Some(Meaning::Field(field)) => Some(field),
            _ => None,
        };
        let (high_bit, low_bit) = (high_bit?, low_bit?);
        let limit = known_width.unwrap_or(MAX_WORD_BITS);
        if low_bit > high_bit || high_bit >= u128::from(limit) {
            let message = match low_bit > high_bit {
                true => format!("the slice `{high_bit}..{low_bit}` of `{}` runs upwards", name.text),
                false => format!("`{}` has no bits {high_bit}..{low_bit}", name.text),
            };
            let (label, help) = match known_width {
                _ if low_bit > high_bit => ("no bits".to_owned(), "write the most significant bit first"),
                Some(width) => (format!("has {}", count(width, "bit")), "bits count from 0"),
                None => ("out of bounds".to_owned(), "a field has at most 256 bits"),
            };
            let diagnostic = error(code::OUT_OF_BOUNDS, span, message, label);
            self.diagnostics.push(diagnostic.help(help));
            return None;
        }
        let (high, low) = (u32::try_from(high_bit).ok()?, u32::try_from(low_bit).ok()?);
        match (field, meaning) {
            (Some(field), _) => Some(Item::Field { field, high, low, span }),
            (None, Some(Meaning::Instance(instance))) => Some(Item::Instance { instance, high, low, span }),
            _ => None,
        }
    }

    /// A field reaches from its highest named bit down to 0.
    fn size_fields<'i>(&mut self, items: impl Iterator<Item = &'i Item>) {
        for item in items {
            if let Item::Field { field, high, .. } = item {
                let field = &mut self.scope.fields[field.index()];
                field.width_bits = field.width_bits.max(high + 1);
            }
        }
        for index in 0..self.scope.fields.len() {
            // No bit of it could be bound, which was reported.
            if self.scope.fields[index].width_bits == 0 {
                let name = self.scope.fields[index].name.clone();
                if let Some(entry) = self.scope.names.get_mut(&name) {
                    entry.0 = Meaning::Broken;
                }
                self.sound = false;
            }
        }
    }
}
