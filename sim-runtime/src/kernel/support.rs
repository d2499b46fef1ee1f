//! What emitted operations call: faults, host calls, arithmetic with defined corner cases.

use super::machine::{Core, Trap};
use crate::fault::{AccessKind, FaultKind};
use crate::host::LinuxResult;

/// The instruction is illegal.
#[cold]
#[inline(never)]
pub fn illegal() -> Trap {
    Trap::Fault(FaultKind::IllegalInstruction)
}

/// A division by zero.
#[cold]
#[inline(never)]
pub fn division_by_zero() -> Trap {
    Trap::Fault(FaultKind::DivisionByZero)
}

/// No range allows the access.
#[cold]
#[inline(never)]
pub fn memory_fault(access: AccessKind, address: u64) -> Trap {
    Trap::Fault(FaultKind::Memory { access, address })
}

/// An element of a register file as an index.
///
/// # Errors
/// The fault of an element that does not exist.
#[inline]
pub fn register_element(index: u128, elements: usize) -> Result<usize, Trap> {
    match usize::try_from(index) {
        Ok(element) if element < elements => Ok(element),
        _ => Err(Trap::Fault(FaultKind::RegisterIndex { index: index as u64 })),
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
        LinuxResult::Exit(status) => Err(Trap::Halt(status)),
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
