//! `#NAME(x, 8 + n)` and `#NAME(x)` name an element that exists, whatever the fields hold.
//!
//! The element follows from few bits, so every value that the fields can have is tried: those that
//! the operation's own CODING and WHEN allow. Fields of more bits are tried at their ends alone.

use std::collections::BTreeSet;

use super::walk::{Met, walk_expr};
use super::when::when_words;
use crate::cube::Cube;
use crate::diagnostic::Diagnostics;
use crate::model::{
    AssemblerItem, CodingBit, Expr, ExprKind, Field, FieldId, Format, Model, Operation, RegisterId, TailItem,
    Type,
};
use crate::proof::{Prover, Words};
use crate::resolve::code;
use crate::resolve::report::{count, error};
use crate::resolve::typing::{extend, fold_with};
use crate::source::Span;

/// All values of so many bits are tried.
const MAX_TRIED_BITS: u32 = 12;

/// Reports names of elements that no register has.
pub(super) fn check_element_names(model: &Model, diagnostics: &mut Diagnostics) {
    // What all names of a description take to be proven is bounded.
    let mut prover = Prover::new();
    for operation in &model.operations {
        // A field that several texts name is the same in each.
        let mut checked = BTreeSet::new();
        for (items, span) in operation.assembler.iter().zip(&operation.assembler_spans) {
            for item in items {
                let AssemblerItem::Field { field, format: Format::Name { register, index } } = item else {
                    continue;
                };
                match index {
                    Some(index) => check_name(model, operation, (*register, index), &mut prover, diagnostics),
                    None if checked.insert((*register, *field)) => {
                        let index = whole_field(operation, *field, *span);
                        check_name(model, operation, (*register, &index), &mut prover, diagnostics);
                    }
                    None => {}
                }
            }
        }
    }
}

/// The value of a field by itself.
fn whole_field(operation: &Operation, field: FieldId, span: Span) -> Expr {
    let Field { width_bits, signed, .. } = operation.fields[field.index()];
    Expr { kind: ExprKind::Field(field), ty: Some(Type { width_bits, signed }), span }
}

fn check_name(
    model: &Model,
    operation: &Operation,
    (register, index): (RegisterId, &Expr),
    prover: &mut Prover,
    diagnostics: &mut Diagnostics,
) {
    let file = &model.registers[register.index()];
    let elements = file.count.unwrap_or(1);
    let fields = Fields::of(operation, index);
    let allowed = when_words(operation, prover).ok();
    for values in fields.values() {
        let Some((element, is_negative)) = fields.element(index, &values) else { return };
        let exists = !is_negative && element < u128::from(elements);
        if exists || !fields.occur(operation, &values, allowed.as_ref(), prover) {
            continue;
        }
        let shown = if is_negative { (element as i128).to_string() } else { element.to_string() };
        let message = format!("`{}` has no element {shown}", file.name);
        let label = match fields.shown(operation, &values) {
            Some(values) => format!("names it where {values}"),
            None => "names it always".to_owned(),
        };
        let diagnostic = error(code::NO_SUCH_ELEMENT, index.span, message, label)
            .secondary(file.span, format!("has {}, counted from 0", count(elements, "element")))
            .help("name an element that exists, or exclude these words by WHEN");
        diagnostics.push(diagnostic);
        return;
    }
}

/// The fields that an element follows from.
struct Fields {
    /// With their widths in bits.
    fields: Vec<(FieldId, u32)>,
}

impl Fields {
    fn of(operation: &Operation, index: &Expr) -> Fields {
        let mut found = BTreeSet::new();
        walk_expr(index, &mut |met| {
            if let Met::Expr(Expr { kind: ExprKind::Field(id), .. }) = met {
                found.insert(*id);
            }
        });
        let width = |id: FieldId| operation.fields[id.index()].width_bits;
        Fields { fields: found.into_iter().map(|id| (id, width(id))).collect() }
    }

    /// What the fields are tried with, one after the other.
    fn values(&self) -> Vec<Vec<u128>> {
        let bits: u32 = self.fields.iter().map(|(_, width)| width).sum();
        let one = |width: u32| -> Vec<u128> {
            let highest = u128::MAX.checked_shr(u128::BITS - width.min(u128::BITS)).unwrap_or(0);
            if bits <= MAX_TRIED_BITS { (0..=highest).collect() } else { vec![0, highest] }
        };
        let mut all = vec![Vec::new()];
        for (_, width) in self.fields.iter().take(MAX_TRIED_BITS as usize) {
            let longer = |values: &Vec<u128>| -> Vec<Vec<u128>> {
                one(*width).into_iter().map(|value| [values.as_slice(), &[value]].concat()).collect()
            };
            all = all.iter().flat_map(longer).collect();
        }
        all
    }

    /// The element that fields of these values name, and whether it is negative.
    fn element(&self, index: &Expr, values: &[u128]) -> Option<(u128, bool)> {
        let value = |id: FieldId| {
            let at = self.fields.iter().position(|(field, _)| *field == id)?;
            values.get(at).copied()
        };
        let ty = index.ty?;
        let element = extend(fold_with(index, &value)?, ty);
        Some((element, ty.signed && (element as i128) < 0))
    }

    /// True if a word of the operation has these values. Where that takes too long to be found out,
    /// nothing is said.
    fn occur(
        &self,
        operation: &Operation,
        values: &[u128],
        allowed: Option<&Words>,
        prover: &mut Prover,
    ) -> bool {
        let Some(allowed) = allowed else { return false };
        let mut word = Cube::default();
        let mut coded = BTreeSet::new();
        for (position, bit) in field_bits(operation) {
            let CodingBit::Field { field, bit, fixed } = bit else { continue };
            let Some(at) = self.fields.iter().position(|(found, _)| found == field) else { continue };
            let set = values.get(at).is_some_and(|value| value >> bit & 1 == 1);
            if fixed.is_some_and(|fixed| fixed != set) {
                return false;
            }
            coded.insert((at, *bit));
            word = position.map_or(word, |position| word.with_bit(position, set));
        }
        // A bit that is never coded is 0.
        let mut uncoded = (0..).zip(values).flat_map(|(at, value)| {
            let set = (0..u128::BITS).filter(move |bit| value >> bit & 1 == 1);
            set.map(move |bit| (at, bit))
        });
        uncoded.all(|bit| coded.contains(&bit))
            && prover.overlap(allowed, &Words::of_cube(word)).is_ok_and(|both| both.is_some())
    }

    /// The values as a message shows them; `None` without fields.
    fn shown(&self, operation: &Operation, values: &[u128]) -> Option<String> {
        let pairs = self.fields.iter().zip(values);
        let each = pairs.map(|((id, _), value)| format!("{} is {value}", operation.fields[id.index()].name));
        let each: Vec<String> = each.collect();
        (!each.is_empty()).then(|| each.join(" and "))
    }
}

/// The bits of an operation's CODING with their places in the word, and those of its TAIL.
fn field_bits(operation: &Operation) -> Vec<(Option<u32>, &CodingBit)> {
    let coding = operation.coding.iter().flat_map(|bits| (0..).map(Some).zip(bits.iter().rev()));
    let words = operation.tail.iter().filter_map(|item| match item {
        TailItem::Word { bits, .. } => Some(bits),
        _ => None,
    });
    coding.chain(words.flatten().map(|bit| (None, bit))).collect()
}
