//! What running an operation may do to registers and pipelines, wherever the text of it stands:
//! in its own sections, in FUNCTIONs that it calls, in EXPRESSIONs of its operands, behind RANGEs.

use std::collections::{BTreeSet, VecDeque};

use super::member::operations_of;
use super::walk::{Met, walk_expr, walk_statements};
use crate::diagnostic::Diagnostic;
use crate::model::{
    Activation, Builtin, Expr, ExprKind, FunctionId, InstanceId, MapId, Model, Operation, OperationId,
    PipelineId, Place, PlaceKind, RangeTarget, ReferenceId, Referred, RegisterId, RootElement, Stmt,
    root_decodes,
};
use crate::resolve::typing::fold;
use crate::source::Span;

/// Something that running an operation may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum What {
    /// Writes a register, an element of it, or bits of either.
    Write(RegisterId),
    /// Reads a register, an element of it, or bits of either.
    Read(RegisterId),
    /// Reads or writes a register, if an address that is computed leads there.
    Touch(RegisterId),
    /// `pipe.retry()`
    Retry(PipelineId),
    /// Decides by anything else than what an access costs which instruction is where in the next cycle:
    /// holds, flushes or cancels, or asks who is in a stage.
    Control,
}

/// An effect, and where it stands.
#[derive(Debug, Clone, Copy)]
pub(super) struct Effect {
    pub(super) what: What,
    /// The place that is assigned to, or the call of the service.
    pub(super) span: Span,
    /// The last of the steps that lead there.
    step: Option<usize>,
}

/// All effects of running something.
#[derive(Debug, Default)]
pub(super) struct Effects {
    pub(super) list: Vec<Effect>,
    /// What leads from one text to another, with the step before it.
    steps: Vec<(Lead, Option<usize>)>,
}

/// A place that leads to another text, and how.
pub(super) type Lead = (Span, &'static str);

/// Most steps of a way that a message shows.
const MOST_SHOWN: usize = 6;

impl Effects {
    /// What leads to an effect from the text that runs, outermost first: the ends of a long way.
    pub(super) fn way(&self, effect: &Effect) -> Vec<Lead> {
        let mut way = Vec::new();
        let mut next = effect.step;
        while let Some(step) = next {
            let (lead, before) = self.steps[step];
            way.push(lead);
            next = before;
        }
        way.reverse();
        if way.len() > MOST_SHOWN {
            way.drain(MOST_SHOWN / 2..way.len() - MOST_SHOWN / 2);
        }
        way
    }

    /// A message with what leads to an effect.
    pub(super) fn along(&self, effect: &Effect, diagnostic: Diagnostic) -> Diagnostic {
        self.way(effect).into_iter().fold(diagnostic, |diagnostic, (span, label)| match span == effect.span {
            true => diagnostic,
            false => diagnostic.secondary(span, label),
        })
    }
}

/// The effects of running an operation.
///
/// A register or FUNCTION behind a RANGE counts as written where the address is constant; a FUNCTION
/// that might be there counts for everything else that it does.
pub(super) fn effects_of(model: &Model, operation: OperationId) -> Effects {
    let mut finder = Finder::new(model);
    let scope = &model.operations[operation.index()];
    if let Some(body) = &scope.behavior {
        finder.statements(Some(scope), &body.statements);
    }
    finder.activations(scope, &scope.activation);
    finder.root(scope, &scope.coding_root);
    finder.finish()
}

/// The effects of calling a FUNCTION.
pub(super) fn effects_of_function(model: &Model, function: FunctionId) -> Effects {
    let mut finder = Finder::new(model);
    finder.waiting.push_back((Text::Function(function), None, true));
    finder.finish()
}

/// True for a number of cycles that is what an access has cost, or follows from it.
fn asks_for_latency(cycles: &Expr) -> bool {
    let mut asks = false;
    walk_expr(cycles, &mut |met| {
        asks |= matches!(met, Met::Expr(Expr { kind: ExprKind::Latency(_), .. }));
    });
    asks
}

struct Finder<'a> {
    model: &'a Model,
    effects: Effects,
    /// The step that led to the text at hand.
    step: Option<usize>,
    /// False behind an access that may or may not lead to a FUNCTION.
    is_certain: bool,
    /// FUNCTIONs and EXPRESSIONs that are looked into, and whether as certain.
    seen: BTreeSet<(Text, bool)>,
    /// Those still to be looked into: calls may be nested to any depth.
    waiting: VecDeque<(Text, Option<usize>, bool)>,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Text {
    Function(FunctionId),
    /// The EXPRESSION of an operation, written to if true.
    Operand(OperationId, bool),
}

impl<'a> Finder<'a> {
    fn new(model: &'a Model) -> Self {
        Finder {
            model,
            effects: Effects::default(),
            step: None,
            is_certain: true,
            seen: BTreeSet::new(),
            waiting: VecDeque::new(),
        }
    }

    /// Looks into everything that is mentioned.
    fn finish(mut self) -> Effects {
        let model = self.model;
        while let Some((text, step, is_certain)) = self.waiting.pop_front() {
            (self.step, self.is_certain) = (step, is_certain);
            match text {
                Text::Function(function) => {
                    if let Some(function) = model.functions.get(function.index()) {
                        self.statements(None, &function.body.statements);
                    }
                }
                Text::Operand(operation, is_written) => {
                    let operation = &model.operations[operation.index()];
                    match &operation.expression {
                        Some(expression) if is_written => self.meaning(operation, expression),
                        Some(expression) => self.expr(Some(operation), expression),
                        None => {}
                    }
                }
            }
        }
        self.effects
    }

    /// Looks into a text later, unless that is done already.
    fn lead(&mut self, text: Text, lead: Lead, is_certain: bool) {
        let is_certain = self.is_certain && is_certain;
        if !self.seen.contains(&(text, true)) && self.seen.insert((text, is_certain)) {
            self.effects.steps.push((lead, self.step));
            self.waiting.push_back((text, Some(self.effects.steps.len() - 1), is_certain));
        }
    }

    fn activations(&mut self, scope: &'a Operation, items: &'a [Activation]) {
        for item in items {
            match item {
                Activation::Activate { .. } => {}
                Activation::If { condition, then, otherwise } => {
                    self.expr(Some(scope), condition);
                    self.activations(scope, then);
                    self.activations(scope, otherwise);
                }
                Activation::Switch { value, cases, default } => {
                    self.expr(Some(scope), value);
                    cases.iter().for_each(|(_, items)| self.activations(scope, items));
                    self.activations(scope, default);
                }
            }
        }
    }

    fn root(&mut self, scope: &'a Operation, elements: &'a [RootElement]) {
        for decode in root_decodes(elements) {
            decode.source.expressions().into_iter().for_each(|expr| self.expr(Some(scope), expr));
        }
        self.conditions(scope, elements);
    }

    fn conditions(&mut self, scope: &'a Operation, elements: &'a [RootElement]) {
        for element in elements {
            match element {
                RootElement::Decode(_) => {}
                RootElement::Switch { cases, .. } => {
                    cases.iter().for_each(|case| self.conditions(scope, &case.elements));
                }
                RootElement::If { condition, then, otherwise } => {
                    self.expr(Some(scope), condition);
                    self.conditions(scope, then);
                    self.conditions(scope, otherwise);
                }
            }
        }
    }

    fn statements(&mut self, scope: Option<&'a Operation>, statements: &'a [Stmt]) {
        walk_statements(statements, &mut |met| self.meet(scope, met));
    }

    fn expr(&mut self, scope: Option<&'a Operation>, expr: &'a Expr) {
        walk_expr(expr, &mut |met| self.meet(scope, met));
    }

    fn meet(&mut self, scope: Option<&'a Operation>, met: Met<'a>) {
        match met {
            Met::Expr(expr) => match &expr.kind {
                ExprKind::Assign { place, .. }
                | ExprKind::AssignWith { place, .. }
                | ExprKind::Step { place, .. } => {
                    if !matches!(expr.kind, ExprKind::Assign { .. }) {
                        self.read(place);
                    }
                    self.write(scope, place, place.span);
                }
                ExprKind::Read(place) => self.read(place),
                ExprKind::Call { function, .. } => {
                    self.lead(Text::Function(*function), (expr.span, "through this call"), true);
                }
                ExprKind::Retry(pipeline) => self.note(What::Retry(*pipeline), expr.span),
                ExprKind::Stall { cycles, .. } if asks_for_latency(cycles) => {}
                ExprKind::Stall { .. }
                | ExprKind::Flush(_)
                | ExprKind::Busy(_)
                | ExprKind::Builtin { builtin: Builtin::Cancel, .. } => self.note(What::Control, expr.span),
                _ => {}
            },
            Met::Place(place) => match &place.kind {
                PlaceKind::Operand(instance) => self.operand(scope, *instance, place.span, None),
                PlaceKind::Reference(reference) => self.reference(scope, *reference, place.span, None),
                PlaceKind::Memory { map, address, cells, fetch: false } => {
                    self.access(*map, (address, *cells), place.span, false);
                }
                _ => {}
            },
        }
    }

    fn note(&mut self, what: What, span: Span) {
        let what = match what {
            What::Write(register) | What::Read(register) if !self.is_certain => What::Touch(register),
            what => what,
        };
        self.effects.list.push(Effect { what, span, step: self.step });
    }

    /// The registers of a place that is read.
    fn read(&mut self, place: &Place) {
        match &place.kind {
            PlaceKind::Register { register, .. } => self.note(What::Read(*register), place.span),
            PlaceKind::Slice { base, .. } | PlaceKind::Bit { base, .. } => self.read(base),
            PlaceKind::Concat(parts) => parts.iter().for_each(|part| self.read(part)),
            PlaceKind::Conditional(_, then, otherwise) => {
                self.read(then);
                self.read(otherwise);
            }
            PlaceKind::Local(_)
            | PlaceKind::Variable(_)
            | PlaceKind::Memory { .. }
            | PlaceKind::Operand(_)
            | PlaceKind::Reference(_)
            // The walk comes to its value.
            | PlaceKind::Written { .. } => {}
        }
    }

    /// A place that is assigned to; `span` is the whole of it.
    fn write(&mut self, scope: Option<&'a Operation>, place: &'a Place, span: Span) {
        match &place.kind {
            PlaceKind::Local(_) | PlaceKind::Variable(_) => {}
            PlaceKind::Register { register, .. } => self.note(What::Write(*register), span),
            PlaceKind::Memory { map, address, cells, .. } => self.access(*map, (address, *cells), span, true),
            PlaceKind::Operand(instance) => self.operand(scope, *instance, place.span, Some(span)),
            PlaceKind::Reference(reference) => self.reference(scope, *reference, place.span, Some(span)),
            PlaceKind::Slice { base, .. } | PlaceKind::Bit { base, .. } => self.write(scope, base, span),
            PlaceKind::Concat(parts) => parts.iter().for_each(|part| self.write(scope, part, span)),
            PlaceKind::Conditional(_, then, otherwise) => {
                self.write(scope, then, span);
                self.write(scope, otherwise, span);
            }
            PlaceKind::Written { writer, .. } => {
                self.lead(Text::Function(*writer), (span, "through this EXPRESSION"), true);
            }
        }
    }

    /// The EXPRESSIONs of what an instance may choose: evaluated, and written to if `written`.
    fn operand(
        &mut self,
        scope: Option<&'a Operation>,
        instance: InstanceId,
        span: Span,
        written: Option<Span>,
    ) {
        let model = self.model;
        let Some(instance) = scope.and_then(|scope| scope.instances.get(instance.index())) else { return };
        for id in operations_of(model, instance.target) {
            self.lead(Text::Operand(id, written.is_some()), (span, "through this operand"), true);
        }
    }

    /// The places that an EXPRESSION which is written to stands for.
    fn meaning(&mut self, member: &'a Operation, expression: &'a Expr) {
        match &expression.kind {
            ExprKind::Read(place) => self.write(Some(member), place, place.span),
            ExprKind::Conditional(_, then, otherwise) => {
                self.meaning(member, then);
                self.meaning(member, otherwise);
            }
            ExprKind::Convert(inner) => self.meaning(member, inner),
            _ => {}
        }
    }

    /// What a REFERENCE names in each operation above.
    fn reference(
        &mut self,
        scope: Option<&'a Operation>,
        reference: ReferenceId,
        span: Span,
        written: Option<Span>,
    ) {
        let (model, mut walked) = (self.model, BTreeSet::new());
        let Some(scope) = scope else { return };
        let mut waiting: Vec<(&Operation, ReferenceId)> = vec![(scope, reference)];
        while let Some((operation, reference)) = waiting.pop() {
            let Some(reference) = operation.references.get(reference.index()) else { continue };
            for binding in &reference.bindings {
                let parent = &model.operations[binding.parent.index()];
                match binding.what {
                    Referred::Instance(instance) => self.operand(Some(parent), instance, span, written),
                    Referred::Reference(next) if walked.insert((binding.parent, next.index())) => {
                        waiting.push((parent, next));
                    }
                    Referred::Reference(_) | Referred::Field(_) | Referred::Variable(_) => {}
                }
            }
        }
    }

    /// An access to cells of a map: what is, or may be, behind the address.
    fn access(&mut self, map: MapId, (address, cells): (&Expr, u32), span: Span, is_write: bool) {
        let model = self.model;
        let known = fold(address).and_then(|address| u64::try_from(address).ok());
        let Some(map) = model.maps.get(map.index()) else { return };
        for range in &map.ranges {
            let last = known.map(|first| first.saturating_add(u64::from(cells.max(1)) - 1));
            if known.zip(last).is_some_and(|(first, last)| last < range.low || first > range.high) {
                continue;
            }
            match range.target {
                RangeTarget::Register(register) if !is_write || known.is_none() => {
                    self.note(What::Touch(register), span);
                }
                RangeTarget::Register(register) => {
                    let outer = self.step;
                    self.effects.steps.push(((range.span, "this RANGE leads to it"), outer));
                    self.step = Some(self.effects.steps.len() - 1);
                    self.note(What::Write(register), span);
                    self.step = outer;
                }
                RangeTarget::Functions { read, write } => {
                    let function = if is_write { write } else { read };
                    let lead = (span, "through this access");
                    self.lead(Text::Function(function), lead, known.is_some());
                }
                RangeTarget::Ram(_) | RangeTarget::Cache(_) | RangeTarget::Device(_) => {}
            }
        }
    }
}
