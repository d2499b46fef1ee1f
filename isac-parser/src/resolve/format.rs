//! Formats of values in assembler texts: `#X`, `#NAME(x, 8 + n)`, `#REL(4)`.

use super::code;
use super::names::{Definition, Global, Table, undefined, wrong_kind};
use super::operation::OperationScope;
use super::report::{error, help_if};
use super::suggestion::{did_you_mean, unless_unread};
use super::typing::{Mode, Typer};
use crate::ast::{self, Expr};
use crate::diagnostic::Diagnostics;
use crate::model::{self, Format, RegisterId};

pub(crate) const FORMATS: [&str; 8] = ["U", "S", "X", "UX", "NAME", "LIST", "ABS", "REL"];

/// Resolves the formats of one text.
pub(crate) struct Formats<'a> {
    /// The operation whose fields an argument may name; none in a PSEUDO.
    pub(crate) scope: Option<&'a OperationScope>,
    pub(crate) table: &'a Table,
    pub(crate) diagnostics: &'a mut Diagnostics,
}

impl Formats<'_> {
    /// What a format means; reports one that does not exist.
    pub(crate) fn format(&mut self, format: &ast::Format) -> Option<Format> {
        let arguments = format.arguments.as_slice();
        let resolved = match (format.name.text.as_str(), arguments) {
            ("U", []) => Format::Unsigned,
            ("S", []) => Format::Signed,
            ("X", []) => Format::Hexadecimal,
            ("UX", []) => Format::UnsignedHexadecimal,
            ("ABS", []) => Format::Absolute,
            ("REL", []) => Format::Relative { offset: None },
            ("REL", [offset]) => Format::Relative { offset: Some(self.argument(offset)?) },
            ("NAME", [file]) => Format::Name { register: self.file(file)?, index: None },
            ("LIST", [file]) => Format::List { register: self.file(file)? },
            ("U", [value]) if self.scope.is_some() => self.computed(Format::Unsigned, value)?,
            ("S", [value]) if self.scope.is_some() => self.computed(Format::Signed, value)?,
            ("X", [value]) if self.scope.is_some() => self.computed(Format::Hexadecimal, value)?,
            ("UX", [value]) if self.scope.is_some() => self.computed(Format::UnsignedHexadecimal, value)?,
            ("ABS", [value]) if self.scope.is_some() => self.computed(Format::Absolute, value)?,
            ("REL", [offset, value]) if self.scope.is_some() => {
                let offset = self.argument(offset);
                self.computed(Format::Relative { offset: Some(offset?) }, value)?
            }
            ("NAME", [file, index]) => {
                let (register, index) = (self.file(file), self.argument(index));
                Format::Name { register: register?, index: Some(index?) }
            }
            (name, _) => {
                self.bad_format(name, format);
                return None;
            }
        };
        Some(resolved)
    }

    fn bad_format(&mut self, name: &str, format: &ast::Format) {
        let diagnostic = if FORMATS.contains(&name) {
            let message = format!("wrong arguments for the format #{name}");
            let help = match name {
                "NAME" => "#NAME takes a register file, and the element if it is not the field",
                "LIST" => "#LIST takes a register file",
                _ if self.scope.is_none() => "a format of a PSEUDO computes nothing; the result may",
                "REL" => {
                    "#REL takes at most two arguments, the distance to what it counts from and the value"
                }
                _ => "this format takes at most one argument, the value if it is not the field",
            };
            error(code::BAD_FORMAT, format.span, message, "not as expected").help(help)
        } else {
            let message = format!("there is no format #{name}");
            let diagnostic = error(code::BAD_FORMAT, format.name.span, message, "unknown")
                .help("the formats are #U, #S, #X, #UX, #NAME(file), #LIST(file), #ABS and #REL");
            help_if(diagnostic, did_you_mean(name, FORMATS))
        };
        self.diagnostics.push(diagnostic);
    }

    fn computed(&mut self, format: Format, value: &Expr) -> Option<Format> {
        if let ast::ExprKind::Name(name) = &value.kind
            && let Some(declared) = self.scope.and_then(|scope| scope.alias_span(&name.text))
        {
            let message = format!("a format computes with fields, but `{}` is an alias", name.text);
            let diagnostic = error(code::BAD_FORMAT, name.span, message, "an alias")
                .secondary(declared, "declared here")
                .help("a parenthesis that stands in the text is written in quotes, as `\"(\"`");
            self.diagnostics.push(diagnostic);
            return None;
        }
        let typer = Typer::new(self.table, self.scope, self.diagnostics);
        let value = typer.with_mode(Mode::Written).value_of(value)?;
        Some(Format::Computed { format: Box::new(format), value: Box::new(value) })
    }

    fn argument(&mut self, argument: &Expr) -> Option<model::Expr> {
        let typer = Typer::new(self.table, self.scope, self.diagnostics);
        typer.with_mode(Mode::Format).value_of(argument)
    }

    /// The register file whose elements are named.
    fn file(&mut self, argument: &Expr) -> Option<RegisterId> {
        let ast::ExprKind::Name(name) = &argument.kind else {
            let message = "this format takes the name of a register file";
            self.diagnostics.push(error(code::BAD_FORMAT, argument.span, message, "no name"));
            return None;
        };
        let Some(found) = self.table.names.globals.get(&name.text) else {
            let known = self.table.names.globals.iter();
            let files = known.filter(|(_, found)| matches!(found.what, Global::Register(_)));
            let names = unless_unread(files.map(|(name, _)| name.as_str()), self.diagnostics);
            self.diagnostics.push(undefined("register file", name, names));
            return None;
        };
        match found {
            Definition { what: Global::Register(id), .. } => {
                if self.table.register(*id)?.count.is_none() {
                    let message = format!("`{}` is a single register", name.text);
                    let diagnostic = error(code::WRONG_KIND, name.span, message, "a register file is needed")
                        .secondary(found.span, "declared here");
                    self.diagnostics.push(diagnostic);
                    return None;
                }
                Some(*id)
            }
            _ => {
                self.diagnostics.push(wrong_kind(name, found, "a register file"));
                None
            }
        }
    }
}
