//! Where everything lies that compiled code reaches: one piece of memory, by offsets from its
//! beginning, which a host register holds.

use isac_ir::Model;
use isac_ir::resource::{Ram, Register};

/// What may still be executed, less what the way at hand has begun without having told yet.
pub(crate) const FUEL: i32 = 0;
/// Why compiled code came back, an [`crate::engine::Exit`].
pub(crate) const EXIT: i32 = 8;
/// The site or link that it came back from; of returns, already for the code that they have in common.
pub(crate) const SITE: i32 = 16;
/// Low and high half of what helpers are given and give; of returns, the address behind them.
pub(crate) const VALUE: i32 = 24;
/// Where samples are taken, what may be executed stands below this bit of [`FUEL`], and the checks up to
/// the next turn from it on: an edge takes off both in one.
pub(crate) const CHECK_SHIFT: u32 = 30;
/// Turns of loops.
pub(crate) const TURNS: i32 = 40;
/// Turns of loops within instructions since compiled code was entered.
pub(crate) const LOOP_TURNS: i32 = 104;
/// Where the engine's core is, for helpers.
pub(crate) const CORE: i32 = 48;
/// Behind the last frame that compiled code has put on; [`crate::frames`] has more of it.
pub(crate) const FRAMES: i32 = 56;
/// What stands on top of the stack of calls.
pub(crate) const TOP: i32 = 64;
/// Extra cycles so far.
pub(crate) const EXTRA: i32 = 72;
/// Where extra cycles are so many that the time of a timer may have come: behind that instruction compiled
/// code comes back.
pub(crate) const EXTRA_END: i32 = 96;
/// 1 if the instruction that has just run was struck, and where it would have gone on.
pub(crate) const STRUCK: i32 = 80;
/// See [`STRUCK`].
pub(crate) const STRUCK_NEXT: i32 = 88;
/// Where compiled code is entered again for a computed address.
pub(crate) const JUMPS: i32 = 128;
/// The same for code that goes from one check to the next: a table of its own, behind the other.
pub(crate) const STRETCH_JUMPS: i32 = JUMPS + (JUMP_ENTRIES * JUMP_BYTES) as i32;
/// Number of entries there, a power of two.
pub(crate) const JUMP_ENTRIES: u32 = 1 << 14;
/// Bytes of an entry: address, site, code, count.
pub(crate) const JUMP_BYTES: u32 = 32;
/// Cells of a granule of memory in which code is looked for together, as a power of two.
pub(crate) const GRANULE_SHIFT: u32 = 6;
/// So many cells before one that holds code are marked, too: a stretch of that length is looked at
/// by its first cell alone.
pub(crate) const MARKED_BEFORE: u32 = 128;
/// Room for counters and links, in bytes.
pub(crate) const COUNTER_BYTES: u32 = 64 << 20;
/// Largest piece: offsets are signed numbers of 32 bits, and a range may begin at any address.
const LARGEST: u64 = 1 << 30;

/// A register file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RegisterPlace {
    /// Of element 0.
    pub offset: u32,
    /// Bytes of an element: 8, 16 or 32.
    pub stride: u32,
}

/// A memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RamPlace {
    /// Of cell 0.
    pub offset: u32,
    /// Bytes of a cell, a power of two.
    pub cell_bytes: u32,
    /// Number of cells.
    pub cells: u64,
    /// A byte for each granule that is not 0 if code was decoded from it.
    pub granules: u32,
}

/// Where everything lies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Layout {
    /// By index.
    pub registers: Vec<RegisterPlace>,
    /// By index.
    pub rams: Vec<RamPlace>,
    /// Counters and links.
    pub counters: u32,
    /// All of it.
    pub bytes: u64,
}

impl Layout {
    /// Lays a model out; `None` if it is too large.
    pub(crate) fn new(model: &Model) -> Option<Layout> {
        let mut next = u64::from(STRETCH_JUMPS as u32 + JUMP_ENTRIES * JUMP_BYTES);
        let mut take = |bytes: u64| {
            let offset = next.next_multiple_of(64);
            next = offset.checked_add(bytes)?;
            u32::try_from(offset).ok()
        };
        let place = |register: &Register| {
            let stride = register_stride(register.width_bits);
            (stride, u64::from(stride) * u64::from(register.elements()))
        };
        let mut registers = Vec::new();
        for register in &model.registers {
            let (stride, bytes) = place(register);
            registers.push(RegisterPlace { offset: take(bytes)?, stride });
        }
        let counters = take(COUNTER_BYTES.into())?;
        let mut rams = Vec::new();
        for ram in &model.rams {
            let cell_bytes = cell_bytes(ram);
            let granules = take((ram.size_cells >> GRANULE_SHIFT) + 2)?;
            let bytes = ram.size_cells.checked_mul(cell_bytes.into()).filter(|bytes| *bytes < LARGEST)?;
            // An access of up to 32 bytes is checked by its first cell.
            rams.push(RamPlace { offset: take(bytes + 64)?, cell_bytes, cells: ram.size_cells, granules });
        }
        let bytes = u64::from(take(64)?) + 64;
        (bytes < LARGEST).then_some(Layout { registers, rams, counters, bytes })
    }
}

/// Bytes of a register's element.
fn register_stride(width_bits: u32) -> u32 {
    match width_bits {
        ..=64 => 8,
        65..=128 => 16,
        _ => 32,
    }
}

/// Bytes of a memory's cell.
fn cell_bytes(ram: &Ram) -> u32 {
    ram.cell_bits.div_ceil(8).next_power_of_two()
}
