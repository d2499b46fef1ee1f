//! A static executable, as small as it can be.

use super::peer::Peer;
use super::program::Program;

const PAGE: u32 = 0x1000;
const EXECUTABLE: u16 = 2;
const READ_EXECUTE: u32 = 5;
const READ_WRITE: u32 = 6;

/// The file: a page with the headers, the code, the data; each begins a page.
pub(crate) fn write_elf(program: &Program, peer: &Peer) -> Vec<u8> {
    let is_wide = peer.layout.register_bytes == 8;
    let big_endian = peer.layout.big_endian;
    let (header_bytes, segment_bytes) = if is_wide { (64, 56) } else { (52, 32) };
    let code = code(program, big_endian);
    let data_offset = PAGE + (code.len() as u32).next_multiple_of(PAGE);
    let mut file = File { bytes: Vec::new(), is_wide, big_endian };
    file.bytes.extend(b"\x7fELF");
    file.bytes.extend([if is_wide { 2 } else { 1 }, if big_endian { 2 } else { 1 }, 1]);
    file.bytes.resize(16, 0);
    let machine = (peer.model)().target.elf_machine.expect("the model says what it is");
    file.halves(&[EXECUTABLE, machine]);
    file.word(1);
    // Entry, program headers, no section headers.
    file.addresses(&[peer.layout.code | peer.entry_mark, header_bytes, 0]);
    file.word(peer.elf_flags);
    file.halves(&[header_bytes as u16, segment_bytes, 2, 0, 0, 0]);
    for (offset, address, size, flags) in [
        (PAGE, peer.layout.code, code.len() as u32, READ_EXECUTE),
        (data_offset, peer.layout.data, program.data.len() as u32, READ_WRITE),
    ] {
        file.word(1);
        if is_wide {
            file.word(flags);
        }
        file.addresses(&[offset, address, address, size, size]);
        if !is_wide {
            file.word(flags);
        }
        file.addresses(&[PAGE]);
    }
    file.bytes.resize(PAGE as usize, 0);
    file.bytes.extend(code);
    file.bytes.resize(data_offset as usize, 0);
    file.bytes.extend(&program.data);
    file.bytes
}

/// The words in memory.
fn code(program: &Program, big_endian: bool) -> Vec<u8> {
    let mut code = Vec::new();
    for word in &program.words {
        let size = word.bytes as usize;
        match big_endian {
            // A space of zeros.
            _ if size > 4 => code.resize(code.len() + size, 0),
            true => code.extend(&word.bits.to_be_bytes()[4 - size..]),
            false => code.extend(&word.bits.to_le_bytes()[..size]),
        }
    }
    code
}

/// A file that is written.
struct File {
    bytes: Vec<u8>,
    is_wide: bool,
    big_endian: bool,
}

impl File {
    /// Numbers as wide as addresses are.
    fn addresses(&mut self, values: &[u32]) {
        for value in values {
            if self.is_wide && self.big_endian {
                self.word(0);
            }
            self.word(*value);
            if self.is_wide && !self.big_endian {
                self.word(0);
            }
        }
    }

    fn halves(&mut self, values: &[u16]) {
        for value in values {
            self.bytes.extend(if self.big_endian { value.to_be_bytes() } else { value.to_le_bytes() });
        }
    }

    fn word(&mut self, value: u32) {
        self.bytes.extend(if self.big_endian { value.to_be_bytes() } else { value.to_le_bytes() });
    }
}
