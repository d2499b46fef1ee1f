//! The guest's clock: cycles at a stated frequency, never the host's time.

use crate::host::abi::Abi;
use crate::host::errno::Errno;

/// Layout of the time that `clock_gettime` stores.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TimeFormat {
    /// Two words.
    Words,
    /// Two numbers of 64 bits, whatever the word width.
    Wide,
}

/// Highest clock that Linux and this project both know: CLOCK_BOOTTIME. All read alike.
const LAST_CLOCK: u64 = 7;

const NANOSECONDS: u128 = 1_000_000_000;

/// The bytes of the time `cycles` after the start, at `clock_hz` cycles a second.
pub(crate) fn time_bytes(
    abi: Abi,
    format: TimeFormat,
    clock: u64,
    cycles: u64,
    clock_hz: u64,
) -> Result<Vec<u8>, Errno> {
    if clock > LAST_CLOCK {
        return Err(Errno::INVAL);
    }
    let elapsed = u128::from(cycles) * NANOSECONDS / u128::from(clock_hz.max(1));
    let seconds = u64::try_from(elapsed / NANOSECONDS).map_err(|_| Errno::OVERFLOW)?;
    let nanoseconds = u64::try_from(elapsed % NANOSECONDS).map_err(|_| Errno::OVERFLOW)?;
    let size = match format {
        TimeFormat::Words => abi.word_bytes(),
        TimeFormat::Wide => 8,
    };
    if size == 4 && seconds > i32::MAX as u64 {
        return Err(Errno::OVERFLOW);
    }
    let mut bytes = Vec::new();
    abi.put(&mut bytes, seconds, size);
    abi.put(&mut bytes, nanoseconds, size);
    Ok(bytes)
}
