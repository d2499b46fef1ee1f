//! Assignments, compound ones and steps: the right side, then the place, found once.

use isac_ir::behavior::{BinaryOp, Expr};
use isac_parser::model::{Expr as Source, ExprKind as SourceKind, Place as SourcePlace, PlaceKind};

use super::body::BodyBuilder;
use super::expression::{binary, convert};
use super::place::Purpose;
use super::wide::MOST_BITS;

impl BodyBuilder<'_> {
    /// An assignment, compound assignment or step; its value if `wanted`.
    pub(super) fn lower_assignment(&mut self, source: &Source, wanted: bool) -> Option<Expr> {
        match &source.kind {
            SourceKind::Assign { place, value } if place.ty.width_bits > MOST_BITS => {
                if let SourceKind::Read(from) = &value.kind {
                    let from = self.prepare_place(from, Purpose::Read);
                    let pieces = self.read_wide(&from);
                    let to = self.prepare_place(place, Purpose::Write);
                    self.write_wide(&to, &pieces);
                }
                None
            }
            SourceKind::Assign { place, value } => {
                let mut value = self.lower_value(value);
                if wanted || needs_statements(place) {
                    value = self.spill(value);
                }
                let place = self.prepare_place(place, Purpose::Write);
                self.write_place(&place, value.clone());
                wanted.then_some(value)
            }
            SourceKind::AssignWith { place, operator, compute, value } => {
                let value = self.lower_value(value);
                let value = self.spill(value);
                let signed = place.ty.signed;
                let place = self.prepare_place(place, Purpose::Update);
                let old = self.read_place(&place);
                let old = convert(old, signed, compute.width_bits);
                let new = self.lower_binary(*operator, compute.signed, compute.width_bits, old, value);
                let mut new = convert(new, compute.signed, place.width);
                if wanted {
                    new = self.spill(new);
                }
                self.write_place(&place, new.clone());
                wanted.then_some(new)
            }
            SourceKind::Step { place, increment, prefix } => {
                let place = self.prepare_place(place, Purpose::Update);
                let old = self.read_place(&place);
                let old = if wanted { self.spill(old) } else { old };
                let operator = if *increment { BinaryOp::Add } else { BinaryOp::Subtract };
                let mut new = binary(operator, place.width, old.clone(), Expr::constant(place.width, 1));
                if wanted && *prefix {
                    new = self.spill(new);
                }
                self.write_place(&place, new.clone());
                wanted.then_some(if *prefix { new } else { old })
            }
            _ => None,
        }
    }
}

/// True if preparing the place may need statements, before which the value must be fixed.
fn needs_statements(place: &SourcePlace) -> bool {
    match &place.kind {
        PlaceKind::Local(_) | PlaceKind::Variable(_) | PlaceKind::Operand(_) | PlaceKind::Reference(_) => {
            false
        }
        PlaceKind::Register { index, .. } => index.is_some(),
        PlaceKind::Slice { base, .. } => match base.kind {
            PlaceKind::Operand(_) | PlaceKind::Reference(_) => true,
            _ => needs_statements(base),
        },
        _ => true,
    }
}
