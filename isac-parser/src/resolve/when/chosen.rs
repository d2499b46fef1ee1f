//! `row[choice]`: a bit that other coded bits choose.

use super::{HELP, Resolver, Side, strip};
use crate::ast::{Expr, ExprKind};
use crate::model::{ComparedBit, Comparison, Condition, Relation};
use crate::resolve::code;
use crate::resolve::expression_names::visit_names;
use crate::resolve::report::{count, error};
use crate::source::Span;

/// Most bits that choose one: as many as number all bits of a word.
const MAX_CHOICE_BITS: usize = 8;

/// Most comparisons that choices stand for in all WHENs together: thousands of choices among the
/// registers of a list.
const MOST_COMPARISONS: usize = 100_000;

/// A bit of a row of coded bits, by the number that other coded bits are.
pub(super) struct ChosenBit {
    /// Most significant first.
    row: Vec<ComparedBit>,
    /// Most significant first.
    choice: Vec<ComparedBit>,
    declared: Span,
    span: Span,
}

impl Resolver<'_> {
    /// `bits[choice]`, a bit that other coded bits choose; `None` for anything else.
    pub(super) fn chosen_bit(&mut self, expr: &Expr) -> Option<Option<ChosenBit>> {
        let expr = strip(expr);
        let ExprKind::Index { base, index } = &expr.kind else { return None };
        let mut is_coded = false;
        visit_names(index, &mut |name| is_coded |= self.scope.names.contains_key(&name.text));
        if !is_coded {
            return None;
        }
        let row = self.coded_name(strip(base))?;
        let Some(choice) = self.coded_name(strip(index)) else {
            self.refuse(
                index.span,
                "a WHEN that computes with coded bits",
                "neither coded bits nor a constant",
            );
            return Some(None);
        };
        let (row, choice) = (self.coded(row), self.coded(choice));
        let (Some(row), Some(choice)) = (row, choice) else { return Some(None) };
        if choice.bits.len() > MAX_CHOICE_BITS {
            let message = format!("a bit is chosen by {}", count(choice.bits.len() as u128, "bit"));
            let label = format!("more than {MAX_CHOICE_BITS}");
            self.diagnostics.push(error(code::WHEN_FORM, index.span, message, label).help(HELP));
            return Some(None);
        }
        let known = self.table.choice_comparisons.get();
        let comparisons = known + (1usize << choice.bits.len());
        self.table.choice_comparisons.set(comparisons);
        if comparisons > MOST_COMPARISONS {
            // The first that is one too many tells of all.
            if known <= MOST_COMPARISONS {
                let message =
                    format!("bits that others choose take more than {MOST_COMPARISONS} comparisons");
                let diagnostic = error(code::WHEN_FORM, expr.span, message, "one for each choice")
                    .help("choose by fewer bits, or in fewer WHENs");
                self.diagnostics.push(diagnostic);
            }
            return Some(None);
        }
        let declared = row.declared;
        Some(Some(ChosenBit { row: row.bits, choice: choice.bits, declared, span: expr.span }))
    }

    /// For each choice: it is this one, and its bit compares as is asked for; beyond the row bits are 0.
    pub(super) fn compare_chosen(
        &mut self,
        bit: ChosenBit,
        relation: Relation,
        other: &Expr,
    ) -> Option<Condition> {
        let ChosenBit { row, choice, declared, span } = bit;
        let Side::Constant { value, span: constant_span } = self.side(other)? else {
            self.refuse(span, "a bit that is chosen is compared with a constant", "with coded bits here");
            return None;
        };
        let mut any: Option<Condition> = None;
        for index in 0..1usize << choice.len() {
            let place = row.len().checked_sub(index + 1);
            let bits = vec![place.map_or(ComparedBit::Constant(false), |place| row[place])];
            let side = Side::Bits { bits, signed: false, is_inverted: false, span, declared };
            let compares = self.compare_constant(side, relation, value, constant_span)?;
            let wanted = (0..choice.len()).rev().map(|bit| ComparedBit::Constant(index >> bit & 1 == 1));
            let is_chosen = Condition::Compare(Comparison {
                left: choice.clone(),
                relation: Relation::Equal,
                right: wanted.collect(),
                signed: false,
            });
            let one = Condition::And(Box::new(is_chosen), Box::new(compares));
            any = Some(match any {
                Some(others) => Condition::Or(Box::new(others), Box::new(one)),
                None => one,
            });
        }
        any
    }
}
