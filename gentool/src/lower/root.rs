//! CODINGROOT: statements that decode one element after the other.

use isac_ir::behavior::{AccessKind, Body, Expr, ExprKind, Stmt};
use isac_ir::root::WordSource;
use isac_parser::model::{Model, Operation, RootCase, RootDecode, RootElement, RootSource, root_decodes};

use super::Lowering;
use super::body::BodyBuilder;
use super::operation::lower_target;
use super::point::Decision;

/// What the chosen case of a SWITCH lies below.
const CASES: &str = "cases";

/// The names of the parts of all SWITCHes, none twice.
pub(super) fn list_labels(model: &Model) -> Vec<String> {
    let mut labels = Vec::new();
    for operation in &model.operations {
        collect_labels(&operation.coding_root, &mut 0, &mut labels);
    }
    labels
}

fn collect_labels(elements: &[RootElement], switches: &mut u32, labels: &mut Vec<String>) {
    let add = |name: String, labels: &mut Vec<String>| {
        if !labels.contains(&name) {
            labels.push(name);
        }
    };
    for element in elements {
        match element {
            RootElement::Decode(_) => {}
            RootElement::Switch { cases, .. } => {
                add(switch_name(*switches), labels);
                add(CASES.to_string(), labels);
                *switches += 1;
                for case in cases {
                    add(case.name.clone(), labels);
                    collect_labels(&case.elements, switches, labels);
                }
            }
            RootElement::If { then, otherwise, .. } => {
                collect_labels(then, switches, labels);
                collect_labels(otherwise, switches, labels);
            }
        }
    }
}

fn switch_name(index: u32) -> String {
    format!("switch_{index}")
}

impl Lowering<'_> {
    pub(super) fn lower_root(&self, operation: &Operation) -> Option<Body> {
        let first = *root_decodes(&operation.coding_root).first()?;
        let builder = BodyBuilder::new(self, Some(operation), first.span);
        let mut root = RootBuilder { builder, elements: 0, switches: 0 };
        root.builder.visit_section("CODINGROOT", first.span);
        root.elements(&operation.coding_root);
        Some(root.builder.finish())
    }

    /// Width of the cells that the size of what a value holds is counted in: those of the map that
    /// programs are loaded to.
    fn instruction_cell_bits(&self) -> u32 {
        let host = self.model.target.host.and_then(|map| self.model.maps.get(map.index()));
        host.or(self.model.maps.first()).map_or(8, |map| map.cell_bits)
    }
}

struct RootBuilder<'a> {
    builder: BodyBuilder<'a>,
    /// Elements so far.
    elements: u32,
    /// SWITCHes so far.
    switches: u32,
}

impl RootBuilder<'_> {
    fn elements(&mut self, elements: &[RootElement]) {
        for element in elements {
            match element {
                RootElement::Decode(decode) => self.decode(decode),
                RootElement::Switch { selector, cases } => self.switch(selector, cases),
                RootElement::If { condition, then, otherwise } => {
                    self.builder.visit_statement(condition.span);
                    let test = self.builder.lower_condition(condition);
                    let arm = |root: &mut Self, side, elements: &[RootElement]| {
                        root.builder.visit_arm(condition.span, condition, Decision::Condition, side);
                        root.elements(elements);
                    };
                    self.branch(test, |root| arm(root, 0, then), |root| arm(root, 1, otherwise));
                }
            }
        }
    }

    fn decode(&mut self, decode: &RootDecode) {
        let builder = &mut self.builder;
        builder.visit_statement(decode.span);
        let source = match &decode.source {
            RootSource::Map { map, address } => {
                let address = builder.lower_value(address);
                let access = builder.map_access(*map, AccessKind::Execute);
                WordSource::Map { map: map.0, address, access }
            }
            RootSource::Value { value, address } => {
                let address = address.as_ref().map(|address| {
                    let address = builder.lower_value(address);
                    builder.spill(address)
                });
                let parts = builder.lower_word(value);
                let cell_bits = builder.lowering.instruction_cell_bits();
                WordSource::Value { parts, address, cell_bits }
            }
        };
        let element = self.elements;
        self.elements += 1;
        self.builder.push(Stmt::Decode { instance: decode.instance.0, element, source });
    }

    /// `switch_N`, below it what the selector chose and `cases`, below that the case taken.
    fn switch(&mut self, selector: &RootDecode, cases: &[RootCase]) {
        self.open(&switch_name(self.switches));
        self.switches += 1;
        self.decode(selector);
        self.open(CASES);
        self.cases((selector, 0), cases);
        self.builder.push(Stmt::CloseNode);
        self.builder.push(Stmt::CloseNode);
    }

    fn cases(&mut self, (selector, side): (&RootDecode, u32), cases: &[RootCase]) {
        let Some((case, others)) = cases.split_first() else {
            self.builder.visit_side(selector.span, Decision::Choice, side);
            return;
        };
        let kind = ExprKind::Chosen { instance: selector.instance.0, member: lower_target(case.member) };
        let take = |root: &mut Self| {
            root.builder.visit_side(selector.span, Decision::Choice, side);
            root.open(&case.name);
            root.elements(&case.elements);
            root.builder.push(Stmt::CloseNode);
        };
        self.branch(Expr { width: 1, kind }, take, |root| root.cases((selector, side + 1), others));
    }

    /// An IF, each arm a frame of its own; the arms are lowered in the order of the text.
    fn branch(&mut self, condition: Expr, then: impl FnOnce(&mut Self), otherwise: impl FnOnce(&mut Self)) {
        let then = self.arm(then);
        let otherwise = self.arm(otherwise);
        self.builder.push_if(condition, then, otherwise);
    }

    fn arm(&mut self, lower: impl FnOnce(&mut Self)) -> super::body::Arm {
        let outer = self.builder.begin_arm();
        lower(self);
        self.builder.end_arm(outer)
    }

    fn open(&mut self, name: &str) {
        let label = self.builder.lowering.label(name);
        self.builder.push(Stmt::OpenNode { label });
    }
}
