//! What has come from a debugger and was not looked at.

use std::collections::VecDeque;

use super::framer::{Framer, Received};

/// Packets that are kept while the run goes on: a debugger sends none then, but to stop it. What comes
/// beyond is lost.
const MOST_WAITING: usize = 1024;

/// Packets that wait, the first first.
#[derive(Debug, Default)]
pub(super) struct Inbox {
    framer: Framer,
    waiting: VecDeque<Received>,
}

impl Inbox {
    /// Takes what has come while the run stands and all of it is looked at.
    pub(super) fn take(&mut self, bytes: &[u8]) {
        let framer = &mut self.framer;
        self.waiting.extend(bytes.iter().filter_map(|byte| framer.take(*byte)));
    }

    /// Takes what has come while the run goes on: a wish to stop it in any case.
    pub(super) fn take_running(&mut self, bytes: &[u8]) {
        for received in bytes.iter().filter_map(|byte| self.framer.take(*byte)) {
            let is_new_wish =
                || received == Received::Interrupt && !self.waiting.contains(&Received::Interrupt);
            if self.waiting.len() < MOST_WAITING || is_new_wish() {
                self.waiting.push_back(received);
            }
        }
    }

    /// The next packet.
    pub(super) fn next(&mut self) -> Option<Received> {
        self.waiting.pop_front()
    }

    /// True if the run is to stop; it is told once.
    pub(super) fn take_interrupt(&mut self) -> bool {
        let asked = self.waiting.iter().position(|received| *received == Received::Interrupt);
        asked.is_some_and(|place| self.waiting.remove(place).is_some())
    }
}

#[cfg(test)]
mod tests {
    use super::{Inbox, MOST_WAITING, Received};

    #[test]
    fn what_floods_in_is_bounded_and_the_wish_to_stop_is_heard() {
        let mut inbox = Inbox::default();
        for _ in 0..100 {
            inbox.take_running(&b"$g#67".repeat(100));
        }
        assert!(!inbox.take_interrupt());
        inbox.take_running(b"\x03\x03");
        assert_eq!(inbox.waiting.len(), MOST_WAITING + 1);
        assert!(inbox.take_interrupt() && !inbox.take_interrupt());
        assert_eq!(inbox.next(), Some(Received::Packet(b"$g#67".to_vec())));
        // Where the run stands, whatever comes is answered.
        let mut inbox = Inbox::default();
        inbox.take(&b"$g#67".repeat(2 * MOST_WAITING));
        assert_eq!(std::iter::from_fn(|| inbox.next()).count(), 2 * MOST_WAITING);
    }
}
