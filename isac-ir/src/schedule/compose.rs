//! Finds turns, classes and places by walking what activates and decodes what.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::effect::stalled_stages;
use super::{
    Child, Class, Condition, Decoding, Effects, Form, OperandCounters, Place, PlaceKind, Schedule, Section,
    operand_offset,
};
use crate::Model;
use crate::account::{PARTS, Part};
use crate::behavior::{Stmt, walk_statements};
use crate::decoder::Node;
use crate::operand::Expression;
use crate::operation::{Operation, Role, Target};
use crate::root::WordSource;
use crate::time::{StageId, distance};

/// Most turns of one instruction.
const MOST_TURNS: usize = 64;

pub(super) fn compose(model: &Model) -> Result<Schedule, String> {
    let decoding = find_decoding(model)?;
    let mut before = Composer::new(model, decoding, None);
    before.compose(model.main)?;
    let place = before.turns.iter().position(|turn| turn.operation == decoding.operation);
    let place = place.ok_or("nothing that is activated decodes")? as u32;
    let decoding = Decoding { place, ..decoding };
    let mut schedule = Schedule {
        places: Vec::new(),
        decoding,
        classes: Vec::new(),
        forms: Vec::new(),
        counters_before: 0,
        pipelines: number_stages(model),
        first_stage: model.first_stage(),
        stalled: stalled_stages(model),
    };
    add_places_before(model, &mut schedule, before);
    let variants = &model.decoders[decoding.decoder as usize].variants;
    let mut composed = Vec::new();
    for variant in variants {
        let mut composer = Composer::new(model, decoding, Some(&variant.nodes));
        composer.compose_decoded()?;
        composed.push(composer.turns);
    }
    classify(model, &mut schedule, composed);
    number_counters(model, &mut schedule)?;
    add_walks(model, &mut schedule);
    Ok(schedule)
}

/// The one element of the one CODINGROOT.
fn find_decoding(model: &Model) -> Result<Decoding, String> {
    let roots: Vec<(u32, &Operation)> =
        (0u32..).zip(&model.operations).filter(|(_, operation)| operation.root.is_some()).collect();
    let [(operation, table)] = roots[..] else {
        return Err(format!("{} operations have a CODINGROOT", roots.len()));
    };
    let mut elements = Vec::new();
    for statement in table.root.iter().flat_map(|root| &root.statements) {
        match statement {
            Stmt::Decode { instance, source, .. } => elements.push((*instance, source)),
            Stmt::If { .. } | Stmt::OpenNode { .. } => {
                return Err(format!("{}: a choice in a CODINGROOT", table.location));
            }
            _ => {}
        }
    }
    let [(instance, source)] = elements[..] else {
        return Err(format!("{}: a CODINGROOT of several elements", table.location));
    };
    if let WordSource::Value { parts, .. } = source
        && parts.len() != 1
    {
        return Err(format!("{}: a word in parts", table.location));
    }
    let decoder = model.decoder_of(table.instances[instance as usize].target);
    let decoder = decoder.ok_or_else(|| format!("{}: nothing is decoded", table.location))?;
    let cell_bits = match source {
        WordSource::Map { map, .. } => model.maps[*map as usize].cell_bits,
        WordSource::Value { cell_bits, .. } => *cell_bits,
    };
    Ok(Decoding { place: 0, operation, instance, decoder, cell_bits })
}

fn number_stages(model: &Model) -> Vec<(u32, u32)> {
    let mut first = 0;
    let number = |pipeline: &crate::resource::Pipeline| {
        let stages = pipeline.stages.len() as u32;
        first += stages;
        (stages, first - stages)
    };
    model.pipelines.iter().map(number).collect()
}

/// A turn on the way.
#[derive(Clone)]
struct Turn {
    operation: u32,
    node: Option<u32>,
    stage: Option<StageId>,
    /// As [`Section::is_beside`].
    is_beside: bool,
    /// The operations that led here, to find circles.
    above: Vec<u32>,
    sections: Vec<Section>,
    /// Turn, delay, condition.
    children: Vec<(usize, u32, Option<u32>)>,
    conditions: Vec<Condition>,
    effects: Effects,
}

struct Composer<'m> {
    model: &'m Model,
    decoding: Decoding,
    /// The variant's tree; `None` before anything is decoded.
    nodes: Option<&'m [Node]>,
    turns: Vec<Turn>,
    next: VecDeque<usize>,
}

impl<'m> Composer<'m> {
    fn new(model: &'m Model, decoding: Decoding, nodes: Option<&'m [Node]>) -> Self {
        Composer { model, decoding, nodes, turns: Vec::new(), next: VecDeque::new() }
    }

    /// What runs until something is decoded.
    fn compose(&mut self, main: u32) -> Result<(), String> {
        let first = self.add_turn(main, None, None, &[])?;
        self.turns[first].is_beside = true;
        while let Some(turn) = self.next.pop_front() {
            self.run_operation(turn, self.turns[turn].operation, None)?;
        }
        Ok(())
    }

    /// What runs of a variant; its first turn is that of the operation that decodes.
    fn compose_decoded(&mut self) -> Result<(), String> {
        let Decoding { operation, .. } = self.decoding;
        self.add_turn(operation, None, None, &[])?;
        self.next.clear();
        self.number_conditions(0, operation, None);
        self.run_instances(0, operation, None, true)?;
        if !self.turns[0].sections.is_empty() {
            return Err(self.refuse(operation, "an operand with a BEHAVIOR right below a CODINGROOT"));
        }
        self.run_instances(0, operation, None, false)?;
        self.schedule_activated(0, operation, None)?;
        while let Some(turn) = self.next.pop_front() {
            let Turn { operation, node, .. } = self.turns[turn];
            self.run_operation(turn, operation, node)?;
        }
        Ok(())
    }

    fn refuse(&self, operation: u32, what: &str) -> String {
        format!("{}: {what}", self.model.operation(operation).location)
    }

    fn add_turn(
        &mut self,
        operation: u32,
        node: Option<u32>,
        inherited: Option<StageId>,
        above: &[u32],
    ) -> Result<usize, String> {
        if above.contains(&operation) {
            return Err(self.refuse(operation, "activations that go round in a circle"));
        }
        if self.turns.len() >= MOST_TURNS {
            return Err(self.refuse(operation, "more than 64 turns of an instruction"));
        }
        let stage = self.model.operation(operation).stage.or(inherited);
        let above = above.iter().copied().chain([operation]).collect();
        self.turns.push(Turn {
            operation,
            node,
            stage,
            is_beside: false,
            above,
            sections: Vec::new(),
            children: Vec::new(),
            conditions: Vec::new(),
            effects: Effects::default(),
        });
        self.next.push_back(self.turns.len() - 1);
        Ok(self.turns.len() - 1)
    }

    fn run_operation(&mut self, turn: usize, operation: u32, node: Option<u32>) -> Result<(), String> {
        let decodes = operation == self.decoding.operation;
        if decodes && self.nodes.is_some() {
            return Err(self.refuse(operation, "decoding several times"));
        }
        self.add_section(turn, operation, Part::Root, node);
        self.run_instances(turn, operation, node, true)?;
        self.add_section(turn, operation, Part::Behavior, node);
        self.run_instances(turn, operation, node, false)?;
        self.add_section(turn, operation, Part::Activation, node);
        match decodes {
            // It is the same for all variants, but where it stands among what they schedule.
            true => Ok(()),
            false => self.schedule_activated(turn, operation, node),
        }
    }

    fn add_section(&mut self, turn: usize, operation: u32, part: Part, node: Option<u32>) {
        let table = self.model.operation(operation);
        let Some(body) = table.body(part) else { return };
        let effects = Effects::of_section(self.model, table, body);
        self.turns[turn].effects.add(&effects);
        let is_beside = node.is_none() && self.turns[turn].is_beside && table.root.is_none();
        self.turns[turn].sections.push(Section { operation, part, node, counters: 0, is_beside });
    }

    /// What was decoded and is not scheduled: operands, or all others.
    fn run_instances(
        &mut self,
        turn: usize,
        operation: u32,
        node: Option<u32>,
        operands: bool,
    ) -> Result<(), String> {
        let table = self.model.operation(operation);
        for (index, instance) in (0u32..).zip(&table.instances) {
            if !matches!(instance.role, Role::Coded | Role::Root) || instance.scheduled {
                continue;
            }
            let Some(child) = self.decoded_child(operation, node, index)? else { continue };
            let chosen = self.model.operation(child.1);
            if instance.is_operand(chosen) != operands {
                continue;
            }
            let from = self.turns[turn].stage;
            let stage = chosen.stage.or(from);
            match distance(from, stage) {
                0 if stage == from => self.run_operation(turn, child.1, Some(child.0))?,
                0 => return Err(self.refuse(child.1, "an operation that runs in a stage and outside of it")),
                delay if self.can_run(child.0) => {
                    let above = self.turns[turn].above.clone();
                    let below = self.add_turn(child.1, Some(child.0), from, &above)?;
                    self.turns[turn].children.push((below, delay, None));
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// The node and operation that an instance has chosen, if that is known and can run.
    fn decoded_child(
        &self,
        operation: u32,
        node: Option<u32>,
        instance: u32,
    ) -> Result<Option<(u32, u32)>, String> {
        let Some(nodes) = self.nodes else { return Ok(None) };
        let is_root = operation == self.decoding.operation && instance == self.decoding.instance;
        let found = match node {
            None if is_root => Some(0),
            None => None,
            Some(node) => (0u32..)
                .zip(nodes)
                .find(|(_, child)| child.parent == Some(node) && child.instance == Some(instance))
                .map(|(index, _)| index),
        };
        let Some(mut child) = found else { return Ok(None) };
        loop {
            let here = &nodes[child as usize];
            if here.nested.is_some() {
                return match can_run(self.model, here.target) {
                    true => Err(self.refuse(operation, "a second decoded group with a BEHAVIOR")),
                    false => Ok(None),
                };
            }
            match here.target {
                Target::Operation(operation) => return Ok(Some((child, operation))),
                Target::Group(_) | Target::Label(_) => {
                    let below = (0u32..).zip(nodes).find(|(_, node)| node.parent == Some(child));
                    let Some((below, _)) = below else { return Ok(None) };
                    child = below;
                }
            }
        }
    }

    /// True if something of a decoded node, or below it, can run.
    fn can_run(&self, node: u32) -> bool {
        self.nodes.is_some_and(|nodes| can_run(self.model, nodes[node as usize].target))
    }

    /// What an ACTIVATION names.
    fn schedule_activated(&mut self, turn: usize, operation: u32, node: Option<u32>) -> Result<(), String> {
        let activated = activated_instances(self.model.operation(operation));
        self.number_conditions(turn, operation, node);
        let mut seen = BTreeSet::new();
        for (instance, written) in activated {
            if !seen.insert(instance) {
                return Err(self.refuse(operation, "an instance that is activated in two places"));
            }
            self.schedule_instance(turn, (operation, node), instance, written)?;
        }
        Ok(())
    }

    /// Numbers the conditions of an ACTIVATION, one behind the other.
    fn number_conditions(&mut self, turn: usize, operation: u32, node: Option<u32>) {
        for instance in conditional_instances(self.model.operation(operation)) {
            let condition = Condition { operation, node, instance };
            if !self.turns[turn].conditions.contains(&condition) {
                self.turns[turn].conditions.push(condition);
            }
        }
    }

    fn schedule_instance(
        &mut self,
        turn: usize,
        (operation, node): (u32, Option<u32>),
        instance: u32,
        written: u32,
    ) -> Result<(), String> {
        let entry = &self.model.operation(operation).instances[instance as usize];
        let from = self.turns[turn].stage;
        let (target, target_node, inherited) = match (entry.role, entry.target) {
            (Role::Activated, Target::Operation(target)) => (target, None, None),
            (Role::Coded | Role::Root, _) => match self.decoded_child(operation, node, instance)? {
                Some((node, target)) => (target, Some(node), from),
                None => return Ok(()),
            },
            _ => return Err(self.refuse(operation, "an ACTIVATION of what is decoded further below")),
        };
        let above = self.turns[turn].above.clone();
        let below = self.add_turn(target, target_node, inherited, &above)?;
        let is_led_to = self.turns[turn].is_beside || operation == self.decoding.operation;
        self.turns[below].is_beside = target_node.is_none() && node.is_none() && is_led_to;
        let delay = written + distance(from, self.turns[below].stage);
        let turn = &mut self.turns[turn];
        let condition = Condition { operation, node, instance };
        let condition = turn.conditions.iter().position(|known| *known == condition);
        turn.children.push((below, delay, condition.map(|number| number as u32)));
        Ok(())
    }
}

/// The instances that an ACTIVATION names, each with its DELAY, in the order of the text.
fn activated_instances(operation: &Operation) -> Vec<(u32, u32)> {
    let mut activated = Vec::new();
    if let Some(body) = &operation.activation {
        walk_statements(&body.statements, &mut |statement| {
            if let Stmt::Activate { instance, delay } = statement {
                activated.push((*instance, *delay));
            }
        });
    }
    activated
}

/// The instances that an ACTIVATION schedules on a condition, in the order of the text.
pub fn conditional_instances(operation: &Operation) -> Vec<u32> {
    let activated = activated_instances(operation).into_iter().map(|(instance, _)| instance);
    activated.filter(|instance| operation.instances[*instance as usize].conditional).collect()
}

/// True if something below a target has a section that runs.
fn can_run(model: &Model, target: Target) -> bool {
    model.leaf_operations(target).into_iter().any(|operation| {
        let table = model.operation(operation);
        PARTS.iter().any(|part| table.body(*part).is_some())
            || table
                .instances
                .iter()
                .any(|instance| instance.role == Role::Coded && can_run(model, instance.target))
    })
}

fn add_places_before(model: &Model, schedule: &mut Schedule, before: Composer<'_>) {
    for turn in before.turns {
        let child = |(place, delay, condition): (usize, u32, Option<u32>)| Child {
            place: place as u32,
            delay,
            condition,
        };
        schedule.places.push(Place {
            name: model.operation(turn.operation).name.clone(),
            stage: turn.stage,
            kind: PlaceKind::Before { operation: turn.operation, sections: turn.sections },
            children: turn.children.into_iter().map(child).collect(),
            effects: turn.effects,
        });
    }
}

/// How an instruction schedules: by turn its stage, its children, and what it runs if that depends
/// on nothing decoded.
type Pattern = Vec<(Option<StageId>, Vec<(usize, u32, Option<u32>)>, Option<Vec<Section>>)>;

/// Gathers variants that schedule alike.
fn classify(model: &Model, schedule: &mut Schedule, composed: Vec<Vec<Turn>>) {
    let mut known: BTreeMap<Pattern, u32> = BTreeMap::new();
    for (variant, turns) in (0u32..).zip(&composed) {
        let own = |turn: &Turn| {
            let is_known = turn.sections.iter().all(|section| section.node.is_none());
            is_known.then(|| turn.sections.clone())
        };
        let pattern: Pattern =
            turns.iter().map(|turn| (turn.stage, turn.children.clone(), own(turn))).collect();
        let class = *known.entry(pattern).or_insert_with(|| add_class(schedule, turns));
        let entry = &mut schedule.classes[class as usize];
        entry.forms.push(variant);
        for (place, turn) in entry.places.iter().zip(turns) {
            schedule.places[*place as usize].effects.add(&turn.effects);
        }
        schedule.forms.push(Form {
            class,
            turns: turns.iter().map(|turn| turn.sections.clone()).collect(),
            operations: turns.iter().map(|turn| turn.operation).collect(),
            conditions: turns.iter().map(|turn| turn.conditions.clone()).collect(),
            operands: Vec::new(),
            counters: 0,
        });
    }
    for class in &schedule.classes {
        for (turn, place) in class.places.iter().enumerate().skip(1) {
            let operations: BTreeSet<u32> =
                class.forms.iter().map(|form| composed[*form as usize][turn].operation).collect();
            schedule.places[*place as usize].name = joined_names(model, &operations);
        }
    }
}

fn add_class(schedule: &mut Schedule, turns: &[Turn]) -> u32 {
    let class = schedule.classes.len() as u32;
    let first = schedule.places.len() as u32;
    let place_of = |turn: usize| if turn == 0 { schedule.decoding.place } else { first + turn as u32 - 1 };
    let places: Vec<u32> = (0..turns.len()).map(place_of).collect();
    let children = |turn: &Turn| -> Vec<Child> {
        let children = turn.children.iter();
        children
            .map(|(turn, delay, condition)| Child {
                place: places[*turn],
                delay: *delay,
                condition: *condition,
            })
            .collect()
    };
    for (number, turn) in (1u32..).zip(turns.iter().skip(1)) {
        schedule.places.push(Place {
            name: String::new(),
            stage: turn.stage,
            kind: PlaceKind::Decoded { class, turn: number },
            children: children(turn),
            effects: Effects::default(),
        });
    }
    let children = children(&turns[0]);
    schedule.classes.push(Class { children, places, forms: Vec::new() });
    class
}

/// A few names, joined.
fn joined_names(model: &Model, operations: &BTreeSet<u32>) -> String {
    const MOST: usize = 4;
    let mut names: Vec<&str> =
        operations.iter().take(MOST).map(|operation| model.operation(*operation).name.as_str()).collect();
    if operations.len() > MOST {
        names.push("...");
    }
    names.join("|")
}

/// Gives every section its counters: first those that all forms of a class share.
fn number_counters(model: &Model, schedule: &mut Schedule) -> Result<(), String> {
    let mut next = 0;
    for place in &mut schedule.places {
        if let PlaceKind::Before { sections, .. } = &mut place.kind {
            sections.iter_mut().for_each(|section| number_section(model, section, &mut next));
        }
    }
    schedule.counters_before = next;
    for class in &schedule.classes {
        let mut shared = schedule.counters_before;
        let turns = schedule.forms[class.forms[0] as usize].turns.clone();
        let is_shared = |turn: usize| {
            let known = |form: &u32| schedule.forms[*form as usize].turns[turn] == turns[turn];
            turns[turn].iter().all(|section| section.node.is_none()) && class.forms.iter().all(known)
        };
        let common: Vec<bool> = (0..turns.len()).map(is_shared).collect();
        let mut numbered = turns;
        for (turn, is_common) in numbered.iter_mut().zip(&common) {
            if *is_common {
                turn.iter_mut().for_each(|section| number_section(model, section, &mut shared));
            }
        }
        for form in &class.forms {
            let entry = &mut schedule.forms[*form as usize];
            let mut next = shared;
            for (index, turn) in entry.turns.iter_mut().enumerate() {
                match common[index] {
                    true => turn.clone_from(&numbered[index]),
                    false => turn.iter_mut().for_each(|section| number_section(model, section, &mut next)),
                }
            }
            let nodes = &model.decoders[schedule.decoding.decoder as usize].variants[*form as usize].nodes;
            entry.operands = number_operands(model, &entry.turns, nodes, &mut next)?;
            entry.counters = next;
        }
    }
    Ok(())
}

fn number_section(model: &Model, section: &mut Section, next: &mut u32) {
    section.counters = *next;
    *next += model.operation(section.operation).body(section.part).map_or(0, |body| body.regions);
}

/// Counters of the operands that a form's sections mention.
fn number_operands(
    model: &Model,
    turns: &[Vec<Section>],
    nodes: &[Node],
    next: &mut u32,
) -> Result<Vec<OperandCounters>, String> {
    let mut found: Vec<OperandCounters> = Vec::new();
    for section in turns.iter().flatten() {
        let operation = model.operation(section.operation);
        let Some(body) = operation.body(section.part) else { continue };
        for mention in &body.mentions {
            let is_it =
                |child: &Node| child.parent == section.node && child.instance == Some(mention.instance);
            let Some(node) = nodes.iter().position(is_it).filter(|_| section.node.is_some()) else {
                continue;
            };
            let (node, target) = (node as u32, nodes[node].target);
            check_inner_mentions(model, target)?;
            let counters = operand_offset(model, target, None);
            if counters > 0 && !found.iter().any(|known| known.node == node) {
                found.push(OperandCounters { node, counters: *next });
                *next += counters;
            }
        }
    }
    Ok(found)
}

/// What an operand mentions in turn may access nothing on a condition.
fn check_inner_mentions(model: &Model, target: Target) -> Result<(), String> {
    for leaf in model.leaf_operations(target) {
        let operand = model.operation(leaf);
        for body in operand.expression.iter().flat_map(Expression::bodies) {
            for mention in &body.mentions {
                let inner = operand.instances[mention.instance as usize].target;
                if mention.region > 0 || operand_offset(model, inner, None) > 0 {
                    return Err(format!(
                        "{}: accesses on a condition in an operand of an operand",
                        operand.location
                    ));
                }
                check_inner_mentions(model, inner)?;
            }
        }
    }
    Ok(())
}

fn add_walks(model: &Model, schedule: &mut Schedule) {
    for (pipeline, table) in (0u32..).zip(&model.pipelines) {
        let stages = table.stages.len() as u32;
        for stage in 1..stages {
            let is_last = stage + 1 == stages;
            let next = schedule.places.len() as u32 + 1;
            let on = Child { place: next, delay: 1, condition: None };
            schedule.places.push(Place {
                name: format!("({} fault)", table.name),
                stage: Some(StageId { pipeline, stage }),
                kind: PlaceKind::Walk { is_last },
                children: if is_last { Vec::new() } else { vec![on] },
                effects: Effects::default(),
            });
        }
    }
}
