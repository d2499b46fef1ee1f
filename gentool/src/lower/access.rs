//! Accesses and regions: each gets its id here, before any optimisation.
//!
//! A frame is a stretch of statements that run equally often; it begins with a [`Stmt::Count`] of
//! the frame. Its region gets a number only when an access falls into it; at the end
//! [`number_regions`] turns the frames' counts into the regions', and drops the others.

use std::collections::BTreeMap;

use isac_ir::behavior::{Access, AccessKind, Mention, Rest, Stmt};
use isac_ir::operand::MentionKind;
use isac_parser::model::{InstanceId, MapId, RegisterId};

use super::body::BodyBuilder;

/// Frames of a body: the region of each, once an access has needed it. Frame 0 is the body.
#[derive(Debug)]
pub(super) struct Frames {
    regions: Vec<Option<u32>>,
    /// The frame that a frame runs as often as, where it is known.
    same: BTreeMap<usize, usize>,
    /// Frames behind branches, with that of the branch and that of the arm that always leaves.
    rests: Vec<[usize; 3]>,
    /// The frame that accesses fall into.
    pub current: usize,
}

impl Frames {
    pub(super) fn new() -> Frames {
        Frames { regions: vec![Some(0)], same: BTreeMap::new(), rests: Vec::new(), current: 0 }
    }

    /// The frame at hand, which has just begun, runs as often as another.
    pub(super) fn run_as_often_as(&mut self, other: usize) {
        self.same.insert(self.current, other);
    }

    /// The frame at hand has begun behind a branch, of which one arm always leaves.
    pub(super) fn follow_branch(&mut self, branch: usize, leaving: usize) {
        self.rests.push([self.current, branch, leaving]);
    }

    /// The region of a frame, or of one that runs as often.
    fn region_of(&self, mut frame: usize) -> Option<u32> {
        loop {
            match (self.regions[frame], self.same.get(&frame)) {
                (Some(region), _) => return Some(region),
                (None, Some(same)) => frame = *same,
                (None, None) => return None,
            }
        }
    }

    /// What follows from other regions.
    pub(super) fn rests(&self) -> Vec<Rest> {
        let rests = self.rests.iter().filter_map(|[frame, branch, leaving]| {
            let (region, without) = (self.regions[*frame]?, self.regions[*leaving]?);
            Some(Rest { region, of: self.region_of(*branch)?, without })
        });
        rests.collect()
    }
}

impl BodyBuilder<'_> {
    fn region(&mut self) -> u32 {
        let current = self.frames.current;
        *self.frames.regions[current].get_or_insert_with(|| {
            self.body.regions += 1;
            self.body.regions - 1
        })
    }

    pub(super) fn register_access(&mut self, register: RegisterId, kind: AccessKind) -> u32 {
        self.access(register.0, kind)
    }

    pub(super) fn map_access(&mut self, map: MapId, kind: AccessKind) -> u32 {
        let registers = self.lowering.model.registers.len() as u32;
        self.access(registers + map.0, kind)
    }

    /// How many reads and writes stand in the body so far: what has none can be evaluated in vain.
    pub(super) fn evaluations(&self) -> usize {
        self.body.accesses.len() + self.body.mentions.len() + self.references
    }

    fn access(&mut self, resource: u32, kind: AccessKind) -> u32 {
        let region = self.region();
        self.body.accesses.push(Access { resource, kind, region });
        self.body.accesses.len() as u32 - 1
    }

    pub(super) fn mention(&mut self, instance: InstanceId, kind: MentionKind) -> u32 {
        let region = self.region();
        self.body.mentions.push(Mention { instance: instance.0, kind, region });
        self.body.mentions.len() as u32 - 1
    }

    /// From here on statements may run less often than those before in the same list.
    pub(super) fn begin_frame(&mut self) {
        self.frames.current = self.frames.regions.len();
        self.frames.regions.push(None);
        self.push(Stmt::Count(self.frames.current as u32));
    }
}

/// Replaces the counts of frames by those of their regions; without a region there is none.
pub(super) fn number_regions(statements: &mut Vec<Stmt>, frames: &Frames) {
    for statement in &mut *statements {
        match statement {
            Stmt::If { then, otherwise, .. } => {
                number_regions(then, frames);
                number_regions(otherwise, frames);
            }
            Stmt::Loop { body, .. } | Stmt::Block { body, .. } | Stmt::Call { body, .. } => {
                number_regions(body, frames);
            }
            Stmt::Count(frame) => {
                *frame = frames.regions[*frame as usize].unwrap_or(0);
            }
            _ => {}
        }
    }
    statements.retain(|statement| !matches!(statement, Stmt::Count(0)));
}
