//! A static executable for RISC-V, as small as it can be.

use super::program::Program;

const PAGE: u32 = 0x1000;
const EXECUTABLE: u16 = 2;
const RISCV: u16 = 243;
const READ_EXECUTE: u32 = 5;
const READ_WRITE: u32 = 6;

/// The file: a page with the headers, the code, the data; each begins a page.
pub(crate) fn write_elf(program: &Program, register_bytes: u32) -> Vec<u8> {
    let is_wide = register_bytes == 8;
    let (header_bytes, segment_bytes) = if is_wide { (64, 56) } else { (52, 32) };
    let words = program.words.iter();
    let code: Vec<u8> =
        words.flat_map(|word| word.bits.to_le_bytes().into_iter().take(word.bytes as usize)).collect();
    let data_offset = PAGE + (code.len() as u32).next_multiple_of(PAGE);
    let mut file = Vec::new();
    file.extend(b"\x7fELF");
    file.extend([if is_wide { 2 } else { 1 }, 1, 1]);
    file.resize(16, 0);
    push16(&mut file, &[EXECUTABLE, RISCV]);
    push32(&mut file, &[1]);
    // Entry, program headers, no section headers.
    push_words(&mut file, is_wide, &[Program::CODE, header_bytes, 0]);
    // RVC may be used.
    push32(&mut file, &[1]);
    push16(&mut file, &[header_bytes as u16, segment_bytes, 2, 0, 0, 0]);
    for (offset, address, size, flags) in [
        (PAGE, Program::CODE, code.len() as u32, READ_EXECUTE),
        (data_offset, Program::DATA, program.data.len() as u32, READ_WRITE),
    ] {
        push32(&mut file, &[1]);
        if is_wide {
            push32(&mut file, &[flags]);
        }
        push_words(&mut file, is_wide, &[offset, address, address, size, size]);
        if !is_wide {
            push32(&mut file, &[flags]);
        }
        push_words(&mut file, is_wide, &[PAGE]);
    }
    file.resize(PAGE as usize, 0);
    file.extend(code);
    file.resize(data_offset as usize, 0);
    file.extend(&program.data);
    file
}

/// Numbers as wide as addresses are.
fn push_words(file: &mut Vec<u8>, is_wide: bool, words: &[u32]) {
    for word in words {
        push32(file, &[*word]);
        if is_wide {
            push32(file, &[0]);
        }
    }
}

fn push16(file: &mut Vec<u8>, halves: &[u16]) {
    file.extend(halves.iter().flat_map(|half| half.to_le_bytes()));
}

fn push32(file: &mut Vec<u8>, words: &[u32]) {
    file.extend(words.iter().flat_map(|word| word.to_le_bytes()));
}
