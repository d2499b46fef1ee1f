//! What the editor shows of a name: its declaration, widths and codings, where it lies, when it runs.

use std::fmt::Write as _;

use isac_parser::model::{
    AssemblerItem, Field, Group, Instance, InstanceRole, Model, Operation, OperationOrGroup, RangeTarget,
    Type,
};
use isac_parser::source::FileId;
use isac_parser::words;
use lsp_types::{Hover, HoverContents, MarkupContent, MarkupKind, Position};

use crate::analysis::Analysis;
use crate::index::{Kind, Symbol};
use crate::picture::picture_of;
use crate::service::Study;
use crate::word::{self, word_at};

/// Of longer declarations only the beginning is shown.
const MOST_LINES: usize = 12;
/// Of more members only the first ones are shown.
const MOST_MEMBERS: usize = 24;

/// What is known of what stands at a position.
pub(crate) fn hover_of(
    analysis: &Analysis,
    study: Option<&dyn Study>,
    file: FileId,
    position: Position,
) -> Option<Hover> {
    let offset = analysis.offset(file, position);
    let (text, range) = match analysis.index.at(file, offset) {
        Some(found) => {
            (of_symbol(analysis, study, &analysis.index.symbols[found.symbol]), analysis.range(found.span))
        }
        None => {
            let source = analysis.sources.text(file);
            let found = word_at(source, offset)?;
            let text = match found.kind {
                word::Kind::Number => of_number(found.of(source), study),
                word::Kind::Name => of_word(found.of(source)),
                _ => None,
            };
            (text?, analysis.range_of(file, found.start..found.end))
        }
    };
    let contents = HoverContents::Markup(MarkupContent { kind: MarkupKind::Markdown, value: text });
    Some(Hover { contents, range: Some(range) })
}

fn of_symbol(analysis: &Analysis, study: Option<&dyn Study>, symbol: &Symbol) -> String {
    let owner = symbol.owner.as_ref().map(|owner| format!(" of `{owner}`")).unwrap_or_default();
    let mut text = format!("**{}** {}{owner}", symbol.name, symbol.kind.words());
    let facts = analysis.reading.model.as_ref().and_then(|model| Facts { model }.of(symbol));
    for fact in facts.iter().flatten() {
        let _ = write!(text, "\n\n{fact}");
    }
    if symbol.kind == Kind::Operation
        && let Some(timing) = study.and_then(|study| study.timing(&symbol.name))
    {
        let _ = write!(text, "\n\n{timing}");
    }
    let declared = analysis.sources.slice(symbol.declaration);
    let mut lines: Vec<&str> = declared.lines().take(MOST_LINES).map(str::trim_end).collect();
    if declared.lines().count() > MOST_LINES {
        lines.push("...");
    }
    let _ = write!(text, "\n\n```isac\n{}\n```", lines.join("\n"));
    text
}

/// What the model knows.
struct Facts<'m> {
    model: &'m Model,
}

impl Facts<'_> {
    fn of(&self, symbol: &Symbol) -> Option<Vec<String>> {
        let name = symbol.name.as_str();
        let model = self.model;
        match symbol.kind {
            Kind::Operation => {
                Some(self.operation(model.operations.iter().find(|found| found.name == name)?))
            }
            Kind::Group => Some(self.group(model.groups.iter().find(|found| found.name == name)?)),
            Kind::Instance | Kind::Field | Kind::Variable | Kind::Reference => {
                let owner = symbol.owner.as_deref()?;
                self.inner(model.operations.iter().find(|found| found.name == owner)?, symbol)
            }
            Kind::Register => {
                let found = model.registers.iter().find(|found| found.name == name)?;
                let mut facts = vec![match found.count {
                    Some(count) => format!("{count} elements of {} bits", found.width_bits),
                    None => format!("{} bits", found.width_bits),
                }];
                facts.push(format!("after reset: {:#x}", found.reset));
                if !found.hardwired.is_empty() {
                    let wired = found
                        .hardwired
                        .iter()
                        .map(|(element, value)| format!("{name}[{element}] = {value:#x}"));
                    facts.push(format!("hardwired: {}", wired.collect::<Vec<_>>().join(", ")));
                }
                Some(facts)
            }
            Kind::RegisterAlias => {
                let found = model.aliases.iter().find(|found| found.name == name)?;
                let parts = found.parts.iter().map(|part| {
                    let register = &model.registers[part.register.index()];
                    let element = register.count.map(|_| format!("[{}]", part.element)).unwrap_or_default();
                    let bits = format!("[{}..{}]", part.low + part.width_bits - 1, part.low);
                    let whole = part.low == 0 && part.width_bits == register.width_bits;
                    format!("`{}{element}{}`", register.name, if whole { "" } else { &bits })
                });
                Some(vec![format!("{} bits: {}", found.width_bits, parts.collect::<Vec<_>>().join(" :: "))])
            }
            Kind::Ram => {
                let found = model.rams.iter().find(|found| found.name == name)?;
                let flag = |set: bool, letter: &'static str| if set { letter } else { "" };
                let flags =
                    [flag(found.readable, "R"), flag(found.writable, "W"), flag(found.executable, "X")];
                let size =
                    format!("{:#x} cells of {} bits, {}", found.size_cells, found.cell_bits, flags.concat());
                Some(vec![size, format!("an access takes {}", cycles(found.latency))])
            }
            Kind::Cache => {
                let found = model.caches.iter().find(|found| found.name == name)?;
                Some(vec![
                    format!(
                        "{} cells in lines of {}, {} ways, over `{}`",
                        found.size_cells,
                        found.line_cells,
                        found.ways,
                        model.rams[found.over.index()].name
                    ),
                    format!("hit {}, miss {} more", cycles(found.hit_cycles), cycles(found.miss_cycles)),
                ])
            }
            Kind::Map => {
                let found = model.maps.iter().find(|found| found.name == name)?;
                let mut facts = vec![format!(
                    "{} bits of address, cells of {} bits",
                    found.address_bits, found.cell_bits
                )];
                let ranges = found.ranges.iter().map(|range| {
                    format!("- `{:#x}` to `{:#x}`: {}", range.low, range.high, self.target(range.target))
                });
                facts.push(ranges.collect::<Vec<_>>().join("\n"));
                Some(facts)
            }
            Kind::Pipeline => {
                let found = model.pipelines.iter().find(|found| found.name == name)?;
                let stages: Vec<&str> = found.stages.iter().map(|stage| stage.name.as_str()).collect();
                Some(vec![format!("{} stages: {}", stages.len(), stages.join(", "))])
            }
            Kind::Stage => {
                let owner = symbol.owner.as_deref()?;
                let pipeline = model.pipelines.iter().find(|found| found.name == owner)?;
                let at = pipeline.stages.iter().position(|stage| stage.name == name)?;
                Some(vec![format!("stage {} of {}", at + 1, pipeline.stages.len())])
            }
            Kind::Function => {
                let found = model.functions.iter().find(|found| found.name == name)?;
                let parameters = found.body.locals.iter().take(found.parameters);
                let parameters: Vec<String> =
                    parameters.map(|local| format!("{} {}", type_words(local.ty), local.name)).collect();
                let result = found.result.map_or_else(|| "void".to_owned(), type_words);
                Some(vec![format!("`{result} {name}({})`", parameters.join(", "))])
            }
            Kind::Parameter | Kind::Local => {
                let bodies = model.operations.iter().filter_map(|operation| operation.behavior.as_ref());
                let bodies = bodies.chain(model.functions.iter().map(|function| &function.body));
                let found = bodies.flat_map(|body| &body.locals).find(|local| local.span == symbol.span)?;
                Some(vec![format!("`{}`", type_words(found.ty))])
            }
            Kind::Constant | Kind::Device | Kind::PseudoOperand => None,
        }
    }

    fn target(&self, target: RangeTarget) -> String {
        let model = self.model;
        match target {
            RangeTarget::Ram(id) => format!("RAM `{}`", model.rams[id.index()].name),
            RangeTarget::Cache(id) => format!("CACHE `{}`", model.caches[id.index()].name),
            RangeTarget::Device(id) => format!("DEVICE `{}`", model.devices[id.index()].name),
            RangeTarget::Register(id) => format!("REGISTER `{}`", model.registers[id.index()].name),
            RangeTarget::Functions { read, write } => {
                let name = |id: isac_parser::model::FunctionId| &model.functions[id.index()].name;
                format!("FUNCTIONs `{}` and `{}`", name(read), name(write))
            }
        }
    }

    fn unit(&self, unit: OperationOrGroup) -> &str {
        match unit {
            OperationOrGroup::Operation(id) => &self.model.operations[id.index()].name,
            OperationOrGroup::Group(id) => &self.model.groups[id.index()].name,
        }
    }

    fn operation(&self, operation: &Operation) -> Vec<String> {
        let mut facts = Vec::new();
        let texts: Vec<String> =
            operation.assembler.iter().map(|text| assembler_text(operation, text)).collect();
        if !texts.is_empty() {
            facts.push(texts.iter().map(|text| format!("`{text}`")).collect::<Vec<_>>().join(" or "));
        }
        if let Some(coding) = &operation.coding {
            let fixed =
                coding.iter().filter(|bit| matches!(bit, isac_parser::model::CodingBit::Fixed(_))).count();
            facts.push(format!("CODING of {} bits, {fixed} of them fixed", coding.len()));
        }
        facts.extend(picture_of(operation).map(|picture| format!("```text\n{picture}```")));
        if let Some((stage, _)) = operation.stage {
            let pipeline = &self.model.pipelines[stage.pipeline.index()];
            facts
                .push(format!("in stage `{}.{}`", pipeline.name, pipeline.stages[stage.stage as usize].name));
        }
        if let Some(value) = operation.expression.as_ref().and_then(|value| value.ty) {
            facts.push(format!("an operand: its value is `{}`", type_words(value)));
        }
        facts
    }

    fn group(&self, group: &Group) -> Vec<String> {
        let mut names: Vec<String> = group
            .members
            .iter()
            .take(MOST_MEMBERS)
            .map(|member| format!("`{}`", self.unit(*member)))
            .collect();
        if group.members.len() > MOST_MEMBERS {
            names.push("...".to_owned());
        }
        let width = group.width_bits.map(|width| format!(", each of {width} bits")).unwrap_or_default();
        vec![format!("{} members{width}: {}", group.members.len(), names.join(", "))]
    }

    fn inner(&self, operation: &Operation, symbol: &Symbol) -> Option<Vec<String>> {
        let name = symbol.name.as_str();
        match symbol.kind {
            Kind::Instance => {
                let found = operation.instances.iter().find(|found| found.alias == name)?;
                Some(self.instance(found))
            }
            Kind::Field => {
                let Field { width_bits, signed, .. } =
                    operation.fields.iter().find(|found| found.name == name)?;
                let ty = Type { width_bits: *width_bits, signed: *signed };
                Some(vec![format!("{width_bits} bits, `{}` in BEHAVIOR", type_words(ty))])
            }
            Kind::Variable => {
                let found = operation.variables.iter().find(|found| found.name == name)?;
                Some(vec![format!("`{}`", type_words(found.ty))])
            }
            _ => {
                let found = operation.references.iter().find(|found| found.name == name)?;
                let parents = found.bindings.iter();
                let parents: Vec<String> = parents
                    .map(|binding| format!("`{}`", self.model.operations[binding.parent.index()].name))
                    .collect();
                let ty = found.ty.map(|ty| format!("`{}`, ", type_words(ty))).unwrap_or_default();
                Some(vec![format!("{ty}from {}", parents.join(", "))])
            }
        }
    }

    fn instance(&self, instance: &Instance) -> Vec<String> {
        let kind = match instance.target {
            OperationOrGroup::Operation(_) => "OPERATION",
            OperationOrGroup::Group(_) => "GROUP",
        };
        let role = match instance.role {
            InstanceRole::Coded => "part of the CODING",
            InstanceRole::Root => "decoded by the CODINGROOT",
            InstanceRole::Below => "decoded below, activated here",
            InstanceRole::Activated => "activated",
            InstanceRole::Unused => "not used",
        };
        let mut facts = vec![format!("of {kind} `{}`, {role}", self.unit(instance.target))];
        let width = instance.width_bits.map(|width| format!("{width} coded bits"));
        let value = instance.value_type.map(|ty| {
            let place = if instance.is_place { ", can be assigned" } else { "" };
            format!("its value is `{}`{place}", type_words(ty))
        });
        let known: Vec<String> = width.into_iter().chain(value).collect();
        if !known.is_empty() {
            facts.push(known.join("; "));
        }
        facts
    }
}

fn cycles(count: u32) -> String {
    if count == 1 { "1 cycle".to_owned() } else { format!("{count} cycles") }
}

fn type_words(ty: Type) -> String {
    format!("{}bit[{}]", if ty.signed { "signed " } else { "" }, ty.width_bits)
}

/// A text with the names of its operands in angle brackets.
fn assembler_text(operation: &Operation, items: &[AssemblerItem]) -> String {
    let mut text = String::new();
    let mut is_joined = true;
    for item in items {
        let piece = match item {
            AssemblerItem::Join => {
                is_joined = true;
                continue;
            }
            AssemblerItem::Text(piece) => piece.clone(),
            AssemblerItem::Instance(id) => format!("<{}>", operation.instances[id.index()].alias),
            AssemblerItem::Field { field, .. } => format!("<{}>", operation.fields[field.index()].name),
        };
        if !is_joined && piece != "," && !piece.is_empty() {
            text.push(' ');
        }
        text.push_str(&piece);
        is_joined = false;
    }
    text.replace('`', "'")
}

/// A number as other numbers, and as an instruction.
fn of_number(letters: &str, study: Option<&dyn Study>) -> Option<String> {
    let value = value_of(letters)?;
    let mut text = format!("`{value}` = `{value:#x}` = `{value:#b}`");
    if let Some(decoded) = study.and_then(|study| study.decode(value)) {
        let _ = write!(text, "\n\n{decoded}");
    }
    Some(text)
}

/// The value of a number as it is written; `None` if it has don't-care bits or is too large.
pub(crate) fn value_of(letters: &str) -> Option<u128> {
    let plain = letters.replace('_', "").to_ascii_lowercase();
    let (digits, radix) = match plain.get(..2) {
        Some("0x") => (&plain[2..], 16),
        Some("0b") => (&plain[2..], 2),
        Some("0o") => (&plain[2..], 8),
        _ => (&plain[..], 10),
    };
    u128::from_str_radix(digits.trim_end_matches(['u', 'l']), radix).ok()
}

/// What kind of word it is.
fn of_word(letters: &str) -> Option<String> {
    let lists: [(&[&str], &str); 6] = [
        (words::BUILTINS, "built-in function"),
        (words::ITEMS, "begins a definition"),
        (words::SECTIONS, "begins a section of an OPERATION"),
        (words::DECLARATIONS, "begins a declaration of a RESOURCE"),
        (words::TARGET_FIELDS, "field of TARGET"),
        (words::FORMATS, "format of a field"),
    ];
    let (_, what) = lists.into_iter().find(|(list, _)| list.contains(&letters))?;
    Some(format!("**{letters}** {what}"))
}
