//! Linux system calls by their asm-generic numbers (asm-generic/unistd.h); `convention.rs` knows
//! what other processors call them.

use crate::host::clock::{TimeFormat, time_bytes};
use crate::host::convention::Convention;
use crate::host::errno::Errno;
use crate::host::guest::{CHUNK_BYTES, Guest};
use crate::host::transfer::Direction;
use crate::host::{Host, LinuxResult};

/// A number that no call has.
const UNKNOWN: u64 = u64::MAX;

/// Flags that `getrandom` knows.
const RANDOM_FLAGS: u64 = 7;

impl Host {
    pub(super) fn dispatch(
        &mut self,
        guest: &mut Guest<'_>,
        cycles: u64,
        number: u64,
        arguments: [u64; 6],
    ) -> LinuxResult {
        let [a, b, c, d, e, _] = arguments.map(|argument| guest.abi.word(argument));
        let wide = guest.abi.is_64();
        let convention = Convention(guest.abi.syscalls);
        let result = match convention.generic_number(number).unwrap_or(UNKNOWN) {
            56 => self.open(guest, [a, b, convention.generic_flags(c), d]),
            57 => self.descriptors.close(a).map(|()| 0),
            62 if wide => self.seek(a, b, c).and_then(positive),
            62 => self.seek_wide(guest, [a, b, c, d, e]),
            63 => self.transfer(guest, Direction::Read, a, (b, c)),
            64 => self.transfer(guest, Direction::Write, a, (b, c)),
            65 => self.transfer_vector(guest, Direction::Read, a, (b, c)),
            66 => self.transfer_vector(guest, Direction::Write, a, (b, c)),
            80 => self.status(guest, a, b),
            93 | 94 => return self.exit(a),
            113 => self.time(guest, TimeFormat::Words, [a, b], cycles),
            214 => positive(self.heap.move_break(guest, a)),
            278 => self.fill_random(guest, a, b, c),
            403 if !wide => self.time(guest, TimeFormat::Wide, [a, b], cycles),
            _ => Err(Errno::NOSYS),
        };
        LinuxResult::Return(result.unwrap_or_else(|errno| convention.result(errno)))
    }

    fn exit(&mut self, status: u64) -> LinuxResult {
        // Nobody is left to be told; the launcher looks at the failure itself.
        let _ = self.flush();
        LinuxResult::Exit((status as u32).cast_signed())
    }

    /// `clock_gettime(clock, result)`.
    fn time(
        &self,
        guest: &mut Guest<'_>,
        format: TimeFormat,
        arguments: [u64; 2],
        cycles: u64,
    ) -> Result<i64, Errno> {
        let [clock, result] = arguments;
        let clock = clock & 0xffff_ffff;
        let bytes = time_bytes(guest.abi, format, clock, cycles, self.clock_hz)?;
        guest.write(result, &bytes)?;
        Ok(0)
    }

    /// `getrandom(buffer, length, flags)`, from the seed alone; at most a chunk at a time.
    fn fill_random(
        &mut self,
        guest: &mut Guest<'_>,
        address: u64,
        length: u64,
        flags: u64,
    ) -> Result<i64, Errno> {
        if flags & !RANDOM_FLAGS != 0 {
            return Err(Errno::INVAL);
        }
        let length = usize::try_from(length).map_or(CHUNK_BYTES, |all| all.min(CHUNK_BYTES));
        let mut bytes = vec![0; length];
        let mapped = guest.read_prefix(address, &mut bytes);
        if mapped == 0 && length > 0 {
            return Err(Errno::FAULT);
        }
        self.random.fill(&mut bytes[..mapped]);
        guest.write(address, &bytes[..mapped])?;
        positive(mapped as u64)
    }
}

fn positive(value: u64) -> Result<i64, Errno> {
    i64::try_from(value).map_err(|_| Errno::OVERFLOW)
}
