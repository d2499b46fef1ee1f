//! What fails while a run goes on: an error that comes a thousand times is not told a thousand times.

/// Errors of a run that goes on all the same. The first is to be told at once, the others when it has ended.
#[derive(Debug, Default)]
pub(super) struct Failures {
    /// The first one, as long as nobody was told.
    first: Option<String>,
    last: String,
    count: u64,
}

impl Failures {
    /// One more.
    pub(super) fn add(&mut self, error: String) {
        self.count += 1;
        match self.count {
            1 => self.first = Some(error),
            _ => self.last = error,
        }
    }

    /// The first one, once.
    pub(super) fn take_first(&mut self) -> Option<String> {
        self.first.take()
    }

    /// True if nothing has failed.
    pub(super) fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// What is left to tell at the end.
    pub(super) fn summary(&self) -> Option<String> {
        let Self { last, count, .. } = self;
        (*count > 1).then(|| {
            format!("{count} snapshots or parts of the run have failed, the last of them so: {last}")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Failures;

    #[test]
    fn the_first_is_told_at_once_and_the_others_are_counted() {
        let mut failures = Failures::default();
        assert!(failures.is_empty());
        assert_eq!((failures.take_first(), failures.summary()), (None, None));
        failures.add("no room".to_owned());
        assert_eq!(failures.take_first().as_deref(), Some("no room"));
        assert_eq!((failures.take_first(), failures.summary()), (None, None));
        failures.add("no room".to_owned());
        failures.add("no folder".to_owned());
        let expected = "3 snapshots or parts of the run have failed, the last of them so: no folder";
        assert_eq!((failures.take_first(), failures.summary().as_deref()), (None, Some(expected)));
        assert!(!failures.is_empty());
    }
}
