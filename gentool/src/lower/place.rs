//! Places: what is assigned to, prepared once, read and written.

use isac_ir::behavior::{AccessKind, BinaryOp, Expr, ExprKind, Stmt, UNCOUNTED, UnaryOp};
use isac_parser::model::{
    Expr as Source, ExprKind as SourceKind, InstanceId, Place as SourcePlace, PlaceKind, ReferenceId,
    RegisterId, Type, VariableId,
};

use super::body::BodyBuilder;
use super::expression::{binary, convert};
use super::range::View;
use super::wide::MOST_BITS;

/// A place whose indexes and addresses are evaluated.
#[derive(Debug, Clone)]
pub(super) struct Place {
    pub width: u32,
    pub kind: Kind,
}

#[derive(Debug, Clone)]
pub(super) enum Kind {
    Local(u32),
    Variable(VariableId),
    Register { register: RegisterId, index: Option<Expr> },
    Memory { view: View, fetch: bool },
    Operand(InstanceId),
    Reference(ReferenceId),
    Slice { base: Box<Place>, low: u32 },
    Bit { base: Box<Place>, index: Expr },
    Concat(Vec<Place>),
    Conditional { condition: Expr, then: Box<Arm>, otherwise: Box<Arm> },
}

/// A place that may be chosen; its type may differ from that of the choice.
#[derive(Debug, Clone)]
pub(super) struct Arm {
    place: Place,
    signed: bool,
}

impl BodyBuilder<'_> {
    /// The value of a place, where it is read and not written.
    pub(super) fn read_source_place(&mut self, place: &SourcePlace) -> Expr {
        let width = place.ty.width_bits;
        match &place.kind {
            PlaceKind::Register { register, index } => {
                let index = index.as_ref().map(|index| self.lower_value(index));
                self.read_place(&Place { width, kind: Kind::Register { register: *register, index } })
            }
            PlaceKind::Memory { map, cells, fetch, address } => {
                let address = self.lower_value(address);
                let view = View { map: *map, cells: *cells, address };
                self.read_place(&Place { width, kind: Kind::Memory { view, fetch: *fetch } })
            }
            PlaceKind::Conditional(condition, then, otherwise) => {
                let kind = SourceKind::Conditional(
                    condition.clone(),
                    Box::new(read_as(then, place.ty)),
                    Box::new(read_as(otherwise, place.ty)),
                );
                self.lower_value(&Source { kind, ty: Some(place.ty), span: place.span })
            }
            PlaceKind::Slice { base, low, .. } if base.ty.width_bits > MOST_BITS => {
                let base = self.prepare_place(base);
                self.read_wide_slice(&base, *low, width)
            }
            PlaceKind::Slice { base, low, .. } => {
                let base = Box::new(self.read_source_place(base));
                Expr { width, kind: ExprKind::Slice { base, low: *low } }
            }
            PlaceKind::Concat(parts) => {
                let kind = SourceKind::Concat(parts.iter().map(read_of).collect());
                self.lower_value(&Source { kind, ty: Some(place.ty), span: place.span })
            }
            PlaceKind::Bit { base, index } => {
                let kind = SourceKind::Bit { base: Box::new(read_of(base)), index: index.clone() };
                self.lower_value(&Source { kind, ty: Some(place.ty), span: place.span })
            }
            _ => {
                let place = self.prepare_place(place);
                self.read_place(&place)
            }
        }
    }

    /// Evaluates indexes and addresses, once.
    pub(super) fn prepare_place(&mut self, place: &SourcePlace) -> Place {
        let kind = match &place.kind {
            PlaceKind::Local(local) => Kind::Local(self.scope.get(local).copied().unwrap_or(0)),
            PlaceKind::Variable(variable) => Kind::Variable(*variable),
            PlaceKind::Register { register, index } => Kind::Register {
                register: *register,
                index: index.as_ref().map(|index| {
                    let index = self.lower_value(index);
                    self.spill(index)
                }),
            },
            PlaceKind::Memory { map, cells, fetch, address } => {
                let address = self.lower_value(address);
                let address = self.spill(address);
                Kind::Memory { view: View { map: *map, cells: *cells, address }, fetch: *fetch }
            }
            PlaceKind::Operand(instance) => Kind::Operand(*instance),
            PlaceKind::Reference(reference) => Kind::Reference(*reference),
            PlaceKind::Slice { base, low, .. } => {
                Kind::Slice { base: Box::new(self.prepare_place(base)), low: *low }
            }
            PlaceKind::Bit { base, index } => {
                let base = Box::new(self.prepare_place(base));
                let index = self.lower_value(index);
                Kind::Bit { base, index: self.spill(index) }
            }
            PlaceKind::Concat(parts) => {
                Kind::Concat(parts.iter().map(|part| self.prepare_place(part)).collect())
            }
            PlaceKind::Conditional(condition, then, otherwise) => {
                self.prepare_choice(condition, then, otherwise)
            }
        };
        Place { width: place.ty.width_bits, kind }
    }

    /// Evaluates a condition, and the indexes of the place that it chooses alone.
    fn prepare_choice(&mut self, condition: &Source, then: &SourcePlace, otherwise: &SourcePlace) -> Kind {
        let condition = self.lower_condition(condition);
        let condition = self.spill(condition);
        let (then, first) = self.prepare_arm(then);
        let (otherwise, second) = self.prepare_arm(otherwise);
        // An arm that has nothing but its count has nothing to evaluate.
        if first.statements.len() > 1 || second.statements.len() > 1 {
            self.push_if(condition.clone(), first, second);
        }
        Kind::Conditional { condition, then: Box::new(then), otherwise: Box::new(otherwise) }
    }

    fn prepare_arm(&mut self, place: &SourcePlace) -> (Arm, super::body::Arm) {
        let mut prepared = None;
        let statements = self.arm(|builder| prepared = Some(builder.prepare_place(place)));
        let place_of_arm = prepared.unwrap_or_else(|| unreachable!("the arm was lowered"));
        (Arm { place: place_of_arm, signed: place.ty.signed }, statements)
    }

    /// Reads a prepared place; each access is counted.
    pub(super) fn read_place(&mut self, place: &Place) -> Expr {
        let width = place.width;
        let kind = match &place.kind {
            Kind::Local(local) => ExprKind::Local(*local),
            Kind::Variable(variable) => ExprKind::Variable(variable.0),
            Kind::Register { register, index } => ExprKind::Register {
                register: register.0,
                index: index.clone().map(Box::new),
                access: self.register_access(*register, AccessKind::Read),
            },
            Kind::Memory { view, fetch: true } => return self.fetch_view(view),
            Kind::Memory { view, fetch: false } => return self.read_view(view),
            Kind::Operand(instance) => {
                let mention = self.mention(*instance, false);
                ExprKind::Operand { instance: instance.0, mention }
            }
            Kind::Reference(reference) => {
                self.references += 1;
                ExprKind::Reference { reference: reference.0, counted: true }
            }
            Kind::Slice { base, low } if base.width > MOST_BITS => {
                return self.read_wide_slice(base, *low, width);
            }
            Kind::Slice { base, low } => ExprKind::Slice { base: Box::new(self.read_place(base)), low: *low },
            Kind::Bit { base, index } => {
                let base = Box::new(self.read_place(base));
                ExprKind::Bit { base, index: Box::new(index.clone()) }
            }
            Kind::Concat(parts) => ExprKind::Concat(parts.iter().map(|part| self.read_place(part)).collect()),
            Kind::Conditional { condition, then, otherwise } => {
                let read = |builder: &mut Self, place: &Place| builder.read_place(place);
                return self.read_choice(width, condition, [then, otherwise], read);
            }
        };
        Expr { width, kind }
    }

    /// Reads the place that a condition chose; the other may be at fault and is left alone.
    fn read_choice(
        &mut self,
        width: u32,
        condition: &Expr,
        arms: [&Arm; 2],
        read: impl Fn(&mut Self, &Place) -> Expr,
    ) -> Expr {
        let result = self.new_local("t", width);
        let [then, otherwise] = arms.map(|arm| {
            self.arm(|builder| {
                let value = convert(read(builder, &arm.place), arm.signed, width);
                builder.push(Stmt::Set { local: result, value });
            })
        });
        self.push_if(condition.clone(), then, otherwise);
        Expr::local(width, result)
    }

    /// Writes a prepared place; each access is counted.
    pub(super) fn write_place(&mut self, place: &Place, value: Expr) {
        match &place.kind {
            Kind::Local(local) => self.push(Stmt::Set { local: *local, value }),
            Kind::Variable(variable) => self.push(Stmt::SetVariable { variable: variable.0, value }),
            Kind::Register { register, index } => {
                let access = self.register_access(*register, AccessKind::Write);
                let index = index.clone();
                self.push(Stmt::SetRegister { register: register.0, index, low: 0, value, access });
            }
            Kind::Memory { view, .. } => self.write_view(view, value),
            Kind::Operand(instance) => {
                let mention = self.mention(*instance, true);
                self.push(Stmt::SetOperand { instance: instance.0, mention, value });
            }
            Kind::Reference(reference) => {
                self.push(Stmt::SetReference { reference: reference.0, value });
            }
            Kind::Slice { base, low } => self.write_slice(base, *low, value),
            Kind::Bit { base, index } => self.write_bit(base, index, value),
            Kind::Concat(parts) => {
                let value = self.spill(value);
                let mut low = value.width;
                for part in parts {
                    low -= part.width;
                    let base = Box::new(value.clone());
                    let kind = ExprKind::Slice { base, low };
                    self.write_place(part, Expr { width: part.width, kind });
                }
            }
            Kind::Conditional { condition, then, otherwise } => {
                let value = self.spill(value);
                let arm = |builder: &mut Self, place: &Place| {
                    let value = convert(value.clone(), false, place.width);
                    builder.arm(|builder| builder.write_place(place, value))
                };
                let then = arm(self, &then.place);
                let otherwise = arm(self, &otherwise.place);
                self.push_if(condition.clone(), then, otherwise);
            }
        }
    }

    /// Writes bits from `low` on: one write, no read that counts.
    pub(super) fn write_slice(&mut self, base: &Place, low: u32, value: Expr) {
        if base.width > MOST_BITS {
            return self.write_wide_slice(base, low, value);
        }
        if let Kind::Register { register, index } = &base.kind {
            let access = self.register_access(*register, AccessKind::Write);
            let index = index.clone();
            self.push(Stmt::SetRegister { register: register.0, index, low, value, access });
            return;
        }
        if let Kind::Concat(parts) = &base.kind {
            self.write_parts(parts, base.width, low, value);
            return;
        }
        let value = self.spill(value);
        let old = self.read_uncounted(base);
        let old = self.spill(old);
        let high = low + value.width;
        let part =
            |low: u32, width: u32| Expr { width, kind: ExprKind::Slice { base: Box::new(old.clone()), low } };
        let mut parts = Vec::new();
        if high < base.width {
            parts.push(part(high, base.width - high));
        }
        parts.push(value);
        if low > 0 {
            parts.push(part(0, low));
        }
        self.write_place(base, Expr { width: base.width, kind: ExprKind::Concat(parts) });
    }

    /// Writes bits from `low` on of a concatenation: parts without any of them are not touched.
    fn write_parts(&mut self, parts: &[Place], total: u32, low: u32, value: Expr) {
        let value = self.spill(value);
        let high = low + value.width;
        let mut end = total;
        for part in parts {
            let begin = end - part.width;
            let (first, last) = (low.max(begin), high.min(end));
            if first < last {
                let width = last - first;
                let kind = ExprKind::Slice { base: Box::new(value.clone()), low: first - low };
                let bits = Expr { width, kind };
                match width == part.width {
                    true => self.write_place(part, bits),
                    false => self.write_slice(part, first - begin, bits),
                }
            }
            end = begin;
        }
    }

    /// Writes one bit at a computed index; beyond the width nothing changes.
    fn write_bit(&mut self, base: &Place, index: &Expr, value: Expr) {
        let width = base.width;
        let value = self.spill(convert(value, false, width));
        let old = self.read_uncounted(base);
        let one = Expr::constant(width, 1);
        let hole = binary(BinaryOp::ShiftLeft, width, one, index.clone());
        let keep = Expr { width, kind: ExprKind::Unary(UnaryOp::Not, Box::new(hole)) };
        let kept = binary(BinaryOp::And, width, old, keep);
        let bit = binary(BinaryOp::ShiftLeft, width, value, index.clone());
        let new = binary(BinaryOp::Or, width, kept, bit);
        self.write_place(base, new);
    }

    /// Reads what a partial write keeps.
    fn read_uncounted(&mut self, place: &Place) -> Expr {
        let width = place.width;
        let kind = match &place.kind {
            Kind::Local(local) => ExprKind::Local(*local),
            Kind::Variable(variable) => ExprKind::Variable(variable.0),
            Kind::Register { register, index } => ExprKind::Register {
                register: register.0,
                index: index.clone().map(Box::new),
                access: UNCOUNTED,
            },
            Kind::Memory { view, .. } => return self.keep_view(view),
            Kind::Operand(instance) => ExprKind::Operand { instance: instance.0, mention: UNCOUNTED },
            Kind::Reference(reference) => ExprKind::Reference { reference: reference.0, counted: false },
            Kind::Slice { base, low } => {
                ExprKind::Slice { base: Box::new(self.read_uncounted(base)), low: *low }
            }
            Kind::Bit { base, index } => {
                let base = Box::new(self.read_uncounted(base));
                ExprKind::Bit { base, index: Box::new(index.clone()) }
            }
            Kind::Concat(parts) => {
                ExprKind::Concat(parts.iter().map(|part| self.read_uncounted(part)).collect())
            }
            Kind::Conditional { condition, then, otherwise } => {
                let read = |builder: &mut Self, place: &Place| builder.read_uncounted(place);
                return self.read_choice(width, condition, [then, otherwise], read);
            }
        };
        Expr { width, kind }
    }

    /// An assignment, compound assignment or step; its value if `wanted`.
    pub(super) fn lower_assignment(&mut self, source: &Source, wanted: bool) -> Option<Expr> {
        match &source.kind {
            SourceKind::Assign { place, value } if place.ty.width_bits > MOST_BITS => {
                if let SourceKind::Read(from) = &value.kind {
                    let from = self.prepare_place(from);
                    let pieces = self.read_wide(&from);
                    let to = self.prepare_place(place);
                    self.write_wide(&to, &pieces);
                }
                None
            }
            SourceKind::Assign { place, value } => {
                let mut value = self.lower_value(value);
                if wanted || needs_statements(place) {
                    value = self.spill(value);
                }
                let place = self.prepare_place(place);
                self.write_place(&place, value.clone());
                wanted.then_some(value)
            }
            SourceKind::AssignWith { place, operator, compute, value } => {
                let value = self.lower_value(value);
                let value = self.spill(value);
                let signed = place.ty.signed;
                let place = self.prepare_place(place);
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
                let place = self.prepare_place(place);
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

/// The value of a place as an expression.
fn read_of(place: &SourcePlace) -> Source {
    Source { kind: SourceKind::Read(Box::new(place.clone())), ty: Some(place.ty), span: place.span }
}

/// The value of a place in another type.
fn read_as(place: &SourcePlace, ty: Type) -> Source {
    let read = read_of(place);
    if place.ty == ty {
        return read;
    }
    Source { kind: SourceKind::Convert(Box::new(read)), ty: Some(ty), span: place.span }
}

/// True if preparing the place may need statements, before which the value must be fixed.
fn needs_statements(place: &SourcePlace) -> bool {
    match &place.kind {
        PlaceKind::Local(_) | PlaceKind::Variable(_) | PlaceKind::Operand(_) | PlaceKind::Reference(_) => {
            false
        }
        PlaceKind::Register { index, .. } => index.is_some(),
        PlaceKind::Slice { base, .. } => needs_statements(base),
        _ => true,
    }
}
