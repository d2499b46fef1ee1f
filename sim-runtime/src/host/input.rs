//! Standard input of a guest, which can be read again where a run is taken back.

use std::io::{self, Read};

/// A stream of bytes into the simulation.
pub(crate) struct Input {
    source: Box<dyn Read + Send>,
    /// What each read has given, where it is remembered.
    reads: Option<Vec<Vec<u8>>>,
    at: Place,
}

/// How much of the remembered reads has been given to the guest.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Place {
    /// The read that is next.
    read: usize,
    /// Bytes of it that were given already.
    byte: usize,
}

impl Input {
    pub(crate) fn new(source: Box<dyn Read + Send>) -> Self {
        Self { source, reads: None, at: Place::default() }
    }

    /// Remembers all that is read from here on.
    pub(crate) fn remember(&mut self) {
        self.reads.get_or_insert_default();
    }

    pub(crate) fn place(&self) -> Place {
        self.at
    }

    /// Goes back to a place: what was read behind it is read again.
    pub(crate) fn go_back(&mut self, place: Place) {
        self.at = place;
    }
}

impl Read for Input {
    /// Gives again what a read gave at this place before, in pieces of the same size, so that a guest
    /// that does the same gets the same.
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let Some(reads) = &mut self.reads else { return self.source.read(bytes) };
        if self.at.read == reads.len() {
            let count = self.source.read(bytes)?;
            reads.push(bytes[..count].to_vec());
            self.at = Place { read: reads.len(), byte: 0 };
            return Ok(count);
        }
        let rest = &reads[self.at.read][self.at.byte..];
        let count = rest.len().min(bytes.len());
        bytes[..count].copy_from_slice(&rest[..count]);
        self.at = match count == rest.len() {
            true => Place { read: self.at.read + 1, byte: 0 },
            false => Place { byte: self.at.byte + count, ..self.at },
        };
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use super::Input;

    #[test]
    fn what_was_read_is_read_again_in_the_same_pieces() {
        let mut input = Input::new(Box::new(&b"abcdefgh"[..]));
        input.remember();
        let read = |input: &mut Input, count: usize| {
            let mut bytes = vec![0; count];
            let count = input.read(&mut bytes).expect("bytes can be read");
            String::from_utf8_lossy(&bytes[..count]).into_owned()
        };
        assert_eq!(read(&mut input, 3), "abc");
        let place = input.place();
        assert_eq!(read(&mut input, 2), "de");
        input.go_back(place);
        // More is asked for than before, and less.
        assert_eq!(read(&mut input, 4), "de");
        assert_eq!(read(&mut input, 1), "f");
        input.go_back(place);
        assert_eq!(read(&mut input, 1), "d");
        assert_eq!(read(&mut input, 9), "e");
        assert_eq!(read(&mut input, 9), "f");
        assert_eq!(read(&mut input, 9), "gh");
        assert_eq!(read(&mut input, 9), "");
    }
}
