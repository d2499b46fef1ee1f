//! Variables of a body: how each comes into being, as late and as narrow as its uses allow.

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
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Uses {
    pub sets: u32,
    pub reads: u32,
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
        match self.uses(self.statements, local) {
            Uses { sets: 1, reads: 0 } if is_set => Declaration::Once,
            _ => Declaration::Hoisted,
        }
    }

    fn declaration_by_use(&self, local: u32) -> Declaration {
        let total = self.uses(self.statements, local);
        match (total.sets, total.reads) {
            (_, 0) => Declaration::Unused,
            (1, _) if self.set_in_scope(self.statements, local) => Declaration::Once,
            _ => Declaration::Hoisted,
        }
    }

    /// How often statements assign and read a local.
    pub(super) fn uses(&self, statements: &[Stmt], local: u32) -> Uses {
        let mut uses = Uses::default();
        let mut read = |expr: &Expr| {
            uses.reads += u32::from(matches!(expr.kind, ExprKind::Local(read) if read == local));
        };
        self.emitter.walk_own(statements, &mut |statement| {
            statement.expressions().into_iter().for_each(|expr| expr.walk(&mut read));
        });
        self.emitter.walk_own(statements, &mut |statement| {
            uses.sets += u32::from(self.set_by(statement) == Some(local));
            let call = self.emitter.function_call(statement);
            uses.reads += u32::from(call.is_some_and(|call| call.arguments.contains(&local)));
        });
        uses
    }

    /// True if all reads stand behind the only assignment, in its list or below it.
    fn set_in_scope(&self, statements: &[Stmt], local: u32) -> bool {
        match statements.iter().position(|statement| self.set_by(statement) == Some(local)) {
            Some(place) => {
                self.uses(&statements[..place], local) == Uses::default()
                    && self.uses(&statements[place..=place], local).reads == 0
            }
            None => {
                let total = self.uses(statements, local);
                let is_own = |statement: &&Stmt| self.emitter.function_call(statement).is_none();
                statements
                    .iter()
                    .filter(is_own)
                    .flat_map(Stmt::children)
                    .any(|list| self.uses(list, local) == total && self.set_in_scope(list, local))
            }
        }
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
