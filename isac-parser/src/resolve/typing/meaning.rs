//! EXPRESSIONs: a value, which may be a place, or a value and the FUNCTION that writes it.

use super::conversion::Value;
use super::expression::Operand;
use super::{Typer, code, count, describe, error};
use crate::ast::{self, ExpressionSection, Writer};
use crate::diagnostic::Diagnostic;
use crate::model::{Expr, ExprKind, FunctionId, Place, PlaceKind, Type};
use crate::resolve::names::{Global, ResultType, Signature, undefined, wrong_kind};
use crate::resolve::suggestion::unless_unread;

/// What a FUNCTION that writes is like.
const WRITER_FORM: &str =
    "it takes what is written behind its other arguments and returns nothing, as `void write(bit[32] value)`";

impl<'a> Typer<'a> {
    /// The value of an EXPRESSION: read from a place wherever it is one.
    pub(crate) fn meaning(mut self, section: &ExpressionSection) -> Option<Expr> {
        let Some(writer) = &section.writer else {
            return match self.operand(&section.value)? {
                Operand::Place(place) => Some(Value::read(place).expr),
                value => Some(self.value_in(value)?.expr),
            };
        };
        let value = self.read_value(&section.value);
        let (function, arguments, ty) = self.writer(writer)?;
        let value = self.value_to_write(value?, ty, &section.value, writer)?;
        let span = section.value.span.to(writer.span);
        let kind = PlaceKind::Written { value: Box::new(value), writer: function, arguments };
        let place = Place { kind, ty, span };
        Some(Expr { kind: ExprKind::Read(Box::new(place)), ty: Some(ty), span })
    }

    /// What stands before a writer: a value, or a FUNCTION without arguments by its name alone.
    fn read_value(&mut self, expr: &ast::Expr) -> Option<Value> {
        if let ast::ExprKind::Name(name) = &expr.kind
            && let Some((Global::Function(_), _)) = self.global(name)
        {
            let operand = self.call(expr, &[], expr.span)?;
            return self.value_in(operand);
        }
        self.value(expr)
    }

    /// A FUNCTION that writes, its arguments, and the type of what it writes.
    fn writer(&mut self, writer: &Writer) -> Option<(FunctionId, Vec<Expr>, Type)> {
        let values: Vec<Option<Value>> =
            writer.arguments.iter().map(|argument| self.value(argument)).collect();
        let (function, signature) = self.writing_function(writer)?;
        let ([before @ .., written], ResultType::Void) = (signature.parameters.as_slice(), signature.result)
        else {
            if signature.result != ResultType::Broken {
                self.no_writer(writer, signature);
            }
            return None;
        };
        if before.len() != values.len() {
            self.no_writer(writer, signature);
            return None;
        }
        let mut arguments = Vec::new();
        for (value, parameter) in values.into_iter().zip(before) {
            arguments.push(self.fit(value?, (*parameter)?).expr);
        }
        Some((function, arguments, (*written)?))
    }

    /// The FUNCTION that a writer names.
    fn writing_function(&mut self, writer: &Writer) -> Option<(FunctionId, &'a Signature)> {
        let (name, table) = (&writer.name, self.table);
        if self.is_hidden(name) {
            // Says what hides the FUNCTION, or that there is none.
            self.call(
                &ast::Expr { kind: ast::ExprKind::Name(name.clone()), span: name.span },
                &[],
                name.span,
            );
            return None;
        }
        let Some(found) = table.names.globals.get(&name.text) else {
            let functions = table.names.globals.iter();
            let functions = functions.filter(|(_, found)| matches!(found.what, Global::Function(_)));
            let known = unless_unread(functions.map(|(name, _)| name.as_str()), self.diagnostics);
            self.diagnostics.push(undefined("function", name, known).help(WRITER_FORM));
            return None;
        };
        match found.what {
            Global::Function(id) => Some((id, table.functions.get(id.index())?.as_ref()?)),
            _ => {
                let help = format!(
                    "behind the comma stands the FUNCTION that a write calls; a place needs none, as \
                     `EXPRESSION {{ {} }}`",
                    name.text
                );
                self.diagnostics.push(wrong_kind(name, found, "a FUNCTION").help(help));
                None
            }
        }
    }

    fn no_writer(&mut self, writer: &Writer, signature: &Signature) {
        let name = &writer.name.text;
        let takes = count(signature.parameters.len() as u128, "argument");
        let (message, label) = match signature.result {
            ResultType::Value(ty) => {
                (format!("`{name}` cannot write this EXPRESSION"), format!("returns a {}", describe(ty)))
            }
            _ => {
                let given = count(writer.arguments.len() as u128, "argument");
                let label = match writer.arguments.is_empty() {
                    true => format!("takes {takes}, not the value alone"),
                    false => format!("takes {takes}, not {given} and the value"),
                };
                (format!("`{name}` cannot write this EXPRESSION"), label)
            }
        };
        let diagnostic = error(code::WRITER, writer.span, message, label)
            .secondary(signature.span, "defined here")
            .help(WRITER_FORM);
        self.diagnostics.push(diagnostic);
    }

    /// The value in the type of what is written; a wider one would lose bits with each read.
    fn value_to_write(&mut self, value: Value, ty: Type, expr: &ast::Expr, writer: &Writer) -> Option<Expr> {
        if value.constant().is_none() && value.ty.width_bits > ty.width_bits {
            let (read, written) = (count(value.ty.width_bits, "bit"), count(ty.width_bits, "bit"));
            let name = &writer.name.text;
            let message = format!("{read} are read, and `{name}` writes {written}");
            let diagnostic: Diagnostic = error(code::WRITER, expr.span, message, format!("has {read}"))
                .secondary(writer.span, format!("writes {written}"))
                .help(format!("let `{name}` take {read}, or cast the value, as `({})(...)`", describe(ty)));
            self.diagnostics.push(diagnostic);
            return None;
        }
        Some(self.fit(value, ty).expr)
    }
}
