//! Frames that compiled code puts on and takes off by itself.
//!
//! A call that the recorder of calls has taken before, from the same stack, changes nothing but the top of the
//! stack: compiled code puts a *frame* on, and the return that the frame waits for takes it off. What was spent
//! in between is added to the call's *record*. These frames stand on top of the recorder's. Whenever compiled
//! code has come back they are the recorder's again ([`Frames::settle`]); what returned without it is taken
//! from the records where somebody asks ([`Frames::drain`]).

use std::collections::HashMap;

use sim_profile::Spending;
use sim_runtime::record::{CallRecorder, PreparedCall};

use crate::arena::Arena;
use crate::codegen::{Entries, Room};
use crate::core::Core;
use crate::layout;

/// Most frames.
const MOST_FRAMES: u32 = 4096;
/// Most records.
const MOST_RECORDS: usize = 1 << 16;

/// Bytes of a frame.
pub(crate) const FRAME_BYTES: u32 = 24;
/// In a frame: the budget when it was put on,
pub(crate) const FRAME_FUEL: i32 = 0;
/// the record of its call,
pub(crate) const FRAME_RECORD: i32 = 8;
/// the extra cycles until then.
pub(crate) const FRAME_EXTRA: i32 = 16;

/// Bytes of a record.
const RECORD_BYTES: u32 = 72;
/// In a record: where its frames return to,
pub(crate) const RECORD_RETURNS: i32 = 0;
/// how many did from anywhere but the site below,
pub(crate) const RECORD_TIMES: i32 = 8;
/// the instructions
pub(crate) const RECORD_INSTRUCTIONS: i32 = 16;
/// and extra cycles that they took,
pub(crate) const RECORD_EXTRA: i32 = 24;
/// what stands on top of the stack below them,
pub(crate) const RECORD_BELOW: i32 = 32;
/// its number,
const RECORD_NUMBER: i32 = 40;
/// the tag of a site that has returned to it by the table of jumps, the first one, 0 as long as none has
/// ([`Entries::tag`]): it is of a region for certain timers, and so is what follows,
pub(crate) const RECORD_SITE: i32 = 48;
/// the code that follows,
pub(crate) const RECORD_CODE: i32 = 56;
/// and how many have returned from there.
pub(crate) const RECORD_HERE: i32 = 64;

/// From how many stacks a link may be prepared to call, by the last bits of what stands on top: a power of
/// two.
pub(crate) const STACKS: u32 = 4;
/// Bytes for each of them, a power of two.
pub(crate) const STACK_BYTES: u32 = 32;
/// There: what stands on top,
pub(crate) const STACK_FROM: i32 = 0;
/// the record,
pub(crate) const STACK_RECORD: i32 = 8;
/// and what stands on top behind the call.
pub(crate) const STACK_TO: i32 = 16;

/// On top of a stack from which nothing is prepared.
const NO_TOP: u64 = u64::MAX;

/// What compiled code has to know of frames.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FramesAround {
    /// Behind the last frame that may be put on.
    pub(crate) end: u32,
    /// The address of what all returns have in common.
    pub(crate) return_code: u64,
    /// The model has extra cycles, which frames tell then.
    pub(crate) adds_cycles: bool,
}

/// Frames and records in the shared memory.
pub(crate) struct Frames {
    /// Where the first frame stands; before it is one that nothing returns to.
    bottom: u32,
    around: FramesAround,
    /// By number, where each stands.
    records: Vec<(u32, PreparedCall)>,
    numbers: HashMap<PreparedCall, u32>,
    /// For further records.
    room: Room,
}

impl Frames {
    /// None yet, for code where all returns have in common what stands at an address of the host.
    pub(crate) fn new(arena: &Arena, room: &mut Room, return_code: u64, adds_cycles: bool) -> Frames {
        let none = room.take_bytes(RECORD_BYTES);
        let before = room.take_bytes(FRAME_BYTES * (MOST_FRAMES + 1));
        arena.clear(none.into(), RECORD_BYTES.into());
        set(arena, none, RECORD_RETURNS, u64::MAX);
        set(arena, before, FRAME_RECORD, none.into());
        let bottom = before + FRAME_BYTES;
        let record_bytes = MOST_RECORDS as u32 * RECORD_BYTES;
        let records = Room::new(room.take_bytes(record_bytes), record_bytes);
        let around = FramesAround { end: bottom + FRAME_BYTES * MOST_FRAMES, return_code, adds_cycles };
        Frames { bottom, around, records: Vec::new(), numbers: HashMap::new(), room: records }
    }

    /// What compiled code has to know of them.
    pub(crate) fn around(&self) -> FramesAround {
        self.around
    }

    /// Compiled code is about to be entered.
    pub(crate) fn enter(&self, core: &Core<'_>, recorder: &CallRecorder) {
        let arena = &core.state.arena;
        let top = recorder.top(MOST_FRAMES as usize).map_or(NO_TOP, |top| top.number() + 1);
        arena.set_word(layout::FRAMES as u64, self.bottom.into());
        arena.set_word(layout::TOP as u64, top);
    }

    /// Compiled code has come back: its frames become the recorder's.
    pub(crate) fn settle(&self, core: &Core<'_>, recorder: &mut CallRecorder) {
        let arena = &core.state.arena;
        let end = arena.word(layout::FRAMES as u64) as u32;
        let mut frame = self.bottom;
        while frame < end {
            let record = get(arena, frame, FRAME_RECORD) as u32;
            let taken = core.allowed.wrapping_sub(get(arena, frame, FRAME_FUEL));
            let since = Spending {
                instructions: core.instructions.wrapping_add(taken),
                cycles: core.plain_cycles(taken).saturating_add(get(arena, frame, FRAME_EXTRA)),
            };
            let (_, call) = &self.records[get(arena, record, RECORD_NUMBER) as usize];
            recorder.put_on(call, since);
            frame += FRAME_BYTES;
        }
        arena.set_word(layout::FRAMES as u64, self.bottom.into());
    }

    /// A call was made from a link: compiled code may make it by itself from now on, as long as there is room.
    pub(crate) fn prepare(&mut self, arena: &Arena, link: u32, call: PreparedCall) {
        let next = self.records.len() as u32;
        let number = match self.numbers.get(&call) {
            Some(number) => *number,
            None if self.records.len() < MOST_RECORDS && call.return_address != u64::MAX => {
                let record = self.room.take_bytes(RECORD_BYTES);
                arena.clear(record.into(), RECORD_BYTES.into());
                set(arena, record, RECORD_RETURNS, call.return_address);
                set(arena, record, RECORD_BELOW, call.from().number() + 1);
                set(arena, record, RECORD_NUMBER, next.into());
                self.records.push((record, call));
                self.numbers.insert(call, next);
                next
            }
            None => return,
        };
        let (from, to) = (call.from().number() + 1, call.to().number() + 1);
        let stack = link + (from as u32 & (STACKS - 1)) * STACK_BYTES;
        set(arena, stack, STACK_RECORD, self.records[number as usize].0.into());
        set(arena, stack, STACK_TO, to);
        set(arena, stack, STACK_FROM, from);
    }

    /// Returns from the site that a record knows are counted there and nowhere else: gives each site's number, where
    /// it has returned to, and how often. They count as all others from now on.
    pub(crate) fn take_returns(&self, arena: &Arena) -> Vec<((u64, u64), u64)> {
        let take = |(record, call): &(u32, PreparedCall)| {
            let site = Entries::site_of(get(arena, *record, RECORD_SITE))?;
            let here = get(arena, *record, RECORD_HERE);
            set(arena, *record, RECORD_TIMES, get(arena, *record, RECORD_TIMES) + here);
            set(arena, *record, RECORD_HERE, 0);
            Some(((site, call.return_address), here))
        };
        self.records.iter().filter_map(take).collect()
    }

    /// Tells a recorder what has returned without it.
    pub(crate) fn tell(&self, arena: &Arena, recorder: &mut CallRecorder) {
        for (record, call) in &self.records {
            let instructions = get(arena, *record, RECORD_INSTRUCTIONS);
            let cycles = instructions.wrapping_add(get(arena, *record, RECORD_EXTRA));
            let times = get(arena, *record, RECORD_TIMES) + get(arena, *record, RECORD_HERE);
            recorder.add_returned(call, times, Spending { instructions, cycles });
        }
    }

    /// The same where it is not to be told again.
    pub(crate) fn drain(&self, arena: &Arena, recorder: &mut CallRecorder) {
        self.tell(arena, recorder);
        for (record, _) in &self.records {
            for field in [RECORD_TIMES, RECORD_HERE, RECORD_INSTRUCTIONS, RECORD_EXTRA] {
                set(arena, *record, field, 0);
            }
        }
    }
}

fn get(arena: &Arena, place: u32, field: i32) -> u64 {
    arena.word(u64::from(place) + field as u64)
}

fn set(arena: &Arena, place: u32, field: i32, value: u64) {
    arena.set_word(u64::from(place) + field as u64, value);
}
