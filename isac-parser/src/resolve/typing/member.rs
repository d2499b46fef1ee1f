//! `alias.field`: a field of the operation that an alias chose.

use super::expression::{Operand, valued};
use super::{Typer, code, error};
use crate::ast;
use crate::model::{ExprKind, Field, FieldId, InstanceId, OperationId, OperationOrGroup, ReferenceId, Type};
use crate::resolve::choice::{Member, too_much};
use crate::resolve::operation::AliasValue;
use crate::resolve::suggestion::{did_you_mean, unless_unread};
use crate::source::Span;

/// What chose an operation: an alias, or what a reference stands for.
#[derive(Debug, Clone, Copy)]
pub(super) enum Chooser {
    Instance(InstanceId),
    Reference(ReferenceId),
}

/// A field with the operation that has it.
type Found<'a> = (&'a Member, OperationId, FieldId, &'a Field);

impl<'t> Typer<'t> {
    /// Every operation that the alias may choose has to have the field, in one type.
    pub(super) fn member_field(
        &mut self,
        chooser: Chooser,
        alias: &ast::Name,
        name: &ast::Name,
    ) -> Option<Operand> {
        let span = alias.span.to(name.span);
        self.only_when_running(span, "a field of what an alias chose")?;
        let members = match chooser {
            Chooser::Instance(instance) => {
                let target = self.chosen_target(instance, alias)?;
                self.members(&[target], span)?
            }
            Chooser::Reference(reference) => {
                let targets = self.referred_targets(reference, alias, span)?;
                self.members(targets, span)?
            }
        };
        let mut found: Vec<Found<'_>> = Vec::new();
        let mut lacking = None;
        for member in members.iter().copied() {
            let field = (0u32..).zip(&member.fields).find(|(_, field)| field.name == name.text);
            match field {
                Some((id, field)) => found.push((member, member.operation, FieldId(id), field)),
                None => lacking = lacking.or(Some(member)),
            }
        }
        let Some((first, _, _, field)) = found.first().copied() else {
            let known = members.iter().flat_map(|member| &member.fields);
            let known = unless_unread(known.map(|field| field.name.as_str()), self.diagnostics);
            let near = did_you_mean(&name.text, known);
            if self.reported.insert(format!("{}.{}", alias.text, name.text)) {
                let message = format!("undefined field `{}`", name.text);
                let help = "what an alias chose is asked for fields of its CODING; what it is worth, operands included, is its EXPRESSION";
                let diagnostic = error(code::UNDEFINED, name.span, message, "not defined")
                    .secondary(alias.span, "nothing that this chooses has it");
                self.diagnostics.push(diagnostic.help(near.unwrap_or_else(|| help.to_owned())));
            }
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
        let kind = match chooser {
            Chooser::Instance(instance) => ExprKind::MemberField { instance, fields },
            Chooser::Reference(reference) => ExprKind::MemberFieldReference { reference, fields },
        };
        Some(valued(kind, ty, span))
    }

    /// The operations that these may turn out to be; reports it once if the description asks too much.
    fn members(&mut self, targets: &[OperationOrGroup], span: Span) -> Option<Vec<&'t Member>> {
        let members = self.operation?.choices.members(targets);
        if members.is_none() {
            self.diagnostics.push(too_much(span));
        }
        members
    }

    /// What an alias chooses among.
    fn chosen_target(&mut self, instance: InstanceId, alias: &ast::Name) -> Option<OperationOrGroup> {
        let scope = self.operation?;
        match scope.value(instance) {
            AliasValue::Broken => None,
            AliasValue::NotCoded => {
                // Says why nothing was chosen, unless that was said.
                self.name(alias);
                None
            }
            AliasValue::Coded(_) | AliasValue::Operand { .. } | AliasValue::Decoded => {
                scope.instances.get(instance.index()).map(|instance| instance.target)
            }
        }
    }

    /// The name has to be an alias in every operation that has it.
    fn referred_targets(
        &mut self,
        reference: ReferenceId,
        name: &ast::Name,
        span: Span,
    ) -> Option<&'t [OperationOrGroup]> {
        let scope = self.operation?;
        // What has no value is reported where it is named as a REFERENCE.
        scope.references.get(reference.index()).copied().flatten()?;
        let referred = scope.referred_choices.get(reference.index())?;
        if let Some((operation, place)) = &referred.no_alias {
            let message = format!("`{}` is no alias in every operation above that has it", name.text);
            let diagnostic = error(code::MEMBER_FIELD, span, message, "chooses nothing")
                .secondary(*place, format!("in `{operation}` it is none"))
                .help("only what an alias chose has fields; a field or LOCAL is a value by itself");
            self.diagnostics.push(diagnostic);
            return None;
        }
        Some(&referred.targets)
    }
}

fn type_of(field: &Field) -> Type {
    Type { width_bits: field.width_bits, signed: field.signed }
}

fn describe(ty: Type) -> String {
    let bits = super::count(ty.width_bits, "bit");
    if ty.signed { format!("{bits}, signed") } else { bits }
}
