//! How deep operations and groups nest.

use super::Builder;
use crate::resolve::code;
use crate::resolve::operation::AliasValue;
use crate::resolve::operation_value::break_fields;
use crate::resolve::report::error;
use crate::resolve::shape::{Shape, UNKNOWN};

/// How deep operations and groups may nest; lowering and checks rely on it.
const MAX_DEPTH: usize = 200;

impl Builder<'_, '_> {
    /// True if a node nests too deep. Reported is what is the first to do so, once for what it has
    /// below: all that contains it nests too deep for the same reason.
    pub(super) fn is_too_deep(&mut self, node: usize, depth: usize) -> bool {
        if depth == MAX_DEPTH + 1 {
            let (name, span) = self.name_of(node);
            let message = format!("`{name}` nests more than {MAX_DEPTH} deep");
            let diagnostic = error(code::TOO_DEEP, span, message, "too deep");
            let below = self.needs_of(node).into_iter().find(|below| self.shapes[*below].depth == MAX_DEPTH);
            let cause = below.map_or(name, |below| self.name_of(below).0);
            let diagnostic = diagnostic.cause(cause);
            self.diagnostics.push(diagnostic);
        }
        depth > MAX_DEPTH
    }

    /// Takes the parts of a node that nests too deep away from it; its shape.
    pub(super) fn refuse_depth(&mut self, node: usize, depth: usize) -> Shape {
        let operations = self.tree.drafts.len();
        match self.tree.drafts.get_mut(node) {
            Some(draft) => {
                draft.coding = None;
                draft.scope.values.fill(AliasValue::Broken);
                break_fields(draft);
                self.cut.insert(node);
            }
            None => self.tree.groups[node - operations].members.clear(),
        }
        Shape { depth, ..UNKNOWN }
    }
}
