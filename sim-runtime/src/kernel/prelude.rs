//! What the files of an emitted simulator use.

pub use isac_ir::behavior::{Conversion, PrintFormat};
pub use isac_ir::bits::Bits;

pub use super::{
    BlockCore, CellRam, Code, Core, Decoded, Kernel, Profiling, Record, Step, Trap, arithmetic, finish,
    leave_code_written, leave_empty, leave_mismatch, leave_trap, linux_call, next, register_element,
    semihost, trap,
};
pub use crate::device::Devices;
pub use crate::fault::FaultKind;
pub use crate::memory::find_device;
pub use crate::print::print_value;
