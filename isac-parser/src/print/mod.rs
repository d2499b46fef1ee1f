//! The syntax tree to text, as a designer would lay it out.
//!
//! Parsing the text again gives the same tree but for the spans: that is what tests lean on.
//! Comments are not in the tree and so not in the text.

mod expression;
mod item;
mod operation;
mod resource;
mod statement;

use crate::ast;

/// The text of a file.
pub fn print_file(file: &ast::File) -> String {
    let mut printer = Printer::default();
    for (index, item) in file.items.iter().enumerate() {
        if index > 0 && !printer.is_close(&file.items[index - 1], item) {
            printer.out.push('\n');
        }
        printer.item(item);
    }
    printer.out
}

/// The text of an expression.
pub fn print_expr(expr: &ast::Expr) -> String {
    let mut printer = Printer::default();
    printer.expr(expr, 0);
    printer.out
}

/// Writes text and keeps count of the indentation.
#[derive(Default)]
struct Printer {
    out: String,
    level: usize,
}

impl Printer {
    fn is_close(&self, before: &ast::Item, item: &ast::Item) -> bool {
        // Short definitions of one kind stand in a row.
        let is_line = |item: &ast::Item| {
            matches!(
                item,
                ast::Item::Include(_) | ast::Item::Constant(_) | ast::Item::Group(_) | ast::Item::Pseudo(_)
            )
        };
        is_line(before) && is_line(item) && std::mem::discriminant(before) == std::mem::discriminant(item)
    }

    fn put(&mut self, text: &str) {
        self.out.push_str(text);
    }

    /// Begins a line at the present indentation.
    fn indent(&mut self) {
        for _ in 0..self.level {
            self.out.push_str("    ");
        }
    }

    /// Braces over several lines; the opening one ends the present line.
    fn braced(&mut self, body: impl FnOnce(&mut Self)) {
        self.put("{\n");
        let inside = self.out.len();
        self.level += 1;
        body(self);
        self.level -= 1;
        if self.out.len() == inside {
            self.out.pop();
            self.put(" ");
        } else {
            self.indent();
        }
        self.put("}");
    }

    fn name(&mut self, name: &ast::Name) {
        self.put(&name.text);
    }

    fn names(&mut self, names: &[ast::Name]) {
        self.separated(names, ", ", |printer, name| printer.name(name));
    }

    fn separated<T>(&mut self, items: &[T], separator: &str, mut put: impl FnMut(&mut Self, &T)) {
        for (index, item) in items.iter().enumerate() {
            if index > 0 {
                self.put(separator);
            }
            put(self, item);
        }
    }

    fn text(&mut self, text: &ast::Text) {
        self.out.push('"');
        for c in text.value.chars() {
            match c {
                '"' => self.put("\\\""),
                '\\' => self.put("\\\\"),
                '\n' => self.put("\\n"),
                '\t' => self.put("\\t"),
                '\r' => self.put("\\r"),
                '\0' => self.put("\\0"),
                c if c.is_ascii_control() => self.put(&format!("\\x{:02x}", u32::from(c))),
                c => self.out.push(c),
            }
        }
        self.out.push('"');
    }
}
