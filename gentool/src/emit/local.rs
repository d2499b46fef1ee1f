//! Variables of a body: how each comes into being, as late and as narrow as its uses allow.

use std::ops::Range;

use isac_ir::behavior::{Expr, ExprKind, LocalId, Stmt};
use proc_macro2::TokenStream;
use quote::quote;

use super::body::{BodyEmitter, is_expression};
use super::expression::unsigned;
use super::function::Call;

/// How a local comes into being.
pub(super) enum Declaration {
    /// By the function around the body.
    Given,
    /// At its only assignment.
    Once,
    /// Before everything, as 0.
    Hoisted,
    /// Never read.
    Unused,
}

/// How often a local is assigned and read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Uses {
    pub sets: u32,
    pub reads: u32,
    /// Of a local that is assigned once: all reads stand behind that, in its list or below it.
    pub set_in_scope: bool,
}

/// How each local of a body is used, found in one walk over the statements: their places are
/// counted, those of lists inside a statement behind its own.
pub(super) struct UseTable {
    entries: Vec<Entry>,
    /// The place of the next statement.
    place: u32,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Entry {
    sets: u32,
    reads: u32,
    first_read: u32,
    last_read: u32,
    /// The places behind an assignment, to the end of its list.
    scope: Range<u32>,
}

impl Default for Entry {
    fn default() -> Entry {
        Entry { sets: 0, reads: 0, first_read: u32::MAX, last_read: 0, scope: 0..0 }
    }
}

impl UseTable {
    fn add_list(&mut self, body: &BodyEmitter<'_>, statements: &[Stmt]) {
        let mut behind = Vec::new();
        for statement in statements {
            let call = body.emitter.function_call(statement);
            statement.expressions().into_iter().for_each(|expr| {
                expr.walk(&mut |expr: &Expr| {
                    if let ExprKind::Local(local) = expr.kind {
                        self.read(local);
                    }
                });
            });
            call.iter().flat_map(|call| call.arguments).for_each(|local| self.read(*local));
            self.place += 1;
            if call.is_none() {
                statement.children().into_iter().for_each(|list| self.add_list(body, list));
            }
            if let Some(local) = body.set_by(statement) {
                self.entries[local as usize].sets += 1;
                behind.push((local, self.place));
            }
        }
        for (local, place) in behind {
            self.entries[local as usize].scope = place..self.place;
        }
    }

    fn read(&mut self, local: LocalId) {
        let entry = &mut self.entries[local as usize];
        entry.reads += 1;
        entry.first_read = entry.first_read.min(self.place);
        entry.last_read = entry.last_read.max(self.place);
    }
}

impl BodyEmitter<'_> {
    pub(super) fn assign(&self, local: u32, value: TokenStream) -> TokenStream {
        let name = &self.locals[local as usize];
        let ty = unsigned(self.body.locals[local as usize].width);
        match self.declaration(local) {
            Declaration::Hoisted | Declaration::Given => quote!(#name = #value;),
            Declaration::Once => quote!(let #name: #ty = #value;),
            Declaration::Unused => quote!(let _: #ty = #value;),
        }
    }

    /// How a local comes into being.
    pub(super) fn declaration(&self, local: u32) -> Declaration {
        if let Some(call) = self.call {
            return self.declaration_in_call(call, local);
        }
        if local == 0 && is_expression(self.operation, self.body) {
            return Declaration::Given;
        }
        match self.step_of_place() {
            Some((place, kind)) if place.parts.contains(&local) => {
                return if kind.is_bound() { Declaration::Given } else { Declaration::Hoisted };
            }
            _ => {}
        }
        self.declaration_by_use(local)
    }

    /// The same in an expansion: arguments are given, and the result is read at the end.
    fn declaration_in_call(&self, call: Call<'_>, local: u32) -> Declaration {
        if call.arguments.contains(&local) {
            return Declaration::Given;
        }
        if call.result != Some(local) {
            return self.declaration_by_use(local);
        }
        let is_set = self.statements.iter().any(|statement| self.set_by(statement) == Some(local));
        match self.uses(local) {
            Uses { sets: 1, reads: 0, .. } if is_set => Declaration::Once,
            _ => Declaration::Hoisted,
        }
    }

    fn declaration_by_use(&self, local: u32) -> Declaration {
        match self.uses(local) {
            Uses { reads: 0, .. } => Declaration::Unused,
            Uses { sets: 1, set_in_scope: true, .. } => Declaration::Once,
            _ => Declaration::Hoisted,
        }
    }

    /// How the emitted statements use a local.
    pub(super) fn uses(&self, local: LocalId) -> Uses {
        let table = self.uses.get_or_init(|| {
            let mut table = UseTable { entries: vec![Entry::default(); self.body.locals.len()], place: 0 };
            table.add_list(self, self.statements);
            table
        });
        let entry = &table.entries[local as usize];
        let is_behind = entry.first_read >= entry.scope.start && entry.last_read < entry.scope.end;
        Uses { sets: entry.sets, reads: entry.reads, set_in_scope: is_behind }
    }

    /// The local that a statement itself sets.
    pub(super) fn set_by(&self, statement: &Stmt) -> Option<LocalId> {
        match statement {
            Stmt::Set { local, .. } => Some(*local),
            Stmt::LinuxCall { result, .. } | Stmt::Semihost { result, .. } => Some(*result),
            _ => self.emitter.function_call(statement)?.result,
        }
    }
}
