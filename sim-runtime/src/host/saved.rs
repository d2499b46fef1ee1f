//! The host as it was at some time of a run, for who takes a run back.
//!
//! What a guest was given is given again, and what it has written is not written a second time.
//! Files cannot be taken back: a host with a root directory has no saved state.

use super::descriptor::DescriptorTable;
use super::heap::Heap;
use super::input::Place;
use super::random::Random;
use super::{Explanation, Host};

/// A host at some time of a run.
pub struct SavedHost {
    input: Place,
    output: u64,
    errors: u64,
    descriptors: DescriptorTable,
    heap: Heap,
    random: Random,
    semihost_errno: i64,
    explanation: Option<Explanation>,
}

impl Host {
    /// Remembers from here on what the guest reads, so that [`Host::go_back`] is possible; false where
    /// the guest may open files, which cannot be taken back.
    pub fn keep_history(&mut self) -> bool {
        let keeps = self.root.is_none();
        if keeps {
            self.input.remember();
        }
        keeps
    }

    /// The state at hand; `None` if it cannot be come back to.
    #[must_use]
    pub fn save(&self) -> Option<SavedHost> {
        if self.root.is_some() {
            return None;
        }
        Some(SavedHost {
            input: self.input.place(),
            output: self.output.position(),
            errors: self.errors.position(),
            descriptors: self.descriptors.copy()?,
            heap: self.heap,
            random: self.random,
            semihost_errno: self.semihost_errno,
            explanation: self.explanation.clone(),
        })
    }

    /// Goes back, or on, to a state that was saved. What is written again up to where writing has been
    /// goes nowhere.
    pub fn go_back(&mut self, saved: &SavedHost) {
        let Some(descriptors) = saved.descriptors.copy() else { return };
        self.input.go_back(saved.input);
        self.output.go_back(saved.output);
        self.errors.go_back(saved.errors);
        self.descriptors = descriptors;
        self.heap = saved.heap;
        self.random = saved.random;
        self.semihost_errno = saved.semihost_errno;
        self.explanation.clone_from(&saved.explanation);
    }

    /// The run goes on in another way than before: what it writes is new.
    pub fn forget_future(&mut self) {
        self.output.forget_future();
        self.errors.forget_future();
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Host, Streams};

    #[test]
    fn what_is_written_again_is_written_once() {
        let (streams, output, _) = Streams::captured(b"");
        let mut host = Host::new(streams);
        assert!(host.keep_history());
        host.print(b"one ");
        let saved = host.save().expect("a host without files can be saved");
        host.print(b"two ");
        host.go_back(&saved);
        host.print(b"two three ");
        host.flush().expect("memory can be written");
        assert_eq!(output.text(), "one two three ");
        host.go_back(&saved);
        host.forget_future();
        host.print(b"other");
        host.flush().expect("memory can be written");
        assert_eq!(output.text(), "one two three other");
    }

    #[test]
    fn random_numbers_and_input_come_again() {
        let (streams, ..) = Streams::captured(b"ab");
        let mut host = Host::new(streams).with_seed(3);
        host.keep_history();
        let saved = host.save().expect("a host without files can be saved");
        let first = (host.random_bytes(), host.console_read(), host.console_read(), host.console_read());
        host.go_back(&saved);
        assert_eq!(
            (host.random_bytes(), host.console_read(), host.console_read(), host.console_read()),
            first
        );
    }
}
