//! The names inside of operations, for what names one that another operation has.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use super::Tree;
use crate::resolve::names::Definition;
use crate::resolve::operation::Meaning;
use crate::resolve::reference::Parents;

/// Aliases, fields and LOCALs of all operations, and which operations are above which.
#[derive(Default)]
pub(crate) struct InnerNames {
    /// The operations that have a name, in the order of the text: index, name and where it stands.
    owners: BTreeMap<String, Vec<(usize, Definition<String>)>>,
    parents: RefCell<Parents>,
}

impl InnerNames {
    /// True if any operation has the name.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.owners.contains_key(name)
    }

    /// The first operation that has the name and may decode or activate another, directly or through more.
    pub(crate) fn above(&self, operation: usize, name: &str) -> Option<&Definition<String>> {
        let owners = self.owners.get(name)?;
        let mut parents = self.parents.borrow_mut();
        let (mut above, mut waiting) = (BTreeSet::new(), vec![operation]);
        while let Some(next) = waiting.pop() {
            let found = parents.of(next).keys();
            waiting.extend(found.copied().filter(|parent| above.insert(*parent)));
        }
        owners.iter().find(|(owner, _)| above.contains(owner)).map(|(_, found)| found)
    }
}

impl std::fmt::Debug for InnerNames {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("InnerNames").field("owners", &self.owners).finish_non_exhaustive()
    }
}

impl Tree<'_> {
    /// Takes who is above whom out of the tree.
    pub(crate) fn inner_names(&mut self) -> InnerNames {
        let mut owners: BTreeMap<String, Vec<_>> = BTreeMap::new();
        for (index, draft) in self.drafts.iter().enumerate() {
            for (name, (meaning, span)) in &draft.scope.names {
                if !matches!(meaning, Meaning::Reference(_) | Meaning::Broken) {
                    let found = Definition { what: draft.ast.name.text.clone(), span: *span };
                    owners.entry(name.clone()).or_default().push((index, found));
                }
            }
        }
        InnerNames { owners, parents: RefCell::new(std::mem::take(&mut self.parents)) }
    }
}
