//! Conditions that stay branches of the host.
//!
//! Where a value comes from, as behind a bypass between stages, and whether there is anything to do in a stage, is the
//! same in most cycles of a loop: a branch of the host is predicted, and what follows need not wait for what decides.
//! Left alone, the compiler makes a choice between two addresses of the one and a jump through a table of the other.

use isac_ir::behavior::{Expr, ExprKind, Stmt};
use proc_macro2::TokenStream;
use quote::quote;

use crate::emit::Shape;
use crate::emit::body::BodyEmitter;

/// Tests for labels of one SWITCH at least, of which the first stays a branch: fewer become no table.
const FEWEST_TESTS: usize = 4;

impl BodyEmitter<'_> {
    /// What keeps the arms of an IF apart, if it chooses by them where a value comes from: one of them leaves with
    /// something that a register says, or takes something from an element of a file.
    pub(in crate::emit) fn keep_arms(&self, then: &[Stmt], otherwise: &[Stmt]) -> TokenStream {
        let chooses = |arm: &[Stmt]| {
            sets_to(arm, is_element)
                || matches!(arm.last(), Some(Stmt::Leave(_))) && sets_to(arm, is_register)
        };
        self.keep_branch(chooses(then) || chooses(otherwise))
    }

    /// What keeps the sides of a choice apart, if one of them reads an element of a file.
    pub(in crate::emit) fn keep_choice(&self, then: &Expr, otherwise: &Expr) -> TokenStream {
        self.keep_branch(reads(then, is_element) || reads(otherwise, is_element))
    }

    /// What keeps the test for the first label of a SWITCH apart from those that follow; behind a statement, by its
    /// number.
    pub(in crate::emit) fn keep_first_test(&self, statements: &[Stmt], index: usize) -> TokenStream {
        let is_first = index == 0
            && statements.len() >= FEWEST_TESTS
            && statements[..FEWEST_TESTS].iter().all(is_label_test);
        self.keep_branch(is_first)
    }

    fn keep_branch(&self, is_kept: bool) -> TokenStream {
        match is_kept && self.emitter.shape == Shape::Timed {
            true => quote!(keep_branch();),
            false => TokenStream::new(),
        }
    }
}

/// True if the statement does nothing but leave a block if a condition holds.
fn is_label_test(statement: &Stmt) -> bool {
    match statement {
        Stmt::If { then, otherwise, .. } => matches!(then[..], [Stmt::Leave(_)]) && otherwise.is_empty(),
        _ => false,
    }
}

/// True if a variable is set to something that reads so.
fn sets_to(arm: &[Stmt], is_read: fn(&Expr) -> bool) -> bool {
    arm.iter().any(|statement| matches!(statement, Stmt::Set { value, .. } if reads(value, is_read)))
}

fn reads(expr: &Expr, is_read: fn(&Expr) -> bool) -> bool {
    let mut found = false;
    expr.walk(&mut |inner| found |= is_read(inner));
    found
}

fn is_register(expr: &Expr) -> bool {
    matches!(expr.kind, ExprKind::Register { .. } | ExprKind::RegisterPart { .. })
}

/// True for an element of a file that is known at run time only.
fn is_element(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Register { index: Some(index), .. } | ExprKind::RegisterPart { index: Some(index), .. } => {
            !matches!(index.kind, ExprKind::Const(_))
        }
        _ => false,
    }
}
