//! What a format writes is computed from fields and from where the instruction stands alone: FUNCTIONs
//! that it calls neither ask for the processor's state nor change it.

use std::collections::BTreeSet;

use super::walk::{Met, walk_expr, walk_statements};
use crate::diagnostic::Diagnostics;
use crate::model::{AssemblerItem, Builtin, Expr, ExprKind, Format, FunctionId, Model, PlaceKind};
use crate::resolve::code;
use crate::resolve::report::error;
use crate::source::Span;

/// Reports the calls in formats that need a processor.
pub(super) fn check_written_values(model: &Model, diagnostics: &mut Diagnostics) {
    for item in model.operations.iter().flat_map(|operation| operation.assembler.iter().flatten()) {
        let AssemblerItem::Field { format: Format::Computed { value, .. }, .. } = item else { continue };
        walk_expr(value, &mut |met| {
            let Met::Expr(Expr { kind: ExprKind::Call { function, .. }, span, .. }) = met else { return };
            if let Some(state) = state_of(model, *function, &mut BTreeSet::new()) {
                let name = &model.functions[function.index()].name;
                let message =
                    format!("a format writes what follows from fields, but `{name}` needs the processor");
                let diagnostic = error(code::NOT_CONSTANT, *span, message, "no value without a processor")
                    .secondary(state, "asked for or changed here")
                    .help("call a FUNCTION that computes its result from its arguments alone");
                diagnostics.push(diagnostic);
            }
        });
    }
}

/// Where a FUNCTION, or one that it calls, asks for state or changes it.
fn state_of(model: &Model, function: FunctionId, seen: &mut BTreeSet<usize>) -> Option<Span> {
    if !seen.insert(function.index()) {
        return None;
    }
    let mut found = None;
    let mut called = Vec::new();
    walk_statements(&model.functions[function.index()].body.statements, &mut |met| match met {
        Met::Place(place) => {
            let is_state = matches!(
                place.kind,
                PlaceKind::Register { .. } | PlaceKind::Memory { .. } | PlaceKind::Operand(_)
            );
            found = found.or(is_state.then_some(place.span));
        }
        Met::Expr(expr) => match &expr.kind {
            ExprKind::Call { function, .. } => called.push(*function),
            kind => found = found.or(needs_processor(kind).then_some(expr.span)),
        },
    });
    found.or_else(|| called.into_iter().find_map(|function| state_of(model, function, seen)))
}

fn needs_processor(kind: &ExprKind) -> bool {
    match kind {
        ExprKind::Latency(_)
        | ExprKind::Pending(_)
        | ExprKind::Printf { .. }
        | ExprKind::Explain { .. }
        | ExprKind::Event(_)
        | ExprKind::Stall { .. }
        | ExprKind::Retry(_)
        | ExprKind::Flush(_)
        | ExprKind::Busy(_) => true,
        ExprKind::Builtin { builtin, .. } => {
            !matches!(builtin, Builtin::Sext | Builtin::Popcount | Builtin::Clz | Builtin::Ctz)
        }
        _ => false,
    }
}
