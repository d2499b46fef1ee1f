//! The sections of an operation by kind.

use super::code;
use super::report::error;
use crate::ast::{self, Section};
use crate::diagnostic::Diagnostics;
use crate::source::Span;

/// The sections of one operation; of a kind that may stand once only, the first.
#[derive(Default)]
pub(crate) struct Sections<'a> {
    pub(crate) instances: Vec<&'a ast::InstanceSection>,
    pub(crate) references: Vec<&'a ast::ReferenceSection>,
    pub(crate) locals: Vec<&'a ast::LocalSection>,
    pub(crate) assembler: Vec<&'a ast::AssemblerSection>,
    pub(crate) coding: Option<&'a ast::CodingSection>,
    pub(crate) tail: Option<&'a ast::CodingSection>,
    pub(crate) when: Option<&'a ast::WhenSection>,
    pub(crate) expression: Option<&'a ast::ExpressionSection>,
    pub(crate) behavior: Option<&'a ast::BehaviorSection>,
    pub(crate) activation: Option<&'a ast::ActivationSection>,
    pub(crate) coding_root: Option<&'a ast::CodingRootSection>,
    /// Names that an unsupported section would define; whoever mentions them stays silent.
    pub(crate) unsupported_names: Vec<&'a ast::Name>,
}

impl<'a> Sections<'a> {
    /// The items of CODING and TAIL.
    pub(crate) fn coding_items(&self) -> impl Iterator<Item = &'a ast::CodingItem> + use<'a> {
        self.coding.into_iter().chain(self.tail).flat_map(|section| &section.items)
    }
}

/// Sorts an operation's sections; reports repeated and unsupported ones.
pub(crate) fn sort_sections<'a>(
    operation: &'a ast::Operation,
    diagnostics: &mut Diagnostics,
) -> Sections<'a> {
    let mut sections = Sections::default();
    for section in &operation.sections {
        match section {
            Section::Instance(section) => sections.instances.push(section),
            Section::Assembler(section) => sections.assembler.push(section),
            Section::Coding(section) => {
                once(&mut sections.coding, section, "CODING", |s| s.span, diagnostics);
            }
            Section::Expression(section) => {
                once(&mut sections.expression, section, "EXPRESSION", |s| s.span, diagnostics);
            }
            Section::Behavior(section) => {
                once(&mut sections.behavior, section, "BEHAVIOR", |s| s.span, diagnostics);
            }
            Section::Activation(section) => {
                once(&mut sections.activation, section, "ACTIVATION", |s| s.span, diagnostics);
            }
            Section::CodingRoot(section) => {
                once(&mut sections.coding_root, section, "CODINGROOT", |s| s.span, diagnostics);
            }
            Section::Reference(section) => sections.references.push(section),
            Section::Local(section) => sections.locals.push(section),
            Section::Tail(section) => {
                once(&mut sections.tail, section, "TAIL", |s| s.span, diagnostics);
            }
            Section::When(section) => {
                once(&mut sections.when, section, "WHEN", |s| s.span, diagnostics);
            }
        }
    }
    sections
}

/// Keeps the first section of a kind; reports every other.
fn once<'a, T>(
    slot: &mut Option<&'a T>,
    section: &'a T,
    kind: &str,
    span: impl Fn(&T) -> Span,
    diagnostics: &mut Diagnostics,
) {
    match slot {
        None => *slot = Some(section),
        Some(first) => {
            let message = format!("a second {kind} in one operation");
            let diagnostic = error(code::REPEATED_SECTION, span(section), message, "again here")
                .secondary(span(first), "first here");
            diagnostics.push(diagnostic);
        }
    }
}
