//! Scenes: cycles whose course is known beforehand.
//!
//! What the kernel has to find out about a cycle depends on little but what is in flight, and the
//! same instructions meet in the pipeline millions of times. So it is found out once: a
//! [`Configuration`] is everything that the kernel keeps from one cycle to the next, a [`Scene`](super::Scene) one
//! way in which the cycle behind it has gone, as a prediction of how it will go. As long as every
//! turn does what the scene says, the kernel finds, counts and moves nothing; where one does not, the
//! cycle goes on in another scene that agrees so far. (E. Schnarr, J. R. Larus: *Fast Out-Of-Order
//! Processor Simulation Using Memoization*, ASPLOS 1998, memoise a pipeline in this manner.)
//!
//! What instructions compute is no part of a scene: bodies run in every cycle.

use std::rc::Rc;
use std::sync::Arc;

use isac_ir::automaton::{Event, Fate};
use isac_ir::time::StageId;
use smallvec::SmallVec;

use super::outcomes::{AllTurned, Turned};

/// No scene, record or number: not asked for yet.
pub(super) const UNKNOWN: u32 = u32::MAX;

/// What the kernel keeps from one cycle to the next.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub(super) struct Configuration {
    /// The state of the timing automaton.
    pub state: u32,
    /// The instructions in flight, by rank.
    pub actors: SmallVec<[Actor; 6]>,
    /// With a profile alone: instructions that have ended before something older, in the order of
    /// the program: the number of those in flight that are older, and the record.
    pub early: Vec<(u32, u32)>,
    /// With a profile alone: the record of the last instruction before all these.
    pub last: u32,
    /// With a profile alone: what has given the stages' counters their values, by number of the stage.
    pub stalls: Vec<(u32, Holder)>,
    /// With a profile alone: by rank and place, the retry that has put back what is due there.
    pub held: Vec<(u32, u32, Holder)>,
}

/// An instruction in flight.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Actor {
    /// What is known of it.
    pub record: u32,
    /// Counters that have counted.
    pub counted: u128,
    /// Those of them that have counted twice; what counts more often is noted.
    pub again: u128,
    /// The cause of the first cycle lost for it until it is decoded once and for all, by number; further
    /// ones are noted, and what is lost then is counted at once.
    pub lost: Option<u32>,
}

impl Actor {
    pub(super) fn new(record: u32) -> Actor {
        Actor { record, counted: 0, again: 0, lost: None }
    }

    /// Counters have counted in a turn; those that had counted twice before.
    pub(super) fn count(&mut self, counted: u128) -> u128 {
        let twice = self.counted & counted;
        let more = self.again & twice;
        self.counted |= counted;
        self.again |= twice;
        more
    }
}

/// Who keeps the next instruction from beginning, and by which cause.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Holder {
    pub whose: Whose,
    /// The number of the cause.
    pub cause: u32,
}

/// Whose cycles they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Whose {
    /// An instruction in flight, by rank.
    InFlight(u32),
    /// One that was decoded: it is over, or nothing will decode it again.
    Record(u32),
    /// One that was not; the address is known of what could not be.
    Undecoded(Option<u64>),
}

/// How a turn ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum End {
    Done,
    Over(Fate),
    /// It runs again; the operation that has asked for it.
    Retried(u32),
    Doomed,
}

/// What a turn did to the pipeline in its middle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Act {
    Flush(StageId),
    /// With a profile alone: a stage, by number, stands because of a cause, by number.
    Stall(u32, u32),
}

/// Something was done, perhaps again: it is kept once, where it was done last, as the cause that stalled a stage
/// last is the one that counts.
pub(super) fn push_last<T: PartialEq>(done: &mut Vec<T>, act: T) {
    done.retain(|known| *known != act);
    done.push(act);
}

/// What flushed, as the automaton is told.
pub(super) fn flushes(acts: &[Act]) -> impl Iterator<Item = Event> {
    acts.iter().filter_map(|act| match act {
        Act::Flush(stage) => Some(Event::Flush(*stage)),
        Act::Stall(..) => None,
    })
}

/// How a cycle begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Begin {
    /// The last stage of each pipeline that stands, a bit for each by number.
    pub stands: u64,
    /// The program counter, if an instruction begins.
    pub pc: Option<u64>,
}

/// What another scene differs in, where it begins to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Told {
    Begin(Begin),
    /// A turn.
    Turn(Turned),
    /// With a profile alone: what the turns at grouped positions before one have counted, and the stages that they
    /// have stalled, each with the position of the turn.
    Counted(u32, u128, Vec<(u32, Act)>),
}

/// A turn of a scene.
#[derive(Debug, Clone, Copy)]
pub(super) struct Part {
    pub position: u32,
    pub rank: u32,
    /// Stages with an instruction in them, a bit for each by number.
    pub busy: u64,
    /// False if nothing runs in it.
    pub has_turn: bool,
}

/// The position of a turn that runs again, and what it puts back into the first stage: place and
/// rank.
pub(super) type PutBack = (u32, Vec<(u32, u32)>);

/// What is looked at where a scene is found or left.
#[derive(Debug, Clone)]
pub(super) struct Plot {
    /// The configuration behind which it is.
    pub configuration: u32,
    pub begin: Option<Begin>,
    /// The record of the instruction that begins.
    pub begun: u32,
    pub course: u32,
    /// In their order, as far as they are known or predicted: nothing is known of those behind.
    pub turned: AllTurned,
    pub put_back: Vec<PutBack>,
    /// Some of the other scenes that agree up to where this is told; the one that was asked for last comes first.
    pub elsewhere: Vec<(Told, u32)>,
    /// None if it is not complete, or adds nothing.
    pub effect: Option<Rc<Effect>>,
}

impl Plot {
    pub(super) fn new(configuration: u32) -> Plot {
        Plot {
            configuration,
            begin: None,
            begun: 0,
            course: 0,
            turned: AllTurned::new(),
            put_back: Vec::new(),
            elsewhere: Vec::new(),
            effect: None,
        }
    }
}

/// An instruction that is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Ended {
    /// The rank that it had.
    pub rank: u32,
    /// The turn of the course behind which it is over.
    pub turn: u32,
    pub actor: Actor,
    pub fate: Fate,
}

/// What a whole cycle adds to what is counted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Effect {
    /// The instructions that are over, in that order.
    pub ends: SmallVec<[Ended; 1]>,
    /// Jumps of the program, from record to record.
    pub jumps: Vec<(u32, u32)>,
    /// A cycle lost for what is over or decoded once and for all, with the number of its cause.
    pub charges: Vec<(Whose, u32)>,
    /// Counters of instructions, by rank, that have counted once more.
    pub again: Vec<(u32, u128)>,
    /// A cycle lost for an instruction in flight, by rank, with the number of its cause.
    pub lost: Option<(u32, u32)>,
    /// Who pays for the cycle, if it is lost: told of in `charges`, in `lost` or by an instruction in flight.
    pub payer: Option<Whose>,
}

/// A configuration, and the scenes of the cycle behind it.
#[derive(Debug, Clone)]
pub(super) struct Known {
    pub configuration: Arc<Configuration>,
    /// The instructions that are decoded once and for all, a bit for each rank below 64.
    pub settled: u64,
    /// Its scene that was last.
    pub latest: u32,
}
