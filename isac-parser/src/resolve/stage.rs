//! `OPERATION name IN pipe.STAGE`.

use super::names::{Global, Table, wrong_kind};
use crate::ast::Operation;
use crate::diagnostic::Diagnostics;

/// Reports a pipeline that does not exist; pipelines themselves are reported where they are
/// declared, as not supported yet.
pub(crate) fn resolve_stage(operation: &Operation, table: &Table, diagnostics: &mut Diagnostics) {
    let Some((pipeline, _)) = &operation.stage else {
        return;
    };
    let Some(found) = table.names.global(pipeline, "pipeline", diagnostics) else {
        return;
    };
    if !matches!(found.what, Global::Unsupported(_)) {
        diagnostics.push(wrong_kind(pipeline, &found, "a PIPELINE"));
    }
}
