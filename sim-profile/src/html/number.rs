//! Counts as a script can read them.

use serde::{Serialize, Serializer};

/// The greatest number up to which a script has every whole number.
const LARGEST_EXACT: u64 = (1 << 53) - 1;

/// A count: a number, or its digits as a text where a script's numbers would round it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Count(pub(super) u64);

impl Serialize for Count {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            0..=LARGEST_EXACT => serializer.serialize_u64(self.0),
            large => serializer.collect_str(&large),
        }
    }
}

/// A column of counts.
pub(super) type Counts = Vec<Count>;

/// An index of another table, or -1 for none.
pub(super) fn index_or_none(index: Option<usize>) -> i64 {
    index.and_then(|index| i64::try_from(index).ok()).unwrap_or(-1)
}

/// An address as the page keeps it: hexadecimal digits, which it pads to the address width.
pub(super) fn hexadecimal(address: u64) -> String {
    format!("{address:x}")
}

#[cfg(test)]
mod tests {
    use super::Count;

    #[test]
    fn no_count_is_rounded() {
        let counts = [0, (1 << 53) - 1, 1 << 53, u64::MAX].map(Count);
        let expected = r#"[0,9007199254740991,"9007199254740992","18446744073709551615"]"#;
        assert_eq!(serde_json::to_string(&counts).unwrap(), expected);
    }
}
