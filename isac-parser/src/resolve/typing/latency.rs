//! `map.latency`, and what is said where something else is asked for it.

use super::conversion::INT;
use super::expression::{Operand, valued};
use super::{Typer, code, error};
use crate::ast::{Expr, ExprKind, Name};
use crate::model::{self, Map, MapId, RamId, RangeTarget};
use crate::resolve::names::{Global, undefined};
use crate::source::Span;

/// The member of a map.
const LATENCY: &str = "latency";

/// Most maps that a remedy names.
const MOST_NAMED: usize = 3;

impl Typer<'_> {
    /// `base.latency`; the inner `None` is one that was reported. `None` for everything else.
    pub(super) fn latency(&mut self, base: &Expr, member: &Name) -> Option<Option<Operand>> {
        if member.text != LATENCY {
            return None;
        }
        let ExprKind::Name(name) = &base.kind else {
            let map = self.accessed(base)?;
            let message = "an access has no `.latency`, its map has";
            let diagnostic = error(code::UNDEFINED, member.span, message, "no such member");
            self.diagnostics.push(diagnostic.help(costs(&[map])));
            return Some(None);
        };
        match self.global(name) {
            Some((Global::Map(map), _)) => Some(self.latency_of(map, base.span.to(member.span))),
            Some((what @ (Global::Ram(_) | Global::Cache(_)), declared)) => {
                let kind = what.kind().trim_start_matches("a ");
                let message = format!("the {kind} `{}` has no `.latency`, a memory map has", name.text);
                let maps = self.maps_to(what);
                let help = match maps.as_slice() {
                    [] => "no RANGE leads to it; where one does, its map has it, as `defaultmap.latency`"
                        .to_owned(),
                    maps => costs(maps),
                };
                let diagnostic = error(code::UNDEFINED, member.span, message, "no such member")
                    .secondary(declared, "declared here");
                self.diagnostics.push(diagnostic.help(help));
                Some(None)
            }
            Some(_) => None,
            None if self.is_hidden(name) => None,
            None => {
                if self.reported.insert(name.text.clone()) {
                    let maps: Vec<&str> = self.all_maps().map(|map| map.name.as_str()).collect();
                    let diagnostic = undefined("memory map", name, maps.iter().copied());
                    let help = (!maps.is_empty()).then(|| costs(&maps));
                    self.diagnostics.push(match help {
                        Some(help) if diagnostic.help.is_empty() => diagnostic.help(help),
                        _ => diagnostic,
                    });
                }
                Some(None)
            }
        }
    }

    fn latency_of(&mut self, map: MapId, span: Span) -> Option<Operand> {
        self.only_when_running(span, "what an access cost")?;
        Some(valued(model::ExprKind::Latency(map), INT, span))
    }

    /// The remedy for `latency(map)`, `map.latency()` and a `latency` that is asked of nothing.
    pub(super) fn latency_of_what(&self, name: &Name, of: Option<&Expr>) -> Option<String> {
        if name.text != LATENCY {
            return None;
        }
        let named = match of.map(|of| &of.kind) {
            Some(ExprKind::Name(name)) => match self.global(name).map(|(what, _)| what) {
                Some(Global::Map(map)) => self.table.map(map).map(|map| vec![map.name.as_str()]),
                Some(what @ (Global::Ram(_) | Global::Cache(_))) => Some(self.maps_to(what)),
                _ => None,
            },
            Some(_) => of.and_then(|of| self.accessed(of)).map(|map| vec![map]),
            None => None,
        };
        let maps = named.unwrap_or_else(|| self.all_maps().map(|map| map.name.as_str()).collect());
        (!maps.is_empty()).then(|| costs(&maps))
    }

    /// The map that an expression accesses, or names a view of.
    fn accessed(&self, expr: &Expr) -> Option<&str> {
        let map = match &expr.kind {
            ExprKind::Index { base, .. } | ExprKind::Member { base, .. } => base,
            _ => return None,
        };
        match &map.kind {
            ExprKind::Name(name) => match self.global(name)? {
                (Global::Map(map), _) => Some(&self.table.map(map)?.name),
                _ => None,
            },
            ExprKind::Member { .. } => self.accessed(map),
            _ => None,
        }
    }

    /// The maps with a range that leads to a memory or cache.
    fn maps_to(&self, what: Global) -> Vec<&str> {
        let is_over = |ram: RamId| matches!(what, Global::Ram(wanted) if wanted == ram);
        let leads = |target: RangeTarget| match target {
            RangeTarget::Ram(ram) => is_over(ram),
            RangeTarget::Cache(cache) => {
                what == Global::Cache(cache)
                    || self.table.caches[cache.index()].as_ref().is_some_and(|cache| is_over(cache.over))
            }
            _ => false,
        };
        let maps = self.all_maps().filter(|map| map.ranges.iter().any(|range| leads(range.target)));
        maps.map(|map| map.name.as_str()).collect()
    }

    fn all_maps(&self) -> impl Iterator<Item = &Map> {
        self.table.maps.iter().flatten()
    }
}

/// What says how long accesses to these maps took.
fn costs(maps: &[&str]) -> String {
    let forms: Vec<String> = maps.iter().take(MOST_NAMED).map(|map| format!("`{map}.latency`")).collect();
    match (maps, forms.as_slice()) {
        ([map], _) => format!("write `{map}.latency`: what the last access to `{map}` cost in cycles"),
        (_, [before @ .., last]) => {
            format!("write {} or {last}: what the last access to that map cost in cycles", before.join(", "))
        }
        _ => String::new(),
    }
}
