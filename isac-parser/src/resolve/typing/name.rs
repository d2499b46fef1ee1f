//! Names by themselves: variables, fields, aliases, registers, constants.

use super::call::BUILTINS;
use super::conversion::{bits, signed};
use super::expression::{Operand, valued};
use super::{Mode, Typer, code, error};
use crate::ast;
use crate::consequence::in_operation;
use crate::model::{ExprKind, Place, PlaceKind, Register, Type};
use crate::resolve::names::{Alias, Definition, Global, undefined, wrong_kind};
use crate::resolve::operation::{AliasValue, Meaning};
use crate::resolve::suggestion::{is_read, unless_unread};
use crate::source::Span;

/// Names that always have a meaning unless something hides them.
pub(crate) const RESERVED_VALUES: [&str; 2] = ["instruction_address", "instruction_size"];

/// Most places that stand where ALIASes are mentioned, in a whole description.
const MOST_PLACES: usize = 200_000;

impl Typer<'_> {
    /// A name by itself.
    pub(super) fn name(&mut self, name: &ast::Name) -> Option<Operand> {
        if let Some(local) = self.local(name) {
            return local;
        }
        if let Some(operation) = self.operation
            && let Some((meaning, _)) = operation.names.get(&name.text)
        {
            return self.operation_name(name, *meaning);
        }
        if let Some(found) = self.table.names.globals.get(&name.text) {
            return self.global_name(name, *found);
        }
        let span = name.span;
        match name.text.as_str() {
            "instruction_address" => {
                if self.mode != Mode::Written {
                    self.only_when_running(span, "known when an instruction is decoded")?;
                }
                Some(valued(ExprKind::InstructionAddress, bits(self.table.pc_bits()), span))
            }
            "instruction_size" => {
                if self.mode == Mode::Constant {
                    self.only_when_running(span, "known when an instruction is decoded")?;
                }
                Some(valued(ExprKind::InstructionSize, signed(32), span))
            }
            _ => {
                self.undefined_name(name);
                None
            }
        }
    }

    /// A variable of this name, if one is visible; the inner `None` is one that was reported.
    fn local(&mut self, name: &ast::Name) -> Option<Option<Operand>> {
        let (local, _) = *self.blocks.iter().rev().find_map(|block| block.get(&name.text))?;
        Some(local.and_then(|id| {
            let ty = self.locals.get(id.index())?.ty;
            self.only_when_running(name.span, "a variable")?;
            Some(Operand::Place(Place { kind: PlaceKind::Local(id), ty, span: name.span }))
        }))
    }

    fn operation_name(&mut self, name: &ast::Name, meaning: Meaning) -> Option<Operand> {
        let operation = self.operation?;
        let span = name.span;
        match meaning {
            Meaning::Broken => None,
            Meaning::Field(id) => {
                if self.mode == Mode::Constant {
                    self.only_when_running(span, "a field")?;
                }
                let field = operation.fields.get(id.index())?;
                let ty = Type { width_bits: field.width_bits, signed: field.signed };
                Some(valued(ExprKind::Field(id), ty, span))
            }
            Meaning::Variable(id) => {
                self.only_when_running(span, "a LOCAL")?;
                let ty = operation.variables.get(id.index())?.ty;
                Some(Operand::Place(Place { kind: PlaceKind::Variable(id), ty, span }))
            }
            Meaning::Reference(id) => {
                self.only_when_running(span, "a REFERENCE")?;
                let ty = (*operation.references.get(id.index())?)?.ty;
                Some(Operand::Place(Place { kind: PlaceKind::Reference(id), ty, span }))
            }
            Meaning::Instance(id) => {
                self.only_when_running(span, "an alias")?;
                match operation.value(id) {
                    AliasValue::Broken => None,
                    AliasValue::Coded(ty) => Some(valued(ExprKind::Coded(id), ty, span)),
                    AliasValue::Operand { ty, .. } => {
                        Some(Operand::Place(Place { kind: PlaceKind::Operand(id), ty, span }))
                    }
                    AliasValue::Decoded | AliasValue::NotCoded
                        if !self.reported.insert(name.text.clone()) =>
                    {
                        None
                    }
                    AliasValue::Decoded => {
                        let message = format!("`{}` has no one width", name.text);
                        let label = "its members differ in width";
                        let mut diagnostic = error(code::MEMBER_WIDTHS, span, message, label);
                        if let Some((_, declared)) = operation.names.get(&name.text) {
                            diagnostic = diagnostic.secondary(*declared, "the alias");
                        }
                        self.diagnostics.push(diagnostic.help("name a field of it, or SWITCH on it"));
                        None
                    }
                    AliasValue::NotCoded => {
                        let message = format!("the alias `{}` has no value here", name.text);
                        let label = "is not part of this operation's CODING";
                        let mut diagnostic = error(code::NO_VALUE, span, message, label);
                        if let Some((_, declared)) = operation.names.get(&name.text) {
                            diagnostic = diagnostic.secondary(*declared, "the alias");
                        }
                        self.diagnostics.push(diagnostic.help("name it in CODING"));
                        None
                    }
                }
            }
        }
    }

    fn global_name(&mut self, name: &ast::Name, found: Definition<Global>) -> Option<Operand> {
        let span = name.span;
        match found.what {
            Global::Constant(index) => {
                let constant = (*self.table.constants.get(index)?)?;
                Some(valued(ExprKind::Const(constant.value), constant.ty, span))
            }
            _ if self.mode != Mode::Run => {
                self.only_when_running(span, found.what.kind())?;
                None
            }
            Global::Register(register) => {
                let Register { count, width_bits, .. } = self.table.register(register)?;
                if count.is_some() {
                    let message = format!("`{}` is a register file, not a value", name.text);
                    let help = format!("name an element, as `{}[0]`", name.text);
                    let diagnostic = error(code::WRONG_KIND, span, message, "a whole file")
                        .secondary(found.span, "declared here");
                    self.diagnostics.push(diagnostic.help(help));
                    return None;
                }
                let kind = PlaceKind::Register { register, index: None };
                Some(Operand::Place(Place { kind, ty: bits(*width_bits), span }))
            }
            Global::Alias(alias) => {
                let alias = self.table.alias(alias)?;
                alias.is_used.set(true);
                self.note_expansion(name, alias)?;
                Some(Operand::Place(Place { span, ..alias.place.clone() }))
            }
            Global::Device(_) => {
                let help = "a device is reached through a MEMORY_MAP; a TIMER has `.pending`";
                self.diagnostics.push(wrong_kind(name, &found, "a value").help(help));
                None
            }
            Global::Pipeline(_) => {
                let help = format!("ask it, as `{}.busy(STAGE)`", name.text);
                self.diagnostics.push(wrong_kind(name, &found, "a value").help(help));
                None
            }
            Global::Ram(_) | Global::Cache(_) => {
                let diagnostic = wrong_kind(name, &found, "a value")
                    .help("memory is reached through a MEMORY_MAP, as `defaultmap[address]`");
                self.diagnostics.push(diagnostic);
                None
            }
            Global::Map(_) => {
                let help = format!("name a cell, as `{}[address]`", name.text);
                self.diagnostics.push(wrong_kind(name, &found, "a value").help(help));
                None
            }
            Global::Function(_) => {
                let help = format!("call it: `{}(...)`", name.text);
                self.diagnostics.push(wrong_kind(name, &found, "a value").help(help));
                None
            }
        }
    }

    /// Counts what stands in the place of an ALIAS; `None` if that is too much, which is reported
    /// once: ALIASes of ALIASes may double with each.
    fn note_expansion(&mut self, name: &ast::Name, alias: &Alias) -> Option<()> {
        let before = self.table.expanded_places.get();
        let sum = before.saturating_add(alias.size);
        self.table.expanded_places.set(sum);
        if sum > MOST_PLACES && before <= MOST_PLACES {
            let message = "ALIASes stand for too many registers in this description";
            let label = format!("`{}` stands for {} of them here", name.text, alias.size);
            let help = format!(
                "up to here they have more than {MOST_PLACES} registers, slices and concatenations: \
                 in an ALIAS of many others name the registers themselves"
            );
            let diagnostic = error(code::TEXTS_TOO_LARGE, name.span, message, label)
                .secondary(alias.names.span, "declared here");
            self.diagnostics.push(diagnostic.help(help));
        }
        (sum <= MOST_PLACES).then_some(())
    }

    fn undefined_name(&mut self, name: &ast::Name) {
        if !self.reported.insert(name.text.clone()) {
            return;
        }
        let locals = self.blocks.iter().rev().flat_map(|block| block.keys());
        let operation = self.operation.iter().flat_map(|operation| operation.names.keys());
        let globals = self.table.names.globals.keys();
        let known = locals.chain(operation).chain(globals).map(String::as_str);
        let known = unless_unread(known.chain(RESERVED_VALUES), self.diagnostics);
        let mut diagnostic = undefined("name", name, known);
        if let Some(other) = self.table.names.operations.get(&name.text) {
            diagnostic = diagnostic
                .secondary(other.span, "an operation or group has this name")
                .help("an operation is used through an alias: INSTANCE it and name it in CODING");
        }
        if is_read(self.diagnostics)
            && let Some((file, element)) = self.table.element_named(&name.text)
        {
            diagnostic = diagnostic
                .secondary(file.span, "an element of this file has the name in texts")
                .help(format!("write `{}[{element}]`, or declare an ALIAS for it", file.name));
        }
        let inner = &self.table.inner_names;
        if let Some(operation) = self.operation.filter(|_| inner.has(&name.text)) {
            // A remedy more would go unread, but what has one cause stays one.
            let is_read = is_read(self.diagnostics);
            let above = if is_read { inner.above(operation.index, &name.text) } else { None };
            if let Some(above) = above {
                let help = format!(
                    "what an operation above has is used by REFERENCE: `REFERENCE {{ {} }};`",
                    name.text
                );
                diagnostic =
                    diagnostic.secondary(above.span, format!("`{}` has this name", above.what)).help(help);
            }
            // Each operation needs a REFERENCE of its own.
            if above.is_some() || !is_read {
                diagnostic.cause = Some(in_operation(&name.text));
            }
        }
        if let Some(help) = self.stage_as_value(name).or_else(|| self.latency_of_what(name, None)) {
            diagnostic = diagnostic.help(help);
        }
        if matches!(name.text.as_str(), "true" | "false") {
            diagnostic = diagnostic.help("there is no `bool`: write 1 or 0");
        }
        if BUILTINS.contains(&name.text.as_str()) {
            diagnostic = diagnostic.help(format!("it is a built-in: call it, as `{}(...)`", name.text));
        }
        self.diagnostics.push(diagnostic);
    }

    /// What a name stands for outside of the operation, where nothing inner hides it.
    pub(super) fn global(&self, name: &ast::Name) -> Option<(Global, Span)> {
        let found = self.table.names.globals.get(&name.text)?;
        (!self.is_hidden(name)).then_some((found.what, found.span))
    }

    /// True if a variable or something of the operation has the name.
    pub(super) fn is_hidden(&self, name: &ast::Name) -> bool {
        self.blocks.iter().any(|block| block.contains_key(&name.text))
            || self.operation.is_some_and(|operation| operation.names.contains_key(&name.text))
    }
}
