//! What instructions in flight schedule, as far as it is known before the run.
//!
//! A *turn* is what runs when something scheduled is due: sections one behind the other, without
//! anything of another instruction in between. A *place* stands for the turns that every
//! instruction of a *class* has at one point of its life; instructions are of one class if they
//! schedule alike. What differs within a class are the sections: data that travel with the
//! instruction. From places the [timing automaton](crate::automaton) is built, and the emitted
//! simulator has one piece of code for each.

mod account;
mod compose;
mod effect;

use crate::Model;
use crate::account::Part;
use crate::operand::MentionKind;
use crate::time::StageId;

pub use account::TurnAccount;
pub use compose::conditional_instances;
pub use effect::Effects;

/// Everything that can be scheduled in a model whose instructions are in flight.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Schedule {
    /// Place 0 is `main`; those that run before anything is decoded come first, then those of the
    /// classes, then those of faults on their way.
    pub places: Vec<Place>,
    /// The CODINGROOT.
    pub decoding: Decoding,
    /// What decoded instructions schedule.
    pub classes: Vec<Class>,
    /// By variant of the decoder.
    pub forms: Vec<Form>,
    /// Counters of what runs before anything is decoded; those of forms come behind.
    pub counters_before: u32,
    /// By pipeline: number of stages, and the number of its first stage among all.
    pub pipelines: Vec<(u32, u32)>,
    /// The stage in which instructions begin.
    pub first_stage: Option<StageId>,
    /// Stages that something stalls.
    pub stalled: Vec<StageId>,
}

/// Where the CODINGROOT is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Decoding {
    /// The place whose turn begins with it.
    pub place: u32,
    /// The operation that holds it.
    pub operation: u32,
    /// Its element's instance.
    pub instance: u32,
    /// Its element's decoder.
    pub decoder: u32,
    /// Width of the cells that the size of an instruction is counted in.
    pub cell_bits: u32,
}

/// A point in the life of an instruction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// What runs there, for people.
    pub name: String,
    /// The stage that it is bound to.
    pub stage: Option<StageId>,
    /// What kind of place.
    pub kind: PlaceKind,
    /// What a turn there schedules, in order; that of the place that decodes is in the classes.
    pub children: Vec<Child>,
    /// What else a turn there may do to instructions.
    pub effects: Effects,
}

/// Kinds of places.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PlaceKind {
    /// What runs is known before anything is decoded.
    Before {
        /// The operation.
        operation: u32,
        /// Its sections.
        sections: Vec<Section>,
    },
    /// A turn of a decoded instruction.
    Decoded {
        /// The class.
        class: u32,
        /// The number of the turn in [`Form::turns`].
        turn: u32,
    },
    /// A fault of decoding or fetching is on its way to the last stage.
    Walk {
        /// True in the last stage, where it strikes.
        is_last: bool,
    },
}

/// Something that a turn schedules.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Child {
    /// The place.
    pub place: u32,
    /// In how many cycles.
    pub delay: u32,
    /// If it depends on a condition: the number of the condition among the turn's.
    pub condition: Option<u32>,
}

/// Instructions that schedule alike.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Class {
    /// What the turn that decodes schedules, in order.
    pub children: Vec<Child>,
    /// The places of its turns; the first is the one that decodes.
    pub places: Vec<u32>,
    /// The variants that are of this class.
    pub forms: Vec<u32>,
}

/// An instruction as the decoder tells it apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Form {
    /// Its class.
    pub class: u32,
    /// What each of its turns runs. The first is what the turn that decodes runs of the decoded
    /// operations, behind the BEHAVIOR of the operation that decodes.
    pub turns: Vec<Vec<Section>>,
    /// The operation that each turn is of, by turn.
    pub operations: Vec<u32>,
    /// The instances whose conditions each turn's numbers stand for, by turn.
    pub conditions: Vec<Vec<Condition>>,
    /// Counters of operands.
    pub operands: Vec<OperandCounters>,
    /// Number of all counters, those before decoding included.
    pub counters: u32,
}

/// A section that runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Section {
    /// The operation.
    pub operation: u32,
    /// Which section.
    pub part: Part,
    /// The node of the variant, if the operation was decoded.
    pub node: Option<u32>,
    /// The counter of its region 0; that of region `r` is `r` behind.
    pub counters: u32,
    /// It is of no instruction, but of what runs beside each, as what takes interrupts does: nothing of an
    /// instruction has led to it but what decodes.
    pub is_beside: bool,
}

/// A conditional activation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Condition {
    /// The operation whose ACTIVATION it is.
    pub operation: u32,
    /// Its node, if it was decoded.
    pub node: Option<u32>,
    /// The instance that is activated.
    pub instance: u32,
}

/// Counters of an operand whose EXPRESSION accesses something on a condition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OperandCounters {
    /// The node of the variant.
    pub node: u32,
    /// The counter of region 1 of its first body; see [`operand_offset`].
    pub counters: u32,
}

impl Schedule {
    /// What a model schedules.
    ///
    /// # Errors
    /// Why that is not known before the run, with its place in the description.
    pub fn of(model: &Model) -> Result<Schedule, String> {
        compose::compose(model)
    }

    /// The number of a stage among those of all pipelines.
    pub fn stage_number(&self, stage: StageId) -> u32 {
        self.pipelines[stage.pipeline as usize].1 + stage.stage
    }

    /// What a turn at a place schedules, if the instruction is of a class.
    pub fn children(&self, place: u32, class: u32) -> &[Child] {
        if place == self.decoding.place {
            return self.classes.get(class as usize).map_or(&[], |class| &class.children);
        }
        &self.places[place as usize].children
    }

    /// The place at which a fault walks in a stage, if it is not a pipeline's first.
    pub fn walk(&self, stage: StageId) -> Option<u32> {
        let is_it =
            |place: &Place| matches!(place.kind, PlaceKind::Walk { .. }) && place.stage == Some(stage);
        self.places.iter().position(is_it).map(|place| place as u32)
    }

    /// All sections that turns at a place may run.
    pub fn sections_at(&self, place: u32) -> Vec<Section> {
        let mut found = match &self.places[place as usize].kind {
            PlaceKind::Before { sections, .. } => sections.clone(),
            PlaceKind::Decoded { .. } | PlaceKind::Walk { .. } => Vec::new(),
        };
        for form in &self.forms {
            let places = self.classes[form.class as usize].places.iter().zip(&form.turns);
            let here = places.filter(|(own, _)| **own == place);
            found.extend(here.flat_map(|(_, sections)| sections));
        }
        found
    }

    /// The stage behind one, if it is not the last.
    pub fn next_stage(&self, stage: StageId) -> Option<StageId> {
        let (stages, _) = self.pipelines[stage.pipeline as usize];
        (stage.stage + 1 < stages).then_some(StageId { stage: stage.stage + 1, ..stage })
    }
}

/// How many counters the bodies of an operand have that are numbered before those of a kind of
/// mention, the largest of what the operand may be; with `None` all of them.
pub fn operand_offset(model: &Model, target: crate::operation::Target, kind: Option<MentionKind>) -> u32 {
    let before = MentionKind::ALL.into_iter().take_while(|other| Some(*other) != kind);
    before.map(|kind| operand_counters(model, target, kind)).sum()
}

/// How many counters a kind of mention has.
pub fn operand_counters(model: &Model, target: crate::operation::Target, kind: MentionKind) -> u32 {
    let leaves = model.leaf_operations(target).into_iter();
    let bodies = leaves.filter_map(|leaf| model.operation(leaf).expression.as_ref()?.body(kind));
    bodies.map(|body| body.regions - 1).max().unwrap_or(0)
}
