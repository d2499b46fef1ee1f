//! What is taken away from a `.latency` is no more than an access may cost.
//!
//! `map.latency - 1` is the usual number of cycles to wait. Below 0 it wraps: a stall then lasts longer
//! than any run. A HIT or LATENCY of 0 is sound by itself, of a memory that costs no cycle of its own.

use std::collections::{BTreeMap, BTreeSet};

use super::walk::{Met, walk_expr, walk_statements};
use crate::ast::BinaryOperator;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::model::{Body, Builtin, Expr, ExprKind, Map, MapId, Model, RangeTarget, Stmt, StmtKind};
use crate::resolve::code;
use crate::resolve::report::{count, warning};
use crate::resolve::typing::extend;
use crate::source::Span;

/// Warns of numbers of cycles that may be below 0.
pub(super) fn check_latencies(model: &Model, diagnostics: &mut Diagnostics) {
    let mut found: BTreeMap<Span, Found<'_>> = BTreeMap::new();
    let behaviors = model.operations.iter().filter_map(|operation| operation.behavior.as_ref());
    for body in behaviors.chain(model.functions.iter().map(|function| &function.body)) {
        let asked = asked_first(body);
        walk_statements(&body.statements, &mut |met| {
            let Met::Expr(expr) = met else { return };
            let cycles = match &expr.kind {
                ExprKind::Stall { cycles, .. } => cycles,
                ExprKind::Builtin { builtin: Builtin::ExtraCycles, arguments } => {
                    match arguments.as_slice() {
                        [cycles] => cycles,
                        _ => return,
                    }
                }
                _ => return,
            };
            if let Some(Least { cycles: least, map: Some((map, from)) }) = least(model, cycles)
                && least < 0
                && !asked.contains(&map)
            {
                let taken = i128::from(from.cycles) - least;
                let first = || Found { from, taken, map: &model.maps[map.index()], calls: Vec::new() };
                found.entry(from.span).or_insert_with(first).add(taken, expr);
            }
        });
    }
    diagnostics.extend(found.values().map(|found| below_zero(model, found)));
}

/// What costs less than is taken away from it.
struct Found<'a> {
    from: Cheapest<'a>,
    /// The most that is taken away.
    taken: i128,
    map: &'a Map,
    /// What takes most away comes first.
    calls: Vec<&'a Expr>,
}

impl<'a> Found<'a> {
    fn add(&mut self, taken: i128, call: &'a Expr) {
        match taken > self.taken {
            true => self.calls.insert(0, call),
            false => self.calls.push(call),
        }
        self.taken = self.taken.max(taken);
    }
}

/// Most calls that a message shows.
const MOST_SHOWN: usize = 3;

/// The least number of cycles that an expression may be.
struct Least<'a> {
    cycles: i128,
    /// The map whose latency it comes from, and what there costs least.
    map: Option<(MapId, Cheapest<'a>)>,
}

/// What costs least behind a map.
#[derive(Clone, Copy)]
struct Cheapest<'a> {
    cycles: u32,
    /// Where that is said, or what it is said of.
    span: Span,
    /// `HIT`, as an option says it; `None` of what has no option for it.
    option: Option<&'static str>,
    /// The memory or cache; `None` of what is neither.
    name: Option<&'a str>,
}

/// The least value of sums and differences of latencies of one map and constants; `None` for all else.
fn least<'a>(model: &'a Model, expr: &Expr) -> Option<Least<'a>> {
    match &expr.kind {
        ExprKind::Const(pattern) => Some(Least { cycles: extend(*pattern, expr.ty?) as i128, map: None }),
        ExprKind::Convert(inner) => least(model, inner),
        ExprKind::Latency(map) => {
            let cheapest = cheapest(model, &model.maps[map.index()])?;
            Some(Least { cycles: i128::from(cheapest.cycles), map: Some((*map, cheapest)) })
        }
        ExprKind::Binary { operator, left, right } => {
            let (left, right) = (least(model, left)?, least(model, right)?);
            match operator {
                BinaryOperator::Add if left.map.is_none() || right.map.is_none() => Some(Least {
                    cycles: left.cycles.checked_add(right.cycles)?,
                    map: left.map.or(right.map),
                }),
                BinaryOperator::Subtract if right.map.is_none() => {
                    Some(Least { cycles: left.cycles.checked_sub(right.cycles)?, map: left.map })
                }
                _ => None,
            }
        }
        _ => None,
    }
}

/// What an access to a map may cost at least.
fn cheapest<'a>(model: &'a Model, map: &Map) -> Option<Cheapest<'a>> {
    let of_range = map.ranges.iter().map(|range| match range.target {
        RangeTarget::Ram(ram) => {
            let ram = &model.rams[ram.index()];
            let span = ram.latency_span.unwrap_or(ram.span);
            Cheapest { cycles: ram.latency, span, option: Some("LATENCY"), name: Some(&ram.name) }
        }
        RangeTarget::Cache(cache) => {
            let cache = &model.caches[cache.index()];
            let span = cache.hit_span.unwrap_or(cache.span);
            Cheapest { cycles: cache.hit_cycles, span, option: Some("HIT"), name: Some(&cache.name) }
        }
        RangeTarget::Device(_) | RangeTarget::Register(_) | RangeTarget::Functions { .. } => {
            Cheapest { cycles: 1, span: range.span, option: None, name: None }
        }
    });
    of_range.min_by_key(|found| found.cycles)
}

/// The maps whose latency is asked for before it is decided what to do.
fn asked_first(body: &Body) -> BTreeSet<MapId> {
    let mut asked = BTreeSet::new();
    in_statements(&body.statements, &mut asked);
    walk_statements(&body.statements, &mut |met| {
        if let Met::Expr(Expr { kind, .. }) = met
            && let ExprKind::Conditional(condition, ..)
            | ExprKind::LogicalAnd(condition, _)
            | ExprKind::LogicalOr(condition, _) = kind
        {
            in_condition(condition, &mut asked);
        }
    });
    asked
}

fn in_statements(statements: &[Stmt], asked: &mut BTreeSet<MapId>) {
    for statement in statements {
        match &statement.kind {
            StmtKind::Block(statements) => in_statements(statements, asked),
            StmtKind::If { condition, then, otherwise } => {
                in_condition(condition, asked);
                in_statements(then, asked);
                in_statements(otherwise, asked);
            }
            StmtKind::Switch { value, sections } => {
                in_condition(value, asked);
                sections.iter().for_each(|(_, statements)| in_statements(statements, asked));
            }
            StmtKind::Loop { condition, body, .. } => {
                condition.iter().for_each(|condition| in_condition(condition, asked));
                in_statements(body, asked);
            }
            StmtKind::Declare { .. }
            | StmtKind::Return(_)
            | StmtKind::Expr(_)
            | StmtKind::Break
            | StmtKind::Continue => {}
        }
    }
}

fn in_condition(condition: &Expr, asked: &mut BTreeSet<MapId>) {
    walk_expr(condition, &mut |met| {
        if let Met::Expr(Expr { kind: ExprKind::Latency(map), .. }) = met {
            asked.insert(*map);
        }
    });
}

fn below_zero(model: &Model, found: &Found<'_>) -> Diagnostic {
    let Found { from: Cheapest { cycles, span, option, name }, taken, map, calls } = found;
    let cycles = count(*cycles, "cycle");
    let name = name.map_or_else(|| "this range".to_owned(), |name| format!("`{name}`"));
    let message = format!(
        "an access to {name} may cost {cycles}, and {taken} is taken away from `{}.latency`",
        map.name
    );
    let mut diagnostic = warning(code::LATENCY_BELOW, *span, message, format!("costs {cycles}"));
    for (number, call) in calls.iter().take(MOST_SHOWN).enumerate() {
        let label = match (&call.kind, calls.len() - number) {
            (_, more) if number + 1 == MOST_SHOWN && more > 1 => {
                format!("here, too, and in {}", count(more as u128 - 1, "other place"))
            }
            _ if number > 0 => "here, too".to_owned(),
            (ExprKind::Stall { stage, .. }, _) => {
                let stage = &model.pipelines[stage.pipeline.index()].stages[stage.stage as usize].name;
                format!("below 0 it wraps, and {stage} stands for ever")
            }
            _ => "below 0 it wraps to more cycles than any run has".to_owned(),
        };
        diagnostic = diagnostic.secondary(call.span, label);
    }
    let ask =
        format!("wait only where there is something to wait for: `if ({}.latency > {taken}) ...`", map.name);
    diagnostic.help(match option {
        Some(option) => format!("write {option} ({taken}) or more, or {ask}"),
        None => ask,
    })
}
