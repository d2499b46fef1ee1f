//! The members that the CASEs of a SWITCH ask for: each is among what is chosen, and asked for once.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::choice::{Choices, too_much};
use super::code;
use super::names::Table;
use super::report::error;
use crate::ast;
use crate::diagnostic::Diagnostics;
use crate::model::OperationOrGroup;
use crate::source::Span;

/// The members that a SWITCH asks for, one CASE after the other.
pub(crate) struct Members<'a> {
    choices: &'a Choices,
    reached: Reached,
    selector: Span,
    /// By what the CASEs so far reach: the member of the first that does, and where it stands.
    taken: BTreeMap<OperationOrGroup, (OperationOrGroup, Span)>,
}

/// What chooses among members with all that it reaches.
enum Reached {
    Known(Rc<BTreeSet<OperationOrGroup>>),
    /// That was reported.
    Wrong,
    /// That is to be reported.
    TooMuch,
}

impl<'a> Members<'a> {
    /// Of a selector that has met no CASE yet; `None` for a target that was reported.
    pub(crate) fn new(choices: &'a Choices, target: Option<OperationOrGroup>, selector: Span) -> Self {
        let reached = match target.map(|target| choices.reached(target)) {
            Some(Some(reached)) => Reached::Known(reached),
            Some(None) => Reached::TooMuch,
            None => Reached::Wrong,
        };
        Members { choices, reached, selector, taken: BTreeMap::new() }
    }

    /// The member of the next CASE; reports one that cannot be chosen or was asked for before.
    pub(crate) fn take(
        &mut self,
        name: &ast::Name,
        table: &Table,
        diagnostics: &mut Diagnostics,
    ) -> Option<OperationOrGroup> {
        let member = table.names.operation(name, diagnostics)?;
        let reached = match &self.reached {
            Reached::Known(reached) => reached,
            Reached::Wrong => return None,
            Reached::TooMuch => {
                diagnostics.push(too_much(self.selector));
                return None;
            }
        };
        if !reached.contains(&member) {
            let message = format!("`{}` is not among what is chosen here", name.text);
            let mut diagnostic = error(code::NO_SUCH_CASE, name.span, message, "never chosen")
                .secondary(self.selector, "the choice")
                .help("a CASE names a member of the selector's group, or of a group in it");
            if let Some(defined) = table.names.operations.get(&name.text) {
                diagnostic = diagnostic.secondary(defined.span, "defined here");
            }
            diagnostics.push(diagnostic);
            return None;
        }
        if let Some((other, first)) = self.taken.get(&member) {
            let (message, label) = match *other == member {
                true => (format!("two CASEs for `{}`", name.text), "first here"),
                false => (format!("this CASE for `{}` is never taken", name.text), "a group that has it"),
            };
            let diagnostic = error(code::DOUBLE_CASE, name.span, message, "never reached");
            diagnostics.push(diagnostic.secondary(*first, label));
            return None;
        }
        let taken = &mut self.taken;
        let complete = self.choices.walk(&[member], |next| {
            let is_new = !taken.contains_key(&next);
            if is_new {
                taken.insert(next, (member, name.span));
            }
            is_new
        });
        if complete.is_none() {
            diagnostics.push(too_much(name.span));
        }
        complete.map(|()| member)
    }
}
