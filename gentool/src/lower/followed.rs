//! Statements of a description as a debugger follows them: each with where it stands and what it sees.
//!
//! Other than a [point](super::point), a statement has a number of its own in each place that it is
//! lowered to: a FUNCTION's in each of its calls. So its number tells who has called, and where in the
//! body the variables are.

use std::cell::RefCell;
use std::collections::BTreeMap;

use isac_ir::Model;
use isac_ir::behavior::Stmt;
use isac_parser::model::{Body as SourceBody, CheckedModel, LocalId};
use isac_parser::source::{SourceMap, Span};

use super::body::BodyBuilder;
use super::point::Points;

/// A statement in one of the places that it is lowered to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FollowedStatement {
    /// Where it stands.
    pub span: Span,
    /// The section that it runs in, as `add.BEHAVIOR`; empty outside of all operations.
    pub section: String,
    /// The FUNCTIONs that are being called, the outermost first.
    pub calls: Vec<FollowedCall>,
    /// The variables that it sees, in the order of their declaration.
    pub locals: Vec<FollowedLocal>,
}

/// A call of a FUNCTION.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FollowedCall {
    /// The FUNCTION's name.
    pub function: String,
    /// The statement that calls it.
    pub span: Span,
}

/// A variable or parameter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FollowedLocal {
    /// Its name.
    pub name: String,
    /// Its number in the body.
    pub local: u32,
    /// Width in bits.
    pub width_bits: u32,
    /// Whether its type has a sign.
    pub signed: bool,
}

/// Lowers a model that tells of each statement before it runs; they are numbered as they are listed. But
/// for that it is what [`lower_model`](super::lower_model) gives.
pub fn lower_followed_model(
    model: &CheckedModel,
    sources: &SourceMap,
    name: &str,
) -> (Model, Vec<FollowedStatement>) {
    let points = Points::of_statements();
    let lowered = super::lower(model, sources, name, Some(&points));
    (lowered, points.followed.map(RefCell::into_inner).unwrap_or_default())
}

/// Where lowering is in the description.
#[derive(Debug, Clone, Default)]
pub(super) struct Whereabouts {
    section: String,
    calls: Vec<FollowedCall>,
    /// The statement at hand.
    statement: Option<Span>,
    /// Where each local of the body is declared, and whether it has a sign.
    declared: BTreeMap<u32, (Span, bool)>,
}

impl BodyBuilder<'_> {
    pub(super) fn is_followed(&self) -> bool {
        self.lowering.points.is_some_and(|points| points.followed.is_some())
    }

    /// A section of the operation at hand begins.
    pub(super) fn follow_section(&mut self, name: String) {
        self.whereabouts.section = name;
    }

    /// A FUNCTION is called from here on.
    pub(super) fn follow_call(&mut self, function: &str, body: Span) {
        if !self.is_followed() {
            return;
        }
        let span = self.whereabouts.statement.unwrap_or(body);
        self.whereabouts.calls.push(FollowedCall { function: function.to_owned(), span });
    }

    /// It is over.
    pub(super) fn follow_return(&mut self) {
        if let Some(call) = self.whereabouts.calls.pop() {
            self.whereabouts.statement = Some(call.span);
        }
    }

    /// Locals of a source are from here on those of the body.
    pub(super) fn follow_locals(&mut self, body: &SourceBody) {
        if !self.is_followed() {
            return;
        }
        for (index, local) in (0..).map(LocalId).zip(&body.locals) {
            if let Some(lowered) = self.scope.get(&index) {
                self.whereabouts.declared.insert(*lowered, (local.span, local.ty.signed));
            }
        }
    }

    /// A statement begins.
    pub(super) fn follow_statement(&mut self, span: Span) {
        self.whereabouts.statement = Some(span);
        let Some(followed) = self.lowering.points.and_then(|points| points.followed.as_ref()) else { return };
        let locals = self.scope.values().filter_map(|local| {
            let (declared, signed) = self.whereabouts.declared.get(local)?;
            let found = &self.body.locals[*local as usize];
            let is_seen = declared.file != span.file || declared.start < span.start;
            is_seen.then(|| FollowedLocal {
                name: found.name.clone(),
                local: *local,
                width_bits: found.width,
                signed: *signed,
            })
        });
        let statement = FollowedStatement {
            span,
            section: self.whereabouts.section.clone(),
            calls: self.whereabouts.calls.clone(),
            locals: locals.collect(),
        };
        let mut followed = followed.borrow_mut();
        let number = followed.len() as u32;
        followed.push(statement);
        drop(followed);
        self.push(Stmt::Visit(number));
    }
}
