//! FUNCTIONs: signatures first, since they may be called before they are defined.

use super::code;
use super::collect::Definitions;
use super::names::{ResultType, Signature, Table};
use super::report::{error, not_yet};
use super::typing::{BUILTINS, Typer};
use crate::diagnostic::Diagnostics;
use crate::model::{Body, Function};

/// Resolves the signatures into [`Table::functions`].
pub(crate) fn resolve_signatures(
    definitions: &Definitions<'_>,
    table: &mut Table,
    diagnostics: &mut Diagnostics,
) {
    for function in &definitions.functions {
        let name = &function.name;
        if BUILTINS.contains(&name.text.as_str()) {
            let message = format!("`{}` is built in and cannot be defined", name.text);
            let diagnostic = error(code::DOUBLE, name.span, message, "a built-in's name");
            diagnostics.push(diagnostic.help("choose another name"));
        }
        if name.text == "memory_fault" {
            diagnostics.push(not_yet(code::LATER_FORM, name.span, "FUNCTION `memory_fault` is"));
        }
        let parameters = function
            .parameters
            .iter()
            .map(|parameter| Typer::new(table, None, diagnostics).type_of(&parameter.ty));
        let parameters = parameters.collect();
        let result = match &function.result {
            None => ResultType::Void,
            Some(ty) => match Typer::new(table, None, diagnostics).type_of(ty) {
                Some(ty) => ResultType::Value(ty),
                None => ResultType::Broken,
            },
        };
        table.functions.push(Some(Signature { parameters, result, span: name.span }));
    }
}

/// Resolves the functions' bodies.
pub(crate) fn resolve_functions(
    definitions: &Definitions<'_>,
    table: &Table,
    diagnostics: &mut Diagnostics,
) -> Vec<Function> {
    let mut functions = Vec::new();
    for (function, signature) in definitions.functions.iter().zip(&table.functions) {
        let Some(signature) = signature else { continue };
        let typer = Typer::new(table, None, diagnostics);
        let body: Body = typer.function(function, &signature.parameters, signature.result);
        functions.push(Function {
            name: function.name.text.clone(),
            span: function.name.span,
            result: match signature.result {
                ResultType::Value(ty) => Some(ty),
                ResultType::Void | ResultType::Broken => None,
            },
            parameters: function.parameters.len(),
            body,
        });
    }
    functions
}
