//! The parts of a model as text, one state, node or statement a line.

use std::fmt::Write;

use crate::Model;
use crate::behavior::{Body, Conversion, Expr, ExprKind, PrintPart, Stmt};
use crate::decoder::{Decoder, Run, State, Variant};
use crate::operand::{Binding, MentionKind};
use crate::operation::{Operation, Reference, Referred};
use crate::root::WordSource;
use crate::time::{Cause, StageId};

mod expression;

/// All decoders: states with their edges, then the variants.
pub fn print_decoders(model: &Model) -> String {
    model.decoders.iter().fold(String::new(), |mut text, decoder| {
        print_decoder(model, decoder, &mut text);
        text
    })
}

fn print_decoder(model: &Model, decoder: &Decoder, text: &mut String) {
    let name = model.target_name(decoder.target);
    let _ = writeln!(text, "decoder {name}: {} bits, start s{}", decoder.width_bits, decoder.start);
    for (index, state) in decoder.states.iter().enumerate() {
        let _ = match state {
            State::Reject => writeln!(text, "  s{index} reject"),
            State::Accept(variant) => writeln!(text, "  s{index} accept v{variant}"),
            State::Fetch { width_bits, next } => {
                writeln!(text, "  s{index} fetch {width_bits} bits -> s{next}")
            }
            State::Test { low, width, edges, otherwise } => {
                let edges: Vec<String> = edges
                    .iter()
                    .map(|(value, next)| format!("{value:0width$b} -> s{next}", width = *width as usize))
                    .collect();
                let bits = format!("[{}..{low}]", low + width - 1);
                writeln!(text, "  s{index} test {bits} {}, else s{otherwise}", edges.join(", "))
            }
        };
    }
    for (index, variant) in decoder.variants.iter().enumerate() {
        let _ = writeln!(text, "  v{index} {}", print_variant(model, variant));
    }
    text.push('\n');
}

fn print_variant(model: &Model, variant: &Variant) -> String {
    let mut text = String::new();
    print_variant_node(model, variant, 0, &mut text);
    text
}

fn print_variant_node(model: &Model, variant: &Variant, index: u32, text: &mut String) {
    let node = &variant.nodes[index as usize];
    text.push_str(model.target_name(node.target));
    if let Some(nested) = node.nested {
        let _ = write!(text, "<decoder {nested} of {}>", print_runs(&node.coded));
    }
    text.push('(');
    if let crate::operation::Target::Operation(operation) = node.target {
        let names = model.operation(operation).fields.iter().map(|field| field.name.as_str());
        let fields: Vec<String> =
            names.zip(&node.fields).map(|(name, runs)| format!("{name}={}", print_runs(runs))).collect();
        text.push_str(&fields.join(" "));
    }
    for (child, _) in variant.nodes.iter().enumerate().filter(|(_, node)| node.parent == Some(index)) {
        print_variant_node(model, variant, child as u32, text);
    }
    text.push(')');
}

fn print_runs(runs: &[Run]) -> String {
    let parts: Vec<String> = runs
        .iter()
        .map(|run| match run.width {
            1 => format!("[{}]", run.from),
            width => format!("[{}..{}]", run.from + width - 1, run.from),
        })
        .collect();
    if parts.is_empty() { "[]".into() } else { parts.join("") }
}

/// The time graph: one instance a line, below the one that brings it about.
pub fn print_time(model: &Model) -> String {
    let mut text = String::new();
    let kind = if model.time.is_instruction_accurate() { "instruction-accurate" } else { "cycle-accurate" };
    let _ = writeln!(text, "time graph: {kind}, {} nodes", model.time.nodes.len());
    print_time_node(model, 0, 1, &mut text);
    text
}

fn print_time_node(model: &Model, index: u32, depth: usize, text: &mut String) {
    let node = &model.time.nodes[index as usize];
    let cause = match node.cause {
        Cause::Start => "each cycle".to_string(),
        Cause::Decoded => "decoded".to_string(),
        Cause::Bound { delay } => format!("decoded, delay {delay}"),
        Cause::Activated { delay, conditional, .. } => {
            let condition = if conditional { ", on a condition" } else { "" };
            format!("activated, delay {delay}{condition}")
        }
    };
    let stage = node.stage.map_or(String::new(), |stage| format!(", in {}", print_stage(model, stage)));
    let indent = "  ".repeat(depth);
    let target = model.target_name(node.target);
    let _ = writeln!(text, "{indent}n{index} {}: {target}, {cause}{stage}", node.name);
    for child in &node.children {
        if model.time.nodes[*child as usize].parent == Some(index) && *child > index {
            print_time_node(model, *child, depth + 1, text);
        } else {
            let _ = writeln!(text, "{indent}  n{child} again");
        }
    }
}

/// `pipe.STAGE`
pub(crate) fn print_stage(model: &Model, stage: StageId) -> String {
    let pipeline = &model.pipelines[stage.pipeline as usize];
    format!("{}.{}", pipeline.name, pipeline.stages[stage.stage as usize].name)
}

/// The behaviour of every operation: statements, accesses with their regions, mentions of operands.
pub fn print_behavior(model: &Model) -> String {
    model.operations.iter().fold(String::new(), |mut text, operation| {
        print_operation(model, operation, &mut text);
        text
    })
}

fn print_operation(model: &Model, operation: &Operation, text: &mut String) {
    let _ = writeln!(text, "operation {} ({})", operation.name, operation.location);
    for reference in &operation.references {
        let _ = writeln!(text, "  reference {}", print_reference(model, reference));
    }
    let mut part = |title: &str, body: Option<&Body>| {
        if let Some(body) = body {
            let _ = writeln!(text, "  {title}");
            print_body(model, operation, body, text);
        }
    };
    part("codingroot", operation.root.as_ref());
    if let Some(expression) = &operation.expression {
        for kind in MentionKind::ALL {
            part(&format!("expression {}", kind_text(kind)), expression.body(kind));
        }
    }
    part("behavior", operation.behavior.as_ref());
    part("activation", operation.activation.as_ref());
    text.push('\n');
}

/// A reference with what it is under each parent.
fn print_reference(model: &Model, reference: &Reference) -> String {
    let bindings = reference.bindings.iter().map(|binding| {
        let parent = model.operation(binding.parent);
        let (kind, name) = match binding.what {
            Referred::Field(field) => ("field", &parent.fields[field as usize].name),
            Referred::Instance(instance) => ("alias", &parent.instances[instance as usize].alias),
            Referred::Variable(variable) => ("LOCAL", &parent.variables[variable as usize].name),
            Referred::Reference(outer) => ("reference", &parent.references[outer as usize].name),
        };
        format!("{kind} {name} of {}", parent.name)
    });
    let bindings: Vec<String> = bindings.collect();
    let sign = if reference.signed { "signed " } else { "" };
    format!("{}: {sign}bit[{}], {}", reference.name, reference.width_bits, bindings.join(", "))
}

fn print_body(model: &Model, operation: &Operation, body: &Body, text: &mut String) {
    let printer = Printer { model, operation, body };
    for statement in &body.statements {
        printer.statement(statement, 2, text);
    }
    for (id, access) in body.accesses.iter().enumerate() {
        let resource = &model.resource_names()[access.resource as usize];
        let kind = format!("{:?}", access.kind).to_lowercase();
        let _ = writeln!(text, "    ; a{id} {kind} {resource} in region {}", access.region);
    }
    for (id, mention) in body.mentions.iter().enumerate() {
        let alias = &operation.instances[mention.instance as usize].alias;
        let kind = kind_text(mention.kind);
        let _ = writeln!(text, "    ; m{id} {kind} operand {alias} in region {}", mention.region);
    }
}

/// What names are looked up in.
struct Printer<'a> {
    model: &'a Model,
    operation: &'a Operation,
    body: &'a Body,
}

impl Printer<'_> {
    fn list(&self, statements: &[Stmt], depth: usize, text: &mut String) {
        for statement in statements {
            self.statement(statement, depth, text);
        }
    }

    fn statement(&self, statement: &Stmt, depth: usize, text: &mut String) {
        let indent = "  ".repeat(depth);
        match statement {
            Stmt::If { condition, then, otherwise } => {
                let _ = writeln!(text, "{indent}if {} {{", self.expr(condition));
                self.list(then, depth + 1, text);
                if !otherwise.is_empty() {
                    let _ = writeln!(text, "{indent}}} else {{");
                    self.list(otherwise, depth + 1, text);
                }
                let _ = writeln!(text, "{indent}}}");
            }
            Stmt::Loop { label, body } | Stmt::Block { label, body } => {
                let word = if matches!(statement, Stmt::Loop { .. }) { "loop" } else { "block" };
                let _ = writeln!(text, "{indent}{word} l{label} {{");
                self.list(body, depth + 1, text);
                let _ = writeln!(text, "{indent}}}");
            }
            Stmt::Call { function, body, .. } => {
                let _ = writeln!(text, "{indent}call {} {{", self.model.functions[*function as usize].name);
                self.list(body, depth + 1, text);
                let _ = writeln!(text, "{indent}}}");
            }
            simple => {
                let _ = writeln!(text, "{indent}{}", self.simple(simple));
            }
        }
    }

    fn simple(&self, statement: &Stmt) -> String {
        match statement {
            Stmt::Set { local, value } => format!("{} = {}", self.local(*local), self.expr(value)),
            Stmt::SetVariable { variable, value } => {
                let name = &self.operation.variables[*variable as usize].name;
                format!("LOCAL {name} = {}", self.expr(value))
            }
            Stmt::SetReference { reference, value } => {
                let name = &self.operation.references[*reference as usize].name;
                format!("REFERENCE {name} = {}", self.expr(value))
            }
            Stmt::SetRegister { register, index, low, value, access } => {
                let index = index.as_ref().map_or(String::new(), |index| format!("[{}]", self.expr(index)));
                let name = &self.model.registers[*register as usize];
                let slice = match (*low, value.width) {
                    (0, width) if width == name.width_bits => String::new(),
                    (low, width) => format!("[{}..{low}]", low + width - 1),
                };
                format!("{}{index}{slice} = {} ;a{access}", name.name, self.expr(value))
            }
            Stmt::SetMemory { map, cells, address, value, access } => {
                let name = &self.model.maps[*map as usize].name;
                format!("{name}.{cells}[{}] = {} ;a{access}", self.expr(address), self.expr(value))
            }
            Stmt::SetCellPart { map, address, low, value, access } => {
                let name = &self.model.maps[*map as usize].name;
                let high = low + value.width - 1;
                format!("{name}[{}][{high}..{low}] = {} ;a{access}", self.expr(address), self.expr(value))
            }
            Stmt::SetOperand { instance, mention, value } => {
                let alias = &self.operation.instances[*instance as usize].alias;
                format!("{alias} = {} ;m{mention}", self.expr(value))
            }
            Stmt::Bind { binding, mention } => {
                format!("find {}{}", self.binding(*binding), mention_text(*mention, " ;"))
            }
            Stmt::SetBound { binding, mention, value } => {
                let mention = mention_text(*mention, " ;");
                format!("{} = {}{mention}", self.binding(*binding), self.expr(value))
            }
            Stmt::Touch(access) => {
                let resource = self.body.accesses[*access as usize].resource as usize;
                let name = self.model.resource_names().swap_remove(resource);
                format!("touch {name} ;a{access}")
            }
            Stmt::Count(region) => format!("count r{region}"),
            Stmt::Visit(point) => format!("visit p{point}"),
            Stmt::Leave(label) => format!("leave l{label}"),
            Stmt::Halt(status) => format!("halt {}", self.expr(status)),
            Stmt::Illegal => "illegal".into(),
            Stmt::Unhandled => "unhandled".into(),
            Stmt::DivisionByZero => "division by zero".into(),
            Stmt::Cancel => "cancel".into(),
            Stmt::Stall { stage, cycles, maps } => {
                let stall = format!("stall {} for {}", print_stage(self.model, *stage), self.expr(cycles));
                let maps = maps.iter().map(|map| self.model.maps[*map as usize].name.as_str());
                let waits = maps.map(|map| format!(" waiting for {map}"));
                stall + &waits.collect::<String>()
            }
            Stmt::Retry { pipeline } => format!("retry in {}", self.model.pipelines[*pipeline as usize].name),
            Stmt::Flush(stage) => format!("flush {}", print_stage(self.model, *stage)),
            Stmt::ExtraCycles(cycles) => format!("extra cycles {}", self.expr(cycles)),
            Stmt::LinuxCall { result, arguments } => {
                let arguments: Vec<String> = arguments.iter().map(|argument| self.expr(argument)).collect();
                format!("{} = linux call ({})", self.local(*result), arguments.join(", "))
            }
            Stmt::Semihost { result, arguments } => {
                let arguments: Vec<String> = arguments.iter().map(|argument| self.expr(argument)).collect();
                format!("{} = semihost ({})", self.local(*result), arguments.join(", "))
            }
            Stmt::Print(parts) => {
                let parts: Vec<String> = parts.iter().map(|part| self.print_part(part)).collect();
                format!("print {}", parts.join(" "))
            }
            Stmt::Explain { parts, .. } => {
                let parts: Vec<String> = parts.iter().map(|part| self.print_part(part)).collect();
                format!("explain {}", parts.join(" "))
            }
            Stmt::Event(name) => format!("event {name:?}"),
            Stmt::Decode { instance, source, .. } => {
                let alias = &self.operation.instances[*instance as usize].alias;
                format!("decode {alias} from {}", self.source(source))
            }
            Stmt::OpenNode { label } => format!("open {}", self.model.labels[*label as usize]),
            Stmt::CloseNode => "close".into(),
            Stmt::Activate { instance, delay } => {
                let alias = &self.operation.instances[*instance as usize].alias;
                format!("activate {alias} delay {delay}")
            }
            Stmt::If { .. } | Stmt::Loop { .. } | Stmt::Block { .. } | Stmt::Call { .. } => String::new(),
        }
    }

    fn source(&self, source: &WordSource) -> String {
        match source {
            WordSource::Map { map, address, access } => {
                let map = &self.model.maps[*map as usize].name;
                format!("{map}[{}] ;a{access}", self.expr(address))
            }
            WordSource::Value { parts, address, .. } => {
                let word: Vec<String> = parts.iter().map(|part| self.expr(part)).collect();
                let word = word.join(" :: ");
                match address {
                    Some(address) => format!("{word} at {}", self.expr(address)),
                    None => word,
                }
            }
        }
    }

    fn print_part(&self, part: &PrintPart) -> String {
        match part {
            PrintPart::Text(text) => format!("{text:?}"),
            PrintPart::Value { value, format } => {
                let conversion = match format.conversion {
                    Conversion::Signed => 'd',
                    Conversion::Unsigned => 'u',
                    Conversion::Hexadecimal => 'x',
                    Conversion::HexadecimalUpper => 'X',
                    Conversion::Octal => 'o',
                    Conversion::Character => 'c',
                };
                format!("%{conversion}({})", self.expr(value))
            }
        }
    }

    /// A binding with its number.
    fn binding(&self, binding: u32) -> String {
        let name = match self.body.bindings[binding as usize] {
            Binding::Instance(instance) => &self.operation.instances[instance as usize].alias,
            Binding::Reference(reference) => &self.operation.references[reference as usize].name,
        };
        format!("{name}.b{binding}")
    }

    fn local(&self, local: u32) -> String {
        format!("{}.{local}", self.body.locals[local as usize].name)
    }

    fn expr(&self, expr: &Expr) -> String {
        expression::print_expr(self, expr)
    }
}

/// What a mention does, in words.
fn kind_text(kind: MentionKind) -> &'static str {
    match kind {
        MentionKind::Read => "read",
        MentionKind::Write => "write",
        MentionKind::Bind => "find",
        MentionKind::ReadBound => "found, read",
        MentionKind::KeepBound => "found, keep",
        MentionKind::WriteBound => "found, write",
    }
}

/// The number of a mention, where there is one.
fn mention_text(mention: Option<u32>, before: &str) -> String {
    mention.map_or(String::new(), |mention| format!("{before}m{mention}"))
}

/// True for expressions that need no parentheses inside another.
fn is_atom(kind: &ExprKind) -> bool {
    !matches!(kind, ExprKind::Binary(..) | ExprKind::Select(..) | ExprKind::Concat(_))
}
