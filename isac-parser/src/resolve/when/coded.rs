//! The fields and aliases that a WHEN names: bits of the operation's CODING.

use super::{Resolver, strip};
use crate::ast::{Expr, ExprKind, Name};
use crate::model::{CodingBit, ComparedBit, FieldId, InstanceId, TailItem};
use crate::resolve::code;
use crate::resolve::operation::Meaning;
use crate::resolve::report::error;
use crate::source::Span;

/// A row of coded bits with a name: a field or an alias.
pub(super) struct Coded {
    /// Most significant first.
    pub(super) bits: Vec<ComparedBit>,
    pub(super) signed: bool,
    pub(super) declared: Span,
}

impl Resolver<'_> {
    /// The name of a field or alias, which `CODED()` may be around.
    pub(super) fn coded_name<'e>(&self, expr: &'e Expr) -> Option<&'e Name> {
        match &expr.kind {
            ExprKind::Name(name) => Some(name),
            ExprKind::Call { callee, arguments } => match (&callee.kind, arguments.as_slice()) {
                (ExprKind::Name(function), [argument]) if function.text == "CODED" => {
                    match &strip(argument).kind {
                        ExprKind::Name(name) => Some(name),
                        _ => None,
                    }
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// The bits of a name; reports one that is no part of the CODING.
    pub(super) fn coded(&mut self, name: &Name) -> Option<Coded> {
        let Some((meaning, declared)) = self.scope.names.get(&name.text).copied() else {
            self.undefined(name);
            return None;
        };
        match meaning {
            Meaning::Broken => None,
            Meaning::Variable(_) | Meaning::Reference(_) => {
                self.only_the_word(name, declared, "declared here");
                None
            }
            Meaning::Field(id) => self.field(name, id, declared),
            Meaning::Instance(id) => self.instance(name, id, declared),
        }
    }

    fn field(&mut self, name: &Name, id: FieldId, declared: Span) -> Option<Coded> {
        let is_own = |bit: &CodingBit| matches!(bit, CodingBit::Field { field, .. } if *field == id);
        let in_tail = self.tail.iter().find_map(|item| match item {
            TailItem::Word { bits, span } if bits.iter().any(is_own) => Some(*span),
            _ => None,
        });
        if let Some(span) = in_tail {
            self.only_the_word(name, span, "is part of the TAIL");
            return None;
        }
        let field = &self.scope.fields[id.index()];
        let is_coded = |bit: u32| {
            let found = |coded: &CodingBit| matches!(coded, CodingBit::Field { field, bit: at, .. } if *field == id && *at == bit);
            self.coding.iter().any(found)
        };
        let bits = (0..field.width_bits).rev().map(|bit| match is_coded(bit) {
            true => ComparedBit::Field(id, bit),
            false => ComparedBit::Constant(false),
        });
        Some(Coded { bits: bits.collect(), signed: field.signed, declared })
    }

    fn instance(&mut self, name: &Name, id: InstanceId, declared: Span) -> Option<Coded> {
        let is_own = |bit: &CodingBit| matches!(bit, CodingBit::Instance { instance, .. } if *instance == id);
        if !self.coding.iter().any(is_own) {
            self.only_the_word(name, declared, "the alias");
            return None;
        }
        let width = self.scope.instances[id.index()].width_bits?;
        let bits = (0..width).rev().map(|bit| ComparedBit::Instance(id, bit)).collect();
        Some(Coded { bits, signed: false, declared })
    }

    fn only_the_word(&mut self, name: &Name, other: Span, label: &str) {
        let message = format!("`{}` is not part of the CODING", name.text);
        let diagnostic = error(code::WHEN_FORM, name.span, message, "not there when words are told apart")
            .secondary(other, label)
            .help("a WHEN is a condition on the bits of the operation's CODING");
        self.diagnostics.push(diagnostic);
    }
}
