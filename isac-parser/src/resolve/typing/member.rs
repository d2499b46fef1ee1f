//! `alias.field`: a field of the operation that an alias chose.

use super::expression::{Operand, valued};
use super::{Typer, code, error};
use crate::ast;
use crate::model::{ExprKind, Field, FieldId, InstanceId, OperationId, Type};
use crate::resolve::names::undefined;
use crate::resolve::operation::{AliasValue, Member};

/// A field with the operation that has it.
type Found<'a> = (&'a Member, OperationId, FieldId, &'a Field);

impl Typer<'_> {
    /// Every operation that the alias may choose has to have the field, in one type.
    pub(super) fn member_field(
        &mut self,
        instance: InstanceId,
        alias: &ast::Name,
        name: &ast::Name,
    ) -> Option<Operand> {
        let span = alias.span.to(name.span);
        self.only_when_running(span, "a field of what an alias chose")?;
        let scope = self.operation?;
        match scope.value(instance) {
            AliasValue::Broken => return None,
            AliasValue::NotCoded => {
                // Says why nothing was chosen, unless that was said.
                self.name(alias);
                return None;
            }
            AliasValue::Coded(_) | AliasValue::Operand { .. } | AliasValue::Decoded => {}
        }
        let members = scope.members.get(instance.index())?;
        let mut found: Vec<Found<'_>> = Vec::new();
        let mut lacking = None;
        for member in members {
            let field = (0u32..).zip(&member.fields).find(|(_, field)| field.name == name.text);
            match field {
                Some((id, field)) => found.push((member, member.operation, FieldId(id), field)),
                None => lacking = lacking.or(Some(member)),
            }
        }
        let Some((first, _, _, field)) = found.first().copied() else {
            let known = members.iter().flat_map(|member| &member.fields);
            let diagnostic = undefined("field", name, known.map(|field| field.name.as_str()));
            self.diagnostics.push(diagnostic.secondary(alias.span, "nothing that this chooses has it"));
            return None;
        };
        if let Some(member) = lacking {
            let message = format!("not everything that `{}` chooses has a field `{}`", alias.text, name.text);
            let diagnostic = error(code::MEMBER_FIELD, span, message, "may not be there")
                .secondary(member.span, format!("`{}` has none", member.name))
                .secondary(field.span, format!("`{}` has one", first.name))
                .help("give every member the field, or SWITCH on the alias");
            self.diagnostics.push(diagnostic);
            return None;
        }
        let ty = type_of(field);
        if let Some((member, _, _, other)) = found.iter().find(|(_, _, _, other)| type_of(other) != ty) {
            let message = format!("the fields `{}` of what `{}` chooses differ", name.text, alias.text);
            let diagnostic = error(code::MEMBER_FIELD, span, message, "of which type?")
                .secondary(field.span, format!("{} in `{}`", describe(ty), first.name))
                .secondary(other.span, format!("{} in `{}`", describe(type_of(other)), member.name))
                .help("the field has one width and one sign in all members");
            self.diagnostics.push(diagnostic);
            return None;
        }
        let mut fields: Vec<_> = found.iter().map(|(_, operation, field, _)| (*operation, *field)).collect();
        fields.sort();
        Some(valued(ExprKind::MemberField { instance, fields }, ty, span))
    }
}

fn type_of(field: &Field) -> Type {
    Type { width_bits: field.width_bits, signed: field.signed }
}

fn describe(ty: Type) -> String {
    let bits = super::count(ty.width_bits, "bit");
    if ty.signed { format!("{bits}, signed") } else { bits }
}
