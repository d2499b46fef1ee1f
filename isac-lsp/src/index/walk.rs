//! Every mention of a name, by the rules of scopes.

use std::collections::BTreeMap;

use isac_parser::ast::{
    Activation, AssemblerItem, Block, CodingItem, Expr, File, Format, Function, Item, Name, Operation,
    Pseudo, PseudoItem, RangeTarget, RegisterOption, ResourceDeclaration, RootDecode, RootElement, Section,
    Stmt, StmtKind, TypeName, TypeNameKind,
};
use isac_parser::source::{FileId, Span};

use super::{Index, Kind, Symbol, SymbolId};

pub(super) fn walk(files: &[(FileId, File)], index: &mut Index) {
    for item in files.iter().flat_map(|(_, file)| &file.items) {
        Walk { index, operation: None, owner: None, blocks: Vec::new() }.item(item);
    }
}

/// A walk through one definition.
pub(super) struct Walk<'i, 'a> {
    pub(super) index: &'i mut Index,
    /// The operation whose names are visible.
    pub(super) operation: Option<&'a str>,
    /// The operation or function around.
    owner: Option<&'a str>,
    /// Variables, the innermost block last, each with where it ends.
    pub(super) blocks: Vec<(BTreeMap<String, SymbolId>, Span)>,
}

impl<'a> Walk<'_, 'a> {
    fn item(&mut self, item: &'a Item) {
        match item {
            Item::Include(_) => {}
            Item::Constant(constant) => self.expression(&constant.value),
            Item::Target(target) => {
                for field in &target.fields {
                    if !matches!(field.name.text.as_str(), "ENDIAN" | "SYSCALLS" | "ELF_ADDRESS") {
                        self.expressions(&field.arguments);
                    }
                    field.map.iter().for_each(|map| self.global(map));
                }
            }
            Item::Resource(section) => {
                section.declarations.iter().for_each(|declaration| self.resource(declaration));
            }
            Item::Group(group) => group.members.iter().for_each(|member| self.unit(member)),
            Item::Operation(operation) => self.operation(operation),
            Item::Function(function) => self.function(function),
            Item::Pseudo(pseudo) => self.pseudo(pseudo),
        }
    }

    fn resource(&mut self, declaration: &'a ResourceDeclaration) {
        match declaration {
            ResourceDeclaration::Register(register) => {
                self.expression(&register.width);
                register.declarators.iter().for_each(|register| self.expressions(&register.count));
                self.register_options(&register.options);
            }
            ResourceDeclaration::Alias(alias) => {
                self.expression(&alias.width);
                self.expression(&alias.place);
                self.register_options(&alias.options);
            }
            ResourceDeclaration::Ram(ram) => {
                self.expression(&ram.width);
                for option in ram.options.iter().filter(|option| option.name.text != "FLAGS") {
                    self.expressions(&option.arguments);
                }
            }
            ResourceDeclaration::Cache(cache) => {
                for option in &cache.options {
                    if !matches!(option.name.text.as_str(), "REPLACEMENT" | "WRITE") {
                        self.expressions(&option.arguments);
                    }
                }
            }
            ResourceDeclaration::Device(_) => {}
            ResourceDeclaration::Pipeline(pipeline) => {
                let registers = pipeline.stages.iter().flat_map(|stage| &stage.registers);
                registers.for_each(|register| self.global(register));
            }
            ResourceDeclaration::MemoryMap(map) => {
                self.expressions(&map.address_width);
                for range in &map.ranges {
                    self.expression(&range.low);
                    self.expression(&range.high);
                    match &range.target {
                        RangeTarget::Resource { name, slice } => {
                            self.global(name);
                            if let Some((high, low)) = slice {
                                self.expression(high);
                                self.expression(low);
                            }
                        }
                        RangeTarget::Functions { read, write } => {
                            self.global(read);
                            self.global(write);
                        }
                    }
                }
            }
        }
    }

    fn register_options(&mut self, options: &'a [RegisterOption]) {
        for option in options {
            match option {
                RegisterOption::Reset { value, .. } => self.expression(value),
                RegisterOption::Hardwired { index, value, .. } => {
                    self.expression(index);
                    self.expression(value);
                }
                RegisterOption::Names { .. } => {}
            }
        }
    }

    fn operation(&mut self, operation: &'a Operation) {
        self.operation = Some(&operation.name.text);
        self.owner = self.operation;
        if let Some((pipeline, stage)) = &operation.stage {
            self.global(pipeline);
            self.stage(&pipeline.text, stage);
        }
        operation.sections.iter().for_each(|section| self.section(section));
    }

    fn section(&mut self, section: &'a Section) {
        match section {
            Section::Instance(section) => self.unit(&section.target),
            Section::Reference(_) => {}
            Section::Local(section) => section.variables.iter().for_each(|(ty, _)| self.type_name(ty)),
            Section::Assembler(section) => {
                for item in &section.items {
                    match item {
                        AssemblerItem::Name(name) => self.name(name),
                        AssemblerItem::Field { name, format } => {
                            self.name(name);
                            self.format(format);
                        }
                        AssemblerItem::Text(_) | AssemblerItem::Join(_) => {}
                    }
                }
            }
            Section::Coding(section) | Section::Tail(section) => {
                for item in &section.items {
                    if let CodingItem::Name { slice: Some((high, low)), .. } = item {
                        self.expression(high);
                        self.expression(low);
                    }
                }
            }
            Section::When(section) => self.expression(&section.condition),
            Section::Expression(section) => {
                self.expression(&section.value);
                if let Some(writer) = &section.writer {
                    self.name(&writer.name);
                    self.expressions(&writer.arguments);
                }
            }
            Section::Behavior(section) => self.block(&section.body),
            Section::Activation(section) => section.items.iter().for_each(|item| self.activation(item)),
            Section::CodingRoot(section) => section.elements.iter().for_each(|element| self.root(element)),
        }
    }

    fn format(&mut self, format: &'a Format) {
        self.expressions(&format.arguments);
    }

    fn activation(&mut self, item: &'a Activation) {
        match item {
            Activation::Activate { target, delay } => {
                self.name(target);
                self.expressions(delay);
            }
            Activation::If { condition, then, otherwise, .. } => {
                self.expression(condition);
                then.iter().chain(otherwise).for_each(|item| self.activation(item));
            }
            Activation::Switch { value, cases, default, .. } => {
                self.expression(value);
                let asks_for_member = self.is_alias(value);
                for (label, items) in cases {
                    match super::expression::plain_name(label) {
                        Some(member) if asks_for_member => self.unit(member),
                        _ => self.expression(label),
                    }
                    items.iter().for_each(|item| self.activation(item));
                }
                default.iter().flatten().for_each(|item| self.activation(item));
            }
        }
    }

    fn root(&mut self, element: &'a RootElement) {
        match element {
            RootElement::Decode(decode) => self.decode(decode),
            RootElement::Switch { selector, cases, .. } => {
                self.decode(selector);
                for (member, elements) in cases {
                    self.unit(member);
                    elements.iter().for_each(|element| self.root(element));
                }
            }
            RootElement::If { condition, then, otherwise, .. } => {
                self.expression(condition);
                then.iter().chain(otherwise).for_each(|element| self.root(element));
            }
        }
    }

    fn decode(&mut self, decode: &'a RootDecode) {
        self.name(&decode.root);
        self.expression(&decode.source);
        self.expressions(&decode.at);
    }

    fn function(&mut self, function: &'a Function) {
        self.owner = Some(&function.name.text);
        function.result.iter().for_each(|ty| self.type_name(ty));
        self.blocks.push((BTreeMap::new(), function.span));
        for parameter in &function.parameters {
            self.type_name(&parameter.ty);
            let declaration = parameter.ty.span.to(parameter.name.span);
            self.declare(&parameter.name, Kind::Parameter, declaration);
        }
        self.block(&function.body);
        self.blocks.pop();
    }

    fn pseudo(&mut self, pseudo: &'a Pseudo) {
        self.blocks.push((BTreeMap::new(), pseudo.span));
        for item in &pseudo.pattern {
            if let PseudoItem::Operand { name, .. }
            | PseudoItem::Value { name, .. }
            | PseudoItem::Words { name, .. } = item
            {
                self.declare(name, Kind::PseudoOperand, pseudo.span);
            }
        }
        for item in pseudo.pattern.iter().chain(pseudo.results.iter().flatten()) {
            match item {
                PseudoItem::Text(_) | PseudoItem::Words { .. } | PseudoItem::Join(_) => {}
                PseudoItem::Operand { target, .. } => self.unit(target),
                PseudoItem::Value { format, .. } => self.format(format),
                PseudoItem::Name(name) => self.name(name),
                PseudoItem::Expr(value) => self.expression(value),
            }
        }
        self.expressions(&pseudo.condition);
        self.blocks.pop();
    }

    fn block(&mut self, block: &'a Block) {
        self.blocks.push((BTreeMap::new(), block.span));
        block.statements.iter().for_each(|statement| self.statement(statement));
        self.blocks.pop();
    }

    fn statement(&mut self, statement: &'a Stmt) {
        match &statement.kind {
            StmtKind::Empty | StmtKind::Break | StmtKind::Continue => {}
            StmtKind::Block(block) => self.block(block),
            StmtKind::Declare { ty, variables } => {
                self.type_name(ty);
                for (name, value) in variables {
                    self.expressions(value);
                    self.declare(name, Kind::Local, statement.span);
                }
            }
            StmtKind::Expr(value) => self.expression(value),
            StmtKind::If { condition, then, otherwise } => {
                self.expression(condition);
                self.statement(then);
                otherwise.iter().for_each(|otherwise| self.statement(otherwise));
            }
            StmtKind::Switch { value, sections } => {
                self.expression(value);
                self.blocks.push((BTreeMap::new(), statement.span));
                for section in sections {
                    section.labels.iter().for_each(|(label, _)| self.expressions(label));
                    section.statements.iter().for_each(|statement| self.statement(statement));
                }
                self.blocks.pop();
            }
            StmtKind::While { condition, body } => {
                self.expression(condition);
                self.statement(body);
            }
            StmtKind::DoWhile { body, condition } => {
                self.statement(body);
                self.expression(condition);
            }
            StmtKind::For { start, condition, step, body } => {
                self.blocks.push((BTreeMap::new(), statement.span));
                self.statement(start);
                self.expressions(condition);
                self.expressions(step);
                self.statement(body);
                self.blocks.pop();
            }
            StmtKind::Return(value) => self.expressions(value),
        }
    }

    /// A variable comes into being in the innermost block.
    fn declare(&mut self, name: &'a Name, kind: Kind, declaration: Span) {
        let Some((block, around)) = self.blocks.last_mut() else { return };
        if let Some(known) = block.get(&name.text) {
            return self.index.mention(name, *known);
        }
        let symbol = self.index.add(Symbol {
            name: name.text.clone(),
            kind,
            owner: self.owner.map(str::to_owned),
            span: name.span,
            declaration,
            scope: Some(Span { start: name.span.start, ..*around }),
        });
        block.insert(name.text.clone(), symbol);
    }

    pub(super) fn type_name(&mut self, ty: &'a TypeName) {
        if let TypeNameKind::Bit { width, .. } = &ty.kind {
            self.expression(width);
        }
    }

    fn expressions(&mut self, expressions: impl IntoIterator<Item = &'a Expr>) {
        expressions.into_iter().for_each(|expression| self.expression(expression));
    }

    pub(super) fn unit(&mut self, name: &Name) {
        if let Some(&symbol) = self.index.units.get(&name.text) {
            self.index.mention(name, symbol);
        }
    }

    fn global(&mut self, name: &Name) {
        if let Some(&symbol) = self.index.globals.get(&name.text) {
            self.index.mention(name, symbol);
        }
    }

    pub(super) fn stage(&mut self, pipeline: &str, name: &Name) {
        let stages = self.index.stages.get(pipeline);
        if let Some(&symbol) = stages.and_then(|stages| stages.get(&name.text)) {
            self.index.mention(name, symbol);
        }
    }
}
