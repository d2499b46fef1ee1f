//! Widths where one is needed: what stands in a CODING has one, and so have all members of a group.

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

    fn report_widths(&mut self, group: GroupId, mention: Span) {
        let group = &self.tree.groups[group.index()];
        let mut first: Option<(OperationOrGroup, Width)> = None;
        for &member in &group.members {
            let width = self.shapes[self.node(member)].width;
            match first {
                _ if width == Width::Broken => {}
                None => first = Some((member, width)),
                Some((other, other_width)) if other_width != width || width == Width::Differs => {
                    let message = format!("the members of `{}` differ in width", group.name);
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
                    let diagnostic = error(code::MEMBER_WIDTHS, span, message, label)
                        .secondary(other_span, other_label)
                        .secondary(mention, "one width is needed here")
                        .help("all members of a group that is part of a CODING have one width");
                    self.diagnostics.push(diagnostic);
                    return;
                }
                Some(_) => {}
            }
        }
    }
}
