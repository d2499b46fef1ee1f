//! ASSEMBLER: texts, aliases and fields.

use super::code;
use super::format::Formats;
use super::names::Table;
use super::operation::{AliasValue, Draft, Meaning, OperationScope};
use super::report::{count, error, help_if};
use super::suggestion::{did_you_mean, unless_unread};
use super::typing::MAX_COMPUTED_BITS;
use crate::ast;
use crate::consequence::in_operation;
use crate::diagnostic::Diagnostics;
use crate::model::{AssemblerItem, FieldId, Format, InstanceRole};

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
    let sections = draft.sections.assembler.iter();
    sections.clone().for_each(|section| check_joins(&section.items, diagnostics));
    let mut assembler = Assembler { scope: &draft.scope, table, diagnostics };
    sections.map(|section| section.items.iter().filter_map(|item| assembler.item(item)).collect()).collect()
}

/// Reports each `~` that has no item on one of its sides.
fn check_joins(items: &[ast::AssemblerItem], diagnostics: &mut Diagnostics) {
    let is_item = |item: Option<&ast::AssemblerItem>| {
        item.is_some_and(|item| !matches!(item, ast::AssemblerItem::Join(_)))
    };
    for (index, item) in items.iter().enumerate() {
        let ast::AssemblerItem::Join(span) = item else { continue };
        let before = is_item(index.checked_sub(1).and_then(|before| items.get(before)));
        if !before || items.get(index + 1).is_none() {
            let side = if before { "behind" } else { "before" };
            let message = format!("`~` joins two items, and nothing stands {side} it");
            diagnostics.push(error(code::JOIN_ALONE, *span, message, "joins nothing").help(
                "put it between two items of this text; what stands beside an alias is joined in the text around it",
            ));
        }
    }
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
            ast::AssemblerItem::Name(name) => match self.meaning(name, true)? {
                Meaning::Broken => None,
                Meaning::Field(field) => self.field(field, Some(Format::Plain), name),
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
                let meaning = self.meaning(name, false);
                let format =
                    Formats { scope: Some(self.scope), table: self.table, diagnostics: self.diagnostics }
                        .format(format);
                match meaning? {
                    Meaning::Broken => None,
                    Meaning::Field(field) => self.field(field, format, name),
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

    /// A field, whose value a text has as a whole.
    fn field(&mut self, field: FieldId, format: Option<Format>, name: &ast::Name) -> Option<AssemblerItem> {
        let declared = self.scope.fields.get(field.index())?;
        if declared.width_bits > MAX_COMPUTED_BITS {
            let width = count(declared.width_bits, "bit");
            let message = format!("the field `{}` of {width} has no text", name.text);
            let diagnostic = error(code::WIDE_VALUE, name.span, message, format!("has {width}"))
                .secondary(declared.span, "coded here")
                .help("let the CODING name it in parts of at most 128 bits, each a field");
            self.diagnostics.push(diagnostic);
            return None;
        }
        Some(AssemblerItem::Field { field, format: format? })
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

    /// What a name stands for; a word without a format may be a text without its quotes.
    fn meaning(&mut self, name: &ast::Name, is_word: bool) -> Option<Meaning> {
        if let Some((meaning, _)) = self.scope.names.get(&name.text) {
            return Some(*meaning);
        }
        let message = format!("`{}` is not part of this operation's CODING", name.text);
        let diagnostic = error(code::FIELD_NOT_CODED, name.span, message, "no field and no alias")
            .cause(in_operation(&name.text));
        let known = unless_unread(self.scope.names.keys().map(String::as_str), self.diagnostics);
        let near = did_you_mean(&name.text, known);
        let quoted = || format!("a word that stands as it is is written in quotes, as `\"{}\"`", name.text);
        self.diagnostics.push(help_if(diagnostic, near.or_else(|| is_word.then(quoted))));
        None
    }
}
