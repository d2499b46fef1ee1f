//! What the files of a cycle-accurate simulator use.

pub use isac_ir::behavior::{Conversion, PrintFormat};
pub use isac_ir::bits::Bits;

pub use super::{
    Decoded, Flight, Scene, Slot, TimedCore, Turn, TurnEnd, TurnFn, UNUSUAL, fetch_word, keep_branch,
    mismatch, nothing,
};
pub use crate::cache::Cache;
pub use crate::device::Devices;
pub use crate::fault::FaultKind;
pub use crate::kernel::{
    CellRam, Core, Kernel, Profiling, Trap, arithmetic, linux_call, register_element, semihost, trap,
};
pub use crate::memory::find_device;
pub use crate::print::print_value;
