//! How the processors whose Linux is older than asm-generic call its services: other numbers,
//! other flags of `openat`, other error numbers (arch/mips and arch/arm of Linux).

use isac_ir::resource::Syscalls;

use crate::host::errno::Errno;

/// The numbers of one call: those of asm-generic, of o32 and of EABI.
type Numbers = (u64, u64, u64);

const NUMBERS: [Numbers; 13] = [
    (56, 4288, 322),  // openat
    (57, 4006, 6),    // close
    (62, 4140, 140),  // _llseek
    (63, 4003, 3),    // read
    (64, 4004, 4),    // write
    (65, 4145, 145),  // readv
    (66, 4146, 146),  // writev
    (93, 4001, 1),    // exit
    (94, 4246, 248),  // exit_group
    (113, 4263, 263), // clock_gettime
    (214, 4045, 45),  // brk
    (278, 4353, 384), // getrandom
    (403, 4403, 403), // clock_gettime64
];

/// The flags of `openat` that have other bits than asm-generic's: those first.
const FLAGS_OF_O32: [(u64, u64); 4] = [(0o100, 0x100), (0o200, 0x400), (0o1000, 0x200), (0o2000, 0x8)];
const FLAGS_OF_EABI: [(u64, u64); 2] = [(0o200_000, 0x4000), (0o400_000, 0x8000)];

/// The error numbers of o32 that differ from asm-generic's: those first.
const ERRORS_OF_O32: [(Errno, i64); 4] =
    [(Errno::NAMETOOLONG, 78), (Errno::NOSYS, 89), (Errno::LOOP, 90), (Errno::OVERFLOW, 79)];

/// Whose calls they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Convention(pub(super) Syscalls);

impl Convention {
    /// The number that asm-generic gives the call of this number; `None` if nobody answers to it.
    pub(super) fn generic_number(self, number: u64) -> Option<u64> {
        let of = |named: &Numbers| match self.0 {
            Syscalls::Generic => named.0,
            Syscalls::O32 => named.1,
            Syscalls::Eabi => named.2,
        };
        match self.0 {
            Syscalls::Generic => Some(number),
            Syscalls::O32 | Syscalls::Eabi => {
                NUMBERS.iter().find(|named| of(named) == number).map(|named| named.0)
            }
        }
    }

    /// Flags of `openat` as asm-generic has them; a bit that means something else there is cleared.
    pub(super) fn generic_flags(self, flags: u64) -> u64 {
        let table: &[(u64, u64)] = match self.0 {
            Syscalls::Generic => &[],
            Syscalls::O32 => &FLAGS_OF_O32,
            Syscalls::Eabi => &FLAGS_OF_EABI,
        };
        let other = table.iter().fold(flags, |flags, (generic, _)| flags & !generic);
        table.iter().fold(other, |all, (generic, own)| if flags & own == 0 { all } else { all | generic })
    }

    /// What a call that failed returns: `-errno`.
    pub(super) fn result(self, errno: Errno) -> i64 {
        let differs = ERRORS_OF_O32.iter().find(|(generic, _)| *generic == errno);
        match (self.0, differs) {
            (Syscalls::O32, Some((_, own))) => -own,
            _ => errno.result(),
        }
    }
}
