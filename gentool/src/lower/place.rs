//! Places: what is assigned to, prepared once, read and written.

use std::collections::BTreeSet;

use isac_ir::behavior::{AccessKind, Expr, ExprKind, Stmt};
use isac_ir::operand::{Binding, MentionKind};
use isac_parser::model::{
    Expr as Source, ExprKind as SourceKind, FunctionId, InstanceId, Place as SourcePlace, PlaceKind,
    ReferenceId, RegisterId, Type, VariableId,
};
use isac_parser::source::Span;

use super::body::BodyBuilder;
use super::expression::convert;
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
    Register {
        register: RegisterId,
        index: Option<Expr>,
    },
    Memory {
        view: View,
        fetch: bool,
    },
    Operand(InstanceId),
    Reference(ReferenceId),
    Bound(BoundPlace),
    Slice {
        base: Box<Place>,
        low: u32,
    },
    Bit {
        base: Box<Place>,
        index: Expr,
    },
    Concat(Vec<Place>),
    Conditional {
        condition: Expr,
        then: Box<Arm>,
        otherwise: Box<Arm>,
    },
    /// The value is evaluated by each read.
    Written {
        value: Box<Source>,
        writer: FunctionId,
        arguments: Vec<Expr>,
    },
}

/// An operand, or what a reference stands for, that is found.
#[derive(Debug, Clone, Copy)]
pub(super) struct BoundPlace {
    binding: u32,
    /// `None` for a reference.
    instance: Option<InstanceId>,
}

/// What a place is prepared for: an operand that is mentioned for more than one thing, or beside
/// others, has to be found before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose {
    /// One read of all of it.
    Read,
    /// One write of all of it.
    Write,
    /// Anything.
    Update,
}

impl Purpose {
    /// What a place is prepared for of which a part is.
    fn of_whole(self) -> Purpose {
        match self {
            Purpose::Read => Purpose::Read,
            // A write to a part keeps the rest.
            Purpose::Write | Purpose::Update => Purpose::Update,
        }
    }
}

/// A place that may be chosen; its type may differ from that of the choice.
#[derive(Debug, Clone)]
pub(super) struct Arm {
    pub place: Place,
    signed: bool,
}

impl Place {
    /// The variables of the body that it needs.
    pub(super) fn locals(&self) -> BTreeSet<u32> {
        let mut found = BTreeSet::new();
        self.add_locals(&mut found);
        found
    }

    fn add_locals(&self, found: &mut BTreeSet<u32>) {
        let mut add = |expr: &Expr| {
            expr.walk(&mut |expr| {
                if let ExprKind::Local(local) = expr.kind {
                    found.insert(local);
                }
            });
        };
        match &self.kind {
            Kind::Local(local) => {
                found.insert(*local);
            }
            Kind::Variable(_) | Kind::Operand(_) | Kind::Reference(_) | Kind::Bound(_) => {}
            Kind::Register { index, .. } => index.iter().for_each(add),
            Kind::Memory { view, .. } => add(&view.address),
            Kind::Slice { base, .. } => base.add_locals(found),
            Kind::Bit { base, index } => {
                add(index);
                base.add_locals(found);
            }
            Kind::Concat(parts) => parts.iter().for_each(|part| part.add_locals(found)),
            Kind::Conditional { condition, then, otherwise } => {
                add(condition);
                then.place.add_locals(found);
                otherwise.place.add_locals(found);
            }
            Kind::Written { arguments, .. } => arguments.iter().for_each(add),
        }
    }
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
                let base = self.prepare_place(base, Purpose::Read);
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
            PlaceKind::Written { value, .. } => self.lower_value(value),
            _ => {
                let place = self.prepare_place(place, Purpose::Read);
                self.read_place(&place)
            }
        }
    }

    /// Evaluates indexes and addresses, once.
    pub(super) fn prepare_place(&mut self, place: &SourcePlace, purpose: Purpose) -> Place {
        let kind = match &place.kind {
            PlaceKind::Local(local) => Kind::Local(self.scope[local]),
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
            PlaceKind::Operand(instance) if purpose == Purpose::Update => Kind::Bound(self.bind(*instance)),
            PlaceKind::Operand(instance) => Kind::Operand(*instance),
            PlaceKind::Reference(reference) if purpose == Purpose::Update => {
                Kind::Bound(self.bind_reference(*reference))
            }
            PlaceKind::Reference(reference) => Kind::Reference(*reference),
            PlaceKind::Slice { base, low, .. } => {
                Kind::Slice { base: Box::new(self.prepare_place(base, purpose.of_whole())), low: *low }
            }
            PlaceKind::Bit { base, index } => {
                let base = Box::new(self.prepare_place(base, purpose.of_whole()));
                let index = self.lower_value(index);
                Kind::Bit { base, index: self.spill(index) }
            }
            PlaceKind::Concat(parts) => {
                let purpose = purpose.of_whole();
                Kind::Concat(parts.iter().map(|part| self.prepare_place(part, purpose)).collect())
            }
            PlaceKind::Conditional(condition, then, otherwise) => {
                self.prepare_choice(place.span, condition, [then, otherwise], purpose)
            }
            PlaceKind::Written { value, writer, arguments } => {
                let arguments = self.lower_list(arguments);
                let arguments = arguments.into_iter().map(|argument| self.spill(argument)).collect();
                Kind::Written { value: value.clone(), writer: *writer, arguments }
            }
        };
        Place { width: place.ty.width_bits, kind }
    }

    fn bind(&mut self, instance: InstanceId) -> BoundPlace {
        let mention = Some(self.mention(instance, MentionKind::Bind));
        let binding = self.new_binding(Binding::Instance(instance.0));
        self.push(Stmt::Bind { binding, mention });
        self.pass_mention(Binding::Instance(instance.0));
        BoundPlace { binding, instance: Some(instance) }
    }

    fn bind_reference(&mut self, reference: ReferenceId) -> BoundPlace {
        let binding = self.new_binding(Binding::Reference(reference.0));
        self.push(Stmt::Bind { binding, mention: None });
        self.pass_mention(Binding::Reference(reference.0));
        BoundPlace { binding, instance: None }
    }

    fn new_binding(&mut self, binding: Binding) -> u32 {
        self.body.bindings.push(binding);
        self.body.bindings.len() as u32 - 1
    }

    /// A read of a place that is found; what kind says whether it counts.
    pub(super) fn read_bound(&mut self, place: BoundPlace, kind: MentionKind, width: u32) -> Expr {
        let mention = place.instance.map(|instance| self.mention(instance, kind));
        self.references += usize::from(mention.is_none());
        let kind = ExprKind::Bound { binding: place.binding, keeps: kind == MentionKind::KeepBound, mention };
        self.value_of_mention(self.body.bindings[place.binding as usize], Expr { width, kind })
    }

    pub(super) fn write_bound(&mut self, place: BoundPlace, value: Expr) {
        let mention = place.instance.map(|instance| self.mention(instance, MentionKind::WriteBound));
        self.push(Stmt::SetBound { binding: place.binding, mention, value });
        self.pass_mention(self.body.bindings[place.binding as usize]);
    }

    /// Evaluates a condition, and the indexes of the place that it chooses alone.
    fn prepare_choice(
        &mut self,
        span: Span,
        decides: &Source,
        [then, otherwise]: [&SourcePlace; 2],
        purpose: Purpose,
    ) -> Kind {
        let condition = self.lower_condition(decides);
        let condition = self.spill(condition);
        let [(then, first), (otherwise, second)] = [(0, then), (1, otherwise)].map(|(side, place)| {
            self.prepare_arm(place, purpose, |builder| {
                builder.visit_choice(span, decides, (side, place.span));
            })
        });
        // An arm that has nothing but its count has nothing to evaluate.
        if first.statements.len() > 1 || second.statements.len() > 1 {
            self.push_if(condition.clone(), first, second);
        }
        Kind::Conditional { condition, then: Box::new(then), otherwise: Box::new(otherwise) }
    }

    fn prepare_arm(
        &mut self,
        place: &SourcePlace,
        purpose: Purpose,
        visit: impl FnOnce(&mut Self),
    ) -> (Arm, super::body::Arm) {
        let mut prepared = None;
        let statements = self.arm(|builder| {
            visit(builder);
            prepared = Some(builder.prepare_place(place, purpose));
        });
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
                let mention = self.mention(*instance, MentionKind::Read);
                let kind = ExprKind::Operand { instance: instance.0, mention };
                return self.value_of_mention(Binding::Instance(instance.0), Expr { width, kind });
            }
            Kind::Reference(reference) => {
                self.references += 1;
                let kind = ExprKind::Reference(reference.0);
                return self.value_of_mention(Binding::Reference(reference.0), Expr { width, kind });
            }
            Kind::Bound(place) => return self.read_bound(*place, MentionKind::ReadBound, width),
            Kind::Slice { base, low } if base.width > MOST_BITS => {
                return self.read_wide_slice(base, *low, width);
            }
            Kind::Slice { base, low } => ExprKind::Slice { base: Box::new(self.read_place(base)), low: *low },
            Kind::Bit { base, index } => {
                let base = Box::new(self.read_place(base));
                ExprKind::Bit { base, index: Box::new(index.clone()) }
            }
            Kind::Concat(parts) => ExprKind::Concat(self.in_order(parts, Self::read_place)),
            Kind::Conditional { condition, then, otherwise } => {
                let read = |builder: &mut Self, place: &Place| builder.read_place(place);
                return self.read_choice(width, condition, [then, otherwise], read);
            }
            Kind::Written { value, .. } => return self.lower_value(value),
        };
        Expr { width, kind }
    }

    /// Reads the place that a condition chose; the other may be at fault and is left alone.
    pub(super) fn read_choice(
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
