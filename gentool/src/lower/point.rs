//! Points of a description: what is counted to see how much of it a program has used.
//!
//! A point is where a section or a statement begins, or a side of a decision. It is known by where it
//! stands in the text, so that a FUNCTION has its points once, wherever it is expanded.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};

use isac_ir::Model;
use isac_ir::behavior::{Expr as IrExpr, Stmt};
use isac_parser::model::{
    CheckedModel, Expr, ExprKind, FunctionId, Model as SourceModel, OperationOrGroup, PatternItem,
};
use isac_parser::source::{SourceMap, Span};

use super::Lowering;
use super::body::BodyBuilder;
use super::followed::FollowedStatement;

/// A point of a description.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct DescriptionPoint {
    /// What stands there: the section or the statement, or all of the decision.
    pub span: Span,
    /// What it is.
    pub kind: PointKind,
}

/// What a point is.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum PointKind {
    /// A section of an operation, or a FUNCTION, by name.
    Section(String),
    /// A statement, an activation, an element of a CODINGROOT, or a value that is computed on a
    /// condition alone and stands on a line of its own.
    Statement,
    /// A side of a decision.
    Side {
        /// What decides.
        decision: Decision,
        /// The side: of a condition 0 is true and 1 false, of others it is their order in the text, with
        /// whatever is in none of them as the last.
        side: u32,
    },
}

/// What decides which way to go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Decision {
    /// `if`, IF, or a loop's condition.
    Condition,
    /// `switch` or SWITCH.
    Choice,
    /// `?:`
    Conditional,
    /// `&&` or `||`: the right side is evaluated, or the left has decided.
    Logical,
}

/// Lowers a model that counts its points; they are numbered as they are listed. But for the counts it
/// is what [`lower_model`](super::lower_model) gives.
pub fn lower_counted_model(
    model: &CheckedModel,
    sources: &SourceMap,
    name: &str,
) -> (Model, Vec<DescriptionPoint>) {
    let points = Points::default();
    let lowered = super::lower(model, sources, name, Some(&points));
    let mut listed: Vec<(DescriptionPoint, u32)> = points.numbers.into_inner().into_iter().collect();
    listed.sort_by_key(|(_, number)| *number);
    (lowered, listed.into_iter().map(|(point, _)| point).collect())
}

/// The points that were met so far, with their numbers.
#[derive(Default)]
pub(super) struct Points {
    numbers: RefCell<BTreeMap<DescriptionPoint, u32>>,
    /// Each statement by itself, where a debugger wants them in place of points.
    pub(super) followed: Option<RefCell<Vec<FollowedStatement>>>,
    /// Whether what is lowered is for texts alone, which no program runs: it has no points.
    is_for_texts: Cell<bool>,
}

impl Points {
    /// Statements in place of points.
    pub(super) fn of_statements() -> Points {
        Points { followed: Some(RefCell::default()), ..Points::default() }
    }

    fn number(&self, point: DescriptionPoint) -> u32 {
        let mut numbers = self.numbers.borrow_mut();
        let next = numbers.len() as u32;
        *numbers.entry(point).or_insert(next)
    }
}

/// Indices of the operations that PSEUDOs alone use: the assembler knows them, and no program runs them.
pub(super) fn list_operations_of_pseudos(model: &SourceModel) -> BTreeSet<usize> {
    let executed = [Some(model.main), model.reset].into_iter().flatten().map(OperationOrGroup::Operation);
    let operands = model.pseudos.iter().flat_map(|pseudo| &pseudo.pattern).filter_map(|item| match item {
        PatternItem::Operand(target) => Some(*target),
        _ => None,
    });
    let words = model.pseudos.iter().flat_map(|pseudo| &pseudo.named_for_words);
    let operands = operands.chain(words.copied());
    let executed = operations_below(model, executed.collect());
    operations_below(model, operands.collect()).difference(&executed).copied().collect()
}

fn operations_below(model: &SourceModel, mut waiting: Vec<OperationOrGroup>) -> BTreeSet<usize> {
    let (mut groups, mut operations) = (BTreeSet::new(), BTreeSet::new());
    while let Some(target) = waiting.pop() {
        match target {
            OperationOrGroup::Group(id) if groups.insert(id) => {
                waiting.extend(&model.groups[id.index()].members);
            }
            OperationOrGroup::Operation(id) if operations.insert(id.index()) => {
                let instances = &model.operations[id.index()].instances;
                waiting.extend(instances.iter().map(|instance| instance.target));
            }
            OperationOrGroup::Group(_) | OperationOrGroup::Operation(_) => {}
        }
    }
    operations
}

impl Lowering<'_> {
    /// Lowers what programs never run if `is_for_texts`: no points are listed meanwhile.
    pub(super) fn for_texts<T>(&self, is_for_texts: bool, lower: impl FnOnce() -> T) -> T {
        let before = self.points.map(|points| points.is_for_texts.replace(is_for_texts));
        let lowered = lower();
        if let Some((points, before)) = self.points.zip(before) {
            points.is_for_texts.set(before);
        }
        lowered
    }

    /// Lists the points of FUNCTIONs that nothing calls; not of those that are there for texts.
    pub(super) fn list_function_points(&self, lowered: &Model) {
        if self.points.is_none_or(|points| points.followed.is_some()) {
            return;
        }
        let has_texts = self.model.operations.iter().any(|operation| !operation.assembler.is_empty());
        let functions = (0..).map(FunctionId).zip(&self.model.functions);
        let is_for_texts = |id: FunctionId| has_texts && lowered.functions[id.index()].value.is_some();
        for (id, function) in functions.filter(|(id, _)| !is_for_texts(*id)) {
            let mut builder = BodyBuilder::new(self, None, function.body.span);
            let parameters = function.body.locals.iter().take(function.parameters);
            let values = parameters.map(|parameter| IrExpr::constant(parameter.ty.width_bits, 0));
            builder.expand_call(id, values.collect());
        }
    }
}

impl BodyBuilder<'_> {
    fn visit(&mut self, span: Span, kind: impl FnOnce() -> PointKind) {
        if let Some(points) = self.lowering.points.filter(|points| !points.is_for_texts.get()) {
            match (kind(), self.is_followed()) {
                (PointKind::Statement, true) => self.follow_statement(span),
                (_, true) => {}
                (kind, false) => {
                    let number = points.number(DescriptionPoint { span, kind });
                    self.push(Stmt::Visit(number));
                }
            }
        }
    }

    /// A section of the operation at hand begins.
    pub(super) fn visit_section(&mut self, section: &str, span: Span) {
        if let Some(operation) = self.operation {
            if self.is_followed() {
                self.follow_section(format!("{}.{section}", operation.name));
            }
            self.visit(span, || PointKind::Section(format!("{}.{section}", operation.name)));
        }
    }

    /// The operand at hand is read, written or found.
    pub(super) fn visit_expression(&mut self, span: Span) {
        self.visit_section("EXPRESSION", span);
        self.visit_statement(span);
    }

    /// A FUNCTION begins.
    pub(super) fn visit_function(&mut self, name: &str, span: Span) {
        self.visit(span, || PointKind::Section(name.to_owned()));
    }

    /// A statement begins.
    pub(super) fn visit_statement(&mut self, span: Span) {
        self.visit(span, || PointKind::Statement);
    }

    /// A side of a decision is taken.
    pub(super) fn visit_side(&mut self, span: Span, decision: Decision, side: u32) {
        self.visit(span, || PointKind::Side { decision, side });
    }

    /// The same of a condition; one that is always the same decides nothing.
    pub(super) fn visit_arm(&mut self, span: Span, condition: &Expr, decision: Decision, side: u32) {
        if !matches!(condition.kind, ExprKind::Const(_)) {
            self.visit_side(span, decision, side);
        }
    }

    /// A side of `?:`, with where its value stands.
    pub(super) fn visit_choice(&mut self, span: Span, condition: &Expr, (side, value): (u32, Span)) {
        self.visit_arm(span, condition, Decision::Conditional, side);
        self.visit_part(value, span);
    }

    /// A part of an expression that is not always evaluated: a point of its own if it begins on another
    /// line than what is around it.
    pub(super) fn visit_part(&mut self, part: Span, around: Span) {
        let line = |span| self.lowering.sources.line_column(span).0;
        if self.lowering.points.is_some() && line(part) != line(around) {
            self.visit_statement(part);
        }
    }
}
