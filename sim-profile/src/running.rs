//! The table of running instructions: which are in flight, where each is queued, which is
//! current, and when each ends.
//!
//! An instruction ends when it is in no queue and the operation that carries it is done. Nobody
//! knows which operation will be the last, so references are counted: one for being current and
//! one for every queue entry. Entering a queue adds one, being taken from a queue and made
//! current keeps the number, another instruction becoming current takes one away.

use std::collections::{BTreeMap, VecDeque};
use std::fmt;

use crate::{Accesses, CacheLines, InstructionKey, InvalidOverhead, Overhead};

/// What became of an instruction, if it did not simply run to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    Cancelled,
    Faulted,
    /// The run was over first.
    Unfinished,
}

/// What an instruction was decoded as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Decoding {
    Known { key: InstructionKey, size_cells: u32 },
    Impossible { address: u64 },
}

/// What is known of one instruction in flight.
#[derive(Clone, Debug, Default)]
pub(crate) struct Running {
    pub(crate) id: u64,
    references: u64,
    pub(crate) name: String,
    /// The next name part begins the name anew.
    pub(crate) name_complete: bool,
    pub(crate) decoding: Option<Decoding>,
    pub(crate) accesses: BTreeMap<(u32, u32), Accesses>,
    /// By cache.
    pub(crate) lines: BTreeMap<u32, CacheLines>,
    pub(crate) overhead: Overhead,
    pub(crate) fate: Option<Fate>,
    pub(crate) transfer: Option<u64>,
}

impl Decoding {
    /// Where the instruction stands.
    pub(crate) fn address(self) -> u64 {
        match self {
            Decoding::Known { key, .. } => key.address,
            Decoding::Impossible { address } => address,
        }
    }
}

impl Running {
    /// Where it stands; `None` as long as nothing has told.
    pub(crate) fn address(&self) -> Option<u64> {
        self.decoding.map(Decoding::address)
    }

    /// Entries in queues, and one for being current.
    pub(crate) fn references(&self) -> u64 {
        self.references
    }
}

/// Instructions in flight by ID (from 1, in the order of their beginning), one queue of IDs per
/// instance, and the current ID.
#[derive(Clone, Debug)]
pub(crate) struct RunningTable {
    running: BTreeMap<u64, Running>,
    queues: Vec<VecDeque<u64>>,
    current: Option<u64>,
    begun: u64,
}

impl RunningTable {
    pub(crate) fn new(instances: usize) -> RunningTable {
        RunningTable {
            running: BTreeMap::new(),
            queues: vec![VecDeque::new(); instances],
            current: None,
            begun: 0,
        }
    }

    /// A new instruction begins and becomes current; returns the one that ended by that.
    pub(crate) fn begin(&mut self) -> Option<Running> {
        let ended = self.release_current();
        self.begun += 1;
        let running = Running { id: self.begun, references: 1, ..Running::default() };
        self.running.insert(self.begun, running);
        self.current = Some(self.begun);
        ended
    }

    /// The current instruction enters a queue.
    pub(crate) fn schedule(&mut self, instance: u32) -> Result<(), Misplaced> {
        let id = self.current.ok_or(Misplaced::NoCurrent)?;
        self.queue_mut(instance)?.push_back(id);
        if let Some(running) = self.running.get_mut(&id) {
            running.references += 1;
        }
        Ok(())
    }

    /// The first of a queue becomes current; returns the one that ended by that.
    pub(crate) fn start(&mut self, instance: u32) -> Result<Option<Running>, Misplaced> {
        let queue = self.queue_mut(instance)?;
        let id = queue.pop_front().ok_or(Misplaced::EmptyQueue { instance })?;
        let ended = self.release_current();
        self.current = Some(id);
        Ok(ended)
    }

    /// No instruction is current any more; returns the one that ended by that.
    pub(crate) fn end(&mut self) -> Result<Option<Running>, Misplaced> {
        match self.current {
            Some(_) => Ok(self.release_current()),
            None => Err(Misplaced::NoCurrent),
        }
    }

    /// Nothing more of the current instruction runs: it leaves all queues.
    pub(crate) fn withdraw_current(&mut self) -> Result<(), Misplaced> {
        let id = self.current.ok_or(Misplaced::NoCurrent)?;
        let mut left = 0;
        for queue in &mut self.queues {
            let before = queue.len();
            queue.retain(|queued| *queued != id);
            left += (before - queue.len()) as u64;
        }
        self.current_mut()?.references -= left;
        Ok(())
    }

    /// An instruction leaves all queues; returns it if it ended by that.
    pub(crate) fn flush(&mut self, id: u64, fate: Fate) -> Result<Option<Running>, Misplaced> {
        let running = self.running.get_mut(&id).ok_or(Misplaced::UnknownInstruction { id })?;
        running.fate.get_or_insert(fate);
        for queue in &mut self.queues {
            let before = queue.len();
            queue.retain(|queued| *queued != id);
            running.references -= (before - queue.len()) as u64;
        }
        Ok(self.remove_ended(id))
    }

    /// The last entry of an instruction leaves a queue; returns the instruction if it ended.
    pub(crate) fn withdraw(&mut self, instance: u32, id: u64) -> Result<Option<Running>, Misplaced> {
        let queue = self.queue_mut(instance)?;
        let last = queue.iter().rposition(|queued| *queued == id);
        queue.remove(last.ok_or(Misplaced::UnknownInstruction { id })?);
        if let Some(running) = self.running.get_mut(&id) {
            running.references -= 1;
        }
        Ok(self.remove_ended(id))
    }

    /// A queue has another order from here on.
    pub(crate) fn reorder(&mut self, instance: u32, ids: &[u64]) -> Result<(), Misplaced> {
        let queue = self.queue_mut(instance)?;
        let mut before: Vec<u64> = queue.iter().copied().collect();
        let mut after = ids.to_vec();
        before.sort_unstable();
        after.sort_unstable();
        if before != after {
            return Err(Misplaced::OtherQueue { instance });
        }
        *queue = ids.iter().copied().collect();
        Ok(())
    }

    /// The current instruction.
    pub(crate) fn current_mut(&mut self) -> Result<&mut Running, Misplaced> {
        let id = self.current.ok_or(Misplaced::NoCurrent)?;
        self.running.get_mut(&id).ok_or(Misplaced::NoCurrent)
    }

    /// An instruction in flight.
    pub(crate) fn get_mut(&mut self, id: u64) -> Option<&mut Running> {
        self.running.get_mut(&id)
    }

    pub(crate) fn current(&self) -> Option<u64> {
        self.current
    }

    pub(crate) fn queues(&self) -> &[VecDeque<u64>] {
        &self.queues
    }

    pub(crate) fn references(&self, id: u64) -> u64 {
        self.running.get(&id).map_or(0, |running| running.references)
    }

    /// Everything still in flight, by ID.
    pub(crate) fn into_running(self) -> BTreeMap<u64, Running> {
        self.running
    }

    fn queue_mut(&mut self, instance: u32) -> Result<&mut VecDeque<u64>, Misplaced> {
        usize::try_from(instance)
            .ok()
            .and_then(|index| self.queues.get_mut(index))
            .ok_or(Misplaced::UnknownInstance { instance })
    }

    fn release_current(&mut self) -> Option<Running> {
        let id = self.current.take()?;
        self.running.get_mut(&id)?.references -= 1;
        self.remove_ended(id)
    }

    fn remove_ended(&mut self, id: u64) -> Option<Running> {
        if self.running.get(&id)?.references == 0 { self.running.remove(&id) } else { None }
    }
}

/// An event that cannot happen where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Misplaced {
    /// It concerns the current instruction, but none is current.
    NoCurrent,
    /// An operation starts whose queue is empty: it was never scheduled.
    EmptyQueue {
        /// The instance's number.
        instance: u32,
    },
    /// The model has no instance of that number.
    UnknownInstance {
        /// The number.
        instance: u32,
    },
    /// No instruction in flight, or in that queue, has this ID.
    UnknownInstruction {
        /// The ID.
        id: u64,
    },
    /// A queue's new order has other IDs than the queue.
    OtherQueue {
        /// The instance's number.
        instance: u32,
    },
    /// The model has no resource of that number.
    UnknownResource {
        /// The number.
        resource: u32,
    },
    /// The model has no cache of that number.
    UnknownCache {
        /// The number.
        cache: u32,
    },
    /// A cycle is lost, or a stage occupied, of what the model does not have.
    Overhead(InvalidOverhead),
    /// An instruction ended whose name is no decode path.
    Name(crate::PathError),
    /// An instruction ended that accessed a resource in a node that its name does not have.
    UnknownNode {
        /// The node's number.
        node: u32,
    },
    /// One address and word ended under two names or sizes.
    Renamed(InstructionKey),
    /// An instruction ended at fault of which not even the address was told.
    FaultWithoutAddress,
}

impl fmt::Display for Misplaced {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Misplaced::NoCurrent => {
                write!(f, "no instruction is current; expected one to begin or start before")
            }
            Misplaced::EmptyQueue { instance } => write!(
                f,
                "instance {instance} starts but its queue is empty; expected it to be scheduled \
                 before"
            ),
            Misplaced::UnknownInstance { instance } => {
                write!(f, "the model has no instance {instance}")
            }
            Misplaced::UnknownInstruction { id } => write!(f, "instruction {id} is not there"),
            Misplaced::OtherQueue { instance } => {
                write!(f, "the new order of instance {instance}'s queue has other instructions in it")
            }
            Misplaced::UnknownResource { resource } => {
                write!(f, "the model has no resource {resource}")
            }
            Misplaced::UnknownCache { cache } => write!(f, "the model has no cache {cache}"),
            Misplaced::Overhead(invalid) => write!(f, "{invalid}"),
            Misplaced::Name(error) => write!(f, "an instruction ended with a bad name: {error}"),
            Misplaced::UnknownNode { node } => {
                write!(f, "an instruction ended with an access in node {node}, which its name lacks")
            }
            Misplaced::Renamed(InstructionKey { address, word }) => write!(
                f,
                "the instruction {word} at {address:#x} ended with another name or size than before"
            ),
            Misplaced::FaultWithoutAddress => {
                write!(f, "an instruction ended at fault before its address was told")
            }
        }
    }
}

impl std::error::Error for Misplaced {}
