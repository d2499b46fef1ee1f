//! What a longer run is told by variables of the environment.

use std::str::FromStr;

/// The number that a variable says, or a default.
///
/// # Panics
/// If the variable is no number.
pub(crate) fn setting<T: FromStr>(name: &str, default: T) -> T {
    match std::env::var(name) {
        Ok(text) => text.parse().unwrap_or_else(|_| panic!("{name} is `{text}`, expected a number")),
        Err(_) => default,
    }
}
