//! From bytes to packets: `$`, what is meant, `#`, two digits of a sum.

/// Most bytes of a packet.
pub(super) const MOST_BYTES: usize = 1 << 14;

/// What has come in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Received {
    /// A packet whose sum is right, from `$` to the sum.
    Packet(Vec<u8>),
    /// A packet that is none: its sum is wrong or missing, or it is too long. To be sent again.
    Malformed,
    /// The debugger has not understood the last answer and wants it again.
    Again,
    /// The run is to stop.
    Interrupt,
}

/// Takes bytes one by one.
#[derive(Debug, Clone, Default)]
pub struct Framer {
    /// From `$` on; empty between packets.
    bytes: Vec<u8>,
    /// Digits of the sum that are still to come.
    digits_left: Option<u8>,
    is_too_long: bool,
}

impl Framer {
    /// Takes a byte; gives what is complete with it. Whatever stands between packets and means nothing
    /// there is passed over.
    pub fn take(&mut self, byte: u8) -> Option<Received> {
        match (self.bytes.is_empty(), byte) {
            (true, 0x03) => return Some(Received::Interrupt),
            (true, b'-') => return Some(Received::Again),
            (true, b'$') => {
                self.bytes.push(byte);
                return None;
            }
            (true, _) => return None,
            (false, b'$') => {
                // A packet has been cut off, and another begins.
                *self = Framer { bytes: vec![byte], ..Framer::default() };
                return Some(Received::Malformed);
            }
            (false, _) => {}
        }
        if self.bytes.len() < MOST_BYTES {
            self.bytes.push(byte);
        } else {
            self.is_too_long = true;
        }
        self.digits_left = match (self.digits_left, byte) {
            (None, b'#') => Some(2),
            (None, _) => return None,
            (Some(left), _) => Some(left.saturating_sub(1)),
        };
        if self.digits_left != Some(0) {
            return None;
        }
        let complete = std::mem::take(self);
        let is_right = !complete.is_too_long && has_right_sum(&complete.bytes);
        Some(if is_right { Received::Packet(complete.bytes) } else { Received::Malformed })
    }
}

fn has_right_sum(packet: &[u8]) -> bool {
    let Some((sum, body)) = packet.split_last_chunk::<2>().map(|(body, sum)| (sum, body)) else {
        return false;
    };
    let Some(meant) = body.strip_prefix(b"$").and_then(|body| body.strip_suffix(b"#")) else { return false };
    // A number of Rust's may have a sign.
    let digits = std::str::from_utf8(sum).ok().filter(|_| sum.iter().all(u8::is_ascii_hexdigit));
    let told = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok());
    told == Some(meant.iter().fold(0, |sum: u8, byte| sum.wrapping_add(*byte)))
}

/// A packet that means `body`.
pub(super) fn packet_of(body: &[u8]) -> Vec<u8> {
    let sum = body.iter().fold(0, |sum: u8, byte| sum.wrapping_add(*byte));
    let mut packet = vec![b'$'];
    packet.extend(body);
    packet.extend(format!("#{sum:02x}").bytes());
    packet
}

#[cfg(test)]
mod tests {
    use super::{Framer, MOST_BYTES, Received, packet_of};

    fn received(bytes: &[u8]) -> Vec<Received> {
        let mut framer = Framer::default();
        bytes.iter().filter_map(|byte| framer.take(*byte)).collect()
    }

    #[test]
    fn packets_are_found_between_other_bytes() {
        let packets = [b"+xyz".to_vec(), packet_of(b"g"), b"+".to_vec(), packet_of(b"m0,4")].concat();
        assert_eq!(
            received(&packets),
            [Received::Packet(packet_of(b"g")), Received::Packet(packet_of(b"m0,4"))]
        );
    }

    #[test]
    fn a_wrong_sum_is_malformed_and_the_next_packet_is_not() {
        let packets = [b"$g#00$g#zz$g#+1".to_vec(), packet_of(b"?")].concat();
        let malformed = || Received::Malformed;
        assert_eq!(
            received(&packets),
            [malformed(), malformed(), malformed(), Received::Packet(packet_of(b"?"))]
        );
    }

    #[test]
    fn a_packet_that_is_cut_off_or_too_long_is_malformed() {
        let long = packet_of(&vec![b'a'; MOST_BYTES]);
        assert_eq!(received(&long), [Received::Malformed]);
        let cut = [b"$m0,".to_vec(), packet_of(b"g")].concat();
        assert_eq!(received(&cut), [Received::Malformed, Received::Packet(packet_of(b"g"))]);
    }

    #[test]
    fn interrupts_and_rejections_are_told_apart_from_what_is_in_packets() {
        let bytes = [b"\x03-".to_vec(), packet_of(b"\x03-")].concat();
        let whole = Received::Packet(packet_of(b"\x03-"));
        assert_eq!(received(&bytes), [Received::Interrupt, Received::Again, whole]);
    }
}
