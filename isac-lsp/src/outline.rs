//! The outline of a file: its definitions, and what they hold.

use isac_parser::ast::{Item, Name, ResourceDeclaration, Section};
use isac_parser::source::{FileId, Span};
use lsp_types::{DocumentSymbol, SymbolKind};

use crate::analysis::Analysis;

/// The definitions of a file in the order of the text.
pub(crate) fn outline_of(analysis: &Analysis, file: FileId) -> Vec<DocumentSymbol> {
    let tree = analysis.reading.files.iter().find(|(known, _)| *known == file);
    let items = tree.iter().flat_map(|(_, tree)| &tree.items);
    items.flat_map(|item| Outline { analysis }.item(item)).collect()
}

struct Outline<'a> {
    analysis: &'a Analysis,
}

impl Outline<'_> {
    fn item(&self, item: &Item) -> Vec<DocumentSymbol> {
        let one = |symbol| vec![symbol];
        match item {
            Item::Include(_) | Item::Target(_) => Vec::new(),
            Item::Constant(constant) => one(self.symbol(&constant.name, SymbolKind::CONSTANT, constant.span)),
            Item::Group(group) => one(self.symbol(&group.name, SymbolKind::ENUM, group.span)),
            Item::Function(function) => one(self.symbol(&function.name, SymbolKind::FUNCTION, function.span)),
            Item::Resource(section) => {
                section.declarations.iter().flat_map(|declaration| self.resource(declaration)).collect()
            }
            Item::Operation(operation) => {
                let mut symbol = self.symbol(&operation.name, SymbolKind::CLASS, operation.span);
                symbol.detail =
                    operation.stage.as_ref().map(|(pipe, stage)| format!("IN {}.{}", pipe.text, stage.text));
                symbol.children =
                    Some(operation.sections.iter().flat_map(|section| self.section(section)).collect());
                one(symbol)
            }
            Item::Pseudo(pseudo) => {
                let text = pseudo.pattern.iter().find_map(|item| match item {
                    isac_parser::ast::PseudoItem::Text(text) => Some(text.value.clone()),
                    _ => None,
                });
                let name = Name { text: text.unwrap_or_default(), span: pseudo.span };
                let mut symbol = self.symbol(&name, SymbolKind::EVENT, pseudo.span);
                symbol.detail = Some("PSEUDO".to_owned());
                one(symbol)
            }
        }
    }

    fn resource(&self, declaration: &ResourceDeclaration) -> Vec<DocumentSymbol> {
        let (names, kind, span, word): (Vec<&Name>, _, _, _) = match declaration {
            ResourceDeclaration::Register(register) => {
                let names = register.declarators.iter().map(|register| &register.name).collect();
                (names, SymbolKind::VARIABLE, register.span, "REGISTER")
            }
            ResourceDeclaration::Alias(alias) => {
                (vec![&alias.name], SymbolKind::VARIABLE, alias.span, "ALIAS")
            }
            ResourceDeclaration::Ram(ram) => (vec![&ram.name], SymbolKind::ARRAY, ram.span, "RAM"),
            ResourceDeclaration::Cache(cache) => (vec![&cache.name], SymbolKind::OBJECT, cache.span, "CACHE"),
            ResourceDeclaration::Device(device) => {
                (vec![&device.name], SymbolKind::INTERFACE, device.span, "DEVICE")
            }
            ResourceDeclaration::MemoryMap(map) => {
                (vec![&map.name], SymbolKind::MODULE, map.span, "MEMORY_MAP")
            }
            ResourceDeclaration::Pipeline(pipeline) => {
                let mut symbol = self.symbol(&pipeline.name, SymbolKind::STRUCT, pipeline.span);
                symbol.detail = Some("PIPELINE".to_owned());
                let stages = pipeline.stages.iter();
                let stages =
                    stages.map(|stage| self.symbol(&stage.name, SymbolKind::ENUM_MEMBER, stage.name.span));
                symbol.children = Some(stages.collect());
                return vec![symbol];
            }
        };
        let symbols = names.into_iter().map(|name| {
            let mut symbol = self.symbol(name, kind, span);
            symbol.detail = Some(word.to_owned());
            symbol
        });
        symbols.collect()
    }

    fn section(&self, section: &Section) -> Vec<DocumentSymbol> {
        let (word, span) = match section {
            Section::Instance(section) => {
                let aliases = section.aliases.iter().map(|alias| {
                    let mut symbol = self.symbol(alias, SymbolKind::FIELD, section.span);
                    symbol.detail = Some(section.target.text.clone());
                    symbol
                });
                return aliases.collect();
            }
            Section::Local(section) => {
                let names = section.variables.iter().flat_map(|(_, names)| names);
                return names.map(|name| self.symbol(name, SymbolKind::VARIABLE, section.span)).collect();
            }
            Section::Reference(_) => return Vec::new(),
            Section::Assembler(section) => ("ASSEMBLER", section.span),
            Section::Coding(section) => ("CODING", section.span),
            Section::Tail(section) => ("TAIL", section.span),
            Section::When(section) => ("WHEN", section.span),
            Section::Expression(section) => ("EXPRESSION", section.span),
            Section::Behavior(section) => ("BEHAVIOR", section.span),
            Section::Activation(section) => ("ACTIVATION", section.span),
            Section::CodingRoot(section) => ("CODINGROOT", section.span),
        };
        let keyword = Span { end: span.start + word.len() as u32, ..span };
        vec![self.symbol(&Name { text: word.to_owned(), span: keyword }, SymbolKind::PROPERTY, span)]
    }

    fn symbol(&self, name: &Name, kind: SymbolKind, span: Span) -> DocumentSymbol {
        // Editors refuse an empty name, and one that lies beyond the whole.
        let text = if name.text.is_empty() { "(nothing)".to_owned() } else { name.text.clone() };
        let whole = Span { start: span.start.min(name.span.start), end: span.end.max(name.span.end), ..span };
        #[allow(deprecated, reason = "the field has no default and has to be named")]
        DocumentSymbol {
            name: text,
            detail: None,
            kind,
            tags: None,
            deprecated: None,
            range: self.analysis.range(whole),
            selection_range: self.analysis.range(name.span),
            children: None,
        }
    }
}
