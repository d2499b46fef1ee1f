//! Bodies: every access and every mention stands exactly once, what is named exists, widths agree,
//! and each region is counted once and for something.

use std::collections::BTreeMap;

use super::call::verify_calls;
use super::table::has_stage;
use crate::Model;
use crate::behavior::{
    BindingId, Body, Expr, ExprKind, InstanceId, LocalId, ReferenceId, Stmt, UNCOUNTED, VariableId,
    walk_expressions, walk_statements,
};
use crate::operand::{Binding, MentionKind};
use crate::operation::Operation;
use crate::root::WordSource;

/// What is broken in a body of an operation.
pub(super) fn verify_body(model: &Model, operation: &Operation, body: &Body) -> Vec<String> {
    let verifier = BodyVerifier { model, operation, body };
    let mut errors = Vec::new();
    walk_expressions(&body.statements, &mut |expr| {
        if !verifier.is_sound(expr) {
            errors.push(format!("{:?} does not fit {} bits", expr.kind, expr.width));
        }
    });
    walk_statements(&body.statements, &mut |statement| {
        if !verifier.fits(statement) {
            errors.push(format!("{} does not fit", described(statement)));
        }
    });
    verifier.verify_ids(&mut errors);
    verifier.verify_regions(&mut errors);
    verifier.verify_bindings(&mut errors);
    verify_calls(model, body, &mut errors);
    errors
}

/// A statement, without those inside it.
fn described(statement: &Stmt) -> String {
    match statement {
        Stmt::If { condition, .. } => format!("If {{ {condition:?} }}"),
        Stmt::Call { function, .. } => format!("Call {{ {function} }}"),
        other => format!("{other:?}"),
    }
}

pub(super) struct BodyVerifier<'m> {
    pub(super) model: &'m Model,
    pub(super) operation: &'m Operation,
    body: &'m Body,
}

impl BodyVerifier<'_> {
    /// True if what a statement by itself names exists and has the width of what it is given.
    fn fits(&self, statement: &Stmt) -> bool {
        match statement {
            Stmt::Set { local, value } => self.local_width(*local) == Some(value.width),
            Stmt::SetVariable { variable, value } => self.variable_width(*variable) == Some(value.width),
            Stmt::SetReference { reference, value } => self.reference_width(*reference) == Some(value.width),
            Stmt::SetRegister { register, index, low, value, .. } => {
                self.has_register(*register, index.is_some(), *low, value.width)
            }
            Stmt::SetMemory { map, cells, address, value, .. } => {
                self.has_cells(*map, *cells, address, value.width)
            }
            Stmt::SetCellPart { map, address, low, value, .. } => {
                self.has_cell_part(*map, address, *low, value.width)
            }
            Stmt::SetOperand { instance, mention, value } => {
                self.mentions(Some(*mention), Some(*instance), MentionKind::Write)
                    && self.operand_fits(*instance, value.width)
            }
            Stmt::Bind { binding, mention } => self.binding_fits(*binding, *mention, MentionKind::Bind),
            Stmt::SetBound { binding, mention, value } => {
                self.binding_fits(*binding, *mention, MentionKind::WriteBound)
                    && self.place_fits(*binding, value.width)
            }
            Stmt::If { condition, .. } => condition.width == 1,
            Stmt::Halt(status) => status.width == 32,
            Stmt::Stall { stage, cycles, maps } => {
                let has_maps = maps.iter().all(|map| (*map as usize) < self.model.maps.len());
                has_stage(self.model, *stage) && cycles.width == 64 && has_maps
            }
            Stmt::Flush(stage) => has_stage(self.model, *stage),
            Stmt::Retry { pipeline } => (*pipeline as usize) < self.model.pipelines.len(),
            Stmt::ExtraCycles(cycles) => cycles.width == 64,
            Stmt::Explain { address, .. } => address.width == 64,
            Stmt::LinuxCall { result, arguments } => self.is_call(*result, arguments, 7),
            Stmt::Semihost { result, arguments } => self.is_call(*result, arguments, 2),
            Stmt::Decode { instance, source, .. } => self.has_instance_of(*instance, source),
            Stmt::OpenNode { label } => (*label as usize) < self.model.labels.len(),
            Stmt::Activate { instance, .. } => (*instance as usize) < self.operation.instances.len(),
            Stmt::Touch(_)
            | Stmt::Count(_)
            | Stmt::Visit(_)
            | Stmt::Loop { .. }
            | Stmt::Block { .. }
            | Stmt::Call { .. }
            | Stmt::Leave(_)
            | Stmt::Illegal
            | Stmt::Unhandled
            | Stmt::DivisionByZero
            | Stmt::Cancel
            | Stmt::Print(_)
            | Stmt::Event(_)
            | Stmt::CloseNode => true,
        }
    }

    fn has_instance_of(&self, instance: InstanceId, source: &WordSource) -> bool {
        let source_fits = match source {
            WordSource::Map { map, address, .. } => {
                let map = self.model.maps.get(*map as usize);
                map.is_some_and(|map| address.width == map.address_bits)
            }
            WordSource::Value { .. } => true,
        };
        source_fits && (instance as usize) < self.operation.instances.len()
    }

    fn is_call(&self, result: LocalId, arguments: &[Expr], count: usize) -> bool {
        self.local_width(result) == Some(64)
            && arguments.len() == count
            && arguments.iter().all(|argument| argument.width == 64)
    }

    pub(super) fn local_width(&self, local: LocalId) -> Option<u32> {
        self.body.locals.get(local as usize).map(|local| local.width)
    }

    pub(super) fn variable_width(&self, variable: VariableId) -> Option<u32> {
        self.operation.variables.get(variable as usize).map(|variable| variable.width)
    }

    pub(super) fn reference_width(&self, reference: ReferenceId) -> Option<u32> {
        self.operation.references.get(reference as usize).map(|reference| reference.width_bits)
    }

    /// True if a register has these bits; an element is named of files alone.
    pub(super) fn has_register(&self, register: u32, is_element: bool, low: u32, width: u32) -> bool {
        let register = self.model.registers.get(register as usize);
        register.is_some_and(|register| {
            register.count.is_some() == is_element && low.saturating_add(width) <= register.width_bits
        })
    }

    /// True if so many cells of a map have a width.
    pub(super) fn has_cells(&self, map: u32, cells: u32, address: &Expr, width: u32) -> bool {
        let map = self.model.maps.get(map as usize);
        map.is_some_and(|map| {
            map.cell_bits.checked_mul(cells) == Some(width) && address.width == map.address_bits
        })
    }

    /// True if a cell of a map has these bits.
    pub(super) fn has_cell_part(&self, map: u32, address: &Expr, low: u32, width: u32) -> bool {
        let map = self.model.maps.get(map as usize);
        map.is_some_and(|map| low.saturating_add(width) <= map.cell_bits && address.width == map.address_bits)
    }

    /// True if a mention is one of this kind of an instance; what a reference stands for has none.
    pub(super) fn mentions(
        &self,
        mention: Option<u32>,
        instance: Option<InstanceId>,
        kind: MentionKind,
    ) -> bool {
        match (mention, instance) {
            (Some(mention), Some(instance)) => {
                let mention = self.body.mentions.get(mention as usize);
                mention.is_some_and(|mention| (mention.instance, mention.kind) == (instance, kind))
            }
            (None, None) => true,
            _ => false,
        }
    }

    /// True if a binding exists and is mentioned in this way.
    pub(super) fn binding_fits(&self, binding: BindingId, mention: Option<u32>, kind: MentionKind) -> bool {
        match self.body.bindings.get(binding as usize) {
            Some(Binding::Instance(instance)) => self.mentions(mention, Some(*instance), kind),
            Some(Binding::Reference(_)) => self.mentions(mention, None, kind),
            None => false,
        }
    }

    /// True if the place that a binding finds has a width.
    pub(super) fn place_fits(&self, binding: BindingId, width: u32) -> bool {
        match self.body.bindings.get(binding as usize) {
            Some(Binding::Instance(instance)) => self.operand_fits(*instance, width),
            Some(Binding::Reference(reference)) => self.reference_width(*reference) == Some(width),
            None => false,
        }
    }

    /// True if an operand's value can have a width: that of all that it may be, or, where these
    /// differ, one that holds each of them.
    pub(super) fn operand_fits(&self, instance: InstanceId, width: u32) -> bool {
        let Some(instance) = self.operation.instances.get(instance as usize) else { return false };
        let leaves = self.model.leaf_operations(instance.target).into_iter();
        let types = leaves.map(|leaf| match &self.model.operation(leaf).expression {
            Some(expression) => (expression.width, expression.signed),
            None => (instance.width_bits, false),
        });
        let types: Vec<(u32, bool)> = types.collect();
        match types.iter().all(|other| *other == types[0]) {
            true => types.first().is_some_and(|(own, _)| *own == width),
            false => types.iter().all(|(own, _)| *own <= width),
        }
    }

    /// Every access, every mention and every binding stands where its id says, once.
    fn verify_ids(&self, errors: &mut Vec<String>) {
        let mut accesses: BTreeMap<u32, u32> = BTreeMap::new();
        let mut mentions: BTreeMap<u32, u32> = BTreeMap::new();
        walk_expressions(&self.body.statements, &mut |expr| match expr.kind {
            ExprKind::Register { access, .. }
            | ExprKind::RegisterPart { access, .. }
            | ExprKind::CellPart { access, .. }
            | ExprKind::Memory { access, .. } => *accesses.entry(access).or_default() += 1,
            ExprKind::Operand { mention, .. } | ExprKind::Bound { mention: Some(mention), .. } => {
                *mentions.entry(mention).or_default() += 1;
            }
            _ => {}
        });
        walk_statements(&self.body.statements, &mut |statement| match statement {
            Stmt::SetRegister { access, .. }
            | Stmt::SetCellPart { access, .. }
            | Stmt::SetMemory { access, .. }
            | Stmt::Touch(access)
            | Stmt::Decode { source: WordSource::Map { access, .. }, .. } => {
                *accesses.entry(*access).or_default() += 1;
            }
            Stmt::SetOperand { mention, .. }
            | Stmt::Bind { mention: Some(mention), .. }
            | Stmt::SetBound { mention: Some(mention), .. } => *mentions.entry(*mention).or_default() += 1,
            _ => {}
        });
        accesses.remove(&UNCOUNTED);
        once("access", self.body.accesses.len(), &accesses, errors);
        once("mention", self.body.mentions.len(), &mentions, errors);
    }

    /// Every region but the first begins once, and something in it is counted.
    fn verify_regions(&self, errors: &mut Vec<String>) {
        let mut counted: BTreeMap<u32, u32> = BTreeMap::new();
        walk_statements(&self.body.statements, &mut |statement| {
            if let Stmt::Count(region) = statement {
                *counted.entry(*region).or_default() += 1;
            }
        });
        let count = self.body.regions;
        let expected: Vec<u32> = (1..count).collect();
        if counted.keys().copied().collect::<Vec<_>>() != expected || counted.values().any(|n| *n != 1) {
            errors.push(format!("{count} regions, counted {counted:?}"));
        }
        let accesses = self.body.accesses.iter().map(|access| access.region);
        let used: Vec<u32> =
            accesses.chain(self.body.mentions.iter().map(|mention| mention.region)).collect();
        if let Some(region) = used.iter().find(|region| **region >= count) {
            errors.push(format!("something lies in region {region} of {count}"));
        }
        let follows = |region: u32| self.body.rests.iter().any(|rest| rest.region == region);
        for rest in &self.body.rests {
            if [rest.region, rest.of, rest.without].iter().any(|region| *region >= count)
                || follows(rest.without)
            {
                errors.push(format!("region {} follows from {} and {}", rest.region, rest.of, rest.without));
            }
        }
        if self.body.rests.iter().any(|rest| self.is_circular(rest.region)) {
            errors.push("a region follows from itself".to_string());
        }
        if let Some(region) = expected.iter().find(|region| !used.contains(region)) {
            errors.push(format!("region {region} is counted and nothing lies in it"));
        }
    }

    /// True if a region follows from others, and these from it.
    fn is_circular(&self, region: u32) -> bool {
        let rests = &self.body.rests;
        let mut next = Some(region);
        for _ in 0..=rests.len() {
            let rest = next.and_then(|next| rests.iter().find(|rest| rest.region == next));
            next = rest.map(|rest| rest.of);
        }
        next.is_some()
    }

    /// Whatever is found has a place in steps, and is found once, where it is not a part of a place.
    fn verify_bindings(&self, errors: &mut Vec<String>) {
        let (model, operation, body) = (self.model, self.operation, self.body);
        let mut found: BTreeMap<u32, u32> = BTreeMap::new();
        walk_statements(&body.statements, &mut |statement| {
            if let Stmt::Bind { binding, .. } = statement {
                *found.entry(*binding).or_default() += 1;
            }
        });
        let kind = operation.expression.as_ref().and_then(|expression| expression.kind_of(body));
        if !kind.is_some_and(MentionKind::is_bound) {
            once("binding", body.bindings.len(), &found, errors);
        }
        for binding in &body.bindings {
            match *binding {
                Binding::Instance(instance) => {
                    let Some(instance) = operation.instances.get(instance as usize) else {
                        errors.push(format!("instance {instance} is found and does not exist"));
                        continue;
                    };
                    let has_place = |leaf: u32| {
                        let expression = model.operation(leaf).expression.as_ref();
                        expression.is_some_and(|expression| expression.place.is_some())
                    };
                    if !model.leaf_operations(instance.target).into_iter().all(has_place) {
                        errors.push(format!("{} is found and has no place", instance.alias));
                    }
                }
                Binding::Reference(reference) => {
                    if self.reference_width(reference).is_none() {
                        errors.push(format!("reference {reference} is found and does not exist"));
                    }
                }
            }
        }
    }
}

fn once(what: &str, count: usize, seen: &BTreeMap<u32, u32>, errors: &mut Vec<String>) {
    for id in 0..count as u32 {
        match seen.get(&id) {
            Some(1) => {}
            found => errors.push(format!("{what} {id} stands {} times", found.copied().unwrap_or(0))),
        }
    }
    if let Some(id) = seen.keys().find(|id| **id as usize >= count) {
        errors.push(format!("{what} {id} stands in no table"));
    }
}
