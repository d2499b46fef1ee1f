//! What emitted operations call: faults, host calls, arithmetic with defined corner cases.

use super::machine::{Core, Kernel, Trap};
use crate::host::LinuxResult;

/// A trap with its value.
///
/// # Errors
/// Always: the trap.
#[inline(always)]
pub fn trap<T>(kernel: &mut Kernel, trap: Trap, value: u64) -> Result<T, Trap> {
    kernel.trap_value = value;
    Err(trap)
}

/// An element of a register file, given by its number in the model, as an index.
///
/// # Errors
/// The trap of an element that does not exist.
#[inline(always)]
pub fn register_element(
    kernel: &mut Kernel,
    register: u32,
    index: u128,
    elements: usize,
) -> Result<usize, Trap> {
    match usize::try_from(index) {
        Ok(element) if element < elements => Ok(element),
        _ => {
            kernel.trap_register = register;
            trap(kernel, Trap::RegisterIndex, index as u64)
        }
    }
}

/// A Linux system call; `left` is the budget, the instruction at hand included.
///
/// # Errors
/// The end of the run, if the guest asks for it.
#[inline(never)]
pub fn linux_call<C: Core>(core: &mut C, left: u64, values: [u64; 7]) -> Result<u64, Trap> {
    let [number, arguments @ ..] = values;
    let model = core.model();
    let abi = crate::record::abi(model);
    let map = model.target.host_map.unwrap_or(0) as usize;
    let cycles = core.kernel().cycles_at(left);
    let mut host = std::mem::take(&mut core.kernel().host);
    let result = host.linux_call(core, map, abi, cycles, number, arguments);
    core.kernel().host = host;
    match result {
        LinuxResult::Return(value) => Ok(value as u64),
        LinuxResult::Exit(status) => trap(core.kernel(), Trap::Halt, status as u32 as u64),
    }
}

/// A semihosting call; `left` is the budget, the instruction at hand included.
///
/// # Errors
/// The end of the run, if the guest asks for it.
#[inline(never)]
pub fn semihost<C: Core>(core: &mut C, left: u64, values: [u64; 2]) -> Result<u64, Trap> {
    let model = core.model();
    let abi = crate::record::abi(model);
    let map = model.target.host_map.unwrap_or(0) as usize;
    let cycles = core.kernel().cycles_at(left);
    let mut host = std::mem::take(&mut core.kernel().host);
    let result = host.semihost(core, map, abi, cycles, values[0], values[1]);
    core.kernel().host = host;
    match result {
        LinuxResult::Return(value) => Ok(value as u64),
        LinuxResult::Exit(status) => trap(core.kernel(), Trap::Halt, status as u32 as u64),
    }
}

/// Signed division that wraps, with 0 for a divisor of 0, which the model has asked for before.
pub mod arithmetic {
    macro_rules! signed {
        ($($ty:ident $quotient:ident $remainder:ident,)*) => {$(
            /// The quotient, towards zero.
            #[inline(always)]
            pub fn $quotient(left: $ty, right: $ty) -> $ty {
                if right == 0 { 0 } else { left.wrapping_div(right) }
            }

            /// The remainder, with the dividend's sign.
            #[inline(always)]
            pub fn $remainder(left: $ty, right: $ty) -> $ty {
                if right == 0 { 0 } else { left.wrapping_rem(right) }
            }
        )*};
    }

    signed! {
        i8 signed_quotient8 signed_remainder8,
        i16 signed_quotient16 signed_remainder16,
        i32 signed_quotient32 signed_remainder32,
        i64 signed_quotient64 signed_remainder64,
        i128 signed_quotient128 signed_remainder128,
    }
}
