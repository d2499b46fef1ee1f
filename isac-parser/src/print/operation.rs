//! OPERATION and its sections.

use super::Printer;
use crate::ast::{
    Activation, AssemblerItem, BitPattern, CodingItem, Expr, ExpressionSection, Format, Name, Operation,
    RootDecode, RootElement, Section,
};

impl Printer {
    pub(super) fn operation(&mut self, operation: &Operation) {
        self.put("OPERATION ");
        self.name(&operation.name);
        if let Some((pipeline, stage)) = &operation.stage {
            self.put(" IN ");
            self.name(pipeline);
            self.put(".");
            self.name(stage);
        }
        self.put(" ");
        self.braced(|printer| {
            for section in &operation.sections {
                printer.indent();
                printer.section(section);
                printer.put(";\n");
            }
        });
        self.put(";\n");
    }

    fn section(&mut self, section: &Section) {
        match section {
            Section::Instance(instance) => {
                self.put("INSTANCE ");
                self.name(&instance.target);
                self.put(" ALIAS { ");
                self.names(&instance.aliases);
                self.put(" }");
            }
            Section::Reference(reference) => {
                self.put("REFERENCE { ");
                self.names(&reference.names);
                self.put(" }");
            }
            Section::Local(local) => {
                self.put("LOCAL { ");
                for (ty, names) in &local.variables {
                    self.type_name(ty);
                    self.put(" ");
                    self.names(names);
                    self.put("; ");
                }
                self.put("}");
            }
            Section::Assembler(assembler) => {
                self.items("ASSEMBLER", &assembler.items, Self::assembler_item);
            }
            Section::Coding(coding) => self.items("CODING", &coding.items, Self::coding_item),
            Section::Tail(tail) => self.items("TAIL", &tail.items, Self::coding_item),
            Section::When(when) => self.one("WHEN", &when.condition),
            Section::Expression(expression) => self.meaning(expression),
            Section::Behavior(behavior) => {
                self.put("BEHAVIOR ");
                if !self.block_on_line(&behavior.body) {
                    self.block(&behavior.body);
                }
            }
            Section::Activation(activation) => {
                self.put("ACTIVATION ");
                self.activations(&activation.items);
            }
            Section::CodingRoot(root) => {
                self.put("CODINGROOT ");
                self.root_elements(&root.elements);
            }
        }
    }

    fn items<T>(&mut self, word: &str, items: &[T], put: impl FnMut(&mut Self, &T)) {
        self.put(word);
        self.put(" { ");
        self.separated(items, " ", put);
        self.put(if items.is_empty() { "}" } else { " }" });
    }

    fn one(&mut self, word: &str, expr: &Expr) {
        self.put(word);
        self.put(" { ");
        self.expr(expr, 1);
        self.put(" }");
    }

    fn meaning(&mut self, section: &ExpressionSection) {
        self.put("EXPRESSION { ");
        self.expr(&section.value, 1);
        if let Some(writer) = &section.writer {
            self.put(", ");
            self.name_with(&writer.name, &writer.arguments);
        }
        self.put(" }");
    }

    /// A name, with what is given to it in parentheses if that is anything.
    fn name_with(&mut self, name: &Name, arguments: &[Expr]) {
        self.name(name);
        if !arguments.is_empty() {
            self.put("(");
            self.exprs(arguments);
            self.put(")");
        }
    }

    fn assembler_item(&mut self, item: &AssemblerItem) {
        match item {
            AssemblerItem::Text(text) => self.text(text),
            AssemblerItem::Join(_) => self.put("~"),
            AssemblerItem::Name(name) => self.name(name),
            AssemblerItem::Field { name, format } => {
                self.name(name);
                self.put("=");
                self.format(format);
            }
        }
    }

    pub(super) fn format(&mut self, format: &Format) {
        self.put("#");
        self.name_with(&format.name, &format.arguments);
    }

    fn coding_item(&mut self, item: &CodingItem) {
        match item {
            CodingItem::Bits(pattern) => self.bits(pattern),
            CodingItem::Field { name, pattern } => {
                self.name(name);
                self.put("=");
                self.bits(pattern);
            }
            CodingItem::Name { name, slice, .. } => {
                self.name(name);
                if let Some((high, low)) = slice {
                    self.put("[");
                    self.expr(high, 1);
                    // An index stands in the tree as a slice with both bounds the same expression.
                    if high != low {
                        self.put("..");
                        self.expr(low, 1);
                    }
                    self.put("]");
                }
            }
        }
    }

    fn bits(&mut self, pattern: &BitPattern) {
        self.put("0b");
        if pattern.bits.len() > 1 && pattern.bits.iter().all(Option::is_none) {
            self.put(&format!("x[{}]", pattern.bits.len()));
            return;
        }
        for bit in &pattern.bits {
            self.put(match bit {
                None => "x",
                Some(false) => "0",
                Some(true) => "1",
            });
        }
    }

    /// Entries between braces: on one line if they are plain, else on lines of their own.
    fn activations(&mut self, items: &[Activation]) {
        if items.iter().all(|item| matches!(item, Activation::Activate { .. })) {
            self.put("{ ");
            for item in items {
                self.activation(item);
                self.put(" ");
            }
            self.put("}");
        } else {
            self.braced(|printer| {
                for item in items {
                    printer.indent();
                    printer.activation(item);
                    printer.put("\n");
                }
            });
        }
    }

    fn activation(&mut self, item: &Activation) {
        match item {
            Activation::Activate { target, delay } => {
                self.name(target);
                if let Some(delay) = delay {
                    self.put(" DELAY (");
                    self.expr(delay, 1);
                    self.put(")");
                }
                self.put(";");
            }
            Activation::If { condition, then, otherwise, .. } => {
                self.word_and_condition("IF", condition);
                self.activations(then);
                match otherwise.as_slice() {
                    [] => {}
                    [chained @ Activation::If { .. }] => {
                        self.put(" ELSE ");
                        self.activation(chained);
                    }
                    _ => {
                        self.put(" ELSE ");
                        self.activations(otherwise);
                    }
                }
            }
            Activation::Switch { value, cases, default, .. } => {
                self.word_and_condition("SWITCH", value);
                self.braced(|printer| {
                    for (label, items) in cases {
                        printer.indent();
                        printer.put("CASE ");
                        printer.expr(label, 1);
                        printer.put(": ");
                        printer.activations(items);
                        printer.put("\n");
                    }
                    if let Some(items) = default {
                        printer.indent();
                        printer.put("DEFAULT: ");
                        printer.activations(items);
                        printer.put("\n");
                    }
                });
            }
        }
    }

    fn root_elements(&mut self, elements: &[RootElement]) {
        if let [RootElement::Decode(decode)] = elements {
            self.put("{ ");
            self.root_decode(decode);
            self.put("; }");
            return;
        }
        self.braced(|printer| {
            for element in elements {
                printer.indent();
                printer.root_element(element);
                printer.put("\n");
            }
        });
    }

    fn root_element(&mut self, element: &RootElement) {
        match element {
            RootElement::Decode(decode) => {
                self.root_decode(decode);
                self.put(";");
            }
            RootElement::If { condition, then, otherwise, .. } => {
                self.word_and_condition("IF", condition);
                self.root_elements(then);
                match otherwise.as_slice() {
                    [] => {}
                    [chained @ RootElement::If { .. }] => {
                        self.put(" ELSE ");
                        self.root_element(chained);
                    }
                    _ => {
                        self.put(" ELSE ");
                        self.root_elements(otherwise);
                    }
                }
            }
            RootElement::Switch { selector, cases, .. } => {
                self.put("SWITCH (");
                self.root_decode(selector);
                self.put(") ");
                self.braced(|printer| {
                    for (member, elements) in cases {
                        printer.indent();
                        printer.put("CASE ");
                        printer.name(member);
                        printer.put(": ");
                        printer.root_elements(elements);
                        printer.put("\n");
                    }
                });
            }
        }
    }

    fn root_decode(&mut self, decode: &RootDecode) {
        self.name(&decode.root);
        self.put(" (");
        self.expr(&decode.source, 1);
        if let Some(at) = &decode.at {
            self.put(" AT ");
            self.expr(at, 1);
        }
        self.put(")");
    }

    fn word_and_condition(&mut self, word: &str, condition: &Expr) {
        self.put(word);
        self.put(" (");
        self.expr(condition, 1);
        self.put(") ");
    }
}
