//! What one text is made of, and what it mentions.

use std::collections::BTreeSet;

use super::{Extent, Mention, Name};
use crate::check::walk::{Met, walk_nested_expr, walk_nested_statements};
use crate::model::{
    Activation, Expr, ExprKind, InstanceId, MapId, Model, Operation, OperationOrGroup, PlaceKind,
    RangeTarget, ReferenceId, Referred, RootElement, Stmt, root_decodes,
};
use crate::source::Span;

/// Reads one text.
pub(super) struct Reader<'a> {
    pub(super) model: &'a Model,
    pub(super) scope: Option<&'a Operation>,
    pub(super) own: Extent,
    pub(super) mentions: Vec<Mention>,
}

impl<'a> Reader<'a> {
    pub(super) fn statements(&mut self, statements: &'a [Stmt]) {
        walk_nested_statements(statements, 0, &mut |met, depth| self.meet(&met, depth));
    }

    pub(super) fn exprs(&mut self, exprs: impl IntoIterator<Item = &'a Expr>) {
        for expr in exprs {
            walk_nested_expr(expr, 0, &mut |met, depth| self.meet(&met, depth));
        }
    }

    pub(super) fn run(&mut self, operation: &'a Operation) {
        self.statements(operation.behavior.as_ref().map_or(&[], |body| &body.statements));
        self.activations(&operation.activation, 0);
        for decode in root_decodes(&operation.coding_root) {
            self.exprs(decode.source.expressions());
        }
        self.conditions(&operation.coding_root, 0);
    }

    fn activations(&mut self, items: &'a [Activation], depth: usize) {
        for item in items {
            self.own.depth = self.own.depth.max(depth);
            match item {
                Activation::Activate { .. } => {}
                Activation::If { condition, then, otherwise } => {
                    self.exprs([condition]);
                    self.activations(then, depth + 1);
                    self.activations(otherwise, depth + 1);
                }
                Activation::Switch { value, cases, default } => {
                    self.exprs([value]);
                    // A case is asked for where all before it did not fit.
                    let within = (depth + 1..).zip(cases);
                    within.for_each(|(depth, (_, items))| self.activations(items, depth));
                    self.own.depth = self.own.depth.max(depth + cases.len());
                    self.activations(default, depth + cases.len());
                }
            }
        }
    }

    fn conditions(&mut self, elements: &'a [RootElement], depth: usize) {
        for element in elements {
            self.own.depth = self.own.depth.max(depth);
            match element {
                RootElement::Decode(_) => {}
                RootElement::Switch { cases, .. } => {
                    self.own.depth = self.own.depth.max(depth + cases.len());
                    let within = (depth + 1..).zip(cases);
                    within.for_each(|(depth, case)| self.conditions(&case.elements, depth));
                }
                RootElement::If { condition, then, otherwise } => {
                    self.exprs([condition]);
                    self.conditions(then, depth + 1);
                    self.conditions(otherwise, depth + 1);
                }
            }
        }
    }

    /// The FUNCTIONs of a map: an access may lead to those of any range.
    pub(super) fn ranges(&mut self, map: MapId) {
        for range in &self.model.maps[map.index()].ranges {
            if let RangeTarget::Functions { read, write } = range.target {
                for function in BTreeSet::from([read, write]) {
                    self.mention(Name::Function(function), range.span, 0, 1);
                }
            }
        }
    }

    fn meet(&mut self, met: &Met<'a>, depth: usize) {
        self.own.size += 1;
        self.own.written += 1;
        self.own.depth = self.own.depth.max(depth);
        match met {
            Met::Expr(expr) => {
                if let ExprKind::Call { function, .. } = &expr.kind {
                    self.mention(Name::Function(*function), expr.span, depth + 1, 1);
                }
            }
            Met::Place(place) => match &place.kind {
                PlaceKind::Operand(instance) => self.operand(self.scope, *instance, place.span, depth),
                PlaceKind::Reference(reference) => self.reference(*reference, place.span, depth),
                PlaceKind::Memory { map, cells, fetch: false, .. } => {
                    self.mention(Name::Map(*map), place.span, depth + 1, u64::from(*cells));
                }
                PlaceKind::Written { writer, .. } => {
                    self.mention(Name::Function(*writer), place.span, depth + 1, 1);
                }
                _ => {}
            },
        }
    }

    fn mention(&mut self, of: Name, span: Span, depth: usize, times: u64) {
        self.mentions.push(Mention { of, span, depth, times });
    }

    fn operand(&mut self, scope: Option<&Operation>, instance: InstanceId, span: Span, depth: usize) {
        if let Some(instance) = scope.and_then(|scope| scope.instances.get(instance.index())) {
            self.mention(Name::Operand(instance.target), span, depth + 1, 1);
        }
    }

    /// What a REFERENCE names in each operation above; it is one of these.
    fn reference(&mut self, reference: ReferenceId, span: Span, depth: usize) {
        let (model, mut walked) = (self.model, BTreeSet::new());
        let Some(scope) = self.scope else { return };
        let mut waiting: Vec<(&Operation, ReferenceId)> = vec![(scope, reference)];
        while let Some((operation, reference)) = waiting.pop() {
            let Some(reference) = operation.references.get(reference.index()) else { continue };
            for binding in &reference.bindings {
                let parent = &model.operations[binding.parent.index()];
                match binding.what {
                    Referred::Instance(instance) => {
                        let target = parent.instances.get(instance.index()).map(|it| it.target);
                        if target.is_some_and(|target| walked.insert((None, target))) {
                            self.operand(Some(parent), instance, span, depth);
                        }
                    }
                    Referred::Reference(next) => {
                        let target = OperationOrGroup::Operation(binding.parent);
                        if walked.insert((Some(next), target)) {
                            waiting.push((parent, next));
                        }
                    }
                    Referred::Field(_) | Referred::Variable(_) => {}
                }
            }
        }
    }
}
