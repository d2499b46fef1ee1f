//! Lists of elements that are made while they are written.

use std::cell::Cell;

use serde::{Serialize, Serializer};

/// Elements, each of which is made as it is written and then gone: those of a large program would take
/// more memory than its profile. Written once.
pub(super) struct Each<'a, T>(Cell<Option<Box<dyn Iterator<Item = T> + 'a>>>);

impl<'a, T> Each<'a, T> {
    /// A list of what an iterator gives.
    pub(super) fn of(elements: impl Iterator<Item = T> + 'a) -> Each<'a, T> {
        Each(Cell::new(Some(Box::new(elements))))
    }
}

impl<T: Serialize> Serialize for Each<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.take().into_iter().flatten())
    }
}

#[cfg(test)]
mod tests {
    use super::Each;

    #[test]
    fn it_is_written_as_a_list_is() {
        let written = serde_json::to_string(&Each::of((1..4).map(|number| number * 2)));
        assert_eq!(written.ok().as_deref(), Some("[2,4,6]"));
    }
}
