//! From names to ids: the syntax tree becomes the model.
//!
//! Stage by stage, each needing what the earlier ones found: names, CONSTANTs, resources,
//! TARGET, groups and codings from the leaves up, then the bodies. A definition with an error is
//! remembered as such, and everything that mentions it stays silent.

mod activation;
mod alias;
mod assembler;
pub(crate) mod cache;
mod case;
mod choice;
pub(crate) mod code;
mod coding;
mod collect;
mod constant;
mod element_name;
mod expression_names;
pub(crate) mod format;
mod function;
pub(crate) mod memory;
mod names;
mod operation;
mod operation_value;
mod option;
pub(crate) mod order;
mod pc;
mod pipeline;
mod pseudo;
mod range;
mod reference;
mod register;
pub(crate) mod report;
mod root;
mod section;
mod shape;
mod stage;
pub(crate) mod suggestion;
pub(crate) mod target;
mod tree;
pub(crate) mod typing;
mod when;

use std::collections::BTreeMap;

use collect::collect_definitions;
use names::{Names, Table};
use report::{error, help_if, not_yet};
use section::Sections;
pub use suggestion::{did_you_mean, near_names};
use tree::Tree;
use typing::Typer;

use crate::ast;
use crate::diagnostic::Diagnostics;
use crate::model::{
    Cache, Device, DeviceKind, Map, Model, Operation, OperationId, OperationOrGroup, Ram, RamId, Register,
    Replacement, WritePolicy,
};
use crate::source::{FileId, Span};

/// Gives every name of a description its meaning.
///
/// `overrides` replaces the values of CONSTANTs. The model may be there although errors were
/// found, so that the checks can find more; it is whole only if there were none. `None` if there
/// is no PC or no operation `main`.
pub fn resolve_model(
    files: &[(FileId, ast::File)],
    overrides: &BTreeMap<String, u128>,
    diagnostics: &mut Diagnostics,
) -> Option<Model> {
    let root = files.iter().map(|(file, _)| *file).min().unwrap_or(FileId(0));
    let beginning = Span::new(root, 0, 0);
    let (definitions, names) = collect_definitions(files, diagnostics);
    let mut table = Table { names, ..Table::default() };
    constant::resolve_constants(&definitions, overrides, root, &mut table, diagnostics);
    register::resolve_registers(&definitions, &mut table, diagnostics);
    alias::resolve_aliases(&definitions, &mut table, diagnostics);
    element_name::compare_element_names(&definitions, &table, diagnostics);
    pc::resolve_pc(&definitions, beginning, &mut table, diagnostics);
    pipeline::resolve_pipelines(&definitions, &mut table, diagnostics);
    function::resolve_signatures(&definitions, &mut table, diagnostics);
    memory::resolve_rams(&definitions, &mut table, diagnostics);
    cache::resolve_caches_and_devices(&definitions, &mut table, diagnostics);
    memory::resolve_maps(&definitions, &mut table, diagnostics);
    let target = target::resolve_target(&definitions, &table, diagnostics);
    let mut tree = tree::resolve_tree(&definitions, &table, diagnostics);
    table.inner_names = tree.inner_names();
    let functions = function::resolve_functions(&definitions, &table, diagnostics);
    let (groups, operations) = resolve_operations(tree, &table, diagnostics);
    let pseudos = pseudo::resolve_pseudos(&definitions, &table, (&groups, &operations), diagnostics);
    alias::warn_of_unused_aliases(&table, diagnostics);
    let main = resolve_main(&table.names, beginning, diagnostics);
    let reset = reserved(&table.names, "reset", diagnostics);
    let memory_fault = function::fault_handler(&table);
    Some(Model {
        target,
        groups,
        operations,
        functions,
        pc: table.pc?,
        main: main?,
        reset,
        registers: whole(table.registers, unknown_register),
        aliases: table.aliases.into_iter().flatten().map(|alias| alias.names).collect(),
        rams: whole(table.rams, unknown_ram),
        caches: whole(table.caches, unknown_cache),
        devices: whole(table.devices, unknown_device),
        maps: whole(table.maps, unknown_map),
        pipelines: table.pipelines,
        memory_fault,
        pseudos,
    })
}

/// Resolves the sections that nothing below or beside an operation depends on.
fn resolve_operations(
    tree: Tree<'_>,
    table: &Table,
    diagnostics: &mut Diagnostics,
) -> (Vec<crate::model::Group>, Vec<Operation>) {
    let Tree { drafts, groups, mut references, .. } = tree;
    let mut operations = Vec::new();
    for (index, draft) in drafts.into_iter().enumerate() {
        let stage = stage::resolve_stage(draft.ast, table, diagnostics);
        if draft.ast.name.text == "reset" {
            refuse_instruction_sections(&draft.sections, diagnostics);
        }
        let assembler = assembler::resolve_assembler(&draft, table, diagnostics);
        let behavior = draft
            .sections
            .behavior
            .map(|section| Typer::new(table, Some(&draft.scope), diagnostics).behavior(&section.body));
        let coding_root = root::resolve_coding_root(&draft, table, diagnostics);
        let activation = activation::resolve_activation(&draft, &coding_root, table, diagnostics);
        operations.push(Operation {
            name: draft.ast.name.text.clone(),
            span: draft.ast.name.span,
            stage,
            fields: draft.scope.fields,
            instances: draft.scope.instances,
            variables: draft.scope.variables,
            references: references.get_mut(index).map(std::mem::take).unwrap_or_default(),
            coding: draft.coding,
            coding_span: draft.sections.coding.map(|section| section.span),
            when: draft.when,
            tail: draft.tail,
            assembler,
            assembler_spans: draft.sections.assembler.iter().map(|section| section.span).collect(),
            is_operand: draft.sections.expression.is_some(),
            expression: draft.expression,
            behavior,
            activation,
            coding_root,
        });
    }
    (groups, operations)
}

/// `reset` runs before the first instruction: it has none to decode, and no cycle to schedule in.
fn refuse_instruction_sections(reset: &Sections<'_>, diagnostics: &mut Diagnostics) {
    let sections = [
        ("an ACTIVATION of `reset` is", reset.activation.map(|section| section.span)),
        ("a CODINGROOT of `reset` is", reset.coding_root.map(|section| section.span)),
    ];
    for (what, span) in sections {
        if let Some(span) = span {
            let diagnostic = not_yet(code::LATER_FORM, span, what)
                .help("`reset` runs its BEHAVIOR alone; let that call FUNCTIONs");
            diagnostics.push(diagnostic);
        }
    }
}

fn resolve_main(names: &Names, beginning: Span, diagnostics: &mut Diagnostics) -> Option<OperationId> {
    if names.operations.contains_key("main") {
        return reserved(names, "main", diagnostics);
    }
    let message = "the description has no operation `main`";
    let diagnostic = error(code::NO_MAIN, beginning, message, "")
        .help("every cycle begins with it; define one, as `OPERATION main { ... };`");
    let near = did_you_mean("main", names.operations.keys().map(String::as_str));
    diagnostics.push(help_if(diagnostic, near));
    None
}

/// The operation of a reserved name; reports a group.
fn reserved(names: &Names, name: &str, diagnostics: &mut Diagnostics) -> Option<OperationId> {
    let definition = names.operations.get(name)?;
    match definition.what {
        OperationOrGroup::Operation(id) => Some(id),
        OperationOrGroup::Group(_) => {
            let message = format!("`{name}` is reserved for an operation, but is a group");
            let label = "has to be an operation";
            diagnostics.push(error(code::WRONG_KIND, definition.span, message, label));
            None
        }
    }
}

/// Fills the places of definitions that were refused, so that ids stay indices.
fn whole<T>(table: Vec<Option<T>>, unknown: fn() -> T) -> Vec<T> {
    table.into_iter().map(|entry| entry.unwrap_or_else(unknown)).collect()
}

const NOWHERE: Span = Span { file: FileId(0), start: 0, end: 0 };

fn unknown_register() -> Register {
    Register {
        name: String::new(),
        span: NOWHERE,
        width_bits: 1,
        count: None,
        reset: 0,
        element_resets: Vec::new(),
        hardwired: Vec::new(),
        element_names: Vec::new(),
    }
}

fn unknown_ram() -> Ram {
    Ram {
        name: String::new(),
        span: NOWHERE,
        cell_bits: 1,
        size_cells: u64::MAX,
        readable: true,
        writable: true,
        executable: true,
        latency: 1,
        latency_span: None,
        fill: 0,
    }
}

fn unknown_cache() -> Cache {
    Cache {
        name: String::new(),
        span: NOWHERE,
        size_cells: 1,
        line_cells: 1,
        ways: 1,
        replacement: Replacement::LeastRecentlyUsed,
        write: WritePolicy::Back,
        hit_cycles: 1,
        hit_span: None,
        miss_cycles: 1,
        over: RamId(0),
    }
}

fn unknown_device() -> Device {
    Device { name: String::new(), span: NOWHERE, kind: DeviceKind::Console }
}

fn unknown_map() -> Map {
    Map { name: String::new(), span: NOWHERE, address_bits: 64, cell_bits: 1, ranges: Vec::new() }
}
