//! What generation cannot take yet: pipelines, and what is scheduled for a later cycle.

use crate::diagnostic::Diagnostics;
use crate::model::{Activation, Model};
use crate::resolve::code;
use crate::resolve::report::not_yet;
use crate::source::Span;

/// Refuses what generation cannot take yet; only a model that is sound otherwise comes here.
pub(super) fn refuse_not_lowered(model: &Model, diagnostics: &mut Diagnostics) {
    for pipeline in &model.pipelines {
        diagnostics.push(not_yet(code::LATER_RESOURCE, pipeline.span, "a PIPELINE is"));
    }
    for operation in &model.operations {
        delayed(&operation.activation, &mut |span| {
            diagnostics.push(not_yet(code::LATER_FORM, span, "a DELAY of more than 0 is"));
        });
    }
}

fn delayed(items: &[Activation], found: &mut impl FnMut(Span)) {
    for item in items {
        match item {
            Activation::Activate { delay_cycles: 0, .. } => {}
            Activation::Activate { span, .. } => found(*span),
            Activation::If { then, otherwise, .. } => {
                delayed(then, found);
                delayed(otherwise, found);
            }
            Activation::Switch { cases, default, .. } => {
                cases.iter().for_each(|(_, items)| delayed(items, found));
                delayed(default, found);
            }
        }
    }
}
