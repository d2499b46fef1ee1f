//! FUNCTIONs do not call themselves, not even through others.

use super::walk::{Met, walk_statements};
use crate::diagnostic::Diagnostics;
use crate::model::{Expr, ExprKind, MapId, Model, Place, PlaceKind, RangeTarget};
use crate::resolve::code;
use crate::resolve::order::dependency_order;
use crate::resolve::report::error;

/// The functions that an access to a map may call.
fn behind(model: &Model, map: MapId) -> impl Iterator<Item = usize> {
    let ranges = model.maps.get(map.index()).into_iter().flat_map(|map| &map.ranges);
    ranges.flat_map(|range| match range.target {
        RangeTarget::Functions { read, write } => vec![read.index(), write.index()],
        _ => Vec::new(),
    })
}

/// Reports every circle of calls; an access to a map calls the FUNCTIONs of its ranges.
pub(super) fn check_recursion(model: &Model, diagnostics: &mut Diagnostics) {
    let mut calls = vec![Vec::new(); model.functions.len()];
    for (caller, function) in model.functions.iter().enumerate() {
        walk_statements(&function.body.statements, &mut |met| match met {
            Met::Expr(Expr { kind: ExprKind::Call { function, .. }, span, .. }) => {
                calls[caller].push((function.index(), *span));
            }
            Met::Place(Place { kind: PlaceKind::Memory { map, .. }, span, .. }) => {
                calls[caller].extend(behind(model, *map).map(|function| (function, *span)));
            }
            _ => {}
        });
    }
    let needs: Vec<Vec<usize>> =
        calls.iter().map(|calls| calls.iter().map(|(callee, _)| *callee).collect()).collect();
    for cycle in dependency_order(&needs).cycles {
        let following = cycle.iter().cycle().skip(1);
        let mut steps = cycle.iter().zip(following).filter_map(|(caller, callee)| {
            let call = calls[*caller].iter().find(|(function, _)| function == callee);
            call.map(|(_, span)| (*span, &model.functions[*callee].name))
        });
        let Some((span, _)) = steps.next() else {
            continue;
        };
        let first = &model.functions[cycle[0]];
        let message = format!("the FUNCTION `{}` calls itself", first.name);
        let mut diagnostic = error(code::RECURSION, span, message, "this call leads back")
            .secondary(first.span, "defined here");
        for (span, callee) in steps {
            diagnostic = diagnostic.secondary(span, format!("through this call of `{callee}`"));
        }
        diagnostics.push(diagnostic.help("a FUNCTION stands for its text, so it cannot recur; use a loop"));
    }
}
