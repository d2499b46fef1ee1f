//! How much of what takes long a test does: by default a part, so that all tests together are over in minutes.
//! `ISAC_TESTS=all`, as `.ci/run` sets it where the machine is fast enough, asks for everything.

#![allow(dead_code, reason = "every test takes what it needs")]

/// True if tests leave nothing out.
pub(crate) fn is_thorough() -> bool {
    std::env::var_os("ISAC_TESTS").is_some_and(|asked| asked == "all")
}

/// How many of so many random programs a test takes: by default an eighth of them.
pub(crate) fn cases(all: u32) -> u32 {
    if is_thorough() { all } else { all.div_ceil(8) }
}

/// How many of so many programs that are long, or held against another simulator: by default a quarter of them.
pub(crate) fn quarter(all: u64) -> u64 {
    if is_thorough() { all } else { all.div_ceil(4) }
}

/// What a test goes through: by default the first few.
pub(crate) fn first_of<T>(by_default: usize, all: impl IntoIterator<Item = T>) -> impl Iterator<Item = T> {
    all.into_iter().take(if is_thorough() { usize::MAX } else { by_default })
}

/// One of two: by default the second one, which takes less.
pub(crate) fn all_or<T>(all: T, by_default: T) -> T {
    if is_thorough() { all } else { by_default }
}
