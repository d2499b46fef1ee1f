//! Top-level definitions.

use super::Printer;
use crate::ast::{Function, Item, Pseudo, PseudoItem, Target};

impl Printer {
    /// A definition with the line break that ends it.
    pub(super) fn item(&mut self, item: &Item) {
        match item {
            Item::Include(include) => {
                self.put("INCLUDE ");
                self.text(&include.path);
                self.put(";\n");
            }
            Item::Constant(constant) => {
                self.put("CONSTANT ");
                self.name(&constant.name);
                self.put(" = ");
                self.expr(&constant.value, 1);
                self.put(";\n");
            }
            Item::Target(target) => self.target(target),
            Item::Resource(resource) => self.resource(resource),
            Item::Group(group) => {
                self.put("GROUP ");
                self.name(&group.name);
                self.put(" = ");
                self.names(&group.members);
                self.put(";\n");
            }
            Item::Operation(operation) => self.operation(operation),
            Item::Function(function) => self.function(function),
            Item::Pseudo(pseudo) => self.pseudo(pseudo),
        }
    }

    fn target(&mut self, target: &Target) {
        self.put("TARGET ");
        self.braced(|printer| {
            for field in &target.fields {
                printer.indent();
                printer.name(&field.name);
                printer.put(" (");
                printer.exprs(&field.arguments);
                printer.put(")");
                if let Some(map) = &field.map {
                    printer.put(" -> ");
                    printer.name(map);
                }
                printer.put(";\n");
            }
        });
        self.put(";\n");
    }

    fn function(&mut self, function: &Function) {
        self.put("FUNCTION ");
        match &function.result {
            Some(ty) => self.type_name(ty),
            None => self.put("void"),
        }
        self.put(" ");
        self.name(&function.name);
        self.put("(");
        self.separated(&function.parameters, ", ", |printer, parameter| {
            printer.type_name(&parameter.ty);
            printer.put(" ");
            printer.name(&parameter.name);
        });
        self.put(") ");
        self.block(&function.body);
        self.put("\n");
    }

    fn pseudo(&mut self, pseudo: &Pseudo) {
        self.put("PSEUDO { ");
        self.pseudo_items(&pseudo.pattern);
        self.put(" }");
        if let Some(condition) = &pseudo.condition {
            self.put(" WHEN (");
            self.expr(condition, 1);
            self.put(")");
        }
        self.put(" -> { ");
        self.separated(&pseudo.results, "; ", |printer, result| printer.pseudo_items(result));
        self.put(" };\n");
    }

    fn pseudo_items(&mut self, items: &[PseudoItem]) {
        self.separated(items, " ", |printer, item| match item {
            PseudoItem::Text(text) => printer.text(text),
            PseudoItem::Operand { name, target } => {
                printer.name(name);
                printer.put(":");
                printer.name(target);
            }
            PseudoItem::Value { name, format } => {
                printer.name(name);
                printer.put(":");
                printer.format(format);
            }
            PseudoItem::Words { name, words } => {
                printer.name(name);
                printer.put(":");
                printer.text(words);
            }
            PseudoItem::Join(_) => printer.put("~"),
            PseudoItem::Name(name) => printer.name(name),
            PseudoItem::Expr(expr) => {
                printer.put("(");
                printer.expr(expr, 1);
                printer.put(")");
            }
        });
    }
}
