//! Operations, groups and resources that nothing uses, and aliases without a purpose.

use std::collections::BTreeSet;

use super::walk::{Met, walk_expr, walk_statements};
use crate::diagnostic::Diagnostics;
use crate::model::{
    Activation, AssemblerItem, Expr, ExprKind, Format, Function, InstanceRole, Model, Operation,
    OperationOrGroup, PatternItem, PlaceKind, PseudoPiece, Range, RangeTarget, RootElement, RootSource,
    root_decodes,
};
use crate::resolve::code;
use crate::resolve::order::{Order, dependency_order};
use crate::resolve::report::warning;
use crate::source::Span;

/// Warns of everything that could be left out.
pub(super) fn check_unused(model: &Model, diagnostics: &mut Diagnostics) {
    check_operations(model, diagnostics);
    check_aliases(model, diagnostics);
    let used = used_resources(model);
    let has_texts = model.operations.iter().any(|operation| !operation.assembler.is_empty());
    let mut unused = |kind: &str, name: &str, span: Span| {
        let message = format!("the {kind} `{name}` is never used");
        diagnostics.push(warning(code::UNUSED, span, message, "not used"));
    };
    for (index, register) in model.registers.iter().enumerate() {
        if !used.registers.contains(&index) {
            unused("register", &register.name, register.span);
        }
    }
    for (index, ram) in model.rams.iter().enumerate() {
        let over = |cache: &crate::model::Cache| cache.over.index() == index;
        if !used.rams.contains(&index) && !model.caches.iter().any(over) {
            unused("RAM", &ram.name, ram.span);
        }
    }
    for (index, cache) in model.caches.iter().enumerate() {
        if !used.caches.contains(&index) {
            unused("CACHE", &cache.name, cache.span);
        }
    }
    for (index, device) in model.devices.iter().enumerate() {
        if !used.devices.contains(&index) {
            unused("DEVICE", &device.name, device.span);
        }
    }
    for (index, pipeline) in model.pipelines.iter().enumerate() {
        if !used.pipelines.contains(&index) {
            unused("PIPELINE", &pipeline.name, pipeline.span);
        }
    }
    for (index, map) in model.maps.iter().enumerate() {
        if !used.maps.contains(&index) {
            unused("memory map", &map.name, map.span);
        }
    }
    for (index, function) in model.functions.iter().enumerate() {
        if !(used.functions.contains(&index) || has_texts && is_for_programs(function)) {
            unused("FUNCTION", &function.name, function.span);
        }
    }
}

/// Warns of what neither `main` nor `reset` nor a PSEUDO leads to; of what is below, only the topmost,
/// and of what is below each other the first.
fn check_operations(model: &Model, diagnostics: &mut Diagnostics) {
    let reached = reachable(model);
    let all = all_nodes(model);
    let needs: Vec<Vec<usize>> = all
        .iter()
        .map(|node| match reached.contains(node) {
            true => Vec::new(),
            false => children(model, *node).into_iter().map(|child| index_of(model, child)).collect(),
        })
        .collect();
    let mut is_below = vec![false; all.len()];
    let mut found: Vec<(usize, bool)> = Vec::new();
    // What leads to a component stands behind it.
    let Order { components, circular, .. } = dependency_order(&needs);
    for component in components.into_iter().rev() {
        let first = component.iter().copied().min().filter(|first| !reached.contains(&all[*first]));
        if let Some(first) = first
            && !component.iter().any(|node| is_below[*node])
        {
            found.push((first, circular.contains(&first)));
        }
        component.iter().flat_map(|node| &needs[*node]).for_each(|child| is_below[*child] = true);
    }
    for (node, leads_to_itself) in found {
        let (kind, name, span) = match all[node] {
            OperationOrGroup::Operation(id) => {
                let operation = &model.operations[id.index()];
                ("operation", &operation.name, operation.span)
            }
            OperationOrGroup::Group(id) => {
                let group = &model.groups[id.index()];
                ("group", &group.name, group.span)
            }
        };
        let message = format!("the {kind} `{name}` is never used");
        let label = match leads_to_itself {
            true => "brought about by nothing but itself and what it leads to",
            false => "neither decoded nor activated",
        };
        diagnostics.push(warning(code::UNUSED, span, message, label));
    }
}

fn all_nodes(model: &Model) -> Vec<OperationOrGroup> {
    let operations = (0..).zip(&model.operations);
    let operations = operations.map(|(id, _)| OperationOrGroup::Operation(crate::model::OperationId(id)));
    let groups = (0..).zip(&model.groups);
    let groups = groups.map(|(id, _)| OperationOrGroup::Group(crate::model::GroupId(id)));
    operations.chain(groups).collect()
}

fn index_of(model: &Model, node: OperationOrGroup) -> usize {
    match node {
        OperationOrGroup::Operation(id) => id.index(),
        OperationOrGroup::Group(id) => model.operations.len() + id.index(),
    }
}

fn children(model: &Model, node: OperationOrGroup) -> Vec<OperationOrGroup> {
    match node {
        OperationOrGroup::Operation(id) => {
            model.operations[id.index()].instances.iter().map(|instance| instance.target).collect()
        }
        OperationOrGroup::Group(id) => model.groups[id.index()].members.clone(),
    }
}

fn reachable(model: &Model) -> BTreeSet<OperationOrGroup> {
    let mut reached = BTreeSet::new();
    let mut waiting = vec![OperationOrGroup::Operation(model.main)];
    waiting.extend(model.reset.map(OperationOrGroup::Operation));
    waiting.extend(model.pseudos.iter().flat_map(|pseudo| &pseudo.named_for_words));
    let patterns = model.pseudos.iter().flat_map(|pseudo| &pseudo.pattern);
    waiting.extend(patterns.filter_map(|item| match item {
        PatternItem::Operand(target) => Some(*target),
        _ => None,
    }));
    while let Some(node) = waiting.pop() {
        if reached.insert(node) {
            waiting.extend(children(model, node));
        }
    }
    reached
}

fn check_aliases(model: &Model, diagnostics: &mut Diagnostics) {
    for operation in &model.operations {
        for instance in &operation.instances {
            if instance.role == InstanceRole::Unused {
                let message = format!("the alias `{}` is never used", instance.alias);
                let label = "neither coded, decoded nor activated";
                diagnostics.push(warning(code::UNUSED_ALIAS, instance.span, message, label));
            }
        }
    }
}

/// True if programs in assembler can use a FUNCTION, as `%NAME(...)`: it has parameters and a result,
/// and touches nothing but them.
fn is_for_programs(function: &Function) -> bool {
    let mut touched = Used::default();
    walk_statements(&function.body.statements, &mut |met| touched.note(&met));
    let Used { registers, rams, caches, devices, maps, functions: _, pipelines } = touched;
    let touches = [registers, rams, caches, devices, maps, pipelines].iter().any(|set| !set.is_empty());
    function.parameters > 0 && function.result.is_some() && !touches
}

/// Indices of registers, maps and functions that something mentions, and of what a map has behind
/// it.
#[derive(Default)]
struct Used {
    registers: BTreeSet<usize>,
    rams: BTreeSet<usize>,
    caches: BTreeSet<usize>,
    devices: BTreeSet<usize>,
    maps: BTreeSet<usize>,
    functions: BTreeSet<usize>,
    pipelines: BTreeSet<usize>,
}

impl Used {
    fn note(&mut self, met: &Met<'_>) {
        if let Met::Expr(Expr { kind, .. }) = met {
            match kind {
                ExprKind::Latency(map) => self.maps.insert(map.index()),
                ExprKind::Pending(device) => self.devices.insert(device.index()),
                ExprKind::Stall { stage, .. } | ExprKind::Flush(stage) | ExprKind::Busy(stage) => {
                    self.pipelines.insert(stage.pipeline.index())
                }
                ExprKind::Retry(pipeline) => self.pipelines.insert(pipeline.index()),
                ExprKind::Call { function, .. } => self.functions.insert(function.index()),
                _ => false,
            };
        }
        if let Met::Place(place) = met {
            match &place.kind {
                PlaceKind::Register { register, .. } => {
                    self.registers.insert(register.index());
                }
                PlaceKind::Memory { map, .. } => {
                    self.maps.insert(map.index());
                }
                PlaceKind::Written { writer, .. } => {
                    self.functions.insert(writer.index());
                }
                _ => {}
            }
        }
    }

    fn note_range(&mut self, range: &Range) {
        match range.target {
            RangeTarget::Ram(id) => self.rams.insert(id.index()),
            RangeTarget::Cache(id) => self.caches.insert(id.index()),
            RangeTarget::Device(id) => self.devices.insert(id.index()),
            RangeTarget::Register(id) => self.registers.insert(id.index()),
            RangeTarget::Functions { read, write } => {
                self.functions.insert(read.index()) | self.functions.insert(write.index())
            }
        };
    }

    /// FUNCTIONs that a PSEUDO names as `%NAME`.
    fn note_pseudos(&mut self, model: &Model) {
        let pieces = model.pseudos.iter().flat_map(|pseudo| pseudo.condition.iter().chain(&pseudo.results));
        for piece in pieces.flatten() {
            if let PseudoPiece::Text(text) = piece
                && let Some(name) = text.strip_prefix('%')
            {
                let named = model.functions.iter().position(|function| function.name == name);
                self.functions.extend(named);
            }
        }
    }

    fn note_expr(&mut self, expr: &Expr) {
        walk_expr(expr, &mut |met| self.note(&met));
    }

    fn note_operation(&mut self, operation: &Operation) {
        self.pipelines.extend(operation.stage.map(|(stage, _)| stage.pipeline.index()));
        if let Some(expression) = &operation.expression {
            self.note_expr(expression);
        }
        if let Some(body) = &operation.behavior {
            walk_statements(&body.statements, &mut |met| self.note(&met));
        }
        self.note_activations(&operation.activation);
        self.note_root(&operation.coding_root);
        for item in operation.assembler.iter().flatten() {
            match item {
                AssemblerItem::Field {
                    format: Format::Name { register, .. } | Format::List { register },
                    ..
                } => {
                    self.registers.insert(register.index());
                }
                AssemblerItem::Field { format: Format::Computed { value, .. }, .. } => self.note_expr(value),
                _ => {}
            }
        }
    }

    fn note_root(&mut self, elements: &[RootElement]) {
        for decode in root_decodes(elements) {
            if let RootSource::Map { map, .. } = &decode.source {
                self.maps.insert(map.index());
            }
            decode.source.expressions().into_iter().for_each(|expr| self.note_expr(expr));
        }
        self.note_conditions(elements);
    }

    fn note_conditions(&mut self, elements: &[RootElement]) {
        for element in elements {
            match element {
                RootElement::Decode(_) => {}
                RootElement::Switch { cases, .. } => {
                    cases.iter().for_each(|case| self.note_conditions(&case.elements));
                }
                RootElement::If { condition, then, otherwise } => {
                    self.note_expr(condition);
                    self.note_conditions(then);
                    self.note_conditions(otherwise);
                }
            }
        }
    }

    fn note_activations(&mut self, items: &[Activation]) {
        for item in items {
            match item {
                Activation::Activate { .. } => {}
                Activation::If { condition, then, otherwise } => {
                    self.note_expr(condition);
                    self.note_activations(then);
                    self.note_activations(otherwise);
                }
                Activation::Switch { value, cases, default } => {
                    self.note_expr(value);
                    cases.iter().for_each(|(_, items)| self.note_activations(items));
                    self.note_activations(default);
                }
            }
        }
    }
}

fn used_resources(model: &Model) -> Used {
    let mut used = Used::default();
    let stack = model.target.stack.iter().flat_map(|(place, _)| &place.parts);
    used.registers.extend(model.pc.parts.iter().chain(stack).map(|part| part.register.index()));
    used.maps.extend(model.target.host.map(|map| map.index()));
    used.functions.extend(model.memory_fault.map(|function| function.index()));
    used.maps.extend(model.target.loads.iter().map(|(_, _, map)| map.index()));
    model.maps.iter().flat_map(|map| &map.ranges).for_each(|range| used.note_range(range));
    used.note_pseudos(model);
    for operation in &model.operations {
        used.note_operation(operation);
    }
    for function in &model.functions {
        walk_statements(&function.body.statements, &mut |met| used.note(&met));
    }
    used
}
