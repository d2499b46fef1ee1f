//! FUNCTIONs: signatures first, since they may be called before they are defined.

use super::code;
use super::collect::Definitions;
use super::names::{Global, ResultType, Signature, Table};
use super::report::error;
use super::typing::{BUILTINS, Typer, bits};
use crate::ast::Name;
use crate::diagnostic::Diagnostics;
use crate::model::{Body, Function, FunctionId, Type};

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
        let parameters = function
            .parameters
            .iter()
            .map(|parameter| Typer::new(table, None, diagnostics).type_of(&parameter.ty));
        let parameters: Vec<Option<Type>> = parameters.collect();
        let result = match &function.result {
            None => ResultType::Void,
            Some(ty) => match Typer::new(table, None, diagnostics).type_of(ty) {
                Some(ty) => ResultType::Value(ty),
                None => ResultType::Broken,
            },
        };
        if name.text == FAULT_HANDLER {
            check_fault_handler(name, &parameters, result, diagnostics);
        }
        table.functions.push(Some(Signature { parameters, result, span: name.span }));
    }
}

/// The reserved function that is called for a memory fault.
const FAULT_HANDLER: &str = "memory_fault";

/// The function of that name, if the model defines it.
pub(crate) fn fault_handler(table: &Table) -> Option<FunctionId> {
    match table.names.globals.get(FAULT_HANDLER)?.what {
        Global::Function(id) => Some(id),
        _ => None,
    }
}

fn check_fault_handler(
    name: &Name,
    parameters: &[Option<Type>],
    result: ResultType,
    diagnostics: &mut Diagnostics,
) {
    if parameters.contains(&None) || result == ResultType::Broken {
        return;
    }
    let is_result = result == ResultType::Void || result == ResultType::Value(bits(1));
    if parameters != [Some(bits(64)), Some(bits(2))] || !is_result {
        let message = "`memory_fault` is reserved and has another signature here";
        let help = "define it as `FUNCTION void memory_fault(bit[64] address, bit[2] access)`, or with \
                    the result `bit[1]`, which is 0 where the fault is to end the run; access is 0 for \
                    a read, 1 for a write, 2 for a fetch";
        diagnostics.push(error(code::FAULT_HANDLER, name.span, message, "another signature").help(help));
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
