//! The kernel of generated cycle-accurate simulators: turns in a fixed order, and the timing
//! automaton to tell which of them run.
//!
//! The generated core has one piece of code for each [place](isac_ir::schedule), in an order in
//! which every cycle has its turns. What a cycle runs, and of which instruction, is a
//! [course](isac_ir::automaton::Course). Which course it will be, whose turns they are and what is in
//! flight behind it is predicted: see `scene.rs`, and `prediction.rs` for what every cycle looks at.

mod calls;
mod core;
mod decoding;
mod ending;
mod engine;
mod flight;
mod follow;
mod hold;
mod lines;
mod making;
mod mask;
mod measure;
mod note;
mod outcomes;
mod prediction;
pub mod prelude;
mod record;
mod scene;
mod told;
mod totals;
mod turn;

pub use self::core::{Decoded, TimedCore, TurnFn};
pub use engine::TimedEngine;
pub use flight::Flight;
pub use mask::Mask;
pub use prediction::{Scene, Slot, Slots, UNUSUAL};
pub use turn::{Turn, TurnEnd, nothing};

use std::sync::atomic::{Ordering, compiler_fence};

use crate::fault::FaultKind;
use crate::kernel::{Core, Profiling, Trap, trap};
use crate::memory::fetch_cells;

/// Fetches a word that may lie on both sides of where addresses wrap.
///
/// # Errors
/// The trap of a cell that cannot be fetched.
#[cold]
#[inline(never)]
pub fn fetch_word<C: Core, P: Profiling>(
    core: &mut C,
    map: u32,
    address: u64,
    bits: u32,
) -> Result<u64, Trap> {
    let model = core.model();
    match fetch_cells(model, core, map, address, 0, bits) {
        Ok(word) => {
            core.pay_fetch::<P>(map, address, bits / model.maps[map as usize].cell_bits);
            Ok(word.to_u128() as u64)
        }
        Err(FaultKind::Memory { address, .. }) => trap(core.kernel(), Trap::Fetch, address),
        Err(_) => trap(core.kernel(), Trap::Fetch, address),
    }
}

/// Keeps a condition a branch: does nothing, but no compiler that is known runs what stands behind it unless the
/// condition holds, or makes one jump of it and of others. Nothing depends on that but time.
#[inline(always)]
pub fn keep_branch() {
    compiler_fence(Ordering::SeqCst);
}

/// The operands of a record are not those of its turn.
///
/// # Panics
/// Always: it is a bug of the generator.
#[cold]
#[inline(never)]
pub fn mismatch(instruction: &str) -> ! {
    panic!("the operands at hand do not belong to the turns of {instruction}");
}
