//! WHEN: comparisons of coded bits, each side as a row of bits.

mod chosen;
mod coded;
mod order;

use coded::Coded;

use super::code;
use super::expression_names::visit_names;
use super::names::{Constant, Global, Table};
use super::operation::{Draft, OperationScope};
use super::report::{count, error};
use super::suggestion::{did_you_mean, unless_unread};
use super::typing::{self, extend};
use crate::ast::{BinaryOperator, Expr, ExprKind, Name, UnaryOperator};
use crate::diagnostic::Diagnostics;
use crate::model::{CodingBit, ComparedBit, Comparison, Condition, FieldId, Relation, TailItem, When};
use crate::source::Span;

/// Resolves an operation's WHEN; `None` if there is none, or an error was found.
///
/// The CODING is resolved; where it was refused, nothing is said.
pub(crate) fn resolve_when(draft: &Draft<'_>, table: &Table, diagnostics: &mut Diagnostics) -> Option<When> {
    let section = draft.sections.when?;
    let Some(coding) = &draft.coding else {
        if draft.sections.coding.is_none() {
            let message = format!("`{}` has a WHEN and no CODING", draft.ast.name.text);
            let diagnostic = error(code::WHEN_FORM, section.span, message, "there are no coded bits")
                .help("a WHEN is a condition on the bits of the operation's CODING");
            diagnostics.push(diagnostic);
        }
        return None;
    };
    let mut resolver = Resolver { scope: &draft.scope, coding, tail: &draft.tail, table, diagnostics };
    let condition = resolver.condition(&section.condition)?;
    Some(When { condition, span: section.span })
}

/// The same with what an alias asks for that stands in the CODING several times: that its bits are the
/// same everywhere.
pub(crate) fn with_copies(draft: &Draft<'_>, mut when: Option<When>) -> Option<When> {
    for (id, field) in (0..).map(FieldId).zip(&draft.scope.fields) {
        let Some(instance) = field.copy_of else { continue };
        let bits = || (0..field.width_bits).rev();
        let same = Condition::Compare(Comparison {
            left: bits().map(|bit| ComparedBit::Field(id, bit)).collect(),
            relation: Relation::Equal,
            right: bits().map(|bit| ComparedBit::Instance(instance, bit)).collect(),
            signed: false,
        });
        when = Some(match when {
            Some(When { condition, span }) => {
                When { condition: Condition::And(Box::new(condition), Box::new(same)), span }
            }
            None => When { condition: same, span: field.span },
        });
    }
    when
}

struct Resolver<'a> {
    scope: &'a OperationScope,
    coding: &'a [CodingBit],
    tail: &'a [TailItem],
    table: &'a Table,
    diagnostics: &'a mut Diagnostics,
}

/// A side of a comparison.
enum Side {
    /// Coded bits, most significant first.
    Bits {
        bits: Vec<ComparedBit>,
        signed: bool,
        /// Each bit is the other one: what stands there is the highest value less the bits.
        is_inverted: bool,
        span: Span,
        declared: Span,
    },
    Constant {
        value: Constant,
        span: Span,
    },
}

const HELP: &str =
    "compare a field, a slice of one or an alias, as `rd != 0`; join comparisons by &&, || and !";

impl Resolver<'_> {
    fn condition(&mut self, expr: &Expr) -> Option<Condition> {
        match &strip(expr).kind {
            ExprKind::Binary { operator: BinaryOperator::LogicalAnd, left, right } => {
                let (left, right) = (self.condition(left), self.condition(right));
                Some(Condition::And(Box::new(left?), Box::new(right?)))
            }
            ExprKind::Binary { operator: BinaryOperator::LogicalOr, left, right } => {
                let (left, right) = (self.condition(left), self.condition(right));
                Some(Condition::Or(Box::new(left?), Box::new(right?)))
            }
            ExprKind::Unary { operator: UnaryOperator::Not, operand } => {
                Some(Condition::Not(Box::new(self.condition(operand)?)))
            }
            ExprKind::Binary { operator, left, right } if let Some(relation) = relation_of(*operator) => {
                match (self.chosen_bit(left), self.chosen_bit(right)) {
                    (Some(bit), _) => self.compare_chosen(bit?, relation, right),
                    (None, Some(bit)) => self.compare_chosen(bit?, mirrored(relation), left),
                    (None, None) => {
                        let (left, right) = (self.side(left), self.side(right));
                        self.compare(left?, relation, right?, expr.span)
                    }
                }
            }
            // Where it was read, it was refused: nothing is assigned to outside of BEHAVIOR.
            ExprKind::Assign { .. } => None,
            _ => {
                self.refuse(expr.span, "a WHEN is made of comparisons", "no comparison");
                None
            }
        }
    }

    fn refuse(&mut self, span: Span, message: &str, label: &str) {
        self.diagnostics.push(error(code::WHEN_FORM, span, message, label).help(HELP));
    }

    fn compare(&mut self, left: Side, relation: Relation, right: Side, span: Span) -> Option<Condition> {
        match (left, right) {
            (Side::Constant { .. }, Side::Constant { .. }) => {
                self.refuse(span, "a WHEN that compares two constants", "neither side is coded");
                None
            }
            (Side::Constant { value, span }, bits) => {
                self.compare_constant(bits, mirrored(relation), value, span)
            }
            (bits, Side::Constant { value, span }) => self.compare_constant(bits, relation, value, span),
            (left, right) => self.compare_bits(left, relation, right, span),
        }
    }

    fn compare_bits(&mut self, left: Side, relation: Relation, right: Side, span: Span) -> Option<Condition> {
        let (
            Side::Bits {
                bits: left,
                span: left_span,
                declared,
                signed: left_signed,
                is_inverted: left_inverted,
            },
            Side::Bits {
                bits: right,
                span: right_span,
                signed: right_signed,
                is_inverted: right_inverted,
                ..
            },
        ) = (left, right)
        else {
            return None;
        };
        let is_order = !matches!(relation, Relation::Equal | Relation::NotEqual);
        if is_order && left_signed != right_signed {
            let message = "coded bits with a sign have no order with such without one";
            let label = if left_signed { "the left side has a sign" } else { "the right side has a sign" };
            let diagnostic = error(code::WHEN_FORM, span, message, label)
                .help("compare fields in formats of one sign, or slices, which have none");
            self.diagnostics.push(diagnostic);
            return None;
        }
        if left.len() != right.len() {
            let message = "coded bits of different widths are compared";
            let label = count(right.len() as u128, "bit");
            let mut diagnostic = error(code::WHEN_WIDTH, right_span, message, label)
                .secondary(left_span, count(left.len() as u128, "bit"));
            if declared != left_span {
                diagnostic = diagnostic.secondary(declared, "declared here");
            }
            self.diagnostics.push(diagnostic.help("compare slices of one width"));
            return None;
        }
        if is_order || left_inverted || right_inverted {
            let rows = order::Rows {
                left: &left,
                right: &right,
                signed: left_signed,
                is_left_inverted: left_inverted,
                is_right_inverted: right_inverted,
            };
            return Some(rows.condition(relation));
        }
        Some(Condition::Compare(Comparison { left, relation, right, signed: false }))
    }

    fn compare_constant(
        &mut self,
        side: Side,
        relation: Relation,
        constant: Constant,
        constant_span: Span,
    ) -> Option<Condition> {
        let Side::Bits { bits, signed, span, declared, is_inverted } = side else { return None };
        if is_inverted {
            let message = "a difference of coded bits is compared with a constant";
            let diagnostic = error(code::WHEN_FORM, span, message, "the other side is a constant, too")
                .help("compare the bits themselves with the difference of the two constants");
            self.diagnostics.push(diagnostic);
            return None;
        }
        let width = bits.len() as u32;
        let pattern = extend(constant.value, constant.ty);
        let negative = constant.ty.signed && (pattern as i128) < 0;
        let fits = match (signed, negative) {
            (false, false) => width >= 128 || pattern >> width == 0,
            (false, true) => false,
            (true, false) => width > 128 || pattern >> (width - 1) == 0,
            (true, true) => width >= 128 || (pattern as i128) >= -(1i128 << (width - 1)),
        };
        if fits {
            let bit = |bit: u32| match bit {
                0..128 => pattern >> bit & 1 == 1,
                _ => negative,
            };
            let right = (0..width).rev().map(|index| ComparedBit::Constant(bit(index))).collect();
            return Some(Condition::Compare(Comparison { left: bits, relation, right, signed }));
        }
        match relation {
            Relation::Less | Relation::LessEqual => Some(Condition::Constant(!negative)),
            Relation::Greater | Relation::GreaterEqual => Some(Condition::Constant(negative)),
            Relation::Equal | Relation::NotEqual => {
                let written = if negative { (pattern as i128).to_string() } else { pattern.to_string() };
                let sign = if signed { "signed " } else { "" };
                let message = format!("{sign}bits are compared with {written}, which they never are");
                let mut diagnostic = error(code::WHEN_WIDTH, constant_span, message, "does not fit")
                    .secondary(span, format!("{sign}{}", count(width, "bit")));
                if declared != span {
                    diagnostic = diagnostic.secondary(declared, "declared here");
                }
                self.diagnostics.push(diagnostic);
                None
            }
        }
    }

    /// Reports a register or memory that a WHEN asks for.
    fn asks_for_state(&mut self, expr: &Expr) -> bool {
        let mut found = None;
        visit_names(expr, &mut |name| {
            let global = self.table.names.globals.get(&name.text);
            let state = global.filter(|global| {
                matches!(
                    global.what,
                    Global::Register(_) | Global::Alias(_) | Global::Ram(_) | Global::Map(_)
                )
            });
            found = found.take().or(state.map(|global| (name.clone(), *global)));
        });
        let Some((name, global)) = found else { return false };
        let kind = global.what.kind();
        let message = format!("a WHEN asks for `{}`, which is {kind}", name.text);
        let diagnostic = error(code::WHEN_FORM, name.span, message, "not part of the instruction's word")
            .secondary(global.span, format!("{kind}, defined here"))
            .help(
                "a WHEN decides by coded bits alone; ask in BEHAVIOR, or by IF in CODINGROOT or ACTIVATION",
            );
        self.diagnostics.push(diagnostic);
        true
    }

    /// A side of a comparison: a constant, unless it mentions anything of the operation.
    fn side(&mut self, expr: &Expr) -> Option<Side> {
        let expr = strip(expr);
        let mut own = false;
        visit_names(expr, &mut |name| {
            own |= self.scope.names.contains_key(&name.text) || name.text == "CODED";
        });
        if !own {
            if let ExprKind::Name(name) = &expr.kind
                && !self.table.names.globals.contains_key(&name.text)
            {
                self.undefined(name);
                return None;
            }
            if self.asks_for_state(expr) {
                return None;
            }
            let value = typing::constant(self.table, expr, self.diagnostics)?;
            return Some(Side::Constant { value, span: expr.span });
        }
        if let ExprKind::Binary { operator: BinaryOperator::Subtract, left, right } = &expr.kind {
            return self.difference(left, right, expr.span);
        }
        let (base, slice) = match &expr.kind {
            ExprKind::Index { base, index } => (strip(base), Some((index, index))),
            ExprKind::Slice { base, high, low } => (strip(base), Some((high, low))),
            _ => (expr, None),
        };
        let Some(name) = self.coded_name(base) else {
            self.refuse(
                expr.span,
                "a WHEN that computes with coded bits",
                "neither coded bits nor a constant",
            );
            return None;
        };
        let Coded { bits, signed, declared } = self.coded(name)?;
        let Some((high, low)) = slice else {
            return Some(Side::Bits { bits, signed, is_inverted: false, span: expr.span, declared });
        };
        let high_bit = typing::number(self.table, high, self.diagnostics);
        let low_bit = if high == low { high_bit } else { typing::number(self.table, low, self.diagnostics) };
        let (high, low) = (high_bit?, low_bit?);
        let width = bits.len();
        if low > high || high >= width as u128 {
            let message = format!("bits {high}..{low} of `{}`", name.text);
            let label = match low > high {
                true => "runs upwards".to_owned(),
                false => format!("has {}", count(width as u128, "bit")),
            };
            let diagnostic = error(code::OUT_OF_BOUNDS, expr.span, message, label);
            self.diagnostics.push(diagnostic.secondary(declared, "declared here"));
            return None;
        }
        let bits = bits[width - 1 - high as usize..width - low as usize].to_vec();
        Some(Side::Bits { bits, signed: false, is_inverted: false, span: expr.span, declared })
    }

    /// `31 - field`: of five bits without sign it is what their complement is worth, and never negative.
    fn difference(&mut self, highest: &Expr, bits: &Expr, span: Span) -> Option<Side> {
        let (highest, bits) = (self.side(highest)?, self.side(bits)?);
        if let (
            Side::Constant { value, .. },
            Side::Bits { bits, signed: false, is_inverted: false, declared, .. },
        ) = (&highest, &bits)
            && (1..128).contains(&bits.len())
            && extend(value.value, value.ty) == (1 << bits.len()) - 1
        {
            return Some(Side::Bits {
                bits: bits.clone(),
                signed: false,
                is_inverted: true,
                span,
                declared: *declared,
            });
        }
        self.diagnostics.push(
            error(
                code::WHEN_FORM,
                span,
                "a WHEN that computes with coded bits",
                "no highest value less the bits",
            )
            .help(
                "of coded bits without sign their highest value may be less them, as `31 - pos` of five bits",
            ),
        );
        None
    }

    fn undefined(&mut self, name: &Name) {
        let globals = self.table.names.globals.keys();
        let known = self.scope.names.keys().chain(globals).map(String::as_str);
        let known = unless_unread(known, self.diagnostics);
        let message = format!("undefined name `{}`", name.text);
        let mut diagnostic =
            error(code::UNDEFINED, name.span, message, "no field and no alias of this operation")
                .cause(name.text.clone());
        if let Some(near) = did_you_mean(&name.text, known) {
            diagnostic = diagnostic.help(near);
        }
        self.diagnostics.push(diagnostic);
    }
}

fn strip(expr: &Expr) -> &Expr {
    match &expr.kind {
        ExprKind::Paren(inner) => strip(inner),
        _ => expr,
    }
}

fn relation_of(operator: BinaryOperator) -> Option<Relation> {
    Some(match operator {
        BinaryOperator::Equal => Relation::Equal,
        BinaryOperator::NotEqual => Relation::NotEqual,
        BinaryOperator::Less => Relation::Less,
        BinaryOperator::LessEqual => Relation::LessEqual,
        BinaryOperator::Greater => Relation::Greater,
        BinaryOperator::GreaterEqual => Relation::GreaterEqual,
        _ => return None,
    })
}

/// The relation with its sides exchanged.
fn mirrored(relation: Relation) -> Relation {
    match relation {
        Relation::Less => Relation::Greater,
        Relation::LessEqual => Relation::GreaterEqual,
        Relation::Greater => Relation::Less,
        Relation::GreaterEqual => Relation::LessEqual,
        same => same,
    }
}
