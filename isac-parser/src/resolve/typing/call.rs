//! Calls: FUNCTIONs and built-ins.

use super::conversion::{INT, MAX_COMPUTED_BITS, Value, bits, signed};
use super::expression::{Operand, valued};
use super::{Mode, Typer, code, count, error};
use crate::ast;
use crate::model::{Builtin, Expr, ExprKind, FunctionId, Type};
use crate::resolve::names::{Global, ResultType, Signature, undefined};
use crate::resolve::operation::Meaning;
use crate::resolve::suggestion::unless_unread;
use crate::source::Span;

/// The names that a FUNCTION must not take.
pub(crate) const BUILTINS: [&str; 16] = [
    "CODED",
    "cancel",
    "clz",
    "coded_size",
    "ctz",
    "cycles",
    "event",
    "extra_cycles",
    "halt",
    "illegal",
    "instructions",
    "linux_call",
    "popcount",
    "printf",
    "semihost",
    "sext",
];

impl Typer<'_> {
    /// `callee(arguments)`
    pub(super) fn call(
        &mut self,
        callee: &ast::Expr,
        arguments: &[ast::Expr],
        span: Span,
    ) -> Option<Operand> {
        let name = match &callee.kind {
            ast::ExprKind::Name(name) => name,
            ast::ExprKind::Member { base, member } => {
                return self.service(base, member, arguments, span);
            }
            _ => {
                let message = "only a function can be called";
                self.diagnostics.push(error(code::WRONG_KIND, callee.span, message, "no function"));
                return None;
            }
        };
        match self.global(name) {
            Some((Global::Function(function), _)) => {
                if self.mode != Mode::Written {
                    self.only_when_running(span, "a call")?;
                }
                self.function_call(function, name, arguments, span)
            }
            None if BUILTINS.contains(&name.text.as_str()) && !self.is_hidden(name) => {
                self.builtin_call(name, arguments, span)
            }
            _ => {
                self.no_function(name, arguments);
                None
            }
        }
    }

    /// True if a FUNCTION or a built-in has this name, hidden or not.
    fn is_function_outside(&self, name: &ast::Name) -> bool {
        let global = self.table.names.globals.get(&name.text);
        global.is_some_and(|found| matches!(found.what, Global::Function(_)))
            || BUILTINS.contains(&name.text.as_str())
    }

    fn no_function(&mut self, name: &ast::Name, arguments: &[ast::Expr]) {
        if !self.reported.insert(name.text.clone()) {
            return;
        }
        let inner = self.operation.and_then(|operation| operation.names.get(&name.text));
        let local = self.blocks.iter().rev().find_map(|block| block.get(&name.text));
        let hiding = local.map(|(_, span)| *span).or(inner.map(|(_, span)| *span));
        if let Some(hiding) = hiding {
            let message = format!("`{}` is no function here", name.text);
            let diagnostic = error(code::WRONG_KIND, name.span, message, "no function")
                .secondary(hiding, "this is what the name stands for")
                .help(match self.is_function_outside(name) {
                    true => "inner names hide outer ones; give this one another name to call the function"
                        .to_owned(),
                    false => {
                        format!("bits stand in brackets, as `{}[0]` or `{}[7..0]`", name.text, name.text)
                    }
                });
            self.diagnostics.push(diagnostic);
            return;
        }
        if let Some(found) = self.table.names.globals.get(&name.text) {
            let kind = found.what.kind();
            let message = format!("`{}` is {kind} and cannot be called", name.text);
            let diagnostic = error(code::WRONG_KIND, name.span, message, "no function")
                .secondary(found.span, "defined here");
            self.diagnostics.push(match found.what {
                Global::Map(_) => {
                    diagnostic.help(format!("an address stands in brackets, as `{}[address]`", name.text))
                }
                Global::Register(_) | Global::Alias(_) => diagnostic.help(format!(
                    "elements and bits stand in brackets, as `{}[0]` or `{}[7..0]`",
                    name.text, name.text
                )),
                _ => diagnostic,
            });
            return;
        }
        let functions = self.table.names.globals.iter();
        let functions = functions.filter(|(_, found)| matches!(found.what, Global::Function(_)));
        let known = functions.map(|(name, _)| name.as_str()).chain(BUILTINS);
        let known = unless_unread(known, self.diagnostics);
        let form = self
            .service_without_pipeline(name, arguments)
            .or_else(|| self.latency_of_what(name, arguments.first()));
        let mut diagnostic = match form {
            Some(form) => undefined("function", name, []).help(form),
            None => undefined("function", name, known),
        };
        if let Some(other) = self.table.names.operations.get(&name.text) {
            diagnostic = diagnostic
                .secondary(other.span, "an operation or group has this name")
                .help("an operation is not called; it is decoded or activated");
        }
        self.diagnostics.push(diagnostic);
    }

    fn function_call(
        &mut self,
        function: FunctionId,
        name: &ast::Name,
        arguments: &[ast::Expr],
        span: Span,
    ) -> Option<Operand> {
        let values: Vec<Option<Value>> = arguments.iter().map(|a| self.value(a)).collect();
        let table = self.table;
        let Signature { parameters, result, span: declared } =
            table.functions.get(function.index())?.as_ref()?;
        if values.len() != parameters.len() {
            if values.iter().any(Option::is_none) {
                // It may be two of which the comma between them is missing.
                return None;
            }
            let wanted = count(parameters.len() as u128, "argument");
            self.wrong_count(&name.text, &wanted, values.len(), span, Some(*declared));
            return None;
        }
        let mut converted = Vec::new();
        let mut complete = true;
        for (value, parameter) in values.into_iter().zip(parameters) {
            match (value, parameter) {
                (Some(value), Some(ty)) => converted.push(self.fit(value, *ty).expr),
                _ => complete = false,
            }
        }
        let ty = match result {
            ResultType::Void => None,
            ResultType::Value(ty) => Some(*ty),
            ResultType::Broken => return None,
        };
        let kind = ExprKind::Call { function, arguments: converted };
        complete.then_some(Operand::Value(Expr { kind, ty, span }))
    }

    fn wrong_count(&mut self, name: &str, wanted: &str, found: usize, span: Span, declared: Option<Span>) {
        let message = format!("`{name}` takes {wanted}, but gets {found}");
        let mut diagnostic = error(code::ARGUMENT_COUNT, span, message, "wrong count");
        if let Some(declared) = declared {
            diagnostic = diagnostic.secondary(declared, "declared here");
        }
        self.diagnostics.push(diagnostic);
    }

    fn builtin_call(&mut self, name: &ast::Name, arguments: &[ast::Expr], span: Span) -> Option<Operand> {
        let (builtin, parameters, result): (_, &[Type], _) = match name.text.as_str() {
            "halt" if is_text(arguments.get(1)) => return self.explained_halt(arguments, span),
            "halt" => (Builtin::Halt, &[INT], None),
            "illegal" => (Builtin::Illegal, &[], None),
            "cancel" => (Builtin::Cancel, &[], None),
            "cycles" => (Builtin::Cycles, &[], Some(bits(64))),
            "instructions" => (Builtin::Instructions, &[], Some(bits(64))),
            "extra_cycles" => (Builtin::ExtraCycles, &[bits(64)], None),
            "semihost" => (Builtin::Semihost, &[bits(64); 2], Some(signed(64))),
            "linux_call" => (Builtin::LinuxCall, &[signed(64); 7], Some(signed(64))),
            "sext" => return self.sext(arguments, span),
            "popcount" => return self.bit_count(Builtin::Popcount, name, arguments, span),
            "clz" => return self.bit_count(Builtin::Clz, name, arguments, span),
            "ctz" => return self.bit_count(Builtin::Ctz, name, arguments, span),
            "coded_size" => return self.coded_size(name, arguments, span),
            "printf" => return self.printf(arguments, span),
            "event" => return self.event(arguments, span),
            "CODED" => return self.coded(arguments, span),
            _ => return None,
        };
        self.only_when_running(span, "a call")?;
        let values: Vec<Option<Value>> = arguments.iter().map(|a| self.value(a)).collect();
        if values.len() != parameters.len() {
            let wanted = match name.text.as_str() {
                "halt" => "1 argument, or a status, a text and what that prints".to_owned(),
                _ => count(parameters.len() as u128, "argument"),
            };
            self.wrong_count(&name.text, &wanted, values.len(), span, None);
            return None;
        }
        let values: Vec<Value> = values.into_iter().collect::<Option<_>>()?;
        let mut converted = Vec::new();
        for (value, ty) in values.into_iter().zip(parameters) {
            converted.push(match builtin {
                Builtin::ExtraCycles => {
                    self.cycle_count(value, "extra cycles", "what takes longer takes 0 or more cycles more")?
                }
                _ => self.fit(value, *ty).expr,
            });
        }
        let kind = ExprKind::Builtin { builtin, arguments: converted };
        Some(Operand::Value(Expr { kind, ty: result, span }))
    }

    /// `halt(status, format, arguments)`: what is told of the end, and the end.
    fn explained_halt(&mut self, arguments: &[ast::Expr], span: Span) -> Option<Operand> {
        self.only_when_running(span, "a call")?;
        let (status, text) = arguments.split_first()?;
        let (status, told) = (self.value(status), self.printf(text, span));
        let Operand::Value(Expr { kind: ExprKind::Printf { format, arguments }, .. }) = told? else {
            return None;
        };
        let told = Expr { kind: ExprKind::Explain { format, arguments }, ty: None, span };
        let arguments = vec![self.fit(status?, INT).expr];
        let kind = ExprKind::Builtin { builtin: Builtin::Halt, arguments };
        let halt = Expr { kind, ty: None, span };
        let kind = ExprKind::Comma(Box::new(told), Box::new(halt));
        Some(Operand::Value(Expr { kind, ty: None, span }))
    }

    /// `sext(v, n)`
    fn sext(&mut self, arguments: &[ast::Expr], span: Span) -> Option<Operand> {
        let [value, width] = arguments else {
            self.wrong_count("sext", "2 arguments", arguments.len(), span, None);
            return None;
        };
        let (value, from) = (self.value(value), self.number(width));
        let (value, from) = (value?, from?);
        let limit = value.ty.width_bits;
        if from == 0 || from > u128::from(limit) {
            let message = format!("`sext` of {} of {limit}", count(from, "bit"));
            let label = format!("has to be from 1 to {limit}");
            self.diagnostics.push(error(code::OUT_OF_BOUNDS, width.span, message, label));
            return None;
        }
        let from = Expr { kind: ExprKind::Const(from), ty: Some(INT), span: width.span };
        let arguments = vec![value.expr, from];
        Some(valued(ExprKind::Builtin { builtin: Builtin::Sext, arguments }, signed(limit), span))
    }

    /// `popcount(v)`, `clz(v)`, `ctz(v)`: of the value as wide as it is.
    fn bit_count(
        &mut self,
        builtin: Builtin,
        name: &ast::Name,
        arguments: &[ast::Expr],
        span: Span,
    ) -> Option<Operand> {
        let [value] = arguments else {
            self.wrong_count(&name.text, "1 argument", arguments.len(), span, None);
            return None;
        };
        let arguments = vec![self.value(value)?.expr];
        Some(valued(ExprKind::Builtin { builtin, arguments }, INT, span))
    }

    /// `coded_size(group, word)`: the word keeps its width, which a check compares.
    fn coded_size(&mut self, name: &ast::Name, arguments: &[ast::Expr], span: Span) -> Option<Operand> {
        self.only_when_running(span, "a call")?;
        if self.blocks.is_empty() {
            let message = "`coded_size` outside of a BEHAVIOR and a FUNCTION";
            let diagnostic = error(code::WRONG_KIND, span, message, "asked for in a condition or an address");
            self.diagnostics.push(diagnostic.help("call a FUNCTION that asks for it"));
            return None;
        }
        let [target, word] = arguments else {
            self.wrong_count(&name.text, "2 arguments", arguments.len(), span, None);
            return None;
        };
        let word = self.value(word);
        let ast::ExprKind::Name(target) = &target.kind else {
            let message = "`coded_size` asks for the size of words of an operation or group";
            self.diagnostics.push(error(code::WRONG_KIND, target.span, message, "no operation and no group"));
            return None;
        };
        let found = self.table.names.operation(target, self.diagnostics);
        let (builtin, arguments) = (Builtin::CodedSize(found?), vec![word?.expr]);
        Some(valued(ExprKind::Builtin { builtin, arguments }, INT, span))
    }

    /// `event("name")`
    fn event(&mut self, arguments: &[ast::Expr], span: Span) -> Option<Operand> {
        self.only_when_running(span, "a call")?;
        if let [ast::Expr { kind: ast::ExprKind::Text(text), .. }] = arguments {
            let kind = ExprKind::Event(text.value.clone());
            return Some(Operand::Value(Expr { kind, ty: None, span }));
        }
        let message = "`event` takes one text, its name";
        self.diagnostics.push(error(code::MISPLACED_TEXT, span, message, "no text"));
        None
    }

    /// `CODED(alias)`
    fn coded(&mut self, arguments: &[ast::Expr], span: Span) -> Option<Operand> {
        self.only_when_running(span, "a call")?;
        if let [ast::Expr { kind: ast::ExprKind::Name(name), .. }] = arguments
            && let Some(operation) = self.operation
            && let Some((meaning, _)) = operation.names.get(&name.text)
        {
            match meaning {
                Meaning::Broken => return None,
                Meaning::Field(_) | Meaning::Variable(_) => {}
                Meaning::Reference(id) => {
                    let value = (*operation.references.get(id.index())?)?;
                    if let Some(width) = value.coded_bits {
                        return self.coded_value(ExprKind::CodedReference(*id), width, span);
                    }
                }
                Meaning::Instance(id) => {
                    let width = match operation.coded_width(*id) {
                        Some(width) => width,
                        None => {
                            // Says why the alias has no coded bits, unless that was said.
                            self.name(name);
                            return None;
                        }
                    };
                    return self.coded_value(ExprKind::Coded(*id), width, span);
                }
            }
        }
        let message = "`CODED` takes one alias of this operation's CODING, or a REFERENCE to one";
        let diagnostic = error(code::WRONG_KIND, span, message, "no alias")
            .help("a field is its coded bits itself; a LOCAL has none");
        self.diagnostics.push(diagnostic);
        None
    }

    fn coded_value(&mut self, kind: ExprKind, width: u32, span: Span) -> Option<Operand> {
        if width > MAX_COMPUTED_BITS {
            let message = format!("coded bits of {} are only decoded", count(width, "bit"));
            let diagnostic = error(code::WIDE_VALUE, span, message, format!("has {}", count(width, "bit")))
                .help("name fields of at most 128 bits, or the aliases that it consists of");
            self.diagnostics.push(diagnostic);
            return None;
        }
        Some(valued(kind, bits(width), span))
    }
}

/// True for a text in quotes.
fn is_text(argument: Option<&ast::Expr>) -> bool {
    argument.is_some_and(|argument| matches!(argument.kind, ast::ExprKind::Text(_)))
}
