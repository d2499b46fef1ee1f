//! What an alias may choose: found when it is asked for. A list for each alias would be as long as all
//! groups together, once for each alias.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::code;
use super::report::error;
use crate::diagnostic::Diagnostic;
use crate::model::{Field, Group, OperationId, OperationOrGroup};
use crate::source::Span;

/// Most operations and groups that are met for all that is asked of a description together. The largest
/// instruction sets meet a hundredth of it.
const MOST_MET: usize = 4_000_000;

/// An operation that an alias may choose.
#[derive(Debug)]
pub(crate) struct Member {
    pub(crate) operation: OperationId,
    pub(crate) name: String,
    pub(crate) span: Span,
    /// By field id.
    pub(crate) fields: Vec<Field>,
}

/// All operations that can be chosen, and the groups that choose.
///
/// Every question is answered by `None` once the description has asked more than [`MOST_MET`].
#[derive(Debug, Default)]
pub(crate) struct Choices {
    /// By operation id.
    operations: Vec<Member>,
    /// By group id.
    groups: Vec<Vec<OperationOrGroup>>,
    /// Answers of [`Choices::reached`].
    reached: RefCell<BTreeMap<OperationOrGroup, Rc<BTreeSet<OperationOrGroup>>>>,
    /// Operations and groups that were met so far.
    met: Cell<usize>,
}

impl Choices {
    /// Of operations in the order of their ids, and groups.
    pub(crate) fn new(operations: Vec<Member>, groups: &[Group]) -> Choices {
        let groups = groups.iter().map(|group| group.members.clone()).collect();
        Choices { operations, groups, ..Choices::default() }
    }

    /// The operations that one of these may turn out to be, each once, in the order of the text.
    pub(crate) fn members(&self, targets: &[OperationOrGroup]) -> Option<Vec<&Member>> {
        let (mut found, mut walked) = (Vec::new(), BTreeSet::new());
        self.walk(targets, |next| {
            let is_new = walked.insert(next);
            if let (true, OperationOrGroup::Operation(id)) = (is_new, next) {
                found.push(&self.operations[id.index()]);
            }
            is_new
        })?;
        Some(found)
    }

    /// A target with all that its groups have.
    pub(crate) fn reached(&self, target: OperationOrGroup) -> Option<Rc<BTreeSet<OperationOrGroup>>> {
        if let Some(known) = self.reached.borrow().get(&target) {
            return Some(Rc::clone(known));
        }
        let mut reached = BTreeSet::new();
        self.walk(&[target], |next| reached.insert(next))?;
        let reached = Rc::new(reached);
        self.reached.borrow_mut().insert(target, Rc::clone(&reached));
        Some(reached)
    }

    /// True if a target is the member, or a group that has it.
    pub(crate) fn reaches(&self, target: OperationOrGroup, member: OperationOrGroup) -> Option<bool> {
        self.meet()?;
        Some(self.reached(target)?.contains(&member))
    }

    /// Walks targets and all that their groups have, in the order of the text; the visitor says if it is
    /// new to it.
    pub(crate) fn walk(
        &self,
        targets: &[OperationOrGroup],
        mut is_new: impl FnMut(OperationOrGroup) -> bool,
    ) -> Option<()> {
        let mut waiting: Vec<OperationOrGroup> = targets.iter().rev().copied().collect();
        while let Some(next) = waiting.pop() {
            self.meet()?;
            if is_new(next)
                && let OperationOrGroup::Group(id) = next
            {
                waiting.extend(self.groups[id.index()].iter().rev());
            }
        }
        Some(())
    }

    fn meet(&self) -> Option<()> {
        self.met.set(self.met.get() + 1);
        (self.met.get() <= MOST_MET).then_some(())
    }
}

/// What is said, once, of a description that asks too much.
pub(crate) fn too_much(span: Span) -> Diagnostic {
    let message = "what aliases choose is asked for too often";
    let label = format!("all such questions together meet more than {MOST_MET} operations");
    error(code::TOO_DEEP, span, message, label)
        .help("ask for fewer members at a time: an EXPRESSION gives what they have in common")
        .cause("what aliases choose")
}
