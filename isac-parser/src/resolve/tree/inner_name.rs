//! The names inside of operations, for what names one that another operation has.

use std::collections::BTreeMap;

use super::Tree;
use crate::resolve::names::Definition;
use crate::resolve::operation::Meaning;

impl Tree<'_> {
    /// Aliases, fields and LOCALs of all operations, each with the first that has it.
    pub(crate) fn inner_names(&self) -> BTreeMap<String, Definition<String>> {
        let mut found = BTreeMap::new();
        for draft in &self.drafts {
            for (name, (meaning, span)) in &draft.scope.names {
                if !matches!(meaning, Meaning::Reference(_) | Meaning::Broken) {
                    let first = || Definition { what: draft.ast.name.text.clone(), span: *span };
                    found.entry(name.clone()).or_insert_with(first);
                }
            }
        }
        found
    }
}
