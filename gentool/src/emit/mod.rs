//! isac-ir to a Rust crate: resources, operands, operations, decoders, steps.
//!
//! The emitted crate is what a user takes away, so it is written as one would write it by hand:
//! one function an operation, one type an operand, one function a decoder's state, one step an
//! instruction that calls them. Everything that does not vary between models is in sim-runtime.
//! Emitting cannot fail: what cannot be run is found by [`find_obstacles`] before, and what cannot
//! be decoded ahead by [`find_block_obstacles`].

mod body;
mod core;
mod cost;
mod decoder;
mod execution;
mod expression;
mod fallible;
mod form;
mod function;
mod local;
mod memory;
mod mention;
mod mentioned_effect;
mod name;
mod obstacle;
mod operand;
mod operation;
mod operator;
mod package;
mod parameter;
mod printf;
mod processor;
mod referred;
mod statement;
mod step;
mod stepwise;
mod timed;
mod usage;

use std::cell::RefCell;
use std::collections::BTreeSet;

use isac_ir::Model;
use isac_ir::account::Part;
use isac_ir::control::{fetching_operations, striking_operations};
use isac_ir::cost::CostUse;
use proc_macro2::TokenStream;
use syn::visit_mut::{VisitMut, visit_expr_mut};

pub use execution::find_obstacles;
pub use obstacle::find_block_obstacles;
pub use package::{emit_package, emit_package_with_values, package_name, runtime_files, write_package};
pub use timed::find_timed_obstacles;

/// A source file of the emitted crate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceFile {
    /// Its path below the package's folder.
    pub path: String,
    /// What is in it.
    pub text: String,
}

/// The two forms of a simulator; both give the same results.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// Blocks of instructions decoded ahead: fast, for models without obstacles.
    Blocks,
    /// One cycle after the other: for every model.
    Stepwise,
    /// Turns in a fixed order, for models with instructions in flight and without obstacles.
    Timed,
}

impl Shape {
    /// The faster of those that can run a model.
    pub fn of(model: &Model) -> Shape {
        if model.overlaps() {
            return if find_timed_obstacles(model).is_empty() { Shape::Timed } else { Shape::Stepwise };
        }
        if find_block_obstacles(model).is_empty() { Shape::Blocks } else { Shape::Stepwise }
    }
}

/// The modules of the simulator in its best form: `lib.rs` and those below it.
pub fn emit_modules(model: &Model) -> Vec<SourceFile> {
    emit_modules_as(model, Shape::of(model))
}

/// The modules of the simulator in one form: [`Shape::Blocks`] and [`Shape::Timed`] only without
/// obstacles to it.
pub fn emit_modules_as(model: &Model, shape: Shape) -> Vec<SourceFile> {
    match shape {
        Shape::Blocks => emit_blocks(model),
        Shape::Stepwise => emit_stepwise(&Emitter::new(model, Shape::Stepwise)),
        Shape::Timed => timed::emit_timed(model),
    }
}

/// The modules of the simulator in the general form, whose engines tell values, too.
pub fn emit_modules_with_values(model: &Model) -> Vec<SourceFile> {
    emit_stepwise(&Emitter::new(model, Shape::Stepwise).telling_values())
}

/// The modules beside those of [`emit_modules`] for runs that ask for values: the general form, in a
/// folder of its own.
fn emit_values(model: &Model, library: &str) -> Vec<SourceFile> {
    let emitter = Emitter::new(model, Shape::Stepwise).telling_values();
    let mut files = emit_stepwise_below(&emitter, "src/with_values");
    let text = format_file(model, "The simulator, with values,", emitter.emit_values_root(library));
    files.push(SourceFile { path: "src/with_values/mod.rs".into(), text });
    files
}

fn emit_stepwise(emitter: &Emitter<'_>) -> Vec<SourceFile> {
    let model = emitter.model;
    let mut files = emit_stepwise_below(emitter, "src");
    let root = emitter.emit_stepwise_root();
    files.push(SourceFile { path: "src/lib.rs".into(), text: format_file(model, "The simulator", root) });
    files.push(SourceFile { path: "src/model.json".into(), text: model_text(model) });
    files
}

/// The files below the root of the general form, in a folder.
fn emit_stepwise_below(emitter: &Emitter<'_>, folder: &str) -> Vec<SourceFile> {
    let model = emitter.model;
    let file = |path: &str, title: &str, tokens: TokenStream| SourceFile {
        path: format!("{folder}/{path}"),
        text: format_file(model, title, tokens),
    };
    let mut files = vec![
        file("processor.rs", "Registers and memories", emitter.emit_processor()),
        file("memory.rs", "Memory maps", emitter.emit_memory()),
        file("operands.rs", "Operands", emitter.emit_stepwise_operands()),
        file("coding_roots.rs", "What each CODINGROOT decodes,", emitter.emit_sections(Part::Root)),
        file("behaviors.rs", "What each BEHAVIOR does,", emitter.emit_sections(Part::Behavior)),
        file("activations.rs", "What each ACTIVATION schedules,", emitter.emit_sections(Part::Activation)),
    ];
    files.extend(emitter.emit_handler(file));
    files.extend(emitter.emit_functions().map(|functions| file("functions.rs", FUNCTIONS, functions)));
    files
}

/// What the file of functions holds.
const FUNCTIONS: &str = "FUNCTIONs, each for all calls that are alike,";

fn emit_blocks(model: &Model) -> Vec<SourceFile> {
    let emitter = Emitter::new(model, Shape::Blocks);
    let file = |path: &str, title: &str, tokens: TokenStream| SourceFile {
        path: format!("src/{path}"),
        text: format_file(model, title, tokens),
    };
    let mut files = vec![
        file("processor.rs", "Registers and memories", emitter.emit_processor()),
        file("memory.rs", "Memory maps", emitter.emit_memory()),
        file("operands.rs", "Operands", emitter.emit_operands()),
        file(
            "operations.rs",
            "Operations, a function for each section that runs,",
            emitter.emit_operations(),
        ),
        file("decoder.rs", "Decoding automata", emitter.emit_decoders()),
        file("steps.rs", "Steps, a function for each instruction,", emitter.emit_steps()),
        SourceFile { path: "src/model.json".into(), text: model_text(model) },
    ];
    files.extend(emitter.emit_handler(file));
    files.extend(emitter.emit_functions().map(|functions| file("functions.rs", FUNCTIONS, functions)));
    files.push(file("lib.rs", "The simulator", emitter.emit_root()));
    if emitter.costs.is_any() {
        // Fetches have no turn in blocks, so caches are simulated by the other form.
        let with_costs = Emitter::new(model, Shape::Stepwise);
        files.extend(emit_stepwise_below(&with_costs, "src/with_caches"));
        let root = with_costs.emit_costs_root();
        files.push(file("with_caches/mod.rs", "The simulator, with caches,", root));
    }
    files
}

/// What all emitting looks things up in.
struct Emitter<'a> {
    model: &'a Model,
    shape: Shape,
    names: name::Names,
    forms: Vec<form::Form>,
    /// What may send the run elsewhere than instructions do.
    striking: BTreeSet<u32>,
    /// Operations that fetch, where that has to be known.
    fetching: BTreeSet<u32>,
    costs: CostUse,
    /// What calls of FUNCTIONs have needed so far.
    functions: RefCell<function::Functions>,
    /// What mentions of operands do, as far as it was asked.
    effects: mentioned_effect::Effects,
    /// Widths of operands' values, as far as they were asked.
    widths: operand::Widths,
    /// What is scheduled, where turns have a fixed order.
    timing: Option<timed::Timing>,
    /// True if what is read and written is told: in the general form alone.
    tells_values: bool,
}

impl<'a> Emitter<'a> {
    fn new(model: &'a Model, shape: Shape) -> Emitter<'a> {
        let timing = match shape {
            Shape::Timed => timed::Timing::of(model).ok(),
            Shape::Blocks | Shape::Stepwise => None,
        };
        let forms = match shape {
            Shape::Blocks => form::list_forms(model),
            Shape::Stepwise => Vec::new(),
            Shape::Timed => timing.iter().flat_map(|timing| timing.list_forms(model)).collect(),
        };
        let names = name::Names::of(model);
        let (striking, fetching) = (striking_operations(model), fetching_operations(model));
        let (costs, functions) = (CostUse::of(model), RefCell::default());
        let (effects, widths) = (RefCell::default(), operand::Widths::default());
        Emitter {
            model,
            shape,
            names,
            forms,
            striking,
            fetching,
            costs,
            functions,
            effects,
            widths,
            timing,
            tells_values: false,
        }
    }

    /// The same with code that tells what is read and written.
    fn telling_values(self) -> Emitter<'a> {
        Emitter { tells_values: true, ..self }
    }
}

/// The model as the runtime reads it: names and accesses for the profile.
fn model_text(model: &Model) -> String {
    // Plain data without maps of other keys than text: it always serialises.
    let mut text = serde_json::to_string(model).unwrap_or_default();
    text.push('\n');
    text
}

/// Formats a file; one that does not parse is shown as it is, so that the compiler tells why.
fn format_file(model: &Model, title: &str, tokens: TokenStream) -> String {
    let header = format!(
        "// Generated by gentool from the description of {}. Changes are lost when it is generated anew.\n\n",
        model.name
    );
    let docs = format!(" {title} of {}.", model.name);
    let tokens = quote::quote!(#![doc = #docs] #tokens);
    match syn::parse2::<syn::File>(tokens.clone()) {
        Ok(mut file) => {
            Parentheses.visit_file_mut(&mut file);
            header + &spaced(&prettyplease::unparse(&file))
        }
        Err(error) => format!("{header}// {error}\n{tokens}\n"),
    }
}

/// A blank line behind every item but `use`, which the printer leaves out.
fn spaced(text: &str) -> String {
    let mut spaced = String::with_capacity(text.len());
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        spaced.push_str(line);
        spaced.push('\n');
        let item = line.trim_start();
        let inner = line.len() - item.len();
        let closes = matches!(item, "}" | ")]" | "};") && (inner == 0 || inner == 4);
        let ends =
            closes || line.starts_with("//!") || line.starts_with("use ") || item.starts_with("pub const");
        let next = lines.peek().map_or("", |next| next.trim_start());
        let together = next.is_empty()
            || next.starts_with('}')
            || next.starts_with("//!")
            || line.starts_with("use ") && next.starts_with("use ")
            || inner == 4
                && !next.starts_with("//")
                && !next.starts_with("fn ")
                && !next.starts_with("pub fn ");
        if ends && !together {
            spaced.push('\n');
        }
    }
    spaced
}

/// Takes all parentheses away: the printer puts those back that are needed.
struct Parentheses;

impl VisitMut for Parentheses {
    fn visit_expr_mut(&mut self, expr: &mut syn::Expr) {
        while let syn::Expr::Paren(inner) = expr {
            *expr = (*inner.expr).clone();
        }
        visit_expr_mut(self, expr);
    }
}
