//! `coded_size(group, word)`: the first bits of a word tell how long it is.

use std::collections::BTreeMap;

use super::walk::{Met, walk_statements};
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::model::{
    Builtin, Decoding, Expr, ExprKind, Model, OperationOrGroup, Stmt, WordSizes, fetching_map,
};
use crate::resolve::code;
use crate::resolve::report::{count, error};
use crate::source::Span;

/// Reports the words whose size is asked for and not told.
pub(super) fn check_coded_sizes(
    model: &Model,
    decodings: &BTreeMap<OperationOrGroup, Decoding>,
    diagnostics: &mut Diagnostics,
) {
    let bodies = model.functions.iter().map(|function| &function.body);
    let bodies = bodies.chain(model.operations.iter().filter_map(|operation| operation.behavior.as_ref()));
    let statements: Vec<&[Stmt]> = bodies.map(|body| body.statements.as_slice()).collect();
    for statements in statements {
        walk_statements(statements, &mut |met| {
            let Met::Expr(Expr { kind: ExprKind::Builtin { builtin, arguments }, span, .. }) = met else {
                return;
            };
            let (Builtin::CodedSize(target), [word]) = (*builtin, arguments.as_slice()) else { return };
            diagnostics.extend(wrong_with(model, decodings.get(&target), target, word, *span));
        });
    }
}

fn name_of(model: &Model, target: OperationOrGroup) -> &str {
    match target {
        OperationOrGroup::Operation(id) => &model.operations[id.index()].name,
        OperationOrGroup::Group(id) => &model.groups[id.index()].name,
    }
}

/// What is wrong with asking for the size of a word, if anything is.
fn wrong_with(
    model: &Model,
    decoding: Option<&Decoding>,
    target: OperationOrGroup,
    word: &Expr,
    span: Span,
) -> Option<Diagnostic> {
    let name = name_of(model, target);
    if fetching_map(model, target).is_none() {
        let message = format!("no CODINGROOT fetches `{name}` from a map");
        let help = "name what a CODINGROOT decodes, as `instr` of `CODINGROOT { instr (map[pc]); }`";
        return Some(error(code::SIZE_NOT_TOLD, span, message, "has no size in cells").help(help));
    }
    // What could not be decoded was reported.
    let decoding = decoding?;
    let has_tail = |path: &crate::model::DecodingPath| {
        path.steps.iter().any(|step| match step.target {
            OperationOrGroup::Operation(id) => !model.operations[id.index()].tail.is_empty(),
            OperationOrGroup::Group(_) => false,
        })
    };
    if decoding.paths.iter().any(has_tail) {
        let message = format!("words of `{name}` may have a TAIL, which their first bits do not tell");
        let help = "ask for a group without it, or code what follows in CODINGs of several widths";
        return Some(error(code::SIZE_NOT_TOLD, span, message, "the size is not known from here").help(help));
    }
    let Some(sizes) = WordSizes::of(decoding, model.target.endian) else {
        let message = format!("the first bits of a word of `{name}` do not tell how long it is");
        let help = "let words of different widths differ in the bits that all of them begin with";
        return Some(error(code::SIZE_NOT_TOLD, span, message, "the size is not known from here").help(help));
    };
    let found = word.ty.map_or(0, |ty| ty.width_bits);
    (found != sizes.shortest_bits).then(|| {
        let wanted = count(sizes.shortest_bits, "bit");
        let message = format!("words of `{name}` begin with {wanted}");
        error(code::SIZE_NOT_TOLD, word.span, message, format!("has {}", count(found, "bit")))
            .help("give what is fetched first, as `map.fetch16[pc]`")
    })
}
