//! ASSEMBLER: texts, aliases and fields in their formats.

use super::code;
use super::names::{Definition, Global, Table, undefined, wrong_kind};
use super::operation::{AliasValue, Draft, Meaning, OperationScope};
use super::report::{error, help_if};
use super::suggestion::did_you_mean;
use super::typing::{Mode, Typer};
use crate::ast::{self, Expr};
use crate::diagnostic::Diagnostics;
use crate::model::{self, AssemblerItem, Format, InstanceRole, RegisterId};

const FORMATS: [&str; 6] = ["U", "S", "X", "NAME", "ABS", "REL"];

/// Reports aliases that a text mentions and the CODING does not; they have no value either.
///
/// Nothing is said of an operation whose CODING was refused.
pub(crate) fn check_mentioned_aliases(draft: &mut Draft<'_>, diagnostics: &mut Diagnostics) {
    if draft.coding.is_none() && draft.sections.coding.is_some() {
        return;
    }
    let items = draft.sections.assembler.iter().flat_map(|section| &section.items);
    for item in items {
        let ast::AssemblerItem::Name(name) = item else {
            continue;
        };
        let Some(id) = draft.scope.alias(&name.text) else {
            continue;
        };
        let instance = &draft.scope.instances[id.index()];
        if instance.role == InstanceRole::Coded {
            continue;
        }
        let message = format!("the alias `{}` is not part of the CODING", name.text);
        let diagnostic = error(code::FIELD_NOT_CODED, name.span, message, "not coded")
            .secondary(instance.span, "the alias")
            .help("name it in CODING, or take it out of the text");
        diagnostics.push(diagnostic);
        draft.scope.values[id.index()] = AliasValue::Broken;
    }
}

/// Resolves an operation's assembler texts.
pub(crate) fn resolve_assembler(
    draft: &Draft<'_>,
    table: &Table,
    diagnostics: &mut Diagnostics,
) -> Vec<Vec<AssemblerItem>> {
    let mut assembler = Assembler { scope: &draft.scope, table, diagnostics };
    let sections = draft.sections.assembler.iter();
    sections.map(|section| section.items.iter().filter_map(|item| assembler.item(item)).collect()).collect()
}

struct Assembler<'a> {
    scope: &'a OperationScope,
    table: &'a Table,
    diagnostics: &'a mut Diagnostics,
}

impl Assembler<'_> {
    fn item(&mut self, item: &ast::AssemblerItem) -> Option<AssemblerItem> {
        match item {
            ast::AssemblerItem::Text(text) => Some(AssemblerItem::Text(text.value.clone())),
            ast::AssemblerItem::Join(_) => Some(AssemblerItem::Join),
            ast::AssemblerItem::Name(name) => match self.meaning(name)? {
                Meaning::Broken => None,
                Meaning::Field(field) => Some(AssemblerItem::Field { field, format: Format::Plain }),
                Meaning::Variable(_) | Meaning::Reference(_) => {
                    self.no_text(name);
                    None
                }
                Meaning::Instance(id) => {
                    let instance = self.scope.instances.get(id.index())?;
                    let coded = instance.role == InstanceRole::Coded;
                    coded.then_some(AssemblerItem::Instance(id))
                }
            },
            ast::AssemblerItem::Field { name, format } => {
                let meaning = self.meaning(name);
                let format = self.format(format);
                match meaning? {
                    Meaning::Broken => None,
                    Meaning::Field(field) => Some(AssemblerItem::Field { field, format: format? }),
                    Meaning::Variable(_) | Meaning::Reference(_) => {
                        self.no_text(name);
                        None
                    }
                    Meaning::Instance(_) => {
                        let message = format!("`{}` is an alias, which takes no format", name.text);
                        let diagnostic = error(code::WRONG_KIND, name.span, message, "an alias")
                            .help("write the alias alone; its operations have texts of their own");
                        self.diagnostics.push(diagnostic);
                        None
                    }
                }
            }
        }
    }

    /// Reports a LOCAL or REFERENCE, which only exist while the operation runs.
    fn no_text(&mut self, name: &ast::Name) {
        let message = format!("`{}` is a LOCAL or REFERENCE, which has no text", name.text);
        let mut diagnostic = error(code::WRONG_KIND, name.span, message, "no text");
        if let Some((_, declared)) = self.scope.names.get(&name.text) {
            diagnostic = diagnostic.secondary(*declared, "declared here");
        }
        let help = "an assembler text is made of literals, fields and aliases of the CODING";
        self.diagnostics.push(diagnostic.help(help));
    }

    fn meaning(&mut self, name: &ast::Name) -> Option<Meaning> {
        if let Some((meaning, _)) = self.scope.names.get(&name.text) {
            return Some(*meaning);
        }
        let message = format!("`{}` is not part of this operation's CODING", name.text);
        let diagnostic = error(code::FIELD_NOT_CODED, name.span, message, "no field and no alias");
        let near = did_you_mean(&name.text, self.scope.names.keys().map(String::as_str));
        self.diagnostics.push(help_if(diagnostic, near));
        None
    }

    fn format(&mut self, format: &ast::Format) -> Option<Format> {
        let arguments = format.arguments.as_slice();
        let resolved = match (format.name.text.as_str(), arguments) {
            ("U", []) => Format::Unsigned,
            ("S", []) => Format::Signed,
            ("X", []) => Format::Hexadecimal,
            ("ABS", []) => Format::Absolute,
            ("REL", []) => Format::Relative { offset: None },
            ("REL", [offset]) => Format::Relative { offset: Some(self.argument(offset)?) },
            ("NAME", [file]) => Format::Name { register: self.file(file)?, index: None },
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
                "REL" => "#REL takes at most one argument, the distance to what it counts from",
                _ => "this format takes no arguments",
            };
            error(code::BAD_FORMAT, format.span, message, "not as expected").help(help)
        } else {
            let message = format!("there is no format #{name}");
            let diagnostic = error(code::BAD_FORMAT, format.name.span, message, "unknown")
                .help("the formats are #U, #S, #X, #NAME(file), #ABS and #REL");
            help_if(diagnostic, did_you_mean(name, FORMATS))
        };
        self.diagnostics.push(diagnostic);
    }

    fn argument(&mut self, argument: &Expr) -> Option<model::Expr> {
        let typer = Typer::new(self.table, Some(self.scope), self.diagnostics);
        typer.with_mode(Mode::Format).value_of(argument)
    }

    /// The register file that #NAME prints from.
    fn file(&mut self, argument: &Expr) -> Option<RegisterId> {
        let ast::ExprKind::Name(name) = &argument.kind else {
            let message = "#NAME takes the name of a register file";
            self.diagnostics.push(error(code::BAD_FORMAT, argument.span, message, "no name"));
            return None;
        };
        let Some(found) = self.table.names.globals.get(&name.text) else {
            let known = self.table.names.globals.iter();
            let files = known.filter(|(_, found)| matches!(found.what, Global::Register(_)));
            let names = files.map(|(name, _)| name.as_str());
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
