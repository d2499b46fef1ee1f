//! What happens in a run, as the kernel of a simulator knows it.
//!
//! Instructions overlap, so an event does not say which instruction it belongs to: it belongs to
//! the one that is *current*, and the first five events below are what makes one current. The
//! rules are those of reference counting by queue: see [`crate::EventProfiler`].

use crate::{CacheLines, LostCause, Word};

/// One event. Events are given in the order in which they happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event<'a> {
    /// A cycle begins, before everything that is due in it.
    CycleBegins,
    /// No instruction begins in this cycle. Told before anything runs in it.
    Lost {
        /// ID of the instruction that is the cause. It has been current since the last one began, and
        /// may be over. `None`: operation `reset` is.
        id: Option<u64>,
        /// What it did.
        cause: LostCause,
    },
    /// An instruction was in a stage in this cycle: something of it ran there, or is due, or was until
    /// a retry put it back. Told at the end of the cycle, once for each such stage.
    Occupied {
        /// Index into [`crate::ModelTables::stages`].
        stage: u32,
        /// Whether the stage stood.
        stands: bool,
    },
    /// Operation `main` starts: a new instruction begins and becomes current. The instruction
    /// that was current loses a reference.
    InstructionBegins,
    /// The current instruction enters the queue of an instance and gains a reference.
    Scheduled {
        /// Index into [`crate::ModelTables::instances`].
        instance: u32,
    },
    /// A scheduled operation starts: the first instruction in the instance's queue becomes
    /// current. The instruction that was current loses a reference.
    Starts {
        /// Index into [`crate::ModelTables::instances`].
        instance: u32,
    },
    /// The cycle's last operation is done: the current instruction loses a reference and none
    /// is current any more.
    Ends,
    /// A part of the current instruction's name, appended to the parts before it. After a
    /// [`Event::Decoded`] whose parts are complete a further part begins the name anew: the
    /// instruction is decoded once more. If it then is another one, what it did below the outermost
    /// name does not count.
    NamePart {
        /// A part of a decode path; only the whole name need be balanced.
        text: &'a str,
    },
    /// The current instruction is decoded. Comes once per decoding, either before or after all
    /// of its name parts, with all words of the instruction.
    Decoded {
        /// Address of its first cell.
        address: u64,
        /// All of its words.
        word: &'a Word,
        /// What it occupies in memory, in cells.
        size_cells: u32,
    },
    /// The current instruction cannot be decoded: fetching it is a fault, or no operation has
    /// its word. [`Event::Fault`] follows when that strikes.
    Undecoded {
        /// Address of its first cell.
        address: u64,
    },
    /// The current instruction touches a resource. Outside of any instruction (in `reset`) an
    /// access belongs to none and is not counted.
    Access {
        /// Number, in preorder, of the touching operation's node in the finished name; the
        /// outermost name is 0.
        node: u32,
        /// Index into [`crate::ModelTables::resources`].
        resource: u32,
        /// What is done to it.
        kind: AccessEvent,
    },
    /// An access goes through a cache: how many lines it touches there. Counted whatever becomes
    /// of the instruction, and outside of any instruction too.
    Lines {
        /// Index into [`crate::ModelTables::caches`].
        cache: u32,
        /// Lines that were there, lines that were not, and lines that had to be written back.
        lines: CacheLines,
    },
    /// The model's own `event("name")`. Counted whatever becomes of the instruction.
    ModelEvent {
        /// The name given.
        name: &'a str,
    },
    /// The model's `extra_cycles(n)`.
    ExtraCycles {
        /// How many.
        cycles: u64,
    },
    /// The current instruction is cancelled: counted apart, its accesses are not counted. It
    /// leaves all queues: nothing more of it runs.
    Cancel,
    /// The current instruction is at fault: counted apart, its accesses are not counted. If it
    /// is cancelled too, what came first holds. It leaves all queues.
    Fault,
    /// The current instruction halts the machine: it is complete and leaves all queues.
    Halt,
    /// The run ends in the middle of the current instruction: counted as unfinished, its accesses
    /// are not counted. It leaves all queues.
    Interrupt,
    /// Another instruction is cancelled: counted apart, its accesses are not counted. It leaves
    /// all queues.
    Flushed {
        /// Its ID: instructions count from 1, in the order of beginning.
        id: u64,
    },
    /// An entry leaves an instance's queue without starting: the last one of that instruction,
    /// which loses a reference.
    Withdrawn {
        /// Index into [`crate::ModelTables::instances`].
        instance: u32,
        /// The instruction's ID.
        id: u64,
    },
    /// What stood still is overtaken: an instance's queue has another order from here on.
    Reordered {
        /// Index into [`crate::ModelTables::instances`].
        instance: u32,
        /// The same IDs as before, the first to start first.
        ids: &'a [u64],
    },
    /// Of two instructions, which have ended and are next to each other in the order of beginning when those that were
    /// cancelled or at fault are left out, the second did not stand behind the first. Told where
    /// instructions overlap, in the place of [`Event::Transfer`].
    Jump {
        /// Address of the first.
        from: u64,
        /// Address of the second.
        to: u64,
    },
    /// The current instruction went on at another address. Counted when it ends, if `to` is not
    /// its successor; the last one of an instruction holds.
    Transfer {
        /// Where it went on.
        to: u64,
    },
}

/// What is done to a resource by one access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AccessEvent {
    /// Its value, or an element's, is read.
    Read,
    /// Its value, or an element's, is written.
    Write,
    /// An instruction is fetched from it.
    Execute,
}

/// Whatever takes events.
pub trait EventSink {
    /// Takes the next event.
    fn event(&mut self, event: Event<'_>);
}

/// Nobody listens.
impl EventSink for () {
    fn event(&mut self, _event: Event<'_>) {}
}

impl<S: EventSink + ?Sized> EventSink for &mut S {
    fn event(&mut self, event: Event<'_>) {
        (**self).event(event);
    }
}
