//! Widths where one is needed: what stands in a CODING has one, and so have all members of a group.

use std::collections::BTreeSet;

use super::Builder;
use crate::model::{GroupId, OperationOrGroup};
use crate::resolve::code;
use crate::resolve::report::{count, error};
use crate::resolve::shape::Width;
use crate::source::Span;

impl Builder<'_, '_> {
    /// The width of a target where one is needed; reports a target without one.
    pub(super) fn needed_width(
        &mut self,
        target: OperationOrGroup,
        width: Width,
        mention: Span,
    ) -> Option<u32> {
        let (name, span) = self.name_of(self.node(target));
        match width {
            Width::Bits(width) => Some(width),
            Width::Broken => None,
            Width::Uncoded => {
                let message = format!("`{name}` has no CODING to stand here");
                let diagnostic = error(code::NO_CODING, mention, message, "no coded bits")
                    .secondary(span, "without CODING")
                    .cause(name);
                self.diagnostics.push(diagnostic);
                None
            }
            Width::Differs => {
                if let OperationOrGroup::Group(group) = target
                    && self.reported_groups.insert(group, ()).is_none()
                {
                    self.report_widths(group, mention);
                }
                None
            }
        }
    }

    /// Names what has another width than most, however deep the groups nest, and one of those.
    fn report_widths(&mut self, group: GroupId, mention: Span) {
        let mut leaves = Vec::new();
        self.add_leaves(group, (&mut BTreeSet::new(), &mut leaves));
        let mut tally: Vec<(OperationOrGroup, Width, usize)> = Vec::new();
        for &(member, width) in &leaves {
            match tally.iter_mut().find(|(_, other, _)| *other == width) {
                Some((_, _, times)) => *times += 1,
                None => tally.push((member, width, 1)),
            }
        }
        // Of widths that are equally frequent, the first.
        let usual = tally.iter().rev().max_by_key(|(_, _, times)| *times);
        let Some(&(other, other_width, _)) = usual else { return };
        let Some(&(member, width)) = leaves.iter().find(|(_, width)| *width != other_width) else { return };
        let describe = |target, width| {
            let (name, span) = self.name_of(self.node(target));
            let text = match width {
                Width::Bits(width) => count(width, "bit"),
                Width::Uncoded => "no CODING".to_owned(),
                Width::Differs | Width::Broken => "several widths".to_owned(),
            };
            (span, format!("`{name}` has {text}"))
        };
        let ((span, label), (other_span, other_label)) =
            (describe(member, width), describe(other, other_width));
        let message = format!("the members of `{}` differ in width", self.tree.groups[group.index()].name);
        let diagnostic = error(code::MEMBER_WIDTHS, span, message, label)
            .secondary(other_span, other_label)
            .secondary(mention, "one width is needed here")
            .help("all members of a group that is part of a CODING have one width");
        self.diagnostics.push(diagnostic);
    }

    /// The members of a group and of those inside it that are no groups, with their widths.
    fn add_leaves(
        &self,
        group: GroupId,
        (seen, found): (&mut BTreeSet<GroupId>, &mut Vec<(OperationOrGroup, Width)>),
    ) {
        if !seen.insert(group) {
            return;
        }
        for &member in &self.tree.groups[group.index()].members {
            match (member, self.shapes[self.node(member)].width) {
                (_, Width::Broken) => {}
                (OperationOrGroup::Group(inner), _) => self.add_leaves(inner, (seen, found)),
                (OperationOrGroup::Operation(_), width) => found.push((member, width)),
            }
        }
    }
}
